// Kozłowski's equations at the level of the links: articulated inertias and their time derivative,
// the standard equations of motion, the worked example (39), and the recursions of sections 4 and 6.
//
//   K. Kozłowski: Robot dynamics models in terms of generalized and quasi-coordinates: a
//   comparison, Applied Mathematics and Computer Science 5, 1995. Eq. (12)-(15), (20), (21), (39),
//   (48), the recursions after (42) and (46), and the four of section 6.
//
//   paper                    | here
//   links, A(k), φ(k,k-1) …  | links, numbered from the tip: as_printed_links.hpp
//   P(k), D(k), G(k), τ̄(k)   | at(k).P, .D, .G, .tau_bar: frame k, about O_k
//   Φ(k,k-1) A(k-1)          | at(k).Phi: A is "stuck" to Φ, as (14) has it
//   Ψ(k,k-1) = Φ τ̄           | at(k).Psi, with A(k-1) in it too
//   d^k P(k)/dt, λ̇(k), X(k)  | at(k).P_rate, .lambda, .X
//   Ψ(k,i)                   | psi(k, i), the product Ψ(k,k-1) … Ψ(i+1,i)
//   r(k)                     | composite_inertia(links, k)
//   τ, κ, ε, ξ, ν, C, θ̈      | vectors whose element k - 1 is that of joint k
//
// Misprints: λ̇(k,k-1) in the recursion of C(θ,ξ) is λ̇(k-1); a minus sign is missing in (48), and for
// the unnormalised equations its D^-½ are to be left out. n(k) of (39) is a(k) on the other side of
// the joint, A(k) a(k), as the text below it says. θ̇ = l* ν in section 6 is [I - HΨK]* D^-½ ν: a star
// is missing; the recursion below it is right. All as tested.
// Deviation: armature is the paper's nowhere. It is added to D(k); then H G = 1 - armature / D, and
// armature G G* is what τ̄ P τ̄* of (12) lacks. (13)-(49) do not change.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "dyn_core/papers/kozlowski_1995/as_printed_links.hpp"

namespace dyn::kozlowski {

template <class Scalar>
struct PrintedArticulatedLink {
  Mat6<Scalar> P = Mat6<Scalar>::Zero(), tau_bar = P, Phi = P, Psi = P, P_rate = P, X = P,
               lambda = P;
  Vec6<Scalar> G = Vec6<Scalar>::Zero();
  Scalar D{0.0};
};

/// Articulated quantities of a chain, k = 0 … N; those of 0, beyond the tip, are zero.
template <class Scalar>
class Articulated {
 public:
  explicit Articulated(const Links<Scalar>& links) : links_(static_cast<std::size_t>(links.N) + 1) {
    for (Index k = 1; k <= links.N; ++k) {
      const auto& link = links(k);
      const auto& outboard = (*this)(k - 1);
      const Scalar tip_armature = links(k - 1).armature;
      PrintedArticulatedLink<Scalar>& here = links_[static_cast<std::size_t>(k)];
      here.Phi = link.phi * links(k - 1).A;
      here.Psi = here.Phi * outboard.tau_bar;
      const Mat6<Scalar> passed_on = outboard.tau_bar * outboard.P * star(outboard.tau_bar) +
                                     tip_armature * outboard.G * star(outboard.G);
      here.P = here.Phi * passed_on * star(here.Phi) + link.M;  // (12)
      here.D = link.H_star.dot(here.P * link.H_star) + link.armature;
      here.G = here.P * link.H_star / here.D;
      here.tau_bar = Mat6<Scalar>::Identity() - here.G * star(link.H_star);
      here.X = link.Omega_delta * here.P;
      here.P_rate = here.Psi * outboard.P_rate * star(here.Psi) +
                    here.Psi * outboard.X * star(here.Psi) +
                    here.Psi * star(outboard.X) * star(here.Psi);                         // (13)
      here.lambda = here.Psi * outboard.lambda * star(here.Psi) + here.X + star(here.X);  // (21)
    }
  }

  [[nodiscard]] const PrintedArticulatedLink<Scalar>& operator()(Index k) const {
    return links_[static_cast<std::size_t>(k)];
  }
  /// Ψ(k,i), k ≥ i.
  [[nodiscard]] Mat6<Scalar> psi(Index k, Index i) const {
    Mat6<Scalar> product = Mat6<Scalar>::Identity();
    for (; k > i; --k) product = product * (*this)(k).Psi;
    return product;
  }
  /// d^k P(k)/dt by its sum.
  [[nodiscard]] Mat6<Scalar> inertia_rate(Index k) const {
    Mat6<Scalar> sum = Mat6<Scalar>::Zero();
    for (Index i = 1; i <= k - 1; ++i) {
      sum += psi(k, i) * ((*this)(i).X + star((*this)(i).X)) * star(psi(k, i));  // (15)
    }
    return sum;
  }

 private:
  std::vector<PrintedArticulatedLink<Scalar>> links_;
};

// ---- section 3: the standard equations of motion

/// r(k), which is P(k) with every joint outboard locked.
template <class Scalar>
[[nodiscard]] Mat6<Scalar> composite_inertia(const Links<Scalar>& links, Index k) {
  if (k == 0) return Mat6<Scalar>::Zero();
  const Mat6<Scalar> Phi = links(k).phi * links(k - 1).A;
  return Phi * composite_inertia(links, k - 1) * star(Phi) + links(k).M;
}

/// τ by (38) link by link, in Newton's and Euler's two sweeps: α(k) outward, f(k) inward.
template <class Scalar>
[[nodiscard]] VecX<Scalar> standard_torque(const Links<Scalar>& links,
                                           const VecX<Scalar>& theta_ddot) {
  const Index N = links.N;
  std::vector<Vec6<Scalar>> alpha(static_cast<std::size_t>(N) + 2, Vec6<Scalar>::Zero());
  for (Index k = N; k >= 1; --k) {
    const auto& link = links(k);
    const auto inboard = static_cast<std::size_t>(k) + 1;
    alpha[inboard - 1] = star(link.A) * star(links(k + 1).phi) * alpha[inboard] +
                         link.H_star * theta_ddot[k - 1] + link.a;
  }
  VecX<Scalar> tau(N);
  Vec6<Scalar> f = Vec6<Scalar>::Zero();
  for (Index k = 1; k <= N; ++k) {
    const auto& link = links(k);
    const Vec6<Scalar> outboard = f;
    f = link.phi * links(k - 1).A * outboard + link.M * alpha[static_cast<std::size_t>(k)] + link.b;
    tau[k - 1] = link.H_star.dot(f) + link.armature * theta_ddot[k - 1];
  }
  return tau;
}

/// The eight terms of τ(2) of three links, in the order printed; without armature. The sixth is zero
/// on a base at rest, since a(N) is.
template <class Scalar>
[[nodiscard]] std::array<Scalar, 8> terms_of_second_torque(const Links<Scalar>& links,
                                                           const VecX<Scalar>& theta_ddot) {
  const auto &one = links(1), &two = links(2), &three = links(3);
  const Eigen::Matrix<Scalar, 1, 6> H_2 = star(two.H_star);
  const Mat6<Scalar> Phi_21 = two.phi, Phi_32 = three.phi, r_2 = composite_inertia(links, 2);
  const Mat6<Scalar> A_1 = one.A, A_1_inv = star(one.A), A_2_inv = star(two.A),
                     A_3_inv = star(three.A);
  const Vec6<Scalar> n_1 = one.A * one.a, n_2 = two.A * two.a, n_3 = three.A * three.a;
  return {H_2 * Phi_21 * A_1 * one.M * (one.H_star * theta_ddot[0]),  // (39)
          H_2 * r_2 * (two.H_star * theta_ddot[1]),
          H_2 * r_2 * A_2_inv * star(Phi_32) * (three.H_star * theta_ddot[2]),
          H_2 * Phi_21 * A_1 * one.M * A_1_inv * n_1,
          H_2 * r_2 * A_2_inv * n_2,
          H_2 * r_2 * A_2_inv * star(Phi_32) * A_3_inv * n_3,
          H_2 * Phi_21 * A_1 * one.b,
          H_2 * two.b};
}

// ---- section 4: C(θ,ν) and C(θ,ξ) by recursion

template <class Scalar>
[[nodiscard]] VecX<Scalar> coriolis_nu(const Links<Scalar>& links, const Articulated<Scalar>& at) {
  using std::sqrt;
  VecX<Scalar> C(links.N);
  Vec6<Scalar> y = Vec6<Scalar>::Zero();
  for (Index k = 1; k <= links.N; ++k) {
    const auto& link = links(k);
    const Mat6<Scalar>&X = at(k).X, &Psi = at(k).Psi;
    const Mat6<Scalar> lambda = Psi * at(k - 1).lambda * star(Psi) + X + star(X);
    const Vec6<Scalar> outboard = y;
    y = Psi * outboard + (Scalar(2.0) * across(link.V) * link.M - X + star(X)) * link.V +
        Psi * at(k - 1).lambda * links(k - 1).V;
    if (k < links.N) y -= lambda * star(at(k + 1).Psi) * links(k + 1).V;  // V(N+1) = 0
    C[k - 1] = Scalar(0.5) / sqrt(at(k).D) * link.H_star.dot(y);
  }
  return C;
}

template <class Scalar>
[[nodiscard]] VecX<Scalar> coriolis_xi(const Links<Scalar>& links, const Articulated<Scalar>& at,
                                       const VecX<Scalar>& xi) {
  VecX<Scalar> C(links.N);
  Vec6<Scalar> y = Vec6<Scalar>::Zero();
  for (Index k = 1; k <= links.N; ++k) {
    const auto& link = links(k);
    const Mat6<Scalar>&X = at(k).X, &Psi = at(k).Psi;
    const Mat6<Scalar> lambda = Psi * at(k - 1).lambda * star(Psi) + X + star(X);
    const Vec6<Scalar> outboard = y;
    y = Psi * outboard + lambda * link.H_star * xi[k - 1] + (across(link.V) * link.M - X) * link.V;
    C[k - 1] = link.H_star.dot(y);
  }
  return C;
}

// ---- section 5: C(θ,ν) and C(θ,ξ) as matrices, without (V × M) V

/// The sum of (48) without D^-½: H(k) Ψ(k,m) P(m) Ω_δ(m) Ψ*(i,m) H*(i) over m = 1 … last.
template <class Scalar>
[[nodiscard]] Scalar component_sum(const Links<Scalar>& links, const Articulated<Scalar>& at,
                                   Index k, Index i, Index last) {
  Scalar sum(0.0);
  for (Index m = 1; m <= last; ++m) {
    // -P(m) Ω_δ(m) of a rotational joint, of either P(m) Ω_δ*(m), which is X*(m).
    sum += links(k).H_star.dot(at.psi(k, m) * star(at(m).X) * star(at.psi(i, m)) * links(i).H_star);
  }
  return sum;
}
/// c_ki of the normalised equations.
template <class Scalar>
[[nodiscard]] MatX<Scalar> components_nu(const Links<Scalar>& links,
                                         const Articulated<Scalar>& at) {
  using std::sqrt;
  MatX<Scalar> c = MatX<Scalar>::Zero(links.N, links.N);
  for (Index k = 1; k <= links.N; ++k) {
    for (Index i = 1; i < k; ++i) {
      const Scalar sum = component_sum(links, at, k, i, i - 1);
      c(k - 1, i - 1) = sum / sqrt(at(k).D) / sqrt(at(i).D);  // (48)
      c(i - 1, k - 1) = -c(k - 1, i - 1);
    }
  }
  return c;
}
/// c_ki of the unnormalised equations: no D^-½, and a diagonal whose sum goes up to i.
template <class Scalar>
[[nodiscard]] MatX<Scalar> components_xi(const Links<Scalar>& links,
                                         const Articulated<Scalar>& at) {
  MatX<Scalar> c = MatX<Scalar>::Zero(links.N, links.N);
  for (Index k = 1; k <= links.N; ++k) {
    for (Index i = 1; i < k; ++i) {
      c(k - 1, i - 1) = component_sum(links, at, k, i, i - 1);  // (48)
      c(i - 1, k - 1) = -c(k - 1, i - 1);
    }
    c(k - 1, k - 1) = component_sum(links, at, k, k, k);  // (48), i = k
  }
  return c;
}

// ---- section 6: θ̇ <-> ν outward, τ <-> ε inward

template <class Scalar>
[[nodiscard]] VecX<Scalar> nu_of_rates(const Links<Scalar>& links, const Articulated<Scalar>& at,
                                       const VecX<Scalar>& theta_dot) {
  using std::sqrt;
  VecX<Scalar> nu(links.N);
  Vec6<Scalar> V = Vec6<Scalar>::Zero();
  for (Index k = links.N; k >= 1; --k) {
    const auto& link = links(k);
    const Vec6<Scalar> V_plus = star(links(k + 1).phi) * V;
    nu[k - 1] = sqrt(at(k).D) * (theta_dot[k - 1] + at(k).G.dot(star(link.A) * V_plus));
    V = star(link.A) * V_plus + link.H_star * theta_dot[k - 1];
  }
  return nu;
}
template <class Scalar>
[[nodiscard]] VecX<Scalar> rates_of_nu(const Links<Scalar>& links, const Articulated<Scalar>& at,
                                       const VecX<Scalar>& nu) {
  using std::sqrt;
  VecX<Scalar> theta_dot(links.N);
  Vec6<Scalar> V = Vec6<Scalar>::Zero();
  for (Index k = links.N; k >= 1; --k) {
    const auto& link = links(k);
    const Vec6<Scalar> V_plus = star(links(k + 1).phi) * V;
    theta_dot[k - 1] = nu[k - 1] / sqrt(at(k).D) - at(k).G.dot(star(link.A) * V_plus);
    V = star(link.A) * V_plus + link.H_star * theta_dot[k - 1];
  }
  return theta_dot;
}
template <class Scalar>
[[nodiscard]] VecX<Scalar> epsilon_of_torque(const Links<Scalar>& links,
                                             const Articulated<Scalar>& at,
                                             const VecX<Scalar>& tau) {
  using std::sqrt;
  VecX<Scalar> epsilon(links.N);
  Vec6<Scalar> z_plus = Vec6<Scalar>::Zero();
  for (Index k = 1; k <= links.N; ++k) {
    const auto& link = links(k);
    const Vec6<Scalar> z = link.phi * z_plus;
    epsilon[k - 1] = (tau[k - 1] - link.H_star.dot(z)) / sqrt(at(k).D);
    z_plus = link.A * (z + at(k).G * sqrt(at(k).D) * epsilon[k - 1]);
  }
  return epsilon;
}
template <class Scalar>
[[nodiscard]] VecX<Scalar> torque_of_epsilon(const Links<Scalar>& links,
                                             const Articulated<Scalar>& at,
                                             const VecX<Scalar>& epsilon) {
  using std::sqrt;
  VecX<Scalar> tau(links.N);
  Vec6<Scalar> z_plus = Vec6<Scalar>::Zero();
  for (Index k = 1; k <= links.N; ++k) {
    const auto& link = links(k);
    const Vec6<Scalar> z = link.phi * z_plus;
    tau[k - 1] = sqrt(at(k).D) * epsilon[k - 1] + link.H_star.dot(z);
    z_plus = link.A * (z + at(k).G * sqrt(at(k).D) * epsilon[k - 1]);
  }
  return tau;
}

}  // namespace dyn::kozlowski
