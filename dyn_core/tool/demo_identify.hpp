// dyn demo --identify: the loop closed on a simulated arm whose description is wrong.
#pragma once

#include "common.hpp"

namespace dyn::tool {

/// Excites, records and identifies an arm like `chain`, begun with a wrong model of it, and prints how well each
/// model tracks.
void demonstrate_identification(const ChainPtr& chain, bool json);

}  // namespace dyn::tool
