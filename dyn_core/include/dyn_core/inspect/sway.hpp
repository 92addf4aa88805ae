// Sway: a smooth motion of all joints within their limits that goes on for ever; something to look
// at.
#pragma once

#include "dyn_core/base/export.hpp"
#include "dyn_core/motion/trajectory.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn::inspect {

struct SwayOptions {
  double amplitude =
      0.4;              ///< share of each joint's range, 0 … 1; of a continuous joint's half turn
  double speed = 0.3;   ///< share of each joint's velocity limit never exceeded, 0 … 1
  double period = 6.0;  ///< of the quickest joint, s; the others' are longer, none a multiple
  double ramp = 3.0;    ///< time in which the motion grows from rest, s
};

/// Starts at rest, at zero or the middle of the range where zero is out of reach. A joint without
/// limits is taken to reach 1 m or half a turn each way, at 1 m/s or 1 rad/s. The error names the
/// option that makes no sense.
DYN_CORE_EXPORT [[nodiscard]] Result<TrajectoryPtr> sway(const Chain& chain,
                                                         const SwayOptions& options = {});

}  // namespace dyn::inspect
