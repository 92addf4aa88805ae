#include "papers_queries.hpp"

#include <fmt/format.h>

#include "dyn_core/registry.hpp"

namespace dyn {

PapersQueries::PapersQueries(Situation& situation)
    : situation_(situation),
      model_(situation.model),
      derivatives_(model_),
      diagonalized_(model_),
      power_(model_),
      poses_(static_cast<std::size_t>(model_.size())),
      joint_positions_(model_.size()),
      joint_rates_(model_.size()),
      joint_accelerations_(model_.size()),
      joint_torques_(model_.size()),
      joint_matrix_(model_.size(), model_.size()),
      M_(situation.dof(), situation.dof()),
      C_(M_),
      U_(M_),
      D_(situation.dof()),
      torque_(situation.dof()),
      acceleration_(situation.dof()),
      zero_(VecXd::Zero(situation.dof())) {
  if (has_mimic()) joint_power_.assign(poses_.size(), joint_matrix_);
}

namespace {

template <class Algorithm>
std::string make_named(Entries<Algorithm> entries, std::string_view quantity,
                       const std::string& name, const Model& model,
                       std::unique_ptr<Algorithm>& out) {
  if (name.empty()) return {};
  if (const Entry<Algorithm>* entry = find(entries, name); entry != nullptr) {
    out = entry->make(model);
    return {};
  }
  std::string names;
  for (const Entry<Algorithm>& known : entries) names += fmt::format(" {}", known.name);
  return fmt::format("there is no {} algorithm '{}'; choose one of:{}", quantity, name, names);
}

}  // namespace

std::string PapersQueries::make(const Algorithms& names) {
  std::string text = make_named(mass_matrix_algorithms<double>(), "mass matrix", names.mass_matrix,
                                model_, mass_matrix_);
  if (text.empty()) {
    text = make_named(inverse_dynamics_algorithms<double>(), "inverse dynamics",
                      names.inverse_dynamics, model_, inverse_dynamics_);
  }
  if (text.empty()) {
    text = make_named(forward_dynamics_algorithms<double>(), "forward dynamics",
                      names.forward_dynamics, model_, forward_dynamics_);
  }
  if (text.empty()) {
    text = make_named(coriolis_algorithms<double>(), "coriolis", names.coriolis, model_, coriolis_);
  }
  if (text.empty()) make_dual(names);
  return text;
}

void PapersQueries::spread(VecIn<double> rates, VecXd& out) const {
  for (Index i = 0; i < model_.size(); ++i) {
    const Joint& joint = situation_.chain().joint(i);
    out[i] = joint.multiplier * rates[joint.coordinate];
  }
}

void PapersQueries::gather(const VecXd& joint_values, VecOut<double> out) const {
  out.setZero();
  for (Index i = 0; i < model_.size(); ++i) {
    const Joint& joint = situation_.chain().joint(i);
    out[joint.coordinate] += joint.multiplier * joint_values[i];
  }
}

void PapersQueries::gather(const MatXd& joint_values, MatOut<double> out) const {
  out.setZero();
  for (Index i = 0; i < model_.size(); ++i) {
    const Joint& row = situation_.chain().joint(i);
    for (Index j = 0; j < model_.size(); ++j) {
      const Joint& column = situation_.chain().joint(j);
      out(row.coordinate, column.coordinate) +=
          row.multiplier * column.multiplier * joint_values(i, j);
    }
  }
}

Status PapersQueries::stand(const Posture& at) {
  if (const Status status = situation_.check(at); status != Status::kOk) return status;
  if (at.kinematics() != nullptr) {
    joints_ = at.kinematics()->joints();
    return Status::kOk;
  }
  joint_positions<double>(situation_.chain(), at.coordinates(), joint_positions_);
  joint_poses<double>(model_, joint_positions_, poses_);
  joints_ = poses_;
  return Status::kOk;
}

void PapersQueries::mass_matrix_here(MatOut<double> out) {
  mass_matrix_->mass_matrix(model_, joints_, joint_matrix_);
  gather(joint_matrix_, out);
  add_armature(out);
}

void PapersQueries::add_armature(MatOut<double> out) const {
  if (!model_.has_armature()) return;
  for (Index i = 0; i < model_.size(); ++i) {
    const Joint& joint = situation_.chain().joint(i);
    out(joint.coordinate, joint.coordinate) +=
        joint.multiplier * joint.multiplier * model_.link(i).armature;
  }
}

void PapersQueries::torque_here(const Vec3d& gravity, VecIn<double> qd, VecIn<double> qdd,
                                VecOut<double> out) {
  spread(qd, joint_rates_);
  spread(qdd, joint_accelerations_);
  inverse_dynamics_->inverse_dynamics(model_, joints_, gravity, joint_rates_, joint_accelerations_,
                                      joint_torques_);
  for (Index i = 0; i < model_.size(); ++i) {
    joint_torques_[i] += model_.link(i).armature * joint_accelerations_[i];
  }
  gather(joint_torques_, out);
}

Status PapersQueries::mass_matrix(const Posture& at, MatOut<double> M) noexcept {
  if (!situation_.fits_square(M)) return Status::kWrongSize;
  if (const Status status = stand(at); status != Status::kOk) return status;
  mass_matrix_here(M);
  return finite(M);
}

Status PapersQueries::coriolis_matrix(const Posture& at, VecIn<double> qd,
                                      MatOut<double> C) noexcept {
  if (!situation_.fits(qd) || !situation_.fits_square(C)) return Status::kWrongSize;
  if (!qd.allFinite()) return Status::kNotFinite;
  if (const Status status = stand(at); status != Status::kOk) return status;
  spread(qd, joint_rates_);
  coriolis_->coriolis_matrix(model_, joints_, joint_rates_, joint_matrix_);
  gather(joint_matrix_, C);
  return finite(C);
}

Status PapersQueries::coriolis_torque(const Posture& at, VecIn<double> qd,
                                      VecOut<double> tau) noexcept {
  if (!situation_.fits(qd) || !situation_.fits(tau)) return Status::kWrongSize;
  if (!qd.allFinite()) return Status::kNotFinite;
  if (const Status status = stand(at); status != Status::kOk) return status;
  torque_here(Vec3d::Zero(), qd, zero_, tau);
  return finite(tau);
}

Status PapersQueries::gravity_torque(const Posture& at, VecOut<double> tau) noexcept {
  return bias_torque(at, zero_, tau);
}

Status PapersQueries::bias_torque(const Posture& at, VecIn<double> qd,
                                  VecOut<double> tau) noexcept {
  if (!situation_.fits(qd) || !situation_.fits(tau)) return Status::kWrongSize;
  if (!qd.allFinite()) return Status::kNotFinite;
  if (const Status status = stand(at); status != Status::kOk) return status;
  torque_here(model_.gravity(), qd, zero_, tau);
  return finite(tau);
}

Status PapersQueries::inverse_dynamics(const Posture& at, VecIn<double> qd, VecIn<double> qdd,
                                       VecOut<double> tau) noexcept {
  if (!situation_.fits(qd) || !situation_.fits(qdd) || !situation_.fits(tau)) {
    return Status::kWrongSize;
  }
  if (!qd.allFinite() || !qdd.allFinite()) return Status::kNotFinite;
  if (const Status status = stand(at); status != Status::kOk) return status;
  torque_here(model_.gravity(), qd, qdd, tau);
  situation_.add_wrench(at, -1.0, tau);
  return finite(tau);
}

Status PapersQueries::forward_dynamics(const Posture& at, VecIn<double> qd, VecIn<double> tau,
                                       VecOut<double> qdd) noexcept {
  if (!situation_.fits(qd) || !situation_.fits(tau) || !situation_.fits(qdd)) {
    return Status::kWrongSize;
  }
  if (!qd.allFinite() || !tau.allFinite()) return Status::kNotFinite;
  if (const Status status = stand(at); status != Status::kOk) return status;
  torque_ = tau;
  situation_.add_wrench(at, 1.0, torque_);
  const Status status = has_mimic() ? solve_with_mimics(qd, torque_, qdd)
                                    : forward_dynamics_->forward_dynamics(
                                          model_, joints_, model_.gravity(), qd, torque_, qdd);
  return status == Status::kOk ? finite(qdd) : status;
}

Status PapersQueries::solve_with_mimics(VecIn<double> qd, VecIn<double> tau, VecOut<double> qdd) {
  if (const Status status = factor_here(U_, D_); status != Status::kOk) return status;
  torque_here(model_.gravity(), qd, zero_, qdd);
  qdd = tau - qdd;
  solve_udut<double>(U_, D_, qdd);
  return Status::kOk;
}

}  // namespace dyn
