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

// A dynamics node on real DDS and somebody who talks to it, in one process and one thread.
#pragma once

#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <dyn_core/robot/urdf.hpp>
#include <dyn_core/solver.hpp>
#include <dyn_msgs/msg/model_report.hpp>
#include <gtest/gtest.h>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <std_msgs/msg/string.hpp>
#include <unistd.h>

#include "dyn_ros/dynamics_node.hpp"

namespace dyn_ros::test {

/// For broken code, not for slow machines.
inline constexpr std::chrono::seconds kPatience(60);

inline std::string robot_path(const std::string& name) {
  return std::string(DYN_ROBOTS_DIR) + "/" + name + ".urdf";
}

inline std::string robot_text(const std::string& name) {
  std::ifstream file(robot_path(name));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A robot of dyn_core with tip tool0, as the node has it.
inline dyn::Solver robot_solver(const std::string& name) {
  dyn::UrdfOptions options;
  options.tip = "tool0";
  return dyn::Solver::make(*dyn::load_urdf(robot_path(name), options)).value();
}

/// The latest message of a topic, and how many there were.
template <class Message>
class Listener {
 public:
  Listener(rclcpp::Node& node, const std::string& topic, const rclcpp::QoS& qos = rclcpp::QoS(100))
      : subscription_(node.create_subscription<Message>(topic, qos, [this](const Message& message) {
          latest_ = message;
          ++count_;
        })) {}

  [[nodiscard]] const Message& latest() const { return latest_.value(); }
  [[nodiscard]] std::size_t count() const { return count_; }
  void forget() { count_ = 0; }

 private:
  std::optional<Message> latest_;
  std::size_t count_ = 0;
  typename rclcpp::Subscription<Message>::SharedPtr subscription_;
};

inline rclcpp::QoS latched() { return rclcpp::QoS(1).transient_local(); }

class NodeTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { rclcpp::init(0, nullptr); }
  static void TearDownTestSuite() { rclcpp::shutdown(); }

  NodeTest()
      // Several tests at once on one domain do not hear each other.
      : name_space("/test" + std::to_string(getpid()) + "_" + std::to_string(++instances)),
        user(std::make_shared<rclcpp::Node>("user", name_space)),
        description(user->create_publisher<std_msgs::msg::String>("robot_description", latched())),
        joint_states(user->create_publisher<sensor_msgs::msg::JointState>("joint_states", 1000)),
        report(*user, "dynamics/model_report", latched()) {
    executor.add_node(user);
  }

  void start_node(std::vector<rclcpp::Parameter> parameters = {}) {
    parameters.insert(parameters.begin(), rclcpp::Parameter("tip_link", "tool0"));
    rclcpp::NodeOptions options;
    options.arguments({"--ros-args", "-r", "__ns:=" + name_space});
    options.parameter_overrides(parameters);
    node = std::make_shared<DynamicsNode>(options);
    executor.add_node(node);
    ASSERT_TRUE(spin_until([&] { return joint_states->get_subscription_count() > 0; }));
  }

  void describe(const std::string& text) {
    std_msgs::msg::String message;
    message.data = text;
    description->publish(message);
  }

  /// The node has this robot's model.
  void start_with(const std::string& robot, const std::vector<rclcpp::Parameter>& parameters = {}) {
    describe(robot_text(robot));
    start_node(parameters);
    ASSERT_TRUE(spin_until([&] { return model_is(robot); }));
  }

  [[nodiscard]] bool model_is(const std::string& robot) const {
    return report.count() > 0 && report.latest().robot_name == robot;
  }

  /// Spins until `condition` holds.
  bool spin_until(const std::function<bool()>& condition, std::chrono::seconds limit = kPatience) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      executor.spin_once(std::chrono::milliseconds(10));
    }
    return true;
  }

  /// A joint state with a stamp of its own.
  sensor_msgs::msg::JointState state(const std::vector<std::string>& names,
                                     const std::vector<double>& positions) {
    sensor_msgs::msg::JointState message;
    message.header.stamp.sec = 1000 + ++stamps;
    message.header.stamp.nanosec = 123456789;
    message.name = names;
    message.position = positions;
    return message;
  }

  /// Sends a joint state until `condition` holds: one sent during discovery may be lost.
  bool send_until(const sensor_msgs::msg::JointState& message,
                  const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end) {
      joint_states->publish(message);
      const auto pause = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
      while (std::chrono::steady_clock::now() < pause) {
        if (condition()) return true;
        executor.spin_once(std::chrono::milliseconds(2));
      }
    }
    return false;
  }

  /// Sends it until the listener has a message with its stamp.
  template <class Message>
  bool answered(const sensor_msgs::msg::JointState& message, const Listener<Message>& listener) {
    return send_until(message, [&] {
      return listener.count() > 0 && listener.latest().header.stamp == message.header.stamp;
    });
  }

  /// The response of a service of the node.
  template <class Service>
  typename Service::Response call(
      const std::string& name,
      const typename Service::Request& request = typename Service::Request()) {
    const auto client = user->create_client<Service>("dynamics/" + name);
    EXPECT_TRUE(spin_until([&] { return client->service_is_ready(); }));
    auto future = client->async_send_request(std::make_shared<typename Service::Request>(request));
    EXPECT_EQ(executor.spin_until_future_complete(future, kPatience),
              rclcpp::FutureReturnCode::SUCCESS);
    return *future.get();
  }

  static inline int instances = 0;
  int stamps = 0;
  std::string name_space;
  rclcpp::executors::SingleThreadedExecutor executor;
  rclcpp::Node::SharedPtr user;
  rclcpp::Publisher<std_msgs::msg::String>::SharedPtr description;
  rclcpp::Publisher<sensor_msgs::msg::JointState>::SharedPtr joint_states;
  Listener<dyn_msgs::msg::ModelReport> report;
  std::shared_ptr<DynamicsNode> node;
};

/// arm7's joints in an order of their own, among others.
inline const std::vector<std::string>& shuffled_joints() {
  static const std::vector<std::string> names = {"joint4", "finger_left", "joint7", "joint1",
                                                 "joint2", "joint6",      "joint5", "joint3"};
  return names;
}
inline const std::vector<double>& shuffled_positions() {
  static const std::vector<double> values = {0.4, 9.0, 0.7, 0.1, 0.2, 0.6, 0.5, 0.3};
  return values;
}
inline dyn::VecXd ordered_positions() { return dyn::VecXd::LinSpaced(7, 1.0, 7.0) / 10.0; }

}  // namespace dyn_ros::test
