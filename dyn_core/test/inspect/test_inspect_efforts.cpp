// What the monitor sees in the efforts of an arm in motion that is pushed at its tip.
#include <cmath>

#include "dyn_core/inspect/monitor.hpp"
#include "robot/urdf_text.hpp"
#include "support.hpp"

namespace dyn::test::inspect_effort_tests {
namespace {

using namespace inspect;

constexpr std::int64_t kPeriod = 2'000'000;  // ns

class Efforts : public testing::Test {
 protected:
  Efforts() {
    settings_.urdf.tip = "tool0";
    wanted_.set(index(Output::kResidual)).set(index(Output::kExternalWrench));
  }

  void start() {
    monitor_ = Monitor(settings_);
    ASSERT_TRUE(monitor_.load(file_text(robot_path("arm7"))).has_value());
  }
  // The arm on sines, `count` states long; `push` acts on the tip, in the base link frame.
  void move(int count, const Wrench& push) {
    for (int k = 0; k < count; ++k) {
      stamp_ += kPeriod;
      const double t = 1e-9 * static_cast<double>(stamp_);
      for (Index i = 0; i < 7; ++i) {
        const double w = 0.8 + 0.3 * static_cast<double>(i);
        q_[i] = 0.4 + 0.5 * std::sin(w * t);
        qd_[i] = 0.5 * w * std::cos(w * t);
        qdd_[i] = -0.5 * w * w * std::sin(w * t);
      }
      VecXd tau(7), friction(7);
      ASSERT_EQ(solver_.inverse_dynamics(q_, qd_, qdd_, tau), Status::kOk);
      ASSERT_EQ(solver_.friction_torque(qd_, friction), Status::kOk);
      ASSERT_EQ(kinematics_.update(q_), Status::kOk);
      ASSERT_EQ(kinematics_.jacobian(jacobian_), Status::kOk);
      Eigen::Matrix<double, 6, 1> wrench;
      wrench << push.force, push.torque;
      effort_ = tau + friction - jacobian_.transpose() * wrench;
      if (!settings_.efforts.contain_gravity) {
        ASSERT_EQ(solver_.gravity_torque(q_, tau), Status::kOk);
        effort_ -= tau;
      }
      give(qd_, effort_);
      if (k % 5 == 0) computed_ = monitor_.compute(wanted_);
    }
  }
  void give(const VecXd& qd, const VecXd& effort) {
    const auto span = [](const VecXd& v) {
      return std::span<const double>(v.data(), static_cast<std::size_t>(v.size()));
    };
    ASSERT_TRUE(monitor_.take(
        {monitor_.chain().coordinate_names(), span(q_), span(qd), span(effort), stamp_},
        1e-9 * static_cast<double>(stamp_)));
  }

  ChainPtr chain_ = load_robot("arm7");
  Solver solver_ = Solver::make(chain_).value();
  Kinematics<double> kinematics_{chain_};
  Settings settings_;
  Monitor monitor_;
  OutputSet wanted_, computed_;
  std::int64_t stamp_ = 1'700'000'000'000'000'000;  // as of a system's clock
  VecXd q_ = VecXd::Zero(7), qd_ = q_, qdd_ = q_, effort_ = q_;
  MatXd jacobian_ = MatXd::Zero(6, 7);
  const Wrench push_ = {Vec3d(12.0, -7.0, 20.0), Vec3d(0.5, -1.0, 0.8)};
};

TEST_F(Efforts, WhatTheModelExplainsLeavesNoResidual) {
  for (const bool contain_gravity : {true, false}) {
    settings_.efforts.contain_gravity = contain_gravity;
    start();
    move(1000, {});
    EXPECT_EQ(computed_, wanted_);
    EXPECT_LT(monitor_.values().residual.lpNorm<Eigen::Infinity>(), 2e-3);
    EXPECT_LT(monitor_.values().external_wrench.force.norm(), 1e-2);
  }
}

TEST_F(Efforts, APushAtTheTipIsSeenAsOne) {
  settings_.efforts.gain = 100.0;
  start();
  move(1000, push_);
  Eigen::Matrix<double, 6, 1> wrench;
  wrench << push_.force, push_.torque;
  const VecXd at_joints = jacobian_.transpose() * wrench;
  // The observer is behind by 1/100 s, in which the posture changes.
  EXPECT_LT((monitor_.values().residual + at_joints).norm(), 0.03 * at_joints.norm());
  const Mat3d to_tip = kinematics_.tip_pose().R.transpose();
  const Wrench& seen = monitor_.values().external_wrench;
  EXPECT_LT((seen.force - to_tip * push_.force).norm(), 0.05 * push_.force.norm());
  EXPECT_LT((seen.torque - to_tip * push_.torque).norm(), 0.05 * push_.force.norm());
}

TEST_F(Efforts, AWrongMeaningOfTheEffortsShowsAsGravity) {
  start();
  settings_.efforts.contain_gravity = false;  // of the arm, not of the monitor
  move(1000, {});
  VecXd gravity(7);
  ASSERT_EQ(solver_.gravity_torque(q_, gravity), Status::kOk);
  EXPECT_LT((monitor_.values().residual + gravity).norm(), 0.1 * gravity.norm());
}

TEST_F(Efforts, AreMissedWhereTheyAreNotGiven) {
  start();
  move(500, push_);
  EXPECT_EQ(computed_, wanted_);
  stamp_ += kPeriod;
  give(qd_, VecXd());
  EXPECT_TRUE(monitor_.compute(wanted_).none());
  EXPECT_EQ(monitor_.values().status[index(Output::kResidual)], Status::kMissing);
  give(VecXd(), effort_);
  EXPECT_TRUE(monitor_.compute(wanted_).none());
  move(1, push_);
  EXPECT_EQ(computed_, wanted_);
  EXPECT_TRUE(monitor_.values().residual.isZero(0.0)) << "begins anew";
}

TEST_F(Efforts, AGapOrAJumpInTimeThrowsNothing) {
  start();
  move(1000, {});
  for (const std::int64_t jump : {3'000'000'000LL, -7'000'000'000LL, 0LL}) {
    stamp_ += jump;
    move(30, {});
    EXPECT_LT(monitor_.values().residual.lpNorm<Eigen::Infinity>(), 2e-3) << jump;
  }
}

TEST_F(Efforts, WhatIsCarriedIsFoundFromTheMotion) {
  for (const bool contain_gravity : {true, false}) {
    settings_.efforts.contain_gravity = contain_gravity;
    start();
    EXPECT_FALSE(monitor_.stop_payload_trial().has_value()) << "never started";
    RigidBody load;
    load.mass = 1.7;
    load.com = Vec3d(0.03, -0.02, 0.09);
    load.inertia = Vec3d(0.004, 0.006, 0.005).asDiagonal();
    solver_.set_payload(load);
    monitor_.start_payload_trial();
    move(3000, {});
    const auto found = monitor_.stop_payload_trial();
    ASSERT_TRUE(found.has_value()) << found.error().sentence;
    EXPECT_EQ(found->joint_states, 3000u);
    EXPECT_NEAR(found->payload.body.mass, load.mass, 0.02);
    EXPECT_LT((found->payload.body.com - load.com).norm(), 0.005);
    EXPECT_GT(found->payload.mass_deviation, 0.0);
    EXPECT_LT(found->rms_after.norm(), 0.1 * found->rms_before.norm());
    EXPECT_FALSE(monitor_.stop_payload_trial().has_value()) << "stopped already";
    monitor_.start_payload_trial();
    EXPECT_FALSE(monitor_.stop_payload_trial().has_value()) << "nothing came";
    solver_.set_payload({});
  }
}

TEST_F(Efforts, AGainThatMakesNoSenseIsNamed) {
  settings_.efforts.gain = 0.0;
  EXPECT_EQ(Monitor().check(settings_).error().sentence,
            "the observer's gain is 0 1/s; give a positive one");
}

}  // namespace
}  // namespace dyn::test::inspect_effort_tests
