// GIM-MCI: inverse dynamics from the two matrices, each an exchangeable module.
//
//   P. P. Bhangale, S. K. Saha, V. P. Agrawal: A dynamic model based robot arm selection criterion,
//   2004, eq. (9) and section 3.3.
//
//   (9)  I θ̈ + C θ̇ = τ with τ = T_dᵀ w̃ᴱ; the drives' share of it is I θ̈ + C θ̇ - T_dᵀ w̃ᴳ, where w̃ᴳ
//        is of gravity γ, and p_iᵀ w̃ᴳ_i = γᵀ f with f the force in M̃_i p_i
//
//   paper  | here
//   I      | I_, from papers/kang/mass_matrix.hpp, whose composite bodies are those of C
//   C      | C_, from papers/bhangale_2004/mci.hpp
//   M̃_i p_i | Mp_f(i), its force, in the axes of the first link's frame
//   θ̇, θ̈   | qd, qdd
//   τ      | tau, of the drives
//   γ      | gamma, m/s², the same axes
//
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
    mci_.update_bodies(model, joints);           // (13)
    gim_.from_bodies(mci_.bodies().kang(), I_);  // (10), i_ij
    mci_.from_bodies(qd, C_);                    // (10), c_ij
    const Vec3<Scalar> gamma = AugmentedBodies<Scalar>::turned_gravity(joints[0], gravity);
    for (Index i = 0; i < model.size(); ++i) {
      const Scalar gravity_share = gamma.dot(mci_.bodies().Mp_f(i));
      tau[i] = I_.row(i).dot(qdd) + C_.row(i).dot(qd) - gravity_share;  // (9)
    }
  }

 private:
  KicMassMatrix<Scalar> gim_;
  Mci<Scalar> mci_;
  MatX<Scalar> I_, C_;
};

}  // namespace dyn
