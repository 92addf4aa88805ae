// What no solver is made for.
#include "dyn_core/inspect/inspector.hpp"
#include "dyn_core/solver.hpp"
#include "support.hpp"

namespace dyn::test::solver_limits_tests {
namespace {

TEST(SolverLimits, WithoutAChainThereIsASentence) {
  const auto solver = Solver::make(nullptr);
  ASSERT_FALSE(solver);
  EXPECT_NE(solver.error().sentence.find("there is no chain"), std::string::npos);
  EXPECT_FALSE(inspect::Inspector::make(nullptr, {}));
}

TEST(SolverLimits, OnTheGraphUpToTwoHundredJoints) {
  EXPECT_TRUE(inspect::Inspector::make(random_chain(200, 1), {}));
  const auto refused = inspect::Inspector::make(random_chain(201, 1), {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().sentence.find("has 201 moving joints, more than the 200"),
            std::string::npos)
      << refused.error().sentence;
}

// Where joints mimic others the inertia power array is always there.
TEST(SolverLimits, WithMimicJointsUpToTwoHundred) {
  ChainDescription description = random_chain(201, 2)->description();
  description.joints.back().coordinate = 0;
  description.coordinate_names.pop_back();
  const auto refused = Solver::make(std::make_shared<const Chain>(description));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().sentence.find("200 that matrices are made for where joints mimic"),
            std::string::npos)
      << refused.error().sentence;
}

}  // namespace
}  // namespace dyn::test::solver_limits_tests
