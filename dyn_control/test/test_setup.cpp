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

// The controller's parameters: what they become, and the sentences for those that make no sense.
#include "bench.hpp"

namespace dyn_control::test {
namespace {

using Params = computed_torque_controller::Params;

Params good(const std::string& robot = "arm7") {
  Params params;
  params.joints = robot_chain(robot)->coordinate_names();
  params.tip_link = "tool0";
  for (const std::string& joint : params.joints) {
    params.gains.joints_map[joint] = {};
    params.limits.joints_map[joint] = {};
    params.drives.joints_map[joint] = {};
    params.observer.joints_map[joint] = {};
  }
  return params;
}

dyn::Result<Setup> setup_of(const Params& params, const std::string& robot = "arm7") {
  return make_setup(params, robot_text(robot), kPeriod);
}

TEST(Setup, TakesEveryRobot) {
  for (const char* robot : {"arm7", "puma560", "rtx3", "stanford"}) {
    const auto setup = setup_of(good(robot), robot);
    ASSERT_TRUE(setup) << setup.error().sentence;
    EXPECT_EQ(setup->command_joints, setup->chain->coordinate_names());
  }
}

TEST(Setup, TheFastAlgorithmsUnlessOthersAreNamed) {
  Params params = good();
  params.algorithms.mass_matrix = "crba";
  const auto setup = setup_of(params);
  ASSERT_TRUE(setup) << setup.error().sentence;
  const auto solver = dyn::Solver::make(setup->chain, setup->algorithms);
  ASSERT_TRUE(solver) << solver.error().sentence;
  EXPECT_EQ(solver->algorithms().mass_matrix, "crba");
  EXPECT_EQ(solver->algorithms().forward_dynamics, "fast");
}

TEST(Setup, EffortLimitsAreTightenedOnly) {
  Params params = good();
  params.limits.joints_map["joint1"].effort = 10.0;
  params.limits.joints_map["joint2"].effort = 1e6;
  const auto setup = setup_of(params);
  ASSERT_TRUE(setup) << setup.error().sentence;
  EXPECT_EQ(setup->parameters.law.limits.effort[0], 10.0);
  EXPECT_EQ(setup->parameters.law.limits.effort[1],
            setup->chain->coordinate_joint(1).limits.effort);
}

TEST(Setup, BothFormsOfGains) {
  Params params = good();
  params.gains.joints_map["joint2"].natural_frequency = 30.0;
  params.gains.joints_map["joint2"].damping_ratio = 0.7;
  EXPECT_NEAR(setup_of(params)->parameters.law.gains.kp[1], 900.0, 1e-9);
  EXPECT_NEAR(setup_of(params)->parameters.law.gains.kd[1], 42.0, 1e-9);
  params.gain_form = "kp_kd";
  for (auto& [joint, gains] : params.gains.joints_map) {
    gains.kp = 100.0;
    gains.kd = 20.0;
    gains.ki = 3.0;
  }
  EXPECT_EQ(setup_of(params)->parameters.law.gains.kp[1], 100.0);
  EXPECT_EQ(setup_of(params)->parameters.law.gains.ki[6], 3.0);
}

TEST(Setup, NoGainsWhereNothingIsFollowedOrTheDrivesDamp) {
  Params params = good();
  params.gain_form = "kp_kd";
  params.law = "gravity";
  EXPECT_TRUE(setup_of(params));
  params.law = "feedforward_pd";
  params.drive_interfaces = "gains";
  for (auto& [joint, drive] : params.drives.joints_map) drive.kp = drive.kd = 4.0;
  EXPECT_TRUE(setup_of(params));
}

TEST(Setup, FrictionFromWhereItIsWanted) {
  Params params = good();
  params.drives.joints_map["joint1"].damping = 9.0;
  params.drives.joints_map["joint1"].armature = 0.3;
  EXPECT_EQ(setup_of(params)->chain->joint(0).damping, 0.8) << "arm7's own";
  EXPECT_EQ(setup_of(params)->chain->joint(0).armature, 0.3);
  params.friction.source = "parameters";
  EXPECT_EQ(setup_of(params)->chain->joint(0).damping, 9.0);
  EXPECT_EQ(setup_of(params)->chain->joint(0).friction, 0.0);
  params.friction.source = "none";
  EXPECT_EQ(setup_of(params)->chain->joint(0).damping, 0.0);
}

TEST(Setup, CommandJointsFollowTheirJoints) {
  Params params = good();
  std::ranges::reverse(params.joints);
  for (const std::string& joint : params.joints) params.command_joints.push_back("to_" + joint);
  const auto setup = setup_of(params);
  ASSERT_TRUE(setup) << setup.error().sentence;
  EXPECT_EQ(setup->command_joints[0], "to_joint1");
  EXPECT_EQ(setup->command_joints[6], "to_joint7");
}

void expect_refused(const std::function<void(Params&)>& spoil, const std::string& part,
                    const std::string& description = robot_text("arm7")) {
  Params params = good();
  spoil(params);
  const auto setup = make_setup(params, description, kPeriod);
  ASSERT_FALSE(setup) << part;
  EXPECT_NE(setup.error().sentence.find(part), std::string::npos) << setup.error().sentence;
}

TEST(Setup, WhatMakesNoSenseIsASentence) {
  expect_refused([](Params& p) { p.joints.pop_back(); }, "'joint7'");
  expect_refused([](Params& p) { p.joints[0] = "elbow"; }, "'elbow'");
  expect_refused([](Params& p) { p.tip_link = "nowhere"; }, "nowhere");
  expect_refused([](Params& p) { p.law = "magic"; }, "quasi_velocity");
  expect_refused([](Params& p) { p.algorithms.mass_matrix = "magic"; }, "gdahj");
  expect_refused([](Params& p) { p.command_joints = {"one"}; }, "command_joints");
  expect_refused([](Params& p) { p.effort_state = "current"; }, "drives.joint1.current_gain");
  expect_refused([](Params& p) { p.drive_interfaces = "gains"; }, "drives.joint1.kp and kd");
  expect_refused(
      [](Params& p) {
        p.drive_interfaces = "reference";
        p.law = "impedance";
        for (auto& [joint, drive] : p.drives.joints_map) drive.kp = drive.kd = 1.0;
      },
      "the law one of the joints");
  expect_refused([](Params& p) { p.lock.joints = {"finger_left"}; }, "lock.positions");
  expect_refused([](Params& p) { p.payload.inertia[0] = -1.0; }, "payload");
  expect_refused([](Params& p) { p.gravity[0] = 1e9; }, "gravity");
  expect_refused([](Params& p) { p.gains.joints_map["joint3"].ki = 1e9; }, "joint3");
  expect_refused([](Params& p) { p.gains.joints_map["joint4"].natural_frequency = 5000.0; },
                 "joint4");
  expect_refused([](Params& p) { p.gain_form = "kp_kd"; }, "give gains.joint1.kp and kd");
  expect_refused(
      [](Params& p) {
        p.gain_form = "kp_kd";
        for (auto& [joint, gains] : p.gains.joints_map) {
          gains.kp = 100.0;
          gains.kd = joint == "joint2" ? 0.0 : 20.0;
        }
      },
      "give gains.joint2.kp and kd");
  expect_refused([](Params&) {}, "robot description", "");
  expect_refused([](Params&) {}, "", "<robot");
}

TEST(Setup, AnEffortLimitHasToBeKnown) {
  std::string text = robot_text("arm7");
  const std::string limit = "effort=\"90\"";
  text.replace(text.find(limit), limit.size(), "effort=\"0\"");
  expect_refused([](Params&) {}, "limits.joint1.effort", text);
}

TEST(Controller, HasToBeToldWhoCompensatesGravity) {
  controller_interface::ControllerInterfaceParams params;
  params.controller_name = "untold";
  params.robot_description = robot_text("arm7");
  params.controller_manager_update_rate = params.update_rate = 1000;
  const std::vector<rclcpp::Parameter> joints = {
      {"joints", robot_chain("arm7")->coordinate_names()}};
  params.node_options = rclcpp::NodeOptions().parameter_overrides(joints);
  ComputedTorqueController controller;
  EXPECT_EQ(controller.init(params), return_type::ERROR);
}

TEST(Controller, AWrongParameterFailsAtConfigure) {
  Bench bench({.parameters = {{"tip_link", "nowhere"}}});
  ASSERT_TRUE(bench.initialized);
  EXPECT_FALSE(bench.configure());
}

TEST(Controller, ExportsTheReferencesThatATrajectoryControllerNeeds) {
  Bench bench;
  ASSERT_TRUE(bench.initialized && bench.configure());
  const auto references = bench.controller().export_reference_interfaces();
  ASSERT_EQ(references.size(), 21u);
  EXPECT_EQ(references[0]->get_name(), "ctc/joint1/position");
  EXPECT_EQ(references[20]->get_name(), "ctc/joint7/acceleration");
  EXPECT_TRUE(std::isnan(references[0]->get_optional().value()));
  EXPECT_EQ(bench.controller().command_interface_configuration().names[6], "joint7/effort");
  EXPECT_EQ(bench.controller().state_interface_configuration().names.size(), 14u);
}

}  // namespace
}  // namespace dyn_control::test
