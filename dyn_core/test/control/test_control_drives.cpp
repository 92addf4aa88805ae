// Drives that close the loop themselves: reference and gains to the drive, the model's torque on top.
#include <cmath>

#include <fmt/format.h>

#include "control_support.hpp"
#include "dyn_core/control/tracking.hpp"

namespace dyn::test::control_drives_tests {
namespace {

constexpr std::uint64_t kSeed = 20261330;

TrackingParameters with_drives(const ChainPtr& chain, bool drives, double delay) {
  TrackingParameters out(*chain);
  Solver solver = solver_of(chain);
  const VecXd middle = 0.5 * (first_posture() + last_posture());
  const Gains gains = take(gains_from_frequency(Law::kFeedforwardPd, solver, middle,
                                                VecXd::Constant(7, 80.0), VecXd::Ones(7)));
  out.controller.law.law = Law::kFeedforwardPd;
  out.controller.law.gains = gains;
  if (drives) {
    out.controller.law.gains = Gains(7);
    out.controller.law.drive_kp = gains.kp;
    out.controller.law.drive_kd = gains.kd;
  }
  out.controller.delay = out.plant.delay = delay;
  return out;
}

// The gains act where the delay is not: what makes a late loop swing leaves the drives' own quiet.
TEST(Drives, TheirLoopDoesNotFeelTheDelay) {
  const ChainPtr chain = load_robot("arm7");
  const ChainPtr truth = scale_inertia(*chain, 1.0, 1.3);
  const TrajectoryPtr trajectory = take(cycloid(first_posture(), last_posture(), 2.0));
  const auto rms = [&](bool drives, double delay) {
    return take(track(chain, truth, *trajectory, with_drives(chain, drives, delay))).rms_norm;
  };
  const double at_once = rms(true, 0.0), late = rms(true, 0.012), torque_late = rms(false, 0.012);
  fmt::print(
      "rms of the joints' error: {:.4f} rad without delay, {:.4f} with, {:.4f} where torques are "
      "sent\n",
      at_once, late, torque_late);
  EXPECT_LT(late, at_once + 0.012 * 2.0) << "the reference comes late, and nothing swings";
  EXPECT_GT(torque_late, 3.0 * late);
}

// At the state that a law acts on, drive and command together are what the law alone would send.
TEST(Drives, TogetherTheyGiveTheLawsTorque) {
  const ChainPtr chain = load_robot("arm7");
  Random random(kSeed);
  ControlParameters parameters = plain_parameters(*chain, Law::kPdGravity);
  parameters.position_error_limit.setConstant(0.2);
  ControlLaw alone = take(ControlLaw::make(chain, parameters));
  std::swap(parameters.gains.kp, parameters.drive_kp);
  std::swap(parameters.gains.kd, parameters.drive_kd);
  ControlLaw shared = take(ControlLaw::make(chain, parameters));
  for (int i = 0; i < 50; ++i) {
    const JointState state = random_state(random, 7);
    const Reference reference = random_reference(random, 7);
    const VecXd whole = alone.update(state, reference, 1e-3).torque;
    const ControlOutput& out = shared.update(state, reference, 1e-3);
    const VecXd drive = out.drive.kp.cwiseProduct(out.drive.q - state.q) +
                        out.drive.kd.cwiseProduct(out.drive.qd - state.qd);
    EXPECT_LT((drive - out.drive_torque).norm(), 1e-9 * (1.0 + drive.norm()));
    EXPECT_LT((out.torque + drive - whole).norm(), 1e-9 * (1.0 + whole.norm()));
  }
}

// What the drives add by themselves counts against the effort as well.
TEST(Drives, TheSumStaysWithinTheEffort) {
  const ChainPtr chain = load_robot("arm7");
  Random random(kSeed + 1);
  ControlParameters parameters(*chain);
  parameters.law = Law::kFeedforwardPd;
  parameters.gains = Gains(7);
  parameters.ramp_in = 0.0;
  parameters.drive_kp = 1.5 * parameters.limits.effort;
  parameters.drive_kd = 0.3 * parameters.limits.effort;
  ControlLaw law = take(ControlLaw::make(chain, parameters));
  int met = 0;
  for (int i = 0; i < 500; ++i) {
    const JointState state = random_state(random, 7, 0.5);
    Reference reference = random_reference(random, 7);
    reference.q = state.q + random.vector(7, 1.0);
    const ControlOutput& out = law.update(state, reference, 1e-3);
    met += out.limit.effort ? 1 : 0;
    const VecXd& effort = parameters.limits.effort;
    EXPECT_LE((out.torque.cwiseAbs() - effort).maxCoeff(), 1e-9);
    EXPECT_LE(((out.torque + out.drive_torque).cwiseAbs() - effort).maxCoeff(), 1e-9);
  }
  EXPECT_GT(met, 20);
}

// After a fault no drive holds on to its last reference.
TEST(Drives, AFaultLeavesThemOnlyTheirDamping) {
  const ChainPtr chain = load_robot("arm7");
  ControlParameters parameters(*chain);
  parameters.law = Law::kFeedforwardPd;
  parameters.gains = Gains(7);
  parameters.drive_kp.setConstant(100.0);
  parameters.drive_kd.setConstant(5.0);
  ControlLaw law = take(ControlLaw::make(chain, parameters));
  Plant plant = take(Plant::make(chain, {}));
  Random random(kSeed + 2);
  JointState state = random_state(random, 7, 0.5);
  state.q[3] = 1.0;
  ASSERT_EQ(plant.reset(state, VecXd::Zero(7)), Status::kOk);
  Reference lost(7);
  lost.q.setConstant(kNaN);
  for (int i = 0; i < 2000; ++i) {
    const ControlOutput& out = law.update(plant.measured(), lost, 1e-3);
    if (i > 10) {
      EXPECT_TRUE(out.drive.kp.isZero(0.0));
      EXPECT_TRUE(out.drive.qd.isZero(0.0));
      EXPECT_TRUE(out.drive.kd.isConstant(5.0));
    }
    ASSERT_EQ(plant.command(out.torque, out.drive), Status::kOk);
    ASSERT_EQ(plant.step(1e-3), Status::kOk);
  }
  EXPECT_LT(plant.state().qd.norm(), 1e-2);
}

}  // namespace
}  // namespace dyn::test::control_drives_tests
