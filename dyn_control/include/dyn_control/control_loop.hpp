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

// ControlLoop: dyn_core's controller with all that decides what it follows and when it has to give
// up: references, contacts, changes while running, faults and how long they last. No ROS in it.
#pragma once

#include <cstdint>
#include <memory>

#include <dyn_core/control/controller.hpp>
#include <dyn_core/control/effort_state.hpp>
#include <dyn_core/control/recording.hpp>

#include "dyn_control/reference_source.hpp"
#include "dyn_control/tip_source.hpp"

namespace dyn_control {

/// Why the arm does not follow, the worst reason first that holds.
enum class Trouble : std::uint8_t {
  kNone,
  kFault,       ///< of the supervisor: see Health::status and joint
  kState,       ///< not finite
  kStaleState,  ///< the same for too long although it moves
  kModel,       ///< the law could not be computed: Health::status
  kReferenceLost,
  kGravityTimedOut,
  kContact,
  kWriteFailed,
};

/// What a cycle leaves for those who look on. As small as an atomic can be.
struct Health {
  Trouble trouble = Trouble::kNone;
  dyn::Status status = dyn::Status::kOk;
  std::uint8_t joint = 0;  ///< of a fault
  /// Not active: zero torque is commanded, and the rest says what has ended it.
  bool active : 1 = false, failed : 1 = false, saturated : 1 = false, reference_limited : 1 = false,
                prediction_given_up : 1 = false, blocked : 1 = false;
};

enum class Reaction {
  kNone,     ///< a contact is only reported
  kStop,     ///< come to rest and hold
  kGravity,  ///< yield, carrying only the weight
};

struct LoopOptions {
  double fault_timeout = 0.5;  ///< a fault may last so long, s
  Reaction reaction = Reaction::kNone;
  double collision_stop_time = 0.05;  ///< s
  double gravity_timeout = 0.0;       ///< gravity has to be renewed so often, s; 0: never
  ReferenceOptions reference;
  dyn::TargetOptions target;
  dyn::EffortState effort_state;
};

/// What may change while the arm moves.
struct Tuning {
  dyn::Gains gains;
  dyn::RigidBody payload;
  dyn::Vec3d gravity = dyn::Vec3d(0.0, 0.0, -9.81);
  std::uint64_t number = 0;  ///< of the change

  explicit Tuning(dyn::Index dof) : gains(dof) {}
};

class ControlLoop {
 public:
  /// The error is a sentence that names the joint or the parameter.
  [[nodiscard]] static dyn::Result<ControlLoop> make(const dyn::ChainPtr& chain,
                                                     const dyn::ControllerParameters& parameters,
                                                     const dyn::Algorithms& algorithms,
                                                     const LoopOptions& options,
                                                     const Tuning& tuning);

  [[nodiscard]] dyn::Index dof() const noexcept { return controller_.chain().dof(); }

  // The following allocate nothing, throw nothing and take no lock.

  /// Starts anew in this state. `torque_now` acts at the moment, as a command; without one the
  /// torque that holds the arm still is taken to.
  dyn::Status activate(const dyn::JointState& state, const dyn::VecXd* torque_now) noexcept;
  /// Gains, payload and gravity, where they differ from those in use; blended in.
  void tune(const Tuning& tuning) noexcept;
  /// A new gravity vector of a moving base.
  void renew_gravity(const dyn::Vec3d& gravity) noexcept;
  /// Efforts as the hardware reports them in `state` become torques as commands are; NaN where that
  /// cannot be known.
  void to_command(const dyn::JointState& state, dyn::VecXd& effort) noexcept;
  /// What such efforts say of their meaning; not decisive unless the arm stands still.
  [[nodiscard]] dyn::EffortCheck check_effort(const dyn::JointState& state,
                                              const dyn::VecXd& effort) noexcept;
  /// See dyn::Controller.
  void set_acting_torque(const dyn::VecXd& torque) noexcept;
  /// Leaves the arm, which is in this state, to a hand and records what it does; or takes it back,
  /// to rest where it is. False where the law cannot.
  bool guide(bool on, const dyn::JointState& state) noexcept;
  [[nodiscard]] bool guided() const noexcept { return controller_.guided(); }
  [[nodiscard]] bool guidable() const noexcept { return guidable_; }
  /// What the hand did last; its samples may be read by another thread.
  [[nodiscard]] const dyn::Recorder& recorder() const noexcept { return *recorder_; }
  /// Goes along it from now on, from this state where a target has led the tip; it has to live
  /// until the next one is given, or null to stop.
  void play(const dyn::Trajectory* motion, const dyn::JointState& state) noexcept;
  [[nodiscard]] bool playing() const noexcept { return motion_ != nullptr; }
  [[nodiscard]] ReferenceSource& references() noexcept { return references_; }
  /// What is new in it; only the laws at the tip follow it. It is left out while a hand guides the
  /// arm or a motion is played, and after a contact.
  void take_target(const TipTarget& target) noexcept;
  void skip_target(const TipTarget& target) noexcept { tip_.skip(target); }
  /// A target leads the tip, and not the joints' reference.
  [[nodiscard]] bool follows_target() const noexcept { return tip_.following(); }
  /// Comes to rest, and waits for the next references of joints or tip.
  void release() noexcept;

  /// One period: the command that answers `measured`, `dt` after the last one.
  const dyn::ControlOutput& update(const dyn::JointState& measured, double dt) noexcept;
  /// Whether the command of the last update has reached the hardware.
  void note_write(bool written) noexcept { write_failed_ = !written; }
  /// A fault has lasted for longer than it may.
  [[nodiscard]] bool failed() const noexcept { return fault_time_ > options_.fault_timeout; }

  [[nodiscard]] const dyn::Controller& controller() const noexcept { return controller_; }
  [[nodiscard]] const dyn::ControlOutput& output() const noexcept { return controller_.output(); }
  /// The reference of the last update, for its time.
  [[nodiscard]] const dyn::Reference& reference() const noexcept { return reference_; }
  [[nodiscard]] bool reference_lost() const noexcept { return references_.lost() || tip_.lost(); }
  /// What acts on the tip from outside, in the base link frame; zero without the observer.
  [[nodiscard]] const dyn::Wrench& external_wrench() const noexcept { return external_wrench_; }
  [[nodiscard]] bool gravity_timed_out() const noexcept { return gravity_timed_out_; }
  [[nodiscard]] bool collided() const noexcept { return collided_; }
  [[nodiscard]] bool write_failed() const noexcept { return write_failed_; }
  [[nodiscard]] Health health() const noexcept;

 private:
  ControlLoop(dyn::Controller controller, dyn::Solver solver, TipSource tip,
              const LoopOptions& options, const dyn::ControllerParameters& parameters,
              const Tuning& tuning);
  void refer(double step, double elapsed, const dyn::JointState& measured) noexcept;
  void go_on(double step) noexcept;
  void record(const dyn::JointState& measured, double step) noexcept;
  void watch_contact(const dyn::JointState& measured, double step) noexcept;
  void count_fault(double dt) noexcept;

  LoopOptions options_;
  dyn::Controller controller_;
  dyn::Solver solver_;  // for the torque that holds the arm
  ReferenceSource references_;
  TipSource tip_;
  dyn::Kinematics<double> kinematics_;
  dyn::Wrench external_wrench_;
  dyn::Gains gains_;
  dyn::RigidBody payload_;
  dyn::Vec3d gravity_, tuned_gravity_;
  dyn::Reference reference_, ahead_, none_, played_;
  dyn::VecXd holding_, load_, limit_;
  std::unique_ptr<dyn::Recorder> recorder_;
  const dyn::Trajectory* motion_ = nullptr;
  double motion_time_ = 0.0;
  bool hardware_compensates_gravity_, observes_, guidable_;
  double period_;
  double time_ = 0.0, gravity_age_ = 0.0, fault_time_ = 0.0;
  double let_go_ = 0.0;      // since a hand guided the arm or was still felt there, s
  double held_again_ = 0.0;  // since a hand guided it
  bool gravity_timed_out_ = false, collided_ = false, write_failed_ = false;
};

}  // namespace dyn_control
