// Spatial operators of a whole chain as dense matrices, and their local and inertial time
// derivatives.
//
//   K. Kozłowski: Robot dynamics models in terms of generalized and quasi-coordinates: a
//   comparison, Applied Mathematics and Computer Science 5, 1995. Nomenclature, section 2 with
//   Table 1, eq. (38).
//
//   M = HΦMΦ*H* = (I + HΦK) D (I + HΦK)*,   (I + HΦK)⁻¹ = I - HΨK,   K = E_Φ G           (22)-(24)
//   τ = M θ̈ + HΦMΦ* a + HΦ b                                                                (38)
//
//   paper            | here               | size, frame
//   k = 1 … N        | i = n-1 … 0        | counted from the tip: its lower triangles are upper here
//   E_Φ, Φ, E_Ψ, Ψ   | the same           | 6n x 6n; block (i-1, i) of E_Φ is Φ A, frame i to i-1
//   H                | H                  | n x 6n
//   M, P, τ̄, Ω       | M, P, tau_bar, Omega | 6n x 6n, block i in link frame i, about its origin
//   Ω_δ, λ̇, Ṗ        | Omega_delta, lambda, P_rate | the same; Ω_δ as in joint_turning.hpp
//   G, D             | G, D               | 6n x n, n x n
//   V                | V                  | 6n: velocity of every link frame's origin, in that frame
//
// These are for study, for tests and for reference values: they allocate and cost O(n³). A local
// derivative is that of the components in link frames; an inertial one is seen from the base, and
// given by its components in link frames.
//
// Deviations: (a) Row 1 of Table 1 reads Ė_Φ = E_Φ Ω_δ, as (14) has it. (b) Armature is added to D.
#pragma once

#include <vector>

#include "dyn_core/robot/algorithm.hpp"

namespace dyn {

/// The product of several matrices, left to right.
template <class Scalar>
[[nodiscard]] MatX<Scalar> product(const MatX<Scalar>& a, const MatX<Scalar>& b) {
  return a.lazyProduct(b);
}
template <class Scalar, class... More>
[[nodiscard]] MatX<Scalar> product(const MatX<Scalar>& a, const MatX<Scalar>& b,
                                   const More&... more) {
  return product<Scalar>(product<Scalar>(a, b), more...);
}

template <class Scalar>
struct SpatialOperators {
  SpatialOperators(const Model& model, Joints<Scalar> joints, VecIn<Scalar> qd);

  [[nodiscard]] Index size() const { return H.rows(); }
  /// (22), with armature.
  [[nodiscard]] MatX<Scalar> mass_matrix() const {
    const MatX<Scalar> A = product<Scalar>(H, Phi);
    MatX<Scalar> result = product<Scalar>(A, M, A.transpose());
    result.diagonal() += armature;
    return result;
  }
  /// (38): the standard equations of motion; `gravity` in frame 0, armature included.
  [[nodiscard]] VecX<Scalar> standard_form(const Vec3d& gravity, const VecX<Scalar>& qdd) const;

  MatX<Scalar> E_Phi, Phi, H, M, P, D, G, tau_bar, E_Psi, Psi;
  MatX<Scalar> Omega, Omega_delta, lambda, P_rate;
  VecX<Scalar> V, rates, armature;
  std::vector<Mat3<Scalar>> orientations;  ///< of the link frames in frame 0

  /// A symmetric X is changed by Ω_δ at the rate Ω_δ X + X Ω_δ*, which the paper writes [Ω_δ, X].
  [[nodiscard]] MatX<Scalar> turned(const MatX<Scalar>& X) const {
    const MatX<Scalar> left = product<Scalar>(Omega_delta, X);
    return left + left.transpose();
  }

 private:
  void set_links(const Model& model, Joints<Scalar> joints);
  void articulate();
  void set_rates();
};

/// Table 1.
template <class Scalar>
struct OperatorRates {
  MatX<Scalar> E_Phi, Phi, H, M, D, G, tau_bar, E_Psi;
};

template <class Scalar>
[[nodiscard]] OperatorRates<Scalar> local_derivatives(const SpatialOperators<Scalar>& o) {
  const MatX<Scalar> inverse_D = MatX<Scalar>(o.D.diagonal().cwiseInverse().asDiagonal());
  const MatX<Scalar> column = product<Scalar>(o.P_rate, o.H.transpose());
  OperatorRates<Scalar> r;
  r.E_Phi = product<Scalar>(o.E_Phi, o.Omega_delta);    // row 1
  r.Phi = product<Scalar>(o.Phi, r.E_Phi, o.Phi);       // row 2
  r.H = MatX<Scalar>::Zero(o.H.rows(), o.H.cols());     // row 3
  r.M = MatX<Scalar>::Zero(o.M.rows(), o.M.cols());     // row 4
  r.D = product<Scalar>(o.H, column);                   // row 5
  r.G = product<Scalar>(o.tau_bar, column, inverse_D);  // row 6
  r.tau_bar = -product<Scalar>(r.G, o.H);               // row 7
  r.E_Psi = product<Scalar>(o.E_Psi, product<Scalar>(o.Omega_delta, o.tau_bar) -
                                         product<Scalar>(column, inverse_D, o.H));  // row 8
  return r;
}

template <class Scalar>
[[nodiscard]] OperatorRates<Scalar> inertial_derivatives(const SpatialOperators<Scalar>& o) {
  const auto commutator = [&](const MatX<Scalar>& X) -> MatX<Scalar> {
    return product<Scalar>(o.Omega, X) - product<Scalar>(X, o.Omega);
  };
  OperatorRates<Scalar> r = local_derivatives(o);
  r.E_Phi += commutator(o.E_Phi);                               // row 1
  r.Phi += product<Scalar>(o.Phi, commutator(o.E_Phi), o.Phi);  // row 2
  r.H -= product<Scalar>(o.H, o.Omega);                         // row 3
  r.M += commutator(o.M);                                       // row 4
  r.G += product<Scalar>(o.Omega, o.G);                         // row 6
  r.tau_bar += commutator(o.tau_bar);                           // row 7
  r.E_Psi += commutator(o.E_Psi);                               // row 8
  return r;
}

template <class Scalar>
SpatialOperators<Scalar>::SpatialOperators(const Model& model, Joints<Scalar> joints,
                                           VecIn<Scalar> qd)
    : rates(qd), armature(VecX<Scalar>::Zero(model.size())) {
  const Index n = model.size(), N = 6 * n;
  H = MatX<Scalar>::Zero(n, N);
  D = MatX<Scalar>::Zero(n, n);
  E_Phi = E_Psi = M = P = Omega = Omega_delta = lambda = P_rate = MatX<Scalar>::Zero(N, N);
  Phi = Psi = tau_bar = MatX<Scalar>::Identity(N, N);
  G = MatX<Scalar>::Zero(N, n);
  set_links(model, joints);
  articulate();
  V = product<Scalar>(product<Scalar>(H, Phi).transpose(), rates);
  set_rates();
}

template <class Scalar>
void SpatialOperators<Scalar>::set_links(const Model& model, Joints<Scalar> joints) {
  const Scalar zero(0.0);
  Mat3<Scalar> orientation = Mat3<Scalar>::Identity();
  for (Index i = 0; i < model.size(); ++i) {
    const LinkModel& k = model.link(i);
    const JointPose<Scalar>& joint = joints[static_cast<std::size_t>(i)];
    armature[i] = Scalar(k.armature);
    H(i, 6 * i + (k.prismatic ? 5 : 2)) = Scalar(1.0);
    Mat6<Scalar> body;
    const Mat3<Scalar> s = skew(Vec3<Scalar>(k.moment.cast<Scalar>()));
    body << Sym3<double>(k.inertia_origin).matrix().template cast<Scalar>(), s, -s,
        Scalar(k.mass) * Mat3<Scalar>::Identity();
    M.template block<6, 6>(6 * i, 6 * i) = body;

    Mat3<Scalar> R;  // frame i to frame i-1
    for (Index column = 0; column < 3; ++column) {
      Vec3<Scalar> axis = Vec3<Scalar>::Unit(column);
      turn_to_parent(k, joint, axis);
      R.col(column) = axis;
    }
    orientation = Mat3<Scalar>(orientation * R);
    orientations.push_back(orientation);
    if (i > 0) {
      const Mat3<Scalar> l = skew(origin_in_parent(k, joint));
      Mat6<Scalar> step;
      step << R, l * R, Mat3<Scalar>::Zero(), R;
      E_Phi.template block<6, 6>(6 * i - 6, 6 * i) = step;
    }
    Mat6<Scalar> turning = Mat6<Scalar>::Zero();  // joint_turning.hpp
    const Mat3<Scalar> h = skew(Vec3<Scalar>(zero, zero, rates[i]));
    turning.template topRightCorner<3, 3>() = k.prismatic ? h : Mat3<Scalar>::Zero();
    if (!k.prismatic) turning << h, Mat3<Scalar>::Zero(), Mat3<Scalar>::Zero(), h;
    Omega_delta.template block<6, 6>(6 * i, 6 * i) = turning;
  }
}

template <class Scalar>
void SpatialOperators<Scalar>::articulate() {
  const Index n = size(), N = 6 * n;
  for (Index i = n - 1; i >= 0; --i) {
    auto P_i = P.template block<6, 6>(6 * i, 6 * i);
    P_i = M.template block<6, 6>(6 * i, 6 * i);
    if (i + 1 < n) {
      const Mat6<Scalar> psi = E_Psi.template block<6, 6>(6 * i, 6 * i + 6);
      const Mat6<Scalar> phi = E_Phi.template block<6, 6>(6 * i, 6 * i + 6);
      P_i += psi * P.template block<6, 6>(6 * i + 6, 6 * i + 6) * phi.transpose();  // (12)
    }
    const Eigen::Matrix<Scalar, 1, 6> h = H.template block<1, 6>(i, 6 * i);
    const Vec6<Scalar> column = P_i * h.transpose();
    D(i, i) = h.dot(column.transpose()) + armature[i];
    const Vec6<Scalar> gain = column / D(i, i);
    G.template block<6, 1>(6 * i, i) = gain;
    tau_bar.template block<6, 6>(6 * i, 6 * i) -= gain * h;
    if (i > 0) {
      E_Psi.template block<6, 6>(6 * i - 6, 6 * i) =
          E_Phi.template block<6, 6>(6 * i - 6, 6 * i) * tau_bar.template block<6, 6>(6 * i, 6 * i);
    }
  }
  for (Index i = n - 2; i >= 0; --i) {
    const Index right = 6 * i + 6, width = N - right;
    const Mat6<Scalar> phi = E_Phi.template block<6, 6>(6 * i, right);
    const Mat6<Scalar> psi = E_Psi.template block<6, 6>(6 * i, right);
    Phi.block(6 * i, right, 6, width) = product<Scalar>(phi, Phi.block(right, right, 6, width));
    Psi.block(6 * i, right, 6, width) = product<Scalar>(psi, Psi.block(right, right, 6, width));
  }
}

template <class Scalar>
void SpatialOperators<Scalar>::set_rates() {
  const Index n = size();
  const MatX<Scalar> driving = turned(P);
  for (Index i = n - 1; i >= 0; --i) {
    const Mat3<Scalar> w = skew(Vec3<Scalar>(V.template segment<3>(6 * i)));
    Omega.template block<3, 3>(6 * i, 6 * i) = w;
    Omega.template block<3, 3>(6 * i + 3, 6 * i + 3) = w;
    auto P_rate_i = P_rate.template block<6, 6>(6 * i, 6 * i);
    if (i + 1 < n) {
      const Mat6<Scalar> psi = E_Psi.template block<6, 6>(6 * i, 6 * i + 6);
      P_rate_i = psi * lambda.template block<6, 6>(6 * i + 6, 6 * i + 6) * psi.transpose();  // (13)
    }
    lambda.template block<6, 6>(6 * i, 6 * i) =
        P_rate_i + driving.template block<6, 6>(6 * i, 6 * i);  // (20), (21)
  }
}

template <class Scalar>
VecX<Scalar> SpatialOperators<Scalar>::standard_form(const Vec3d& gravity,
                                                     const VecX<Scalar>& qdd) const {
  VecX<Scalar> a(V.size()), b(V.size());
  for (Index i = 0; i < size(); ++i) {
    const Vec3<Scalar> w = V.template segment<3>(6 * i), v = V.template segment<3>(6 * i + 3);
    const Vec6<Scalar> own = H.template block<1, 6>(i, 6 * i).transpose() * rates[i];
    const Vec3<Scalar> turn = own.template head<3>(), shift = own.template tail<3>();
    a.template segment<6>(6 * i) << w.cross(turn), v.cross(turn) + w.cross(shift);
    const Vec6<Scalar> momentum =
        M.template block<6, 6>(6 * i, 6 * i) * V.template segment<6>(6 * i);
    const Vec3<Scalar> angular = momentum.template head<3>(), linear = momentum.template tail<3>();
    b.template segment<6>(6 * i) << w.cross(angular) + v.cross(linear), w.cross(linear);
    Vec6<Scalar> fall = Vec6<Scalar>::Zero();
    fall.template tail<3>() =
        orientations[static_cast<std::size_t>(i)].transpose() * gravity.cast<Scalar>();
    b.template segment<6>(6 * i) -= M.template block<6, 6>(6 * i, 6 * i) * fall;
  }
  const MatX<Scalar> A = product<Scalar>(H, Phi);
  const VecX<Scalar> alpha =
      product<Scalar>(A.transpose(), qdd) + product<Scalar>(Phi.transpose(), a);
  return product<Scalar>(A, product<Scalar>(M, alpha) + b) + armature.cwiseProduct(qdd);  // (38)
}

}  // namespace dyn
