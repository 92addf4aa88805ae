// Which operations belong to which of STEP 1-7 of section 4.2, where the code does several at once.
//
//   H.-J. Kang: Computationally efficient KIC-based dynamic modeling of robot manipulators.
#pragma once

#include <array>

#include "dyn_core/math/counted.hpp"

namespace dyn::kang {

/// While it lives, operations belong to this step. Does nothing for any scalar but Counted.
template <class Scalar>
class Step {
 public:
  explicit Step(std::size_t) {}
};

template <>
class Step<Counted> {
 public:
  explicit Step(std::size_t step) : outer_(tally().step) {
    settle();
    tally().step = step;
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  ~Step() {
    settle();
    tally().step = outer_;
  }

  /// Resets Counted as well.
  static void reset(CountingRule rule) {
    Counted::reset(rule);
    tally() = {};
  }
  /// Operations of `step` on this thread since the last reset; of 0, those outside of all steps.
  [[nodiscard]] static OperationCount count(std::size_t step) {
    settle();
    return tally().counts[step];
  }

 private:
  struct Tally {
    std::array<OperationCount, 8> counts{};
    OperationCount settled;
    std::size_t step = 0;
  };
  static Tally& tally() {
    thread_local Tally own;
    return own;
  }
  // Gives what was counted since the last time to the step that is under way.
  static void settle() {
    Tally& own = tally();
    own.counts[own.step] = own.counts[own.step] + (Counted::count() - own.settled);
    own.settled = Counted::count();
  }

  std::size_t outer_;
};

}  // namespace dyn::kang
