// Source text as code of this program: compiled by the compiler at hand, kept in the user's cache folder.
#pragma once

#include <memory>
#include <string>

#include "dyn_core/base/status.hpp"

namespace dyn::generate {

/// The library made from `source`, loaded: from $XDG_CACHE_HOME/dyn or ~/.cache/dyn where it is there already, by
/// $CXX, c++, g++ or clang++ otherwise. A folder or a file that somebody else owns or may write to is refused.
[[nodiscard]] Result<std::shared_ptr<void>> compiled(const std::string& source);

}  // namespace dyn::generate
