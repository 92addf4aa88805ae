// Limits, faults, changes while running: the torque stays finite, bounded and smooth.
#include <cmath>

#include "control_support.hpp"

namespace dyn::test::control_safety_tests {
namespace {

constexpr std::uint64_t kSeed = 20261202;

// Gains high enough for every limit to be met.
ControlParameters fierce(const Chain& chain, Law law) {
  ControlParameters parameters(chain);
  parameters.law = law;
  parameters.ramp_in = 0.0;
  const bool accelerates = entry_of(law).acceleration_gains;
  parameters.gains.kp.setConstant(accelerates ? 1e4 : 500.0);
  parameters.gains.kd.setConstant(accelerates ? 200.0 : 20.0);
  return parameters;
}

TEST(ControlLimits, ScaledSaturationKeepsTheDirection) {
  const ChainPtr chain = load_robot("arm7");
  Solver solver = solver_of(chain);
  Random random(kSeed);
  ControlParameters parameters = fierce(*chain, Law::kComputedTorque);
  parameters.friction = false;
  ControlLaw scaled = take(ControlLaw::make(chain, parameters));
  parameters.limits.saturation = Saturation::kPerJoint;
  ControlLaw cut = take(ControlLaw::make(chain, parameters));
  VecXd qdd(7);
  int met = 0;
  double worst_cut = 1.0;
  for (int i = 0; i < 200; ++i) {
    const JointState state = random_state(random, 7, 0.5);
    Reference reference = random_reference(random, 7);
    reference.q = state.q + random.vector(7, 0.3);
    const VecXd wanted = reference.qdd + parameters.gains.kp.cwiseProduct(reference.q - state.q) +
                         parameters.gains.kd.cwiseProduct(reference.qd - state.qd);
    const ControlOutput& out = scaled.update(state, reference, 1e-3);
    if (!out.limit.effort || out.limit.direction_lost) continue;
    ++met;
    ASSERT_EQ(solver.forward_dynamics(state.q, state.qd, out.torque, qdd), Status::kOk);
    EXPECT_LT((qdd - out.limit.scale * wanted).norm(), 1e-8 * wanted.norm());
    const VecXd torque = cut.update(state, reference, 1e-3).torque;
    ASSERT_EQ(solver.forward_dynamics(state.q, state.qd, torque, qdd), Status::kOk);
    worst_cut = std::min(worst_cut, qdd.dot(wanted) / qdd.norm() / wanted.norm());
  }
  EXPECT_GT(met, 100);
  EXPECT_LT(worst_cut, 0.9) << "cutting joint by joint bends the motion off its way";
}

// Random inputs of every size, broken ones among them, against a limit of 30 and 50 per period.
void expect_limits_kept(ControlLaw law, Index n) {
  Random random(kSeed + 1);
  VecXd before = VecXd::Zero(n);
  for (int i = 0; i < 400; ++i) {
    const double size = std::pow(10.0, random.uniform(-3.0, 3.0));
    JointState state(n);
    Reference reference(n);
    state.q = random.vector(n, size);
    state.qd = random.vector(n, size);
    reference.q = random.vector(n, size);
    reference.qd = random.vector(n, size);
    reference.qdd = random.vector(n, size);
    const double broken[] = {kNaN, kInfinity, -kInfinity, 1e200, 1e308};
    const double poison = broken[i % 5];
    if (random.chance(0.1)) state.q[i % n] = poison;
    if (random.chance(0.1)) state.qd[i % n] = poison;
    if (random.chance(0.1)) reference.qdd[i % n] = poison;
    const ControlOutput& out = law.update(state, reference, random.chance(0.1) ? poison : 1e-3);
    ASSERT_TRUE(out.torque.allFinite());
    ASSERT_LE(out.torque.cwiseAbs().maxCoeff(), 30.0);
    ASSERT_LE((out.torque - before).cwiseAbs().maxCoeff(), 50.0 * (1.0 + 1e-12));
    ASSERT_TRUE(sum(out.terms).allFinite());
    before = out.torque;
  }
}

TEST(ControlLimits, NoTorqueIsEverAboveItsLimitOrNotFinite) {
  for (const ChainPtr& chain : {load_robot("arm7"), load_robot("stanford")}) {
    for (const LawEntry& entry : control_laws()) {
      for (const Saturation saturation : {Saturation::kPerJoint, Saturation::kScaled}) {
        for (const bool hardware : {false, true}) {
          SCOPED_TRACE(std::string(entry.name) + " on " + chain->name());
          ControlParameters parameters = fierce(*chain, entry.law);
          parameters.limits.effort.setConstant(30.0);
          parameters.limits.rate.setConstant(5e4);
          parameters.limits.saturation = saturation;
          parameters.hardware_compensates_gravity = hardware;
          parameters.gains.ki.setConstant(500.0);
          parameters.ramp_in = 0.01;
          expect_limits_kept(take(ControlLaw::make(chain, parameters)), chain->dof());
        }
      }
    }
  }
}

TEST(ControlLimits, WithHardwareGravityTheSumIsWithinTheEffort) {
  const ChainPtr chain = load_robot("arm7");
  Solver solver = solver_of(chain);
  Random random(kSeed + 2);
  ControlParameters parameters = fierce(*chain, Law::kComputedTorque);
  parameters.hardware_compensates_gravity = true;
  ControlLaw law = take(ControlLaw::make(chain, parameters));
  VecXd gravity(7);
  for (int i = 0; i < 200; ++i) {
    const JointState state = random_state(random, 7);
    const ControlOutput& out = law.update(state, random_reference(random, 7), 1e-3);
    ASSERT_EQ(solver.gravity_torque(state.q, gravity), Status::kOk);
    const VecXd& effort = parameters.limits.effort;
    EXPECT_LE(((out.torque + gravity).cwiseAbs() - effort).maxCoeff(), 1e-9);
    EXPECT_LE((out.torque.cwiseAbs() - effort).maxCoeff(), 0.0);
  }
}

TEST(ControlFaults, AGlitchLeavesNoTrace) {
  const ChainPtr chain = load_robot("arm7");
  ControlLaw law = take(ControlLaw::make(chain, ControlParameters(*chain)));
  Random random(kSeed + 3);
  const JointState state = random_state(random, 7, 0.1);
  Reference reference(7);
  reference.q = state.q;
  ASSERT_EQ(law.activate(VecXd::Zero(7)), Status::kOk);
  for (int i = 0; i < 5000; ++i) (void)law.update(state, reference, 1e-3);  // blended in
  const VecXd before = law.output().torque;
  JointState lost(7);
  lost.q.setConstant(kNaN);
  const ControlOutput& out = law.update(lost, reference, 1e-3);
  EXPECT_EQ(out.mode, ControlMode::kHolding);
  EXPECT_EQ(out.status, Status::kNotFinite);
  EXPECT_EQ(out.torque, before);
  EXPECT_LT((law.update(state, reference, 1e-3).torque - before).norm(), 1e-9);
  EXPECT_EQ(law.output().mode, ControlMode::kTracking);
}

// No reference any more: the arm is brought to rest and carried.
TEST(ControlFaults, WithoutReferenceTheArmIsStoppedAndCarried) {
  const ChainPtr chain = load_robot("arm7");
  for (const LawEntry& entry : control_laws()) {
    if (entry.law == Law::kPd || entry.follows == Follows::kNothing) continue;
    SCOPED_TRACE(entry.name);
    ControlParameters parameters(*chain);
    parameters.law = entry.law;
    if (!entry.acceleration_gains) parameters.gains.kd << 20, 20, 10, 10, 2, 1, 0.2;
    ControlLaw law = take(ControlLaw::make(chain, parameters));
    PlantParameters plant_parameters;
    plant_parameters.model.friction = Friction::kNone;
    Plant plant = take(Plant::make(chain, plant_parameters));
    Random random(kSeed + 4);
    JointState state = random_state(random, 7, 0.5);
    state.q[3] = 1.0;
    Reference lost(7);
    lost.q.setConstant(kNaN);
    ASSERT_EQ(law.activate(VecXd::Zero(7)), Status::kOk);
    ASSERT_EQ(plant.reset(state, VecXd::Zero(7)), Status::kOk);
    for (int i = 0; i < 2000; ++i) {
      const ControlOutput& out = law.update(plant.measured(), lost, 1e-3);
      ASSERT_EQ(out.mode, i < 5 ? ControlMode::kHolding : ControlMode::kStopping) << i;
      ASSERT_EQ(plant.command(out.torque), Status::kOk);
      ASSERT_EQ(plant.step(1e-3), Status::kOk);
    }
    EXPECT_LT(plant.state().qd.norm(), 1e-3);
    EXPECT_LT((plant.state().q - state.q).cwiseAbs().maxCoeff(), 0.6);
  }
}

TEST(ControlFaults, WithoutStateTheTorqueGoesToTheLastGravity) {
  const ChainPtr chain = load_robot("arm7");
  Solver solver = solver_of(chain);
  for (const bool hardware : {false, true}) {
    ControlParameters parameters(*chain);
    parameters.hardware_compensates_gravity = hardware;
    ControlLaw law = take(ControlLaw::make(chain, parameters));
    Random random(kSeed + 5);
    const JointState state = random_state(random, 7);
    for (int i = 0; i < 10; ++i) (void)law.update(state, random_reference(random, 7), 1e-3);
    const VecXd last = law.output().torque;
    VecXd gravity = VecXd::Zero(7);
    ASSERT_EQ(solver.gravity_torque(state.q, gravity), Status::kOk);
    if (hardware) gravity.setZero();
    JointState lost(7);
    lost.qd.setConstant(kInfinity);
    for (int i = 0; i < 105; ++i) (void)law.update(lost, Reference(7), 1e-3);
    EXPECT_EQ(law.output().mode, ControlMode::kBlind);
    const VecXd expected = gravity + std::exp(-1.0) * (last - gravity);  // one decay_time
    EXPECT_LT((law.output().torque - expected).norm(), 0.01 * last.norm());
    for (int i = 0; i < 2000; ++i) (void)law.update(lost, Reference(7), 1e-3);
    EXPECT_LT((law.output().torque - gravity).norm(), 1e-6 * (1.0 + last.norm()));
  }
}

TEST(ControlFaults, WrongSizesAreAFaultLikeAnyOther) {
  const ChainPtr chain = load_robot("arm7");
  ControlLaw law = take(ControlLaw::make(chain, ControlParameters(*chain)));
  EXPECT_EQ(law.update(JointState(6), Reference(7), 1e-3).status, Status::kWrongSize);
  EXPECT_EQ(law.update(JointState(7), Reference(8), 1e-3).status, Status::kWrongSize);
  for (int i = 0; i < 20; ++i) (void)law.update(JointState(0), Reference(0), 1e-3);
  EXPECT_TRUE(law.output().torque.allFinite());
  EXPECT_EQ(law.activate(VecXd::Zero(3)), Status::kWrongSize);
  EXPECT_EQ(law.activate(VecXd::Constant(7, kNaN)), Status::kNotFinite);
  EXPECT_EQ(law.set_gains(Gains(3)), Status::kWrongSize);
  EXPECT_EQ(law.set_disturbance(VecXd::Zero(3)), Status::kWrongSize);
  EXPECT_EQ(law.set_disturbance(VecXd::Constant(7, kNaN)), Status::kNotFinite);
  EXPECT_EQ(law.set_expected_wrench({{kNaN, 0.0, 0.0}, {}}), Status::kNotFinite);
  EXPECT_EQ(law.set_payload({kNaN, Vec3d::Zero(), Mat3d::Zero()}), Status::kNotFinite);
  EXPECT_EQ(law.set_gravity(Vec3d(0.0, kInfinity, 0.0)), Status::kNotFinite);
}

// Steps of the torque from one period to the next.
struct Steps {
  double usual = 0.0;     // well before and after the change
  double jump = 0.0;      // at the change
  double blending = 0.0;  // in the quarter of a second after it
};

// `change` happens in the middle of a motion.
Steps steps_of(const std::function<void(ControlLaw&)>& change, double ramp) {
  const ChainPtr chain = load_robot("arm7");
  ControlParameters parameters(*chain);
  parameters.ramp_in = ramp;
  parameters.gains.ki.setConstant(1000.0);
  ControlLaw law = take(ControlLaw::make(chain, parameters));
  JointState state(7);
  state.q << 0.1, 0.5, 0.2, 1.5, 0.1, 0.4, 0.0;
  Reference reference(7);
  VecXd before;
  Steps steps;
  for (int i = 0; i < 1000; ++i) {
    reference.q = state.q.array() + 0.005 * std::sin(0.005 * i);
    if (i == 500) change(law);
    const VecXd torque = law.update(state, reference, 1e-3).torque;
    const double step = i == 0 ? 0.0 : (torque - before).cwiseAbs().maxCoeff();
    if ((i > 250 && i < 500) || i > 750) steps.usual = std::max(steps.usual, step);
    if (i == 500) steps.jump = step;
    if (i > 500 && i < 750) steps.blending = std::max(steps.blending, step);
    before = torque;
  }
  return steps;
}

TEST(ControlChanges, DoNotMakeTheTorqueJump) {
  Gains stiff(7);
  stiff.kp.setConstant(2500.0);
  stiff.kd.setConstant(100.0);
  stiff.ki.setConstant(3000.0);
  Gains without_integral(7);
  without_integral.kp.setConstant(400.0);
  without_integral.kd.setConstant(40.0);
  const RigidBody payload{3.0, {0.0, 0.0, 0.05}, Mat3d::Identity() * 0.01};
  const std::vector<std::function<void(ControlLaw&)>> changes = {
      [&](ControlLaw& law) { EXPECT_EQ(law.set_gains(stiff), Status::kOk); },
      [&](ControlLaw& law) { EXPECT_EQ(law.set_gains(without_integral), Status::kOk); },
      [&](ControlLaw& law) { EXPECT_EQ(law.set_payload(payload), Status::kOk); },
      [&](ControlLaw& law) { EXPECT_EQ(law.set_gravity(Vec3d(0.0, 9.81, 0.0)), Status::kOk); },
  };
  constexpr double kRamp = 0.2;
  for (const auto& change : changes) {
    SCOPED_TRACE(&change - changes.data());
    const Steps at_once = steps_of(change, 0.0), blended = steps_of(change, kRamp);
    EXPECT_GT(at_once.jump, 5.0 * at_once.usual);
    EXPECT_LT(std::max(blended.jump, blended.blending),
              1.5 * (blended.usual + 3.0 * at_once.jump * 1e-3 / kRamp));
  }
}

TEST(ControlChanges, ActivationStartsFromTheTorqueThatActs) {
  const ChainPtr chain = load_robot("arm7");
  ControlLaw law = take(ControlLaw::make(chain, ControlParameters(*chain)));
  Random random(kSeed + 6);
  const JointState state = random_state(random, 7, 0.1);
  Reference reference(7);  // near enough for no limit to be met
  reference.q = state.q + random.vector(7, 0.01);
  VecXd now = random.vector(7, 5.0);
  ASSERT_EQ(law.activate(now), Status::kOk);
  EXPECT_LT((law.update(state, reference, 1e-3).torque - now).norm(), 1e-9);
  const double first = law.output().terms.handover.norm();
  for (int i = 0; i < 200; ++i) (void)law.update(state, reference, 1e-3);
  EXPECT_NEAR(law.output().terms.handover.norm(), std::exp(-3.0) * first, 1e-9 * first);
  now.setConstant(1e6);
  ASSERT_EQ(law.activate(now), Status::kOk);
  EXPECT_EQ(law.output().torque, law.parameters().limits.effort);
}

// A gravity vector that is renewed every period, as on a moving base, must not blend the feedback away.
TEST(ControlChanges, RepeatedEveryPeriodLeaveTheFeedbackAlone) {
  const ChainPtr chain = load_robot("arm7");
  ControlLaw once = take(ControlLaw::make(chain, ControlParameters(*chain)));
  ControlLaw streamed = take(ControlLaw::make(chain, ControlParameters(*chain)));
  Random random(kSeed + 7);
  const Vec3d gravity(0.0, 0.0, -9.81);
  for (int i = 0; i < 100; ++i) {
    const JointState state = random_state(random, 7);
    const Reference reference = random_reference(random, 7);
    ASSERT_EQ(streamed.set_gravity(gravity), Status::kOk);
    ASSERT_EQ(streamed.set_gains(once.parameters().gains), Status::kOk);
    const VecXd expected = once.update(state, reference, 1e-3).torque;
    EXPECT_EQ(streamed.update(state, reference, 1e-3).torque, expected);
  }
}

// Every second state is lost: the other half still closes the loop.
TEST(ControlFaults, FlickeringStatesDoNotFreezeTheTorque) {
  const ChainPtr chain = load_robot("arm7");
  ControlLaw whole = take(ControlLaw::make(chain, ControlParameters(*chain)));
  ControlLaw half = take(ControlLaw::make(chain, ControlParameters(*chain)));
  Random random(kSeed + 8);
  JointState lost(7);
  lost.q.setConstant(kNaN);
  for (int i = 0; i < 100; ++i) {
    const JointState state = random_state(random, 7);
    const Reference reference = random_reference(random, 7);
    const VecXd expected = whole.update(state, reference, 1e-3).torque;
    EXPECT_EQ(half.update(state, reference, 1e-3).torque, expected);
    EXPECT_EQ(half.update(lost, reference, 1e-3).torque, expected);
  }
}

TEST(ControlChanges, RefusedGainsChangeNothing) {
  const ChainPtr chain = load_robot("arm7");
  ControlLaw law = take(ControlLaw::make(chain, ControlParameters(*chain)));
  Gains bad = law.parameters().gains;
  bad.kp[2] = -1.0;
  EXPECT_EQ(law.set_gains(bad), Status::kUnsupported);
  bad.kp[2] = kNaN;
  EXPECT_EQ(law.set_gains(bad), Status::kNotFinite);
  bad = law.parameters().gains;
  bad.ki[0] = 1e9;
  EXPECT_EQ(law.set_gains(bad), Status::kUnsupported);
  EXPECT_TRUE(law.parameters().gains.kp.isConstant(400.0));
}

// A far step that saturates the drive for long winds the integral up; what back-calculation and the
// bound on the integral are for is the overshoot at the end.
TEST(ControlIntegral, IsBoundedAndUnwinds) {
  const ChainPtr chain = Pendulum().chain({});
  const auto overshoot = [&](double antiwindup_time, double bound) {
    ControlParameters parameters(*chain);
    parameters.ramp_in = 0.0;
    parameters.gains.ki.setConstant(3000.0);
    parameters.gains.kp.setConstant(600.0);
    parameters.antiwindup_time = antiwindup_time;
    parameters.integral_limit.setConstant(bound);
    parameters.limits.effort.setConstant(10.0);
    ControlLaw law = take(ControlLaw::make(chain, parameters));
    Plant plant = take(Plant::make(chain, {}));
    (void)law.set_gravity(Vec3d::Zero());
    plant.set_gravity(Vec3d::Zero());
    EXPECT_EQ(plant.reset(JointState(1), VecXd::Zero(1)), Status::kOk);
    Reference reference(1);
    reference.q[0] = 1.0;
    double furthest = 0.0;
    for (int i = 0; i < 20000; ++i) {
      (void)plant.command(law.update(plant.measured(), reference, 1e-3).torque);
      (void)plant.step(1e-3);
      furthest = std::max(furthest, plant.state().q[0] - 1.0);
      EXPECT_LE(std::abs(law.output().integral[0]), bound);
    }
    EXPECT_EQ(std::abs(plant.state().q[0] - 1.0) < 1e-3, antiwindup_time < 1.0 || bound < 1e3);
    return furthest;
  };
  const double wound_up = overshoot(1e6, kInfinity);
  EXPECT_GT(wound_up, 0.3);
  EXPECT_LT(overshoot(0.05, kInfinity), 0.25 * wound_up);
  EXPECT_LT(overshoot(1e6, 10.0), 0.25 * wound_up);
}

TEST(ControlIntegral, RemovesTheErrorOfAWrongModel) {
  const ChainPtr chain = load_robot("arm7");
  for (const Law kind : {Law::kComputedTorque, Law::kQuasiVelocity}) {
    ControlParameters parameters(*chain);
    parameters.law = kind;
    parameters.gains.kd.setConstant(60.0);
    parameters.gains.kp.setConstant(1200.0);
    parameters.gains.ki.setConstant(8000.0);
    ControlLaw law = take(ControlLaw::make(chain, parameters));
    PlantParameters plant_parameters;
    plant_parameters.model.friction = Friction::kDamping;
    Plant plant = take(Plant::make(scale_inertia(*chain, 1.0, 1.5), plant_parameters));
    JointState state(7);
    state.q << 0.1, 0.5, 0.2, 1.5, 0.1, 0.4, 0.0;
    Reference reference(7);
    reference.q = state.q;
    ASSERT_EQ(law.activate(VecXd::Zero(7)), Status::kOk);
    ASSERT_EQ(plant.reset(state, VecXd::Zero(7)), Status::kOk);
    double early = 0.0;
    for (int i = 0; i < 4000; ++i) {
      ASSERT_EQ(plant.command(law.update(plant.measured(), reference, 1e-3).torque), Status::kOk);
      ASSERT_EQ(plant.step(1e-3), Status::kOk);
      early = std::max(early, (plant.state().q - reference.q).norm());
    }
    EXPECT_GT(early, 1e-3);
    EXPECT_LT((plant.state().q - reference.q).norm(), 1e-6);
  }
}

}  // namespace
}  // namespace dyn::test::control_safety_tests
