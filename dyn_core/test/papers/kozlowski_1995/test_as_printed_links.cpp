// Kozłowski's rules of time differentiation, Table 1, the equations of single links and the worked
// example (39), as printed; and that the misprints named there are misprints.
#include "printed_case.hpp"

namespace dyn::kozlowski::links_tests {
namespace {

using test::Case, test::PrintedCase, test::dual, test::for_all, test::for_all_printed,
    test::largest, test::rates, test::reversed, test::values;

TEST(KozlowskiLinks, TimeDerivativesOfVectorsAndMatrices) {
  for_all_printed([](const PrintedCase& p) {
    const auto moving = p.moving(VecXd::Zero(p.c.n));
    for (Index k = 1; k <= p.c.n; ++k) {
      const PrintedLink<double>& link = p.o.links(k);
      const PrintedLink<Dual>& moved = moving.links(k);
      p.expect(p.o.links.angular_velocity(k), link.omega(), "(5)");
      VecX<Dual> x = dual(p.c.random.vector(6, 1.0), p.c.random.vector(6, 1.0));
      const MatX<Dual> X = MatX<Dual>(moving.at(k).P), A = MatX<Dual>(moved.A);
      const Vec6<double> x_value = values(x), x_rate = rates(x);
      const Mat6<double> X_value = values(X), X_rate = rates(X);
      const MatX<Dual> to_base = MatX<Dual>(twice_on_diagonal(moved.to_base));
      const MatXd back = star(values(to_base));
      const MatX<Dual> x_in_base = to_base * x, X_in_base = to_base * X * star(to_base);
      p.expect(inertial_derivative(x_rate, link.Omega, x_value), back * rates(x_in_base), "(1)");
      p.expect(inertial_derivative(X_rate, link.Omega, X_value),
               back * rates(X_in_base) * star(back), "(6)");
      p.expect(turned_by_elements(link.R, X_value), link.A * X_value * star(link.A), "(8)");
      // A joint that does not turn its frame has no Ω_δ here.
      const Mat6<double> own = link.rotational ? link.Omega_delta : Mat6<double>::Zero().eval();
      const MatX<Dual> x_next = A * x, X_next = A * X * star(A);
      p.expect(inertial_derivative(x_rate, own, x_value), star(link.A) * rates(x_next), "(3)");
      p.expect(inertial_derivative(X_rate, own, X_value), star(link.A) * rates(X_next) * link.A,
               "(7)");
      if (k == 1) continue;
      const MatX<Dual> step = MatX<Dual>(moving.at(k).Phi);  // Φ(k,k-1) A(k-1)
      p.expect(rates(step), p.o.at(k).Phi * p.o.links(k - 1).Omega_delta, "(14)");
    }
  });
}

// Table 1, both columns, and (9)-(11), against the components in link frames and in frame N + 1.
TEST(KozlowskiLinks, LocalAndInertialDerivativesOfTable1) {
  for_all_printed([](const PrintedCase& p) {
    if (p.c.n > 4) return;
    const auto moving = p.moving(VecXd::Zero(p.c.n));
    MatX<Dual> R = MatX<Dual>::Zero(6 * p.c.n, 6 * p.c.n);
    for (Index k = 0; k < p.c.n; ++k) {
      R.block<6, 6>(6 * k, 6 * k) = twice_on_diagonal(moving.links(k + 1).to_base);
    }
    const MatXd toward = star(values(R)), away = values(R);
    const OperatorRates<double> local = local_derivatives(p.o),
                                inertial = inertial_derivatives(p.o);
    const auto expect_square = [&](const MatXd& in_link, const MatXd& from_base,
                                   const MatX<Dual>& X, const char* what) {
      const MatX<Dual> in_base = R * X * star(R);
      p.expect(in_link, rates(X), what);
      p.expect(from_base, toward * rates(in_base) * away, what);
    };
    expect_square(local.E_Phi, inertial.E_Phi, moving.E_Phi, "row 1");
    expect_square(local.Phi, inertial.Phi, moving.Phi, "row 2");
    expect_square(local.M, inertial.M, moving.M, "row 4");
    expect_square(local.tau_bar, inertial.tau_bar, moving.tau_bar, "row 7");
    expect_square(local.E_Psi, inertial.E_Psi, moving.E_Psi, "row 8");
    expect_square(local.M, inertial_derivative_of_matrices(local.M, p.o.Omega, p.o.M), moving.M,
                  "(9)");
    expect_square(p.o.P_rate, inertial_derivative_of_matrices(p.o.P_rate, p.o.Omega, p.o.P),
                  moving.P, "(10)");
    const MatX<Dual> H_in_base = moving.H * star(R), G_in_base = R * moving.G;
    p.expect(local.H, rates(moving.H), "row 3");
    p.expect(inertial.H, rates(H_in_base) * away, "row 3, inertial");
    p.expect(local.D, rates(moving.D), "row 5");
    p.expect(inertial.D, rates(moving.D), "row 5, inertial");
    p.expect(local.G, rates(moving.G), "row 6");
    p.expect(inertial.G, toward * rates(G_in_base), "row 6, inertial");
    p.expect(inertial_derivative_of_vectors(local.G, p.o.Omega, p.o.G), toward * rates(G_in_base),
             "(11)");
  });
}

TEST(KozlowskiLinks, ArticulatedInertiaAndItsDerivative) {
  for_all_printed([](const PrintedCase& p) {
    const auto moving = p.moving(VecXd::Zero(p.c.n));
    const OperatorRates<double> local = local_derivatives(p.o);
    for (Index k = 1; k <= p.c.n; ++k) {
      const auto& here = p.o.at(k);
      p.expect(here.P_rate, rates(MatX<Dual>(moving.at(k).P)), "(13)");
      p.expect(p.o.at.inertia_rate(k), here.P_rate, "(15)");
      p.expect(here.lambda, here.P_rate + here.X + star(here.X), "(20)");
      const Mat6<double> Omega_delta = p.o.links(k).Omega_delta;
      p.expect(here.tau_bar * Omega_delta, Omega_delta, "τ̄ Ω_δ = Ω_δ");  // below (13)
    }
    if (p.armature) return;
    const MatXd released = p.o.tau_bar * p.o.P;
    p.expect(released * star(p.o.tau_bar), released, "τ̄ P τ̄* = τ̄ P");  // below (13)
    p.expect(local.tau_bar * released.transpose(), MatXd::Zero(6 * p.c.n, 6 * p.c.n),
             "dτ̄/dt P τ̄* = 0", largest(local.tau_bar) * largest(p.o.P));  // below (12)
  });
}

TEST(KozlowskiLinks, RecursionsOfSection6) {
  for_all_printed([](const PrintedCase& p) {
    const VecXd x = p.c.random.vector(p.c.n, 1.0);
    const MatXd m = mass_factor(p.o), l = mass_factor_inverse(p.o);
    const double size = largest(m) * largest(l);
    p.expect(nu_of_rates(p.o.links, p.o.at, x), star(m) * x, "ν");
    p.expect(rates_of_nu(p.o.links, p.o.at, x), star(l) * x, "θ̇", size);
    p.expect(epsilon_of_torque(p.o.links, p.o.at, x), l * x, "ε", size);
    p.expect(torque_of_epsilon(p.o.links, p.o.at, x), m * x, "τ");
  });
}

TEST(KozlowskiLinks, ForcesOnLinksActByTheirJacobians) {
  for_all(7, [](Case& c) {
    Links<double> links(c.model, c.poses, c.qd);
    const VecXd qdd = VecXd::Zero(c.n), free = standard_torque(links, qdd);
    Kinematics<double> kinematics(c.chain);
    ASSERT_EQ(kinematics.update(c.q), Status::kOk);
    VecXd expected = VecXd::Zero(c.n);
    MatXd J(6, c.n);
    for (Index k = 1; k <= c.n; ++k) {
      const Vec3d force = c.random.vector(1.0), moment = c.random.vector(1.0);
      links.load(k, force, moment);
      const Posed pose = kinematics.dh_pose(c.n - k);
      ASSERT_EQ(kinematics.jacobian(c.n - k, pose * links(k).p, J), Status::kOk);
      expected -= J.topRows(3).transpose() * (pose.R * force) +
                  J.bottomRows(3).transpose() * (pose.R * moment);
    }
    const VecXd found = standard_torque(links, qdd) - free;
    EXPECT_LE(largest(found - reversed(expected)), 1e-13 * (1.0 + largest(free)));
  });
}

// The eight terms of τ(2) are those of (38), row 2, joint by joint and link by link.
TEST(KozlowskiLinks, WorkedExampleOfThreeLinks) {
  Index seen = 0;
  for_all(3, [&](Case& c) {
    if (c.n != 3 || c.model.has_armature()) return;
    ++seen;
    const PrintedCase p(c, c.model.gravity());
    const VecXd theta_ddot = c.random.vector(3, 2.0);
    const auto terms = terms_of_second_torque<double>(p.o.links, theta_ddot);
    const MatXd M = mass_matrix(p.o);
    const Eigen::RowVectorXd inward = (p.o.H * p.o.Phi).row(1);
    const Eigen::RowVectorXd through = inward * p.o.M * star(p.o.Phi);
    const auto expect = [&](std::size_t term, double value) {
      EXPECT_NEAR(terms[term], value, 1e-13 * (1.0 + largest(M) + largest(p.o.b))) << term;
    };
    double sum = 0.0;
    for (Index k = 0; k < 3; ++k) {
      const auto term = static_cast<std::size_t>(k);
      expect(term, M(1, k) * theta_ddot[k]);
      expect(3 + term, through.segment(6 * k, 6).dot(p.o.a.segment(6 * k, 6)));
      if (k < 2) expect(6 + term, inward.segment(6 * k, 6).dot(p.o.b.segment(6 * k, 6)));
    }
    EXPECT_EQ(terms[5], 0.0);
    for (const double term : terms) sum += term;
    EXPECT_NEAR(sum, standard_torque(p.o, theta_ddot)[1], 1e-12 * (1.0 + std::abs(sum)));
  });
  EXPECT_GE(seen, 3);
}

// What stands in the paper, letter by letter, is not what it is said to be.
TEST(KozlowskiLinks, MisprintsAreMisprints) {
  Case c(random_chain(5, 1995), test::Drives::kNone);
  const PrintedCase p(c);
  const auto& o = p.o;
  const auto expect_other = [](const MatXd& printed, const MatXd& right, const char* what) {
    EXPECT_GT(largest(printed - right), 1e-3 * largest(right)) << what;
  };
  const MatXd& X = o.driving;
  expect_other(o.E_Psi * (o.P + X) * star(o.E_Psi), o.P_rate, "(16)");
  expect_other(o.E_Phi * o.Omega_delta * o.Phi, local_derivatives(o).E_Phi, "row 1");
  const MatXd commutator = o.E_Psi * o.lambda - o.lambda * o.E_Psi;
  expect_other(commutator, shifted(o), "[E_Ψ, λ̇]");
  const MatXd middle = shifted(o) - o.Omega_delta * o.P - o.P * o.Omega_delta;
  const VecXd twice = middle * o.V - o.lambda * star(o.E_Psi) * o.V;
  EXPECT_GT(std::abs(o.V.dot(twice)), 1e-3) << "(47)";
  const VecXd theta_ddot = c.random.vector(c.n, 2.0), right = xi_rate(o, theta_ddot);
  const VecXd by_P = inverse_pivots(o) * o.H * (o.P_rate - o.lambda) * star(o.tau_bar) * o.V;
  expect_other(right + by_P, right, "(36)");
  const MatXd unit = unit_factor(o);
  expect_other(right - star(unit) * theta_ddot + unit * theta_ddot, right, "(35)");
  const MatXd c_nu = components_nu(o.links, o.at);
  MatXd printed = MatXd::Zero(c.n, c.n);  // H Ψ P Ω_δ Ψ* H* without its sign
  const MatXd whole = o.H * o.Psi * o.P * o.Omega_delta * star(o.Psi) * star(o.H);
  for (Index k = 1; k < c.n; ++k) {
    for (Index i = 0; i < k; ++i) printed(k, i) = whole(k, i) / std::sqrt(o.D(k, k) * o.D(i, i));
  }
  const MatXd lower = c_nu.triangularView<Eigen::StrictlyLower>();
  p.expect(-printed, lower, "(48)", p.reference.scale);
  expect_other(printed, lower, "(48)");
  const MatXd c_xi = components_xi(o.links, o.at), roots = inverse_pivot_roots(o);
  const MatXd lower_xi = c_xi.triangularView<Eigen::StrictlyLower>();
  expect_other(roots * lower_xi * roots, lower_xi, "below (48)");
  const PrintedLink<double>& link = o.links(2);
  const Vec3d as_in_the_list = link.m * link.p.cross(link.v()), momentum = link.b.tail<3>();
  const Vec3d exact = link.m * link.omega().cross(link.v() + link.omega().cross(link.p));
  p.expect(momentum, exact, "b(k)");
  expect_other(momentum - link.m * link.omega().cross(link.v()) + as_in_the_list, exact, "b(k)");
}

}  // namespace
}  // namespace dyn::kozlowski::links_tests
