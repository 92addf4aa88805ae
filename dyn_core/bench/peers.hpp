// Other people's libraries, to be timed on the same chain and states.
#pragma once

#include <memory>
#include <vector>

#include "dyn_core/robot/chain.hpp"
#include "stopwatch.hpp"

namespace dyn::bench {

struct PeerState {
  VecXd q, qd, qdd, tau;
};
using PeerStates = std::vector<PeerState>;

/// Adds what the library can do; keeps the chain and the states. Only those found are compiled.
void add_kdl(const Chain& chain, const std::shared_ptr<const PeerStates>& states,
             std::vector<Timing>& out);
void add_mujoco(const Chain& chain, const std::shared_ptr<const PeerStates>& states,
                std::vector<Timing>& out);
void add_dart(const Chain& chain, const std::shared_ptr<const PeerStates>& states,
              std::vector<Timing>& out);
void add_eigen(const ChainPtr& chain, const std::shared_ptr<const PeerStates>& states,
               std::vector<Timing>& out);

/// From the frame before joint `i`'s own motion (at zero, offsets of the row included) to the parent frame.
[[nodiscard]] inline Posed pose_at_zero(const Chain& chain, std::size_t i) {
  const DhRow& row = chain.dh()[i];
  const Mat3d twist =
      (Eigen::AngleAxisd(row.alpha, Vec3d::UnitX()) * Eigen::AngleAxisd(row.beta, Vec3d::UnitY()))
          .toRotationMatrix();
  const Mat3d turn = Eigen::AngleAxisd(row.theta, Vec3d::UnitZ()).toRotationMatrix();
  const Posed pose{twist * turn, Vec3d(row.a, 0.0, 0.0) + row.d * twist.col(2)};
  return i == 0 ? chain.base_pose() * pose : pose;
}

/// A timing over all states: call(k) treats state k.
template <class Call>
void add(const char* quantity, const char* algorithm, const PeerStates& states, Call call,
         std::vector<Timing>& out) {
  const std::size_t count = states.size();
  out.push_back({quantity, algorithm, static_cast<int>(count), 1, [call, count]() mutable {
                   for (std::size_t k = 0; k < count; ++k) call(k);
                 }});
}

}  // namespace dyn::bench
