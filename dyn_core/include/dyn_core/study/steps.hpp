// Multiplications and additions step by step, where a paper counts them so: of the code that runs, taken
// apart into the paper's steps.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/math/counted.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn {

struct StepCount {
  std::string_view quantity;   ///< as in AlgorithmCount, or inertia_power: M and P together
  std::string_view algorithm;  ///< as in AlgorithmCount
  std::string_view table;      ///< the paper's name for the list of its steps
  std::string_view step;
  OperationCount measured;
  std::optional<PrintedCount> paper;  ///< of the same kind of arm; none where the paper has none
};

inline constexpr Index kFewestLinksWithSteps = 3;

/// Every step of an arm of at least kFewestLinksWithSteps joints; the steps of an algorithm add up to its
/// count. The papers' figures stand beside a general count of revolute joints.
DYN_CORE_EXPORT [[nodiscard]] std::vector<StepCount> count_steps(const ChainPtr& chain,
                                                                 CountingRule rule);
/// The same of the kinds of arms that the papers count, n revolute joints each: general, planar (Bhangale's
/// Table II), right-angled and customised (Kozłowski's column 2).
DYN_CORE_EXPORT [[nodiscard]] std::vector<StepCount> count_steps(Index n);

/// Kang's STEP 1 to 7, M and P together.
using KangSteps = std::array<OperationCount, 7>;
DYN_CORE_EXPORT [[nodiscard]] KangSteps count_kang_steps(const ChainPtr& chain, CountingRule rule);

/// Saha's section 3. What the code does for joints 1 and 2 in another way than for the others is in no step.
struct SahaSteps {
  OperationCount A3, A6, A7, A8, A9, A10, B, C1, C2, C3, first_two;

  [[nodiscard]] OperationCount sum() const {
    return A3 + A6 + A7 + A8 + A9 + A10 + B + C1 + C2 + C3 + first_two;
  }
};
DYN_CORE_EXPORT [[nodiscard]] SahaSteps count_saha_steps(const ChainPtr& chain, CountingRule rule);

/// The recursions of Kozłowski's Tab. 2, one by one; `root` is D^½.
struct KozlowskiSteps {
  OperationCount P, G, V_plus, V, z, b, lambda, root, xi, epsilon, kappa, y_nu, y_xi, nu_rate,
      xi_rate;

  [[nodiscard]] OperationCount common() const { return P + G + V_plus + V + z + b + lambda; }
  [[nodiscard]] OperationCount normalized_part() const {
    return root + xi + epsilon + y_nu + nu_rate;
  }
  [[nodiscard]] OperationCount unnormalized_part() const {
    return root + xi + kappa + y_xi + xi_rate;
  }
};
DYN_CORE_EXPORT [[nodiscard]] KozlowskiSteps count_kozlowski_steps(const ChainPtr& chain,
                                                                   CountingRule rule);

/// Bhangale's steps 5(b) and 6(b) of Table I, in a plane of Table II; the others cost nothing as it runs.
struct BhangaleSteps {
  OperationCount composites, elements;
};
DYN_CORE_EXPORT [[nodiscard]] BhangaleSteps count_bhangale_steps(const ChainPtr& chain,
                                                                 CountingRule rule);

/// n revolute joints, all axes at right angles to the next or, in a plane, parallel.
enum class RightAngledArm { kSpatial, kPlanar };
DYN_CORE_EXPORT [[nodiscard]] ChainPtr right_angled_arm(Index n, RightAngledArm kind);

}  // namespace dyn
