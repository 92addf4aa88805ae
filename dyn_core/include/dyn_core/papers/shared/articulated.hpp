// Articulated quantities in link frames: spatial vectors, symmetric 6x6 matrices, and the operator
// that carries both from a link to its parent. Shared by the diagonalized dynamics and the UDUᵀ.
//
//   K. Kozłowski: Robot dynamics models in terms of generalized and quasi-coordinates: a
//   comparison, Applied Mathematics and Computer Science 5, 1995. Nomenclature, eq. (12), (13), (21).
//   The UDUᵀ: S. K. Saha, Multibody System Dynamics 9, 2003, eq. (28).
//
//   Kozłowski                   | Saha           | here
//   k, k+1                      | i, i-1         | a link, and its parent
//   V(k), f(k), z(k)            | t_i, w_i       | Screw: in the link's frame, at its origin
//   P(k), λ̇(k), M(k)            | M̂_i, M_i       | SpatialSym: [I H; Hᵀ M] about the link's origin
//   h(k), P(k) H*(k)            | p_i, M̂_i p_i   | the z axis, axis_column()
//   Φ(k+1,k) A(k)               | B_i,i-1ᵀ       | LinkStep
//   Φ(k+1,k) A(k) z             | Bᵀ w           | force_to_parent()
//   A⁻¹(k) Φ*(k+1,k) V          | B t            | motion_to_child()
//   Φ(k+1,k) A(k) P A⁻¹(k) Φ*   | Bᵀ M̂ B         | to_parent()
//
// I, H and M are the letters of the three blocks here; the joint map H(k) is the z axis and needs no
// letter.
//
// Replaced: Φ A is no matrix here. It is Rx(alpha) Tx(a) Ry(beta) Rz(theta) Tz(d) of spatial.hpp,
// read from the right: each factor turns two components into one another or shifts along one axis,
// and P goes through the five by its 21 elements. What the shift l does to P is, with its blocks,
//   H' = H + l̃ M,   I' = I + l̃ Hᵀ - H' l̃
// and a turn R makes R I Rᵀ, R H Rᵀ, R M Rᵀ of them.
// A hinge, which is a revolute joint without armature, leaves no inertia about its axis: behind it
// τ̄ P τ̄* has zeros in the z rows of I and H. They stay zero through Tz and Rz and are filled by Ry
// or, where there is none, by Tx; until then `z_rows_vanish`, and nothing is spent on them.
#pragma once

#include "dyn_core/math/counted.hpp"
#include "dyn_core/robot/model.hpp"

namespace dyn {

/// A spatial vector: a velocity col[ω, v] of the frame's origin, or a force col[N, F] on it.
template <class Scalar>
struct Screw {
  Vec3<Scalar> ang = Vec3<Scalar>::Zero();
  Vec3<Scalar> lin = Vec3<Scalar>::Zero();

  /// H x, the component along the joint axis: about z, or along z for a prismatic joint.
  [[nodiscard]] Scalar& along(bool prismatic) { return prismatic ? lin.z() : ang.z(); }
  [[nodiscard]] const Scalar& along(bool prismatic) const { return prismatic ? lin.z() : ang.z(); }

  Screw& operator+=(const Screw& o) {
    ang += o.ang;
    lin += o.lin;
    return *this;
  }
  Screw& operator-=(const Screw& o) {
    ang -= o.ang;
    lin -= o.lin;
    return *this;
  }
  friend Screw operator*(const Scalar& factor, const Screw& s) {
    return {factor * s.ang, factor * s.lin};
  }
  [[nodiscard]] Scalar dot(const Screw& o) const { return ang.dot(o.ang) + lin.dot(o.lin); }
  [[nodiscard]] Vec6<Scalar> vector() const {
    Vec6<Scalar> v;
    v << ang, lin;
    return v;
  }
};

/// m -= u vᵀ + v uᵀ; where `z_row_vanishes`, the z row is left alone.
template <class Scalar>
void subtract_both_products(Sym3<Scalar>& m, const Vec3<Scalar>& u, const Vec3<Scalar>& v,
                            bool z_row_vanishes) {
  const Scalar xx = u.x() * v.x(), yy = u.y() * v.y();
  m.xx -= xx + xx;
  m.xy -= u.x() * v.y() + v.x() * u.y();
  m.yy -= yy + yy;
  if (z_row_vanishes) return;
  const Scalar zz = u.z() * v.z();
  m.xz -= u.x() * v.z() + v.x() * u.z();
  m.yz -= u.y() * v.z() + v.y() * u.z();
  m.zz -= zz + zz;
}

/// A symmetric 6x6 matrix [I H; Hᵀ M]: an articulated inertia, its time derivative, a rigid body.
template <class Scalar>
struct SpatialSym {
  Sym3<Scalar> I;
  Mat3<Scalar> H = Mat3<Scalar>::Zero();
  Sym3<Scalar> M;

  /// M(k).
  [[nodiscard]] static SpatialSym rigid(const LinkModel& k) {
    const Vec3<Scalar> s = k.moment.cast<Scalar>();
    const Scalar zero(0.0);
    const auto m = Scalar(k.mass);
    const Sym3<double>& J = k.inertia_origin;
    return {{Scalar(J.xx), Scalar(J.xy), Scalar(J.xz), Scalar(J.yy), Scalar(J.yz), Scalar(J.zz)},
            skew(s),
            {m, zero, zero, m, zero, m}};
  }

  /// += M(k), the end of (12): 15 additions.
  void add_rigid(const LinkModel& k) {
    const Vec3<Scalar> s = k.moment.cast<Scalar>();
    const auto m = Scalar(k.mass);
    const Sym3<double>& J = k.inertia_origin;
    I += {Scalar(J.xx), Scalar(J.xy), Scalar(J.xz), Scalar(J.yy), Scalar(J.yz), Scalar(J.zz)};
    H(0, 1) -= s.z(), H(0, 2) += s.y(), H(1, 2) -= s.x();
    H(1, 0) += s.z(), H(2, 0) -= s.y(), H(2, 1) += s.x();
    M.xx += m, M.yy += m, M.zz += m;
  }

  [[nodiscard]] Screw<Scalar> operator*(const Screw<Scalar>& s) const {
    return {I * s.ang + H * s.lin, H.transpose() * s.ang + M * s.lin};
  }
  /// P H*, the column of the joint axis.
  [[nodiscard]] Screw<Scalar> axis_column(bool prismatic) const {
    if (prismatic) return {H.col(2), {M.xz, M.yz, M.zz}};
    return {{I.xz, I.yz, I.zz}, H.row(2).transpose()};
  }
  void set_axis_column(bool prismatic, const Screw<Scalar>& s) {
    if (prismatic) {
      H.col(2) = s.ang;
      M.xz = s.lin.x(), M.yz = s.lin.y(), M.zz = s.lin.z();
    } else {
      I.xz = s.ang.x(), I.yz = s.ang.y(), I.zz = s.ang.z();
      H.row(2) = s.lin.transpose();
    }
  }
  /// sᵀ P s.
  [[nodiscard]] Scalar quadratic(const Screw<Scalar>& s) const {
    const Vec3<Scalar> h = H * s.lin;
    return s.ang.dot(I * s.ang + (h + h)) + s.lin.dot(M * s.lin);
  }
  /// -= g wᵀ + w gᵀ; where `z_rows_vanish`, the z rows of I and H are left alone.
  void subtract_both(const Screw<Scalar>& g, const Screw<Scalar>& w, bool z_rows_vanish) {
    subtract_both_products(I, g.ang, w.ang, z_rows_vanish);
    for (Index i = 0; i < (z_rows_vanish ? 2 : 3); ++i) {
      for (Index j = 0; j < 3; ++j) H(i, j) -= g.ang[i] * w.lin[j] + w.ang[i] * g.lin[j];
    }
    subtract_both_products(M, g.lin, w.lin, false);
  }

  [[nodiscard]] Mat6<Scalar> matrix() const {
    Mat6<Scalar> m;
    m << I.matrix(), H, H.transpose(), M.matrix();
    return m;
  }
};

/// T H Tᵀ for a general 2x2 matrix: 4 multiplications, 7 additions.
template <class Angle, class Scalar>
inline void turn_general(const Turn<Angle>& t, Scalar& uu, Scalar& uv, Scalar& vu, Scalar& vv) {
  const auto c = Scalar(t.c), s = Scalar(t.s);
  const Scalar old_uv = uv;
  const Scalar b = s * (uu - vv) + c * (uv + vu);
  const Scalar shift = s * b, across = c * b;
  uu -= shift;
  vv += shift;
  uv = across - vu;
  vu = across - old_uv;
}

/// Φ(k+1,k) A(k): the step from a link to its parent at one configuration.
template <class Scalar>
struct LinkStep {
  Turn<double> alpha, beta;
  JointPose<Scalar> joint;
  double a = 0.0, armature = 0.0;
  bool has_beta = false, prismatic = false;
  bool hinge = false;  ///< revolute without armature

  LinkStep() = default;
  LinkStep(const LinkModel& k, const JointPose<Scalar>& pose)
      : alpha(k.alpha),
        beta(k.beta),
        joint(pose),
        a(k.a),
        armature(k.armature),
        has_beta(k.has_beta),
        prismatic(k.prismatic),
        hinge(!k.prismatic && k.armature == 0.0) {}

  /// A⁻¹(k) of one vector of the parent's frame: 8 multiplications, 4 additions.
  void turn_to_child(Vec3<Scalar>& v) const {
    turn_back(alpha, v.y(), v.z());
    if (has_beta) turn_back(beta, v.z(), v.x());
    turn_back(joint.theta, v.x(), v.y());
  }
  /// A⁻¹(k) Φ*(k+1,k) V, a velocity from the parent: 20 multiplications, 12 additions.
  void motion_to_child(Screw<Scalar>& s) const {
    s.lin.y() += Scalar(a) * s.ang.z();
    s.lin.z() -= Scalar(a) * s.ang.y();
    turn_to_child(s.ang);
    turn_to_child(s.lin);
    s.lin.x() += joint.d * s.ang.y();
    s.lin.y() -= joint.d * s.ang.x();
  }
  /// Φ(k+1,k) A(k) z, a force to the parent: 20 multiplications, 12 additions.
  void force_to_parent(Screw<Scalar>& s) const {
    s.ang.x() -= joint.d * s.lin.y();
    s.ang.y() += joint.d * s.lin.x();
    turn_to_parent(s.ang);
    turn_to_parent(s.lin);
    s.ang.y() -= Scalar(a) * s.lin.z();
    s.ang.z() += Scalar(a) * s.lin.y();
  }
  /// A(k) of one vector.
  void turn_to_parent(Vec3<Scalar>& v) const {
    turn_about_z(joint.theta, v);
    if (has_beta) turn_about_y(beta, v);
    turn_about_x(alpha, v);
  }
  /// A⁻¹(k) Φ*(k+1,k) H*(k+1), the parent's joint axis seen from link k: 6 multiplications, 2
  /// additions, since all but its last turn and shift are made of constants.
  [[nodiscard]] Screw<Scalar> axis_of_parent(bool parent_is_prismatic) const;

  /// Φ(k+1,k) A(k) P A⁻¹(k) Φ*(k+1,k) of (12), (13), (21).
  void to_parent(SpatialSym<Scalar>& P, bool z_rows_vanish) const {
    shift_along_z(P, z_rows_vanish);               // Tz(d)
    turn_z(P, z_rows_vanish);                      // Rz(theta)
    if (has_beta) turn_y(P);                       // Ry(beta)
    shift_along_x(P, z_rows_vanish && !has_beta);  // Tx(a)
    turn_x(P);                                     // Rx(alpha)
  }

 private:
  // l = d z: row x of H' is that of H minus d (row y of M), row y that of H plus d (row x of M).
  void shift_along_z(SpatialSym<Scalar>& P, bool z_rows_vanish) const {
    Sym3<Scalar>& I = P.I;
    Mat3<Scalar>& H = P.H;
    const Sym3<Scalar>& M = P.M;
    const Scalar H_xy = H(0, 1), H_yx = H(1, 0), H_yy = H(1, 1);  // before the shift
    const Scalar d = joint.d, d_M_xy = d * M.xy;
    H(0, 0) -= d_M_xy, H(0, 1) -= d * M.yy, H(0, 2) -= d * M.yz;
    H(1, 0) += d * M.xx, H(1, 1) += d_M_xy, H(1, 2) += d * M.xz;
    I.xx -= d * (H_xy + H(0, 1));
    I.yy += d * (H_yx + H(1, 0));
    I.xy += d * (H(0, 0) - H_yy);
    if (z_rows_vanish) return;
    I.xz -= d * H(2, 1);
    I.yz += d * H(2, 0);
  }

  // l = a x: row y of H' is that of H minus a (row z of M), row z that of H plus a (row y of M).
  void shift_along_x(SpatialSym<Scalar>& P, bool z_rows_vanish) const {
    Sym3<Scalar>& I = P.I;
    Mat3<Scalar>& H = P.H;
    const Sym3<Scalar>& M = P.M;
    const Scalar H_yz = H(1, 2), H_zy = H(2, 1), H_zz = H(2, 2);  // before the shift
    const auto l = Scalar(a);
    const Scalar l_M_yz = l * M.yz;
    H(1, 0) -= l * M.xz, H(1, 1) -= l_M_yz, H(1, 2) -= l * M.zz;
    I.yy -= l * (H_yz + H(1, 2));
    I.xy -= l * H(0, 2);
    if (z_rows_vanish) {
      H(2, 0) = l * M.xy, H(2, 1) = l * M.yy, H(2, 2) = l_M_yz;
      I.xz = l * H(0, 1), I.yz = l * H(1, 1), I.zz = l * H(2, 1);
    } else {
      H(2, 0) += l * M.xy, H(2, 1) += l * M.yy, H(2, 2) += l_M_yz;
      I.xz += l * H(0, 1);
      I.yz += l * (H(1, 1) - H_zz);
      I.zz += l * (H_zy + H(2, 1));
    }
  }

  // The three turns, on the blocks I, M, H.
  void turn_z(SpatialSym<Scalar>& P, bool z_rows_vanish) const {
    const Turn<Scalar>& theta = joint.theta;
    turn_symmetric(theta, P.I.xx, P.I.xy, P.I.yy);
    turn_about_z(theta, P.M);
    turn_general(theta, P.H(0, 0), P.H(0, 1), P.H(1, 0), P.H(1, 1));
    turn(theta, P.H(0, 2), P.H(1, 2));
    if (z_rows_vanish) return;
    turn(theta, P.I.xz, P.I.yz);
    turn(theta, P.H(2, 0), P.H(2, 1));
  }
  void turn_y(SpatialSym<Scalar>& P) const {
    turn_about_y(beta, P.I);
    turn_about_y(beta, P.M);
    turn_general(beta, P.H(2, 2), P.H(2, 0), P.H(0, 2), P.H(0, 0));
    turn(beta, P.H(2, 1), P.H(0, 1));
    turn(beta, P.H(1, 2), P.H(1, 0));
  }
  void turn_x(SpatialSym<Scalar>& P) const {
    turn_about_x(alpha, P.I);
    turn_about_x(alpha, P.M);
    turn_general(alpha, P.H(1, 1), P.H(1, 2), P.H(2, 1), P.H(2, 2));
    turn(alpha, P.H(1, 0), P.H(2, 0));
    turn(alpha, P.H(0, 1), P.H(0, 2));
  }
};

template <class Scalar>
Screw<Scalar> LinkStep<Scalar>::axis_of_parent(bool parent_is_prismatic) const {
  Screw<double> s;  // constants: through Rx(alpha) Tx(a) Ry(beta)
  if (parent_is_prismatic) {
    s.lin = Vec3d(0.0, alpha.s, alpha.c);
  } else {
    s.ang = Vec3d(0.0, alpha.s, alpha.c);
    s.lin = Vec3d(0.0, a * alpha.c, -a * alpha.s);
  }
  if (has_beta) {
    turn_back(beta, s.ang.z(), s.ang.x());
    turn_back(beta, s.lin.z(), s.lin.x());
  }
  Screw<Scalar> out{s.ang.template cast<Scalar>(), s.lin.template cast<Scalar>()};
  const Turn<Scalar>& t = joint.theta;  // Rz(theta); without beta, x of both is zero
  if (has_beta) {
    turn_back(t, out.ang.x(), out.ang.y());
    turn_back(t, out.lin.x(), out.lin.y());
  } else {
    out.ang.x() = t.s * out.ang.y(), out.ang.y() = t.c * out.ang.y();
    out.lin.x() = t.s * out.lin.y(), out.lin.y() = t.c * out.lin.y();
  }
  out.lin.x() += joint.d * out.ang.y();  // Tz(d)
  out.lin.y() -= joint.d * out.ang.x();
  return out;
}

}  // namespace dyn
