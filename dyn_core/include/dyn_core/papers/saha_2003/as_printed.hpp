// The UDUᵀ decomposition of the generalized inertia matrix by reverse Gaussian elimination, and the
// forward dynamics it gives, as printed: dense matrices, no operation saved.
//
//   S. K. Saha: Simulation of industrial manipulators based on the UDUᵀ decomposition of inertia
//   matrix, Multibody System Dynamics 9, 2003. Equations (2)-(15) and, of Appendix B, (19)-(28).
//   Section 3, (16), (17) and the steps A1 … C3, is as_printed_steps.hpp.
//
//   paper            | here                 | frame 1, unit
//   1 … n            | 1 … n                | links and joints from the base; elements of a matrix
//                    |                      | are at (i-1, j-1)
//   e_i, d_i, c_i    | e[i], d[i], c[i]     | axis of joint i; O_i to C_i; place of the mass centre C_i
//   t_i = [ω_i; v_i] | t[i]                 | of link i, v_i that of C_i
//   M_i, B_ij, p_i   | M[i], B(i, j), p[i]  | about the mass centres
//   M̃_i              | M_tilde[i]           | mass matrix of the composite body i
//   M, M̃, N_l, N_d   | M_6n, M_tilde_6n, N_l, N_d | 6n x 6n, 6n x n
//   I, i_ij          | I, element(i, j)     | kg m², kg m, kg
//   M̂_ik, M̂_k, M̂_kk  | M_hat(i, k), M_hat(k), M_hat(k, k) | M̂_k = M̂_k,k+1: articulated body k
//   ψ̂_k, ψ̂_ik        | psi_hat(k), psi_hat(i, k) |
//   ψ_k, ψ_ik, m̂_k   | psi(k), psi(i, k), m_hat(k) |
//   i_ij^(k)         | element(i, j, k)     | of L_k, for i, j < k; k = n+1 is I itself
//   α_k, λ_k, E_k    | alpha[k], lambda[k], E[k] | E_inverse[k] is E_k⁻¹
//   L_k              | L[k]                 | L_n+1 = I
//   E, U, D, L       | E_all, U, D, L_all   |
//   φ, τ̂, τ̃, θ̈       | phi, tau_hat[i], tau_tilde[i], theta_dd[i] |
//   η_i, η_i,i+1     | eta[i], eta_next[i]  | a force on link i about C_i
//   μ_i, μ_i,i-1     | mu[i], mu_before[i]  | a twist of link i
//
// Everything stands in frame 1, which is our frame 0. Each object sizes itself once.
//
// Deviations: (a) (5) prints p_i of a revolute joint; of a prismatic one it is [0; e_i]. (b) Drive
// inertia, not in the paper, is added to i_ii^(k) and m̂_i. (c) m̂_1, which (10) needs, is (26) at
// k = 1; (28) ends at k = 2.
//
// Misprints, settled by D = diag(L_2) and by solving I θ̈ = φ in the test:
// (12) and its τ̂_n have τ for φ = τ - C θ̇.
#pragma once

#include "dyn_core/papers/saha_2003/as_printed_links.hpp"
#include "dyn_core/robot/algorithm.hpp"

namespace dyn::saha {

/// The inertia matrix by the decoupled natural orthogonal complement matrices, (2)-(6).
struct Denoc {
  using Mat6d = Mat6<double>;
  using Vec6d = Vec6<double>;

  explicit Denoc(const Model& model)
      : n(model.size()),
        e(n, Vec3d::Zero()),
        d(e),
        c(e),
        armature(n, 0.0),
        M(n, Mat6d::Zero()),
        M_tilde(M),
        p(n, Vec6d::Zero()),
        t(p),
        M_6n(MatXd::Zero(6 * n, 6 * n)),
        N_l(M_6n),
        M_tilde_6n(M_6n),
        N_d(MatXd::Zero(6 * n, n)),
        I(MatXd::Zero(n, n)) {}

  void update(const Model& model, Joints<double> joints) {
    set_links(model, joints);
    for (Index i = n; i >= 1; --i) {  // (6), M̃_n+1 = 0
      M_tilde[i] = M[i] + B(i + 1, i).transpose() * M_tilde[i + 1] * B(i + 1, i);
    }
    for (Index i = 1; i <= n; ++i) {  // (3)
      M_6n.block<6, 6>(6 * i - 6, 6 * i - 6) = M[i];
      N_d.block<6, 1>(6 * i - 6, i - 1) = p[i];
      for (Index j = 1; j <= i; ++j) N_l.block<6, 6>(6 * i - 6, 6 * j - 6) = B(i, j);
    }
    M_tilde_6n.noalias() = N_l.transpose() * M_6n * N_l;  // (2)
    I.noalias() = N_d.transpose() * M_tilde_6n * N_d;     // (2)
    for (Index i = 1; i <= n; ++i) I(i - 1, i - 1) += armature[i];
  }

  /// (5).
  [[nodiscard]] Mat6d B(Index i, Index j) const {
    const Vec3d c_ij = c[j] - c[i];
    Mat6d B_ij = Mat6d::Identity();
    B_ij.bottomLeftCorner<3, 3>() = skew(c_ij);  // C_ij
    return B_ij;
  }
  /// i_ij of (6), for j ≤ i; without drive inertia.
  [[nodiscard]] double element(Index i, Index j) const {
    return p[i].dot(M_tilde[i] * (B(i, j) * p[j]));
  }
  /// The twists at the joint rates `rates`, (4).
  void set_twists(VecIn<double> rates) {
    for (Index i = 1; i <= n; ++i) t[i] = B(i, i - 1) * t[i - 1] + p[i] * rates[i - 1];
  }

  Index n;
  OfLinks<Vec3d> e, d, c;
  OfLinks<double> armature;
  OfLinks<Mat6d> M, M_tilde;
  OfLinks<Vec6d> p, t;
  MatXd M_6n, N_l, M_tilde_6n, N_d, I;

 private:
  void set_links(const Model& model, Joints<double> joints) {
    Mat3d orientation = Mat3d::Identity();  // of frame i in frame 1
    Vec3d O = Vec3d::Zero();                // O_i
    for (Index i = 1; i <= n; ++i) {
      const LinkInput link(model, i);
      const JointPose<double>& joint = joints[static_cast<std::size_t>(i - 1)];
      const Mat3d Q_i = link.Q_i(joint), next = orientation * Q_i;
      const Vec3d a_i = orientation * link.a_i(joint), r_i = next * link.r;
      e[i] = orientation.col(2);
      d[i] = a_i - r_i;
      c[i] = O + d[i];
      armature[i] = link.armature;
      M[i] << next * link.I * next.transpose(), Mat3d::Zero(), Mat3d::Zero(),
          link.m * Mat3d::Identity();  // (5)
      if (link.prismatic) {
        p[i] << Vec3d::Zero(), e[i];
      } else {
        p[i] << e[i], e[i].cross(d[i]);  // (5)
      }
      O += a_i;
      orientation = next;
    }
  }
};

/// I = U D Uᵀ: section 2.1 and Appendix B; the solution of I θ̈ = φ: section 2.2.
class UdutAsPrinted {
 public:
  using Mat6d = Mat6<double>;
  using Vec6d = Vec6<double>;

  explicit UdutAsPrinted(const Model& model)
      : g(model),
        n(g.n),
        alpha(n, VecXd::Zero(n)),
        lambda(alpha),
        E(n, MatXd::Zero(n, n)),
        E_inverse(E),
        L(E),
        E_all(MatXd::Zero(n, n)),
        U(E_all),
        D(E_all),
        L_all(E_all),
        tau_hat(n, 0.0),
        tau_tilde(tau_hat),
        theta_dd(tau_hat),
        eta(n, Vec6d::Zero()),
        eta_next(eta),
        mu(eta),
        mu_before(eta),
        M_hat_(n, OfLinks<Mat6d>(n, Mat6d::Zero())),
        psi_hat_(eta),
        m_hat_(tau_hat) {}

  void update(const Model& model, Joints<double> joints) {
    g.update(model, joints);
    articulated_bodies();
    eliminate();
    factorise();
  }

  // ---- Appendix B, (25)-(28)
  [[nodiscard]] const Mat6d& M_hat(Index i, Index k) const { return M_hat_[i][k]; }
  [[nodiscard]] const Mat6d& M_hat(Index k) const { return M_hat(k, k + 1); }
  [[nodiscard]] const Vec6d& psi_hat(Index k) const { return psi_hat_[k]; }
  [[nodiscard]] double m_hat(Index k) const { return m_hat_[k]; }
  [[nodiscard]] Vec6d psi_hat(Index i, Index k) const {
    return g.B(k, i).transpose() * psi_hat(k);  // (26)
  }
  [[nodiscard]] Vec6d psi(Index k) const { return psi_hat(k) / m_hat(k); }                 // (27)
  [[nodiscard]] Vec6d psi(Index i, Index k) const { return psi_hat(i, k) / m_hat(k); }     // (27)
  [[nodiscard]] double alpha_ik(Index i, Index k) const { return g.p[i].dot(psi(i, k)); }  // (25)
  [[nodiscard]] double element(Index i, Index j, Index k) const {
    const double i_ij = g.p[i].dot(M_hat(i, k) * (g.B(i, j) * g.p[j]));  // (25)
    return i == j ? i_ij + g.armature[i] : i_ij;
  }

  /// θ̈ of I θ̈ = φ, steps A, B and C of section 2.2.
  void solve(VecIn<double> phi, VecOut<double> out) {
    step_a(phi);
    for (Index i = 1; i <= n; ++i) tau_tilde[i] = tau_hat[i] / m_hat(i);  // B
    step_c();
    for (Index i = 1; i <= n; ++i) out[i - 1] = theta_dd[i];
  }

  Denoc g;
  Index n;
  OfLinks<VecXd> alpha, lambda;
  OfLinks<MatXd> E, E_inverse, L;
  MatXd E_all, U, D, L_all;
  OfLinks<double> tau_hat, tau_tilde, theta_dd;
  OfLinks<Vec6d> eta, eta_next, mu, mu_before;

 private:
  // (26)-(28) for k = n, …, 2 and i = k-1, …, 1. Column n+1 has no joint eliminated.
  void articulated_bodies() {
    for (Index i = n; i >= 1; --i) M_hat_[i][n + 1] = g.M_tilde[i];  // M̂_n = M_n
    for (Index k = n; k >= 1; --k) {
      psi_hat_[k] = M_hat(k) * g.p[k];                            // (26)
      m_hat_[k] = g.p[k].dot(psi_hat(k)) + g.armature[k];         // (26)
      M_hat_[k][k] = M_hat(k) - psi_hat(k) * psi(k).transpose();  // (28)
      for (Index i = k - 1; i >= 1; --i) {
        const Mat6d B = g.B(i + 1, i);
        M_hat_[i][k] = g.M[i] + B.transpose() * M_hat(i + 1, k) * B;  // (28)
      }
    }
  }

  // (19)-(24): the elementary upper triangular matrices and what they leave of I.
  void eliminate() {
    const MatXd one = MatXd::Identity(n, n);
    L[n + 1] = g.I;
    for (Index k = n; k >= 2; --k) {
      for (Index i = k - 1; i >= 1; --i) alpha[k][i - 1] = alpha_ik(i, k);  // (21), (25)
      lambda[k] = VecXd::Unit(n, k - 1);                                    // (22)
      E[k] = one - alpha[k] * lambda[k].transpose();                        // (20), (23)
      E_inverse[k] = one + alpha[k] * lambda[k].transpose();                // (8)
      L[k].noalias() = E[k] * L[k + 1];                                     // (24), (19) at k = n
    }
  }

  void factorise() {
    E_all.setIdentity();
    for (Index k = 2; k <= n; ++k) E_all = E_all * E[k];  // (7)
    U.setIdentity();
    for (Index k = n; k >= 2; --k) U = U * E_inverse[k];  // (9)
    D.setZero();
    for (Index k = 1; k <= n; ++k) D(k - 1, k - 1) = m_hat(k);  // (10)
    L_all = D.diagonal().cwiseInverse().asDiagonal() * L[2];    // (10), equal to Uᵀ: (11)
  }

  // A. τ̂ = U⁻¹ φ.
  void step_a(VecIn<double> phi) {
    tau_hat[n] = phi[n - 1];
    eta_next[n].setZero();
    for (Index i = n - 1; i >= 1; --i) {
      eta[i + 1] = psi(i + 1) * tau_hat[i + 1] + eta_next[i + 1];  // (13)
      eta_next[i] = g.B(i + 1, i).transpose() * eta[i + 1];        // (13)
      tau_hat[i] = phi[i - 1] - g.p[i].dot(eta_next[i]);           // (12)
    }
  }

  // C. θ̈ = U⁻ᵀ τ̃.
  void step_c() {
    theta_dd[1] = tau_tilde[1];
    mu_before[1].setZero();
    for (Index i = 2; i <= n; ++i) {
      mu[i - 1] = g.p[i - 1] * theta_dd[i - 1] + mu_before[i - 1];  // (15)
      mu_before[i] = g.B(i, i - 1) * mu[i - 1];                     // (15)
      theta_dd[i] = tau_tilde[i] - psi(i).dot(mu_before[i]);        // (14)
    }
  }

  OfLinks<OfLinks<Mat6d>> M_hat_;
  OfLinks<Vec6d> psi_hat_;
  OfLinks<double> m_hat_;
};

}  // namespace dyn::saha
