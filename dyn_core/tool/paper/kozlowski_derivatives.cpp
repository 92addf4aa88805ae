// Kozłowski 1995, section 2: (1)-(21) and Table 1.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "kozlowski_case.hpp"

namespace dyn::tool {
namespace kozlowski_paper {

using namespace dyn::kozlowski;

// The worst `deviation` over the links.
template <class Deviation>
double over_links(const KozlowskiCase& c, Deviation deviation) {
  double worst = 0.0;
  for (Index k = 1; k <= c.o.N; ++k) worst = std::max(worst, deviation(k));
  return worst;
}

// Six numbers that change, for (1) and (3).
VecX<Dual> vector_in_motion(Index k) {
  VecX<Dual> x(6);
  for (Index i = 0; i < 6; ++i) {
    const auto s = static_cast<double>(k + i);
    x[i] = Dual(std::sin(1.7 * s), std::cos(2.3 * s));
  }
  return x;
}

double off_vectors(const KozlowskiCase& c) {
  return over_links(c, [&](Index k) {
    const PrintedLink<double>& link = c.o.links(k);
    const VecX<Dual> x = vector_in_motion(k);
    const Vec6<double> value = kozlowski_values(x), rate = kozlowski_rates(x);
    const MatX<Dual> R = twice_on_diagonal(c.moving.links(k).to_base), A = c.moving.links(k).A;
    const MatX<Dual> in_base = R * x, in_next = A * x;
    const Mat6<double> own = link.rotational ? link.Omega_delta : Mat6<double>::Zero().eval();
    const MatXd back = star(kozlowski_values(R));
    return std::max(kozlowski_off(inertial_derivative(rate, link.Omega, value),
                                  back * kozlowski_rates(in_base)),
                    kozlowski_off(inertial_derivative(rate, own, value),
                                  star(link.A) * kozlowski_rates(in_next)));
  });
}

double off_matrices(const KozlowskiCase& c) {
  return over_links(c, [&](Index k) {
    const PrintedLink<double>& link = c.o.links(k);
    const MatX<Dual> X = c.moving.at(k).P, R = twice_on_diagonal(c.moving.links(k).to_base),
                     A = c.moving.links(k).A;
    const Mat6<double> value = kozlowski_values(X), rate = kozlowski_rates(X);
    const MatX<Dual> in_base = R * X * star(R), in_next = A * X * star(A);
    const Mat6<double> own = link.rotational ? link.Omega_delta : Mat6<double>::Zero().eval();
    const MatXd away = kozlowski_values(R), back = star(away);
    const double size = rate.cwiseAbs().maxCoeff() + value.cwiseAbs().maxCoeff();
    return std::max(kozlowski_off(inertial_derivative(rate, link.Omega, value),
                                  back * kozlowski_rates(in_base) * away, size),
                    kozlowski_off(inertial_derivative(rate, own, value),
                                  star(link.A) * kozlowski_rates(in_next) * link.A, size));
  });
}

// A derivative in link frames, or seen from the base with its components in link frames.
double off_local(const MatXd& local, const MatX<Dual>& X) {
  return kozlowski_off(local, kozlowski_rates(X), 1.0);
}
double off_inertial(const KozlowskiCase& c, const MatXd& inertial, const MatX<Dual>& X) {
  const MatX<Dual> R = c.to_base, in_base = R * X * star(R);
  const MatXd away = kozlowski_values(R);
  return kozlowski_off(inertial, star(away) * kozlowski_rates(in_base) * away, 1.0);
}
double off_inertial_columns(const KozlowskiCase& c, const MatXd& inertial, const MatX<Dual>& G) {
  const MatX<Dual> R = c.to_base, in_base = R * G;
  return kozlowski_off(inertial, star(kozlowski_values(R)) * kozlowski_rates(in_base), 1.0);
}
double off_inertial_rows(const KozlowskiCase& c, const MatXd& inertial, const MatX<Dual>& H) {
  const MatX<Dual> R = c.to_base, in_base = H * star(R);
  return kozlowski_off(inertial, kozlowski_rates(in_base) * kozlowski_values(R), 1.0);
}

double off_scalars(const KozlowskiCase&, const MatXd& inertial, const MatX<Dual>& D) {
  return off_local(inertial, D);
}

void rules_of_matrices(PaperItems& items) {
  kozlowski_identity(
      items, "(8), a tensor turned element by element",
      "b'_kl = ΣΣ r_ki r_lj b_ij, the elements of A X A⁻¹", [](const KozlowskiCase& c) {
        return over_links(c, [&](Index k) {
          const PrintedLink<double>& link = c.o.links(k);
          const Mat6<double>& X = c.o.at(k).P;
          return kozlowski_off(turned_by_elements(link.R, X), link.A * X * star(link.A));
        });
      });
  kozlowski_identity(
      items, "(9), (10), block diagonal matrices", "DM/Dt = [Ω, M], DB/Dt = dB/dt + [Ω, B]; B = P",
      [](const KozlowskiCase& c) {
        const MatXd zero = 0.0 * c.o.M;
        return std::max(
            off_inertial(c, inertial_derivative_of_matrices(zero, c.o.Omega, c.o.M), c.moving.M),
            off_inertial(c, inertial_derivative_of_matrices(c.o.P_rate, c.o.Omega, c.o.P),
                         c.moving.P));
      });
  kozlowski_identity(items, "(11), block diagonal vectors", "DG/Dt = dG/dt + Ω G",
                     [](const KozlowskiCase& c) {
                       const MatXd rate = kozlowski_rates(c.moving.G);
                       return off_inertial_columns(
                           c, inertial_derivative_of_vectors(rate, c.o.Omega, c.o.G), c.moving.G);
                     });
}

void articulated_inertia(PaperItems& items) {
  kozlowski_identity(
      items, "(12), articulated inertia P(k)", "its D = H P H* are the pivots of the mass matrix",
      [](const KozlowskiCase& c) { return kozlowski_off(c.o.D.diagonal(), c.D, c.D.maxCoeff()); });
  kozlowski_identity(items, "below (12), the derivative of τ̄ alone",
                     "(dτ̄/dt) P τ̄* = τ̄ P (dτ̄/dt)* = 0", [](const KozlowskiCase& c) {
                       const MatXd rate = local_derivatives(c.o).tau_bar,
                                   product = rate * c.o.P * star(c.o.tau_bar);
                       return kozlowski_off(
                           product, 0.0 * product,
                           rate.cwiseAbs().maxCoeff() * c.o.P.cwiseAbs().maxCoeff());
                     });
  kozlowski_identity(items, "(13), derivative of P(k)",
                     "dP(k)/dt = Ψ (dP(k-1)/dt + Ω_δ P - P Ω_δ) Ψ*", [](const KozlowskiCase& c) {
                       return over_links(c, [&](Index k) {
                         return off_local(c.o.at(k).P_rate, c.moving.at(k).P);
                       });
                     });
  kozlowski_identity(
      items, "below (13)", "τ̄ Ω_δ = Ω_δ; τ̄ P τ̄* = τ̄ P = P τ̄*", [](const KozlowskiCase& c) {
        const auto& o = c.o;
        const MatXd released = o.tau_bar * o.P;
        return std::max({kozlowski_off(o.tau_bar * o.Omega_delta, o.Omega_delta, 1.0),
                         kozlowski_off(released * star(o.tau_bar), released),
                         kozlowski_off(star(released), released)});
      });
  kozlowski_identity(items, "(14), A stuck to Φ",
                     "d(Φ(k,k-1) A(k-1))/dt = Φ(k,k-1) A(k-1) Ω_δ(k-1)",
                     [](const KozlowskiCase& c) {
                       return off_local(c.o.E_Phi * c.o.Omega_delta, c.moving.E_Phi);
                     });
}

// Ψ (dP/dt + [Ω_δ, P]) Φ* for Ψ (…) Ψ*: what τ̄ P τ̄* = τ̄ P would make of (13).
void substitution(PaperItems& items) {
  const KozlowskiCase& c = kozlowski_cases().front();
  const MatXd shortened = c.o.E_Psi * c.o.lambda * star(c.o.E_Phi);
  const double off = kozlowski_off(shortened, kozlowski_rates(c.moving.P));
  items.add(ItemKind::kClaim, "below (13), no saving in the derivative",
            "τ̄ P τ̄* = τ̄ P serves (12), it cannot be used in (13)",
            fmt::format("τ̄ (dP/dt + [Ω_δ, P]) in place of τ̄ (…) τ̄*: off by {:.2g} of Ṗ", off),
            off > 1e-3, "so Ψ λ̇ Ψ* needs both sides; the general arm of six links");
}

void closed_forms(PaperItems& items) {
  kozlowski_identity(items, "(15), closed form of dP(k)/dt",
                     "Σ Ψ(k,i) [Ω_δ(i), P(i)] Ψ*(k,i), i = 1 … k-1", [](const KozlowskiCase& c) {
                       return over_links(c, [&](Index k) {
                         return off_local(c.o.at.inertia_rate(k), c.moving.at(k).P);
                       });
                     });
  kozlowski_identity(
      items, "(16), (17), Ṗ of the whole chain", "E_Ψ (Ṗ + [Ω_δ, P]) E_Ψ*; diag[Ψ̃ [Ω_δ, P] Ψ̃*]",
      [](const KozlowskiCase& c) {
        return std::max(off_local(local_inertia_rate(c.o), c.moving.P),
                        off_local(local_inertia_rate_in_closed_form(c.o), c.moving.P));
      },
      "(16) with Ṗ for P, see the misprints");
  kozlowski_identity(
      items, "(18)-(21), λ̇, the derivative toward frame k+1",
      "E_Ψ (Ṗ + [Ω_δ, P]) E_Ψ* + [Ω_δ, P]; diag[Ψ [Ω_δ, P] Ψ*]; Ṗ + [Ω_δ, P]; E_Ψ λ̇ E_Ψ* + [Ω_δ, "
      "P]",
      [](const KozlowskiCase& c) {
        const MatXd next = kozlowski_rates(c.moving.P) + c.o.driving;
        return std::max({kozlowski_off(next_inertia_rate(c.o), next, 1.0),
                         kozlowski_off(next_inertia_rate_in_closed_form(c.o), next, 1.0),
                         kozlowski_off(lambda_rate(c.o), next, 1.0),
                         kozlowski_off(lambda_rate_by_itself(c.o), next, 1.0)});
      },
      "the Ṗ on the left of (18), (19) read as λ̇, see the misprints");
}

using Rates = OperatorRates<double>;
using Moving = SpatialOperators<Dual>;

template <class OffInertial>
void row_of_table_1(PaperItems& items, const std::string& row, std::string printed,
                    MatXd Rates::*rate, MatX<Dual> Moving::*moving, OffInertial off_inertially,
                    std::string note = {}) {
  double worst = 0.0;
  for (const KozlowskiCase& c : kozlowski_cases()) {
    worst = std::max({worst, off_local(local_derivatives(c.o).*rate, c.moving.*moving),
                      off_inertially(c, inertial_derivatives(c.o).*rate, c.moving.*moving)});
  }
  items.identity(ItemKind::kTable, "Tab. 1, row " + row, std::move(printed), worst, 1e-9,
                 std::move(note));
}

}  // namespace kozlowski_paper

void kozlowski_time_derivatives(PaperItems& items) {
  using namespace kozlowski_paper;
  kozlowski_identity(items, "(1), (3), derivatives of a vector",
                     "Dx/Dt = d^k x/dt + Ω(k) x, and Ω_δ(k) toward frame k+1", off_vectors);
  kozlowski_identity(
      items, "(2), (4), (5), angular velocity", "ω(k) = Σ h(i) θ̇(i), i = k … N",
      [](const KozlowskiCase& c) {
        return over_links(c, [&](Index k) {
          return kozlowski_off(c.o.links.angular_velocity(k), c.o.links(k).omega(), 1.0);
        });
      },
      "translational joints left out of the sum");
  kozlowski_identity(items, "(6), (7), derivatives of a matrix",
                     "DX/Dt = d^k X/dt + [Ω(k), X], and [Ω_δ(k), X] toward frame k+1; X = P(k)",
                     off_matrices);
  rules_of_matrices(items);
  articulated_inertia(items);
  substitution(items);
  closed_forms(items);
}

void kozlowski_table_1(PaperItems& items) {
  using namespace kozlowski_paper;
  row_of_table_1(items, "1, E_Φ", "E_Φ Ω_δ Φ; inertial: dE_Φ/dt + [Ω, E_Φ]", &Rates::E_Phi,
                 &Moving::E_Phi, off_inertial,
                 "with E_Φ Ω_δ for the left column, see the misprints");
  row_of_table_1(items, "2, Φ", "Φ E_Φ Ω_δ Φ; inertial: dΦ/dt + Φ [Ω, E_Φ] Φ", &Rates::Phi,
                 &Moving::Phi, off_inertial);
  row_of_table_1(items, "3, H", "0; inertial: -H Ω", &Rates::H, &Moving::H, off_inertial_rows);
  row_of_table_1(items, "4, M", "0; inertial: [Ω, M]", &Rates::M, &Moving::M, off_inertial);
  row_of_table_1(items, "5, D", "H Ṗ H*; inertial: the same", &Rates::D, &Moving::D, off_scalars);
  row_of_table_1(items, "6, G", "τ̄ Ṗ H* D⁻¹; inertial: dG/dt + Ω G", &Rates::G, &Moving::G,
                 off_inertial_columns);
  row_of_table_1(items, "7, τ̄", "-(dG/dt) H; inertial: dτ̄/dt + [Ω, τ̄]", &Rates::tau_bar,
                 &Moving::tau_bar, off_inertial);
  row_of_table_1(items, "8, E_Ψ", "E_Ψ (-Ṗ H* D⁻¹ H + Ω_δ τ̄); inertial: dE_Ψ/dt + [Ω, E_Ψ]",
                 &Rates::E_Psi, &Moving::E_Psi, off_inertial);
}

}  // namespace dyn::tool
