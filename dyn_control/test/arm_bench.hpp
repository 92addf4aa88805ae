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

// A simulated arm as hardware of its own, moved on by hand, cycle by cycle, in a time of its own.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <dyn_core/robot/urdf.hpp>
#include <gtest/gtest.h>
#include <hardware_interface/component_parser.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rcutils/logging.h>

#include "dyn_control/simulated_arm.hpp"

namespace dyn_control::test {

using Names = std::map<std::string, std::string>;

inline constexpr double kPeriod = 1e-3;

inline std::string robot_text(const std::string& name) {
  std::ifstream file(std::string(DYN_ROBOTS_DIR) + "/" + name + ".urdf");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline dyn::ChainPtr robot_chain(const std::string& name) {
  dyn::UrdfOptions options;
  options.tip = "tool0";
  return dyn::parse_urdf(robot_text(name), options).value();
}

inline const std::vector<std::string>& arm7_joints() {
  static const std::vector<std::string> names = robot_chain("arm7")->coordinate_names();
  return names;
}

/// What is logged while it lives, line by line, instead of on stderr.
class LogKeeper {
 public:
  LogKeeper() : before_(rcutils_logging_get_output_handler()) {
    kept().clear();
    rcutils_logging_set_output_handler(keep);
  }
  ~LogKeeper() { rcutils_logging_set_output_handler(before_); }
  LogKeeper(const LogKeeper&) = delete;
  LogKeeper& operator=(const LogKeeper&) = delete;

  [[nodiscard]] const std::string& text() const { return kept(); }

 private:
  static std::string& kept() {
    static std::string text;
    return text;
  }
  static void keep(const rcutils_log_location_t*, int, const char*, rcutils_time_point_value_t,
                   const char* format, va_list* arguments) {
    char line[1000];
    (void)std::vsnprintf(line, sizeof line, format, *arguments);
    kept() += std::string(line) + "\n";
  }

  rcutils_logging_output_handler_t before_;
};

/// The robot description with a simulated arm in it, and with other joints of it.
inline std::string with_arm(const std::string& robot, const Names& hardware,
                            const dyn::VecXd& start, const std::string& others = "",
                            const std::string& of_joints = "") {
  const dyn::ChainPtr chain = robot_chain(robot);
  std::ostringstream tag;
  tag << "<ros2_control name=\"arm\" type=\"system\"><hardware>"
      << "<plugin>dyn_control/SimulatedArm</plugin>";
  Names parameters = hardware;
  parameters.emplace("tip_link", "tool0");
  for (const auto& [name, value] : parameters) {
    tag << "<param name=\"" << name << "\">" << value << "</param>";
  }
  tag << "</hardware>";
  for (dyn::Index i = 0; i < chain->dof(); ++i) {
    tag << "<joint name=\"" << chain->coordinate_names()[static_cast<std::size_t>(i)] << "\">"
        << of_joints;
    for (const char* name : {"position", "velocity", "effort", "kp", "kd"}) {
      tag << "<command_interface name=\"" << name << "\"/>";
    }
    tag << "<state_interface name=\"position\"><param name=\"initial_value\">" << start[i]
        << "</param></state_interface>"
        << "<state_interface name=\"velocity\"/><state_interface name=\"effort\"/></joint>";
  }
  tag << others << "</ros2_control>";
  std::string text = robot_text(robot);
  return text.insert(text.rfind("</robot>"), tag.str());
}

/// A simulated arm alone, configured and active.
class ArmBench {
 public:
  ArmBench(const std::string& robot, const Names& hardware, const dyn::VecXd& start,
           const std::string& others = "", const std::string& of_joints = "")
      : description_(with_arm(robot, hardware, start, others, of_joints)),
        arm_(std::make_unique<SimulatedArm>()) {
    hardware_interface::HardwareComponentParams params;
    params.hardware_info =
        hardware_interface::parse_control_resources_from_urdf(description_).front();
    params.hardware_info.rw_rate = 1000;
    params.clock = std::make_shared<rclcpp::Clock>();
    EXPECT_EQ(arm_->init(params), SimulatedArm::CallbackReturn::SUCCESS);
    for (const auto& interface : arm_->on_export_state_interfaces()) {
      states_[interface->get_name()] = interface;
    }
    for (const auto& interface : arm_->on_export_command_interfaces()) {
      commands_[interface->get_name()] = interface;
    }
    EXPECT_EQ(arm_->on_configure(rclcpp_lifecycle::State()), SimulatedArm::CallbackReturn::SUCCESS);
    EXPECT_EQ(arm_->on_activate(rclcpp_lifecycle::State()), SimulatedArm::CallbackReturn::SUCCESS);
  }

  [[nodiscard]] SimulatedArm& arm() { return *arm_; }
  [[nodiscard]] ArmSimulation& simulation() { return arm_->simulation(); }
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] auto state(const std::string& name) { return states_.at(name); }
  [[nodiscard]] auto command(const std::string& name) { return commands_.at(name); }
  [[nodiscard]] std::vector<std::string> all(const std::string& interface) const {
    std::vector<std::string> names;
    for (const std::string& joint : simulation_chain()) names.push_back(joint + "/" + interface);
    return names;
  }
  void claim(const std::string& interface) { claim_names(all(interface)); }
  void release(const std::string& interface) { release_names(all(interface)); }
  void claim_names(const std::vector<std::string>& names) {
    EXPECT_EQ(arm_->prepare_command_mode_switch(names, {}), hardware_interface::return_type::OK);
    EXPECT_EQ(arm_->perform_command_mode_switch(names, {}), hardware_interface::return_type::OK);
  }
  void release_names(const std::vector<std::string>& names) {
    EXPECT_EQ(arm_->perform_command_mode_switch({}, names), hardware_interface::return_type::OK);
  }
  void read(double dt = kPeriod) {
    EXPECT_EQ(arm_->read(now_, rclcpp::Duration::from_seconds(dt)),
              hardware_interface::return_type::OK);
  }
  void write(double dt = kPeriod) {
    EXPECT_EQ(arm_->write(now_, rclcpp::Duration::from_seconds(dt)),
              hardware_interface::return_type::OK);
  }
  void run(double seconds) {
    for (double t = 0.0; t < seconds; t += kPeriod) {
      read();
      write();
    }
  }

 private:
  [[nodiscard]] std::vector<std::string> simulation_chain() const {
    std::vector<std::string> names;
    for (const auto& joint : arm_->get_hardware_info().joints) names.push_back(joint.name);
    return names;
  }

  std::string description_;
  std::unique_ptr<SimulatedArm> arm_;
  std::map<std::string, hardware_interface::StateInterface::ConstSharedPtr> states_;
  std::map<std::string, hardware_interface::CommandInterface::SharedPtr> commands_;
  rclcpp::Time now_{0, 0, RCL_ROS_TIME};
};

}  // namespace dyn_control::test
