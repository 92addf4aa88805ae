// The modular inverse dynamics of one arm, eq. (9) of Bhangale 2004, as a straight-line program: traced from
// GIM and MCI as they run, what the arm makes constant folded. What is timed to compare arms.
#pragma once

#include <cstdint>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/math/counted.hpp"
#include "dyn_core/math/traced.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn {

class DYN_CORE_EXPORT ModularProgram {
 public:
  /// Of the chain's joints, each with a coordinate of its own.
  explicit ModularProgram(const ChainPtr& chain);

  /// `state` is q, q̇, q̈, one after the other; output(i) is then torque i. No allocation.
  void run(const double* state) noexcept;
  [[nodiscard]] double output(std::size_t i) const { return values_[outputs_[i]]; }

  [[nodiscard]] std::size_t joints() const { return outputs_.size(); }
  [[nodiscard]] const OperationCount& operations() const { return operations_; }
  [[nodiscard]] int functions() const { return functions_; }  ///< sines and cosines

 private:
  enum class Op : std::uint8_t { kNegate, kAdd, kSubtract, kMultiply, kDivide, kSine, kCosine };
  struct Step {
    Op op;
    std::uint32_t a, b;  // slots; the result goes to the next one
  };

  [[nodiscard]] static Op op_of(Trace::Op op);
  void note(Op op);

  std::vector<double> values_;  // the state, the constants, one slot for each step
  std::vector<Step> steps_;
  std::vector<std::uint32_t> outputs_;
  std::size_t first_result_ = 0;
  OperationCount operations_;
  int functions_ = 0;
};

}  // namespace dyn
