// The laws at the tip, (8) and (9) of computed_torque.hpp.
#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "dyn_core/control/computed_torque.hpp"
#include "friction_share.hpp"

namespace dyn {

// The dynamics, Λ, where the tip is and where it is to be.
Status ControlLaw::at_tip(const JointState& state, const Reference& reference) noexcept {
  Status status = solver_.dynamics(state.q, state.qd, dynamics_);
  if (status == Status::kOk) status = take_target(reference);
  if (status != Status::kOk) return status;
  if (!(dynamics_.D.minCoeff() > 0.0)) return Status::kSingular;
  M_.swap(dynamics_.mass_matrix);
  output_.terms.coriolis = dynamics_.coriolis_torque;
  carry(dynamics_.gravity_torque);
  const Posed tip = dynamics_.frames.back() * chain().tip_pose();
  const Index last = chain().joint_count() - 1;
  const auto frame_of = [this](Index j) -> const Posed& {
    return dynamics_.frames[static_cast<std::size_t>(j)];
  };
  point_jacobian<double>(chain(), last, frame_of, tip.p, jacobian_);
  const auto motion = point_motion<double>(chain(), last, frame_of, tip.p, state.qd);
  drift_ = motion.acceleration;
  space_.update(jacobian_, dynamics_.U, dynamics_.D);
  const Mat3d& frame = parameters_.task.frame;
  turn_ = wanted_.pose.R * tip.R.transpose();
  turn_.vec() = frame.transpose() * Vec3d(turn_.vec());
  output_.tip.error.head<3>() = frame.transpose() * (wanted_.pose.p - tip.p);
  output_.tip.error.tail<3>() = rotation_vector(turn_);
  output_.tip.kept = space_.kept();
  twist_error_ = space_.to_task(wanted_.twist - motion.twist);
  return Status::kOk;
}

// Where the tip is to be, also where the joints' reference says it.
Status ControlLaw::take_target(const Reference& reference) noexcept {
  wanted_ = reference.tip;
  if (wanted_.given) return Status::kOk;
  const Status status = reference_kinematics_.update(reference.q);
  if (status != Status::kOk) return status;
  const std::span<const Posed> frames = reference_kinematics_.joints().frames;
  const Posed tip = frames.back() * chain().tip_pose(), &base = chain().base_pose();
  const auto frame_of = [&](Index j) -> const Posed& {
    return frames[static_cast<std::size_t>(j)];
  };
  const auto motion =
      point_motion<double>(chain(), chain().joint_count() - 1, frame_of, tip.p, reference.qd,
                           &reference.qdd);  // in frame 0
  wanted_.pose = base * tip;
  wanted_.twist.head<3>() = base.R * motion.twist.head<3>();
  wanted_.twist.tail<3>() = base.R * motion.twist.tail<3>();
  wanted_.acceleration.head<3>() = base.R * motion.acceleration.head<3>();
  wanted_.acceleration.tail<3>() = base.R * motion.acceleration.tail<3>();
  return Status::kOk;
}

// K e with the moment of task.hpp (1), in the terms of space_.
Vec6<double> ControlLaw::tip_pull(const Vec6<double>& stiffness) const noexcept {
  const double most = parameters_.task.error_limit;
  const Vec3d e = output_.tip.error.head<3>().cwiseMin(most).cwiseMax(-most);
  Vec6<double> out;
  out << stiffness.head<3>().cwiseProduct(e), rotation_moment(turn_, stiffness.tail<3>());
  return out;
}

// Adds to the joints' acceleration what the tip lacks, Λ-weighted; pull_ is the force behind it.
void ControlLaw::add_at_tip(const Vec6<double>& wanted, const VecXd& had, VecXd& out) noexcept {
  const OperationalSpace::Rows &J = space_.jacobian(), &mobility = space_.mobility();
  Vec6<double> lacks = wanted;
  for (Index k = 0; k < had.size(); ++k) lacks -= had[k] * J.col(k);
  pull_.noalias() = space_.inertia() * lacks;
  for (Index k = 0; k < out.size(); ++k) out[k] += mobility.col(k).dot(pull_);
}

// M q̈ and friction of the posture's acceleration with that of the tip in its place.
Status ControlLaw::accelerate_tip(const Vec6<double>& asked, const JointState& state,
                                  const Reference& reference) noexcept {
  TorqueTerms& terms = output_.terms;
  VecXd& feedback = output_.acceleration;
  feedback = terms.feedback;
  add_at_tip(asked, terms.feedback, feedback);
  if (parameters_.friction) {
    b_ = reference.qd;
    add_at_tip(space_.to_task(wanted_.twist), reference.qd, b_);
    const Status status = friction_to_come(state.qd, feedback);
    if (status != Status::kOk) return status;
  }
  terms.inertia.noalias() = M_ * reference.qdd;
  a_ = feedback;
  add_at_tip(space_.to_task(wanted_.acceleration - drift_), reference.qdd, a_);
  terms.feedback.noalias() = M_ * a_;
  output_.acceleration = reference.qdd + a_;
  return Status::kOk;
}

// Friction along the velocity that the feedback has the joints take within 1/kd: b_ of the references alone
// leaves a light joint behind that friction holds. Its step at zero is as wide as the two differ, or a
// measured velocity would make a chatter of it.
Status ControlLaw::friction_to_come(const VecXd& qd, const VecXd& feedback) noexcept {
  constexpr double kSlowest = 1.0;  // 1/s, for a posture without damping
  constexpr double kStep = 0.015;   // rad/s or m/s
  for (Index i = 0; i < b_.size(); ++i) {
    const double kd = std::max(parameters_.gains.kd[i], kSlowest), wanted = b_[i];
    b_[i] = std::clamp(qd[i] + feedback[i] / kd, -parameters_.speed[i], parameters_.speed[i]);
    const double off = (b_[i] - wanted) * (b_[i] - wanted), all = off + wanted * wanted;
    a_[i] = all > 0.0 ? kStep * off / all : 0.0;
  }
  const Status status = solver_.friction_torque(b_, output_.terms.friction);
  for (Index i = 0; i < b_.size(); ++i) output_.terms.friction[i] *= faded(b_[i], a_[i]);
  return status;
}

// (8).
Status ControlLaw::task_space(const JointState& state, const Reference& reference) noexcept {
  const Status status = at_tip(state, reference);
  if (status != Status::kOk) return status;
  const TaskParameters& task = parameters_.task;
  const Vec6<double>& w = task.frequency;
  Vec6<double> asked = space_.as_motion(tip_pull(w.cwiseAbs2()));
  asked += 2.0 * task.damping_ratio.cwiseProduct(w).cwiseProduct(twist_error_);
  return accelerate_tip(asked, state, reference);
}

// (9); with an inertia of its own the tip answers the estimated force as a body of that inertia.
Status ControlLaw::impedance(const JointState& state, const Reference& reference) noexcept {
  const Status status = at_tip(state, reference);
  if (status != Status::kOk) return status;
  const TaskParameters& task = parameters_.task;
  const Vec6<double> K = task.stiffness.cwiseProduct(task.selected());
  if (task.inertia[0] > 0.0) {
    const Vec6<double> heard = space_.inertia() * (space_.mobility() * disturbance_);
    const Vec6<double> force = tip_pull(K) + space_.to_plain(heard);
    const Vec6<double> w = K.cwiseQuotient(task.inertia).cwiseSqrt();
    Vec6<double> asked = space_.as_motion(force.cwiseQuotient(task.inertia));
    asked += 2.0 * task.damping_ratio.cwiseProduct(w).cwiseProduct(twist_error_);
    return accelerate_tip(asked, state, reference);
  }
  coriolis_without_power(state.qd);
  assist(state.qd);
  pull_ = space_.as_force(tip_pull(K));
  const Vec6<double> damper = damp_tip(space_.as_force(space_.as_force(K)));
  pull_ += damper;
  pull_.noalias() += space_.inertia() * space_.to_task(wanted_.acceleration);
  output_.tip.force = space_.to_plain(pull_);
  keep_posture(state);
  // What the tank pays for in the next period, and what the target's motion pays.
  paid_ = output_.terms.feedback;
  paid_.noalias() += space_.jacobian().transpose() * damper;
  paid_power_ = damper.dot(space_.to_task(wanted_.twist));
  output_.terms.feedback.noalias() += space_.jacobian().transpose() * pull_;
  walls_.add(state, output_.terms.feedback);
  return Status::kOk;
}

// D ė. With Λ = F Fᵀ and F⁻¹ K F⁻ᵀ = Q w² Qᵀ, D = 2 ζ F Q w Qᵀ Fᵀ.
Vec6<double> ControlLaw::damp_tip(const Vec6<double>& stiffness) const noexcept {
  // 2 ζ w is a damper's rate; one that answers late is to be no faster than a brake's twice.
  const double fastest = std::min(parameters_.brake_limit, kBrakeShare / parameters_.period);
  const OperationalSpace::Square &F = space_.root(), &inverse = space_.inverse_root();
  const Mat6<double> S = inverse * stiffness.asDiagonal() * inverse.transpose();
  const Eigen::SelfAdjointEigenSolver<Mat6<double>> eigen(S);
  const Vec6<double> w = eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().cwiseMin(fastest);
  const Vec6<double> root = parameters_.task.damping_ratio.cwiseSqrt();
  // From the right: what moves is ė.
  Vec6<double> x = F.transpose() * Vec6<double>(root.cwiseProduct(twist_error_));
  x = eigen.eigenvectors() * (2.0 * w.cwiseProduct(eigen.eigenvectors().transpose() * x));
  x = F * x;
  return root.cwiseProduct(x);
}

// Nᵀ M a.
void ControlLaw::to_posture(const VecXd& acceleration, VecXd& torque) const noexcept {
  const Vec6<double> at_tip = space_.inertia() * (space_.jacobian() * acceleration);
  torque.noalias() = M_ * acceleration;
  torque.noalias() -= space_.jacobian().transpose() * at_tip;
}

// The posture's torque; its spring takes no more than half of the tank in a period.
void ControlLaw::keep_posture(const JointState& state) noexcept {
  const double dt = parameters_.period;
  b_ = parameters_.gains.kp.cwiseProduct(e_);
  to_posture(b_, a_);
  const double work = dt * std::max(state.qd.dot(a_), 0.0) + 0.5 * dt * dt * a_.dot(b_);
  const double spring = work > 0.0 ? std::clamp(0.5 * tank_ / work, 0.0, 1.0) : 1.0;
  b_ *= spring;
  b_ += parameters_.gains.kd.cwiseProduct(output_.velocity_error);
  to_posture(b_, output_.terms.feedback);
}

// What the last period's torque has cost, by the way that the joints have gone under it. More than there was is
// a debt, which dissipation pays off before the posture's spring gets anything.
void ControlLaw::pay(const JointState& state, double dt) noexcept {
  if (!has_last_) paid_.setZero();
  joint_difference(chain(), state.q, last_state_.q, a_);
  const double cost = paid_.dot(a_) - dt * paid_power_;
  if (has_last_) tank_ = std::min(tank_ - cost, parameters_.task.tank);
  output_.tip.tank = tank_;
}

// Energy in the springs of the walls and of the tip, and in the tank.
double ControlLaw::stored(const JointState& state) noexcept {
  const double energy = walls_.stored(state);
  if (law() != Law::kImpedance || kinematics_.update(state.q) != Status::kOk) {
    return energy;
  }
  const TaskParameters& task = parameters_.task;
  const Vec6<double> K = task.stiffness.cwiseProduct(task.selected());
  const Posed tip = kinematics_.tip_pose();
  const Vec3d e = (task.frame.transpose() * (wanted_.pose.p - tip.p)).cwiseAbs();
  const Vec3d clipped = e.cwiseMin(task.error_limit);
  double turned = 0.0;
  (void)rotation_moment(task.frame.transpose() * wanted_.pose.R * tip.R.transpose() * task.frame,
                        K.tail<3>(), &turned);
  return energy + K.head<3>().dot(clipped.cwiseProduct(e - 0.5 * clipped)) + turned + tank_;
}

}  // namespace dyn
