// The planar GIM as section 3.2.1 prints it, step by step.
//
//   P. P. Bhangale, S. K. Saha, V. P. Agrawal: A dynamic model based robot arm selection criterion,
//   2004, section 3.2.1. The paper counts a planar MCI, (18), but prints none of its equations.
//
//   paper             | here                | frame, unit
//   θ_i, a_i          | q, a                | rad, m; X_i along the common normal before joint i
//   a_i, r_i, d_i     | a, r, d             | O_i to O_i+1, C_i to O_i+1, O_i to C_i; m
//   Q_i               | Q                   | frame i+1 to frame i
//   t_i = [ω_i; v_i]  |                     | turning about the normal, velocity of O_i in the plane
//   M_i, M̃_i, A_ij    | M(i), M_tilde, A    | 3x3, as these act on t_i
//   p_i               | p()                 | [1; 0; 0], joints are revolute
//   R                 | R()                 | R x is x turned by 90°
//   i_ij              | I(i, j)
//
// Each frame's quantities are turned into frame 1 as they are made, so that A_ij of (10) takes vectors
// of one frame.
//
// Misprints: (a) The upper right block of M_i must be m_i d_iᵀ Rᵀ, since m d × v = m dᵀ Rᵀ v and M_i is
// symmetric; printed is m_i d_iᵀ R, its negative. (b) i_zz must be about O_i: i_zz^c + m_i d_iᵀ d_i.
// (c) The list "6. a), 7." is 6(a), 6(b) of Table II. (a) and (b) are held
// by test_links_as_printed.cpp.
//
// For study and for tests, and for revolute joints whose axes all point the same way.
#pragma once

#include <vector>

#include "dyn_core/robot/model.hpp"

namespace dyn::bhangale {

class PlanarGim {
 public:
  using Vec2d = Eigen::Vector2d;
  using Mat2d = Eigen::Matrix2d;

  PlanarGim(const Model& model, std::span<const JointPose<double>> joints) {
    Mat2d Q_before = Mat2d::Identity();  // Q_1 … Q_i-1
    O_.push_back(Vec2d::Zero());
    for (Index i = 0; i < model.size(); ++i) {
      const LinkModel& k = model.link(i);
      const Turn<double>& theta = joints[static_cast<std::size_t>(i)].theta;
      const double length = i + 1 < model.size() ? model.link(i + 1).a : 0.0;
      const Vec2d r_input = Vec2d(length, 0.0) - k.com.head<2>();  // (iv)

      const Vec2d a(length * theta.c, length * theta.s);  // step 1
      Mat2d Q;
      Q << theta.c, -theta.s, theta.s, theta.c;
      const Vec2d r = Q * r_input;  // step 2
      const Vec2d d = a - r;        // step 3
      const Vec2d md = k.mass * d;  // step 4
      const double i_zz = k.inertia_com.zz + md.dot(d);
      M_i_.push_back(mass_matrix(i_zz, k.mass, Q_before * md));  // step 5(a)

      O_.push_back(O_.back() + Q_before * a);
      Q_before *= Q;
    }
  }

  /// Steps 5(b) and 6.
  [[nodiscard]] MatXd I() const {
    const auto n = static_cast<Index>(M_i_.size());
    MatXd gim(n, n);
    Mat3d M_tilde = Mat3d::Zero();
    for (Index i = n - 1; i >= 0; --i) {
      const Mat3d A_next = A(i + 1, i);
      M_tilde = M(i) + A_next.transpose() * M_tilde * A_next;  // step 5(b), (13)
      for (Index j = 0; j <= i; ++j) {
        gim(i, j) = p().dot(M_tilde * A(i, j) * p());  // step 6, (10)
        gim(j, i) = gim(i, j);
      }
    }
    return gim;
  }

  [[nodiscard]] static Mat2d R() { return (Mat2d() << 0.0, -1.0, 1.0, 0.0).finished(); }
  [[nodiscard]] static Vec3d p() { return Vec3d::UnitX(); }
  [[nodiscard]] const Mat3d& M(Index i) const { return M_i_[static_cast<std::size_t>(i)]; }
  /// v_i = v_j + ω_j R a_ij.
  [[nodiscard]] Mat3d A(Index i, Index j) const {
    Mat3d A_ij = Mat3d::Identity();
    A_ij.bottomLeftCorner<2, 1>() =
        R() * (O_[static_cast<std::size_t>(i)] - O_[static_cast<std::size_t>(j)]);
    return A_ij;
  }

 private:
  static Mat3d mass_matrix(double i_zz, double m, const Vec2d& md) {
    Mat3d M_i;
    M_i(0, 0) = i_zz;
    M_i.topRightCorner<1, 2>() = md.transpose() * R().transpose();
    M_i.bottomLeftCorner<2, 1>() = R() * md;
    M_i.bottomRightCorner<2, 2>() = m * Mat2d::Identity();
    return M_i;
  }

  std::vector<Vec2d> O_;  // O_1 … O_n+1 in frame 1
  std::vector<Mat3d> M_i_;
};

}  // namespace dyn::bhangale
