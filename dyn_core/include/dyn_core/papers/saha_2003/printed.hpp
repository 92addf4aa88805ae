// What Saha 2003 prints in figures.
#pragma once

#include "dyn_core/math/counted.hpp"
#include "dyn_core/math/types.hpp"

namespace dyn::saha {

/// Table I, forward dynamics in O(n), without the bias torque.
constexpr PrintedCount forward_dynamics_count(double n) { return {191 * n - 284, 187 * n - 325}; }
/// Table I, Walker and Orin's row.
constexpr PrintedCount walker_orin_count(double n) {
  const double cube = n * n * n, square = n * n;
  return {(cube + 69 * square + 230 * n - 282) / 6, (cube + 42 * square + 233 * n - 276) / 6};
}

}  // namespace dyn::saha
