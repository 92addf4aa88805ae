// What one state of an arm tells about its base parameters, and what it asks of the drives.
#pragma once

#include <cmath>
#include <vector>

#include "dyn_core/identify/regressor.hpp"

namespace dyn {

/// The weighted rows of the base regressor and the model's torques, state by state.
class Witness {
 public:
  /// Without columns there are torques alone.
  explicit Witness(const ChainPtr& chain, std::vector<Index> base = {})
      : regressor_(chain),
        base_(std::move(base)),
        smooth_(VecXd::Ones(parameters())),
        inertial_(parameters_of(*chain)),
        damping_(VecXd::Zero(chain->dof())),
        friction_(damping_),
        weight_(VecXd::Ones(chain->dof())) {
    const ParameterLayout at = regressor_.layout();
    inertial_.segment(at.viscous(0), 3 * at.joints).setZero();
    for (Index j = 0; j < parameters(); ++j) {
      const Index column = base_[static_cast<std::size_t>(j)];
      if (column >= at.coulomb(0) && column < at.offset(0)) smooth_[j] = 0.0;
    }
    for (const Joint& joint : chain->joints()) {
      damping_[joint.coordinate] += joint.multiplier * joint.multiplier * joint.damping;
      friction_[joint.coordinate] += std::abs(joint.multiplier) * joint.friction;
    }
    const VecXd effort = effort_limits(*chain);
    if (effort.allFinite()) weight_ = effort.cwiseInverse();
  }

  [[nodiscard]] Index dof() const { return weight_.size(); }
  [[nodiscard]] Index parameters() const { return static_cast<Index>(base_.size()); }

  Status at(VecIn<double> q, VecIn<double> qd, VecIn<double> qdd) {
    const Status status = regressor_.update(q, qd, qdd);
    torque_.noalias() = regressor_.Y() * inertial_;
    load_ = torque_.cwiseAbs() + damping_.cwiseProduct(qd.cwiseAbs()) + friction_;
    return status;
  }
  /// Without friction.
  [[nodiscard]] const VecXd& torque() const { return torque_; }
  /// The magnitude of the torque, friction added in full.
  [[nodiscard]] const VecXd& load() const { return load_; }
  /// 0 for Coulomb friction, which jumps, and 1 for other columns.
  [[nodiscard]] const VecXd& smooth() const { return smooth_; }
  [[nodiscard]] MatXd rows() const {
    return weight_.asDiagonal() * regressor_.Y()(Eigen::all, base_);
  }

 private:
  Regressor<double> regressor_;
  std::vector<Index> base_;
  VecXd smooth_, inertial_, damping_, friction_, weight_, torque_, load_;
};

}  // namespace dyn
