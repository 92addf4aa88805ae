#include "html.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace dyn::tool {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light; }
body { font: 15px/1.5 Helvetica, Arial, sans-serif; color: #222; background: #fff;
  max-width: 900px; margin: 2em auto; padding: 0 1.2em; }
h1 { font-size: 1.8em; margin: 0; }
h2 { font-size: 1.2em; margin: 0 0 .3em; border-bottom: 1px solid #ccc; padding-bottom: .15em; }
h3 { font-size: 1em; margin: 1.4em 0 .3em; }
.facts { color: #555; margin: .3em 0 1.6em; }
section { margin: 0 0 2em; }
p { margin: .4em 0 .7em; max-width: 52em; }
ul { margin: .4em 0; padding-left: 1.3em; }
table { border-collapse: collapse; font-size: .87em; font-variant-numeric: tabular-nums; }
th { text-align: left; color: #555; font-weight: 600; border-bottom: 1px solid #999; }
th, td { padding: .22em .9em .22em 0; white-space: nowrap; vertical-align: middle; }
td { border-bottom: 1px solid #eee; }
.num { text-align: right; }
.group td { font-weight: 600; border-bottom: 1px solid #ccc; padding-top: .9em; }
.wide { overflow-x: auto; }
.pair, .views { display: flex; flex-wrap: wrap; gap: .6em; }
.matrix { overflow-x: auto; max-width: 100%; }
.matrix svg { max-width: none; }
.narrow { display: none; }
@media screen and (max-width: 640px) {
  body { padding: 0 .8em; }
  .narrow { display: block; }
  .broad { display: none; }
}
.legend span { display: inline-block; margin-right: 1.4em; }
.legend i { display: inline-block; width: 1.5em; height: .25em; margin-right: .4em;
  vertical-align: middle; }
.wrap { white-space: normal; }
svg { max-width: 100%; height: auto; display: block; }
td svg { max-width: none; }
code { font-size: .92em; background: #f4f4f4; padding: .1em .3em; overflow-wrap: anywhere; }
footer { color: #555; font-size: .87em; border-top: 1px solid #ccc; padding-top: .6em; }
@page { size: A4; margin: 14mm; }
@media print {
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { font-size: 10.5pt; max-width: none; margin: 0; padding: 0; }
  table { font-size: 8.2pt; }
  th, td { padding-right: .6em; }
  .wide, .matrix { overflow: visible; }
  .matrix svg { max-width: 100%; }
  .views { flex-wrap: nowrap; gap: 0; }
  .views svg { max-width: 33%; }
  svg, tr, li, p { break-inside: avoid; }
  h2, h3, section > p, .group { break-after: avoid; }
  thead { display: table-header-group; }
}
)";

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

const char* page_style() { return kStyle; }

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
