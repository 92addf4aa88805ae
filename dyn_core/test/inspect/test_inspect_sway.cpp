// The sway stays within the limits, starts at rest and has the derivatives it says.
#include "dyn_core/inspect/sway.hpp"
#include "support.hpp"

namespace dyn::test::inspect_sway_tests {
namespace {

TEST(Sway, StaysWithinTheLimitsOfEveryRobot) {
  for (const std::string& robot : robot_names()) {
    SCOPED_TRACE(robot);
    const ChainPtr chain = load_robot(robot);
    const TrajectoryPtr motion = inspect::sway(*chain).value();
    VecXd q(chain->dof()), qd(q), qdd(q), least(q), most(q);
    for (int k = 0; k < 20000; ++k) {
      ASSERT_EQ(motion->evaluate(0.005 * k, q, qd, qdd), Status::kOk);
      if (k == 0) {
        least = most = q;
        EXPECT_TRUE(qd.isZero(0.0));
      }
      least = least.cwiseMin(q);
      most = most.cwiseMax(q);
      for (Index i = 0; i < chain->dof(); ++i) {
        const JointLimits& limits = chain->coordinate_joint(i).limits;
        EXPECT_TRUE(q[i] >= limits.lower && q[i] <= limits.upper);
        EXPECT_LE(std::abs(qd[i]), 0.3 * limits.velocity + 1e-12);
      }
    }
    EXPECT_GT((most - least).minCoeff(), 0.01) << "every joint moves";
  }
}

TEST(Sway, HasTheDerivativesItSays) {
  const TrajectoryPtr motion = inspect::sway(*load_robot("arm7")).value();
  VecXd q(7), qd(7), qdd(7), before(7), after(7), a(7), b(7), c(7);
  for (const double time : {0.5, 1.7, 2.9, 3.1, 40.0}) {
    const double h = 1e-5;
    ASSERT_EQ(motion->evaluate(time, q, qd, qdd), Status::kOk);
    ASSERT_EQ(motion->evaluate(time - h, before, a, c), Status::kOk);
    ASSERT_EQ(motion->evaluate(time + h, after, b, c), Status::kOk);
    EXPECT_LT(((after - before) / (2.0 * h) - qd).norm(), 1e-8);
    EXPECT_LT(((b - a) / (2.0 * h) - qdd).norm(), 1e-8);
  }
}

TEST(Sway, SaysWhichOptionMakesNoSense) {
  const ChainPtr chain = load_robot("arm7");
  EXPECT_FALSE(inspect::sway(*chain, {.amplitude = 1.5}).has_value());
  EXPECT_FALSE(inspect::sway(*chain, {.speed = -1.0}).has_value());
  EXPECT_FALSE(inspect::sway(*chain, {.period = 0.0}).has_value());
}

}  // namespace
}  // namespace dyn::test::inspect_sway_tests
