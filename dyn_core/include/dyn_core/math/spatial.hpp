// Poses, symmetric 3x3 matrices, and the two screws that lead from one link frame to the next.
//
// Frame i is fixed to link i (links 0 … n-1, base to tip) with z along the axis of joint i. A modified
// (Craig) Denavit-Hartenberg row leads from frame i-1 to frame i:
//
//   X = Rx(alpha) Tx(a) Ry(beta) Rz(theta) Tz(d)
//
// beta is Hayati's extra angle, zero except where consecutive axes are nearly parallel. Every step is
// a planar rotation or a shift along one axis, which is what keeps the operation counts low.
#pragma once

#include "dyn_core/math/types.hpp"

namespace dyn {

/// Rotation `R` and translation `p`: maps coordinates of frame B to frame A, x_A = R x_B + p.
template <class Scalar>
struct Pose {
  Mat3<Scalar> R = Mat3<Scalar>::Identity();
  Vec3<Scalar> p = Vec3<Scalar>::Zero();

  [[nodiscard]] Pose operator*(const Pose& other) const { return {R * other.R, R * other.p + p}; }
  [[nodiscard]] Vec3<Scalar> operator*(const Vec3<Scalar>& x) const { return R * x + p; }
  [[nodiscard]] Pose inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};

using Posed = Pose<double>;

/// The matrix of the cross product: skew(a) b = a × b.
template <class Scalar>
[[nodiscard]] Mat3<Scalar> skew(const Vec3<Scalar>& a) {
  Mat3<Scalar> m;
  const Scalar zero(0.0);
  m << zero, -a.z(), a.y(), a.z(), zero, -a.x(), -a.y(), a.x(), zero;
  return m;
}

/// A symmetric 3x3 matrix by its six independent elements.
template <class Scalar>
struct Sym3 {
  Scalar xx{0.0}, xy{0.0}, xz{0.0}, yy{0.0}, yz{0.0}, zz{0.0};

  [[nodiscard]] static Sym3 from(const Mat3d& m) {
    return {Scalar(m(0, 0)), Scalar(m(0, 1)), Scalar(m(0, 2)),
            Scalar(m(1, 1)), Scalar(m(1, 2)), Scalar(m(2, 2))};
  }
  [[nodiscard]] Mat3<Scalar> matrix() const {
    Mat3<Scalar> m;
    m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return m;
  }
  /// 9 multiplications, 6 additions.
  [[nodiscard]] Vec3<Scalar> operator*(const Vec3<Scalar>& v) const {
    return {xx * v.x() + xy * v.y() + xz * v.z(), xy * v.x() + yy * v.y() + yz * v.z(),
            xz * v.x() + yz * v.y() + zz * v.z()};
  }
  Sym3& operator+=(const Sym3& o) {
    xx += o.xx, xy += o.xy, xz += o.xz, yy += o.yy, yz += o.yz, zz += o.zz;
    return *this;
  }
};

/// R m Rᵀ for a rotation R and a constant m: 33 multiplications, 27 additions. With J = m - m_zz 1 and
/// the columns x, y, z of R it is m_zz 1 + (x uᵀ + u xᵀ) + (y vᵀ + v yᵀ), where
/// u = J_xx/2 x + J_xy y + J_xz z and v = J_yy/2 y + J_yz z.
template <class Scalar>
[[nodiscard]] Sym3<Scalar> rotated(const Mat3<Scalar>& R, const Sym3<double>& m) {
  const Vec3<Scalar> x = R.col(0), y = R.col(1), z = R.col(2);
  const auto zz = Scalar(m.zz);
  const Vec3<Scalar> u = Scalar(0.5 * (m.xx - m.zz)) * x + Scalar(m.xy) * y + Scalar(m.xz) * z;
  const Vec3<Scalar> v = Scalar(0.5 * (m.yy - m.zz)) * y + Scalar(m.yz) * z;
  const auto diagonal = [&](Index i) {
    const Scalar half = x[i] * u[i] + y[i] * v[i];
    return zz + (half + half);
  };
  const auto other = [&](Index i, Index j) {
    return x[i] * u[j] + u[i] * x[j] + y[i] * v[j] + v[i] * y[j];
  };
  return {diagonal(0), other(0, 1), other(0, 2), diagonal(1), other(1, 2), diagonal(2)};
}

/// Cosine and sine of one planar rotation.
template <class Scalar>
struct Turn {
  Scalar c{1.0}, s{0.0};
};

/// (u, v) turned by `t`: 4 multiplications, 2 additions.
template <class Angle, class Scalar>
inline void turn(const Turn<Angle>& t, Scalar& u, Scalar& v) {
  const auto c = Scalar(t.c), s = Scalar(t.s);
  const Scalar old_u = u;
  u = c * old_u - s * v;
  v = s * old_u + c * v;
}

/// (u, v) turned by the opposite of `t`.
template <class Angle, class Scalar>
inline void turn_back(const Turn<Angle>& t, Scalar& u, Scalar& v) {
  const auto c = Scalar(t.c), s = Scalar(t.s);
  const Scalar old_u = u;
  u = c * old_u + s * v;
  v = c * v - s * old_u;
}

/// Similarity transform T m Tᵀ of a symmetric 2x2 matrix by the turn `t`: 4 multiplications,
/// 6 additions (Bhangale 2004, Appendix B.2, with its printed i12 read as i22).
template <class Angle, class Scalar>
inline void turn_symmetric(const Turn<Angle>& t, Scalar& uu, Scalar& uv, Scalar& vv) {
  const auto c = Scalar(t.c), s = Scalar(t.s);
  const Scalar half = c * uv;
  const Scalar b = s * (uu - vv) + (half + half);
  const Scalar shift = s * b;
  uu -= shift;
  vv += shift;
  uv = c * b - uv;
}

/// T m Tᵀ for a turn about z (8 multiplications, 8 additions); the turns about x and y are alike.
template <class Angle, class Scalar>
inline void turn_about_z(const Turn<Angle>& t, Sym3<Scalar>& m) {
  turn_symmetric(t, m.xx, m.xy, m.yy);
  turn(t, m.xz, m.yz);
}
template <class Angle, class Scalar>
inline void turn_about_x(const Turn<Angle>& t, Sym3<Scalar>& m) {
  turn_symmetric(t, m.yy, m.yz, m.zz);
  turn(t, m.xy, m.xz);
}
template <class Angle, class Scalar>
inline void turn_about_y(const Turn<Angle>& t, Sym3<Scalar>& m) {
  turn_symmetric(t, m.zz, m.xz, m.xx);
  turn(t, m.yz, m.xy);
}

template <class Angle, class Scalar>
inline void turn_about_z(const Turn<Angle>& t, Vec3<Scalar>& v) {
  turn(t, v.x(), v.y());
}
template <class Angle, class Scalar>
inline void turn_about_x(const Turn<Angle>& t, Vec3<Scalar>& v) {
  turn(t, v.y(), v.z());
}
template <class Angle, class Scalar>
inline void turn_about_y(const Turn<Angle>& t, Vec3<Scalar>& v) {
  turn(t, v.z(), v.x());
}

}  // namespace dyn
