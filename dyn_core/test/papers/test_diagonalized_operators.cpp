// Kozłowski's operator equations and Table 1, against exact derivatives and against the recursions.
#include "dyn_core/papers/classic/rnea.hpp"
#include "dyn_core/papers/kozlowski_1995/diagonalized_derivatives.hpp"
#include "motion/motion_case.hpp"

namespace dyn::test::diagonalized_operators_tests {
namespace {

using Operators = SpatialOperators<double>;

Operators operators_of(const Case& c) { return {c.model, c.poses, c.qd}; }

template <class... Matrices>
MatXd times(const Matrices&... factors) {
  return product<double>(factors...);
}

MatXd with_root(const Operators& o, double sign) {
  return o.D.diagonal().array().pow(0.5 * sign).matrix().asDiagonal();
}

TEST(DiagonalizedOperators, FactorTheMassMatrix) {
  for_all(7, [](Case& c) {
    const Operators o = operators_of(c);
    const MatXd I = MatXd::Identity(c.n, c.n), M = c.mass_matrix<double>(c.q);
    const MatXd U = I + times(o.H, o.Phi, o.E_Phi, o.G), l = I - times(o.H, o.Psi, o.E_Phi, o.G);
    EXPECT_LE(largest(o.mass_matrix() - M), 1e-13 * largest(M));               // (22)
    EXPECT_LE(largest(times(U, o.D, U.transpose()) - M), 1e-13 * largest(M));  // (23)
    EXPECT_LE(largest(times(l, U) - I), 1e-11);                                // (24)
    EXPECT_LE(largest(o.D.diagonal() - c.dynamics.pivots()), 1e-12 * largest(o.D));
    VecXd torque(c.n);
    const VecXd qdd = c.random.vector(c.n, 2.0);
    Rnea<double>(c.model).inverse_dynamics(c.model, c.poses, c.model.gravity(), c.qd, qdd, torque);
    for (Index i = 0; i < c.n; ++i) torque[i] += c.model.link(i).armature * qdd[i];
    const VecXd standard = o.standard_form(c.model.gravity(), qdd);  // (38)
    EXPECT_LE(largest(standard - torque), 1e-12 * (1.0 + largest(torque)));
  });
}

// (V×M) V with V× of (33).
VecXd bias_forces(const Operators& o) {
  VecXd b(o.V.size());
  for (Index i = 0; i < o.size(); ++i) {
    const Mat3d w = skew(Vec3d(o.V.segment<3>(6 * i))), v = skew(Vec3d(o.V.segment<3>(6 * i + 3)));
    Mat6<double> across;
    across << w, v, Mat3d::Zero(), w;
    const Mat6<double> M = o.M.block<6, 6>(6 * i, 6 * i);
    b.segment<6>(6 * i) = across * M * o.V.segment<6>(6 * i);
  }
  return b;
}

// What the paper writes [E_Ψ, λ̇].
MatXd shifted(const Operators& o) {
  const MatXd left = times(o.E_Psi, o.lambda);
  return left - left.transpose();
}

TEST(DiagonalizedOperators, CoriolisTerms) {
  for_all(7, [](Case& c) {
    const Operators o = operators_of(c);
    const Reference r(c);
    const VecXd b = bias_forces(o);
    const MatXd X = times(o.Omega_delta, o.P), inward = times(o.H, o.Psi);
    const VecXd V = times(inward.transpose(), r.xi);  // (49)
    EXPECT_LE(largest(V - o.V), kTolerance * (1.0 + largest(o.V)));
    const VecXd by_nu = 0.5 * times(with_root(o, -1.0), inward,
                                    times(shifted(o) - X + X.transpose(), V) + 2.0 * b);  // (42)
    EXPECT_LE(largest(by_nu - r.coriolis_nu), kTolerance * r.scale);
    const VecXd by_xi =
        times(inward, times(o.lambda, o.H.transpose(), r.xi) - times(X, V) + b);  // (45)
    VecXd C(c.n);
    c.dynamics.coriolis_xi(c.model, C);
    EXPECT_LE(largest(by_xi - C), kTolerance * r.scale * (1.0 + largest(r.D)));
  });
}

// The paper uses HG = 1, which armature breaks.
template <class Body>
void for_all_without_armature(Body body) {
  for_all(7, [&](Case& c) {
    if (!c.model.has_armature()) body(c, operators_of(c), Reference(c));
  });
}

TEST(DiagonalizedOperators, DerivativeOfTheMassFactor) {
  for_all_without_armature([](Case& c, const Operators& o, const Reference& r) {
    const MatXd I = MatXd::Identity(6 * c.n, 6 * c.n);
    const MatXd sum = I + o.tau_bar, strict = o.Phi - I;
    const MatXd inward = times(o.H, o.Phi), back = times(o.H.transpose(), with_root(o, -1.0));
    const double tolerance = kTolerance * r.scale;
    const MatXd by_P =
        times(inward, times(o.Omega_delta, o.Phi, o.P) + 0.5 * times(sum, o.P_rate), back);  // (29)
    EXPECT_LE(largest(by_P - r.m_rate), tolerance);
    const MatXd by_lambda = times(
        inward, times(o.Omega_delta, strict, o.P) + 0.5 * times(sum, o.lambda), back);  // (30)
    EXPECT_LE(largest(by_lambda - r.m_rate), tolerance);
    const MatXd by_V = times(o.Omega_delta, o.Phi, o.E_Phi, o.G, o.H, o.P) + 0.5 * o.turned(o.P) +
                       0.5 * shifted(o);
    EXPECT_LE(largest(times(inward, by_V, o.V) - r.m_rate * r.nu), tolerance);  // (31)
  });
}

TEST(DiagonalizedOperators, GradientOfTheKineticEnergy) {
  for_all_without_armature([](Case&, const Operators& o, const Reference& r) {
    const MatXd KH = times(o.E_Phi, o.G, o.H);
    const VecXd b = bias_forces(o);
    const VecXd driven = times(o.Omega_delta, o.P, o.V) + times(o.Omega_delta, o.Phi, KH, o.P, o.V);
    const VecXd gradient = 2.0 * times(o.H, o.Phi, driven - b);  // (32)
    EXPECT_LE(largest(gradient - r.quadratic), kTolerance * r.scale);
  });
}

TEST(DiagonalizedOperators, DerivativeOfXi) {
  for_all_without_armature([](Case& c, const Operators& o, const Reference& r) {
    const MatXd strict = o.Phi - MatXd::Identity(6 * c.n, 6 * c.n);
    const VecXd bias = times(with_root(o, -2.0), o.H,
                             times(o.lambda, o.tau_bar.transpose()) +
                                 times(o.P, strict.transpose(), o.Omega_delta.transpose()),
                             o.V);  // (36)
    MatX<Dual> U(c.n, c.n);
    Udut<Dual> udut(c.model);
    ASSERT_EQ(udut.factorise(c.model, poses_of<Dual>(c.model, dual(c.q, c.qd))), Status::kOk);
    udut.factor(U);
    EXPECT_LE(largest(bias - rates(U).transpose() * c.qd), kTolerance * r.scale);
  });
}

// Table 1, both columns, against exact derivatives of the components in link frames and in frame 0.
TEST(DiagonalizedOperators, LocalAndInertialDerivativesOfTable1) {
  for_all(4, [](Case& c) {
    const VecX<Dual> q = dual(c.q, c.qd), qd = dual(c.qd, VecXd::Zero(c.n));
    const SpatialOperators<Dual> moving(c.model, poses_of<Dual>(c.model, q), qd);
    const Operators o = operators_of(c);
    MatX<Dual> R = MatX<Dual>::Zero(6 * c.n, 6 * c.n);
    for (Index i = 0; i < 2 * c.n; ++i) {
      R.block<3, 3>(3 * i, 3 * i) = moving.orientations[static_cast<std::size_t>(i / 2)];
    }
    const MatX<Dual> Rt = R.transpose();
    const MatXd toward = values(Rt), away = values(R);
    // The derivative seen from frame 0, in link frames.
    const auto from_base = [&](const MatX<Dual>& X) {
      return times(toward, rates(product<Dual>(R, X, Rt)), away);
    };
    const auto expect = [&](const MatXd& printed, const MatXd& exact, const char* what) {
      EXPECT_LE(largest(printed - exact), 1e-11 * (1.0 + largest(exact))) << what;
    };
    const OperatorRates<double> local = local_derivatives(o), inertial = inertial_derivatives(o);
    expect(o.P_rate, rates(moving.P), "P");  // (13)
    expect(local.D, rates(moving.D), "D");
    expect(inertial.D, rates(moving.D), "D");
    expect(local.G, rates(moving.G), "G");
    expect(inertial.G, times(toward, rates(product<Dual>(R, moving.G))), "G, inertial");
    expect(local.H, rates(moving.H), "H");
    expect(inertial.H, times(rates(product<Dual>(moving.H, Rt)), away), "H, inertial");
    const auto expect_square = [&](const MatXd& local_rate, const MatXd& inertial_rate,
                                   const MatX<Dual>& X, const char* what) {
      expect(local_rate, rates(X), what);
      expect(inertial_rate, from_base(X), what);
    };
    expect_square(local.E_Phi, inertial.E_Phi, moving.E_Phi, "E_Phi");
    expect_square(local.Phi, inertial.Phi, moving.Phi, "Phi");
    expect_square(local.M, inertial.M, moving.M, "M");
    expect_square(local.tau_bar, inertial.tau_bar, moving.tau_bar, "tau_bar");
    expect_square(local.E_Psi, inertial.E_Psi, moving.E_Psi, "E_Psi");
  });
}

}  // namespace
}  // namespace dyn::test::diagonalized_operators_tests
