// Which operations belong to which numbered step of a paper, where the code that runs does several at once.
#pragma once

#include <array>

#include "dyn_core/math/counted.hpp"

namespace dyn {

/// While it lives, operations belong to this step. Does nothing for any scalar but Counted.
template <class Scalar>
class CountedStep {
 public:
  explicit CountedStep(std::size_t) {}
};

template <>
class CountedStep<Counted> {
 public:
  explicit CountedStep(std::size_t step) : outer_(tally().step) {
    settle();
    tally().step = step;
  }
  CountedStep(const CountedStep&) = delete;
  CountedStep& operator=(const CountedStep&) = delete;
  ~CountedStep() {
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
    std::array<OperationCount, 8> counts{};  // of no step, and of 1 to 7
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

}  // namespace dyn
