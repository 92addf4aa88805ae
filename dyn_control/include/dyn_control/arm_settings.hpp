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

// The parameters of a SimulatedArm, as they stand in the <hardware> of a robot description.
#pragma once

#include <map>
#include <string>

#include <dyn_core/robot/urdf.hpp>

#include "dyn_control/arm_simulation.hpp"

namespace dyn_control {

enum class ArmClock {
  kMeasured,  ///< the arm moves on by the measured period of each cycle
  kNominal,   ///< by the nominal one: a slow computer makes a slow arm, but every run is the same
  kOwn,       ///< the arm publishes /clock for a manager in simulated time, and moves on with it
};

struct ArmSettings {
  dyn::UrdfOptions urdf;
  ArmOptions options;
  dyn::RigidBody payload;  ///< in the tip link's frame, kg
  double inertia_scale = 1.0, last_link_scale = 1.0;
  ArmClock clock = ArmClock::kMeasured;
  double real_time_factor = 1.0;  ///< with a clock of its own; 0: as fast as possible
  ArmFault fault = ArmFault::kNone;
  double fault_start = 0.0, fault_duration = 0.0;  ///< s of the arm's time after activation
};

/// The error names the parameter, or lists those there are.
[[nodiscard]] dyn::Result<ArmSettings> arm_settings(
    const std::map<std::string, std::string>& parameters);

/// One finite number, read alike in every locale.
[[nodiscard]] dyn::Result<double> number(const std::string& text);

/// "none" and the names of dyn_msgs/InjectFault; the error lists them.
[[nodiscard]] dyn::Result<ArmFault> fault_named(const std::string& name);

/// The arm as it is: the robot description, its inertias scaled.
[[nodiscard]] dyn::Result<dyn::ChainPtr> true_chain(const ArmSettings& settings,
                                                    const std::string& description);

}  // namespace dyn_control
