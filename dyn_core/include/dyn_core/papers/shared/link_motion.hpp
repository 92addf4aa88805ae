// What moves a link, from one link frame to the next, and the force that this takes: the outward half of the
// recursive Newton-Euler algorithm. Letters and equations are those of papers/classic/rnea.hpp.
#pragma once

#include "dyn_core/math/counted.hpp"
#include "dyn_core/papers/shared/link_recursion.hpp"

namespace dyn {

template <class Scalar>
struct LinkMotion {
  Vec3<Scalar> w, wd, a;
  Mat3<Scalar> W;  // Ω, set by finish()
};

/// -g in link frame 0.
template <class Scalar>
[[nodiscard]] Vec3<Scalar> first_acceleration(const JointPose<Scalar>& joint,
                                              const Vec3d& gravity) {
  [[maybe_unused]] const NotCounted<Scalar> nil_for_gravity_along_the_first_axis;
  Vec3<Scalar> a = -gravity.cast<Scalar>();
  turn_back(joint.theta, a.x(), a.y());
  return a;
}

/// The motion of the parent, about and at the origin of the next frame, without that joint's own.
template <class Scalar>
void turn_outward(const LinkModel& k, const JointPose<Scalar>& joint, LinkMotion<Scalar>& m) {
  m.a += Scalar(k.a) * m.W.col(0);  // (3), along x_i-1
  turn_to_child(k, joint, m.a);
  turn_to_child(k, joint, m.w);
  turn_to_child(k, joint, m.wd);
}

/// Adds the joint's own motion, then Ω.
template <class Scalar>
void finish(const LinkModel& k, Scalar qd, Scalar qdd, LinkMotion<Scalar>& m) {
  if (k.prismatic) {
    const Scalar twice = qd + qd;
    m.a += Vec3<Scalar>(twice * m.w.y(), -(twice * m.w.x()), qdd);  // (3)
  } else {
    m.wd += Vec3<Scalar>(m.w.y() * qd, -(m.w.x() * qd), qdd);  // (1)
    m.w.z() += qd;
  }
  const Vec3<Scalar>&w = m.w, &wd = m.wd;
  const Scalar xx = w.x() * w.x(), yy = w.y() * w.y(), zz = w.z() * w.z();
  const Scalar xy = w.x() * w.y(), xz = w.x() * w.z(), yz = w.y() * w.z();
  m.W << -(yy + zz), xy - wd.z(), xz + wd.y(),  // (2)
      xy + wd.z(), -(xx + zz), yz - wd.x(), xz - wd.y(), yz + wd.x(), -(xx + yy);
}

/// What accelerates the body of the link, about the origin of its frame.
template <class Scalar>
[[nodiscard]] LinkForce<Scalar> inertial_force(const LinkModel& k, const LinkMotion<Scalar>& m) {
  const Vec3<Scalar> s = k.moment.cast<Scalar>();
  const Sym3<double>& I = k.inertia_origin;
  const auto J_xx = Scalar(0.5 * (I.yy + I.zz - I.xx));
  const auto J_yy = Scalar(0.5 * (I.xx + I.zz - I.yy));
  const auto J_zz = Scalar(0.5 * (I.xx + I.yy - I.zz));
  const auto I_xy = Scalar(I.xy), I_xz = Scalar(I.xz), I_yz = Scalar(I.yz);
  const Mat3<Scalar>& W = m.W;
  LinkForce<Scalar> own;
  own.f = Scalar(k.mass) * m.a + W * s;  // (4)
  own.n = s.cross(m.a) +                 // (4)
          Vec3<Scalar>(J_yy * W(2, 1) - J_zz * W(1, 2) - I_xy * W(2, 0) + I_xz * W(1, 0) +
                           I_yz * (W(1, 1) - W(2, 2)),
                       J_zz * W(0, 2) - J_xx * W(2, 0) - I_yz * W(0, 1) + I_xy * W(2, 1) +
                           I_xz * (W(2, 2) - W(0, 0)),
                       J_xx * W(1, 0) - J_yy * W(0, 1) - I_xz * W(1, 2) + I_yz * W(0, 2) +
                           I_xy * (W(0, 0) - W(1, 1)));
  return own;
}

}  // namespace dyn
