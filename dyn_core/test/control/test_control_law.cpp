// The control laws against what their equations promise.
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "control_support.hpp"

namespace dyn::test::control_law_tests {
namespace {

constexpr std::uint64_t kSeed = 20261201;

std::vector<ChainPtr> chains() {
  return {load_robot("arm7"), load_robot("stanford"), random_chain(4, kSeed, {.prismatic = 0.4}),
          random_chain(1, kSeed + 1)};
}

TEST(ControlLaw, NamesAreFoundAndUnknownOnesListed) {
  for (const LawEntry& entry : control_laws()) {
    EXPECT_EQ(take(control_law_named(entry.name)), entry.law);
    EXPECT_EQ(entry_of(entry.law).name, entry.name);
  }
  const auto unknown = control_law_named("pid");
  ASSERT_FALSE(unknown);
  for (const LawEntry& entry : control_laws()) {
    EXPECT_NE(unknown.error().sentence.find(entry.name), std::string::npos);
  }
}

// M q̈ + C q̇ + g + friction = tau with tau from (1) gives q̈ = q̈_d + kp e + kd ė, friction aside.
TEST(ControlLaw, ComputedTorqueLinearizes) {
  for (const ChainPtr& chain : chains()) {
    SCOPED_TRACE(chain->name());
    Random random(kSeed);
    const Index n = chain->dof();
    ControlParameters parameters = plain_parameters(*chain, Law::kComputedTorque);
    parameters.friction = false;
    ControlLaw law = take(ControlLaw::make(chain, parameters));
    Solver solver = solver_of(chain);
    VecXd qdd(n);
    for (int i = 0; i < 20; ++i) {
      const JointState state = random_state(random, n);
      const Reference reference = random_reference(random, n);
      const ControlOutput& out = law.update(state, reference, 1e-3);
      ASSERT_EQ(out.status, Status::kOk);
      ASSERT_EQ(solver.forward_dynamics(state.q, state.qd, out.torque, qdd), Status::kOk);
      const VecXd wanted = reference.qdd + parameters.gains.kp.cwiseProduct(reference.q - state.q) +
                           parameters.gains.kd.cwiseProduct(reference.qd - state.qd);
      EXPECT_LT((qdd - wanted).norm(), 1e-8 * wanted.norm());
    }
  }
}

TEST(ControlLaw, ReferenceTorquesOfTheOtherLaws) {
  for (const ChainPtr& chain : chains()) {
    SCOPED_TRACE(chain->name());
    Random random(kSeed + 2);
    const Index n = chain->dof();
    Solver solver = solver_of(chain);
    solver.set_friction(true);
    const JointState state = random_state(random, n);
    const Reference reference = random_reference(random, n);
    VecXd model(n), gravity(n), friction(n);
    ASSERT_EQ(solver.inverse_dynamics(reference.q, reference.qd, reference.qdd, model),
              Status::kOk);
    ASSERT_EQ(solver.gravity_torque(state.q, gravity), Status::kOk);
    ASSERT_EQ(solver.friction_torque(reference.qd, friction), Status::kOk);
    const auto expect = [&](Law kind, const VecXd& feedforward) {
      const ControlParameters parameters = plain_parameters(*chain, kind);
      ControlLaw law = take(ControlLaw::make(chain, parameters));
      const VecXd wanted = feedforward + parameters.gains.kp.cwiseProduct(reference.q - state.q) +
                           parameters.gains.kd.cwiseProduct(reference.qd - state.qd);
      const VecXd& torque = law.update(state, reference, 1e-3).torque;
      EXPECT_LT((torque - wanted).norm(), 1e-10 * (1.0 + wanted.norm())) << entry_of(kind).name;
    };
    expect(Law::kFeedforwardPd, model);
    expect(Law::kPdGravity, gravity + friction);
    expect(Law::kPd, VecXd::Zero(n));
  }
}

// The closed loop of (5) is M s' + C s + m Γ mᵀ s = 0 with s = ė + Λ e; by (7) V' = -s_nuᵀ Γ s_nu.
TEST(ControlLaw, QuasiVelocityGivesItsErrorEquation) {
  for (const ChainPtr& chain : chains()) {
    SCOPED_TRACE(chain->name());
    Random random(kSeed + 3);
    const Index n = chain->dof();
    ControlParameters parameters = plain_parameters(*chain, Law::kQuasiVelocity);
    parameters.friction = false;
    for (Index i = 0; i < n; ++i) {  // Γ = 20 … 40, Λ = 5 … 10
      const double fast = random.uniform(20.0, 40.0), slow = random.uniform(5.0, 10.0);
      parameters.gains.kp[i] = fast * slow;
      parameters.gains.kd[i] = fast + slow;
    }
    ControlLaw law = take(ControlLaw::make(chain, parameters));
    Solver solver = solver_of(chain);
    const JointState state = random_state(random, n);
    const Reference reference = random_reference(random, n);
    const ControlOutput& out = law.update(state, reference, 1e-3);
    ASSERT_EQ(out.status, Status::kOk);

    MatXd M(n, n), C(n, n), U(n, n);
    VecXd qdd(n), D(n);
    ASSERT_EQ(solver.mass_matrix(state.q, M), Status::kOk);
    ASSERT_EQ(solver.coriolis_matrix(state.q, state.qd, C), Status::kOk);
    ASSERT_EQ(solver.factor(state.q, U, D), Status::kOk);
    ASSERT_EQ(solver.forward_dynamics(state.q, state.qd, out.torque, qdd), Status::kOk);
    VecXd fast(n), slow(n);
    for (Index i = 0; i < n; ++i) {
      const double kp = parameters.gains.kp[i], kd = parameters.gains.kd[i];
      fast[i] = 0.5 * (kd + std::sqrt(kd * kd - 4.0 * kp));
      slow[i] = kd - fast[i];
    }
    const VecXd rate = reference.qd - state.qd;
    const VecXd s = rate + slow.cwiseProduct(reference.q - state.q);
    const VecXd s_rate = reference.qdd + slow.cwiseProduct(rate) - qdd;
    const MatXd m = U * D.cwiseSqrt().asDiagonal();
    const VecXd residual = M * s_rate + C * s + m * fast.cwiseProduct(VecXd(m.transpose() * s));
    EXPECT_LT(residual.norm(), 1e-8 * (M * s_rate).norm());
    EXPECT_NEAR(out.storage, 0.5 * s.dot(M * s), 1e-10 * out.storage);
  }
}

TEST(ControlLaw, PoleSplittingReproducesTheGains) {
  const ChainPtr chain = load_robot("arm7");
  ControlParameters parameters = plain_parameters(*chain, Law::kQuasiVelocity);
  // (s + 30)(s² + 20 s + 75), a triple pole, two slow ones.
  parameters.gains.kd << 50.0, 30.0, 40.0, 40.0, 40.0, 40.0, 40.0;
  parameters.gains.kp << 675.0, 300.0, 400.0, 400.0, 300.0, 100.0, 399.0;
  parameters.gains.ki << 2250.0, 1000.0, 0.0, 300.0, 200.0, 100.0, 0.0;
  EXPECT_TRUE(ControlLaw::make(chain, parameters)) << "all of them have a fast real pole";
  parameters.gains.kd[3] = 30.0;  // ζ = 0.75
  parameters.gains.ki[3] = 0.0;
  const auto refused = ControlLaw::make(chain, parameters);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().sentence.find("joint4"), std::string::npos) << refused.error().sentence;
}

TEST(ControlLaw, TermsAddUpToTheTorque) {
  const ChainPtr chain = load_robot("arm7");
  for (const LawEntry& entry : control_laws()) {
    SCOPED_TRACE(entry.name);
    Random random(kSeed + 4);
    ControlParameters parameters(*chain);
    parameters.law = entry.law;
    parameters.gains.ki.setConstant(100.0);
    parameters.limits.rate.setConstant(2000.0);
    ControlLaw law = take(ControlLaw::make(chain, parameters));
    ASSERT_EQ(law.activate(random.vector(7, 5.0)), Status::kOk);
    ASSERT_EQ(law.set_expected_wrench({{1.0, 2.0, 3.0}, {0.1, 0.2, 0.3}}), Status::kOk);
    ASSERT_EQ(law.set_disturbance(random.vector(7, 1.0)), Status::kOk);
    for (int i = 0; i < 50; ++i) {
      JointState state = random_state(random, 7);
      Reference reference = random_reference(random, 7);
      if (i % 10 > 6) reference.q[3] = kNaN;
      if (i % 20 > 15) state.qd[1] = kNaN;
      const ControlOutput& out = law.update(state, reference, 1e-3);
      EXPECT_LT((sum(out.terms) - out.torque).norm(), 1e-9 * (1.0 + out.torque.norm()));
      EXPECT_EQ(out.status == Status::kOk, out.mode == ControlMode::kTracking);
    }
  }
}

TEST(ControlLaw, HardwareGravityIsLeftOut) {
  const ChainPtr chain = load_robot("arm7");
  Solver solver = solver_of(chain);
  for (const LawEntry& entry : control_laws()) {
    if (entry.law == Law::kPd) continue;
    SCOPED_TRACE(entry.name);
    Random random(kSeed + 5);
    const JointState state = random_state(random, 7);
    const Reference reference = random_reference(random, 7);
    ControlParameters parameters = plain_parameters(*chain, entry.law);
    const VecXd whole =
        take(ControlLaw::make(chain, parameters)).update(state, reference, 1e-3).torque;
    parameters.hardware_compensates_gravity = true;
    const VecXd part =
        take(ControlLaw::make(chain, parameters)).update(state, reference, 1e-3).torque;
    VecXd gravity(7);
    const VecXd& where = entry.law == Law::kFeedforwardPd ? reference.q : state.q;
    ASSERT_EQ(solver.gravity_torque(where, gravity), Status::kOk);
    EXPECT_LT((part + gravity - whole).norm(), 1e-10 * whole.norm());
  }
}

TEST(ControlLaw, ContinuousJointsGoTheShorterWayRound) {
  const ChainPtr arm = load_robot("arm7");
  for (const bool continuous : {false, true}) {
    const ChainPtr chain = edited(*arm, [&](Joint& joint) {
      if (continuous) joint.type = JointType::kContinuous;
    });
    ControlLaw law = take(ControlLaw::make(chain, plain_parameters(*chain, Law::kPd)));
    JointState state(7);
    Reference reference(7);
    state.q.setConstant(3.1);
    reference.q.setConstant(-3.1);
    reference.q[1] = 3.1 + 8.0 * M_PI;  // turns beyond count for nothing
    const ControlOutput& out = law.update(state, reference, 1e-3);
    const double shorter = 2.0 * M_PI - 6.2;
    EXPECT_NEAR(out.position_error[0], continuous ? shorter : -6.2, 1e-12);
    EXPECT_NEAR(out.position_error[1], continuous ? 0.0 : 8.0 * M_PI, 1e-12);
  }
}

TEST(ControlLaw, ExpectedWrenchAndDisturbanceAreCancelled) {
  const ChainPtr chain = load_robot("arm7");
  Random random(kSeed + 6);
  const JointState state = random_state(random, 7);
  const Reference reference = random_reference(random, 7);
  ControlParameters parameters = plain_parameters(*chain, Law::kComputedTorque);
  parameters.friction = false;
  ControlLaw law = take(ControlLaw::make(chain, parameters));
  Solver solver = solver_of(chain);
  VecXd free(7), pushed(7);
  ASSERT_EQ(
      solver.forward_dynamics(state.q, state.qd, law.update(state, reference, 1e-3).torque, free),
      Status::kOk);
  const Wrench wrench{{10.0, -5.0, 20.0}, {1.0, 2.0, -1.0}};
  const VecXd disturbance = random.vector(7, 3.0);
  ASSERT_EQ(law.set_expected_wrench(wrench), Status::kOk);
  ASSERT_EQ(law.set_disturbance(disturbance), Status::kOk);
  solver.set_tip_wrench(wrench);
  const VecXd torque = law.update(state, reference, 1e-3).torque + disturbance;
  ASSERT_EQ(solver.forward_dynamics(state.q, state.qd, torque, pushed), Status::kOk);
  EXPECT_LT((free - pushed).norm(), 1e-9 * free.norm());
}

TEST(ControlLaw, FarReferencesAreClipped) {
  const ChainPtr chain = load_robot("arm7");
  ControlParameters parameters = plain_parameters(*chain, Law::kPd);
  parameters.position_error_limit.setConstant(0.1);
  ControlLaw law = take(ControlLaw::make(chain, parameters));
  Reference reference(7);
  reference.q.setConstant(1.0);
  reference.q[2] = -1.0;
  const ControlOutput& out = law.update(JointState(7), reference, 1e-3);
  EXPECT_NEAR(out.torque[0], 0.1 * parameters.gains.kp[0], 1e-12);
  EXPECT_NEAR(out.torque[2], -0.1 * parameters.gains.kp[2], 1e-12);
  EXPECT_NEAR(out.position_error[0], 1.0, 1e-12);
}

// Each broken rule is answered with a sentence that names the joint and the remedy.
TEST(ControlLaw, BadParametersAreRefusedWithASentence) {
  const ChainPtr chain = load_robot("arm7");
  const auto sentence = [&](const std::function<void(ControlParameters&)>& spoil) {
    ControlParameters parameters(*chain);
    spoil(parameters);
    const auto law = ControlLaw::make(chain, parameters);
    return law ? std::string("accepted") : law.error().sentence;
  };
  const auto expect = [](const std::string& text, const std::vector<const char*>& words) {
    for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
  };
  expect(sentence([](auto& p) { p.gains.kp[2] = -1.0; }), {"kp", "joint3", "zero or more"});
  expect(sentence([](auto& p) { p.gains.kd[6] = kNaN; }), {"kd", "joint7"});
  expect(sentence([](auto& p) { p.gains.ki.resize(3); }), {"ki", "3 entries", "7 coordinates"});
  expect(sentence([](auto& p) { p.gains.ki[0] = 1e5; }), {"joint1", "unstable", "kp kd"});
  expect(sentence([](auto& p) { p.gains.kd[0] = 2000.0; }), {"joint1", "too high", "period"});
  expect(sentence([](auto& p) { p.limits.effort[1] = 0.0; }), {"effort", "joint2", "positive"});
  expect(sentence([](auto& p) { p.limits.rate[1] = -2.0; }), {"rate", "joint2"});
  expect(sentence([](auto& p) { p.position_error_limit[4] = 0.0; }), {"position error", "joint5"});
  expect(sentence([](auto& p) { p.integral_limit[4] = kNaN; }), {"integral limit", "joint5"});
  expect(sentence([](auto& p) { p.period = 0.0; }), {"period", "positive"});
  expect(sentence([](auto& p) { p.period = 1e-300; }), {"period", "1e-07 s"});
  expect(sentence([](auto& p) { p.ramp_in = -1.0; }), {"ramp-in"});
  expect(sentence([](auto& p) { p.hold_time = kInfinity; }), {"hold time"});
  expect(sentence([](auto& p) { p.decay_time = 0.0; }), {"decay time"});
  expect(sentence([](auto& p) { p.antiwindup_time = 1e-4; }), {"anti-windup", "period"});
  EXPECT_EQ(sentence([](auto&) {}), "accepted");
}

TEST(ControlLaw, GainsFromFrequencyBoundEveryMode) {
  const ChainPtr chain = load_robot("arm7");
  Solver solver = solver_of(chain);
  Random random(kSeed + 7);
  const VecXd frequency = VecXd::Constant(7, 20.0), ratio = VecXd::Ones(7);
  const Gains acceleration =
      take(gains_from_frequency(Law::kComputedTorque, solver, VecXd::Zero(7), frequency, ratio));
  EXPECT_TRUE(acceleration.kp.isConstant(400.0) && acceleration.kd.isConstant(40.0));
  MatXd M(7, 7);
  for (int i = 0; i < 20; ++i) {
    const VecXd q = random.vector(7, 1.5);
    const Gains torque = take(gains_from_frequency(Law::kPd, solver, q, frequency, ratio));
    ASSERT_EQ(solver.mass_matrix(q, M), Status::kOk);
    const Eigen::VectorXcd modes = (M.inverse() * torque.kp.asDiagonal()).eigenvalues();
    EXPECT_LE(modes.cwiseAbs().maxCoeff(), 7.0 * 400.0 * (1.0 + 1e-9));
  }
  EXPECT_FALSE(gains_from_frequency(Law::kPd, solver, VecXd::Zero(7), -frequency, ratio));
}

}  // namespace
}  // namespace dyn::test::control_law_tests
