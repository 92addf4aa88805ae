// Solver where `fast` was chosen: whole queries, from positions to result, by FastDynamics.
#include "solver_impl.hpp"

namespace dyn {

void Solver::Impl::make_fast() {
  if (chain->has_mimic()) return;
  const auto chosen = [&](const std::string& name) -> FastDynamics* {
    if (name != "fast") return nullptr;
    if (!fast) fast = std::make_unique<FastDynamics>(model);
    return fast.get();
  };
  fast_mass_matrix = chosen(algorithms.mass_matrix);
  fast_inverse_dynamics = chosen(algorithms.inverse_dynamics);
  fast_forward_dynamics = chosen(algorithms.forward_dynamics);
  fast_coriolis = chosen(algorithms.coriolis);
}

void Solver::Impl::model_changed() noexcept {
  if (fast) fast->set_model(model);
}

Status Solver::Impl::fast_torque(VecIn<double> q, VecIn<double> qd, VecIn<double> qdd,
                                 VecOut<double> tau) {
  const Status status = fast_inverse_dynamics->inverse_dynamics(q, qd, qdd, tau);
  if (status == Status::kOk && has_friction) {
    friction(qd, torque);
    tau += torque;
  }
  return status;
}

Status Solver::Impl::fast_acceleration(VecIn<double> q, VecIn<double> qd, VecIn<double> tau,
                                       VecOut<double> qdd) {
  if (!has_friction) return fast_forward_dynamics->forward_dynamics(q, qd, tau, qdd);
  if (!fits(qd) || !fits(tau)) return Status::kWrongSize;
  friction(qd, torque);
  torque = tau - torque;
  return fast_forward_dynamics->forward_dynamics(q, qd, torque, qdd);
}

Status Solver::dynamics(VecIn<double> q, VecIn<double> qd, Dynamics& out) noexcept {
  if (impl_->fast_mass_matrix && impl_->fast_inverse_dynamics) {
    return impl_->fast->dynamics(q, qd, out);
  }
  if (out.frames.size() != impl_->poses.size()) return Status::kWrongSize;
  Status status = mass_matrix(q, out.mass_matrix);
  if (status == Status::kOk) status = coriolis_torque(q, qd, out.coriolis_torque);
  if (status == Status::kOk) status = gravity_torque(q, out.gravity_torque);
  if (status == Status::kOk) status = impl_->kinematics.update(q);
  if (status != Status::kOk) return status;
  for (std::size_t i = 0; i < out.frames.size(); ++i) {
    out.frames[i] = impl_->kinematics.dh_pose(static_cast<Index>(i));
  }
  return factor(q, out.U, out.D);
}

}  // namespace dyn
