// The fastest motion along a path: against what is known, and against dynamic programming.
#include <cmath>
#include <limits>
#include <random>

#include "dyn_core/motion/timing.hpp"
#include "dyn_core/solver.hpp"
#include "support.hpp"

namespace dyn::test::timing_tests {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TrajectoryPtr path_through(const std::vector<VecXd>& points) {
  std::vector<double> at = {0.0};
  for (std::size_t i = 1; i < points.size(); ++i) {
    at.push_back(at.back() + (points[i] - points[i - 1]).norm());
  }
  return waypoints(at, points, Interpolation::kNatural).value();
}

std::vector<VecXd> random_points(const Chain& chain, std::size_t count, std::mt19937& random) {
  std::uniform_real_distribution<double> draw(-0.8, 0.8);
  std::vector<VecXd> points;
  for (std::size_t i = 0; i < count; ++i) {
    points.push_back(VecXd::NullaryExpr(chain.dof(), [&] { return draw(random); }));
  }
  return points;
}

// The least time by dynamic programming over x = ṡ² on a grid, from the torques themselves: no interval,
// no reachability.
class Programme {
 public:
  Programme(const ChainPtr& chain, const Trajectory& path, const TimingLimits& limits)
      : solver_(Solver::make(chain).value()), path_(path), limits_(limits) {}

  /// `most`: the largest x that is tried, at each place.
  double least_time(const std::vector<double>& most, int levels) {
    std::vector<double> cost(static_cast<std::size_t>(levels) + 1, kInfinity);
    cost[0] = 0.0;
    const std::size_t steps = most.size() - 1;
    const double ds = path_.duration() / static_cast<double>(steps);
    const auto x_of = [&](std::size_t place, std::size_t level) {
      return most[place] * std::pow(static_cast<double>(level) / levels, 2);
    };
    for (std::size_t i = steps; i-- > 0;) {
      std::vector<double> before(cost.size(), kInfinity);
      prepare(ds * (static_cast<double>(i) + 0.5));
      for (std::size_t k = 0; k < cost.size(); ++k) {
        for (std::size_t next = 0; next < cost.size(); ++next) {
          if (k + next == 0 || !std::isfinite(cost[next])) continue;
          const double x = x_of(i, k), y = x_of(i + 1, next);
          const double time = 2.0 * ds / (std::sqrt(x) + std::sqrt(y)) + cost[next];
          if (time < before[k] && allowed((y - x) / (2.0 * ds), 0.5 * (x + y))) before[k] = time;
        }
      }
      cost = before;
    }
    return cost[0];
  }

 private:
  void prepare(double s) {
    const VecXd zero = VecXd::Zero(solver_.dof());
    q_ = slope_ = curvature_ = gravity_ = a_ = b_ = zero;
    ASSERT_EQ(path_.evaluate(s, q_, slope_, curvature_), Status::kOk);
    ASSERT_EQ(solver_.gravity_torque(q_, gravity_), Status::kOk);
    MatXd M(zero.size(), zero.size());
    ASSERT_EQ(solver_.mass_matrix(q_, M), Status::kOk);
    ASSERT_EQ(solver_.coriolis_torque(q_, slope_, b_), Status::kOk);
    a_ = M * slope_;
    b_ += M * curvature_;
  }
  bool allowed(double u, double x) {
    VecXd friction(a_.size());
    const VecXd speed = std::sqrt(x) * slope_;
    EXPECT_EQ(solver_.friction_torque(speed, friction), Status::kOk);
    const VecXd tau = a_ * u + b_ * x + gravity_ + friction;
    const VecXd acceleration = slope_ * u + curvature_ * x;
    return (tau.array().abs() <= limits_.effort.array()).all() &&
           (speed.array().abs() <= limits_.velocity.array()).all() &&
           (acceleration.array().abs() <= limits_.acceleration.array()).all();
  }

  Solver solver_;
  const Trajectory& path_;
  TimingLimits limits_;
  VecXd q_, slope_, curvature_, gravity_, a_, b_;
};

// How far the motion goes beyond its limits, as a share of them, and where it is fast.
struct Excess {
  double effort = 0.0, velocity = 0.0, acceleration = 0.0;
  double used = 0.0;  ///< how often a limit is reached within 3 %
};

Excess excess_of(const ChainPtr& chain, const Trajectory& motion, const TimingLimits& limits) {
  auto solver = Solver::make(chain).value();
  const Index n = chain->dof();
  VecXd q(n), qd(n), qdd(n), tau(n), friction(n);
  Excess out;
  const int samples = 20000;
  for (int k = 1; k < samples; ++k) {
    EXPECT_EQ(motion.evaluate(motion.duration() * k / samples, q, qd, qdd), Status::kOk);
    EXPECT_EQ(solver.inverse_dynamics(q, qd, qdd, tau), Status::kOk);
    EXPECT_EQ(solver.friction_torque(qd, friction), Status::kOk);
    tau += friction;
    const double effort = (tau.array().abs() / limits.effort.array()).maxCoeff() - 1.0;
    const double velocity = (qd.array().abs() / limits.velocity.array()).maxCoeff() - 1.0;
    const double acceleration = (qdd.array().abs() / limits.acceleration.array()).maxCoeff() - 1.0;
    out.effort = std::max(out.effort, effort);
    out.velocity = std::max(out.velocity, velocity);
    out.acceleration = std::max(out.acceleration, acceleration);
    out.used += std::max({effort, velocity, acceleration}) > -0.03 ? 1.0 / samples : 0.0;
  }
  return out;
}

// 1.7 times the x of `motion` and some more, at places along the path: where the other one looks.
std::vector<double> a_little_above(const Trajectory& path, const Trajectory& motion) {
  constexpr int kPlaces = 150, kSamples = 20000;
  std::vector<double> most(kPlaces + 1, 0.0);
  VecXd q(path.dof()), qd(q), qdd(q), slope(q);
  double s = 0.0, largest = 0.0;
  for (int k = 0; k < kSamples; ++k) {
    EXPECT_EQ(motion.evaluate(motion.duration() * (k + 0.5) / kSamples, q, qd, qdd), Status::kOk);
    EXPECT_EQ(path.evaluate(s, q, slope, qdd), Status::kOk);
    const double speed = qd.norm() / slope.norm();
    s = std::min(s + speed * motion.duration() / kSamples, path.duration());
    const auto place = static_cast<std::size_t>(s / path.duration() * kPlaces);
    most[place] = std::max(most[place], 1.7 * speed * speed);
    largest = std::max(largest, most[place]);
  }
  for (double& x : most) x = std::max(x, 0.02 * largest);
  return most;
}

TEST(Timing, AStraightLineWithoutDynamicsIsTheTrapezoid) {
  const ChainPtr chain = load_robot("arm7");
  TimingLimits limits(*chain);
  limits.effort.setConstant(kInfinity);
  limits.velocity.setConstant(1.5);
  limits.acceleration.setConstant(4.0);
  const VecXd from = VecXd::LinSpaced(7, -0.5, 0.3), to = VecXd::LinSpaced(7, 0.7, -0.9);
  const auto best = trapezoid(from, to, limits.velocity, limits.acceleration).value();
  const auto ours = fastest(chain, path_through({from, to}), limits).value();
  EXPECT_NEAR(ours->duration(), best->duration(), 1e-3 * best->duration());
  VecXd q(7), qd(7), qdd(7);
  ASSERT_EQ(ours->evaluate(0.0, q, qd, qdd), Status::kOk);
  EXPECT_LT((q - from).norm() + qd.norm(), 1e-12);
  ASSERT_EQ(ours->evaluate(ours->duration(), q, qd, qdd), Status::kOk);
  EXPECT_LT((q - to).norm() + qd.norm(), 1e-9);
  ASSERT_EQ(ours->evaluate(ours->duration() + 1.0, q, qd, qdd), Status::kOk);
  EXPECT_TRUE(qd.isZero(0.0) && qdd.isZero(0.0));
}

TEST(Timing, IsWithinTwoPercentOfDynamicProgramming) {
  std::mt19937 random(1);
  for (const char* robot : {"planar3r", "puma560", "stanford", "arm7"}) {
    const ChainPtr chain = load_robot(robot);
    TimingLimits limits(*chain);
    limits.acceleration.setConstant(40.0);
    for (Index i = 0; i < chain->dof(); ++i) {
      if (!std::isfinite(limits.effort[i])) limits.effort[i] = 80.0;
      if (!std::isfinite(limits.velocity[i])) limits.velocity[i] = 4.0;
    }
    const TrajectoryPtr path = path_through(random_points(*chain, 4, random));
    const auto ours = fastest(chain, path, limits);
    ASSERT_TRUE(ours.has_value()) << robot << ": " << ours.error().sentence;
    const Excess excess = excess_of(chain, **ours, limits);
    const double other =
        Programme(chain, *path, limits).least_time(a_little_above(*path, **ours), 200);
    EXPECT_NEAR(ours.value()->duration(), other, 0.02 * other) << robot;
    EXPECT_LT(excess.effort, 0.01) << robot;
    EXPECT_LT(excess.velocity, 1e-3) << robot;
    EXPECT_LT(excess.acceleration, 0.01) << robot;
    EXPECT_GT(excess.used, 0.95) << robot << ": a fastest motion is at a limit nearly always";
  }
}

TEST(Timing, KeepsTheShape) {
  const ChainPtr chain = load_robot("puma560");
  std::mt19937 random(2);
  const std::vector<VecXd> points = random_points(*chain, 5, random);
  TimingLimits limits(*chain);
  limits.velocity.setConstant(2.0);
  limits.effort.setConstant(200.0);
  const auto motion = fastest(chain, path_through(points), limits).value();
  VecXd q(6), qd(6), qdd(6);
  for (const VecXd& point : points) {
    double nearest = kInfinity;
    for (int k = 0; k <= 20000; ++k) {
      ASSERT_EQ(motion->evaluate(motion->duration() * k / 20000, q, qd, qdd), Status::kOk);
      nearest = std::min(nearest, (q - point).norm());
    }
    EXPECT_LT(nearest, 1e-3);
  }
}

TEST(Timing, PathsBeyondPositionLimitsAreNamed) {
  const ChainPtr chain = load_robot("arm7");
  const VecXd from = VecXd::Zero(7), to = VecXd::Constant(7, 1.0);
  EXPECT_TRUE(within_position_limits(*chain, *path_through({from, to})));
  const auto sentence = [&](Index joint, double position) {
    VecXd far = to;
    far[joint] = position;
    const auto within = within_position_limits(*chain, *path_through({from, far}));
    return within ? std::string() : within.error().sentence;
  };
  EXPECT_TRUE(sentence(0, 9.0).starts_with(
      "100 % of the way along the path 'joint1' is at 9, 6.1 beyond its limit 2.9;"))
      << sentence(0, 9.0);
  EXPECT_NE(sentence(3, -0.5).find("'joint4' is at -0.5, 0.35 beyond its limit -0.15"),
            std::string::npos);
  EXPECT_EQ(sentence(0, 2.9), "");
}

TEST(Timing, SaysWhatCannotBe) {
  const ChainPtr chain = load_robot("arm7");
  const TrajectoryPtr path = path_through({VecXd::Zero(7), VecXd::Constant(7, 1.0)});
  TimingLimits limits(*chain);
  limits.effort.setConstant(1e-3);
  const auto weak = fastest(chain, path, limits);
  ASSERT_FALSE(weak.has_value());
  EXPECT_NE(weak.error().sentence.find("to hold the arm"), std::string::npos)
      << weak.error().sentence;
  limits = TimingLimits(*chain);
  limits.velocity[2] = 0.0;
  EXPECT_NE(fastest(chain, path, limits).error().sentence.find("'joint3'"), std::string::npos);
  limits.velocity.resize(3);
  EXPECT_FALSE(fastest(chain, path, limits).has_value());
  EXPECT_FALSE(fastest(load_robot("puma560"), path, TimingLimits(*chain)).has_value());
}

}  // namespace
}  // namespace dyn::test::timing_tests
