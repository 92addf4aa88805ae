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

#include "dyn_ros/motion_player.hpp"

#include <algorithm>
#include <utility>

#include <dyn_core/inspect/frames.hpp>
#include <dyn_core/inspect/sway.hpp>
#include <dyn_core/robot/urdf.hpp>
#include <rclcpp/create_timer.hpp>
#include <rclcpp_components/register_node_macro.hpp>

#include "dyn_msgs/mistakes.hpp"

namespace dyn_ros {
namespace {

void write(const dyn::VecXd& values, std::vector<double>& out) {
  std::copy(values.begin(), values.end(), out.begin());
}

}  // namespace

MotionPlayer::MotionPlayer(const rclcpp::NodeOptions& options)
    : Node("motion_player", options),
      param_listener_(get_node_parameters_interface(), get_logger()),
      params_(param_listener_.get_params()) {
  dyn_msgs::warn_of_mistaken_parameters(*this);
  publisher_ = create_publisher<sensor_msgs::msg::JointState>("joint_states", rclcpp::QoS(10));
  if (!params_.robot_description.empty()) load(params_.robot_description);
  description_ = create_subscription<std_msgs::msg::String>(
      "robot_description", rclcpp::QoS(1).transient_local(),
      [this](const std_msgs::msg::String& message) { load(message.data); });
  timer_ = rclcpp::create_timer(
      this, get_clock(), rclcpp::Duration::from_seconds(1.0 / params_.rate), [this] { play(); });
}

dyn::Result<MotionPlayer::Motion> MotionPlayer::make_motion(const std::string& description) {
  dyn::UrdfOptions options;
  options.base = params_.base_link;
  options.tip = params_.tip_link;
  options.allow_nonphysical = true;
  auto chain = dyn::parse_urdf(description, options);
  if (!chain) return tl::unexpected(chain.error());
  auto solver = dyn::Solver::make(*chain, {}, dyn::Inertia::kIfThere);
  if (!solver) return tl::unexpected(solver.error());
  solver->set_friction(true);
  auto trajectory = dyn::inspect::sway(
      **chain, {.amplitude = params_.amplitude, .speed = params_.speed, .period = params_.period});
  if (!trajectory) return tl::unexpected(trajectory.error());
  const dyn::VecXd zero = dyn::VecXd::Zero((*chain)->dof());
  return Motion{std::move(*solver), std::move(*trajectory), now(), zero, zero, zero, zero};
}

void MotionPlayer::prepare_message(const std::string& description) {
  message_.name = motion_->solver.chain().coordinate_names();
  message_.position.assign(message_.name.size(), 0.0);
  const auto motions = dyn::inspect::joint_motions(description, motion_->solver.chain());
  for (const auto& motion : motions ? *motions : std::vector<dyn::inspect::JointMotion>()) {
    if (motion.coordinate >= 0 || motion.master != motion.joint) continue;
    message_.name.push_back(motion.joint);
    message_.position.push_back(motion.rest);
  }
  message_.velocity.assign(message_.name.size(), 0.0);
  const bool effort = params_.effort && motion_->solver.chain().has_dynamics();
  message_.effort.assign(effort ? message_.name.size() : 0, 0.0);
}

void MotionPlayer::load(const std::string& description) {
  auto motion = make_motion(description);
  if (!motion) {
    RCLCPP_ERROR(get_logger(), "The robot description was refused%s: %s",
                 motion_ ? ", the motion goes on with the one before" : "",
                 motion.error().sentence.c_str());
    return;
  }
  motion_ = std::move(*motion);
  prepare_message(description);
  RCLCPP_INFO(get_logger(), "Moving the %zu joints of '%s'.",
              motion_->solver.chain().coordinate_names().size(),
              motion_->solver.chain().name().c_str());
}

void MotionPlayer::play() {
  if (!motion_) return;
  Motion& m = *motion_;
  const rclcpp::Time stamp = now();
  if (stamp < m.start) m.start = stamp;
  const double time = (stamp - m.start).seconds();
  if (m.trajectory->evaluate(time, m.q, m.qd, m.qdd) != dyn::Status::kOk) return;
  message_.header.stamp = stamp;
  write(m.q, message_.position);
  write(m.qd, message_.velocity);
  if (!message_.effort.empty()) {
    const dyn::Status status = m.solver.inverse_dynamics(m.q, m.qd, m.qdd, m.torque);
    if (status == dyn::Status::kOk) write(m.torque, message_.effort);
  }
  publisher_->publish(message_);
}

}  // namespace dyn_ros

RCLCPP_COMPONENTS_REGISTER_NODE(dyn_ros::MotionPlayer)
