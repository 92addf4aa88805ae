// One robot in one state, from the papers' algorithms in any scalar: what code generation writes down and
// compares with.
#pragma once

#include <utility>
#include <vector>

#include "dyn_core/papers/classic/crba.hpp"
#include "dyn_core/papers/classic/rnea.hpp"
#include "dyn_core/papers/saha_2003/udut.hpp"

namespace dyn::generate {

template <class Scalar>
struct State {
  VecX<Scalar> q, qd, qdd, tau;
};

/// Joints and coordinates differ where joints mimic others. Keeps a reference to the model.
template <class Scalar>
class Robot {
 public:
  Robot(const Model& model, State<Scalar> state)
      : model_(model),
        n_(model.size()),
        dof_(model.chain().dof()),
        state_(std::move(state)),
        poses_(static_cast<std::size_t>(n_)) {
    VecX<Scalar> positions = spread(state_.q);
    for (Index i = 0; i < n_; ++i) positions[i] += Scalar(model.chain().joint(i).offset);
    joint_poses<Scalar>(model, positions, poses_);
  }

  MatX<Scalar> mass_matrix() const {
    MatX<Scalar> joints(n_, n_), M = MatX<Scalar>::Zero(dof_, dof_);
    Crba<Scalar>(model_).mass_matrix(model_, poses_, joints);
    for (Index i = 0; i < n_; ++i) {
      const Joint& row = model_.chain().joint(i);
      joints(i, i) += Scalar(model_.link(i).armature);
      for (Index j = 0; j < n_; ++j) {
        const Joint& column = model_.chain().joint(j);
        M(row.coordinate, column.coordinate) +=
            Scalar(row.multiplier * column.multiplier) * joints(i, j);
      }
    }
    return M;
  }
  VecX<Scalar> torque() const { return torque(state_.qdd); }
  VecX<Scalar> bias() const { return torque(VecX<Scalar>::Zero(dof_)); }
  /// The accelerations, and the pivots of M = U D Uᵀ, which have to be positive.
  std::pair<VecX<Scalar>, VecX<Scalar>> acceleration() const {
    VecX<Scalar> x = state_.tau - bias(), D(dof_);
    if (model_.chain().has_mimic()) {
      MatX<Scalar> U(dof_, dof_);
      (void)factor_udut<Scalar>(mass_matrix(), U, D);
      solve_udut<Scalar>(U, D, x);
      return {x, D};
    }
    Udut<Scalar> udut(model_);
    (void)udut.factorise(model_, poses_);
    VecX<Scalar> qdd(dof_);
    udut.solve(x, qdd);
    return {qdd, udut.pivots()};
  }

 private:
  VecX<Scalar> torque(const VecX<Scalar>& accelerations) const {
    const VecX<Scalar> joint_qdd = spread(accelerations);
    VecX<Scalar> joints(n_);
    Rnea<Scalar>(model_).inverse_dynamics(model_, poses_, model_.gravity(), spread(state_.qd),
                                          joint_qdd, joints);
    VecX<Scalar> out = VecX<Scalar>::Zero(dof_);
    for (Index i = 0; i < n_; ++i) {
      const Joint& joint = model_.chain().joint(i);
      out[joint.coordinate] +=
          Scalar(joint.multiplier) * (joints[i] + Scalar(model_.link(i).armature) * joint_qdd[i]);
    }
    return out;
  }
  VecX<Scalar> spread(const VecX<Scalar>& rates) const {
    VecX<Scalar> out(n_);
    for (Index i = 0; i < n_; ++i) {
      const Joint& joint = model_.chain().joint(i);
      out[i] = Scalar(joint.multiplier) * rates[joint.coordinate];
    }
    return out;
  }

  const Model& model_;
  Index n_, dof_;
  State<Scalar> state_;
  std::vector<JointPose<Scalar>> poses_;
};

}  // namespace dyn::generate
