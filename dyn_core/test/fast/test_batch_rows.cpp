// Batch on tables of states: on every instruction set, the same bits as on its own arrays.
#include <functional>
#include <limits>

#include "dyn_core/fast/batch.hpp"
#include "dyn_core/fast/fast_dynamics.hpp"
#include "support.hpp"

namespace dyn::test::batch_rows_tests {
namespace {

constexpr double kUntouched = 1234.5;

/// Rows of random numbers, with a gap between them.
struct Table {
  Table(Index n, Index states, Index gap, std::uint64_t seed)
      : step(n + gap), numbers(Random(seed).vector(step * states, 2.0)), packets(n, states) {
    for (Index k = 0; k < states; ++k) packets.set(k, numbers.segment(k * step, n));
  }
  [[nodiscard]] BatchRows rows() const { return {numbers.data(), step}; }

  Index step;
  VecXd numbers;
  BatchArray packets;
};

/// Rows of results, with numbers behind them that are none of it.
struct Results {
  Results(Index size, Index states)
      : numbers(VecXd::Constant(size * states + 3, kUntouched)), packets(size, states) {}

  void expect_equal() const {
    VecXd row(packets.rows());
    for (Index k = 0; k < packets.states(); ++k) {
      packets.get(k, row);
      EXPECT_EQ(numbers.segment(k * row.size(), row.size()), row) << "state " << k;
    }
    EXPECT_TRUE((numbers.tail(3).array() == kUntouched).all());
  }

  VecXd numbers;
  BatchArray packets;
};

struct Case {
  BatchQuery query;
  std::size_t inputs;
  std::vector<Index> sizes;
  std::function<Status(Batch&, const std::vector<Table>&, std::vector<Results>&)> by_arrays;
};

std::vector<Case> cases(Index n) {
  using In = const std::vector<Table>&;
  using Out = std::vector<Results>&;
  using Q = BatchQuery;
  const Index square = n * n;
  return {
      {Q::kMassMatrix,
       1,
       {square},
       [](Batch& b, In in, Out out) { return b.mass_matrix(in[0].packets, out[0].packets); }},
      {Q::kMassMatrixInverse,
       1,
       {square},
       [](Batch& b, In in, Out out) {
         return b.mass_matrix_inverse(in[0].packets, out[0].packets);
       }},
      {Q::kFactor,
       1,
       {square, n},
       [](Batch& b, In in, Out out) {
         return b.factor(in[0].packets, out[0].packets, out[1].packets);
       }},
      {Q::kCoriolisMatrix,
       2,
       {square},
       [](Batch& b, In in, Out out) {
         return b.coriolis_matrix(in[0].packets, in[1].packets, out[0].packets);
       }},
      {Q::kBiasTorque,
       2,
       {n},
       [](Batch& b, In in, Out out) {
         return b.bias_torque(in[0].packets, in[1].packets, out[0].packets);
       }},
      {Q::kInverseDynamics,
       3,
       {n},
       [](Batch& b, In in, Out out) {
         return b.inverse_dynamics(in[0].packets, in[1].packets, in[2].packets, out[0].packets);
       }},
      {Q::kForwardDynamics,
       3,
       {n},
       [](Batch& b, In in, Out out) {
         return b.forward_dynamics(in[0].packets, in[1].packets, in[2].packets, out[0].packets);
       }},
      {Q::kInverseDynamicsDerivatives,
       3,
       {square, square, square},
       [](Batch& b, In in, Out out) {
         return b.inverse_dynamics_derivatives(in[0].packets, in[1].packets, in[2].packets,
                                               out[0].packets, out[1].packets, out[2].packets);
       }},
      {Q::kForwardDynamicsDerivatives, 3, {square, square, square}, [](Batch& b, In in, Out out) {
         return b.forward_dynamics_derivatives(in[0].packets, in[1].packets, in[2].packets,
                                               out[0].packets, out[1].packets, out[2].packets);
       }}};
}

class BatchRowsTest : public ::testing::TestWithParam<std::string_view> {
 protected:
  BatchRowsTest() { EXPECT_TRUE(force_simd_target(GetParam())); }
  ~BatchRowsTest() override { force_simd_target(""); }
};

void compare(Index n, Index states) {
  Batch batch = std::move(Batch::make(Model(random_chain(n, 5)), 2).value());
  for (const Case& c : cases(n)) {
    SCOPED_TRACE(::testing::Message() << "query " << static_cast<int>(c.query));
    std::vector<Table> in;
    std::vector<BatchRows> rows;
    for (std::size_t a = 0; a < c.inputs; ++a) in.emplace_back(n, states, a, 30 + a);
    for (const Table& table : in) rows.push_back(table.rows());
    std::vector<Results> out;
    std::vector<double*> results;
    for (const Index size : c.sizes) out.emplace_back(size, states);
    for (Results& r : out) results.push_back(r.numbers.data());
    ASSERT_EQ(c.by_arrays(batch, in, out), Status::kOk);
    ASSERT_EQ(batch.answer(c.query, states, rows, results), Status::kOk);
    for (const Results& r : out) r.expect_equal();
  }
}

TEST_P(BatchRowsTest, GivesTheSameBitsAsArrays) {
  for (const Index n : {1, 2, 3, 4, 5, 7, 8, 9, 17, 30}) {
    for (const Index states : {1, 7, 8, 9, 300}) {
      SCOPED_TRACE(::testing::Message() << n << " joints, " << states << " states");
      compare(n, states);
    }
  }
}

TEST_P(BatchRowsTest, ARowOfStepZeroIsThatOfAllStates) {
  Batch batch = std::move(Batch::make(Model(random_chain(6, 3))).value());
  const Table q(6, 21, 0, 1), one(6, 1, 0, 2);
  Table each(6, 21, 0, 2);
  for (Index k = 0; k < 21; ++k) each.numbers.segment(6 * k, 6) = one.numbers;
  VecXd a(6 * 21), b(6 * 21);
  for (const auto& [velocities, out] :
       {std::pair(BatchRows{one.numbers.data(), 0}, a.data()), std::pair(each.rows(), b.data())}) {
    const BatchRows in[] = {q.rows(), velocities};
    ASSERT_EQ(batch.answer(BatchQuery::kBiasTorque, 21, in, {&out, 1}), Status::kOk);
  }
  EXPECT_EQ(a, b);
}

// Step after step in packets, and two states' torques alike.
TEST_P(BatchRowsTest, ARolloutIsStepAfterStep) {
  constexpr Index kJoints = 5, kStates = 19, kSteps = 4;
  Batch batch = std::move(Batch::make(Model(random_chain(kJoints, 3))).value());
  const Table q(kJoints, kStates, 2, 1), qd(kJoints, kStates, 0, 2);
  const Table tau(kJoints * kSteps, kStates, 0, 3);
  for (const auto integrator :
       {BatchIntegrator::kSemiImplicitEuler, BatchIntegrator::kRungeKutta4}) {
    VecXd q_out(kJoints * kSteps * kStates), qd_out(q_out.size());
    ASSERT_EQ(batch.rollout({.dt = 0.01, .substeps = 2, .integrator = integrator, .steps = kSteps},
                            kStates, q.rows(), qd.rows(), tau.rows(), q_out.data(), qd_out.data()),
              Status::kOk);
    BatchArray at(kJoints, kStates), rate(kJoints, kStates), torque(kJoints, kStates);
    VecXd now(kJoints);
    for (Index k = 0; k < kStates; ++k) {
      at.set(k, q.numbers.segment(k * q.step, kJoints));
      rate.set(k, qd.numbers.segment(k * qd.step, kJoints));
    }
    for (Index t = 0; t < kSteps; ++t) {
      for (Index k = 0; k < kStates; ++k) {
        torque.set(k, tau.numbers.segment(k * tau.step + t * kJoints, kJoints));
      }
      for (int s = 0; s < 2; ++s) {
        ASSERT_EQ(batch.step(0.01 / 2, torque, at, rate, integrator), Status::kOk);
      }
      for (Index k = 0; k < kStates; ++k) {
        at.get(k, now);
        EXPECT_EQ(q_out.segment((k * kSteps + t) * kJoints, kJoints), now);
        rate.get(k, now);
        EXPECT_EQ(qd_out.segment((k * kSteps + t) * kJoints, kJoints), now);
      }
    }
  }
}

TEST_P(BatchRowsTest, WhatIsWrongIsSaid) {
  Batch batch = std::move(Batch::make(Model(random_chain(6, 3))).value());
  Table q(6, 20, 0, 1);
  VecXd M(36 * 20), before(36 * 20);
  double *out = M.data(), *good = before.data();
  const BatchRows in[] = {q.rows(), q.rows()};
  ASSERT_EQ(batch.answer(BatchQuery::kMassMatrix, 20, {in, 1}, {&good, 1}), Status::kOk);
  EXPECT_EQ(batch.answer(BatchQuery::kMassMatrix, 20, in, {&out, 1}), Status::kWrongSize);
  EXPECT_EQ(batch.answer(BatchQuery::kFactor, 20, {in, 1}, {&out, 1}), Status::kWrongSize);
  q.numbers[6 * 9 + 5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(batch.answer(BatchQuery::kMassMatrix, 20, {in, 1}, {&out, 1}), Status::kNotFinite);
  EXPECT_EQ(M.head(9 * 36), before.head(9 * 36));
  EXPECT_EQ(M.tail(10 * 36), before.tail(10 * 36));
  batch.set_payloads(std::vector<RigidBody>(8));
  EXPECT_EQ(batch.answer(BatchQuery::kMassMatrix, 20, {in, 1}, {&out, 1}), Status::kWrongSize);
  EXPECT_EQ(batch.rollout({}, 20, in[0], in[0], in[0], out, out), Status::kWrongSize);
}

INSTANTIATE_TEST_SUITE_P(Targets, BatchRowsTest,
                         ::testing::ValuesIn(simd_targets().begin(), simd_targets().end()),
                         [](const auto& target) { return std::string(target.param); });

}  // namespace
}  // namespace dyn::test::batch_rows_tests
