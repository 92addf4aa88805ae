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

// The motion player moves any robot, with or without inertia.
#include <algorithm>
#include <regex>

#include "dyn_ros/motion_player.hpp"
#include "node_fixture.hpp"

namespace dyn_ros::test {
namespace {

class Player : public NodeTest {
 protected:
  /// What it publishes once the arm has left its first posture.
  sensor_msgs::msg::JointState moved(const std::string& robot) {
    const Listener<sensor_msgs::msg::JointState> listener(*user, "joint_states");
    rclcpp::NodeOptions options;
    options.arguments({"--ros-args", "-r", "__ns:=" + name_space});
    options.parameter_overrides({{"robot_description", robot}, {"tip_link", "tool0"}});
    const auto player = std::make_shared<MotionPlayer>(options);
    executor.add_node(player);
    EXPECT_TRUE(spin_until([&] {
      if (listener.count() == 0) return false;
      const auto& velocity = listener.latest().velocity;
      return std::ranges::any_of(velocity, [](double v) { return v != 0.0; });
    }));
    executor.remove_node(player);
    return listener.count() > 0 ? listener.latest() : sensor_msgs::msg::JointState();
  }
};

TEST_F(Player, SaysTheTorquesOfItsMotion) {
  const auto message = moved(robot_text("arm7"));
  EXPECT_EQ(message.name.size(), 8u) << "with the finger, which stands still";
  EXPECT_EQ(message.effort.size(), message.name.size());
}

TEST_F(Player, MovesARobotWithoutInertia) {
  const std::regex inertial("<inertial>[^]*?</inertial>");
  const auto message = moved(std::regex_replace(robot_text("arm7"), inertial, ""));
  EXPECT_EQ(message.position.size(), 8u);
  EXPECT_TRUE(message.effort.empty());
}

}  // namespace
}  // namespace dyn_ros::test
