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

// Parameters that a node was given but does not have: nothing else in ROS 2 tells of a
// misspelt one.
#pragma once

#include <string>
#include <vector>

#include <dyn_core/base/names.hpp>
#include <rclcpp/logging.hpp>
#include <rclcpp/node.hpp>

namespace dyn_msgs {

/// To be called when all parameters are declared. Those of others in a shared file are left alone.
template <class Node>
void warn_of_mistaken_parameters(Node& node) {
  std::vector<std::string> given;
  for (const auto& entry : node.get_node_parameters_interface()->get_parameter_overrides()) {
    given.push_back(entry.first);
  }
  const std::vector<std::string> declared = node.list_parameters({}, 0).names;
  for (const std::string& sentence : dyn::mistaken_parameters(given, declared)) {
    RCLCPP_WARN(node.get_logger(), "%s", sentence.c_str());
  }
}

}  // namespace dyn_msgs
