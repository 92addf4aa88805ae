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

// What the control loop did, as a message, sent by a thread of its own.
#pragma once

#include <memory>
#include <string>

#include <dyn_msgs/msg/computed_torque_state.hpp>
#include <rclcpp/time.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <realtime_tools/realtime_publisher.hpp>

#include "dyn_control/control_setup.hpp"

namespace dyn_control {

class StatePublisher {
 public:
  /// On ~/controller_state, at most every `interval` seconds. Names and room are set here, once.
  StatePublisher(rclcpp_lifecycle::LifecycleNode& node, const Setup& setup, double interval);

  /// If it is time for it. `measured_effort` may be null. No allocation, no lock.
  void publish(const ControlLoop& loop, const dyn::JointState& measured,
               const dyn::VecXd* measured_effort, const rclcpp::Time& time, double period,
               double computation_time) noexcept;

 private:
  using Message = dyn_msgs::msg::ComputedTorqueState;

  void size_arrays(const Setup& setup);
  void write_states(const ControlLoop& loop, const dyn::JointState& measured) noexcept;
  void write_terms(const dyn::ControlOutput& output) noexcept;
  void write_estimates(const ControlLoop& loop) noexcept;
  void write_flags(const ControlLoop& loop) noexcept;

  double interval_, waited_;
  bool predicts_, observes_;
  Message message_;
  rclcpp::Publisher<Message>::SharedPtr publisher_;
  std::unique_ptr<realtime_tools::RealtimePublisher<Message>> realtime_;
};

}  // namespace dyn_control
