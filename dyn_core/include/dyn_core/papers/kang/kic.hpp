// Kinematic influence coefficients (KICs): what the joints do to a point of a link and to its
// rotation, position by position, without time.
//
//   H.-J. Kang: Computationally efficient KIC-based dynamic modeling of robot manipulators, eq.
//   (1)-(4) and Appendix 1; after M. Thomas, D. Tesar 1982.
//
//   (1)  u̇ = G φ̇                      first order
//   (3)  ü = G φ̈ + φ̇ᵀ H φ̇             second order, one plane of H for each component of u
//
//   paper              | here                    | frame 0, SI
//   S^k                | S_.col(k)               | joint axis
//   O^k, Q^k           | O_.col(k)               | origin of link frame k, from O_0; m
//   R^k                | frame(k).R              | rotation of link frame k
//   P                  | P                       | the point, fixed to the link
//   n                  | link                    | the link, 0 … n-1
//   g_k, [G]           | translation, rotation   | 3 x n
//   [H]_jk             | the same, with j and k  | three planes n x n: x, y, z
//
// The tables stand here row by row. Deviations, settled by exact derivatives: (a) In the second order
// tables both columns of types are headed k; the first is that of joint k, the second that of joint
// j. (b) The row P, R, j ≤ k with the value 0 repeats the conditions of the row with S^j × S^k; it
// must be R, P, j ≤ k: an inner slide does not turn an outer axis. The other row with 0 is right. (c)
// The last table, headed first order, is of second order, and its zero for j > k also holds for j =
// k. (d) P - R^k in the first row is P - O^k.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "dyn_core/robot/algorithm.hpp"
#include "dyn_core/robot/kinematics.hpp"

namespace dyn {

template <class Scalar>
class InfluenceCoefficients {
 public:
  using Vec = Vec3<Scalar>;
  using Columns = Mat3X<Scalar>;
  using Planes = std::array<MatX<Scalar>, 3>;

  explicit InfluenceCoefficients(const Model& model)
      : own_frames_(static_cast<std::size_t>(model.size())),
        S_(3, model.size()),
        O_(S_),
        prismatic_(own_frames_.size()) {}

  [[nodiscard]] Index size() const { return S_.cols(); }

  /// Sets the configuration. No allocation here or in the coefficients one by one.
  void update(const Model& model, Joints<Scalar> joints) {
    frames_ = frames_of<Scalar>(model, joints, own_frames_);
    for (Index k = 0; k < size(); ++k) {
      S_.col(k) = frame(k).R.col(2);
      O_.col(k) = frame(k).p;
      prismatic_[static_cast<std::size_t>(k)] = model.link(k).prismatic;
    }
  }

  /// Pose of link frame `k` in frame 0.
  [[nodiscard]] const Pose<Scalar>& frame(Index k) const {
    return frames_[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] Vec S(Index k) const { return S_.col(k); }
  [[nodiscard]] Vec O(Index k) const { return O_.col(k); }
  [[nodiscard]] bool prismatic(Index k) const { return prismatic_[static_cast<std::size_t>(k)]; }

  // Beside each line: joint k, for second order joint j, condition.

  /// Translational first order: g_k of the point `P` of `link`, its velocity at unit speed of joint k.
  /// m/rad or 1.
  [[nodiscard]] Vec translation(Index link, Index k, const Vec& P) const {
    if (k > link) return Vec::Zero();  // R, P | k > n
    if (prismatic(k)) return S(k);     // P    | k ≤ n
    return S(k).cross(Vec(P - O(k)));  // R    | k ≤ n
  }
  /// Translational second order: [H]_jk of the point `P` of `link`, ∂g_k/∂φ_j = ∂g_j/∂φ_k.
  [[nodiscard]] Vec translation(Index link, Index j, Index k, const Vec& P) const {
    if (j > link || k > link) return Vec::Zero();          // R, P | R, P | j or k > n
    if (prismatic(k) && prismatic(j)) return Vec::Zero();  // P | P | all j, k
    if (prismatic(k)) {
      if (j <= k) return S(j).cross(S(k));  // P | R | j ≤ k ≤ n
      return Vec::Zero();                   // P | R | k ≤ j ≤ n
    }
    if (prismatic(j)) {
      if (k <= j) return S(k).cross(S(j));  // R | P | k ≤ j ≤ n
      return Vec::Zero();                   // R | P | j ≤ k ≤ n, printed P | R
    }
    if (j <= k) return S(j).cross(S(k).cross(Vec(P - O(k))));  // R | R | j ≤ k ≤ n
    return S(k).cross(S(j).cross(Vec(P - O(j))));              // R | R | k ≤ j ≤ n
  }
  /// Rotational first order: g_k of `link`, its angular velocity at unit speed of joint k.
  [[nodiscard]] Vec rotation(Index link, Index k) const {
    if (k > link) return Vec::Zero();      // R, P | k > n
    if (prismatic(k)) return Vec::Zero();  // P    | k ≤ n
    return S(k);                           // R    | k ≤ n
  }
  /// Rotational second order: [H]_jk of `link`, ∂g_k/∂φ_j.
  [[nodiscard]] Vec rotation(Index link, Index j, Index k) const {
    if (prismatic(k) || prismatic(j)) return Vec::Zero();  // P | R and R | P | all j, k
    if (j >= k || k > link) return Vec::Zero();            // R | R | j ≥ k or k > n
    return S(j).cross(S(k));                               // R | R | j < k ≤ n
  }

  /// (2) and (4) of the point `P` of `link`: G (3 x n) and H (three planes n x n, sized by the
  /// caller).
  void translation(Index link, const Vec& P, Columns& G, Planes& H) const {
    for (Index k = 0; k < size(); ++k) {
      G.col(k) = translation(link, k, P);
      for (Index j = 0; j < size(); ++j) set(H, j, k, translation(link, j, k, P));
    }
  }
  /// The same for the rotation of `link`.
  void rotation(Index link, Columns& G, Planes& H) const {
    for (Index k = 0; k < size(); ++k) {
      G.col(k) = rotation(link, k);
      for (Index j = 0; j < size(); ++j) set(H, j, k, rotation(link, j, k));
    }
  }

 private:
  static void set(Planes& H, Index j, Index k, const Vec& h) {
    H[0](j, k) = h.x();
    H[1](j, k) = h.y();
    H[2](j, k) = h.z();
  }

  std::vector<Pose<Scalar>> own_frames_;
  std::span<const Pose<Scalar>> frames_;
  Columns S_, O_;
  std::vector<bool> prismatic_;
};

}  // namespace dyn
