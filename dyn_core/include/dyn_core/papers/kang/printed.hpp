// What Kang prints in figures.
#pragma once

#include "dyn_core/math/counted.hpp"
#include "dyn_core/math/types.hpp"

namespace dyn::kang {

/// I* with the kinematics.
constexpr PrintedCount inertia_count(double n) {
  return {6.5 * n * n + 144.5 * n - 171, 4.5 * n * n + 121.5 * n - 136};
}
/// I* and P*.
constexpr PrintedCount inertia_power_count(double n) {
  return {3 * n * n * n + 11 * n * n + 129 * n - 171,
          (23 * n * n * n + 39 * n * n + 691 * n - 828) / 6};
}

}  // namespace dyn::kang
