// ControlLaw: what every law that follows a reference may not ask of joints near their limits and of blocked ones.
#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "dyn_core/control/computed_torque.hpp"

namespace dyn {

// Takes from the torque what it asks of joints towards their limits, and what it has the others do for a
// blocked one. The laws on accelerations leave M(q) in M_.
Status ControlLaw::restrain(const JointState& state) noexcept {
  const bool accelerations = entry_of(parameters_.law).acceleration_gains;
  const VecXd& asked = output_.acceleration;
  if (asked.isZero(0.0)) expect(state);  // it has not said it itself
  a_ = asked;
  keep_from_limits(state);
  b_ = asked - a_;
  if (!b_.isZero(0.0)) {
    if (tracks_tip()) {
      make_up_for(state.qd, b_);
      output_.acceleration += b_;
      keep_from_limits(state);
      b_ = asked - a_;
    }
    const Status status = accelerations ? Status::kOk : solver_.mass_matrix(state.q, M_);
    if (status != Status::kOk) return status;
    output_.terms.feedback.noalias() += M_ * b_;
  }
  if (accelerations) push_alone(asked, output_.terms.feedback);
  return Status::kOk;
}

// From what limits take from some joints to what all do for the tip instead, with the least accelerations, and less
// the nearer they are to their own speed; the posture has to wait.
void ControlLaw::make_up_for(const VecXd& qd, VecXd& taken) noexcept {
  constexpr double kDamping = 1e-3;  // of the mean of the squares, where too few are left
  constexpr double kNear = 0.2;      // share of the speed
  const OperationalSpace::Rows& J = space_.jacobian();
  Mat6<double> A = Mat6<double>::Identity() * (kDamping * J.squaredNorm() / 6.0);
  Vec6<double> lacks = Vec6<double>::Zero();
  const auto share = [&](Index k) {
    return std::clamp((1.0 - std::abs(qd[k]) / parameters_.speed[k]) / kNear, 0.0, 1.0);
  };
  for (Index k = 0; k < taken.size(); ++k) {
    A.noalias() += share(k) * J.col(k) * J.col(k).transpose();
    lacks -= taken[k] * J.col(k);
  }
  const Vec6<double> push = Eigen::LDLT<Mat6<double>>(A).solve(lacks);
  for (Index k = 0; k < taken.size(); ++k) taken[k] = share(k) * J.col(k).dot(push);
}

// Takes from M q̈ the share of the blocked joints in the torques of the others.
void ControlLaw::push_alone(const VecXd& acceleration, VecXd& torque) noexcept {
  if (blocked_.isZero(0.0)) return;
  a_ = blocked_.cwiseProduct(acceleration);
  torque.noalias() -= M_ * a_;
  torque += M_.diagonal().cwiseProduct(a_);
}

// What the torque makes of the joints by the model; zero where that cannot be known.
void ControlLaw::expect(const JointState& state) noexcept {
  const TorqueTerms& terms = output_.terms;
  VecXd& expected = output_.acceleration;
  a_ = terms.inertia + terms.feedback + terms.coriolis + terms.gravity + hardware_gravity_;
  Status status = Status::kOk;
  if (!entry_of(parameters_.law).acceleration_gains) {
    status = solver_.bias_torque(state.q, state.qd, b_);
    for (Index i = 0; i < a_.size(); ++i) {  // less than Coulomb friction moves nothing
      const double friction = chain().coordinate_joint(i).friction;
      a_[i] -= std::clamp(a_[i] - b_[i], -friction, friction);
    }
  }
  if (status == Status::kOk) {
    status = solver_.forward_dynamics(state.q, state.qd, a_, expected);
  }
  if (status != Status::kOk || !expected.allFinite()) expected.setZero();
}

// Bounds what is asked of the joints towards their limits; of the tip's also beyond their speed.
void ControlLaw::keep_from_limits(const JointState& state) noexcept {
  constexpr double kRate =
      40.0;  // 1/s, where gains do not act on accelerations of the joints alone
  const double slow = std::min(kRate, parameters_.brake_limit);
  const bool by_tip = tracks_tip();
  const bool accelerations = entry_of(parameters_.law).acceleration_gains;
  for (Index i = 0; i < parameters_.approach.size(); ++i) {
    const double rate = accelerations ? parameters_.gains.kd[i] : slow;
    const double a = parameters_.approach[i];
    double& asked = output_.acceleration[i];
    if (by_tip) {
      const double fastest = parameters_.speed[i];
      asked = std::clamp(asked, -slow * (fastest + state.qd[i]), slow * (fastest - state.qd[i]));
    }
    if (!std::isfinite(a)) continue;
    const JointLimits& limits = chain().coordinate_joint(i).limits;
    const auto most = [&](double distance, double speed) {
      const double allowed = std::sqrt(2.0 * a * std::max(distance, 0.0));
      // Beyond the limit nothing is left to brake for, and a velocity's noise would make torque of it.
      const double share = speed <= 0.0 || distance <= 0.0 ? 0.0 : std::min(speed / allowed, 1.0);
      return rate * (allowed - speed) - a * share;
    };
    asked = std::min(asked, most(limits.upper - state.q[i], state.qd[i]));
    asked = std::max(asked, -most(state.q[i] - limits.lower, -state.qd[i]));
  }
}

}  // namespace dyn
