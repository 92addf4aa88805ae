// The part of Solver that rests on M = U D Uᵀ, and the inertia power array.
#include <cmath>

#include "solver_impl.hpp"

namespace dyn {

Quasi::Quasi(Index dof)
    : nu(VecXd::Zero(dof)),
      xi(nu),
      coriolis_nu(nu),
      coriolis_xi(nu),
      gravity_nu(nu),
      gravity_xi(nu),
      epsilon(nu),
      kappa(nu),
      U(MatXd::Zero(dof, dof)),
      mass_factor(U),
      mass_factor_rate(U),
      D(nu) {}

Status Solver::Impl::factor_here(MatOut<double> factor, VecOut<double> diagonal) {
  if (chain->has_mimic()) {
    mass_matrix_here(M);
    return factor_udut<double>(M, factor, diagonal);
  }
  const Status status = diagonalized.update(model, poses);
  if (status != Status::kOk) return status;
  diagonalized.udut().factor(factor);
  diagonal = diagonalized.pivots();
  return Status::kOk;
}

Status Solver::mass_matrix_inverse(VecIn<double> q, MatOut<double> M_inverse) noexcept {
  if (impl_->fast_mass_matrix) return impl_->fast_mass_matrix->mass_matrix_inverse(q, M_inverse);
  if (!impl_->fits_square(M_inverse)) return Status::kWrongSize;
  if (const Status status = impl_->set_configuration(q); status != Status::kOk) return status;
  if (const Status status = impl_->factor_here(impl_->U, impl_->D); status != Status::kOk) {
    return status;
  }
  if (impl_->chain->has_mimic()) {
    M_inverse.setIdentity();
    for (Index k = 0; k < dof(); ++k) solve_udut<double>(impl_->U, impl_->D, M_inverse.col(k));
  } else {
    impl_->diagonalized.udut().inverse(M_inverse);
  }
  return finite(M_inverse);
}

Status Solver::factor(VecIn<double> q, MatOut<double> U, VecOut<double> D) noexcept {
  if (impl_->fast_mass_matrix) return impl_->fast_mass_matrix->factor(q, U, D);
  if (!impl_->fits_square(U) || !impl_->fits(D)) return Status::kWrongSize;
  if (const Status status = impl_->set_configuration(q); status != Status::kOk) return status;
  return impl_->factor_here(U, D);
}

Status Solver::Impl::quasi_by_recursion(VecIn<double> qd, VecIn<double> tau, Quasi& out) {
  if (const Status status = diagonalized.update(model, poses); status != Status::kOk) return status;
  diagonalized.set_rates(qd);
  diagonalized.udut().factor(out.U);
  out.D = diagonalized.pivots();
  diagonalized.mass_factor(out.mass_factor);
  diagonalized.mass_factor_rate(out.mass_factor_rate);
  diagonalized.rates_to_nu(qd, out.nu);
  diagonalized.rates_to_xi(qd, out.xi);
  diagonalized.coriolis_nu(model, out.coriolis_nu);
  diagonalized.coriolis_xi(model, out.coriolis_xi);
  diagonalized.gravity_nu(model, model.gravity(), out.gravity_nu);
  diagonalized.gravity_xi(model, model.gravity(), out.gravity_xi);
  diagonalized.torque_to_epsilon(tau, out.epsilon);
  diagonalized.torque_to_kappa(tau, out.kappa);
  return Status::kOk;
}

// Ṁ of a chain with mimic joints, as C + Cᵀ for the C(q, q̇) of the Christoffel symbols; into C and M.
void Solver::Impl::mass_matrix_rate(VecIn<double> qd) {
  spread(qd, joint_rates);
  power.inertia_power(model, poses, joint_power);
  make_christoffel_symbols<double>(joint_power);
  for (Index i = 0; i < model.size(); ++i) {
    joint_torques.noalias() = joint_power[static_cast<std::size_t>(i)] * joint_rates;
    joint_matrix.row(i) = joint_torques.transpose();
  }
  gather(joint_matrix, C);
  M = C + C.transpose();
}

// The recursions need independent joints. With mimics the dense way: ṁ = m Φ, where Φ is the upper
// triangle of l Ṁ lᵀ with half its diagonal; C(q, ν) = l C q̇ - Φᵀ ν; and C(q, ξ) = √D C(q, ν) + ½ Ḋ ξ,
// eq. (46) of Kozłowski 1995.
Status Solver::Impl::quasi_with_mimics(VecIn<double> qd, VecIn<double> tau, Quasi& out) {
  if (const Status status = factor_here(out.U, out.D); status != Status::kOk) return status;
  out.mass_factor = out.U;
  for (Index k = 0; k < dof(); ++k) out.mass_factor.col(k) *= std::sqrt(out.D[k]);
  const auto m = out.mass_factor.triangularView<Eigen::Upper>();
  mass_matrix_rate(qd);
  for (Index k = 0; k < dof(); ++k) m.solveInPlace(M.col(k));
  M.transposeInPlace();
  for (Index k = 0; k < dof(); ++k) m.solveInPlace(M.col(k));
  M.triangularView<Eigen::StrictlyLower>().setZero();
  M.diagonal() *= 0.5;  // M is Φ from here on
  out.mass_factor_rate.noalias() = out.mass_factor * M;
  out.nu.noalias() = out.mass_factor.transpose() * qd;
  out.xi.noalias() = out.U.transpose() * qd;
  out.coriolis_nu.noalias() = C * qd;
  m.solveInPlace(out.coriolis_nu);
  out.coriolis_nu.noalias() -= M.transpose() * out.nu;
  for (Index k = 0; k < dof(); ++k) {
    out.coriolis_xi[k] = std::sqrt(out.D[k]) * out.coriolis_nu[k] + M(k, k) * out.D[k] * out.xi[k];
  }
  torque_here(model.gravity(), zero, zero, out.gravity_nu);
  m.solveInPlace(out.gravity_nu);
  out.gravity_xi = out.gravity_nu.array() * out.D.array().sqrt();
  out.epsilon = tau;
  m.solveInPlace(out.epsilon);
  out.kappa = out.epsilon.array() * out.D.array().sqrt();
  return Status::kOk;
}

Status Solver::quasi(VecIn<double> q, VecIn<double> qd, VecIn<double> tau, Quasi& out) noexcept {
  if (!impl_->fits(qd) || !impl_->fits(tau) || out.nu.size() != dof()) return Status::kWrongSize;
  if (!qd.allFinite() || !tau.allFinite()) return Status::kNotFinite;
  if (const Status status = impl_->set_configuration(q); status != Status::kOk) return status;
  const Status status = impl_->chain->has_mimic() ? impl_->quasi_with_mimics(qd, tau, out)
                                                  : impl_->quasi_by_recursion(qd, tau, out);
  if (status != Status::kOk) return status;
  return finite(out.coriolis_nu) == Status::kOk ? finite(out.epsilon) : Status::kNotFinite;
}

Status Solver::inertia_power(VecIn<double> q, std::span<MatXd> P) noexcept {
  if (static_cast<Index>(P.size()) != dof()) return Status::kWrongSize;
  for (const MatXd& plane : P) {
    if (plane.rows() != dof() || plane.cols() != dof()) return Status::kWrongSize;
  }
  if (const Status status = impl_->set_configuration(q); status != Status::kOk) return status;
  if (!impl_->chain->has_mimic()) {
    impl_->power.inertia_power(impl_->model, impl_->poses, P);
    return Status::kOk;
  }
  impl_->power.inertia_power(impl_->model, impl_->poses, impl_->joint_power);
  for (MatXd& plane : P) plane.setZero();
  for (Index i = 0; i < impl_->model.size(); ++i) {
    const Joint& joint = impl_->chain->joint(i);
    impl_->gather(impl_->joint_power[static_cast<std::size_t>(i)], impl_->M);
    P[static_cast<std::size_t>(joint.coordinate)] += joint.multiplier * impl_->M;
  }
  return Status::kOk;
}

}  // namespace dyn
