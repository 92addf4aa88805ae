// M⁻¹ from the base outward. A unit torque at joint k accelerates link j-1 by A_k; then
//   (M⁻¹)_jk = -ψ_j · A_k,   A_k += S_j (M⁻¹)_jk                      for all k < j,
//   g = Y ψ_j,   (M⁻¹)_jj = 1/D_j + ψ_j · g,   A_j = S_j (M⁻¹)_jj - g,
// where Y is what a force on link j-1 accelerates it by; Y -= S gᵀ + g Sᵀ - (M⁻¹)_jj S Sᵀ.
#pragma once

#include "udut.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

DYN_INLINE V dot(const Six& a, const Six& b) {
  V t = a.part[0] * b.part[0];
  for (int p = 1; p < kParts; ++p) t += a.part[p] * b.part[p];
  return total(t);
}

/// The rows of one group in the columns of a group before it, or in its own, and A after it.
struct Responses {
  V A[6];

  DYN_INLINE V row(const JointLanes& j, int l) const {
    V even = A[0] * j.gain[0][l], odd = A[1] * j.gain[1][l];
    for (int c = 2; c < 6; c += 2) even += A[c] * j.gain[c][l], odd += A[c + 1] * j.gain[c + 1][l];
    return -even - odd;
  }
  DYN_INLINE void move(const JointLanes& j, int l, V x) {
    for (int c = 0; c < 6; ++c) A[c] += x * j.axis[c][l];
  }
};

/// Y, its columns side by side.
struct Mobility {
  Six Y[6]{};

  /// Passes one joint: g to `memory`, and returns its own element of M⁻¹.
  DYN_INLINE V pass(const JointLanes& j, int l, const Six& S, const Six& psi, SixMemory& memory) {
    Six even{}, odd{};
    for (int c = 0; c < 6; c += 2) {
      even.add_product(all(j.gain[c][l]), Y[c]);
      odd.add_product(all(j.gain[c + 1][l]), Y[c + 1]);
    }
    Six g = even;
    g += odd;
    store(memory, g);
    const V own = j.inverse_pivot[l] + dot(psi, g);
    for (int c = 0; c < 6; ++c) {
      const V S_c = all(j.axis[c][l]);
      Six outer{};
      outer.add_product(S_c, S);
      Y[c].add_product(-S_c, g);
      Y[c].add_product(all(-memory.x[c]), S);
      Y[c].add_product(own, outer);
    }
    return own;
  }
};

DYN_INLINE void six_of(const Lanes* p, int l, Six* joint) {
  V x[6];
  for (int c = 0; c < 6; ++c) x[c] = load(p[c] + l);
  side_by_side(x, joint);
}

/// The rows of a group in its own columns.
DYN_INLINE Tile own_columns(const At& at, int rows, Mobility& mobility) {
  const auto& [k, j, l] = at;
  Six S[kWidth], psi[kWidth];
  six_of(j.axis, l, S);
  six_of(j.gain, l, psi);
  Responses own{};
  Tile t{};
  DYN_UNROLL
  for (int r = 0; r < kWidth; ++r) {
    if (r >= rows) break;
    SixMemory g;
    const V diagonal = mobility.pass(j, l + r, S[r], psi[r], g);
    const Bits here = lane_number() == r;
    t.row[r] = here ? diagonal : own.row(j, l + r);
    for (int c = 0; c < 6; ++c) own.A[c] = here ? all(-g.x[c]) : own.A[c];
    own.move(j, l + r, t.row[r]);
  }
  for (int c = 0; c < 6; ++c) store(j.response[c] + l, own.A[c]);
  return t;
}

DYN_INLINE void inverse_columns(const Workspace& w, double* M_inverse, long stride) {
  Mobility mobility;
  for (int i = 0; i < w.joints; i += kWidth) {
    const At at(w, i);
    const int rows = group_size(w, i);
    for (int k = 0; k < i; k += kWidth) {
      const auto [unused, column, l] = At(w, k);
      Responses before;
      for (int c = 0; c < 6; ++c) before.A[c] = load(column.response[c] + l);
      Tile t{};
      DYN_UNROLL
      for (int r = 0; r < kWidth; ++r) {
        if (r >= rows) break;
        t.row[r] = before.row(at.joint, at.lane + r);
        before.move(at.joint, at.lane + r, t.row[r]);
      }
      for (int c = 0; c < 6; ++c) store(column.response[c] + l, before.A[c]);
      write(t, rows, kWidth, M_inverse + i * stride + k, stride);
      write(transposed(t), kWidth, rows, M_inverse + k * stride + i, stride);
    }
    const Tile t = own_columns(at, rows, mobility);
    write(joined(t, t), rows, rows, M_inverse + i * stride + i, stride);
  }
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
