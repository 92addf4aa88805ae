#include <algorithm>
#include <cmath>

#include "dyn_core/control/computed_torque.hpp"
#include "gains.hpp"

namespace dyn {

TorqueTerms::TorqueTerms(Index dof)
    : inertia(VecXd::Zero(dof)),
      feedback(inertia),
      coriolis(inertia),
      gravity(inertia),
      friction(inertia),
      external(inertia),
      handover(inertia),
      limited(inertia) {}

ControlOutput::ControlOutput(Index dof)
    : torque(VecXd::Zero(dof)),
      drive(dof),
      drive_torque(torque),
      terms(dof),
      position_error(torque),
      velocity_error(torque),
      integral(torque),
      acceleration(torque) {}

Result<ControlLaw> ControlLaw::make(ChainPtr chain, const ControlParameters& parameters,
                                    const Algorithms& algorithms) {
  if (std::string sentence = objection(*chain, parameters); !sentence.empty()) {
    return fail(std::move(sentence));
  }
  Result<Solver> solver = Solver::make(chain, algorithms);
  if (!solver) return tl::unexpected(solver.error());
  JointWalls walls(chain->dof());
  const bool own = !entry_of(parameters.law).follows_joints();
  bool guidable = own || parameters.guidable;
  if (guidable) {
    const double fastest = std::min(parameters.brake_limit, kBrakeShare / parameters.period);
    Result<JointWalls> made =
        make_walls(*solver, parameters.guiding, parameters.limits.effort, fastest);
    if (!made && own) return tl::unexpected(made.error());
    guidable = made.has_value();
    if (made) walls = std::move(*made);
  }
  ControlLaw out(std::move(chain), std::move(*solver), parameters, std::move(walls));
  out.parameters_.guidable = guidable;
  return out;
}

ControlLaw::ControlLaw(ChainPtr chain, Solver solver, const ControlParameters& parameters,
                       JointWalls walls)
    : parameters_(parameters),
      walls_(std::move(walls)),
      space_(parameters.task, solver.dof(), parameters.law == Law::kImpedance),
      twist_error_(Vec6<double>::Zero()),
      pull_(twist_error_),
      paid_(VecXd::Zero(solver.dof())),
      dynamics_(*chain),
      solver_(std::move(solver)),
      kinematics_(chain),
      reference_kinematics_(std::move(chain)),
      output_(solver_.dof()),
      disturbance_(VecXd::Zero(solver_.dof())),
      blocked_(disturbance_),
      e_(disturbance_),
      z_(disturbance_),
      gravity_(disturbance_),
      hardware_gravity_(disturbance_),
      last_gravity_(disturbance_),
      last_state_(solver_.dof()),
      last_reference_(solver_.dof()),
      spare_(solver_.dof()),
      handover_(disturbance_),
      by_drives_(disturbance_),
      previous_(disturbance_),
      baseline_(disturbance_),
      remainder_(disturbance_),
      before_(disturbance_),
      after_(disturbance_),
      a_(disturbance_),
      b_(disturbance_),
      M_(MatXd::Zero(solver_.dof(), solver_.dof())),
      C_(M_),
      U_(M_),
      jacobian_(MatXd::Zero(6, solver_.dof())),
      D_(disturbance_) {
  quasi_ = {disturbance_, disturbance_, disturbance_};
  (void)set_gains(parameters.gains);  // checked by make()
}

Status ControlLaw::activate(VecIn<double> torque_now) noexcept {
  if (torque_now.size() != solver_.dof()) return Status::kWrongSize;
  if (!torque_now.allFinite()) return Status::kNotFinite;
  z_.setZero();
  clear_terms();
  output_.mode = ControlMode::kTracking;
  output_.status = Status::kOk;
  output_.position_error.setZero();
  blocked_.setZero();
  output_.tip = {};
  tank_ = parameters_.task.tank;
  previous_ = torque_now.cwiseMin(parameters_.limits.effort).cwiseMax(-parameters_.limits.effort);
  output_.torque = previous_;
  output_.drive_torque.setZero();
  output_.drive.qd.setZero();
  output_.drive.kp.setZero();
  output_.drive.kd.setZero();
  last_gravity_.setZero();
  hardware_gravity_.setZero();
  fault_time_ = 0.0;
  guided_ = false;
  has_last_ = false;
  handover_pending_ = true;
  return Status::kOk;
}

// The law's torque for the last state and reference, without handover and limits; the output stays as
// it is.
bool ControlLaw::torque_at_last(VecXd& out) noexcept {
  const double storage = output_.storage;
  std::swap(output_.terms, spare_);
  clear_terms();
  output_.integral = parameters_.gains.ki.cwiseProduct(z_);
  const bool valid = apply_law(last_state_, last_reference_) == Status::kOk && terms_finite();
  std::swap(output_.terms, spare_);
  output_.storage = storage;
  out = baseline_ + remainder_;
  return valid;
}

// Adds to the handover what `change` takes from the torque.
template <class Change>
void ControlLaw::blend(Change change) noexcept {
  const bool known = has_last_ && torque_at_last(before_);
  change();
  if (known && torque_at_last(after_)) handover_ += before_ - after_;
}

Status ControlLaw::set_gains(const Gains& gains) noexcept {
  const Index n = solver_.dof();
  if (gains.kp.size() != n || gains.ki.size() != n || gains.kd.size() != n) {
    return Status::kWrongSize;
  }
  if (!gains.kp.allFinite() || !gains.ki.allFinite() || !gains.kd.allFinite()) {
    return Status::kNotFinite;
  }
  for (Index i = 0; i < n; ++i) {
    const bool negative = gains.kp[i] < 0.0 || gains.ki[i] < 0.0 || gains.kd[i] < 0.0;
    if (negative || check_gains(parameters_.law, gains, i, parameters_.period) != GainRule::kKept) {
      return Status::kUnsupported;
    }
  }
  blend([&] {
    for (Index i = 0; i < n; ++i) {
      // The integral's torque stays where it is.
      const double before = parameters_.gains.ki[i];
      z_[i] *= gains.ki[i] > 0.0 ? before / gains.ki[i] : 0.0;
      const QuasiPole pole = split_poles(gains.kp[i], gains.ki[i], gains.kd[i]);
      quasi_.damping[i] = pole.damping;
      quasi_.slope[i] = pole.slope;
      quasi_.curve[i] = pole.curve;
    }
    parameters_.gains.kp = gains.kp;
    parameters_.gains.ki = gains.ki;
    parameters_.gains.kd = gains.kd;
  });
  return Status::kOk;
}

Status ControlLaw::set_payload(const RigidBody& payload) noexcept {
  if (!std::isfinite(payload.mass) || !payload.com.allFinite() || !payload.inertia.allFinite()) {
    return Status::kNotFinite;
  }
  blend([&] { solver_.set_payload(payload); });
  return Status::kOk;
}

Status ControlLaw::set_gravity(const Vec3d& gravity) noexcept {
  if (!gravity.allFinite()) return Status::kNotFinite;
  blend([&] { solver_.set_gravity(gravity); });
  return Status::kOk;
}

Status ControlLaw::set_expected_wrench(const Wrench& wrench) noexcept {
  if (!wrench.force.allFinite() || !wrench.torque.allFinite()) return Status::kNotFinite;
  expected_wrench_ = wrench;
  has_expected_wrench_ = !wrench.force.isZero(0.0) || !wrench.torque.isZero(0.0);
  return Status::kOk;
}

Status ControlLaw::set_blocked(VecIn<double> share) noexcept {
  if (share.size() != solver_.dof()) return Status::kWrongSize;
  if (!share.allFinite()) return Status::kNotFinite;
  blocked_ = share;
  return Status::kOk;
}

Status ControlLaw::set_disturbance(VecIn<double> torque) noexcept {
  if (torque.size() != solver_.dof()) return Status::kWrongSize;
  if (!torque.allFinite()) return Status::kNotFinite;
  disturbance_ = torque;
  return Status::kOk;
}

const ControlOutput& ControlLaw::update(const JointState& state, const Reference& reference,
                                        double dt) noexcept {
  constexpr double kMostPeriods = 10.0;
  const double longest = kMostPeriods * parameters_.period;
  const double step = dt > 0.0 && dt <= longest ? dt : parameters_.period;
  output_.status = check(state, reference);
  if (output_.status == Status::kOk) {
    clear_terms();
    take_errors(state, reference);
    if (law() == Law::kImpedance) pay(state, step);
    output_.status = apply_law(state, reference);
  }
  if (output_.status == Status::kOk && !terms_finite()) output_.status = Status::kNotFinite;
  if (output_.status == Status::kOk) {
    output_.mode = ControlMode::kTracking;
    fault_time_ = 0.0;
    a_ = previous_ + output_.drive_torque;
    refer_drives(state, reference);
    hand_over(step);
    limit(step);
    integrate(step);
    last_state_.q = state.q;
    last_state_.qd = state.qd;
    if (!follows_nothing()) last_reference_ = reference;
    has_last_ = true;
  } else {
    degrade(state, step);
  }
  return output_;
}

Status ControlLaw::check(const JointState& state, const Reference& reference) const noexcept {
  const Index n = solver_.dof();
  if (state.q.size() != n || state.qd.size() != n) return Status::kWrongSize;
  if (follows_nothing()) return state.finite() ? Status::kOk : Status::kNotFinite;
  if (reference.q.size() != n || reference.qd.size() != n || reference.qdd.size() != n) {
    return Status::kWrongSize;
  }
  return state.finite() && reference.finite() ? Status::kOk : Status::kNotFinite;
}

void ControlLaw::clear_terms() noexcept {
  TorqueTerms& terms = output_.terms;
  for (VecXd* term : {&terms.inertia, &terms.feedback, &terms.coriolis, &terms.gravity,
                      &terms.friction, &terms.external, &terms.handover, &terms.limited}) {
    term->setZero();
  }
  output_.storage = 0.0;
  output_.acceleration.setZero();
}

void ControlLaw::take_errors(const JointState& state, const Reference& reference) noexcept {
  if (follows_nothing()) return;  // they are zero from the beginning
  joint_difference(chain(), reference.q, state.q, output_.position_error);
  output_.velocity_error = reference.qd - state.qd;
  e_ = output_.position_error.cwiseMin(parameters_.position_error_limit)
           .cwiseMax(-parameters_.position_error_limit);
  output_.integral = parameters_.gains.ki.cwiseProduct(z_);
  if (!entry_of(law()).follows_joints()) output_.position_error.setZero();
}

Status ControlLaw::apply_law(const JointState& state, const Reference& reference) noexcept {
  TorqueTerms& terms = output_.terms;
  terms.feedback = parameters_.gains.kp.cwiseProduct(e_) +
                   parameters_.gains.kd.cwiseProduct(output_.velocity_error) + output_.integral;
  Status status = Status::kOk;
  switch (law()) {
    case Law::kComputedTorque:
      status = computed_torque(state, reference);
      break;
    case Law::kFeedforwardPd:
      status = feedforward(reference);
      break;
    case Law::kPdGravity:
      status = gravity(state.q);
      break;
    case Law::kQuasiVelocity:
      status = quasi_velocity(state, reference);
      break;
    case Law::kPd:
      status = gravity(state.q);
      break;
    case Law::kGravity:
      status = carry_by_hand(state);
      break;
    case Law::kTaskSpace:
      status = task_space(state, reference);
      break;
    case Law::kImpedance:
      status = impedance(state, reference);
      break;
  }
  if (law() == Law::kPd) terms.gravity.setZero();
  if (status == Status::kOk && !walled()) status = restrain(state);
  const bool along_reference = law() != Law::kPd && entry_of(law()).follows_joints();
  if (status == Status::kOk && parameters_.friction && along_reference) {
    status = solver_.friction_torque(reference.qd, terms.friction);
  }
  return status == Status::kOk ? external(state) : status;
}

Status ControlLaw::computed_torque(const JointState& state, const Reference& reference) noexcept {
  TorqueTerms& terms = output_.terms;
  Status status = solver_.mass_matrix(state.q, M_);
  if (status != Status::kOk) return status;
  output_.acceleration = reference.qdd + terms.feedback;
  terms.inertia.noalias() = M_ * reference.qdd;
  a_ = terms.feedback;
  terms.feedback.noalias() = M_ * a_;  // (1)
  status = solver_.coriolis_torque(state.q, state.qd, terms.coriolis);
  return status == Status::kOk ? gravity(state.q) : status;
}

Status ControlLaw::feedforward(const Reference& reference) noexcept {
  TorqueTerms& terms = output_.terms;
  Status status = solver_.mass_matrix(reference.q, M_);
  if (status != Status::kOk) return status;
  terms.inertia.noalias() = M_ * reference.qdd;  // (2)
  push_alone(reference.qdd, terms.inertia);
  status = solver_.coriolis_torque(reference.q, reference.qd, terms.coriolis);
  return status == Status::kOk ? gravity(reference.q) : status;
}

Status ControlLaw::quasi_velocity(const JointState& state, const Reference& reference) noexcept {
  TorqueTerms& terms = output_.terms;
  Status status = solver_.mass_matrix(state.q, M_);
  if (status == Status::kOk) status = solver_.factor(state.q, U_, D_);
  if (status == Status::kOk) status = solver_.coriolis_matrix(state.q, state.qd, C_);
  if (status != Status::kOk) return status;
  if (!(D_.minCoeff() > 0.0)) return Status::kSingular;
  // a = q̇_r - q̇_d, then s = q̇_r - q̇ in b
  a_ = quasi_.slope.cwiseProduct(e_) + quasi_.curve.cwiseProduct(z_);
  b_ = output_.velocity_error + a_;
  terms.inertia.noalias() = M_ * reference.qdd;
  terms.coriolis.noalias() = C_ * state.qd;
  terms.feedback.noalias() = C_ * b_;
  a_.noalias() = U_.transpose() * b_;
  a_.array() *= D_.array().sqrt();  // s_nu = sqrt(D) Uᵀ s
  output_.storage = 0.5 * a_.squaredNorm();
  a_.array() *= quasi_.damping.array() * D_.array().sqrt();
  terms.feedback.noalias() += U_ * a_;  // m Γ mᵀ s
  a_ = quasi_.slope.cwiseProduct(output_.velocity_error) + quasi_.curve.cwiseProduct(e_);
  terms.feedback.noalias() += M_ * a_;  // M (q̈_r - q̈_d)
  return gravity(state.q);
}

// The gravity torque at `q`, as a term of the command or left to the hardware.
Status ControlLaw::gravity(const VecXd& q) noexcept {
  const Status status = solver_.gravity_torque(q, gravity_);
  if (status == Status::kOk) carry(gravity_);
  return status;
}

void ControlLaw::carry(const VecXd& gravity) noexcept {
  gravity_ = gravity;
  if (parameters_.hardware_compensates_gravity) {
    hardware_gravity_ = gravity_;
  } else {
    output_.terms.gravity = gravity_;
    last_gravity_ = gravity_;
  }
}

Status ControlLaw::external(const JointState& state) noexcept {
  output_.terms.external = -disturbance_;
  if (entry_of(law()).follows == Follows::kTip) {
    output_.terms.external.noalias() += jacobian_.topRows<3>().transpose() * wanted_.wrench.force;
    output_.terms.external.noalias() +=
        jacobian_.bottomRows<3>().transpose() * wanted_.wrench.torque;
  }
  if (!has_expected_wrench_) return Status::kOk;
  Status status = kinematics_.update(state.q);
  if (status == Status::kOk) status = kinematics_.jacobian(jacobian_);
  output_.terms.external.noalias() -= jacobian_.topRows<3>().transpose() * expected_wrench_.force;
  output_.terms.external.noalias() -=
      jacobian_.bottomRows<3>().transpose() * expected_wrench_.torque;
  return status;
}

}  // namespace dyn
