// The mass matrix as a product of spatial operators, evaluated by composite bodies: the reference
// form, with every 6x6 operator written out.
//
//   K. Kozłowski: Robot dynamics models in terms of generalized and quasi-coordinates: a
//   comparison, Appl. Math. and Comp. Sci. 5, 1995, eq. (22), after Rodriguez and Kreutz 1988.
//
//   (22)  M = H Φ M Φ* H*
//         r(k) = Φ(k,k-1) A(k-1) r(k-1) A(k-1)⁻¹ Φ*(k,k-1) + M(k)     composite body inertia
//         M(k,j) = H(k) Φ(k,j) r(j) H*(j)   for k ≥ j,  Φ(k,j) = Φ(k,k-1) … Φ(j+1,j)
//
// The paper numbers the links 1 … N from tip to base: its link k is link i = N - k here, its k-1,
// one step towards the tip, is i + 1, and k = N + 1 is the base.
//
//   paper             | here           | frame, unit
//   H*(k)             | joint_map        | link frame; z axis, angular or linear
//   Φ(k,k-1) A(k-1)   | phi_[i + 1]      | forces from frame i+1 to frame i
//   l(k,k-1)          | origin_in_parent | frame i
//   M(k), r(k)        | spatial_inertia, r | link frame i, about its origin
//
// Deviations: (a) A is "stuck" to Φ as in eq. (14). (b) The nomenclature calls l(k,k-1) the vector
// from O_k-1 to O_k; Φ as printed transforms forces only with the vector from O_k to O_k-1, taken
// here. (c) No use is made of the operators' structure: O(n²), but several times the operations of
// crba.
#pragma once

#include <vector>

#include "dyn_core/robot/algorithm.hpp"

namespace dyn {

template <class Scalar>
class Operator final : public MassMatrixAlgorithm<Scalar> {
 public:
  explicit Operator(const Model& model) : phi_(static_cast<std::size_t>(model.size())) {}

  void mass_matrix(const Model& model, Joints<Scalar> joints, MatOut<Scalar> M) override {
    const Index tip = model.size() - 1;
    for (Index i = 1; i <= tip; ++i) {
      phi(i) = force_operator(model.link(i), joints[static_cast<std::size_t>(i)]);
    }
    Mat6<Scalar> r = spatial_inertia(model.link(tip));
    for (Index i = tip; i >= 0; --i) {
      if (i < tip) {
        const Mat6<Scalar> carried = phi(i + 1) * r;
        r.noalias() = carried * phi(i + 1).transpose();
        r += spatial_inertia(model.link(i));
      }
      Vec6<Scalar> x = r * joint_map(model.link(i));  // r(j) H*(j)
      M(i, i) = joint_map(model.link(i)).dot(x);      // (22), k = j
      for (Index k = i - 1; k >= 0; --k) {
        const Vec6<Scalar> outboard = x;
        x.noalias() = phi(k + 1) * outboard;        // Φ(k,j) r(j) H*(j)
        M(k, i) = joint_map(model.link(k)).dot(x);  // (22)
        M(i, k) = M(k, i);
      }
    }
  }

 private:
  Mat6<Scalar>& phi(Index i) { return phi_[static_cast<std::size_t>(i)]; }

  static Vec6<Scalar> joint_map(const LinkModel& k) {
    Vec6<Scalar> h = Vec6<Scalar>::Zero();
    h[k.prismatic ? 5 : 2] = Scalar(1.0);
    return h;
  }

  static Mat6<Scalar> spatial_inertia(const LinkModel& k) {
    const Mat3<Scalar> moment = skew<Scalar>(k.moment.cast<Scalar>());
    Mat6<Scalar> m;
    m << k.inertia_origin.matrix().template cast<Scalar>(), moment, moment.transpose(),
        Scalar(k.mass) * Mat3<Scalar>::Identity();
    return m;
  }

  // Φ A: the turn into frame i-1, then the shift to its origin.
  static Mat6<Scalar> force_operator(const LinkModel& k, const JointPose<Scalar>& joint) {
    Mat3<Scalar> R = Mat3<Scalar>::Identity();
    for (Index column = 0; column < 3; ++column) {
      Vec3<Scalar> axis = R.col(column);
      turn_to_parent(k, joint, axis);
      R.col(column) = axis;
    }
    const Mat3<Scalar> l_R = skew<Scalar>(origin_in_parent(k, joint)) * R;
    Mat6<Scalar> m;
    m << R, l_R, Mat3<Scalar>::Zero(), R;
    return m;
  }

  std::vector<Mat6<Scalar>> phi_;
};

}  // namespace dyn
