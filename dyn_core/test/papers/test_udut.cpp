// The UDUᵀ decomposition and the forward dynamics made of factorisations, against brute force.
#include <limits>

#include <Eigen/Eigenvalues>

#include "dyn_core/math/dual.hpp"
#include "dyn_core/papers/classic/cholesky.hpp"
#include "dyn_core/papers/kozlowski_1995/forward_dynamics.hpp"
#include "dyn_core/papers/saha_2003/forward_dynamics.hpp"
#include "support.hpp"

namespace dyn::test::udut_tests {
namespace {

// A chain at a random configuration.
template <class Scalar>
struct Case {
  Case(const ChainPtr& chain, Drives drives)
      : model(chain), random(11), q(random.vector(model.size(), 3.1)) {
    set_drives(model, drives);
    poses = poses_of<Scalar>(model, VecX<Scalar>(q.cast<Scalar>()));
    M = brute_force_mass_matrix<double>(chain, q);
    for (Index i = 0; i < n(); ++i) M(i, i) += model.link(i).armature;
    const VecXd values = M.selfadjointView<Eigen::Lower>().eigenvalues();
    epsilon = static_cast<double>(std::numeric_limits<Scalar>::epsilon());
    tolerance = 50.0 * epsilon * values[n() - 1] / values[0];
  }
  [[nodiscard]] Index n() const { return model.size(); }

  Model model;
  Random random;
  VecXd q;
  std::vector<JointPose<Scalar>> poses;
  MatXd M;
  double epsilon = 0.0, tolerance = 0.0;
};

template <class Derived>
double largest(const Eigen::MatrixBase<Derived>& m) {
  return static_cast<double>(m.cwiseAbs().maxCoeff());
}

template <class Scalar, class Body>
void for_all(Body body) {
  for (const ChainPtr& chain : conformance_chains()) {
    for (const Drives drives : kAllDrives) {
      SCOPED_TRACE(chain->name() + ", " + name_of(drives) + ", seed 11");
      Case<Scalar> c(chain, drives);
      if (c.tolerance < 0.1) body(c);
    }
  }
}

template <class Scalar>
class UdutTest : public ::testing::Test {};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(UdutTest, Scalars);

TYPED_TEST(UdutTest, FactorsGiveTheMassMatrix) {
  using Scalar = TypeParam;
  for_all<Scalar>([](Case<Scalar>& c) {
    Udut<Scalar> udut(c.model);
    ASSERT_EQ(udut.factorise(c.model, c.poses), Status::kOk);
    MatX<Scalar> U(c.n(), c.n());
    udut.factor(U);
    EXPECT_TRUE(U.isUpperTriangular(Scalar(0.0)));
    EXPECT_TRUE((U.diagonal().array() == Scalar(1.0)).all());
    const MatXd product = (U * udut.pivots().asDiagonal() * U.transpose()).template cast<double>();
    EXPECT_LE(largest(product - c.M), 200.0 * c.epsilon * largest(c.M));
  });
}

TYPED_TEST(UdutTest, RecursionAgreesWithReverseGaussianElimination) {
  using Scalar = TypeParam;
  for_all<Scalar>([](Case<Scalar>& c) {
    Udut<Scalar> udut(c.model);
    ASSERT_EQ(udut.factorise(c.model, c.poses), Status::kOk);
    MatX<Scalar> recursive(c.n(), c.n()), numeric(c.n(), c.n());
    VecX<Scalar> D(c.n());
    udut.factor(recursive);
    ASSERT_EQ(factor_udut<Scalar>(c.M.template cast<Scalar>(), numeric, D), Status::kOk);
    EXPECT_LE(largest(recursive - numeric), c.tolerance * largest(numeric));
    EXPECT_LE(largest(D - udut.pivots()), c.tolerance * largest(D));
  });
}

TYPED_TEST(UdutTest, InverseAndSolution) {
  using Scalar = TypeParam;
  for_all<Scalar>([](Case<Scalar>& c) {
    Udut<Scalar> udut(c.model);
    ASSERT_EQ(udut.factorise(c.model, c.poses), Status::kOk);
    MatX<Scalar> inverse(c.n(), c.n());
    udut.inverse(inverse);
    EXPECT_EQ(inverse, inverse.transpose());
    const MatXd identity = inverse.template cast<double>() * c.M;
    EXPECT_LE(largest(identity - MatXd::Identity(c.n(), c.n())), c.tolerance);
    const VecX<Scalar> phi = c.random.vector(c.n(), 1.0).template cast<Scalar>();
    VecX<Scalar> x(c.n());
    udut.solve(phi, x);
    EXPECT_LE(largest(x - inverse * phi), c.tolerance * largest(inverse) * largest(phi));
  });
}

TYPED_TEST(UdutTest, TriangularOperatorsAreThoseOfTheMatrixU) {
  using Scalar = TypeParam;
  for_all<Scalar>([](Case<Scalar>& c) {
    Udut<Scalar> udut(c.model);
    ASSERT_EQ(udut.factorise(c.model, c.poses), Status::kOk);
    MatX<Scalar> U(c.n(), c.n());
    udut.factor(U);
    const VecX<Scalar> x = c.random.vector(c.n(), 1.0).template cast<Scalar>();
    VecX<Scalar> y = x;
    udut.multiply_upper(y);
    EXPECT_LE(largest(y - U * x), 200.0 * c.epsilon * largest(U));
    udut.solve_upper(y);
    EXPECT_LE(largest(y - x), c.tolerance);
    y = x;
    udut.multiply_upper_transposed(y);
    EXPECT_LE(largest(y - U.transpose() * x), 200.0 * c.epsilon * largest(U));
    udut.solve_upper_transposed(y);
    EXPECT_LE(largest(y - x), c.tolerance);
  });
}

template <class Algorithm>
void expect_inverts_inverse_dynamics() {
  for_all<double>([](Case<double>& c) {
    const VecXd qd = c.random.vector(c.n(), 1.0), qdd = c.random.vector(c.n(), 2.0);
    VecXd tau(c.n()), found(c.n());
    Rnea<double>(c.model).inverse_dynamics(c.model, c.poses, c.model.gravity(), qd,
                                           VecXd::Zero(c.n()), tau);
    tau += c.M * qdd;
    Algorithm algorithm(c.model);
    ASSERT_EQ(algorithm.forward_dynamics(c.model, c.poses, c.model.gravity(), qd, tau, found),
              Status::kOk);
    EXPECT_LE(largest(found - qdd), c.tolerance * (1.0 + largest(tau) / largest(c.M)));
  });
}

TEST(ForwardDynamics, UdutInvertsInverseDynamics) {
  expect_inverts_inverse_dynamics<UdutForwardDynamics<double>>();
}
TEST(ForwardDynamics, CholeskyInvertsInverseDynamics) {
  expect_inverts_inverse_dynamics<CholeskyForwardDynamics<double>>();
}
TEST(ForwardDynamics, NormalizedInvertsInverseDynamics) {
  expect_inverts_inverse_dynamics<NormalizedForwardDynamics<double>>();
}
TEST(ForwardDynamics, UnnormalizedInvertsInverseDynamics) {
  expect_inverts_inverse_dynamics<UnnormalizedForwardDynamics<double>>();
}

// With dual numbers the jerk comes out: the time derivative of the whole computation.
TEST(ForwardDynamics, DerivativesGoThrough) {
  const ChainPtr chain = random_chain(6, 4, {.prismatic = 0.3});
  const Model model(chain);
  Random random(8);
  VecX<Dual> q(6), qd(6), qdd(6), tau(6), found(6);
  for (Index i = 0; i < 6; ++i) {
    qdd[i] = Dual(random.uniform(-1, 1), random.uniform(-1, 1));
    qd[i] = Dual(random.uniform(-1, 1), qdd[i].value);
    q[i] = Dual(random.uniform(-1, 1), qd[i].value);
  }
  const auto poses = poses_of<Dual>(model, q);
  Rnea<Dual>(model).inverse_dynamics(model, poses, model.gravity(), qd, qdd, tau);
  const auto expect_jerk = [&](auto&& algorithm) {
    ASSERT_EQ(algorithm.forward_dynamics(model, poses, model.gravity(), qd, tau, found),
              Status::kOk);
    for (Index i = 0; i < 6; ++i) EXPECT_NEAR(found[i].rate, qdd[i].rate, 1e-10);
  };
  expect_jerk(UdutForwardDynamics<Dual>(model));
  expect_jerk(CholeskyForwardDynamics<Dual>(model));
  expect_jerk(NormalizedForwardDynamics<Dual>(model));
  expect_jerk(UnnormalizedForwardDynamics<Dual>(model));
}

// ---- chains whose mass matrix is singular

struct Point {
  JointType type;
  DhRow row;
  double mass;
  Vec3d at;
};

// Point masses on links.
ChainPtr chain_of(const std::vector<Point>& points) {
  ChainDescription chain;
  for (const Point& point : points) {
    Joint joint;
    joint.type = point.type;
    joint.coordinate = static_cast<Index>(chain.joints.size());
    chain.coordinate_names.emplace_back("joint");
    chain.joints.push_back(joint);
    chain.dh.push_back(point.row);
    RigidBody body;
    body.mass = point.mass;
    body.com = point.at;
    body.inertia.setZero();
    chain.links.push_back({"link", body, {}, {}});
  }
  return std::make_shared<const Chain>(std::move(chain));
}

template <class Scalar, class Algorithm>
Status status_of(const Model& model, const VecXd& q) {
  const auto poses = poses_of<Scalar>(model, VecX<Scalar>(q.cast<Scalar>()));
  const VecX<Scalar> ones = VecX<Scalar>::Ones(q.size());
  VecX<Scalar> qdd = ones;
  const Status status =
      Algorithm(model).forward_dynamics(model, poses, model.gravity(), ones, ones, qdd);
  EXPECT_TRUE(qdd.allFinite());
  return status;
}

template <class Scalar>
void expect_status(const ChainPtr& chain, const VecXd& q, Status expected) {
  const Model model(chain);
  EXPECT_EQ((status_of<Scalar, UdutForwardDynamics<Scalar>>(model, q)), expected);
  EXPECT_EQ((status_of<Scalar, CholeskyForwardDynamics<Scalar>>(model, q)), expected);
  EXPECT_EQ((status_of<Scalar, NormalizedForwardDynamics<Scalar>>(model, q)), expected);
  EXPECT_EQ((status_of<Scalar, UnnormalizedForwardDynamics<Scalar>>(model, q)), expected);
}

constexpr auto kRevolute = JointType::kRevolute;
constexpr auto kPrismatic = JointType::kPrismatic;

TEST(Singular, MasslessTip) {
  for (const JointType type : {kRevolute, kPrismatic}) {
    const ChainPtr chain = chain_of(
        {{kRevolute, {}, 1.0, {0.3, 0, 0}}, {type, {.a = 0.4, .alpha = 1.0}, 0.0, Vec3d::Zero()}});
    expect_status<double>(chain, VecXd::Constant(2, 0.3), Status::kSingular);
  }
}

// A point mass at the end of two links cannot resist a pull along the stretched arm.
TEST(Singular, StretchedArmWithItsMassAtTheTip) {
  for (const double twist : {0.0, 0.7}) {
    const ChainPtr chain = chain_of({{kRevolute, {}, 0.0, Vec3d::Zero()},
                                     {kRevolute, {.a = 0.4, .alpha = twist}, 1.0, {0.3, 0, 0}}});
    if (twist != 0.0) {
      expect_status<double>(chain, VecXd::Constant(2, 0.8), Status::kOk);
      continue;
    }
    for (const double angle : {0.0, 1e-12, 3e-9, M_PI}) {
      SCOPED_TRACE(angle);
      expect_status<double>(chain, Eigen::Vector2d(0.3, angle), Status::kSingular);
    }
    expect_status<double>(chain, Eigen::Vector2d(0.3, 1e-4), Status::kOk);
    expect_status<float>(chain, Eigen::Vector2d(0.3, 1e-5), Status::kSingular);
    expect_status<float>(chain, Eigen::Vector2d(0.3, 0.1), Status::kOk);
  }
}

TEST(Singular, ParallelSlidersOnAMasslessCarriage) {
  const ChainPtr chain = chain_of(
      {{kPrismatic, {}, 0.0, Vec3d::Zero()}, {kPrismatic, {.a = 0.1}, 2.0, {0.1, 0.2, 0.3}}});
  expect_status<double>(chain, VecXd::Constant(2, 0.3), Status::kSingular);
}

TEST(Singular, ArmatureMakesItRegular) {
  const ChainPtr chain =
      chain_of({{kRevolute, {}, 0.0, Vec3d::Zero()}, {kRevolute, {.a = 0.4}, 1.0, {0.3, 0, 0}}});
  Model model(chain);
  model.set_armature(0, 0.01);
  const VecXd q = VecXd::Zero(2);
  EXPECT_EQ((status_of<double, UdutForwardDynamics<double>>(model, q)), Status::kOk);
  EXPECT_EQ((status_of<double, CholeskyForwardDynamics<double>>(model, q)), Status::kOk);
  EXPECT_EQ((status_of<double, NormalizedForwardDynamics<double>>(model, q)), Status::kOk);
}

TEST(Singular, GivenMatrices) {
  MatXd U(2, 2), M(2, 2);
  VecXd D(2);
  M << 1.0, 1.0, 1.0, 1.0;
  EXPECT_EQ(factor_udut<double>(M, U, D), Status::kSingular);
  M << 1.0, 2.0, 2.0, 1.0;
  EXPECT_EQ(factor_udut<double>(M, U, D), Status::kSingular);
  M << 0.0, 0.0, 0.0, 0.0;
  EXPECT_EQ(factor_udut<double>(M, U, D), Status::kSingular);
  M << 2.0, 1.0, 1.0, 1.0;
  ASSERT_EQ(factor_udut<double>(M, U, D), Status::kOk);
  EXPECT_EQ(D, Eigen::Vector2d(1.0, 1.0));
  EXPECT_EQ(U(0, 1), 1.0);
}

}  // namespace
}  // namespace dyn::test::udut_tests
