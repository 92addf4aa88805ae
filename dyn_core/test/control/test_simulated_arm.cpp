// The simulated arm: a pull is a force, other settings take over where the arm stands, nothing allocates.
#include <gtest/gtest.h>

#include "dyn_core/control/simulated_arm.hpp"
#include "support.hpp"

namespace dyn::test::simulated_arm_tests {

SimulatedArm make(const ChainPtr& chain, const ArmSettings& settings = {}) {
  return std::move(
      SimulatedArm::make(chain, settings, {}, VecXd::Constant(chain->dof(), 0.4)).value());
}

// At rest under a pull the law's torque is what gravity needs less Jᵀ F.
TEST(SimulatedArm, APullIsHeldByTheLaw) {
  const ChainPtr chain = load_robot("puma560");
  SimulatedArm arm = make(chain);
  Kinematics<double> kinematics(chain);
  ASSERT_EQ(kinematics.update(arm.state().q), Status::kOk);
  const Vec3d place = kinematics.link_pose(3).p;
  arm.pull(Pull{3, Vec3d(0.1, 0.0, 0.05), place + Vec3d(0.0, 0.02, 0.03)});
  for (int k = 0; k < 6000; ++k) ASSERT_EQ(arm.step(), Status::kOk);
  ASSERT_EQ(kinematics.update(arm.state().q), Status::kOk);
  MatXd J(6, 6);
  ASSERT_EQ(kinematics.jacobian(3, arm.pulled_at(), J), Status::kOk);
  VecXd gravity(6), friction(6);
  auto solver = Solver::make(chain).value();
  ASSERT_EQ(solver.gravity_torque(arm.state().q, gravity), Status::kOk);
  const VecXd expected = gravity - J.topRows<3>().transpose() * arm.pull_force();
  EXPECT_GT(arm.pull_force().norm(), 1.0);
  for (Index i = 0; i < 6; ++i) {
    EXPECT_NEAR(arm.torque()[i], expected[i], chain->coordinate_joint(i).friction + 1e-2) << i;
  }
}

TEST(SimulatedArm, APullIsNoStrongerThanTheArmIsHeavy) {
  const ChainPtr chain = load_robot("arm7");
  SimulatedArm arm = make(chain);
  arm.pull(Pull{6, Vec3d::Zero(), Vec3d(100.0, 0.0, 0.0)});
  for (int k = 0; k < 100; ++k) {
    ASSERT_EQ(arm.step(), Status::kOk);
    EXPECT_LE(arm.pull_force().norm(), 9.81 * chain->total_mass() * (1.0 + 1e-9));
  }
  arm.pull({});
  ASSERT_EQ(arm.step(), Status::kOk);
  EXPECT_EQ(arm.pull_force().norm(), 0.0);
}

// A soft law overshoots: as fast as the limits allow the arm would be braked on its way.
TEST(SimulatedArm, ASoftLawArrivesWhereItIsToGo) {
  const ChainPtr chain = load_robot("arm7");
  for (const double sign : {1.0, -1.0}) {
    SimulatedArm arm = make(chain, {.frequency = 15.0, .delay = 0.004, .predict = true});
    VecXd goal = VecXd::Zero(7);
    goal.tail<3>().setConstant(sign);
    arm.go_to(goal);
    for (int k = 0; k < 6000; ++k) {
      ASSERT_EQ(arm.step(), Status::kOk);
      ASSERT_FALSE(arm.braked()) << k << ": " << to_string(arm.fault());
    }
    EXPECT_LT((arm.state().q - goal).cwiseAbs().maxCoeff(), 0.05) << arm.state().q.transpose();
  }
}

TEST(SimulatedArm, OtherSettingsTakeOverWhereTheArmStands) {
  const ChainPtr chain = load_robot("arm7");
  SimulatedArm arm = make(chain);
  arm.go_to(VecXd::Constant(7, 0.5));
  for (int k = 0; k < 60; ++k) ASSERT_EQ(arm.step(), Status::kOk);
  SimulatedArm next = make(chain, {.law = Law::kQuasiVelocity, .delay = 0.004, .predict = true});
  ASSERT_EQ(next.take_over(arm), Status::kOk);
  EXPECT_EQ(next.state().q, arm.state().q);
  EXPECT_EQ(next.state().qd, arm.state().qd);
  EXPECT_EQ(next.reference().q, arm.reference().q);
  EXPECT_EQ(next.time(), arm.time());
  EXPECT_EQ(next.output().torque, arm.output().torque);
  for (int k = 0; k < 3000; ++k) ASSERT_EQ(next.step(), Status::kOk);
  EXPECT_LT((next.state().q - VecXd::Constant(7, 0.5)).norm(), 5e-3);
}

// Without delay there is nothing to compare; with one, it is bit for bit the arm that does without prediction.
TEST(SimulatedArm, TheArmBesidePredictsTheOtherWayRound) {
  const ChainPtr chain = load_robot("arm7");
  EXPECT_EQ(make(chain, {.compare = true}).other_error(), nullptr);
  SimulatedArm arm = make(chain, {.delay = 0.004, .predict = true, .compare = true});
  SimulatedArm without = make(chain, {.delay = 0.004});
  const TrajectoryPtr motion = cycloid(arm.state().q, VecXd::Constant(7, 0.9), 2.0).value();
  arm.follow(motion);
  without.follow(motion);
  for (int k = 0; k < 2000; ++k) {
    ASSERT_EQ(arm.step(), Status::kOk);
    ASSERT_EQ(without.step(), Status::kOk);
    ASSERT_EQ(*arm.other_error(), without.error()) << k;
  }
  EXPECT_NE(arm.error(), without.error());
}

TEST(SimulatedArm, RefusesADelayTooLong) {
  const auto arm = SimulatedArm::make(load_robot("planar3r"), {.delay = 1.0}, {}, VecXd::Zero(3));
  ASSERT_FALSE(arm);
  EXPECT_NE(arm.error().sentence.find("delay"), std::string::npos);
}

}  // namespace dyn::test::simulated_arm_tests
