// What a law at the tip may not do: leave its target far behind, or ask for any speed of the joints.
#include "dyn_core/control/tracking.hpp"
#include "dyn_core/motion/trajectory.hpp"
#include "tip_support.hpp"

namespace dyn::test::control_tip_limits_tests {
namespace {

// The supervisor's word after some periods at rest with the target at `offset` from the tip, turned by `turn`.
Supervisor after_offset(const ChainPtr& chain, Law law, const Vec3d& offset, double turn) {
  ControllerParameters parameters(*chain);
  parameters.law.law = law;
  Controller controller = take(Controller::make(chain, parameters));
  EXPECT_EQ(controller.activate(VecXd::Zero(7)), Status::kOk);
  Kinematics<double> tip(chain);
  JointState state(7);
  state.q = bent_elbow();
  EXPECT_EQ(tip.update(state.q), Status::kOk);
  Reference reference(7);
  reference.q = state.q;
  reference.tip.given = true;
  reference.tip.pose = tip.tip_pose();
  reference.tip.pose.p += offset;
  reference.tip.pose.R = rotation_about({turn, 0.0, 0.0}) * reference.tip.pose.R;
  for (int k = 0; k < 5; ++k) (void)controller.update(1e-3 * k, state, reference, 1e-3);
  return controller.supervisor();
}

// A tip that is further off than it ever may be is a fault, as a joint is; one that is to yield may be.
TEST(TipLimits, TooFarATipIsAFault) {
  const ChainPtr chain = load_robot("arm7");
  const Law law = Law::kTaskSpace;
  EXPECT_EQ(after_offset(chain, law, {0.0, 0.0, 0.2}, 0.9).fault(), Status::kOk);
  for (const Supervisor& far : {after_offset(chain, law, {0.0, 0.0, 0.3}, 0.0),
                                after_offset(chain, law, Vec3d::Zero(), 1.1)}) {
    EXPECT_EQ(far.fault(), Status::kTrackingError);
    EXPECT_EQ(culprit(*chain, far.joint()), "the tip");
  }
  EXPECT_EQ(after_offset(chain, Law::kImpedance, {0.0, 0.0, 0.3}, 1.1).fault(), Status::kOk);
}

// Targets so rare, past a posture that is almost singular, would ask for any speed of the joints.
TEST(TipLimits, RareTargetsOfAFastMotionEndInNoFault) {
  const ChainPtr chain = load_robot("arm7");
  VecXd from(7), to(7);
  for (Index i = 0; i < 7; ++i) {
    const JointLimits& limits = chain->coordinate_joint(i).limits;
    const double way = std::min(0.6, 0.2 * (limits.upper - limits.lower));
    const double middle = 0.5 * (limits.lower + limits.upper) + (i % 2 == 0 ? -0.5 : 0.5) * way;
    from[i] = middle - way;
    to[i] = middle + way;
  }
  const TrajectoryPtr trajectory = take(cycloid(from, to, 3.0));
  for (const bool predict : {false, true}) {
    TrackingParameters parameters(*chain);
    parameters.controller.law.law = Law::kTaskSpace;
    parameters.controller.delay = parameters.plant.delay = 0.004;
    parameters.controller.predict = parameters.controller.observe = predict;
    parameters.targets = 15.0;
    const TrackingReport report = take(track(chain, chain, *trajectory, parameters));
    EXPECT_EQ(report.failures, 0);
    EXPECT_LT(report.tip_peak, 0.05);
  }
}

}  // namespace
}  // namespace dyn::test::control_tip_limits_tests
