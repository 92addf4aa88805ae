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
  if (handover_pending_) {
    handover_ = previous_ - baseline_ - remainder_;  // as terms_finite() left them
    handover_pending_ = false;
  } else if (parameters_.ramp_in > 0.0) {
    handover_ *= std::exp(-3.0 * dt / parameters_.ramp_in);
  }
  if (parameters_.ramp_in == 0.0) handover_.setZero();
  output_.terms.handover = handover_;
}

void ControlLaw::limit(double dt) noexcept {
  TorqueTerms& terms = output_.terms;
  sum_baseline(terms, baseline_);
  remainder_ = terms.inertia + terms.feedback + terms.handover;
  output_.limit = limit_torque(parameters_.limits, baseline_, remainder_, hardware_gravity_,
                               previous_, dt, output_.torque);
  terms.limited = output_.torque - baseline_ - remainder_;
  previous_ = output_.torque;
}

// The integral, and the tank of the impedance law.
void ControlLaw::integrate(double dt) noexcept {
  const Gains& gains = parameters_.gains;
  const bool acceleration_gains = entry_of(parameters_.law).acceleration_gains;
  output_.integral_limited = false;
  if (parameters_.law == Law::kImpedance) {
    tank_ = std::clamp(tank_ + dt * tank_power_, 0.0, parameters_.task.tank);
    output_.tip.tank = tank_;
  }
  if (!entry_of(parameters_.law).follows_joints()) return;
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
