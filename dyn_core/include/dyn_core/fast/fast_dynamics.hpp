// FastDynamics: the dynamics of one chain as fast as the processor allows, for `double` and one state.
//
// Where the papers' algorithms go link by link, this goes eight joints at a time: only the product of the
// link rotations and the pivots of M = U D Uᵀ are sequential. Everything is expressed along the axes of
// the base link frame: composite inertias, velocities and forces are then plain sums over the joints, and
// each element of M, C and U is a product of six components. The kernels are compiled for several
// instruction sets; the best one that the processor has is chosen at run time.
//
// Joints, not coordinates: a chain with mimic joints needs the Solver around it. An object is its own work
// space: one for each thread, no allocation in its queries.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "dyn_core/base/export.hpp"
#include "dyn_core/robot/algorithm.hpp"
#include "dyn_core/robot/dynamics.hpp"
#include "dyn_core/robot/model.hpp"

namespace dyn {

/// Instruction sets that the kernels were compiled for and this processor has, from the slowest on.
DYN_CORE_EXPORT [[nodiscard]] std::span<const std::string_view> simd_targets();
/// Makes every FastDynamics and Batch made from now on use this one; an empty name leaves the choice to
/// each. False if it is none of simd_targets(). For tests and benchmarks; not for several threads.
DYN_CORE_EXPORT bool force_simd_target(std::string_view name);

class DYN_CORE_EXPORT FastDynamics {
 public:
  explicit FastDynamics(const Model& model);
  FastDynamics(FastDynamics&&) noexcept;
  FastDynamics& operator=(FastDynamics&&) noexcept;
  ~FastDynamics();

  /// The instruction set in use.
  [[nodiscard]] std::string_view target() const;
  /// After a change of payload, gravity or armature. `model` is of the same chain. No allocation.
  void set_model(const Model& model) noexcept;
  /// Acts on the tip link at its origin, in the base link frame; in inverse_dynamics and forward_dynamics.
  void set_tip_wrench(const Vec3d& force, const Vec3d& torque) noexcept;

  // Armature is part of all of them. kNotFinite where an input or a result is not finite.
  Status mass_matrix(VecIn<double> q, MatOut<double> M) noexcept;
  Status mass_matrix_inverse(VecIn<double> q, MatOut<double> M_inverse) noexcept;
  Status factor(VecIn<double> q, MatOut<double> U, VecOut<double> D) noexcept;
  /// By Christoffel's symbols: Ṁ - 2C is skew-symmetric.
  Status coriolis_matrix(VecIn<double> q, VecIn<double> qd, MatOut<double> C) noexcept;
  Status coriolis_torque(VecIn<double> q, VecIn<double> qd, VecOut<double> tau) noexcept;
  Status gravity_torque(VecIn<double> q, VecOut<double> tau) noexcept;
  /// C(q, q̇) q̇ + g(q).
  Status bias_torque(VecIn<double> q, VecIn<double> qd, VecOut<double> tau) noexcept;
  Status inverse_dynamics(VecIn<double> q, VecIn<double> qd, VecIn<double> qdd,
                          VecOut<double> tau) noexcept;
  Status forward_dynamics(VecIn<double> q, VecIn<double> qd, VecIn<double> tau,
                          VecOut<double> qdd) noexcept;
  Status dynamics(VecIn<double> q, VecIn<double> qd, Dynamics& out) noexcept;
  /// ∂τ/∂q, ∂τ/∂q̇ = 2 C and ∂τ/∂q̈ = M of inverse_dynamics.
  Status inverse_dynamics_derivatives(VecIn<double> q, VecIn<double> qd, VecIn<double> qdd,
                                      MatOut<double> dq, MatOut<double> dqd,
                                      MatOut<double> dqdd) noexcept;
  /// ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ = M⁻¹ of forward_dynamics.
  Status forward_dynamics_derivatives(VecIn<double> q, VecIn<double> qd, VecIn<double> tau,
                                      MatOut<double> dq, MatOut<double> dqd,
                                      MatOut<double> dtau) noexcept;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn
