// The HTML page of `dyn identify`.
#pragma once

#include "common.hpp"
#include "dyn_core/identify/identify.hpp"

namespace dyn::tool {

/// What `after` and `held out` are of.
inline constexpr const char* kBeyondTheModel =
    "After and held out have offset, lag and Stribeck's friction in them, for which neither URDF "
    "nor controller has a place.";

/// What was identified, and how it does on samples that it has not seen.
struct IdentifyOutcome {
  ChainPtr described;
  Identified found;
  bool held_out = false;  ///< `shown` is a part of the log that a second fit has not seen
  Samples shown;
  MatXd measured, before, after;  ///< torques of `shown`
  std::vector<std::string> notes;
  double seconds = 0.0;
};

/// The body in the frame of its URDF link.
[[nodiscard]] RigidBody in_link_frame(const Chain& chain, Index link, const RigidBody& body);
/// Root mean squares of the columns.
[[nodiscard]] VecXd rms_of(const MatXd& signals);

[[nodiscard]] std::string identify_page(const IdentifyOutcome& outcome);

}  // namespace dyn::tool
