// Batch, on every instruction set of this machine, against the Solver state by state.
#include <cmath>
#include <limits>

#include "dyn_core/fast/batch.hpp"
#include "dyn_core/fast/fast_dynamics.hpp"
#include "dyn_core/solver.hpp"
#include "support.hpp"

namespace dyn::test::batch_tests {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr Index kStates = 11;  // no multiple of a packet

double magnitude(const MatXd& m) { return m.cwiseAbs().maxCoeff(); }

MatXd square(const BatchArray& a, Index n, Index state) {
  MatXd m(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) m(i, j) = a(i * n + j, state);
  }
  return m;
}
VecXd column(const BatchArray& a, Index state) {
  VecXd v(a.rows());
  a.get(state, v);
  return v;
}

RigidBody payload_of(Index state) {
  RigidBody body;
  body.mass = 0.5 + 0.3 * static_cast<double>(state);
  body.com = {0.02 * static_cast<double>(state), -0.05, 0.1};
  body.inertia = Vec3d(0.02, 0.03, 0.025).asDiagonal();
  return body;
}

// A batch and a solver of one chain, and states.
struct Fixture {
  explicit Fixture(const ChainPtr& chain, int threads = 1)
      : n(chain->joint_count()),
        model(chain),
        solver(Solver::make(chain).value()),
        batch(make(chain, threads)),
        q(n, kStates),
        qd(n, kStates),
        x(n, kStates),
        out(n, kStates),
        other(n, kStates),
        matrix(n * n, kStates) {
    Random random(21);
    for (Index k = 0; k < kStates; ++k) {
      q.set(k, random.vector(n, 3.1));
      qd.set(k, random.vector(n, 1.0));
      x.set(k, random.vector(n, 3.0));
    }
  }

  Batch make(const ChainPtr& chain, int threads) {
    for (Index i = 0; i < n; i += 3) model.set_armature(i, 0.2);
    for (Index i = 0; i < n; i += 3) solver.set_armature(i, 0.2);
    model.set_gravity({1.0, -2.0, -9.0});
    solver.set_gravity({1.0, -2.0, -9.0});
    (void)chain;
    return std::move(Batch::make(model, threads).value());
  }
  /// The solver's answers at state k, and the tolerance that belongs to its mass matrix.
  void at(Index k) {
    M.resize(n, n), inverse.resize(n, n);
    ASSERT_EQ(solver.mass_matrix(column(q, k), M), Status::kOk);
    ASSERT_EQ(solver.mass_matrix_inverse(column(q, k), inverse), Status::kOk);
    tolerance = 50.0 * kEpsilon * static_cast<double>(n) * magnitude(M) * magnitude(inverse);
  }

  Index n;
  Model model;
  Solver solver;
  Batch batch;
  BatchArray q, qd, x, out, other, matrix;
  MatXd M, inverse;
  double tolerance = 0.0;
};

class BatchTest : public ::testing::TestWithParam<std::string_view> {
 protected:
  BatchTest() { EXPECT_TRUE(force_simd_target(GetParam())); }
  ~BatchTest() override { force_simd_target(""); }
};

void compare_matrices(Fixture& f) {
  ASSERT_EQ(f.batch.mass_matrix(f.q, f.matrix), Status::kOk);
  for (Index k = 0; k < kStates; ++k) {
    f.at(k);
    EXPECT_LE(magnitude(square(f.matrix, f.n, k) - f.M), f.tolerance * magnitude(f.M));
  }
  ASSERT_EQ(f.batch.mass_matrix_inverse(f.q, f.matrix), Status::kOk);
  for (Index k = 0; k < kStates; ++k) {
    f.at(k);
    EXPECT_LE(magnitude(square(f.matrix, f.n, k) - f.inverse), f.tolerance * magnitude(f.inverse));
  }
  ASSERT_EQ(f.batch.factor(f.q, f.matrix, f.out), Status::kOk);
  for (Index k = 0; k < kStates; ++k) {
    f.at(k);
    const MatXd U = square(f.matrix, f.n, k);
    const MatXd product = U * column(f.out, k).asDiagonal() * U.transpose();
    EXPECT_LE(magnitude(product - f.M), f.tolerance * magnitude(f.M));
  }
  ASSERT_EQ(f.batch.coriolis_matrix(f.q, f.qd, f.matrix), Status::kOk);
  FastDynamics fast(f.model);
  MatXd C(f.n, f.n);
  for (Index k = 0; k < kStates; ++k) {
    f.at(k);
    ASSERT_EQ(fast.coriolis_matrix(column(f.q, k), column(f.qd, k), C), Status::kOk);
    EXPECT_LE(magnitude(square(f.matrix, f.n, k) - C),
              f.tolerance * (magnitude(f.M) + magnitude(C)));
  }
}

void compare_derivatives(Fixture& f) {
  BatchArray by_qd(f.n * f.n, kStates), third(f.n * f.n, kStates);
  MatXd q(f.n, f.n), qd(f.n, f.n), last(f.n, f.n);
  const auto compare = [&](Index k, double scale) {
    EXPECT_LE(magnitude(square(f.matrix, f.n, k) - q), f.tolerance * (scale + magnitude(q)));
    EXPECT_LE(magnitude(square(by_qd, f.n, k) - qd), f.tolerance * (scale + magnitude(qd)));
    EXPECT_LE(magnitude(square(third, f.n, k) - last), f.tolerance * magnitude(last));
  };
  ASSERT_EQ(f.batch.inverse_dynamics_derivatives(f.q, f.qd, f.x, f.matrix, by_qd, third),
            Status::kOk);
  for (Index k = 0; k < kStates; ++k) {
    f.at(k);
    ASSERT_EQ(f.solver.inverse_dynamics_derivatives(column(f.q, k), column(f.qd, k), column(f.x, k),
                                                    q, qd, last),
              Status::kOk);
    compare(k, magnitude(f.M));
  }
  ASSERT_EQ(f.batch.forward_dynamics_derivatives(f.q, f.qd, f.x, f.matrix, by_qd, third),
            Status::kOk);
  for (Index k = 0; k < kStates; ++k) {
    f.at(k);
    ASSERT_EQ(f.solver.forward_dynamics_derivatives(column(f.q, k), column(f.qd, k), column(f.x, k),
                                                    q, qd, last),
              Status::kOk);
    compare(k, 1.0);
  }
}

void compare_torques(Fixture& f) {
  VecXd expected(f.n);
  ASSERT_EQ(f.batch.inverse_dynamics(f.q, f.qd, f.x, f.out), Status::kOk);
  for (Index k = 0; k < kStates; ++k) {
    f.at(k);
    ASSERT_EQ(f.solver.inverse_dynamics(column(f.q, k), column(f.qd, k), column(f.x, k), expected),
              Status::kOk);
    EXPECT_LE(magnitude(column(f.out, k) - expected),
              f.tolerance * (magnitude(expected) + magnitude(f.M)));
  }
  ASSERT_EQ(f.batch.forward_dynamics(f.q, f.qd, f.out, f.other), Status::kOk);
  for (Index k = 0; k < kStates; ++k) {
    f.at(k);
    const double scale = 10.0 + magnitude(column(f.out, k)) / magnitude(f.M);
    EXPECT_LE(magnitude(column(f.other, k) - column(f.x, k)), f.tolerance * scale);
  }
  ASSERT_EQ(f.batch.bias_torque(f.q, f.qd, f.out), Status::kOk);
  for (Index k = 0; k < kStates; ++k) {
    f.at(k);
    ASSERT_EQ(f.solver.bias_torque(column(f.q, k), column(f.qd, k), expected), Status::kOk);
    EXPECT_LE(magnitude(column(f.out, k) - expected),
              f.tolerance * (magnitude(expected) + magnitude(f.M)));
  }
}

TEST_P(BatchTest, AgreesWithTheSolverStateByState) {
  for (const ChainPtr& chain : conformance_chains()) {
    if (chain->has_mimic()) continue;
    SCOPED_TRACE(chain->name());
    Fixture f(chain);
    EXPECT_EQ(f.batch.target(), GetParam());
    compare_matrices(f);
    compare_derivatives(f);
    compare_torques(f);
  }
}

TEST_P(BatchTest, EachStateCarriesItsPayload) {
  const ChainPtr chain = load_robot("arm7");
  Fixture f(chain);
  std::vector<RigidBody> payloads;
  for (Index k = 0; k < kStates; ++k) payloads.push_back(payload_of(k));
  f.batch.set_payloads(payloads);
  ASSERT_EQ(f.batch.inverse_dynamics(f.q, f.qd, f.x, f.out), Status::kOk);
  ASSERT_EQ(f.batch.forward_dynamics(f.q, f.qd, f.out, f.other), Status::kOk);
  ASSERT_EQ(f.batch.mass_matrix(f.q, f.matrix), Status::kOk);
  VecXd tau(f.n);
  for (Index k = 0; k < kStates; ++k) {
    f.solver.set_payload(payload_of(k));
    f.at(k);
    ASSERT_EQ(f.solver.inverse_dynamics(column(f.q, k), column(f.qd, k), column(f.x, k), tau),
              Status::kOk);
    EXPECT_LE(magnitude(column(f.out, k) - tau), f.tolerance * magnitude(tau));
    EXPECT_LE(magnitude(column(f.other, k) - column(f.x, k)), f.tolerance * magnitude(tau));
    EXPECT_LE(magnitude(square(f.matrix, f.n, k) - f.M), f.tolerance * magnitude(f.M));
  }
  f.batch.set_payloads({});
  f.solver.set_payload({});
  ASSERT_EQ(f.batch.mass_matrix(f.q, f.matrix), Status::kOk);
  f.at(0);
  EXPECT_LE(magnitude(square(f.matrix, f.n, 0) - f.M), f.tolerance * magnitude(f.M));
}

TEST_P(BatchTest, OneBadStateLeavesTheOthersAlone) {
  Fixture f(random_chain(9, 4));
  ASSERT_EQ(f.batch.forward_dynamics(f.q, f.qd, f.x, f.out), Status::kOk);
  f.q(8, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(f.batch.forward_dynamics(f.q, f.qd, f.x, f.other), Status::kNotFinite);
  EXPECT_EQ(f.batch.mass_matrix(f.q, f.matrix), Status::kNotFinite);
  EXPECT_EQ(f.batch.mass_matrix_inverse(f.q, f.matrix), Status::kNotFinite);
  EXPECT_EQ(f.batch.coriolis_matrix(f.q, f.qd, f.matrix), Status::kNotFinite);
  EXPECT_EQ(f.batch.bias_torque(f.q, f.qd, f.matrix), Status::kWrongSize);
  for (Index k = 0; k < kStates; ++k) {
    if (k == 2) continue;
    EXPECT_EQ(column(f.other, k), column(f.out, k));
  }
}

// Without gravity and torque the energy stays; Runge-Kutta of order 4 shows it.
TEST_P(BatchTest, StepsFollowTheEquationsOfMotion) {
  const ChainPtr chain = random_chain(4, 9, {.prismatic = 0.3});
  Fixture f(chain);
  f.model.set_gravity(Vec3d::Zero());
  f.batch.set_model(f.model);
  f.x.fill(0.0);
  VecXd before(kStates);
  for (Index k = 0; k < kStates; ++k) {
    ASSERT_EQ(f.solver.kinetic_energy(column(f.q, k), column(f.qd, k), before[k]), Status::kOk);
  }
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(f.batch.step(1e-3, f.x, f.q, f.qd, BatchIntegrator::kRungeKutta4), Status::kOk);
  }
  for (Index k = 0; k < kStates; ++k) {
    double energy = 0.0;
    ASSERT_EQ(f.solver.kinetic_energy(column(f.q, k), column(f.qd, k), energy), Status::kOk);
    EXPECT_NEAR(energy, before[k], 1e-7 * before[k]);
  }
  BatchArray q(4, kStates), qd(4, kStates);
  for (Index k = 0; k < kStates; ++k) {
    q.set(k, column(f.q, k));
    qd.set(k, column(f.qd, k));
  }
  ASSERT_EQ(f.batch.forward_dynamics(f.q, f.qd, f.x, f.out), Status::kOk);
  ASSERT_EQ(f.batch.step(0.01, f.x, f.q, f.qd), Status::kOk);
  for (Index k = 0; k < kStates; ++k) {
    EXPECT_LE(magnitude(column(f.qd, k) - column(qd, k) - 0.01 * column(f.out, k)), 1e-14);
    EXPECT_LE(magnitude(column(f.q, k) - column(q, k) - 0.01 * column(f.qd, k)), 1e-14);
  }
}

// On any number of threads: each trajectory is its steps one after the other, and costs what they do together.
TEST_P(BatchTest, ARolloutIsItsSteps) {
  constexpr Index kMany = 700, kSteps = 6;  // enough for two threads
  const ChainPtr chain = random_chain(4, 9, {.prismatic = 0.3});
  const Index n = chain->dof();
  BatchArray torques(kSteps * n, kMany), start(n, kMany), at_rest(n, kMany);
  Random random(31);
  for (Index k = 0; k < kMany; ++k) {
    torques.set(k, random.vector(kSteps * n, 5.0));
    start.set(k, random.vector(n, 2.0));
  }
  const auto copy = [&](const BatchArray& from, BatchArray& to) {
    for (Index k = 0; k < kMany; ++k) to.set(k, column(from, k));
  };
  const Batch::StepCost cost = [n](Index step, const double* q, const double* qd, const double* tau,
                                   double* costs) {
    for (Index r = 0; r < n * 8; ++r) {
      costs[r % 8] += static_cast<double>(step + 1) * (q[r] + qd[r] * qd[r] + 0.1 * tau[r]);
    }
  };
  BatchArray q(n, kMany), qd(n, kMany), tau(n, kMany), expected(1, kMany);
  Batch batch = std::move(Batch::make(Model(chain)).value());
  copy(start, q);
  for (Index step = 0; step < kSteps; ++step) {
    for (Index k = 0; k < kMany; ++k) tau.set(k, column(torques, k).segment(step * n, n));
    ASSERT_EQ(batch.step(0.01, tau, q, qd), Status::kOk);
    for (Index p = 0; p < q.packets(); ++p) {
      cost(step, q.packet(p), qd.packet(p), tau.packet(p), expected.packet(p));
    }
  }
  for (const int threads : {1, 2}) {
    Batch another = std::move(Batch::make(Model(chain), threads).value());
    BatchArray q_end(n, kMany), qd_end(n, kMany), costs(1, kMany);
    copy(start, q_end);
    copy(at_rest, qd_end);
    ASSERT_EQ(another.rollout(0.01, torques, q_end, qd_end, cost, costs), Status::kOk);
    for (Index k = 0; k < kMany; ++k) {
      EXPECT_EQ(column(q_end, k), column(q, k));
      EXPECT_EQ(column(qd_end, k), column(qd, k));
      EXPECT_EQ(costs(0, k), expected(0, k));
    }
    EXPECT_EQ(another.rollout(0.01, torques, q_end, qd_end, cost, q), Status::kWrongSize);
  }
}

// The lanes beyond the last state neither fail nor drift away on their own.
TEST_P(BatchTest, LanesWithoutAStateAreOfNoAccount) {
  Fixture f(random_chain(5, 2));
  const double infinity = std::numeric_limits<double>::infinity();
  for (BatchArray* a : {&f.q, &f.qd, &f.x}) {
    for (Index row = 0; row < f.n; ++row) a->packet(1)[row * BatchArray::kPacket + 7] = infinity;
  }
  EXPECT_EQ(f.batch.mass_matrix(f.q, f.matrix), Status::kOk);
  EXPECT_EQ(f.batch.inverse_dynamics(f.q, f.qd, f.x, f.out), Status::kOk);
  EXPECT_EQ(f.batch.step(1e-4, f.x, f.q, f.qd), Status::kOk);
}

INSTANTIATE_TEST_SUITE_P(Targets, BatchTest,
                         ::testing::ValuesIn(simd_targets().begin(), simd_targets().end()),
                         [](const auto& target) { return std::string(target.param); });

TEST(BatchThreads, GiveTheSameAndReportProgress) {
  constexpr Index kMany = 3000;
  const Model model(random_chain(6, 3));
  Batch one = std::move(Batch::make(model, 1).value()),
        three = std::move(Batch::make(model, 3).value());
  BatchArray q(6, kMany), a(36, kMany), b(36, kMany);
  Random random(8);
  for (Index k = 0; k < kMany; ++k) q.set(k, random.vector(6, 3.0));
  Index last = 0;
  bool rising = true;
  three.set_progress([&](Index done, Index all) {
    rising = rising && done > last && all == q.packets();
    last = done;
    return true;
  });
  ASSERT_EQ(one.mass_matrix(q, a), Status::kOk);
  ASSERT_EQ(three.mass_matrix(q, b), Status::kOk);
  EXPECT_TRUE(rising);
  EXPECT_GT(last, 0);
  for (Index p = 0; p < q.packets(); ++p) {
    EXPECT_TRUE(std::equal(a.packet(p), a.packet(p) + 36 * BatchArray::kPacket, b.packet(p)));
  }
  one.set_progress([](Index, Index) { return false; });
  b.fill(0.0);
  EXPECT_EQ(one.mass_matrix(q, b), Status::kOk);
  EXPECT_EQ(b(0, 0), a(0, 0));
  EXPECT_EQ(b(0, kMany - 1), 0.0);
}

TEST(BatchThreads, WrongSizesAreRefused) {
  Batch batch = std::move(Batch::make(Model(random_chain(6, 3))).value());
  BatchArray q(6, 20), short_q(6, 19), M(36, 20), small(35, 20), wrong(5, 20);
  EXPECT_EQ(batch.mass_matrix(wrong, M), Status::kWrongSize);
  EXPECT_EQ(batch.mass_matrix(q, small), Status::kWrongSize);
  EXPECT_EQ(batch.mass_matrix(short_q, M), Status::kWrongSize);
  EXPECT_EQ(batch.bias_torque(q, short_q, q), Status::kWrongSize);
  batch.set_payloads(std::vector<RigidBody>(8));
  EXPECT_EQ(batch.mass_matrix(q, M), Status::kWrongSize);
}

}  // namespace
}  // namespace dyn::test::batch_tests
