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
#include <cmath>
#include <exception>
#include <limits>

#include <controller_interface/helpers.hpp>
#include <dyn_msgs/mistakes.hpp>
#include <pluginlib/class_list_macros.hpp>

namespace dyn_control {

using controller_interface::CallbackReturn;
using controller_interface::return_type;

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
  health_watch_.emplace(*get_node(), health_);
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
  health_watch_->set_chain(setup_->chain);
  return CallbackReturn::SUCCESS;
}

bool ComputedTorqueController::on_set_chained_mode(bool) {
  if (loop_) loop_->release();
  forget_tip_references();
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
  ++activation_;
  take_changes();
  point_box_.try_get([this](const Point& point) { seen_point_ = point.number; });
  tip_box_.try_get([this](const TipTarget& target) { tip_ = target; });
  loop_->skip_target(tip_);
  read_states();
  // Who only goes on has been checked before, and the torque must not depend on noise and delay.
  const bool on = goes_on();
  if (!on && !effort_makes_sense()) return CallbackReturn::FAILURE;
  loop_->to_command(measured_, measured_effort_);
  const dyn::Status status = loop_->activate(measured_, torque_now(on));
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
  drive_ = loop_->output().drive;
  health_.store(loop_->health());
  if (write_commands()) return CallbackReturn::SUCCESS;
  (void)write_zero();
  health_.store(Health());
  RCLCPP_ERROR(get_node()->get_logger(), "The first torque could not be written.");
  return CallbackReturn::FAILURE;
}

// At rest the efforts have to hold as much of gravity as they are said to.
bool ComputedTorqueController::effort_makes_sense() {
  const dyn::EffortState& state = setup_->loop.effort_state;
  if (!state.used() || !params_.check_effort_state) return true;
  const dyn::EffortCheck check = loop_->check_effort(measured_, measured_effort_);
  const auto logger = get_node()->get_logger();
  if (!check.right()) {
    RCLCPP_ERROR(logger, "It cannot be activated: %s. Correct effort_state.",
                 dyn::to_sentence(check, state, *setup_->chain).c_str());
  } else if (check.decisive()) {
    RCLCPP_INFO(logger, "effort_state %s holds: at rest the efforts have %.2f of gravity.",
                params_.effort_state.c_str(), check.share);
  } else {
    RCLCPP_INFO(logger, "effort_state %s was not checked: the arm moves, or bears too little here.",
                params_.effort_state.c_str());
  }
  return check.right();
}

// Whether it has only just been deactivated and nobody has commanded anything since, as where the
// manager puts a controller in front or takes it away: in one cycle, or within some where it does
// not wait for the loop (activate_asap: false).
bool ComputedTorqueController::goes_on() const noexcept {
  constexpr double kLongest = 0.1;  // s
  const double since = (get_node()->now() - deactivated_).seconds();
  const auto zero = [](const auto& interface) { return interface.get_optional() == 0.0; };
  return since >= 0.0 && since < kLongest &&
         std::all_of(command_interfaces_.begin(), command_interfaces_.begin() + torque_.size(),
                     zero);
}

// The torque that acts at activation, where it is known: the own one, or what is measured.
const dyn::VecXd* ComputedTorqueController::torque_now(bool on) const noexcept {
  if (on) return &last_torque_;
  const bool known = setup_->loop.effort_state.used() && measured_effort_.allFinite();
  return known ? &measured_effort_ : nullptr;
}

CallbackReturn ComputedTorqueController::on_deactivate(const rclcpp_lifecycle::State&) {
  registrations_.disableAll();
  read_states();
  last_torque_ = loop_->output().torque + loop_->output().drive_torque;
  Health health = loop_->health();
  health.active = false;
  health_.store(health.failed ? health : Health());
  deactivated_ = get_node()->now();
  // Whoever comes next in front must not take up what is in force no more.
  export_references(none_, none_, none_);
  forget_tip_references();
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
  bool effort = setup_->loop.effort_state.used();
  if (effort) loop_->to_command(measured_, measured_effort_);
  effort = effort && measured_effort_.allFinite();
  if (effort) loop_->set_acting_torque(measured_effort_);
  const dyn::ControlOutput& output = loop_->update(measured_, period.seconds());
  torque_ = output.torque;
  drive_ = output.drive;
  loop_->note_write(write_commands());
  if (!is_in_chained_mode()) {
    const dyn::Reference& now = loop_->reference();
    if (loop_->follows_target()) {
      export_references(measured_.q, measured_.qd, rest_);  // where the tip has led the joints
    } else {
      export_references(now.q, now.qd, now.qdd);
    }
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
  guide_box_.try_get([this](const GuideOrder& order) { guide_order_ = order; });
  if (guide_order_.number != guide_done_.load()) carry_out(guide_order_);
}

// What cannot be read is not a number.
void ComputedTorqueController::read_states() noexcept {
  const dyn::Index n = loop_->dof();
  for (dyn::Index i = 0; i < n; ++i) {
    measured_.q[i] = state_interfaces_[slot(i)].get_optional().value_or(kNaN);
    measured_.qd[i] = state_interfaces_[slot(n + i)].get_optional().value_or(kNaN);
    if (!setup_->loop.effort_state.used()) continue;
    measured_effort_[i] = state_interfaces_[slot(2 * n + i)].get_optional().value_or(kNaN);
  }
}

// Torques, and what drives that close the loop need: where nothing is to be followed, drives with
// gains of their own are told to stay where the arm is.
bool ComputedTorqueController::write_commands() noexcept {
  const dyn::Index n = torque_.size();
  bool written = true;
  const auto write = [&](dyn::Index k, double value) {
    written = command_interfaces_[slot(k)].set_value(value) && written;
  };
  for (dyn::Index i = 0; i < n; ++i) {
    write(i, torque_[i]);
    if (setup_->drives == DriveInterfaces::kTorque) continue;
    if (drive_.kp[i] > 0.0) {
      place_[i] = drive_.q[i];
    } else if (std::isfinite(measured_.q[i])) {
      place_[i] = measured_.q[i];
    }
    write(n + i, place_[i]);
    write(2 * n + i, drive_.qd[i]);
    if (setup_->drives != DriveInterfaces::kGains) continue;
    write(3 * n + i, drive_.kp[i]);
    write(4 * n + i, drive_.kd[i]);
  }
  return written;
}

// Somebody else may have an interface for a moment.
bool ComputedTorqueController::write_zero() noexcept {
  constexpr int kTries = 100;
  torque_.setZero();
  drive_.qd.setZero();
  drive_.kp.setZero();
  for (int k = 0; k < kTries; ++k) {
    if (write_commands()) return true;
  }
  return false;
}

}  // namespace dyn_control

PLUGINLIB_EXPORT_CLASS(dyn_control::ComputedTorqueController,
                       controller_interface::ChainableControllerInterface)
