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

// How well the arm follows: with the true model, behind a delay, with a wrong payload, with gravity
// compensated by the hardware or not.
#include "motion.hpp"

namespace dyn_control::test {
namespace {

using rclcpp::Parameter;

Tracked run(BenchOptions options, double duration = 2.0) {
  Bench bench(std::move(options));
  bench.start(true);
  const dyn::TrajectoryPtr trajectory = motion(bench, duration);
  const Tracked tracked = follow(bench, *trajectory, 0.0, duration);
  EXPECT_EQ(tracked.errors, 0u);
  EXPECT_EQ(bench.calls, 0u);
  EXPECT_LT(bench.largest_step, 0.01);
  return tracked;
}

TEST(Tracking, TheTrueModelFollowsWithinAMilliradian) {
  for (const char* robot : {"arm7", "puma560", "rtx3"}) {
    EXPECT_LT(run({.robot = robot}).peak, 1e-3) << robot;
  }
}

TEST(Tracking, AllLawsFollow) {
  for (const auto& [law, bound] : std::map<std::string, double>{
           {"quasi_velocity", 1e-3}, {"feedforward_pd", 1e-2}, {"pd_gravity", 0.5}}) {
    EXPECT_LT(run({.parameters = {{"law", law}}}).peak, bound) << law;
  }
}

TEST(Tracking, PredictionMakesUpForADelayOfFourMilliseconds) {
  const Names delay = {{"delay", "0.004"}};
  const double without = run({.hardware = delay}).rms;
  const double with = run({.hardware = delay,
                           .parameters = {{"prediction.enabled", true},
                                          {"prediction.delay", 0.004},
                                          {"observer.enabled", true}}})
                          .rms;
  EXPECT_GT(without, 5.0 * with);
  EXPECT_LT(with, 1e-3);
}

TEST(Tracking, AWrongPayloadIsSurvivedAndSetRightWhileMoving) {
  // 3 kg carried, 2.1 kg believed.
  Bench bench({.hardware = {{"payload_mass", "3.0"}}, .parameters = {{"payload.mass", 2.1}}});
  bench.start(true);
  const dyn::TrajectoryPtr trajectory = motion(bench, 2.0);
  const Tracked wrong = follow(bench, *trajectory, 0.0, 1.0);
  EXPECT_LT(wrong.peak, 0.05);
  EXPECT_TRUE(bench.node()->set_parameter(Parameter("payload.mass", 3.0)).successful);
  EXPECT_EQ(follow(bench, *trajectory, 1.0, 1.6).errors, 0u);
  const Tracked right = follow(bench, *trajectory, 1.6, 2.0);
  EXPECT_LT(right.peak, 0.2 * wrong.peak);
  EXPECT_LT(bench.largest_step, 0.01);
  EXPECT_EQ(bench.calls, 0u);
}

TEST(Tracking, TheObserverCancelsAWrongPayload) {
  const Names heavy = {{"payload_mass", "1.0"}};
  const double sagging = run({.hardware = heavy}).rms;
  const double rejected =
      run({.hardware = heavy,
           .parameters = {{"observer.enabled", true}, {"observer.reject_disturbance", true}}})
          .rms;
  EXPECT_LT(rejected, 0.3 * sagging);
}

TEST(Tracking, GravityIsCompensatedOnceWhoeverDoesIt) {
  for (const bool hardware : {false, true}) {
    Bench bench({.hardware = {{"compensates_gravity", hardware ? "true" : "false"}},
                 .parameters = {{"hardware_compensates_gravity", hardware}}});
    bench.start(true);
    dyn::Solver solver = dyn::Solver::make(bench.chain()).value();
    dyn::VecXd gravity(7);
    ASSERT_EQ(solver.gravity_torque(bench.first(), gravity), dyn::Status::kOk);
    bench.refer(at(*motion(bench, 2.0), 0.0));
    ASSERT_EQ(bench.cycle(), return_type::OK);
    const dyn::VecXd expected = hardware ? dyn::VecXd(dyn::VecXd::Zero(7)) : gravity;
    EXPECT_LT((bench.last - expected).lpNorm<Eigen::Infinity>(), 1e-6);
    EXPECT_LT(follow(bench, *motion(bench, 2.0), 0.0, 2.0).peak, 1e-3) << hardware;
  }
}

TEST(Tracking, TheWrongSayingAboutGravityIsSeen) {
  // Both compensate: the arm rises, but within its limits and without an error of the controller.
  Bench bench({.hardware = {{"compensates_gravity", "true"}}});
  bench.start(true);
  const Tracked both = follow(bench, *motion(bench, 2.0), 0.0, 0.5);
  EXPECT_EQ(both.errors, 0u);
  EXPECT_GT(both.peak, 5e-3);
}

TEST(Tracking, GravityThatNobodyCompensatesIsSeenToo) {
  // The arm sinks, likewise.
  Bench bench({.parameters = {{"hardware_compensates_gravity", true}}});
  bench.start(true);
  const Tracked none = follow(bench, *motion(bench, 2.0), 0.0, 0.5);
  EXPECT_EQ(none.errors, 0u);
  EXPECT_GT(none.peak, 5e-3);
}

TEST(Tracking, NoiseAndJointsOfAnyOrderDoNoHarm) {
  std::vector<std::string> joints = robot_chain("arm7")->coordinate_names();
  std::ranges::reverse(joints);
  const Tracked tracked = run({.hardware = {{"position_noise", "1e-5"}, {"velocity_noise", "1e-3"}},
                               .parameters = {{"joints", joints}}});
  EXPECT_LT(tracked.peak, 3e-3);
}

// Whoever starts in front of the controller reads them first.
TEST(Tracking, TheReferencesExportedAreThoseInForceOrNoNumbers) {
  Bench bench;
  bench.start(false);
  const auto exported = [&](dyn::Index k) {
    return bench.references()[static_cast<std::size_t>(k)]->get_optional().value();
  };
  for (int k = 0; k < 50; ++k) {
    ASSERT_EQ(bench.cycle(), return_type::OK);
    const dyn::Reference& now = bench.loop().reference();
    for (dyn::Index i = 0; i < 7; ++i) {
      ASSERT_EQ(exported(i), now.q[i]);
      ASSERT_EQ(exported(7 + i), now.qd[i]);
      ASSERT_EQ(exported(14 + i), now.qdd[i]);
    }
  }
  bench.deactivate();
  for (dyn::Index k = 0; k < 21; ++k) EXPECT_TRUE(std::isnan(exported(k))) << k;
}

}  // namespace
}  // namespace dyn_control::test
