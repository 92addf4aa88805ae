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

// The part of ComputedTorqueController that takes targets for the tip, outside the control cycle.
#include <array>
#include <cmath>
#include <cstdio>
#include <mutex>

#include <dyn_core/inspect/messages.hpp>

#include "dyn_control/computed_torque_controller.hpp"

namespace dyn_control {

using dyn::Result;

namespace {

Result<dyn::Posed> to_pose(const geometry_msgs::msg::Pose& pose) {
  constexpr double kSlack = 1e-3;
  const auto& o = pose.orientation;
  const Eigen::Quaterniond q(o.w, o.x, o.y, o.z);
  const dyn::Vec3d p = dyn::inspect::to_vector(pose.position);
  if (!p.allFinite() || !(std::abs(q.norm() - 1.0) < kSlack)) {
    return dyn::fail("its position is not finite or its quaternion not of length one");
  }
  return dyn::Posed{q.normalized().toRotationMatrix(), p};
}

Result<void> within(const dyn::Vec3d& v, double most, const char* unit, const char* parameter) {
  if (!v.allFinite()) return dyn::fail("it is not finite");
  if (v.norm() <= most) return {};
  std::array<char, 120> text{};
  (void)std::snprintf(text.data(), text.size(), "it has %.3g %s, more than the %g of %s", v.norm(),
                      unit, most, parameter);
  return dyn::fail(text.data());
}

}  // namespace

// Whether it is given at the tip; the error is a frame that the model does not resolve, or a time.
Result<bool> ComputedTorqueController::at_tip(const std_msgs::msg::Header& header) const {
  const std::string& frame = header.frame_id;
  const bool tip = frame == setup_->chain->tip();
  if (!tip && !frame.empty() && frame != setup_->chain->base()) {
    return dyn::fail("it is given in '" + frame + "'; give it in the base link '" +
                     setup_->chain->base() + "' or at the tip link '" + setup_->chain->tip() + "'");
  }
  if (header.stamp.sec < 0) {
    return dyn::fail("its stamp has " + std::to_string(header.stamp.sec) +
                     " s; give the time when it was made, or zero");
  }
  const rclcpp::Time stamp(header.stamp, get_node()->get_clock()->get_clock_type());
  const double age = stamp.nanoseconds() == 0 ? 0.0 : (get_node()->now() - stamp).seconds();
  if (age > setup_->loop.target.timeout) {
    return dyn::fail("its stamp is " + std::to_string(age) + " s old; tip.timeout is " +
                     std::to_string(setup_->loop.target.timeout) + " s");
  }
  return tip;
}

// `set` writes the target and returns an error instead where it makes no sense.
template <class Set>
void ComputedTorqueController::take_target(const std_msgs::msg::Header& header, const char* kind,
                                           Set set) {
  const std::lock_guard<std::mutex> lock(setup_mutex_);
  if (!setup_) return;
  const Result<bool> tip = at_tip(header);
  Result<void> taken;
  if (tip) {
    tip_box_.set([&](TipTarget& target) { taken = set(target, *tip); });
  } else {
    taken = tl::unexpected(tip.error());
  }
  if (taken) return;
  RCLCPP_WARN_THROTTLE(get_node()->get_logger(), *get_node()->get_clock(), 1000,
                       "A target %s was refused: %s.", kind, taken.error().sentence.c_str());
}

void ComputedTorqueController::take_pose(const geometry_msgs::msg::PoseStamped& message) {
  take_target(message.header, "pose", [&](TipTarget& target, bool tip) -> Result<void> {
    const auto pose = to_pose(message.pose);
    if (!pose) return tl::unexpected(pose.error());
    target.pose = *pose;
    target.pose_at_tip = tip;
    ++target.pose_number;
    return {};
  });
}

void ComputedTorqueController::take_twist(const geometry_msgs::msg::TwistStamped& message) {
  take_target(message.header, "twist", [&](TipTarget& target, bool tip) -> Result<void> {
    dyn::Vec6<double> twist;
    twist << dyn::inspect::to_vector(message.twist.linear),
        dyn::inspect::to_vector(message.twist.angular);
    const dyn::TargetOptions& most = setup_->loop.target;
    const auto bounded = within(twist.head<3>(), most.fastest, "m/s", "tip.fastest");
    if (!bounded) return bounded;
    const auto turning = within(twist.tail<3>(), most.fastest_turn, "rad/s", "tip.fastest_turn");
    if (!turning) return turning;
    target.twist = twist;
    target.twist_at_tip = tip;
    ++target.twist_number;
    return {};
  });
}

void ComputedTorqueController::take_wrench(const geometry_msgs::msg::WrenchStamped& message) {
  take_target(message.header, "wrench", [&](TipTarget& target, bool tip) -> Result<void> {
    const dyn::Wrench wrench{dyn::inspect::to_vector(message.wrench.force),
                             dyn::inspect::to_vector(message.wrench.torque)};
    const dyn::TargetOptions& most = setup_->loop.target;
    const auto bounded = within(wrench.force, most.strongest, "N", "tip.strongest");
    if (!bounded) return bounded;
    const auto turning = within(wrench.torque, most.strongest_turn, "N m", "tip.strongest_turn");
    if (!turning) return turning;
    target.wrench = wrench;
    target.wrench_at_tip = tip;
    ++target.wrench_number;
    return {};
  });
}

void ComputedTorqueController::offer_targets() {
  const dyn::Law law = setup_->parameters.law.law;
  if (dyn::entry_of(law).follows != dyn::Follows::kTip) return;
  const auto newest = rclcpp::SystemDefaultsQoS().keep_last(1).best_effort();
  auto& node = *get_node();
  target_subscriptions_ = {
      node.create_subscription<geometry_msgs::msg::PoseStamped>(
          "~/target_pose", newest,
          [this](const geometry_msgs::msg::PoseStamped& message) { take_pose(message); }),
      node.create_subscription<geometry_msgs::msg::TwistStamped>(
          "~/target_twist", newest,
          [this](const geometry_msgs::msg::TwistStamped& message) { take_twist(message); }),
      node.create_subscription<geometry_msgs::msg::WrenchStamped>(
          "~/target_wrench", newest,
          [this](const geometry_msgs::msg::WrenchStamped& message) { take_wrench(message); })};
}

}  // namespace dyn_control
