// Forward dynamics in O(n) by the UDUᵀ decomposition of the mass matrix.
//
//   S. K. Saha: Simulation of industrial manipulators based on the UDUᵀ decomposition of inertia
//   matrix, Multibody System Dynamics 9, 2003. Sections 2.2 and 3.
//
//   I θ̈ = φ,   φ = τ - (C θ̇ + g)                                                       (1)
//   A. τ̂ = U⁻¹ φ    B. τ̃ = D⁻¹ τ̂    C. θ̈ = U⁻ᵀ τ̃                               (12)-(15)
//
// Symbols and deviations: udut.hpp. As printed: as_printed.hpp and, step by step,
// as_printed_steps.hpp. The paper takes φ as given, from an inverse dynamics with θ̈ = 0; its count
// (191n-284)M (187n-325)A leaves that out, and so does the measured one. Cost, revolute:
// (137n-208)M (136n-233)A for n > 2.
#pragma once

#include "dyn_core/papers/classic/rnea.hpp"
#include "dyn_core/papers/saha_2003/udut.hpp"

namespace dyn {

template <class Scalar>
class UdutForwardDynamics final : public ForwardDynamicsAlgorithm<Scalar> {
 public:
  explicit UdutForwardDynamics(const Model& model)
      : udut_(model), rnea_(model), zero_(VecX<Scalar>::Zero(model.size())), phi_(model.size()) {}

  Status forward_dynamics(const Model& model, Joints<Scalar> joints, const Vec3d& gravity,
                          VecIn<Scalar> qd, VecIn<Scalar> tau, VecOut<Scalar> qdd) override {
    right_hand_side(model, joints, gravity, qd, tau);
    if (const Status status = udut_.factorise(model, joints); status != Status::kOk) return status;
    udut_.solve(phi_, qdd);
    return Status::kOk;
  }

 private:
  void right_hand_side(const Model& model, Joints<Scalar> joints, const Vec3d& gravity,
                       VecIn<Scalar> qd, VecIn<Scalar> tau) {
    [[maybe_unused]] const NotCounted<Scalar> as_in_the_paper;
    rnea_.inverse_dynamics(model, joints, gravity, qd, zero_, phi_);
    phi_ = tau - phi_;  // (1)
  }

  Udut<Scalar> udut_;
  Rnea<Scalar> rnea_;
  VecX<Scalar> zero_, phi_;
};

}  // namespace dyn
