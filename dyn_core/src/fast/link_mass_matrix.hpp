// The mass matrix in link frames, by composite bodies.
#pragma once

#include "link_frames.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

template <class T>
DYN_INLINE void set_both(const Square& M, int i, int j, T x) {
  M.set(i, j, x);
  M.set(j, i, x);
}

/// Short chains: each joint's momentum is carried inward link by link. 20
/// operations for an element.
template <class T>
DYN_INLINE void mass_matrix_by_links(const States<T>& s, const Square& M) {
  BodyOf<T> body = s.body(s.n - 1);
  for (int i = s.n - 1; i >= 0; --i) {
    ScrewOf<T> F = joint_momentum(s.links[i], body);
    M.set(i, i, F.along(s.links[i]) + s.links[i].armature);
    for (int j = i; j > 0; --j) {
      force_to_parent(s.links[j], s.records[j].joint, F);
      set_both(M, i, j - 1, F.along(s.links[j - 1]));
    }
    if (i == 0) break;
    body_to_parent(s.links[i], s.records[i].joint, body);
    body += s.body(i - 1);
  }
}

/// Axes and momenta in frame 0, one after the other.
template <class T>
DYN_INLINE void joints_in_frame_0(const States<T>& s) {
  const T zero{}, one = 1.0 - T{};
  VecOf<T> X{one, zero, zero}, Y{zero, one, zero}, Z{zero, zero, one}, o{zero, zero, zero};
  for (int i = 0; i < s.n; ++i) {
    const LinkNumbers& k = s.links[i];
    Record<T>& r = s.records[i];
    o = o + k.a * X;
    next_frame(k, r.joint, X, Y, Z);
    o = o + r.joint.d * Z;
    const VecOf<T>&n = r.gain.ang, f = r.gain.lin.x * X + r.gain.lin.y * Y + r.gain.lin.z * Z;
    r.gain = {n.x * X + n.y * Y + n.z * Z + cross(o, f), f};
    if (k.prismatic) {
      r.force = {{zero, zero, zero}, Z};
    } else {
      r.force = {Z, cross(o, Z)};
    }
  }
}

/// Long chains: all in frame 0, 6 operations for an element.
template <class T>
DYN_INLINE void mass_matrix_by_products(const States<T>& s, const Square& M) {
  BodyOf<T> body = s.body(s.n - 1);
  for (int i = s.n - 1; i >= 0; --i) {
    s.records[i].gain = joint_momentum(s.links[i], body);
    if (i == 0) break;
    body_to_parent(s.links[i], s.records[i].joint, body);
    body += s.body(i - 1);
  }
  joints_in_frame_0(s);
  constexpr int kNear = 16;  // axes that stay in the first-level cache
  for (int first = 0; first < s.n; first += kNear) {
    for (int i = first; i < s.n; ++i) {
      const ScrewOf<T> F = s.records[i].gain;
      const int end = i + 1 < first + kNear ? i + 1 : first + kNear;
      for (int j = first; j < end; ++j) {
        const ScrewOf<T>& S = s.records[j].force;
        set_both(M, i, j, dot(S.ang, F.ang) + dot(S.lin, F.lin));
      }
    }
  }
  for (int i = 0; i < s.n; ++i) {
    const ScrewOf<T>&S = s.records[i].force, &F = s.records[i].gain;
    M.set(i, i, dot(S.ang, F.ang) + dot(S.lin, F.lin) + s.links[i].armature);
  }
}

inline constexpr int kShortChain = 10;

template <class T>
DYN_INLINE void mass_matrix_in_links(const States<T>& s, const Square& M) {
  s.n <= kShortChain ? mass_matrix_by_links(s, M) : mass_matrix_by_products(s, M);
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
