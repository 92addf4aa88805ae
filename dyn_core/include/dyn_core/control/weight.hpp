// What an arm weighs on its own joints: whether its drives can carry it, and what it is asked to carry.
#pragma once

#include "dyn_core/export.hpp"
#include "dyn_core/solver.hpp"

namespace dyn {

struct WeightReport {
  double held =
      1.0;  ///< share of the postures looked at in which no joint is beyond its effort limit
  Index joint = 0;     ///< the coordinate that gravity loads most for its limit
  double share = 0.0;  ///< its largest gravity torque, as a share of the limit
};

/// Over postures spread evenly within the joints' limits, always the same ones. `effort` may be infinite.
/// The error is a sentence, for a payload with which the arm cannot be held in any of them.
DYN_CORE_EXPORT [[nodiscard]] Result<WeightReport> weight_on(const ChainPtr& chain,
                                                             const VecXd& effort,
                                                             const RigidBody& payload,
                                                             const Vec3d& gravity);

/// What a user should know of it; empty where every posture can be held.
DYN_CORE_EXPORT [[nodiscard]] std::string warning_of(const Chain& chain,
                                                     const WeightReport& report);

}  // namespace dyn
