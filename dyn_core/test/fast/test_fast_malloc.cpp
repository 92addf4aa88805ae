// Neither FastDynamics nor a Batch of one thread allocates in its queries.
#include "dyn_core/fast/batch.hpp"
#include "dyn_core/fast/fast_dynamics.hpp"
#include "dyn_core/solver.hpp"
#include "malloc_gate.hpp"
#include "support.hpp"

namespace dyn::test::fast_malloc_tests {
namespace {

TEST(FastMalloc, QueriesOfASolverAllocateNothing) {
  if (!MallocGate::available()) GTEST_SKIP() << "a sanitizer has a malloc of its own";
  for (const std::string_view target : simd_targets()) {
    ASSERT_TRUE(force_simd_target(target));
    for (const Index n : {2, 7, 30}) {
      const ChainPtr chain = random_chain(n, 4, {.prismatic = 0.2});
      Solver solver = Solver::make(chain, {"fast", "fast", "fast", "fast"}).value();
      Random random(1);
      const VecXd q = random.vector(n, 3.0), qd = random.vector(n, 1.0), x = random.vector(n, 1.0);
      MatXd A(n, n);
      VecXd a(n);
      Dynamics all(*chain);
      RigidBody payload;
      payload.mass = 1.0;
      const MallocGate gate;
      bool good = solver.mass_matrix(q, A) == Status::kOk;
      good = solver.mass_matrix_inverse(q, A) == Status::kOk && good;
      good = solver.factor(q, A, a) == Status::kOk && good;
      good = solver.coriolis_matrix(q, qd, A) == Status::kOk && good;
      good = solver.coriolis_torque(q, qd, a) == Status::kOk && good;
      good = solver.gravity_torque(q, a) == Status::kOk && good;
      good = solver.bias_torque(q, qd, a) == Status::kOk && good;
      good = solver.inverse_dynamics(q, qd, x, a) == Status::kOk && good;
      good = solver.forward_dynamics(q, qd, x, a) == Status::kOk && good;
      good = solver.dynamics(q, qd, all) == Status::kOk && good;
      solver.set_payload(payload);
      solver.set_gravity({0.0, 1.0, -9.0});
      solver.set_tip_wrench({Vec3d::UnitX(), Vec3d::UnitY()});
      good = solver.forward_dynamics(q, qd, x, a) == Status::kOk && good;
      EXPECT_EQ(gate.calls(), 0u) << target;
      EXPECT_TRUE(good);
    }
  }
  force_simd_target("");
}

TEST(FastMalloc, ABatchOfOneThreadAllocatesNothing) {
  if (!MallocGate::available()) GTEST_SKIP() << "a sanitizer has a malloc of its own";
  Batch batch = std::move(Batch::make(Model(random_chain(7, 4))).value());
  BatchArray q(7, 20), qd(7, 20), x(7, 20), out(7, 20), matrix(49, 20), by_qd(49, 20),
      third(49, 20);
  BatchArray costs(1, 20);
  const Batch::StepCost cost = [](Index, const double* at, const double*, const double*,
                                  double* sum) { sum[0] += at[0]; };
  const MallocGate gate;
  bool good = batch.mass_matrix(q, matrix) == Status::kOk;
  good = batch.mass_matrix_inverse(q, matrix) == Status::kOk && good;
  good = batch.factor(q, matrix, out) == Status::kOk && good;
  good = batch.coriolis_matrix(q, qd, matrix) == Status::kOk && good;
  good = batch.inverse_dynamics(q, qd, x, out) == Status::kOk && good;
  good = batch.forward_dynamics(q, qd, x, out) == Status::kOk && good;
  good = batch.inverse_dynamics_derivatives(q, qd, x, matrix, by_qd, third) == Status::kOk && good;
  good = batch.forward_dynamics_derivatives(q, qd, x, matrix, by_qd, third) == Status::kOk && good;
  good = batch.step(1e-3, x, q, qd, BatchIntegrator::kRungeKutta4) == Status::kOk && good;
  good = batch.rollout(1e-3, x, q, qd, cost, costs) == Status::kOk && good;
  EXPECT_EQ(gate.calls(), 0u);
  EXPECT_TRUE(good);
}

}  // namespace
}  // namespace dyn::test::fast_malloc_tests
