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

// Joint states of every kind: wrong names and sizes, floods, bursts, silence, several publishers.
#include <limits>
#include <thread>

#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <dyn_msgs/eigen.hpp>
#include <dyn_msgs/msg/joint_dynamics.hpp>
#include <dyn_msgs/msg/mass_matrix.hpp>
#include <dyn_msgs/srv/get_dynamics.hpp>

#include "node_fixture.hpp"

namespace dyn_ros::test {
namespace {

using dyn_msgs::msg::JointDynamics;

class JointStates : public NodeTest {
 protected:
  // The diagnostic entry of this node whose name ends so, once its message contains `part`.
  bool diagnosed(const std::string& entry, const std::string& part) {
    const Listener<diagnostic_msgs::msg::DiagnosticArray> listener(*user, "/diagnostics");
    return spin_until([&] {
      if (listener.count() == 0) return false;
      for (const auto& status : listener.latest().status) {
        if (status.name.ends_with(entry) && status.message.find(part) != std::string::npos) {
          return true;
        }
      }
      return false;
    });
  }

  // The node still answers a joint state.
  void expect_alive() {
    const Listener<JointDynamics> listener(*user, "dynamics/joint_dynamics");
    ASSERT_TRUE(answered(state(shuffled_joints(), shuffled_positions()), listener));
    EXPECT_EQ(listener.latest().position[6], 0.7);
  }
};

TEST_F(JointStates, BadOnesAreNamedAndChangeNothing) {
  start_with("arm7", {rclcpp::Parameter("diagnostic_updater.period", 0.1)});
  EXPECT_TRUE(diagnosed("joint states", "no joint state was received yet"));
  joint_states->publish(state({"left", "right"}, {1.0, 2.0}));
  EXPECT_TRUE(diagnosed("joint states", "names no joint of the chain: left, right"));
  joint_states->publish(state(shuffled_joints(), {1.0, 2.0}));
  EXPECT_TRUE(diagnosed("joint states", "8 names but 2 positions"));
  auto message = state(shuffled_joints(), shuffled_positions());
  message.velocity = {1.0};
  joint_states->publish(message);
  EXPECT_TRUE(diagnosed("joint states", "8 names but 1 velocities"));
  joint_states->publish(state({}, {}));
  EXPECT_TRUE(diagnosed("joint states", "none at all"));
  joint_states->publish(
      state(shuffled_joints(), std::vector<double>(8, std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(diagnosed("joint states", "no position was received yet for joint1, joint2"));
  expect_alive();
}

TEST_F(JointStates, AStampBeforeZeroIsOneToo) {
  start_with("arm7");
  auto message = state(shuffled_joints(), shuffled_positions());
  message.header.stamp.sec = -5;
  joint_states->publish(message);
  expect_alive();
}

TEST_F(JointStates, SeveralPublishersMakeOneState) {
  start_with("arm7", {rclcpp::Parameter("joint_state_timeout", 0.0)});
  const auto second = user->create_publisher<sensor_msgs::msg::JointState>("joint_states", 10);
  const Listener<JointDynamics> listener(*user, "dynamics/joint_dynamics");
  ASSERT_TRUE(spin_until([&] { return second->get_subscription_count() > 0; }));
  second->publish(state({"joint1", "joint2"}, {0.1, 0.2}));
  const auto rest =
      state({"joint7", "joint6", "joint5", "joint4", "joint3"}, {0.7, 0.6, 0.5, 0.4, 0.3});
  ASSERT_TRUE(answered(rest, listener));
  EXPECT_EQ(listener.latest().position, (std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}));
}

TEST_F(JointStates, SilenceMakesThemOld) {
  start_with("arm7", {rclcpp::Parameter("joint_state_timeout", 0.1),
                      rclcpp::Parameter("diagnostic_updater.period", 0.1)});
  expect_alive();
  EXPECT_TRUE(diagnosed("joint states", "no position for more than 0.1 s from joint1"));
  const auto response = call<dyn_msgs::srv::GetDynamics>("get_dynamics");
  EXPECT_FALSE(response.success);
  EXPECT_NE(response.message.find("no position for more than 0.1 s"), std::string::npos);
  expect_alive();
}

TEST_F(JointStates, ABurstEndsInTheLastState) {
  start_with("arm7", {rclcpp::Parameter("rates.joint_dynamics", 10000.0)});
  expect_alive();
  const Listener<JointDynamics> listener(*user, "dynamics/joint_dynamics", rclcpp::QoS(5000));
  ASSERT_TRUE(answered(state(shuffled_joints(), shuffled_positions()), listener));
  auto message = state(shuffled_joints(), shuffled_positions());
  for (int k = 0; k < 2000; ++k) {
    message.header.stamp.nanosec = static_cast<std::uint32_t>(k);
    joint_states->publish(message);
  }
  EXPECT_TRUE(answered(message, listener));
}

TEST_F(JointStates, AFloodIsThinnedToTheRate) {
  start_with("arm7", {rclcpp::Parameter("rates.joint_dynamics", 50.0)});
  expect_alive();
  const Listener<JointDynamics> listener(*user, "dynamics/joint_dynamics");
  auto message = state(shuffled_joints(), shuffled_positions());
  ASSERT_TRUE(answered(message, listener));
  const std::size_t before = listener.count();
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < 1500; ++k) {
    message.header.stamp.nanosec = static_cast<std::uint32_t>(k);
    joint_states->publish(message);
    executor.spin_some();
    std::this_thread::sleep_until(start + k * std::chrono::milliseconds(1));
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto received = static_cast<double>(listener.count() - before);
  EXPECT_LE(received, 50.0 * seconds + 8.0);
  EXPECT_GE(received, 20.0);
}

}  // namespace
}  // namespace dyn_ros::test
