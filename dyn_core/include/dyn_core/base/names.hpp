// Names that people give, and those that they may have meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/base/export.hpp"

namespace dyn {

/// How many letters have to be added, dropped, changed or swapped with the next to make one of the other.
DYN_CORE_EXPORT [[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate at the least distance; empty where that is more than a third of the name.
DYN_CORE_EXPORT [[nodiscard]] std::string nearest(std::string_view name,
                                                  std::span<const std::string> candidates);

/// "'a', 'b' and 3 more": the first few names in quotes.
DYN_CORE_EXPORT [[nodiscard]] std::string quoted_list(std::span<const std::string> names,
                                                      std::size_t most = 5);

/// A sentence for each name in `given` that is not among the `declared` ones, but looks as if it was
/// meant to be: it is near to one of them, or in one of their groups (gains.slid, where there is
/// gains.slide).
DYN_CORE_EXPORT [[nodiscard]] std::vector<std::string> mistaken_parameters(
    std::span<const std::string> given, std::span<const std::string> declared);

}  // namespace dyn
