// The parts of Saha 2003's items, one file each.
#pragma once

#include <functional>

#include "paper.hpp"

namespace dyn::tool {

/// Section 1 and Table I: operations, step by step and against the others' formulas.
void saha_opening_claims(PaperItems& items);
void saha_steps(PaperItems& items);
void saha_misprints(PaperItems& items);
void saha_table_1(PaperItems& items);
void saha_table_1_errata(PaperItems& items);
void saha_count_claims(PaperItems& items);

/// (1)-(17) and, of Appendix B, (19)-(28).
void saha_section_2(PaperItems& items);
void saha_appendices(PaperItems& items);

/// Section 4.
void saha_planar_arm(PaperItems& items);
void saha_table_2(PaperItems& items);
void saha_stanford(PaperItems& items, const std::function<void(double)>& progress);
void saha_puma(PaperItems& items, const std::function<void(double)>& progress);

}  // namespace dyn::tool
