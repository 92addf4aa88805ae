// The part of the papers' queries that rests on M = U D Uᵀ, and the inertia power_ array.
#include <cmath>

#include "papers_queries.hpp"

namespace dyn {

Status PapersQueries::factor_here(MatOut<double> U, VecOut<double> D) {
  if (has_mimic()) {
    mass_matrix_here(M_);
    return factor_udut<double>(M_, U, D);
  }
  const Status status = diagonalized_.update(model_, joints_);
  if (status != Status::kOk) return status;
  diagonalized_.udut().factor(U);
  D = diagonalized_.pivots();
  return Status::kOk;
}

Status PapersQueries::mass_matrix_inverse(const Posture& at, MatOut<double> M_inverse) noexcept {
  if (!situation_.fits_square(M_inverse)) return Status::kWrongSize;
  if (const Status status = stand(at); status != Status::kOk) return status;
  if (const Status status = factor_here(U_, D_); status != Status::kOk) return status;
  if (has_mimic()) {
    M_inverse.setIdentity();
    for (Index k = 0; k < M_.cols(); ++k) solve_udut<double>(U_, D_, M_inverse.col(k));
  } else {
    diagonalized_.udut().inverse(M_inverse);
  }
  return finite(M_inverse);
}

Status PapersQueries::factor(const Posture& at, MatOut<double> U, VecOut<double> D) noexcept {
  if (!situation_.fits_square(U) || !situation_.fits(D)) return Status::kWrongSize;
  if (const Status status = stand(at); status != Status::kOk) return status;
  return factor_here(U, D);
}

Status PapersQueries::quasi_by_recursion(VecIn<double> qd, VecIn<double> tau, Quasi& out) {
  if (const Status status = diagonalized_.update(model_, joints_); status != Status::kOk)
    return status;
  diagonalized_.set_rates(qd);
  diagonalized_.udut().factor(out.U);
  out.D = diagonalized_.pivots();
  out.pivot_rate = diagonalized_.pivot_rates();
  diagonalized_.mass_factor(out.mass_factor);
  diagonalized_.mass_factor_rate(out.mass_factor_rate);
  diagonalized_.rates_to_nu(qd, out.nu);
  diagonalized_.rates_to_xi(qd, out.xi);
  diagonalized_.coriolis_nu(model_, out.coriolis_nu);
  diagonalized_.coriolis_xi(model_, out.coriolis_xi);
  diagonalized_.gravity_nu(model_, model_.gravity(), out.gravity_nu);
  diagonalized_.gravity_xi(model_, model_.gravity(), out.gravity_xi);
  diagonalized_.torque_to_epsilon(tau, out.epsilon);
  diagonalized_.torque_to_kappa(tau, out.kappa);
  return Status::kOk;
}

// Ṁ of a chain with mimic joints, as C + Cᵀ for the C(q, q̇) of the Christoffel symbols; into C_ and M_.
void PapersQueries::mass_matrix_rate(VecIn<double> qd) {
  spread(qd, joint_rates_);
  power_.inertia_power(model_, joints_, joint_power_);
  make_christoffel_symbols<double>(joint_power_);
  for (Index i = 0; i < model_.size(); ++i) {
    joint_torques_.noalias() = joint_power_[static_cast<std::size_t>(i)] * joint_rates_;
    joint_matrix_.row(i) = joint_torques_.transpose();
  }
  gather(joint_matrix_, C_);
  M_ = C_ + C_.transpose();
}

// The recursions need independent joints. With mimics the dense way: ṁ = m Φ, where Φ is the upper
// triangle of l Ṁ lᵀ with half its diagonal; Ḋ = 2 diag(Φ) D; C(q, ν) = l C q̇ - Φᵀ ν; and C(q, ξ) =
// √D C(q, ν) + ½ Ḋ ξ, eq. (46) of Kozłowski 1995.
Status PapersQueries::quasi_with_mimics(VecIn<double> qd, VecIn<double> tau, Quasi& out) {
  if (const Status status = factor_here(out.U, out.D); status != Status::kOk) return status;
  const Index n = situation_.dof();
  out.mass_factor = out.U;
  for (Index k = 0; k < n; ++k) out.mass_factor.col(k) *= std::sqrt(out.D[k]);
  const auto m = out.mass_factor.triangularView<Eigen::Upper>();
  mass_matrix_rate(qd);
  MatXd& Phi = M_;
  for (Index k = 0; k < n; ++k) m.solveInPlace(Phi.col(k));
  Phi.transposeInPlace();
  for (Index k = 0; k < n; ++k) m.solveInPlace(Phi.col(k));
  Phi.triangularView<Eigen::StrictlyLower>().setZero();
  Phi.diagonal() *= 0.5;
  out.mass_factor_rate.noalias() = out.mass_factor * Phi;
  out.pivot_rate = 2.0 * Phi.diagonal().array() * out.D.array();
  out.nu.noalias() = out.mass_factor.transpose() * qd;
  out.xi.noalias() = out.U.transpose() * qd;
  out.coriolis_nu.noalias() = C_ * qd;
  m.solveInPlace(out.coriolis_nu);
  out.coriolis_nu.noalias() -= Phi.transpose() * out.nu;
  for (Index k = 0; k < n; ++k) {
    out.coriolis_xi[k] =
        std::sqrt(out.D[k]) * out.coriolis_nu[k] + 0.5 * out.pivot_rate[k] * out.xi[k];
  }
  torque_here(model_.gravity(), zero_, zero_, out.gravity_nu);
  m.solveInPlace(out.gravity_nu);
  out.gravity_xi = out.gravity_nu.array() * out.D.array().sqrt();
  out.epsilon = tau;
  m.solveInPlace(out.epsilon);
  out.kappa = out.epsilon.array() * out.D.array().sqrt();
  return Status::kOk;
}

Status PapersQueries::quasi(const Posture& at, VecIn<double> qd, VecIn<double> tau, Quasi& out) {
  if (!situation_.fits(qd) || !situation_.fits(tau) || out.nu.size() != situation_.dof()) {
    return Status::kWrongSize;
  }
  if (!qd.allFinite() || !tau.allFinite()) return Status::kNotFinite;
  if (const Status status = stand(at); status != Status::kOk) return status;
  const Status status =
      has_mimic() ? quasi_with_mimics(qd, tau, out) : quasi_by_recursion(qd, tau, out);
  if (status != Status::kOk) return status;
  out.nu_rate = out.epsilon - out.coriolis_nu - out.gravity_nu;                       // (40)
  out.xi_rate = (out.kappa - out.coriolis_xi - out.gravity_xi).cwiseQuotient(out.D);  // (44)
  return finite(out.coriolis_nu) == Status::kOk ? finite(out.epsilon) : Status::kNotFinite;
}

Status PapersQueries::inertia_power(const Posture& at, std::span<MatXd> P) {
  if (static_cast<Index>(P.size()) != situation_.dof()) return Status::kWrongSize;
  for (MatXd& plane : P) {
    if (!situation_.fits_square(plane)) return Status::kWrongSize;
  }
  if (const Status status = stand(at); status != Status::kOk) return status;
  if (!has_mimic()) {
    power_.inertia_power(model_, joints_, P);
    return Status::kOk;
  }
  power_.inertia_power(model_, joints_, joint_power_);
  for (MatXd& plane : P) plane.setZero();
  for (Index i = 0; i < model_.size(); ++i) {
    const Joint& joint = situation_.chain().joint(i);
    gather(joint_power_[static_cast<std::size_t>(i)], M_);
    P[static_cast<std::size_t>(joint.coordinate)] += joint.multiplier * M_;
  }
  return Status::kOk;
}

}  // namespace dyn
