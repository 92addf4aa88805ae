#include "dyn_core/control/stepper.hpp"

#include <algorithm>
#include <cmath>

namespace dyn {
namespace {

constexpr double kTouch = 1e-9;  // a joint so near to its stop touches it, rad or m

}  // namespace

Stepper::Stepper(Solver solver, const StepperOptions& options)
    : solver_(std::move(solver)),
      options_(options),
      damping_(VecXd::Zero(solver_.dof())),
      coulomb_(damping_),
      lower_(damping_),
      upper_(damping_),
      next_(solver_.dof()),
      mid_(solver_.dof()),
      a1_(damping_),
      a2_(damping_),
      a3_(damping_),
      a4_(damping_),
      v2_(damping_),
      v3_(damping_),
      driving_(damping_),
      friction_(damping_),
      smooth_(damping_),
      velocity_(damping_),
      M_inverse_(MatXd::Zero(solver_.dof(), solver_.dof())) {
  const Chain& chain = solver_.chain();
  solver_.set_friction(false);
  for (const Joint& joint : chain.joints()) {
    damping_[joint.coordinate] += joint.multiplier * joint.multiplier * joint.damping;
    coulomb_[joint.coordinate] += std::abs(joint.multiplier) * joint.friction;
  }
  damping_ *= options.friction == Friction::kNone ? 0.0 : options.friction_scale;
  coulomb_ *= options.friction == Friction::kFull ? options.friction_scale : 0.0;
  for (Index i = 0; i < chain.dof(); ++i) {
    lower_[i] = chain.coordinate_joint(i).limits.lower;
    upper_[i] = chain.coordinate_joint(i).limits.upper;
  }
  dissipates_ = !damping_.isZero(0.0) || !coulomb_.isZero(0.0);
}

void Stepper::reset() noexcept { friction_.setZero(); }

Status Stepper::advance(JointState& state, VecIn<double> torque, double duration) noexcept {
  if (state.q.size() != solver_.dof() || state.qd.size() != solver_.dof() ||
      torque.size() != solver_.dof()) {
    return Status::kWrongSize;
  }
  if (!std::isfinite(duration)) return Status::kNotFinite;
  constexpr double kMostSteps = 1e6;
  const double steps = std::clamp(std::ceil(duration / options_.max_step - 1e-9), 1.0, kMostSteps);
  const double h = duration / steps;
  for (int k = 0; k < static_cast<int>(steps); ++k) {
    take_over_friction(state, h);
    driving_ = torque - friction_;
    Status status = smooth_step(state, driving_, h);
    if (status == Status::kOk) status = dissipate(state, h);
    if (status == Status::kOk && !next_.finite()) status = Status::kNotFinite;
    if (status != Status::kOk) {
      reset();
      return status;
    }
    state.q = next_.q;
    state.qd = next_.qd;
  }
  return Status::kOk;
}

// friction_ of the last step as a first guess for one of length h.
void Stepper::take_over_friction(const JointState& from, double h) noexcept {
  if (options_.stops && h > last_step_) {
    for (Index i = 0; i < friction_.size(); ++i) {
      const double most = coulomb_[i] + damping_[i] * std::abs(from.qd[i]);
      const double own = std::clamp(friction_[i], -most, most);  // the rest is the stop's
      friction_[i] = own + (friction_[i] - own) * (last_step_ / h);
    }
  }
  last_step_ = h;
}

// From `from` to next_, without friction and stops.
Status Stepper::smooth_step(const JointState& from, VecIn<double> torque, double h) noexcept {
  if (options_.scheme == Scheme::kRungeKutta4) return runge_kutta(from, torque, h);
  Status status = solver_.forward_dynamics(from.q, from.qd, torque, a1_);
  if (status != Status::kOk) return status;
  if (options_.scheme == Scheme::kSemiImplicit) {
    next_.qd = from.qd + h * a1_;
    next_.q = from.q + h * next_.qd;
    return Status::kOk;
  }
  mid_.q = from.q + (0.5 * h) * from.qd;
  mid_.qd = from.qd + (0.5 * h) * a1_;
  status = solver_.forward_dynamics(mid_.q, mid_.qd, torque, a2_);
  next_.q = from.q + h * mid_.qd;
  next_.qd = from.qd + h * a2_;
  return status;
}

Status Stepper::runge_kutta(const JointState& from, VecIn<double> torque, double h) noexcept {
  Status status = solver_.forward_dynamics(from.q, from.qd, torque, a1_);
  if (status != Status::kOk) return status;
  mid_.q = from.q + (0.5 * h) * from.qd;
  v2_ = from.qd + (0.5 * h) * a1_;
  status = solver_.forward_dynamics(mid_.q, v2_, torque, a2_);
  if (status != Status::kOk) return status;
  mid_.q = from.q + (0.5 * h) * v2_;
  v3_ = from.qd + (0.5 * h) * a2_;
  status = solver_.forward_dynamics(mid_.q, v3_, torque, a3_);
  if (status != Status::kOk) return status;
  mid_.q = from.q + h * v3_;
  mid_.qd = from.qd + h * a3_;
  status = solver_.forward_dynamics(mid_.q, mid_.qd, torque, a4_);
  next_.q = from.q + (h / 6.0) * (from.qd + 2.0 * v2_ + 2.0 * v3_ + mid_.qd);
  next_.qd = from.qd + (h / 6.0) * (a1_ + 2.0 * a2_ + 2.0 * a3_ + a4_);
  return status;
}

bool Stepper::at_stop() const noexcept {
  return options_.stops && ((next_.q.array() >= upper_.array() - kTouch).any() ||
                            (next_.q.array() <= lower_.array() + kTouch).any());
}

Status Stepper::dissipate(const JointState& from, double h) noexcept {
  if (!dissipates_ && !at_stop() && friction_.isZero(0.0)) return Status::kOk;
  mid_.q = 0.5 * (from.q + next_.q);
  const Status status = solver_.mass_matrix_inverse(mid_.q, M_inverse_);
  if (status != Status::kOk) return status;
  smooth_ = next_.qd;
  velocity_ = smooth_;
  sweep(from, h);
  next_.qd = velocity_;
  next_.q += (0.5 * h) * (velocity_ - smooth_);
  if (options_.stops) {  // one that stands beyond a stop goes no further
    next_.q = next_.q.cwiseMax(lower_.cwiseMin(from.q)).cwiseMin(upper_.cwiseMax(from.q));
  }
  return Status::kOk;
}

void Stepper::sweep(const JointState& from, double h) noexcept {
  const double tolerance = options_.tolerance * (1.0 + smooth_.lpNorm<Eigen::Infinity>());
  double change = 1.0;
  for (int k = 0; k < options_.most_sweeps && change > tolerance; ++k) {
    change = 0.0;
    for (Index i = 0; i < velocity_.size(); ++i) {
      const double a = h * M_inverse_(i, i);
      const double without = velocity_[i] + a * friction_[i];  // if this joint had no friction
      const double damped = a * damping_[i];
      const double theta = damped > 1.0 ? 1.0 : 0.5;
      const double pushed = without - damped * (1.0 - theta) * from.qd[i];
      const double sliding = std::max(std::abs(pushed) - a * coulomb_[i], 0.0);
      double wanted = std::copysign(sliding, pushed) / (1.0 + damped * theta);
      if (options_.stops && next_.q[i] >= upper_[i] - kTouch) wanted = std::min(wanted, 0.0);
      if (options_.stops && next_.q[i] <= lower_[i] + kTouch) wanted = std::max(wanted, 0.0);
      const double step = (without - wanted) / a - friction_[i];
      friction_[i] += step;
      velocity_.noalias() -= (h * step) * M_inverse_.col(i);
      change = std::max(change, std::abs(a * step));
    }
  }
}

}  // namespace dyn
