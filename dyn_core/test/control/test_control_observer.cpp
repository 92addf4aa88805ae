// The momentum observer on a simulated arm that is pushed.
#include <cmath>

#include "control_support.hpp"

namespace dyn::test::control_observer_tests {
namespace {

constexpr double kPeriod = 1e-3;

/// arm7 moves under computed torque while the observer watches.
class Watched {
 public:
  explicit Watched(double gain, double threshold = kInfinity, double delay = 0.0)
      : chain(load_robot("arm7")),
        law(take(ControlLaw::make(chain, ControlParameters(*chain)))),
        plant(take(Plant::make(chain, plant_parameters(delay)))),
        observer(take(MomentumObserver::make(chain, observer_parameters(gain, threshold)))),
        reference_(7),
        kinematics_(chain) {
    centre_ = VecXd(7);
    centre_ << 0.2, 0.5, 0.1, 1.4, 0.2, 0.6, 0.1;
    JointState state(7);
    state.q = centre_;
    refer(0.0);
    state.qd = reference_.qd;
    VecXd torque = VecXd::Zero(7);
    Solver solver = solver_of(chain);
    EXPECT_EQ(solver.gravity_torque(state.q, torque), Status::kOk);
    EXPECT_EQ(law.activate(torque), Status::kOk);
    EXPECT_EQ(plant.reset(state, torque), Status::kOk);
    EXPECT_EQ(observer.update(state, torque, kPeriod), Status::kOk);
  }

  void step() {
    refer(plant.time());
    EXPECT_EQ(plant.command(law.update(plant.measured(), reference_, kPeriod).torque), Status::kOk);
    EXPECT_EQ(plant.step(kPeriod), Status::kOk);
    EXPECT_EQ(observer.update(plant.measured(), plant.torque(), kPeriod), Status::kOk);
  }
  void run(double seconds) {
    for (int i = 0; i < static_cast<int>(std::lround(seconds / kPeriod)); ++i) step();
  }
  /// Jᵀ times the wrench.
  VecXd joint_torque(const Wrench& wrench) {
    EXPECT_EQ(kinematics_.update(plant.state().q), Status::kOk);
    MatXd J(6, 7);
    EXPECT_EQ(kinematics_.jacobian(J), Status::kOk);
    return J.topRows(3).transpose() * wrench.force + J.bottomRows(3).transpose() * wrench.torque;
  }

  ChainPtr chain;
  ControlLaw law;
  Plant plant;
  MomentumObserver observer;

 private:
  static PlantParameters plant_parameters(double delay) {
    PlantParameters parameters;
    parameters.delay = delay;
    return parameters;
  }
  static ObserverParameters observer_parameters(double gain, double threshold) {
    ObserverParameters parameters(7);
    parameters.gain.setConstant(gain);
    parameters.threshold.setConstant(threshold);
    return parameters;
  }
  // Every joint moves with 0.5 rad/s at least, away from standstill and its friction.
  void refer(double time) {
    reference_.q = centre_.array() + 0.6 * time + 0.02 * std::sin(5.0 * time);
    reference_.qd.setConstant(0.6 + 0.1 * std::cos(5.0 * time));
    reference_.qdd.setConstant(-0.5 * std::sin(5.0 * time));
  }

  Reference reference_;
  Kinematics<double> kinematics_;
  VecXd centre_;
};

TEST(MomentumObserver, SeesAPushAtTheTipWithinMilliseconds) {
  for (const double delay : {0.0, 0.004}) {
    SCOPED_TRACE(delay);
    Watched arm(1000.0, kInfinity, delay);
    arm.run(0.1);
    const Wrench push{{0.0, 6.0, 8.0}, Vec3d::Zero()};  // 10 N
    const double scale = arm.joint_torque(push).norm();
    EXPECT_LT(arm.observer.external_torque().norm(), 0.01 * scale) << "nothing there yet";
    arm.plant.set_tip_wrench(push);
    arm.run(0.003);
    const VecXd expected = arm.joint_torque(push);
    EXPECT_LT((arm.observer.external_torque() - expected).norm(), 0.1 * expected.norm());
    Wrench seen;
    ASSERT_EQ(arm.observer.tip_wrench(arm.plant.state().q, seen), Status::kOk);
    EXPECT_LT((seen.force - push.force).norm(), 1.0);
    arm.run(0.02);
    ASSERT_EQ(arm.observer.tip_wrench(arm.plant.state().q, seen), Status::kOk);
    EXPECT_LT((seen.force - push.force).norm(), 0.2);
    EXPECT_LT(seen.torque.norm(), 0.05);
  }
}

// (2): r approaches a constant torque as 1 - exp(-K t).
TEST(MomentumObserver, IsAFirstOrderFilterOfTheExternalTorque) {
  Joint hinge;
  const Pendulum pendulum;
  const ChainPtr chain = pendulum.chain(hinge);
  const double gain = 100.0, external = 0.5;
  ObserverParameters parameters(1);
  parameters.gain.setConstant(gain);
  MomentumObserver observer = take(MomentumObserver::make(chain, parameters));
  Plant plant = take(Plant::make(chain, {}));
  ASSERT_EQ(plant.reset(JointState(1), VecXd::Constant(1, external)), Status::kOk);
  ASSERT_EQ(observer.update(plant.state(), VecXd::Zero(1), kPeriod), Status::kOk);
  for (int i = 1; i <= 60; ++i) {
    ASSERT_EQ(plant.step(kPeriod), Status::kOk);  // the observer is not told of the torque
    ASSERT_EQ(observer.update(plant.state(), VecXd::Zero(1), kPeriod), Status::kOk);
    const double expected = external * -std::expm1(-gain * i * kPeriod);
    EXPECT_NEAR(observer.external_torque()[0], expected, 1e-4 * external) << i;
  }
}

TEST(MomentumObserver, ContactsWaitAndLetGoWithHysteresis) {
  Watched arm(500.0, 1.0);
  arm.run(0.05);
  EXPECT_FALSE(arm.observer.any_contact());
  const Wrench push{{0.0, 0.0, 20.0}, Vec3d::Zero()};
  arm.plant.set_tip_wrench(push);
  int waited = 0;
  while (!arm.observer.any_contact() && waited < 100) {
    arm.step();
    ++waited;
  }
  EXPECT_GE(waited, 2) << "hold";
  EXPECT_LE(waited, 8);
  EXPECT_TRUE(arm.observer.contact(1)) << "the shoulder bears it";
  EXPECT_FALSE(arm.observer.contact(6)) << "the flange turn hardly";
  arm.plant.set_tip_wrench({});
  arm.run(0.03);
  EXPECT_TRUE(arm.observer.any_contact()) << "release";
  arm.run(0.1);
  EXPECT_FALSE(arm.observer.any_contact());
}

TEST(MomentumObserver, APayloadSetInMotionIsNoPush) {
  Watched arm(500.0, 5.0);
  arm.run(0.3);
  const VecXd before = arm.observer.external_torque();
  RigidBody load;
  load.mass = 2.0;
  arm.observer.set_payload(load);
  arm.step();
  EXPECT_EQ(arm.observer.external_torque(), before);
  // From here on its weight and inertia are missed: some N m, not the momentum in one period.
  arm.step();
  EXPECT_LT((arm.observer.external_torque() - before).lpNorm<Eigen::Infinity>(), 20.0);
}

TEST(MomentumObserver, BrokenInputsLeaveTheEstimate) {
  Watched arm(500.0);
  arm.plant.set_tip_wrench({{0.0, 0.0, 10.0}, Vec3d::Zero()});
  arm.run(0.05);
  const VecXd before = arm.observer.external_torque();
  JointState broken(7);
  broken.qd.setConstant(kNaN);
  const VecXd zero = VecXd::Zero(7);
  EXPECT_EQ(arm.observer.update(broken, zero, kPeriod), Status::kNotFinite);
  EXPECT_EQ(arm.observer.update(arm.plant.state(), VecXd::Constant(7, kNaN), kPeriod),
            Status::kNotFinite);
  EXPECT_EQ(arm.observer.update(arm.plant.state(), zero, kNaN), Status::kNotFinite);
  EXPECT_EQ(arm.observer.update(JointState(3), zero, kPeriod), Status::kWrongSize);
  EXPECT_EQ(arm.observer.external_torque(), before);
  arm.run(0.05);
  EXPECT_LT((arm.observer.external_torque() - before).norm(), 0.1 * before.norm());
  arm.observer.reset();
  EXPECT_TRUE(arm.observer.external_torque().isZero(0.0));
}

TEST(MomentumObserver, HardwareGravityIsNotExpectedInTheTorque) {
  const ChainPtr chain = load_robot("arm7");
  JointState rest(7);
  rest.q.setConstant(0.5);
  for (const bool hardware : {false, true}) {
    ObserverParameters parameters(7);
    parameters.hardware_compensates_gravity = hardware;
    MomentumObserver observer = take(MomentumObserver::make(chain, parameters));
    for (int i = 0; i < 200; ++i) {  // at rest without torque
      ASSERT_EQ(observer.update(rest, VecXd::Zero(7), kPeriod), Status::kOk);
    }
    EXPECT_EQ(observer.external_torque().norm() < 1e-9, hardware);
  }
}

TEST(MomentumObserver, BadParametersAreRefusedWithASentence) {
  const ChainPtr chain = load_robot("arm7");
  const auto sentence = [&](const std::function<void(ObserverParameters&)>& spoil) {
    ObserverParameters parameters(7);
    spoil(parameters);
    const auto observer = MomentumObserver::make(chain, parameters);
    return observer ? std::string("accepted") : observer.error().sentence;
  };
  EXPECT_NE(sentence([](auto& p) { p.gain[2] = 0.0; }).find("joint3"), std::string::npos);
  EXPECT_NE(sentence([](auto& p) { p.threshold[4] = -1.0; }).find("joint5"), std::string::npos);
  EXPECT_NE(sentence([](auto& p) { p.gain.resize(2); }).find("7 gains"), std::string::npos);
  EXPECT_NE(sentence([](auto& p) { p.hysteresis = 2.0; }).find("hysteresis"), std::string::npos);
  EXPECT_EQ(sentence([](auto&) {}), "accepted");
}

}  // namespace
}  // namespace dyn::test::control_observer_tests
