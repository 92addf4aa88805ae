// How long the modular inverse dynamics of several arms takes, by one clock.
#pragma once

#include <vector>

#include "dyn_core/study/select.hpp"

namespace dyn {

/// Sets microseconds, their error, the operations and the functions of what was timed. By turns: each round
/// takes every arm along the paper's trajectory, in another order and from other places of memory, so that
/// neither a busy machine nor a place favours one of them.
void time_by_turns(const std::vector<ChainPtr>& chains, std::vector<ArmAssessment>& arms);

}  // namespace dyn
