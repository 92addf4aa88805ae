// Articulated quantities in link frames: screws, symmetric 6x6 matrices, and the step between a
// link and its parent at one configuration. Shared by the UDUᵀ and the diagonalized dynamics.
//
// A symmetric 6x6 matrix P = [I H; Hᵀ M] is carried by its 21 elements. Going to the parent it is
// shifted and turned as spatial.hpp says: along and about z, then along and about x. A hinge, which
// is a revolute joint without armature, leaves no inertia about its axis: the z rows of I and H
// vanish behind it, and nothing is spent on them until the turn about x fills them again.
#pragma once

#include "dyn_core/math/counted.hpp"
#include "dyn_core/robot/model.hpp"

namespace dyn {

/// A velocity (angular, and linear of the frame's origin) or a force (moment about the origin,
/// force).
template <class Scalar>
struct Screw {
  Vec3<Scalar> ang = Vec3<Scalar>::Zero();
  Vec3<Scalar> lin = Vec3<Scalar>::Zero();

  /// The component along the joint axis: about z, or along z for a prismatic joint.
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

/// A symmetric 6x6 matrix [I H; Hᵀ M]: an articulated inertia, its time derivative, a rigid body.
template <class Scalar>
struct SpatialSym {
  Sym3<Scalar> I;
  Mat3<Scalar> H = Mat3<Scalar>::Zero();
  Sym3<Scalar> M;

  [[nodiscard]] static SpatialSym rigid(const LinkModel& k) {
    const Vec3<Scalar> s = k.moment.cast<Scalar>();
    const Scalar zero(0.0);
    const auto m = Scalar(k.mass);
    const Sym3<double>& J = k.inertia_origin;
    return {{Scalar(J.xx), Scalar(J.xy), Scalar(J.xz), Scalar(J.yy), Scalar(J.yz), Scalar(J.zz)},
            skew(s),
            {m, zero, zero, m, zero, m}};
  }

  /// Adds the inertia of a rigid link: 15 additions.
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
  /// The column of the joint axis.
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

/// The step from link i to its parent at one configuration.
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

  /// A vector from the parent's frame: 8 multiplications, 4 additions.
  void turn_to_child(Vec3<Scalar>& v) const {
    turn_back(alpha, v.y(), v.z());
    if (has_beta) turn_back(beta, v.z(), v.x());
    turn_back(joint.theta, v.x(), v.y());
  }
  /// A velocity from the parent: 20 multiplications, 12 additions.
  void motion_to_child(Screw<Scalar>& s) const {
    s.lin.y() += Scalar(a) * s.ang.z();
    s.lin.z() -= Scalar(a) * s.ang.y();
    turn_to_child(s.ang);
    turn_to_child(s.lin);
    s.lin.x() += joint.d * s.ang.y();
    s.lin.y() -= joint.d * s.ang.x();
  }
  /// A force to the parent: 20 multiplications, 12 additions.
  void force_to_parent(Screw<Scalar>& s) const {
    s.ang.x() -= joint.d * s.lin.y();
    s.ang.y() += joint.d * s.lin.x();
    turn_to_parent(s.ang);
    turn_to_parent(s.lin);
    s.ang.y() -= Scalar(a) * s.lin.z();
    s.ang.z() += Scalar(a) * s.lin.y();
  }
  void turn_to_parent(Vec3<Scalar>& v) const {
    turn_about_z(joint.theta, v);
    if (has_beta) turn_about_y(beta, v);
    turn_about_x(alpha, v);
  }
  /// The unit velocity of the parent's own joint, seen from link i: 6 multiplications, 2 additions.
  [[nodiscard]] Screw<Scalar> axis_of_parent(bool parent_is_prismatic) const;

  /// P to the parent's frame. With `open` its z rows are taken as zero, as behind a hinge.
  void to_parent(SpatialSym<Scalar>& P, bool open) const {
    shift_along_z(P, open);
    turn_z(P, open);
    if (has_beta) {
      turn_about_y(beta, P.I);
      turn_about_y(beta, P.M);
      turn_general(beta, P.H(2, 2), P.H(2, 0), P.H(0, 2), P.H(0, 0));
      turn(beta, P.H(2, 1), P.H(0, 1));
      turn(beta, P.H(1, 2), P.H(1, 0));
    }
    shift_along_x(P, open && !has_beta);
    turn_about_x(alpha, P.I);
    turn_about_x(alpha, P.M);
    turn_general(alpha, P.H(1, 1), P.H(1, 2), P.H(2, 1), P.H(2, 2));
    turn(alpha, P.H(1, 0), P.H(2, 0));
    turn(alpha, P.H(0, 1), P.H(0, 2));
  }

 private:
  // H += l̃ M, I += l̃ Hᵀ - H' l̃ with l = d z.
  void shift_along_z(SpatialSym<Scalar>& P, bool open) const {
    Sym3<Scalar>& I = P.I;
    Mat3<Scalar>& H = P.H;
    const Sym3<Scalar>& M = P.M;
    const Scalar d = joint.d, across = d * M.xy;
    const Scalar h00 = H(0, 0) - across, h01 = H(0, 1) - d * M.yy;
    const Scalar h10 = H(1, 0) + d * M.xx, h11 = H(1, 1) + across;
    I.xx -= d * (H(0, 1) + h01);
    I.yy += d * (H(1, 0) + h10);
    I.xy += d * (h00 - H(1, 1));
    if (!open) {
      I.xz -= d * H(2, 1);
      I.yz += d * H(2, 0);
    }
    H(0, 0) = h00, H(0, 1) = h01, H(0, 2) -= d * M.yz;
    H(1, 0) = h10, H(1, 1) = h11, H(1, 2) += d * M.xz;
  }

  void turn_z(SpatialSym<Scalar>& P, bool open) const {
    turn_symmetric(joint.theta, P.I.xx, P.I.xy, P.I.yy);
    turn_about_z(joint.theta, P.M);
    turn_general(joint.theta, P.H(0, 0), P.H(0, 1), P.H(1, 0), P.H(1, 1));
    turn(joint.theta, P.H(0, 2), P.H(1, 2));
    if (open) return;
    turn(joint.theta, P.I.xz, P.I.yz);
    turn(joint.theta, P.H(2, 0), P.H(2, 1));
  }

  // The same shift with l = a x.
  void shift_along_x(SpatialSym<Scalar>& P, bool open) const {
    Sym3<Scalar>& I = P.I;
    Mat3<Scalar>& H = P.H;
    const Sym3<Scalar>& M = P.M;
    const auto l = Scalar(a);
    const Scalar across = l * M.yz;
    const Scalar h11 = H(1, 1) - across, h12 = H(1, 2) - l * M.zz;
    I.yy -= l * (H(1, 2) + h12);
    I.xy -= l * H(0, 2);
    if (open) {
      H(2, 0) = l * M.xy, H(2, 1) = l * M.yy, H(2, 2) = across;
      I.xz = l * H(0, 1), I.yz = l * h11, I.zz = l * H(2, 1);
    } else {
      const Scalar h21 = H(2, 1) + l * M.yy;
      I.zz += l * (H(2, 1) + h21);
      I.yz += l * (h11 - H(2, 2));
      I.xz += l * H(0, 1);
      H(2, 0) += l * M.xy, H(2, 1) = h21, H(2, 2) += across;
    }
    H(1, 0) -= l * M.xz, H(1, 1) = h11, H(1, 2) = h12;
  }
};

template <class Scalar>
Screw<Scalar> LinkStep<Scalar>::axis_of_parent(bool parent_is_prismatic) const {
  Screw<double> s;  // constants up to the joint's own turn and shift
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
  const Turn<Scalar>& t = joint.theta;
  if (has_beta) {
    turn_back(t, out.ang.x(), out.ang.y());
    turn_back(t, out.lin.x(), out.lin.y());
  } else {
    out.ang.x() = t.s * out.ang.y(), out.ang.y() = t.c * out.ang.y();
    out.lin.x() = t.s * out.lin.y(), out.lin.y() = t.c * out.lin.y();
  }
  out.lin.x() += joint.d * out.ang.y();
  out.lin.y() -= joint.d * out.ang.x();
  return out;
}

}  // namespace dyn
