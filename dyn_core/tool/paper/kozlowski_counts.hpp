// What the recursions of Kozłowski's Tab. 2 execute as they run, one by one and in both columns.
#pragma once

#include <array>
#include <functional>
#include <utility>

#include "dyn_core/papers/kozlowski_1995/diagonalized.hpp"
#include "dyn_core/papers/kozlowski_1995/printed.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "dyn_core/study/steps.hpp"
#include "measure.hpp"

namespace dyn::tool::kozlowski_paper {

using kozlowski::Line, kozlowski::LineCount;

// Column 1 is counted by every operation executed; column 2 as the paper customises, by what is not zero
// in the whole class of arms.
inline constexpr std::array<CountingRule, 2> kRuleOfColumn = {CountingRule::kGeneral,
                                                              CountingRule::kCustomised};

// Column 2 in its dearer case: all axes at right angles to the next.
inline ChainPtr arm_of_column(std::size_t column, Index n) {
  return column == 0 ? random_chain(n, 5) : right_angled_arm(n, RightAngledArm::kSpatial);
}

// What the recursions of Tab. 2 execute, and beside them what section 6 compares with.
struct Stages : KozlowskiSteps {
  OperationCount components, inverse_dynamics;
};

inline Stages stages_of(std::size_t column, Index n) {
  const ChainPtr chain = arm_of_column(column, n);
  const CountingRule rule = kRuleOfColumn[column];
  const CountedArm arm(chain);
  DiagonalizedDynamics<Counted> dynamics(arm.model);
  (void)dynamics.update(arm.model, arm.joints());
  dynamics.set_rates(arm.rates);
  MatX<Counted> c(n, n);
  return {count_kozlowski_steps(chain, rule),
          CountedArm::count(rule, [&] { dynamics.coriolis_factor(c); }),
          count_operations(chain, rule, "inverse_dynamics", "rnea")};
}

// The count of a recursion for any N, from three lengths of arm.
using Recursion = std::function<OperationCount(const Stages&)>;

class CountedColumns {
 public:
  CountedColumns() {
    for (std::size_t column = 0; column < 2; ++column) {
      for (std::size_t i = 0; i < kLengths.size(); ++i) {
        stages_[column][i] = stages_of(column, kLengths[i]);
      }
    }
  }
  [[nodiscard]] const Stages& six(std::size_t column) const { return stages_[column][0]; }
  [[nodiscard]] const Stages& nine(std::size_t column) const { return stages_[column][1]; }
  [[nodiscard]] const Stages& twelve(std::size_t column) const { return stages_[column][2]; }

  [[nodiscard]] LineCount line(std::size_t column, const Recursion& recursion) const {
    const PrintedCount at_6 = recursion(six(column)), at_12 = recursion(twelve(column));
    const auto through = [](double six, double twelve) {
      const double slope = (twelve - six) / 6.0;
      return Line{slope, six - 6.0 * slope};
    };
    return {through(at_6.multiplications, at_12.multiplications),
            through(at_6.additions, at_12.additions)};
  }
  /// Whether nine links lie on the line of six and twelve.
  [[nodiscard]] bool linear(std::size_t column, const Recursion& recursion) const {
    return line(column, recursion)(9.0) == PrintedCount(recursion(nine(column)));
  }

 private:
  static constexpr std::array<Index, 3> kLengths = {6, 9, 12};
  std::array<std::array<Stages, 3>, 2> stages_;
};

}  // namespace dyn::tool::kozlowski_paper
