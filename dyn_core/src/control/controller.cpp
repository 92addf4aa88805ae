#include "dyn_core/control/controller.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace dyn {

Result<Controller> Controller::make(const ChainPtr& chain, const ControllerParameters& parameters,
                                    const Algorithms& algorithms) {
  if (!(parameters.stale_time > 0.0)) {
    return fail(
        fmt::format("the controller's stale time is {} s; give a positive one, or infinity for "
                    "none",
                    parameters.stale_time));
  }
  if (parameters.law.task.inertia[0] > 0.0 && !parameters.reject_disturbance) {
    return fail(
        "the tip is given an inertia, which it can only have by what the observer sees; let "
        "the controller reject disturbances, or leave the inertia at zero");
  }
  // A brake that answers late must be soft, or it drives what it should stop.
  const double late = parameters.law.period + std::max(parameters.delay, 0.0);
  ControlParameters law_parameters = parameters.law;
  law_parameters.brake_limit = std::min(law_parameters.brake_limit, kBrakeShare / late);
  if (parameters.supervision.enabled) {
    law_parameters.approach = parameters.supervision.approach;
    constexpr double kAsked = 0.85;  // of what would be a fault
    law_parameters.speed = kAsked * parameters.supervision.speed;
  }
  Result<ControlLaw> law = ControlLaw::make(chain, law_parameters, algorithms);
  if (!law) return tl::unexpected(law.error());
  PredictorParameters prediction;
  prediction.delay = parameters.delay;
  prediction.period = parameters.law.period;
  prediction.hardware_compensates_gravity = parameters.law.hardware_compensates_gravity;
  prediction.model = parameters.predictor_model;
  Result<Predictor> predictor = Predictor::make(chain, prediction, algorithms);
  if (!predictor) return tl::unexpected(predictor.error());
  ObserverParameters observation = parameters.observer;
  observation.hardware_compensates_gravity = parameters.law.hardware_compensates_gravity;
  Result<MomentumObserver> observer = MomentumObserver::make(chain, observation, algorithms);
  if (!observer) return tl::unexpected(observer.error());
  Result<Supervisor> supervisor =
      Supervisor::make(chain, parameters.supervision, parameters.law.limits.effort);
  if (!supervisor) return tl::unexpected(supervisor.error());
  return Controller(std::move(*law), std::move(*predictor), std::move(*observer),
                    std::move(*supervisor), parameters);
}

Controller::Controller(ControlLaw law, Predictor predictor, MomentumObserver observer,
                       Supervisor supervisor, const ControllerParameters& parameters)
    : law_(std::move(law)),
      predictor_(std::move(predictor)),
      observer_(std::move(observer)),
      supervisor_(std::move(supervisor)),
      reference_(chain().dof()),
      predict_(parameters.predict),
      bias_(parameters.law.guiding.bias_time > 0.0 &&
            (parameters.law.law == Law::kGravity || parameters.law.guidable)),
      observe_(parameters.observe || parameters.reject_disturbance || bias_),
      reject_disturbance_(parameters.reject_disturbance),
      stale_time_(parameters.stale_time),
      last_(chain().dof()),
      lost_(chain().dof()),
      acting_(VecXd::Zero(chain().dof())),
      slow_(acting_),
      sent_(acting_) {
  lost_.q.setConstant(std::numeric_limits<double>::quiet_NaN());
  lost_.qd = lost_.q;
  last_ = lost_;
}

Status Controller::activate(VecIn<double> torque_now) noexcept {
  const Status status = law_.activate(torque_now);
  if (status != Status::kOk) return status;
  observer_.reset();
  supervisor_.reset();
  acting_.setZero();
  slow_.setZero();
  learnt_ = 0.0;
  sent_ = law_.output().torque;
  acting_known_ = false;
  (void)law_.set_disturbance(acting_);
  unchanged_time_ = 0.0;
  return predictor_.reset(law_.output().torque);
}

const ControlOutput& Controller::update(double time, const JointState& measured,
                                        const Reference& reference, double dt) noexcept {
  watch(measured, dt);
  const JointState& believed = stale() ? lost_ : measured;
  if (observe_) observe(time, believed, dt);
  // Where the prediction fails, the law acts on the measured state.
  (void)(predict_ ? predictor_.predict(time, believed) : predictor_.follow(believed));
  const ControlOutput& output = command(believed, reference, dt);
  sent_ = output.torque + output.drive_torque;
  (void)predictor_.sent(time, sent_);
  return output;
}

// The law's torque for a reference within the limits; after a fault the brake, by what was measured.
const ControlOutput& Controller::command(const JointState& measured, const Reference& reference,
                                         double dt) noexcept {
  const ControlOutput& last = law_.output();
  const double step = dt > 0.0 ? dt : law_.parameters().period;
  const bool tracking = last.mode == ControlMode::kTracking;
  if (tracking && law_.tracks_tip()) {
    supervisor_.check_tip(law_.tip_error().head<3>().norm(), law_.tip_error().tail<3>().norm());
  }
  const Status fault = tracking ? supervisor_.check(measured, last.position_error, sent_, step)
                                : supervisor_.fault();
  if (fault != Status::kOk) return law_.stop(measured, fault, dt);
  if (!take_reference(measured, reference)) return law_.update(predictor_.state(), reference, dt);
  supervisor_.limit(measured, reference_);
  (void)law_.set_blocked(supervisor_.blocked());
  const ControlOutput& output = law_.update(predictor_.state(), reference_, dt);
  supervisor_.watch_blocked(measured, output.acceleration, step);
  return output;
}

// The reference of a law that follows none is where the arm is. False where sizes are wrong.
bool Controller::take_reference(const JointState& measured, const Reference& reference) noexcept {
  const Index n = reference_.q.size();
  if (entry_of(law_.law()).follows == Follows::kNothing) {
    if (measured.q.size() == n) reference_.q = measured.q;
    return true;
  }
  if (reference.q.size() != n || reference.qd.size() != n || reference.qdd.size() != n) {
    return false;
  }
  reference_ = reference;
  return true;
}

// For how long the state has been the same although it moves.
void Controller::watch(const JointState& measured, double dt) noexcept {
  constexpr double kMoving = 0.05;  // rad/s or m/s
  const bool fits = measured.q.size() == last_.q.size() && measured.qd.size() == last_.qd.size();
  const bool same = fits && measured.q == last_.q && measured.qd == last_.qd &&
                    measured.qd.lpNorm<Eigen::Infinity>() > kMoving;
  unchanged_time_ = same && dt > 0.0 ? unchanged_time_ + dt : 0.0;
  if (!fits) return;
  last_.q = measured.q;
  last_.qd = measured.qd;
}

void Controller::observe(double time, const JointState& measured, double dt) noexcept {
  if (!acting_known_) predictor_.mean_torque(time - dt, time, acting_);
  acting_known_ = false;
  // Where the observer fails, its last estimate stands.
  (void)observer_.update(measured, acting_, dt);
  (void)predictor_.set_disturbance(observer_.external_torque());
  const bool free = law_.law() == Law::kGravity;
  if (free && bias_) {
    learn_bias(measured, dt);
  } else if (reject_disturbance_ && !law_.guided()) {
    (void)law_.set_disturbance(observer_.external_torque());
  }
}

// What the observer sees slowly, while the arm hardly moves, as far as wrong masses can be its cause.
void Controller::learn_bias(const JointState& measured, double dt) noexcept {
  const GuidingParameters& guiding = law_.parameters().guiding;
  if (measured.qd.size() != acting_.size() || !measured.finite()) return;
  constexpr double kFirst = 0.5, kFaster = 0.1;  // s, and share of the time constant until then
  learnt_ += std::max(dt, 0.0);
  const double time = guiding.bias_time * (learnt_ < kFirst ? kFaster : 1.0);
  const double speed = measured.qd.norm() / guiding.bias_speed;
  const double share = -std::expm1(-std::max(dt, 0.0) / time) / (1.0 + speed * speed);
  slow_ += share * (observer_.external_torque() - slow_);
  const VecXd& gravity = law_.gravity_now();
  slow_ = slow_.cwiseMin(guiding.bias_share * gravity.cwiseAbs())
              .cwiseMax(-guiding.bias_share * gravity.cwiseAbs());
  (void)law_.set_disturbance(slow_);
}

Status Controller::guide(bool on) noexcept {
  const bool before = guided();
  const Status status = law_.guide(on);
  if (status != Status::kOk || before == guided()) return status;
  slow_.setZero();
  learnt_ = 0.0;
  (void)law_.set_disturbance(slow_);
  return Status::kOk;
}

Status Controller::set_acting_torque(VecIn<double> torque) noexcept {
  if (torque.size() != acting_.size()) return Status::kWrongSize;
  acting_known_ = torque.allFinite();
  if (!acting_known_) return Status::kNotFinite;
  acting_ = torque;
  return Status::kOk;
}

Status Controller::set_payload(const RigidBody& payload) noexcept {
  const Status status = law_.set_payload(payload);
  if (status != Status::kOk) return status;
  predictor_.set_payload(payload);
  observer_.set_payload(payload);
  return Status::kOk;
}

Status Controller::set_gravity(const Vec3d& gravity) noexcept {
  const Status status = law_.set_gravity(gravity);
  if (status != Status::kOk) return status;
  predictor_.set_gravity(gravity);
  observer_.set_gravity(gravity);
  return Status::kOk;
}

}  // namespace dyn
