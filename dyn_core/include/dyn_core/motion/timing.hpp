// Timing: along a given path as fast as the arm's torques, speeds and accelerations allow.
//
// A path q(s) with its derivatives q' = dq/ds, q'' turns the equations of motion into one for each joint
//   tau = a u + b x + f √x + d,   x = ṡ², u = s̈,                                              (1)
//   a = M q',  b = M q'' + C(q, q') q',  f: viscous friction,  d: gravity and Coulomb friction;
// at rest, at both ends, the limits are kept without that friction, too.
// With x linear in s over a short step, x₊ = x + 2 Δ u, every limit is an interval of u. From the end
// backwards the largest x from which the rest of the path can still be kept within the limits, then from
// the start the largest u that stays below it: the fastest motion (reachability, as Pham & Pham 2018).
#pragma once

#include "dyn_core/base/export.hpp"
#include "dyn_core/motion/trajectory.hpp"
#include "dyn_core/robot/chain.hpp"
#include "dyn_core/solver.hpp"

namespace dyn {

struct DYN_CORE_EXPORT TimingLimits {
  // One per coordinate; infinite: none.
  VecXd velocity, acceleration, effort;

  /// The description's velocities and efforts, and no accelerations.
  explicit TimingLimits(const Chain& chain);
};

/// Steps of the path by default; more follow quicker turns of the limits.
inline constexpr Index kTimingSteps = 2000;

/// The error says where along `path`, at so many places, a joint is farthest beyond its position limits.
DYN_CORE_EXPORT [[nodiscard]] Result<void> within_position_limits(const Chain& chain,
                                                                  const Trajectory& path,
                                                                  Index steps = kTimingSteps);

/// `path` from rest to rest, its time a parameter of any kind; such as waypoints() with kNatural. Its shape
/// stays, and so do its positions, whatever their limits. The error says where the limits do not even let the arm stand.
DYN_CORE_EXPORT [[nodiscard]] Result<TrajectoryPtr> fastest(const ChainPtr& chain,
                                                            TrajectoryPtr path,
                                                            const TimingLimits& limits,
                                                            Index steps = kTimingSteps);
/// The same under the payload and gravity of `solver`.
DYN_CORE_EXPORT [[nodiscard]] Result<TrajectoryPtr> fastest(Solver solver, TrajectoryPtr path,
                                                            const TimingLimits& limits,
                                                            Index steps = kTimingSteps);

}  // namespace dyn
