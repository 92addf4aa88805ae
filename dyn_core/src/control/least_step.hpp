// What a step or a period may be at least.
#pragma once

namespace dyn {

/// s. A millisecond in shorter ones takes longer to compute than anybody waits.
inline constexpr double kLeastStep = 1e-7;

}  // namespace dyn
