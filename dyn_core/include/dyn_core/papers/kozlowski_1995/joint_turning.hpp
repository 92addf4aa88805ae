// Ω_δ, the operator by which a moving joint changes what is passed from link to link.
//
//   K. Kozłowski, Applied Mathematics and Computer Science 5, 1995, eq. (3), (4), (13), (14).
//
//   paper       | here
//   h(k) θ̇(k)   | rate, along z of the link frame
//   Ω_δ         | [h̃θ̇ 0; 0 h̃θ̇] if revolute, [0 h̃θ̇; 0 0] if prismatic
//   X = Ω_δ P   | x_times()
//
// Deviation: the paper's Ω_δ is that of a joint that turns its frame. A prismatic joint does not,
// but it moves l(k+1,k) in Φ(k+1,k). With the motion cross product Δ = crm(H* θ̇), d(Φ A)/dt = Φ A
// Ω_δ, (14), holds for both kinds if Ω_δ = -Δ*; then Ω_δ P - P Ω_δ of (13) reads Ω_δ P + P Ω_δ*.
#pragma once

#include "dyn_core/papers/shared/articulated.hpp"

namespace dyn {

template <class Scalar>
struct JointTurning {
  bool prismatic = false;
  Scalar rate{0.0};

  /// Ω_δ f.
  [[nodiscard]] Screw<Scalar> operator*(const Screw<Scalar>& f) const {
    const Scalar zero(0.0);
    const Vec3<Scalar> lin(-(rate * f.lin.y()), rate * f.lin.x(), zero);
    if (prismatic) return {lin, Vec3<Scalar>::Zero()};
    return {{-(rate * f.ang.y()), rate * f.ang.x(), zero}, lin};
  }
  /// Ω_δ* v.
  [[nodiscard]] Screw<Scalar> transposed_times(const Screw<Scalar>& v) const {
    const Scalar zero(0.0);
    const Vec3<Scalar> ang(rate * v.ang.y(), -(rate * v.ang.x()), zero);
    if (prismatic) return {Vec3<Scalar>::Zero(), ang};
    return {ang, {rate * v.lin.y(), -(rate * v.lin.x()), zero}};
  }
  /// X v.
  [[nodiscard]] Screw<Scalar> x_times(const SpatialSym<Scalar>& P, const Screw<Scalar>& s) const {
    const Vec3<Scalar>&w = s.ang, &v = s.lin;
    Screw<Scalar> f;  // P s, as far as it is needed
    f.lin.x() = P.H.col(0).dot(w) + P.M.xx * v.x() + P.M.xy * v.y() + P.M.xz * v.z();
    f.lin.y() = P.H.col(1).dot(w) + P.M.xy * v.x() + P.M.yy * v.y() + P.M.yz * v.z();
    if (!prismatic) {
      f.ang.x() = P.H.row(0).dot(v) + P.I.xx * w.x() + P.I.xy * w.y() + P.I.xz * w.z();
      f.ang.y() = P.H.row(1).dot(v) + P.I.xy * w.x() + P.I.yy * w.y() + P.I.yz * w.z();
    }
    return *this * f;
  }
  /// X* v = P Ω_δ* v.
  [[nodiscard]] Screw<Scalar> x_transposed_times(const SpatialSym<Scalar>& P,
                                                 const Screw<Scalar>& s) const {
    const Screw<Scalar> t = transposed_times(s);
    const Scalar &x = t.lin.x(), &y = t.lin.y(), &wx = t.ang.x(), &wy = t.ang.y();
    Screw<Scalar> f{x * P.H.col(0) + y * P.H.col(1),
                    {P.M.xx * x + P.M.xy * y, P.M.xy * x + P.M.yy * y, P.M.xz * x + P.M.yz * y}};
    if (!prismatic) {
      f.ang += Vec3<Scalar>(P.I.xx * wx + P.I.xy * wy, P.I.xy * wx + P.I.yy * wy,
                            P.I.xz * wx + P.I.yz * wy);
      f.lin += wx * P.H.row(0).transpose() + wy * P.H.row(1).transpose();
    }
    return f;
  }
  /// out += X + X*.
  void add_commutator(const SpatialSym<Scalar>& P, SpatialSym<Scalar>& out) const {
    prismatic ? add_shift_rate(P, out) : add_turn_rate(P, out);
  }

 private:
  void add_shift_rate(const SpatialSym<Scalar>& P, SpatialSym<Scalar>& out) const {
    const Scalar yx = rate * P.H(1, 0), xy = rate * P.H(0, 1), across = rate * P.M.xy;
    out.I.xx -= xy + xy;
    out.I.yy += yx + yx;
    out.I.xy += rate * (P.H(0, 0) - P.H(1, 1));
    out.I.xz -= rate * P.H(2, 1);
    out.I.yz += rate * P.H(2, 0);
    Mat3<Scalar>& H = out.H;
    H(0, 0) -= across, H(0, 1) -= rate * P.M.yy, H(0, 2) -= rate * P.M.yz;
    H(1, 0) += rate * P.M.xx, H(1, 1) += across, H(1, 2) += rate * P.M.xz;
  }
  void add_turn_rate(const SpatialSym<Scalar>& P, SpatialSym<Scalar>& out) const {
    add_turn_rate(P.I, out.I);
    add_turn_rate(P.M, out.M);
    Mat3<Scalar>& H = out.H;
    const Scalar shift = rate * (P.H(0, 1) + P.H(1, 0)), across = rate * (P.H(0, 0) - P.H(1, 1));
    H(0, 0) -= shift, H(0, 1) += across, H(0, 2) -= rate * P.H(1, 2);
    H(1, 0) += across, H(1, 1) += shift, H(1, 2) += rate * P.H(0, 2);
    H(2, 0) -= rate * P.H(2, 1), H(2, 1) += rate * P.H(2, 0);
  }
  void add_turn_rate(const Sym3<Scalar>& p, Sym3<Scalar>& out) const {
    const Scalar half = rate * p.xy, shift = half + half;
    out.xx -= shift;
    out.yy += shift;
    out.xy += rate * (p.xx - p.yy);
    out.xz -= rate * p.yz;
    out.yz += rate * p.xz;
  }
};

}  // namespace dyn
