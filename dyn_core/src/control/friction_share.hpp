// Coulomb friction has a step at zero velocity, which feedback must not have.
#pragma once

#include <cmath>

namespace dyn {

/// The share of the friction at speed `v` that is given, half of it and less below `width`; no step at zero.
inline double faded(double v, double width) noexcept {
  return width > 0.0 ? std::abs(v) / std::hypot(v, width) : 1.0;
}

}  // namespace dyn
