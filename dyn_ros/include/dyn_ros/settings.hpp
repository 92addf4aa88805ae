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

// The node's parameters as dyn_core's settings.
#pragma once

#include <string>

#include <dyn_core/inspect/monitor.hpp>
#include <dyn_ros/dynamics_node_parameters.hpp>

namespace dyn_ros {

/// Of two lists that belong together (armature.joints and armature.values) `ros2 param set` changes
/// one after the other: as long as their lengths differ, what `before` has stays.
[[nodiscard]] dyn::inspect::Settings to_settings(const dynamics_node::Params& params,
                                                 const dyn::inspect::Settings& before);
/// Which lists that belong together have different lengths; empty if none.
[[nodiscard]] std::string unpaired(const dynamics_node::Params& params);

}  // namespace dyn_ros
