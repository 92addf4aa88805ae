#include "dyn_core/control/observer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>
#include <fmt/format.h>

namespace dyn {
namespace {

std::string objection(const Chain& chain, const ObserverParameters& p) {
  if (p.gain.size() != chain.dof() || p.threshold.size() != chain.dof()) {
    return fmt::format("the momentum observer needs {} gains and {} thresholds, one per coordinate",
                       chain.dof(), chain.dof());
  }
  for (Index i = 0; i < chain.dof(); ++i) {
    const std::string& joint = chain.coordinate_names()[static_cast<std::size_t>(i)];
    if (!(p.gain[i] > 0.0) || !std::isfinite(p.gain[i])) {
      return fmt::format(
          "the momentum observer's gain of joint '{}' is {} 1/s; give a positive one", joint,
          p.gain[i]);
    }
    if (!(p.threshold[i] > 0.0)) {
      return fmt::format(
          "the contact threshold of joint '{}' is {}; give a positive torque, or "
          "infinity for none",
          joint, p.threshold[i]);
    }
  }
  if (!(p.hold >= 0.0 && p.release >= 0.0 && p.hysteresis > 0.0 && p.hysteresis <= 1.0)) {
    return "the momentum observer's times must not be negative and its hysteresis is within 0 … 1";
  }
  return {};
}

}  // namespace

ObserverParameters::ObserverParameters(Index dof)
    : gain(VecXd::Constant(dof, 100.0)),
      threshold(VecXd::Constant(dof, std::numeric_limits<double>::infinity())) {}

Result<MomentumObserver> MomentumObserver::make(ChainPtr chain,
                                                const ObserverParameters& parameters,
                                                const Algorithms& algorithms, Inertia inertia) {
  if (std::string sentence = objection(*chain, parameters); !sentence.empty()) {
    return fail(std::move(sentence));
  }
  Result<Solver> solver = Solver::make(chain, algorithms, inertia);
  if (!solver) return tl::unexpected(solver.error());
  return MomentumObserver(std::move(chain), std::move(*solver), parameters);
}

MomentumObserver::MomentumObserver(ChainPtr chain, Solver solver, ObserverParameters parameters)
    : parameters_(std::move(parameters)),
      solver_(std::move(solver)),
      kinematics_(std::move(chain)),
      p_(VecXd::Zero(solver_.dof())),
      p_before_(p_),
      beta_(p_),
      beta_before_(p_),
      r_(p_),
      term_(p_),
      matrix_(MatXd::Zero(solver_.dof(), solver_.dof())),
      jacobian_(MatXd::Zero(6, solver_.dof())),
      contacts_(static_cast<std::size_t>(solver_.dof())) {
  set_gravity(solver_.chain().gravity());
}

void MomentumObserver::set_gravity(const Vec3d& gravity) noexcept {
  solver_.set_gravity(parameters_.hardware_compensates_gravity ? Vec3d::Zero() : gravity);
}

void MomentumObserver::reset() noexcept {
  r_.setZero();
  started_ = false;
  for (Contact& contact : contacts_) contact = {};
}

// p and beta of this state.
Status MomentumObserver::momentum(const JointState& state) noexcept {
  Status status = solver_.mass_matrix(state.q, matrix_);
  if (status != Status::kOk) return status;
  p_.noalias() = matrix_ * state.qd;
  status = solver_.coriolis_matrix(state.q, state.qd, matrix_);
  if (status != Status::kOk) return status;
  beta_.noalias() = matrix_.transpose() * state.qd;  // (1)
  status = solver_.gravity_torque(state.q, term_);
  if (status != Status::kOk) return status;
  beta_ -= term_;
  if (!parameters_.friction) return Status::kOk;
  status = solver_.friction_torque(state.qd, term_);
  beta_ -= term_;
  return status;
}

Status MomentumObserver::update(const JointState& state, VecIn<double> torque, double dt) noexcept {
  const Index n = solver_.dof();
  if (state.q.size() != n || state.qd.size() != n || torque.size() != n) return Status::kWrongSize;
  const bool finite = state.finite() && torque.allFinite() && std::isfinite(dt) && dt >= 0.0;
  const Status status = finite ? momentum(state) : Status::kNotFinite;
  if (status != Status::kOk) {
    started_ = false;
    return status;
  }
  if (started_ && dt > 0.0) {
    for (Index i = 0; i < n; ++i) {  // (3)
      const double mean =
          (p_[i] - p_before_[i]) / dt - torque[i] - 0.5 * (beta_[i] + beta_before_[i]);
      r_[i] += -std::expm1(-parameters_.gain[i] * dt) * (mean - r_[i]);
    }
    detect(dt);
  }
  p_before_.swap(p_);
  beta_before_.swap(beta_);
  started_ = true;
  return Status::kOk;
}

void MomentumObserver::detect(double dt) noexcept {
  for (Index i = 0; i < r_.size(); ++i) {
    Contact& contact = contacts_[slot(i)];
    const double threshold = parameters_.threshold[i] * (contact.on ? parameters_.hysteresis : 1.0);
    const bool above = std::abs(r_[i]) > threshold;
    contact.time = above != contact.on ? contact.time + dt : 0.0;
    const double wait = contact.on ? parameters_.release : parameters_.hold;
    if (above != contact.on && contact.time >= wait) contact = {above, 0.0};
  }
}

bool MomentumObserver::any_contact() const noexcept {
  return std::any_of(contacts_.begin(), contacts_.end(),
                     [](const Contact& contact) { return contact.on; });
}

Status MomentumObserver::tip_wrench(const VecXd& q, Wrench& out, double tolerance) noexcept {
  if (q.size() != solver_.dof()) return Status::kWrongSize;
  if (!q.allFinite()) return Status::kNotFinite;
  Status status = kinematics_.update(q);
  if (status == Status::kOk) status = kinematics_.jacobian(jacobian_);
  if (status != Status::kOk) return status;
  // The least-squares solution of Jᵀ w = r, regularised: (J Jᵀ + λ² 1) w = J r.
  Mat6<double> A = jacobian_.lazyProduct(jacobian_.transpose());
  A.diagonal().array() += tolerance * tolerance * A.trace();
  const Vec6<double> w = A.ldlt().solve(Vec6<double>(jacobian_.lazyProduct(r_)));
  out.force = w.head<3>();
  out.torque = w.tail<3>();
  return w.allFinite() ? Status::kOk : Status::kNotFinite;
}

}  // namespace dyn
