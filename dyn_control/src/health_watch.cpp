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

#include "dyn_control/health_watch.hpp"

#include <chrono>
#include <utility>

namespace dyn_control {

using diagnostic_msgs::msg::DiagnosticStatus;

HealthWatch::HealthWatch(rclcpp_lifecycle::LifecycleNode& node, const std::atomic<Health>& health)
    : logger_(node.get_logger()), health_(health), updater_(&node) {
  updater_.setHardwareID("none");
  updater_.add("control", [this](auto& status) { report(status); });
  timer_ = node.create_wall_timer(std::chrono::milliseconds(50), [this] { look(); });
}

void HealthWatch::set_chain(dyn::ChainPtr chain) {
  const std::lock_guard<std::mutex> lock(mutex_);
  chain_ = std::move(chain);
  last_ = {};
}

std::string HealthWatch::reason(const Health& health) const {
  switch (health.trouble) {
    case Trouble::kNone:
      return "The law is in force";
    case Trouble::kFault:
      return dyn::culprit(*chain_, health.joint) + ": " + dyn::to_string(health.status) +
             (health.active
                  ? "; the arm is braked and carried until the controller is activated again"
                  : "");
    case Trouble::kState:
      return "The state or the reference is not finite";
    case Trouble::kStaleState:
      return "The state moves and yet stays the same: the hardware reports an old one";
    case Trouble::kModel:
      return std::string("The law cannot be computed: ") + dyn::to_string(health.status);
    case Trouble::kReferenceLost:
      return "The reference is too old, not finite or too far from the one before";
    case Trouble::kGravityTimedOut:
      return "Gravity has not been renewed in time";
    case Trouble::kContact:
      return "A contact was felt";
    case Trouble::kWriteFailed:
      return "A torque did not reach the hardware";
  }
  return "?";
}

std::string HealthWatch::summary(const Health& health) const {
  if (health.active) return reason(health);
  const std::string text = "The controller is not active: it commands zero torque";
  return health.failed ? text + ". What ended it: " + reason(health) : text;
}

// What has changed since the last look.
void HealthWatch::look() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!chain_) return;
  const Health now = health_.load();
  if (now.trouble != last_.trouble || now.failed != last_.failed) {
    const std::string text = reason(now);
    if (now.failed) {
      RCLCPP_ERROR(logger_, "%s. It has lasted for longer than fault.timeout: the update fails.",
                   text.c_str());
    } else if (now.trouble != Trouble::kNone) {
      RCLCPP_WARN(logger_, "%s.", text.c_str());
    } else if (now.active) {
      RCLCPP_INFO(logger_, "%s again.", text.c_str());
    }
  }
  if (now.active && now.prediction_given_up != last_.prediction_given_up) {
    RCLCPP_WARN(
        logger_, "%s",
        now.prediction_given_up
            ? "Prediction is given up: it was further off than none. Is prediction.delay right?"
            : "Prediction helps again and is believed.");
  }
  if (now.reference_limited && !last_.reference_limited) {
    RCLCPP_WARN(logger_, "A reference is beyond a position limit and is kept at it.");
  }
  if (now.blocked && !last_.blocked) {
    RCLCPP_WARN(logger_, "A joint does not move as asked: the others do not count on it.");
  }
  last_ = now;
}

void HealthWatch::report(diagnostic_updater::DiagnosticStatusWrapper& status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!chain_) {
    status.summary(DiagnosticStatus::OK, "The controller is not configured");
    return;
  }
  status.hardware_id = chain_->name();
  const Health now = health_.load();
  const bool hints = now.prediction_given_up || now.reference_limited || now.blocked;
  status.summary(now.trouble != Trouble::kNone ? DiagnosticStatus::ERROR
                 : hints                       ? DiagnosticStatus::WARN
                                               : DiagnosticStatus::OK,
                 summary(now));
  status.add("saturated", static_cast<bool>(now.saturated));
  status.add("reference limited", static_cast<bool>(now.reference_limited));
  status.add("prediction given up", static_cast<bool>(now.prediction_given_up));
  status.add("joint blocked", static_cast<bool>(now.blocked));
}

}  // namespace dyn_control
