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

// Under a real controller manager, loaded by name, with a joint_trajectory_controller in front.
#include "manager_bench.hpp"

namespace dyn_control::test {
namespace {

TEST_F(UnderAManager, AChainArrivesAndHolds) {
  start();
  ASSERT_EQ(switch_to({"ctc", "jtc"}, {}), return_type::OK);
  EXPECT_EQ(state_of("jtc"), State::PRIMARY_STATE_ACTIVE);
  const dyn::VecXd goal = start_posture().array() + 0.3;
  send(goal, 0.8);
  run(1.5);
  EXPECT_LT((read_states("position") - goal).norm(), 1e-3);
  EXPECT_LT(read_states("velocity").norm(), 1e-2);
}

TEST_F(UnderAManager, SwitchingInFullMotionDoesNotJump) {
  start();
  ASSERT_EQ(switch_to({"ctc", "jtc"}, {}), return_type::OK);
  send(start_posture().array() + 0.8, 1.0);
  run(0.4);
  ASSERT_GT(read_states("velocity").norm(), 0.5);
  dyn::VecXd before = read_states("effort");
  double largest = 0.0;
  const auto watch = [&](int cycles) {
    for (int k = 0; k < cycles; ++k) {
      cycle();
      const dyn::VecXd effort = read_states("effort");
      for (dyn::Index i = 0; i < 7; ++i) {
        largest = std::max(largest, std::abs(effort[i] - before[i]) / limit[i]);
      }
      before = effort;
    }
  };
  // The trajectory controller goes: the torque controller is restarted without it.
  auto result = std::async(std::launch::async, [&] {
    return manager->switch_controller(
        {}, {"jtc"}, controller_manager_msgs::srv::SwitchController::Request::STRICT, true,
        rclcpp::Duration::from_seconds(60.0));
  });
  while (result.wait_for(std::chrono::microseconds(100)) != std::future_status::ready) watch(1);
  ASSERT_EQ(result.get(), return_type::OK);
  watch(500);
  EXPECT_EQ(state_of("ctc"), State::PRIMARY_STATE_ACTIVE);
  EXPECT_LT(largest, 0.01);
  EXPECT_LT(read_states("velocity").norm(), 1e-2);
}

// The trajectory controller alone is taken away and comes back, after the arm has gone elsewhere.
TEST_F(UnderAManager, ATrajectoryControllerTakesUpWhatIsInForce) {
  start();
  ASSERT_EQ(switch_to({"ctc", "jtc"}, {}), return_type::OK);
  watch_for(0.5);
  watched_switch({}, {"jtc"});
  move_reference(0.8);
  watch_for(0.5);
  const dyn::VecXd there = read_states("position");
  ASSERT_NEAR(there[0], start_posture()[0] + 0.8, 0.05);  // friction
  watched_switch({"jtc"}, {});
  watch_for(1.5);
  EXPECT_LT((read_states("position") - there).norm(), 0.02);
  EXPECT_LT(read_states("velocity").norm(), 1e-2);
  EXPECT_LT(torque_step, 0.02);
  EXPECT_LT(reference_step, 0.02);
}

// Seeded orders of everything, at rest and in motion.
TEST_F(UnderAManager, NoOrderOfActivationMakesTheArmJump) {
  start();
  dyn::Random random(20261120);
  bool with_ctc = false, with_jtc = false;
  int switches = 0;
  while (switches < 24) {
    const bool had_ctc = with_ctc, had_jtc = with_jtc;
    with_ctc = random.chance(0.75);
    with_jtc = with_ctc && random.chance(0.5);
    std::vector<std::string> on, off;
    if (with_ctc && !had_ctc) on.push_back("ctc");
    if (with_jtc && !had_jtc) on.push_back("jtc");
    if (!with_jtc && had_jtc) off.push_back("jtc");
    if (!with_ctc && had_ctc) off.push_back("ctc");
    if (random.chance(0.3)) std::ranges::reverse(on);
    if (on.empty() && off.empty()) continue;
    ++switches;
    SCOPED_TRACE("switch " + std::to_string(switches));
    watched_switch(on, off);
    const dyn::VecXd there = read_states("position");
    const bool moved = random.chance(0.5);
    if (moved && with_ctc && !with_jtc) {
      move_reference(random.uniform(-0.5, 0.5));
      if (random.chance(0.5)) continue;  // the next switch comes while it moves
    }
    watch_for(0.6);
    if (!moved) {
      EXPECT_LT((read_states("position") - there).cwiseAbs().maxCoeff(), 0.3)
          << "it went elsewhere";
    }
    EXPECT_LT(torque_step, 0.02);
    EXPECT_LT(reference_step, 0.02);
  }
}

// What it registers and what its base class does: each once, and read from where it is now.
TEST_F(UnderAManager, ItsIntrospectionComesAndGoesWithIt) {
  start();
  std::vector<std::string> wanted = {"ctc.failed_triggers", "ctc.total_triggers"};
  for (const std::string& joint : arm7_joints()) {
    for (const char* value : {"external_torque.", "position_error.", "torque."}) {
      wanted.push_back("ctc." + (value + joint));
    }
  }
  std::ranges::sort(wanted);
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    ASSERT_EQ(switch_to({"ctc"}, {}), return_type::OK);
    run(0.02);
    const auto values = introspected();
    std::vector<std::string> names;
    for (const auto& [name, value] : values) names.push_back(name);
    EXPECT_EQ(names, wanted);
    ASSERT_EQ(values.count("ctc.torque.joint2"), 1u);
    EXPECT_EQ(values.find("ctc.torque.joint2")->second, loop().output().torque[1]);
    ASSERT_EQ(values.count("ctc.total_triggers"), 1u);
    EXPECT_GE(values.find("ctc.total_triggers")->second, 20.0);
    ASSERT_EQ(switch_to({}, {"ctc"}), return_type::OK);
    EXPECT_TRUE(introspected().empty());
    if (round % 2 == 0) continue;  // once active again as it is, once configured anew
    ASSERT_EQ(while_cycling([&] { return manager->configure_controller("ctc"); }), return_type::OK);
  }
}

TEST_F(UnderAManager, AnErrorStopsTheWholeChainAndTheArmHoldsItself) {
  start({{"fault", "state_not_finite"}, {"fault_start", "0.5"}, {"fault_duration", "1.0"}});
  ASSERT_EQ(switch_to({"ctc", "jtc"}, {}), return_type::OK);
  run(2.0);
  EXPECT_EQ(state_of("ctc"), State::PRIMARY_STATE_INACTIVE);
  EXPECT_EQ(state_of("jtc"), State::PRIMARY_STATE_INACTIVE);
  EXPECT_LT(read_states("velocity").norm(), 1e-2);
  // And again.
  ASSERT_EQ(switch_to({"ctc", "jtc"}, {}), return_type::OK);
  run(0.2);
  EXPECT_EQ(state_of("ctc"), State::PRIMARY_STATE_ACTIVE);
}

}  // namespace
}  // namespace dyn_control::test
