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

// Whatever breaks: commands stay finite and within their limits in every cycle (the bench looks),
// the mode is the documented one, update ends in ERROR when its time is over, and nothing
// allocates.
#include <future>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>

#include "motion.hpp"

namespace dyn_control::test {
namespace {

using dyn::ControlMode;

constexpr double kTimeout = 0.1;

std::vector<rclcpp::Parameter> impatient(std::vector<rclcpp::Parameter> more = {}) {
  more.emplace_back("fault.timeout", kTimeout);
  return more;
}

/// Cycles until update returns ERROR; the motion goes on meanwhile.
double time_to_error(Bench& bench, const dyn::Trajectory& trajectory, double begin) {
  double t = begin;
  for (; t < begin + 1.0; t += kPeriod) {
    bench.refer(at(trajectory, t));
    if (bench.cycle() == return_type::ERROR) break;
  }
  return t - begin;
}

/// Another thread that has a lock as long as this lives.
class LockHolder {
 public:
  explicit LockHolder(std::shared_mutex& mutex)
      : thread_([this, &mutex] {
          const std::unique_lock<std::shared_mutex> lock(mutex);
          locked_.set_value();
          release_.get_future().wait();
        }) {
    locked_.get_future().wait();
  }
  ~LockHolder() {
    release_.set_value();
    thread_.join();
  }

 private:
  std::promise<void> locked_, release_;
  std::thread thread_;
};

class Faults : public testing::Test {
 protected:
  void start(const std::vector<rclcpp::Parameter>& parameters, const Names& hardware = {}) {
    bench.emplace(BenchOptions{.hardware = hardware, .parameters = impatient(parameters)});
    bench->start(true);
    trajectory = motion(*bench, 2.0);
    EXPECT_EQ(follow(*bench, *trajectory, 0.0, 0.5).errors, 0u);
  }
  ArmSimulation& simulation() { return bench->arm().simulation(); }
  void TearDown() override { EXPECT_EQ(bench->calls, 0u); }

  std::optional<Bench> bench;
  dyn::TrajectoryPtr trajectory;
};

TEST(Gate, Counts) {
  std::vector<double> numbers;
  const dyn::test::MallocGate gate;
  numbers.resize(100);
  EXPECT_GT(gate.calls(), 0u);
}

TEST_F(Faults, AStateThatIsNoNumber) {
  start({});
  simulation().inject(ArmFault::kStateNotFinite, 0.0);
  bench->arm().read(0.0);
  EXPECT_EQ(bench->cycle(), return_type::OK);
  EXPECT_EQ(bench->mode(), ControlMode::kHolding);
  EXPECT_NEAR(time_to_error(*bench, *trajectory, 0.5), kTimeout, 3e-3);
  EXPECT_EQ(bench->mode(), ControlMode::kBlind);
}

TEST_F(Faults, AGlitchLeavesNoTrace) {
  start({});
  simulation().inject(ArmFault::kStateNotFinite, 0.003);
  const Tracked tracked = follow(*bench, *trajectory, 0.5, 1.0);
  EXPECT_EQ(tracked.errors, 0u);
  EXPECT_EQ(bench->mode(), ControlMode::kTracking);
  EXPECT_LT(tracked.peak, 2e-3);
}

TEST_F(Faults, AFaultThatEndsInTimeIsRecoveredFrom) {
  start({});
  simulation().inject(ArmFault::kStateNotFinite, 0.05);
  bench->largest_step = 0.0;
  EXPECT_EQ(follow(*bench, *trajectory, 0.5, 1.6).errors, 0u);
  EXPECT_EQ(bench->mode(), ControlMode::kTracking);
  EXPECT_LT(bench->largest_step, 0.05);
  EXPECT_LT(follow(*bench, *trajectory, 1.6, 2.0).peak, 2e-3);
}

TEST_F(Faults, AStateThatFreezes) {
  start({});
  simulation().inject(ArmFault::kStateFrozen, 0.0);
  const double time = time_to_error(*bench, *trajectory, 0.5);
  EXPECT_NEAR(time, kTimeout + 0.02, 5e-3);
  EXPECT_EQ(bench->mode(), ControlMode::kBlind);
}

// A drive that does not do what it is told looks like a force from outside.
TEST_F(Faults, DrivesThatDoNotObeyAreFeltByTheObserver) {
  for (const ArmFault fault : {ArmFault::kCommandLost, ArmFault::kEffortClipped}) {
    std::vector<rclcpp::Parameter> parameters = {{"observer.enabled", true},
                                                 {"observer.reaction", "stop"}};
    for (const std::string& joint : arm7_joints()) {
      parameters.emplace_back("observer." + joint + ".threshold", 6.0);
    }
    start(parameters);
    simulation().inject(fault, 0.0);
    EXPECT_LT(time_to_error(*bench, *trajectory, 0.5), 0.9);
    EXPECT_TRUE(bench->loop().collided());
  }
}

TEST_F(Faults, AReferenceThatIsNoNumberIsHeld) {
  start({});
  dyn::Reference none(7);
  none.q.setConstant(std::numeric_limits<double>::quiet_NaN());
  bench->largest_step = 0.0;
  double t = 0.0;
  for (; t < 1.0; t += kPeriod) {
    bench->refer(none);
    if (bench->cycle() == return_type::ERROR) break;
    EXPECT_EQ(bench->mode(), ControlMode::kTracking);
    EXPECT_TRUE(bench->loop().reference_lost());
  }
  EXPECT_NEAR(t, kTimeout, 3e-3);
  EXPECT_LT(bench->largest_step, 0.01);
  for (int k = 0; k < 300; ++k) (void)bench->cycle();
  EXPECT_LT(bench->truth().qd.norm(), 1e-2);
}

TEST_F(Faults, OrTheArmIsOnlyCarried) {
  start({{"reference.lost", "gravity"}});
  dyn::Reference none(7);
  none.qd[3] = std::numeric_limits<double>::infinity();
  bench->refer(none);
  for (int k = 0; k < 8; ++k) EXPECT_EQ(bench->cycle(), return_type::OK);
  EXPECT_EQ(bench->mode(), ControlMode::kStopping);
  for (int k = 0; k < 300; ++k) (void)bench->cycle();
  EXPECT_LT(bench->truth().qd.norm(), 2e-2);
  // The reference is back: no jump.
  bench->largest_step = 0.0;
  dyn::Reference here(7);
  here.q = bench->truth().q;
  bench->refer(here);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(bench->cycle(), return_type::OK);
  EXPECT_LT(bench->largest_step, 0.01);
}

TEST_F(Faults, ACommandThatCannotBeWritten) {
  start({});
  // Somebody else has the lock of one interface.
  const auto handle = bench->arm().command("joint3/effort");
  std::optional<LockHolder> somebody(handle->get_mutex());
  // The bench cannot read that command meanwhile: the controller alone.
  std::size_t cycles = 0;
  return_type result = return_type::OK;
  const auto period = rclcpp::Duration::from_seconds(kPeriod);
  for (; cycles < 500 && result == return_type::OK; ++cycles) {
    const dyn::test::MallocGate gate;
    result = bench->controller().update(rclcpp::Time(5, 0, RCL_ROS_TIME), period);
    EXPECT_EQ(gate.calls(), 0u);
  }
  EXPECT_TRUE(bench->loop().write_failed());
  EXPECT_NEAR(static_cast<double>(cycles) * kPeriod, kTimeout, 3e-3);
  somebody.reset();
  EXPECT_EQ(bench->cycle(), return_type::ERROR) << "the last failure still counts";
  for (int k = 0; k < 3; ++k) (void)bench->cycle();
  EXPECT_EQ(bench->cycle(), return_type::OK);
}

TEST_F(Faults, AFaultThatComesAndGoesEndsInErrorToo) {
  start({});
  return_type result = return_type::OK;
  double t = 0.0;
  for (; t < 1.0 && result == return_type::OK; t += kPeriod) {
    if (std::lround(t / kPeriod) % 10 == 0) {
      simulation().inject(ArmFault::kStateNotFinite, 9.5 * kPeriod);
    }
    bench->refer(at(*trajectory, 0.5 + t));
    result = bench->cycle();
  }
  EXPECT_EQ(result, return_type::ERROR);
  EXPECT_LT(t, 2.0 * kTimeout);
}

TEST_F(Faults, ACycleThatComesLateCountsInFull) {
  start({});
  simulation().inject(ArmFault::kStateNotFinite, 0.0);
  bench->arm().read(0.0);
  EXPECT_EQ(bench->cycle(2.0), return_type::ERROR);
}

TEST_F(Faults, AContactStopsTheArmAtOnce) {
  std::vector<rclcpp::Parameter> parameters = {{"observer.enabled", true},
                                               {"observer.reaction", "stop"}};
  for (const std::string& joint : arm7_joints()) {
    parameters.emplace_back("observer." + joint + ".gain", 500.0);
    parameters.emplace_back("observer." + joint + ".threshold", 4.0);
  }
  start(parameters);
  EXPECT_FALSE(bench->loop().collided());
  EXPECT_EQ(follow(*bench, *trajectory, 0.5, 0.8).errors, 0u);
  EXPECT_FALSE(bench->loop().collided()) << "felt something that is not there";
  const double speed = bench->truth().qd.norm();
  ASSERT_GT(speed, 0.3);
  simulation().set_tip_wrench({dyn::Vec3d(40.0, 20.0, 0.0), dyn::Vec3d::Zero()});
  int cycles = 0;
  for (; cycles < 50 && !bench->loop().collided(); ++cycles) {
    bench->refer(at(*trajectory, 0.8 + kPeriod * cycles));
    EXPECT_EQ(bench->cycle(), return_type::OK);
  }
  EXPECT_LE(cycles, 10);
  simulation().set_tip_wrench({});  // pushed away
  const double error = time_to_error(*bench, *trajectory, 0.8);
  EXPECT_NEAR(error, kTimeout, 5e-3);
  EXPECT_LT(bench->truth().qd.norm(), 0.05 * speed);
}

TEST_F(Faults, AfterAContactTheArmMayYield) {
  std::vector<rclcpp::Parameter> parameters = {{"observer.enabled", true},
                                               {"observer.reaction", "gravity"}};
  for (const std::string& joint : arm7_joints()) {
    parameters.emplace_back("observer." + joint + ".threshold", 4.0);
  }
  start(parameters);
  simulation().set_tip_wrench({dyn::Vec3d(0.0, 0.0, 60.0), dyn::Vec3d::Zero()});
  EXPECT_LT(time_to_error(*bench, *trajectory, 0.5), 0.2);
  EXPECT_EQ(bench->mode(), ControlMode::kStopping);
}

// Braked at once, for good, with a word for the log.
TEST_F(Faults, AJointThatIsTooFastEndsInError) {
  start({{"limits.joint2.speed", 0.6}});
  EXPECT_LT(time_to_error(*bench, *trajectory, 0.5), 0.5);
  EXPECT_EQ(bench->mode(), ControlMode::kStopping);
  EXPECT_EQ(bench->loop().output().status, dyn::Status::kOverspeed);
  const Health health = bench->loop().health();
  EXPECT_EQ(health.trouble, Trouble::kFault);
  EXPECT_EQ(bench->joint(health.joint), "joint2");
  EXPECT_TRUE(health.failed);
  EXPECT_LT(bench->truth().qd.norm(), 0.05) << "it stands";
}

TEST_F(Faults, AReferenceThatJumpsTooFarIsNotFollowed) {
  start({});
  dyn::Reference far(7);
  far.q = bench->truth().q;
  far.q[0] += 1.5;
  for (int k = 0; k < 50; ++k) {
    bench->refer(far);
    EXPECT_EQ(bench->cycle(), return_type::OK);
  }
  EXPECT_EQ(bench->loop().health().trouble, Trouble::kReferenceLost);
  EXPECT_GT(far.q[0] - bench->loop().reference().q[0], 1.3);
}

TEST_F(Faults, WhatNoPostureCanHoldIsNoPayload) {
  start({});
  const auto heavy = bench->node()->set_parameter(rclcpp::Parameter("payload.mass", 500.0));
  EXPECT_FALSE(heavy.successful);
  EXPECT_NE(heavy.reason.find("no posture"), std::string::npos) << heavy.reason;
  EXPECT_TRUE(bench->node()->set_parameter(rclcpp::Parameter("payload.mass", 1.0)).successful);
}

TEST_F(Faults, EffortAndRateLimitsAreKept) {
  std::vector<rclcpp::Parameter> parameters;
  for (const std::string& joint : arm7_joints()) {
    parameters.emplace_back("limits." + joint + ".effort_rate", 400.0);
  }
  parameters.emplace_back("supervision",
                          false);  // which would stop an arm that is asked for so much
  start(parameters);
  dyn::Reference far(7);
  far.q = bench->truth().q;
  far.q.array() += 1.0;
  dyn::VecXd before = bench->last;
  for (int k = 0; k < 500; ++k) {
    bench->refer(far);
    EXPECT_EQ(bench->cycle(), return_type::OK);
    EXPECT_LE((bench->last - before).lpNorm<Eigen::Infinity>(), 0.4 + 1e-9);
    before = bench->last;
  }
}

}  // namespace
}  // namespace dyn_control::test
