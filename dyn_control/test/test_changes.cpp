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

// What changes while the arm moves: gains, payload, gravity, who refers, who controls. The torque
// does not jump, and nothing allocates.
#include "motion.hpp"

namespace dyn_control::test {
namespace {

using rclcpp::Parameter;

class Changes : public testing::Test {
 protected:
  void start(const std::vector<Parameter>& parameters = {}, const Names& hardware = {}) {
    bench.emplace(BenchOptions{.hardware = hardware, .parameters = parameters});
    bench->start(true);
    trajectory = motion(*bench, 2.0);
    EXPECT_EQ(follow(*bench, *trajectory, 0.0, 1.0).errors, 0u);
    ASSERT_GT(bench->truth().qd.norm(), 1.0) << "in full motion";
  }
  void TearDown() override {
    EXPECT_EQ(bench->calls, 0u);
    EXPECT_LT(bench->largest_step, kNoJump);
  }
  void go_on(double begin, double end) {
    EXPECT_EQ(follow(*bench, *trajectory, begin, end).errors, 0u);
  }

  std::optional<Bench> bench;
  dyn::TrajectoryPtr trajectory;
};

TEST_F(Changes, Gains) {
  start();
  std::vector<Parameter> gains;
  for (const std::string& joint : bench->chain()->coordinate_names()) {
    gains.emplace_back("gains." + joint + ".natural_frequency", 40.0);
    gains.emplace_back("gains." + joint + ".ki", 500.0);
  }
  EXPECT_TRUE(bench->node()->set_parameters_atomically(gains).successful);
  go_on(1.0, 1.5);
  EXPECT_TRUE(bench->node()->set_parameter(gains[0]).successful);
  go_on(1.5, 2.0);
}

TEST_F(Changes, PayloadAndGravity) {
  start();
  EXPECT_TRUE(bench->node()->set_parameter(Parameter("payload.mass", 1.0)).successful);
  go_on(1.0, 1.3);
  EXPECT_TRUE(bench->node()
                  ->set_parameter(Parameter("gravity", std::vector<double>{1.0, 0.0, -9.75}))
                  .successful);
  go_on(1.3, 2.0);
}

TEST_F(Changes, PayloadUnderTheObserver) {
  std::vector<Parameter> parameters = {{"observer.enabled", true},
                                       {"observer.reaction", "stop"},
                                       {"observer.reject_disturbance", true}};
  for (const std::string& joint : arm7_joints()) {
    parameters.emplace_back("observer." + joint + ".threshold", 8.0);
  }
  start(parameters, {{"payload_mass", "0.5"}});
  EXPECT_TRUE(bench->node()->set_parameter(Parameter("payload.mass", 0.5)).successful);
  go_on(1.0, 2.0);
  EXPECT_FALSE(bench->loop().collided());
}

TEST_F(Changes, ValuesThatMakeNoSenseAreRefusedWithASentence) {
  start();
  const auto refused = [&](const Parameter& parameter, const std::string& part) {
    const auto result = bench->node()->set_parameter(parameter);
    EXPECT_FALSE(result.successful) << parameter;
    EXPECT_NE(result.reason.find(part), std::string::npos) << result.reason;
    EXPECT_NE(bench->node()->get_parameter(parameter.get_name()), parameter);
  };
  refused(Parameter("gains.joint3.natural_frequency", 5000.0), "joint3");
  refused(Parameter("gains.joint3.ki", 1e9), "joint3");
  refused(Parameter("payload.inertia", std::vector<double>{-1.0, 1.0, 1.0, 0.0, 0.0, 0.0}),
          "payload");
  refused(Parameter("gravity", std::vector<double>{0.0, 0.0}), "gravity");
  for (const char* name : {"fault.timeout", "fault.stale_time", "reference.filter_frequency",
                           "reference.filter_velocity", "reference.stop_time"}) {
    refused(Parameter(name, std::numeric_limits<double>::quiet_NaN()), name);
  }
  refused(Parameter("law", "magic"), "computed_torque");
  refused(Parameter("tip_link", "nowhere"), "nowhere");
  go_on(1.0, 1.1);
}

TEST_F(Changes, TheControllerInFrontGoesAndComesBack) {
  start();
  for (const bool chained : {false, true}) {
    bench->deactivate(false);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // a cycle of a busy machine
    ASSERT_TRUE(bench->activate(chained));
    bench->check_commands();  // what is written between activation and the first update
    for (int k = 0; k < 400; ++k) EXPECT_EQ(bench->cycle(), return_type::OK);
    EXPECT_LT(bench->truth().qd.norm(), 1e-2);
  }
}

// With activate_asap: false the manager switches beside its loop, which goes on writing: the
// model's gravity would be another torque than the one that held the arm.
TEST_F(Changes, TheHardwareMovesOnMeanwhile) {
  start({{"observer.enabled", false}}, {{"payload_mass", "0.5"}});
  for (int k = 0; k < 1000; ++k) EXPECT_EQ(bench->cycle(), return_type::OK);
  bench->largest_step = 0.0;  // nobody knew of the payload
  const dyn::VecXd before = bench->commanded();
  bench->deactivate(false);
  for (int k = 0; k < 4; ++k) {
    bench->arm().write(kPeriod);
    bench->arm().read(kPeriod);
  }
  ASSERT_TRUE(bench->activate(false));
  const dyn::VecXd step = (bench->commanded() - before).cwiseQuotient(bench->limit());
  EXPECT_LT(step.cwiseAbs().maxCoeff(), 0.005);
}

TEST_F(Changes, AnotherControllerTakesOverWithTheMeasuredEffort) {
  start({{"effort_state", "same_as_command"}});
  bench->set_clock(10);
  bench->deactivate(false);
  bench->set_clock(11);  // not in the same cycle
  EXPECT_EQ(bench->commanded(), dyn::VecXd(dyn::VecXd::Zero(7))) << "deactivation writes zero";
  ASSERT_TRUE(bench->activate(false));
  for (int k = 0; k < 400; ++k) EXPECT_EQ(bench->cycle(), return_type::OK);
  EXPECT_LT(bench->truth().qd.norm(), 1e-2);
}

TEST_F(Changes, ItIsConfiguredAndActivatedAgainAtAnyTime) {
  start();
  for (const char* law : {"quasi_velocity", "computed_torque"}) {
    bench->deactivate();
    bench->arm().run(0.5);  // the arm holds itself
    EXPECT_LT(bench->truth().qd.norm(), 1e-2);
    EXPECT_TRUE(bench->node()->set_parameter(Parameter("law", law)).successful);
    EXPECT_EQ(bench->node()->cleanup().label(), "unconfigured");
    ASSERT_TRUE(bench->configure());
    const dyn::VecXd holding = bench->arm().simulation().torque();
    ASSERT_TRUE(bench->activate(true));
    bench->last = holding;
    EXPECT_EQ(bench->cycle(), return_type::OK);
    for (int k = 0; k < 50; ++k) EXPECT_EQ(bench->cycle(), return_type::OK);
  }
}

}  // namespace
}  // namespace dyn_control::test
