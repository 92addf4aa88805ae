// The diagonalized equations of motion against exact derivatives of the numerically factorised mass
// matrix, and against the laws they obey.
#include <limits>
#include <span>

#include "dyn_core/papers/classic/rnea.hpp"
#include "dyn_core/papers/kozlowski_1995/forward_dynamics.hpp"
#include "dyn_core/papers/kozlowski_1995/printed.hpp"
#include "motion/motion_case.hpp"

namespace dyn::test::diagonalized_tests {
namespace {

TEST(Diagonalized, FactorsAndTheirDerivatives) {
  for_all(12, [](Case& c) {
    const Reference r(c);
    MatXd m(c.n, c.n);
    c.dynamics.mass_factor(m);
    EXPECT_LE(largest(m - r.m), kTolerance * largest(r.m));
    c.dynamics.mass_factor_rate(m);
    EXPECT_LE(largest(m - r.m_rate), kTolerance * (1.0 + largest(r.m_rate)));
    c.dynamics.mass_factor_inverse(m);
    EXPECT_LE(largest(m * r.m - MatXd::Identity(c.n, c.n)), kTolerance * largest(r.m));
    EXPECT_LE(largest(c.dynamics.pivot_rates() - r.D_rate), kTolerance * (1.0 + largest(r.D_rate)));
  });
}

TEST(Diagonalized, CoriolisTermsByTheirDefinition) {
  for_all(12, [](Case& c) {
    const Reference r(c);
    VecXd C(c.n), bias(c.n);
    c.dynamics.coriolis_nu(c.model, C);
    EXPECT_LE(largest(C - r.coriolis_nu), kTolerance * r.scale);
    c.dynamics.coriolis_xi(c.model, C);
    const VecXd with_xi =
        r.D.cwiseSqrt().cwiseProduct(r.coriolis_nu) + 0.5 * r.D_rate.cwiseProduct(r.xi);  // (46)
    EXPECT_LE(largest(C - with_xi), kTolerance * r.scale * (1.0 + largest(r.D)));
    MatXd factor(c.n, c.n);
    c.dynamics.coriolis_factor(factor);
    c.dynamics.bias_xi(c.model, bias);
    const VecXd components = factor * r.nu + bias.cwiseQuotient(c.dynamics.root());  // (48)
    EXPECT_LE(largest(components - r.coriolis_nu), kTolerance * r.scale);
    EXPECT_EQ(factor, -factor.transpose());
  });
}

TEST(Diagonalized, QuasiVelocitiesCarryTheKineticEnergy) {
  for_all(60, [](Case& c) {
    VecXd nu(c.n), xi(c.n);
    c.dynamics.rates_to_nu(c.qd, nu);
    c.dynamics.rates_to_xi(c.qd, xi);
    const double twice = c.qd.dot(c.mass_matrix<double>(c.q) * c.qd);
    EXPECT_NEAR(nu.squaredNorm(), twice, 1e-13 * twice);
    EXPECT_NEAR(xi.dot(c.dynamics.pivots().asDiagonal() * xi), twice, 1e-13 * twice);
    EXPECT_LE(largest(xi - c.dynamics.xi()), 1e-13 * largest(xi));
  });
}

TEST(Diagonalized, CoriolisTermsDoNoWork) {
  for_all(60, [](Case& c) {
    VecXd nu(c.n), C(c.n);
    c.dynamics.rates_to_nu(c.qd, nu);
    c.dynamics.coriolis_nu(c.model, C);
    EXPECT_LE(std::abs(nu.dot(C)), 2e-14 * nu.norm() * C.norm());  // (47)
  });
}

TEST(Diagonalized, TransformationsInvertEachOther) {
  for_all(60, [](Case& c) {
    const VecXd x = c.random.vector(c.n, 1.0);
    VecXd y(c.n), z(c.n), power(c.n);
    const double tolerance = 1e-9 * largest(x);
    c.dynamics.rates_to_nu(x, y);
    c.dynamics.nu_to_rates(y, z);
    EXPECT_LE(largest(z - x), tolerance);
    c.dynamics.rates_to_xi(x, y);
    c.dynamics.xi_to_rates(y, z);
    EXPECT_LE(largest(z - x), tolerance);
    c.dynamics.torque_to_kappa(x, y);
    c.dynamics.kappa_to_torque(y, z);
    EXPECT_LE(largest(z - x), tolerance);
    c.dynamics.torque_to_epsilon(x, y);
    c.dynamics.epsilon_to_torque(y, z);
    EXPECT_LE(largest(z - x), tolerance);
    c.dynamics.rates_to_nu(c.qd, z);  // power is the same in both coordinates
    EXPECT_NEAR(y.dot(z), x.dot(c.qd), 1e-9 * y.norm() * z.norm());
  });
}

TEST(Diagonalized, GravityIsSeparate) {
  for_all(60, [](Case& c) {
    VecXd g(c.n), kappa(c.n), epsilon(c.n), out(c.n);
    const VecXd zero = VecXd::Zero(c.n);
    Rnea<double>(c.model).inverse_dynamics(c.model, c.poses, c.model.gravity(), zero, zero, g);
    c.dynamics.torque_to_kappa(g, kappa);
    c.dynamics.torque_to_epsilon(g, epsilon);
    c.dynamics.gravity_xi(c.model, c.model.gravity(), out);
    EXPECT_LE(largest(out - kappa), 1e-11 * (1.0 + largest(g)));
    c.dynamics.gravity_nu(c.model, c.model.gravity(), out);
    EXPECT_LE(largest(out - epsilon), 1e-11 * (1.0 + largest(g)));
  });
}

// ν̇ and ξ̇ are those of ν(t) and ξ(t): differentiated exactly along q(t), q̇(t) of a simulated
// motion.
TEST(Diagonalized, EquationsOfMotionAlongASimulatedMotion) {
  for_all(7, [](Case& c) {
    const VecXd tau = c.random.vector(c.n, 3.0);
    NormalizedForwardDynamics<double> forward(c.model);
    DiagonalizedDynamics<Dual> moving(c.model);
    VecXd q = c.q, qd = 0.3 * c.qd, qdd(c.n), found(c.n);
    VecX<Dual> nu(c.n), xi(c.n);
    for (int step = 0; step < 20; ++step) {
      const auto poses = poses_of<double>(c.model, q);
      ASSERT_EQ(forward.forward_dynamics(c.model, poses, c.model.gravity(), qd, tau, qdd),
                Status::kOk);
      ASSERT_EQ(moving.update(c.model, poses_of<Dual>(c.model, dual(q, qd))), Status::kOk);
      moving.rates_to_nu(dual(qd, qdd), nu);
      moving.rates_to_xi(dual(qd, qdd), xi);
      ASSERT_EQ(c.dynamics.update(c.model, poses), Status::kOk);
      c.dynamics.set_rates(qd);
      c.dynamics.nu_rate(c.model, c.model.gravity(), tau, found);
      EXPECT_LE(largest(found - rates(nu)), 1e-10 * (1.0 + largest(found)));
      c.dynamics.nu_rate_to_accelerations(found, found);
      EXPECT_LE(largest(found - qdd), 1e-10 * (1.0 + largest(qdd)));
      c.dynamics.xi_rate(c.model, c.model.gravity(), tau, found);
      EXPECT_LE(largest(found - rates(xi)), 1e-10 * (1.0 + largest(found)));
      c.dynamics.xi_rate_to_accelerations(found, found);
      EXPECT_LE(largest(found - qdd), 1e-10 * (1.0 + largest(qdd)));
      qd += 0.01 * qdd;
      q += 0.01 * qd;
    }
  });
}

template <template <class> class Algorithm>
OperationCount count_of(const ChainPtr& chain) {
  const Model model(chain);
  VecX<Counted> state(model.size()), qdd(model.size());
  for (Counted& x : state) x = Counted::variable(0.4);
  const auto poses = poses_of<Counted>(model, state);
  Algorithm<Counted> algorithm(model);
  Counted::reset(CountingRule::kGeneral);
  EXPECT_EQ(algorithm.forward_dynamics(model, poses, model.gravity(), state, state, qdd),
            Status::kOk);
  return Counted::count();
}

TEST(Diagonalized, CostIsWhatTheBannerSaysAndBelowTable2) {
  for (const Index n : {3, 4, 6, 12, 30}) {
    SCOPED_TRACE(n);
    const ChainPtr chain = random_chain(n, 5);
    const OperationCount normalised = count_of<NormalizedForwardDynamics>(chain);
    const OperationCount unnormalised = count_of<UnnormalizedForwardDynamics>(chain);
    EXPECT_EQ(normalised, (OperationCount{411 * n - 548, 391 * n - 565}));
    EXPECT_EQ(unnormalised, (OperationCount{369 * n - 506, 361 * n - 534}));
    EXPECT_LE(normalised.multiplications, 605 * n - 462);
    EXPECT_LE(normalised.additions, 530 * n - 448);
    EXPECT_LE(unnormalised.multiplications, 500 * n - 319);
    EXPECT_LE(unnormalised.additions, 426 * n - 286);
  }
}

using kozlowski::LineCount, kozlowski::Table2Row;

LineCount sum_of(std::span<const Table2Row> rows, std::size_t column) {
  LineCount sum;
  for (const Table2Row& row : rows) sum = sum + row.columns[column];
  return sum;
}

// But for two misprints: the additions 354N of the subtotal, and 43N for 13N in z⁺.
TEST(Diagonalized, RowsOfTable2AddUp) {
  const LineCount right_subtotal{{414, -224}, {345, -180}}, misprinted{{30, 0}, {0, 0}};
  for (const std::size_t column : {0, 1}) {
    const LineCount common = sum_of(kozlowski::kTable2Common, column),
                    normalised = sum_of(kozlowski::kTable2Normalized, column),
                    unnormalised = sum_of(kozlowski::kTable2Unnormalized, column),
                    more = column == 1 ? misprinted : LineCount{};
    EXPECT_EQ(common, column == 0 ? right_subtotal : kozlowski::kTable2Subtotal.columns[1]);
    EXPECT_EQ(normalised, kozlowski::kTable2NormalizedPart.columns[column]);
    EXPECT_EQ(common + normalised, kozlowski::kTable2NormalizedTotal.columns[column]);
    EXPECT_EQ(unnormalised, kozlowski::kTable2UnnormalizedPart.columns[column] + more);
    EXPECT_EQ(common + unnormalised, kozlowski::kTable2UnnormalizedTotal.columns[column] + more);
  }
}

TEST(Diagonalized, FloatWithinItsOwnPrecision) {
  for_all(7, [](Case& c) {
    const VecX<float> q = c.q.cast<float>(), qd = c.qd.cast<float>();
    DiagonalizedDynamics<float> dynamics(c.model);
    ASSERT_EQ(dynamics.update(c.model, poses_of<float>(c.model, q)), Status::kOk);
    dynamics.set_rates(qd);
    VecX<float> C(c.n), nu(c.n);
    VecXd exact(c.n);
    MatXd m(c.n, c.n);
    c.dynamics.mass_factor(m);
    const double condition = largest(m) / c.dynamics.root().minCoeff();
    const double tolerance = 50.0 * std::numeric_limits<float>::epsilon() * condition * condition;
    dynamics.coriolis_nu(c.model, C);
    dynamics.rates_to_nu(qd, nu);
    c.dynamics.coriolis_nu(c.model, exact);
    EXPECT_LE(largest(C.cast<double>() - exact), tolerance * (1.0 + largest(exact)));
    EXPECT_LE(std::abs(nu.dot(C)), 1e-5f * nu.norm() * C.norm());
  });
}

}  // namespace
}  // namespace dyn::test::diagonalized_tests
