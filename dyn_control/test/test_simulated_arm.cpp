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

// The simulated arm as hardware: it holds, falls, follows efforts, positions and velocities,
// breaks, and does the same each time.
#include <dyn_core/solver.hpp>

#include "arm_bench.hpp"
#include "dyn_control/arm_settings.hpp"

namespace dyn_control::test {
namespace {

dyn::VecXd leaning() {
  dyn::VecXd q(7);
  q << 0.1, 0.6, -0.2, 0.9, 0.3, 0.4, 0.1;
  return q;
}

void set_all(ArmBench& bench, const std::string& interface, const dyn::VecXd& values) {
  const std::vector<std::string> names = bench.all(interface);
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_TRUE(bench.command(names[i])->set_value(values[static_cast<dyn::Index>(i)]));
  }
}

dyn::VecXd states(ArmBench& bench, const std::string& interface) {
  const std::vector<std::string> names = bench.all(interface);
  dyn::VecXd out(static_cast<dyn::Index>(names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    out[static_cast<dyn::Index>(i)] = bench.state(names[i])->get_optional().value();
  }
  return out;
}

TEST(SimulatedArm, HoldsItselfUntilSomebodyCommands) {
  for (const char* delay : {"0", "0.004"}) {
    for (const char* compensates : {"false", "true"}) {
      ArmBench bench("arm7", {{"delay", delay}, {"compensates_gravity", compensates}}, leaning());
      bench.run(0.5);
      EXPECT_LT((states(bench, "position") - leaning()).norm(), 1e-3) << delay << compensates;
      EXPECT_LT(states(bench, "velocity").norm(), 1e-3);
    }
  }
}

TEST(SimulatedArm, OrFallsIfItIsTold) {
  ArmBench bench("arm7", {{"hold_when_idle", "false"}}, leaning());
  bench.run(0.5);
  EXPECT_GT((states(bench, "position") - leaning()).norm(), 0.1);
}

TEST(SimulatedArm, TakesEffortsAndReportsThem) {
  ArmBench bench("arm7", {}, leaning());
  dyn::Solver solver = dyn::Solver::make(robot_chain("arm7")).value();
  dyn::VecXd gravity(7);
  ASSERT_EQ(solver.gravity_torque(leaning(), gravity), dyn::Status::kOk);
  bench.claim("effort");
  bench.run(0.1);  // nothing commanded yet: the torque of the hold acts on
  EXPECT_LT((states(bench, "position") - leaning()).norm(), 1e-3);
  gravity[6] += 3.0;  // beyond the friction of that joint
  set_all(bench, "effort", gravity);
  bench.run(0.1);
  EXPECT_LT((states(bench, "effort") - gravity).norm(), 1e-9);
  EXPECT_GT(states(bench, "velocity")[6], 0.1);
  // A command that is no number is not taken.
  set_all(bench, "effort", dyn::VecXd::Constant(7, std::numeric_limits<double>::quiet_NaN()));
  bench.run(0.01);
  EXPECT_LT((states(bench, "effort") - gravity).norm(), 1e-9);
  // Released while moving: it comes to rest.
  bench.release("effort");
  bench.run(0.5);
  EXPECT_LT(states(bench, "velocity").norm(), 1e-2);
}

TEST(SimulatedArm, FollowsPositions) {
  ArmBench bench("arm7", {}, leaning());
  bench.claim("position");
  double worst = 0.0;
  for (int k = 0; k <= 1000; ++k) {
    const double s = 0.15 * (1.0 - std::cos(M_PI * k * kPeriod));
    const dyn::VecXd wanted = leaning().array() + s;
    set_all(bench, "position", wanted);
    bench.write();
    bench.read();
    worst = std::max(worst, (states(bench, "position") - wanted).norm());
  }
  EXPECT_LT(worst, 5e-3);
  bench.run(0.3);
  EXPECT_LT((states(bench, "position") - leaning()).array().abs().maxCoeff(), 0.301);
  EXPECT_GT((states(bench, "position") - leaning()).array().abs().minCoeff(), 0.299);
}

TEST(SimulatedArm, FollowsVelocities) {
  ArmBench bench("arm7", {}, leaning());
  bench.claim("velocity");
  set_all(bench, "velocity", dyn::VecXd::Constant(7, 0.2));
  bench.run(0.5);
  EXPECT_LT((states(bench, "velocity").array() - 0.2).abs().maxCoeff(), 1e-2);
  set_all(bench, "velocity", dyn::VecXd::Zero(7));
  bench.run(0.3);
  EXPECT_LT(states(bench, "velocity").norm(), 1e-2);
  EXPECT_NEAR(states(bench, "position")[0] - leaning()[0], 0.1, 0.01);
}

TEST(SimulatedArm, JointsOffTheChainStandSomewhere) {
  const auto joint = [](const std::string& name, const std::string& initial) {
    const std::string value =
        initial.empty() ? "" : "<param name=\"initial_value\">" + initial + "</param>";
    return "<joint name=\"" + name + "\"><state_interface name=\"position\">" + value +
           "</state_interface></joint>";
  };
  for (const std::string initial : {"", "0.03"}) {
    ArmBench bench("arm7", {}, leaning(),
                   joint("finger_left", initial) + joint("finger_right", ""));
    bench.run(0.01);
    const double expected = initial.empty() ? 0.0 : 0.03;
    EXPECT_EQ(bench.state("finger_left/position")->get_optional().value(), expected);
    EXPECT_EQ(bench.state("finger_right/position")->get_optional().value(), expected)
        << "it mimics the other one";
  }
}

TEST(SimulatedArm, RefusesMixedCommands) {
  ArmBench bench("arm7", {}, leaning());
  using hardware_interface::return_type;
  EXPECT_EQ(bench.arm().prepare_command_mode_switch({"joint1/effort"}, {}), return_type::ERROR);
  std::vector<std::string> mixed = bench.all("effort");
  mixed[3] = "joint4/position";
  EXPECT_EQ(bench.arm().prepare_command_mode_switch(mixed, {}), return_type::ERROR);
  bench.claim("effort");
  EXPECT_EQ(bench.arm().prepare_command_mode_switch(bench.all("position"), {}), return_type::ERROR);
  EXPECT_EQ(bench.arm().prepare_command_mode_switch(bench.all("position"), bench.all("effort")),
            return_type::OK);
  EXPECT_EQ(bench.arm().prepare_command_mode_switch({"other/effort"}, {}), return_type::OK);
}

TEST(SimulatedArm, BreaksAsTold) {
  ArmBench bench("arm7", {}, leaning());
  bench.claim("effort");
  set_all(bench, "effort", dyn::VecXd::Zero(7));
  bench.run(0.05);
  bench.arm().simulation().inject(ArmFault::kStateNotFinite, 0.01);
  bench.read();
  EXPECT_TRUE(std::isnan(states(bench, "position")[0]));
  bench.run(0.02);
  EXPECT_TRUE(states(bench, "position").allFinite());
  bench.arm().simulation().inject(ArmFault::kStateFrozen, 0.01);
  bench.read();
  const dyn::VecXd frozen = states(bench, "position");
  bench.run(0.005);
  EXPECT_EQ(states(bench, "position"), frozen);
  bench.arm().simulation().inject(ArmFault::kEffortClipped, 0.0);
  set_all(bench, "effort", dyn::VecXd::Constant(7, 50.0));
  bench.run(0.01);
  EXPECT_NEAR(states(bench, "effort")[0], 9.0, 1e-9);
  bench.arm().simulation().inject(ArmFault::kCommandLost, 0.0);
  set_all(bench, "effort", dyn::VecXd::Zero(7));
  bench.run(0.01);
  EXPECT_NEAR(states(bench, "effort")[0], 9.0, 1e-9);
}

TEST(SimulatedArm, SaysWhyItCannotBeMovedOn) {
  ArmBench bench("arm7", {}, leaning());
  bench.run(0.01);
  dyn::Wrench nonsense;
  nonsense.force.setConstant(std::numeric_limits<double>::quiet_NaN());
  bench.arm().simulation().set_tip_wrench(nonsense);
  const LogKeeper log;
  EXPECT_EQ(bench.arm().read(rclcpp::Time(), rclcpp::Duration::from_seconds(kPeriod)),
            hardware_interface::return_type::ERROR);
  EXPECT_NE(log.text().find("The simulated arm 'arm' cannot be moved on"), std::string::npos)
      << log.text();
}

TEST(SimulatedArm, AFaultMayStandInTheDescription) {
  ArmBench bench(
      "arm7", {{"fault", "state_not_finite"}, {"fault_start", "0.05"}, {"fault_duration", "0.02"}},
      leaning());
  bench.run(0.04);
  EXPECT_TRUE(states(bench, "position").allFinite());
  bench.run(0.02);
  EXPECT_FALSE(states(bench, "position").allFinite());
  bench.run(0.03);
  EXPECT_TRUE(states(bench, "position").allFinite());
}

TEST(SimulatedArm, DoesTheSameEachTime) {
  const auto run = [](const char* seed, double jitter) {
    ArmBench bench("arm7", {{"position_noise", "1e-4"}, {"seed", seed}, {"clock", "nominal"}},
                   leaning());
    bench.claim("effort");
    set_all(bench, "effort", dyn::VecXd::Constant(7, 1.0));
    for (int k = 0; k < 200; ++k) {
      bench.read(kPeriod * (1.0 + jitter * (k % 3)));
      bench.write();
    }
    return states(bench, "position");
  };
  EXPECT_EQ(run("7", 0.0), run("7", 0.5)) << "a nominal clock does not look at the measured period";
  EXPECT_NE(run("7", 0.0), run("8", 0.0));
}

TEST(SimulatedArm, DiffersFromItsModelAsTold) {
  const auto torque = [](const Names& hardware) {
    ArmBench bench("arm7", hardware, leaning());
    bench.run(0.5);
    return bench.simulation().torque()[1];
  };
  const double plain = torque({});
  EXPECT_NEAR(torque({{"inertia_scale", "1.2"}}), 1.2 * plain, 1.0);
  EXPECT_GT(std::abs(torque({{"payload_mass", "2"}})), std::abs(plain) + 5.0);
  EXPECT_GT(std::abs(torque({{"last_link_scale", "1.5"}})), std::abs(plain) + 1.0);
}

TEST(ArmSettings, WhatMakesNoSenseIsASentence) {
  const auto refused = [](const Names& parameters, const std::string& part) {
    const auto settings = arm_settings(parameters);
    ASSERT_FALSE(settings) << part;
    EXPECT_NE(settings.error().sentence.find(part), std::string::npos) << settings.error().sentence;
  };
  refused({{"dealy", "1"}}, "there is no parameter 'dealy'; there are");
  refused({{"delay", "soon"}}, "'delay'");
  refused({{"delay", "-1"}}, "negative");
  refused({{"delay", "1 2"}}, "2 numbers instead of 1");
  refused({{"gravity", "0 0"}}, "2 numbers instead of 3");
  refused({{"seed", "nan"}}, "finite");
  refused({{"hold_when_idle", "maybe"}}, "neither true nor false");
  refused({{"clock", "sundial"}}, "measured, nominal, own");
  refused({{"fault", "fire"}}, "effort_clipped");
  refused({{"payload_inertia", "-1 1 1 0 0 0"}}, "payload");
}

TEST(SimulatedArm, ADescriptionThatMakesNoSenseIsRefused) {
  const auto init = [](std::string text) {
    hardware_interface::HardwareComponentParams params;
    params.hardware_info = hardware_interface::parse_control_resources_from_urdf(text).front();
    params.clock = std::make_shared<rclcpp::Clock>();
    return SimulatedArm().init(params);
  };
  const std::string good = with_arm("arm7", {}, leaning());
  EXPECT_EQ(init(good), SimulatedArm::CallbackReturn::SUCCESS);
  EXPECT_EQ(init(with_arm("arm7", {{"tip_link", "nowhere"}}, leaning())),
            SimulatedArm::CallbackReturn::ERROR);
  EXPECT_EQ(init(with_arm("arm7", {{"clock", "own"}}, leaning())),
            SimulatedArm::CallbackReturn::ERROR)
      << "a clock needs a node";
}

}  // namespace
}  // namespace dyn_control::test
