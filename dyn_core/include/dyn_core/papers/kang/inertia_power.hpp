// The inertia power array P*: torque_i = Σ_jk P*_ijk φ̇_j φ̇_k, in three dimensions, O(n³).
//
//   H.-J. Kang: Computationally efficient KIC-based dynamic modeling of robot manipulators.
//   The modified algorithm, eq. (19)-(27), properties (P1)-(P10), STEP 1-7. The older one, (9) and
//   (10), is in as_printed.hpp, this one about mass centres in as_printed_modified.hpp.
//
//   (25)  [P1]_ij;k = (g_i^c*)ᵀ M_k [H^c*]_jk       for i, j ≤ k
//   (26)  [P2]_ij;k = g_iᵀ [III^k] [H^k]_jk
//   (27)  [P3]_ij;k = ([H^k]_ij - [H^k]_ji)ᵀ [III^k] g_k
//
//   paper                | here              | axes of the first link's frame
//   M_k, P^k, [III^k], L^k | bodies_[k]      | the augmented body about O_k, augmented_bodies.hpp
//   g_i^c*               | g_c_.col(i)       | KIC of O_k
//   g_i                  | bodies_[i].w      | KIC of the rotation of body k
//   M_k [H^c*]_jk        | M_Hc_.col(j)      | g_j × P^k
//   [H^k]_jk             | H_[j].col(k)      | g_j × g_k for j < k, which no outer joint changes
//   [III^k] [H^k]_jk     | III_H_.col(j)
//   [P1]_ij;k …          | P1_(i, j) …       | plane k
//   [P*]_ij;k            | P[i](j, k)
//
// Properties as they hold here, for a, b ≤ k; as_printed_modified.hpp says what is garbled in print:
//   (P3) [P1]_ij;k = [P1]_ik;j                (P4) [P1]_ka;b = -[P1]_ba;k, a ≤ b
//   (P5) [P1]_ka;k = [P1]_kk;a = 0            (P6) [P2]_ij;k = 0 for j ≥ k
//   (P7) [P3]_ij;k = -[P3]_ji;k               (P8) [P3]_ii;k = 0
//   (P9) [P3]_ak;b = [P2]_ba;k, a < k         (P10) [P3]_ka;b = -[P2]_ba;k, a < k
//   (P6') [P2]_ka;b = [P3]_ab;k, a < b < k, needed with (P10) though not printed
// Their sum [P*] = [P1] + [P2] + [P3] leaves nothing to add in the planes i = k:
//   (S1) [P*]_ka;b = -[P*]_ba;k, a < b < k, of (P4), (P6'), (P10) and (P7)
//   (S2) [P*]_ka;b = -[P*]_ak;b, b ≤ a < k, of (P3), (P4), (P6), (P9) and (P10)
//   (S3) [P*]_ka;k = [P*]_kk;a = 0, of (P5)-(P9)
//
// Deviations: (a) Body k refers to O_k instead of c*_k, see augmented_bodies.hpp; (25)-(27) stay as
// they are. (b) A prismatic k has P2 = P3 = 0; its force M_k [H^c*]_jk acts at c*_k, hence with
// g_i^c* = g_i^o + g_i × r_k^c* one more term g_iᵀ (M_k r_k^c* × [H^c*]_jk) in P1. (c) The paper calls
// the full models of both algorithms identical. Torques are, and I*; but P*_ij;k - P*_ik;j = tr[III]
// g_i·(g_j × g_k), j < k, depends on the reference point, since P2 and P3 do. The symmetric part of
// P* is the same.
//
// Cost, revolute, kinematics included, I* and P* together:
//   (5/2 n³+15n²+171/2 n-147) M (8/3 n³+9n²+235/3 n-121) A   measured
//   (3n³+11n²+129n-171) M (23/6 n³+13/2 n²+691/6 n-138) A    the paper
// For n = 6 that is 1446M 1249A, the paper 1647M 1615A, the older algorithm 5995 in all. What saves is
// (P7) for half of P3 and (S1)-(S3), which cost nothing. The paper's figure for n = 6, 1715 A, is a
// slip: its formula gives 1615, its steps add up to 1621.
#pragma once

#include <span>
#include <vector>

#include "dyn_core/papers/kang/augmented_bodies.hpp"

namespace dyn {

/// P_ijk as P[i](j, k): n matrices n x n, sized by the caller.
template <class Scalar>
using PowerArray = std::span<MatX<Scalar>>;

/// Turns P* into the Christoffel symbols of the first kind, c_ijk = (P_ijk + P_ikj) / 2.
template <class Scalar>
void make_christoffel_symbols(PowerArray<Scalar> P) {
  for (MatX<Scalar>& plane : P) {
    for (Index j = 0; j < plane.rows(); ++j) {
      for (Index k = 0; k < j; ++k) {
        plane(j, k) = Scalar(0.5) * (plane(j, k) + plane(k, j));
        plane(k, j) = plane(j, k);
      }
    }
  }
}

template <class Scalar>
class InertiaPower {
 public:
  explicit InertiaPower(const Model& model)
      : bodies_(model),
        g_c_(3, model.size()),
        M_Hc_(g_c_),
        III_H_(g_c_),
        H_(static_cast<std::size_t>(model.size()), g_c_),
        P1_(model.size(), model.size()),
        P2_(P1_),
        P3_(P1_) {}

  /// The bodies of the last configuration, for their momenta.
  [[nodiscard]] const AugmentedBodies<Scalar>& bodies() const { return bodies_; }

  void inertia_power(const Model& model, Joints<Scalar> joints, PowerArray<Scalar> P) {
    bodies_.update(model, joints);  // STEP 1, 2
    for (Index k = 0; k < bodies_.size(); ++k) {
      first_order(k);  // STEP 3
      power(k, P);
    }
  }

  /// I* and P* together.
  void inertia_and_power(const Model& model, Joints<Scalar> joints, MatOut<Scalar> I,
                         PowerArray<Scalar> P) {
    bodies_.update(model, joints);  // STEP 1, 2
    for (Index k = 0; k < bodies_.size(); ++k) {
      first_order(k);  // STEP 3
      inertia(k, I);   // STEP 4
      power(k, P);
    }
  }

 private:
  using Vec = Vec3<Scalar>;
  using Columns = Mat3X<Scalar>;
  using Step = CountedStep<Scalar>;

  // g_i^c*.
  void first_order(Index k) {
    [[maybe_unused]] const Step step_3(3);
    for (Index i = 0; i < k; ++i) g_c_.col(i) = bodies_.velocity_of_origin(i, k);
  }

  void inertia(Index k, MatOut<Scalar>& I) const {
    [[maybe_unused]] const Step step_4(4);
    const AugmentedBody<Scalar>& b = bodies_[k];
    I(k, k) = b.prismatic ? b.mass : k == 0 ? b.L.z() : b.s.dot(b.L);
    for (Index i = 0; i < k; ++i) {
      I(i, k) = g_c_.col(i).dot(b.P) + g(i).dot(b.L);  // (23) + (24)
      I(k, i) = I(i, k);                               // (P2)
    }
  }

  void power(Index k, PowerArray<Scalar>& P) {
    if (bodies_[k].prismatic) {
      second_order_prismatic(k);     // STEP 5
      independent_prismatic(k);      // STEP 6
      inner_planes_prismatic(k, P);  // STEP 7
    } else {
      second_order(k);     // STEP 5
      independent(k);      // STEP 6
      inner_planes(k, P);  // STEP 7
    }
    last_plane(k, P);  // STEP 7
  }

  // M_k [H^c*]_jk for j ≤ k, [H^k]_jk and, of STEP 6, [III^k] [H^k]_jk for j < k.
  void second_order(Index k) {
    if (k == 0) return;
    [[maybe_unused]] const Step step_5(5);
    const AugmentedBody<Scalar>& b = bodies_[k];
    for (Index j = 0; j <= k; ++j) M_Hc_.col(j) = g(j).cross(b.P);
    for (Index j = 0; j < k; ++j) {
      H(j, k) = g(j).cross(g(k));
      [[maybe_unused]] const Step step_6(6);
      III_H_.col(j) = b.J * Vec(H(j, k));
    }
  }

  // M_k [H^c*]_jk, and its moment about O_k in the place of [III^k] [H^k]_jk.
  void second_order_prismatic(Index k) {
    const AugmentedBody<Scalar>& b = bodies_[k];
    for (Index j = 0; j < k; ++j) {
      M_Hc_.col(j) = g(j).cross(b.P);
      H(j, k).setZero();
      III_H_.col(j) = b.h.cross(g(j).cross(b.s));
    }
  }

  // P1, P2 for i, j < k, P3 for i, j ≤ k; and P1 for j = k. Where i = k, P1 is 0 (P5) and P2 is not
  // needed; where j = k, P2 is 0 (P6).
  void independent(Index k) {
    [[maybe_unused]] const Step step_6(6);
    const Vec& III_g = bodies_[k].L;
    for (Index i = 0; i < k; ++i) {
      for (Index j = 0; j < k; ++j) {
        P1_(i, j) = g_c_.col(i).dot(M_Hc_.col(j));  // (25)
        P2_(i, j) = g(i).dot(III_H_.col(j));        // (26)
      }
      for (Index j = i + 1; j <= k; ++j) {
        P3_(i, j) = H(i, j).dot(III_g);  // (27)
        P3_(j, i) = -P3_(i, j);          // (P7)
      }
      P1_(i, k) = g_c_.col(i).dot(M_Hc_.col(k));  // (25)
    }
  }

  // P1 for i, j < k; for j = k it is 0, two slides having no effect on each other.
  void independent_prismatic(Index k) {
    for (Index i = 0; i < k; ++i) {
      for (Index j = 0; j < k; ++j) {
        P1_(i, j) = g_c_.col(i).dot(M_Hc_.col(j)) + g(i).dot(III_H_.col(j));  // (25)
      }
    }
  }

  // [P*] = [P1] + [P2] + [P3] for i < k where j or k is the largest index.
  void inner_planes(Index k, PowerArray<Scalar>& P) const {
    [[maybe_unused]] const Step step_7(7);
    for (Index i = 0; i < k; ++i) {
      MatX<Scalar>& P_i = plane(P, i);
      for (Index j = 0; j < k; ++j) {
        P_i(j, k) = P1_(i, j) + P2_(i, j);
        if (i != j) P_i(j, k) += P3_(i, j);  // (P8)
        P_i(k, j) = P1_(i, j) + P2_(j, i);   // (P3), (P6), (P9)
      }
      P_i(k, k) = P1_(i, k) + P3_(i, k);  // (P6)
    }
  }

  void inner_planes_prismatic(Index k, PowerArray<Scalar>& P) const {
    for (Index i = 0; i < k; ++i) {
      MatX<Scalar>& P_i = plane(P, i);
      for (Index j = 0; j < k; ++j) {
        P_i(j, k) = P1_(i, j);
        P_i(k, j) = P1_(i, j);  // (P3)
      }
      P_i(k, k) = Scalar(0.0);
    }
  }

  // The same for i = k.
  void last_plane(Index k, PowerArray<Scalar>& P) const {
    MatX<Scalar>& P_k = plane(P, k);
    for (Index a = 0; a < k; ++a) {
      for (Index b = 0; b < k; ++b) {
        P_k(a, b) = a < b ? -plane(P, b)(a, k) : -plane(P, a)(k, b);  // (S1), (S2)
      }
    }
    P_k.row(k).head(k + 1).setZero();  // (S3)
    P_k.col(k).head(k + 1).setZero();  // (S3)
  }

  static MatX<Scalar>& plane(PowerArray<Scalar>& P, Index i) {
    return P[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] const Vec& g(Index i) const { return bodies_[i].w; }
  // [H^k]_jk of the rotation, j < k.
  auto H(Index j, Index k) { return H_[static_cast<std::size_t>(j)].col(k); }

  AugmentedBodies<Scalar> bodies_;
  Columns g_c_, M_Hc_, III_H_;
  std::vector<Columns> H_;
  MatX<Scalar> P1_, P2_, P3_;
};

}  // namespace dyn
