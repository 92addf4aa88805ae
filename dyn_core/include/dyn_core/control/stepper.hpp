// Stepper: the forward dynamics carried through time in fixed steps. The plant and the predictor both
// run on it.
//
// Smooth part:  q' = q̇, q̇' = FD(q, q̇, tau - f₋) by the chosen scheme, f₋ the friction of the last step.
// Dissipation:  damping d, Coulomb friction F and joint stops correct the smooth result q̇*, q*:
//   M (q̇⁺ - q̇*) = -h (f - f₋),   f_i = d_i (theta q̇⁺_i + (1-theta) q̇_i) + c_i,
//   c_i = F_i sign(q̇⁺_i), or any |c_i| <= F_i that gives q̇⁺_i = 0,   M at the middle of the step,
//   q⁺ = q* + h/2 (q̇⁺ - q̇*).
// At a stop f_i also holds what keeps q̇⁺_i from pointing outward. The equation is solved row by row
// (projected Gauss-Seidel), beginning with f₋. theta is 1/2, and 1 where h d_i (M⁻¹)_ii > 1, so that no
// damping, however strong, needs a smaller step. A joint that sticks does not creep, constant sliding
// friction is exact, damping is of second order in h. What a stop gave in a shorter step is taken over
// as an impulse, not as a force: the blow of an arrival, spread over a microsecond, is no force to go on
// with for a millisecond.
#pragma once

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/signals.hpp"
#include "dyn_core/solver.hpp"

namespace dyn {

enum class Scheme { kSemiImplicit, kMidpoint, kRungeKutta4 };
enum class Friction { kNone, kDamping, kFull };

struct StepperOptions {
  Scheme scheme = Scheme::kMidpoint;
  Friction friction = Friction::kNone;
  double friction_scale = 1.0;  ///< on damping and Coulomb friction of the chain
  bool stops = false;           ///< joint limits stop the joints, without rebound
  double max_step = 1e-3;       ///< s
  double tolerance = 1e-12;     ///< of velocities where friction or stops act, relative
  int most_sweeps = 100;        ///< over the joints to get there; bounds the time of a step
};

class DYN_CORE_EXPORT Stepper {
 public:
  Stepper(Solver solver, const StepperOptions& options);

  /// For payload, gravity and tip wrench. Its own friction stays off.
  [[nodiscard]] Solver& solver() noexcept { return solver_; }
  [[nodiscard]] const Solver& solver() const noexcept { return solver_; }

  /// Forgets the friction of the last step.
  void reset() noexcept;
  /// Moves `state` on by `duration` under constant torque. On a failure the state is what was reached
  /// before it. No allocation.
  Status advance(JointState& state, VecIn<double> torque, double duration) noexcept;

 private:
  Status smooth_step(const JointState& from, VecIn<double> torque, double h) noexcept;
  Status runge_kutta(const JointState& from, VecIn<double> torque, double h) noexcept;
  Status dissipate(const JointState& from, double h) noexcept;
  void take_over_friction(const JointState& from, double h) noexcept;
  void sweep(const JointState& from, double h) noexcept;
  [[nodiscard]] bool at_stop() const noexcept;

  Solver solver_;
  StepperOptions options_;
  VecXd damping_, coulomb_, lower_, upper_;
  JointState next_, mid_;                         // the result of a step; an inner stage
  VecXd a1_, a2_, a3_, a4_;                       // accelerations of the stages
  VecXd v2_, v3_;                                 // velocities of the inner stages
  VecXd driving_, friction_, smooth_, velocity_;  // tau - f₋, f, q̇*, q̇⁺
  MatXd M_inverse_;
  bool dissipates_ = false;
  double last_step_ = 0.0;  // in which friction_ acted, s
};

}  // namespace dyn
