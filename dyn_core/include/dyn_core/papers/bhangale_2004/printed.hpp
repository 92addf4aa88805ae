// What Bhangale 2004 prints in figures.
#pragma once

#include "dyn_core/math/counted.hpp"
#include "dyn_core/math/types.hpp"

namespace dyn::bhangale {

/// Table II, the GIM, and that of a planar arm, section 3.2.1.
constexpr PrintedCount gim_count(double n) {
  return {11 * n * n + 42 * n - 18, 7 * n * n + 44 * n - 18};
}
constexpr PrintedCount planar_gim_count(double n) {
  return {3.5 * n * n + 11.5 * n - 7, 2 * n * n + 9 * n - 7};
}
/// Table II, the MCI on top of the GIM, and that of a planar arm.
constexpr PrintedCount mci_count(double n) {
  return {14 * n * n + 22 * n + 4, 13.5 * n * n + 55.5 * n - 65.5};
}
constexpr PrintedCount planar_mci_count(double n) {
  return {7 * n * n + 13 * n + 4, 4 * n * n + 13 * n + 2};
}

}  // namespace dyn::bhangale
