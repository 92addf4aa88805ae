// Base parameters: the combinations of the parameters that a motion can tell apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dyn_core/identify/regressor.hpp"

namespace dyn {

/// Y π = Y(:, columns) combination π for every state that was looked at.
struct BaseParameters {
  std::vector<Index> columns;      ///< of Y, independent of each other
  MatXd combination;               ///< one row for each of them, over all parameters
  std::vector<std::string> names;  ///< `m5 + m6 + m7`: coefficients of SI units, three digits

  [[nodiscard]] Index rank() const { return static_cast<Index>(columns.size()); }
};

/// Of the states whose normal matrix Σ YᵀY this is, by a rank-revealing QR decomposition of it with its
/// columns scaled to length one. What depends on parameters before it (the drives', then base to tip) is grouped with them
/// (Gautier, Khalil, 1990). What is less than `tolerance` of its column is rounding.
DYN_CORE_EXPORT [[nodiscard]] BaseParameters base_parameters(const MatXd& normal_matrix,
                                                             const std::vector<std::string>& names,
                                                             double tolerance = 1e-11);
/// Of all states that the chain can be in: of as many random ones as it takes.
DYN_CORE_EXPORT [[nodiscard]] BaseParameters base_parameters(const ChainPtr& chain,
                                                             std::uint64_t seed = 1);

}  // namespace dyn
