// Table 1: local and inertial time derivatives of the spatial operators of a chain, as printed.
//
//   K. Kozłowski: Robot dynamics models in terms of generalized and quasi-coordinates: a
//   comparison, Applied Mathematics and Computer Science 5, 1995. Section 2, Table 1.
//
// Letters, order and sizes are those of as_printed.hpp. A local derivative is that of the components
// in link frames; an inertial one is seen from the base, and given by its components in link frames.
//
// Misprint: row 1 reads Ė_Φ = E_Φ Ω_δ, as (14) has it, not E_Φ Ω_δ Φ.
#pragma once

#include "dyn_core/papers/kozlowski_1995/as_printed.hpp"

namespace dyn::kozlowski {

template <class Scalar>
struct OperatorRates {
  MatX<Scalar> E_Phi, Phi, H, M, D, G, tau_bar, E_Psi;
};

/// The left column of Table 1.
template <class Scalar>
[[nodiscard]] OperatorRates<Scalar> local_derivatives(const SpatialOperators<Scalar>& o) {
  OperatorRates<Scalar> r;
  r.E_Phi = o.E_Phi * o.Omega_delta;                           // row 1, (14)
  r.Phi = o.Phi * o.E_Phi * o.Omega_delta * o.Phi;             // row 2
  r.H = MatX<Scalar>::Zero(o.H.rows(), o.H.cols());            // row 3
  r.M = MatX<Scalar>::Zero(o.M.rows(), o.M.cols());            // row 4
  r.D = o.H * o.P_rate * star(o.H);                            // row 5
  r.G = o.tau_bar * o.P_rate * star(o.H) * inverse_pivots(o);  // row 6
  r.tau_bar = -r.G * o.H;                                      // row 7
  r.E_Psi = o.E_Psi *
            (-o.P_rate * star(o.H) * inverse_pivots(o) * o.H + o.Omega_delta * o.tau_bar);  // row 8
  return r;
}

/// The right column of Table 1.
template <class Scalar>
[[nodiscard]] OperatorRates<Scalar> inertial_derivatives(const SpatialOperators<Scalar>& o) {
  const auto commutator = [&](const MatX<Scalar>& X) -> MatX<Scalar> {
    return o.Omega * X - X * o.Omega;
  };
  const OperatorRates<Scalar> local = local_derivatives(o);
  OperatorRates<Scalar> r;
  r.E_Phi = local.E_Phi + commutator(o.E_Phi);              // row 1
  r.Phi = local.Phi + o.Phi * commutator(o.E_Phi) * o.Phi;  // row 2
  r.H = -o.H * o.Omega;                                     // row 3
  r.M = commutator(o.M);                                    // row 4
  r.D = o.H * o.P_rate * star(o.H);                         // row 5
  r.G = local.G + o.Omega * o.G;                            // row 6
  r.tau_bar = local.tau_bar + commutator(o.tau_bar);        // row 7
  r.E_Psi = local.E_Psi + commutator(o.E_Psi);              // row 8
  return r;
}

}  // namespace dyn::kozlowski
