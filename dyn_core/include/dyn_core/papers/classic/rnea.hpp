// RNEA, the recursive Newton-Euler algorithm: joint torques from motion, in link frames, O(n).
//
//   J. Y. S. Luh, M. W. Walker, R. P. C. Paul: On-line computational scheme for mechanical
//   manipulators, J. Dyn. Sys. Meas. Control 102, 1980; with the angular acceleration tensor Ω of
//   C. A. Balafoutis, R. V. Patel, Dynamic Analysis of Robot Manipulators, 1991.
//
//   (1)  ω_i = ω_i-1 + q̇_i z_i,   ω̇_i = ω̇_i-1 + ω_i-1 × q̇_i z_i + q̈_i z_i       (revolute)
//   (2)  Ω_i x = ω̇_i × x + ω_i × (ω_i × x)
//   (3)  a_i = a_i-1 + Ω_i-1 l_i,  plus 2 ω_i × ḋ_i z_i + d̈_i z_i if prismatic;  a_-1 = -g
//   (4)  F_i = m_i a_i + Ω_i s_i,   N_i = I_i ω̇_i + ω_i × I_i ω_i + s_i × a_i
//   (5)  f_i = F_i + f_i+1,   n_i = N_i + n_i+1 + l_i+1 × f_i+1
//   (6)  tau_i = z_i · n_i (revolute), z_i · f_i (prismatic)
//
//   book             | here             | frame, unit
//   ω, ω̇, Ω, a       | Motion           | link frame i; a of its origin
//   l_i              | a along x_i-1, then d along z_i; O_i-1 to O_i
//   s_i, I_i         | moment, inertia_origin | about the origin of link frame i
//   F_i, N_i         | own_             | link frame i, moment about its origin
//   f_i, n_i         | w                | the same
//
// Deviations: (a) N_i is written with the elements of Ω_i and of J_i, the inertia by ∫ x² dm, ∫ y²
// dm, ∫ z² dm (Balafoutis' Euler tensor): 15M 15A before the last term. (b) Forces go inward as two
// planar screws, and l_i is passed in two steps. (c) What is zero by structure at link 0, whose
// frame only turns about or slides along z, is left out there and one link further.
//
// Cost, revolute: (91n-105) M (79n-97) A and, unless gravity is along the first axis, 4M 2A for
// turning it into link frame 0, which the count sets aside. Featherstone 2008, Table 10.1:
// (93n-108) M (81n-100) A.
#pragma once

#include <vector>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/papers/shared/link_motion.hpp"
#include "dyn_core/robot/algorithm.hpp"

namespace dyn {

template <class Scalar>
class Rnea final : public InverseDynamicsAlgorithm<Scalar> {
 public:
  explicit Rnea(const Model& model) : own_(static_cast<std::size_t>(model.size())) {}

  void inverse_dynamics(const Model& model, Joints<Scalar> joints, const Vec3d& gravity,
                        VecIn<Scalar> qd, VecIn<Scalar> qdd, VecOut<Scalar> tau) override {
    const Vec a_0 = first_acceleration<Scalar>(joints[0], gravity);
    tau[0] = first_own(model.link(0), a_0, qdd[0]);
    if (model.size() == 1) return;
    outward(model, joints, a_0, qd, qdd);
    const Index tip = model.size() - 1;
    LinkForce<Scalar> w = own(tip);
    tau[tip] = w.along_joint(model.link(tip));  // (6)
    for (Index i = tip - 1; i > 0; --i) {
      to_parent(model.link(i + 1), joints[static_cast<std::size_t>(i) + 1], w);  // (5)
      w += own(i);
      tau[i] = w.along_joint(model.link(i));  // (6)
    }
    tau[0] += along_first(model, joints[1], w);  // (5), (6)
  }

 private:
  using Vec = Vec3<Scalar>;

  using Motion = LinkMotion<Scalar>;

  LinkForce<Scalar>& own(Index i) { return own_[static_cast<std::size_t>(i)]; }

  // ---- link 0 ----------------------------------------------------------------------------------
  // What link 0 itself adds to the torque of joint 0.
  static Scalar first_own(const LinkModel& k, const Vec& a, Scalar qdd) {
    if (k.prismatic) return Scalar(k.mass) * (a.z() + qdd);  // (4)
    const auto s_x = Scalar(k.moment.x()), s_y = Scalar(k.moment.y());
    return Scalar(k.inertia_origin.zz) * qdd + s_x * a.y() - s_y * a.x();  // (4)
  }
  // What `w` on link 1 adds to it: the one component needed of to_parent().
  static Scalar along_first(const Model& model, const JointPose<Scalar>& joint,
                            LinkForce<Scalar> w) {
    const LinkModel& k = model.link(1);
    const auto c = Scalar(k.alpha.c), s = Scalar(k.alpha.s);
    if (model.link(0).prismatic || k.has_beta) {
      to_parent(k, joint, w);
      return w.along_joint(model.link(0));
    }
    turn_about_z(joint.theta, w.f);
    const Scalar n_y = joint.theta.s * w.n.x() + joint.theta.c * w.n.y() + joint.d * w.f.x();
    const Scalar f_y = c * w.f.y() - s * w.f.z();
    return s * n_y + c * w.n.z() + Scalar(k.a) * f_y;
  }

  // ---- outward ---------------------------------------------------------------------------------
  void outward(const Model& model, Joints<Scalar> joints, const Vec& a_0, VecIn<Scalar> qd,
               VecIn<Scalar> qdd) {
    Motion m = second(model, joints[1], a_0, qd[0], qdd[0]);
    for (Index i = 1; i < model.size(); ++i) {
      const LinkModel& k = model.link(i);
      const JointPose<Scalar>& joint = joints[static_cast<std::size_t>(i)];
      if (i > 1) turn_outward(k, joint, m);
      finish(k, qd[i], qdd[i], m);
      if (i > 1) m.a += joint.d * m.W.col(2);  // (3), along z_i
      own(i) = inertial_force(k, m);
    }
  }

  // Link 1 in its frame before its joint's own motion; link 0 has ω, ω̇ and Ω about z only.
  static Motion second(const Model& model, const JointPose<Scalar>& joint, Vec a, Scalar qd,
                       Scalar qdd) {
    const LinkModel& k = model.link(1);
    Motion m;
    if (model.link(0).prismatic) {
      m.w.setZero();
      m.wd.setZero();
      a.z() += qdd;  // (3)
    } else {
      const Vec l = origin_in_parent(k, joint);
      const Scalar square = qd * qd;
      m.w = axis_to_child(k, joint, qd);  // (1)
      m.wd = axis_to_child(k, joint, qdd);
      a.x() -= square * l.x() + qdd * l.y();  // (3)
      a.y() += qdd * l.x() - square * l.y();
    }
    turn_to_child(k, joint, a);
    m.a = a;
    return m;
  }
  // (0, 0, z) turned into the next frame.
  static Vec axis_to_child(const LinkModel& k, const JointPose<Scalar>& joint, Scalar z) {
    Vec v(Scalar(0.0), Scalar(k.alpha.s) * z, Scalar(k.alpha.c) * z);
    if (k.has_beta) {
      turn_back(k.beta, v.z(), v.x());
      turn_back(joint.theta, v.x(), v.y());
      return v;
    }
    return {joint.theta.s * v.y(), joint.theta.c * v.y(), v.z()};
  }

  std::vector<LinkForce<Scalar>> own_;
};

}  // namespace dyn
