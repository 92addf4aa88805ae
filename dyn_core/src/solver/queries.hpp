// Whole queries of one chain, from coordinates to the answer. There are three makers: the papers'
// algorithms, the fast kernels and generated code; a Solver picks one for each quantity when it is made.
// Internal to dyn_core.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "dyn_core/math/dual.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/solver.hpp"

namespace dyn {

/// What the makers of one solver share, and the solver changes.
struct Situation {
  explicit Situation(const ChainPtr& chain)
      : model(chain),
        kinematics_(chain),
        jacobian_(6, chain->dof()),
        dual_kinematics_(chain),
        dual_jacobian_(6, chain->dof()),
        dual_coordinates_(chain->dof()) {}

  [[nodiscard]] const Chain& chain() const { return model.chain(); }
  [[nodiscard]] Index dof() const { return chain().dof(); }
  [[nodiscard]] bool fits(VecIn<double> v) const { return v.size() == dof(); }
  [[nodiscard]] bool fits_square(const MatOut<double>& m) const {
    return m.rows() == dof() && m.cols() == dof();
  }
  /// Coordinates of the right size and finite, and given kinematics of this chain.
  [[nodiscard]] Status check(const Posture& at) const;
  /// tau += sign Jᵀ wrench, at a posture that was checked.
  void add_wrench(const Posture& at, double sign, VecOut<double> tau);
  /// out -= ∂(Jᵀ wrench)/∂q, likewise.
  void subtract_wrench_derivative(const Posture& at, MatOut<double> out);

  Model model;
  Wrench wrench;
  bool has_wrench = false;

 private:
  Kinematics<double> kinematics_;
  MatXd jacobian_;
  Kinematics<Dual> dual_kinematics_;
  MatX<Dual> dual_jacobian_;
  VecX<Dual> dual_coordinates_;
};

/// Armature, mimic joints and the tip wrench are dealt with inside, and so are wrong sizes and numbers
/// that are not finite.
class Queries {
 public:
  virtual ~Queries() = default;

  virtual void model_changed() noexcept {}
  virtual void wrench_changed() noexcept {}

  virtual Status mass_matrix(const Posture& at, MatOut<double> M) noexcept = 0;
  virtual Status mass_matrix_inverse(const Posture& at, MatOut<double> M_inverse) noexcept = 0;
  virtual Status factor(const Posture& at, MatOut<double> U, VecOut<double> D) noexcept = 0;
  virtual Status coriolis_matrix(const Posture& at, VecIn<double> qd,
                                 MatOut<double> C) noexcept = 0;
  virtual Status coriolis_torque(const Posture& at, VecIn<double> qd,
                                 VecOut<double> tau) noexcept = 0;
  virtual Status gravity_torque(const Posture& at, VecOut<double> tau) noexcept = 0;
  virtual Status bias_torque(const Posture& at, VecIn<double> qd, VecOut<double> tau) noexcept = 0;
  virtual Status inverse_dynamics(const Posture& at, VecIn<double> qd, VecIn<double> qdd,
                                  VecOut<double> tau) noexcept = 0;
  virtual Status forward_dynamics(const Posture& at, VecIn<double> qd, VecIn<double> tau,
                                  VecOut<double> qdd) noexcept = 0;
  virtual Status inverse_dynamics_derivatives(const Posture& at, VecIn<double> qd,
                                              VecIn<double> qdd, MatOut<double> dq,
                                              MatOut<double> dqd, MatOut<double> dqdd) noexcept = 0;
  virtual Status forward_dynamics_derivatives(const Posture& at, VecIn<double> qd,
                                              VecIn<double> tau, MatOut<double> dq,
                                              MatOut<double> dqd, MatOut<double> dtau) noexcept = 0;
};

template <class Derived>
[[nodiscard]] Status finite(const Eigen::MatrixBase<Derived>& values) {
  return values.allFinite() ? Status::kOk : Status::kNotFinite;
}

/// The name of the algorithm that generated code is.
inline constexpr std::string_view kGenerated = "generated";
/// Empty, or what stands against the use of generated code for the quantities of `names` that ask for it.
[[nodiscard]] std::string objection_to_generated(const ChainPtr& chain, const Algorithms& names);
/// Where nothing stands against it. `others` answer what the code does not.
[[nodiscard]] std::unique_ptr<Queries> make_generated_queries(Situation& situation,
                                                              Queries& others);

}  // namespace dyn
