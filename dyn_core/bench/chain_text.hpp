// A chain as plain numbers, the language between `dyn bench` and dyn_bench_peers.
#pragma once

#include <istream>
#include <memory>
#include <ostream>

#include "dyn_core/robot/chain.hpp"

namespace dyn::bench {

inline void write_chain(const Chain& chain, std::ostream& out) {
  out.precision(17);
  const auto numbers = [&out](const auto& m) {
    for (Index i = 0; i < m.size(); ++i) out << m.data()[i] << ' ';
  };
  out << chain.joint_count() << '\n';
  numbers(chain.gravity());
  numbers(chain.base_pose().R);
  numbers(chain.base_pose().p);
  for (std::size_t i = 0; i < chain.dh().size(); ++i) {
    const DhRow& row = chain.dh()[i];
    const RigidBody& body = chain.links()[i].body;
    out << '\n' << (chain.joints()[i].is_prismatic() ? 1 : 0) << ' ';
    out << row.a << ' ' << row.alpha << ' ' << row.beta << ' ' << row.d << ' ' << row.theta << ' ';
    out << body.mass << ' ';
    numbers(body.com);
    numbers(body.inertia);
  }
  out << '\n';
}

/// Null where the text is not a chain.
inline ChainPtr read_chain(std::istream& in) {
  const auto numbers = [&in](auto& m) {
    for (Index i = 0; i < m.size(); ++i) in >> m.data()[i];
  };
  ChainDescription chain;
  Index n = 0;
  in >> n;
  numbers(chain.gravity);
  numbers(chain.base_pose.R);
  numbers(chain.base_pose.p);
  for (Index i = 0; i < n && in; ++i) {
    int prismatic = 0;
    DhRow row;
    Link link;
    in >> prismatic >> row.a >> row.alpha >> row.beta >> row.d >> row.theta >> link.body.mass;
    numbers(link.body.com);
    numbers(link.body.inertia);
    Joint joint;
    joint.name = "joint" + std::to_string(i + 1);
    joint.type = prismatic != 0 ? JointType::kPrismatic : JointType::kRevolute;
    joint.coordinate = i;
    chain.coordinate_names.push_back(joint.name);
    chain.joints.push_back(joint);
    chain.dh.push_back(row);
    chain.links.push_back(link);
  }
  return in && n > 0 ? std::make_shared<const Chain>(std::move(chain)) : nullptr;
}

}  // namespace dyn::bench
