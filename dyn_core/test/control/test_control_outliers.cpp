// What a single wrong sample may do to the arm: hardly more than in the period that it is for.
#include <cmath>
#include <numbers>

#include "control_support.hpp"

namespace dyn::test::control_outliers_tests {
namespace {

VecXd posture() {
  VecXd q(7);
  q << 0.1, 0.3, 0.2, 1.2, 0.1, 0.4, 0.1;
  return q;
}

/// A controller and its arm; what it is shown can be changed before.
struct Loop {
  Loop(const ChainPtr& chain, const ControllerParameters& parameters, const VecXd& q,
       const PlantParameters& plant_parameters = {})
      : controller(take(Controller::make(chain, parameters))),
        plant(take(Plant::make(chain, plant_parameters))),
        reference(7),
        effort(parameters.law.limits.effort) {
    reference.q = q;
    JointState state(7);
    state.q = q;
    before = VecXd::Zero(7);
    EXPECT_EQ(solver_of(chain).gravity_torque(q, before), Status::kOk);
    EXPECT_EQ(controller.activate(before), Status::kOk);
    EXPECT_EQ(plant.reset(state, before), Status::kOk);
  }

  void step(const JointState& shown) {
    const ControlOutput& out = controller.update(plant.time(), shown, reference, 1e-3);
    const bool well = out.status == Status::kOk || out.status == Status::kNotFinite;
    ASSERT_TRUE(well && out.torque.allFinite())
        << to_string(out.status) << " at " << plant.time() << " s";
    largest = std::max(largest, (out.torque - before).cwiseQuotient(effort).cwiseAbs().maxCoeff());
    before = out.torque;
    ASSERT_EQ(plant.command(out.torque), Status::kOk);
    ASSERT_EQ(plant.step(1e-3), Status::kOk);
    speed = std::max(speed, plant.state().qd.cwiseAbs().maxCoeff());
    off = std::max(off, (plant.state().q - reference.q).cwiseAbs().maxCoeff());
  }
  void step() { step(plant.measured()); }
  void watch() { largest = speed = off = 0.0; }

  Controller controller;
  Plant plant;
  Reference reference;
  VecXd effort, before;
  double largest = 0.0;           // change of a torque in a period, of its limit
  double speed = 0.0, off = 0.0;  // rad/s and rad, since watch()
};

// The driver made a velocity of the way of the whole gap over one period.
TEST(Outliers, AVelocityAfterADropoutIsForgotten) {
  const ChainPtr chain = load_robot("arm7");
  for (const int gap : {7, 12, 25}) {
    Loop loop(chain, ControllerParameters(*chain), posture());
    VecXd last = posture();
    for (int k = 0; k < 1200; ++k) {
      const double time = 1e-3 * k, w = 3.0;
      for (const Index joint : {1, 3}) {
        loop.reference.q[joint] = posture()[joint] + 0.8 / w * (1.0 - std::cos(w * time));
        loop.reference.qd[joint] = 0.8 * std::sin(w * time);
        loop.reference.qdd[joint] = 0.8 * w * std::cos(w * time);
      }
      JointState shown = loop.plant.measured();
      if (k == 400) last = shown.q;
      if (k > 400 && k <= 400 + gap) shown.qd.setConstant(kNaN);
      if (k == 401 + gap) shown.qd = (shown.q - last) / 1e-3;
      if (k == 400) loop.watch();
      loop.step(shown);
    }
    EXPECT_LT(loop.speed, 1.0) << "where the reference has 0.8 rad/s, gap " << gap;
    EXPECT_LT(loop.off, 0.02) << gap;
  }
}

TEST(Outliers, AFirstReferenceThatIsWrongDoesNotThrowTheArm) {
  const ChainPtr chain = load_robot("arm7");
  Loop loop(chain, ControllerParameters(*chain), posture());
  for (int k = 0; k < 1000; ++k) {
    if (k == 400) loop.controller.continue_from_last();
    loop.reference.q = posture();
    if (k == 400) loop.reference.q[1] += 0.9;
    loop.step();
    if (k == 400) loop.watch();
  }
  EXPECT_LT(loop.off, 0.005);
  EXPECT_LT(loop.speed, 0.1);
}

// Accelerations that are finite, and whose torques are, but not their difference.
TEST(Outliers, ReferencesOfAnySizeLeadToFiniteTorques) {
  const ChainPtr chain = load_robot("arm7");
  JointState state(7);
  state.q = posture();
  for (const LawEntry& entry : control_laws()) {
    for (const double size : {5e307, 1e308, 1.7e308}) {
      ControllerParameters parameters(*chain);
      parameters.law.law = entry.law;
      Controller controller = take(Controller::make(chain, parameters));
      ASSERT_EQ(controller.activate(VecXd::Zero(7)), Status::kOk);
      Reference reference(7);
      reference.q = posture();
      for (int k = 0; k < 20; ++k) {
        reference.qdd.setConstant(k == 0 ? size : k < 10 ? -size : 0.0);
        const ControlOutput& out = controller.update(1e-3 * k, state, reference, 1e-3);
        ASSERT_TRUE(out.torque.allFinite()) << entry.name << ", " << size << ", period " << k;
      }
    }
  }
}

TEST(Outliers, BeyondAPositionLimitNoiseIsNoTorque) {
  const ChainPtr chain = load_robot("arm7");
  for (const Index joint : {1, 3}) {
    VecXd q = posture();
    q[joint] = chain->coordinate_joint(joint).limits.upper + 0.02;
    PlantParameters plant;
    plant.velocity_noise = 0.005;
    plant.model.stops = false;
    Loop loop(chain, ControllerParameters(*chain), q, plant);
    for (int k = 0; k < 1500; ++k) {
      if (k == 500) loop.watch();
      loop.step();
    }
    EXPECT_LT(loop.largest, 0.1) << "joint " << joint;
  }
}

// The elbow's encoder begins anew while somebody leans on it.
TEST(Outliers, AnImpedanceDoesNotPayForATurnThatIsNone) {
  const ChainPtr arm = load_robot("arm7");
  int number = 0;
  const ChainPtr chain = edited(*arm, [&](Joint& joint) {
    if (number++ != 2) return;
    joint.type = JointType::kContinuous;
    joint.limits.lower = -kInfinity;
    joint.limits.upper = kInfinity;
  });
  ControllerParameters parameters(*chain);
  parameters.law.law = Law::kImpedance;
  VecXd q = posture();
  q[2] = 3.1;
  Loop loop(chain, parameters, q);
  for (int k = 0; k < 2500; ++k) {
    VecXd push = VecXd::Zero(7);
    if (k > 100) push[2] = 6.0;
    loop.plant.set_external_torque(push);
    JointState shown = loop.plant.measured();
    shown.q[2] = std::remainder(shown.q[2], 2.0 * std::numbers::pi);
    loop.step(shown);
    ASSERT_GT(loop.controller.output().tip.tank, -1.0) << "at " << loop.plant.time() << " s";
  }
  EXPECT_GT(loop.plant.state().q[2], std::numbers::pi) << "it has not passed there";
}

}  // namespace
}  // namespace dyn::test::control_outliers_tests
