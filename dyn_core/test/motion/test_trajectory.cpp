// Trajectories: the papers' formulas, boundary values, limits, continuity, and derivatives that are
// derivatives.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "dyn_core/motion/trajectory.hpp"
#include "dyn_core/robot/random_chain.hpp"

namespace dyn::test::trajectory_tests {
namespace {

using std::numbers::pi;

struct Point {
  VecXd q, qd, qdd;
};

Point at(const Trajectory& trajectory, double time) {
  const VecXd nan = VecXd::Constant(trajectory.dof(), std::nan(""));
  Point point{nan, nan, nan};
  EXPECT_EQ(trajectory.evaluate(time, point.q, point.qd, point.qdd), Status::kOk);
  return point;
}

double distance(const VecXd& a, const VecXd& b) { return (a - b).cwiseAbs().maxCoeff(); }

struct Case {
  std::string name;
  TrajectoryPtr trajectory;
  VecXd first, last;
  double roughness;  ///< the largest jump of the acceleration
};

constexpr std::uint64_t kSeed = 20261118;

std::vector<Case> cases() {
  Random random(kSeed);
  const Index n = 5;
  const VecXd q0 = random.vector(n, 2.0), q1 = random.vector(n, 2.0);
  VecXd v(n), a(n);
  for (Index i = 0; i < n; ++i) v[i] = random.uniform(0.3, 3.0), a[i] = random.uniform(0.5, 8.0);
  std::vector<double> times = {0.0};
  std::vector<VecXd> points = {q0};
  for (int i = 0; i < 6; ++i) {
    times.push_back(times.back() + random.uniform(0.1, 1.0));
    points.push_back(random.vector(n, 2.0));
  }
  return {{"cycloid", *cycloid(q0, q1, 1.7), q0, q1, 0.0},
          {"quintic", *quintic(q0, q1, 0.9), q0, q1, 0.0},
          {"trapezoid", *trapezoid(q0, q1, v, a), q0, q1, 2.0 * a.maxCoeff()},
          {"cubic", *waypoints(times, points, Interpolation::kCubic), q0, points.back(), 0.0},
          {"quintics", *waypoints(times, points, Interpolation::kQuintic), q0, points.back(), 0.0}};
}

TEST(Trajectory, CycloidIsTheFormulaOfThePapers) {
  const double T = 10.0;
  const TrajectoryPtr trajectory = *cycloid(VecXd::Zero(1), VecXd::Constant(1, pi), T);
  for (double t = 0.0; t <= T; t += 0.37) {
    const double saha = 0.5 * (2.0 * pi / T * t - std::sin(2.0 * pi / T * t));
    const double bhangale = pi * t / T - 0.5 * std::sin(2.0 * pi * t / T);
    EXPECT_NEAR(at(*trajectory, t).q[0], saha, 1e-15);
    EXPECT_NEAR(at(*trajectory, t).q[0], bhangale, 1e-15);
  }
}

TEST(Trajectory, StartsAndArrivesAtRestAndStandsStillOutside) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const double T = c.trajectory->duration();
    for (const double time : {-1.0, 0.0})
      EXPECT_LE(distance(at(*c.trajectory, time).q, c.first), 1e-14);
    for (const double time : {T, T + 1.0}) {
      EXPECT_LE(distance(at(*c.trajectory, time).q, c.last), 1e-12);
    }
    for (const double time : {0.0, T}) EXPECT_LE(at(*c.trajectory, time).qd.norm(), 1e-11);
    for (const double time : {-1.0, T + 1.0}) {
      EXPECT_EQ(at(*c.trajectory, time).qd.norm() + at(*c.trajectory, time).qdd.norm(), 0.0);
    }
  }
}

TEST(Trajectory, VelocityAndAccelerationAreDerivatives) {
  Random random(kSeed);
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const double T = c.trajectory->duration(), h = 1e-5;
    double velocity_error = 0.0, acceleration_error = 0.0;
    for (int i = 0; i < 200; ++i) {
      const double t = random.uniform(h, T - h);
      const Point before = at(*c.trajectory, t - h), after = at(*c.trajectory, t + h);
      if (distance(before.qdd, after.qdd) > 1.0) continue;  // a corner of the trapezoid in between
      const Point here = at(*c.trajectory, t);
      velocity_error =
          std::max(velocity_error, distance((after.q - before.q) / (2.0 * h), here.qd));
      acceleration_error =
          std::max(acceleration_error, distance((after.qd - before.qd) / (2.0 * h), here.qdd));
    }
    // The differences themselves are off by h²/6 of the third derivative, by a kink up to 2 h of it.
    EXPECT_LE(velocity_error, 1e-6);
    EXPECT_LE(acceleration_error, 2e-2);
  }
}

TEST(Trajectory, IsContinuousUpToTheAccelerationItPromises) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const double T = c.trajectory->duration();
    const int steps = 20000;
    double q_jump = 0.0, v_jump = 0.0, a_jump = 0.0;
    Point before = at(*c.trajectory, 0.0);
    const double h = T / steps;
    for (int i = 1; i <= steps; ++i) {
      const Point now = at(*c.trajectory, T * i / steps);
      q_jump = std::max(q_jump, distance(now.q, before.q + 0.5 * h * (now.qd + before.qd)));
      v_jump = std::max(v_jump, distance(now.qd, before.qd + 0.5 * h * (now.qdd + before.qdd)));
      a_jump = std::max(a_jump, distance(now.qdd, before.qdd));
      before = now;
    }
    EXPECT_LE(q_jump, 1e-4 * h);
    EXPECT_LE(v_jump, h * (c.roughness + 0.1));
    EXPECT_LE(a_jump, c.roughness + 0.6);
  }
}

TEST(Trajectory, OnlyTheQuinticsStartWithoutAcceleration) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const double both =
        at(*c.trajectory, 0.0).qdd.norm() + at(*c.trajectory, c.trajectory->duration()).qdd.norm();
    const bool without = c.name != "trapezoid" && c.name != "cubic";
    EXPECT_EQ(both < 1e-9, without) << both;
  }
}

TEST(Trajectory, TrapezoidIsAsQuickAsTheSlowestJointAllows) {
  Random random(kSeed);
  for (int trial = 0; trial < 200; ++trial) {
    const Index n = 4;
    const VecXd q0 = random.vector(n, 2.0), q1 = random.vector(n, 2.0);
    VecXd v(n), a(n);
    for (Index i = 0; i < n; ++i) v[i] = random.uniform(0.1, 3.0), a[i] = random.uniform(0.1, 9.0);
    const TrajectoryPtr trajectory = *trapezoid(q0, q1, v, a);
    double shortest = 0.0;  // bang-bang, with a cruise where the velocity limit is reached
    for (Index i = 0; i < n; ++i) {
      const double way = std::abs(q1[i] - q0[i]);
      const bool cruises = way > v[i] * v[i] / a[i];
      shortest =
          std::max(shortest, cruises ? way / v[i] + v[i] / a[i] : 2.0 * std::sqrt(way / a[i]));
    }
    EXPECT_NEAR(trajectory->duration(), shortest, 1e-12 * shortest);
    for (int k = 0; k <= 100; ++k) {
      const Point point = at(*trajectory, shortest * k / 100);
      EXPECT_LE((point.qd.cwiseAbs() - v).maxCoeff(), 1e-12);
      EXPECT_LE((point.qdd.cwiseAbs() - a).maxCoeff(), 1e-12);
    }
  }
}

TEST(Trajectory, JointsThatStayCostNoTime) {
  const VecXd q = VecXd::Constant(2, 0.3), one = VecXd::Ones(2);
  const TrajectoryPtr trajectory = *trapezoid(q, q, one, one);
  EXPECT_EQ(trajectory->duration(), 0.0);
  EXPECT_EQ(at(*trajectory, 0.0).q, q);
  EXPECT_EQ(at(*trajectory, 5.0).q, q);
}

TEST(Trajectory, WaypointsArePassedAndACubicIsReproduced) {
  // 3s² - 2s³ is at rest at both ends: the spline through any of its points is the curve itself.
  const auto curve = [](double s) {
    return VecXd(VecXd::Constant(1, 3.0 * s * s - 2.0 * s * s * s));
  };
  std::vector<double> times;
  std::vector<VecXd> points;
  for (const double s : {0.0, 0.1, 0.35, 0.6, 0.85, 1.0}) {
    times.push_back(7.0 + s);
    points.push_back(curve(s));
  }
  const TrajectoryPtr cubic = *waypoints(times, points, Interpolation::kCubic);
  const TrajectoryPtr quintics = *waypoints(times, points, Interpolation::kQuintic);
  for (double s = 0.0; s <= 1.0; s += 0.01) {
    EXPECT_NEAR(at(*cubic, s).q[0], curve(s)[0], 1e-14);
    EXPECT_NEAR(at(*cubic, s).qdd[0], 6.0 - 12.0 * s, 1e-11);
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(at(*quintics, times[i] - 7.0).q[0], points[i][0], 1e-14);
  }
}

TEST(Trajectory, ReadsCsv) {
  const char* text = "time,a,b\r\n# home\n0, 1,2\r\n\n  1.5 ,+3,-4e-1\n2,0,0";
  const auto trajectory = waypoints_from_csv(text, 2, Interpolation::kCubic);
  ASSERT_TRUE(trajectory) << trajectory.error().sentence;
  EXPECT_EQ((*trajectory)->duration(), 2.0);
  EXPECT_LE(distance(at(**trajectory, 1.5).q, Eigen::Vector2d(3.0, -0.4)), 1e-14);
}

// The first line is a heading where it begins as one, and a posture in everything else.
TEST(Trajectory, LosesNoPosture) {
  const auto path = path_from_csv(
      "\xef\xbb\xbf"
      "2,0.5\n1,1\n0,2\n",
      2);
  ASSERT_TRUE(path) << path.error().sentence;
  EXPECT_LE(distance(at(**path, 0.0).q, Eigen::Vector2d(2.0, 0.5)), 1e-14);
  for (const char* heading : {"\"a\",\"b\"", "a,b",
                              "\xef\xbb\xbf"
                              "a,b",
                              "1"}) {
    const auto headed = path_from_csv(std::string(heading) + "\n0,0\n1,1\n", 2);
    EXPECT_EQ(headed.has_value(), heading != std::string("1")) << heading;
  }
  for (const char* slip : {"0;0", "0 0.5", "0,", "-1,x"}) {
    const auto lost = path_from_csv(std::string(slip) + "\n0,0\n1,1\n", 2);
    ASSERT_FALSE(lost) << slip;
    EXPECT_NE(lost.error().sentence.find("line 1"), std::string::npos) << lost.error().sentence;
  }
}

TEST(Trajectory, ObjectsInSentences) {
  const VecXd two = VecXd::Zero(2), three = VecXd::Zero(3), one = VecXd::Ones(2);
  const VecXd nan = VecXd::Constant(2, std::nan(""));
  const auto csv = [](const char* text) {
    return waypoints_from_csv(text, 2, Interpolation::kCubic).error().sentence;
  };
  const auto contains = [](const std::string& sentence, const char* part) {
    return sentence.find(part) != std::string::npos
               ? ::testing::AssertionSuccess()
               : ::testing::AssertionFailure() << "'" << sentence << "' lacks '" << part << "'";
  };
  EXPECT_TRUE(contains(cycloid(two, three, 1.0).error().sentence, "start has 2"));
  EXPECT_TRUE(contains(cycloid(two, nan, 1.0).error().sentence, "not a finite number"));
  EXPECT_TRUE(contains(quintic(two, two, 0.0).error().sentence, "duration is 0 s"));
  EXPECT_TRUE(contains(trapezoid(two, one, one, two).error().sentence, "joint 1 of 2"));
  EXPECT_TRUE(contains(csv("0,1,2"), "at least two"));
  EXPECT_TRUE(contains(csv("0,1,2\n1,1\n"), "line 2 has 2 numbers"));
  EXPECT_TRUE(contains(csv("0,1,2\n1,x,2\n"), "line 2: 'x' is not a number"));
  EXPECT_TRUE(contains(csv("0,1,2\n0,1,2\n"), "line 2 is at 0 s"));
  EXPECT_TRUE(contains(csv("0,1,2\n1,inf,2\n"), "number 2 has a value that is not finite"));
  EXPECT_TRUE(contains(csv(""), "at least two"));
}

TEST(Trajectory, RefusesTimesAndSizesThatMakeNoSense) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    VecXd q(5), qd(5), qdd(5), wrong(4);
    EXPECT_EQ(c.trajectory->evaluate(0.0, q, qd, wrong), Status::kWrongSize);
    for (const double time : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      EXPECT_EQ(c.trajectory->evaluate(time, q, qd, qdd), Status::kNotFinite);
      EXPECT_LE(distance(q, c.first), 1e-14);
      EXPECT_EQ(qd.norm() + qdd.norm(), 0.0);
    }
  }
}

}  // namespace
}  // namespace dyn::test::trajectory_tests
