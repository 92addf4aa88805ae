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

// Checks of parameters that generate_parameter_library calls.
#pragma once

#include <string>

#include <rclcpp/parameter.hpp>
#include <tl/expected.hpp>

namespace dyn_ros {

// A name from dyn_core's registry, or empty; the error lists the names.
tl::expected<void, std::string> mass_matrix_algorithm(const rclcpp::Parameter& parameter);
tl::expected<void, std::string> inverse_dynamics_algorithm(const rclcpp::Parameter& parameter);
tl::expected<void, std::string> forward_dynamics_algorithm(const rclcpp::Parameter& parameter);
tl::expected<void, std::string> coriolis_algorithm(const rclcpp::Parameter& parameter);

}  // namespace dyn_ros
