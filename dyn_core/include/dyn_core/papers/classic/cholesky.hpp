// Forward dynamics in O(n³): assemble the mass matrix, factorise it, solve.
//
//   M. W. Walker, D. E. Orin: Efficient dynamic computer simulation of robotic mechanisms, J. Dyn.
//   Sys. Meas. Control 104, 1982, method 3: the rival in Table I of S. K. Saha, Multibody System
//   Dynamics 9, 2003, with the count (n³/6+23/2n²+115/3n-47)M (n³/6+7n²+233/6n-46)A.
//
//   (1)  M + armature = L Lᵀ,   L lower triangular
//   (2)  L x = φ,   Lᵀ q̈ = x,   φ = τ - (C q̇ + g)
//
// Deviation: M comes from composite bodies in planar steps, papers/classic/crba.hpp. As in Table I the
// count leaves out φ.
#pragma once

#include "dyn_core/math/udut_solve.hpp"
#include "dyn_core/papers/classic/crba.hpp"
#include "dyn_core/papers/classic/rnea.hpp"

namespace dyn {

template <class Scalar>
class CholeskyForwardDynamics final : public ForwardDynamicsAlgorithm<Scalar> {
 public:
  explicit CholeskyForwardDynamics(const Model& model)
      : mass_matrix_(model),
        rnea_(model),
        zero_(VecX<Scalar>::Zero(model.size())),
        phi_(model.size()),
        lower_(model.size(), model.size()) {}

  Status forward_dynamics(const Model& model, Joints<Scalar> joints, const Vec3d& gravity,
                          VecIn<Scalar> qd, VecIn<Scalar> tau, VecOut<Scalar> qdd) override {
    right_hand_side(model, joints, gravity, qd, tau);
    mass_matrix_.mass_matrix(model, joints, lower_);
    for (Index i = 0; i < model.size(); ++i) {
      const double armature = model.link(i).armature;
      if (armature != 0.0) lower_(i, i) += Scalar(armature);
    }
    if (!factorise()) return Status::kSingular;
    solve(qdd);
    return Status::kOk;
  }

 private:
  void right_hand_side(const Model& model, Joints<Scalar> joints, const Vec3d& gravity,
                       VecIn<Scalar> qd, VecIn<Scalar> tau) {
    [[maybe_unused]] const NotCounted<Scalar> as_in_the_paper;
    rnea_.inverse_dynamics(model, joints, gravity, qd, zero_, phi_);
    phi_ = tau - phi_;
  }

  // (1), in place, column by column; false where a pivot is lost in rounding.
  [[nodiscard]] bool factorise() {
    using std::sqrt;
    const Index n = lower_.rows();
    for (Index j = 0; j < n; ++j) {
      Scalar pivot = lower_(j, j);
      for (Index k = 0; k < j; ++k) pivot -= lower_(j, k) * lower_(j, k);
      if (is_lost(pivot, lower_(j, j))) return false;
      lower_(j, j) = sqrt(pivot);
      for (Index i = j + 1; i < n; ++i) {
        for (Index k = 0; k < j; ++k) lower_(i, j) -= lower_(i, k) * lower_(j, k);
        lower_(i, j) /= lower_(j, j);
      }
    }
    return true;
  }
  [[nodiscard]] static bool is_lost(const Scalar& pivot, const Scalar& diagonal) {
    [[maybe_unused]] const NotCounted<Scalar> not_part_of_the_algorithm;
    return !(pivot > pivot_tolerance<Scalar>() * diagonal);
  }

  void solve(VecOut<Scalar> x) const {
    const Index n = lower_.rows();
    x = phi_;
    for (Index i = 0; i < n; ++i) {  // (2)
      for (Index k = 0; k < i; ++k) x[i] -= lower_(i, k) * x[k];
      x[i] /= lower_(i, i);
    }
    for (Index i = n - 1; i >= 0; --i) {
      for (Index k = i + 1; k < n; ++k) x[i] -= lower_(k, i) * x[k];
      x[i] /= lower_(i, i);
    }
  }

  Crba<Scalar> mass_matrix_;
  Rnea<Scalar> rnea_;
  VecX<Scalar> zero_, phi_;
  MatX<Scalar> lower_;
};

}  // namespace dyn
