#include "html.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace dyn::tool {
namespace {

std::string superscript(int number) {
  constexpr std::array kDigits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) {
    out += kDigits.at(static_cast<std::size_t>(digit - '0'));
  }
  return out;
}

std::string magnitude(double value) {
  if (value == 0.0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(value)));
  if (exponent < -3 || exponent > 5) {
    return fmt::format("{:.1f}·10{}", value / std::pow(10.0, exponent), superscript(exponent));
  }
  std::string text = fmt::format("{:.{}f}", value, std::max(0, 2 - exponent));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string human(double value) {
  if (std::isnan(value)) return "none";
  const std::string size = std::isinf(value) ? "∞" : magnitude(std::abs(value));
  return value < 0.0 && size != "0" ? "−" + size : size;
}

std::string human_count(long long value) {
  std::string text = std::to_string(value);
  for (auto at = static_cast<long long>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), "\u202f");
  }
  return text;
}

std::string human_position(double value, bool prismatic) {
  if (!std::isfinite(value)) return human(value);
  if (prismatic) return human(1e3 * value) + " mm";
  return human(value * 180.0 / std::numbers::pi) + "°";
}

const char* effort_unit(bool prismatic) { return prismatic ? "N" : "N m"; }

HtmlTable::HtmlTable(std::vector<std::string> headings) : headings_(std::move(headings)) {}

void HtmlTable::row(const std::vector<std::string>& cells) {
  rows_ += "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool right = i < headings_.size() && headings_[i].starts_with('>');
    rows_ += (right ? "<td class=\"num\">" : "<td>") + cells[i] + "</td>";
  }
  rows_ += "</tr>\n";
}

void HtmlTable::group(const std::string& text) {
  rows_ +=
      fmt::format("<tr class=\"group\"><td colspan=\"{}\">{}</td></tr>\n", headings_.size(), text);
}

std::string HtmlTable::html() const {
  std::string out = "<div class=\"wide\"><table>\n<thead><tr>";
  for (const std::string& heading : headings_) {
    const bool right = heading.starts_with('>');
    out += (right ? "<th class=\"num\">" + heading.substr(1) : "<th>" + heading) + "</th>";
  }
  return out + "</tr></thead>\n<tbody>\n" + rows_ + "</tbody></table></div>\n";
}

}  // namespace dyn::tool
