// The page, as it was bundled at build. Internal to dyn_view.
#pragma once

#include <string_view>

namespace dyn::view {

/// HTML, compressed by gzip; empty where the program was built without it.
[[nodiscard]] std::string_view page() noexcept;

}  // namespace dyn::view
