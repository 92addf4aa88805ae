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

// The interfaces of ComputedTorqueController: claimed ones, exported ones and what is in those.
#include <algorithm>
#include <array>
#include <limits>

#include <hardware_interface/types/hardware_interface_type_values.hpp>

#include "dyn_control/computed_torque_controller.hpp"

namespace dyn_control {

using controller_interface::InterfaceConfiguration;
using hardware_interface::HW_IF_ACCELERATION;
using hardware_interface::HW_IF_EFFORT;
using hardware_interface::HW_IF_POSITION;
using hardware_interface::HW_IF_VELOCITY;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Of the tip, in the base link frame; what nobody writes is not a number.
constexpr std::array<const char*, 19> kTipReferences = {
    "position.x",    "position.y",    "position.z", "orientation.x", "orientation.y",
    "orientation.z", "orientation.w", "linear.x",   "linear.y",      "linear.z",
    "angular.x",     "angular.y",     "angular.z",  "force.x",       "force.y",
    "force.z",       "torque.x",      "torque.y",   "torque.z"};

}  // namespace

InterfaceConfiguration ComputedTorqueController::command_interface_configuration() const {
  InterfaceConfiguration out{controller_interface::interface_configuration_type::INDIVIDUAL, {}};
  if (!setup_) return out;
  const auto add = [&](const std::string& interface) {
    for (const std::string& joint : setup_->command_joints) {
      out.names.push_back(joint + "/" + interface);
    }
  };
  add(params_.command_interface);
  if (setup_->drives == DriveInterfaces::kTorque) return out;
  add(HW_IF_POSITION);
  add(HW_IF_VELOCITY);
  if (setup_->drives != DriveInterfaces::kGains) return out;
  for (const std::string& interface : params_.gain_interfaces) add(interface);
  return out;
}

InterfaceConfiguration ComputedTorqueController::state_interface_configuration() const {
  InterfaceConfiguration out{controller_interface::interface_configuration_type::INDIVIDUAL, {}};
  if (!setup_) return out;
  for (const char* interface : {HW_IF_POSITION, HW_IF_VELOCITY, HW_IF_EFFORT}) {
    if (interface == HW_IF_EFFORT && !setup_->loop.effort_state.used()) continue;
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
  if (!follows_tip()) return out;
  for (const char* value : kTipReferences) {
    out.push_back(std::make_shared<hardware_interface::CommandInterface>(
        prefix + setup_->chain->tip(), value));
    (void)out.back()->set_value(kNaN);
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

void ComputedTorqueController::read_references() noexcept {
  const dyn::Index n = loop_->dof();
  const auto& references = ordered_exported_reference_interfaces_;
  for (dyn::Index i = 0; i < n; ++i) {
    wanted_.q[i] = references[static_cast<std::size_t>(i)]->get_optional().value_or(kNaN);
    wanted_.qd[i] = references[static_cast<std::size_t>(n + i)]->get_optional().value_or(kNaN);
    wanted_.qdd[i] = references[static_cast<std::size_t>(2 * n + i)]->get_optional().value_or(kNaN);
  }
  const bool tip = read_tip_references();
  // Where only the tip is referred to, the posture stays.
  if (!tip || wanted_.q.array().isNaN().count() < n) loop_->references().take(wanted_);
}

// False where no controller in front says where the tip is to be.
bool ComputedTorqueController::read_tip_references() noexcept {
  if (!follows_tip()) return false;
  const auto& references = ordered_exported_reference_interfaces_;
  const auto first = static_cast<std::size_t>(3 * loop_->dof());
  std::array<double, kTipReferences.size()> values{};
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = references[first + k]->get_optional().value_or(kNaN);
  }
  const Eigen::Map<const Eigen::Matrix<double, kTipReferences.size(), 1>> v(values.data());
  const Eigen::Quaterniond turn(v[6], v[3], v[4], v[5]);
  const bool pose = v.head<7>().allFinite() && turn.squaredNorm() > 0.0;
  if (pose) {
    tip_.pose = {turn.normalized().toRotationMatrix(), v.head<3>()};
    tip_.pose_at_tip = false;
    ++tip_.pose_number;
  }
  if (v.segment<6>(7).allFinite()) {
    tip_.twist = v.segment<6>(7);
    tip_.twist_at_tip = false;
    ++tip_.twist_number;
  }
  if (v.tail<6>().allFinite()) {
    tip_.wrench = {v.segment<3>(13), v.tail<3>()};
    tip_.wrench_at_tip = false;
    ++tip_.wrench_number;
  }
  if (v.array().isNaN().all()) return false;
  loop_->take_target(tip_);
  return true;
}

// A controller that comes in front of the joints alone must not find where another one led the tip.
void ComputedTorqueController::forget_tip_references() noexcept {
  const auto& references = ordered_exported_reference_interfaces_;
  const std::size_t first = references.size() - std::min(references.size(), kTipReferences.size());
  for (std::size_t k = first; setup_ && follows_tip() && k < references.size(); ++k) {
    (void)references[k]->set_value(kNaN);
  }
}

// What the exported interfaces hold is what is in force: a controller that starts in front goes on
// from there.
// But for the tip's: whoever refers to the joints alone is not to be held by them.
void ComputedTorqueController::export_references(const dyn::VecXd& q, const dyn::VecXd& qd,
                                                 const dyn::VecXd& qdd) noexcept {
  const auto& references = ordered_exported_reference_interfaces_;
  const auto n = static_cast<std::size_t>(q.size());
  for (std::size_t k = 0; k < 3 * n; ++k) {
    const dyn::VecXd& values = k < n ? q : k < 2 * n ? qd : qdd;
    (void)references[k]->set_value(values[static_cast<dyn::Index>(k % n)]);
  }
}

}  // namespace dyn_control
