// Whether every joint of a chain has something to move. Internal to dyn_core.
#pragma once

#include <string>

#include "dyn_core/robot/chain.hpp"

namespace dyn::internal {

/// Empty, or the sentence that names a joint whose whole outboard body has no inertia about its
/// axis (no mass, for a prismatic joint) and that has no armature either.
[[nodiscard]] std::string objection_to_mobility(const ChainDescription& chain,
                                                bool allow_nonphysical);

}  // namespace dyn::internal
