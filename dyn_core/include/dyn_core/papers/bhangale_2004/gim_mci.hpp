// GIM-MCI: inverse dynamics from the two matrices, each an exchangeable module.
//
//   P. P. Bhangale, S. K. Saha, V. P. Agrawal: A dynamic model based robot arm selection criterion,
//   2004, eq. (9), section 3.3 and, of section 6, contribution 3: "any robot architecture can be tested by
//   just replacing the blocks of GIM and MCI calculations".
//
//   (9)  I θ̈ + C θ̇ = τ with τ = T_dᵀ w̃ᴱ; the drives' share of it is I θ̈ + C θ̇ - T_dᵀ w̃ᴳ, where w̃ᴳ
//        is of gravity
//
//   paper  | here
//   I      | I_, of Gim: any MassMatrixAlgorithm; the paper's is denoc.hpp
//   C      | C_, of MciModule: mci.hpp, whose composite bodies give T_dᵀ w̃ᴳ as well
//   θ̇, θ̈   | qd, qdd
//   τ      | tau, of the drives
//
// The modules do not share what they form alike. For a planar arm both are those of section 3.2.1.
//
// Cost: that of GIM and MCI with the bodies of both, 2n² for the products, 3n for gravity; planar, revolute,
// all of it (6.5n²+23.5n-28) M (5.5n²+26.5n-31) A.
#pragma once

#include "dyn_core/papers/bhangale_2004/denoc.hpp"
#include "dyn_core/papers/bhangale_2004/mci.hpp"

namespace dyn {

template <class Scalar, class Gim = Denoc<Scalar>, class MciModule = Mci<Scalar>>
class GimMci final : public InverseDynamicsAlgorithm<Scalar> {
 public:
  explicit GimMci(const Model& model)
      : gim_(model),
        mci_(model),
        I_(model.size(), model.size()),
        C_(I_),
        gravity_forces_(model.size()) {}

  void inverse_dynamics(const Model& model, Joints<Scalar> joints, const Vec3d& gravity,
                        VecIn<Scalar> qd, VecIn<Scalar> qdd, VecOut<Scalar> tau) override {
    gim_.mass_matrix(model, joints, I_);  // (10), i_ij
    mci_.update_bodies(model, joints);    // (13)
    mci_.from_bodies(qd, C_);             // (10), c_ij
    mci_.gravity_forces(joints[0], gravity, gravity_forces_);
    for (Index i = 0; i < model.size(); ++i) {
      tau[i] = I_.row(i).dot(qdd) + C_.row(i).dot(qd) - gravity_forces_[i];  // (9)
    }
  }

 private:
  Gim gim_;
  MciModule mci_;
  MatX<Scalar> I_, C_;
  VecX<Scalar> gravity_forces_;
};

}  // namespace dyn
