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

#include "dyn_control/arm_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace dyn_control {

using dyn::Index;
using dyn::Result;
using dyn::Status;
using dyn::VecXd;

namespace {

constexpr double kDrivePeriod = 1e-3;  // of the drives' own control, s
constexpr double kStopTime = 0.1;      // of an arm that nobody commands any more, s
constexpr double kClipped = 0.1;       // what ArmFault::kEffortClipped leaves of the torque

dyn::ControllerParameters drive_parameters(const dyn::Chain& chain, const ArmOptions& options) {
  dyn::ControllerParameters out(chain);
  out.law.gains.kp.setConstant(options.drive_frequency * options.drive_frequency);
  out.law.gains.kd.setConstant(2.0 * options.drive_frequency);
  out.law.hardware_compensates_gravity = options.plant.drive_compensates_gravity;
  out.law.period = kDrivePeriod;
  out.law.ramp_in = 0.0;
  out.delay = options.plant.delay;
  out.predict = true;
  out.stale_time = std::numeric_limits<double>::infinity();
  out.supervision.enabled = false;
  return out;
}

VecXd limits_of(const dyn::Chain& chain, double dyn::JointLimits::*member) {
  VecXd out(chain.dof());
  for (Index i = 0; i < chain.dof(); ++i) {
    const double limit = chain.coordinate_joint(i).limits.*member;
    out[i] = limit > 0.0 ? limit : std::numeric_limits<double>::infinity();
  }
  return out;
}

}  // namespace

Result<ArmSimulation> ArmSimulation::make(const dyn::ChainPtr& truth, const ArmOptions& options) {
  ArmOptions checked = options;
  checked.plant.shortest_period = std::min(checked.plant.shortest_period, kDrivePeriod);
  auto plant = dyn::Plant::make(truth, checked.plant);
  if (!plant) return tl::unexpected(plant.error());
  auto drive = dyn::Controller::make(truth, drive_parameters(*truth, checked));
  if (!drive) return tl::unexpected(drive.error());
  auto solver = dyn::Solver::make(truth);
  if (!solver) return tl::unexpected(solver.error());
  return ArmSimulation(std::move(*plant), std::move(*drive), std::move(*solver), checked);
}

ArmSimulation::ArmSimulation(dyn::Plant plant, dyn::Controller drive, dyn::Solver solver,
                             const ArmOptions& options)
    : options_(options),
      plant_(std::move(plant)),
      drive_(std::move(drive)),
      solver_(std::move(solver)),
      stop_(dof()),
      filter_(solver_.chain_ptr(), 3.0 * options.drive_frequency,
              limits_of(solver_.chain(), &dyn::JointLimits::velocity)),
      wanted_(dof()),
      ahead_(dof()),
      start_(dof()),
      sent_(VecXd::Zero(dof())),
      command_(sent_),
      drive_reference_(dof()),
      effort_state_{options.effort, options.plant.drive_compensates_gravity,
                    VecXd::Constant(dof(), options.current_gain)},
      reported_(sent_),
      gravity_(sent_),
      effort_(limits_of(solver_.chain(), &dyn::JointLimits::effort)),
      speed_(limits_of(solver_.chain(), &dyn::JointLimits::velocity)) {}

Status ArmSimulation::start(const VecXd& q) noexcept {
  if (q.size() != dof()) return Status::kWrongSize;
  sent_.setZero();
  if (options_.hold_when_idle && !options_.plant.drive_compensates_gravity) {
    const Status status = solver_.gravity_torque(q, sent_);
    if (status != Status::kOk) return status;
  }
  start_.q = q;
  const Status status = plant_.reset(start_, sent_);
  fault_ = ArmFault::kNone;
  mode_ = CommandMode::kIdle;
  take_over();
  return status;
}

void ArmSimulation::set_mode(CommandMode mode) noexcept {
  if (mode == mode_) return;
  mode_ = mode;
  for (VecXd* values : {&drive_reference_.qd, &drive_reference_.kp, &drive_reference_.kd}) {
    values->setZero();
  }
  drive_reference_.q = plant_.state().q;
  if (mode != CommandMode::kEffort && mode != CommandMode::kDrive) take_over();
}

// The drives' own control begins with the state and the torque there are.
void ArmSimulation::take_over() noexcept {
  wanted_.q = plant_.state().q;
  wanted_.qd = plant_.state().qd;
  wanted_.qdd.setZero();
  stop_.start(wanted_, kStopTime);
  filter_.reset(wanted_);
  wanted_.qd.setZero();
  command_ = wanted_.q;
  if (mode_ == CommandMode::kVelocity) command_.setZero();
  (void)drive_.activate(sent_);
}

void ArmSimulation::command(const VecXd& values) noexcept {
  if (values.size() != dof() || mode_ == CommandMode::kIdle) return;
  VecXd& target = mode_ == CommandMode::kEffort ? sent_ : command_;
  for (Index i = 0; i < dof(); ++i) {
    if (std::isfinite(values[i])) target[i] = values[i];
  }
  if (mode_ == CommandMode::kEffort) send();
}

void ArmSimulation::command(const VecXd& torque, const dyn::DriveReference& drive) noexcept {
  if (torque.size() != dof() || mode_ != CommandMode::kDrive) return;
  const auto take = [](const VecXd& from, VecXd& to) {
    for (Index i = 0; i < from.size(); ++i) {
      if (std::isfinite(from[i])) to[i] = from[i];
    }
  };
  take(torque, sent_);
  take(drive.q, drive_reference_.q);
  take(drive.qd, drive_reference_.qd);
  take(drive.kp, drive_reference_.kp);
  take(drive.kd, drive_reference_.kd);
  send();
}

const VecXd& ArmSimulation::effort() noexcept {
  reported_ = plant_.torque();
  // What cannot be computed leaves all torque.
  if (solver_.gravity_torque(plant_.state().q, gravity_) == Status::kOk) {
    effort_state_.to_report(gravity_, reported_);
  }
  return reported_;
}

void ArmSimulation::send() noexcept {
  if (fault_ == ArmFault::kEffortClipped) {
    sent_ = sent_.cwiseMin(kClipped * effort_).cwiseMax(-kClipped * effort_);
  }
  // Of the right size and finite.
  if (mode_ == CommandMode::kDrive) {
    (void)plant_.command(sent_, drive_reference_);
  } else {
    (void)plant_.command(sent_);
  }
}

Status ArmSimulation::advance(double dt) noexcept {
  if (!(dt > 0.0)) return Status::kOk;
  count_fault(dt);
  if (mode_ == CommandMode::kEffort || mode_ == CommandMode::kDrive) return plant_.step(dt);
  if (mode_ == CommandMode::kIdle && !options_.hold_when_idle) {
    sent_.setZero();
    send();
    return plant_.step(dt);
  }
  take_wanted(dt);
  Status status = Status::kOk;
  for (double left = dt; left > 1e-9 && status == Status::kOk; left -= kDrivePeriod) {
    status = drive(std::min(left, kDrivePeriod));
  }
  return status;
}

// The reference at the end of the cycle that begins.
void ArmSimulation::take_wanted(double dt) noexcept {
  if (mode_ == CommandMode::kPosition) {
    dyn::joint_difference(solver_.chain(), command_, wanted_.q, wanted_.qd);
    wanted_.qd = (wanted_.qd / dt).cwiseMin(speed_).cwiseMax(-speed_);
    wanted_.q = command_;
  } else if (mode_ == CommandMode::kVelocity) {
    wanted_.qd = command_.cwiseMin(speed_).cwiseMax(-speed_);
    wanted_.q += dt * wanted_.qd;
  }
}

Status ArmSimulation::drive(double dt) noexcept {
  if (mode_ == CommandMode::kIdle) {
    stop_.advance(dt);
    dyn::extrapolate(stop_.reference(), drive_.lookahead(), ahead_);
  } else {
    dyn::extrapolate(filter_.update(wanted_, dt), drive_.lookahead(), ahead_);
  }
  sent_ = drive_.update(plant_.time(), plant_.state(), ahead_, dt).torque;
  send();
  return plant_.step(dt);
}

void ArmSimulation::count_fault(double dt) noexcept {
  if (fault_ == ArmFault::kNone || fault_left_ == 0.0) return;
  fault_left_ -= dt;
  if (fault_left_ <= 0.0) inject(ArmFault::kNone, 0.0);
}

void ArmSimulation::inject(ArmFault fault, double duration) noexcept {
  fault_ = fault;
  fault_left_ = duration;
  switch (fault) {
    case ArmFault::kStateNotFinite:
      plant_.set_fault(dyn::Fault::kStateNotFinite);
      break;
    case ArmFault::kStateFrozen:
      plant_.set_fault(dyn::Fault::kStateFrozen);
      break;
    case ArmFault::kCommandLost:
      plant_.set_fault(dyn::Fault::kCommandLost);
      break;
    case ArmFault::kNone:
    case ArmFault::kEffortClipped:
      plant_.set_fault(dyn::Fault::kNone);
      break;
  }
}

void ArmSimulation::set_payload(const dyn::RigidBody& payload) noexcept {
  plant_.set_payload(payload);
  solver_.set_payload(payload);
  (void)drive_.set_payload(payload);
}

void ArmSimulation::set_gravity(const dyn::Vec3d& gravity) noexcept {
  plant_.set_gravity(gravity);
  solver_.set_gravity(gravity);
  (void)drive_.set_gravity(gravity);
}

}  // namespace dyn_control
