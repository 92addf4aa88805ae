// Y π is what the solver's inverse dynamics says, with everything that can be in it.
#include "dyn_core/identify/regressor.hpp"
#include "dyn_core/math/dual.hpp"
#include "support.hpp"

namespace dyn::test::regressor_tests {
namespace {

// The chain with drives of all kinds, and a payload welded to its last link.
ChainPtr dressed(const Chain& chain, Random& random, RigidBody& payload) {
  ChainDescription description = chain.description();
  for (Joint& joint : description.joints) {
    joint.armature = random.uniform(0.0, 0.5);
    joint.damping = random.uniform(0.0, 2.0);
    joint.friction = random.uniform(0.0, 2.0);
  }
  description.gravity = random.vector(10.0);
  payload = random_body(random);
  return std::make_shared<const Chain>(std::move(description));
}

double difference(const ChainPtr& chain, const RigidBody& payload, Random& random) {
  Solver solver = Solver::make(chain).value();
  solver.set_payload(payload);
  solver.set_friction(true);
  VecXd parameters = parameters_of(*chain);
  const ParameterLayout at{chain->joint_count()};
  parameters.segment<10>(at.body(at.joints - 1)) +=
      parameters_of(payload.expressed_in(chain->tip_pose()));
  Regressor<> regressor(chain);
  const Index n = chain->dof();
  VecXd tau(n);
  double most = 0.0;
  for (int trial = 0; trial < 5; ++trial) {
    const VecXd q = random.vector(n, 3.0), qd = random.vector(n, 2.0), qdd = random.vector(n, 5.0);
    EXPECT_EQ(solver.inverse_dynamics(q, qd, qdd, tau), Status::kOk);
    EXPECT_EQ(regressor.update(q, qd, qdd), Status::kOk);
    most = std::max(
        most, (regressor.Y() * parameters - tau).cwiseAbs().maxCoeff() / tau.cwiseAbs().maxCoeff());
  }
  return most;
}

TEST(Regressor, IsTheInverseDynamicsOfEveryChain) {
  Random random(20261119);
  for (const ChainPtr& chain : conformance_chains()) {
    RigidBody payload;
    const ChainPtr arm = dressed(*chain, random, payload);
    EXPECT_LT(difference(arm, payload, random), arm->dof() <= 12 ? 1e-12 : 1e-10) << arm->name();
  }
}

TEST(Regressor, FollowsMimicJoints) {
  Random random(7);
  ChainDescription description = random_chain(5, 20261119, {.prismatic = 0.3})->description();
  description.joints[3].coordinate = 1;
  description.joints[3].multiplier = -0.6;
  description.joints[3].offset = 0.3;
  description.joints[4].coordinate = 3;
  description.coordinate_names.erase(description.coordinate_names.begin() + 3);
  RigidBody payload;
  const ChainPtr arm = dressed(Chain(std::move(description)), random, payload);
  EXPECT_LT(difference(arm, payload, random), 1e-12);
}

TEST(Regressor, DerivativesComeFromTheSameText) {
  const ChainPtr chain = load_robot("arm7");
  const Index n = chain->dof();
  Random random(8);
  const VecXd q = random.vector(n, 2.0), qd = random.vector(n, 1.0), qdd = random.vector(n, 3.0);
  Regressor<Dual> dual(chain);
  VecX<Dual> q_dual = q.cast<Dual>();
  q_dual[2].rate = 1.0;
  ASSERT_EQ(dual.update(q_dual, qd.cast<Dual>(), qdd.cast<Dual>()), Status::kOk);
  constexpr double kStep = 1e-5;
  Regressor<> above(chain), below(chain);
  ASSERT_EQ(above.update(q + kStep * VecXd::Unit(n, 2), qd, qdd), Status::kOk);
  ASSERT_EQ(below.update(q - kStep * VecXd::Unit(n, 2), qd, qdd), Status::kOk);
  for (Index r = 0; r < n; ++r) {
    for (Index c = 0; c < dual.Y().cols(); ++c) {
      EXPECT_NEAR(dual.Y()(r, c).rate, (above.Y()(r, c) - below.Y()(r, c)) / (2.0 * kStep), 1e-7);
    }
  }
}

TEST(Regressor, ParametersAndBodiesAreTheSame) {
  Random random(9);
  for (int trial = 0; trial < 20; ++trial) {
    const RigidBody body = random_body(random), same = body_of(parameters_of(body));
    EXPECT_NEAR(same.mass, body.mass, 1e-14 * body.mass);
    EXPECT_TRUE(same.com.isApprox(body.com, 1e-13));
    EXPECT_TRUE(same.inertia.isApprox(body.inertia, 1e-12));
  }
  const ChainPtr chain = load_robot("puma560");
  const VecXd parameters = parameters_of(*chain);
  EXPECT_TRUE(parameters_of(*with_parameters(*chain, parameters)).isApprox(parameters, 1e-13));
  EXPECT_EQ(static_cast<Index>(parameter_names(*chain).size()), parameters.size());
}

TEST(Regressor, RefusesWhatDoesNotFit) {
  Regressor<> regressor(load_robot("rp"));
  EXPECT_EQ(regressor.update(VecXd::Zero(2), VecXd::Zero(3), VecXd::Zero(2)), Status::kWrongSize);
  EXPECT_EQ(regressor.update(VecXd::Constant(2, std::nan("")), VecXd::Zero(2), VecXd::Zero(2)),
            Status::kNotFinite);
}

}  // namespace
}  // namespace dyn::test::regressor_tests
