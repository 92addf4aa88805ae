// The nomenclature of a single link as the paper prints it, and its rules of time differentiation.
//
//   K. Kozłowski: Robot dynamics models in terms of generalized and quasi-coordinates: a
//   comparison, Applied Mathematics and Computer Science 5, 1995. Nomenclature, eq. (1)-(11), (33).
//
// The links are numbered as in the paper, from the tip k = 1 to the base k = N + 1: link k is link
// i = N - k of the model, and joint k the one that carries it. Links 0 and N + 1 stand still and are
// without mass, so that the recursions read as printed at both ends.
//
//   paper               | here              | frame, unit
//   h(k), l(k,k-1), p(k)| h, l, p           | frame k; 1, m, m: axis, O_k to O_k-1, O_k to mass centre
//   m(k), I(k), M(k)    | m, I, M           | frame k, about O_k; kg, kg m²
//   A(k)                | A                 | coordinates of frame k into frame k+1
//   φ(k,k-1)            | phi               | frame k: forces from O_k-1 to O_k
//   H*(k)               | H_star            | frame k; the row H(k) is its transpose
//   θ̇(k), V(k), α(k)    | theta_dot, V, alpha | frame k; derivatives of components, d^k/dt
//   F(ke), N(ke)        | F_e, N_e          | frame k, at the mass centre; N, N m; weight included
//   a(k), b(k)          | a, b              | frame k
//   Ω(k), Ω_δ(k)        | Omega, Omega_delta| frame k
//   c̃                   | skew(c)           |
//   X*                  | star(X)           | the transpose
//
// Misprints: (a) l(k,k-1) leads from O_k to O_k-1, not back: only so does φ carry forces to O_k. (b)
// The force in b(k) begins with m ω × v, not m p × v. Both as the test of (38) has it.
// Deviation: Ω_δ of (4) is that of a joint which turns its frame. For a translational joint H̃θ̇ has
// no place in (3) and (7), where it is zero; in (13)-(48) it is [0 h̃θ̇; 0 0], see joint_turning.hpp.
// With that, X turns as Ω_δ X + X Ω_δ*, which is [Ω_δ, X] for a rotational joint.
#pragma once

#include <vector>

#include "dyn_core/robot/algorithm.hpp"

namespace dyn::kozlowski {

template <class Derived>
[[nodiscard]] auto star(const Eigen::MatrixBase<Derived>& X) {
  return X.transpose().eval();
}

/// [above 0; 0 above].
template <class Scalar>
[[nodiscard]] Mat6<Scalar> twice_on_diagonal(const Mat3<Scalar>& block) {
  Mat6<Scalar> X;
  X << block, Mat3<Scalar>::Zero(), Mat3<Scalar>::Zero(), block;
  return X;
}

/// V×, of the velocity V = col[ω, v].
template <class Scalar>
[[nodiscard]] Mat6<Scalar> across(const Vec6<Scalar>& V) {
  const Mat3<Scalar> omega = skew<Scalar>(V.template head<3>()),
                     v = skew<Scalar>(V.template tail<3>());
  Mat6<Scalar> X;
  X << omega, v, Mat3<Scalar>::Zero(), omega;  // (33)
  return X;
}

// ---- section 2: time derivatives; X a spatial matrix, x a spatial vector

/// Dx/Dt from d^k x/dt.
template <class Scalar>
[[nodiscard]] Vec6<Scalar> inertial_derivative(const Vec6<Scalar>& x_rate,
                                               const Mat6<Scalar>& Omega, const Vec6<Scalar>& x) {
  return x_rate + Omega * x;  // (1), and (3) with Ω_δ
}
/// DX/Dt from d^k X/dt.
template <class Scalar>
[[nodiscard]] Mat6<Scalar> inertial_derivative(const Mat6<Scalar>& X_rate,
                                               const Mat6<Scalar>& Omega, const Mat6<Scalar>& X) {
  return X_rate + Omega * X - X * Omega;  // (6), and (7) with Ω_δ
}
/// A X A⁻¹ element by element, r those of the direction cosine matrix, b those of X's four blocks.
template <class Scalar>
[[nodiscard]] Mat6<Scalar> turned_by_elements(const Mat3<Scalar>& r, const Mat6<Scalar>& b) {
  Mat6<Scalar> turned = Mat6<Scalar>::Zero();
  for (Index k = 0; k < 6; ++k) {
    for (Index l = 0; l < 6; ++l) {
      const Index row = k - k % 3, column = l - l % 3;  // of the block
      for (Index i = 0; i < 3; ++i) {
        for (Index j = 0; j < 3; ++j) {
          turned(k, l) += r(k % 3, i) * r(l % 3, j) * b(row + i, column + j);  // (8)
        }
      }
    }
  }
  return turned;
}
/// DB/Dt of a block diagonal matrix of spatial matrices; of M, with dM/dt = 0, it is (9).
template <class Scalar>
[[nodiscard]] MatX<Scalar> inertial_derivative_of_matrices(const MatX<Scalar>& B_rate,
                                                           const MatX<Scalar>& Omega,
                                                           const MatX<Scalar>& B) {
  return B_rate + Omega * B - B * Omega;  // (9), (10)
}
/// DG/Dt of a block diagonal matrix of spatial vectors.
template <class Scalar>
[[nodiscard]] MatX<Scalar> inertial_derivative_of_vectors(const MatX<Scalar>& G_rate,
                                                          const MatX<Scalar>& Omega,
                                                          const MatX<Scalar>& G) {
  return G_rate + Omega * G;  // (11)
}

// ---- nomenclature

template <class Scalar>
struct PrintedLink {
  using Vec = Vec3<Scalar>;
  using Mat = Mat3<Scalar>;

  bool rotational = true;
  Scalar m{0.0}, theta_dot{0.0}, armature{0.0};
  Vec h = Vec::Zero(), l = Vec::Zero(), p = Vec::Zero(), F_e = Vec::Zero(), N_e = Vec::Zero();
  Mat I = Mat::Zero(), R = Mat::Identity();  // R is that of A(k)
  Mat to_base = Mat::Identity();             // coordinates of frame k into frame N + 1
  Vec6<Scalar> V = Vec6<Scalar>::Zero(), H_star = V, a = V, b = V;
  Mat6<Scalar> A = Mat6<Scalar>::Identity(), phi = A, M = Mat6<Scalar>::Zero(), Omega = M,
               Omega_delta = M;

  [[nodiscard]] Vec omega() const { return V.template head<3>(); }
  [[nodiscard]] Vec v() const { return V.template tail<3>(); }

  void set_constants() {
    const Mat zero = Mat::Zero(), one = Mat::Identity();
    A = twice_on_diagonal(R);
    phi << one, skew(l), zero, one;
    M << I, m * skew(p), -(m * skew(p)), m * one;
    if (rotational) {
      H_star << h, Vec::Zero();
    } else {
      H_star << Vec::Zero(), h;
    }
  }
  void set_rates() {
    const Vec turn = h * theta_dot;
    Omega = twice_on_diagonal<Scalar>(skew(omega()));  // (2)
    if (rotational) {
      Omega_delta = twice_on_diagonal<Scalar>(skew(h)) * theta_dot;  // (4)
      a << omega().cross(turn), v().cross(turn);
    } else {
      Omega_delta.template topRightCorner<3, 3>() = skew(h) * theta_dot;  // (14)
      a << Vec::Zero(), omega().cross(turn);
    }
    set_bias_forces();
  }
  void set_bias_forces() {
    const Vec w = omega(), Iw = I * w;
    b << w.cross(Iw) + m * p.cross(w.cross(v())) - N_e - p.cross(F_e),
        m * w.cross(v()) + m * w.cross(w.cross(p)) - F_e;
  }
};

/// The chain at one configuration and velocity, k = 0 … N + 1; `qd` as everywhere, base to tip.
template <class Scalar>
class Links {
 public:
  Links(const Model& model, Joints<Scalar> joints, VecIn<Scalar> qd,
        const Vec3d& gravity = Vec3d::Zero())
      : N(model.size()), links_(static_cast<std::size_t>(N) + 2) {
    for (Index k = 1; k <= N; ++k) {
      const Index i = N - k;
      set_link(model.link(i), joints[static_cast<std::size_t>(i)], at(k), at(k + 1));
      at(k).theta_dot = qd[i];
    }
    for (PrintedLink<Scalar>& link : links_) link.set_constants();
    for (Index k = N; k >= 1; --k) {
      PrintedLink<Scalar>& link = at(k);
      const PrintedLink<Scalar>& inboard = at(k + 1);
      link.V = star(link.A) * star(inboard.phi) * inboard.V + link.H_star * link.theta_dot;
      link.to_base = inboard.to_base * link.R;
      link.F_e = link.m * (link.to_base.transpose() * gravity.cast<Scalar>());
      link.set_rates();
    }
  }

  [[nodiscard]] const PrintedLink<Scalar>& operator()(Index k) const {
    return links_[static_cast<std::size_t>(k)];
  }
  /// A force and a moment on the mass centre of link k, in its frame.
  void load(Index k, const Vec3<Scalar>& force, const Vec3<Scalar>& moment) {
    at(k).F_e += force;
    at(k).N_e += moment;
    at(k).set_bias_forces();
  }
  /// ω(k) by its sum, the h(i) carried into frame k.
  [[nodiscard]] Vec3<Scalar> angular_velocity(Index k) const {
    Vec3<Scalar> omega = Vec3<Scalar>::Zero();
    for (Index i = k; i <= N; ++i) {
      const PrintedLink<Scalar>& link = (*this)(i);
      const Vec3<Scalar> h = (*this)(k).to_base.transpose() * link.to_base * link.h;
      if (link.rotational) omega += h * link.theta_dot;  // (5)
    }
    return omega;
  }

  const Index N;

 private:
  PrintedLink<Scalar>& at(Index k) { return links_[static_cast<std::size_t>(k)]; }

  static void set_link(const LinkModel& model, const JointPose<Scalar>& joint,
                       PrintedLink<Scalar>& link, PrintedLink<Scalar>& inboard) {
    link.rotational = !model.prismatic;
    link.armature = Scalar(model.armature);
    link.h = Vec3<Scalar>::Unit(2);
    link.m = Scalar(model.mass);
    link.p = model.com.cast<Scalar>();
    link.I = Sym3<double>(model.inertia_origin).matrix().template cast<Scalar>();
    for (Index column = 0; column < 3; ++column) {
      Vec3<Scalar> axis = Vec3<Scalar>::Unit(column);
      turn_to_parent(model, joint, axis);
      link.R.col(column) = axis;
    }
    inboard.l = origin_in_parent(model, joint);
  }

  std::vector<PrintedLink<Scalar>> links_;
};

}  // namespace dyn::kozlowski
