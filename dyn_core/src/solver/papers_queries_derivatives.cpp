// The papers' queries for derivatives: each algorithm's own text on Dual.
#include "dyn_core/registry.hpp"
#include "papers_queries.hpp"

namespace dyn {
namespace {

template <class Algorithm>
std::unique_ptr<Algorithm> named_or_first(Entries<Algorithm> entries, const std::string& name,
                                          const Model& model) {
  if (name.empty()) return nullptr;
  const Entry<Algorithm>* entry = find(entries, name);
  return (entry == nullptr ? entries.front() : *entry).make(model);
}

}  // namespace

void PapersQueries::make_dual(const Algorithms& names) {
  dual_inverse_dynamics_ =
      named_or_first(inverse_dynamics_algorithms<Dual>(), names.inverse_dynamics, model_);
  dual_forward_dynamics_ =
      named_or_first(forward_dynamics_algorithms<Dual>(), names.forward_dynamics, model_);
  if (!dual_inverse_dynamics_ && !dual_forward_dynamics_) return;
  for (MatXd& matrix : joint_derivatives_) matrix.resize(model_.size(), model_.size());
}

void PapersQueries::torque_derivatives_here(const Posture& at, VecIn<double> qd, VecIn<double> qdd,
                                            MatOut<double>& dq, MatOut<double>& dqd,
                                            MatOut<double>& dqdd) {
  joint_positions<double>(situation_.chain(), at.coordinates(), joint_positions_);
  spread(qd, joint_rates_);
  spread(qdd, joint_accelerations_);
  auto& [by_q, by_qd, by_qdd] = joint_derivatives_;
  derivatives_.inverse_dynamics(*dual_inverse_dynamics_, model_, joint_positions_, joint_rates_,
                                joint_accelerations_, by_q, by_qd, by_qdd);
  gather(by_q, dq);
  gather(by_qd, dqd);
  gather(by_qdd, dqdd);
  add_armature(dqdd);
  situation_.subtract_wrench_derivative(at, dq);
}

Status PapersQueries::inverse_dynamics_derivatives(const Posture& at, VecIn<double> qd,
                                                   VecIn<double> qdd, MatOut<double> dq,
                                                   MatOut<double> dqd,
                                                   MatOut<double> dqdd) noexcept {
  if (!situation_.fits(qd) || !situation_.fits(qdd)) return Status::kWrongSize;
  if (!situation_.fits_square(dq) || !situation_.fits_square(dqd) ||
      !situation_.fits_square(dqdd)) {
    return Status::kWrongSize;
  }
  if (!qd.allFinite() || !qdd.allFinite()) return Status::kNotFinite;
  if (const Status status = situation_.check(at); status != Status::kOk) return status;
  torque_derivatives_here(at, qd, qdd, dq, dqd, dqdd);
  return dq.allFinite() && dqd.allFinite() ? finite(dqdd) : Status::kNotFinite;
}

// -M⁻¹ ∂τ/∂… where the algorithms for independent joints have no say.
Status PapersQueries::derivatives_with_mimics(const Posture& at, VecIn<double> qd,
                                              MatOut<double>& dq, MatOut<double>& dqd,
                                              MatOut<double>& dtau) {
  if (const Status status = stand(at); status != Status::kOk) return status;
  if (const Status status = solve_with_mimics(qd, torque_, acceleration_); status != Status::kOk) {
    return status;
  }
  torque_derivatives_here(at, qd, acceleration_, dq, dqd, dtau);
  dq = -dq;
  dqd = -dqd;
  dtau.setIdentity();
  for (Index k = 0; k < dtau.cols(); ++k) {
    solve_udut<double>(U_, D_, dq.col(k));
    solve_udut<double>(U_, D_, dqd.col(k));
    solve_udut<double>(U_, D_, dtau.col(k));
  }
  return Status::kOk;
}

Status PapersQueries::forward_dynamics_derivatives(const Posture& at, VecIn<double> qd,
                                                   VecIn<double> tau, MatOut<double> dq,
                                                   MatOut<double> dqd,
                                                   MatOut<double> dtau) noexcept {
  if (!situation_.fits(qd) || !situation_.fits(tau)) return Status::kWrongSize;
  if (!situation_.fits_square(dq) || !situation_.fits_square(dqd) ||
      !situation_.fits_square(dtau)) {
    return Status::kWrongSize;
  }
  if (!qd.allFinite() || !tau.allFinite()) return Status::kNotFinite;
  if (const Status status = situation_.check(at); status != Status::kOk) return status;
  torque_ = tau;
  situation_.add_wrench(at, 1.0, torque_);
  Status status = Status::kOk;
  if (has_mimic()) {
    status = derivatives_with_mimics(at, qd, dq, dqd, dtau);
  } else {
    joint_positions<double>(situation_.chain(), at.coordinates(), joint_positions_);
    status = derivatives_.forward_dynamics(*dual_forward_dynamics_, model_, joint_positions_, qd,
                                           torque_, dq, dqd, dtau);
    if (status == Status::kOk && situation_.has_wrench) {
      joint_matrix_.setZero();
      situation_.subtract_wrench_derivative(at, joint_matrix_);
      dq.noalias() -= dtau.lazyProduct(joint_matrix_);
    }
  }
  if (status != Status::kOk) return status;
  return dq.allFinite() && dqd.allFinite() ? finite(dtau) : Status::kNotFinite;
}

}  // namespace dyn
