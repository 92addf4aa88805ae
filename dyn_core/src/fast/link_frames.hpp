// Steps between link frames, for one state or for several: `T` is double or a
// vector of states.
//
// A frame is reached from its parent by planar screws: about and along x by
// alpha and a, about y by beta where a row has it, about and along z by theta
// and d. Each is a turn of pairs of components.
#pragma once

#include "packet.hpp"
#include "vectors.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

template <class A, class T>
DYN_INLINE void turn(A c, A s, T& u, T& v) {
  const T old = u;
  u = c * old - s * v;
  v = s * old + c * v;
}
template <class A, class T>
DYN_INLINE void turn_back(A c, A s, T& u, T& v) {
  const T old = u;
  u = c * old + s * v;
  v = c * v - s * old;
}
/// R m Rᵀ of a symmetric 2x2 matrix.
template <class A, class T>
DYN_INLINE void turn_symmetric(A c, A s, T& uu, T& uv, T& vv) {
  const T across = s * (uu - vv) + (c + c) * uv;
  const T shift = s * across;
  uu -= shift;
  vv += shift;
  uv = c * across - uv;
}
/// R m Rᵀ of any 2x2 matrix.
template <class A, class T>
DYN_INLINE void turn_general(A c, A s, T& uu, T& uv, T& vu, T& vv) {
  const T across = s * (uu - vv) + c * (uv + vu), old = uv;
  const T shift = s * across, turned = c * across;
  uu -= shift;
  vv += shift;
  uv = turned - vu;
  vu = turned - old;
}

/// A symmetric 3x3 matrix.
template <class T>
struct SymOf {
  T xx, xy, xz, yy, yz, zz;
};

DYN_INLINE void get(double& x, const double* p) { x = *p; }
DYN_INLINE void get(V& x, const double* p) { x = load(p); }
DYN_INLINE void put(double* p, double x) { *p = x; }
DYN_INLINE void put(double* p, V x) { store(p, x); }

/// The joint of one link at one configuration.
template <class T>
struct Joint {
  T c, s, d;
};

template <class T>
DYN_INLINE void to_parent(const LinkNumbers& k, const Joint<T>& j, VecOf<T>& v) {
  turn(j.c, j.s, v.x, v.y);
  if (k.has_beta) turn(k.beta_c, k.beta_s, v.z, v.x);
  turn(k.alpha_c, k.alpha_s, v.y, v.z);
}
template <class T>
DYN_INLINE void to_child(const LinkNumbers& k, const Joint<T>& j, VecOf<T>& v) {
  turn_back(k.alpha_c, k.alpha_s, v.y, v.z);
  if (k.has_beta) turn_back(k.beta_c, k.beta_s, v.z, v.x);
  turn_back(j.c, j.s, v.x, v.y);
}

/// The columns of the rotation of a frame become those of the next one.
template <class T>
DYN_INLINE void next_frame(const LinkNumbers& k, const Joint<T>& j, VecOf<T>& X, VecOf<T>& Y,
                           VecOf<T>& Z) {
  turn_back(k.alpha_c, k.alpha_s, Y.x, Z.x);
  turn_back(k.alpha_c, k.alpha_s, Y.y, Z.y);
  turn_back(k.alpha_c, k.alpha_s, Y.z, Z.z);
  if (k.has_beta) {
    turn_back(k.beta_c, k.beta_s, Z.x, X.x);
    turn_back(k.beta_c, k.beta_s, Z.y, X.y);
    turn_back(k.beta_c, k.beta_s, Z.z, X.z);
  }
  turn_back(j.c, j.s, X.x, Y.x);
  turn_back(j.c, j.s, X.y, Y.y);
  turn_back(j.c, j.s, X.z, Y.z);
}

/// A motion or a force about the origin of a link frame.
template <class T>
struct ScrewOf {
  VecOf<T> ang, lin;

  DYN_INLINE T& along(const LinkNumbers& k) { return k.prismatic ? lin.z : ang.z; }
};

template <class T>
DYN_INLINE void force_to_parent(const LinkNumbers& k, const Joint<T>& j, ScrewOf<T>& w) {
  w.ang.x -= j.d * w.lin.y;
  w.ang.y += j.d * w.lin.x;
  to_parent(k, j, w.ang);
  to_parent(k, j, w.lin);
  w.ang.y -= k.a * w.lin.z;
  w.ang.z += k.a * w.lin.y;
}
template <class T>
DYN_INLINE void motion_to_child(const LinkNumbers& k, const Joint<T>& j, ScrewOf<T>& m) {
  m.lin.y += k.a * m.ang.z;
  m.lin.z -= k.a * m.ang.y;
  to_child(k, j, m.ang);
  to_child(k, j, m.lin);
  m.lin.x += j.d * m.ang.y;
  m.lin.y -= j.d * m.ang.x;
}

/// Mass, first moment and inertia about the origin of the link frame.
template <class T>
struct BodyOf {
  T m;
  VecOf<T> h;
  SymOf<T> I;

  DYN_INLINE BodyOf& operator+=(const BodyOf& o) {
    m += o.m;
    h = h + o.h;
    I.xx += o.I.xx, I.xy += o.I.xy, I.xz += o.I.xz;
    I.yy += o.I.yy, I.yz += o.I.yz, I.zz += o.I.zz;
    return *this;
  }
};

template <class T>
DYN_INLINE void body_to_parent(const LinkNumbers& k, const Joint<T>& j, BodyOf<T>& b) {
  VecOf<T>& h = b.h;
  SymOf<T>& I = b.I;
  const T z = h.z + b.m * j.d;
  const T dz = j.d * (h.z + z);
  I.xx += dz, I.yy += dz, I.xz -= j.d * h.x, I.yz -= j.d * h.y;
  h.z = z;
  turn_symmetric(j.c, j.s, I.xx, I.xy, I.yy);
  turn(j.c, j.s, I.xz, I.yz);
  if (k.has_beta) {
    turn_symmetric(k.beta_c, k.beta_s, I.zz, I.xz, I.xx);
    turn(k.beta_c, k.beta_s, I.yz, I.xy);
  }
  to_parent(k, j, h);
  turn_symmetric(k.alpha_c, k.alpha_s, I.yy, I.yz, I.zz);
  turn(k.alpha_c, k.alpha_s, I.xy, I.xz);
  const T x = h.x + b.m * k.a;
  const T dx = k.a * (h.x + x);
  I.yy += dx, I.zz += dx, I.xy -= k.a * h.y, I.xz -= k.a * h.z;
  h.x = x;
}

/// Momentum of a body at unit speed of the joint of its link frame.
template <class T>
DYN_INLINE ScrewOf<T> joint_momentum(const LinkNumbers& k, const BodyOf<T>& b) {
  const T zero{};
  if (k.prismatic) return {{b.h.y, -b.h.x, zero}, {zero, zero, b.m}};
  return {{b.I.xz, b.I.yz, b.I.zz}, {-b.h.y, b.h.x, zero}};
}

/// What is kept of one link.
template <class T>
struct Record {
  Joint<T> joint;
  ScrewOf<T> force;  ///< on link i; or the joint axis in frame 0
  ScrewOf<T> gain;   ///< ψ; or the momentum at unit speed of joint i in frame 0
  T x;               ///< torque, then what the solution makes of it
  T inverse;         ///< 1/D
};

/// Values of `T` states, one row for each joint.
struct Rows {
  double* p;
  long stride;

  template <class T>
  [[nodiscard]] DYN_INLINE T at(int i) const {
    T x;
    get(x, p + i * stride);
    return x;
  }
  template <class T>
  DYN_INLINE void set(int i, T x) const {
    put(p + i * stride, x);
  }
};
struct Square {
  double* p;
  long stride, step;

  template <class T>
  [[nodiscard]] DYN_INLINE T at(int i, int j) const {
    T x;
    get(x, p + i * stride + j * step);
    return x;
  }
  template <class T>
  DYN_INLINE void set(int i, int j, T x) const {
    put(p + i * stride + j * step, x);
  }
};

/// One chain in `T` states.
template <class T>
struct States {
  int n;
  const LinkNumbers* links;
  const double* tip_bodies;  ///< of these states, kPacket numbers a row; or null
  const double* gravity;
  Record<T>* records;

  /// The rigid body on link i.
  [[nodiscard]] DYN_INLINE BodyOf<T> body(int i) const {
    T x[10];
    for (int c = 0; c < 10; ++c) x[c] = number(i, c);
    return {x[0], {x[1], x[2], x[3]}, {x[4], x[5], x[6], x[7], x[8], x[9]}};
  }
  /// ∫ x² dm, ∫ y² dm, ∫ z² dm.
  [[nodiscard]] DYN_INLINE VecOf<T> squares(int i) const {
    return {number(i, 10), number(i, 11), number(i, 12)};
  }

 private:
  [[nodiscard]] DYN_INLINE T number(int i, int c) const {
    T x;
    if (tip_bodies != nullptr && i == n - 1) {
      get(x, tip_bodies + c * kPacket);
    } else {
      x = links[i].body[c] - T{};
    }
    return x;
  }
};

}  // namespace dyn::fast::DYN_SIMD_TARGET
