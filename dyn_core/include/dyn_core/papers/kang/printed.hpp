// What Kang prints in figures.
#pragma once

#include <array>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/math/types.hpp"

namespace dyn::kang {

/// STEP 1-7 of section 4.2, one by one.
constexpr std::array<PrintedCount, 7> step_counts(double n) {
  const double n2 = n * n, n3 = n2 * n;
  return {{{51 * n - 87, 39 * n - 66},
           {84 * n - 84, 70 * n - 70},
           {3 * n2 - 3 * n, 2 * n2 + 4 * n},
           {3.5 * n2 + 12.5 * n, 2.5 * n2 + 8.5 * n},
           {6 * n2 - 12 * n, 3 * n2 - 3 * n - 2},
           {3 * n3 - 1.5 * n2 - 3.5 * n, 2 * n3 - 3 * n},
           {0, (11 * n3 - 6 * n2 + 4 * n) / 6}}};
}
/// I* with the kinematics, STEP 1-4.
constexpr PrintedCount inertia_count(double n) {
  return {6.5 * n * n + 144.5 * n - 171, 4.5 * n * n + 121.5 * n - 136};
}
/// I* and P*, STEP 1-7.
constexpr PrintedCount inertia_power_count(double n) {
  return {3 * n * n * n + 11 * n * n + 129 * n - 171,
          (23 * n * n * n + 39 * n * n + 691 * n - 828) / 6};
}
/// P* alone: the same without the elements of I*, 7 M and 5 A each for i ≤ k. The rest of STEP 4, [III^k] g_k
/// at 9 M and 6 A, is needed for (27).
constexpr PrintedCount power_count(double n) {
  const PrintedCount both = inertia_power_count(n);
  const double elements = 0.5 * (n * n + n);
  return {both.multiplications - 7 * elements, both.additions - 5 * elements};
}
/// What the paper prints as the value of that for n = 6; the formula gives 1615 A.
constexpr PrintedCount kInertiaPowerOfSix = {1647, 1715};
/// Abstract and conclusion, n = 6: this algorithm, twice; the older one [10]; Li's [4]; the share saved.
constexpr double kModifiedOperations = 3362, kModifiedOperationsConcluded = 3363;
constexpr double kOlderOperations = 5995, kLiOperations = 2528, kSaving = 0.44;

/// Independent elements, section 3: of I*, of P_1* alone, and of each of P_1*, P_2*, P_3*.
constexpr double inertia_elements(double n) { return 0.5 * (n * n + n); }
constexpr double first_power_elements(double n) { return (n * n * n - n) / 3; }
constexpr double power_elements(double n) { return (2 * n * n * n + 3 * n * n + n) / 6; }

}  // namespace dyn::kang
