// The frame injection effect and the mass matrix by GDAHJ as printed: every pair of frame j and link i
// on its own, sums as sums, no operation saved.
//
//   M. Safeea, R. Béarée, P. Neto: Reducing the computational complexity of mass-matrix calculation for
//   high DOF robots, IROS 2018. Equations (4)-(31) and Algorithm 1. As run: gda.hpp, gdahj.hpp.
//
//   paper                   | here             | frame 0, unit
//   1 … n                   | 1 … n            | links and joints from the base; A_ij is at (i-1, j-1)
//   R_i, p_i                | R[i], p[i]       | link frame i (modified Denavit-Hartenberg), m
//   k_j                     | k[j]             | z axis of frame j
//   p_Ci, p_Cij             | p_C[i], p_Cij(i, j) | mass centre of link i from O_0, from O_j, m
//   m_i, I_i^i              | m[i], I[i]       | I about the mass centre, in link frame i
//   q̇_j, q̈_j                | qd[j], qdd[j]    |
//   ε_j, ω_j                | epsilon(j), omega(j) |
//   p̈^τ, p̈^n, p̈^cor, p̈_Cij  | acceleration_tau(i, j) …_n, …_cor, acceleration(i, j) |
//   v^r_Cij, ω^r_ij         | v_r(i, j), omega_r(i, j) | from frames j+1 … i
//   μ^τ, μ^n, μ^cor, μ_Cij  | moment_tau(i, j) …_n, …_cor, moment(i, j) | about the mass centre
//   L_i                     | L(i)             |
//   l_i                     | l(i)             | O_i to O_i+1, m
//   μ_i,j                   | mu_18(i, j) … mu_29(i, j) | moment on joint i about O_i; by equation
//   η_i, κ_i, b_i, D_i      | eta(i), kappa(i), b(i), D(i) |
//   t_j, d_i, y_i           | t(j), d(i), y(i) |
//
// (18)-(31) hold for j ≤ i, the pairs of Algorithm 1. Without drive inertia, which is not in the paper.
//
// Deviations: (a) The paper treats revolute joints. A prismatic frame j turns nothing: its k_j in the
// equations is zero, p̈^τ is q̈_j times its axis, v^r gets q̇_j times its axis, and t_j is minus its
// axis. (30) is for a revolute joint i; of a prismatic one d_i and y_i are those of gdahj.hpp. (b) (19)
// is (18) with q̈_j = 1.
//
// Misprint: the text below (31) has y_i = b̂_iᵀ k_i. Algorithm 1 needs b̂_i k_i, the second line of (31).
#pragma once

#include <vector>

#include "dyn_core/papers/shared/of_links.hpp"
#include "dyn_core/robot/algorithm.hpp"
#include "dyn_core/robot/kinematics.hpp"

namespace dyn::safeea {

/// What the equations are about: the links of a chain at one configuration, in frame 0.
struct Links {
  explicit Links(const Model& model)
      : n(model.size()),
        prismatic(n, 0),
        R(n, Mat3d::Identity()),
        I(R),
        axis(n, Vec3d::Zero()),
        k(axis),
        p(axis),
        p_C(axis),
        m(n, 0.0),
        frames(static_cast<std::size_t>(n)) {}

  void update(const Model& model, Joints<double> joints) {
    link_frames<double>(model, joints, frames);
    for (Index i = 1; i <= n; ++i) {
      const LinkModel& link = model.link(i - 1);
      const Posed& frame = frames[static_cast<std::size_t>(i - 1)];
      R[i] = frame.R;
      p[i] = frame.p;
      axis[i] = frame.R.col(2);
      prismatic[i] = link.prismatic ? 1 : 0;
      k[i] = link.prismatic ? Vec3d(Vec3d::Zero()) : axis[i];
      p_C[i] = frame * link.com;
      m[i] = link.mass;
      I[i] = link.inertia_com.matrix();
    }
  }
  [[nodiscard]] Vec3d p_Cij(Index i, Index j) const { return p_C[i] - p[j]; }  // (20), (21)
  [[nodiscard]] Mat3d RIR(Index i) const { return R[i] * I[i] * R[i].transpose(); }

  Index n;
  OfLinks<int> prismatic;
  OfLinks<Mat3d> R, I;
  OfLinks<Vec3d> axis, k, p, p_C;
  OfLinks<double> m;
  std::vector<Posed> frames;
};

/// Section II: what frame j transfers to link i, for j ≤ i.
struct FrameInjection {
  explicit FrameInjection(const Model& model) : links(model), qd(links.n, 0.0), qdd(qd) {}

  void update(const Model& model, Joints<double> joints, VecIn<double> rates,
              VecIn<double> accelerations) {
    links.update(model, joints);
    for (Index j = 1; j <= links.n; ++j) qd[j] = rates[j - 1], qdd[j] = accelerations[j - 1];
  }

  // ---- A. accelerations of the mass centre
  [[nodiscard]] Vec3d epsilon(Index j) const { return qdd[j] * links.k[j]; }  // (5)
  [[nodiscard]] Vec3d omega(Index j) const { return qd[j] * links.k[j]; }     // (7)
  [[nodiscard]] Vec3d acceleration_tau(Index i, Index j) const {
    if (links.prismatic[j] != 0) return qdd[j] * links.axis[j];
    return epsilon(j).cross(links.p_Cij(i, j));  // (4)
  }
  [[nodiscard]] Vec3d acceleration_n(Index i, Index j) const {
    return omega(j).cross(omega(j).cross(links.p_Cij(i, j)));  // (6)
  }
  [[nodiscard]] Vec3d acceleration_n_by_k(Index i, Index j) const {
    const Vec3d& k_j = links.k[j];
    return k_j.cross(k_j.cross(links.p_Cij(i, j))) * (qd[j] * qd[j]);  // (8)
  }
  [[nodiscard]] Vec3d v_r(Index i, Index j) const {
    Vec3d sum = Vec3d::Zero();
    for (Index k = j + 1; k <= i; ++k) {
      if (links.prismatic[k] != 0) sum += qd[k] * links.axis[k];
      sum += omega(k).cross(links.p_Cij(i, k));  // (10)
    }
    return sum;
  }
  [[nodiscard]] Vec3d acceleration_cor(Index i, Index j) const {
    return 2.0 * omega(j).cross(v_r(i, j));  // (9)
  }
  [[nodiscard]] Vec3d acceleration(Index i, Index j) const {
    return acceleration_tau(i, j) + acceleration_n(i, j) + acceleration_cor(i, j);  // (11)
  }

  // ---- B. inertial moments
  [[nodiscard]] Vec3d moment_tau(Index i, Index j) const {
    return links.RIR(i) * epsilon(j);  // (12)
  }
  [[nodiscard]] Mat3d L(Index i) const {
    const Mat3d& I_i = links.I[i];
    const Mat3d own = I_i.trace() * Mat3d::Identity() - 2.0 * I_i;
    return links.R[i] * own * links.R[i].transpose();  // (14)
  }
  [[nodiscard]] Vec3d moment_n(Index i, Index j) const {
    return 0.5 * (L(i) * omega(j)).cross(omega(j));  // (13)
  }
  [[nodiscard]] Vec3d omega_r(Index i, Index j) const {
    Vec3d sum = Vec3d::Zero();
    for (Index k = j + 1; k <= i; ++k) sum += omega(k);  // (16)
    return sum;
  }
  [[nodiscard]] Vec3d moment_cor(Index i, Index j) const {
    return (L(i) * omega(j)).cross(omega_r(i, j));  // (15)
  }
  [[nodiscard]] Vec3d moment(Index i, Index j) const {
    return moment_tau(i, j) + moment_n(i, j) + moment_cor(i, j);  // (17)
  }

  Links links;
  OfLinks<double> qd, qdd;
};

/// Section III: the mass matrix A, from the balance of one link to Algorithm 1.
struct MassMatrix {
  explicit MassMatrix(const Model& model) : links(model) {}

  void update(const Model& model, Joints<double> joints) { links.update(model, joints); }

  [[nodiscard]] Vec3d l(Index i) const {  // of the last link, before which nothing stands: zero
    return i < links.n ? Vec3d(links.p[i + 1] - links.p[i]) : Vec3d(Vec3d::Zero());
  }
  /// k_j × p_Cij, the acceleration of the mass centre at q̈_j = 1.
  [[nodiscard]] Vec3d k_cross_p(Index i, Index j) const {
    return links.prismatic[j] != 0 ? links.axis[j] : Vec3d(links.k[j].cross(links.p_Cij(i, j)));
  }
  /// (18), at q̈_j; with q̈_j = 1 it is (19).
  [[nodiscard]] Vec3d mu_18(Index i, Index j, double qdd_j = 1.0) const {
    if (i > links.n) return Vec3d::Zero();
    Vec3d sum = Vec3d::Zero();
    for (Index k = i + 1; k <= links.n; ++k) sum += links.m[k] * (qdd_j * k_cross_p(k, j));
    return mu_18(i + 1, j, qdd_j) + links.RIR(i) * links.k[j] * qdd_j +
           links.m[i] * skew(links.p_Cij(i, i)) * (qdd_j * k_cross_p(i, j)) + skew(l(i)) * sum;
  }
  [[nodiscard]] Vec3d mu_22(Index i, Index j) const {
    if (i > links.n) return Vec3d::Zero();
    Mat3d m_p_C = Mat3d::Zero();
    double mass = 0.0;
    for (Index k = i + 1; k <= links.n; ++k) m_p_C += links.m[k] * skew(links.p_C[k]);
    for (Index k = i + 1; k <= links.n; ++k) mass += links.m[k];
    const Vec3d p_Cii = links.p_Cij(i, i);
    const Mat3d turned =
        links.RIR(i) - links.m[i] * skew(p_Cii) * skew(links.p_C[i]) - skew(l(i)) * m_p_C;
    return mu_22(i + 1, j) + turned * links.k[j] -
           (links.m[i] * p_Cii + mass * l(i)).cross(t(j));  // (22)
  }
  [[nodiscard]] Vec3d eta(Index i) const {
    double mass = 0.0;
    for (Index k = i + 1; k <= links.n; ++k) mass += links.m[k];
    return links.m[i] * links.p_Cij(i, i) + mass * l(i);  // (23)
  }
  [[nodiscard]] Mat3d kappa(Index i) const {
    Mat3d sum = Mat3d::Zero();
    for (Index k = i + 1; k <= links.n; ++k) sum += links.m[k] * skew(links.p_C[k]);
    return -links.m[i] * skew(links.p_Cij(i, i)) * skew(links.p_C[i]) - skew(l(i)) * sum;  // (24)
  }
  [[nodiscard]] Vec3d mu_25(Index i, Index j) const {
    if (i > links.n) return Vec3d::Zero();
    return mu_25(i + 1, j) + (links.RIR(i) + kappa(i)) * links.k[j] - eta(i).cross(t(j));  // (25)
  }
  [[nodiscard]] Vec3d b(Index i) const {
    Vec3d sum = Vec3d::Zero();
    for (Index k = i; k <= links.n; ++k) sum += eta(k);  // (27)
    return sum;
  }
  [[nodiscard]] Mat3d D(Index i) const {
    Mat3d sum = Mat3d::Zero();
    for (Index k = i; k <= links.n; ++k) sum += links.RIR(k) + kappa(k);  // (28)
    return sum;
  }
  /// (26) with (27), (28).
  [[nodiscard]] Vec3d mu_29(Index i, Index j) const {
    return D(i) * links.k[j] - skew(b(i)) * t(j);  // (29)
  }
  [[nodiscard]] double A_30(Index i, Index j) const {
    const Vec3d& k_i = links.k[i];
    return k_i.dot(D(i) * links.k[j]) - k_i.dot(skew(b(i)) * t(j));  // (30)
  }

  // ---- (31): A_ij = k_jᵀ (D_iᵀ k_i) + (k_j × p_j)ᵀ (b̂_i k_i) = k_jᵀ d_i + t_jᵀ y_i
  [[nodiscard]] Vec3d t(Index j) const {
    return links.prismatic[j] != 0 ? Vec3d(-links.axis[j]) : Vec3d(links.k[j].cross(links.p[j]));
  }
  [[nodiscard]] Vec3d d(Index i) const {
    if (links.prismatic[i] == 0) return D(i).transpose() * links.k[i];
    Vec3d s = Vec3d::Zero();
    for (Index k = i; k <= links.n; ++k) s += links.m[k] * links.p_C[k];
    return s.cross(links.axis[i]);
  }
  [[nodiscard]] Vec3d y(Index i) const {
    if (links.prismatic[i] == 0) return skew(b(i)) * links.k[i];
    double mass = 0.0;
    for (Index k = i; k <= links.n; ++k) mass += links.m[k];
    return -mass * links.axis[i];
  }
  void algorithm_1(MatOut<double> A) const {
    for (Index i = 1; i <= links.n; ++i) {
      for (Index j = 1; j <= i; ++j) {
        A(i - 1, j - 1) = links.k[j].dot(d(i)) + t(j).dot(y(i));  // (31)
        A(j - 1, i - 1) = A(i - 1, j - 1);
      }
    }
  }

  Links links;
};

}  // namespace dyn::safeea
