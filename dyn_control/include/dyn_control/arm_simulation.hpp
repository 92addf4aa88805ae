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

// ArmSimulation: dyn_core's simulated plant with drives that take torques, or positions or
// velocities by a stiff control of their own, and that hold the arm while nobody commands it. No
// ROS in it.
#pragma once

#include <dyn_core/control/controller.hpp>
#include <dyn_core/control/effort_state.hpp>
#include <dyn_core/control/plant.hpp>
#include <dyn_core/control/reference.hpp>

namespace dyn_control {

enum class CommandMode {
  kIdle,
  kEffort,
  kPosition,
  kVelocity,
  kDrive  ///< all three and gains at once: the drives add kp (q - their position) + kd (…)
};

enum class ArmFault {
  kNone,
  kStateNotFinite,  ///< measured states are NaN
  kStateFrozen,     ///< measured states do not change any more
  kCommandLost,     ///< commands do not arrive; the last one acts on
  kEffortClipped,   ///< the drives give a tenth of their torque at most
};

struct ArmOptions {
  dyn::PlantParameters plant;
  bool hold_when_idle = true;      ///< else the arm falls while nobody commands it
  double drive_frequency = 100.0;  ///< natural frequency of the position and velocity drives, rad/s
  dyn::EffortMeaning effort = dyn::EffortMeaning::kWithGravity;  ///< of what is reported
  double current_gain = 1.0;  ///< N m or N per unit, where currents are reported
};

class ArmSimulation {
 public:
  /// `truth` is the arm as it is. The error is a sentence.
  [[nodiscard]] static dyn::Result<ArmSimulation> make(const dyn::ChainPtr& truth,
                                                       const ArmOptions& options);

  [[nodiscard]] dyn::Index dof() const noexcept { return plant_.dof(); }

  // The following allocate nothing, throw nothing and take no lock.

  /// At rest at `q`, nobody commands. Time and noise start again.
  dyn::Status start(const dyn::VecXd& q) noexcept;
  void set_mode(CommandMode mode) noexcept;
  [[nodiscard]] CommandMode mode() const noexcept { return mode_; }
  /// Torques, positions or velocities by the mode; where one is not finite, the one before stays.
  void command(const dyn::VecXd& values) noexcept;
  /// The same of what goes to drives besides the torque.
  void command(const dyn::VecXd& torque, const dyn::DriveReference& drive) noexcept;
  /// Moves on by `dt`. On a failure the arm stays where it was.
  dyn::Status advance(double dt) noexcept;

  /// For so long, s; 0: until the next one.
  void inject(ArmFault fault, double duration) noexcept;
  void set_payload(const dyn::RigidBody& payload) noexcept;
  void set_gravity(const dyn::Vec3d& gravity) noexcept;
  void set_tip_wrench(const dyn::Wrench& wrench) noexcept { plant_.set_tip_wrench(wrench); }

  [[nodiscard]] const dyn::JointState& measured() const noexcept { return plant_.measured(); }
  [[nodiscard]] const dyn::JointState& state() const noexcept { return plant_.state(); }
  /// At the joints, over the last step.
  [[nodiscard]] const dyn::VecXd& torque() const noexcept { return plant_.torque(); }
  /// What is reported of it.
  [[nodiscard]] const dyn::VecXd& effort() noexcept;
  [[nodiscard]] double time() const noexcept { return plant_.time(); }

 private:
  ArmSimulation(dyn::Plant plant, dyn::Controller drive, dyn::Solver solver,
                const ArmOptions& options);
  void take_over() noexcept;
  void send() noexcept;
  dyn::Status drive(double dt) noexcept;
  void take_wanted(double dt) noexcept;
  void count_fault(double dt) noexcept;

  ArmOptions options_;
  dyn::Plant plant_;
  dyn::Controller drive_;
  dyn::Solver solver_;  // for the torque that holds the arm
  dyn::StopMotion stop_;
  dyn::ReferenceFilter filter_;
  dyn::Reference wanted_, ahead_;
  dyn::JointState start_;
  dyn::VecXd sent_;     // the last torque
  dyn::VecXd command_;  // positions or velocities
  dyn::DriveReference drive_reference_;
  dyn::EffortState effort_state_;
  dyn::VecXd reported_, gravity_;
  dyn::VecXd effort_, speed_;  // the joints' limits
  CommandMode mode_ = CommandMode::kIdle;
  ArmFault fault_ = ArmFault::kNone;
  double fault_left_ = 0.0;
};

}  // namespace dyn_control
