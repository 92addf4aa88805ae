// Inverse dynamics in link frames: Ω x = ω̇ × x + ω × (ω × x), as in
// dyn_core/inverse_dynamics/rnea.hpp.
#pragma once

#include "link_frames.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

template <class T>
struct MotionOf {
  VecOf<T> w, wd, a;    ///< ω, ω̇ and acceleration of the frame's origin
  VecOf<T> Wx, Wy, Wz;  ///< columns of Ω
};

/// Adds the joint's own motion and the shift along its axis.
template <class T>
DYN_INLINE void add_joint_motion(const LinkNumbers& k, const Joint<T>& j, T qd, T qdd,
                                 MotionOf<T>& m) {
  if (k.prismatic) {
    const T twice = qd + qd;
    m.a = m.a + VecOf<T>{twice * m.w.y, -twice * m.w.x, qdd};
  } else {
    m.wd = m.wd + VecOf<T>{m.w.y * qd, -m.w.x * qd, qdd};
    m.w.z += qd;
  }
  const VecOf<T>&w = m.w, &wd = m.wd;
  const T xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  m.Wx = {-(yy + zz), w.x * w.y + wd.z, w.x * w.z - wd.y};
  m.Wy = {w.x * w.y - wd.z, -(xx + zz), w.y * w.z + wd.x};
  m.Wz = {w.x * w.z + wd.y, w.y * w.z - wd.x, -(xx + yy)};
  m.a = m.a + j.d * m.Wz;
}

template <class T>
DYN_INLINE ScrewOf<T> inertial_force(const BodyOf<T>& b, const VecOf<T>& J, const MotionOf<T>& m) {
  const VecOf<T>&x = m.Wx, &y = m.Wy, &z = m.Wz, &h = b.h;
  const SymOf<T>& I = b.I;
  const VecOf<T> n{J.y * y.z - J.z * z.y - I.xy * x.z + I.xz * x.y + I.yz * (y.y - z.z),
                   J.z * z.x - J.x * x.z - I.yz * y.x + I.xy * y.z + I.xz * (z.z - x.x),
                   J.x * x.y - J.y * y.x - I.xz * z.y + I.yz * z.x + I.xy * (x.x - y.y)};
  return {cross(h, m.a) + n, b.m * m.a + h.x * x + h.y * y + h.z * z};
}

/// The torques to `x` of the records; armature included. Without `Accelerated` qdd is zero.
template <bool Accelerated, class T>
DYN_INLINE void newton_euler_in_links(const States<T>& s, const Rows& qd, const Rows& qdd) {
  const T zero{};
  MotionOf<T> m{};
  m.a = {zero - s.gravity[0], zero - s.gravity[1], zero - s.gravity[2]};
  for (int i = 0; i < s.n; ++i) {
    const LinkNumbers& k = s.links[i];
    Record<T>& r = s.records[i];
    if (i > 0) {
      m.a = m.a + k.a * m.Wx;
      to_child(k, r.joint, m.w);
      to_child(k, r.joint, m.wd);
    }
    to_child(k, r.joint, m.a);
    T acceleration = zero;
    if constexpr (Accelerated) acceleration = qdd.at<T>(i);
    add_joint_motion(k, r.joint, qd.at<T>(i), acceleration, m);
    r.force = inertial_force(s.body(i), s.squares(i), m);
    r.x = k.armature * acceleration;
  }
  ScrewOf<T> w{};
  for (int i = s.n - 1; i >= 0; --i) {
    Record<T>& r = s.records[i];
    w = {w.ang + r.force.ang, w.lin + r.force.lin};
    r.x += w.along(s.links[i]);
    if (i > 0) force_to_parent(s.links[i], r.joint, w);
  }
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
