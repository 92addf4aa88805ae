// The parts of Safeea 2018's items.
#pragma once

#include "dyn_core/robot/chain.hpp"
#include "paper.hpp"

namespace dyn::tool {

/// One of his random arms: masses of 1 to 10 kg, inertias with elements of 1 to 10 kg m², made positive
/// definite by a heavier diagonal; lengths and angles at random.
[[nodiscard]] ChainPtr safeea_arm(Index n, std::uint64_t seed);

void safeea_section_1(PaperItems& items);  ///< (1)-(3)
void safeea_section_2(PaperItems& items);  ///< (4)-(17), Figs 1, 2
void safeea_section_3(PaperItems& items);  ///< (18)-(31), Fig. 3

}  // namespace dyn::tool
