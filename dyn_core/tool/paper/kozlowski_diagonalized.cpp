// Kozłowski 1995, sections 4 and 5: (40)-(49) and Fig. 1; the four recursions of section 6.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "dyn_core/papers/kozlowski_1995/diagonalized.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "kozlowski_case.hpp"

namespace dyn::tool {
namespace kozlowski_paper {

using namespace dyn::kozlowski;

// Of C(θ,ν): the terms of which it is the difference; of C(θ,ξ) with D^½.
double size_nu(const KozlowskiCase& c) {
  return 1.0 + (c.m_rate * c.nu).cwiseAbs().maxCoeff() / c.D.cwiseSqrt().minCoeff();
}
double size_xi(const KozlowskiCase& c) { return size_nu(c) * (1.0 + c.D.maxCoeff()); }

void normalised_equations(PaperItems& items) {
  kozlowski_identity(items, "(40), ν̇ + C(θ,ν) = ε, gravity in b",
                     "ν̇ is the derivative of ν along the motion that τ causes",
                     [](const KozlowskiCase& c) {
                       const double size = size_nu(c) + c.nu_rate.cwiseAbs().maxCoeff();
                       return kozlowski_off(nu_rate_from_torque(c.o, c.tau), c.nu_rate, size);
                     });
  kozlowski_identity(items, "(41), C(θ,ν) by its definition", "l (ṁ ν - ½ θ̇* M_θ θ̇), ε = l τ",
                     [](const KozlowskiCase& c) {
                       const VecXd m_rate_nu = mass_factor_rate_times_nu(c.o);
                       return kozlowski_off(
                           coriolis_nu_by_definition(c.o, m_rate_nu, inertia_gradient(c.o)), c.C_nu,
                           size_nu(c));
                     });
  kozlowski_identity(
      items, "(42), C(θ,ν) in closed form",
      "½ D^-½ HΨ ([E_Ψ, λ̇] - Ω_δ P - P Ω_δ + 2 V × M) Ψ* H* D^-½ ν",
      [](const KozlowskiCase& c) { return kozlowski_off(coriolis_nu(c.o), c.C_nu, size_nu(c)); },
      "[E_Ψ, λ̇] read as E_Ψ λ̇ - λ̇ E_Ψ*");
  kozlowski_identity(items, "the recursion below (42)", "y(k), C(k) = ½ D^-½ H(k) y(k)",
                     [](const KozlowskiCase& c) {
                       return kozlowski_off(coriolis_nu(c.o.links, c.o.at), c.C_nu, size_nu(c));
                     });
}

void unnormalised_equations(PaperItems& items) {
  kozlowski_identity(items, "(43), kinetic energy of ξ", "½ ξ* D ξ", [](const KozlowskiCase& c) {
    const double energy = 0.5 * c.o.theta_dot.dot(c.mass * c.o.theta_dot);
    return std::abs(kinetic_energy_of_xi(c.o) - energy) / energy;
  });
  kozlowski_identity(items, "(44), D ξ̇ + C(θ,ξ) = κ, gravity in b",
                     "ξ̇ is the derivative of ξ along the motion that τ causes",
                     [](const KozlowskiCase& c) {
                       const double size = size_nu(c) / c.D.cwiseSqrt().minCoeff() +
                                           c.xi_rate.cwiseAbs().maxCoeff();
                       return kozlowski_off(xi_rate_from_torque(c.o, c.tau), c.xi_rate, size);
                     });
  kozlowski_identity(
      items, "(45), C(θ,ξ) in closed form", "HΨ [λ̇ H* ξ - (Ω_δ P - V × M) V]",
      [](const KozlowskiCase& c) { return kozlowski_off(coriolis_xi(c.o), c.C_xi, size_xi(c)); });
  kozlowski_identity(items, "(46), C(θ,ξ) from C(θ,ν)", "D^½ C(θ,ν) + ½ H λ̇ H* ξ",
                     [](const KozlowskiCase& c) {
                       return kozlowski_off(coriolis_xi_from_nu(c.o, c.C_nu), c.C_xi, size_xi(c));
                     });
  kozlowski_identity(
      items, "the recursion below (46)", "y(k), C(k) = H(k) y(k)", [](const KozlowskiCase& c) {
        return kozlowski_off(coriolis_xi<double>(c.o.links, c.o.at, c.xi), c.C_xi, size_xi(c));
      });
}

// θ̈ as it runs, from ν̇ and from ξ̇.
double off_accelerations(const KozlowskiCase& c) {
  DiagonalizedDynamics<double> dynamics(c.model);
  (void)dynamics.update(c.model, c.poses);
  dynamics.set_rates(c.qd);
  const VecXd tau = c.tau.reverse();
  VecXd from_nu(c.o.N), from_xi(c.o.N);
  dynamics.nu_rate(c.model, c.model.gravity(), tau, from_nu);
  dynamics.nu_rate_to_accelerations(from_nu, from_nu);
  dynamics.xi_rate(c.model, c.model.gravity(), tau, from_xi);
  dynamics.xi_rate_to_accelerations(from_xi, from_xi);
  return std::max(kozlowski_off(from_nu, c.qdd), kozlowski_off(from_xi, c.qdd));
}

void equivalence(PaperItems& items) {
  kozlowski_identity(items, "section 4: (36), (41) put into (44), or ν̇ into (40), give (38)",
                     "the same θ̈ from all three", off_accelerations,
                     "ν̇ and ξ̇ of the recursions that run, turned into θ̈ by (36); τ from (38)");
  kozlowski_identity(items, "section 4: (V × M) V", "is the spatial bias force b without F and N",
                     [](const KozlowskiCase& c) {
                       const Links<double> free(c.model, c.poses, c.qd);
                       VecXd b(6 * c.o.N);
                       for (Index k = 1; k <= c.o.N; ++k) b.segment<6>(6 * (k - 1)) = free(k).b;
                       return kozlowski_off(c.o.V_cross * c.o.M * c.o.V, b, 1.0);
                     });
  kozlowski_identity(
      items, "(47), ν* C(θ,ν)", "½ V* (E_Ψ λ̇ - λ̇ E_Ψ* - Ω_δ P - P Ω_δ) V = 0",
      [](const KozlowskiCase& c) {
        const double size = 1.0 + c.o.lambda.cwiseAbs().maxCoeff() * c.o.V.squaredNorm();
        return std::max(
            std::abs(power_of_coriolis_nu(c.o)) / size,
            std::abs(c.nu.dot(coriolis_nu(c.o))) / (c.nu.norm() * (size_nu(c) + c.C_nu.norm())));
      },
      "and ν* C(θ,ν) with C of (42)");
}

void components(PaperItems& items) {
  kozlowski_identity(
      items, "(48), c_ki, normalized", "D^-½(k) Σ H(k) Ψ(k,m) P(m) Ω_δ*(m) Ψ*(i,m) H*(i) D^-½(i)",
      [](const KozlowskiCase& c) {
        const MatXd components = components_nu(c.o.links, c.o.at);
        const VecXd bias = inverse_pivot_roots(c.o) * c.o.H * c.o.Psi * c.o.V_cross * c.o.M * c.o.V;
        return std::max(kozlowski_off(components, coriolis_matrix_nu(c.o, false), size_nu(c)),
                        kozlowski_off(components * c.nu + bias, c.C_nu, size_nu(c)));
      },
      "m = 1 … i-1, c_ki = -c_ik; with its sign, see the misprints");
  kozlowski_identity(
      items, "(48), c_ki, unnormalized", "the same off the diagonal, on it the sum up to i",
      [](const KozlowskiCase& c) {
        const MatXd components = components_xi(c.o.links, c.o.at);
        const VecXd bias = c.o.H * c.o.Psi * c.o.V_cross * c.o.M * c.o.V;
        return kozlowski_off(components * c.xi + bias, c.C_xi, size_xi(c));
      },
      "without D^-½, see the misprints");
  kozlowski_identity(
      items, "(49), V from ν", "V(i) = Σ Ψ*(k,i) H*(k) D^-½(k) ν(k), k = i … N",
      [](const KozlowskiCase& c) { return kozlowski_off(velocities_of_nu(c.o, c.nu), c.o.V); });
}

// ---- Fig. 1: the last row of C(θ,ξ) of five links

struct LastRow {
  explicit LastRow(const KozlowskiCase& c)
      : terms(MatXd::Zero(5, 5)), through(5), velocities(5, 5) {
    for (Index m = 1; m <= 5; ++m) {
      const Mat6<double> Psi_5m = c.o.at.psi(5, m);
      const Vec6<double> a = star(c.o.links(m).Omega_delta) * c.o.links(m).V;
      through[m - 1] = c.o.links(5).H_star.dot(Psi_5m * c.o.at(m).P * a);
      for (Index i = m; i <= 5; ++i) {
        terms(m - 1, i - 1) = (component_sum(c.o.links, c.o.at, 5, i, m) -
                               component_sum(c.o.links, c.o.at, 5, i, m - 1)) *
                              c.xi[i - 1];
      }
      for (Index k = 1; k <= 5; ++k) {
        velocities(m - 1, k - 1) =
            k < m ? 0.0
                  : (star(c.o.at.psi(k, m)) * c.o.links(k).H_star * c.xi[k - 1]).head<3>().norm();
      }
    }
    const VecXd bias = c.o.H * c.o.Psi * c.o.V_cross * c.o.M * c.o.V;
    last = c.C_xi[4] - bias[4];
  }

  MatXd terms;        // row m, column i: summand m of c_5i ξ(i)
  VecXd through;      // H(5) Ψ(5,m) P(m) Ω_δ*(m) V(m)
  MatXd velocities;   // row i, column k: angular part of Ψ*(k,i) H*(k) ξ(k)
  double last = 0.0;  // element 5 of C(θ,ξ) without the bias forces
};

std::vector<Chart> pictures_of(const LastRow& row) {
  Chart sums{.title = "c_5i ξ(i), summand m: H(5)Ψ(5,m) P(m)Ω_δ*(m) Ψ*(i,m)H*(i) ξ(i)",
             .x_label = "i",
             .y_label = "N m",
             .curves = {}};
  Chart velocities{.title = "|ω| of Ψ*(k,i) H*(k) ξ(k), the parts of V(i)",
                   .x_label = "i",
                   .y_label = "rad/s",
                   .curves = {}};
  const std::vector<double> links = {1, 2, 3, 4, 5};
  for (Index m = 0; m < 5; ++m) {
    Curve summand{.label = fmt::format("m, k = {}", m + 1), .x = {}, .y = {}};
    Curve part{.label = fmt::format("m, k = {}", m + 1), .x = {}, .y = {}};
    for (Index i = 0; i < 5; ++i) {
      if (i >= m) summand.x.push_back(links[static_cast<std::size_t>(i)]);
      if (i >= m) summand.y.push_back(row.terms(m, i));
      if (i <= m) part.x.push_back(links[static_cast<std::size_t>(i)]);
      if (i <= m) part.y.push_back(row.velocities(i, m));
    }
    if (summand.x.size() > 1) sums.curves.push_back(summand);
    if (part.x.size() > 1) velocities.curves.push_back(part);
  }
  return {sums, velocities};
}

void figure_1(PaperItems& items) {
  const KozlowskiCase c(random_chain(5, 1), 9);
  const LastRow row(c);
  const VecXd sums = row.terms.rowwise().sum();
  const double off = std::max(kozlowski_off(sums, row.through, 1.0),
                              std::abs(row.through.sum() - row.last) / size_xi(c));
  const bool triangular = row.terms.row(4).isZero(1e-12);
  items.figure(
      "Fig. 1, last row of C(θ,ξ), N = 5",
      "c_5i built from Ω_δ(m), P(m), and Ψ, summed over m; on the right all parts of V(i), i = 1 … "
      "5, "
      "each multiplied by Ω_δ(i)",
      fmt::format("summands m over all i add up to H(5)Ψ(5,m) P(m) Ω_δ*(m) V(m) = {:.3f}, {:.3f}, "
                  "{:.3f}, {:.3f}, {:.3f}; all together {:.3f} N m, held to {:.0e}",
                  row.through[0], row.through[1], row.through[2], row.through[3], row.through[4],
                  row.last, off),
      off < 1e-12 && triangular, pictures_of(row),
      "a general revolute arm of five links at a random state; m = 5 gives nothing, since V(5) "
      "lies "
      "along h(5). On the right V(i) of (49) by the joints it comes from");
}

void recursions_of_section_6(PaperItems& items) {
  const auto transformed = [](const KozlowskiCase& c) {
    const VecXd x = c.theta_ddot;  // any vector
    const MatXd m = c.m, l = mass_factor_inverse(c.o);
    const double size = l.cwiseAbs().maxCoeff() * m.cwiseAbs().maxCoeff() * x.cwiseAbs().maxCoeff();
    const auto& links = c.o.links;
    const auto& at = c.o.at;
    return std::max({kozlowski_off(nu_of_rates(links, at, x), star(m) * x, size),
                     kozlowski_off(rates_of_nu(links, at, x), star(l) * x, size),
                     kozlowski_off(epsilon_of_torque(links, at, x), l * x, size),
                     kozlowski_off(torque_of_epsilon(links, at, x), m * x, size)});
  };
  kozlowski_identity(items, "section 6, four recursions", "ν = m* θ̇, θ̇ = l* ν, ε = l τ, τ = m ε",
                     transformed);
}

}  // namespace kozlowski_paper

void kozlowski_diagonalized(PaperItems& items) {
  using namespace kozlowski_paper;
  normalised_equations(items);
  unnormalised_equations(items);
  equivalence(items);
  components(items);
  figure_1(items);
  recursions_of_section_6(items);
}

}  // namespace dyn::tool
