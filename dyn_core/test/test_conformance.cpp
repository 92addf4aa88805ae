// Every registered algorithm of a quantity agrees with the first one of its kind and with the laws of
// mechanics, on every chain, at random states, at rest, at huge velocities and in singular postures.
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>

#include "dyn_core/registry.hpp"
#include "support.hpp"

namespace dyn::test::conformance_tests {
namespace {

template <class Scalar>
struct State {
  std::string label;
  VecX<Scalar> q, qd, qdd;
};

template <class Scalar>
std::vector<State<Scalar>> states(Index n, std::uint64_t seed) {
  Random random(seed);
  const auto make = [&](const char* label, double speed, bool bent) {
    const VecXd q = bent ? random.vector(n, 3.1) : VecXd(VecXd::Zero(n));
    return State<Scalar>{label, q.cast<Scalar>(), random.vector(n, speed).cast<Scalar>(),
                         random.vector(n, 2.0).cast<Scalar>()};
  };
  return {make("random", 1.0, true), make("at rest", 0.0, true), make("huge velocity", 1e4, true),
          make("stretched", 1.0, false)};
}

// The algorithms of one chain and one scalar, with the tolerance that belongs to them.
template <class Scalar>
class Bench {
 public:
  explicit Bench(ChainPtr chain_in) : chain(std::move(chain_in)), model(chain) {}

  void set(const State<Scalar>& state) {
    poses = poses_of<Scalar>(model, state.q);
    const MatXd M = mass_matrix(mass_matrix_algorithms<Scalar>()[0]).template cast<double>();
    const VecXd eigenvalues = M.selfadjointView<Eigen::Lower>().eigenvalues();
    ASSERT_GT(eigenvalues[0], 0.0);
    tolerance =
        50.0 * std::numeric_limits<Scalar>::epsilon() * eigenvalues[n() - 1] / eigenvalues[0];
  }

  [[nodiscard]] Index n() const { return model.size(); }

  MatX<Scalar> mass_matrix(const Entry<MassMatrixAlgorithm<Scalar>>& entry) {
    MatX<Scalar> M(n(), n());
    entry.make(model)->mass_matrix(model, poses, M);
    return M;
  }
  VecX<Scalar> torque(const Entry<InverseDynamicsAlgorithm<Scalar>>& entry, const VecX<Scalar>& qd,
                      const VecX<Scalar>& qdd, const Vec3d& gravity) {
    VecX<Scalar> tau(n());
    entry.make(model)->inverse_dynamics(model, poses, gravity, qd, qdd, tau);
    return tau;
  }
  VecX<Scalar> torque(const VecX<Scalar>& qd, const VecX<Scalar>& qdd, const Vec3d& gravity) {
    return torque(inverse_dynamics_algorithms<Scalar>()[0], qd, qdd, gravity);
  }

  ChainPtr chain;
  Model model;
  std::vector<JointPose<Scalar>> poses;
  double tolerance = 0.0;
};

// The largest element.
template <class Derived>
double magnitude(const Eigen::MatrixBase<Derived>& m) {
  return static_cast<double>(m.cwiseAbs().maxCoeff());
}

// Runs `body(bench, state)` over all chains and states; float only where its precision says anything.
template <class Scalar, class Body>
void for_all(Body body) {
  const bool is_float = std::is_same_v<Scalar, float>;
  for (const ChainPtr& chain : conformance_chains()) {
    if (is_float && chain->joint_count() > 7) continue;
    Bench<Scalar> bench(chain);
    for (const State<Scalar>& state : states<Scalar>(chain->joint_count(), 7)) {
      SCOPED_TRACE(chain->name() + ", n = " + std::to_string(chain->joint_count()) + ", " +
                   state.label + ", seed 7");
      bench.set(state);
      if (::testing::Test::HasFatalFailure()) return;
      if (is_float && bench.tolerance > 0.05) continue;
      body(bench, state);
    }
  }
}

template <class Scalar>
class Conformance : public ::testing::Test {};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Conformance, Scalars);

TYPED_TEST(Conformance, MassMatricesAgreeAndAreSymmetric) {
  using Scalar = TypeParam;
  for_all<Scalar>([](Bench<Scalar>& bench, const State<Scalar>&) {
    const MatX<Scalar> reference = bench.mass_matrix(mass_matrix_algorithms<Scalar>()[0]);
    for (const auto& entry : mass_matrix_algorithms<Scalar>()) {
      SCOPED_TRACE(entry.name);
      const MatX<Scalar> M = bench.mass_matrix(entry);
      EXPECT_LE(magnitude(M - reference), bench.tolerance * magnitude(reference));
      EXPECT_LE(magnitude(M - M.transpose()), bench.tolerance * magnitude(reference));
    }
  });
}

TYPED_TEST(Conformance, InverseDynamicsAgree) {
  using Scalar = TypeParam;
  for_all<Scalar>([](Bench<Scalar>& bench, const State<Scalar>& state) {
    const Vec3d& gravity = bench.model.gravity();
    const VecX<Scalar> reference = bench.torque(state.qd, state.qdd, gravity);
    const MatX<Scalar> M = bench.mass_matrix(mass_matrix_algorithms<Scalar>()[0]);
    // Centrifugal terms may cancel: they are of the size of M q̇².
    const double speed = magnitude(state.qd);
    const double scale = 1.0 + magnitude(reference) + magnitude(M) * speed * speed;
    for (const auto& entry : inverse_dynamics_algorithms<Scalar>()) {
      SCOPED_TRACE(entry.name);
      const VecX<Scalar> tau = bench.torque(entry, state.qd, state.qdd, gravity);
      EXPECT_LE(magnitude(tau - reference), bench.tolerance * scale);
    }
  });
}

TYPED_TEST(Conformance, InverseDynamicsColumnsAreTheMassMatrix) {
  using Scalar = TypeParam;
  for_all<Scalar>([](Bench<Scalar>& bench, const State<Scalar>&) {
    const MatX<Scalar> M = bench.mass_matrix(mass_matrix_algorithms<Scalar>()[0]);
    const VecX<Scalar> zero = VecX<Scalar>::Zero(bench.n());
    for (const auto& entry : inverse_dynamics_algorithms<Scalar>()) {
      SCOPED_TRACE(entry.name);
      for (Index j = 0; j < bench.n(); ++j) {
        const VecX<Scalar> unit = VecX<Scalar>::Unit(bench.n(), j);
        const VecX<Scalar> column = bench.torque(entry, zero, unit, Vec3d::Zero());
        EXPECT_LE(magnitude(column - M.col(j)), bench.tolerance * magnitude(M));
      }
    }
  });
}

TYPED_TEST(Conformance, ForwardDynamicsInvertInverseDynamics) {
  using Scalar = TypeParam;
  for_all<Scalar>([](Bench<Scalar>& bench, const State<Scalar>& state) {
    const Vec3d& gravity = bench.model.gravity();
    const VecX<Scalar> tau = bench.torque(state.qd, state.qdd, gravity);
    const MatX<Scalar> M = bench.mass_matrix(mass_matrix_algorithms<Scalar>()[0]);
    // What rounding of the torques alone makes of the accelerations; centrifugal terms may cancel.
    const double speed = magnitude(state.qd);
    const double scale = 1.0 + magnitude(state.qdd) + magnitude(tau) / magnitude(M) + speed * speed;
    for (const auto& entry : forward_dynamics_algorithms<Scalar>()) {
      SCOPED_TRACE(entry.name);
      VecX<Scalar> qdd(bench.n());
      ASSERT_EQ(entry.make(bench.model)
                    ->forward_dynamics(bench.model, bench.poses, gravity, state.qd, tau, qdd),
                Status::kOk);
      EXPECT_LE(magnitude(qdd - state.qdd), bench.tolerance * scale);
    }
  });
}

TYPED_TEST(Conformance, CoriolisMatricesGiveTheCoriolisTorque) {
  using Scalar = TypeParam;
  for_all<Scalar>([](Bench<Scalar>& bench, const State<Scalar>& state) {
    const VecX<Scalar> zero = VecX<Scalar>::Zero(bench.n());
    const VecX<Scalar> torque = bench.torque(state.qd, zero, Vec3d::Zero());
    const MatX<Scalar> M = bench.mass_matrix(mass_matrix_algorithms<Scalar>()[0]);
    for (const auto& entry : coriolis_algorithms<Scalar>()) {
      if (!is_comparable(entry.cost, bench.n())) continue;
      SCOPED_TRACE(entry.name);
      MatX<Scalar> C(bench.n(), bench.n());
      entry.make(bench.model)->coriolis_matrix(bench.model, bench.poses, state.qd, C);
      const VecX<Scalar> product = C * state.qd;
      const double speed = magnitude(state.qd);
      const double scale = magnitude(torque) + magnitude(C) * speed + magnitude(M) * speed * speed;
      EXPECT_LE(magnitude(product - torque), bench.tolerance * scale);
    }
  });
}

}  // namespace
}  // namespace dyn::test::conformance_tests
