// Whole queries by FastDynamics, of a chain without mimic joints. Internal to dyn_core.
#pragma once

#include "dyn_core/fast/fast_dynamics.hpp"
#include "queries.hpp"

namespace dyn {

class FastQueries final : public Queries {
 public:
  explicit FastQueries(const Situation& situation)
      : situation_(situation), fast_(situation.model) {}

  void model_changed() noexcept override { fast_.set_model(situation_.model); }
  void wrench_changed() noexcept override {
    fast_.set_tip_wrench(situation_.wrench.force, situation_.wrench.torque);
  }

  Status mass_matrix(const Posture& at, MatOut<double> M) noexcept override {
    return fast_.mass_matrix(at.coordinates(), M);
  }
  Status mass_matrix_inverse(const Posture& at, MatOut<double> M_inverse) noexcept override {
    return fast_.mass_matrix_inverse(at.coordinates(), M_inverse);
  }
  Status factor(const Posture& at, MatOut<double> U, VecOut<double> D) noexcept override {
    return fast_.factor(at.coordinates(), U, D);
  }
  Status coriolis_matrix(const Posture& at, VecIn<double> qd, MatOut<double> C) noexcept override {
    return fast_.coriolis_matrix(at.coordinates(), qd, C);
  }
  Status coriolis_torque(const Posture& at, VecIn<double> qd,
                         VecOut<double> tau) noexcept override {
    return fast_.coriolis_torque(at.coordinates(), qd, tau);
  }
  Status gravity_torque(const Posture& at, VecOut<double> tau) noexcept override {
    return fast_.gravity_torque(at.coordinates(), tau);
  }
  Status bias_torque(const Posture& at, VecIn<double> qd, VecOut<double> tau) noexcept override {
    return fast_.bias_torque(at.coordinates(), qd, tau);
  }
  Status inverse_dynamics(const Posture& at, VecIn<double> qd, VecIn<double> qdd,
                          VecOut<double> tau) noexcept override {
    return fast_.inverse_dynamics(at.coordinates(), qd, qdd, tau);
  }
  Status forward_dynamics(const Posture& at, VecIn<double> qd, VecIn<double> tau,
                          VecOut<double> qdd) noexcept override {
    return fast_.forward_dynamics(at.coordinates(), qd, tau, qdd);
  }
  Status inverse_dynamics_derivatives(const Posture& at, VecIn<double> qd, VecIn<double> qdd,
                                      MatOut<double> dq, MatOut<double> dqd,
                                      MatOut<double> dqdd) noexcept override {
    return fast_.inverse_dynamics_derivatives(at.coordinates(), qd, qdd, dq, dqd, dqdd);
  }
  Status forward_dynamics_derivatives(const Posture& at, VecIn<double> qd, VecIn<double> tau,
                                      MatOut<double> dq, MatOut<double> dqd,
                                      MatOut<double> dtau) noexcept override {
    return fast_.forward_dynamics_derivatives(at.coordinates(), qd, tau, dq, dqd, dtau);
  }
  /// What a Solver answers at once, for little more than the dearest part of it.
  Status dynamics(const Posture& at, VecIn<double> qd, Dynamics& out) noexcept {
    return fast_.dynamics(at.coordinates(), qd, out);
  }

 private:
  const Situation& situation_;
  FastDynamics fast_;
};

}  // namespace dyn
