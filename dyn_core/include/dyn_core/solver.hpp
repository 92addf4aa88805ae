// Solver: every dynamic quantity of one chain, each by an algorithm chosen by name.
//
// A solver owns the shared Chain, a Model with the payload and gravity of the moment, and the
// workspaces of its algorithms. Make one per thread. Queries allocate nothing, throw nothing, lock
// nothing; vectors are over the generalized coordinates (chain().dof() of them, joint order base to
// tip); a posture is a vector of them, or Kinematics that were updated with it; and M q̈ + C(q,q̇) q̇ + g(q) + friction(q̇) = tau + Jᵀ wrench.
#pragma once

#include <memory>
#include <string>

#include "dyn_core/base/export.hpp"
#include "dyn_core/base/status.hpp"
#include "dyn_core/robot/algorithm.hpp"
#include "dyn_core/robot/chain.hpp"
#include "dyn_core/robot/dynamics.hpp"
#include "dyn_core/robot/kinematics.hpp"

namespace dyn {

/// Names from registry.hpp. An empty name leaves the choice to the solver: `fast`, or gdahj, rnea, cholesky
/// and mci where mimic joints on the chain rule it out. `generated` is the code of `dyn generate` compiled
/// into the program (fast/generated.hpp); not for coriolis.
struct Algorithms {
  std::string mass_matrix = {};
  std::string inverse_dynamics = {};
  std::string forward_dynamics = {};
  std::string coriolis = {};
};

/// Force (N) and torque (N m) that act on the tip link at its origin, in the base link frame.
struct Wrench {
  Vec3d force = Vec3d::Zero();
  Vec3d torque = Vec3d::Zero();
};

/// Width of the smoothed step of Coulomb friction, rad/s or m/s.
inline constexpr double kFrictionVelocity = 1e-3;

/// The diagonalized quantities of one state: M = U D Uᵀ = m mᵀ, nu = mᵀ q̇, xi = Uᵀ q̇,
/// nu' + coriolis_nu + gravity_nu = epsilon, D xi' + coriolis_xi + gravity_xi = kappa. Rates are those of
/// the motion that `tau` alone gives, without tip wrench and friction.
struct DYN_CORE_EXPORT Quasi {
  VecXd nu, xi, coriolis_nu, coriolis_xi, gravity_nu, gravity_xi, epsilon, kappa;
  MatXd U, mass_factor, mass_factor_rate;
  VecXd D, pivot_rate;     ///< of U D Uᵀ, and the rate of D
  VecXd nu_rate, xi_rate;  ///< nu', xi'

  explicit Quasi(Index dof);
};

/// x' = f(x, τ), x = (q, q̇), near one state: δx' = A δx + B δτ, or over a time step δx_k+1 = A δx_k + B δτ_k.
struct DYN_CORE_EXPORT Linearization {
  MatXd A, B;  ///< 2 dof x 2 dof, 2 dof x dof

  explicit Linearization(Index dof);
  /// From continuous to discrete time: δτ is held for `step` seconds. No allocation.
  void discretize(double step) noexcept;

 private:
  MatXd power_, integral_, next_;
};

/// What becomes of a chain without dynamics: an error of make, or every query that needs inertia returns
/// kNoInertia.
enum class Inertia { kNeeded, kIfThere };

class DYN_CORE_EXPORT Solver {
 public:
  /// Up to 2000 joints. The error says what an algorithm cannot do, which names there are, or which links
  /// have no inertia.
  [[nodiscard]] static Result<Solver> make(ChainPtr chain, const Algorithms& algorithms = {},
                                           Inertia inertia = Inertia::kNeeded);

  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  [[nodiscard]] const Chain& chain() const;
  [[nodiscard]] const ChainPtr& chain_ptr() const;
  /// The names in use, none of them empty.
  [[nodiscard]] const Algorithms& algorithms() const;
  [[nodiscard]] Index dof() const { return chain().dof(); }

  /// Carried at the tip link, in its frame, on top of the robot description.
  void set_payload(const RigidBody& payload) noexcept;
  /// In the base link frame, m/s².
  void set_gravity(const Vec3d& gravity) noexcept;
  void set_armature(Index joint, double armature) noexcept;
  /// Acts in inverse_dynamics and forward_dynamics until changed.
  void set_tip_wrench(const Wrench& wrench) noexcept;
  /// Whether the joints' damping and Coulomb friction act in inverse_dynamics and forward_dynamics;
  /// off at first.
  void set_friction(bool enabled) noexcept;

  Status mass_matrix(const Posture& at, MatOut<double> M) noexcept;
  Status mass_matrix_inverse(const Posture& at, MatOut<double> M_inverse) noexcept;
  /// M = U D Uᵀ, U unit upper triangular.
  Status factor(const Posture& at, MatOut<double> U, VecOut<double> D) noexcept;
  Status coriolis_matrix(const Posture& at, VecIn<double> qd, MatOut<double> C) noexcept;
  /// C(q, q̇) q̇.
  Status coriolis_torque(const Posture& at, VecIn<double> qd, VecOut<double> tau) noexcept;
  Status gravity_torque(const Posture& at, VecOut<double> tau) noexcept;
  /// C(q, q̇) q̇ + g(q).
  Status bias_torque(const Posture& at, VecIn<double> qd, VecOut<double> tau) noexcept;
  /// Damping and Coulomb friction, as a torque that the drive must add. Coulomb friction rises smoothly
  /// within about kFrictionVelocity of standstill.
  Status friction_torque(VecIn<double> qd, VecOut<double> tau) noexcept;
  Status inverse_dynamics(const Posture& at, VecIn<double> qd, VecIn<double> qdd,
                          VecOut<double> tau) noexcept;
  Status forward_dynamics(const Posture& at, VecIn<double> qd, VecIn<double> tau,
                          VecOut<double> qdd) noexcept;
  /// Mass matrix, its factors, Coriolis and gravity torques and the frames at once; with `fast` mass
  /// matrix and inverse dynamics for little more than the dearest of them.
  Status dynamics(const Posture& at, VecIn<double> qd, Dynamics& out) noexcept;
  // Derivatives, exact: row i is the derivative of element i. With `fast` in O(n²); otherwise each algorithm's own
  // text on Dual (robot/derivatives.hpp). By the parameters of the bodies: Regressor (identify/regressor.hpp).
  /// Of inverse_dynamics, with all that acts in it, by q, q̇ and q̈.
  Status inverse_dynamics_derivatives(const Posture& at, VecIn<double> qd, VecIn<double> qdd,
                                      MatOut<double> dq, MatOut<double> dqd,
                                      MatOut<double> dqdd) noexcept;
  /// Of forward_dynamics by q, q̇ and τ.
  Status forward_dynamics_derivatives(const Posture& at, VecIn<double> qd, VecIn<double> tau,
                                      MatOut<double> dq, MatOut<double> dqd,
                                      MatOut<double> dtau) noexcept;
  /// Of inverse_dynamics by the gravity vector (dof x 3) and by the wrench at the tip (dof x 6: force, torque), both
  /// in the base link frame. Those of forward_dynamics are -M⁻¹ times these.
  Status load_derivatives(const Posture& at, MatOut<double> dgravity,
                          MatOut<double> dwrench) noexcept;
  /// M_q[k] = ∂M/∂q_k; one dof x dof matrix per coordinate.
  Status mass_matrix_derivatives(const Posture& at, std::span<MatXd> M_q) noexcept;
  Status gravity_torque_derivatives(const Posture& at, MatOut<double> dq) noexcept;
  Status coriolis_torque_derivatives(const Posture& at, VecIn<double> qd, MatOut<double> dq,
                                     MatOut<double> dqd) noexcept;
  /// Continuous; Linearization::discretize makes it discrete.
  Status linearize(const Posture& at, VecIn<double> qd, VecIn<double> tau,
                   Linearization& out) noexcept;
  Status quasi(const Posture& at, VecIn<double> qd, VecIn<double> tau, Quasi& out) noexcept;
  /// P_ijk as P[i](j, k) with torque i = Σ_jk P_ijk q̇_j q̇_k; one dof x dof matrix per joint.
  Status inertia_power(const Posture& at, std::span<MatXd> P) noexcept;
  Status kinetic_energy(const Posture& at, VecIn<double> qd, double& energy) noexcept;
  /// Zero where every centre of mass is at the base link's origin.
  Status potential_energy(const Posture& at, double& energy) noexcept;

 private:
  struct Impl;
  explicit Solver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn
