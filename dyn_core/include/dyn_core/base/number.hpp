// Text to number, alike in every locale.
#pragma once

#include <optional>
#include <string_view>

#include "dyn_core/base/export.hpp"

namespace dyn {

/// The number that `text` is from its first to its last character, with a sign or without; decimal, or inf
/// or nan. None for anything else, also where a double cannot hold it.
DYN_CORE_EXPORT [[nodiscard]] std::optional<double> parse_number(std::string_view text);

}  // namespace dyn
