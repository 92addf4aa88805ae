// Evaluating a trajectory allocates nothing.
#include <gtest/gtest.h>

#include "dyn_core/motion/trajectory.hpp"
#include "malloc_gate.hpp"

namespace dyn::test::malloc_trajectory_tests {
namespace {

TEST(TrajectoryMalloc, EvaluationAllocatesNothing) {
  if (!MallocGate::available()) GTEST_SKIP() << "a sanitizer has its own malloc";
  const VecXd a = VecXd::Zero(7), b = VecXd::Ones(7);
  for (const TrajectoryPtr& trajectory :
       {*cycloid(a, b, 1.0), *quintic(a, b, 1.0), *trapezoid(a, b, b, b),
        *waypoints({0.0, 0.4, 1.0}, {a, b, a}, Interpolation::kQuintic)}) {
    VecXd q(7), qd(7), qdd(7);
    const MallocGate gate;
    for (const double time : {-1.0, 0.0, 0.3, 0.7, 2.0}) {
      if (trajectory->evaluate(time, q, qd, qdd) != Status::kOk) ADD_FAILURE();
    }
    EXPECT_EQ(gate.calls(), 0u);
  }
}

}  // namespace
}  // namespace dyn::test::malloc_trajectory_tests
