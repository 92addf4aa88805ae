// Limits on a torque command: effort, then rate of change.
#pragma once

#include "dyn_core/base/export.hpp"
#include "dyn_core/math/types.hpp"

namespace dyn {

enum class Saturation {
  kPerJoint,  ///< each joint is cut at its own limit
  kScaled,    ///< what accelerates the arm is scaled down together: it keeps its direction
};

struct TorqueLimits {
  VecXd effort;  ///< N m or N, per coordinate; infinite: none
  VecXd rate;    ///< N m/s or N/s, per coordinate; infinite: none
  Saturation saturation = Saturation::kScaled;
};

struct LimitReport {
  bool effort = false;          ///< an effort limit was met
  bool rate = false;            ///< a rate limit was met
  bool direction_lost = false;  ///< kScaled could not keep the direction
  double scale = 1.0;           ///< kScaled: share of the accelerating torque that was left
};

/// The command nearest to baseline + remainder within the limits.
///
/// kScaled gives baseline + s * remainder with the largest s in [0, 1] that fits. With the torques that
/// keep the arm going unaccelerated (gravity, Coriolis, friction) as the baseline, the remainder is
/// M a, and the arm accelerates by s a: along the wanted direction, carrying its weight in full. If the
/// baseline itself is beyond a limit, that joint is cut on its own and the direction is lost.
///
/// `gravity_by_hardware` is what the drives add to the command: command and sum are both kept within
/// the effort limits. `previous` is the last command and the command moves from there by at most
/// rate * dt. All vectors have one entry per coordinate; nothing is allocated. The result is within
/// the effort limits whenever `previous` is.
DYN_CORE_EXPORT [[nodiscard]] LimitReport limit_torque(
    const TorqueLimits& limits, const VecXd& baseline, const VecXd& remainder,
    const VecXd& gravity_by_hardware, const VecXd& previous, double dt, VecXd& command) noexcept;

}  // namespace dyn
