// Derivatives: each registered algorithm's by Dual against differences of another, `fast` on every instruction
// set against the papers' texts on Dual, the solver's parts, and the linear model.
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "dyn_core/fast/fast_dynamics.hpp"
#include "dyn_core/registry.hpp"
#include "dyn_core/robot/derivatives.hpp"
#include "dyn_core/solver.hpp"
#include "robot/urdf_text.hpp"
#include "support.hpp"

namespace dyn::test::derivatives_tests {
namespace {

double magnitude(const MatXd& m) { return m.cwiseAbs().maxCoeff(); }

// ∂f/∂x by central differences of order eight: their error is that of rounding, about 1e-13 / 0.02.
template <class Function>
MatXd differences(const Function& f, const VecXd& x) {
  constexpr double kStep = 0.02;
  constexpr double kWeights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  MatXd out(f(x).size(), x.size());
  for (Index k = 0; k < x.size(); ++k) {
    VecXd sum = VecXd::Zero(out.rows());
    for (int s = 1; s <= 4; ++s) {
      const VecXd move = s * kStep * VecXd::Unit(x.size(), k);
      sum += kWeights[s - 1] * (f(x + move) - f(x - move));
    }
    out.col(k) = sum / kStep;
  }
  return out;
}

struct Derivatives {
  explicit Derivatives(Index n) : q(n, n), qd(n, n), third(n, n) {}
  MatXd q, qd, third;
};

// `part`: the size of terms that may cancel.
void expect_near(const Derivatives& got, const Derivatives& expected, double tolerance,
                 double part = 1.0) {
  const double scale = part + magnitude(expected.q) + magnitude(expected.qd);
  EXPECT_LE(magnitude(got.q - expected.q), tolerance * scale);
  EXPECT_LE(magnitude(got.qd - expected.qd), tolerance * scale);
  EXPECT_LE(magnitude(got.third - expected.third), tolerance * (1.0 + magnitude(expected.third)));
}

Derivatives of_inverse(Solver& solver, const VecXd& q, const VecXd& qd, const VecXd& qdd) {
  Derivatives d(q.size());
  EXPECT_EQ(solver.inverse_dynamics_derivatives(q, qd, qdd, d.q, d.qd, d.third), Status::kOk);
  return d;
}
Derivatives of_forward(Solver& solver, const VecXd& q, const VecXd& qd, const VecXd& tau) {
  Derivatives d(q.size());
  EXPECT_EQ(solver.forward_dynamics_derivatives(q, qd, tau, d.q, d.qd, d.third), Status::kOk);
  return d;
}

VecXd torque(Solver& solver, const VecXd& q, const VecXd& qd, const VecXd& qdd) {
  VecXd tau(q.size());
  EXPECT_EQ(solver.inverse_dynamics(q, qd, qdd, tau), Status::kOk);
  return tau;
}

Derivatives torque_differences(Solver& solver, const VecXd& q, const VecXd& qd, const VecXd& qdd) {
  Derivatives d(q.size());
  d.q = differences([&](const VecXd& x) { return torque(solver, x, qd, qdd); }, q);
  d.qd = differences([&](const VecXd& x) { return torque(solver, q, x, qdd); }, qd);
  d.third = differences([&](const VecXd& x) { return torque(solver, q, qd, x); }, qdd);
  return d;
}

// What -M⁻¹ makes of the derivatives of inverse dynamics.
Derivatives by_inversion(const Derivatives& d) {
  Derivatives out(d.q.rows());
  const Eigen::LDLT<MatXd> M(d.third);
  out.q = -M.solve(d.q);
  out.qd = -M.solve(d.qd);
  out.third = M.solve(MatXd::Identity(d.q.rows(), d.q.rows()));
  return out;
}

void burden(Solver& solver) {
  solver.set_payload({0.7, {0.0, 0.01, 0.1}, 0.01 * Mat3d::Identity()});
  solver.set_gravity({0.4, -2.0, -9.3});
  for (Index i = 0; i < solver.chain().joint_count(); i += 2) solver.set_armature(i, 0.2);
  solver.set_tip_wrench({{3.0, -20.0, 8.0}, {1.0, 2.0, -0.5}});
}

struct State {
  explicit State(Index n, double speed = 1.0) {
    Random random(21);
    q = random.vector(n, 3.1), qd = random.vector(n, speed), x = random.vector(n, 3.0);
  }
  VecXd q, qd, x;
};

// One of each kind of chain, small enough for O(n³) algorithms on Dual.
std::vector<ChainPtr> chains() {
  std::vector<ChainPtr> all;
  for (const std::string& name : robot_names()) all.push_back(load_robot(name));
  for (const Index n : {1, 2, 5, 9}) {
    all.push_back(random_chain(n, 3));
    all.push_back(random_chain(n, 4, {.prismatic = 0.4}));
    all.push_back(random_chain(n, 5, {.prismatic = 0.2, .hayati = 0.3}));
  }
  return all;
}

TEST(Derivatives, OfEveryAlgorithmAreTheDifferencesOfTheFirst) {
  for (const ChainPtr& chain : chains()) {
    const State s(chain->dof());
    Solver first = Solver::make(chain, {"crba", "rnea", "udut", "mci"}).value();
    burden(first);
    const Derivatives expected = torque_differences(first, s.q, s.qd, s.x);
    const VecXd tau = torque(first, s.q, s.qd, s.x);
    const Derivatives inverted = by_inversion(expected);
    const auto check = [&](const Algorithms& names) {
      SCOPED_TRACE(chain->name() + ", n = " + std::to_string(chain->dof()) + ", seed 21, " +
                   names.inverse_dynamics + names.forward_dynamics);
      Solver solver = Solver::make(chain, names).value();
      burden(solver);
      expect_near(of_inverse(solver, s.q, s.qd, s.x), expected, 1e-10);
      expect_near(of_forward(solver, s.q, s.qd, tau), inverted, 1e-8);
    };
    for (const auto& entry : inverse_dynamics_algorithms<double>()) {
      check({.inverse_dynamics = std::string(entry.name)});
    }
    for (const auto& entry : forward_dynamics_algorithms<double>()) {
      check({.forward_dynamics = std::string(entry.name)});
    }
  }
}

class FastDerivatives : public ::testing::TestWithParam<std::string_view> {
 protected:
  FastDerivatives() { EXPECT_TRUE(force_simd_target(GetParam())); }
  ~FastDerivatives() override { force_simd_target(""); }
};

TEST_P(FastDerivatives, AgreeWithTheTextsOnDual) {
  for (const ChainPtr& chain : conformance_chains()) {
    for (const double speed : {0.0, 1.0, 1e3}) {
      SCOPED_TRACE(chain->name() + ", n = " + std::to_string(chain->dof()) + ", seed 21, speed " +
                   std::to_string(speed));
      const State s(chain->dof(), speed);
      Solver papers = Solver::make(chain, {"crba", "rnea", "udut", "mci"}).value();
      Solver fast = Solver::make(chain, {"fast", "fast", "fast", "fast"}).value();
      burden(papers);
      burden(fast);
      const Derivatives expected = of_inverse(papers, s.q, s.qd, s.x);
      const double n = static_cast<double>(chain->dof());
      const double inertia = magnitude(expected.third);
      expect_near(of_inverse(fast, s.q, s.qd, s.x), expected, 1e-13 * n * n,
                  1.0 + inertia * (1.0 + speed * speed));
      const VecXd tau = torque(papers, s.q, s.qd, s.x);
      const VecXd eigenvalues = expected.third.selfadjointView<Eigen::Lower>().eigenvalues();
      const double condition = eigenvalues.maxCoeff() / eigenvalues.minCoeff();
      expect_near(of_forward(fast, s.q, s.qd, tau), of_forward(papers, s.q, s.qd, tau),
                  200.0 * std::numeric_limits<double>::epsilon() * condition, 1.0 + speed * speed);
    }
  }
}

TEST_P(FastDerivatives, WriteNothingBesideTheirMatrices) {
  for (const Index n : {1, 2, 3, 5, 7, 8, 9, 13}) {
    SCOPED_TRACE(n);
    const State s(n);
    FastDynamics fast{Model(random_chain(n, 8))};
    MatXd large = MatXd::Constant(n + 2, 3 * n + 4, 77.0), untouched = large;
    const auto block = [&](MatXd& m, Index k) { return m.block(1, 1 + k * (n + 1), n, n); };
    const auto expect_untouched = [&] {
      for (Index k = 0; k < 3; ++k) {
        EXPECT_EQ((block(large, k).array() == 77.0).count(), 0);
        block(large, k).setConstant(77.0);
      }
      EXPECT_EQ(large, untouched);
    };
    ASSERT_EQ(fast.inverse_dynamics_derivatives(s.q, s.qd, s.x, block(large, 0), block(large, 1),
                                                block(large, 2)),
              Status::kOk);
    expect_untouched();
    ASSERT_EQ(fast.forward_dynamics_derivatives(s.q, s.qd, s.x, block(large, 0), block(large, 1),
                                                block(large, 2)),
              Status::kOk);
    expect_untouched();
  }
}

TEST_P(FastDerivatives, SayWhatIsWrong) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Index n : {1, 3, 7, 20}) {
    FastDynamics fast{Model(random_chain(n, 2, {.prismatic = 0.3}))};
    const State s(n);
    Derivatives d(n);
    for (VecXd State::*bad : {&State::q, &State::qd, &State::x}) {
      State wrong = s;
      (wrong.*bad)[n / 2] = nan;
      EXPECT_EQ(fast.inverse_dynamics_derivatives(wrong.q, wrong.qd, wrong.x, d.q, d.qd, d.third),
                Status::kNotFinite);
      EXPECT_EQ(fast.forward_dynamics_derivatives(wrong.q, wrong.qd, wrong.x, d.q, d.qd, d.third),
                Status::kNotFinite);
    }
    MatXd narrow(n, n + 1);
    EXPECT_EQ(fast.inverse_dynamics_derivatives(s.q, s.qd, s.x, d.q, narrow, d.third),
              Status::kWrongSize);
    EXPECT_EQ(fast.forward_dynamics_derivatives(s.q, s.qd, s.x, d.q, d.qd, narrow),
              Status::kWrongSize);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FastDerivatives,
                         ::testing::ValuesIn(simd_targets().begin(), simd_targets().end()),
                         [](const auto& target) { return std::string(target.param); });

// Friction that still rises where the differences are taken, and joints that mimic others.
TEST(Derivatives, OfASolverHaveFrictionAndMimicJointsInThem) {
  UrdfText robot = random_robot(9, 5);
  robot.joint("joint2").mimic = "joint5", robot.joint("joint2").multiplier = -0.7;
  robot.joint("joint4").mimic = "joint2", robot.joint("joint4").offset = 0.3;
  UrdfOptions options;
  options.tip = "tip";
  for (const ChainPtr& chain : {parse_urdf(to_text(robot), options).value(), load_robot("arm7")}) {
    SCOPED_TRACE(chain->name());
    Solver solver = Solver::make(chain).value();
    burden(solver);
    const State s(chain->dof());
    const Derivatives without = torque_differences(solver, s.q, s.qd, s.x);
    solver.set_friction(true);
    VecXd a(chain->dof()), b(a);
    const VecXd step = 1e-4 * VecXd::Ones(chain->dof());
    ASSERT_EQ(solver.friction_torque(s.qd + step, a), Status::kOk);
    ASSERT_EQ(solver.friction_torque(s.qd - step, b), Status::kOk);
    Derivatives expected = without;
    expected.qd.diagonal() += (a - b) / 2e-4;
    const Derivatives got = of_inverse(solver, s.q, s.qd, s.x);
    expect_near(got, expected, 1e-7);
    const VecXd tau = torque(solver, s.q, s.qd, s.x);
    expect_near(of_forward(solver, s.q, s.qd, tau), by_inversion(got), 1e-9);
  }
}

// Runs `body(solver, state)` for every chain.
template <class Body>
void for_every_chain(Body body) {
  for (const ChainPtr& chain : chains()) {
    SCOPED_TRACE(chain->name() + ", n = " + std::to_string(chain->dof()) + ", seed 21");
    Solver solver = Solver::make(chain).value();
    burden(solver);
    body(solver, State(chain->dof()));
  }
}

VecXd gravity_torque(Solver& solver, const VecXd& q) {
  VecXd tau(q.size());
  EXPECT_EQ(solver.gravity_torque(q, tau), Status::kOk);
  return tau;
}
VecXd coriolis_torque(Solver& solver, const VecXd& q, const VecXd& qd) {
  VecXd tau(q.size());
  EXPECT_EQ(solver.coriolis_torque(q, qd, tau), Status::kOk);
  return tau;
}

TEST(Derivatives, OfGravityAndCoriolisTorqueAreDifferences) {
  for_every_chain([](Solver& solver, const State& s) {
    MatXd dq(s.q.size(), s.q.size()), dqd = dq;
    const auto gravity = [&](const VecXd& q) { return gravity_torque(solver, q); };
    const auto by_q = [&](const VecXd& q) { return coriolis_torque(solver, q, s.qd); };
    const auto by_qd = [&](const VecXd& qd) { return coriolis_torque(solver, s.q, qd); };
    const double scale = 1.0 + magnitude(gravity(s.q)) + magnitude(by_q(s.q));
    ASSERT_EQ(solver.gravity_torque_derivatives(s.q, dq), Status::kOk);
    EXPECT_LE(magnitude(dq - differences(gravity, s.q)), 1e-10 * scale);
    ASSERT_EQ(solver.coriolis_torque_derivatives(s.q, s.qd, dq, dqd), Status::kOk);
    EXPECT_LE(magnitude(dq - differences(by_q, s.q)), 1e-10 * scale);
    EXPECT_LE(magnitude(dqd - differences(by_qd, s.qd)), 1e-10 * scale);
  });
}

TEST(Derivatives, ByLoadsAreTheTorquesOfUnitLoads) {
  for_every_chain([](Solver& solver, const State& s) {
    const Index n = s.q.size();
    MatXd by_gravity(n, 3), by_wrench(n, 6);
    ASSERT_EQ(solver.load_derivatives(s.q, by_gravity, by_wrench), Status::kOk);
    const double scale = 1.0 + magnitude(by_gravity) + magnitude(by_wrench);
    for (Index c = 0; c < 3; ++c) {
      solver.set_gravity(Vec3d::Unit(c));
      EXPECT_LE(magnitude(gravity_torque(solver, s.q) - by_gravity.col(c)), 1e-12 * scale);
    }
    const VecXd zero = VecXd::Zero(n);
    solver.set_gravity(Vec3d::Zero());
    for (Index c = 0; c < 6; ++c) {
      Wrench unit;
      (c < 3 ? unit.force[c] : unit.torque[c - 3]) = 1.0;
      solver.set_tip_wrench(unit);
      EXPECT_LE(magnitude(torque(solver, s.q, zero, zero) - by_wrench.col(c)), 1e-12 * scale);
    }
  });
}

TEST(Derivatives, OfTheMassMatrixAreDifferences) {
  for_every_chain([](Solver& solver, const State& s) {
    const Index n = s.q.size();
    std::vector<MatXd> dM(static_cast<std::size_t>(n), MatXd(n, n));
    ASSERT_EQ(solver.mass_matrix_derivatives(s.q, dM), Status::kOk);
    MatXd M(n, n);
    const auto flat = [&](const VecXd& q) {
      EXPECT_EQ(solver.mass_matrix(q, M), Status::kOk);
      return VecXd(M.reshaped());
    };
    const MatXd expected = differences(flat, s.q);
    for (Index k = 0; k < n; ++k) {
      EXPECT_LE(magnitude(dM[static_cast<std::size_t>(k)].reshaped() - expected.col(k)),
                1e-10 * (1.0 + magnitude(M)));
    }
  });
}

// A step is the sum of the Taylor series of motion where f is linear: two half steps are one, and to first order a
// step is what the continuous model says.
TEST(Derivatives, TheLinearModelIsDiscretizedExactly) {
  for (const char* robot : {"planar3r", "arm7"}) {
    SCOPED_TRACE(robot);
    const ChainPtr chain = load_robot(robot);
    const Index n = chain->dof();
    Solver solver = Solver::make(chain).value();
    solver.set_friction(true);
    const State s(n);
    Linearization continuous(n);
    ASSERT_EQ(solver.linearize(s.q, s.qd, s.x, continuous), Status::kOk);
    EXPECT_EQ(continuous.A.topRightCorner(n, n), MatXd::Identity(n, n));
    EXPECT_EQ(magnitude(continuous.A.topLeftCorner(n, n)) + magnitude(continuous.B.topRows(n)),
              0.0);
    Linearization whole = continuous, half = continuous, tiny = continuous;
    whole.discretize(0.02);
    half.discretize(0.01);
    tiny.discretize(1e-9);
    EXPECT_LE(magnitude(half.A * half.A - whole.A), 1e-12 * magnitude(whole.A));
    EXPECT_LE(magnitude(half.A * half.B + half.B - whole.B), 1e-12 * magnitude(whole.B));
    const MatXd rate = (tiny.A - MatXd::Identity(2 * n, 2 * n)) / 1e-9;
    EXPECT_LE(magnitude(rate - continuous.A), 1e-5 * magnitude(continuous.A));
    EXPECT_LE(magnitude(tiny.B / 1e-9 - continuous.B), 1e-5 * magnitude(continuous.B));
  }
  // A double integrator, in closed form.
  Linearization cart(1);
  cart.A << 0.0, 1.0, 0.0, 0.0;
  cart.B << 0.0, 2.0;
  cart.discretize(3.0);
  EXPECT_NEAR(cart.A(0, 1), 3.0, 1e-13);
  EXPECT_NEAR(cart.B(0), 9.0, 1e-12);
  EXPECT_NEAR(cart.B(1), 6.0, 1e-13);
}

}  // namespace
}  // namespace dyn::test::derivatives_tests
