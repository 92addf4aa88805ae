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
// What drives take and report: reference, gains and torque at once, and the meaning of efforts.
#include "motion.hpp"

namespace dyn_control::test {
namespace {

using rclcpp::Parameter;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Parameters of arm7 whose drives close the loop.
std::vector<Parameter> with_drives(const std::string& interfaces) {
  std::vector<Parameter> out = {
      {"drive_interfaces", interfaces}, {"law", "feedforward_pd"}, {"gain_form", "kp_kd"}};
  for (const std::string& joint : arm7_joints()) {
    out.emplace_back("drives." + joint + ".kp", 80.0);
    out.emplace_back("drives." + joint + ".kd", 4.0);
  }
  return out;
}

TEST(Drives, FollowAReferenceWithTheModelsTorqueOnTop) {
  Bench bench({.parameters = with_drives("gains")});
  bench.start(true);
  ASSERT_EQ(bench.arm().simulation().mode(), CommandMode::kDrive);
  const dyn::TrajectoryPtr trajectory = motion(bench, 1.5);
  const Tracked tracked = follow(bench, *trajectory, 0.0, 1.5);
  EXPECT_EQ(tracked.errors, 0u);
  EXPECT_EQ(bench.calls, 0u) << "allocations in updates";
  EXPECT_LT(tracked.peak, 0.02);
  EXPECT_EQ(bench.arm().command("joint3/kp")->get_optional().value(), 80.0);
  EXPECT_NEAR(bench.arm().command("joint3/position")->get_optional().value(),
              bench.loop().reference().q[2], 0.02);
}

// Without the model's torque the drives alone are that much worse: it is what the law is for.
TEST(Drives, TheModelsTorqueIsWhatTheyFollowBy) {
  std::vector<Parameter> parameters = with_drives("gains");
  parameters[1] = {"law", "pd"};
  Bench bench({.parameters = parameters});
  bench.start(true);
  const dyn::TrajectoryPtr trajectory = motion(bench, 1.5);
  EXPECT_GT(follow(bench, *trajectory, 0.0, 1.5).peak, 0.1);
}

TEST(Drives, AFaultLeavesThemTheirDampingOnly) {
  std::vector<Parameter> parameters = with_drives("gains");
  parameters.emplace_back("reference.lost", "gravity");
  Bench bench({.parameters = parameters});
  bench.start(true);
  dyn::Reference lost(7);
  lost.q.setConstant(kNaN);
  bench.refer(lost);
  for (int k = 0; k < 100; ++k) (void)bench.cycle();
  EXPECT_EQ(bench.arm().command("joint3/kp")->get_optional().value(), 0.0);
  EXPECT_EQ(bench.arm().command("joint3/kd")->get_optional().value(), 4.0);
  EXPECT_LT(bench.truth().qd.norm(), 1e-2);
  bench.deactivate(false);
  EXPECT_EQ(bench.arm().command("joint3/kp")->get_optional().value(), 0.0);
  EXPECT_EQ(bench.arm().command("joint3/effort")->get_optional().value(), 0.0);
}

// Drives whose gains nobody commands hold the arm where it is when there is nothing to follow.
TEST(Drives, WithGainsOfTheirOwn) {
  std::vector<Parameter> parameters = with_drives("reference");
  parameters.emplace_back("reference.lost", "gravity");
  parameters.emplace_back("fault.timeout", 0.1);
  BenchOptions options{.parameters = parameters};
  options.joint_parameters = "<param name=\"kp\">80</param><param name=\"kd\">4</param>";
  Bench bench(options);
  bench.start(true);
  ASSERT_EQ(bench.arm().simulation().mode(), CommandMode::kDrive);
  const dyn::TrajectoryPtr trajectory = motion(bench, 1.5);
  EXPECT_LT(follow(bench, *trajectory, 0.0, 1.5).peak, 0.02);
  dyn::Reference lost(7);
  lost.q.setConstant(kNaN);
  bench.refer(lost);
  for (int k = 0; k < 80; ++k) (void)bench.cycle();
  const double place = bench.arm().command("joint2/position")->get_optional().value();
  EXPECT_NEAR(place, bench.truth().q[1], 1e-3) << "the drive pulls towards an old reference";
}

TEST(Drives, WhoGoesOnInTheSameCycleKeepsTheirShareToo) {
  Bench bench({.parameters = with_drives("gains")});
  bench.start(true);
  const dyn::TrajectoryPtr trajectory = motion(bench, 1.5);
  EXPECT_EQ(follow(bench, *trajectory, 0.0, 0.7).errors, 0u);
  const dyn::ControlOutput& output = bench.loop().output();
  ASSERT_GT(output.drive_torque.norm(), 0.01);
  const dyn::VecXd acting = output.torque + output.drive_torque;
  bench.set_clock(10);
  bench.deactivate(false);
  ASSERT_TRUE(bench.activate(true));
  EXPECT_LT((bench.loop().output().torque - acting).norm(), 1e-12);
}

TEST(Drives, KindsOfCommandsThatMakeNoSenseAreRefused) {
  const dyn::VecXd q = posture("arm7", 7);
  ArmBench bench("arm7", {}, q);
  using hardware_interface::return_type;
  const LogKeeper log;
  const auto refused = [&](std::vector<std::string> kinds) {
    std::vector<std::string> names;
    for (const std::string& kind : kinds) {
      const auto all = bench.all(kind);
      names.insert(names.end(), all.begin(), all.end());
    }
    return bench.arm().prepare_command_mode_switch(names, {}) != return_type::OK;
  };
  EXPECT_TRUE(refused({"position", "effort"}));
  EXPECT_NE(log.text().find("cannot take position and effort at once"), std::string::npos);
  EXPECT_TRUE(refused({"position", "velocity", "effort"})) << "nobody says the gains";
  EXPECT_TRUE(refused({"effort", "kp", "kd"}));
  EXPECT_FALSE(refused({"position", "velocity", "effort", "kp", "kd"}));
  EXPECT_FALSE(refused({"effort"}));
}

/// Stretched out, where joints bear something.
dyn::VecXd held_out() {
  dyn::VecXd q(7);
  q << 0.3, 1.2, 0.0, 0.6, 0.0, 0.4, 0.0;
  return q;
}

TEST(EffortMeaning, WhoGoesOnInTheSameCycleDoesNotMeasure) {
  Bench bench({.parameters = {{"effort_state", "same_as_command"}}, .start = held_out()});
  bench.start(true);
  for (int k = 0; k < 100; ++k) ASSERT_EQ(bench.cycle(), return_type::OK);
  bench.set_clock(10);
  bench.deactivate(false);
  for (dyn::Index i = 0; i < 7; ++i) {  // noise, a delay, or whatever a sensor says
    const auto effort = std::const_pointer_cast<hardware_interface::StateInterface>(
        bench.arm().state(bench.joint(i) + "/effort"));
    ASSERT_TRUE(effort->set_value(-2.0 * bench.last[i]));
  }
  const LogKeeper log;
  ASSERT_TRUE(bench.activate(false));
  bench.check_commands();
  EXPECT_LT(bench.largest_step, kNoJump);
  EXPECT_EQ(log.text().find("effort_state"), std::string::npos) << log.text();
}

/// What the robot reports, and what the controller is told it means.
struct Meaning {
  std::string robot, said;
  bool compensates = false;
  bool right = true;
};

TEST(EffortMeaning, AWrongOneIsRefusedAtActivation) {
  for (const Meaning& m : std::vector<Meaning>{{"with_gravity", "with_gravity", false, true},
                                               {"with_gravity", "with_gravity", true, true},
                                               {"with_gravity", "same_as_command", false, true},
                                               {"with_gravity", "same_as_command", true, false},
                                               {"with_gravity", "without_gravity", true, false},
                                               {"without_gravity", "without_gravity", true, true},
                                               {"without_gravity", "same_as_command", true, true},
                                               {"without_gravity", "with_gravity", true, false},
                                               {"same_as_command", "same_as_command", false, true},
                                               {"current", "current", false, true},
                                               {"current", "with_gravity", false, false}}) {
    SCOPED_TRACE(m.said + " for " + m.robot + (m.compensates ? ", gravity by the hardware" : ""));
    std::vector<Parameter> parameters = {{"effort_state", m.said},
                                         {"hardware_compensates_gravity", m.compensates}};
    for (const std::string& joint : arm7_joints()) {
      parameters.emplace_back("drives." + joint + ".current_gain", 0.1);
    }
    Bench bench({.hardware = {{"effort_state", m.robot},
                              {"current_gain", "0.1"},
                              {"compensates_gravity", m.compensates ? "true" : "false"}},
                 .parameters = parameters,
                 .start = held_out()});
    ASSERT_TRUE(bench.initialized);
    ASSERT_TRUE(bench.configure());
    bench.arm().run(0.01);
    const LogKeeper log;
    EXPECT_EQ(bench.activate(false), m.right);
    if (!m.right) {
      EXPECT_NE(log.text().find("times the gravity torque of the model"), std::string::npos)
          << log.text();
      continue;
    }
    // What is reported becomes the command that acts: nothing moves.
    for (int k = 0; k < 300; ++k) ASSERT_EQ(bench.cycle(), return_type::OK);
    EXPECT_LT(bench.truth().qd.norm(), 1e-2);
    EXPECT_LT((bench.truth().q - bench.first()).norm(), 5e-3);
    EXPECT_EQ(bench.calls, 0u);
  }
}

}  // namespace
}  // namespace dyn_control::test
