// Headers written by `dyn generate` while the tests are built, against the solvers.
#include <cstdlib>
#include <fstream>

#include <unistd.h>

#include "dyn_core/fast/batch.hpp"
#include "dyn_core/fast/fast_dynamics.hpp"
#include "dyn_core/fast/generated.hpp"
#include "dyn_core/generate/code_generator.hpp"
#include "dyn_core/solver.hpp"
#include "generated_arm7.hpp"
#include "generated_arm7_lanes.hpp"
#include "generated_planar3r.hpp"
#include "generated_planar3r_lanes.hpp"
#include "generated_stanford.hpp"
#include "generated_stanford_lanes.hpp"
#include "support.hpp"

namespace dyn::test::generated_tests {
namespace {

double difference(const MatXd& a, const MatXd& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(Generated, CodeTestsItself) {
  EXPECT_TRUE(arm7_dynamics::self_test());
  EXPECT_TRUE(planar3r_dynamics::self_test());
  EXPECT_TRUE(stanford_dynamics::self_test());
}

TEST(Generated, LanesTestThemselves) {
  EXPECT_TRUE(arm7_lanes::self_test());
  EXPECT_TRUE(planar3r_lanes::self_test());
  EXPECT_TRUE(stanford_lanes::self_test());
  EXPECT_TRUE(arm7_lanes::self_test(arm7_lanes::k_baseline));
}

TEST(Generated, ABatchTakesTheLanesThatAreForIt) {
  const Model model(load_robot("arm7"));
  Model moon = model;
  moon.set_gravity({0.0, 0.0, -1.62});
  for (const std::string_view target : simd_targets()) {
    SCOPED_TRACE(target);
    ASSERT_TRUE(force_simd_target(target));
    Batch batch = std::move(Batch::make(model).value());
    EXPECT_TRUE(batch.is_specialised());
    batch.set_model(moon);
    EXPECT_FALSE(batch.is_specialised());
    EXPECT_FALSE(Batch::make(Model(load_robot("puma560"))).value().is_specialised());
  }
  force_simd_target("");
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

TEST(Generated, WhatWouldOutgrowTheCacheIsLeftOut) {
  const auto code = generate_code(Model(random_chain(7, 1)), "test", 1000);
  ASSERT_TRUE(code);
  ASSERT_FALSE(code->left_out.empty());
  EXPECT_NE(code->left_out.front().find("1000"), std::string::npos);
  EXPECT_EQ(code->text.find("bool forward_dynamics("), std::string::npos);
  const auto long_chain = generate_code(Model(random_chain(kMostGeneratedJoints + 1, 1)), "test");
  ASSERT_FALSE(long_chain);
  EXPECT_NE(long_chain.error().sentence.find("65 joints"), std::string::npos);
}

// One function more is left out from time to time: what self_test() has no use for is no warning.
TEST(Generated, CompilesWithoutWarningsWhateverIsLeftOut) {
  if (std::system("command -v g++ >/dev/null") != 0) GTEST_SKIP() << "no g++ here";
  const std::string path = ::testing::TempDir() + "left_out_" + std::to_string(getpid());
  const std::string command = "g++ -std=c++17 -Wall -Wextra -Werror -O0 '" + path + ".cpp' -o '" +
                              path + ".out' && '" + path + ".out'";
  std::size_t left_out = 0;
  for (int most = 2500; most > 100; most = most * 3 / 4) {
    const auto code = generate_code(Model(random_chain(7, 1)), "test", most);
    if (!code) break;
    if (code->left_out.size() == left_out) continue;
    left_out = code->left_out.size();
    std::ofstream(path + ".hpp") << code->text;
    std::ofstream(path + ".cpp") << "#include \"" << path << ".hpp\"\nint main() { return "
                                 << code->name << "::self_test() ? 0 : 1; }\n";
    EXPECT_EQ(std::system(command.c_str()), 0) << most << " operations";
  }
  EXPECT_GT(left_out, 0u);
  for (const char* ending : {".hpp", ".cpp", ".out"}) std::remove((path + ending).c_str());
  const auto nothing = generate_code(Model(random_chain(7, 1)), "test", 10);
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().sentence.find("10 operations"), std::string::npos);
}

// A name must not end the comment or the string it stands in.
TEST(Generated, NamesCannotBecomeCode) {
  const ChainPtr plain = random_chain(1, 1);
  ChainDescription chain;
  chain.name = "a\nint x;";
  chain.base = "b\\";
  chain.joints = {plain->joint(0)};
  chain.joints[0].name = "j\"\n\\";
  chain.coordinate_names = {chain.joints[0].name};
  chain.dh = plain->dh();
  chain.links = plain->links();
  const auto code = generate_code(Model(std::make_shared<const Chain>(chain)), "test");
  ASSERT_TRUE(code);
  EXPECT_EQ(code->name, "a_int_x__dynamics");
  EXPECT_EQ(code->text.find("\nint x;"), std::string::npos);
  EXPECT_EQ(code->text.find("\\\n"), std::string::npos);
  EXPECT_NE(code->text.find("{\"j\\042\\012\\134\"}"), std::string::npos);
}

}  // namespace
}  // namespace dyn::test::generated_tests
