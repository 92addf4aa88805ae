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

#include "dyn_ros/dynamics_node.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

#include <dyn_core/inspect/messages.hpp>
#include <dyn_msgs/fields.hpp>
#ifdef DYN_VIEW
#include <dyn_view/watch.hpp>
#endif
#include <rclcpp_components/register_node_macro.hpp>
#include <time.h>

#include "dyn_msgs/mistakes.hpp"
#include "dyn_ros/settings.hpp"

namespace dyn_ros {
namespace {

// Seconds on a clock that does not jump.
double steady_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// Seconds for which this thread has been running: unlike steady_now() blind to what else runs.
double thread_time() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

dyn::inspect::Settings settings_or_throw(const dynamics_node::Params& params) {
  const std::string sentence = unpaired(params);
  if (!sentence.empty()) throw std::invalid_argument(sentence + "; give one for each joint");
  auto settings = to_settings(params, {});
  const auto checked = dyn::inspect::Monitor().check(settings);
  if (!checked) throw std::invalid_argument(checked.error().sentence);
  return settings;
}

rcl_interfaces::msg::SetParametersResult to_result(const dyn::Result<void>& result) {
  rcl_interfaces::msg::SetParametersResult message;
  message.successful = result.has_value();
  if (!result) message.reason = result.error().sentence;
  return message;
}

}  // namespace

DynamicsNode::DynamicsNode(const rclcpp::NodeOptions& options)
    : Node("dynamics", options),
      param_listener_(get_node_parameters_interface(), get_logger()),
      params_(param_listener_.get_params()),
      monitor_(settings_or_throw(params_)),
      publishers_(*this),
      services_(*this, service_context()),
      diagnostics_(this) {
  publishers_.set_frame_prefix(params_.frame_prefix);
  publishers_.set_marker_lifetime(params_.markers.lifetime);
  diagnostics_.setHardwareID("none");
  diagnostics_.add("model", [this](auto& status) {
    dyn::inspect::fill_diagnostic(dyn_msgs::kFields, monitor_.diagnose_model(steady_now()), status);
  });
  diagnostics_.add("joint states", [this](auto& status) {
    dyn::inspect::fill_diagnostic(dyn_msgs::kFields, monitor_.diagnose_joint_states(steady_now()),
                                  status);
  });
  dyn_msgs::warn_of_mistaken_parameters(*this);
  if (params_.view.port > 0) start_page();
  // Called before the parameter listener's own, which takes what this one accepts.
  on_set_ = add_on_set_parameters_callback(
      [this](const auto& parameters) { return check_parameters(parameters); });
  post_set_ = add_post_set_parameters_callback([this](const auto&) { take_parameters(); });
  if (params_.robot_description.empty()) {
    publishers_.report(monitor_, now());
  } else {
    load(params_.robot_description);
  }
  description_ = create_subscription<std_msgs::msg::String>(
      "robot_description", rclcpp::QoS(1).transient_local(),
      [this](const std_msgs::msg::String& message) { load(message.data); });
  joint_states_ = create_subscription<sensor_msgs::msg::JointState>(
      "joint_states", rclcpp::SensorDataQoS().keep_last(100),
      [this](const sensor_msgs::msg::JointState& message) { on_joint_states(message); });
}

#ifdef DYN_VIEW
void DynamicsNode::start_page() {
  auto page = dyn::view::Watch::start({.port = static_cast<int>(params_.view.port)});
  if (!page) throw std::invalid_argument(page.error().sentence);
  page_ = std::move(*page);
  const std::string_view reason = dyn::view::why_no_page();
  if (reason.empty()) {
    RCLCPP_INFO(get_logger(), "The page: %s", page_->url().c_str());
  } else {
    RCLCPP_WARN(get_logger(), "Built without the page: %.*s", static_cast<int>(reason.size()),
                reason.data());
  }
}
#else
void DynamicsNode::start_page() {
  RCLCPP_WARN(get_logger(), "Built without dyn_view: there is no page.");
}
#endif

std::string DynamicsNode::frame_id() const {
  return monitor_.loaded() ? params_.frame_prefix + monitor_.chain().base() : std::string();
}

void DynamicsNode::announce() {
  const dyn::Chain& chain = monitor_.chain();
  RCLCPP_INFO(get_logger(), "Model of '%s' loaded: %zu joints from '%s' to '%s', %.3f kg.",
              chain.name().c_str(), chain.coordinate_names().size(), chain.base().c_str(),
              chain.tip().c_str(), chain.total_mass());
  for (const std::string& warning : chain.warnings()) {
    RCLCPP_WARN(get_logger(), "%s", warning.c_str());
  }
  diagnostics_.setHardwareID(chain.name());
#ifdef DYN_VIEW
  if (page_) page_->describe(monitor_);
#endif
  publishers_.announce(monitor_, now());
}

void DynamicsNode::load(const std::string& description) {
  const auto loaded = monitor_.load(description);
  if (!loaded) {
    RCLCPP_ERROR(get_logger(), "The robot description was refused%s: %s",
                 monitor_.loaded() ? ", the one before stays in use" : "",
                 loaded.error().sentence.c_str());
  } else if (*loaded) {
    announce();
  }
  publishers_.report(monitor_, now());
}

void DynamicsNode::on_joint_states(const sensor_msgs::msg::JointState& message) {
  const double start = thread_time();
  const double now = steady_now();
  // Any integer will do: rclcpp::Time throws at one before zero.
  const auto& time = message.header.stamp;
  const std::int64_t stamp = std::int64_t{time.sec} * 1'000'000'000 + time.nanosec;
  const dyn::inspect::JointStateSample sample{message.name, message.position, message.velocity,
                                              message.effort, stamp};
  if (!monitor_.take(sample, now)) return;
  latest_stamp_ = message.header.stamp;
  publishers_.publish(monitor_, latest_stamp_, now);
#ifdef DYN_VIEW
  if (page_) page_->show(monitor_, now);
#endif
  monitor_.note_busy(thread_time() - start);
}

dyn::Result<void> DynamicsNode::check(const dynamics_node::Params& params) const {
  const bool is_new = params.robot_description != params_.robot_description;
  return monitor_.check(to_settings(params, monitor_.settings()),
                        is_new ? params.robot_description : std::string());
}

rcl_interfaces::msg::SetParametersResult DynamicsNode::check_parameters(
    const std::vector<rclcpp::Parameter>& parameters) {
  auto result = param_listener_.update(parameters);
  if (!result.successful) return result;
  result = to_result(check(param_listener_.get_params()));
  if (result.successful) return result;
  std::vector<rclcpp::Parameter> current;
  for (const rclcpp::Parameter& parameter : parameters) {
    if (has_parameter(parameter.get_name())) {
      current.push_back(get_parameter(parameter.get_name()));
    }
  }
  param_listener_.update(current);
  return result;
}

void DynamicsNode::take_parameters() {
  const dynamics_node::Params before = std::exchange(params_, param_listener_.get_params());
  publishers_.set_frame_prefix(params_.frame_prefix);
  publishers_.set_marker_lifetime(params_.markers.lifetime);
  const std::string sentence = unpaired(params_);
  if (!sentence.empty()) {
    RCLCPP_WARN(get_logger(), "%s: what was in use stays until there is one for each joint.",
                sentence.c_str());
  }
  const auto anew = monitor_.apply(to_settings(params_, monitor_.settings()));
  if (!anew) {
    RCLCPP_ERROR(get_logger(), "The parameters were refused: %s", anew.error().sentence.c_str());
  } else if (*anew) {
    announce();
  } else if (monitor_.loaded() && params_.frame_prefix != before.frame_prefix) {
    publishers_.announce(monitor_, now());
  }
#ifdef DYN_VIEW
  if (page_) page_->describe(monitor_);
#endif
  if (params_.robot_description != before.robot_description && !params_.robot_description.empty()) {
    load(params_.robot_description);
  } else {
    publishers_.report(monitor_, now());
  }
}

ServiceContext DynamicsNode::service_context() {
  const auto set = [this](const std::vector<rclcpp::Parameter>& parameters) -> dyn::Result<void> {
    const auto result = set_parameters_atomically(parameters);
    if (!result.successful) return dyn::fail(result.reason);
    return {};
  };
  return {monitor_,
          steady_now,
          [this] { return latest_stamp_; },
          [this] { return frame_id(); },
          set,
          [this] { return params_.identify_payload.apply_to; }};
}

}  // namespace dyn_ros

RCLCPP_COMPONENTS_REGISTER_NODE(dyn_ros::DynamicsNode)
