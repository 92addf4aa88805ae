// The tags of an XML text, one after the other, with their places in it. Internal to dyn_core.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace dyn::internal {

struct XmlTag {
  std::size_t begin = 0;       ///< of its '<'
  std::size_t end = 0;         ///< behind its '>'
  std::size_t values = 0;      ///< quoted values in it
  bool declaration = false;    ///< <?…> or <!…>
  std::string_view text = {};  ///< all of it
  [[nodiscard]] bool closes() const { return text[1] == '/'; }
  [[nodiscard]] bool is_empty() const { return text.ends_with("/>"); }
  [[nodiscard]] std::string_view name() const;
  /// The value of an attribute, a view into the text.
  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view key) const;
};

/// The first tag from `at` on that stands in no comment and no CDATA; `at` moves behind it.
[[nodiscard]] std::optional<XmlTag> next_tag(std::string_view xml, std::size_t& at);

}  // namespace dyn::internal
