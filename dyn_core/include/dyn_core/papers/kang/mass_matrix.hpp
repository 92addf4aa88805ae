// KIC: the mass matrix I* from the momenta of generalized augmented bodies.
//
//   H.-J. Kang: Computationally efficient KIC-based dynamic modeling of robot manipulators, eq.
//   (11)-(24), (28), (29), section 4.2 STEP 1-4.
//
//   (23)  [I1*]_ik = M_k (g_i^c*)ᵀ g_k^c*     i ≤ k
//   (24)  [I2*]_ik = g_iᵀ [III^k] g_k
//
//   paper            | here                | axes of the first link's frame
//   g_i (rotational) | g_.col(i)           | S^i, 0 if prismatic
//   g_i^o            | g_o_.col(i)         | translational first order KIC of the point O_0
//   S^k, Q^k         | s, O of bodies[k]   | joint axis, O_0 to O_k
//   P^k, L^k         | P, L of bodies[k]   | momentum at unit speed of joint k, and about O_k
//   L^k + Q^k × P^k  | L_o                 | the same about O_0
//   I*_ik            | I(i, k)
//
// Deviations: (a) The bodies refer to O_k instead of their mass centres, see augmented_bodies.hpp,
// and the sum of (23) and (24), with (14) and (17) (g_i^c*)ᵀ P^k + g_iᵀ L^k, is taken about O_0. It
// has the same value about any point, and about one common to all bodies g_i^o needs computing once
// for i instead of once for every i and k. (b) Prismatic: g_i = 0, g_i^o = S^i, and P^k, L^k as in
// augmented_bodies.hpp. As printed it stands in as_printed_modified.hpp.
//
// Cost, revolute, kinematics included: (3n²+106n-153) M (2.5n²+94.5n-128) A from n = 2 on; the
// paper has (6.5n²+144.5n-171) M (4.5n²+121.5n-136) A.
#pragma once

#include "dyn_core/papers/kang/augmented_bodies.hpp"

namespace dyn {

template <class Scalar>
class KicMassMatrix final : public MassMatrixAlgorithm<Scalar> {
 public:
  explicit KicMassMatrix(const Model& model)
      : bodies_(model), g_(3, model.size()), g_o_(3, model.size()) {}

  void mass_matrix(const Model& model, Joints<Scalar> joints, MatOut<Scalar> I) override {
    bodies_.update(model, joints);  // STEP 1, 2
    from_bodies(bodies_, I);
  }

  /// Of bodies that are there already.
  void from_bodies(const AugmentedBodies<Scalar>& bodies, MatOut<Scalar> I) {
    first_order(bodies);                                               // STEP 3
    I(0, 0) = bodies[0].prismatic ? bodies[0].mass : bodies[0].L.z();  // (23) + (24), S^0 = e_z
    for (Index k = 1; k < bodies.size(); ++k) column(bodies, k, I);    // STEP 4
  }

 private:
  using Vec = Vec3<Scalar>;

  void first_order(const AugmentedBodies<Scalar>& bodies) {
    for (Index i = 1; i < bodies.size(); ++i) {
      const AugmentedBody<Scalar>& b = bodies[i];
      g_.col(i) = b.w;
      g_o_.col(i) = b.s;                               // S^i
      if (!b.prismatic) g_o_.col(i) = b.O.cross(b.s);  // S^i × (O_0 - Q^i)
    }
  }

  // I*_ik for i ≤ k.
  void column(const AugmentedBodies<Scalar>& bodies, Index k, MatOut<Scalar>& I) const {
    const AugmentedBody<Scalar>& b = bodies[k];
    const Vec L_o = b.L + b.O.cross(b.P);
    I(k, k) = b.prismatic ? b.mass : b.s.dot(b.L);      // (23) + (24), about O_k
    I(0, k) = bodies[0].prismatic ? b.P.z() : L_o.z();  // (23) + (24), S^0 = e_z
    for (Index i = 1; i < k; ++i) {
      I(i, k) = g_o_.col(i).dot(b.P) + g_.col(i).dot(L_o);  // (23) + (24)
    }
    for (Index i = 0; i < k; ++i) I(k, i) = I(i, k);  // (P2)
  }

  AugmentedBodies<Scalar> bodies_;
  Mat3X<Scalar> g_, g_o_;
};

}  // namespace dyn
