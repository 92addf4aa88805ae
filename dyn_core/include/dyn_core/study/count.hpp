// Multiplications and additions of every registered algorithm, measured with the Counted scalar on the
// very code that runs.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/math/counted.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn {

struct AlgorithmCount {
  std::string_view quantity;  ///< mass_matrix, inverse_dynamics, forward_dynamics or coriolis
  std::string_view algorithm;
  OperationCount measured;   ///< of what the paper counts
  OperationCount set_aside;  ///< of stages that the paper's count leaves out
  /// Its formula, which is for general revolute arms: none for chains with prismatic joints and none beside a
  /// customised count.
  std::optional<PrintedCount> paper;
  std::string_view formula;
};

/// Runs every algorithm once on `chain`, at an arbitrary state; with `frames_given`, the link frames are at hand
/// and cost those nothing that use them.
DYN_CORE_EXPORT [[nodiscard]] std::vector<AlgorithmCount> count_operations(
    const ChainPtr& chain, CountingRule rule, bool frames_given = false);
/// Of one algorithm alone, without what is set aside.
DYN_CORE_EXPORT [[nodiscard]] OperationCount count_operations(const ChainPtr& chain,
                                                              CountingRule rule,
                                                              std::string_view quantity,
                                                              std::string_view algorithm);

}  // namespace dyn
