// Headers written by `dyn generate` while the tests are built, against the solvers.
#include "dyn_core/generated.hpp"
#include "dyn_core/solver.hpp"
#include "generated_arm7.hpp"
#include "generated_planar3r.hpp"
#include "generated_stanford.hpp"
#include "support.hpp"

namespace dyn::test {
namespace {

double difference(const MatXd& a, const MatXd& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(Generated, CodeTestsItself) {
  EXPECT_TRUE(arm7_dynamics::self_test());
  EXPECT_TRUE(planar3r_dynamics::self_test());
  EXPECT_TRUE(stanford_dynamics::self_test());
}

TEST(Generated, SolversUseItAndAgree) {
  for (const char* robot : {"arm7", "planar3r", "stanford"}) {
    SCOPED_TRACE(robot);
    const ChainPtr chain = load_robot(robot);
    const Index n = chain->dof();
    auto made = Solver::make(chain, {.mass_matrix = "generated",
                                     .inverse_dynamics = "generated",
                                     .forward_dynamics = "generated"});
    ASSERT_TRUE(made) << made.error().sentence;
    Solver reference = Solver::make(chain).value();
    EXPECT_EQ(made->algorithms().mass_matrix, "generated");
    Random random(3);
    for (int i = 0; i < 20; ++i) {
      const VecXd q = random.vector(n, 3.0), qd = random.vector(n, 2.0), x = random.vector(n, 3.0);
      MatXd A(n, n), B(n, n);
      VecXd a(n), b(n);
      ASSERT_EQ(made->mass_matrix(q, A), Status::kOk);
      ASSERT_EQ(reference.mass_matrix(q, B), Status::kOk);
      EXPECT_LE(difference(A, B), 1e-12 * B.norm());
      ASSERT_EQ(made->inverse_dynamics(q, qd, x, a), Status::kOk);
      ASSERT_EQ(reference.inverse_dynamics(q, qd, x, b), Status::kOk);
      EXPECT_LE(difference(a, b), 1e-12 * (b.norm() + B.norm()));
      ASSERT_EQ(made->bias_torque(q, qd, a), Status::kOk);
      ASSERT_EQ(reference.bias_torque(q, qd, b), Status::kOk);
      EXPECT_LE(difference(a, b), 1e-12 * (b.norm() + B.norm()));
      ASSERT_EQ(made->forward_dynamics(q, qd, x, a), Status::kOk);
      ASSERT_EQ(reference.forward_dynamics(q, qd, x, b), Status::kOk);
      EXPECT_LE(difference(B * a, B * b), 1e-10 * (B * b).norm());
    }
  }
}

TEST(Generated, APayloadMakesTheSolverComputeItselfAgain) {
  const ChainPtr chain = load_robot("arm7");
  Solver solver = Solver::make(chain, {.inverse_dynamics = "generated"}).value();
  Solver reference = Solver::make(chain).value();
  RigidBody payload;
  payload.mass = 3.0;
  solver.set_payload(payload);
  reference.set_payload(payload);
  const VecXd q = VecXd::Constant(7, 0.4), zero = VecXd::Zero(7);
  VecXd a(7), b(7);
  ASSERT_EQ(solver.inverse_dynamics(q, zero, zero, a), Status::kOk);
  ASSERT_EQ(reference.inverse_dynamics(q, zero, zero, b), Status::kOk);
  EXPECT_LE(difference(a, b), 1e-12 * b.norm());
}

TEST(Generated, CodeOfAnotherRobotIsRefused) {
  const auto unknown = Solver::make(random_chain(5, 1), {.mass_matrix = "generated"});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().sentence.find("dyn generate"), std::string::npos);
  // The same joints, another gravity.
  UrdfOptions options;
  options.tip = "tool0";
  options.gravity = Vec3d(0.0, 0.0, -1.62);
  const auto moon = load_urdf(robot_path("arm7"), options);
  ASSERT_TRUE(moon);
  const auto solver = Solver::make(*moon, {.inverse_dynamics = "generated"});
  ASSERT_FALSE(solver);
  EXPECT_NE(solver.error().sentence.find("again"), std::string::npos);
}

}  // namespace
}  // namespace dyn::test
