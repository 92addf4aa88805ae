// Copyright 2026 The dyn developers
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

#include "dyn_control/control_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace dyn_control {

using dyn::Status;

namespace {

bool same(const dyn::Gains& a, const dyn::Gains& b) {
  return a.kp == b.kp && a.ki == b.ki && a.kd == b.kd;
}

bool same(const dyn::RigidBody& a, const dyn::RigidBody& b) {
  return a.mass == b.mass && a.com == b.com && a.inertia == b.inertia;
}

}  // namespace

dyn::Result<ControlLoop> ControlLoop::make(const dyn::ChainPtr& chain,
                                           const dyn::ControllerParameters& parameters,
                                           const dyn::Algorithms& algorithms,
                                           const LoopOptions& options, const Tuning& tuning) {
  auto controller = dyn::Controller::make(chain, parameters, algorithms);
  if (!controller) return tl::unexpected(controller.error());
  auto solver = dyn::Solver::make(chain, algorithms);
  if (!solver) return tl::unexpected(solver.error());
  auto tip = TipSource::make(options.target);
  if (!tip) return tl::unexpected(tip.error());
  ControlLoop loop(std::move(*controller), std::move(*solver), std::move(*tip), options, parameters,
                   tuning);
  return loop;
}

ControlLoop::ControlLoop(dyn::Controller controller, dyn::Solver solver, TipSource tip,
                         const LoopOptions& options, const dyn::ControllerParameters& parameters,
                         const Tuning& tuning)
    : options_(options),
      controller_(std::move(controller)),
      solver_(std::move(solver)),
      references_(solver_.chain_ptr(), options.reference),
      tip_(std::move(tip)),
      kinematics_(solver_.chain_ptr()),
      gains_(tuning.gains),
      payload_(tuning.payload),
      gravity_(tuning.gravity),
      tuned_gravity_(tuning.gravity),
      reference_(dof()),
      ahead_(dof()),
      none_(dof()),
      played_(dof()),
      holding_(dyn::VecXd::Zero(dof())),
      load_(holding_),
      limit_(parameters.law.limits.effort),
      recorder_(std::make_unique<dyn::Recorder>(dof())),
      hardware_compensates_gravity_(parameters.law.hardware_compensates_gravity),
      observes_(parameters.observe),
      guidable_(controller_.law().parameters().guidable),
      period_(parameters.law.period) {
  none_.q.setConstant(std::numeric_limits<double>::quiet_NaN());
  none_.qd = none_.qdd = none_.q;
  (void)controller_.set_payload(payload_);
  (void)controller_.set_gravity(gravity_);
  solver_.set_payload(payload_);
  solver_.set_gravity(gravity_);
}

Status ControlLoop::activate(const dyn::JointState& state, const dyn::VecXd* torque_now) noexcept {
  if (state.q.size() != dof() || state.qd.size() != dof()) return Status::kWrongSize;
  if (!state.finite()) return Status::kNotFinite;
  holding_.setZero();
  if (torque_now != nullptr) {
    holding_ = *torque_now;
  } else if (!hardware_compensates_gravity_) {
    const Status status = solver_.gravity_torque(state.q, holding_);
    if (status != Status::kOk) return status;
  }
  time_ = gravity_age_ = fault_time_ = 0.0;
  gravity_timed_out_ = collided_ = write_failed_ = false;
  let_go_ = held_again_ = std::numeric_limits<double>::infinity();
  references_.start(state);
  motion_ = nullptr;
  recorder_->stop();
  tip_.release();
  external_wrench_ = {};
  reference_.q = state.q;
  reference_.qd.setZero();
  reference_.qdd.setZero();
  return controller_.activate(holding_);
}

void ControlLoop::tune(const Tuning& tuning) noexcept {
  if (!same(tuning.gains, gains_) && controller_.set_gains(tuning.gains) == Status::kOk) {
    gains_ = tuning.gains;
  }
  if (!same(tuning.payload, payload_) && controller_.set_payload(tuning.payload) == Status::kOk) {
    payload_ = tuning.payload;
    solver_.set_payload(payload_);
  }
  if (tuning.gravity == tuned_gravity_) return;  // a topic may have renewed it since
  tuned_gravity_ = tuning.gravity;
  renew_gravity(tuning.gravity);
}

void ControlLoop::renew_gravity(const dyn::Vec3d& gravity) noexcept {
  if (!gravity.allFinite()) return;
  gravity_age_ = 0.0;
  if (gravity == gravity_ || controller_.set_gravity(gravity) != Status::kOk) return;
  gravity_ = gravity;
  solver_.set_gravity(gravity_);
}

void ControlLoop::set_acting_torque(const dyn::VecXd& torque) noexcept {
  (void)controller_.set_acting_torque(torque);
}

void ControlLoop::to_command(const dyn::JointState& state, dyn::VecXd& effort) noexcept {
  if (solver_.gravity_torque(state.q, load_) != Status::kOk) {
    effort.setConstant(std::numeric_limits<double>::quiet_NaN());
  } else {
    options_.effort_state.to_command(load_, effort);
  }
}

dyn::EffortCheck ControlLoop::check_effort(const dyn::JointState& state,
                                           const dyn::VecXd& effort) noexcept {
  constexpr double kStill = 0.01;  // rad/s or m/s
  const bool still = state.finite() && state.qd.cwiseAbs().maxCoeff() < kStill;
  if (!still || !effort.allFinite() || solver_.gravity_torque(state.q, load_) != Status::kOk) {
    load_.setZero();
  }
  return dyn::check_at_rest(controller_.chain(), options_.effort_state, effort, load_, limit_);
}

bool ControlLoop::guide(bool on, const dyn::JointState& state) noexcept {
  if (controller_.guide(on) != Status::kOk) return false;
  motion_ = nullptr;
  if (state.finite()) references_.start(state);
  tip_.release();
  if (on) {
    recorder_->start();
  } else {
    recorder_->stop();
  }
  return true;
}

void ControlLoop::play(const dyn::Trajectory* motion, const dyn::JointState& state) noexcept {
  if (motion_ != nullptr) references_.release();
  if (motion != nullptr && tip_.following()) {
    if (state.finite()) references_.start(state);
    tip_.release();
  }
  motion_ = motion;
  motion_time_ = 0.0;
}

// All torque at the joints, as far as it is known.
void ControlLoop::record(const dyn::JointState& measured, double step) noexcept {
  load_ = output().torque + output().drive_torque;
  if (hardware_compensates_gravity_) load_ += controller_.law().gravity_now();
  recorder_->add(measured, load_, step);
}

const dyn::ControlOutput& ControlLoop::update(const dyn::JointState& measured, double dt) noexcept {
  constexpr double kLongest = 1.0;
  const double elapsed = dt > 0.0 && std::isfinite(dt) ? dt : period_;
  const double step = elapsed < kLongest ? elapsed : period_;
  time_ += step;
  gravity_age_ += elapsed;
  gravity_timed_out_ = options_.gravity_timeout > 0.0 && gravity_age_ > options_.gravity_timeout;
  refer(step, elapsed, measured);
  const bool none = gravity_timed_out_ || (collided_ && options_.reaction == Reaction::kGravity);
  const dyn::ControlOutput& output =
      controller_.update(time_, measured, none ? none_ : ahead_, step);
  if (observes_ && measured.q.size() == dof()) {
    (void)controller_.external_wrench(measured.q, external_wrench_);
  }
  if (guided()) record(measured, step);
  watch_contact(measured, step);
  count_fault(elapsed);
  return output;
}

// The references for the time when the command acts.
void ControlLoop::refer(double step, double elapsed, const dyn::JointState& measured) noexcept {
  if (motion_ != nullptr) go_on(step);
  if (guided() && measured.finite()) references_.start(measured);
  const dyn::Reference& now = references_.update(step, elapsed, measured);
  reference_.q = now.q;
  reference_.qd = now.qd;
  reference_.qdd = now.qdd;
  if (references_.jumped()) controller_.continue_from_last();
  const double ahead = controller_.lookahead();
  dyn::extrapolate(now, ahead, ahead_);
  ahead_.tip.given = tip_.following();
  if (tip_.following()) dyn::extrapolate(tip_.update(step), ahead, ahead_.tip);
}

// Along what is played, and to rest at its end.
void ControlLoop::go_on(double step) noexcept {
  motion_time_ += step;
  if (motion_time_ > motion_->duration()) {
    motion_ = nullptr;
    references_.release();
  } else if (motion_->evaluate(motion_time_, played_.q, played_.qd, played_.qdd) == Status::kOk) {
    references_.take(played_);
  }
}

void ControlLoop::take_target(const TipTarget& target) noexcept {
  if (guided() || playing() || collided_) return skip_target(target);
  if (kinematics_.update(reference_.q) != Status::kOk) return;
  tip_.take(target, kinematics_.tip_pose());
}

void ControlLoop::release() noexcept {
  references_.release();
  tip_.release();
}

// A hand that guides the arm is none, until it has let go for a while; what stays is no hand.
void ControlLoop::watch_contact(const dyn::JointState& measured, double step) noexcept {
  constexpr double kLetGo = 0.5, kLongest = 2.0;  // s
  const bool contact = controller_.observer().any_contact();
  const bool yields = dyn::entry_of(controller_.law().law()).follows == dyn::Follows::kNothing;
  held_again_ = yields ? 0.0 : held_again_ + step;
  let_go_ = yields || (contact && let_go_ < kLetGo) ? 0.0 : let_go_ + step;
  const bool hand = let_go_ < kLetGo && held_again_ < kLongest;
  if (options_.reaction == Reaction::kNone || collided_ || !contact || hand) return;
  collided_ = true;
  tip_.release();
  if (measured.finite()) references_.stop(measured, options_.collision_stop_time);
}

Health ControlLoop::health() const noexcept {
  const dyn::Supervisor& supervisor = controller_.supervisor();
  const bool wrong = output().mode != dyn::ControlMode::kTracking;
  Health out;
  out.active = true;
  out.status = output().status;
  out.joint = static_cast<std::uint8_t>(supervisor.joint());
  if (write_failed_) out.trouble = Trouble::kWriteFailed;
  if (reference_lost()) out.trouble = Trouble::kReferenceLost;
  if (wrong && out.trouble == Trouble::kNone) {
    out.trouble = out.status == Status::kNotFinite ? Trouble::kState : Trouble::kModel;
  }
  if (gravity_timed_out_) out.trouble = Trouble::kGravityTimedOut;
  if (collided_) out.trouble = Trouble::kContact;
  if (controller_.stale()) out.trouble = Trouble::kStaleState;
  if (supervisor.fault() != Status::kOk) out.trouble = Trouble::kFault;
  out.failed = failed();
  out.saturated = output().limit.effort || output().limit.rate;
  out.reference_limited = supervisor.reference_limited();
  out.prediction_given_up = controller_.predictor().weight() < 0.5;
  out.blocked = supervisor.blocked().maxCoeff() > 0.5;
  return out;
}

// A fault that comes and goes is one, unless it is away for longer than it is there.
void ControlLoop::count_fault(double dt) noexcept {
  const bool fault = output().mode != dyn::ControlMode::kTracking || reference_lost() ||
                     gravity_timed_out_ || collided_ || write_failed_;
  fault_time_ =
      fault ? std::min(fault_time_, options_.fault_timeout) + dt : std::max(fault_time_ - dt, 0.0);
}

}  // namespace dyn_control
