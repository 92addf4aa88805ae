// The end of ControlLaw::update: blending, limits, integral, and what is done when something is wrong.
#include <algorithm>
#include <cmath>
#include <limits>

#include "dyn_core/control/computed_torque.hpp"

namespace dyn {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

void sum_baseline(const TorqueTerms& terms, VecXd& out) {
  out = terms.coriolis + terms.gravity + terms.friction + terms.external;
}

}  // namespace

// Whether finite inputs have led to a finite torque.
bool ControlLaw::terms_finite() noexcept {
  sum_baseline(output_.terms, baseline_);
  remainder_ = output_.terms.inertia + output_.terms.feedback;
  return baseline_.allFinite() && remainder_.allFinite();
}

void ControlLaw::hand_over(double dt) noexcept {
  // a_, the torque at the joints before, becomes what would keep it; the others as terms_finite() left them.
  a_ -= output_.drive_torque + baseline_ + remainder_;
  if (handover_pending_) {
    handover_ = a_;
    handover_pending_ = false;
  } else if (parameters_.ramp_in > 0.0) {
    handover_ *= std::exp(-3.0 * dt / parameters_.ramp_in);
  }
  // Never more than that: what one wrong sample has left goes when the law comes back from it.
  handover_ = handover_.cwiseMin(a_.cwiseMax(0.0)).cwiseMax(a_.cwiseMin(0.0));
  if (parameters_.ramp_in == 0.0 || !handover_.allFinite()) handover_.setZero();
  output_.terms.handover = handover_;
}

void ControlLaw::limit(double dt) noexcept {
  TorqueTerms& terms = output_.terms;
  sum_baseline(terms, baseline_);
  remainder_ = terms.inertia + terms.feedback + terms.handover;
  by_drives_ = hardware_gravity_ + output_.drive_torque;
  output_.limit = limit_torque(parameters_.limits, baseline_, remainder_, by_drives_, previous_, dt,
                               output_.torque);
  terms.limited = output_.torque - baseline_ - remainder_;
  previous_ = output_.torque;
}

void ControlLaw::integrate(double dt) noexcept {
  const Gains& gains = parameters_.gains;
  const bool acceleration_gains = entry_of(parameters_.law).acceleration_gains;
  output_.integral_limited = false;
  if (!entry_of(law()).follows_joints()) return;
  for (Index i = 0; i < z_.size(); ++i) {
    const double ki = gains.ki[i];
    if (ki == 0.0) {
      z_[i] = 0.0;
      continue;
    }
    // Back-calculation: what the limits took away, as a change of the integral.
    const double inertia = acceleration_gains ? M_(i, i) : 1.0;
    const double excess = output_.terms.limited[i] / (inertia * ki * parameters_.antiwindup_time);
    const double wanted = z_[i] + dt * (e_[i] + excess);
    const double bound = parameters_.integral_limit[i] / ki;
    z_[i] = std::clamp(wanted, -bound, bound);
    output_.integral_limited = output_.integral_limited || z_[i] != wanted;
  }
}

const ControlOutput& ControlLaw::stop(const JointState& state, Status why, double dt) noexcept {
  output_.status = why;
  fault_time_ = std::max(fault_time_, parameters_.hold_time);
  degrade(state, dt > 0.0 ? dt : parameters_.period);
  return output_;
}

// The drives follow the joints' reference, as far as the position error may count.
void ControlLaw::refer_drives(const JointState& state, const Reference& reference) noexcept {
  DriveReference& drive = output_.drive;
  if (!entry_of(law()).follows_joints()) {
    output_.drive_torque.setZero();
    drive.kp.setZero();
    drive.kd.setZero();
    return;
  }
  drive.q = state.q + e_;
  drive.qd = reference.qd;
  drive.kp = parameters_.drive_kp;
  drive.kd = parameters_.drive_kd;
  output_.drive_torque = drive.kp.cwiseProduct(e_) + drive.kd.cwiseProduct(output_.velocity_error);
}

// No reference is to be followed any more, but drives brake best themselves.
void ControlLaw::brake_by_drives(const JointState& state) noexcept {
  output_.drive.kp.setZero();
  output_.drive.qd.setZero();
  output_.drive.kd = parameters_.drive_kd;
  output_.drive_torque.setZero();
  if (state.qd.size() == solver_.dof() && state.finite()) {
    output_.drive_torque = -parameters_.drive_kd.cwiseProduct(state.qd);
  }
}

void ControlLaw::degrade(const JointState& state, double dt) noexcept {
  fault_time_ += dt;
  clear_terms();
  TorqueTerms& terms = output_.terms;
  if (fault_time_ <= parameters_.hold_time) {
    output_.mode = ControlMode::kHolding;
    terms.handover = previous_;
    limit(dt);
    return;
  }
  handover_pending_ = true;
  has_last_ = false;
  brake_by_drives(state);
  if (brake(state)) {
    output_.mode = ControlMode::kStopping;
  } else {
    output_.mode = ControlMode::kBlind;
    go_towards_gravity(dt);
  }
  limit(dt);
}

// Gravity and a brake; false where there is no state to brake by.
bool ControlLaw::brake(const JointState& state) noexcept {
  const bool known = state.q.size() == solver_.dof() && state.qd.size() == solver_.dof();
  if (!known || !state.finite()) return false;
  if (gravity(state.q) != Status::kOk) return false;
  const bool accelerations = entry_of(parameters_.law).acceleration_gains;
  const double most = accelerations ? parameters_.brake_limit : kUnbounded;
  a_ = -parameters_.gains.kd.cwiseMin(most).cwiseProduct(state.qd);
  if (!accelerations) {
    output_.terms.feedback = a_;
  } else if (solver_.mass_matrix(state.q, M_) == Status::kOk) {
    output_.terms.feedback.noalias() = M_ * a_;
  }
  if (output_.terms.feedback.allFinite()) return true;
  clear_terms();
  return false;
}

void ControlLaw::go_towards_gravity(double dt) noexcept {
  TorqueTerms& terms = output_.terms;
  const double rest = std::exp(-dt / parameters_.decay_time);
  terms.gravity = last_gravity_;
  terms.handover = rest * (previous_ - last_gravity_);
}

}  // namespace dyn
