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

// The controller's parameters as dyn_core's, checked.
#pragma once

#include <string>
#include <vector>

#include "dyn_control/computed_torque_controller_parameters.hpp"
#include "dyn_control/control_loop.hpp"

namespace dyn_control {

/// What goes to the drives.
enum class DriveInterfaces {
  kTorque,
  kReference,  ///< and the reference, to gains of their own
  kGains       ///< and their gains
};

/// All that a configured controller is made of. Names are in the order of the chain's coordinates.
struct Setup {
  dyn::ChainPtr chain;
  dyn::ControllerParameters parameters;
  dyn::Algorithms algorithms;
  LoopOptions loop;
  Tuning tuning;
  std::vector<std::string> command_joints;
  DriveInterfaces drives = DriveInterfaces::kTorque;
  std::string weakness = {};  ///< of drives that cannot carry the arm everywhere
};

/// `description` is the text of a URDF, `period` that of the control loop. The error is a sentence
/// that says which joint or parameter, what is wrong and what to do. Allocates: for configure time.
[[nodiscard]] dyn::Result<Setup> make_setup(const computed_torque_controller::Params& params,
                                            const std::string& description, double period);

}  // namespace dyn_control
