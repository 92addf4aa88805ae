// Kozłowski 1995 item by item.
#include "kozlowski_case.hpp"

namespace dyn::tool {

std::vector<PaperItem> kozlowski_items(const std::function<void(double)>& progress) {
  PaperItems items;
  kozlowski_time_derivatives(items);
  kozlowski_table_1(items);
  progress(0.2);
  kozlowski_factors(items);
  kozlowski_standard(items);
  progress(0.4);
  kozlowski_diagonalized(items);
  progress(0.6);
  kozlowski_costs(items);
  progress(0.8);
  kozlowski_claims(items);
  kozlowski_misprints(items);
  progress(1.0);
  return items.take();
}

}  // namespace dyn::tool
