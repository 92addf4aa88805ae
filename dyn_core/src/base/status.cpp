#include "dyn_core/base/status.hpp"

namespace dyn {

const char* to_string(Status status) noexcept {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kWrongSize:
      return "an argument has the wrong size";
    case Status::kNotFinite:
      return "a value is not finite";
    case Status::kSingular:
      return "the mass matrix is not positive definite";
    case Status::kUnsupported:
      return "the chosen algorithm cannot do this for this chain";
    case Status::kNoInertia:
      return "links of the chain have no inertia";
    case Status::kOverspeed:
      return "a joint moved, or was to move, faster than it may";
    case Status::kTrackingError:
      return "a joint or the tip was further from its reference than it may be";
    case Status::kOscillation:
      return "a torque went from limit to limit over and over";
    case Status::kMissing:
      return "the joint states have no velocities or efforts of every joint";
  }
  return "unknown status";
}

}  // namespace dyn
