// The simulated plant against mechanics that can be written down.
#include <cmath>

#include "control_support.hpp"

namespace dyn::test::control_plant_tests {
namespace {

constexpr std::uint64_t kSeed = 20261204;

JointState at(double q, double qd) {
  JointState state(1);
  state.q[0] = q;
  state.qd[0] = qd;
  return state;
}

Plant pendulum_plant(const Joint& joint, const PlantParameters& parameters, bool weight = true) {
  Plant plant = take(Plant::make(Pendulum().chain(joint), parameters));
  if (!weight) plant.set_gravity(Vec3d::Zero());
  return plant;
}

TEST(Plant, KeepsItsEnergyInFreeFall) {
  const ChainPtr chain = without_friction(*load_robot("arm7"));
  PlantParameters parameters;
  parameters.model.stops = false;
  Plant plant = take(Plant::make(chain, parameters));
  Solver solver = solver_of(chain);
  Random random(kSeed);
  JointState state(7);
  state.q = random.vector(7, 1.0);
  ASSERT_EQ(plant.reset(state, VecXd::Zero(7)), Status::kOk);
  const auto energy = [&] {
    double kinetic = 0.0, potential = 0.0;
    EXPECT_EQ(solver.kinetic_energy(plant.state().q, plant.state().qd, kinetic), Status::kOk);
    EXPECT_EQ(solver.potential_energy(plant.state().q, potential), Status::kOk);
    return kinetic + potential;
  };
  const double first = energy();
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(plant.step(1e-3), Status::kOk);
  EXPECT_NEAR(energy(), first, 1e-4);
  EXPECT_GT(plant.state().qd.norm(), 1.0);
}

TEST(Plant, StictionHoldsWithoutCreep) {
  Joint joint;
  const Pendulum pendulum;
  joint.friction = 0.5;
  Plant plant = pendulum_plant(joint, {});
  const double held = 0.9 * std::asin(0.5 / pendulum.weight());
  ASSERT_EQ(plant.reset(at(held, 0.0), VecXd::Zero(1)), Status::kOk);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(plant.step(1e-3), Status::kOk);
  EXPECT_NEAR(plant.state().q[0], held, 1e-12);
  ASSERT_EQ(plant.reset(at(1.2 * held, 0.0), VecXd::Zero(1)), Status::kOk);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(plant.step(1e-3), Status::kOk);
  EXPECT_LT(plant.state().q[0], 1.1 * held) << "beyond the friction it slides";
}

// I q̈ = -F: it stops after I v²/(2F) and stays there.
TEST(Plant, SlidingFrictionIsExact) {
  Joint joint;
  joint.friction = 0.8;
  Plant plant = pendulum_plant(joint, {}, false);
  const double inertia = Pendulum().inertia(), speed = 2.0;
  ASSERT_EQ(plant.reset(at(0.0, speed), VecXd::Zero(1)), Status::kOk);
  const double deceleration = joint.friction / inertia;
  for (int i = 1; i <= 500; ++i) {
    ASSERT_EQ(plant.step(1e-3), Status::kOk);
    const double t = std::min(1e-3 * i, speed / deceleration);
    EXPECT_NEAR(plant.state().q[0], speed * t - 0.5 * deceleration * t * t, 1e-6) << i;
    if (1e-3 * i < speed / deceleration) {
      EXPECT_NEAR(plant.state().qd[0], speed - deceleration * t, 1e-9);
    }
  }
}

TEST(Plant, DampingIsOfSecondOrderAndNeverUnstable) {
  const double inertia = Pendulum().inertia();
  const auto error = [&](double step) {
    Joint joint;
    joint.damping = 2.0;
    PlantParameters parameters;
    parameters.model.max_step = step;
    Plant plant = pendulum_plant(joint, parameters, false);
    (void)plant.reset(at(0.0, 1.0), VecXd::Zero(1));
    (void)plant.step(0.1);
    return std::abs(plant.state().qd[0] - std::exp(-0.1 * joint.damping / inertia));
  };
  EXPECT_NEAR(error(1e-2) / error(0.5e-2), 4.0, 0.2);
  Joint stiff;
  stiff.damping = 1e6;
  Plant plant = pendulum_plant(stiff, {});
  (void)plant.reset(at(0.5, 1.0), VecXd::Constant(1, 3.0));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(plant.step(1e-3), Status::kOk);
  EXPECT_LT(std::abs(plant.state().qd[0]), 1e-5);
}

// Coupled joints: the same motion as the smooth model with a step a hundred times finer.
TEST(Plant, DampedArmAgreesWithTheSolversFriction) {
  const ChainPtr chain = edited(*load_robot("arm7"), [](Joint& joint) {
    joint.friction = 0.0;
    joint.limits = {};
  });
  Plant plant = take(Plant::make(chain, {}));
  Solver solver = solver_of(chain);
  solver.set_friction(true);
  Random random(kSeed + 1);
  JointState state = random_state(random, 7);
  const VecXd torque = random.vector(7, 5.0);
  ASSERT_EQ(plant.reset(state, torque), Status::kOk);
  ASSERT_EQ(plant.step(0.1), Status::kOk);
  VecXd qdd(7);
  const double h = 2e-6;
  for (int i = 0; i < 50000; ++i) {
    JointState half = state;
    ASSERT_EQ(solver.forward_dynamics(state.q, state.qd, torque, qdd), Status::kOk);
    half.q += 0.5 * h * state.qd;
    half.qd += 0.5 * h * qdd;
    ASSERT_EQ(solver.forward_dynamics(half.q, half.qd, torque, qdd), Status::kOk);
    state.q += h * half.qd;
    state.qd += h * qdd;
  }
  EXPECT_LT((plant.state().q - state.q).norm(), 1e-5);
  EXPECT_LT((plant.state().qd - state.qd).norm(), 1e-3 * state.qd.norm());
}

TEST(Plant, StopsStopWithoutRebound) {
  const ChainPtr chain = load_robot("arm7");
  Plant plant = take(Plant::make(chain, {}));
  JointState state(7);
  state.q << 0.0, 1.5, 0.0, 1.5, 0.0, 0.5, 0.0;
  ASSERT_EQ(plant.reset(state, VecXd::Zero(7)), Status::kOk);
  for (int i = 0; i < 3000; ++i) {  // it falls over
    ASSERT_EQ(plant.step(1e-3), Status::kOk);
    for (Index k = 0; k < 7; ++k) {
      ASSERT_LE(plant.state().q[k], chain->joint(k).limits.upper);
      ASSERT_GE(plant.state().q[k], chain->joint(k).limits.lower);
    }
  }
  EXPECT_DOUBLE_EQ(plant.state().q[1], chain->joint(1).limits.upper);
  EXPECT_NEAR(plant.state().qd[1], 0.0, 1e-12);
}

// A loop that is late by microseconds cuts steps at the commands' times into pieces of any length. An
// arm pressed against a stop gains no more energy than its torques give it, however short they are.
TEST(Plant, AnUnevenStepAtAStopGivesNoEnergy) {
  const ChainPtr chain = load_robot("arm7");
  Solver solver = solver_of(chain);
  MatXd M(7, 7);
  VecXd torque(7);
  for (const double piece : {1e-8, 1e-6, 1e-5}) {
    Plant plant = take(Plant::make(chain, {.shortest_period = 1e-9}));
    JointState state(7);
    state.q = first_posture();
    state.q[3] = chain->coordinate_joint(3).limits.lower + 1e-3;
    ASSERT_EQ(plant.reset(state, VecXd::Zero(7)), Status::kOk);
    double work = 0.0, before = 0.0;
    for (int i = 0; i < 600; ++i) {
      const double dt = i % 3 == 1 ? piece : 1e-3;
      ASSERT_EQ(solver.gravity_torque(plant.state().q, torque), Status::kOk);
      torque[3] -= 20.0;
      const VecXd q = plant.state().q;
      ASSERT_EQ(plant.command(torque), Status::kOk);
      ASSERT_EQ(plant.step(dt), Status::kOk);
      ASSERT_EQ(solver.mass_matrix(plant.state().q, M), Status::kOk);
      work += -20.0 * (plant.state().q[3] - q[3]);
      const double energy = 0.5 * plant.state().qd.dot(M * plant.state().qd);
      ASSERT_LT(energy, work + 0.02) << "piece " << piece << ", cycle " << i;
      before = energy;
    }
    EXPECT_LT(before, 1e-3) << "it rests";
    EXPECT_NEAR(plant.state().q[3], chain->coordinate_joint(3).limits.lower, 1e-12);
  }
}

// The same where the arm meets the stop in such a short piece: what the stop gives there is a blow, no force
// that would go on in the long step after it.
TEST(Plant, AStopThatIsMetInAShortStepThrowsNothingBack) {
  const ChainPtr chain = load_robot("arm7");
  const double lower = chain->coordinate_joint(3).limits.lower;
  const VecXd torque = VecXd::Zero(7);
  double fastest = 0.0;
  int met_in_the_short_one = 0;
  for (int i = 0; i < 400; ++i) {
    Plant plant = take(Plant::make(chain, {.shortest_period = 1e-9}));
    JointState state(7);
    state.q = first_posture();
    state.qd[3] = -1.0;
    state.q[3] = lower + 0.9e-3 + 0.5e-6 * i;
    ASSERT_EQ(plant.reset(state, torque), Status::kOk);
    for (const double dt : {1e-3, 1e-6, 1e-3}) {
      const bool moving = plant.state().qd[3] < -0.5;
      ASSERT_EQ(plant.step(dt), Status::kOk);
      met_in_the_short_one += moving && dt < 1e-5 && plant.state().qd[3] > -0.5 ? 1 : 0;
      fastest = std::max(fastest, plant.state().qd.lpNorm<Eigen::Infinity>());
    }
  }
  EXPECT_GT(met_in_the_short_one, 0) << "the case is not among those tried";
  EXPECT_LT(fastest, 3.0) << "rad/s, of an arm that came with 1";
}

TEST(Plant, CommandsActAfterTheDelayToTheMicrosecond) {
  for (const double delay : {0.0, 0.004, 0.00237}) {
    PlantParameters parameters;
    parameters.delay = delay;
    parameters.model.friction = Friction::kNone;
    Plant plant = pendulum_plant({}, parameters, false);
    ASSERT_EQ(plant.reset(at(0.0, 0.0), VecXd::Zero(1)), Status::kOk);
    ASSERT_EQ(plant.command(VecXd::Constant(1, 1.0)), Status::kOk);
    for (int i = 0; i < 20; ++i) ASSERT_EQ(plant.step(1e-3), Status::kOk);
    const double acted = 0.02 - delay;
    EXPECT_NEAR(plant.state().qd[0] * Pendulum().inertia(), acted, 1e-9);
    EXPECT_NEAR(plant.torque()[0], 1.0, 1e-12);
  }
}

TEST(Plant, DrivesClipAndCompensateGravity) {
  Joint joint;
  joint.limits.effort = 2.0;
  Plant plant = pendulum_plant(joint, {}, false);
  ASSERT_EQ(plant.reset(at(0.0, 0.0), VecXd::Constant(1, 50.0)), Status::kOk);
  ASSERT_EQ(plant.step(1e-2), Status::kOk);
  EXPECT_NEAR(plant.torque()[0], 2.0, 1e-12);
  EXPECT_NEAR(plant.state().qd[0], 1e-2 * 2.0 / Pendulum().inertia(), 1e-9);
  PlantParameters parameters;
  parameters.drive_compensates_gravity = true;
  Plant held = pendulum_plant({}, parameters);
  ASSERT_EQ(held.reset(at(1.0, 0.0), VecXd::Zero(1)), Status::kOk);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(held.step(1e-3), Status::kOk);
  EXPECT_NEAR(held.state().q[0], 1.0, 1e-9);
}

TEST(Plant, DrivesThatAreSlowAndVelocitiesThatLag) {
  PlantParameters parameters;
  parameters.torque_rate = 100.0;
  parameters.velocity_lag = 0.01;
  Plant plant = pendulum_plant({}, parameters, false);
  ASSERT_EQ(plant.reset(at(0.0, 0.0), VecXd::Zero(1)), Status::kOk);
  ASSERT_EQ(plant.command(VecXd::Constant(1, 5.0)), Status::kOk);
  ASSERT_EQ(plant.step(0.02), Status::kOk);
  EXPECT_NEAR(plant.torque()[0], 1.0, 0.02) << "the mean of what rises from 0 to 2";
  ASSERT_EQ(plant.step(0.05), Status::kOk);
  ASSERT_EQ(plant.step(0.001), Status::kOk);
  EXPECT_NEAR(plant.torque()[0], 5.0, 1e-12);
  ASSERT_EQ(plant.command(VecXd::Zero(1)), Status::kOk);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(plant.step(1e-3), Status::kOk);
  const double speed = plant.state().qd[0];
  EXPECT_NEAR(plant.measured().qd[0], speed, 0.01 * speed) << "five time constants at one speed";
  ASSERT_EQ(plant.reset(at(0.0, 1.0), VecXd::Zero(1)), Status::kOk);
  EXPECT_EQ(plant.measured().qd[0], 1.0);
  for (const double bad : {0.0, -1.0, kNaN}) {
    parameters.torque_rate = bad;
    EXPECT_FALSE(Plant::make(Pendulum().chain({}), parameters)) << bad;
  }
  parameters.torque_rate = kInfinity;
  parameters.velocity_lag = -1.0;
  EXPECT_FALSE(Plant::make(Pendulum().chain({}), parameters));
}

TEST(Plant, NoiseIsSeededAndOfItsSize) {
  PlantParameters parameters;
  parameters.position_noise = 1e-3;
  parameters.velocity_noise = 1e-2;
  Plant a = pendulum_plant({}, parameters), b = pendulum_plant({}, parameters);
  double position = 0.0, velocity = 0.0;
  const int n = 20000;
  for (int i = 0; i < n; ++i) {
    ASSERT_EQ(a.step(0.0), Status::kOk);
    ASSERT_EQ(b.step(0.0), Status::kOk);
    ASSERT_EQ(a.measured().q, b.measured().q);
    position += std::pow(a.measured().q[0] - a.state().q[0], 2);
    velocity += std::pow(a.measured().qd[0] - a.state().qd[0], 2);
  }
  EXPECT_NEAR(std::sqrt(position / n), 1e-3, 3e-5);
  EXPECT_NEAR(std::sqrt(velocity / n), 1e-2, 3e-4);
}

TEST(Plant, FaultsAreWhatTheySay) {
  Plant plant = pendulum_plant({}, {}, false);
  ASSERT_EQ(plant.reset(at(0.0, 1.0), VecXd::Zero(1)), Status::kOk);
  plant.set_fault(Fault::kStateNotFinite);
  EXPECT_TRUE(std::isnan(plant.measured().q[0]));
  plant.set_fault(Fault::kNone);
  EXPECT_EQ(plant.measured().q, plant.state().q);
  plant.set_fault(Fault::kStateFrozen);
  ASSERT_EQ(plant.step(0.1), Status::kOk);
  EXPECT_EQ(plant.measured().q[0], 0.0);
  EXPECT_NEAR(plant.state().q[0], 0.1, 1e-12);
  plant.set_fault(Fault::kCommandLost);
  ASSERT_EQ(plant.command(VecXd::Ones(1)), Status::kOk);
  ASSERT_EQ(plant.step(0.1), Status::kOk);
  EXPECT_EQ(plant.torque()[0], 0.0);
  EXPECT_EQ(plant.command(VecXd::Constant(1, kNaN)), Status::kNotFinite);
  EXPECT_EQ(plant.step(kNaN), Status::kNotFinite);
  EXPECT_EQ(plant.step(-1.0), Status::kNotFinite);
  EXPECT_TRUE(plant.state().finite());
}

TEST(Plant, ScaledInertiaScalesTheMassMatrix) {
  const ChainPtr chain = load_robot("arm7");
  Random random(kSeed + 2);
  const VecXd q = random.vector(7, 1.5);
  MatXd one(7, 7), all(7, 7), last(7, 7);
  Solver model = solver_of(chain), heavy = solver_of(scale_inertia(*chain, 1.3, 1.0)),
         tool = solver_of(scale_inertia(*chain, 1.0, 1.3));
  ASSERT_EQ(model.mass_matrix(q, one), Status::kOk);
  ASSERT_EQ(heavy.mass_matrix(q, all), Status::kOk);
  ASSERT_EQ(tool.mass_matrix(q, last), Status::kOk);
  EXPECT_LT((all - 1.3 * one).norm(), 1e-12 * one.norm());
  EXPECT_NEAR(last(6, 6), 1.3 * one(6, 6), 1e-12);
  EXPECT_LT(last(0, 0), 1.3 * one(0, 0));
}

}  // namespace
}  // namespace dyn::test::control_plant_tests
