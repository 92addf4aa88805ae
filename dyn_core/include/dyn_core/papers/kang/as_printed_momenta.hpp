// Kang as printed, part 2: the momenta of the generalized augmented bodies, their rates and loads.
//
//   H.-J. Kang: Computationally efficient KIC-based dynamic modeling of robot manipulators, eq.
//   (11)-(22), section 4.1.
//
//   paper               | here                   | axes of frame 0, SI
//   m_j, r_k^cj         | m(j), r(k, j)          | mass of link j; O^k to its mass centre
//   g_k^cj              | links_[j].Gc.col(k)    | KIC of the mass centre of link j
//   M_k, r_k^c*, [III^k]| M, r, III of body(k)   | mass; O^k to mass centre c*_k; inertia about it
//   g_k^c*, g_k         | gc, g of body(k)       | velocity of c*_k, turning, at unit speed of joint k
//   [ᵏG^c*], [ᵏG^k]     | Gc, G of body(k)       | the same of all joints i ≤ k
//   [H^c*]_jk, [H^k]_jk | Hc, H of body(k)       | column j, of second order with joint k
//   P, P^k, L^k         | linear…, angular…      | momenta, kg m/s, kg m²/s
//   ω^k                 | omega(k)               | angular velocity of augmented body k
//   T_k^I               | load…                  | what body k loads on the joints i ≤ k
//
// Deviations, settled numerically: (a) For a prismatic joint k, g_k^c* is S^k and g_k is 0, as in
// Appendix 1; with these (14), (16), (19), (21), (22) hold. (b) (18): m_k is m_j, and r_j points from
// c*_k to the mass centre of link j. (c) (17): L^k is about c*_k of its own body. The momentum about
// one point is Σ (L^k + c*_k × P^k), taken from that point. (d) (20) is the rate of L^k and
// [III^k] (ω^k × g_k) φ̇_k more, since g_k is fixed to the body. The surplus is the part α of (6) that
// the pairs of joints (i, k) have; their part g_k φ̇_k × [III^k] ω^k comes with (P9). (e) (21): the
// first line stands here. In the second, g_k^c* of the third term is g_k, and [III^k] stands behind
// [ᵏG^k]ᵀ. (f) (22): φ̇_kᵀ on the left is φ̇ᵀ, and [ᵏG^k] beside M_k is [ᵏG^c*].
#pragma once

#include <vector>

#include "dyn_core/papers/kang/as_printed.hpp"

namespace dyn::kang {

/// The k-th generalized augmented body: link k and all links outboard of it, joints k+1 … n fixed.
template <class Scalar>
struct PrintedAugmentedBody {
  explicit PrintedAugmentedBody(Index n) : Gc(3, n), G(3, n), Hc(3, n), H(3, n) {}

  Scalar M = Scalar(0);
  Vec3<Scalar> r = Vec3<Scalar>::Zero();
  Mat3<Scalar> III = Mat3<Scalar>::Zero();
  Vec3<Scalar> gc = r, g = r;
  Mat3X<Scalar> Gc, G;  ///< columns i ≤ k, the others zero
  Mat3X<Scalar> Hc, H;  ///< columns j ≤ k, the others zero
};

/// m ([I] rᵀ r - r rᵀ), what the parallel axes theorem adds.
template <class Scalar>
[[nodiscard]] Mat3<Scalar> parallel_axes(const Scalar& m, const Vec3<Scalar>& r) {
  return m * (Mat3<Scalar>::Identity() * r.dot(r) - r * r.transpose());
}

template <class Scalar>
class Momenta {
 public:
  explicit Momenta(const Model& model)
      : links_(model),
        bodies_(static_cast<std::size_t>(model.size()),
                PrintedAugmentedBody<Scalar>(model.size())) {}

  void update(const Model& model, Joints<Scalar> joints) {
    links_.update(model, joints);
    for (Index k = 0; k < size(); ++k) {
      augment(k);
      influence(k);
    }
  }

  [[nodiscard]] Index size() const { return links_.size(); }
  [[nodiscard]] const PrintedLinks<Scalar>& links() const { return links_; }
  [[nodiscard]] const PrintedAugmentedBody<Scalar>& body(Index k) const {
    return bodies_[static_cast<std::size_t>(k)];
  }
  /// The mass centre c*_k from O_0.
  [[nodiscard]] Vec3<Scalar> centre(Index k) const { return links_.kic().O(k) + body(k).r; }

  /// P of the manipulator, by the velocities of the links.
  [[nodiscard]] Vec3<Scalar> linear_of_links(VecIn<Scalar> qd) const {
    Vec P = Vec::Zero();
    for (Index k = 0; k < size(); ++k) P += m(k) * links_[k].Gc.lazyProduct(qd);  // (11)
    return P;
  }
  /// P, link by link in terms of the columns of [ᵏG^c].
  [[nodiscard]] Vec3<Scalar> linear_of_columns(VecIn<Scalar> qd) const {
    Vec P = Vec::Zero();
    for (Index k = 0; k < size(); ++k) {
      Vec sum = Vec::Zero();
      for (Index j = 0; j <= k; ++j) sum += links_[k].Gc.col(j) * qd[j];
      P += m(k) * sum;  // (12)
    }
    return P;
  }
  /// P, joint by joint.
  [[nodiscard]] Vec3<Scalar> linear_of_joints(VecIn<Scalar> qd) const {
    Vec P = Vec::Zero();
    for (Index k = 0; k < size(); ++k) P += linear_of_joint(k, qd[k]);  // (13)
    return P;
  }
  /// P^k, by the links outboard of joint k.
  [[nodiscard]] Vec3<Scalar> linear_of_joint(Index k, const Scalar& qd_k) const {
    Vec sum = Vec::Zero();
    for (Index j = k; j < size(); ++j) sum += m(j) * links_[j].Gc.col(k);
    return sum * qd_k;  // (14)
  }
  /// P^k, by the augmented body.
  [[nodiscard]] Vec3<Scalar> linear(Index k, const Scalar& qd_k) const {
    return body(k).M * body(k).gc * qd_k;  // (14)
  }
  [[nodiscard]] Vec3<Scalar> linear(VecIn<Scalar> qd) const {
    Vec P = Vec::Zero();
    for (Index k = 0; k < size(); ++k) P += linear(k, qd[k]);  // (16)
    return P;
  }
  /// L^k about c*_k.
  [[nodiscard]] Vec3<Scalar> angular(Index k, const Scalar& qd_k) const {
    return body(k).III * body(k).g * qd_k;  // (17)
  }

  [[nodiscard]] Vec3<Scalar> omega(Index k, VecIn<Scalar> qd) const {
    return body(k).G.lazyProduct(qd);
  }
  /// Ṗ^k at the rates φ̇ of all joints inboard and φ̇_k, φ̈_k.
  [[nodiscard]] Vec3<Scalar> linear_rate(Index k, VecIn<Scalar> qd, const Scalar& qdd_k) const {
    const PrintedAugmentedBody<Scalar>& b = body(k);
    return b.M * b.gc * qdd_k + omega(k, qd).cross(Vec(b.M * b.gc)) * qd[k];  // (19)
  }
  /// L̇^k as the paper has it.
  [[nodiscard]] Vec3<Scalar> angular_rate(Index k, VecIn<Scalar> qd, const Scalar& qdd_k) const {
    const PrintedAugmentedBody<Scalar>& b = body(k);
    const Vec w = omega(k, qd);
    return b.III * b.g * qdd_k + b.III * w.cross(b.g) * qd[k] +
           w.cross(Vec(b.III * b.g)) * qd[k];  // (20)
  }
  /// T_k^I by d'Alembert's principle.
  void load(Index k, VecIn<Scalar> qd, const Scalar& qdd_k, VecOut<Scalar> T) const {
    const Vec P_rate = linear_rate(k, qd, qdd_k), L_rate = angular_rate(k, qd, qdd_k);
    T = body(k).Gc.transpose().lazyProduct(P_rate);
    T += body(k).G.transpose().lazyProduct(L_rate);  // (21)
  }
  /// T_k^I by the second order KICs.
  void load_of_elements(Index k, VecIn<Scalar> qd, const Scalar& qdd_k, VecOut<Scalar> T) const {
    const PrintedAugmentedBody<Scalar>& b = body(k);
    const Vec III_g = b.III * b.g;
    for (Index i = 0; i < size(); ++i) {
      const Vec gc_i = b.Gc.col(i), g_i = b.G.col(i);
      T[i] = (b.M * gc_i.dot(b.gc) + g_i.dot(III_g)) * qdd_k;  // (22)
      for (Index j = 0; j < size(); ++j) {
        T[i] += qd[j] * b.M * gc_i.dot(b.Hc.col(j)) * qd[k];            // (22)
        T[i] += qd[j] * g_i.dot(Vec(b.III * b.H.col(j))) * qd[k];       // (22)
        T[i] += qd[j] * g_i.cross(Vec(b.G.col(j))).dot(III_g) * qd[k];  // (22)
      }
    }
  }

 private:
  using Vec = Vec3<Scalar>;

  [[nodiscard]] const Scalar& m(Index j) const { return links_[j].M; }
  [[nodiscard]] Vec r(Index k, Index j) const { return links_[j].c - links_.kic().O(k); }

  void augment(Index k) {
    PrintedAugmentedBody<Scalar>& b = bodies_[static_cast<std::size_t>(k)];
    b.M = Scalar(0.0);
    b.r.setZero();
    for (Index j = k; j < size(); ++j) {
      b.M += m(j);  // (15)
      b.r += m(j) * r(k, j);
    }
    b.r /= b.M;  // (15)
    b.III.setZero();
    for (Index j = k; j < size(); ++j) {
      const Vec r_j = r(k, j) - b.r;
      b.III += links_[j].II + parallel_axes<Scalar>(m(j), r_j);  // (18)
    }
  }

  void influence(Index k) {
    PrintedAugmentedBody<Scalar>& b = bodies_[static_cast<std::size_t>(k)];
    const InfluenceCoefficients<Scalar>& kic = links_.kic();
    const Vec S_k = kic.S(k);
    b.gc = kic.prismatic(k) ? S_k : Vec(S_k.cross(b.r));  // (15)
    b.g = kic.rotation(k, k);
    for (Index i = 0; i < size(); ++i) {
      b.Gc.col(i) = kic.translation(k, i, centre(k));
      b.G.col(i) = kic.rotation(k, i);
      b.Hc.col(i) = kic.translation(k, i, k, centre(k));
      b.H.col(i) = kic.rotation(k, i, k);
    }
  }

  PrintedLinks<Scalar> links_;
  std::vector<PrintedAugmentedBody<Scalar>> bodies_;
};

}  // namespace dyn::kang
