// What Safeea 2018 prints in figures.
#pragma once

#include "dyn_core/math/counted.hpp"
#include "dyn_core/math/types.hpp"

namespace dyn::safeea {

/// Table I, row GDAHJ: without the direct kinematics.
constexpr PrintedCount gdahj_count(double n) {
  return {3 * n * n + 88 * n - 3, 2.5 * n * n + 95.5 * n - 18};
}
/// Table I, row CRBA.
constexpr PrintedCount crba_count(double n) {
  return {10 * n * n + 22 * n - 32, 6 * n * n + 37 * n - 43};
}
/// Table I, row Symbolic-Numeric: the inertia matrix and the Coriolis matrix together.
constexpr PrintedCount symbolic_numeric_count(double n) {
  return {1.5 * n * n * n + 17.5 * n * n + 9 * n - 16,
          (7 * n * n * n + 69 * n * n + 128 * n - 168) / 6};
}
/// Table I, row RNEA, one call.
constexpr PrintedCount rnea_count(double n) { return {93 * n - 108, 81 * n - 100}; }
/// Algorithm 1 alone: two inner products and an addition for each element.
constexpr PrintedCount algorithm_1_count(double n) {
  return {3 * n * n + 3 * n, 2.5 * n * n + 2.5 * n};
}

}  // namespace dyn::safeea
