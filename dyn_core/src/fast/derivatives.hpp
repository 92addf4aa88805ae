// Derivatives of inverse dynamics by q and q̇, in the base frame. With Ψ̇_j = v_j × S_j, Ψ̈_j = a_j × S_j + v_j × Ψ̇_j
// (gravity is an acceleration of the base), I^c and B^c of coriolis.hpp and the force f^c_i on all links from i on,
//
//   S. Singh, R. P. Russell, P. M. Wensing: Efficient analytical derivatives of rigid-body dynamics using spatial
//   vector algebra, IEEE Robotics and Automation Letters 7, 2022:
//     ∂τ_j/∂q_i = S_j · (2 B^c_i Ψ̇_i + I^c_i Ψ̈_i + S_i ×* f^c_i),
//     ∂τ_i/∂q_j = Ψ̈_j · I^c_i S_i + 2 Ψ̇_j · B^cᵀ_i S_i,   j ≤ i;     ∂τ/∂q̇ = 2 C,   ∂τ/∂q̈ = M.
//
// B^cᵀ S has no linear part: an element is a product of six or of nine components.
#pragma once

#include "coriolis.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

DYN_INLINE DerivativeLanes& derivatives_at(const Workspace& w, int i) {
  return w.derivatives[i / kLanes];
}

/// The force that moves one link whose moments, T and momentum stand in the work space: I a + B v.
DYN_INLINE Screw force_of_link(const At& at, const Screw& velocity, const Screw& acceleration) {
  const auto& [k, j, l] = at;
  const Moments m = load_moments(j.link_moments, l);
  const Columns T{load(j.link_T, l), load(j.link_T + 3, l), load(j.link_T + 6, l)};
  const Vec &w = velocity.ang, &w_rate = acceleration.ang;
  return {m.turned(w_rate) + cross(m.h, acceleration.lin) + T * w,
          load(k.mass + l) * acceleration.lin + cross(w_rate, m.h) + cross(w, load(j.link_f, l))};
}

/// From the base outward; `rate` becomes 2 Ψ̇.
DYN_INLINE void move_links(const Workspace& w, const double* qd, const double* qdd) {
  Screw velocity{}, acceleration{{}, {all(-w.gravity[0]), all(-w.gravity[1]), all(-w.gravity[2])}};
  for (int i = 0; i < w.joints; i += kWidth) {
    const At at(w, i);
    const auto& [k, j, l] = at;
    const Screw S = joint_axis(at);
    const V rate = load_first(qd + i, w.joints - i);
    const Screw v = prefix_sums(rate * S, velocity);
    const Screw S_rate = carried(v, S);
    const Screw a =
        prefix_sums(rate * S_rate + load_first(qdd + i, w.joints - i) * S, acceleration);
    store(j.axis, l, S);
    store(j.rate, l, S_rate + S_rate);
    store(derivatives_at(w, i).bend, l, carried(a, S) + carried(v, S_rate));
    coriolis_of_link(at, v);
    store(j.force, l, force_of_link(at, v, a));
  }
}

/// What the wrench at `tip`, whose direction stays when a joint turns, has to do with joint `at`: u × f and z × n,
/// where u is the motion of its point.
DYN_INLINE void place_wrench(const Workspace& w, const At& at, const Screw& S, const Vec& tip,
                             Screw& bend_force, DerivativeLanes& out) {
  const Vec f{all(w.wrench[3]), all(w.wrench[4]), all(w.wrench[5])};
  const Vec n{all(w.wrench[0]), all(w.wrench[1]), all(w.wrench[2])};
  const Vec moved = cross(S.lin + cross(S.ang, tip), f);
  bend_force.ang = bend_force.ang - moved;
  store(out.wrench_moment, at.lane, Vec{} - moved - cross(S.ang, n));
}

/// The factors of all elements.
DYN_PASS bool derivative_factors(const Workspace& w, const double* qd, const double* qdd) {
  move_links(w, qd, qdd);
  const Vec tip = tip_point(w);
  Columns T_carry{};
  Vec f_carry{};
  Moments carry{};
  Screw force_carry{};
  for (int i = last_group(w); i >= 0; i -= kWidth) {
    const At at(w, i);
    const auto& [k, j, l] = at;
    DerivativeLanes& d = derivatives_at(w, i);
    const Columns T = suffix_sums(
        Columns{load(j.link_T, l), load(j.link_T + 3, l), load(j.link_T + 6, l)}, T_carry);
    const Vec f = suffix_sums(load(j.link_f, l), f_carry);
    const Moments m = suffix_sums(load_moments(j.link_moments, l), carry);
    const Screw force = suffix_sums(load_screw(j.force, l), force_carry);
    const Screw S = load_screw(j.axis, l), R = load_screw(j.rate, l), Q = load_screw(d.bend, l);
    const V mass = load(k.outboard_mass + l);
    const Vec T_S = T * S.ang;
    store(j.momentum, l,
          Screw{m.turned(S.ang) + cross(m.h, S.lin), mass * S.lin + cross(S.ang, m.h)});
    store(j.rate_force, l,
          Screw{m.turned(R.ang) + cross(m.h, R.lin) + (T_S + T_S),
                mass * R.lin + cross(R.ang, m.h) + cross(S.ang, f + f)});
    store(j.rate_moment, l, transposed_product(T, S.ang) + cross(f, S.lin));
    Screw bend_force{m.turned(Q.ang) + cross(m.h, Q.lin) + T * R.ang + cross(S.ang, force.ang) +
                         cross(S.lin, force.lin),
                     mass * Q.lin + cross(Q.ang, m.h) + cross(R.ang, f) + cross(S.ang, force.lin)};
    if (w.has_wrench) place_wrench(w, at, S, tip, bend_force, d);
    store(d.bend_force, l, bend_force);
  }
  const V moments = carry.xx + carry.yy + carry.zz + (carry.h.x + carry.h.y + carry.h.z);
  const V rates = T_carry.x.x + T_carry.y.y + T_carry.z.z + (f_carry.x + f_carry.y + f_carry.z);
  const Vec forces = force_carry.ang + force_carry.lin;
  const V t = moments + rates + (forces.x + forces.y + forces.z);
  return t[0] - t[0] == 0.0;
}

/// Lanes of `at_i`, rows of `at_j`, a group before it or the same: elements below the diagonal.
DYN_INLINE Tile below(const At& at_j, const At& at_i, const Lanes* six, const Lanes* three,
                      double f) {
  V x[9];
  for (int c = 0; c < 6; ++c) x[c] = load(at_i.joint.momentum[c] + at_i.lane);
  for (int c = 0; c < 3; ++c) x[6 + c] = f * load(at_i.joint.rate_moment[c] + at_i.lane);
  Tile t;
  for (int r = 0; r < kWidth; ++r) {
    t.row[r] = product<6>(x, six, at_j.lane + r) + product<3>(x + 6, three, at_j.lane + r);
  }
  return t;
}
DYN_INLINE Tile below_by_q(const Workspace& w, int j, int i) {
  const At at_j(w, j), at_i(w, i);
  Tile t = below(at_j, at_i, derivatives_at(w, j).bend, at_j.joint.rate, 1.0);
  if (!w.has_wrench) return t;
  const Tile rest = products<3>(derivatives_at(w, i).wrench_moment, at_i.lane, at_j.joint.axis,
                                at_j.lane, kWidth);
  for (int r = 0; r < kWidth; ++r) t.row[r] += rest.row[r];
  return t;
}
DYN_INLINE Tile below_by_qd(const At& at_j, const At& at_i) {
  return below(at_j, at_i, at_j.joint.rate, at_j.joint.axis, 2.0);
}
/// Lanes of `at_j`, rows of `at_i`: elements above the diagonal.
DYN_INLINE Tile above(const At& at_j, const At& at_i, const Lanes* six, int rows) {
  return products<6>(at_j.joint.axis, at_j.lane, six, at_i.lane, rows);
}
/// `upper` up to the diagonal, beyond it `lower`.
DYN_INLINE Tile beside(Tile upper, const Tile& lower) {
  for (int r = 0; r < kWidth; ++r) {
    upper.row[r] = lane_number() <= r ? upper.row[r] : lower.row[r];
  }
  return upper;
}

DYN_INLINE void derivative_columns(const Workspace& w, const DerivativesOut& out) {
  for (int i = 0; i < w.joints; i += kWidth) {
    const At at_i(w, i);
    const JointLanes& at = at_i.joint;
    const Lanes* bend_force = derivatives_at(w, i).bend_force;
    const int rows = group_size(w, i);
    for (int j = 0; j < i; j += kWidth) {
      const At at_j(w, j);
      double *q = out.q + i * out.q_stride + j, *q_below = out.q + j * out.q_stride + i;
      double *qd = out.qd + i * out.qd_stride + j, *qd_below = out.qd + j * out.qd_stride + i;
      write(above(at_j, at_i, bend_force, rows), rows, kWidth, q, out.q_stride);
      write(above(at_j, at_i, at.rate_force, rows), rows, kWidth, qd, out.qd_stride);
      write(below_by_q(w, j, i), kWidth, rows, q_below, out.q_stride);
      write(below_by_qd(at_j, at_i), kWidth, rows, qd_below, out.qd_stride);
    }
    write(beside(above(at_i, at_i, bend_force, rows), below_by_q(w, i, i)), rows, rows,
          out.q + i * out.q_stride + i, out.q_stride);
    write(beside(above(at_i, at_i, at.rate_force, rows), below_by_qd(at_i, at_i)), rows, rows,
          out.qd + i * out.qd_stride + i, out.qd_stride);
  }
  mass_matrix_columns(w, out.third, out.third_stride);
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
