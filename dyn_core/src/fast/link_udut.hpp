// M = U D Uᵀ and forward dynamics in link frames, by articulated inertias P =
// [I H; Hᵀ M], as in shared/articulated.hpp: about the origins of the link frames,
// and open behind a hinge, which is a revolute joint without armature: the rows
// of I and H along its axis vanish there.
#pragma once

#include "link_frames.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

template <class T>
struct Articulated {
  SymOf<T> I{};
  T H[3][3]{};
  SymOf<T> M{};

  DYN_INLINE void add(const BodyOf<T>& b) {
    I.xx += b.I.xx, I.xy += b.I.xy, I.xz += b.I.xz, I.yy += b.I.yy, I.yz += b.I.yz, I.zz += b.I.zz;
    H[0][1] -= b.h.z, H[0][2] += b.h.y, H[1][2] -= b.h.x;
    H[1][0] += b.h.z, H[2][0] -= b.h.y, H[2][1] += b.h.x;
    M.xx += b.m, M.yy += b.m, M.zz += b.m;
  }
  /// The column of the joint axis.
  [[nodiscard]] DYN_INLINE ScrewOf<T> column(bool prismatic) const {
    if (prismatic) return {{H[0][2], H[1][2], H[2][2]}, {M.xz, M.yz, M.zz}};
    return {{I.xz, I.yz, I.zz}, {H[2][0], H[2][1], H[2][2]}};
  }
  DYN_INLINE void set_column(bool prismatic, const ScrewOf<T>& c) {
    if (prismatic) {
      H[0][2] = c.ang.x, H[1][2] = c.ang.y, H[2][2] = c.ang.z;
      M.xz = c.lin.x, M.yz = c.lin.y, M.zz = c.lin.z;
    } else {
      I.xz = c.ang.x, I.yz = c.ang.y, I.zz = c.ang.z;
      H[2][0] = c.lin.x, H[2][1] = c.lin.y, H[2][2] = c.lin.z;
    }
  }
  /// Takes away g cᵀ; the z rows of I and H only where they do not vanish.
  DYN_INLINE void subtract(const ScrewOf<T>& g, const ScrewOf<T>& c, bool open) {
    I.xx -= g.ang.x * c.ang.x, I.xy -= g.ang.x * c.ang.y, I.yy -= g.ang.y * c.ang.y;
    H[0][0] -= g.ang.x * c.lin.x, H[0][1] -= g.ang.x * c.lin.y, H[0][2] -= g.ang.x * c.lin.z;
    H[1][0] -= g.ang.y * c.lin.x, H[1][1] -= g.ang.y * c.lin.y, H[1][2] -= g.ang.y * c.lin.z;
    M.xx -= g.lin.x * c.lin.x, M.xy -= g.lin.x * c.lin.y, M.xz -= g.lin.x * c.lin.z;
    M.yy -= g.lin.y * c.lin.y, M.yz -= g.lin.y * c.lin.z, M.zz -= g.lin.z * c.lin.z;
    if (open) return;
    I.xz -= g.ang.x * c.ang.z, I.yz -= g.ang.y * c.ang.z, I.zz -= g.ang.z * c.ang.z;
    H[2][0] -= g.ang.z * c.lin.x, H[2][1] -= g.ang.z * c.lin.y, H[2][2] -= g.ang.z * c.lin.z;
  }
  DYN_INLINE void shift_along_z(T d, bool open);
  DYN_INLINE void turn_about_z(T c, T s, bool open);
  DYN_INLINE void turn_about_y(double c, double s);
  DYN_INLINE void shift_along_x(double a, bool open);
  DYN_INLINE void turn_about_x(double c, double s);

  DYN_INLINE void to_parent(const LinkNumbers& k, const Joint<T>& j, bool open) {
    shift_along_z(j.d, open);
    turn_about_z(j.c, j.s, open);
    if (k.has_beta) turn_about_y(k.beta_c, k.beta_s);
    shift_along_x(k.a, open && !k.has_beta);
    turn_about_x(k.alpha_c, k.alpha_s);
  }
};

template <class T>
DYN_INLINE void Articulated<T>::shift_along_z(T d, bool open) {
  const T across = d * M.xy;
  const T h00 = H[0][0] - across, h01 = H[0][1] - d * M.yy;
  const T h10 = H[1][0] + d * M.xx, h11 = H[1][1] + across;
  I.xx -= d * (H[0][1] + h01);
  I.yy += d * (H[1][0] + h10);
  I.xy += d * (h00 - H[1][1]);
  if (!open) {
    I.xz -= d * H[2][1];
    I.yz += d * H[2][0];
  }
  H[0][0] = h00, H[0][1] = h01, H[0][2] -= d * M.yz;
  H[1][0] = h10, H[1][1] = h11, H[1][2] += d * M.xz;
}

template <class T>
DYN_INLINE void Articulated<T>::turn_about_z(T c, T s, bool open) {
  turn_symmetric(c, s, I.xx, I.xy, I.yy);
  turn_symmetric(c, s, M.xx, M.xy, M.yy);
  turn(c, s, M.xz, M.yz);
  turn_general(c, s, H[0][0], H[0][1], H[1][0], H[1][1]);
  turn(c, s, H[0][2], H[1][2]);
  if (open) return;
  turn(c, s, I.xz, I.yz);
  turn(c, s, H[2][0], H[2][1]);
}

template <class T>
DYN_INLINE void Articulated<T>::turn_about_y(double c, double s) {
  turn_symmetric(c, s, I.zz, I.xz, I.xx);
  turn(c, s, I.yz, I.xy);
  turn_symmetric(c, s, M.zz, M.xz, M.xx);
  turn(c, s, M.yz, M.xy);
  turn_general(c, s, H[2][2], H[2][0], H[0][2], H[0][0]);
  turn(c, s, H[2][1], H[0][1]);
  turn(c, s, H[1][2], H[1][0]);
}

template <class T>
DYN_INLINE void Articulated<T>::shift_along_x(double a, bool open) {
  const T across = a * M.yz;
  const T h11 = H[1][1] - across, h12 = H[1][2] - a * M.zz;
  I.yy -= a * (H[1][2] + h12);
  I.xy -= a * H[0][2];
  if (open) {
    H[2][0] = a * M.xy, H[2][1] = a * M.yy, H[2][2] = across;
    I.xz = a * H[0][1], I.yz = a * h11, I.zz = a * H[2][1];
  } else {
    const T h21 = H[2][1] + a * M.yy;
    I.zz += a * (H[2][1] + h21);
    I.yz += a * (h11 - H[2][2]);
    I.xz += a * H[0][1];
    H[2][0] += a * M.xy, H[2][1] = h21, H[2][2] += across;
  }
  H[1][0] -= a * M.xz, H[1][1] = h11, H[1][2] = h12;
}

template <class T>
DYN_INLINE void Articulated<T>::turn_about_x(double c, double s) {
  turn_symmetric(c, s, I.yy, I.yz, I.zz);
  turn(c, s, I.xy, I.xz);
  turn_symmetric(c, s, M.yy, M.yz, M.zz);
  turn(c, s, M.xy, M.xz);
  turn_general(c, s, H[1][1], H[1][2], H[2][1], H[2][2]);
  turn(c, s, H[1][0], H[2][0]);
  turn(c, s, H[0][1], H[0][2]);
}

[[nodiscard]] DYN_INLINE bool is_hinge(const LinkNumbers& k) {
  return !k.prismatic && k.armature == 0.0;
}

template <class T>
DYN_INLINE T dot(const ScrewOf<T>& a, const ScrewOf<T>& b) {
  return dot(a.ang, b.ang) + dot(a.lin, b.lin);
}
template <class T>
DYN_INLINE void add_product(const ScrewOf<T>& g, T x, ScrewOf<T>& to) {
  to = {to.ang + x * g.ang, to.lin + x * g.lin};
}

[[nodiscard]] DYN_INLINE bool all_greater(double a, double b) { return a > b; }
[[nodiscard]] DYN_INLINE bool all_greater(V a, V b) { return is_zero(a > b ? V{} : V{} + 1.0); }

/// Gains and pivots; `x` of the records becomes U⁻¹ x. False where a pivot is
/// lost in rounding.
template <class T>
DYN_INLINE bool factorise_in_links(const States<T>& s) {
  Articulated<T> P;
  ScrewOf<T> eta{};
  bool regular = true;
  for (int i = s.n - 1; i >= 0; --i) {
    const LinkNumbers& k = s.links[i];
    Record<T>& r = s.records[i];
    P.add(s.body(i));
    const ScrewOf<T> c = P.column(k.prismatic);
    const T scale = k.prismatic ? P.M.xx + P.M.yy + P.M.zz : P.I.xx + P.I.yy + P.I.zz;
    const T pivot = (k.prismatic ? c.lin.z : c.ang.z) + k.armature;
    regular = regular && all_greater(pivot, 16 * 0x1p-52 * scale);
    r.inverse = 1.0 / pivot;
    r.gain = {r.inverse * c.ang, r.inverse * c.lin};
    r.x -= eta.along(k);
    if (i == 0) break;
    add_product(r.gain, r.x, eta);
    force_to_parent(k, r.joint, eta);
    P.subtract(r.gain, c, is_hinge(k));
    if (!is_hinge(k) || k.has_beta) {
      P.set_column(k.prismatic, {k.armature * r.gain.ang, k.armature * r.gain.lin});
    }
    P.to_parent(k, r.joint, is_hinge(k));
  }
  return regular;
}

/// `x` of the records, after factorise_in_links(), becomes the acceleration.
template <class T>
DYN_INLINE void accelerate_in_links(const States<T>& s) {
  ScrewOf<T> a{};
  for (int i = 0; i < s.n; ++i) {
    const LinkNumbers& k = s.links[i];
    Record<T>& r = s.records[i];
    r.x *= r.inverse;
    if (i > 0) {
      motion_to_child(k, r.joint, a);
      r.x -= dot(r.gain, a);
    }
    a.along(k) += r.x;
  }
}

/// U by columns: each gain is carried inward.
template <class T>
DYN_INLINE void factors_in_links(const States<T>& s, const Square& U, const Rows& D) {
  for (int k = 0; k < s.n; ++k) {
    D.set(k, 1.0 / s.records[k].inverse);
    U.set(k, k, 1.0 - T{});
    for (int i = k + 1; i < s.n; ++i) U.set(i, k, T{});
    ScrewOf<T> psi = s.records[k].gain;
    for (int i = k; i > 0; --i) {
      force_to_parent(s.links[i], s.records[i].joint, psi);
      U.set(i - 1, k, psi.along(s.links[i - 1]));
    }
  }
}

/// M⁻¹ by columns, each up to the diagonal.
template <class T>
DYN_INLINE void inverse_in_links(const States<T>& s, const Square& M_inverse) {
  for (int column = 0; column < s.n; ++column) {
    ScrewOf<T> eta{};
    s.records[column].x = 1.0 - T{};
    for (int i = column; i >= 0; --i) {
      Record<T>& r = s.records[i];
      if (i < column) r.x = -eta.along(s.links[i]);
      add_product(r.gain, r.x, eta);
      if (i > 0) force_to_parent(s.links[i], r.joint, eta);
    }
    const States<T> part{column + 1, s.links, nullptr, nullptr, s.records};
    accelerate_in_links(part);
    for (int i = 0; i <= column; ++i) {
      M_inverse.set(i, column, s.records[i].x);
      M_inverse.set(column, i, s.records[i].x);
    }
  }
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
