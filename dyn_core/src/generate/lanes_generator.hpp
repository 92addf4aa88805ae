// The text of code for packets, and what it is compiled with for one instruction set.
#pragma once

#include <string>
#include <string_view>

namespace dyn::generate {

/// lane_math.inc.
extern const char* const kLaneMath;

/// What stands before the text when it is compiled for one instruction set.
[[nodiscard]] std::string definitions(std::string_view target);

}  // namespace dyn::generate
