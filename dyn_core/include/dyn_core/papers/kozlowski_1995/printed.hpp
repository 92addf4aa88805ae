// What Kozłowski 1995 prints in figures.
#pragma once

#include "dyn_core/math/counted.hpp"
#include "dyn_core/math/types.hpp"

namespace dyn::kozlowski {

/// Tab. 2, up to the rates of nu and of xi.
constexpr PrintedCount normalized_count(double n) { return {605 * n - 462, 530 * n - 448}; }
constexpr PrintedCount unnormalized_count(double n) { return {500 * n - 319, 426 * n - 286}; }

}  // namespace dyn::kozlowski
