// Names that people give, and those that they may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dyn {

/// The candidate that takes the fewest letters to add, drop, change or swap with the next; empty where
/// that is more than a third of the name.
[[nodiscard]] std::string nearest(std::string_view name, std::span<const std::string> candidates);

/// A sentence for each name in `given` that is not among the `declared` ones, but looks as if it was
/// meant to be: it is near to one of them, or in one of their groups (gains.slid, where there is
/// gains.slide).
[[nodiscard]] std::vector<std::string> mistaken_parameters(std::span<const std::string> given,
                                                           std::span<const std::string> declared);

}  // namespace dyn
