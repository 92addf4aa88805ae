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

// SimulatedArm: dyn_core's simulated arm as the hardware of ros2_control.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <dyn_core/inspect/frames.hpp>
#include <dyn_msgs/srv/inject_fault.hpp>
#include <dyn_msgs/srv/set_gravity.hpp>
#include <dyn_msgs/srv/set_payload.hpp>
#include <geometry_msgs/msg/wrench_stamped.hpp>
#include <hardware_interface/system_interface.hpp>
#include <rclcpp/node.hpp>
#include <realtime_tools/realtime_thread_safe_box.hpp>

#include "dyn_control/arm_settings.hpp"
#include "dyn_control/simulated_clock.hpp"

namespace dyn_control {

class SimulatedArm : public hardware_interface::SystemInterface {
 public:
  using CallbackReturn = hardware_interface::CallbackReturn;
  using return_type = hardware_interface::return_type;

  CallbackReturn on_init(
      const hardware_interface::HardwareComponentInterfaceParams& params) override;
  CallbackReturn on_configure(const rclcpp_lifecycle::State& state) override;
  CallbackReturn on_activate(const rclcpp_lifecycle::State& state) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State& state) override;

  return_type prepare_command_mode_switch(const std::vector<std::string>& start,
                                          const std::vector<std::string>& stop) override;
  return_type perform_command_mode_switch(const std::vector<std::string>& start,
                                          const std::vector<std::string>& stop) override;

  return_type read(const rclcpp::Time& time, const rclcpp::Duration& period) override;
  return_type write(const rclcpp::Time& time, const rclcpp::Duration& period) override;

  /// For whoever has the object itself, between two cycles.
  [[nodiscard]] ArmSimulation& simulation() { return *simulation_; }

 private:
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

  /// What other threads ask of the arm; each with the number of the change.
  struct Request {
    ArmFault fault = ArmFault::kNone;
    double fault_duration = 0.0;
    dyn::RigidBody payload;
    dyn::Vec3d gravity = dyn::Vec3d::Zero();
    dyn::Wrench wrench;
    unsigned fault_number = 0, payload_number = 0, gravity_number = 0, wrench_number = 0;
  };
  using StateHandle = hardware_interface::StateInterface::SharedPtr;
  using CommandHandle = hardware_interface::CommandInterface::SharedPtr;
  /// A joint of the description; one that the chain does not move has no coordinate and stands at
  /// offset.
  struct JointHandles {
    StateHandle position, velocity, effort;
    dyn::Index coordinate = -1;
    double multiplier = 1.0, offset = 0.0;
  };
  struct CommandHandles {
    CommandHandle position, velocity, effort, kp, kd;
    double own_kp = kNaN, own_kd = kNaN;  ///< of drives whose gains nobody commands
  };

  [[nodiscard]] dyn::Result<void> initialize();
  [[nodiscard]] dyn::Result<void> check_joints() const;
  /// Of a joint's position, where the description gives one.
  [[nodiscard]] dyn::Result<std::optional<double>> initial_value(const std::string& joint) const;
  [[nodiscard]] dyn::Result<dyn::VecXd> initial_positions() const;
  [[nodiscard]] dyn::Result<void> find_motions();
  void find_handles();
  void offer_services();
  [[nodiscard]] dyn::Result<void> take_fault(const dyn_msgs::srv::InjectFault::Request& message);
  [[nodiscard]] dyn::Result<void> take_payload(const dyn_msgs::srv::SetPayload::Request& message);
  [[nodiscard]] dyn::Result<void> take_gravity(const dyn_msgs::srv::SetGravity::Request& message);
  [[nodiscard]] dyn::Result<void> take_wrench(const geometry_msgs::msg::WrenchStamped& message);
  /// What is commanded of the chain's joints after a switch, and the mode that all of them have.
  [[nodiscard]] std::set<std::string> claimed_after(const std::vector<std::string>& start,
                                                    const std::vector<std::string>& stop) const;
  [[nodiscard]] dyn::Result<CommandMode> mode_of(const std::set<std::string>& claimed) const;
  [[nodiscard]] dyn::Result<CommandMode> mode_of(const std::string& joint,
                                                 const std::set<std::string>& claimed) const;
  [[nodiscard]] dyn::Result<double> drive_gain(const std::string& joint,
                                               const std::string& name) const;

  void take_requests();
  void publish_states();
  void take_commands();
  void take_drive_commands();

  ArmSettings settings_;
  dyn::ChainPtr chain_;
  std::vector<dyn::inspect::JointMotion> motions_;
  std::optional<ArmSimulation> simulation_;
  std::vector<JointHandles> joints_;
  std::vector<CommandHandles> commands_;
  std::set<std::string> claimed_;  // command interfaces
  bool gains_claimed_ = false;     // kp and kd among them
  dyn::VecXd command_;
  dyn::DriveReference drive_{0};
  double nominal_period_ = 1e-3;

  realtime_tools::RealtimeThreadSafeBox<Request> requests_;
  Request request_, done_;
  bool fault_pending_ = false;  // the one in the robot description
  double fault_time_ = 0.0;

  std::unique_ptr<SimulatedClock> clock_;
  std::vector<rclcpp::ServiceBase::SharedPtr> services_;
  rclcpp::Subscription<geometry_msgs::msg::WrenchStamped>::SharedPtr wrench_subscription_;
};

}  // namespace dyn_control
