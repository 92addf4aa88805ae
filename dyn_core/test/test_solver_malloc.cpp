// The solver: what it adds to its algorithms (tip wrench, friction, payload, armature, mimic joints), and
// that no query of any registered algorithm allocates.
#include <cmath>

#include "dyn_core/registry.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/solver.hpp"
#include "malloc_gate.hpp"
#include "robot/urdf_text.hpp"
#include "support.hpp"

namespace dyn::test::solver_malloc_tests {
namespace {

// All defaults, then each registered algorithm once.
std::vector<Algorithms> every_choice() {
  std::vector<Algorithms> choices(1);
  const auto add = [&](const auto& entries, std::string Algorithms::*quantity) {
    for (const auto& entry : entries) {
      choices.emplace_back();
      choices.back().*quantity = entry.name;
    }
  };
  add(mass_matrix_algorithms<double>(), &Algorithms::mass_matrix);
  add(inverse_dynamics_algorithms<double>(), &Algorithms::inverse_dynamics);
  add(forward_dynamics_algorithms<double>(), &Algorithms::forward_dynamics);
  add(coriolis_algorithms<double>(), &Algorithms::coriolis);
  Algorithms fast;
  fast.mass_matrix = fast.inverse_dynamics = fast.forward_dynamics = fast.coriolis = "fast";
  choices.push_back(fast);
  return choices;
}

std::string name_of(const Algorithms& a) {
  return a.mass_matrix + ", " + a.inverse_dynamics + ", " + a.forward_dynamics + ", " + a.coriolis;
}

struct State {
  explicit State(Index n, std::uint64_t seed = 11) {
    Random random(seed);
    q = random.vector(n, 2.0), qd = random.vector(n, 1.5), qdd = random.vector(n, 3.0);
    tau = random.vector(n, 10.0);
  }
  VecXd q, qd, qdd, tau;
};

// Room for the derivatives.
struct Rest {
  explicit Rest(Index n) : B(n, n), C(n, n), by_gravity(n, 3), by_wrench(n, 6), linear(n) {}
  MatXd B, C, by_gravity, by_wrench;
  Linearization linear;
};

// Every query of the solver once; the sum of their statuses, 0 if all are kOk.
int query_everything(Solver& solver, const State& s, Dynamics& all, Quasi& quasi,
                     std::vector<MatXd>& power, MatXd& A, VecXd& v, Rest& rest) {
  int bad = 0;
  double energy = 0.0;
  const auto check = [&](Status status) { bad += status == Status::kOk ? 0 : 1; };
  solver.set_payload({0.7, {0.0, 0.01, 0.1}, 0.01 * Mat3d::Identity()});
  solver.set_gravity({0.0, 1.0, -9.0});
  solver.set_armature(0, 0.3);
  solver.set_tip_wrench({{1.0, 2.0, 3.0}, {0.1, 0.2, 0.3}});
  solver.set_friction(true);
  check(solver.mass_matrix(s.q, A));
  check(solver.mass_matrix_inverse(s.q, A));
  check(solver.factor(s.q, A, v));
  check(solver.coriolis_matrix(s.q, s.qd, A));
  check(solver.coriolis_torque(s.q, s.qd, v));
  check(solver.gravity_torque(s.q, v));
  check(solver.bias_torque(s.q, s.qd, v));
  check(solver.friction_torque(s.qd, v));
  check(solver.inverse_dynamics(s.q, s.qd, s.qdd, v));
  check(solver.forward_dynamics(s.q, s.qd, s.tau, v));
  check(solver.dynamics(s.q, s.qd, all));
  check(solver.quasi(s.q, s.qd, s.tau, quasi));
  check(solver.inertia_power(s.q, power));
  check(solver.kinetic_energy(s.q, s.qd, energy));
  check(solver.potential_energy(s.q, energy));
  check(solver.inverse_dynamics_derivatives(s.q, s.qd, s.qdd, A, rest.B, rest.C));
  check(solver.forward_dynamics_derivatives(s.q, s.qd, s.tau, A, rest.B, rest.C));
  check(solver.gravity_torque_derivatives(s.q, A));
  check(solver.coriolis_torque_derivatives(s.q, s.qd, A, rest.B));
  check(solver.load_derivatives(s.q, rest.by_gravity, rest.by_wrench));
  check(solver.mass_matrix_derivatives(s.q, power));
  check(solver.linearize(s.q, s.qd, s.tau, rest.linear));
  rest.linear.discretize(0.01);
  return bad;
}

TEST(SolverMalloc, NoQueryOfAnyAlgorithmAllocates) {
  if (!MallocGate::available()) GTEST_SKIP() << "a sanitizer has its own malloc";
  for (const char* robot : {"planar3r", "rtx3", "puma560", "arm7"}) {
    const ChainPtr chain = load_robot(robot);
    const Index n = chain->dof();
    for (const Algorithms& algorithms : every_choice()) {
      SCOPED_TRACE(std::string(robot) + ": " + name_of(algorithms));
      Solver solver = Solver::make(chain, algorithms).value();
      const State state(n);
      Dynamics all(*chain);
      Quasi quasi(n);
      std::vector<MatXd> power(static_cast<std::size_t>(n), MatXd(n, n));
      MatXd A(n, n);
      VecXd v(n);
      Rest rest(n);
      const MallocGate gate;
      const int bad = query_everything(solver, state, all, quasi, power, A, v, rest);
      const std::size_t calls = gate.calls();
      EXPECT_EQ(calls, 0u);
      EXPECT_EQ(bad, 0);
    }
  }
}

// Runs `body(solver, chain)` for every robot and every choice of algorithms.
template <class Body>
void for_every_solver(Body body) {
  for (const std::string& robot : robot_names()) {
    const ChainPtr chain = load_robot(robot);
    for (const Algorithms& algorithms : every_choice()) {
      SCOPED_TRACE(robot + ": " + name_of(algorithms));
      Solver solver = Solver::make(chain, algorithms).value();
      body(solver, *chain);
    }
  }
}

double relative(const VecXd& a, const VecXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / (1.0 + b.cwiseAbs().maxCoeff());
}

TEST(Solver, TheTipWrenchWorksThroughTheJacobian) {
  for_every_solver([](Solver& solver, const Chain& chain) {
    const State s(chain.dof());
    VecXd without(chain.dof()), with(chain.dof());
    ASSERT_EQ(solver.inverse_dynamics(s.q, s.qd, s.qdd, without), Status::kOk);
    solver.set_tip_wrench({{3.0, -2.0, 5.0}, {0.4, 0.6, -0.2}});
    ASSERT_EQ(solver.inverse_dynamics(s.q, s.qd, s.qdd, with), Status::kOk);
    Kinematics<double> kinematics(solver.chain_ptr());
    ASSERT_EQ(kinematics.update(s.q), Status::kOk);
    MatXd J(6, chain.dof());
    ASSERT_EQ(kinematics.jacobian(J), Status::kOk);
    VecXd wrench(6);
    wrench << 3.0, -2.0, 5.0, 0.4, 0.6, -0.2;
    EXPECT_LE(relative(with, without - J.transpose() * wrench), 1e-12);
  });
}

TEST(Solver, ForwardDynamicsInvertsInverseDynamicsWithEverythingOn) {
  for_every_solver([](Solver& solver, const Chain& chain) {
    const State s(chain.dof());
    solver.set_payload({0.7, {0.0, 0.01, 0.1}, 0.01 * Mat3d::Identity()});
    for (Index i = 0; i < chain.joint_count(); ++i) solver.set_armature(i, 0.2);
    solver.set_tip_wrench({{1.0, 2.0, 3.0}, {0.1, 0.2, 0.3}});
    solver.set_friction(true);
    VecXd tau(chain.dof()), qdd(chain.dof());
    ASSERT_EQ(solver.inverse_dynamics(s.q, s.qd, s.qdd, tau), Status::kOk);
    ASSERT_EQ(solver.forward_dynamics(s.q, s.qd, tau, qdd), Status::kOk);
    EXPECT_LE(relative(qdd, s.qdd), 1e-9);
  });
}

TEST(Solver, APayloadIsThatOfTheRobotDescription) {
  for (const std::string& robot : robot_names()) {
    SCOPED_TRACE(robot);
    UrdfOptions options;
    options.tip = "tool0";
    options.payload = RigidBody{1.3, {0.02, -0.03, 0.15}, 0.02 * Mat3d::Identity()};
    const ChainPtr loaded = load_urdf(robot_path(robot), options).value();
    Solver given = Solver::make(loaded).value();
    Solver set = Solver::make(load_robot(robot)).value();
    set.set_payload(options.payload);
    const State s(loaded->dof());
    VecXd a(loaded->dof()), b(loaded->dof());
    ASSERT_EQ(given.inverse_dynamics(s.q, s.qd, s.qdd, a), Status::kOk);
    ASSERT_EQ(set.inverse_dynamics(s.q, s.qd, s.qdd, b), Status::kOk);
    EXPECT_LE(relative(a, b), 1e-12);
  }
}

// With joints that mimic others: kinetic energy by the brute-force mass matrix, M from the energy, the
// power balance d/dt(T + V) = q̇ᵀ tau, the quasi-velocities' energy and their law.
TEST(Solver, MimicJointsKeepTheLaws) {
  UrdfText robot = random_robot(9, 5);
  robot.joint("joint2").mimic = "joint5", robot.joint("joint2").multiplier = -0.7;
  robot.joint("joint4").mimic = "joint2", robot.joint("joint4").offset = 0.3;
  UrdfOptions options;
  options.tip = "tip";
  const auto chain = parse_urdf(to_text(robot), options);
  ASSERT_TRUE(chain) << chain.error().sentence;
  ASSERT_TRUE((*chain)->has_mimic());
  Solver solver = Solver::make(*chain).value();
  const Index n = solver.dof();
  const State s(n);
  MatXd M(n, n);
  ASSERT_EQ(solver.mass_matrix(s.q, M), Status::kOk);
  EXPECT_LE((M - brute_force_mass_matrix<double>(*chain, s.q)).cwiseAbs().maxCoeff(),
            1e-11 * M.cwiseAbs().maxCoeff());
  VecXd qdd(n);
  ASSERT_EQ(solver.forward_dynamics(s.q, s.qd, s.tau, qdd), Status::kOk);
  constexpr double kStep = 1e-5;
  const auto energy = [&](double t) {
    double kinetic = 0.0, potential = 0.0;
    const VecXd q = s.q + t * s.qd + 0.5 * t * t * qdd, qd = s.qd + t * qdd;
    EXPECT_EQ(solver.kinetic_energy(q, qd, kinetic), Status::kOk);
    EXPECT_EQ(solver.potential_energy(q, potential), Status::kOk);
    return kinetic + potential;
  };
  const double power = (energy(kStep) - energy(-kStep)) / (2.0 * kStep);
  EXPECT_NEAR(power, s.qd.dot(s.tau), 1e-6 * (1.0 + std::abs(energy(0.0))));
  Quasi quasi(n);
  ASSERT_EQ(solver.quasi(s.q, s.qd, s.tau, quasi), Status::kOk);
  EXPECT_NEAR(quasi.nu.squaredNorm(), s.qd.dot(M * s.qd), 1e-10 * quasi.nu.squaredNorm());
  EXPECT_NEAR(quasi.xi.dot(quasi.D.cwiseProduct(quasi.xi)), quasi.nu.squaredNorm(),
              1e-10 * quasi.nu.squaredNorm());
  EXPECT_NEAR(quasi.nu.dot(quasi.coriolis_nu), 0.0, 1e-9 * quasi.nu.squaredNorm());
  const VecXd nu_rate =
      quasi.mass_factor_rate.transpose() * s.qd + quasi.mass_factor.transpose() * qdd;
  EXPECT_LE(relative(nu_rate + quasi.coriolis_nu + quasi.gravity_nu, quasi.epsilon), 1e-9);
}

TEST(Solver, WrongSizesAndNumbersAreStatuses) {
  Solver solver = Solver::make(load_robot("arm7")).value();
  VecXd q = VecXd::Zero(7), out(7), narrow(6);
  MatXd M(7, 7), low(6, 7);
  EXPECT_EQ(solver.mass_matrix(narrow, M), Status::kWrongSize);
  EXPECT_EQ(solver.mass_matrix(q, low), Status::kWrongSize);
  EXPECT_EQ(solver.gravity_torque(q, narrow), Status::kWrongSize);
  q[3] = std::nan("");
  EXPECT_EQ(solver.mass_matrix(q, M), Status::kNotFinite);
  EXPECT_EQ(solver.gravity_torque(q, out), Status::kNotFinite);
  EXPECT_EQ(solver.inverse_dynamics(VecXd::Zero(7), q, VecXd::Zero(7), out), Status::kNotFinite);
  EXPECT_EQ(solver.forward_dynamics(VecXd::Zero(7), VecXd::Zero(7), q, out), Status::kNotFinite);
}

TEST(Solver, AnUnknownAlgorithmIsNamedWithThoseThereAre) {
  const auto solver = Solver::make(load_robot("arm7"), {.mass_matrix = "crab"});
  ASSERT_FALSE(solver);
  for (const char* part : {"mass matrix", "'crab'", "gdahj", "crba", "fast"}) {
    EXPECT_NE(solver.error().sentence.find(part), std::string::npos) << solver.error().sentence;
  }
}

}  // namespace
}  // namespace dyn::test::solver_malloc_tests
