// M = U D Uᵀ, U unit upper triangular, in O(n), and M q̈ = φ with it.
//
// From the tip inward, with F_i = I^c_i S_i and Q the 6x6 matrix of what the joints beyond take away:
//   G_i = F_i - Q S_i,   D_i = S_i · G_i + armature,   ψ_i = G_i / D_i,   Q += ψ_i G_iᵀ,   U_ji = S_j · ψ_i.
// The recursion goes group by group of kWidth joints: Q acts on a whole group at once, and inside it a
// small dense elimination takes its place, which has half the latency.
#pragma once

#include "mass_matrix.hpp"
#include "newton_euler.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

/// Six components side by side in as many vectors as it takes.
inline constexpr int kParts = (6 + kWidth - 1) / kWidth;
struct Six {
  V part[kParts];

  DYN_INLINE Six& operator+=(const Six& o) {
    for (int p = 0; p < kParts; ++p) part[p] += o.part[p];
    return *this;
  }
  DYN_INLINE void add_product(V f, const Six& o) {
    for (int p = 0; p < kParts; ++p) part[p] += f * o.part[p];
  }
};
struct alignas(64) SixMemory {
  double x[8];
};
DYN_INLINE void store(SixMemory& m, const Six& s) {
  for (int p = 0; p < kParts; ++p) store(m.x + p * kWidth, s.part[p]);
}

/// Lanes of joints to six components of each joint, and back.
DYN_INLINE void side_by_side(const V* component, Six* joint) {
  for (int p = 0; p < kParts; ++p) {
    Tile t;
    for (int c = 0; c < kWidth; ++c)
      t.row[c] = p * kWidth + c < 6 ? component[p * kWidth + c] : V{};
    t = transposed(t);
    for (int r = 0; r < kWidth; ++r) joint[r].part[p] = t.row[r];
  }
}
DYN_INLINE void store_lanes(Lanes* p, int l, const Six* joint) {
  for (int part = 0; part < kParts; ++part) {
    Tile t;
    for (int r = 0; r < kWidth; ++r) t.row[r] = joint[r].part[part];
    t = transposed(t);
    for (int c = 0; c < kWidth && part * kWidth + c < 6; ++c)
      store(p[part * kWidth + c] + l, t.row[c]);
  }
}

/// One group of joints during the elimination.
struct Group {
  Tile
      M;  ///< their mass matrix without what lies beyond, lower triangle; row k becomes row k of Uᵀ
  Six G[kWidth];
  V D = all(1.0), inverse = all(1.0);
  V x{};  ///< right-hand side; becomes U⁻¹ x
};

/// Eliminates the joints of the group from the last to the first. The pivot's reciprocal is what each
/// step waits for: all else is done beside it.
DYN_INLINE void eliminate(Group& g, int joints) {
  DYN_UNROLL
  for (int k = kWidth - 1; k >= 0; --k) {
    if (k >= joints) continue;
    const V row = g.M.row[k];
    const V pivot = every(row, k);
    const V inverse = 1.0 / pivot;
    DYN_UNROLL
    for (int j = kWidth - 1; j >= 0; --j) {
      if (j >= k) continue;
      const V M_jk = every(row, j);
      g.M.row[j] -= (M_jk * row) * inverse;
      g.G[j].add_product(-(M_jk * inverse), g.G[k]);
    }
    g.M.row[k] = lane_number() < k ? row * inverse : V{};
    g.x -= every(g.x, k) * g.M.row[k];
    g.D = lane_number() == k ? pivot : g.D;
    g.inverse = lane_number() == k ? inverse : g.inverse;
  }
}

/// What the joints beyond a group take away from it.
struct Beyond {
  Six Q[6]{};
  Six eta{};  ///< Σ ψ_k x_k
  SixMemory column[6], force;

  /// Takes in an eliminated group; its G becomes ψ.
  DYN_INLINE void add(Group& g) {
    DYN_UNROLL
    for (int k = 0; k < kWidth; ++k) {
      SixMemory G_k;
      store(G_k, g.G[k]);
      Six psi{};
      psi.add_product(every(g.inverse, k), g.G[k]);
      g.G[k] = psi;
      for (int c = 0; c < 6; ++c) Q[c].add_product(all(G_k.x[c]), psi);
      eta.add_product(every(g.x, k), psi);
    }
    for (int c = 0; c < 6; ++c) store(column[c], Q[c]);
    store(force, eta);
  }
};

/// Factorises, and reduces the right-hand side `torque` of the work space to D⁻¹ U⁻¹ φ. False where a pivot
/// is lost in rounding. The gains of the first group, which no other stands before, only where wanted.
template <bool AllGains>
DYN_PASS bool factorise(const Workspace& w) {
  Beyond beyond;
  V lost{};
  for (int i = last_group(w); i >= 0; i -= kWidth) {
    const At at(w, i);
    const auto& [link, joint, l] = at;
    const bool outermost = i + kWidth >= w.joints;
    const int rows = group_size(w, i);
    Group g;
    V S[6], G[6];
    V scale = load(link.armature + l);
    g.x = load(joint.torque + l);
    for (int c = 0; c < 6; ++c) {
      S[c] = load(joint.axis[c] + l);
      G[c] = load(joint.momentum[c] + l);
      scale += S[c] * G[c];
    }
    if (!outermost) {
      for (int c = 0; c < 6; ++c) {
        for (int r = 0; r < 6; ++r) G[c] -= beyond.column[r].x[c] * S[r];
        g.x -= beyond.force.x[c] * S[c];
      }
    }
    for (int c = 0; c < 6; ++c) store(joint.gain[c] + l, G[c]);
    g.M = products<6>(joint.axis, l, joint.gain, l, rows);
    add_armature(at, g.M);
    side_by_side(G, g.G);
    eliminate(g, rows);
    if (AllGains || i > 0) {
      beyond.add(g);
      store_lanes(joint.gain, l, g.G);
    }
    for (int r = 0; r < kWidth; ++r) store(joint.unit[l + r] + l, g.M.row[r]);
    store(joint.pivot + l, g.D);
    store(joint.inverse_pivot + l, g.inverse);
    store(joint.torque + l, g.x * g.inverse);
    lost += g.D > 16 * 0x1p-52 * scale ? V{} : V{} + 1.0;
  }
  return is_zero(lost);
}

/// q̈ from what factorise() left in the work space.
DYN_INLINE bool accelerate(const Workspace& w, double* qdd) {
  Six acceleration{};
  SixMemory before;
  V not_finite{};
  for (int i = 0; i < w.joints; i += kWidth) {
    const auto [k, j, l] = At(w, i);
    Tile U;
    for (int r = 0; r < kWidth; ++r) U.row[r] = load(j.unit[l + r] + l);
    U = transposed(U);
    V x = load(j.torque + l);
    if (i > 0) {
      for (int c = 0; c < 6; ++c) x -= before.x[c] * load(j.gain[c] + l);
    }
    DYN_UNROLL
    for (int r = 0; r < kWidth; ++r) x -= every(x, r) * U.row[r];
    not_finite += defect(x);
    write(x, w.joints - i, qdd + i);
    if (i + kWidth >= w.joints) break;
    V S[6];
    Six axis[kWidth];
    for (int c = 0; c < 6; ++c) S[c] = load(j.axis[c] + l);
    side_by_side(S, axis);
    for (int r = 0; r < kWidth; ++r) acceleration.add_product(every(x, r), axis[r]);
    store(before, acceleration);
  }
  return is_zero(not_finite);
}

/// U, full, and D.
DYN_PASS void write_factors(const Workspace& w, double* U, long stride, double* D) {
  const Tile zero{};
  for (int i = 0; i < w.joints; i += kWidth) {
    const At at_i(w, i);
    const auto& [link, joint, l] = at_i;
    const int rows = group_size(w, i);
    for (int j = 0; j < i; j += kWidth) {
      const At at_j(w, j);
      write(products<6>(at_j.joint.axis, at_j.lane, joint.gain, l, rows), rows, kWidth,
            U + i * stride + j, stride);
      write(zero, kWidth, rows, U + j * stride + i, stride);
    }
    Tile t;
    for (int r = 0; r < kWidth; ++r) {
      t.row[r] = lane_number() == r ? V{} + 1.0 : load(joint.unit[l + r] + l);
    }
    write(t, rows, rows, U + i * stride + i, stride);
    write(load(joint.pivot + l), rows, D + i);
  }
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
