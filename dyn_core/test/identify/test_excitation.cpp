// Motions for identification: within every limit at every instant, the same for the same seed, and better than
// random motions and sines.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "../../tool/sines.hpp"
#include "dyn_core/identify/excitation.hpp"
#include "dyn_core/solver.hpp"
#include "support.hpp"

namespace dyn::test::excitation_tests {
namespace {

// A little of the default search: laws do not depend on how far it goes.
ExcitationOptions little(std::uint64_t seed = 20261119) {
  ExcitationOptions options;
  options.seed = seed;
  options.draws = 5;
  options.starts = 1;
  options.steps = 5;
  return options;
}

Excitation excited(const ChainPtr& chain, const ExcitationOptions& options) {
  Result<Excitation> found = excite(chain, motion_limits(*chain, {}), options);
  if (!found) throw std::runtime_error(found.error().sentence);
  return std::move(*found);
}

ChainPtr changed(const ChainPtr& chain, const std::function<void(JointLimits&)>& change) {
  ChainDescription description = chain->description();
  for (Joint& joint : description.joints) change(joint.limits);
  return std::make_shared<const Chain>(std::move(description));
}

// The robots, one joint, slides, and arms without any limit.
std::vector<ChainPtr> chains() {
  std::vector<ChainPtr> out;
  for (const std::string& name : robot_names()) out.push_back(load_robot(name));
  out.push_back(random_chain(1, 1));
  out.push_back(random_chain(1, 2, {.prismatic = 1.0}));
  out.push_back(random_chain(4, 3, {.prismatic = 0.5}));
  out.push_back(changed(load_robot("arm7"), [](JointLimits& limits) { limits = {}; }));
  out.push_back(changed(load_robot("stanford"),
                        [](JointLimits& l) { l.upper = l.lower = 0.4, l.upper += INFINITY; }));
  return out;
}

TEST(Excitation, KeepsEveryLimitAtEveryInstant) {
  for (const ChainPtr& chain : chains()) {
    const MotionLimits limits = motion_limits(*chain, {});
    const Excitation found = excited(chain, little());
    const FourierMotion& motion = *found.motion;
    Solver solver = *Solver::make(chain);
    solver.set_friction(true);
    const Index n = chain->dof();
    VecXd q(n), qd(n), qdd(n), tau(n);
    double most = 0.0;
    // Ten times as fine as peaks_of() and a hundred times as fine as torque_peaks() look.
    const auto count = static_cast<int>(motion.duration() * 4000.0 * 5.0 / 10.0);
    const int stride = kSanitized ? 97 : 1;
    for (int i = 0; i <= count; i += stride) {
      const double t = motion.duration() * i / count;
      ASSERT_EQ(motion.evaluate(t, q, qd, qdd), Status::kOk);
      ASSERT_EQ(solver.inverse_dynamics(q, qd, qdd, tau), Status::kOk);
      for (Index k = 0; k < n; ++k) {
        const JointLimits& own = chain->coordinate_joint(k).limits;
        ASSERT_LE(q[k], std::min(own.upper, limits.upper[k])) << chain->name() << " at " << t;
        ASSERT_GE(q[k], std::max(own.lower, limits.lower[k])) << chain->name() << " at " << t;
        ASSERT_LE(std::abs(qd[k]), std::min(own.velocity, limits.velocity[k])) << chain->name();
        ASSERT_LE(std::abs(qdd[k]), limits.acceleration[k]) << chain->name() << " at " << t;
        ASSERT_LE(std::abs(tau[k]), limits.effort[k]) << chain->name() << " at " << t;
        ASSERT_LE(std::abs(tau[k]), found.torque[k]) << chain->name() << " at " << t;
        most = std::max({most, std::abs(qd[k]) / limits.velocity[k],
                         std::abs(qdd[k]) / limits.acceleration[k],
                         std::abs(tau[k]) / limits.effort[k]});
      }
    }
    EXPECT_GT(most, 0.95) << chain->name() << " moves less than it might";
    for (const double end : {0.0, motion.duration()}) {
      ASSERT_EQ(motion.evaluate(end, q, qd, qdd), Status::kOk);
      EXPECT_TRUE(qd.isZero(0.0) && qdd.isZero(0.0));
    }
  }
}

TEST(Excitation, IsTheSameForTheSameSeed) {
  const ChainPtr chain = load_robot("puma560");
  const Excitation first = excited(chain, little(7)), again = excited(chain, little(7)),
                   other = excited(chain, little(8));
  EXPECT_EQ(first.motion->coefficients(), again.motion->coefficients());
  EXPECT_EQ(first.information.log_det, again.information.log_det);
  EXPECT_NE(first.motion->coefficients(), other.motion->coefficients());
}

// What `dyn track` swings with, faster and slower, as far as the limits are kept.
double best_of_sines(const ChainPtr& chain, const MotionLimits& limits, double duration) {
  const VecXd middle = 0.5 * (limits.lower + limits.upper), half = middle - limits.lower;
  double best = -std::numeric_limits<double>::infinity();
  for (const double period : {1.0, 1.5, 2.0, 3.0, 5.0, 10.0}) {
    for (const double share : {0.1, 0.2, 0.3, 0.5, 0.7, 0.9}) {
      const tool::Sines sines({middle - share * half, middle, middle + share * half}, period,
                              duration);
      VecXd q(chain->dof()), qd(q), qdd(q);
      bool kept = true;
      for (double t = 0.0; t < duration && kept; t += 0.01) {
        (void)sines.evaluate(t, q, qd, qdd);
        kept = (qd.cwiseAbs().array() <= limits.velocity.array()).all() &&
               (qdd.cwiseAbs().array() <= limits.acceleration.array()).all();
      }
      if (!kept) continue;
      if (const auto told = information_of(chain, sines)) best = std::max(best, told->log_det);
    }
  }
  return best;
}

TEST(Excitation, TellsMoreThanRandomMotionsAndSines) {
  const ChainPtr chain = load_robot("arm7");
  const MotionLimits limits = motion_limits(*chain, {});
  ExcitationOptions options;
  options.starts = 1;
  options.steps = kSanitized ? 5 : 40;
  const Excitation best = excited(chain, options);
  options.starts = 0;
  const double random = excited(chain, options).information.log_det;  // the best of 50
  const double sines = best_of_sines(chain, limits, options.shape.duration);
  std::printf("log det: %.1f, random motions %.1f, sines %.1f\n", best.information.log_det, random,
              sines);
  EXPECT_GT(best.information.log_det, random + 10.0);
  EXPECT_GT(best.information.log_det, sines + 10.0);
}

// Of a slide with mass m alone the regressor is known: q̈, q̇, sign q̇ and 1.
TEST(Excitation, InformationIsThatOfARegressorByHand) {
  const ChainPtr chain =
      changed(random_chain(1, 2, {.prismatic = 1.0}), [](JointLimits& limits) { limits = {}; });
  const Excitation found = excited(chain, little());
  EXPECT_EQ(found.information.parameters, 4);
  constexpr int kInstants = 100'000;
  Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
  VecXd q(1), qd(1), qdd(1);
  const double part = found.motion->duration() / kInstants;
  for (int i = 0; i < kInstants; ++i) {
    ASSERT_EQ(found.motion->evaluate((i + 0.5) * part, q, qd, qdd), Status::kOk);
    const double sign = qd[0] > 0.0 ? 1.0 : -1.0;
    const Eigen::Vector4d row(qdd[0], qd[0], sign, 1.0);
    A += part * row * row.transpose();
  }
  EXPECT_NEAR(found.information.log_det, std::log(A.determinant()), 0.02);
}

TEST(Excitation, SaysWhatItAssumesAndWhatCannotBe) {
  const ChainPtr bare = changed(load_robot("arm7"), [](JointLimits& limits) { limits = {}; });
  EXPECT_EQ(motion_limits(*bare, {}).assumed.size(), 3u);
  EXPECT_TRUE(motion_limits(*load_robot("puma560"), {}).assumed.empty());
  const ChainPtr weak =
      changed(load_robot("puma560"), [](JointLimits& limits) { limits.effort = 1e-3; });
  const auto found = excite(weak, motion_limits(*weak, {}), little());
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().sentence.find("too weak"), std::string::npos) << found.error().sentence;
  const ChainPtr held = changed(load_robot("arm7"), [](JointLimits& limits) {
    if (limits.lower == -1.9) limits.lower = limits.upper = 0.5;
  });
  const auto still = excite(held, motion_limits(*held, {}), little());
  ASSERT_FALSE(still);
  EXPECT_NE(still.error().sentence.find("--lock joint2=0.5"), std::string::npos)
      << still.error().sentence;
  ExcitationOptions options = little();
  options.shape.harmonics = 0;
  EXPECT_FALSE(excite(weak, motion_limits(*weak, {}), options));
  options.shape = {1e9, 1.0, 5};
  EXPECT_FALSE(excite(weak, motion_limits(*weak, {}), options));
}

TEST(Excitation, AStopLeavesAValidMotion) {
  const ChainPtr chain = load_robot("puma560");
  ExcitationOptions options = little();
  options.proceed = [](double) { return false; };
  const Excitation found = excited(chain, options);
  EXPECT_TRUE((found.torque.array() <= motion_limits(*chain, {}).effort.array()).all());
}

}  // namespace
}  // namespace dyn::test::excitation_tests
