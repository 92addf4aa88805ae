// Forward dynamics in O(n), as printed: the steps A1 … C3 in the paper's link frames and blocks.
//
//   S. K. Saha: Simulation of industrial manipulators based on the UDUᵀ decomposition of inertia
//   matrix, Multibody System Dynamics 9, 2003. Section 3 with (16), (17). The braces behind a step
//   are the count the paper gives it; they sum to (192n-284)M (187n-325)A.
//
//   paper                 | here                   | frame, unit
//   1 … n                 | 1 … n                  | links and joints from the base
//   a_i, Q_i, r_i, I_i, m_i | link[i], Q[i]        | as_printed_links.hpp
//   d_i                   | d[i]                   | O_i to C_i, frame i, m
//   c_i,i-1, C_i,i-1      | c[i], skew(c[i])       | C_i to C_i-1, frame i, m
//   e_i                   | e                      | [0, 0, 1] in frame i
//   M̂_i = [Î Fᵀ; F G]     | M_hat[i].I, .F, .G     | about C_i, frame i; (16)
//   M̂_ii                  | M_hat_ii[i]            | the same
//   ψ̂_i = [(t); (b)], ψ_i | psi_hat[i].t, .b, psi[i] | frame i; (17)
//   m̂_i                   | m_hat[i]               | kg m² or kg
//   η_i, η_i,i+1          | eta[i], eta_next[i]    | frame i
//   φ_i, τ̂_i, τ̃_i, θ̈_i    | phi, tau_hat[i], tau_tilde[i], theta_dd[i] |
//   μ_i, μ_i,i-1          | mu[i], mu_before[i]    | frame i+1; frame i
//
// Deviations: (a) The steps print a revolute joint: p_i = [e_i; e_i × d_i]. For a prismatic one p_i
// is [0; e_i] in their place: p[i].t, p[i].b. (b) Drive inertia, not in the paper, is added to m̂_i.
// (c) 4(a) and 4(b) are one statement, as are 6, 8, 9 and C2 for the first and the other links: the
// terms that (a) leaves out are zero.
//
// Misprints; those in formulas settled against Cholesky and U D Uᵀ in the test:
// A1     [d_i]_i+1 = [a_i]_i+1 - … is [d_i]_i = [a_i]_i - Q_i [r_i]_i+1.
// A3(b)  [I_i]_i+1 is missing in [Î_i]_i+1 = [Î_i+1,i+1]_i+1 + (): 6A more for each link.
// A3(b), A4(b) stop at i = 2; m̂_1 of A5 needs M̂_1 and ψ̂_1. A6, A7(b) stop there rightly.
// A4(b)  {12M 12A (n-3)} has n-2 links in the printed range, n-1 with i = 1.
// A7     H_nn, H_ii, H_i are the F of (16).
// C3     (t) for (b) of μ_i-1 in the lower half.
// Table I has 191n for 192n. The count of C2(b) includes i = n, which nothing needs.
#pragma once

#include "dyn_core/papers/saha_2003/as_printed_links.hpp"
#include "dyn_core/robot/algorithm.hpp"

namespace dyn::saha {

/// Top and bottom half of a six-dimensional vector, (17).
template <class Scalar>
struct Halves {
  Vec3<Scalar> t = Vec3<Scalar>::Zero(), b = Vec3<Scalar>::Zero();
};

/// Blocks of a symmetric 6x6 matrix [I Fᵀ; F G], (16).
template <class Scalar>
struct Blocks {
  Mat3<Scalar> I = Mat3<Scalar>::Zero(), F = I, G = I;
};

/// Sized once; solve() allocates nothing. For chains whose mass matrix is positive definite.
template <class Scalar>
class ForwardDynamicsSteps {
 public:
  using Vec = Vec3<Scalar>;
  using Mat = Mat3<Scalar>;

  explicit ForwardDynamicsSteps(const Model& model)
      : n(model.size()),
        link(n, {}),
        Q(n, Mat::Zero()),
        d(n, Vec::Zero()),
        c(d),
        p(n, {}),
        M_hat(n, {}),
        M_hat_ii(M_hat),
        psi_hat(p),
        psi(p),
        eta(p),
        eta_next(p),
        mu(p),
        mu_before(p),
        m_hat(n, Scalar(0.0)),
        tau_hat(m_hat),
        tau_tilde(m_hat),
        theta_dd(m_hat) {}

  /// θ̈ of I θ̈ = φ.
  void solve(const Model& model, Joints<Scalar> joints, VecIn<Scalar> phi, VecOut<Scalar> out) {
    for (Index i = 1; i <= n; ++i) link[i] = LinkInput(model, i);
    for (Index i = 1; i <= n; ++i) step_a1(i, joints[static_cast<std::size_t>(i - 1)]);
    for (Index i = n; i >= 2; --i) step_a2(i);
    for (Index i = n; i >= 1; --i) {
      step_a3(i);
      step_a4(i);
      step_a5(i);
      if (i >= 2) step_a6(i);
      if (i >= 2) step_a7(i);
    }
    tau_hat[n] = phi[n - 1];  // A10(a) {nil}
    for (Index i = n; i >= 2; --i) {
      step_a8(i);
      step_a9(i);
      step_a10(i - 1, phi[i - 2]);
    }
    for (Index i = 1; i <= n; ++i) tau_tilde[i] = tau_hat[i] / m_hat[i];  // B {nM}
    for (Index i = 1; i <= n; ++i) {
      step_c1(i);
      step_c2(i);
      if (i < n) step_c3(i + 1);
    }
    for (Index i = 1; i <= n; ++i) out[i - 1] = theta_dd[i];
  }

  /// The members that the steps below fill, each called once for its links by solve().
  Index n;
  OfLinks<LinkInput> link;
  OfLinks<Mat> Q;
  OfLinks<Vec> d, c;
  OfLinks<Halves<Scalar>> p;
  OfLinks<Blocks<Scalar>> M_hat, M_hat_ii;
  OfLinks<Halves<Scalar>> psi_hat, psi, eta, eta_next, mu, mu_before;
  OfLinks<Scalar> m_hat, tau_hat, tau_tilde, theta_dd;

  // A1. [d_i]_i for i = 1, …, n {4M 2A (n)}
  void step_a1(Index i, const JointPose<Scalar>& joint) {
    const Vec e = Vec::UnitZ(), r_i = link[i].r.template cast<Scalar>();
    Q[i] = link[i].Q_i(joint);
    d[i] = link[i].a_i(joint) - Q[i] * r_i;
    p[i].t = link[i].prismatic ? Vec(Vec::Zero()) : e;
    p[i].b = link[i].prismatic ? e : Vec(e.cross(d[i]));
  }

  // A2. [c_i,i-1]_i for i = n, …, 2 {3A (n-1)}
  void step_a2(Index i) { c[i] = -link[i - 1].r.template cast<Scalar>() - d[i]; }

  // A3. [M̂_i]_i
  void step_a3(Index i) {
    const Mat I_i = link[i].I.template cast<Scalar>();
    const Mat m_1 = Scalar(link[i].m) * Mat::Identity();
    if (i == n) {  // (a) {16M 17A}
      M_hat[n].I = Q[n] * I_i * Q[n].transpose();
      M_hat[n].F.setZero();
      M_hat[n].G = m_1;
      return;
    }
    // (b) for i = n-1, …, 2 and 1 {(86n-179)M (101n-215)A}; G, F, I: [G_i]_i+1 and so on
    const Blocks<Scalar>& next = M_hat_ii[i + 1];
    const Mat C = skew(c[i + 1]);
    const Mat G = m_1 + next.G;
    M_hat[i].G = Q[i] * G * Q[i].transpose();
    const Mat F = next.F + next.G * C;
    M_hat[i].F = Q[i] * F * Q[i].transpose();
    const Mat I = I_i + next.I + (next.F.transpose() * C - C * F);
    M_hat[i].I = Q[i] * I * Q[i].transpose();
  }

  // A4. [ψ̂_i]_i: (a) for i = n {2M}, (b) for i = n-1, …, 2 and 1 {12M 12A (n-3)}
  void step_a4(Index i) {
    psi_hat[i].t = M_hat[i].I * p[i].t + M_hat[i].F.transpose() * p[i].b;
    psi_hat[i].b = M_hat[i].F * p[i].t + M_hat[i].G * p[i].b;
  }

  // A5. m̂_i for i = n, …, 1 {2M 2A (n)}
  void step_a5(Index i) {
    m_hat[i] = p[i].t.dot(psi_hat[i].t) + p[i].b.dot(psi_hat[i].b);
    m_hat[i] += Scalar(link[i].armature);
  }

  // A6. [ψ_i]_i for i = n, …, 2 {(6n-7)M}
  void step_a6(Index i) {
    psi[i].t = psi_hat[i].t / m_hat[i];
    psi[i].b = psi_hat[i].b / m_hat[i];
  }

  // A7. [M̂_ii]_i: (a) for i = n {15M 8A}, (b) for i = n-1, …, 2 {21M 21A (n-2)}
  void step_a7(Index i) {
    M_hat_ii[i].I = M_hat[i].I - psi_hat[i].t * psi[i].t.transpose();
    M_hat_ii[i].F = M_hat[i].F - psi_hat[i].b * psi[i].t.transpose();
    M_hat_ii[i].G = M_hat[i].G - psi_hat[i].b * psi[i].b.transpose();
  }

  // A8. [η_i]_i: (a) for i = n {5M}, (b) for i = n-1, …, 2 {6M 6A (n-2)}
  void step_a8(Index i) {
    eta[i].t = tau_hat[i] * psi[i].t + eta_next[i].t;
    eta[i].b = tau_hat[i] * psi[i].b + eta_next[i].b;
  }

  // A9. [η_i-1,i]_i-1 for i = n, …, 2 {(22n-26)M (14n-18)A}
  void step_a9(Index i) {
    const Vec top = eta[i].t + eta[i].b.cross(c[i]);  // [η_i-1,i(t)]_i
    eta_next[i - 1].t = Q[i - 1] * top;
    eta_next[i - 1].b = Q[i - 1] * eta[i].b;
  }

  // A10. τ̂_i: (b) for i = n-1, …, 1 {2M 3A (n-1)}
  void step_a10(Index i, const Scalar& phi_i) {
    tau_hat[i] = phi_i - (p[i].t.dot(eta_next[i].t) + p[i].b.dot(eta_next[i].b));
  }

  // C1. θ̈_i: (a) for i = 1 {nil}, (b) for i = 2, …, n {6M 6A (n-1)}
  void step_c1(Index i) {
    theta_dd[i] = tau_tilde[i];
    if (i == 1) return;
    theta_dd[i] -= psi[i].t.dot(mu_before[i].t) + psi[i].b.dot(mu_before[i].b);
  }

  // C2. [μ_i]_i+1: (a) for i = 1 {12M 2A}, (b) for i = 2, …, n {18M 11A (n-1)}
  void step_c2(Index i) {
    const Vec top = theta_dd[i] * p[i].t + mu_before[i].t;     // [μ_i(t)]_i
    const Vec bottom = theta_dd[i] * p[i].b + mu_before[i].b;  // [μ_i(b)]_i
    mu[i].t = Q[i].transpose() * top;
    mu[i].b = Q[i].transpose() * bottom;
  }

  // C3. [μ_i,i-1]_i for i = 2, …, n {6M 6A (n-1)}
  void step_c3(Index i) {
    mu_before[i].t = mu[i - 1].t;
    mu_before[i].b = mu[i - 1].b + c[i].cross(mu[i - 1].t);
  }
};

}  // namespace dyn::saha
