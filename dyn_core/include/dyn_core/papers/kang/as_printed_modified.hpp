// Kang as printed, part 3: the modified algorithm, STEP 1-7, with the augmented bodies about their own
// mass centres. O(n³).
//
//   H.-J. Kang: Computationally efficient KIC-based dynamic modeling of robot manipulators, eq.
//   (23)-(29), properties (P2)-(P10), section 4.2.
//
//   paper                | here                 | axes of the first joint's frame, SI
//   Q^k, S^k             | kic_.O(k), S(k)      | origin of frame k, from O_1; joint axis
//   R^k                  | kic_.frame(k).R      | frame k to frame 1
//   C^k                  | C_[k]                | mass centre of link k, from O_1
//   m_k, r_k^ck, [II^k]  | m, r_ck, II          | of link k: mass, O^k to C^k, inertia about C^k
//   M_k, r_k^c*, [III^k] | M_[k], r_[k], III_[k]| of augmented body k, about its mass centre c*_k
//   Q_k^k+1              | Q                    | O^k to O^k+1
//   g_i^c*, g_i          | gc_[k].col(i), g_.col(i) | first order KICs of c*_k and of its rotation
//   [H^c*]_jk, [H^k]_jk  | Hc_[k].col(j), H_[k].col(j) | second order, with joint k
//   [I*], [P*]_ij;k      | I, P[i](j, k)        | and so P1, P2, P3
//
// Figs. 1 and 2: the independent elements are those with i ≤ k of I* and with i, j ≤ k of P_1*, P_2*,
// P_3*; 21 and 91 each for n = 6, 70 of P_1* without those of (P5).
//
// Deviations: (a) (28): the mass centre is the mean weighted with m_k and M_k+1; printed without
// weights. (b) (24): g_j is g_i; (25), (26): index 1 is i. (c) (25)-(27) treat revolute joints. With
// Appendix 1 for [G] and [H] they hold for prismatic ones. (d) STEP 4 names (22), meant are (23) and
// (24); STEP 5 names [H^c*] twice, the second is [H^k]. (e) The properties as they hold, for a, b ≤ k
// and the terms of (10) with the signs of (8):
//   (P3) [P1]_ij;k = [P1]_ik;j               (P4) [P1]_ka;b = -[P1]_ba;k, a ≤ b
//   (P5) [P1]_ka;k = [P1]_kk;a = 0           (P6) [P2]_ij;k = 0, j ≥ k; printed j ≤ k
//   (P7) [P3]_ij;k = -[P3]_ji;k              (P8) [P3]_ii;k = 0
//   (P9) [P3]_ak;b = [P2]_ba;k, a < k; printed with a minus sign, which contradicts (P7), (P10)
//   (P10) [P3]_ka;b = -[P2]_ba;k, a < k; printed for j < k < i
// (P4) is printed with the first two indices on the right in the order a, b. Not printed, but needed
// with (P6): (P6') [P2]_ka;b = [P3]_ab;k, a < b < k. (f) I* is that of (9), P* is that of (10) in its
// part symmetric in j and k. P*_ij;k - P*_ik;j = tr(J) g_i·(g_j × g_k), j < k, has Σ [II^j] for J in
// (10), [III^m] in (25)-(27), m the largest index.
#pragma once

#include <algorithm>
#include <vector>

#include "dyn_core/papers/kang/as_printed_momenta.hpp"

namespace dyn::kang {

template <class Scalar>
class ModifiedAlgorithm {
 public:
  using Array = std::vector<MatX<Scalar>>;

  /// Every augmented body must have mass.
  explicit ModifiedAlgorithm(const Model& model)
      : joints_(static_cast<std::size_t>(model.size())),
        kic_(model),
        C_(joints_.size()),
        r_(C_),
        M_(joints_.size()),
        II_(joints_.size()),
        III_(II_),
        g_(3, model.size()),
        gc_(joints_.size(), g_),
        Hc_(gc_),
        H_(gc_),
        I_(model.size(), model.size()),
        P_(joints_.size(), I_),
        P1_(P_),
        P2_(P_),
        P3_(P_) {}

  void update(const Model& model, Joints<Scalar> joints) {
    step_1(model, joints);
    step_2(model);
    step_3();
    step_4();
    step_5();
    step_6();
    step_7();
  }

  // The counts are the paper's, for revolute joints.

  /// R^k, Q^k and C^k. With joint 1 at zero, frame 0 is the first joint's frame.
  /// (51n-87) M, (39n-66) A.
  void step_1(const Model& model, Joints<Scalar> joints) {
    std::ranges::copy(joints, joints_.begin());
    joints_.front() = {};
    kic_.update(model, joints_);
    for (Index k = 0; k < size(); ++k) {
      const Mat3<Scalar>& R = kic_.frame(k).R;
      C_[at(k)] = kic_.O(k) + R * model.link(k).com.template cast<Scalar>();
    }
  }

  /// M_k, r_k^c* and [III^k], from the tip to the base. (84n-84) M, (70n-70) A.
  void step_2(const Model& model) {
    for (Index k = size() - 1; k >= 0; --k) {
      const Mat3<Scalar>& R = kic_.frame(k).R;
      const auto m = Scalar(model.link(k).mass);
      const Vec r_ck = C_[at(k)] - kic_.O(k);
      M_[at(k)] = m;
      r_[at(k)] = r_ck;
      II_[at(k)] = R * model.link(k).inertia_com.matrix().template cast<Scalar>() * R.transpose();
      III_[at(k)] = II_[at(k)];
      if (k + 1 == size()) continue;
      const Scalar& M_next = M_[at(k + 1)];
      const Vec& r_next = r_[at(k + 1)];
      const Vec Q = kic_.O(k + 1) - kic_.O(k);
      M_[at(k)] = m + M_next;                                         // (28)
      r_[at(k)] = (m * r_ck + M_next * Vec(r_next + Q)) / M_[at(k)];  // (28)
      const Vec& r = r_[at(k)];
      III_[at(k)] = II_[at(k)] + parallel_axes<Scalar>(m, Vec(r - r_ck)) + III_[at(k + 1)] +
                    parallel_axes<Scalar>(M_next, Vec(r - r_next - Q));  // (29)
    }
  }

  /// The first order KICs g_i^c* of every c*_k, and g_k. (3n²-3n) M, (2n²+4n) A.
  void step_3() {
    for (Index k = 0; k < size(); ++k) {
      for (Index i = 0; i < size(); ++i) gc_[at(k)].col(i) = kic_.translation(k, i, centre(k));
      g_.col(k) = kic_.rotation(k, k);
    }
  }

  /// I*, symmetric. (7/2 n²+25/2 n) M, (5/2 n²+17/2 n) A.
  void step_4() {
    for (Index k = 0; k < size(); ++k) {
      const Vec III_g = III_[at(k)] * g_.col(k);
      for (Index i = 0; i <= k; ++i) {
        const Scalar I1 = M_[at(k)] * gc_[at(k)].col(i).dot(gc_[at(k)].col(k));  // (23)
        const Scalar I2 = g_.col(i).dot(III_g);                                  // (24)
        I_(i, k) = I1 + I2;
        I_(k, i) = I_(i, k);  // (P2)
      }
    }
  }

  /// The second order KICs with joint k, of c*_k and of the rotation of body k. (6n²-12n) M,
  /// (3n²-3n-2) A.
  void step_5() {
    for (Index k = 0; k < size(); ++k) {
      for (Index j = 0; j < size(); ++j) {
        Hc_[at(k)].col(j) = kic_.translation(k, j, k, centre(k));
        H_[at(k)].col(j) = kic_.rotation(k, j, k);
      }
    }
  }

  /// The independent elements of P_1*, P_2* and P_3*. (3n³-3/2 n²-7/2 n) M, (2n³-3n) A.
  void step_6() {
    for (Index k = 0; k < size(); ++k) {
      const Vec III_g = III_[at(k)] * g_.col(k);
      for (Index i = 0; i <= k; ++i) {
        for (Index j = 0; j <= k; ++j) {
          const Vec III_H = III_[at(k)] * H_[at(k)].col(j);
          const Vec H_ij = H_[at(j)].col(i), H_ji = H_[at(i)].col(j);
          P1_[at(i)](j, k) = M_[at(k)] * gc_[at(k)].col(i).dot(Hc_[at(k)].col(j));  // (25)
          P2_[at(i)](j, k) = g_.col(i).dot(III_H);                                  // (26)
          P3_[at(i)](j, k) = Vec(H_ij - H_ji).dot(III_g);                           // (27)
        }
      }
    }
  }

  /// The other elements by their properties, and the sum of the three terms. (11/6 n³-n²+2/3 n) A.
  void step_7() {
    for (Index k = 0; k < size(); ++k) {
      for (Index b = 0; b < k; ++b) {
        for (Index a = 0; a < k; ++a) dependent_elements(a, b, k);
        last_elements(b, k);
      }
    }
    for (std::size_t i = 0; i < P_.size(); ++i) P_[i] = P1_[i] + P2_[i] + P3_[i];
  }

  [[nodiscard]] Index size() const { return kic_.size(); }
  [[nodiscard]] const Scalar& M(Index k) const { return M_[at(k)]; }
  [[nodiscard]] const Vec3<Scalar>& r(Index k) const { return r_[at(k)]; }
  [[nodiscard]] const Mat3<Scalar>& III(Index k) const { return III_[at(k)]; }
  [[nodiscard]] const MatX<Scalar>& I() const { return I_; }
  [[nodiscard]] const Array& P() const { return P_; }
  [[nodiscard]] const Array& P1() const { return P1_; }
  [[nodiscard]] const Array& P2() const { return P2_; }
  [[nodiscard]] const Array& P3() const { return P3_; }

 private:
  using Vec = Vec3<Scalar>;

  [[nodiscard]] static std::size_t at(Index k) { return static_cast<std::size_t>(k); }
  // c*_k from O_1.
  [[nodiscard]] Vec centre(Index k) const { return kic_.O(k) + r_[at(k)]; }

  // a, b < k: those with k as second or first index.
  void dependent_elements(Index a, Index b, Index k) {
    const Scalar zero(0.0);
    P1_[at(a)](k, b) = P1_[at(a)](b, k);                                // (P3)
    P1_[at(k)](a, b) = a <= b ? -P1_[at(b)](a, k) : -P1_[at(a)](b, k);  // (P4), (P3)
    P2_[at(a)](k, b) = zero;                                            // (P6)
    P2_[at(k)](a, b) = a < b ? P3_[at(a)](b, k) : zero;                 // (P6'), (P6)
    P3_[at(a)](k, b) = P2_[at(b)](a, k);                                // (P9)
    P3_[at(k)](a, b) = -P2_[at(b)](a, k);                               // (P10)
  }

  // b < k: those with k as first and second index.
  void last_elements(Index b, Index k) {
    const Scalar zero(0.0);
    P1_[at(k)](k, b) = zero;  // (P5)
    P2_[at(k)](k, b) = zero;  // (P6)
    P3_[at(k)](k, b) = zero;  // (P8)
  }

  std::vector<JointPose<Scalar>> joints_;
  InfluenceCoefficients<Scalar> kic_;
  std::vector<Vec> C_, r_;
  std::vector<Scalar> M_;
  std::vector<Mat3<Scalar>> II_, III_;
  Mat3X<Scalar> g_;
  std::vector<Mat3X<Scalar>> gc_, Hc_, H_;
  MatX<Scalar> I_;
  Array P_, P1_, P2_, P3_;
};

}  // namespace dyn::kang
