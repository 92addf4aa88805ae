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

// The part of ComputedTorqueController that runs outside the control cycle: building, parameters,
// topics, services.
#include <algorithm>
#include <limits>
#include <mutex>

#include <dyn_core/inspect/messages.hpp>
#include <dyn_core/inspect/request.hpp>
#include <hardware_interface/introspection.hpp>

#include "dyn_control/computed_torque_controller.hpp"
#include "dyn_control/service.hpp"

namespace dyn_control {

using dyn::Result;
using rcl_interfaces::msg::SetParametersResult;

namespace {

// The values for the chain, or zero where the message has none.
Result<dyn::VecXd> arranged(const dyn::Chain& chain,
                            const trajectory_msgs::msg::JointTrajectory& message,
                            const std::vector<double>& values, const char* quantity) {
  return dyn::inspect::arranged_or_zero(chain, message.joint_names, values, quantity);
}

}  // namespace

Result<Setup> ComputedTorqueController::setup_of(const Params& params) const {
  return make_setup(params, get_robot_description(), 1.0 / std::max(get_update_rate(), 1u));
}

void ComputedTorqueController::build(const Setup& setup, Params params) {
  release_everything();
  const std::lock_guard<std::mutex> lock(setup_mutex_);
  params_ = std::move(params);
  const dyn::Index n = setup.chain->dof();
  setup_ = setup;
  loop_ = ControlLoop::make(setup.chain, setup.parameters, setup.algorithms, setup.loop,
                            setup.tuning)
              .value();  // make_setup() has tried it
  measured_ = dyn::JointState(n);
  measured_effort_ = torque_ = last_torque_ = dyn::VecXd::Zero(n);
  drive_ = dyn::DriveReference(n);
  place_ = dyn::VecXd::Zero(n);
  deactivated_ = rclcpp::Time(0, 0, RCL_ROS_TIME);
  wanted_ = dyn::Reference(n);
  rest_ = dyn::VecXd::Zero(n);
  none_ = dyn::VecXd::Constant(n, std::numeric_limits<double>::quiet_NaN());
  tuning_ = setup.tuning;
  tuning_.number = ++seen_tuning_;
  tuning_box_.set(tuning_);
  point_ = {dyn::Reference(n), ++seen_point_};
  point_box_.set(point_);
  gravity_ = {setup.tuning.gravity, ++seen_gravity_};
  gravity_box_.set(gravity_);
  const double rate = params_.state_publish_rate;
  publisher_.emplace(*get_node(), setup, rate > 0.0 ? 1.0 / rate : 0.0);
}

void ComputedTorqueController::release_everything() {
  const std::lock_guard<std::mutex> lock(setup_mutex_);
  registrations_.removeAll();
  health_watch_->set_chain(nullptr);
  point_subscription_.reset();
  gravity_subscription_.reset();
  target_subscriptions_.clear();
  guide_.reset();
  set_payload_.reset();
  set_gravity_.reset();
  publisher_.reset();
  loop_.reset();
  motions_.clear();
  guide_done_.store(guide_ordered_);
  guide_order_.number = guide_ordered_;
  guide_box_.set(guide_order_);
  setup_.reset();
}

// The base class registers its introspection before every configuring, but never takes it back.
void ComputedTorqueController::unconfigure() {
  release_everything();
  stats_registrations_.removeAll();
}

void ComputedTorqueController::offer_topics_and_services() {
  const auto newest = rclcpp::SystemDefaultsQoS().keep_last(1).best_effort();
  point_subscription_ = get_node()->create_subscription<trajectory_msgs::msg::JointTrajectory>(
      "~/reference", newest,
      [this](const trajectory_msgs::msg::JointTrajectory& message) { take_point(message); });
  if (!params_.gravity_topic.name.empty()) {
    gravity_subscription_ = get_node()->create_subscription<geometry_msgs::msg::Vector3Stamped>(
        params_.gravity_topic.name, newest,
        [this](const geometry_msgs::msg::Vector3Stamped& message) { take_gravity(message); });
  }
  offer_targets();
  guide_ = offer_with_answer<dyn_msgs::srv::Guide>(
      *get_node(), "~/guide",
      [this](const auto& request, auto& response) { return guide(request, response); });
  set_payload_ = offer<dyn_msgs::srv::SetPayload>(
      *get_node(), "~/set_payload", [this](const auto& request) { return set_payload(request); });
  set_gravity_ =
      offer<dyn_msgs::srv::SetGravity>(*get_node(), "~/set_gravity", [this](const auto& request) {
        const auto& g = request.gravity;
        return set_parameters({rclcpp::Parameter("gravity", std::vector<double>{g.x, g.y, g.z})});
      });
}

// The registrations of the base class stay with it.
void ComputedTorqueController::register_introspection() {
  const auto offer_value = [this](const std::string& name, const double* value) {
    REGISTER_ENTITY(hardware_interface::DEFAULT_REGISTRY_KEY, get_name() + "." + name, value,
                    &registrations_, false);
  };
  for (dyn::Index i = 0; i < torque_.size(); ++i) {
    const std::string& joint = setup_->chain->coordinate_names()[static_cast<std::size_t>(i)];
    const dyn::ControlOutput& output = loop_->output();
    offer_value("torque." + joint, &output.torque[i]);
    offer_value("position_error." + joint, &output.position_error[i]);
    offer_value("external_torque." + joint, &loop_->controller().observer().external_torque()[i]);
  }
}

void ComputedTorqueController::log_report() const {
  const dyn::Chain& chain = *setup_->chain;
  const auto logger = get_node()->get_logger();
  RCLCPP_INFO(logger, "%s on '%s': %zu joints from '%s' to '%s', %.3f kg, gravity by %s.",
              params_.law.c_str(), chain.name().c_str(), chain.coordinate_names().size(),
              chain.base().c_str(), chain.tip().c_str(), chain.total_mass(),
              params_.hardware_compensates_gravity ? "the hardware" : "this controller");
  for (const std::string& warning : chain.warnings()) RCLCPP_WARN(logger, "%s", warning.c_str());
  if (!setup_->weakness.empty()) RCLCPP_WARN(logger, "%s.", setup_->weakness.c_str());
  if (!params_.supervision) {
    RCLCPP_WARN(logger, "supervision is off: nobody watches speed and tracking error.");
  }
}

Result<dyn::Reference> ComputedTorqueController::to_reference(
    const trajectory_msgs::msg::JointTrajectory& message) const {
  if (message.points.size() != 1) {
    return dyn::fail("a reference has one point, but this message has " +
                     std::to_string(message.points.size()) +
                     "; send trajectories to a joint_trajectory_controller in front");
  }
  const dyn::Chain& chain = *setup_->chain;
  const trajectory_msgs::msg::JointTrajectoryPoint& point = message.points.front();
  if (message.joint_names.empty() || point.positions.empty()) {
    return dyn::fail("a reference needs joint_names and positions");
  }
  const auto q = arranged(chain, message, point.positions, "position");
  if (!q) return tl::unexpected(q.error());
  if (const auto within = within_limits(*q); !within) return tl::unexpected(within.error());
  const auto qd = arranged(chain, message, point.velocities, "velocity");
  if (!qd) return tl::unexpected(qd.error());
  const auto qdd = arranged(chain, message, point.accelerations, "acceleration");
  if (!qdd) return tl::unexpected(qdd.error());
  dyn::Reference reference(chain.dof());
  reference.q = *q;
  reference.qd = *qd;
  reference.qdd = *qdd;
  return reference;
}

Result<void> ComputedTorqueController::within_limits(const dyn::VecXd& q) const {
  const dyn::SupervisionParameters& limits = setup_->parameters.supervision;
  for (dyn::Index i = 0; i < q.size() && limits.enabled; ++i) {
    if (q[i] >= limits.lower[i] && q[i] <= limits.upper[i]) continue;
    return dyn::fail("position " + std::to_string(q[i]) + " of joint '" +
                     setup_->chain->coordinate_names()[static_cast<std::size_t>(i)] +
                     "' is outside its limits " + std::to_string(limits.lower[i]) + " … " +
                     std::to_string(limits.upper[i]));
  }
  return {};
}

// One that is refused is missed: gravity_topic.timeout.
void ComputedTorqueController::take_gravity(const geometry_msgs::msg::Vector3Stamped& message) {
  const std::lock_guard<std::mutex> lock(setup_mutex_);
  if (!setup_) return;
  const std::string &frame = message.header.frame_id, &base = setup_->chain->base();
  auto gravity = dyn::inspect::checked_gravity(dyn::inspect::to_vector(message.vector));
  if (!frame.empty() && frame != base) {
    gravity = dyn::fail("it is given in '" + frame + "', but it has to be in the base link '" +
                        base + "'");
  }
  if (!gravity) {
    RCLCPP_WARN_THROTTLE(get_node()->get_logger(), *get_node()->get_clock(), 1000,
                         "A gravity vector was refused: %s.", gravity.error().sentence.c_str());
    return;
  }
  gravity_box_.set([&](Gravity& now) { now = {*gravity, now.number + 1}; });
}

void ComputedTorqueController::take_point(const trajectory_msgs::msg::JointTrajectory& message) {
  const std::lock_guard<std::mutex> lock(setup_mutex_);
  if (!setup_) return;
  const auto reference = to_reference(message);
  if (!reference) {
    RCLCPP_WARN_THROTTLE(get_node()->get_logger(), *get_node()->get_clock(), 1000,
                         "A reference was refused: %s.", reference.error().sentence.c_str());
    return;
  }
  point_box_.set([&](Point& point) { point = {*reference, point.number + 1}; });
}

SetParametersResult ComputedTorqueController::check_parameters(
    const std::vector<rclcpp::Parameter>& parameters) {
  const std::lock_guard<std::mutex> lock(setup_mutex_);
  SetParametersResult result = param_listener_->update(parameters);
  if (!result.successful || !setup_) return result;
  const auto setup = setup_of(param_listener_->get_params());
  if (setup) return result;
  result.successful = false;
  result.reason = setup.error().sentence;
  std::vector<rclcpp::Parameter> current;
  for (const rclcpp::Parameter& parameter : parameters) {
    if (get_node()->has_parameter(parameter.get_name())) {
      current.push_back(get_node()->get_parameter(parameter.get_name()));
    }
  }
  param_listener_->update(current);
  return result;
}

// Gains, payload and gravity act at once, the rest when it is configured again.
void ComputedTorqueController::take_parameters() {
  const std::lock_guard<std::mutex> lock(setup_mutex_);
  if (!setup_) return;
  Params params = params_;
  const Params now = param_listener_->get_params();
  params.gains = now.gains;
  params.payload = now.payload;
  params.gravity = now.gravity;
  const auto setup = setup_of(params);
  if (!setup) {
    RCLCPP_WARN(get_node()->get_logger(), "The parameters act when configured again: %s.",
                setup.error().sentence.c_str());
    return;
  }
  tuning_box_.set([&](Tuning& tuning) {
    const std::uint64_t number = tuning.number + 1;
    tuning = setup->tuning;
    tuning.number = number;
  });
}

Result<void> ComputedTorqueController::set_parameters(
    const std::vector<rclcpp::Parameter>& parameters) {
  const SetParametersResult result = get_node()->set_parameters_atomically(parameters);
  if (!result.successful) return dyn::fail(result.reason);
  return {};
}

Result<void> ComputedTorqueController::set_payload(
    const dyn_msgs::srv::SetPayload::Request& request) {
  std::string tip;
  {
    const std::lock_guard<std::mutex> lock(setup_mutex_);
    if (!setup_) return dyn::fail("the controller is not configured");
    tip = setup_->chain->tip();
  }
  const auto& i = request.payload;
  const auto payload =
      dyn::inspect::requested_payload(tip, request.frame_id, dyn::inspect::to_body(i));
  if (!payload) return tl::unexpected(payload.error());
  using rclcpp::Parameter;
  return set_parameters({Parameter("payload.mass", i.m),
                         Parameter("payload.com", std::vector<double>{i.com.x, i.com.y, i.com.z}),
                         Parameter("payload.inertia",
                                   std::vector<double>{i.ixx, i.iyy, i.izz, i.ixy, i.ixz, i.iyz})});
}

}  // namespace dyn_control
