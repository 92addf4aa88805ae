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

// Robot descriptions come, change and are refused while the node runs; markers follow.
#include <algorithm>
#include <set>

#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <dyn_core/inspect/markers.hpp>
#include <dyn_msgs/msg/dh_chain.hpp>
#include <dyn_msgs/msg/mass_matrix.hpp>
#include <dyn_msgs/srv/get_dynamics.hpp>
#include <visualization_msgs/msg/marker_array.hpp>

#include "node_fixture.hpp"

namespace dyn_ros::test {
namespace {

using dyn_msgs::msg::MassMatrix;
using visualization_msgs::msg::MarkerArray;
using MarkerMessage = visualization_msgs::msg::Marker;

class Model : public NodeTest {
 protected:
  sensor_msgs::msg::JointState puma_state() {
    const dyn::Solver puma = robot_solver("puma560");
    return state(puma.chain().coordinate_names(), std::vector<double>(6, 0.2));
  }
};

TEST_F(Model, ADescriptionByParameterNeedsNoTopic) {
  start_node({rclcpp::Parameter("robot_description", robot_text("puma560"))});
  EXPECT_TRUE(spin_until([&] { return model_is("puma560"); }));
}

TEST_F(Model, AnotherRobotReplacesTheFirstWhileRunning) {
  start_with("arm7");
  const Listener<MassMatrix> matrix(*user, "dynamics/mass_matrix");
  const Listener<dyn_msgs::msg::DhChain> table(*user, "dynamics/dh_chain", latched());
  ASSERT_TRUE(answered(state(shuffled_joints(), shuffled_positions()), matrix));
  EXPECT_EQ(matrix.latest().data.size(), 49u);
  describe(robot_text("puma560"));
  ASSERT_TRUE(spin_until([&] { return model_is("puma560"); }));
  ASSERT_TRUE(answered(puma_state(), matrix));
  EXPECT_EQ(matrix.latest().data.size(), 36u);
  EXPECT_EQ(matrix.latest().joint_names.size(), 6u);
  ASSERT_TRUE(spin_until([&] { return table.count() > 0 && table.latest().rows.size() == 6; }));
  describe(robot_text("arm7"));
  ASSERT_TRUE(spin_until([&] { return model_is("arm7"); }));
  ASSERT_TRUE(answered(state(shuffled_joints(), shuffled_positions()), matrix));
  EXPECT_EQ(matrix.latest().data.size(), 49u);
}

TEST_F(Model, ARefusedDescriptionLeavesTheModelAndIsNamed) {
  start_with("arm7", {rclcpp::Parameter("diagnostic_updater.period", 0.1)});
  const Listener<MassMatrix> matrix(*user, "dynamics/mass_matrix");
  const Listener<diagnostic_msgs::msg::DiagnosticArray> diagnostics(*user, "/diagnostics");
  for (const char* text : {"", "no robot", "<robot name='x'", "<robot name='x'/>"}) {
    report.forget();
    describe(text);
    ASSERT_TRUE(spin_until([&] { return report.count() > 0; })) << text;
    EXPECT_NE(report.latest().message, "ok") << text;
    EXPECT_TRUE(model_is("arm7"));
  }
  EXPECT_TRUE(spin_until([&] {
    if (diagnostics.count() == 0) return false;
    const auto& all = diagnostics.latest().status;
    return std::any_of(all.begin(), all.end(), [](const auto& status) {
      return status.message.find("the one before is in use") != std::string::npos;
    });
  }));
  EXPECT_TRUE(answered(state(shuffled_joints(), shuffled_positions()), matrix));
  report.forget();
  describe(robot_text("arm7"));
  ASSERT_TRUE(spin_until([&] { return report.count() > 0; }));
  EXPECT_EQ(report.latest().message, "ok");
}

TEST_F(Model, WithoutADescriptionItSaysSo) {
  start_node();
  ASSERT_TRUE(spin_until([&] { return report.count() > 0; }));
  EXPECT_FALSE(report.latest().loaded);
  EXPECT_EQ(report.latest().message, "no robot description was received yet");
  joint_states->publish(state(shuffled_joints(), shuffled_positions()));
  const auto response = call<dyn_msgs::srv::GetDynamics>("get_dynamics");
  EXPECT_FALSE(response.success);
  EXPECT_NE(response.message.find("no robot description"), std::string::npos);
}

// What everybody has to do who reads a description, s.
double reading_time(const std::string& description) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(dyn::Solver::make(dyn::parse_urdf(description).value()));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// From the description to the first correct message, with joint states at 100 Hz; longer on a
// machine that reads slowly.
TEST_F(Model, TheFirstMessageComesWithinHalfASecond) {
  start_node();
  const Listener<MassMatrix> matrix(*user, "dynamics/mass_matrix");
  ASSERT_TRUE(spin_until([&] { return joint_states->get_subscription_count() > 0; }));
  double best = 60.0, reading = 60.0;
  for (int attempt = 0; attempt < 10 && best > 0.5; ++attempt) {
    const bool puma = attempt % 2 == 1;
    const auto message = puma ? puma_state() : state(shuffled_joints(), shuffled_positions());
    const std::string text = robot_text(puma ? "puma560" : "arm7");
    reading = std::min(reading, reading_time(text));
    const auto start = std::chrono::steady_clock::now();
    describe(text);
    ASSERT_TRUE(answered(message, matrix));
    EXPECT_EQ(matrix.latest().data.size(), puma ? 36u : 49u);
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  EXPECT_LT(best, std::max(0.5, 200.0 * reading));
  RecordProperty("seconds", std::to_string(best));
}

TEST_F(Model, MarkersOfEveryKindFollowTheModel) {
  start_with("arm7", {rclcpp::Parameter("frame_prefix", "left/")});
  const Listener<MarkerArray> listener(*user, "dynamics/markers");
  auto message = state(shuffled_joints(), shuffled_positions());
  message.effort.assign(8, 0.0);
  const auto drawn = [&] {
    return listener.count() > 0 && listener.latest().markers.front().action == MarkerMessage::ADD;
  };
  ASSERT_TRUE(send_until(message, drawn));
  std::set<std::string> spaces;
  for (const auto& marker : listener.latest().markers) {
    spaces.insert(marker.ns);
    EXPECT_EQ(marker.header.stamp, message.header.stamp);
    EXPECT_EQ(marker.header.frame_id.rfind("left/", 0), 0u) << marker.header.frame_id;
    EXPECT_TRUE(marker.frame_locked);
    EXPECT_EQ(marker.lifetime.sec, 1);
    EXPECT_GT(marker.scale.x, 0.0);
    EXPECT_GT(marker.color.a + (marker.colors.empty() ? 0.0F : 1.0F), 0.0F);
  }
  EXPECT_EQ(spaces.size(), dyn::inspect::marker_spaces().size());

  const auto erased = [&] {
    return listener.latest().markers.front().action == MarkerMessage::DELETEALL;
  };
  describe(robot_text("puma560"));
  ASSERT_TRUE(spin_until(erased));
}

}  // namespace
}  // namespace dyn_ros::test
