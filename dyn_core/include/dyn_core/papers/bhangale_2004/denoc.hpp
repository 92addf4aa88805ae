// DeNOC: the generalized inertia matrix (GIM) element by element from the decoupled natural
// orthogonal complement.
//
//   S. K. Saha: Simulation of industrial manipulators based on the UDUᵀ decomposition of inertia
//   matrix, Multibody System Dynamics 9, 2003, eq. (6); P. P. Bhangale, S. K. Saha, V. P. Agrawal:
//   A dynamic model based robot arm selection criterion, 2004, eq. (10), (13), section 3.2 and, for
//   planar arms, section 3.2.1.
//
//   (13)  M̃_i = M_i + A_i+1,iᵀ M̃_i+1 A_i+1,i
//   (10)  i_ij = p_iᵀ M̃_i A_ij p_j,  evaluated as p_jᵀ (A_ijᵀ (M̃_i p_i)), one link at a time
//
// The steps of section 3.2 and Table I that remain, 5(b), 6(a) and 6(b), stand at their statements.
// As printed: link_as_printed.hpp, as_printed.hpp, planar_as_printed.hpp, gim_by_steps.hpp.
//
//   paper            | here                   | frame, unit
//   M_i              | CompositeBody::of      | link frame i, about the joint origin O_i
//   M̃_i              | M_tilde                | the same: its m̃_i; δ = m̃_i d̃_i, kg m; Ĩ_i, kg m²
//   A_i+1,iᵀ M̃_i+1 A_i+1,i | At_M_A           | from frame i+1 to frame i
//   A_i+1,iᵀ f       | At_times               | the same
//   a_i              | a                      | O_i to O_i+1, in frame i, m
//   Q_i              | turn_to_parent         | frame i+1 to frame i: vector 8M 4A, tensor 16M 16A
//   M̃_i p_i, A_ijᵀ M̃_i p_i | Mp               | [n; f]: moment about O_j and force, in frame j
//   p_jᵀ             | along_joint            | e_j, the z axis of link frame j
//   i_ij             | gim(i, j)
//
// Deviations: (a) Modified DH frames are fixed to their own link, so that d_i, I_i and, for
// revolute joints, a_i are constants: steps 1 to 5(a) of section 3.2 need no operation. In return
// M̃_i+1 is turned into frame i in (13); Table I does not list that turn. (b) A prismatic joint has
// p_i = [0; e_i] and an a_i that varies. (c) An arm that moves in a plane takes the planar form of
// denoc_planar.hpp. (d) Before the first revolute joint nothing works with moments: there only mass and
// force are carried on. (e) In step 5(a) of section 3.2.1 the element printed i^c_zz is meant about O_i:
// i_zz = i^c_zz + m_i d_iᵀ d_i, and the upper right block, m_i d_iᵀ R, with Rᵀ. (f) Links 0 … n-1; the
// paper's are 1 … n.
//
// Cost, revolute: (11n²+25n-36) M (7n²+41n-48) A, planar (2.5n²+3.5n-6) M (1.5n²+7.5n-9) A; the
// papers have (11n²+42n-18) M (7n²+44n-18) A and (3.5n²+11.5n-7) M (2n²+9n-7) A.
#pragma once

#include "dyn_core/math/counted_step.hpp"
#include "dyn_core/papers/bhangale_2004/denoc_planar.hpp"
#include "dyn_core/papers/shared/link_recursion.hpp"
#include "dyn_core/robot/algorithm.hpp"

namespace dyn {

template <class Scalar>
class Denoc final : public MassMatrixAlgorithm<Scalar> {
 public:
  explicit Denoc(const Model& model) : planar_(model), first_revolute_(first_revolute(model)) {}

  void mass_matrix(const Model& model, Joints<Scalar> joints, MatOut<Scalar> M) override {
    if (planar_.applies()) {
      planar_.mass_matrix(model, joints, M);
    } else {
      spatial_gim(model, joints, M);
    }
  }

  /// Whether the equations of section 3.2.1 are in use.
  [[nodiscard]] bool planar() const { return planar_.applies(); }

 private:
  using Vec = Vec3<Scalar>;

  static Index first_revolute(const Model& model) {
    Index i = 0;
    while (i < model.size() && model.link(i).prismatic) ++i;
    return i;
  }

  // A_i+1,iᵀ M̃_i+1 A_i+1,i with M̃_i+1 turned into frame i: 36M 38A.
  static void At_M_A(const LinkModel& k, const JointPose<Scalar>& joint,
                     CompositeBody<Scalar>& M_tilde) {
    Sym3<Scalar>& I = M_tilde.inertia;
    turn_to_parent(k, joint, M_tilde.moment);  // Q_i δ
    turn_to_parent(k, joint, I);               // Q_i Ĩ Q_iᵀ
    const Vec a = origin_in_parent(k, joint);
    const Vec delta = M_tilde.moment;
    M_tilde.moment += M_tilde.mass * a;  // δ' = δ + m̃ a
    const Vec sum = delta + M_tilde.moment;
    const Scalar x = a.x() * sum.x(), y = a.y() * sum.y(), z = a.z() * sum.z();
    I.xx += y + z, I.yy += z + x, I.zz += x + y;  // Ĩ - δ× a× - a× δ'×
    I.xy -= a.x() * delta.y() + a.y() * M_tilde.moment.x();
    I.xz -= a.x() * delta.z() + a.z() * M_tilde.moment.x();
    I.yz -= a.y() * delta.z() + a.z() * M_tilde.moment.y();
  }
  // A_i+1,iᵀ [n; f] in frame i: 22M 14A.
  static void At_times(const LinkModel& k, const JointPose<Scalar>& joint, LinkForce<Scalar>& Mp) {
    turn_to_parent(k, joint, Mp.f);
    turn_to_parent(k, joint, Mp.n);
    Mp.n += origin_in_parent(k, joint).cross(Mp.f);
  }

  // Step 5(b), (13): from M̃_i+1 to M̃_i.
  void to_M_tilde(const Model& model, Joints<Scalar> joints, Index i,
                  CompositeBody<Scalar>& M_tilde) const {
    [[maybe_unused]] const CountedStep<Scalar> step_5(5);
    const LinkModel& own = model.link(i);
    if (i < first_revolute_) {
      M_tilde.mass += Scalar(own.mass);  // of (13), all that is needed here
      return;
    }
    At_M_A(model.link(i + 1), joints[static_cast<std::size_t>(i) + 1], M_tilde);
    M_tilde += CompositeBody<Scalar>::of(own);  // (13)
  }

  void spatial_gim(const Model& model, Joints<Scalar> joints, MatOut<Scalar>& gim) const {
    const Index tip = model.size() - 1;
    auto M_tilde = CompositeBody<Scalar>::of(model.link(tip));  // M̃_n = M_n
    for (Index i = tip; i >= 0; --i) {
      if (i < tip) to_M_tilde(model, joints, i, M_tilde);
      LinkForce<Scalar> Mp = M_tilde.joint_momentum(model.link(i));  // M̃_i p_i
      gim(i, i) = Mp.along_joint(model.link(i));                     // (10), step 6(a)
      for (Index j = i - 1; j >= 0; --j) {
        const LinkModel& k = model.link(j + 1);
        const JointPose<Scalar>& joint = joints[static_cast<std::size_t>(j) + 1];
        if (j < first_revolute_) {
          turn_to_parent(k, joint, Mp.f);
        } else {
          At_times(k, joint, Mp);  // A_ijᵀ M̃_i p_i from A_i,j+1ᵀ M̃_i p_i
        }
        gim(i, j) = Mp.along_joint(model.link(j));  // (10), step 6(b)
        gim(j, i) = gim(i, j);
      }
    }
  }

  bhangale::PlanarDenoc<Scalar> planar_;
  Index first_revolute_;  // n where there is none
};

}  // namespace dyn
