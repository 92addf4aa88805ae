// GIM-MCI: inverse dynamics from the two matrices, each an exchangeable module.
//
//   P. P. Bhangale, S. K. Saha, V. P. Agrawal: A dynamic model based robot arm selection criterion,
//   2004, eq. (9) and section 3.3.
//
//   (9)  I θ̈ + C θ̇ = τ,   here with gravity: τ_i = … - γᵀ P_i
//
//   paper | here
//   I     | I_, from papers/kang/mass_matrix.hpp, whose composite bodies are those of C
//   C     | C_, from papers/bhangale_2004/mci.hpp
//
// P_i, the linear part of M̃_i p_i, is what the first moment of composite body i makes of joint i.
// Cost: that of GIM and MCI, 2n² for the products, 3n for gravity.
#pragma once

#include "dyn_core/papers/bhangale_2004/mci.hpp"
#include "dyn_core/papers/kang/mass_matrix.hpp"

namespace dyn {

template <class Scalar>
class GimMci final : public InverseDynamicsAlgorithm<Scalar> {
 public:
  explicit GimMci(const Model& model)
      : gim_(model), mci_(model), I_(model.size(), model.size()), C_(I_) {}

  void inverse_dynamics(const Model& model, Joints<Scalar> joints, const Vec3d& gravity,
                        VecIn<Scalar> qd, VecIn<Scalar> qdd, VecOut<Scalar> tau) override {
    mci_.update_bodies(model, joints);
    gim_.from_bodies(mci_.bodies(), I_);
    mci_.from_bodies(model, qd, C_);
    const Vec3<Scalar> g = AugmentedBodies<Scalar>::turned_gravity(joints[0], gravity);
    for (Index i = 0; i < model.size(); ++i) {
      tau[i] = I_.row(i).dot(qdd) + C_.row(i).dot(qd) - g.dot(mci_.bodies()[i].P);  // (9)
    }
  }

 private:
  KicMassMatrix<Scalar> gim_;
  Mci<Scalar> mci_;
  MatX<Scalar> I_, C_;
};

}  // namespace dyn
