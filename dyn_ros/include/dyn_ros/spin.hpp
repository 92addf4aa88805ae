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

// The main function of a node's executable.
#pragma once

#include <exception>
#include <memory>

#include <rclcpp/executors.hpp>
#include <rclcpp/logging.hpp>
#include <rclcpp/utilities.hpp>

namespace dyn_ros {

/// Runs one node until it is told to stop. What keeps it from starting is one line in the log.
template <class Node>
int spin(int argc, char** argv, const char* name) {
  try {
    rclcpp::init(argc, argv);
    rclcpp::spin(std::make_shared<Node>());
  } catch (const std::exception& error) {
    RCLCPP_FATAL(rclcpp::get_logger(name), "%s", error.what());
    rclcpp::shutdown();
    return 1;
  }
  rclcpp::shutdown();
  return 0;
}

}  // namespace dyn_ros
