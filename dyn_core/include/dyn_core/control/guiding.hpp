// Guiding by hand: what the law `gravity` adds to the torque that carries the arm.
//
//   tau = g(q) + c + a f(q̇) - D q̇ + w(q, q̇)                                                    (1)
//   c = C q̇ - M q̇ (q̇ᵀ C q̇)/(q̇ᵀ M q̇)                                                          (2)
//   a f_i = share f_i(q̇_i) |q̇_i| / sqrt(q̇_i² + v²)                                             (3)
//   w_i = -max(k x + d ẋ, 0), x > 0: how deep joint i is in its wall                            (4)
// f is the model's friction. C q̇ as a whole would keep q̈ at zero, and with that speed an arm that is
// pushed into a posture of more inertia gains energy from nothing; (2) is C q̇ without its power,
// q̇ᵀ c = 0, by whatever model: left alone the arm goes on straight in joint space with the energy it
// has. (3) is never more than what is there, whatever the delay, since |a f| <= f. With the storage
// E = ½ q̇ᵀ M q̇ + Σ ½ k x² the arm takes no more than what the hand gives:
//   E' <= q̇ᵀ tau_hand - q̇ᵀ D q̇ - (1 - a) q̇ᵀ f <= q̇ᵀ tau_hand.                                  (5)
// D, k and d are bounded by the inertia that a joint has at least, so that sampling and delay leave them
// dissipative.
#pragma once

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/signals.hpp"
#include "dyn_core/solver.hpp"

namespace dyn {

/// A damper that answers T late is at most so much inertia / T strong.
inline constexpr double kBrakeShare = 0.25;

struct DYN_CORE_EXPORT GuidingParameters {
  double friction_share = 0.7;  ///< of the model's friction, 0 … 1
  double assist_speed = 0.05;   ///< v of (3): below it the assist fades, rad/s or m/s
  VecXd damping;                ///< D, N m s/rad or N s/m
  VecXd wall_margin;  ///< the wall begins so far before a position limit, rad or m; zero: none
  /// The observer's estimate is let in with this time constant, s, so that the arm does not drift with
  /// wrong masses; faster in the first half second, when no hand should be on the arm; zero: not at all.
  double bias_time = 0.0;
  double bias_share = 0.3;  ///< and up to this share of the model's gravity torque of each joint
  double bias_speed = 0.3;  ///< hardly while the arm moves faster: then it is a hand, rad/s or m/s

  /// Walls of 0.1 rad and 0.02 m; damping that takes a tenth of the effort at the velocity limit.
  explicit GuidingParameters(const Chain& chain);
};

/// Springs and dampers before the position limits.
struct DYN_CORE_EXPORT JointWalls {
  VecXd lower, upper;  ///< where they begin; infinite: none
  VecXd stiffness, wall_damping;
  VecXd damping;  ///< D, bounded

  explicit JointWalls(Index dof);
  /// Adds -D q̇ and (4).
  void add(const JointState& state, VecXd& torque) const noexcept;
  /// Σ ½ k x², J.
  [[nodiscard]] double stored(const JointState& state) const noexcept;
};

/// `fastest`, 1/s, is how fast a damper may be. Walls give half the effort where they end.
DYN_CORE_EXPORT [[nodiscard]] Result<JointWalls> make_walls(Solver& solver,
                                                            const GuidingParameters& parameters,
                                                            const VecXd& effort, double fastest);

}  // namespace dyn
