// Whole queries by registered algorithms, the papers' and whoever else's, of any chain. Internal to dyn_core.
#pragma once

#include <memory>
#include <vector>

#include "dyn_core/papers/kang/inertia_power.hpp"
#include "dyn_core/papers/kozlowski_1995/diagonalized.hpp"
#include "dyn_core/robot/derivatives.hpp"
#include "queries.hpp"

namespace dyn {

class PapersQueries final : public Queries {
 public:
  explicit PapersQueries(Situation& situation);
  /// Makes the algorithms of these names; an empty one is left out, and with it what rests on it. Empty, or
  /// the sentence that says which names there are.
  [[nodiscard]] std::string make(const Algorithms& names);

  Status mass_matrix(const Posture& at, MatOut<double> M) noexcept override;
  Status mass_matrix_inverse(const Posture& at, MatOut<double> M_inverse) noexcept override;
  Status factor(const Posture& at, MatOut<double> U, VecOut<double> D) noexcept override;
  Status coriolis_matrix(const Posture& at, VecIn<double> qd, MatOut<double> C) noexcept override;
  Status coriolis_torque(const Posture& at, VecIn<double> qd, VecOut<double> tau) noexcept override;
  Status gravity_torque(const Posture& at, VecOut<double> tau) noexcept override;
  Status bias_torque(const Posture& at, VecIn<double> qd, VecOut<double> tau) noexcept override;
  Status inverse_dynamics(const Posture& at, VecIn<double> qd, VecIn<double> qdd,
                          VecOut<double> tau) noexcept override;
  Status forward_dynamics(const Posture& at, VecIn<double> qd, VecIn<double> tau,
                          VecOut<double> qdd) noexcept override;
  Status inverse_dynamics_derivatives(const Posture& at, VecIn<double> qd, VecIn<double> qdd,
                                      MatOut<double> dq, MatOut<double> dqd,
                                      MatOut<double> dqdd) noexcept override;
  Status forward_dynamics_derivatives(const Posture& at, VecIn<double> qd, VecIn<double> tau,
                                      MatOut<double> dq, MatOut<double> dqd,
                                      MatOut<double> dtau) noexcept override;

  // What only the papers' algorithms answer, whatever the others are.
  Status quasi(const Posture& at, VecIn<double> qd, VecIn<double> tau, Quasi& out);
  Status inertia_power(const Posture& at, std::span<MatXd> P);

 private:
  [[nodiscard]] bool has_mimic() const { return situation_.chain().has_mimic(); }
  // Coordinates to joints and back; a mimic joint adds to the row of its master.
  void spread(VecIn<double> rates, VecXd& out) const;
  void gather(const VecXd& joint_values, VecOut<double> out) const;
  void gather(const MatXd& joint_values, MatOut<double> out) const;

  void make_dual(const Algorithms& names);
  Status stand(const Posture& at);
  // The following refer to the posture stood in last.
  void mass_matrix_here(MatOut<double> out);
  void add_armature(MatOut<double> out) const;
  void torque_here(const Vec3d& gravity, VecIn<double> qd, VecIn<double> qdd, VecOut<double> out);
  Status factor_here(MatOut<double> U, VecOut<double> D);
  Status solve_with_mimics(VecIn<double> qd, VecIn<double> tau, VecOut<double> qdd);
  void torque_derivatives_here(const Posture& at, VecIn<double> qd, VecIn<double> qdd,
                               MatOut<double>& dq, MatOut<double>& dqd, MatOut<double>& dqdd);
  Status derivatives_with_mimics(const Posture& at, VecIn<double> qd, MatOut<double>& dq,
                                 MatOut<double>& dqd, MatOut<double>& dtau);
  void mass_matrix_rate(VecIn<double> qd);
  Status quasi_by_recursion(VecIn<double> qd, VecIn<double> tau, Quasi& out);
  Status quasi_with_mimics(VecIn<double> qd, VecIn<double> tau, Quasi& out);

  Situation& situation_;
  const Model& model_;
  std::unique_ptr<MassMatrixAlgorithm<double>> mass_matrix_;
  std::unique_ptr<InverseDynamicsAlgorithm<double>> inverse_dynamics_;
  std::unique_ptr<ForwardDynamicsAlgorithm<double>> forward_dynamics_;
  std::unique_ptr<CoriolisAlgorithm<double>> coriolis_;
  // The same two on Dual; the first registered where a program's own algorithm is for double only.
  std::unique_ptr<InverseDynamicsAlgorithm<Dual>> dual_inverse_dynamics_;
  std::unique_ptr<ForwardDynamicsAlgorithm<Dual>> dual_forward_dynamics_;
  DualDerivatives derivatives_;
  DiagonalizedDynamics<double> diagonalized_;
  InertiaPower<double> power_;

  std::vector<JointPose<double>> poses_;
  Joints<double> joints_;
  VecXd joint_positions_, joint_rates_, joint_accelerations_, joint_torques_;
  MatXd joint_matrix_;
  MatXd joint_derivatives_[3];  // where there are Dual algorithms
  MatXd M_, C_, U_;
  VecXd D_, torque_, acceleration_, zero_;
  std::vector<MatXd> joint_power_;  // of chains with mimic joints
};

}  // namespace dyn
