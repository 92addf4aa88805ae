// References brought to rest and references smoothed: no jump, the right end, no overshoot of limits.
#include "control_support.hpp"
#include "dyn_core/control/reference.hpp"

namespace dyn::test::control_reference_tests {
namespace {

constexpr double kPeriod = 1e-3;

double largest(const VecXd& v) { return v.lpNorm<Eigen::Infinity>(); }

// q̇ and q̈ are the derivatives of q: by central differences over three samples.
void expect_derivatives(const std::vector<Reference>& samples, double tolerance) {
  for (std::size_t k = 1; k + 1 < samples.size(); ++k) {
    const Reference &a = samples[k - 1], &b = samples[k], &c = samples[k + 1];
    EXPECT_LE(largest((c.q - a.q) / (2.0 * kPeriod) - b.qd), tolerance) << "sample " << k;
    EXPECT_LE(largest((c.qd - a.qd) / (2.0 * kPeriod) - b.qdd), 100.0 * tolerance)
        << "sample " << k;
  }
}

Reference moving(std::uint64_t seed, Index n) {
  Random random(seed);
  return random_reference(random, n);
}

TEST(StopMotion, BeginsWithTheReferenceAndEndsAtRest) {
  const Reference from = moving(3, 5);
  StopMotion stop(5);
  stop.start(from, 0.2);
  EXPECT_EQ(stop.reference().q, from.q);
  EXPECT_EQ(stop.reference().qd, from.qd);
  EXPECT_EQ(stop.reference().qdd, from.qdd);
  std::vector<Reference> samples = {stop.reference()};
  while (!stop.at_rest()) {
    stop.advance(kPeriod);
    samples.push_back(stop.reference());
  }
  EXPECT_NEAR(static_cast<double>(samples.size()), 201.0, 1.0);
  expect_derivatives({samples.begin(), samples.end() - 1}, 1e-3);
  // The integral of the cubic over the whole time.
  const VecXd end = from.q + 0.1 * from.qd + 0.04 / 12.0 * from.qdd;
  EXPECT_LE(largest(stop.reference().q - end), 1e-12);
  EXPECT_LE(largest(samples[samples.size() - 2].qd), 1e-2);
  EXPECT_TRUE(stop.reference().qd.isZero(0.0));
  stop.advance(1.0);
  EXPECT_LE(largest(stop.reference().q - end), 1e-12);
}

TEST(StopMotion, StandsAtOnceWithoutADuration) {
  const Reference from = moving(4, 3);
  StopMotion stop(3);
  for (const double duration : {0.0, -1.0, kNaN}) {
    stop.start(from, duration);
    EXPECT_TRUE(stop.at_rest());
    EXPECT_EQ(stop.reference().q, from.q);
    EXPECT_TRUE(stop.reference().qd.isZero(0.0));
  }
}

TEST(ReferenceFilter, TakesAStepWithoutJumpOrOvershoot) {
  const ChainPtr chain = load_robot("arm7");
  ReferenceFilter filter(chain, 30.0, VecXd::Constant(7, kInfinity));
  filter.reset(Reference(7));
  Reference wanted(7);
  wanted.q.setConstant(0.5);
  std::vector<Reference> samples = {Reference(7)};
  for (int k = 0; k < 400; ++k) samples.push_back(filter.update(wanted, kPeriod));
  expect_derivatives(samples, 1e-2);
  // 0.5 (1 - (1 + wt + (wt)²/2) exp(-wt)) is the answer of three equal poles.
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const double wt = 30.0 * kPeriod * static_cast<double>(k);
    const double x = 0.5 * (1.0 - (1.0 + wt + 0.5 * wt * wt) * std::exp(-wt));
    EXPECT_NEAR(samples[k].q[3], x, 1e-12);
  }
  EXPECT_NEAR(samples.back().q[0], 0.5, 1e-3);
}

// The jerk is what it does not know: j/w³ behind.
TEST(ReferenceFilter, FollowsASmoothReferenceUpToItsJerk) {
  const ChainPtr chain = load_robot("arm7");
  ReferenceFilter filter(chain, 30.0, VecXd::Constant(7, kInfinity));
  const auto at = [](double t) {
    Reference r(7);
    r.q.setConstant(std::sin(2.0 * t));
    r.qd.setConstant(2.0 * std::cos(2.0 * t));
    r.qdd.setConstant(-4.0 * std::sin(2.0 * t));
    return r;
  };
  filter.reset(at(0.0));
  for (int k = 1; k < 2000; ++k) {
    const Reference wanted = at(kPeriod * k);
    const Reference& now = filter.update(wanted, kPeriod);
    ASSERT_LE(largest(now.q - wanted.q), 1.1 * 8.0 / (30.0 * 30.0 * 30.0)) << k;
    ASSERT_LE(largest(now.qdd - wanted.qdd), 0.1) << k;
  }
}

TEST(ReferenceFilter, KeepsItsSpeedAndGoesTheShortWayRound) {
  Joint joint;
  joint.type = JointType::kContinuous;
  const ChainPtr chain = Pendulum().chain(joint);
  ReferenceFilter filter(chain, 50.0, VecXd::Constant(1, 0.5));
  Reference from(1), wanted(1);
  from.q[0] = 3.0;
  wanted.q[0] = -3.0;
  filter.reset(from);
  double fastest = 0.0;
  for (int k = 0; k < 2000; ++k) {
    const Reference& now = filter.update(wanted, kPeriod);
    fastest = std::max(fastest, std::abs(now.qd[0]));
    ASSERT_GE(std::abs(std::remainder(now.q[0], 2.0 * M_PI)), 2.99) << "never through zero";
  }
  EXPECT_LE(fastest, 0.5 * 1.01);
  EXPECT_GE(fastest, 0.45);
  EXPECT_NEAR(std::remainder(filter.update(wanted, kPeriod).q[0] + 3.0, 2.0 * M_PI), 0.0, 1e-6);
}

TEST(ReferenceFilter, IsStableForEveryPeriod) {
  const ChainPtr chain = load_robot("rtx3");
  ReferenceFilter filter(chain, 200.0, VecXd::Constant(chain->dof(), kInfinity));
  filter.reset(moving(9, chain->dof()));
  const Reference wanted(chain->dof());
  for (int k = 0; k < 200; ++k) (void)filter.update(wanted, 0.05);
  EXPECT_LE(largest(filter.update(wanted, 0.05).q), 1e-9);
}

}  // namespace
}  // namespace dyn::test::control_reference_tests
