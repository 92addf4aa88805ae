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

#include "dyn_control/simulated_arm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <hardware_interface/types/hardware_interface_type_values.hpp>
#include <pluginlib/class_list_macros.hpp>

namespace dyn_control {

using dyn::Index;
using dyn::Result;
using hardware_interface::HW_IF_EFFORT;
using hardware_interface::HW_IF_POSITION;
using hardware_interface::HW_IF_VELOCITY;

namespace {

constexpr double kShortest = 0.05;  // cycle of a loop that catches up, of the nominal period

const char* interface_of(CommandMode mode) {
  switch (mode) {
    case CommandMode::kPosition:
      return HW_IF_POSITION;
    case CommandMode::kVelocity:
      return HW_IF_VELOCITY;
    case CommandMode::kEffort:
      return HW_IF_EFFORT;
    case CommandMode::kDrive:
    case CommandMode::kIdle:
      break;
  }
  return "";
}

// Of drives that close the loop, besides position, velocity and effort.
constexpr const char* kKp = "kp";
constexpr const char* kKd = "kd";

}  // namespace

SimulatedArm::CallbackReturn SimulatedArm::on_init(
    const hardware_interface::HardwareComponentInterfaceParams& params) {
  if (SystemInterface::on_init(params) != CallbackReturn::SUCCESS) return CallbackReturn::ERROR;
  const Result<void> result = initialize();
  if (result) return CallbackReturn::SUCCESS;
  RCLCPP_ERROR(get_logger(), "The simulated arm '%s' makes no sense: %s.", info_.name.c_str(),
               result.error().sentence.c_str());
  return CallbackReturn::ERROR;
}

Result<void> SimulatedArm::initialize() {
  const auto settings =
      arm_settings({info_.hardware_parameters.begin(), info_.hardware_parameters.end()});
  if (!settings) return tl::unexpected(settings.error());
  settings_ = *settings;
  auto chain = true_chain(settings_, info_.original_xml);
  if (!chain) return tl::unexpected(chain.error());
  chain_ = std::move(*chain);
  if (auto checked = check_joints(); !checked) return checked;
  if (auto found = find_motions(); !found) return found;
  nominal_period_ = info_.rw_rate > 0 ? 1.0 / static_cast<double>(info_.rw_rate) : 1e-3;
  settings_.options.plant.shortest_period =
      std::min(settings_.options.plant.shortest_period, kShortest * nominal_period_);
  auto simulation = ArmSimulation::make(chain_, settings_.options);
  if (!simulation) return tl::unexpected(simulation.error());
  simulation_ = std::move(*simulation);
  simulation_->set_payload(settings_.payload);
  command_ = dyn::VecXd::Zero(chain_->dof());
  drive_ = dyn::DriveReference(chain_->dof());
  if (const auto initial = initial_positions(); !initial) return tl::unexpected(initial.error());
  if (settings_.clock == ArmClock::kOwn) {
    if (!get_node()) return dyn::fail("a clock of its own needs a controller manager with a node");
    clock_ =
        std::make_unique<SimulatedClock>(*get_node(), nominal_period_, settings_.real_time_factor);
  }
  return {};
}

// Every coordinate of the chain needs a joint with states; commands are needed by those that use
// them.
Result<void> SimulatedArm::check_joints() const {
  for (const std::string& name : chain_->coordinate_names()) {
    const auto joint =
        std::ranges::find(info_.joints, name, &hardware_interface::ComponentInfo::name);
    if (joint == info_.joints.end()) {
      return dyn::fail("joint '" + name + "' is on the chain from '" + chain_->base() + "' to '" +
                       chain_->tip() + "', but not in the <ros2_control> of '" + info_.name +
                       "'; add it there, or choose base_link and tip_link");
    }
    for (const char* gain : {kKp, kKd}) {
      if (const auto value = drive_gain(name, gain); !value) return tl::unexpected(value.error());
    }
  }
  return {};
}

// <state_interface name="position"><param name="initial_value">
Result<std::optional<double>> SimulatedArm::initial_value(const std::string& joint) const {
  const auto info =
      std::ranges::find(info_.joints, joint, &hardware_interface::ComponentInfo::name);
  if (info == info_.joints.end()) return std::nullopt;
  for (const auto& interface : info->state_interfaces) {
    if (interface.name != HW_IF_POSITION || interface.initial_value.empty()) continue;
    const auto value = number(interface.initial_value);
    if (value) return *value;
    return dyn::fail("the initial position of joint '" + joint + "': " + value.error().sentence);
  }
  return std::nullopt;
}

// As given; else zero, or where zero is no place to be, the middle of the range.
Result<dyn::VecXd> SimulatedArm::initial_positions() const {
  dyn::VecXd q = dyn::VecXd::Zero(chain_->dof());
  for (Index i = 0; i < chain_->dof(); ++i) {
    const dyn::JointLimits& limits = chain_->coordinate_joint(i).limits;
    const double middle = 0.5 * (limits.lower + limits.upper);
    if (!(limits.lower < 0.0 && limits.upper > 0.0) && std::isfinite(middle)) q[i] = middle;
    const auto given = initial_value(chain_->coordinate_names()[static_cast<std::size_t>(i)]);
    if (!given) return tl::unexpected(given.error());
    q[i] = given->value_or(q[i]);
  }
  return q;
}

// What the chain does not move stands as given, after its master, or at rest.
Result<void> SimulatedArm::find_motions() {
  auto motions = dyn::inspect::joint_motions(info_.original_xml, *chain_);
  if (!motions) return tl::unexpected(motions.error());
  motions_ = std::move(*motions);
  for (dyn::inspect::JointMotion& motion : motions_) {
    if (motion.coordinate >= 0) continue;
    const auto own = initial_value(motion.joint), masters = initial_value(motion.master);
    if (!own) return tl::unexpected(own.error());
    if (!masters) return tl::unexpected(masters.error());
    motion.offset =
        own->value_or(motion.multiplier * masters->value_or(motion.rest) + motion.offset);
  }
  return {};
}

SimulatedArm::CallbackReturn SimulatedArm::on_configure(const rclcpp_lifecycle::State&) {
  find_handles();
  offer_services();
  if (simulation_->start(*initial_positions()) != dyn::Status::kOk) return CallbackReturn::ERROR;
  publish_states();
  return CallbackReturn::SUCCESS;
}

SimulatedArm::CallbackReturn SimulatedArm::on_activate(const rclcpp_lifecycle::State&) {
  for (const CommandHandles& handles : commands_) {
    for (const CommandHandle& handle :
         {handles.position, handles.velocity, handles.effort, handles.kp, handles.kd}) {
      if (handle) (void)handle->set_value(kNaN);
    }
  }
  fault_pending_ = settings_.fault != ArmFault::kNone;
  fault_time_ = simulation_->time() + settings_.fault_start;
  return CallbackReturn::SUCCESS;
}

SimulatedArm::CallbackReturn SimulatedArm::on_deactivate(const rclcpp_lifecycle::State&) {
  simulation_->set_mode(CommandMode::kIdle);
  claimed_.clear();
  return CallbackReturn::SUCCESS;
}

void SimulatedArm::find_handles() {
  const auto state = [this](const std::string& joint, const char* interface) {
    const std::string name = joint + "/" + interface;
    return has_state(name) ? get_state_interface_handle(name) : StateHandle();
  };
  const auto command = [this](const std::string& joint, const char* interface) {
    const std::string name = joint + "/" + interface;
    return has_command(name) ? get_command_interface_handle(name) : CommandHandle();
  };
  joints_.clear();
  commands_.clear();
  for (const auto& info : info_.joints) {
    JointHandles handles{state(info.name, HW_IF_POSITION), state(info.name, HW_IF_VELOCITY),
                         state(info.name, HW_IF_EFFORT)};
    const auto motion = std::ranges::find(motions_, info.name, &dyn::inspect::JointMotion::joint);
    if (motion == motions_.end()) {
      handles.position.reset();  // nothing is known of it
    } else {
      handles.coordinate = motion->coordinate;
      handles.multiplier = motion->multiplier;
      handles.offset = motion->offset;
    }
    joints_.push_back(std::move(handles));
  }
  for (const std::string& name : chain_->coordinate_names()) {
    commands_.push_back({command(name, HW_IF_POSITION), command(name, HW_IF_VELOCITY),
                         command(name, HW_IF_EFFORT), command(name, kKp), command(name, kKd),
                         *drive_gain(name, kKp), *drive_gain(name, kKd)});  // checked
  }
}

// <joint><param name="kp">: of a drive whose gain nobody commands; NaN where there is none.
Result<double> SimulatedArm::drive_gain(const std::string& joint, const std::string& name) const {
  const auto info =
      std::ranges::find(info_.joints, joint, &hardware_interface::ComponentInfo::name);
  if (info == info_.joints.end() || !info->parameters.contains(name)) return kNaN;
  const auto value = number(info->parameters.at(name));
  if (value && *value >= 0.0) return *value;
  return dyn::fail("the " + name + " of joint '" + joint + "' is '" + info->parameters.at(name) +
                   "'; give a number that is not negative");
}

std::set<std::string> SimulatedArm::claimed_after(const std::vector<std::string>& start,
                                                  const std::vector<std::string>& stop) const {
  std::set<std::string> out = claimed_;
  for (const std::string& name : stop) out.erase(name);
  for (const std::string& joint : chain_->coordinate_names()) {
    for (const char* interface : {HW_IF_POSITION, HW_IF_VELOCITY, HW_IF_EFFORT, kKp, kKd}) {
      const std::string name = joint + "/" + interface;
      if (std::ranges::find(start, name) != start.end()) out.insert(name);
    }
  }
  return out;
}

Result<CommandMode> SimulatedArm::mode_of(const std::string& joint,
                                          const std::set<std::string>& claimed) const {
  const auto has = [&](const std::string& name) { return claimed.contains(joint + "/" + name); };
  const auto has_gain = [&](const char* name) {
    return has(name) || std::isfinite(drive_gain(joint, name).value_or(kNaN));
  };
  std::vector<CommandMode> modes;
  for (const CommandMode mode :
       {CommandMode::kPosition, CommandMode::kVelocity, CommandMode::kEffort}) {
    if (has(interface_of(mode))) modes.push_back(mode);
  }
  const bool gains = has(kKp) || has(kKd);
  if (modes.size() == 3 && has_gain(kKp) && has_gain(kKd)) return CommandMode::kDrive;
  if (gains) {
    return dyn::fail("joint '" + joint +
                     "' takes gains only with position, velocity and effort, and kp with kd");
  }
  if (modes.size() > 1) {
    return dyn::fail("joint '" + joint + "' cannot take " + interface_of(modes[0]) + " and " +
                     interface_of(modes[1]) +
                     " at once, but all three with kp and kd: as command interfaces, or as "
                     "parameters of the joint");
  }
  return modes.empty() ? CommandMode::kIdle : modes.front();
}

Result<CommandMode> SimulatedArm::mode_of(const std::set<std::string>& claimed) const {
  std::optional<CommandMode> all;
  for (const std::string& joint : chain_->coordinate_names()) {
    const auto mode = mode_of(joint, claimed);
    if (!mode) return mode;
    if (all.value_or(*mode) != *mode) {
      return dyn::fail(
          "all joints of the arm have to take the same kind of command; claim the "
          "same interfaces of every joint");
    }
    all = *mode;
  }
  return all.value_or(CommandMode::kIdle);
}

SimulatedArm::return_type SimulatedArm::prepare_command_mode_switch(
    const std::vector<std::string>& start, const std::vector<std::string>& stop) {
  const auto mode = mode_of(claimed_after(start, stop));
  if (mode) return return_type::OK;
  RCLCPP_ERROR(get_logger(), "The simulated arm '%s' refuses the switch: %s.", info_.name.c_str(),
               mode.error().sentence.c_str());
  return return_type::ERROR;
}

SimulatedArm::return_type SimulatedArm::perform_command_mode_switch(
    const std::vector<std::string>& start, const std::vector<std::string>& stop) {
  std::set<std::string> claimed = claimed_after(start, stop);
  const auto mode = mode_of(claimed);
  if (!mode) return return_type::ERROR;
  claimed_ = std::move(claimed);
  gains_claimed_ = claimed_.contains(chain_->coordinate_names().front() + "/" + kKp);
  simulation_->set_mode(*mode);
  return return_type::OK;
}

SimulatedArm::return_type SimulatedArm::read(const rclcpp::Time&, const rclcpp::Duration& period) {
  constexpr double kLongest = 0.1;  // what a computer that stood still may catch up with, s
  take_requests();
  const double measured = std::clamp(period.seconds(), 0.0, kLongest);
  const double dt = settings_.clock == ArmClock::kNominal ? nominal_period_ : measured;
  if (const dyn::Status status = simulation_->advance(dt); status != dyn::Status::kOk) {
    RCLCPP_ERROR(get_logger(),
                 "The simulated arm '%s' cannot be moved on: %s. It stays where it is.",
                 info_.name.c_str(), dyn::to_string(status));
    return return_type::ERROR;
  }
  publish_states();
  return return_type::OK;
}

SimulatedArm::return_type SimulatedArm::write(const rclcpp::Time&, const rclcpp::Duration&) {
  take_commands();
  if (clock_) clock_->tick();
  return return_type::OK;
}

void SimulatedArm::publish_states() {
  const dyn::JointState& state = simulation_->measured();
  const dyn::VecXd& effort = simulation_->effort();
  const auto set = [](const StateHandle& handle, double value) {
    if (handle) (void)handle->set_value(value, true);
  };
  for (const JointHandles& joint : joints_) {
    const bool moves = joint.coordinate >= 0;
    const Index i = moves ? joint.coordinate : 0;
    set(joint.position, (moves ? joint.multiplier * state.q[i] : 0.0) + joint.offset);
    set(joint.velocity, moves ? joint.multiplier * state.qd[i] : 0.0);
    set(joint.effort, moves ? effort[i] : 0.0);
  }
}

// What cannot be read now keeps its value of the last cycle.
void SimulatedArm::take_commands() {
  const CommandMode mode = simulation_->mode();
  if (mode == CommandMode::kIdle) return;
  if (mode == CommandMode::kDrive) return take_drive_commands();
  for (std::size_t k = 0; k < commands_.size(); ++k) {
    const CommandHandle& handle = mode == CommandMode::kEffort     ? commands_[k].effort
                                  : mode == CommandMode::kPosition ? commands_[k].position
                                                                   : commands_[k].velocity;
    const auto value = handle ? handle->get_optional() : std::nullopt;
    command_[static_cast<Index>(k)] = value.value_or(kNaN);
  }
  simulation_->command(command_);
}

void SimulatedArm::take_drive_commands() {
  const auto value = [](const CommandHandle& handle) {
    return handle ? handle->get_optional().value_or(kNaN) : kNaN;
  };
  for (std::size_t k = 0; k < commands_.size(); ++k) {
    const auto i = static_cast<Index>(k);
    const CommandHandles& handles = commands_[k];
    command_[i] = value(handles.effort);
    drive_.q[i] = value(handles.position);
    drive_.qd[i] = value(handles.velocity);
    drive_.kp[i] = gains_claimed_ ? value(handles.kp) : handles.own_kp;
    drive_.kd[i] = gains_claimed_ ? value(handles.kd) : handles.own_kd;
  }
  simulation_->command(command_, drive_);
}

}  // namespace dyn_control

PLUGINLIB_EXPORT_CLASS(dyn_control::SimulatedArm, hardware_interface::SystemInterface)
