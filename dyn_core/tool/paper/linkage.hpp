// A serial arm as Saha 2003 and Bhangale 2004 draw it: Figs 1, 2 and 8 of the one, 1, 2 and 7 of the other.
#pragma once

#include "paper.hpp"

namespace dyn::tool {

/// Figs 1: an arm, and the bodies 3 … n of a composite body. `off` is how far M̃_i is from such bodies joined.
void figure_of_an_arm(PaperItems& items, const char* name, const ChainPtr& chain, double off);
/// Figs 2: two coupled bodies with their vectors.
void figure_of_coupled_bodies(PaperItems& items, const char* name);
/// Figs 8 and 7: Denavit and Hartenberg's four from frame i to frame i+1.
void figure_of_frames(PaperItems& items, const char* name);

}  // namespace dyn::tool
