#include "dyn_core/status.hpp"

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
  }
  return "unknown status";
}

}  // namespace dyn
