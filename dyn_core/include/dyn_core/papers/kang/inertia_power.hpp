// The inertia power array P*: torque_i = Σ_jk P*_ijk φ̇_j φ̇_k, in three dimensions, O(n³).
//
//   H.-J. Kang: Computationally efficient KIC-based dynamic modeling of robot manipulators.
//   InertiaPower: the modified algorithm, eq. (19)-(27), properties (P1)-(P10), STEP 1-7.
//   FullInertiaPower: the algorithm it improves on, eq. (9), (10), link by link, O(n⁴).
//
//   (25)  [P1]_ij;k = (g_i)ᵀ M_k [H^c*]_jk          for i, j ≤ k
//   (26)  [P2]_ij;k = g_iᵀ [III^k] [H^k]_jk
//   (27)  [P3]_ij;k = ([H^k]_ij - [H^k]_ji)ᵀ [III^k] g_k
//
//   paper                | here              | axes of the first link's frame
//   g_i^c*, g_i          | g_.col(i), w      | KIC of O_k and of the rotation of body k
//   M_k [H^c*]_jk        | F_.col(j)         | w_j × P^k
//   [H^k]_jk             | H_[j].col(k)      | w_j × w_k for j < k, which no outer joint changes
//   [III^k] [H^k]_jk     | N_.col(j)
//   [P1]_ij;k …          | P1_(i, j) …       | plane k
//   [P*]_ij;k            | P[i](j, k)
//
// Properties as they hold here, for a, b ≤ k (garbled in print: the indices of P4, P6, P10, a sign
// of P9 and P10; (27) and P7 have the signs of eq. (8), which fixes the others):
//   (P3) [P1]_ak;b = [P1]_ab;k                (P4) [P1]_ka;b = -[P1]_ba;k, a ≤ b
//   (P5) [P1]_ka;k = [P1]_kk;a = 0            (P6) [P2]_ij;k = 0 for j ≥ k
//   (P7) [P3]_ij;k = -[P3]_ji;k               (P8) [P3]_ii;k = 0
//   (P9) [P3]_ak;b = [P2]_ba;k, a < k         (P10) [P3]_ka;b = -[P2]_ba;k, a < k
//   and, needed with P10 though not printed, [P2]_ka;b = [P3]_ab;k for a < b < k.
// Their sum leaves nothing to add in the planes i = k: P*_ka;b = -P*_ba;k for a < b, -P*_ak;b for a
// ≥ b, and P*_ka;k = P*_kk;a = 0.
//
// Deviations: (a) Body k refers to O_k instead of c*_k, see augmented_bodies.hpp; (25)-(27) stay as
// they are. (b) A prismatic k has P2 = P3 = 0 and one more term w_iᵀ (h_k × (w_j × S^k)) in P1. (c)
// The paper calls the full models of both algorithms identical. Torques are, and I*; but
// P*_ij;k - P*_ik;j = tr[III] g_i·(g_j × g_k), j < k, depends on the reference point, since P2 and
// P3 do. The symmetric part of P* is the same.
//
// Cost, revolute, kinematics included, I* and P* together:
//   (5/2 n³+15n²+171/2 n-147) M (8/3 n³+9n²+235/3 n-121) A   measured
//   (3n³+11n²+129n-171) M (23/6 n³+13/2 n²+691/6 n-138) A    the paper
// What saves is (P7) for half of P3 and the planes i = k, which cost nothing. The paper's figure
// for n = 6, 1715 A, is a slip: its formula gives 1615, its steps add up to 1621.
#pragma once

#include <span>
#include <vector>

#include "dyn_core/papers/kang/augmented_bodies.hpp"
#include "dyn_core/papers/kang/kic.hpp"

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
        g_(3, model.size()),
        F_(g_),
        N_(g_),
        H_(static_cast<std::size_t>(model.size()), g_),
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

  void first_order(Index k) {
    for (Index i = 0; i < k; ++i) g_.col(i) = bodies_.velocity_of_origin(i, k);
  }

  void inertia(Index k, MatOut<Scalar>& I) const {
    const AugmentedBody<Scalar>& b = bodies_[k];
    I(k, k) = b.prismatic ? b.mass : k == 0 ? b.L.z() : b.s.dot(b.L);
    for (Index i = 0; i < k; ++i) {
      I(i, k) = g_.col(i).dot(b.P) + bodies_[i].w.dot(b.L);  // (23), (24)
      I(k, i) = I(i, k);                                     // (P2)
    }
  }

  void power(Index k, PowerArray<Scalar>& P) {
    second_order(k);  // STEP 5
    if (bodies_[k].prismatic) {
      prismatic_plane(k);  // STEP 6
    } else {
      revolute_plane(k);  // STEP 6
    }
    fill(k, P);  // STEP 7
  }

  void second_order(Index k) {
    if (k == 0) return;
    const AugmentedBody<Scalar>& b = bodies_[k];
    for (Index j = 0; j < k; ++j) {
      const Vec& w = bodies_[j].w;
      F_.col(j) = w.cross(b.P);
      if (b.prismatic) {
        second(j, k).setZero();
        N_.col(j) = b.h.cross(w.cross(b.s));
      } else {
        second(j, k) = w.cross(b.s);
        N_.col(j) = b.J * Vec(second(j, k));
      }
    }
    F_.col(k) = b.w.cross(b.P);
  }

  // P1, P2 for i, j < k, P3 for i < j; and of j = k what is not zero.
  void revolute_plane(Index k) {
    const Vec& L = bodies_[k].L;
    for (Index i = 0; i < k; ++i) {
      for (Index j = 0; j < k; ++j) {
        P1_(i, j) = g_.col(i).dot(F_.col(j));     // (25)
        P2_(i, j) = bodies_[i].w.dot(N_.col(j));  // (26)
      }
      for (Index j = i + 1; j <= k; ++j) {
        P3_(i, j) = second(i, j).dot(L);  // (27)
        P3_(j, i) = -P3_(i, j);           // (P7)
      }
      P1_(i, k) = g_.col(i).dot(F_.col(k));  // (25)
    }
  }

  void prismatic_plane(Index k) {
    for (Index i = 0; i < k; ++i) {
      for (Index j = 0; j < k; ++j) {
        P1_(i, j) = g_.col(i).dot(F_.col(j)) + bodies_[i].w.dot(N_.col(j));  // (25)
      }
    }
    const Index n = k + 1;
    P1_.block(0, k, n, 1).setZero();
    P2_.topLeftCorner(n, n).setZero();
    P3_.topLeftCorner(n, n).setZero();
  }

  // All elements with k as their largest index. What vanishes is not added.
  void fill(Index k, PowerArray<Scalar>& P) const {
    MatX<Scalar>& last = plane(P, k);
    const bool turns = !bodies_[k].prismatic;
    last.row(k).head(k + 1).setZero();  // (P5)-(P10)
    last.col(k).head(k + 1).setZero();
    for (Index i = 0; i < k; ++i) {
      MatX<Scalar>& own = plane(P, i);
      for (Index j = 0; j < k; ++j) {
        own(j, k) = P1_(i, j);
        own(k, j) = P1_(i, j);  // (P3)
        if (!turns) continue;
        own(j, k) += P2_(i, j);
        if (i != j) own(j, k) += P3_(i, j);  // (P8)
        own(k, j) += P2_(j, i);              // (P6), (P9)
      }
      own(k, k) = turns ? Scalar(P1_(i, k) + P3_(i, k)) : P1_(i, k);  // (P6)
    }
    for (Index a = 0; a < k; ++a) {
      for (Index b = 0; b < k; ++b) {
        last(a, b) = a < b ? -plane(P, b)(a, k) : -plane(P, a)(k, b);  // (P4), (P10)
      }
    }
  }

  static MatX<Scalar>& plane(PowerArray<Scalar>& P, Index i) {
    return P[static_cast<std::size_t>(i)];
  }
  // [H^k]_jk of the rotation, j < k.
  auto second(Index j, Index k) { return H_[static_cast<std::size_t>(j)].col(k); }

  AugmentedBodies<Scalar> bodies_;
  Columns g_, F_, N_;
  std::vector<Columns> H_;
  MatX<Scalar> P1_, P2_, P3_;
};

template <class Scalar>
class FullInertiaPower {
 public:
  explicit FullInertiaPower(const Model& model)
      : kic_(model), Gc_(3, model.size()), G_(Gc_), II_G_(Gc_) {}

  void inertia_and_power(const Model& model, Joints<Scalar> joints, MatOut<Scalar> I,
                         PowerArray<Scalar> P) {
    kic_.update(model, joints);
    I.setZero();
    for (MatX<Scalar>& plane : P) plane.setZero();
    for (Index link = 0; link < kic_.size(); ++link) add_link(model.link(link), link, I, P);
  }

 private:
  using Vec = Vec3<Scalar>;

  void add_link(const LinkModel& body, Index link, MatOut<Scalar>& I, PowerArray<Scalar>& P) {
    const Pose<Scalar>& frame = kic_.frame(link);
    const Vec c = frame * Vec(body.com.template cast<Scalar>());
    const Mat3<Scalar> II = rotated(frame.R, body.inertia_com).matrix();
    const auto M = Scalar(body.mass);
    for (Index k = 0; k <= link; ++k) {
      Gc_.col(k) = kic_.translation(link, k, c);
      G_.col(k) = kic_.rotation(link, k);
      II_G_.col(k).noalias() = II * G_.col(k);
    }
    for (Index k = 0; k <= link; ++k) {
      for (Index j = 0; j <= link; ++j) {
        I(j, k) += M * Gc_.col(j).dot(Gc_.col(k)) + G_.col(j).dot(II_G_.col(k));  // (9)
        const Vec M_H = M * kic_.translation(link, j, k, c);
        const Vec H = kic_.rotation(link, j, k);
        for (Index i = 0; i <= link; ++i) {
          P[static_cast<std::size_t>(i)](j, k) +=
              Gc_.col(i).dot(M_H) + II_G_.col(i).dot(H) +
              G_.col(i).cross(G_.col(j)).dot(II_G_.col(k));  // (10)
        }
      }
    }
  }

  InfluenceCoefficients<Scalar> kic_;
  Mat3X<Scalar> Gc_, G_, II_G_;
};

}  // namespace dyn
