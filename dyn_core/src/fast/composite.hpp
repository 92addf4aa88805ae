// Composite bodies: mass, first moment and Euler tensor E = ∫ x xᵀ dm of all links from joint i on, about
// the origin of frame 0. A sum of positions squared, E needs no parallel-axis terms:
//   E = u uᵀ + v vᵀ + e 1 + m c cᵀ,    J x = trace(E) x - E x.
#pragma once

#include "kinematics.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

/// Mass times 1, position and position squared of one link or of several together.
struct Moments {
  Vec h;                     ///< ∫ x dm
  V xx, xy, xz, yy, yz, zz;  ///< ∫ x xᵀ dm

  /// The moment of momentum J w of a turn `w` about the origin.
  [[nodiscard]] DYN_INLINE Vec turned(const Vec& w) const {
    return {(yy + zz) * w.x - xy * w.y - xz * w.z, (xx + zz) * w.y - xy * w.x - yz * w.z,
            (xx + yy) * w.z - xz * w.x - yz * w.y};
  }
};

DYN_INLINE Vec rotated(const Vec& x, const Vec& X, const Vec& Y, const Vec& Z) {
  return {X.x * x.x + Y.x * x.y + Z.x * x.z, X.y * x.x + Y.y * x.y + Z.y * x.z,
          X.z * x.x + Y.z * x.y + Z.z * x.z};
}

DYN_INLINE Moments moments(const Vec& c, const Vec& u, const Vec& v, const Vec& h, V e) {
  return {h,
          e + u.x * u.x + v.x * v.x + h.x * c.x,
          u.x * u.y + v.x * v.y + h.x * c.y,
          u.x * u.z + v.x * v.z + h.x * c.z,
          e + u.y * u.y + v.y * v.y + h.y * c.y,
          u.y * u.z + v.y * v.z + h.y * c.z,
          e + u.z * u.z + v.z * v.z + h.z * c.z};
}
DYN_INLINE Moments link_moments(const LinkLanes& k, const JointLanes& j, int l) {
  const Vec X = load(j.frame, l), Y = load(j.frame + 3, l), Z = load(j.frame + 6, l);
  const Vec c = load(j.origin, l) + rotated(load(k.com, l), X, Y, Z);
  const Vec u = rotated(load(k.u, l), X, Y, Z), v = rotated(load(k.v, l), X, Y, Z);
  return moments(c, u, v, load(k.mass + l) * c, load(k.e + l));
}

DYN_INLINE Vec suffix_sums(const Vec& x, Vec& carry) {
  return {suffix_sum(x.x, carry.x), suffix_sum(x.y, carry.y), suffix_sum(x.z, carry.z)};
}
DYN_INLINE Moments suffix_sums(const Moments& m, Moments& carry) {
  return {suffix_sums(m.h, carry.h),  suffix_sum(m.xx, carry.xx), suffix_sum(m.xy, carry.xy),
          suffix_sum(m.xz, carry.xz), suffix_sum(m.yy, carry.yy), suffix_sum(m.yz, carry.yz),
          suffix_sum(m.zz, carry.zz)};
}

/// First of the last kWidth joints.
DYN_INLINE int last_group(const Workspace& w) { return (w.joints - 1) / kWidth * kWidth; }

/// How many of the kWidth joints from i on there are.
DYN_INLINE int group_size(const Workspace& w, int i) {
  return w.joints - i < kWidth ? w.joints - i : kWidth;
}

/// Joint axes, and the momentum of all links from joint i on at unit speed of joint i. False if anything
/// is not finite.
DYN_PASS bool joint_momenta(const Workspace& w) {
  Moments carry{};
  for (int i = last_group(w); i >= 0; i -= kWidth) {
    const auto [k, j, l] = At(w, i);
    const Moments m = suffix_sums(link_moments(k, j, l), carry);
    const Vec z = load(j.frame + 6, l);
    const Vec turn = load(k.revolute + l) * z;
    const Vec slide = cross(load(j.origin, l), turn) + load(k.prismatic + l) * z;
    store(j.axis, l, turn);
    store(j.axis + 3, l, slide);
    store(j.momentum, l, m.turned(turn) + cross(m.h, slide));
    store(j.momentum + 3, l, load(k.outboard_mass + l) * slide + cross(turn, m.h));
  }
  const V total = carry.xx + carry.yy + carry.zz + (carry.h.x + carry.h.y + carry.h.z);
  return total[0] - total[0] == 0.0;
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
