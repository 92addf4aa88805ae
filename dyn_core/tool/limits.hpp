// What is refused before it starts, because nobody would wait for it or no memory would hold it.
#pragma once

#include <istream>
#include <string>

#include "common.hpp"

namespace dyn::tool {

/// Accepts finite numbers from `low` to `high`; CLI::Range would take NaN.
[[nodiscard]] CLI::Validator number_between(double low, double high);

/// Refuses chains of more joints than `command` shows within minutes.
void require_joints(const Chain& chain, Index most, const char* command);

/// No more than `most` bytes and a few, which is enough to refuse it: a device may have no end.
[[nodiscard]] std::string read_up_to(std::istream& in, std::size_t most);

/// Text of a file that an option names, up to 32 MB.
[[nodiscard]] std::string text_of_file(const std::string& path, const std::string& option);

}  // namespace dyn::tool
