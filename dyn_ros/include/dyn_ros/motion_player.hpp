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

// MotionPlayer: moves an arm that is not there. It publishes joint_states of a smooth motion within
// the joints' limits, so that there is something to look at.
#pragma once

#include <optional>
#include <string>

#include <dyn_core/motion/trajectory.hpp>
#include <dyn_core/solver.hpp>
#include <rclcpp/node.hpp>
#include <rclcpp/publisher.hpp>
#include <rclcpp/subscription.hpp>
#include <rclcpp/timer.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <std_msgs/msg/string.hpp>

#include "dyn_ros/motion_player_parameters.hpp"

namespace dyn_ros {

class MotionPlayer : public rclcpp::Node {
 public:
  explicit MotionPlayer(const rclcpp::NodeOptions& options = rclcpp::NodeOptions());

 private:
  struct Motion {
    dyn::Solver solver;
    dyn::TrajectoryPtr trajectory;
    rclcpp::Time start;
    dyn::VecXd q, qd, qdd, torque;
  };

  void load(const std::string& description);
  [[nodiscard]] dyn::Result<Motion> make_motion(const std::string& description);
  void prepare_message(const std::string& description);
  void play();

  motion_player::ParamListener param_listener_;
  motion_player::Params params_;
  std::optional<Motion> motion_;
  sensor_msgs::msg::JointState message_;  // the chain's joints first, then those that stand still
  rclcpp::Publisher<sensor_msgs::msg::JointState>::SharedPtr publisher_;
  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr description_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace dyn_ros
