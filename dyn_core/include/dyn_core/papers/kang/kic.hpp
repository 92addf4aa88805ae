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
//   S^k, O^k           | s_.col(k), O_.col(k)    | joint axis, origin of link frame k
//   P                  | P                       | the point, fixed to the link
//   n                  | link                    | the link, 0 … n-1
//   g_k, [G]           | translation, rotation   | 3 x n
//   [H]_jk             | the same, with j and k  | three planes n x n: x, y, z
//
// With w_j the turning axis, S^j of a revolute joint and 0 of a prismatic one, for j, k ≤ link:
//
//   translation  g_k = S^k × (P - O^k), prismatic S^k
//                h_jk = w_a × g_b with a = min(j, k), b = max(j, k)
//   rotation     g_k = w_k
//                h_jk = w_j × w_k for j < k, else 0
//
// Deviations: Appendix 1 is damaged. (a) In the second order tables both type columns are headed k;
// the first is that of joint k, the second that of joint j. (b) The two rows with a zero for P and
// R repeat the conditions of the rows with a value. They are meant the other way round: (k R, j P,
// j ≤ k) and (k P, j R, k ≤ j), an outer rotation or an inner slide having no effect. (c) The last
// table is of second order, and its zero also holds for j = k. (d) O^k and Q^k are the same vector,
// P - R^k is P - O^k.
#pragma once

#include <array>
#include <utility>
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
        s_(3, model.size()),
        w_(3, model.size()),
        O_(3, model.size()),
        prismatic_(own_frames_.size()) {}

  [[nodiscard]] Index size() const { return s_.cols(); }

  /// Sets the configuration. No allocation here or in the coefficients one by one.
  void update(const Model& model, Joints<Scalar> joints) {
    frames_ = frames_of<Scalar>(model, joints, own_frames_);
    for (Index k = 0; k < size(); ++k) {
      s_.col(k) = frame(k).R.col(2);
      O_.col(k) = frame(k).p;
      w_.col(k) = s_.col(k);
      if (model.link(k).prismatic) w_.col(k).setZero();
      prismatic_[static_cast<std::size_t>(k)] = model.link(k).prismatic;
    }
  }

  /// Pose of link frame `k` in frame 0.
  [[nodiscard]] const Pose<Scalar>& frame(Index k) const {
    return frames_[static_cast<std::size_t>(k)];
  }

  /// g_k of the point `P` of `link`: its velocity at unit speed of joint k. m/rad or 1.
  [[nodiscard]] Vec translation(Index link, Index k, const Vec& P) const {
    if (k > link) return Vec::Zero();
    if (prismatic_[static_cast<std::size_t>(k)]) return s_.col(k);
    return s_.col(k).cross(Vec(P - O_.col(k)));
  }
  /// h_jk of the point `P` of `link`: ∂g_k/∂φ_j = ∂g_j/∂φ_k.
  [[nodiscard]] Vec translation(Index link, Index j, Index k, const Vec& P) const {
    if (j > k) std::swap(j, k);
    if (k > link) return Vec::Zero();
    return w_.col(j).cross(translation(link, k, P));
  }
  /// g_k of the rotation of `link`: its angular velocity at unit speed of joint k.
  [[nodiscard]] Vec rotation(Index link, Index k) const {
    if (k > link) return Vec::Zero();
    return w_.col(k);
  }
  /// h_jk of the rotation of `link`: ∂g_k/∂φ_j.
  [[nodiscard]] Vec rotation(Index link, Index j, Index k) const {
    if (j >= k || k > link) return Vec::Zero();
    return w_.col(j).cross(w_.col(k));
  }

  /// The arrays G (3 x n) and H (three planes n x n, sized by the caller) of the point `P` of
  /// `link`.
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
  Columns s_, w_, O_;
  std::vector<bool> prismatic_;
};

}  // namespace dyn
