#include "dyn_core/study/link_effects.hpp"

#include "dyn_core/papers/kang/augmented_bodies.hpp"
#include "dyn_core/papers/kang/kic.hpp"
#include "dyn_core/papers/kozlowski_1995/diagonalized.hpp"
#include "dyn_core/papers/safeea_2018/as_printed.hpp"

namespace dyn {
namespace {

VecXd of_joints(const Chain& chain, VecIn<double> of_coordinates) {
  VecXd out(chain.joint_count());
  for (Index j = 0; j < out.size(); ++j) {
    out[j] = chain.joint(j).multiplier * of_coordinates[chain.joint(j).coordinate];
  }
  return out;
}

// `effect(i, j)` of link i and each joint j ≤ i, numbered from 1, in the axes that R leads to.
template <class Effect>
Mat3X<double> columns_of(const Mat3d& R, Index i, Index joints, Effect effect) {
  Mat3X<double> out = Mat3X<double>::Zero(3, joints);
  for (Index j = 1; j <= i; ++j) out.col(j - 1) = R * effect(i, j);
  return out;
}

// What the coefficient of joint k, or of joints j and k, adds to those of the coordinates.
struct InfluenceSum {
  InfluenceSum(const Chain& chain_in, Influence& out_in)
      : chain(chain_in), R(chain.base_pose().R), out(out_in) {
    out.G = Mat3X<double>::Zero(3, chain.dof());
    out.H.fill(MatXd::Zero(chain.dof(), chain.dof()));
  }
  void add(Index k, const Vec3d& g) const {
    const Joint& joint = chain.joint(k);
    out.G.col(joint.coordinate) += joint.multiplier * (R * g);
  }
  void add(Index j, Index k, const Vec3d& h) const {
    const Joint &inner = chain.joint(j), &outer = chain.joint(k);
    const Vec3d turned = inner.multiplier * outer.multiplier * (R * h);
    for (Index x = 0; x < 3; ++x) {
      out.H[static_cast<std::size_t>(x)](inner.coordinate, outer.coordinate) += turned[x];
    }
  }

  const Chain& chain;
  const Mat3d& R;
  Influence& out;
};

}  // namespace

std::vector<LinkEffects> link_effects(const Model& model, const Kinematics<double>& at,
                                      VecIn<double> qd, VecIn<double> qdd) {
  const Chain& chain = at.chain();
  safeea::FrameInjection pairs(model);
  pairs.update(model, at.joints(), of_joints(chain, qd), of_joints(chain, qdd));
  const Index n = model.size();
  const Mat3d& R = chain.base_pose().R;
  std::vector<LinkEffects> links(static_cast<std::size_t>(n));
  for (Index i = 1; i <= n; ++i) {
    LinkEffects& link = links[static_cast<std::size_t>(i - 1)];
    const auto all = [&](Vec3d (safeea::FrameInjection::*effect)(Index, Index) const) {
      return columns_of(R, i, n, [&](Index l, Index j) { return (pairs.*effect)(l, j); });
    };
    using Pairs = safeea::FrameInjection;
    link.mass_centre = chain.base_pose() * pairs.links.p_C[i];
    link.acceleration = {all(&Pairs::acceleration_tau), all(&Pairs::acceleration_n),
                         all(&Pairs::acceleration_cor)};
    link.moment = {all(&Pairs::moment_tau), all(&Pairs::moment_n), all(&Pairs::moment_cor)};
  }
  return links;
}

JointMomenta joint_momenta(const Model& model, const Kinematics<double>& at, VecIn<double> qd) {
  const Chain& chain = at.chain();
  AugmentedBodies<double> bodies(model);
  bodies.update(model, at.joints());
  const VecXd rates = of_joints(chain, qd);
  // From the axes of the first link's frame; its origin lies on the first axis of frame 0.
  const Posed first = at.dh_pose(0);
  JointMomenta out{Mat3X<double>(3, model.size()), Mat3X<double>(3, model.size())};
  for (Index k = 0; k < model.size(); ++k) {
    const Vec3d P = first.R * bodies[k].P * rates[k];
    out.linear.col(k) = P;
    out.angular.col(k) = first.R * bodies[k].L * rates[k] + at.dh_pose(k).p.cross(P);
  }
  return out;
}

LinkInfluence link_influence(const Model& model, const Kinematics<double>& at, Index link,
                             const Vec3d& point) {
  const Chain& chain = at.chain();
  InfluenceCoefficients<double> kic(model);
  kic.update(model, at.joints());
  const Vec3d P = chain.base_pose().inverse() * point;
  LinkInfluence out;
  const InfluenceSum translation(chain, out.translation), rotation(chain, out.rotation);
  for (Index k = 0; k <= link; ++k) {
    translation.add(k, kic.translation(link, k, P));
    rotation.add(k, kic.rotation(link, k));
    for (Index j = 0; j <= link; ++j) {
      translation.add(j, k, kic.translation(link, j, k, P));
      rotation.add(j, k, kic.rotation(link, j, k));
    }
  }
  return out;
}

Status quasi_coupling(const Model& model, const Kinematics<double>& at, VecIn<double> qd,
                      QuasiCoupling& out) {
  DiagonalizedDynamics<double> dynamics(model);
  if (const Status status = dynamics.update(model, at.joints()); status != Status::kOk)
    return status;
  dynamics.set_rates(qd);
  out = {MatXd(model.size(), model.size()), VecXd(model.size())};
  dynamics.coriolis_factor(out.c);
  dynamics.bias_xi(model, out.bias);
  out.bias.array() /= dynamics.root().array();
  return Status::kOk;
}

}  // namespace dyn
