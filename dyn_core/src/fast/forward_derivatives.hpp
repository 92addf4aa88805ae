// Derivatives of forward dynamics: -M⁻¹ Φ with Φ = ∂τ/∂q and ∂τ/∂q̇ of derivatives.hpp, a group of columns side by
// side, by the factorisation's own recursion and so in O(n²):
//   from the tip inward   x_i = φ_i + S_i · e,   e -= ψ_i x_i,
//   from the base outward y_i = -x_i / D_i - ψ_i · a,   a += S_i y_i.
// Rows up to a column's own are φ_i = S_i · X with one X for all of them: X is added to e there.
#pragma once

#include "derivatives.hpp"
#include "udut.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

/// The columns of one group, by q or by q̇, on their way.
struct Solving {
  V outer[6], moment[3];  ///< what the rows beyond a column are made of
  V inner[6];             ///< X
  V e[6]{};

  DYN_INLINE V beyond(const JointLanes& j, int l) const {
    return product<6>(outer, j.momentum, l) + product<3>(moment, j.rate_moment, l);
  }
  /// One row; what is left of it goes to `solution`.
  DYN_INLINE void reduce(const JointLanes& j, int l, V phi, double* solution) {
    const V x = phi + product<6>(e, j.axis, l);
    for (int c = 0; c < 6; ++c) e[c] -= x * j.gain[c][l];
    store(solution, x * -j.inverse_pivot[l]);
  }
};

DYN_INLINE Solving columns_by_q(const At& at, const DerivativeLanes& d) {
  Solving s;
  for (int c = 0; c < 6; ++c) s.outer[c] = load(d.bend[c] + at.lane);
  for (int c = 0; c < 6; ++c) s.inner[c] = load(d.bend_force[c] + at.lane);
  for (int c = 0; c < 3; ++c) s.moment[c] = load(at.joint.rate[c] + at.lane);
  return s;
}
DYN_INLINE Solving columns_by_qd(const At& at) {
  Solving s;
  for (int c = 0; c < 6; ++c) s.outer[c] = load(at.joint.rate[c] + at.lane);
  for (int c = 0; c < 6; ++c) s.inner[c] = load(at.joint.rate_force[c] + at.lane);
  for (int c = 0; c < 3; ++c) s.moment[c] = 2.0 * load(at.joint.axis[c] + at.lane);
  return s;
}

/// From the tip inward.
DYN_INLINE void reduce_columns(const Workspace& w, const At& columns, int first) {
  Solving by_q = columns_by_q(columns, derivatives_at(w, first)), by_qd = columns_by_qd(columns);
  V axis[3];
  for (int c = 0; c < 3; ++c) axis[c] = load(columns.joint.axis[c] + columns.lane);
  const auto beyond_by_q = [&](const JointLanes& j, const DerivativeLanes& d, int l) {
    const V phi = by_q.beyond(j, l);
    return w.has_wrench ? phi + product<3>(axis, d.wrench_moment, l) : phi;
  };
  int i = w.joints - 1;
  for (; i >= first + kWidth; --i) {
    const JointLanes& j = w.state[i / kLanes];
    DerivativeLanes& d = derivatives_at(w, i);
    const int l = i % kLanes;
    by_q.reduce(j, l, beyond_by_q(j, d, l), d.solution[0][l]);
    by_qd.reduce(j, l, by_qd.beyond(j, l), d.solution[1][l]);
  }
  for (; i >= first; --i) {
    const JointLanes& j = w.state[i / kLanes];
    DerivativeLanes& d = derivatives_at(w, i);
    const int l = i % kLanes;
    const Bits is_beyond = lane_number() < i - first;
    by_q.reduce(j, l, is_beyond ? beyond_by_q(j, d, l) : product<6>(by_q.inner, j.axis, l),
                d.solution[0][l]);
    by_qd.reduce(j, l, is_beyond ? by_qd.beyond(j, l) : product<6>(by_qd.inner, j.axis, l),
                 d.solution[1][l]);
  }
  for (int c = 0; c < 6; ++c) by_q.e[c] += by_q.inner[c], by_qd.e[c] += by_qd.inner[c];
  for (; i >= 0; --i) {
    const JointLanes& j = w.state[i / kLanes];
    DerivativeLanes& d = derivatives_at(w, i);
    const int l = i % kLanes;
    by_q.reduce(j, l, V{}, d.solution[0][l]);
    by_qd.reduce(j, l, V{}, d.solution[1][l]);
  }
}

/// From the base outward.
DYN_INLINE void accelerate_columns(const Workspace& w, int first, int columns,
                                   const DerivativesOut& out) {
  V a[2][6]{};
  for (int i = 0; i < w.joints; i += kWidth) {
    const auto [k, j, l] = At(w, i);
    const DerivativeLanes& d = derivatives_at(w, i);
    const int rows = group_size(w, i);
    Tile t[2]{};
    DYN_UNROLL
    for (int r = 0; r < kWidth; ++r) {
      if (r >= rows) break;
      for (int m = 0; m < 2; ++m) {
        const V y = load(d.solution[m][l + r]) - product<6>(a[m], j.gain, l + r);
        for (int c = 0; c < 6; ++c) a[m][c] += y * j.axis[c][l + r];
        t[m].row[r] = y;
      }
    }
    write(transposed(t[0]), columns, rows, out.q + first * out.q_stride + i, out.q_stride);
    write(transposed(t[1]), columns, rows, out.qd + first * out.qd_stride + i, out.qd_stride);
  }
}

/// By q and q̇, from what factorise() and derivative_factors() left in the work space.
DYN_PASS void solved_columns(const Workspace& w, const DerivativesOut& out) {
  for (int first = 0; first < w.joints; first += kWidth) {
    reduce_columns(w, At(w, first), first);
    accelerate_columns(w, first, group_size(w, first), out);
  }
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
