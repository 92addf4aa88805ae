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

// A real controller manager with a simulated arm, the torque controller, and a
// joint_trajectory_controller to stand in front. Time is made here: cycles follow each other as
// fast as they can.
#pragma once

#include <algorithm>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <controller_manager/controller_manager.hpp>
#include <dyn_core/study/effort_need.hpp>
#include <hardware_interface/introspection.hpp>
#include <rcl/time.h>
#include <trajectory_msgs/msg/joint_trajectory.hpp>

#include "arm_bench.hpp"
#include "dyn_control/computed_torque_controller.hpp"

namespace dyn_control::test {

using controller_interface::return_type;
using lifecycle_msgs::msg::State;

inline dyn::VecXd start_posture() {
  dyn::VecXd q(7);
  q << -0.6, -0.3, -0.5, 0.9, -0.8, -0.4, -0.8;
  return q;
}

class Manager : public controller_manager::ControllerManager {
 public:
  using ControllerManager::ControllerManager;
  hardware_interface::ResourceManager& resources() { return *resource_manager_; }
};

/// `more` are lines of YAML with parameters of the torque controller.
inline std::string parameter_file(const std::string& more) {
  const std::string path = testing::TempDir() + "manager_" + std::to_string(getpid()) + ".yaml";
  std::ofstream file(path);
  std::string joints, commands;
  for (const std::string& joint : arm7_joints()) {
    joints += (joints.empty() ? "" : ", ") + joint;
    commands += (commands.empty() ? "" : ", ") + ("ctc/" + joint);
  }
  file << "/**/ctc:\n  ros__parameters:\n    joints: [" << joints << "]\n    tip_link: tool0\n"
       << "    hardware_compensates_gravity: false\n    fault.timeout: 0.1\n"
       << more << "/**/jtc:\n  ros__parameters:\n    joints: [" << joints
       << "]\n    command_joints: [" << commands
       << "]\n    command_interfaces: [position, velocity, acceleration]\n"
       << "    state_interfaces: [position, velocity]\n";
  return path;
}

class UnderAManager : public testing::Test {
 protected:
  void start(const Names& hardware = {}, const std::string& more = "",
             const dyn::VecXd& posture = start_posture()) {
    executor = std::make_shared<rclcpp::executors::SingleThreadedExecutor>();
    rclcpp::NodeOptions options = controller_manager::get_cm_node_options();
    options.parameter_overrides({{"update_rate", 1000}, {"use_sim_time", true}});
    const std::string name_space = "/manager" + std::to_string(getpid());
    manager = std::make_shared<Manager>(executor, with_arm("arm7", hardware, posture), true,
                                        "controller_manager", name_space, options);
    clock = manager->get_clock()->get_clock_handle();
    ASSERT_EQ(rcl_enable_ros_time_override(clock), RCL_RET_OK);
    const std::string file = parameter_file(more);
    load("ctc", "dyn_control/ComputedTorqueController", file);
    for (const auto& controller : manager->get_loaded_controllers()) {
      ctc = std::dynamic_pointer_cast<ComputedTorqueController>(controller.c);
      if (ctc) break;
    }
    ASSERT_TRUE(ctc);
    limit = dyn::effort_limits(*robot_chain("arm7"));
    load("jtc", "joint_trajectory_controller/JointTrajectoryController", file);
    cycle();
  }

  void load(const std::string& name, const std::string& type, const std::string& file) {
    manager->set_parameter({name + ".params_file", std::vector<std::string>{file}});
    ASSERT_NE(manager->load_controller(name, type), nullptr);
    ASSERT_EQ(manager->configure_controller(name), return_type::OK);
  }

  void cycle() {
    now += rclcpp::Duration::from_seconds(kPeriod);
    ASSERT_EQ(rcl_set_ros_time_override(clock, now.nanoseconds()), RCL_RET_OK);
    const auto period = rclcpp::Duration::from_seconds(kPeriod);
    manager->read(now, period);
    (void)manager->update(now, period);
    manager->write(now, period);
  }

  void run(double seconds) {
    for (double t = 0.0; t < seconds; t += kPeriod) cycle();
  }

  /// What is asked for waits for a cycle: cycles go on while another thread asks.
  template <class Ask>
  return_type while_cycling(Ask ask) {
    auto result = std::async(std::launch::async, ask);
    while (result.wait_for(std::chrono::microseconds(100)) != std::future_status::ready) cycle();
    return result.get();
  }

  return_type switch_to(const std::vector<std::string>& on, const std::vector<std::string>& off) {
    return while_cycling([&] {
      return manager->switch_controller(
          on, off, controller_manager_msgs::srv::SwitchController::Request::STRICT, true,
          rclcpp::Duration::from_seconds(60.0));
    });
  }

  [[nodiscard]] unsigned state_of(const std::string& name) const {
    for (const auto& controller : manager->get_loaded_controllers()) {
      if (controller.info.name == name) return controller.c->get_lifecycle_id();
    }
    return State::PRIMARY_STATE_UNKNOWN;
  }

  [[nodiscard]] dyn::VecXd read_states(const std::string& interface) {
    dyn::VecXd out(7);
    for (dyn::Index i = 0; i < 7; ++i) {
      const std::string name = "joint" + std::to_string(i + 1) + "/" + interface;
      out[i] = manager->resources().claim_state_interface(name).get_optional().value();
    }
    return out;
  }

  /// Sends the arm to `goal` within `seconds`, by the topic of the trajectory controller.
  void send(const dyn::VecXd& goal, double seconds) {
    const auto sender = std::make_shared<rclcpp::Node>("sender", manager->get_namespace());
    const auto publisher =
        sender->create_publisher<trajectory_msgs::msg::JointTrajectory>("jtc/joint_trajectory", 1);
    trajectory_msgs::msg::JointTrajectory message;
    message.points.resize(1);
    message.points[0].time_from_start = rclcpp::Duration::from_seconds(seconds);
    for (dyn::Index i = 0; i < 7; ++i) {
      message.joint_names.push_back("joint" + std::to_string(i + 1));
      message.points[0].positions.push_back(goal[i]);
      message.points[0].velocities.push_back(0.0);
      message.points[0].accelerations.push_back(0.0);
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (publisher->get_subscription_count() == 0 && std::chrono::steady_clock::now() < end) {
      executor->spin_some(std::chrono::milliseconds(10));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    while (read_states("velocity").norm() < 1e-2 && std::chrono::steady_clock::now() < end) {
      publisher->publish(message);
      executor->spin_some(std::chrono::milliseconds(10));
      run(0.05);
    }
  }

  [[nodiscard]] const ControlLoop& loop() const { return ctc->loop(); }

  /// What ros2_control's introspection reads of the torque controller now.
  [[nodiscard]] static std::multimap<std::string, double> introspected() {
    const auto registry = pal_statistics::getRegistry(hardware_interface::DEFAULT_REGISTRY_KEY);
    std::multimap<std::string, double> out;
    constexpr int kMostKept = 1000;  // what earlier cycles left comes first
    for (int k = 0; k < kMostKept; ++k) {
      out.clear();
      for (const auto& [name, value] : registry->createMsg().statistics) {
        if (name.starts_with("ctc.")) out.emplace(name, value);
      }
    }
    return out;
  }

  /// Moves joint1 by `way` within 0.4 s, by the topic of the torque controller.
  void move_reference(double way) {
    if (!references) {
      user = std::make_shared<rclcpp::Node>("reference_user", manager->get_namespace());
      references = user->create_publisher<trajectory_msgs::msg::JointTrajectory>(
          "ctc/reference", rclcpp::SystemDefaultsQoS().keep_last(1));
      while (references->get_subscription_count() == 0) {
        executor->spin_some(std::chrono::milliseconds(10));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }
    const dyn::VecXd from = loop().reference().q;
    trajectory_msgs::msg::JointTrajectory message;
    message.joint_names = arm7_joints();
    message.points.resize(1);
    constexpr int kCycles = 400;
    for (int k = 1; k <= kCycles; ++k) {
      const double s = static_cast<double>(k) / kCycles;
      dyn::VecXd q = from, qd = dyn::VecXd::Zero(7);
      q[0] += way * s * s * (3.0 - 2.0 * s);
      qd[0] = way * 6.0 * s * (1.0 - s) / (kCycles * kPeriod);
      message.points[0].positions.assign(q.begin(), q.end());
      message.points[0].velocities.assign(qd.begin(), qd.end());
      references->publish(message);
      executor->spin_some(std::chrono::milliseconds(1));
      cycle();
      watch();
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::abs(loop().reference().q[0] - from[0] - way) > 1e-9 &&
           std::chrono::steady_clock::now() < end) {  // a best-effort message may be lost
      references->publish(message);
      executor->spin_some(std::chrono::milliseconds(10));
      watch_for(0.005);
    }
  }

  /// The largest change of torque and of the reference in force from one cycle to the next. Asks
  /// the manager nothing: it is locked while it switches.
  void watch() {
    const bool active = ctc->get_lifecycle_id() == State::PRIMARY_STATE_ACTIVE;
    if (active && was_active) {
      const dyn::VecXd step = (loop().output().torque - torque_before).cwiseQuotient(limit);
      torque_step = std::max(torque_step, step.cwiseAbs().maxCoeff());
      const double moved = (loop().reference().q - reference_before).cwiseAbs().maxCoeff();
      reference_step = std::max(reference_step, moved - error_before);
    }
    was_active = active;
    if (!active) return;
    torque_before = loop().output().torque;
    reference_before = loop().reference().q;
    error_before = loop().output().position_error.cwiseAbs().maxCoeff();
  }

  void watch_for(double seconds) {
    for (double t = 0.0; t < seconds; t += kPeriod) {
      cycle();
      watch();
    }
  }

  void watched_switch(const std::vector<std::string>& on, const std::vector<std::string>& off) {
    auto result = std::async(std::launch::async, [&] {
      return manager->switch_controller(
          on, off, controller_manager_msgs::srv::SwitchController::Request::STRICT, true,
          rclcpp::Duration::from_seconds(60.0));
    });
    while (result.wait_for(std::chrono::microseconds(100)) != std::future_status::ready) {
      cycle();
      watch();
    }
    ASSERT_EQ(result.get(), return_type::OK);
  }

  dyn::VecXd limit;
  std::shared_ptr<rclcpp::Node> user;
  rclcpp::Publisher<trajectory_msgs::msg::JointTrajectory>::SharedPtr references;
  bool was_active = false;
  double torque_step = 0.0, reference_step = 0.0;  // of a limit; rad beyond the tracking error
  double error_before = 0.0;
  dyn::VecXd torque_before, reference_before;

  std::shared_ptr<rclcpp::executors::SingleThreadedExecutor> executor;
  std::shared_ptr<Manager> manager;
  std::shared_ptr<ComputedTorqueController>
      ctc;  // goes before the manager whose interfaces it holds
  rcl_clock_t* clock = nullptr;
  rclcpp::Time now{10, 0, RCL_ROS_TIME};
};

}  // namespace dyn_control::test
