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

// ComputedTorqueController: dyn_core's control loop as a controller of ros2_control. It reads
// states and references, calls the loop, writes torques and publishes what was done.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <controller_interface/chainable_controller_interface.hpp>
#include <dyn_core/inspect/guide.hpp>
#include <dyn_msgs/srv/guide.hpp>
#include <dyn_msgs/srv/set_gravity.hpp>
#include <dyn_msgs/srv/set_payload.hpp>
#include <geometry_msgs/msg/pose_stamped.hpp>
#include <geometry_msgs/msg/twist_stamped.hpp>
#include <geometry_msgs/msg/vector3_stamped.hpp>
#include <geometry_msgs/msg/wrench_stamped.hpp>
#include <realtime_tools/realtime_thread_safe_box.hpp>
#include <trajectory_msgs/msg/joint_trajectory.hpp>

#include "dyn_control/control_setup.hpp"
#include "dyn_control/health_watch.hpp"
#include "dyn_control/state_publisher.hpp"

namespace dyn_control {

class ComputedTorqueController : public controller_interface::ChainableControllerInterface {
 public:
  controller_interface::CallbackReturn on_init() override;
  controller_interface::CallbackReturn on_configure(const rclcpp_lifecycle::State& state) override;
  controller_interface::CallbackReturn on_activate(const rclcpp_lifecycle::State& state) override;
  controller_interface::CallbackReturn on_deactivate(const rclcpp_lifecycle::State& state) override;
  controller_interface::CallbackReturn on_cleanup(const rclcpp_lifecycle::State& state) override;
  controller_interface::CallbackReturn on_error(const rclcpp_lifecycle::State& state) override;

  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;

  /// Of a configured controller; for whoever has the object itself, between two cycles.
  [[nodiscard]] const ControlLoop& loop() const { return *loop_; }

 protected:
  std::vector<hardware_interface::CommandInterface::SharedPtr> on_export_reference_interfaces_list()
      override;
  std::vector<hardware_interface::StateInterface::SharedPtr> on_export_state_interfaces_list()
      override;
  bool on_set_chained_mode(bool chained_mode) override;
  controller_interface::return_type update_reference_from_subscribers(
      const rclcpp::Time& time, const rclcpp::Duration& period) override;
  controller_interface::return_type update_and_write_commands(
      const rclcpp::Time& time, const rclcpp::Duration& period) override;

 private:
  using Params = computed_torque_controller::Params;
  struct Point {
    dyn::Reference reference{0};
    std::uint64_t number = 0;
  };
  struct Gravity {
    dyn::Vec3d vector = dyn::Vec3d::Zero();
    std::uint64_t number = 0;
  };
  /// What the service for guiding has the control cycle do.
  struct GuideOrder {
    dyn::inspect::GuideAction action = dyn::inspect::GuideAction::kStop;
    const dyn::Trajectory* motion = nullptr;   ///< to play; held by motions_
    std::uint64_t number = 0, activation = 0;  ///< in which it was asked for
  };
  template <class Value>
  using Box = realtime_tools::RealtimeThreadSafeBox<Value>;

  // While configuring.
  void build(const Setup& setup, Params params);
  void offer_topics_and_services();
  void register_introspection();
  void release_everything();
  void unconfigure();
  void log_report() const;
  [[nodiscard]] dyn::Result<Setup> setup_of(const Params& params) const;

  // Callbacks, never in the control cycle.
  void take_gravity(const geometry_msgs::msg::Vector3Stamped& message);
  void offer_targets();
  [[nodiscard]] dyn::Result<bool> at_tip(const std_msgs::msg::Header& header) const;
  template <class Set>
  void take_target(const std_msgs::msg::Header& header, const char* kind, Set set);
  void take_pose(const geometry_msgs::msg::PoseStamped& message);
  void take_twist(const geometry_msgs::msg::TwistStamped& message);
  void take_wrench(const geometry_msgs::msg::WrenchStamped& message);
  [[nodiscard]] dyn::Result<void> guide(const dyn_msgs::srv::Guide::Request& request,
                                        dyn_msgs::srv::Guide::Response& response);
  [[nodiscard]] dyn::Result<void> may_guide(dyn::inspect::GuideAction action) const;
  [[nodiscard]] dyn::Result<dyn::TrajectoryPtr> motion_of(
      const dyn_msgs::srv::Guide::Request& request) const;
  void order(dyn::inspect::GuideAction action, dyn::TrajectoryPtr motion, std::uint64_t activation);
  void take_point(const trajectory_msgs::msg::JointTrajectory& message);
  [[nodiscard]] dyn::Result<dyn::Reference> to_reference(
      const trajectory_msgs::msg::JointTrajectory& message) const;
  [[nodiscard]] rcl_interfaces::msg::SetParametersResult check_parameters(
      const std::vector<rclcpp::Parameter>& parameters);
  void take_parameters();
  [[nodiscard]] dyn::Result<void> within_limits(const dyn::VecXd& q) const;
  [[nodiscard]] dyn::Result<void> set_payload(const dyn_msgs::srv::SetPayload::Request& request);
  [[nodiscard]] dyn::Result<void> set_parameters(const std::vector<rclcpp::Parameter>& parameters);

  // In the control cycle.
  [[nodiscard]] bool effort_makes_sense();
  [[nodiscard]] bool follows_tip() const noexcept {
    return dyn::entry_of(setup_->parameters.law.law).follows == dyn::Follows::kTip;
  }
  [[nodiscard]] bool goes_on() const noexcept;
  [[nodiscard]] const dyn::VecXd* torque_now(bool on) const noexcept;
  void take_changes() noexcept;
  void read_states() noexcept;
  void read_references() noexcept;
  [[nodiscard]] bool read_tip_references() noexcept;
  void carry_out(const GuideOrder& order) noexcept;
  [[nodiscard]] bool write_commands() noexcept;
  [[nodiscard]] bool write_zero() noexcept;
  void export_estimates() noexcept;
  void forget_tip_references() noexcept;
  void export_references(const dyn::VecXd& q, const dyn::VecXd& qd, const dyn::VecXd& qdd) noexcept;

  std::shared_ptr<computed_torque_controller::ParamListener> param_listener_;
  Params params_;
  std::optional<Setup> setup_;
  std::mutex setup_mutex_;  // between configuring and the callbacks; never in the control cycle
  std::optional<ControlLoop> loop_;
  std::optional<StatePublisher> publisher_;
  pal_statistics::RegistrationsRAII registrations_;
  std::atomic<Health> health_{Health()};
  std::optional<HealthWatch> health_watch_;

  dyn::JointState measured_{0};
  dyn::VecXd measured_effort_, torque_;
  dyn::DriveReference drive_{0};
  dyn::VecXd place_;  // the last positions told to drives
  // At the last deactivation.
  dyn::VecXd last_torque_;
  rclcpp::Time deactivated_{0, 0, RCL_ROS_TIME};
  dyn::Reference wanted_{0};
  dyn::VecXd none_, rest_;  // all NaN, all zero

  // From the callbacks to the control cycle.
  Box<Tuning> tuning_box_{Tuning(0)};
  Box<Point> point_box_;
  Box<Gravity> gravity_box_;
  Box<TipTarget> tip_box_;
  Box<GuideOrder> guide_box_;
  Tuning tuning_{0};
  Point point_;
  Gravity gravity_;
  TipTarget tip_;
  GuideOrder guide_order_;
  std::atomic<std::uint64_t> guide_done_{0};  // the last order that was carried out
  std::atomic<std::uint64_t> activation_{0};  // how many there were
  std::uint64_t guide_ordered_ = 0;
  std::vector<dyn::TrajectoryPtr> motions_;  // that the control cycle may still go along
  std::uint64_t seen_tuning_ = 0, seen_point_ = 0, seen_gravity_ = 0;

  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr on_set_;
  rclcpp::node_interfaces::PostSetParametersCallbackHandle::SharedPtr post_set_;
  rclcpp::Subscription<trajectory_msgs::msg::JointTrajectory>::SharedPtr point_subscription_;
  rclcpp::Subscription<geometry_msgs::msg::Vector3Stamped>::SharedPtr gravity_subscription_;
  std::vector<rclcpp::SubscriptionBase::SharedPtr> target_subscriptions_;
  rclcpp::Service<dyn_msgs::srv::Guide>::SharedPtr guide_;
  rclcpp::Service<dyn_msgs::srv::SetPayload>::SharedPtr set_payload_;
  rclcpp::Service<dyn_msgs::srv::SetGravity>::SharedPtr set_gravity_;
};

}  // namespace dyn_control
