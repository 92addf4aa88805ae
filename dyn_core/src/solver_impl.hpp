// What a Solver holds. Internal to dyn_core.
#pragma once

#include <memory>
#include <vector>

#include "dyn_core/fast/fast_dynamics.hpp"
#include "dyn_core/fast/generated.hpp"
#include "dyn_core/papers/kang/inertia_power.hpp"
#include "dyn_core/papers/kozlowski_1995/diagonalized.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/solver.hpp"

namespace dyn {

struct Solver::Impl {
  Impl(ChainPtr chain_in, Algorithms names)
      : chain(std::move(chain_in)),
        algorithms(std::move(names)),
        model(chain),
        kinematics(chain),
        joint_positions(model.size()),
        joint_rates(model.size()),
        joint_accelerations(model.size()),
        joint_torques(model.size()),
        joint_matrix(model.size(), model.size()),
        poses(static_cast<std::size_t>(model.size())),
        M(chain->dof(), chain->dof()),
        C(M),
        U(M),
        D(chain->dof()),
        torque(chain->dof()),
        zero(VecXd::Zero(chain->dof())),
        generated_M(M),
        jacobian(6, chain->dof()),
        diagonalized(model),
        power(model) {
    if (!chain->has_mimic()) return;
    const auto n = static_cast<std::size_t>(model.size());
    joint_power.assign(n, MatXd(model.size(), model.size()));
  }

  [[nodiscard]] Index dof() const { return chain->dof(); }
  [[nodiscard]] bool fits(VecIn<double> v) const { return v.size() == dof(); }
  [[nodiscard]] bool fits_square(const MatOut<double>& m) const {
    return m.rows() == dof() && m.cols() == dof();
  }

  // Coordinates to joints and back; a mimic joint adds to the row of its master.
  void spread(VecIn<double> rates, VecXd& out) const;
  void gather(const VecXd& joint_values, VecOut<double> out) const;
  void gather(const MatXd& joint_values, MatOut<double> out) const;

  void make_fast();
  /// Empty, or what stands against the use of generated code where it is asked for.
  std::string use_generated();
  /// Whether the function is there and the model still that of the code.
  template <class Function>
  [[nodiscard]] bool applies(Function function) const {
    return function != nullptr && model.revision() == generated_revision;
  }
  Status fast_torque(VecIn<double> q, VecIn<double> qd, VecIn<double> qdd, VecOut<double> tau);
  Status fast_acceleration(VecIn<double> q, VecIn<double> qd, VecIn<double> tau,
                           VecOut<double> qdd);
  Status generated_matrix(VecIn<double> q, MatOut<double> out);
  Status generated_bias(VecIn<double> q, VecIn<double> qd, VecOut<double> tau);
  /// Under `torque`.
  Status generated_acceleration(VecIn<double> q, VecIn<double> qd, VecOut<double> qdd);
  void model_changed() noexcept;
  /// Of the right size and finite.
  [[nodiscard]] Status check(VecIn<double> q) const {
    if (!fits(q)) return Status::kWrongSize;
    return q.allFinite() ? Status::kOk : Status::kNotFinite;
  }
  Status set_configuration(VecIn<double> q);
  void add_armature(MatOut<double> out) const;
  void friction(VecIn<double> qd, VecOut<double> out) const;
  void external_torque(VecIn<double> q, VecOut<double> out);
  // The following refer to the configuration set last.
  void mass_matrix_here(MatOut<double> out);
  void torque_here(const Vec3d& gravity, VecIn<double> qd, VecIn<double> qdd, VecOut<double> out);
  Status quasi_by_recursion(VecIn<double> qd, VecIn<double> tau, Quasi& out);
  void mass_matrix_rate(VecIn<double> qd);
  Status quasi_with_mimics(VecIn<double> qd, VecIn<double> tau, Quasi& out);
  Status factor_here(MatOut<double> factor, VecOut<double> diagonal);
  Status solve_with_mimics(VecIn<double> qd, VecIn<double> tau, VecOut<double> qdd);

  ChainPtr chain;
  Algorithms algorithms;
  Model model;
  Kinematics<double> kinematics;
  std::unique_ptr<MassMatrixAlgorithm<double>> mass_matrix;
  std::unique_ptr<InverseDynamicsAlgorithm<double>> inverse_dynamics;
  std::unique_ptr<ForwardDynamicsAlgorithm<double>> forward_dynamics;
  std::unique_ptr<CoriolisAlgorithm<double>> coriolis;
  // Where `fast` was chosen and no mimic joint is on the chain: the whole query at once.
  std::unique_ptr<FastDynamics> fast;
  FastDynamics* fast_mass_matrix = nullptr;
  FastDynamics* fast_inverse_dynamics = nullptr;
  FastDynamics* fast_forward_dynamics = nullptr;
  FastDynamics* fast_coriolis = nullptr;
  // Where `generated` was chosen: for the model as it was then.
  GeneratedDynamics generated;
  std::uint64_t generated_revision = 0;
  Wrench wrench;
  bool has_wrench = false;
  bool has_friction = false;

  VecXd joint_positions, joint_rates, joint_accelerations, joint_torques;
  MatXd joint_matrix;
  std::vector<JointPose<double>> poses;
  MatXd M, C, U;
  VecXd D, torque, zero;
  MatXd generated_M;
  MatXd jacobian;
  DiagonalizedDynamics<double> diagonalized;
  InertiaPower<double> power;
  std::vector<MatXd> joint_power;  // of chains with mimic joints
};

template <class Derived>
[[nodiscard]] Status finite(const Eigen::MatrixBase<Derived>& values) {
  return values.allFinite() ? Status::kOk : Status::kNotFinite;
}

}  // namespace dyn
