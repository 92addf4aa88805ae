// The mass matrix, full and symmetric: M_ij = S_j · I^c_i S_i for j ≤ i, in tiles of kWidth x kWidth.
// Row i of the lower triangle is column i of the upper one: rows and columns need not be told apart.
#pragma once

#include "composite.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

/// Σ_c x_c b_c of joint `i`, in two chains.
template <int Count>
DYN_INLINE V product(const V* x, const Lanes* b, int i) {
  V even = x[0] * b[0][i], odd = x[1] * b[1][i];
  for (int c = 2; c < Count; c += 2) even += x[c] * b[c][i];
  for (int c = 3; c < Count; c += 2) odd += x[c] * b[c][i];
  return even + odd;
}
/// Row r, lane l: components of joint j + l, `a`, times those of joint i + r, `b`; of the rows at least
/// `rows`.
template <int Count>
DYN_INLINE Tile products(const Lanes* a, int j, const Lanes* b, int i, int rows) {
  V x[Count];
  for (int c = 0; c < Count; ++c) x[c] = load(a[c] + j);
  Tile t{};
  for (int r = 0; r < kWidth / 2; ++r) t.row[r] = product<Count>(x, b, i + r);
  if (rows <= kWidth / 2) return t;
  for (int r = kWidth / 2; r < kWidth; ++r) t.row[r] = product<Count>(x, b, i + r);
  return t;
}
DYN_INLINE Tile axis_times_momentum(const At& j, const At& i, int rows) {
  return products<6>(j.joint.axis, j.lane, i.joint.momentum, i.lane, rows);
}

/// Writes the first `rows` rows of the tile, `columns` numbers of each. Tiles stay in registers only where
/// the compiler sees the number of rows.
DYN_INLINE void write(const Tile& t, int rows, int columns, double* p, long stride) {
  if (rows == kWidth && columns == kWidth) {
    for (int r = 0; r < kWidth; ++r) store_unaligned(p + r * stride, t.row[r]);
    return;
  }
  DYN_UNROLL
  for (int r = 0; r < kWidth; ++r) {
    if (r >= rows) break;
    write(t.row[r], columns, p + r * stride);
  }
}

DYN_INLINE void add_armature(const At& at, Tile& t) {
  const V armature = load(at.link.armature + at.lane);
  for (int r = 0; r < kWidth; ++r) t.row[r] += lane_number() == r ? armature : V{};
}

DYN_PASS void mass_matrix_columns(const Workspace& w, double* M, long stride) {
  for (int i = 0; i < w.joints; i += kWidth) {
    const At at_i(w, i);
    const int rows = group_size(w, i);
    for (int j = 0; j < i; j += kWidth) {
      const Tile t = axis_times_momentum(At(w, j), at_i, rows);
      write(t, rows, kWidth, M + i * stride + j, stride);
      write(transposed(t), kWidth, rows, M + j * stride + i, stride);
    }
    Tile t = axis_times_momentum(at_i, at_i, rows);
    if (w.has_armature) add_armature(at_i, t);
    write(joined(t, t), rows, rows, M + i * stride + i, stride);
  }
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
