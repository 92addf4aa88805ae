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
// As printed: link_as_printed.hpp, as_printed.hpp, planar_as_printed.hpp.
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
// p_i = [0; e_i] and an a_i that varies. (c) The planar form is used for arms whose axes are all
// parallel revolute ones; a twist of 180° turns the sense of an axis. A slide in the plane stands
// askew in its DH frame: such arms take the spatial form, whose zeros cost nothing in the
// customised count. (d) Before the first revolute joint nothing works with moments: there only mass
// and force are carried on. (e) In step 5(a) of section 3.2.1 the element printed i^c_zz is meant
// about O_i: i_zz = i^c_zz + m_i d_iᵀ d_i, and the upper right block, m_i d_iᵀ R, with Rᵀ. (f) Links
// 0 … n-1; the paper's are 1 … n.
//
// Cost, revolute: (11n²+25n-36) M (7n²+41n-48) A, planar (2.5n²+3.5n-6) M (1.5n²+7.5n-9) A; the
// papers have (11n²+42n-18) M (7n²+44n-18) A and (3.5n²+11.5n-7) M (2n²+9n-7) A.
#pragma once

#include <algorithm>

#include "dyn_core/papers/shared/link_recursion.hpp"
#include "dyn_core/robot/algorithm.hpp"

namespace dyn {

template <class Scalar>
class Denoc final : public MassMatrixAlgorithm<Scalar> {
 public:
  explicit Denoc(const Model& model)
      : planar_(has_planar_form(model)), first_revolute_(first_revolute(model)) {}

  void mass_matrix(const Model& model, Joints<Scalar> joints, MatOut<Scalar> M) override {
    if (planar_) {
      planar_gim(model, joints, M);
    } else {
      spatial_gim(model, joints, M);
    }
  }

  /// Whether the equations of section 3.2.1 are in use.
  [[nodiscard]] bool planar() const { return planar_; }

 private:
  using Vec = Vec3<Scalar>;

  static bool has_planar_form(const Model& model) {
    const auto in_plane = [](const LinkModel& k) {
      return !k.prismatic && !k.has_beta && k.alpha.s == 0.0;
    };
    return model.chain().is_planar() && std::ranges::all_of(model.links(), in_plane);
  }

  static Index first_revolute(const Model& model) {
    Index i = 0;
    while (i < model.size() && model.link(i).prismatic) ++i;
    return i;
  }

  // ---- section 3.2: spatial ------------------------------------------------------------------
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

  // ---- section 3.2.1: planar -----------------------------------------------------------------
  // Q_i: a vector of the plane from frame i+1 to frame i. True where the axes point opposite ways.
  static bool turn_in_plane(const LinkModel& k, const JointPose<Scalar>& joint, Scalar& x,
                            Scalar& y) {
    turn(joint.theta, x, y);
    const bool opposite = k.alpha.c < 0.0;
    if (opposite) y = -y;
    return opposite;
  }

  // Step 6(b): A_ijᵀ M̃_i p_i through the links before i, from M̃_i p_i = [i_ii; R δ]: 5M 3A each.
  static void planar_row(const Model& model, Joints<Scalar> joints, Index i, Scalar delta_x,
                         Scalar delta_y, MatOut<Scalar>& gim) {
    Scalar n = gim(i, i), f_x = -delta_y, f_y = delta_x;
    for (Index j = i - 1; j >= 0; --j) {
      const LinkModel& k = model.link(j + 1);
      if (turn_in_plane(k, joints[static_cast<std::size_t>(j) + 1], f_x, f_y)) n = -n;
      n += Scalar(k.a) * f_y;  // A_j+1,jᵀ
      gim(i, j) = n;           // (10), step 6(b)
      gim(j, i) = n;
    }
  }

  // M̃_i = [i_zz, (R δ)ᵀ; R δ, m̃ 1].
  static void planar_gim(const Model& model, Joints<Scalar> joints, MatOut<Scalar>& gim) {
    const Index tip = model.size() - 1;
    const LinkModel& last = model.link(tip);
    auto m = Scalar(last.mass), i_zz = Scalar(last.inertia_origin.zz);  // step 5(a): M̃_n = M_n
    auto delta_x = Scalar(last.moment.x()), delta_y = Scalar(last.moment.y());
    for (Index i = tip; i >= 0; --i) {
      if (i < tip) {  // step 5(b), (13): 6M 9A
        const LinkModel& k = model.link(i + 1);
        turn_in_plane(k, joints[static_cast<std::size_t>(i) + 1], delta_x, delta_y);
        const auto a = Scalar(k.a);
        const Scalar shifted = delta_x + m * a;
        const LinkModel& own = model.link(i);
        i_zz += a * (delta_x + shifted) + Scalar(own.inertia_origin.zz);
        delta_x = shifted + Scalar(own.moment.x());
        delta_y += Scalar(own.moment.y());
        m += Scalar(own.mass);
      }
      gim(i, i) = i_zz;  // (10), step 6(a)
      planar_row(model, joints, i, delta_x, delta_y, gim);
    }
  }

  bool planar_;
  Index first_revolute_;  // n where there is none
};

}  // namespace dyn
