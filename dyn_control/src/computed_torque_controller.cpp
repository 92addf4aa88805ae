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

#include "dyn_control/computed_torque_controller.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>

#include <controller_interface/helpers.hpp>
#include <dyn_msgs/mistakes.hpp>
#include <hardware_interface/types/hardware_interface_type_values.hpp>
#include <pluginlib/class_list_macros.hpp>

namespace dyn_control {

using controller_interface::CallbackReturn;
using controller_interface::InterfaceConfiguration;
using controller_interface::return_type;
using hardware_interface::HW_IF_ACCELERATION;
using hardware_interface::HW_IF_EFFORT;
using hardware_interface::HW_IF_POSITION;
using hardware_interface::HW_IF_VELOCITY;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::size_t slot(dyn::Index i) { return static_cast<std::size_t>(i); }

}  // namespace

CallbackReturn ComputedTorqueController::on_init() {
  try {
    param_listener_ = std::make_shared<computed_torque_controller::ParamListener>(get_node());
    params_ = param_listener_->get_params();
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_node()->get_logger(),
                 "The parameters make no sense: %s. joints and hardware_compensates_gravity have "
                 "to be given.",
                 error.what());
    return CallbackReturn::ERROR;
  }
  dyn_msgs::warn_of_mistaken_parameters(*get_node());
  // Called before the parameter listener's own, which takes what this one accepts.
  on_set_ = get_node()->add_on_set_parameters_callback(
      [this](const auto& parameters) { return check_parameters(parameters); });
  post_set_ =
      get_node()->add_post_set_parameters_callback([this](const auto&) { take_parameters(); });
  return CallbackReturn::SUCCESS;
}

CallbackReturn ComputedTorqueController::on_configure(const rclcpp_lifecycle::State&) {
  computed_torque_controller::Params params = param_listener_->get_params();
  const auto setup = setup_of(params);
  if (!setup) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s.", setup.error().sentence.c_str());
    unconfigure();
    return CallbackReturn::FAILURE;
  }
  build(*setup, std::move(params));
  offer_topics_and_services();
  register_introspection();
  log_report();
  health_.store(Health());
  health_watch_.emplace(*get_node(), *setup_->chain, health_);
  return CallbackReturn::SUCCESS;
}

InterfaceConfiguration ComputedTorqueController::command_interface_configuration() const {
  InterfaceConfiguration out{controller_interface::interface_configuration_type::INDIVIDUAL, {}};
  if (!setup_) return out;
  for (const std::string& joint : setup_->command_joints) {
    out.names.push_back(joint + "/" + params_.command_interface);
  }
  return out;
}

InterfaceConfiguration ComputedTorqueController::state_interface_configuration() const {
  InterfaceConfiguration out{controller_interface::interface_configuration_type::INDIVIDUAL, {}};
  if (!setup_) return out;
  for (const char* interface : {HW_IF_POSITION, HW_IF_VELOCITY, HW_IF_EFFORT}) {
    if (interface == HW_IF_EFFORT && !params_.use_effort_state) continue;
    for (const std::string& joint : setup_->chain->coordinate_names()) {
      out.names.push_back(joint + "/" + interface);
    }
  }
  return out;
}

std::vector<hardware_interface::CommandInterface::SharedPtr>
ComputedTorqueController::on_export_reference_interfaces_list() {
  std::vector<hardware_interface::CommandInterface::SharedPtr> out;
  const std::string prefix = std::string(get_node()->get_name()) + "/";
  for (const char* interface : {HW_IF_POSITION, HW_IF_VELOCITY, HW_IF_ACCELERATION}) {
    for (const std::string& joint : setup_->chain->coordinate_names()) {
      out.push_back(
          std::make_shared<hardware_interface::CommandInterface>(prefix + joint, interface));
      (void)out.back()->set_value(kNaN);
    }
  }
  return out;
}

std::vector<hardware_interface::StateInterface::SharedPtr>
ComputedTorqueController::on_export_state_interfaces_list() {
  std::vector<hardware_interface::StateInterface::SharedPtr> out;
  if (!setup_->parameters.observe) return out;
  const std::string prefix = std::string(get_node()->get_name()) + "/";
  const auto add = [&](const std::string& name, const char* interface) {
    out.push_back(std::make_shared<hardware_interface::StateInterface>(prefix + name, interface));
    (void)out.back()->set_value(0.0);
  };
  for (const std::string& joint : setup_->chain->coordinate_names()) add(joint, "external_torque");
  for (const char* axis : {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"}) {
    add(setup_->chain->tip(), axis);
  }
  return out;
}

// External torques of the joints, then the wrench at the tip.
void ComputedTorqueController::export_estimates() noexcept {
  const auto& states = ordered_exported_state_interfaces_;
  const dyn::VecXd& torque = loop_->controller().observer().external_torque();
  const dyn::Wrench& wrench = loop_->external_wrench();
  for (std::size_t k = 0; k < states.size(); ++k) {
    const auto i = static_cast<dyn::Index>(k);
    const dyn::Index axis = i - torque.size();
    (void)states[k]->set_value(axis < 0   ? torque[i]
                               : axis < 3 ? wrench.force[axis]
                                          : wrench.torque[axis - 3]);
  }
}

bool ComputedTorqueController::on_set_chained_mode(bool) {
  if (loop_) loop_->release();
  return true;
}

CallbackReturn ComputedTorqueController::on_activate(const rclcpp_lifecycle::State&) {
  const auto is_number = [](const auto& interface) {
    return interface.get_data_type() == hardware_interface::HandleDataType::DOUBLE;
  };
  if (!std::ranges::all_of(command_interfaces_, is_number) ||
      !std::ranges::all_of(state_interfaces_, is_number)) {
    RCLCPP_ERROR(get_node()->get_logger(),
                 "An interface has another data_type than double; correct the <ros2_control> of "
                 "the robot description.");
    return CallbackReturn::FAILURE;
  }
  registrations_.enableAll();
  take_changes();
  point_box_.try_get([this](const Point& point) { seen_point_ = point.number; });
  tip_box_.try_get([this](const TipTarget& target) { tip_ = target; });
  loop_->skip_target(tip_);
  read_states();
  const dyn::Status status = loop_->activate(measured_, torque_now());
  if (status != dyn::Status::kOk) {
    RCLCPP_ERROR(get_node()->get_logger(),
                 "It cannot be activated in the state the hardware reports: %s. Wait for valid "
                 "positions and velocities.",
                 dyn::to_string(status));
    return CallbackReturn::FAILURE;
  }
  export_references(measured_.q, rest_, rest_);
  // The manager may write before the first update.
  torque_ = loop_->output().torque;
  if (write_commands(torque_)) return CallbackReturn::SUCCESS;
  (void)write_zero();
  RCLCPP_ERROR(get_node()->get_logger(), "The first torque could not be written.");
  return CallbackReturn::FAILURE;
}

// The torque that acts at activation, where it is known: measured, or the own one if it was only
// deactivated in this cycle, as the manager does where a controller in front comes or goes. In one
// cycle the hardware is read once, however long the cycle takes on a busy machine.
const dyn::VecXd* ComputedTorqueController::torque_now() const noexcept {
  constexpr double kLongestCycle = 0.1;  // s
  if (params_.use_effort_state && measured_effort_.allFinite()) return &measured_effort_;
  const double since = (get_node()->now() - deactivated_).seconds();
  const bool same_cycle = since >= 0.0 && since < kLongestCycle && measured_.q == last_state_.q &&
                          measured_.qd == last_state_.qd;
  return same_cycle ? &last_torque_ : nullptr;
}

CallbackReturn ComputedTorqueController::on_deactivate(const rclcpp_lifecycle::State&) {
  registrations_.disableAll();
  read_states();
  last_state_ = measured_;
  last_torque_ = torque_;
  deactivated_ = get_node()->now();
  // Whoever comes next in front must not take up what is in force no more.
  export_references(none_, none_, none_);
  if (write_zero()) return CallbackReturn::SUCCESS;
  RCLCPP_ERROR(get_node()->get_logger(), "The zero torque at the end could not be written.");
  return CallbackReturn::ERROR;
}

CallbackReturn ComputedTorqueController::on_cleanup(const rclcpp_lifecycle::State&) {
  unconfigure();
  return CallbackReturn::SUCCESS;
}

CallbackReturn ComputedTorqueController::on_error(const rclcpp_lifecycle::State&) {
  if (loop_ && !command_interfaces_.empty()) (void)write_zero();
  unconfigure();
  return CallbackReturn::SUCCESS;
}

return_type ComputedTorqueController::update_reference_from_subscribers(const rclcpp::Time&,
                                                                        const rclcpp::Duration&) {
  point_box_.try_get([this](const Point& point) {
    if (point.number != seen_point_) point_ = point;
  });
  if (point_.number != seen_point_) {
    seen_point_ = point_.number;
    loop_->references().take(point_.reference);
  }
  bool target = false;
  tip_box_.try_get([this, &target](const TipTarget& now) {
    target = now.pose_number != tip_.pose_number || now.twist_number != tip_.twist_number ||
             now.wrench_number != tip_.wrench_number;
    tip_ = now;
  });
  if (target) loop_->take_target(tip_);
  return return_type::OK;
}

return_type ComputedTorqueController::update_and_write_commands(const rclcpp::Time& time,
                                                                const rclcpp::Duration& period) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  take_changes();
  read_states();
  if (is_in_chained_mode()) read_references();
  const bool effort = params_.use_effort_state && measured_effort_.allFinite();
  if (effort) loop_->set_acting_torque(measured_effort_);
  torque_ = loop_->update(measured_, period.seconds()).torque;
  loop_->note_write(write_commands(torque_));
  if (!is_in_chained_mode()) {
    const dyn::Reference& now = loop_->reference();
    export_references(now.q, now.qd, now.qdd);
  }
  export_estimates();
  const std::chrono::duration<double> used = Clock::now() - begin;
  health_.store(loop_->health());
  publisher_->publish(*loop_, measured_, effort ? &measured_effort_ : nullptr, time,
                      period.seconds(), used.count());
  return loop_->failed() ? return_type::ERROR : return_type::OK;
}

void ComputedTorqueController::take_changes() noexcept {
  tuning_box_.try_get([this](const Tuning& tuning) {
    if (tuning.number != seen_tuning_) tuning_ = tuning;
  });
  if (tuning_.number != seen_tuning_) {
    seen_tuning_ = tuning_.number;
    loop_->tune(tuning_);
  }
  gravity_box_.try_get([this](const Gravity& gravity) { gravity_ = gravity; });
  if (gravity_.number != seen_gravity_) {
    seen_gravity_ = gravity_.number;
    loop_->renew_gravity(gravity_.vector);
  }
}

// What cannot be read is not a number.
void ComputedTorqueController::read_states() noexcept {
  const dyn::Index n = loop_->dof();
  for (dyn::Index i = 0; i < n; ++i) {
    measured_.q[i] = state_interfaces_[slot(i)].get_optional().value_or(kNaN);
    measured_.qd[i] = state_interfaces_[slot(n + i)].get_optional().value_or(kNaN);
    if (!params_.use_effort_state) continue;
    measured_effort_[i] = state_interfaces_[slot(2 * n + i)].get_optional().value_or(kNaN);
  }
}

void ComputedTorqueController::read_references() noexcept {
  const dyn::Index n = loop_->dof();
  const auto& references = ordered_exported_reference_interfaces_;
  for (dyn::Index i = 0; i < n; ++i) {
    wanted_.q[i] = references[slot(i)]->get_optional().value_or(kNaN);
    wanted_.qd[i] = references[slot(n + i)]->get_optional().value_or(kNaN);
    wanted_.qdd[i] = references[slot(2 * n + i)]->get_optional().value_or(kNaN);
  }
  loop_->references().take(wanted_);
}

bool ComputedTorqueController::write_commands(const dyn::VecXd& torque) noexcept {
  bool written = true;
  for (dyn::Index i = 0; i < torque.size(); ++i) {
    written = command_interfaces_[slot(i)].set_value(torque[i]) && written;
  }
  return written;
}

// Somebody else may have an interface for a moment.
bool ComputedTorqueController::write_zero() noexcept {
  constexpr int kTries = 100;
  torque_.setZero();
  for (int k = 0; k < kTries; ++k) {
    if (write_commands(torque_)) return true;
  }
  return false;
}

// What the exported interfaces hold is what is in force: a controller that starts in front goes on
// from there.
void ComputedTorqueController::export_references(const dyn::VecXd& q, const dyn::VecXd& qd,
                                                 const dyn::VecXd& qdd) noexcept {
  const auto& references = ordered_exported_reference_interfaces_;
  const auto n = static_cast<std::size_t>(q.size());
  for (std::size_t k = 0; k < references.size(); ++k) {
    const dyn::VecXd& values = k < n ? q : k < 2 * n ? qd : qdd;
    (void)references[k]->set_value(values[static_cast<dyn::Index>(k % n)]);
  }
}

}  // namespace dyn_control

PLUGINLIB_EXPORT_CLASS(dyn_control::ComputedTorqueController,
                       controller_interface::ChainableControllerInterface)
