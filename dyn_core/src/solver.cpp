#include <cmath>

#include <fmt/format.h>

#include "dyn_core/registry.hpp"
#include "solver_impl.hpp"

namespace dyn {

void Solver::Impl::spread(VecIn<double> rates, VecXd& out) const {
  for (Index i = 0; i < model.size(); ++i) {
    const Joint& joint = chain->joint(i);
    out[i] = joint.multiplier * rates[joint.coordinate];
  }
}

void Solver::Impl::gather(const VecXd& joint_values, VecOut<double> out) const {
  out.setZero();
  for (Index i = 0; i < model.size(); ++i) {
    const Joint& joint = chain->joint(i);
    out[joint.coordinate] += joint.multiplier * joint_values[i];
  }
}

void Solver::Impl::gather(const MatXd& joint_values, MatOut<double> out) const {
  out.setZero();
  for (Index i = 0; i < model.size(); ++i) {
    const Joint& row = chain->joint(i);
    for (Index j = 0; j < model.size(); ++j) {
      const Joint& column = chain->joint(j);
      out(row.coordinate, column.coordinate) +=
          row.multiplier * column.multiplier * joint_values(i, j);
    }
  }
}

Status Solver::Impl::set_configuration(VecIn<double> q) {
  if (const Status status = check(q); status != Status::kOk) return status;
  for (Index i = 0; i < model.size(); ++i) {
    const Joint& joint = chain->joint(i);
    joint_positions[i] = joint.multiplier * q[joint.coordinate] + joint.offset;
  }
  joint_poses<double>(model, joint_positions, poses);
  return Status::kOk;
}

void Solver::Impl::add_armature(MatOut<double> out) const {
  if (!model.has_armature()) return;
  for (Index i = 0; i < model.size(); ++i) {
    const Joint& joint = chain->joint(i);
    out(joint.coordinate, joint.coordinate) +=
        joint.multiplier * joint.multiplier * model.link(i).armature;
  }
}

void Solver::Impl::friction(VecIn<double> qd, VecOut<double> out) const {
  out.setZero();
  for (Index i = 0; i < model.size(); ++i) {
    const Joint& joint = chain->joint(i);
    const double rate = joint.multiplier * qd[joint.coordinate];
    const double direction = rate / std::hypot(rate, kFrictionVelocity);
    out[joint.coordinate] += joint.multiplier * (joint.damping * rate + joint.friction * direction);
  }
}

void Solver::Impl::external_torque(VecIn<double> q, VecOut<double> out) {
  // The sizes were checked by set_configuration.
  (void)kinematics.update(q);
  (void)kinematics.jacobian(jacobian);
  out.noalias() = jacobian.topRows<3>().transpose() * wrench.force;
  out.noalias() += jacobian.bottomRows<3>().transpose() * wrench.torque;
}

void Solver::Impl::mass_matrix_here(MatOut<double> out) {
  mass_matrix->mass_matrix(model, poses, joint_matrix);
  gather(joint_matrix, out);
  add_armature(out);
}

void Solver::Impl::torque_here(const Vec3d& gravity, VecIn<double> qd, VecIn<double> qdd,
                               VecOut<double> out) {
  spread(qd, joint_rates);
  spread(qdd, joint_accelerations);
  inverse_dynamics->inverse_dynamics(model, poses, gravity, joint_rates, joint_accelerations,
                                     joint_torques);
  for (Index i = 0; i < model.size(); ++i) {
    joint_torques[i] += model.link(i).armature * joint_accelerations[i];
  }
  gather(joint_torques, out);
}

Status Solver::Impl::solve_with_mimics(VecIn<double> qd, VecIn<double> tau, VecOut<double> qdd) {
  if (const Status status = factor_here(U, D); status != Status::kOk) return status;
  torque_here(model.gravity(), qd, zero, qdd);
  qdd = tau - qdd;
  solve_udut<double>(U, D, qdd);
  return Status::kOk;
}

namespace {

template <class Algorithm>
std::string make_named(Entries<Algorithm> entries, std::string_view quantity, std::string& name,
                       std::string_view default_name, const Model& model,
                       std::unique_ptr<Algorithm>& out) {
  if (name.empty()) name = default_name;
  // Generated code has one model: after a change the default takes over.
  const bool is_generated = name == "generated" && quantity != "coriolis";
  const Entry<Algorithm>* entry = find(entries, is_generated ? default_name : name);
  if (entry != nullptr) {
    out = entry->make(model);
    return {};
  }
  std::string names;
  for (const Entry<Algorithm>& known : entries) names += fmt::format(" {}", known.name);
  return fmt::format("there is no {} algorithm '{}'; choose one of:{}", quantity, name, names);
}

// Matrices hold n² numbers, and the inertia power array, which mimic joints need for Ṁ, n³.
std::string objection_to_size(const Chain& chain) {
  const Index most = chain.has_mimic() ? 200 : 2000;
  if (chain.joint_count() <= most) return {};
  return fmt::format(
      "the chain from '{}' to '{}' has {} moving joints, more than the {} that matrices are made "
      "for{}; choose other ends or lock joints",
      chain.base(), chain.tip(), chain.joint_count(), most,
      chain.has_mimic() ? " where joints mimic others" : "");
}

}  // namespace

Result<Solver> Solver::make(ChainPtr chain, const Algorithms& algorithms) {
  if (!chain) return fail("there is no chain to solve for; give one that was read without error");
  if (std::string text = objection_to_size(*chain); !text.empty()) return fail(std::move(text));
  auto impl = std::make_unique<Impl>(std::move(chain), algorithms);
  const Model& model = impl->model;
  Algorithms& names = impl->algorithms;
  const bool has_mimic = model.chain().has_mimic();
  if (has_mimic && !names.forward_dynamics.empty() && names.forward_dynamics != "cholesky") {
    return fail(
        fmt::format("forward dynamics '{}' needs independent joints, but the chain from '{}' "
                    "to '{}' has mimic joints; choose cholesky",
                    names.forward_dynamics, model.chain().base(), model.chain().tip()));
  }
  std::string objection = make_named(mass_matrix_algorithms<double>(), "mass matrix",
                                     names.mass_matrix, "gdahj", model, impl->mass_matrix);
  if (objection.empty()) {
    objection = make_named(inverse_dynamics_algorithms<double>(), "inverse dynamics",
                           names.inverse_dynamics, "rnea", model, impl->inverse_dynamics);
  }
  if (objection.empty()) {
    objection = make_named(forward_dynamics_algorithms<double>(), "forward dynamics",
                           names.forward_dynamics, has_mimic ? "cholesky" : "udut", model,
                           impl->forward_dynamics);
  }
  if (objection.empty()) {
    objection = make_named(coriolis_algorithms<double>(), "coriolis", names.coriolis, "mci", model,
                           impl->coriolis);
  }
  if (objection.empty()) objection = impl->use_generated();
  if (!objection.empty()) return fail(std::move(objection));
  impl->make_fast();
  return Solver(std::move(impl));
}

Solver::Solver(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;
Solver::~Solver() = default;

const Chain& Solver::chain() const { return *impl_->chain; }
const ChainPtr& Solver::chain_ptr() const { return impl_->chain; }
const Algorithms& Solver::algorithms() const { return impl_->algorithms; }

void Solver::set_payload(const RigidBody& payload) noexcept {
  impl_->model.set_payload(payload);
  impl_->model_changed();
}
void Solver::set_gravity(const Vec3d& gravity) noexcept {
  impl_->model.set_gravity(gravity);
  impl_->model_changed();
}
void Solver::set_armature(Index joint, double armature) noexcept {
  impl_->model.set_armature(joint, armature);
  impl_->model_changed();
}
void Solver::set_tip_wrench(const Wrench& wrench) noexcept {
  impl_->wrench = wrench;
  impl_->has_wrench = !wrench.force.isZero(0.0) || !wrench.torque.isZero(0.0);
  if (impl_->fast) impl_->fast->set_tip_wrench(wrench.force, wrench.torque);
}
void Solver::set_friction(bool enabled) noexcept { impl_->has_friction = enabled; }

Status Solver::mass_matrix(VecIn<double> q, MatOut<double> M) noexcept {
  if (impl_->fast_mass_matrix) return impl_->fast_mass_matrix->mass_matrix(q, M);
  if (!impl_->fits_square(M)) return Status::kWrongSize;
  if (impl_->applies(impl_->generated.mass_matrix)) return impl_->generated_matrix(q, M);
  if (const Status status = impl_->set_configuration(q); status != Status::kOk) return status;
  impl_->mass_matrix_here(M);
  return finite(M);
}

Status Solver::coriolis_matrix(VecIn<double> q, VecIn<double> qd, MatOut<double> C) noexcept {
  if (impl_->fast_coriolis) return impl_->fast_coriolis->coriolis_matrix(q, qd, C);
  if (!impl_->fits(qd) || !impl_->fits_square(C)) return Status::kWrongSize;
  if (!qd.allFinite()) return Status::kNotFinite;
  if (const Status status = impl_->set_configuration(q); status != Status::kOk) return status;
  impl_->spread(qd, impl_->joint_rates);
  impl_->coriolis->coriolis_matrix(impl_->model, impl_->poses, impl_->joint_rates,
                                   impl_->joint_matrix);
  impl_->gather(impl_->joint_matrix, C);
  return finite(C);
}

Status Solver::coriolis_torque(VecIn<double> q, VecIn<double> qd, VecOut<double> tau) noexcept {
  if (impl_->fast_inverse_dynamics)
    return impl_->fast_inverse_dynamics->coriolis_torque(q, qd, tau);
  if (!impl_->fits(qd) || !impl_->fits(tau)) return Status::kWrongSize;
  if (!qd.allFinite()) return Status::kNotFinite;
  if (const Status status = impl_->set_configuration(q); status != Status::kOk) return status;
  impl_->torque_here(Vec3d::Zero(), qd, impl_->zero, tau);
  return finite(tau);
}

Status Solver::gravity_torque(VecIn<double> q, VecOut<double> tau) noexcept {
  if (impl_->fast_inverse_dynamics) return impl_->fast_inverse_dynamics->gravity_torque(q, tau);
  if (!impl_->fits(tau)) return Status::kWrongSize;
  if (const Status status = impl_->set_configuration(q); status != Status::kOk) return status;
  impl_->torque_here(impl_->model.gravity(), impl_->zero, impl_->zero, tau);
  return finite(tau);
}

Status Solver::bias_torque(VecIn<double> q, VecIn<double> qd, VecOut<double> tau) noexcept {
  if (impl_->fast_inverse_dynamics) return impl_->fast_inverse_dynamics->bias_torque(q, qd, tau);
  if (!impl_->fits(qd) || !impl_->fits(tau)) return Status::kWrongSize;
  if (!qd.allFinite()) return Status::kNotFinite;
  if (impl_->applies(impl_->generated.bias_torque)) return impl_->generated_bias(q, qd, tau);
  if (const Status status = impl_->set_configuration(q); status != Status::kOk) return status;
  impl_->torque_here(impl_->model.gravity(), qd, impl_->zero, tau);
  return finite(tau);
}

Status Solver::friction_torque(VecIn<double> qd, VecOut<double> tau) noexcept {
  if (!impl_->fits(qd) || !impl_->fits(tau)) return Status::kWrongSize;
  impl_->friction(qd, tau);
  return finite(tau);
}

Status Solver::inverse_dynamics(VecIn<double> q, VecIn<double> qd, VecIn<double> qdd,
                                VecOut<double> tau) noexcept {
  if (impl_->fast_inverse_dynamics) return impl_->fast_torque(q, qd, qdd, tau);
  if (!impl_->fits(qd) || !impl_->fits(qdd) || !impl_->fits(tau)) return Status::kWrongSize;
  if (!qd.allFinite() || !qdd.allFinite()) return Status::kNotFinite;
  if (impl_->applies(impl_->generated.inverse_dynamics)) {
    if (const Status status = impl_->check(q); status != Status::kOk) return status;
    impl_->generated.inverse_dynamics(q.data(), qd.data(), qdd.data(), tau.data());
  } else {
    if (const Status status = impl_->set_configuration(q); status != Status::kOk) return status;
    impl_->torque_here(impl_->model.gravity(), qd, qdd, tau);
  }
  if (impl_->has_friction) {
    impl_->friction(qd, impl_->torque);
    tau += impl_->torque;
  }
  if (impl_->has_wrench) {
    impl_->external_torque(q, impl_->torque);
    tau -= impl_->torque;
  }
  return finite(tau);
}

Status Solver::forward_dynamics(VecIn<double> q, VecIn<double> qd, VecIn<double> tau,
                                VecOut<double> qdd) noexcept {
  if (impl_->fast_forward_dynamics) return impl_->fast_acceleration(q, qd, tau, qdd);
  if (!impl_->fits(qd) || !impl_->fits(tau) || !impl_->fits(qdd)) return Status::kWrongSize;
  if (!qd.allFinite() || !tau.allFinite()) return Status::kNotFinite;
  const bool generated = impl_->applies(impl_->generated.forward_dynamics);
  const Status placed = generated ? impl_->check(q) : impl_->set_configuration(q);
  if (placed != Status::kOk) return placed;
  impl_->torque = tau;
  if (impl_->has_friction) {
    impl_->friction(qd, qdd);
    impl_->torque -= qdd;
  }
  if (impl_->has_wrench) {
    impl_->external_torque(q, qdd);
    impl_->torque += qdd;
  }
  if (generated) return impl_->generated_acceleration(q, qd, qdd);
  const Status status =
      impl_->chain->has_mimic()
          ? impl_->solve_with_mimics(qd, impl_->torque, qdd)
          : impl_->forward_dynamics->forward_dynamics(
                impl_->model, impl_->poses, impl_->model.gravity(), qd, impl_->torque, qdd);
  return status == Status::kOk ? finite(qdd) : status;
}

Status Solver::kinetic_energy(VecIn<double> q, VecIn<double> qd, double& energy) noexcept {
  if (!impl_->fits(qd)) return Status::kWrongSize;
  if (const Status status = mass_matrix(q, impl_->M); status != Status::kOk) return status;
  impl_->torque.noalias() = impl_->M * qd;
  energy = 0.5 * qd.dot(impl_->torque);
  return std::isfinite(energy) ? Status::kOk : Status::kNotFinite;
}

Status Solver::potential_energy(VecIn<double> q, double& energy) noexcept {
  if (const Status status = impl_->set_configuration(q); status != Status::kOk) return status;
  (void)impl_->kinematics.update(q);
  const Posed base = impl_->chain->base_pose();
  const Vec3d gravity = base.R * impl_->model.gravity();
  energy = 0.0;
  for (Index i = 0; i < impl_->model.size(); ++i) {
    const LinkModel& link = impl_->model.link(i);
    energy -= link.mass * gravity.dot(impl_->kinematics.dh_pose(i) * link.com);
  }
  return std::isfinite(energy) ? Status::kOk : Status::kNotFinite;
}

}  // namespace dyn
