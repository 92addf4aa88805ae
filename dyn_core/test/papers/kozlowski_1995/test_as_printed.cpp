// Kozłowski's equations in operators, as printed, against exact derivatives of the numerically
// factorised mass matrix, against Newton and Euler, and against the recursions that run.
#include "dyn_core/papers/classic/rnea.hpp"
#include "printed_case.hpp"

namespace dyn::kozlowski::as_printed_tests {
namespace {

using test::Case, test::PrintedCase, test::Reference, test::for_all, test::for_all_printed,
    test::for_all_printed_without_armature, test::largest, test::rates, test::reversed,
    test::values;

TEST(KozlowskiAsPrinted, MassMatrixAndItsFactors) {
  for_all_printed([](const PrintedCase& p) {
    const auto& o = p.o;
    const MatXd I = MatXd::Identity(o.N, o.N), M = reversed(p.c.mass_matrix<double>(p.c.q));
    p.expect(mass_matrix(o), M, "(22)");
    p.expect(mass_matrix_by_factors(o), M, "(23)");
    p.expect(unit_factor_inverse(o) * unit_factor(o), I, "(24)");
    p.expect(mass_matrix_inverse(o) * M, I, "(25)", largest(M));
    p.expect(mass_factor(o), reversed(p.reference.m), "(26)");
    p.expect(mass_factor_inverse(o) * mass_factor(o), I, "l");
    p.expect(o.D.diagonal(), reversed(p.reference.D), "D");
    if (!p.armature) p.expect(o.H * o.Phi * o.G, unit_factor(o), "HΦG");  // below (35)
  });
}

TEST(KozlowskiAsPrinted, ShiftsInvertToTheOperators) {
  for_all_printed([](const PrintedCase& p) {
    const MatXd I = MatXd::Identity(6 * p.o.N, 6 * p.o.N);
    EXPECT_LE(largest((I - p.o.E_Phi) * p.o.Phi - I), 1e-13 * largest(p.o.Phi));
    EXPECT_LE(largest((I - p.o.E_Psi) * p.o.Psi - I), 1e-13 * largest(p.o.Psi));
    p.expect(p.o.E_Phi * p.o.tau_bar, p.o.E_Psi, "row 8 of Table 1");
  });
}

TEST(KozlowskiAsPrinted, FactorsAreThoseOfTheRecursionsThatRun) {
  for_all_printed([](const PrintedCase& p) {
    MatXd found(p.c.n, p.c.n);
    p.c.dynamics.mass_factor(found);
    p.expect(mass_factor(p.o), reversed(found), "m");
    p.c.dynamics.mass_factor_inverse(found);
    p.expect(mass_factor_inverse(p.o), reversed(found), "l");
    if (!p.armature) {
      p.c.dynamics.mass_factor_rate(found);
      p.expect(mass_factor_rate(p.o), reversed(found), "(29)", p.reference.scale);
    }
    for (Index k = 1; k < p.c.n; ++k) {
      const ArticulatedLink<double>& link = p.c.dynamics.udut().link(p.c.n - k);
      p.expect(link.M_hat.matrix(), p.o.at(k).P, "P(k)");
      p.expect(link.psi.vector(), p.o.at(k).G, "G(k)");
    }
    const MatXd D_rate = p.o.H * p.o.P_rate * star(p.o.H);
    p.expect(D_rate.diagonal(), reversed(p.c.dynamics.pivot_rates()), "row 5 of Table 1");
  });
}

TEST(KozlowskiAsPrinted, QuasiVelocitiesAndKineticEnergy) {
  for_all_printed([](const PrintedCase& p) {
    const auto& o = p.o;
    VecXd nu(o.N), xi(o.N);
    p.c.dynamics.rates_to_nu(p.c.qd, nu);
    p.c.dynamics.rates_to_xi(p.c.qd, xi);
    p.expect(quasi_velocities_nu(o), reversed(nu), "(28)");
    p.expect(quasi_velocities_xi(o), reversed(xi), "(34)");
    const double energy = 0.5 * p.c.qd.dot(p.c.mass_matrix<double>(p.c.q) * p.c.qd);
    EXPECT_NEAR(kinetic_energy_of_nu(o), energy, 1e-13 * energy);  // (27)
    EXPECT_NEAR(kinetic_energy_of_xi(o), energy, 1e-13 * energy);  // (43)
    p.expect(velocities_of_nu(o, quasi_velocities_nu(o)), o.V, "(49)");
    p.expect(star(o.Phi) * star(o.H) * o.theta_dot, o.V, "V = Φ* H* θ̇");
  });
}

TEST(KozlowskiAsPrinted, InertiaRatesInClosedForm) {
  for_all_printed([](const PrintedCase& p) {
    const auto& o = p.o;
    const MatXd exact = rates(p.moving(VecXd::Zero(o.N)).P);
    p.expect(o.P_rate, exact, "(13)");
    p.expect(local_inertia_rate(o), exact, "(16)");
    p.expect(local_inertia_rate_in_closed_form(o), exact, "(17)");
    const MatXd next = exact + o.driving;
    p.expect(next_inertia_rate(o), next, "(18)");
    p.expect(next_inertia_rate_in_closed_form(o), next, "(19)");
    p.expect(lambda_rate(o), next, "(20)");
    p.expect(lambda_rate_by_itself(o), next, "(21)");
    p.expect(o.lambda, next, "(21) by links");
  });
}

TEST(KozlowskiAsPrinted, DerivativeOfTheMassFactor) {
  for_all_printed_without_armature([](const PrintedCase& p) {
    const MatXd expected = reversed(p.reference.m_rate);
    const double size = p.reference.scale;
    p.expect(mass_factor_rate(p.o), expected, "(29)", size);
    p.expect(mass_factor_rate_by_lambda(p.o), expected, "(30)", size);
    p.expect(mass_factor_rate_times_nu(p.o), expected * reversed(p.reference.nu), "(31)", size);
    p.expect(inertia_gradient(p.o), reversed(p.reference.quadratic), "(32)", size);
  });
}

TEST(KozlowskiAsPrinted, DerivativeOfXi) {
  for_all_printed([](const PrintedCase& p) {
    const VecXd qdd = p.c.random.vector(p.c.n, 2.0);
    const MatX<Dual> unit = unit_factor(p.moving(qdd));
    const VecXd theta_ddot = reversed(qdd);
    const VecXd exact =
        star(rates(unit)) * p.o.theta_dot + star(values(unit)) * theta_ddot;  // (35)
    p.expect(rates(quasi_velocities_xi(p.moving(qdd))), exact, "(34)", p.reference.scale);
    if (!p.armature) p.expect(xi_rate(p.o, theta_ddot), exact, "(36)", p.reference.scale);
  });
}

VecXd newton_euler(const Case& c, const Vec3d& gravity, const VecXd& qd, const VecXd& qdd) {
  VecXd tau(c.n);
  Rnea<double>(c.model).inverse_dynamics(c.model, c.poses, gravity, qd, qdd, tau);
  for (Index i = 0; i < c.n; ++i) tau[i] += c.model.link(i).armature * qdd[i];
  return tau;
}

TEST(KozlowskiAsPrinted, StandardEquationsAreNewtonsAndEulers) {
  for_all(7, [](Case& c) {
    const Vec3d& gravity = c.model.gravity();
    const PrintedCase p(c, gravity);
    const VecXd qdd = c.random.vector(c.n, 2.0);
    const VecXd expected = reversed(newton_euler(c, gravity, c.qd, qdd));
    p.expect(standard_torque(p.o, reversed(qdd)), expected, "(38)");
    p.expect(standard_torque(p.o.links, reversed(qdd)), expected, "(38) by links");
  });
}

TEST(KozlowskiAsPrinted, CoriolisTerms) {
  for_all_printed([](const PrintedCase& p) {
    const auto& o = p.o;
    const Reference& r = p.reference;
    const double size = r.scale * (1.0 + largest(r.D));
    const VecXd C_nu = reversed(r.coriolis_nu);
    const VecXd by_definition = coriolis_nu_by_definition<double>(
        o, reversed(r.m_rate) * reversed(r.nu), reversed(r.quadratic));
    p.expect(by_definition, C_nu, "(41)", r.scale);
    p.expect(coriolis_nu(o), C_nu, "(42)", r.scale);
    p.expect(coriolis_nu(o.links, o.at), C_nu, "(42) by recursion", r.scale);
    const VecXd C_xi = reversed(r.D).cwiseSqrt().cwiseProduct(C_nu) +
                       0.5 * reversed(r.D_rate).cwiseProduct(reversed(r.xi));
    p.expect(coriolis_xi_from_nu(o, C_nu), C_xi, "(46)", size);
    p.expect(coriolis_xi(o), C_xi, "(45)", size);
    p.expect(coriolis_xi<double>(o.links, o.at, reversed(r.xi)), C_xi, "(45) by recursion", size);
    VecXd found(o.N);
    p.c.dynamics.coriolis_nu(p.c.model, found);
    p.expect(coriolis_nu(o), reversed(found), "(42), as it runs", r.scale);
    p.c.dynamics.coriolis_xi(p.c.model, found);
    p.expect(coriolis_xi(o), reversed(found), "(45), as it runs", size);
  });
}

TEST(KozlowskiAsPrinted, CoriolisTermsAreOrthogonalToNu) {
  for_all_printed([](const PrintedCase& p) {
    const VecXd nu = quasi_velocities_nu(p.o), C = coriolis_nu(p.o);
    const double size = largest(p.o.lambda) * p.o.V.squaredNorm();
    EXPECT_LE(std::abs(power_of_coriolis_nu(p.o)), 1e-15 * (1.0 + size));  // (47)
    EXPECT_LE(std::abs(nu.dot(C)), 1e-12 * nu.norm() * (p.reference.scale + C.norm()));
    const VecXd b = p.o.V_cross * p.o.M * p.o.V;
    EXPECT_LE(std::abs(p.o.V.dot(b)), 1e-14 * (1.0 + p.o.V.norm() * b.norm()));
  });
}

TEST(KozlowskiAsPrinted, ComponentsOfTheCoriolisMatrices) {
  for_all_printed([](const PrintedCase& p) {
    const auto& o = p.o;
    const double size = p.reference.scale * (1.0 + largest(p.reference.D));
    const MatXd c = components_nu(o.links, o.at), c_xi = components_xi(o.links, o.at);
    EXPECT_EQ(c, -star(c));
    p.expect(c, coriolis_matrix_nu(o, false), "(48), (42)", size);
    MatXd found(o.N, o.N);
    p.c.dynamics.coriolis_factor(found);
    p.expect(c, reversed(found), "(48), as it runs", size);
    const VecXd bias = o.H * o.Psi * o.V_cross * o.M * o.V;
    const VecXd nu = quasi_velocities_nu(o), xi = quasi_velocities_xi(o);
    p.expect(c * nu + inverse_pivot_roots(o) * bias, coriolis_nu(o), "C(θ,ν)", size);
    p.expect(c_xi * xi + bias, coriolis_xi(o), "C(θ,ξ)", size);
    const MatXd in_xi =
        o.H * o.Psi * (o.lambda * star(o.H) - o.Omega_delta * o.P * star(o.Psi) * star(o.H));
    p.expect(c_xi, in_xi, "(48), (45)", size);
    const MatXd diagonal = (o.H * o.lambda * star(o.H)).diagonal().asDiagonal();
    p.expect(c_xi, pivot_roots(o) * c * pivot_roots(o) + 0.5 * diagonal, "(46), (48)", size);
  });
}

// Fig. 1: the last row of C(θ,ξ) is the bias accelerations, through HΨ as through HΦ in (38).
TEST(KozlowskiAsPrinted, LastRowCarriesTheBiasAccelerations) {
  for_all_printed([](const PrintedCase& p) {
    const auto& o = p.o;
    const double size = p.reference.scale * (1.0 + largest(p.reference.D));
    p.expect(star(o.Omega_delta) * o.V, o.a, "a = Ω_δ* V");  // below (49)
    const VecXd through = o.H * o.Psi * (o.P * o.a + o.V_cross * o.M * o.V);
    p.expect(through.tail(1), coriolis_xi(o).tail(1), "Fig. 1", size);
  });
}

TEST(KozlowskiAsPrinted, DiagonalizedEquationsAreTheStandardOnes) {
  for_all(7, [](Case& c) {
    const Vec3d& gravity = c.model.gravity();
    const PrintedCase p(c, gravity);
    const VecXd qdd = c.random.vector(c.n, 2.0), tau = newton_euler(c, gravity, c.qd, qdd);
    const auto moving = p.moving(qdd);
    const double size = p.reference.scale + largest(tau);
    const VecXd nu_rate = nu_rate_from_torque(p.o, reversed(tau));
    const VecXd xi_rate = xi_rate_from_torque(p.o, reversed(tau));
    p.expect(nu_rate, rates(quasi_velocities_nu(moving)), "(40)", size);
    p.expect(xi_rate, rates(quasi_velocities_xi(moving)), "(44)", size);
    VecXd found(c.n);
    c.dynamics.nu_rate(c.model, gravity, tau, found);
    p.expect(nu_rate, reversed(found), "(40), as it runs", size);
    c.dynamics.xi_rate(c.model, gravity, tau, found);
    p.expect(xi_rate, reversed(found), "(44), as it runs", size);
  });
}

}  // namespace
}  // namespace dyn::kozlowski::as_printed_tests
