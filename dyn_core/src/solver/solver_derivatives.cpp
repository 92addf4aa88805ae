// The solver's derivatives: what it adds to those of its makers (friction), and what follows from them.
#include <cmath>

#include "solver_impl.hpp"

namespace dyn {

// ---- linearization -------------------------------------------------------------------------------
Linearization::Linearization(Index dof)
    : A(MatXd::Zero(2 * dof, 2 * dof)),
      B(MatXd::Zero(2 * dof, dof)),
      power_(A),
      integral_(A),
      next_(A) {}

// exp(A h) = 1 + A Φ(h), with Φ(h) = ∫ exp(A t) dt from 0 to h = h Σ (A h)^k / (k+1)!, by Taylor's series over a step h so
// short that |A h| ≤ ½, and then doubled: Φ(2h) = Φ(h) + exp(A h) Φ(h) = 2 Φ + A Φ².
void Linearization::discretize(double step) noexcept {
  const double size = A.cwiseAbs().rowwise().sum().maxCoeff() * std::abs(step);
  if (!std::isfinite(size)) {
    A.setConstant(size), B.setConstant(size);
    return;
  }
  int doublings = 0;
  while (std::ldexp(size, -doublings) > 0.5) ++doublings;
  const double h = std::ldexp(step, -doublings);
  power_.setIdentity();
  power_ *= h;
  integral_ = power_;
  for (int k = 2; k <= 16; ++k) {  // 0.5^16 / 17! is far below rounding
    next_.noalias() = (h / k) * A.lazyProduct(power_);
    power_.swap(next_);
    integral_ += power_;
  }
  for (int k = 0; k < doublings; ++k) {
    next_.noalias() = A.lazyProduct(integral_);
    power_.noalias() = next_.lazyProduct(integral_);
    integral_ = 2.0 * integral_ + power_;
  }
  next_.noalias() = A.lazyProduct(integral_);
  A = next_;
  A.diagonal().array() += 1.0;
  next_.leftCols(B.cols()).noalias() = integral_.lazyProduct(B);
  B = next_.leftCols(B.cols());
}

Status Solver::linearize(const Posture& at, VecIn<double> qd, VecIn<double> tau,
                         Linearization& out) noexcept {
  const Index n = dof();
  if (out.A.rows() != 2 * n) return Status::kWrongSize;
  out.A.topRows(n).setZero();
  out.A.topRightCorner(n, n).setIdentity();
  out.B.topRows(n).setZero();
  return forward_dynamics_derivatives(at, qd, tau, out.A.bottomLeftCorner(n, n),
                                      out.A.bottomRightCorner(n, n), out.B.bottomRows(n));
}

// ---- inverse and forward dynamics ----------------------------------------------------------------
void Solver::Impl::friction_slopes(VecIn<double> qd, VecOut<double> out) const {
  out.setZero();
  for (Index i = 0; i < situation.model.size(); ++i) {
    const Joint& joint = situation.chain().joint(i);
    const double ratio = joint.multiplier;
    const double speed = std::hypot(ratio * qd[joint.coordinate], kFrictionVelocity);
    const double share = kFrictionVelocity / speed;
    out[joint.coordinate] +=
        ratio * ratio * (joint.damping + joint.friction * share * share / speed);
  }
}

Status Solver::inverse_dynamics_derivatives(const Posture& at, VecIn<double> qd, VecIn<double> qdd,
                                            MatOut<double> dq, MatOut<double> dqd,
                                            MatOut<double> dqdd) noexcept {
  const Status status =
      impl_->inverse_dynamics->inverse_dynamics_derivatives(at, qd, qdd, dq, dqd, dqdd);
  if (status != Status::kOk || !impl_->has_friction) return status;
  impl_->friction_slopes(qd, impl_->torque);
  dqd.diagonal() += impl_->torque;
  return Status::kOk;
}

Status Solver::forward_dynamics_derivatives(const Posture& at, VecIn<double> qd, VecIn<double> tau,
                                            MatOut<double> dq, MatOut<double> dqd,
                                            MatOut<double> dtau) noexcept {
  Queries& maker = *impl_->forward_dynamics;
  if (!impl_->has_friction) {
    return maker.forward_dynamics_derivatives(at, qd, tau, dq, dqd, dtau);
  }
  if (!impl_->situation.fits(qd) || !impl_->situation.fits(tau)) return Status::kWrongSize;
  impl_->torque = tau;
  impl_->add_friction(qd, -1.0, impl_->torque);
  const Status status = maker.forward_dynamics_derivatives(at, qd, impl_->torque, dq, dqd, dtau);
  if (status != Status::kOk) return status;
  impl_->friction_slopes(qd, impl_->torque);
  for (Index k = 0; k < dof(); ++k) dqd.col(k) -= impl_->torque[k] * dtau.col(k);
  return Status::kOk;
}

// ---- their parts ---------------------------------------------------------------------------------
// τ_gravity = ∂V/∂q with V = -Σ m g · c: by g it is minus the Jacobian of Σ m c, what lies beyond each joint.
Status Solver::load_derivatives(const Posture& at, MatOut<double> dgravity,
                                MatOut<double> dwrench) noexcept {
  const Index n = dof();
  if (dgravity.rows() != n || dgravity.cols() != 3 || dwrench.rows() != n || dwrench.cols() != 6) {
    return Status::kWrongSize;
  }
  if (const Status status = impl_->situation.check(at); status != Status::kOk) return status;
  if (at.kinematics() == nullptr) (void)impl_->kinematics.update(at.coordinates());
  const Kinematics<double>& there =
      at.kinematics() == nullptr ? impl_->kinematics : *at.kinematics();
  const Model& model = impl_->situation.model;
  const Vec3d tip = there.tip_pose().p;
  dgravity.setZero();
  dwrench.setZero();
  double mass = 0.0;
  Vec3d moment = Vec3d::Zero();
  for (Index i = model.size() - 1; i >= 0; --i) {
    const Posed frame = there.dh_pose(i);
    const LinkModel& link = model.link(i);
    mass += link.mass;
    moment += link.mass * (frame * link.com);
    const Joint& joint = chain().joint(i);
    const Vec3d axis = joint.multiplier * frame.R.col(2);
    const bool slides = joint.is_prismatic();
    const Vec3d moved_moment = slides ? Vec3d(mass * axis) : axis.cross(moment - mass * frame.p);
    const Vec3d moved_tip = slides ? axis : axis.cross(tip - frame.p);
    dgravity.row(joint.coordinate) -= moved_moment.transpose();
    dwrench.row(joint.coordinate).head<3>() -= moved_tip.transpose();
    if (!slides) dwrench.row(joint.coordinate).tail<3>() -= axis.transpose();
  }
  return dgravity.allFinite() ? finite(dwrench) : Status::kNotFinite;
}

// Ṁ = C + Cᵀ of the motion along q_k alone.
Status Solver::mass_matrix_derivatives(const Posture& at, std::span<MatXd> M_q) noexcept {
  const Index n = dof();
  if (static_cast<Index>(M_q.size()) != n) return Status::kWrongSize;
  for (Index k = 0; k < n; ++k) {
    MatXd& out = M_q[static_cast<std::size_t>(k)];
    if (!impl_->situation.fits_square(out)) return Status::kWrongSize;
    impl_->unit[k] = 1.0;
    const Status status = impl_->coriolis->coriolis_matrix(at, impl_->unit, impl_->M);
    impl_->unit[k] = 0.0;
    if (status != Status::kOk) return status;
    out = impl_->M + impl_->M.transpose();
  }
  return Status::kOk;
}

Status Solver::gravity_torque_derivatives(const Posture& at, MatOut<double> dq) noexcept {
  const Wrench wrench = impl_->situation.wrench;
  impl_->set_wrench({});
  const Status status = impl_->inverse_dynamics->inverse_dynamics_derivatives(
      at, impl_->zero, impl_->zero, dq, impl_->spare[0], impl_->spare[1]);
  impl_->set_wrench(wrench);
  return status;
}

// What velocities add to the derivatives at rest.
Status Solver::coriolis_torque_derivatives(const Posture& at, VecIn<double> qd, MatOut<double> dq,
                                           MatOut<double> dqd) noexcept {
  Queries& maker = *impl_->inverse_dynamics;
  if (!impl_->situation.fits_square(dq)) return Status::kWrongSize;
  Status status = maker.inverse_dynamics_derivatives(at, impl_->zero, impl_->zero, impl_->M,
                                                     impl_->spare[0], impl_->spare[1]);
  if (status != Status::kOk) return status;
  status = maker.inverse_dynamics_derivatives(at, qd, impl_->zero, dq, dqd, impl_->spare[1]);
  dq -= impl_->M;
  return status;
}

}  // namespace dyn
