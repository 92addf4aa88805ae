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

// DynamicsNode: robot_description and joint_states in, the arm's dynamics out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <diagnostic_updater/diagnostic_updater.hpp>
#include <dyn_core/inspect/monitor.hpp>
#include <rclcpp/node.hpp>
#include <rclcpp/subscription.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <std_msgs/msg/string.hpp>

#include "dyn_ros/dynamics_node_parameters.hpp"
#include "dyn_ros/publishers.hpp"
#include "dyn_ros/services.hpp"

namespace dyn::view {
class Watch;
}

namespace dyn_ros {

class DynamicsNode : public rclcpp::Node {
 public:
  /// Throws, as every rclcpp::Node does, if a parameter it is started with makes no sense; the
  /// exception's text says which. A robot description that makes no sense is reported instead.
  explicit DynamicsNode(const rclcpp::NodeOptions& options = rclcpp::NodeOptions());

 private:
  void on_joint_states(const sensor_msgs::msg::JointState& message);
  void load(const std::string& description);
  void announce();
  void start_page();
  [[nodiscard]] rcl_interfaces::msg::SetParametersResult check_parameters(
      const std::vector<rclcpp::Parameter>& parameters);
  [[nodiscard]] dyn::Result<void> check(const dynamics_node::Params& params) const;
  void take_parameters();
  [[nodiscard]] ServiceContext service_context();
  [[nodiscard]] std::string frame_id() const;

  dynamics_node::ParamListener param_listener_;
  dynamics_node::Params params_;
  dyn::inspect::Monitor monitor_;
  builtin_interfaces::msg::Time latest_stamp_;
  Publishers publishers_;
  Services services_;
  diagnostic_updater::Updater diagnostics_;
  std::shared_ptr<dyn::view::Watch> page_;  // null: none
  rclcpp::Node::OnSetParametersCallbackHandle::SharedPtr on_set_;
  rclcpp::Node::PostSetParametersCallbackHandle::SharedPtr post_set_;
  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr description_;
  rclcpp::Subscription<sensor_msgs::msg::JointState>::SharedPtr joint_states_;
};

}  // namespace dyn_ros
