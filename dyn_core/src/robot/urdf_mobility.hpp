// Whether every joint of a chain has something to move. Internal to dyn_core.
#pragma once

#include <vector>

#include "dyn_core/robot/chain.hpp"

namespace dyn::internal {

/// Links without mass, and those whose joint moves nothing: no body outboard has inertia about its axis
/// (mass, for a prismatic joint), and it has no armature either.
[[nodiscard]] std::vector<MissingInertia> missing_inertia_of(const ChainDescription& chain,
                                                             bool allow_nonphysical);

}  // namespace dyn::internal
