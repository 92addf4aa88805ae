// Kang as printed, part 1: the KICs of every link and the older algorithm, link by link, section 2.2.
//
//   H.-J. Kang: Computationally efficient KIC-based dynamic modeling of robot manipulators, eq.
//   (5)-(10). As printed are also: (1)-(4) and Appendix 1 in kic.hpp, (11)-(22) in
//   as_printed_momenta.hpp, (23)-(29) with STEP 1-7 in as_printed_modified.hpp. What runs is in
//   augmented_bodies.hpp, mass_matrix.hpp and inertia_power.hpp.
//
//   paper                 | here                | axes of frame 0, SI
//   φ                     | q, qd, qdd          | joint coordinates and their rates
//   M_k, ᵏc, [II^k]       | M, c, II            | mass, mass centre, inertia about it, of link k
//   [ᵏG^c], [ᵏH^c]        | Gc, Hc              | KICs of the mass centre of link k
//   [G^k], [H^k]          | G, H                | KICs of the rotation of link k
//   ᵏa^c, α^k, ω^k        | a, alpha, omega     | its accelerations and angular velocity
//   f^k, m^k              | f, m                | its inertia force and moment
//   T^I                   | T                   | inertia loads on the joints
//   [I*], [P*]_ij;k       | I, P[i](j, k)       | effective inertia; inertia power array, plane i
//   [P_1*] [P_2*] [P_3*]  | P1, P2, P3          | the three terms of (10)
//
// ([A]ᵀ ∘ [H])_ij;k is the generalized scalar product Σ_r A_ri ʳH_jk. In ([G]ᵀ × [G])ᵀ [II] [G] the
// product with × is a plane of vectors, g_i × g_j at (i, j): (6) and (8) fix its sign, as they fix
// that of (27).
//
// These texts save no operation. They work in arrays of the constructor's size.
#pragma once

#include <array>
#include <vector>

#include "dyn_core/papers/kang/kic.hpp"

namespace dyn::kang {

/// One link at one configuration, with its arrays of coefficients.
template <class Scalar>
struct PrintedLink {
  using Columns = typename InfluenceCoefficients<Scalar>::Columns;
  using Planes = typename InfluenceCoefficients<Scalar>::Planes;

  explicit PrintedLink(Index n) : Gc(3, n), G(3, n) {
    Hc.fill(MatX<Scalar>(n, n));
    H.fill(MatX<Scalar>(n, n));
  }
  Scalar M;
  Vec3<Scalar> c;
  Mat3<Scalar> II;
  Columns Gc, G;
  Planes Hc, H;
};

/// All links at one configuration.
template <class Scalar>
class PrintedLinks {
 public:
  explicit PrintedLinks(const Model& model)
      : kic_(model),
        links_(static_cast<std::size_t>(model.size()), PrintedLink<Scalar>(model.size())) {}

  void update(const Model& model, Joints<Scalar> joints) {
    kic_.update(model, joints);
    for (Index k = 0; k < size(); ++k) {
      const LinkModel& body = model.link(k);
      PrintedLink<Scalar>& link = links_[static_cast<std::size_t>(k)];
      const Mat3<Scalar>& R = kic_.frame(k).R;
      link.M = Scalar(body.mass);
      link.c = kic_.frame(k) * Vec3<Scalar>(body.com.template cast<Scalar>());
      link.II = R * body.inertia_com.matrix().template cast<Scalar>() * R.transpose();
      kic_.translation(k, link.c, link.Gc, link.Hc);
      kic_.rotation(k, link.G, link.H);
    }
  }

  [[nodiscard]] Index size() const { return kic_.size(); }
  [[nodiscard]] const InfluenceCoefficients<Scalar>& kic() const { return kic_; }
  [[nodiscard]] const PrintedLink<Scalar>& operator[](Index k) const {
    return links_[static_cast<std::size_t>(k)];
  }

 private:
  InfluenceCoefficients<Scalar> kic_;
  std::vector<PrintedLink<Scalar>> links_;
};

/// ([A]ᵀ ∘ [H])_ij;k, an element of the generalized scalar product.
template <class Scalar>
[[nodiscard]] Scalar generalized_scalar_product(const Mat3X<Scalar>& A,
                                                const std::array<MatX<Scalar>, 3>& H, Index i,
                                                Index j, Index k) {
  return A(0, i) * H[0](j, k) + A(1, i) * H[1](j, k) + A(2, i) * H[2](j, k);
}

/// [ᵘG] φ̈ + φ̇ᵀ [ᵘH] φ̇, the acceleration of u. (3)
template <class Scalar>
[[nodiscard]] Vec3<Scalar> acceleration(const Mat3X<Scalar>& G,
                                        const std::array<MatX<Scalar>, 3>& H, VecIn<Scalar> qd,
                                        VecIn<Scalar> qdd) {
  Vec3<Scalar> u = G.lazyProduct(qdd);
  for (Index r = 0; r < 3; ++r) {
    const MatX<Scalar>& plane = H[static_cast<std::size_t>(r)];
    for (Index j = 0; j < qd.size(); ++j) u[r] += qd[j] * plane.row(j).dot(qd);  // (4)
  }
  return u;
}

/// The current KIC based modeling method, which section 4 improves on. O(n⁴).
template <class Scalar>
class OlderAlgorithm {
 public:
  using Array = std::vector<MatX<Scalar>>;

  explicit OlderAlgorithm(const Model& model)
      : links_(model),
        II_G_(3, model.size()),
        I_(model.size(), model.size()),
        P_(static_cast<std::size_t>(model.size()), I_),
        P1_(P_),
        P2_(P_),
        P3_(P_) {}

  void update(const Model& model, Joints<Scalar> joints) {
    links_.update(model, joints);
    I_.setZero();
    for (Array* terms : {&P1_, &P2_, &P3_}) {
      for (MatX<Scalar>& plane : *terms) plane.setZero();
    }
    for (Index k = 0; k < links_.size(); ++k) {
      add_inertia(links_[k]);
      add_power(links_[k]);
    }
    for (std::size_t i = 0; i < P_.size(); ++i) P_[i] = P1_[i] + P2_[i] + P3_[i];
  }

  [[nodiscard]] const PrintedLinks<Scalar>& links() const { return links_; }
  [[nodiscard]] const MatX<Scalar>& I() const { return I_; }
  [[nodiscard]] const Array& P() const { return P_; }
  [[nodiscard]] const Array& P1() const { return P1_; }
  [[nodiscard]] const Array& P2() const { return P2_; }
  [[nodiscard]] const Array& P3() const { return P3_; }

  /// T^I of d'Alembert's principle, link by link.
  void loads(VecIn<Scalar> qd, VecIn<Scalar> qdd, VecOut<Scalar> T) const {
    T.setZero();
    for (Index k = 0; k < links_.size(); ++k) {
      const PrintedLink<Scalar>& link = links_[k];
      const Vec omega = link.G.lazyProduct(qd);                                     // (1)
      const Vec a = acceleration<Scalar>(link.Gc, link.Hc, qd, qdd);                // (3)
      const Vec alpha = acceleration<Scalar>(link.G, link.H, qd, qdd);              // (3)
      const Vec f = link.M * a;                                                     // (5)
      const Vec m = link.II * alpha + omega.cross(Vec(link.II * omega));            // (6)
      T += link.Gc.transpose().lazyProduct(f) + link.G.transpose().lazyProduct(m);  // (7)
    }
  }

  /// T^I of the explicit model.
  void loads_of_model(VecIn<Scalar> qd, VecIn<Scalar> qdd, VecOut<Scalar> T) const {
    for (Index i = 0; i < links_.size(); ++i) {
      T[i] = I_.row(i).dot(qdd);  // (8)
      const MatX<Scalar>& plane = P_[static_cast<std::size_t>(i)];
      for (Index j = 0; j < qd.size(); ++j) T[i] += qd[j] * plane.row(j).dot(qd);  // (8)
    }
  }

 private:
  using Vec = Vec3<Scalar>;

  void add_inertia(const PrintedLink<Scalar>& link) {
    II_G_.noalias() = link.II.lazyProduct(link.G);
    I_ += link.M * link.Gc.transpose().lazyProduct(link.Gc);  // (9)
    I_ += link.G.transpose().lazyProduct(II_G_);              // (9)
  }

  // (10), its three terms element by element.
  void add_power(const PrintedLink<Scalar>& link) {
    II_G_.noalias() = link.II.lazyProduct(link.G);
    for (Index i = 0; i < links_.size(); ++i) {
      const auto plane = static_cast<std::size_t>(i);
      for (Index j = 0; j < links_.size(); ++j) {
        const Vec g_ij = Vec(link.G.col(i)).cross(Vec(link.G.col(j)));
        for (Index k = 0; k < links_.size(); ++k) {
          P1_[plane](j, k) +=
              link.M * generalized_scalar_product<Scalar>(link.Gc, link.Hc, i, j, k);
          P2_[plane](j, k) += generalized_scalar_product<Scalar>(II_G_, link.H, i, j, k);
          P3_[plane](j, k) += g_ij.dot(II_G_.col(k));
        }
      }
    }
  }

  PrintedLinks<Scalar> links_;
  Mat3X<Scalar> II_G_;
  MatX<Scalar> I_;
  Array P_, P1_, P2_, P3_;
};

}  // namespace dyn::kang
