// Pieces of an HTML page: escaped text, numbers for people, tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/robot/chain.hpp"

namespace dyn::tool {

/// `text` with the characters that mean something in HTML and SVG replaced.
[[nodiscard]] std::string html_escaped(std::string_view text);

/// Characters of UTF-8 text.
[[nodiscard]] std::size_t letters(std::string_view text);

/// Three significant digits: 0.0123, 12.3, 12300, 1.2·10⁻⁷, −4; "∞", "none" for NaN.
[[nodiscard]] std::string human(double value);
/// 4700000 as "4 700 000", with narrow spaces.
[[nodiscard]] std::string human_count(long long value);

/// Position or speed of a joint: degrees, or millimetres for a prismatic one.
[[nodiscard]] std::string human_position(double value, bool prismatic);
/// N m or N.
[[nodiscard]] const char* effort_unit(bool prismatic);

/// The <style> of every page about an arm.
[[nodiscard]] const char* page_style();

/// A table; the cells are HTML. Columns whose heading begins with '>' are flush right.
class HtmlTable {
 public:
  explicit HtmlTable(std::vector<std::string> headings);
  void row(const std::vector<std::string>& cells);
  /// A line across all columns, in bold.
  void group(const std::string& text);
  [[nodiscard]] std::string html() const;

 private:
  std::vector<std::string> headings_;
  std::string rows_;
};

}  // namespace dyn::tool
