// The Coriolis matrix of Christoffel's symbols: Ṁ - 2C is skew, C q̇ the centrifugal and Coriolis torque.
//
//   S. Echeandia, P. M. Wensing: Numerical methods to compute the Coriolis matrix and Christoffel symbols
//   for rigid-body systems, J. Comput. Nonlinear Dynam. 16, 2021: with B_k = ½ ((v×*) I + (I v) x̄* - I (v×))
//   of each link, Ṡ_j = v_j × S_j and sums over all links from j on,
//     C_ij = S_i · (I^c_j Ṡ_j + B^c_j S_j),   C_ji = Ṡ_i · I^c_j S_j + S_i · B^cᵀ_j S_j,   i ≤ j.
//
// Written out, B = [T 0; -f× 0]: f is the link's momentum, T = (h·v) 1 - v_c hᵀ - ω × E_c with h = m c and
// the Euler tensor E_c about the centre of mass c, v_c = v + ω × c.
#pragma once

#include "mass_matrix.hpp"
#include "newton_euler.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

/// A 3x3 matrix by its columns.
struct Columns {
  Vec x, y, z;

  DYN_INLINE void subtract_product(const Vec& a, const Vec& b) {
    x = x - b.x * a, y = y - b.y * a, z = z - b.z * a;
  }
};
DYN_INLINE Vec operator*(const Columns& m, const Vec& a) {
  return a.x * m.x + a.y * m.y + a.z * m.z;
}
DYN_INLINE Vec transposed_product(const Columns& m, const Vec& a) {
  return {dot(m.x, a), dot(m.y, a), dot(m.z, a)};
}
DYN_INLINE Columns suffix_sums(const Columns& m, Columns& carry) {
  return {suffix_sums(m.x, carry.x), suffix_sums(m.y, carry.y), suffix_sums(m.z, carry.z)};
}
DYN_INLINE void store(Lanes* p, int l, const Moments& m) {
  store(p, l, m.h);
  store(p + 3, l, Vec{m.xx, m.xy, m.xz});
  store(p + 6, l, Vec{m.yy, m.yz, m.zz});
}
DYN_INLINE Moments load_moments(const Lanes* p, int l) {
  const Vec a = load(p + 3, l), b = load(p + 6, l);
  return {load(p, l), a.x, a.y, a.z, b.x, b.y, b.z};
}

/// What each link alone adds: its moments, T and momentum.
DYN_INLINE void coriolis_of_link(const At& at, const Screw& velocity) {
  const auto& [k, j, l] = at;
  const Vec X = load(j.frame, l), Y = load(j.frame + 3, l), Z = load(j.frame + 6, l);
  const Vec c = load(j.origin, l) + rotated(load(k.com, l), X, Y, Z);
  const Vec u = rotated(load(k.u, l), X, Y, Z), v = rotated(load(k.v, l), X, Y, Z);
  const V m = load(k.mass + l), e = load(k.e + l);
  const Vec h = m * c, &w = velocity.ang;
  const Vec v_c = velocity.lin + cross(w, c);
  const V hv = dot(h, velocity.lin);
  Columns T{{hv, -e * w.z, e * w.y}, {e * w.z, hv, -e * w.x}, {-e * w.y, e * w.x, hv}};
  T.subtract_product(cross(w, u), u);
  T.subtract_product(cross(w, v), v);
  T.subtract_product(v_c, h);
  store(j.link_T, l, T.x), store(j.link_T + 3, l, T.y), store(j.link_T + 6, l, T.z);
  store(j.link_f, l, m * v_c);
  store(j.link_moments, l, moments(c, u, v, h, e));
}

/// The factors of all elements of C.
DYN_INLINE bool coriolis_factors(const Workspace& w, const double* qd) {
  Screw velocity{};
  for (int i = 0; i < w.joints; i += kWidth) {
    const At at(w, i);
    const Screw S = joint_axis(at);
    const Screw v = prefix_sums(load_first(qd + i, w.joints - i) * S, velocity);
    store(at.joint.axis, at.lane, S);
    store(at.joint.rate, at.lane, carried(v, S));
    coriolis_of_link(at, v);
  }
  Columns T_carry{};
  Vec f_carry{};
  Moments carry{};
  for (int i = last_group(w); i >= 0; i -= kWidth) {
    const auto [k, j, l] = At(w, i);
    const Columns T = suffix_sums(
        Columns{load(j.link_T, l), load(j.link_T + 3, l), load(j.link_T + 6, l)}, T_carry);
    const Vec f = suffix_sums(load(j.link_f, l), f_carry);
    const Moments m = suffix_sums(load_moments(j.link_moments, l), carry);
    const Screw S = load_screw(j.axis, l), R = load_screw(j.rate, l);
    const V mass = load(k.outboard_mass + l);
    store(j.momentum, l,
          Screw{m.turned(S.ang) + cross(m.h, S.lin), mass * S.lin + cross(S.ang, m.h)});
    store(j.rate_force, l,
          Screw{m.turned(R.ang) + cross(m.h, R.lin) + T * S.ang,
                mass * R.lin + cross(R.ang, m.h) + cross(S.ang, f)});
    store(j.rate_moment, l, transposed_product(T, S.ang) + cross(f, S.lin));
  }
  const V all_moments = carry.xx + carry.yy + carry.zz + (carry.h.x + carry.h.y + carry.h.z);
  const V all_rates = T_carry.x.x + T_carry.y.y + T_carry.z.z + (f_carry.x + f_carry.y + f_carry.z);
  const V t = all_moments + all_rates;
  return t[0] - t[0] == 0.0;
}

/// C_ij, j beyond i, by rows of j; and C_ji.
DYN_INLINE Tile inboard(const At& j, const At& i, int rows) {
  return products<6>(j.joint.axis, j.lane, i.joint.rate_force, i.lane, rows);
}
DYN_INLINE Tile outboard(const At& j, const At& i, int rows) {
  Tile t = products<6>(j.joint.rate, j.lane, i.joint.momentum, i.lane, rows);
  const Tile rest = products<3>(j.joint.axis, j.lane, i.joint.rate_moment, i.lane, rows);
  for (int r = 0; r < kWidth; ++r) t.row[r] += rest.row[r];
  return t;
}

DYN_INLINE void coriolis_columns(const Workspace& w, double* C, long stride) {
  for (int i = 0; i < w.joints; i += kWidth) {
    const At at_i(w, i);
    const int rows = group_size(w, i);
    for (int j = 0; j < i; j += kWidth) {
      const At at_j(w, j);
      write(inboard(at_j, at_i, rows), rows, kWidth, C + i * stride + j, stride);
      write(transposed(outboard(at_j, at_i, rows)), kWidth, rows, C + j * stride + i, stride);
    }
    write(joined(inboard(at_i, at_i, rows), outboard(at_i, at_i, rows)), rows, rows,
          C + i * stride + i, stride);
  }
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
