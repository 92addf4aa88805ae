// FastDynamics, on every instruction set of this machine, against the papers' algorithms.
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>

#include "dyn_core/fast/fast_dynamics.hpp"
#include "dyn_core/solver.hpp"
#include "support.hpp"

namespace dyn::test::fast_tests {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Restores the free choice of the instruction set.
struct ForcedTarget {
  explicit ForcedTarget(std::string_view name) { EXPECT_TRUE(force_simd_target(name)); }
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;
  ~ForcedTarget() { force_simd_target(""); }
};

RigidBody payload() {
  RigidBody body;
  body.mass = 2.5;
  body.com = {0.03, -0.05, 0.11};
  body.inertia = Vec3d(0.02, 0.03, 0.025).asDiagonal();
  return body;
}

double magnitude(const MatXd& m) { return m.size() == 0 ? 0.0 : m.cwiseAbs().maxCoeff(); }

// The default algorithms and the fast ones of one chain, with a payload, armature and another gravity.
struct Pair {
  explicit Pair(const ChainPtr& chain)
      : n(chain->joint_count()), reference(Solver::make(chain).value()), model(chain), fast(model) {
    const Vec3d gravity(0.4, -2.0, -9.3);
    reference.set_payload(payload());
    reference.set_gravity(gravity);
    model.set_payload(payload());
    model.set_gravity(gravity);
    for (Index i = 0; i < n; i += 2) {
      reference.set_armature(i, 0.1);
      model.set_armature(i, 0.1);
    }
    fast.set_model(model);
  }

  void set(std::uint64_t seed, double speed, double turns) {
    Random random(seed);
    q = random.vector(n, 3.1 * turns);
    qd = random.vector(n, speed);
    x = random.vector(n, 3.0);
    M.resize(n, n);
    ASSERT_EQ(reference.mass_matrix(q, M), Status::kOk);
    const VecXd eigenvalues = M.selfadjointView<Eigen::Lower>().eigenvalues();
    tolerance = 50.0 * kEpsilon * eigenvalues[n - 1] / eigenvalues[0];
    // q itself is known to its last bit only.
    if (turns > 1.0) tolerance += 50.0 * kEpsilon * magnitude(q);
  }

  void compare_matrices() {
    MatXd A(n, n), B(n, n);
    ASSERT_EQ(fast.mass_matrix(q, A), Status::kOk);
    EXPECT_LE(magnitude(A - M), tolerance * magnitude(M));
    EXPECT_EQ(magnitude(A - A.transpose()), 0.0);
    ASSERT_EQ(fast.mass_matrix_inverse(q, A), Status::kOk);
    ASSERT_EQ(reference.mass_matrix_inverse(q, B), Status::kOk);
    EXPECT_LE(magnitude(A - B), tolerance * magnitude(B));
    EXPECT_EQ(magnitude(A - A.transpose()), 0.0);
    ASSERT_EQ(fast.coriolis_matrix(q, qd, A), Status::kOk);
    VecXd coriolis(n);
    ASSERT_EQ(reference.coriolis_torque(q, qd, coriolis), Status::kOk);
    // Centrifugal terms may cancel: they are of the size of M q̇².
    const double speed = magnitude(qd);
    const double scale = (magnitude(A) + magnitude(M) * speed) * speed + 1e-300;
    EXPECT_LE(magnitude(A * qd - coriolis), tolerance * scale);
  }
  void compare_factors() {
    MatXd U(n, n);
    VecXd D(n);
    ASSERT_EQ(fast.factor(q, U, D), Status::kOk);
    EXPECT_LE(magnitude(U * D.asDiagonal() * U.transpose() - M), tolerance * magnitude(M));
    EXPECT_GT(D.minCoeff(), 0.0);
    EXPECT_EQ(magnitude(U.triangularView<Eigen::StrictlyLower>().toDenseMatrix()), 0.0);
    EXPECT_EQ(U.diagonal(), VecXd::Ones(n));
  }
  void compare_torques() {
    VecXd a(n), b(n);
    const double speed = magnitude(qd);
    const double scale = magnitude(M) * (speed * speed + magnitude(x)) + 100.0;
    ASSERT_EQ(fast.inverse_dynamics(q, qd, x, a), Status::kOk);
    ASSERT_EQ(reference.inverse_dynamics(q, qd, x, b), Status::kOk);
    EXPECT_LE(magnitude(a - b), tolerance * scale);
    ASSERT_EQ(fast.coriolis_torque(q, qd, a), Status::kOk);
    ASSERT_EQ(reference.coriolis_torque(q, qd, b), Status::kOk);
    EXPECT_LE(magnitude(a - b), tolerance * scale);
    ASSERT_EQ(fast.gravity_torque(q, a), Status::kOk);
    ASSERT_EQ(reference.gravity_torque(q, b), Status::kOk);
    EXPECT_LE(magnitude(a - b), tolerance * scale);
    ASSERT_EQ(fast.bias_torque(q, qd, a), Status::kOk);
    ASSERT_EQ(reference.bias_torque(q, qd, b), Status::kOk);
    EXPECT_LE(magnitude(a - b), tolerance * scale);
  }
  void compare_accelerations() {
    VecXd tau(n), qdd(n);
    ASSERT_EQ(reference.inverse_dynamics(q, qd, x, tau), Status::kOk);
    ASSERT_EQ(fast.forward_dynamics(q, qd, tau, qdd), Status::kOk);
    const double speed = magnitude(qd);
    const double scale = 1.0 + magnitude(x) + magnitude(tau) / magnitude(M) + speed * speed;
    EXPECT_LE(magnitude(qdd - x), tolerance * scale);
  }
  void compare_all_at_once() {
    Dynamics out(reference.chain());
    ASSERT_EQ(fast.dynamics(q, qd, out), Status::kOk);
    MatXd A(n, n);
    VecXd a(n);
    ASSERT_EQ(fast.mass_matrix(q, A), Status::kOk);
    EXPECT_EQ(out.mass_matrix, A);
    ASSERT_EQ(fast.factor(q, A, a), Status::kOk);
    EXPECT_EQ(out.U, A);
    EXPECT_EQ(out.D, a);
    ASSERT_EQ(fast.coriolis_torque(q, qd, a), Status::kOk);
    EXPECT_EQ(out.coriolis_torque, a);
    ASSERT_EQ(reference.gravity_torque(q, a), Status::kOk);
    EXPECT_LE(magnitude(out.gravity_torque - a), tolerance * (magnitude(a) + magnitude(M)));
    Kinematics<double> kinematics(reference.chain_ptr());
    ASSERT_EQ(kinematics.update(q), Status::kOk);
    for (Index i = 0; i < n; ++i) {
      const Posed pose = kinematics.dh_pose(i);
      const double bound = kEpsilon * (100.0 + 4.0 * magnitude(q)) * static_cast<double>(i + 1);
      EXPECT_LE(magnitude(out.frames[static_cast<std::size_t>(i)].R - pose.R), bound);
      EXPECT_LE(magnitude(out.frames[static_cast<std::size_t>(i)].p - pose.p), 20.0 * bound);
    }
  }

  Index n;
  Solver reference;
  Model model;
  FastDynamics fast;
  VecXd q, qd, x;
  MatXd M;
  double tolerance = 0.0;
};

class Fast : public ::testing::TestWithParam<std::string_view> {};

TEST_P(Fast, AgreesWithThePapersAlgorithms) {
  const ForcedTarget forced(GetParam());
  for (const ChainPtr& chain : conformance_chains()) {
    if (chain->has_mimic()) continue;
    Pair pair(chain);
    EXPECT_EQ(pair.fast.target(), GetParam());
    for (const double speed : {0.0, 1.0, 1e4}) {
      SCOPED_TRACE(chain->name() + ", n = " + std::to_string(pair.n) + ", seed 3, speed " +
                   std::to_string(speed));
      pair.set(3, speed, 1.0);
      if (HasFatalFailure()) return;
      pair.compare_matrices();
      pair.compare_factors();
      pair.compare_torques();
      pair.compare_accelerations();
      pair.compare_all_at_once();
    }
  }
}

TEST_P(Fast, TakesAnglesOfManyTurns) {
  const ForcedTarget forced(GetParam());
  Pair pair(random_chain(11, 5));
  for (const double turns : {1e3, 3e4, 1e6, 1e9}) {
    SCOPED_TRACE(turns);
    pair.set(4, 1.0, turns);
    pair.compare_matrices();
    pair.compare_torques();
    pair.compare_accelerations();
  }
}

TEST_P(Fast, WritesNothingBesideTheMatrix) {
  const ForcedTarget forced(GetParam());
  for (const Index n : {1, 2, 3, 5, 7, 8, 9, 13}) {
    Pair pair(random_chain(n, 8));
    pair.set(5, 1.0, 1.0);
    MatXd large = MatXd::Constant(n + 2, n + 2, 77.0), untouched = large;
    untouched.block(1, 1, n, n).setZero();
    const auto expect_untouched = [&] {
      large.block(1, 1, n, n).setZero();
      EXPECT_EQ(large, untouched) << n;
    };
    VecXd D(n);
    ASSERT_EQ(pair.fast.mass_matrix(pair.q, large.block(1, 1, n, n)), Status::kOk);
    EXPECT_LE(magnitude(large.block(1, 1, n, n) - pair.M), pair.tolerance * magnitude(pair.M));
    expect_untouched();
    ASSERT_EQ(pair.fast.mass_matrix_inverse(pair.q, large.block(1, 1, n, n)), Status::kOk);
    expect_untouched();
    ASSERT_EQ(pair.fast.coriolis_matrix(pair.q, pair.qd, large.block(1, 1, n, n)), Status::kOk);
    expect_untouched();
    ASSERT_EQ(pair.fast.factor(pair.q, large.block(1, 1, n, n), D), Status::kOk);
    expect_untouched();
    VecXd vector = VecXd::Constant(n + 1, 77.0);
    ASSERT_EQ(pair.fast.forward_dynamics(pair.q, pair.qd, pair.x, vector.head(n)), Status::kOk);
    ASSERT_EQ(pair.fast.inverse_dynamics(pair.q, pair.qd, pair.x, vector.head(n)), Status::kOk);
    EXPECT_EQ(vector[n], 77.0);
  }
}

TEST_P(Fast, TipWrenchAndFrictionAsInTheSolver) {
  const ForcedTarget forced(GetParam());
  const ChainPtr chain = load_robot("arm7");
  Algorithms names{"fast", "fast", "fast", "fast"};
  Solver reference = Solver::make(chain).value(), fast = Solver::make(chain, names).value();
  for (Solver* solver : {&reference, &fast}) {
    solver->set_payload(payload());
    solver->set_armature(1, 0.3);
    solver->set_tip_wrench({Vec3d(3.0, -20.0, 8.0), Vec3d(1.0, 2.0, -0.5)});
    solver->set_friction(true);
  }
  Random random(12);
  const VecXd q = random.vector(7, 3.0), qd = random.vector(7, 2.0), x = random.vector(7, 5.0);
  VecXd a(7), b(7);
  ASSERT_EQ(fast.inverse_dynamics(q, qd, x, a), Status::kOk);
  ASSERT_EQ(reference.inverse_dynamics(q, qd, x, b), Status::kOk);
  EXPECT_LE(magnitude(a - b), 1e-12 * magnitude(b));
  ASSERT_EQ(fast.forward_dynamics(q, qd, a, b), Status::kOk);
  EXPECT_LE(magnitude(b - x), 1e-10 * magnitude(x));
}

TEST_P(Fast, SaysWhatIsWrong) {
  const ForcedTarget forced(GetParam());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Index n : {1, 3, 7, 8, 20}) {
    Pair pair(random_chain(n, 2, {.prismatic = 0.3}));
    pair.set(6, 1.0, 1.0);
    MatXd A(n, n);
    VecXd a(n);
    for (const double bad : {nan, infinity, -infinity}) {
      SCOPED_TRACE(bad);
      VecXd q = pair.q, qd = pair.qd, x = pair.x;
      q[n / 2] = qd[n - 1] = x[0] = bad;
      EXPECT_EQ(pair.fast.mass_matrix(q, A), Status::kNotFinite);
      EXPECT_EQ(pair.fast.mass_matrix_inverse(q, A), Status::kNotFinite);
      EXPECT_EQ(pair.fast.factor(q, A, a), Status::kNotFinite);
      EXPECT_EQ(pair.fast.gravity_torque(q, a), Status::kNotFinite);
      EXPECT_EQ(pair.fast.coriolis_matrix(pair.q, qd, A), Status::kNotFinite);
      EXPECT_EQ(pair.fast.inverse_dynamics(pair.q, pair.qd, x, a), Status::kNotFinite);
      EXPECT_EQ(pair.fast.bias_torque(pair.q, qd, a), Status::kNotFinite);
      EXPECT_EQ(pair.fast.forward_dynamics(pair.q, qd, pair.x, a), Status::kNotFinite);
      EXPECT_EQ(pair.fast.forward_dynamics(pair.q, pair.qd, x, a), Status::kNotFinite);
    }
    VecXd longer(n + 1);
    EXPECT_EQ(pair.fast.mass_matrix(longer, A), Status::kWrongSize);
    EXPECT_EQ(pair.fast.inverse_dynamics(pair.q, longer, pair.x, a), Status::kWrongSize);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Fast,
                         ::testing::ValuesIn(simd_targets().begin(), simd_targets().end()),
                         [](const auto& target) { return std::string(target.param); });

TEST(FastTargets, UnknownNamesAreRefused) {
  EXPECT_FALSE(force_simd_target("mmx"));
  EXPECT_TRUE(force_simd_target(""));
}

}  // namespace
}  // namespace dyn::test::fast_tests
