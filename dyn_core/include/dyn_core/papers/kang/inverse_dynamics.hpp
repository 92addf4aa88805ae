// KIC: inverse dynamics from the explicit model I*, P*.
//
//   H.-J. Kang: Computationally efficient KIC-based dynamic modeling of robot manipulators, eq.
//   (8).
//
//   (8)  T = I* φ̈ + φ̇ᵀ P* φ̇,   here with gravity: - γᵀ P^i is added to T_i
//
// P^i, the momentum of augmented body i at unit speed of joint i, is Σ m ∂c/∂φ_i over its links.
// Cost: that of I* and P* together (inertia_power.hpp), then n³ + O(n²) multiplications and
// additions.
#pragma once

#include <vector>

#include "dyn_core/papers/kang/inertia_power.hpp"

namespace dyn {

template <class Scalar>
class KicInverseDynamics final : public InverseDynamicsAlgorithm<Scalar> {
 public:
  explicit KicInverseDynamics(const Model& model)
      : power_(model),
        I_(model.size(), model.size()),
        P_(static_cast<std::size_t>(model.size()), I_),
        row_(model.size()) {}

  void inverse_dynamics(const Model& model, Joints<Scalar> joints, const Vec3d& gravity,
                        VecIn<Scalar> qd, VecIn<Scalar> qdd, VecOut<Scalar> tau) override {
    power_.inertia_and_power(model, joints, I_, P_);
    const Vec3<Scalar> g = AugmentedBodies<Scalar>::turned_gravity(joints[0], gravity);
    for (Index i = 0; i < model.size(); ++i) {
      row_.noalias() = P_[static_cast<std::size_t>(i)].lazyProduct(qd);
      tau[i] = I_.row(i).dot(qdd) + qd.dot(row_) - g.dot(power_.bodies()[i].P);  // (8)
    }
  }

 private:
  InertiaPower<Scalar> power_;
  MatX<Scalar> I_;
  std::vector<MatX<Scalar>> P_;
  VecX<Scalar> row_;
};

}  // namespace dyn
