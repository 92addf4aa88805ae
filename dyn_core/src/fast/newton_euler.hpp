// Inverse dynamics: velocities and accelerations are sums from the base outward, forces sums from the
// tip inward; between them every link is on its own.
#pragma once

#include "composite.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

/// A motion (angular, linear at the origin) or a force (moment about the origin, force).
struct Screw {
  Vec ang, lin;

  friend DYN_INLINE Screw operator+(const Screw& a, const Screw& b) {
    return {a.ang + b.ang, a.lin + b.lin};
  }
};
DYN_INLINE Screw operator*(V f, const Screw& s) { return {f * s.ang, f * s.lin}; }
DYN_INLINE V dot(const Screw& a, const Screw& b) { return dot(a.ang, b.ang) + dot(a.lin, b.lin); }
/// Rate of change of the motion `m`, fixed to a body that moves with `v`.
DYN_INLINE Screw carried(const Screw& v, const Screw& m) {
  return {cross(v.ang, m.ang), cross(v.ang, m.lin) + cross(v.lin, m.ang)};
}
DYN_INLINE Screw load_screw(const Lanes* p, int l) { return {load(p, l), load(p + 3, l)}; }
DYN_INLINE void store(Lanes* p, int l, const Screw& s) {
  store(p, l, s.ang), store(p + 3, l, s.lin);
}
DYN_INLINE Screw prefix_sums(const Screw& x, Screw& carry) {
  return {{prefix_sum(x.ang.x, carry.ang.x), prefix_sum(x.ang.y, carry.ang.y),
           prefix_sum(x.ang.z, carry.ang.z)},
          {prefix_sum(x.lin.x, carry.lin.x), prefix_sum(x.lin.y, carry.lin.y),
           prefix_sum(x.lin.z, carry.lin.z)}};
}
DYN_INLINE Screw suffix_sums(const Screw& x, Screw& carry) {
  return {suffix_sums(x.ang, carry.ang), suffix_sums(x.lin, carry.lin)};
}

DYN_INLINE Screw joint_axis(const At& at) {
  const auto& [k, j, l] = at;
  const Vec z = load(j.frame + 6, l);
  const Vec turn = load(k.revolute + l) * z;
  return {turn, cross(load(j.origin, l), turn) + load(k.prismatic + l) * z};
}

/// Force that accelerates one link: m (a + α × c + ω × v_c) and J α + ω × J ω about the centre of mass c.
DYN_INLINE Screw inertial_force(const At& at, const Screw& velocity, const Screw& acceleration) {
  const auto& [k, j, l] = at;
  const Vec X = load(j.frame, l), Y = load(j.frame + 3, l), Z = load(j.frame + 6, l);
  const Vec c = load(j.origin, l) + rotated(load(k.com, l), X, Y, Z);
  const Vec u = rotated(load(k.u, l), X, Y, Z), v = rotated(load(k.v, l), X, Y, Z);
  const Vec &w = velocity.ang, &w_rate = acceleration.ang;
  const Vec f = load(k.mass + l) *
                (acceleration.lin + cross(w_rate, c) + cross(w, velocity.lin + cross(w, c)));
  const Vec of_u = dot(u, w_rate) * u + dot(u, w) * cross(w, u);
  const Vec of_v = dot(v, w_rate) * v + dot(v, w) * cross(w, v);
  return {load(k.trace + l) * w_rate - of_u - of_v + cross(c, f), f};
}

/// Where the wrench at the tip acts, the same in all lanes.
DYN_INLINE Vec tip_point(const Workspace& w) {
  const JointLanes& j = w.state[(w.joints - 1) / kLanes];
  const int l = (w.joints - 1) % kLanes;
  double p[3];
  for (int r = 0; r < 3; ++r) {
    p[r] = j.origin[r][l];
    for (int c = 0; c < 3; ++c) p[r] += j.frame[3 * c + r][l] * w.tip[c];
  }
  return {all(p[0]), all(p[1]), all(p[2])};
}
/// The wrench at the tip about the origin, the same in all lanes.
DYN_INLINE Screw tip_wrench(const Workspace& w) {
  if (!w.has_wrench) return Screw{};
  const Vec f{all(w.wrench[3]), all(w.wrench[4]), all(w.wrench[5])};
  const Vec n{all(w.wrench[0]), all(w.wrench[1]), all(w.wrench[2])};
  return {n + cross(tip_point(w), f), f};
}

/// M q̈ + C q̇ + g - Jᵀ wrench, armature included, to the work space and to `tau`, where that is not null.
/// Without `qdd` it is zero.
DYN_PASS bool newton_euler(const Workspace& w, const double* gravity, const Screw& wrench,
                           const double* qd, const double* qdd, double* tau) {
  Screw velocity{}, acceleration{{}, {all(-gravity[0]), all(-gravity[1]), all(-gravity[2])}};
  for (int i = 0; i < w.joints; i += kWidth) {
    const At at(w, i);
    const Screw S = joint_axis(at);
    const Screw qd_S = load_first(qd + i, w.joints - i) * S;
    const Screw v = prefix_sums(qd_S, velocity);
    Screw change = carried(v, qd_S);
    if (qdd != nullptr) change = change + load_first(qdd + i, w.joints - i) * S;
    const Screw a = prefix_sums(change, acceleration);
    store(at.joint.axis, at.lane, S);
    store(at.joint.force, at.lane, inertial_force(at, v, a));
  }
  Screw beyond = all(-1.0) * wrench;
  V not_finite{};
  for (int i = last_group(w); i >= 0; i -= kWidth) {
    const auto [k, j, l] = At(w, i);
    V t = dot(load_screw(j.axis, l), suffix_sums(load_screw(j.force, l), beyond));
    if (qdd != nullptr) t += load(k.armature + l) * load_first(qdd + i, w.joints - i);
    not_finite += defect(t);
    store(j.torque + l, t);
    if (tau != nullptr) write(t, w.joints - i, tau + i);
  }
  return is_zero(not_finite);
}

/// The torque of gravity alone: the weight of all links from joint i on, and its moment.
DYN_INLINE bool static_torque(const Workspace& w, double* tau) {
  const Vec g{all(w.gravity[0]), all(w.gravity[1]), all(w.gravity[2])};
  Vec carry{};
  V not_finite{};
  for (int i = last_group(w); i >= 0; i -= kWidth) {
    const At at(w, i);
    const auto& [k, j, l] = at;
    const Vec X = load(j.frame, l), Y = load(j.frame + 3, l), Z = load(j.frame + 6, l);
    const Vec c = load(j.origin, l) + rotated(load(k.com, l), X, Y, Z);
    const Vec h = suffix_sums(load(k.mass + l) * c, carry);
    const Screw S = joint_axis(at);
    const V t = dot(S.ang, cross(g, h)) - load(k.outboard_mass + l) * dot(S.lin, g);
    not_finite += defect(t);
    write(t, w.joints - i, tau + i);
  }
  return is_zero(not_finite);
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
