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

#include "dyn_ros/validators.hpp"

#include <dyn_core/registry.hpp>

namespace dyn_ros {
namespace {

template <class Algorithm>
tl::expected<void, std::string> check(const rclcpp::Parameter& parameter,
                                      dyn::Entries<Algorithm> entries) {
  const std::string name = parameter.as_string();
  if (name.empty() || dyn::find(entries, name) != nullptr) return {};
  std::string names;
  for (const auto& entry : entries) names.append(" ").append(entry.name);
  return tl::make_unexpected("there is no algorithm '" + name + "' for " + parameter.get_name() +
                             "; choose one of:" + names);
}

}  // namespace

tl::expected<void, std::string> mass_matrix_algorithm(const rclcpp::Parameter& parameter) {
  return check(parameter, dyn::mass_matrix_algorithms<double>());
}

tl::expected<void, std::string> inverse_dynamics_algorithm(const rclcpp::Parameter& parameter) {
  return check(parameter, dyn::inverse_dynamics_algorithms<double>());
}

tl::expected<void, std::string> forward_dynamics_algorithm(const rclcpp::Parameter& parameter) {
  return check(parameter, dyn::forward_dynamics_algorithms<double>());
}

tl::expected<void, std::string> coriolis_algorithm(const rclcpp::Parameter& parameter) {
  return check(parameter, dyn::coriolis_algorithms<double>());
}

}  // namespace dyn_ros
