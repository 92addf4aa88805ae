// CRBA, the composite rigid body algorithm: the mass matrix in link frames.
//
//   M. W. Walker, D. E. Orin: Efficient dynamic computer simulation of robotic mechanisms, J. Dyn.
//   Sys. Meas. Control 104, 1982, in the form of R. Featherstone, Rigid Body Dynamics Algorithms,
//   2008, section 6.2: the algorithm that Safeea 2018 (Table I) compares with.
//
//   (1)  I^c_i = I_i + X*(i+1 -> i) I^c_i+1 X(i -> i+1)      composite inertia of links i … n-1
//   (2)  F_i = I^c_i S_i,   M_ii = S_iᵀ F_i                  momentum at unit speed of joint i
//   (3)  F_i <- X*(j -> j-1) F_i,   M_i,j-1 = S_j-1ᵀ F_i     for j = i … 1
//
//   book        | here      | frame, unit
//   I^c_i       | composite | link frame i, about its origin
//   F_i         | F         | link frame j, moment about its origin
//   S_i         | z axis of link frame i: a turn (revolute) or a shift (prismatic)
//   X*(i -> i-1)| to_parent | force transform as two planar screws
//
// Deviations: (a) the 6x6 inertia is carried by its ten parameters. (b) Links 0 … n-1, base to tip.
//
// Cost, revolute: (10n²+22n-32) M as in Table I, (6n²+36n-42) A.
#pragma once

#include "dyn_core/papers/shared/link_recursion.hpp"
#include "dyn_core/robot/algorithm.hpp"

namespace dyn {

template <class Scalar>
class Crba final : public MassMatrixAlgorithm<Scalar> {
 public:
  explicit Crba(const Model& /*model*/) {}

  void mass_matrix(const Model& model, Joints<Scalar> joints, MatOut<Scalar> M) override {
    const auto joint = [&](Index i) -> const JointPose<Scalar>& {
      return joints[static_cast<std::size_t>(i)];
    };
    const Index tip = model.size() - 1;
    auto composite = CompositeBody<Scalar>::of(model.link(tip));
    for (Index i = tip; i >= 0; --i) {
      if (i < tip) {
        to_parent(model.link(i + 1), joint(i + 1), composite);  // (1)
        composite += CompositeBody<Scalar>::of(model.link(i));
      }
      LinkForce<Scalar> F = composite.joint_momentum(model.link(i));  // (2)
      M(i, i) = F.along_joint(model.link(i));
      for (Index j = i; j > 0; --j) {
        to_parent(model.link(j), joint(j), F);  // (3)
        M(i, j - 1) = F.along_joint(model.link(j - 1));
        M(j - 1, i) = M(i, j - 1);
      }
    }
  }
};

}  // namespace dyn
