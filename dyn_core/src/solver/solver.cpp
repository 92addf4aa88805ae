#include <cmath>

#include <fmt/format.h>

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
      D(nu),
      pivot_rate(nu),
      nu_rate(nu),
      xi_rate(nu) {}

// ---- what the makers share -----------------------------------------------------------------------
Status Situation::check(const Posture& at) const {
  if (!fits(at.coordinates())) return Status::kWrongSize;
  if (at.kinematics() != nullptr && &at.kinematics()->chain() != &chain())
    return Status::kWrongSize;
  if (!chain().has_dynamics()) return Status::kNoInertia;
  return at.coordinates().allFinite() ? Status::kOk : Status::kNotFinite;
}

void Situation::add_wrench(const Posture& at, double sign, VecOut<double> tau) {
  if (!has_wrench) return;
  if (at.kinematics() == nullptr) (void)kinematics_.update(at.coordinates());
  (void)(at.kinematics() == nullptr ? kinematics_ : *at.kinematics()).jacobian(jacobian_);
  tau.noalias() += sign * jacobian_.topRows<3>().transpose() * wrench.force;
  tau.noalias() += sign * jacobian_.bottomRows<3>().transpose() * wrench.torque;
}

void Situation::subtract_wrench_derivative(const Posture& at, MatOut<double> out) {
  if (!has_wrench) return;
  dual_coordinates_ = at.coordinates().cast<Dual>();
  for (Index k = 0; k < dof(); ++k) {
    dual_coordinates_[k].rate = 1.0;
    (void)dual_kinematics_.update(dual_coordinates_);
    dual_coordinates_[k].rate = 0.0;
    (void)dual_kinematics_.jacobian(dual_jacobian_);
    for (Index i = 0; i < dof(); ++i) {
      for (Index c = 0; c < 3; ++c) {
        out(i, k) -= dual_jacobian_(c, i).rate * wrench.force[c] +
                     dual_jacobian_(3 + c, i).rate * wrench.torque[c];
      }
    }
  }
}

// ---- the solver ----------------------------------------------------------------------------------
namespace {

constexpr std::string_view kFast = "fast";

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

std::string objection_to_mimics(const Chain& chain, const std::string& forward_dynamics) {
  if (!chain.has_mimic() || forward_dynamics.empty() || forward_dynamics == "cholesky") return {};
  return fmt::format(
      "forward dynamics '{}' needs independent joints, but the chain from '{}' to '{}' has mimic "
      "joints; choose cholesky",
      forward_dynamics, chain.base(), chain.tip());
}

}  // namespace

std::string Solver::Impl::make(const Algorithms& asked) {
  const ChainPtr& chain = situation.model.chain_ptr();
  if (std::string text = objection_to_mimics(*chain, asked.forward_dynamics); !text.empty()) {
    return text;
  }
  names = asked;
  // Of a chain without dynamics the papers' queries refuse everything, each by Situation::check.
  if (!chain->has_mimic() && chain->has_dynamics()) fast = std::make_unique<FastQueries>(situation);
  if (asked.mass_matrix == kGenerated || asked.inverse_dynamics == kGenerated ||
      asked.forward_dynamics == kGenerated) {
    if (std::string text = objection_to_generated(chain, asked); !text.empty()) return text;
    generated = make_generated_queries(situation, fast ? static_cast<Queries&>(*fast) : papers);
  }
  Algorithms registered;
  const auto choose = [&](std::string Algorithms::*quantity, std::string_view for_mimics) {
    std::string& name = names.*quantity;
    if (name.empty()) name = fast ? kFast : for_mimics;
    const bool is_generated = name == kGenerated && quantity != &Algorithms::coriolis;
    if (!fast) {
      registered.*quantity = is_generated ? for_mimics : name;
    } else if (!is_generated && name != kFast) {
      registered.*quantity = name;
    }
    if (is_generated) return generated.get();
    return fast && name == kFast ? static_cast<Queries*>(fast.get()) : &papers;
  };
  mass_matrix = choose(&Algorithms::mass_matrix, "gdahj");
  inverse_dynamics = choose(&Algorithms::inverse_dynamics, "rnea");
  forward_dynamics = choose(&Algorithms::forward_dynamics, "cholesky");
  coriolis = choose(&Algorithms::coriolis, "mci");
  if (fast && mass_matrix == fast.get() && inverse_dynamics == fast.get()) at_once = fast.get();
  return papers.make(registered);
}

void Solver::Impl::add_friction(VecIn<double> qd, double sign, VecOut<double> tau) const {
  for (Index i = 0; i < situation.model.size(); ++i) {
    const Joint& joint = situation.chain().joint(i);
    const double rate = joint.multiplier * qd[joint.coordinate];
    const double direction = rate / std::hypot(rate, kFrictionVelocity);
    tau[joint.coordinate] +=
        sign * joint.multiplier * (joint.damping * rate + joint.friction * direction);
  }
}

void Solver::Impl::set_wrench(const Wrench& wrench) noexcept {
  situation.wrench = wrench;
  situation.has_wrench = !wrench.force.isZero(0.0) || !wrench.torque.isZero(0.0);
  tell_makers([](Queries& maker) { maker.wrench_changed(); });
}

Result<Solver> Solver::make(ChainPtr chain, const Algorithms& algorithms, Inertia inertia) {
  if (!chain) return fail("there is no chain to solve for; give one that was read without error");
  if (std::string text = objection_to_size(*chain); !text.empty()) return fail(std::move(text));
  if (inertia == Inertia::kNeeded && !chain->has_dynamics()) {
    return fail(chain->objection_to_dynamics());
  }
  auto impl = std::make_unique<Impl>(chain);
  if (std::string text = impl->make(chain->has_dynamics() ? algorithms : Algorithms());
      !text.empty())
    return fail(std::move(text));
  return Solver(std::move(impl));
}

Solver::Solver(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;
Solver::~Solver() = default;

const Chain& Solver::chain() const { return impl_->situation.chain(); }
const ChainPtr& Solver::chain_ptr() const { return impl_->situation.model.chain_ptr(); }
const Algorithms& Solver::algorithms() const { return impl_->names; }

void Solver::set_payload(const RigidBody& payload) noexcept {
  impl_->situation.model.set_payload(payload);
  impl_->model_changed();
}
void Solver::set_gravity(const Vec3d& gravity) noexcept {
  impl_->situation.model.set_gravity(gravity);
  impl_->model_changed();
}
void Solver::set_armature(Index joint, double armature) noexcept {
  impl_->situation.model.set_armature(joint, armature);
  impl_->model_changed();
}
void Solver::set_tip_wrench(const Wrench& wrench) noexcept { impl_->set_wrench(wrench); }
void Solver::set_friction(bool enabled) noexcept { impl_->has_friction = enabled; }

Status Solver::mass_matrix(const Posture& at, MatOut<double> M) noexcept {
  return impl_->mass_matrix->mass_matrix(at, M);
}
Status Solver::mass_matrix_inverse(const Posture& at, MatOut<double> M_inverse) noexcept {
  return impl_->mass_matrix->mass_matrix_inverse(at, M_inverse);
}
Status Solver::factor(const Posture& at, MatOut<double> U, VecOut<double> D) noexcept {
  return impl_->mass_matrix->factor(at, U, D);
}
Status Solver::coriolis_matrix(const Posture& at, VecIn<double> qd, MatOut<double> C) noexcept {
  return impl_->coriolis->coriolis_matrix(at, qd, C);
}
Status Solver::coriolis_torque(const Posture& at, VecIn<double> qd, VecOut<double> tau) noexcept {
  return impl_->inverse_dynamics->coriolis_torque(at, qd, tau);
}
Status Solver::gravity_torque(const Posture& at, VecOut<double> tau) noexcept {
  return impl_->inverse_dynamics->gravity_torque(at, tau);
}
Status Solver::bias_torque(const Posture& at, VecIn<double> qd, VecOut<double> tau) noexcept {
  return impl_->inverse_dynamics->bias_torque(at, qd, tau);
}

Status Solver::friction_torque(VecIn<double> qd, VecOut<double> tau) noexcept {
  if (!impl_->situation.fits(qd) || !impl_->situation.fits(tau)) return Status::kWrongSize;
  tau.setZero();
  impl_->add_friction(qd, 1.0, tau);
  return finite(tau);
}

Status Solver::inverse_dynamics(const Posture& at, VecIn<double> qd, VecIn<double> qdd,
                                VecOut<double> tau) noexcept {
  const Status status = impl_->inverse_dynamics->inverse_dynamics(at, qd, qdd, tau);
  if (status == Status::kOk && impl_->has_friction) impl_->add_friction(qd, 1.0, tau);
  return status;
}

Status Solver::forward_dynamics(const Posture& at, VecIn<double> qd, VecIn<double> tau,
                                VecOut<double> qdd) noexcept {
  if (!impl_->has_friction) return impl_->forward_dynamics->forward_dynamics(at, qd, tau, qdd);
  if (!impl_->situation.fits(qd) || !impl_->situation.fits(tau)) return Status::kWrongSize;
  impl_->torque = tau;
  impl_->add_friction(qd, -1.0, impl_->torque);
  return impl_->forward_dynamics->forward_dynamics(at, qd, impl_->torque, qdd);
}

Status Solver::Impl::dynamics(const Posture& at, VecIn<double> qd, Dynamics& out) {
  if (static_cast<Index>(out.frames.size()) != situation.model.size()) return Status::kWrongSize;
  if (const Status status = situation.check(at); status != Status::kOk) return status;
  if (at.kinematics() == nullptr) (void)kinematics.update(at.coordinates());
  const Kinematics<double>& there = at.kinematics() == nullptr ? kinematics : *at.kinematics();
  for (std::size_t i = 0; i < out.frames.size(); ++i) {
    out.frames[i] = there.dh_pose(static_cast<Index>(i));
  }
  Status status = mass_matrix->mass_matrix(there, out.mass_matrix);
  if (status == Status::kOk) status = mass_matrix->factor(there, out.U, out.D);
  if (status == Status::kOk) {
    status = inverse_dynamics->coriolis_torque(there, qd, out.coriolis_torque);
  }
  if (status == Status::kOk) status = inverse_dynamics->gravity_torque(there, out.gravity_torque);
  return status;
}

Status Solver::dynamics(const Posture& at, VecIn<double> qd, Dynamics& out) noexcept {
  return impl_->at_once != nullptr ? impl_->at_once->dynamics(at, qd, out)
                                   : impl_->dynamics(at, qd, out);
}

Status Solver::quasi(const Posture& at, VecIn<double> qd, VecIn<double> tau, Quasi& out) noexcept {
  return impl_->papers.quasi(at, qd, tau, out);
}

Status Solver::inertia_power(const Posture& at, std::span<MatXd> P) noexcept {
  return impl_->papers.inertia_power(at, P);
}

Status Solver::kinetic_energy(const Posture& at, VecIn<double> qd, double& energy) noexcept {
  if (!impl_->situation.fits(qd)) return Status::kWrongSize;
  if (const Status status = mass_matrix(at, impl_->M); status != Status::kOk) return status;
  impl_->torque.noalias() = impl_->M * qd;
  energy = 0.5 * qd.dot(impl_->torque);
  return std::isfinite(energy) ? Status::kOk : Status::kNotFinite;
}

Status Solver::potential_energy(const Posture& at, double& energy) noexcept {
  if (const Status status = impl_->situation.check(at); status != Status::kOk) return status;
  if (at.kinematics() == nullptr) (void)impl_->kinematics.update(at.coordinates());
  const Kinematics<double>& there =
      at.kinematics() == nullptr ? impl_->kinematics : *at.kinematics();
  const Model& model = impl_->situation.model;
  const Vec3d gravity = model.chain().base_pose().R * model.gravity();
  energy = 0.0;
  for (Index i = 0; i < model.size(); ++i) {
    energy -= model.link(i).mass * gravity.dot(there.dh_pose(i) * model.link(i).com);
  }
  return std::isfinite(energy) ? Status::kOk : Status::kNotFinite;
}

}  // namespace dyn
