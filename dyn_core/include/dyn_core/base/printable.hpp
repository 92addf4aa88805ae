// Text from elsewhere (a file, the network) made fit for a line that people read.
#pragma once

#include <string>
#include <string_view>

#include "dyn_core/base/export.hpp"

namespace dyn {

/// Without the byte order mark that some editors begin a file with.
DYN_CORE_EXPORT [[nodiscard]] std::string_view without_mark(std::string_view text);

/// `text` on one line of valid UTF-8 without control characters or marks that reorder it, cut where it
/// is longer than `longest` bytes.
DYN_CORE_EXPORT [[nodiscard]] std::string printable(std::string_view text,
                                                    std::size_t longest = 1000);

}  // namespace dyn
