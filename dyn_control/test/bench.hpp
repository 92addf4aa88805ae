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

// A bench: the simulated arm and the controller, wired as a controller manager wires them. Every
// command written is checked, every update counted for its allocations.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <dyn_core/motion/trajectory.hpp>
#include <dyn_core/solver.hpp>
#include <gtest/gtest.h>
#include <lifecycle_msgs/msg/state.hpp>
#include <rcl/time.h>
#include <rclcpp/rclcpp.hpp>
#include <unistd.h>

#include "arm_bench.hpp"
#include "dyn_control/computed_torque_controller.hpp"
#include "malloc_gate.hpp"

namespace dyn_control::test {

using controller_interface::return_type;

struct BenchOptions {
  std::string robot = "arm7";
  Names hardware = {};
  std::vector<rclcpp::Parameter> parameters = {};
  dyn::VecXd start = {};  ///< empty: a posture in the middle
  std::string joint_parameters = {};
};

/// The middle of a motion of arm7, or zeros.
inline dyn::VecXd posture(const std::string& robot, dyn::Index n) {
  dyn::VecXd q = dyn::VecXd::Zero(n);
  if (robot == "arm7") q << -0.6, -0.3, -0.5, 0.9, -0.8, -0.4, -0.8;
  return q;
}

class Bench {
 public:
  explicit Bench(BenchOptions options = {})
      : options_(filled(std::move(options))),
        arm_(options_.robot, options_.hardware, options_.start, "", options_.joint_parameters),
        chain_(robot_chain(options_.robot)),
        controller_(std::make_unique<ComputedTorqueController>()),
        limit_(chain_->dof()) {
    controller_interface::ControllerInterfaceParams params;
    params.controller_name = "ctc";
    params.robot_description = arm_.description();
    params.controller_manager_update_rate = params.update_rate = 1000;
    params.node_namespace = "/bench" + std::to_string(getpid());
    params.node_options = rclcpp::NodeOptions().parameter_overrides(options_.parameters);
    initialized = controller_->init(params) == return_type::OK;
    for (dyn::Index i = 0; i < chain_->dof(); ++i) {
      limit_[i] = chain_->coordinate_joint(i).limits.effort;
    }
  }

  [[nodiscard]] bool configure() {
    if (controller_->configure().id() != lifecycle_msgs::msg::State::PRIMARY_STATE_INACTIVE) {
      return false;
    }
    references_ = controller_->export_reference_interfaces();
    return true;
  }

  /// As the manager does it: the hardware's mode, chained or not, interfaces, activation.
  [[nodiscard]] bool activate(bool chained) {
    const std::vector<std::string> names = controller_->command_interface_configuration().names;
    arm_.claim_names(names);
    EXPECT_TRUE(controller_->set_chained_mode(chained));
    std::vector<hardware_interface::LoanedCommandInterface> commands;
    for (const std::string& name : names) {
      commands.emplace_back(arm_.command(name), nullptr);
    }
    std::vector<hardware_interface::LoanedStateInterface> states;
    for (const std::string& name : controller_->state_interface_configuration().names) {
      states.emplace_back(arm_.state(name), nullptr);
    }
    controller_->assign_interfaces(std::move(commands), std::move(states));
    return controller_->get_node()->activate().id() ==
           lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE;
  }

  /// Without `release` the hardware keeps its mode: somebody else takes over in the same cycle.
  void deactivate(bool release = true) {
    controller_->get_node()->deactivate();
    controller_->release_interfaces();
    if (release) arm_.release_names(controller_->command_interface_configuration().names);
  }

  void start(bool chained) {
    ASSERT_TRUE(initialized);
    ASSERT_TRUE(configure());
    arm_.read();
    ASSERT_TRUE(activate(chained));
  }

  /// The clock of the controller's node stands there from now on.
  void set_clock(int seconds) {
    rcl_clock_t* clock = controller_->get_node()->get_clock()->get_clock_handle();
    ASSERT_EQ(rcl_enable_ros_time_override(clock), RCL_RET_OK);
    ASSERT_EQ(rcl_set_ros_time_override(clock, RCL_S_TO_NS(rcl_time_point_value_t{seconds})),
              RCL_RET_OK);
  }

  void refer(const dyn::Reference& reference) {
    const dyn::Index n = chain_->dof();
    for (dyn::Index i = 0; i < n; ++i) {
      const auto set = [&](dyn::Index k, double value) {
        EXPECT_TRUE(references_[static_cast<std::size_t>(k)]->set_value(value));
      };
      set(i, reference.q[i]);
      set(n + i, reference.qd[i]);
      set(2 * n + i, reference.qdd[i]);
    }
  }

  /// Update and write, with the gate around the update; then the arm moves on.
  return_type cycle(double dt = kPeriod) {
    now_ += rclcpp::Duration::from_seconds(dt);
    return_type result;
    {
      const rclcpp::Duration period = rclcpp::Duration::from_seconds(dt);
      const auto begin = std::chrono::steady_clock::now();
      const dyn::test::MallocGate gate;
      result = controller_->update(now_, period);
      calls += gate.calls();
      update_time =
          std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
              .count();
    }
    check_commands();
    arm_.write(dt);
    arm_.read(dt);
    return result;
  }

  void check_commands() {
    const dyn::VecXd now = commanded();
    ASSERT_TRUE(now.allFinite());
    ASSERT_LE((now.cwiseAbs() - limit_).maxCoeff(), 0.0);
    if (last.size() == now.size()) {
      largest_step =
          std::max(largest_step, (now - last).cwiseQuotient(limit_).cwiseAbs().maxCoeff());
    }
    last = now;
  }

  [[nodiscard]] dyn::VecXd commanded() {
    dyn::VecXd out(chain_->dof());
    for (dyn::Index i = 0; i < out.size(); ++i) {
      out[i] = arm_.command(joint(i) + "/effort")->get_optional().value();
    }
    return out;
  }

  [[nodiscard]] std::string joint(dyn::Index i) const {
    return chain_->coordinate_names()[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] const auto& references() const { return references_; }
  [[nodiscard]] ArmBench& arm() { return arm_; }
  [[nodiscard]] const dyn::JointState& truth() { return arm_.simulation().state(); }
  [[nodiscard]] const dyn::ChainPtr& chain() const { return chain_; }
  [[nodiscard]] const dyn::VecXd& limit() const { return limit_; }
  [[nodiscard]] const dyn::VecXd& first() const { return options_.start; }
  [[nodiscard]] ComputedTorqueController& controller() { return *controller_; }
  [[nodiscard]] auto node() { return controller_->get_node(); }
  [[nodiscard]] const ControlLoop& loop() const { return controller_->loop(); }
  [[nodiscard]] dyn::ControlMode mode() const { return loop().output().mode; }

  bool initialized = false;
  double update_time = 0.0;   ///< of the last update, us
  std::size_t calls = 0;      ///< of malloc and its like within updates
  double largest_step = 0.0;  ///< of a command between two cycles, in shares of its limit
  dyn::VecXd last;            ///< the command of the last cycle

 private:
  static BenchOptions filled(BenchOptions options) {
    const dyn::ChainPtr chain = robot_chain(options.robot);
    if (options.start.size() == 0) options.start = posture(options.robot, chain->dof());
    std::vector<rclcpp::Parameter> all = {{"joints", chain->coordinate_names()},
                                          {"tip_link", "tool0"},
                                          {"hardware_compensates_gravity", false},
                                          {"state_publish_rate", 0.0}};
    for (const rclcpp::Parameter& parameter : options.parameters) {
      std::erase_if(all,
                    [&](const auto& other) { return other.get_name() == parameter.get_name(); });
      all.push_back(parameter);
    }
    options.parameters = all;
    return options;
  }

  BenchOptions options_;
  ArmBench arm_;
  dyn::ChainPtr chain_;
  std::unique_ptr<ComputedTorqueController> controller_;
  std::vector<hardware_interface::CommandInterface::SharedPtr> references_;
  dyn::VecXd limit_;
  rclcpp::Time now_{1, 0, RCL_ROS_TIME};
};

}  // namespace dyn_control::test
