// Joint states of any order and quality become one state; streams are thinned without drift.
#include <cmath>
#include <limits>

#include "dyn_core/inspect/joint_states.hpp"
#include "dyn_core/inspect/rate.hpp"
#include "support.hpp"

namespace dyn::test::inspect_joint_states_tests {
namespace {

using inspect::JointStateMatcher;
using inspect::Match;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Names = std::vector<std::string>;
using Values = std::vector<double>;

class JointStates : public testing::Test {
 protected:
  Match take(const Names& joints, const Values& positions, const Values& velocities = {},
             const Values& efforts = {}) {
    return matcher.take({joints, positions, velocities, efforts}, now);
  }
  [[nodiscard]] std::string problem() const { return matcher.problem(now); }

  ChainPtr chain = load_robot("planar3r");
  Names names = chain->coordinate_names();
  JointStateMatcher matcher{*chain, 1.0};
  double now = 100.0;
};

TEST_F(JointStates, AnyOrderAmongOthers) {
  EXPECT_EQ(problem(), "no joint state was received yet");
  EXPECT_EQ(take({names[2], "gripper", names[0], names[1]}, {3, 9, 1, 2}, {30, 90, 10, 20},
                 {300, 900, 100, 200}),
            Match::kComplete);
  EXPECT_EQ(matcher.positions(), Vec3d(1, 2, 3));
  EXPECT_EQ(matcher.velocities(), Vec3d(10, 20, 30));
  EXPECT_EQ(matcher.efforts(), Vec3d(100, 200, 300));
  EXPECT_TRUE(matcher.has_velocities());
  EXPECT_TRUE(matcher.has_efforts());
  EXPECT_EQ(problem(), "");
}

TEST_F(JointStates, SeveralPublishersAddUp) {
  EXPECT_EQ(take({names[1]}, {2}, {20}), Match::kPartial);
  EXPECT_EQ(problem(), "no position was received yet for " + names[0] + ", " + names[2]);
  EXPECT_EQ(take({names[2], names[0]}, {3, 1}), Match::kComplete);
  EXPECT_EQ(matcher.positions(), Vec3d(1, 2, 3));
  EXPECT_EQ(matcher.velocities(), Vec3d(0, 20, 0));
  EXPECT_FALSE(matcher.has_velocities());
  now += 0.9;
  EXPECT_EQ(take({names[1]}, {4}), Match::kComplete);
  now += 0.2;
  EXPECT_EQ(take({names[1]}, {5}), Match::kPartial) << "the others are too old by now";
  EXPECT_EQ(problem(), "no position for more than 1 s from " + names[0] + ", " + names[2]);
  matcher.set_timeout(0.0);
  EXPECT_TRUE(matcher.complete(now + 1e6));
}

TEST_F(JointStates, WhatIsNotFiniteIsNotTaken) {
  EXPECT_EQ(take(names, {1, 2, 3}, {kNaN, 20, 30}, {1, kNaN, 3}), Match::kComplete);
  EXPECT_EQ(matcher.velocities(), Vec3d(0, 20, 30));
  EXPECT_FALSE(matcher.has_velocities());
  EXPECT_FALSE(matcher.has_efforts());
  EXPECT_EQ(take(names, {7, kNaN, 9}), Match::kComplete) << "joint 2 keeps its last position";
  EXPECT_EQ(matcher.positions(), Vec3d(7, 2, 9));
  EXPECT_EQ(take(names, {kNaN, kNaN, kNaN}), Match::kPartial);
  EXPECT_EQ(matcher.positions(), Vec3d(7, 2, 9));
  EXPECT_EQ(take(names, {7, 8, 9}, {1, 2, 3}, {4, 5, 6}), Match::kComplete);
  EXPECT_TRUE(matcher.has_velocities());
  EXPECT_TRUE(matcher.has_efforts());
}

TEST_F(JointStates, ContradictingSizesAreRefused) {
  EXPECT_EQ(take(names, {1, 2, 3}), Match::kComplete);
  EXPECT_EQ(take(names, {1, 2}), Match::kMalformed);
  EXPECT_EQ(problem(), "the last joint state was ignored: it has 3 names but 2 positions");
  EXPECT_EQ(take(names, {4, 5, 6}, {1}), Match::kMalformed);
  EXPECT_EQ(problem(), "the last joint state was ignored: it has 3 names but 1 velocities");
  EXPECT_EQ(take(names, {4, 5, 6}, {}, {1, 2, 3, 4}), Match::kMalformed);
  EXPECT_EQ(problem(), "the last joint state was ignored: it has 3 names but 4 efforts");
  EXPECT_EQ(take({}, {1, 2, 3}), Match::kMalformed);
  EXPECT_EQ(matcher.positions(), Vec3d(1, 2, 3));
  EXPECT_EQ(matcher.counts().malformed, 4u);
}

TEST_F(JointStates, ForeignJointsAreNamed) {
  EXPECT_EQ(take({"left", "right"}, {1, 2}), Match::kForeign);
  EXPECT_NE(problem().find("names no joint of the chain: left, right"), std::string::npos);
  EXPECT_EQ(take({}, {}), Match::kForeign);
  EXPECT_NE(problem().find("none at all"), std::string::npos);
  EXPECT_EQ(take(Names(20, "x"), Values(20)), Match::kForeign);
  EXPECT_NE(problem().find("x and 12 more"), std::string::npos);
}

TEST_F(JointStates, MoreLayoutsThanRememberedStillMatch) {
  for (int round = 0; round < 3; ++round) {
    for (int k = 0; k < 20; ++k) {
      const double value = 100.0 * round + k;
      Names longer = names;
      longer.insert(longer.begin() + k % 3, "extra" + std::to_string(k));
      Values positions(4, value);
      EXPECT_EQ(take(longer, positions), Match::kComplete);
      EXPECT_EQ(matcher.positions(), Vec3d::Constant(value));
    }
  }
}

// A stream thinned for one output.
struct Limiter {
  explicit Limiter(double rate) : grid({rate}) {}
  bool pass(double now) { return grid.pass(now).any(); }
  inspect::RateGrid<1> grid;
};

TEST(RateGrid, PassesAllUpToItsRateInSpiteOfJitter) {
  Limiter limiter(1000.0);
  Random random(7);
  int passed = 0;
  for (int k = 0; k < 100000; ++k)
    passed += limiter.pass(5.0 + 1e-3 * k + 4e-4 * random.uniform(-1, 1));
  EXPECT_EQ(passed, 100000);
}

TEST(RateGrid, ThinsToItsMeanRate) {
  for (const double rate : {1.0, 20.0, 50.0, 300.0, 999.0}) {
    Limiter limiter(rate);
    int passed = 0;
    for (int k = 0; k < 60000; ++k) passed += limiter.pass(1e-3 * k);
    EXPECT_NEAR(passed, 60.0 * rate, 2.0) << rate << " Hz";
  }
}

TEST(RateGrid, CatchesUpAfterAHiccupButNotAfterSilence) {
  Limiter limiter(100.0);
  for (int k = 0; k < 10; ++k) EXPECT_TRUE(limiter.pass(0.01 * k));
  int passed = 0;
  for (int k = 0; k < 1000; ++k) passed += limiter.pass(0.15);
  EXPECT_NEAR(passed, 6, 1) << "what came late within the tenth of a second";
  passed = 0;
  for (int k = 0; k < 1000; ++k) passed += limiter.pass(60.0);
  EXPECT_LE(passed, 12);
}

TEST(RateGrid, OffIsOffAndAClockSetBackDoesNotStopIt) {
  Limiter off(0.0);
  EXPECT_FALSE(off.pass(1.0));
  Limiter limiter(10.0);
  EXPECT_TRUE(limiter.pass(1000.0));
  EXPECT_TRUE(limiter.pass(1.0));
  EXPECT_FALSE(limiter.pass(1.01));
}

// Jitter, hiccups and silences: the slower output's events are among the faster one's.
TEST(RateGrid, FractionsOfARateGetEventsOfThatRate) {
  inspect::RateGrid<4> grid({100.0, 50.0, 50.0, 20.0});
  Random random(11);
  double now = 3.0;
  int together = 0;
  for (int k = 0; k < 100000; ++k) {
    now += k % 997 == 0 ? 0.3 * random.uniform(0, 1) : 2e-3 * random.uniform(0, 1);
    const auto passed = grid.pass(now);
    EXPECT_EQ(passed.test(1), passed.test(2));
    EXPECT_TRUE(passed.test(0) || passed.none()) << now;
    together += passed.test(3);
  }
  EXPECT_NEAR(together, 20.0 * (now - 3.0), 0.1 * 20.0 * (now - 3.0));
}

TEST(RateMeter, ReadsEventsPerSecond) {
  inspect::RateMeter meter;
  EXPECT_EQ(meter.read(10.0), 0.0);
  for (int k = 0; k < 500; ++k) meter.count();
  EXPECT_DOUBLE_EQ(meter.read(11.0), 500.0);
  EXPECT_DOUBLE_EQ(meter.read(11.1), 500.0) << "too early for a new value";
  EXPECT_DOUBLE_EQ(meter.read(12.0), 0.0);
}

}  // namespace
}  // namespace dyn::test::inspect_joint_states_tests
