// Quasi-velocities of a chain: the factor m of the mass matrix and the four transformations it
// gives.
//
//   K. Kozłowski: Robot dynamics models in terms of generalized and quasi-coordinates: a
//   comparison, Applied Mathematics and Computer Science 5, 1995. Sections 2.1 and 6.
//
//   M = (I + HΦK) D (I + HΦK)*                                                              (23)
//   (I + HΦK)⁻¹ = I - HΨK                                                                   (24)
//   M = m m*,   m = (I + HΦK) D^½,   l = m⁻¹ = D^-½ (I - HΨK)                                (26)
//   ν = m* θ̇,   ξ = D^-½ ν,   ε = l τ,   κ = D^½ ε                                (28), (34), (44)
//
//   paper         | here
//   k = 1 … N     | i = n-1 … 0: the paper counts from the tip, we from the base
//   I + HΦK       | U, udut.hpp: upper triangular in our order
//   D             | pivots(), kg m² or kg
//   V, z          | inside Udut::multiply_upper_transposed and the like
#pragma once

#include <cmath>

#include "dyn_core/papers/saha_2003/udut.hpp"

namespace dyn {

/// Queries refer to the configuration given to update() last and allocate nothing. Vectors are over
/// the moving joints; a vector passed in may also be the one passed out.
template <class Scalar>
class QuasiCoordinates {
 public:
  explicit QuasiCoordinates(const Model& model) : udut_(model), root_(model.size()) {}

  /// Factorises at a configuration. kSingular where the mass matrix is not positive definite; the
  /// other queries are then not to be used.
  Status update(const Model& model, Joints<Scalar> joints) {
    using std::sqrt;
    if (const Status status = udut_.factorise(model, joints); status != Status::kOk) return status;
    for (Index i = 0; i < size(); ++i) root_[i] = sqrt(pivots()[i]);
    return Status::kOk;
  }

  [[nodiscard]] Index size() const { return udut_.size(); }
  [[nodiscard]] const Udut<Scalar>& udut() const { return udut_; }
  [[nodiscard]] const VecX<Scalar>& pivots() const { return udut_.pivots(); }
  /// D^½.
  [[nodiscard]] const VecX<Scalar>& root() const { return root_; }

  // ---- θ̇ <-> ξ, ν: (34), (28) and their inverses, by the recursions of section 6
  void rates_to_xi(VecIn<Scalar> qd, VecOut<Scalar> xi) const {
    xi = qd;
    udut_.multiply_upper_transposed(xi);
  }
  void xi_to_rates(VecIn<Scalar> xi, VecOut<Scalar> qd) const {
    qd = xi;
    udut_.solve_upper_transposed(qd);
  }
  void rates_to_nu(VecIn<Scalar> qd, VecOut<Scalar> nu) const {
    rates_to_xi(qd, nu);
    nu.array() *= root_.array();
  }
  void nu_to_rates(VecIn<Scalar> nu, VecOut<Scalar> qd) const {
    qd = nu;
    qd.array() /= root_.array();
    udut_.solve_upper_transposed(qd);
  }

  // ---- τ <-> κ, ε: κ below (44), ε of (41), by the recursions of section 6
  void torque_to_kappa(VecIn<Scalar> tau, VecOut<Scalar> kappa) const {
    kappa = tau;
    udut_.solve_upper(kappa);
  }
  void kappa_to_torque(VecIn<Scalar> kappa, VecOut<Scalar> tau) const {
    tau = kappa;
    udut_.multiply_upper(tau);
  }
  void torque_to_epsilon(VecIn<Scalar> tau, VecOut<Scalar> epsilon) const {
    torque_to_kappa(tau, epsilon);
    epsilon.array() /= root_.array();
  }
  void epsilon_to_torque(VecIn<Scalar> epsilon, VecOut<Scalar> tau) const {
    tau = epsilon;
    tau.array() *= root_.array();
    udut_.multiply_upper(tau);
  }

  // ---- matrices
  /// m = U D^½, (26).
  void mass_factor(MatOut<Scalar> m) const {
    udut_.factor(m);
    for (Index k = 0; k < size(); ++k) m.col(k) *= root_[k];
  }
  /// l = D^-½ U⁻¹.
  void mass_factor_inverse(MatOut<Scalar> l) const {
    l.setIdentity();
    for (Index k = 0; k < size(); ++k) udut_.solve_upper(l.col(k));
    for (Index i = 0; i < size(); ++i) l.row(i) /= root_[i];
  }

 protected:
  [[nodiscard]] const ArticulatedLink<Scalar>& body(Index i) const { return udut_.link(i); }
  // Kozłowski's names for what Saha's recursion forms.
  [[nodiscard]] const SpatialSym<Scalar>& P(Index i) const { return body(i).M_hat; }
  [[nodiscard]] const Screw<Scalar>& G(Index i) const { return body(i).psi; }
  [[nodiscard]] Scalar G_transposed_times(Index i, const Screw<Scalar>& v) const {
    return body(i).psi_dot(v);
  }
  [[nodiscard]] bool prismatic(Index i) const { return body(i).step.prismatic; }

 private:
  Udut<Scalar> udut_;
  VecX<Scalar> root_;
};

}  // namespace dyn
