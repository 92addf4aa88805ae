// The UDUᵀ decomposition of the mass matrix: U unit upper triangular, D diagonal.
//
//   S. K. Saha: Simulation of industrial manipulators based on the UDUᵀ decomposition of inertia
//   matrix, Multibody System Dynamics 9, 2003. Section 2.1 and Appendix B, the solution by U, D and
//   Uᵀ of section 2.2, steps A3-A10, B and C of section 3. As printed: as_printed.hpp.
//
//   M̂_i = M_i + B_i+1,iᵀ M̂_i+1,i+1 B_i+1,i,   M̂_ii = M̂_i - ψ̂_i ψ_iᵀ                         (28)
//   ψ̂_i = M̂_i p_i,   m̂_i = p_iᵀ ψ̂_i,   ψ_i = ψ̂_i / m̂_i                              (26), (27)
//   α_ik = p_iᵀ B_kiᵀ ψ_k                                                               (25)
//
//   paper              | here              | frame, unit
//   1 … n              | 0 … n-1           | links and joints from the base; indices here are ours
//   I                  | GIM               | generalized inertia matrix, armature included
//   p_i                | p_dot(), add_p()  | z axis of link frame i: a turn, or a shift if prismatic
//   M̂_i = [Î Fᵀ; F G]  | M_hat             | link frame i, about its origin; Î, Fᵀ, G are its I, H, M
//   M̂_ii               | eliminated()      | link frame i
//   ψ̂_i = (t; b)       | psi_hat (ang; lin) | link frame i: momentum at unit speed of joint i
//   ψ_i                | psi, psi_dot(), add_psi() | link frame i
//   m̂_i, D             | m_hat, pivots()   | kg m² or kg
//   α_ik               | U(i, k)           |
//   B_i+1,i with Q_i   | step of link i+1  | motion_to_child(); its transpose is force_to_parent()
//   η, μ               | eta, mu           | a force and a velocity: link frames i, i-1, … in turn
//   φ, τ̂, τ̃, θ̈         | phi, tau_hat, tau_tilde, theta_dd | (12)-(15)
//
// Deviations:
// (a) Everything stands about the origins of the link frames, which lie on the joint axes: p_i is a
// unit vector, and behind a hinge the rows of M̂_ii along it are zero and not computed. The paper's
// origins are the mass centres.
// (b) p_i of a prismatic joint is the unit shift. Armature is added to m̂_i; then p_iᵀ ψ_i is
// 1 - armature / m̂_i, and M̂_ii p_i = armature ψ_i exactly.
// (c) M̂_0 is not formed, nor is it in the paper's count. With s = B_10 p_0, the axis of joint 0 seen
// from link 1, and s̃ = s - p_1 α_01, the same axis with joint 1 free, α_01 = ψ_1ᵀ s:
//   m̂_0 = p_0ᵀ M_0 p_0 + s̃ᵀ M̂_1 s̃, which cannot lose its sign by rounding;
//   p_0ᵀ η_01 = α_01 φ_1 + s̃ᵀ η_12;   μ_1 = p_1 τ̃_1 + s̃ θ̈_0;   ψ_1ᵀ μ_10 = α_01 θ̈_0.
// (d) Each vector of section 2.2 takes the place of the one before: φ, τ̂, τ̃, θ̈.
#pragma once

#include <vector>

#include "dyn_core/base/status.hpp"
#include "dyn_core/math/udut_solve.hpp"
#include "dyn_core/papers/shared/articulated.hpp"
#include "dyn_core/robot/algorithm.hpp"

namespace dyn {

/// GIM = U D Uᵀ by reverse Gaussian elimination of a given matrix, (7)-(11) with (20)-(24) in one
/// loop nest: i_ik^(k+1) = i_ik - Σ_j>k α_ij m̂_j α_kj is what E_k+1 … E_n leave of element (i, k).
/// No allocation.
template <class Scalar>
Status factor_udut(MatIn<Scalar> GIM, MatOut<Scalar> U, VecOut<Scalar> D) {
  const Index n = GIM.rows();
  U.setIdentity();
  for (Index k = n - 1; k >= 0; --k) {
    for (Index i = 0; i <= k; ++i) {
      Scalar element = GIM(i, k);
      for (Index j = k + 1; j < n; ++j) element -= U(i, j) * D[j] * U(k, j);  // i_ik^(k+1), (24)
      U(i, k) = element;
    }
    D[k] = U(k, k);  // m̂_k, (10)
    if (!(D[k] > pivot_tolerance<Scalar>() * GIM(k, k))) return Status::kSingular;
    for (Index i = 0; i < k; ++i) U(i, k) /= D[k];  // α_ik, (9), (21)
    U(k, k) = Scalar(1.0);
  }
  return Status::kOk;
}

/// One link of the decomposition.
template <class Scalar>
struct ArticulatedLink {
  LinkStep<Scalar> step;
  SpatialSym<Scalar> M_hat;  ///< M̂_i; not for link 0
  Screw<Scalar> psi;         ///< ψ_i; not for link 0
  Scalar m_hat{0.0};         ///< m̂_i

  /// p_iᵀ s.
  [[nodiscard]] const Scalar& p_dot(const Screw<Scalar>& s) const {
    return s.along(step.prismatic);
  }
  /// s += p_i x.
  void add_p(const Scalar& x, Screw<Scalar>& s) const { s.along(step.prismatic) += x; }

  /// m̂_i and ψ_i of M̂_i, steps A4-A6: 5 divisions behind a hinge.
  void divide() {
    if (step.hinge) {
      m_hat = M_hat.I.zz;                                              // (26)
      psi.ang << M_hat.I.xz / m_hat, M_hat.I.yz / m_hat, Scalar(1.0);  // (27)
      psi.lin = M_hat.H.row(2).transpose() / m_hat;
      return;
    }
    const Screw<Scalar> psi_hat = M_hat.axis_column(step.prismatic);  // (26)
    m_hat = p_dot(psi_hat);
    if (step.armature != 0.0) m_hat += Scalar(step.armature);
    psi = {psi_hat.ang / m_hat, psi_hat.lin / m_hat};  // (27)
  }
  /// ψ_iᵀ s - p_iᵀ s. Behind a hinge p_iᵀ ψ_i is 1, and the component along the axis stays out.
  [[nodiscard]] Scalar psi_dot_beside(const Screw<Scalar>& s) const {
    if (!step.hinge) return psi.dot(s) - p_dot(s);
    return psi.ang.x() * s.ang.x() + psi.ang.y() * s.ang.y() + psi.lin.dot(s.lin);
  }
  /// ψ_iᵀ s.
  [[nodiscard]] Scalar psi_dot(const Screw<Scalar>& s) const {
    return step.hinge ? psi_dot_beside(s) + s.ang.z() : psi.dot(s);
  }
  /// s += ψ_i x.
  void add_psi(const Scalar& x, Screw<Scalar>& s) const {
    if (step.hinge) {
      s.ang.x() += psi.ang.x() * x, s.ang.y() += psi.ang.y() * x, s.ang.z() += x;
      s.lin += psi.lin * x;
    } else {
      s += x * psi;
    }
  }
  /// M̂_ii of (28), step A7: 15 multiplications, 15 additions behind a hinge.
  [[nodiscard]] SpatialSym<Scalar> eliminated() const;
};

template <class Scalar>
SpatialSym<Scalar> ArticulatedLink<Scalar>::eliminated() const {
  SpatialSym<Scalar> M_hat_ii = M_hat;
  Sym3<Scalar>&I_hat = M_hat_ii.I, &G = M_hat_ii.M;
  Mat3<Scalar>& F_T = M_hat_ii.H;
  const Screw<Scalar> psi_hat = M_hat.axis_column(step.prismatic);
  const Vec3<Scalar>&t = psi.ang, &b = psi.lin, &hat_t = psi_hat.ang, &hat_b = psi_hat.lin;
  I_hat.xx -= t.x() * hat_t.x(), I_hat.xy -= t.x() * hat_t.y();  // Î_i - ψ̂_i(t) ψ_i(t)ᵀ
  I_hat.yy -= t.y() * hat_t.y();
  F_T.row(0) -= t.x() * hat_b.transpose();  // (F_i - ψ̂_i(b) ψ_i(t)ᵀ)ᵀ
  F_T.row(1) -= t.y() * hat_b.transpose();
  G.xx -= b.x() * hat_b.x(), G.xy -= b.x() * hat_b.y();  // G_i - ψ̂_i(b) ψ_i(b)ᵀ
  G.xz -= b.x() * hat_b.z(), G.yy -= b.y() * hat_b.y();
  G.yz -= b.y() * hat_b.z(), G.zz -= b.z() * hat_b.z();
  if (!step.hinge) {  // the rows along a hinge become zero
    I_hat.xz -= t.x() * hat_t.z(), I_hat.yz -= t.y() * hat_t.z(), I_hat.zz -= t.z() * hat_t.z();
    F_T.row(2) -= t.z() * hat_b.transpose();
  }
  M_hat_ii.set_axis_column(step.prismatic,
                           step.armature == 0.0 ? Screw<Scalar>{} : Scalar(step.armature) * psi);
  return M_hat_ii;
}

/// The decomposition of one chain's mass matrix, armature included, from its kinematics, and what
/// follows from it in O(n). Queries refer to the configuration factorised last; none allocates.
template <class Scalar>
class Udut {
 public:
  explicit Udut(const Model& model)
      : links_(static_cast<std::size_t>(model.size())), pivots_(model.size()) {}

  [[nodiscard]] Index size() const { return pivots_.size(); }
  [[nodiscard]] const ArticulatedLink<Scalar>& link(Index i) const {
    return links_[static_cast<std::size_t>(i)];
  }
  /// The diagonal of D, (10).
  [[nodiscard]] const VecX<Scalar>& pivots() const { return pivots_; }
  /// s̃, the axis of joint 0 seen from link 1 with joint 1 free; for more than one link.
  [[nodiscard]] const Screw<Scalar>& first_axis() const { return s_tilde_; }
  /// α_01, the element of U beside the first pivot.
  [[nodiscard]] const Scalar& alpha_01() const { return alpha_01_; }

  /// Steps A3-A7. kSingular where a pivot vanishes; the other queries are then not to be used.
  Status factorise(const Model& model, Joints<Scalar> joints) {
    const Index tip = size() - 1;
    for (Index i = tip; i > 0; --i) {
      ArticulatedLink<Scalar>& k = at(i);
      k.step = LinkStep<Scalar>(model.link(i), joints[static_cast<std::size_t>(i)]);
      if (i == tip) {
        k.M_hat = SpatialSym<Scalar>::rigid(model.link(i));  // M_n, (28)
      } else {
        const ArticulatedLink<Scalar>& next = link(i + 1);
        k.M_hat = next.eliminated();                    // M̂_i+1,i+1, (28)
        next.step.to_parent(k.M_hat, next.step.hinge);  // B_i+1,iᵀ M̂_i+1,i+1 B_i+1,i, (28)
        k.M_hat.add_rigid(model.link(i));               // + M_i, (28)
      }
      k.divide();
    }
    at(0).step = LinkStep<Scalar>(model.link(0), joints[0]);
    first_pivot(model.link(0));
    for (Index i = 0; i <= tip; ++i) pivots_[i] = link(i).m_hat;  // (10)
    return check(model);
  }

  /// U of (9), (11).
  void factor(MatOut<Scalar> U) const {
    U.setIdentity();
    for (Index k = 1; k < size(); ++k) {
      Screw<Scalar> psi_ik = link(k).psi;
      for (Index i = k - 1; i >= 0; --i) {
        link(i + 1).step.force_to_parent(psi_ik);  // B_kiᵀ ψ_k, (26), (27)
        U(i, k) = link(i).p_dot(psi_ik);           // α_ik, (25)
      }
    }
  }

  /// φ becomes τ̂ = U⁻¹ φ, step A of section 2.2.
  void solve_upper(VecOut<Scalar> phi) const { step_a(phi, size() - 1); }
  /// τ̃ becomes θ̈ = U⁻ᵀ τ̃, step C.
  void solve_upper_transposed(VecOut<Scalar> tau_tilde) const { step_c(tau_tilde, size() - 1); }
  /// τ̂ becomes φ = U τ̂: step A from its result back, φ_i = τ̂_i + p_iᵀ η_i,i+1.
  void multiply_upper(VecOut<Scalar> tau_hat) const {
    Screw<Scalar> eta;
    for (Index i = size() - 1; i >= 0; --i) {
      const ArticulatedLink<Scalar>& k = link(i);
      const Scalar tau_hat_i = tau_hat[i];
      tau_hat[i] += k.p_dot(eta);  // φ_i of (12)
      if (i == 0) return;
      k.add_psi(tau_hat_i, eta);    // η_i, (13)
      k.step.force_to_parent(eta);  // η_i-1,i, (13)
    }
  }
  /// θ̈ becomes τ̃ = Uᵀ θ̈: step C from its result back, τ̃_i = θ̈_i + ψ_iᵀ μ_i,i-1.
  void multiply_upper_transposed(VecOut<Scalar> theta_dd) const {
    Screw<Scalar> mu;
    mu.along(link(0).step.prismatic) = theta_dd[0];
    for (Index i = 1; i < size(); ++i) {
      const ArticulatedLink<Scalar>& k = link(i);
      k.step.motion_to_child(mu);  // μ_i,i-1, (15)
      const Scalar psi_mu = k.psi_dot(mu);
      k.add_p(theta_dd[i], mu);  // μ_i, (15)
      theta_dd[i] += psi_mu;     // τ̃_i of (14)
    }
  }

  /// GIM q̈ = phi by the steps A, B, C of section 2.2; `phi` and `qdd` may be the same vector.
  void solve(VecIn<Scalar> phi, VecOut<Scalar> qdd) const {
    qdd = phi;
    solve(qdd, size() - 1);
  }

  /// GIM⁻¹ = U⁻ᵀ D⁻¹ U⁻¹, column by column up to the diagonal: O(n²).
  void inverse(MatOut<Scalar> GIM_inverse) const {
    for (Index j = 0; j < size(); ++j) {
      VecOut<Scalar> column = GIM_inverse.col(j);
      column.head(j).setZero();
      column[j] = Scalar(1.0);
      solve(column, j);
      for (Index i = 0; i < j; ++i) GIM_inverse(j, i) = GIM_inverse(i, j);
    }
  }

 private:
  ArticulatedLink<Scalar>& at(Index i) { return links_[static_cast<std::size_t>(i)]; }

  // s̃, α_01 and m̂_0 of deviation (c); p_0ᵀ M_0 p_0 is inertia about the axis, or mass.
  void first_pivot(const LinkModel& k) {
    Scalar& m_hat_0 = at(0).m_hat;
    m_hat_0 = Scalar(k.armature + (k.prismatic ? k.mass : k.inertia_origin.zz));
    if (size() == 1) return;
    const ArticulatedLink<Scalar>& next = link(1);
    s_tilde_ = next.step.axis_of_parent(k.prismatic);     // s = B_10 p_0
    const Scalar beside = next.psi_dot_beside(s_tilde_);  // α_01 - p_1ᵀ s
    Scalar& along = s_tilde_.along(next.step.prismatic);
    alpha_01_ = beside + along;
    along = -beside;  // s becomes s̃
    m_hat_0 += next.M_hat.quadratic(s_tilde_);
    if (next.step.armature != 0.0) m_hat_0 += Scalar(next.step.armature) * alpha_01_ * alpha_01_;
  }

  // Pivots against what they were computed from: the inertia of the link itself and of the next
  // link with the joint between them locked.
  [[nodiscard]] Status check(const Model& model) const {
    [[maybe_unused]] const NotCounted<Scalar> not_part_of_the_algorithm;
    bool regular = true;
    for (Index i = 0; i < size(); ++i) {
      const LinkModel& k = model.link(i);
      const Sym3<double>& J = k.inertia_origin;
      auto scale = Scalar(k.prismatic ? k.mass : J.xx + J.yy + J.zz);
      if (i + 1 < size()) {
        const Sym3<Scalar>&I_hat = link(i + 1).M_hat.I, &G = link(i + 1).M_hat.M;
        const LinkStep<Scalar>& step = link(i + 1).step;
        const Scalar mass = G.xx + G.yy + G.zz;
        const Scalar square = Scalar(step.a * step.a) + step.joint.d * step.joint.d;
        scale += k.prismatic ? mass : I_hat.xx + I_hat.yy + I_hat.zz + square * mass;
      }
      regular = regular && pivots_[i] > pivot_tolerance<Scalar>() * scale;
    }
    return regular ? Status::kOk : Status::kSingular;
  }

  void solve(VecOut<Scalar> x, Index last) const {
    step_a(x, last);
    step_b(x, last);
    step_c(x, last);
  }

  // Step A: comes as φ, zero beyond joint `last`, and goes as τ̂ up to there.
  void step_a(VecOut<Scalar> tau_hat, Index last) const {
    Screw<Scalar> eta;
    for (Index i = last; i > 1; --i) {
      const ArticulatedLink<Scalar>& k = link(i);
      if (i == last) {
        eta = tau_hat[i] * k.psi;  // η_i, (13), with τ̂_i = φ_i
      } else {
        tau_hat[i] -= k.p_dot(eta);  // φ_i - p_iᵀ η_i,i+1, (12)
        k.add_psi(tau_hat[i], eta);  // η_i, (13)
      }
      k.step.force_to_parent(eta);  // η_i-1,i, (13)
    }
    if (last > 0) first_two_of_step_a(tau_hat, eta, last);
  }
  // (12), (13) of links 1 and 0 by deviation (c), `eta` being η_12.
  void first_two_of_step_a(VecOut<Scalar>& tau_hat, const Screw<Scalar>& eta, Index last) const {
    tau_hat[0] -= alpha_01_ * tau_hat[1];  // α_01 φ_1 of p_0ᵀ η_01
    if (last == 1) return;
    tau_hat[0] -= s_tilde_.dot(eta);   // s̃ᵀ η_12 of p_0ᵀ η_01
    tau_hat[1] -= link(1).p_dot(eta);  // p_1ᵀ η_12
  }

  // Step B: comes as τ̂ and goes as τ̃.
  void step_b(VecOut<Scalar>& tau_tilde, Index last) const {
    for (Index i = 0; i <= last; ++i) tau_tilde[i] /= pivots_[i];  // τ̂_i / m̂_i
  }

  // Step C: comes as τ̃ and goes as θ̈, up to joint `last`.
  void step_c(VecOut<Scalar> theta_dd, Index last) const {
    if (last == 0) return;                      // θ̈_0 = τ̃_0
    Screw<Scalar> mu = theta_dd[0] * s_tilde_;  // μ_1 = s̃ θ̈_0 + p_1 τ̃_1, deviation (c)
    link(1).add_p(theta_dd[1], mu);
    theta_dd[1] -= alpha_01_ * theta_dd[0];  // τ̃_1 - ψ_1ᵀ μ_10, deviation (c)
    for (Index i = 2; i <= last; ++i) {
      const ArticulatedLink<Scalar>& k = link(i);
      k.step.motion_to_child(mu);              // μ_i,i-1, (15)
      theta_dd[i] -= k.psi_dot(mu);            // τ̃_i - ψ_iᵀ μ_i,i-1, (14)
      if (i < last) k.add_p(theta_dd[i], mu);  // μ_i, (15)
    }
  }

  std::vector<ArticulatedLink<Scalar>> links_;
  VecX<Scalar> pivots_;
  Screw<Scalar> s_tilde_;
  Scalar alpha_01_{0.0};
};

}  // namespace dyn
