// Taking joint states of a known layout and computing their dynamics allocates nothing.
#include "dyn_core/inspect/effort_observer.hpp"
#include "dyn_core/inspect/inspector.hpp"
#include "dyn_core/inspect/joint_states.hpp"
#include "dyn_core/inspect/rate.hpp"
#include "malloc_gate.hpp"
#include "support.hpp"

namespace dyn::test::inspect_malloc_tests {
namespace {

using namespace inspect;

TEST(InspectMalloc, JointStatesAndTheirDynamics) {
  if (!MallocGate::available()) GTEST_SKIP() << "a sanitizer has its own malloc";
  const ChainPtr chain = load_robot("arm7");
  auto inspector = Inspector::make(chain).value();
  JointStateMatcher matcher(*chain, 1.0);
  RateGrid<1> grid({1000.0});
  auto efforts = EffortObserver::make(chain, {}).value();
  JointDynamics dynamics(7);
  const std::vector<std::string> left = {"joint7", "joint6", "gripper", "joint5", "joint4"};
  const std::vector<std::string> right = {"joint1", "joint2", "joint3"};
  const std::vector<double> values = {0.1, 0.2, 0.3, 0.4, 0.5};
  const std::span<const double> all(values), three = all.first(3);
  EXPECT_EQ(matcher.take({left, all, all, all}, 0.0), Match::kPartial);
  EXPECT_EQ(matcher.take({right, three, three, {}}, 0.0), Match::kComplete);
  const MallocGate gate;
  for (int k = 0; k < 100; ++k) {
    const double now = 1e-3 * k;
    if (matcher.take({left, all, all, all}, now) != Match::kComplete) ADD_FAILURE();
    if (matcher.take({right, three, {}, three}, now) != Match::kComplete) ADD_FAILURE();
    if (grid.pass(now).none()) ADD_FAILURE();
    if (matcher.take({right, three, three, three}, now) != Match::kComplete) ADD_FAILURE();
    efforts.take(matcher, 1'000'000 * k);
    if (efforts.status() != Status::kOk) ADD_FAILURE();
    if (inspector.joint_dynamics(matcher.positions(), matcher.velocities(), dynamics) !=
        Status::kOk) {
      ADD_FAILURE();
    }
  }
  EXPECT_EQ(gate.calls(), 0u);
}

}  // namespace
}  // namespace dyn::test::inspect_malloc_tests
