// What the tests of the control law, predictor, observer and plant share.
#pragma once

#include <functional>
#include <limits>

#include "dyn_core/control/controller.hpp"
#include "dyn_core/control/plant.hpp"
#include "support.hpp"

namespace dyn::test {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Value>
Value take(Result<Value> result) {
  if (!result) throw std::runtime_error(result.error().sentence);
  return std::move(*result);
}

inline Solver solver_of(const ChainPtr& chain) { return take(Solver::make(chain)); }

/// The chain with its joints changed by `edit`.
inline ChainPtr edited(const Chain& chain, const std::function<void(Joint&)>& edit) {
  ChainDescription out = chain.description();
  for (Joint& joint : out.joints) edit(joint);
  return std::make_shared<const Chain>(std::move(out));
}

inline ChainPtr without_limits(const Chain& chain) {
  return edited(chain, [](Joint& joint) { joint.limits = {}; });
}

inline ChainPtr without_friction(const Chain& chain) {
  return edited(chain, [](Joint& joint) { joint.damping = joint.friction = 0.0; });
}

/// One joint about the y axis of the world with a uniform rod hanging from it: I q̈ + m g c sin q = tau.
struct Pendulum {
  double mass = 2.0, length = 0.6;
  [[nodiscard]] double inertia() const { return mass * length * length / 3.0; }
  [[nodiscard]] double weight() const { return mass * 9.81 * 0.5 * length; }

  [[nodiscard]] ChainPtr chain(const Joint& joint_in) const {
    ChainDescription out;
    out.name = "pendulum";
    Joint joint = joint_in;
    joint.name = "hinge";
    out.joints = {joint};
    out.coordinate_names = {"hinge"};
    out.dh = {DhRow()};
    // z of the joint along y of the base, y of the joint down
    out.base_pose.R = Eigen::AngleAxisd(-M_PI / 2.0, Vec3d::UnitX()).toRotationMatrix();
    Link rod;
    rod.name = "rod";
    rod.body.mass = mass;
    rod.body.com = Vec3d(0.0, 0.5 * length, 0.0);
    const double transverse = mass * length * length / 12.0;
    rod.body.inertia.diagonal() << transverse, 0.0, transverse;
    out.links = {rod};
    return std::make_shared<const Chain>(std::move(out));
  }
};

/// Postures of arm7 at the ends of the motion that tests track.
inline VecXd first_posture() {
  VecXd q(7);
  q << -0.6, -0.3, -0.5, 0.9, -0.8, -0.4, -0.8;
  return q;
}

inline VecXd last_posture() {
  VecXd q(7);
  q << 0.6, 0.5, 0.5, 1.7, 0.8, 0.8, 0.8;
  return q;
}

inline JointState random_state(Random& random, Index n, double speed = 1.0) {
  JointState state(n);
  state.q = random.vector(n, 1.5);
  state.qd = random.vector(n, speed);
  return state;
}

inline Reference random_reference(Random& random, Index n) {
  Reference reference(n);
  reference.q = random.vector(n, 1.5);
  reference.qd = random.vector(n, 1.0);
  reference.qdd = random.vector(n, 2.0);
  return reference;
}

inline VecXd sum(const TorqueTerms& terms) {
  return terms.inertia + terms.feedback + terms.coriolis + terms.gravity + terms.friction +
         terms.external + terms.handover + terms.limited;
}

/// Parameters without limits and without blending.
inline ControlParameters plain_parameters(const Chain& chain, Law law) {
  ControlParameters parameters(chain);
  parameters.law = law;
  parameters.ramp_in = 0.0;
  parameters.limits.effort.setConstant(kInfinity);
  return parameters;
}

}  // namespace dyn::test
