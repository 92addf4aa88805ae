// Kozłowski's equations as printed, in spatial operators of the whole chain: dense 6N x 6N and N x N
// matrices in the order of the paper, from the tip to the base.
//
//   K. Kozłowski: Robot dynamics models in terms of generalized and quasi-coordinates: a
//   comparison, Applied Mathematics and Computer Science 5, 1995. Eq. (16)-(38), (40)-(49); (1)-(11)
//   are in as_printed_links.hpp, the equations of single links in as_printed_recursive.hpp, Table 1
//   in diagonalized_derivatives.hpp.
//
//   paper             | here                  | size, frame
//   k = 1 … N         | block k-1, element k-1| joint i = N - k of the model: paper_order()
//   θ̇, V, H, M, G, D, P, τ̄, K | theta_dot, V, H, …, tau_bar, K | 6 rows a link, in frame k, about O_k
//   E_Φ, Φ, E_Ψ, Ψ    | E_Phi, Phi, E_Psi, Psi| 6N x 6N, lower triangular; block (k,k-1) of E_Φ is ΦA
//   Φ̃, Ψ̃              | strict(o.Phi), …      | Φ - I, Ψ - I
//   Ω, Ω_δ, V×        | Omega, Omega_delta, V_cross | 6N x 6N, block diagonal
//   Ṗ, λ̇              | P_rate, lambda        | 6N x 6N; in frame k, and seen from frame k+1
//   [Ω_δ, P]          | driving               | Ω_δ P + P Ω_δ*
//   [E_Ψ, λ̇]          | shifted(o)            | E_Ψ λ̇ - λ̇ E_Ψ*
//   D^½, D^-½, D⁻¹    | pivot_roots(o), inverse_pivot_roots(o), inverse_pivots(o) | N x N
//   a, b              | a, b                  | 6N; b with gravity and what else acts on the links
//   m, l              | mass_factor(o), …     | N x N
//
// For study, for tests and as reference values: this allocates and costs O(N³).
//
// Misprints, settled by exact differentiation in the tests; printed -> right:
// (a) P -> Ṗ on the right of (16). The Ṗ on the left of (18), (19) is the derivative seen from frame
// k + 1, which (20) calls λ̇; so is the Ṗ of (36): λ̇.
// (b) [E_Ψ, λ̇] of (31), (42), (47) -> E_Ψ λ̇ - λ̇ E_Ψ*, no commutator. (47) then has - λ̇ E_Ψ* twice.
// (c) (35): (I + HΦK) θ̈ -> (I + HΦK)* θ̈.   (d) (43): ξ̇* D ξ̇ -> ξ* D ξ.
// (e) Below (46): ½ HṖH* D^-½ -> ½ HṖH* D^-½ ν.   (f) Below (49): V Ω_δ* -> Ω_δ* V.
// (g) Row 1 of Table 1: E_Φ Ω_δ Φ -> E_Φ Ω_δ.   (h) Nomenclature: H is N x 6N, not 6N x N.
// (i) Section 7, "through HΨ … HΨ" -> HΨ in the new, HΦ in the standard formulation.
// (k) Tab. 2: subtotal of additions 354N - 180 -> 345N - 180; z⁺, unnormalised, 43N - 3 -> 13N - 3.
// Tab. 3, Walker and Orin: third row ⅙N³ -> ⅓N³; the fourth row's formula gives 5981 and 21533 for
// the printed 5967 and 21537.
// Those of single links stand in the other two files.
// Deviations: translational joints and armature as in the other two files. HG = 1, and with it
// I + HΦK = HΦG, (29)-(32) and (36), needs a chain without armature.
#pragma once

#include "dyn_core/papers/kozlowski_1995/as_printed_recursive.hpp"

namespace dyn::kozlowski {

// Operators are added and multiplied one by one: Eigen would compile each formula anew.
template <class Scalar>
[[nodiscard]] MatX<Scalar> operator*(const MatX<Scalar>& X, const MatX<Scalar>& Y) {
  return X.lazyProduct(Y);
}
template <class Scalar>
[[nodiscard]] VecX<Scalar> operator*(const MatX<Scalar>& X, const VecX<Scalar>& v) {
  return X.lazyProduct(v);
}
template <class Scalar>
[[nodiscard]] MatX<Scalar> operator*(const Scalar& factor, const MatX<Scalar>& X) {
  return MatX<Scalar>(X.array() * factor);
}
template <class Scalar>
[[nodiscard]] MatX<Scalar> operator+(const MatX<Scalar>& X, const MatX<Scalar>& Y) {
  return X.array() + Y.array();
}
template <class Scalar>
[[nodiscard]] MatX<Scalar> operator-(const MatX<Scalar>& X, const MatX<Scalar>& Y) {
  return X.array() - Y.array();
}
template <class Scalar>
[[nodiscard]] MatX<Scalar> operator-(const MatX<Scalar>& X) {
  return MatX<Scalar>(-X.array());
}
template <class Scalar>
[[nodiscard]] MatX<Scalar> star(const MatX<Scalar>& X) {
  return X.transpose();
}

/// From base to tip into the paper's order, and back.
template <class Scalar>
[[nodiscard]] VecX<Scalar> paper_order(const VecX<Scalar>& v) {
  return v.reverse();
}
template <class Scalar>
[[nodiscard]] MatX<Scalar> paper_order(const MatX<Scalar>& m) {
  return m.reverse();
}
/// X - I: Φ̃ of Φ, Ψ̃ of Ψ.
template <class Scalar>
[[nodiscard]] MatX<Scalar> strict(const MatX<Scalar>& X) {
  return X - MatX<Scalar>::Identity(X.rows(), X.cols());
}
/// diag[X]: the 6 x 6 blocks on the diagonal.
template <class Scalar>
[[nodiscard]] MatX<Scalar> block_diagonal(const MatX<Scalar>& X) {
  MatX<Scalar> blocks = MatX<Scalar>::Zero(X.rows(), X.cols());
  for (Index row = 0; row < X.rows(); row += 6) {
    blocks.template block<6, 6>(row, row) = X.template block<6, 6>(row, row);
  }
  return blocks;
}

template <class Scalar>
struct SpatialOperators {
  explicit SpatialOperators(const Links<Scalar>& links_in)
      : links(links_in),
        at(links),
        N(links.N),
        theta_dot(N),
        armature(N),
        V(6 * N),
        a(6 * N),
        b(6 * N),
        H(MatX<Scalar>::Zero(N, 6 * N)),
        D(MatX<Scalar>::Zero(N, N)),
        G(MatX<Scalar>::Zero(6 * N, N)),
        M(MatX<Scalar>::Zero(6 * N, 6 * N)) {
    P = tau_bar = E_Phi = E_Psi = Omega = Omega_delta = V_cross = P_rate = lambda = driving = M;
    for (Index k = 1; k <= N; ++k) set_link(k);
    Phi = Psi = MatX<Scalar>::Identity(6 * N, 6 * N);
    for (Index k = 2; k <= N; ++k) set_products(k);
    K = E_Phi * G;
  }
  SpatialOperators(const Model& model, Joints<Scalar> joints, VecIn<Scalar> qd,
                   const Vec3d& gravity = Vec3d::Zero())
      : SpatialOperators(Links<Scalar>(model, joints, qd, gravity)) {}

  Links<Scalar> links;
  Articulated<Scalar> at;
  Index N;
  VecX<Scalar> theta_dot, armature, V, a, b;
  MatX<Scalar> H, D, G, M, P, tau_bar, E_Phi, Phi, K, E_Psi, Psi;
  MatX<Scalar> Omega, Omega_delta, V_cross, P_rate, lambda, driving;

 private:
  void set_link(Index k) {
    const Index row = 6 * (k - 1);
    const auto& link = links(k);
    const auto& articulated = at(k);
    const auto block = [&](MatX<Scalar>& X) { return X.template block<6, 6>(row, row); };
    theta_dot[k - 1] = link.theta_dot;
    armature[k - 1] = link.armature;
    V.template segment<6>(row) = link.V;
    a.template segment<6>(row) = link.a;
    b.template segment<6>(row) = link.b;
    H.template block<1, 6>(k - 1, row) = star(link.H_star);
    D(k - 1, k - 1) = articulated.D;
    G.template block<6, 1>(row, k - 1) = articulated.G;
    block(M) = link.M;
    block(P) = articulated.P;
    block(tau_bar) = articulated.tau_bar;
    block(Omega) = link.Omega;
    block(Omega_delta) = link.Omega_delta;
    block(V_cross) = across(link.V);
    block(P_rate) = articulated.P_rate;
    block(lambda) = articulated.lambda;
    block(driving) = articulated.X + star(articulated.X);
    if (k == 1) return;
    E_Phi.template block<6, 6>(row, row - 6) = articulated.Phi;
    E_Psi.template block<6, 6>(row, row - 6) = articulated.Psi;
  }
  // Φ(k,j) = Φ(k,k-1) … Φ(j+1,j), and Ψ(k,j) likewise: Φ = (I - E_Φ)⁻¹, Ψ = (I - E_Ψ)⁻¹.
  void set_products(Index k) {
    const Index row = 6 * (k - 1), above = row - 6;
    const MatX<Scalar> Phi_above = Phi.block(above, 0, 6, row);
    const MatX<Scalar> Psi_above = Psi.block(above, 0, 6, row);
    Phi.block(row, 0, 6, row) = at(k).Phi * Phi_above;
    Psi.block(row, 0, 6, row) = at(k).Psi * Psi_above;
  }
};

// ---- section 2: Ṗ and λ̇ in closed form

/// The right side of (16), P_rate itself.
template <class Scalar>
[[nodiscard]] MatX<Scalar> local_inertia_rate(const SpatialOperators<Scalar>& o) {
  return o.E_Psi * (o.P_rate + o.driving) * star(o.E_Psi);  // (16)
}
template <class Scalar>
[[nodiscard]] MatX<Scalar> local_inertia_rate_in_closed_form(const SpatialOperators<Scalar>& o) {
  return block_diagonal<Scalar>(strict(o.Psi) * o.driving * star(strict(o.Psi)));  // (17)
}
/// The derivative seen from frame k + 1.
template <class Scalar>
[[nodiscard]] MatX<Scalar> next_inertia_rate(const SpatialOperators<Scalar>& o) {
  return o.E_Psi * (o.P_rate + o.driving) * star(o.E_Psi) + o.driving;  // (18)
}
template <class Scalar>
[[nodiscard]] MatX<Scalar> next_inertia_rate_in_closed_form(const SpatialOperators<Scalar>& o) {
  return block_diagonal<Scalar>(o.Psi * o.driving * star(o.Psi));  // (19)
}
/// λ̇, and the right side of (21), which is λ̇ too.
template <class Scalar>
[[nodiscard]] MatX<Scalar> lambda_rate(const SpatialOperators<Scalar>& o) {
  return o.P_rate + o.driving;  // (20)
}
template <class Scalar>
[[nodiscard]] MatX<Scalar> lambda_rate_by_itself(const SpatialOperators<Scalar>& o) {
  return o.E_Psi * o.lambda * star(o.E_Psi) + o.driving;  // (21)
}
/// What the paper writes [E_Ψ, λ̇].
template <class Scalar>
[[nodiscard]] MatX<Scalar> shifted(const SpatialOperators<Scalar>& o) {
  return o.E_Psi * o.lambda - o.lambda * star(o.E_Psi);
}

// ---- section 2.1: the mass matrix and its factors

/// D^½, D^-½ and D⁻¹.
template <class Scalar>
[[nodiscard]] MatX<Scalar> pivot_roots(const SpatialOperators<Scalar>& o) {
  using std::sqrt;
  MatX<Scalar> root = o.D;
  for (Index k = 0; k < o.N; ++k) root(k, k) = sqrt(o.D(k, k));
  return root;
}
template <class Scalar>
[[nodiscard]] MatX<Scalar> inverse_pivot_roots(const SpatialOperators<Scalar>& o) {
  MatX<Scalar> inverse = pivot_roots(o);
  for (Index k = 0; k < o.N; ++k) inverse(k, k) = Scalar(1.0) / inverse(k, k);
  return inverse;
}
template <class Scalar>
[[nodiscard]] MatX<Scalar> inverse_pivots(const SpatialOperators<Scalar>& o) {
  MatX<Scalar> inverse = o.D;
  for (Index k = 0; k < o.N; ++k) inverse(k, k) = Scalar(1.0) / o.D(k, k);
  return inverse;
}
/// I + HΦK.
template <class Scalar>
[[nodiscard]] MatX<Scalar> unit_factor(const SpatialOperators<Scalar>& o) {
  return MatX<Scalar>::Identity(o.N, o.N) + o.H * o.Phi * o.K;
}
template <class Scalar>
[[nodiscard]] MatX<Scalar> unit_factor_inverse(const SpatialOperators<Scalar>& o) {
  return MatX<Scalar>::Identity(o.N, o.N) - o.H * o.Psi * o.K;  // (24)
}
template <class Scalar>
[[nodiscard]] MatX<Scalar> mass_matrix(const SpatialOperators<Scalar>& o) {
  MatX<Scalar> result = o.H * o.Phi * o.M * star(o.Phi) * star(o.H);  // (22)
  result.diagonal() += o.armature;
  return result;
}
template <class Scalar>
[[nodiscard]] MatX<Scalar> mass_matrix_by_factors(const SpatialOperators<Scalar>& o) {
  return unit_factor(o) * o.D * star(unit_factor(o));  // (23)
}
template <class Scalar>
[[nodiscard]] MatX<Scalar> mass_matrix_inverse(const SpatialOperators<Scalar>& o) {
  return star(unit_factor_inverse(o)) * inverse_pivots(o) * unit_factor_inverse(o);  // (25)
}
/// m, with M = m m*.
template <class Scalar>
[[nodiscard]] MatX<Scalar> mass_factor(const SpatialOperators<Scalar>& o) {
  return unit_factor(o) * pivot_roots(o);  // (26)
}
/// l = m⁻¹.
template <class Scalar>
[[nodiscard]] MatX<Scalar> mass_factor_inverse(const SpatialOperators<Scalar>& o) {
  return inverse_pivot_roots(o) * unit_factor_inverse(o);
}
template <class Scalar>
[[nodiscard]] VecX<Scalar> quasi_velocities_nu(const SpatialOperators<Scalar>& o) {
  return pivot_roots(o) * star(unit_factor(o)) * o.theta_dot;  // (28)
}
template <class Scalar>
[[nodiscard]] VecX<Scalar> quasi_velocities_xi(const SpatialOperators<Scalar>& o) {
  return inverse_pivot_roots(o) * quasi_velocities_nu(o);  // (34)
}
template <class Scalar>
[[nodiscard]] Scalar kinetic_energy_of_nu(const SpatialOperators<Scalar>& o) {
  const VecX<Scalar> nu = quasi_velocities_nu(o);
  return Scalar(0.5) * nu.squaredNorm();  // (27)
}
template <class Scalar>
[[nodiscard]] Scalar kinetic_energy_of_xi(const SpatialOperators<Scalar>& o) {
  const VecX<Scalar> xi = quasi_velocities_xi(o);
  return Scalar(0.5) * xi.dot(o.D * xi);  // (43)
}
/// ṁ from Ṗ.
template <class Scalar>
[[nodiscard]] MatX<Scalar> mass_factor_rate(const SpatialOperators<Scalar>& o) {
  const MatX<Scalar> I = MatX<Scalar>::Identity(6 * o.N, 6 * o.N);
  return o.H * o.Phi * (o.Omega_delta * o.Phi * o.P + Scalar(0.5) * (I + o.tau_bar) * o.P_rate) *
         star(o.H) * inverse_pivot_roots(o);  // (29)
}
/// ṁ from λ̇.
template <class Scalar>
[[nodiscard]] MatX<Scalar> mass_factor_rate_by_lambda(const SpatialOperators<Scalar>& o) {
  const MatX<Scalar> I = MatX<Scalar>::Identity(6 * o.N, 6 * o.N);
  return o.H * o.Phi *
         (o.Omega_delta * strict(o.Phi) * o.P + Scalar(0.5) * (I + o.tau_bar) * o.lambda) *
         star(o.H) * inverse_pivot_roots(o);  // (30)
}
/// ṁ ν.
template <class Scalar>
[[nodiscard]] VecX<Scalar> mass_factor_rate_times_nu(const SpatialOperators<Scalar>& o) {
  return o.H * o.Phi *
         (o.Omega_delta * o.Phi * o.K * o.H * o.P + Scalar(0.5) * o.driving +
          Scalar(0.5) * shifted(o)) *
         o.V;  // (31)
}
/// θ̇* M_θ θ̇.
template <class Scalar>
[[nodiscard]] VecX<Scalar> inertia_gradient(const SpatialOperators<Scalar>& o) {
  const MatX<Scalar> I = MatX<Scalar>::Identity(6 * o.N, 6 * o.N);
  return Scalar(2.0) * o.H * o.Phi *
         (o.Omega_delta * (I + o.Phi * o.K * o.H) * o.P - o.V_cross * o.M) * o.V;  // (32)
}
/// ξ̇ at accelerations θ̈.
template <class Scalar>
[[nodiscard]] VecX<Scalar> xi_rate(const SpatialOperators<Scalar>& o,
                                   const VecX<Scalar>& theta_ddot) {
  return inverse_pivots(o) * o.H * o.lambda * star(o.tau_bar) * o.V +
         inverse_pivots(o) * o.H * o.P * star(strict(o.Phi)) * star(o.Omega_delta) * o.V +
         star(o.G) * star(o.Phi) * star(o.H) * theta_ddot;  // (36)
}

// ---- section 3

/// τ of (37), whose C(θ,θ̇) is the last two terms.
template <class Scalar>
[[nodiscard]] VecX<Scalar> standard_torque(const SpatialOperators<Scalar>& o,
                                           const VecX<Scalar>& theta_ddot) {
  return mass_matrix(o) * theta_ddot + o.H * o.Phi * o.M * star(o.Phi) * o.a +
         o.H * o.Phi * o.b;  // (38)
}

// ---- section 4

/// C(θ,ν) by its definition, from ṁ ν and θ̇* M_θ θ̇.
template <class Scalar>
[[nodiscard]] VecX<Scalar> coriolis_nu_by_definition(const SpatialOperators<Scalar>& o,
                                                     const VecX<Scalar>& m_rate_nu,
                                                     const VecX<Scalar>& gradient) {
  return mass_factor_inverse(o) * (m_rate_nu - Scalar(0.5) * gradient);  // (41)
}
/// C(θ,ν) before ν: D^-½ HΨ (…) Ψ* H* D^-½; with V × M left out it is the c_ki of (48).
template <class Scalar>
[[nodiscard]] MatX<Scalar> coriolis_matrix_nu(const SpatialOperators<Scalar>& o, bool V_cross_M) {
  const MatX<Scalar> X = o.Omega_delta * o.P;
  MatX<Scalar> middle = shifted(o) - X + star(X);  // -Ω_δ P - P Ω_δ of rotational joints
  if (V_cross_M) middle += Scalar(2.0) * o.V_cross * o.M;
  return Scalar(0.5) * inverse_pivot_roots(o) * o.H * o.Psi * middle * star(o.Psi) * star(o.H) *
         inverse_pivot_roots(o);  // (42)
}
template <class Scalar>
[[nodiscard]] VecX<Scalar> coriolis_nu(const SpatialOperators<Scalar>& o) {
  return coriolis_matrix_nu(o, true) * quasi_velocities_nu(o);  // (42)
}
template <class Scalar>
[[nodiscard]] VecX<Scalar> coriolis_xi(const SpatialOperators<Scalar>& o) {
  return o.H * o.Psi *
         (o.lambda * star(o.H) * quasi_velocities_xi(o) -
          (o.Omega_delta * o.P - o.V_cross * o.M) * o.V);  // (45)
}
/// C(θ,ξ) from C(θ,ν), with -D d(D^-½)/dt ν as the line below (46) has it.
template <class Scalar>
[[nodiscard]] VecX<Scalar> coriolis_xi_from_nu(const SpatialOperators<Scalar>& o,
                                               const VecX<Scalar>& C_nu) {
  return pivot_roots(o) * C_nu + Scalar(0.5) * o.H * o.lambda * star(o.H) * inverse_pivot_roots(o) *
                                     quasi_velocities_nu(o);  // (46)
}
/// b without (V × M) V, which C(θ,ν) and C(θ,ξ) hold: gravity and other forces on the links.
template <class Scalar>
[[nodiscard]] VecX<Scalar> forces_on_links(const SpatialOperators<Scalar>& o) {
  return o.b - o.V_cross * o.M * o.V;
}
template <class Scalar>
[[nodiscard]] VecX<Scalar> nu_rate_from_torque(const SpatialOperators<Scalar>& o,
                                               const VecX<Scalar>& tau) {
  const VecX<Scalar> epsilon = mass_factor_inverse(o) * tau;  // (41)
  return epsilon - coriolis_nu(o) -
         inverse_pivot_roots(o) * o.H * o.Psi * forces_on_links(o);  // (40)
}
template <class Scalar>
[[nodiscard]] VecX<Scalar> xi_rate_from_torque(const SpatialOperators<Scalar>& o,
                                               const VecX<Scalar>& tau) {
  const VecX<Scalar> kappa = unit_factor_inverse(o) * tau;
  return inverse_pivots(o) * (kappa - coriolis_xi(o) - o.H * o.Psi * forces_on_links(o));  // (44)
}

// ---- section 5

/// ν* C(θ,ν), which is zero.
template <class Scalar>
[[nodiscard]] Scalar power_of_coriolis_nu(const SpatialOperators<Scalar>& o) {
  const MatX<Scalar> X = o.Omega_delta * o.P;
  return Scalar(0.5) * o.V.dot((shifted(o) - X + star(X)) * o.V);  // (47)
}
template <class Scalar>
[[nodiscard]] VecX<Scalar> velocities_of_nu(const SpatialOperators<Scalar>& o,
                                            const VecX<Scalar>& nu) {
  return star(o.Psi) * star(o.H) * inverse_pivot_roots(o) * nu;  // (49)
}

}  // namespace dyn::kozlowski
