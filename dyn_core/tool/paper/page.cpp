#include <algorithm>
#include <regex>

#include <fmt/format.h>

#include "html.hpp"
#include "paper.hpp"

namespace dyn::tool {
namespace {

constexpr const char* kPaperStyle =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:1100px;margin:0 auto;padding:1rem;"
    "color:#1b1f24;background:#fff}"
    "h1{font-size:1.3rem}table{border-collapse:collapse;width:100%;font-size:.92rem}"
    "td,th{padding:.35rem .6rem;border-bottom:1px solid #d8dee4;text-align:left;vertical-align:top}"
    "th:nth-child(1){width:20%}th:nth-child(2){width:24%}td{overflow-wrap:anywhere}"
    ".yes{color:#1a7f37}.no{color:#b35900;font-weight:600}"
    ".note{color:#57606a;font-size:.88rem}figure{margin:0;display:flex;flex-wrap:wrap}"
    "figure svg{max-width:100%;height:auto}"
    "@media(max-width:640px){table,tbody,tr,td{display:block}thead{display:none}"
    "tr{padding:.5rem 0;border-bottom:2px solid #d8dee4}td{border:0;padding:.1rem .3rem}"
    "td[data-h]::before{content:attr(data-h) \": \";color:#57606a}}";

std::string verdict(const PaperItem& item) {
  if (!item.agrees) return "–";
  return *item.agrees ? "yes" : "no";
}

std::string row(const PaperItem& item) {
  const char* tone = !item.agrees ? "" : *item.agrees ? " class=\"yes\"" : " class=\"no\"";
  std::string out = fmt::format(
      "<tr id=\"{0}\"><td>{1}<div class=\"note\">{2}</div></td><td data-h=\"printed\">{3}</td>"
      "<td data-h=\"measured\">{4}{5}</td><td data-h=\"agrees\"{6}>{7}</td></tr>\n",
      html_escaped(item.item), html_escaped(item.item), to_string(item.kind),
      html_escaped(item.printed), html_escaped(item.measured),
      item.note.empty() ? "" : "<div class=\"note\">" + html_escaped(item.note) + "</div>", tone,
      verdict(item));
  if (!item.charts.empty()) {
    out += "<tr><td colspan=\"4\"><figure>";
    for (const Chart& chart : item.charts) {
      out += to_svg({.title = "", .charts = {chart}, .chart_width = 480.0});
    }
    out += "</figure></td></tr>\n";
  }
  return out;
}

// What is another on every machine counts as having nothing to compare: the sentence must stay the same.
std::string totals(const std::vector<PaperItem>& items) {
  const auto count = [&](bool agrees) {
    return std::count_if(items.begin(), items.end(), [agrees](const PaperItem& item) {
      return !item.timed && item.agrees && *item.agrees == agrees;
    });
  };
  return fmt::format(
      "{} items: {} agree, {} do not and say why, {} have nothing to compare or are another on "
      "every machine.",
      items.size(), count(true), count(false),
      static_cast<std::ptrdiff_t>(items.size()) - count(true) - count(false));
}

// Within a table's cell, where a bar would end it and stars would slant what is between them.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*') out += '\\';
    out += c;
  }
  return out;
}

// Without the figures that rounding leaves: they are others on another processor.
std::string without_rounding(const std::string& text) {
  static const std::regex kTiny("[0-9.]+e-(09|[1-9][0-9])");
  return std::regex_replace(text, kTiny, "round-off");
}

}  // namespace

std::string paper_page(const ReproducedPapers& papers) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n",
      papers.size() == 1 ? html_escaped(papers[0].first->citation) : "The papers reproduced",
      kPaperStyle);
  for (const auto& [room, items] : papers) {
    out += fmt::format(
        "<h1>{}</h1>\n<p>What the paper prints beside what the running code gives. "
        "{}</p>\n<table>\n"
        "<thead><tr><th>item</th><th>printed</th><th>measured</th><th>agrees</th></tr></thead>\n"
        "<tbody>\n",
        html_escaped(room->citation), totals(items));
    for (const PaperItem& item : items) out += row(item);
    out += fmt::format("</tbody>\n</table>\n<p class=\"note\">dyn paper {} -o page.html</p>\n",
                       room->name);
  }
  return out + "</body>\n</html>\n";
}

std::string paper_markdown(const ReproducedPapers& papers) {
  std::string out;
  for (const auto& [room, items] : papers) {
    out += fmt::format(
        "# {0}\n\nWritten by `dyn paper {1} -o {1}.md`. What is another on every machine, times "
        "and rounding, is left out; "
        "pictures "
        "are on the page that\n`dyn paper {1} -o {1}.html` writes. {2}\n\n| item | kind | printed "
        "| "
        "measured | agrees | note |\n|---|---|---|---|---|---|\n",
        room->citation, room->name, totals(items));
    for (const PaperItem& item : items) {
      out += fmt::format(
          "| {} | {} | {} | {} | {} | {} |\n", cell(item.item), to_string(item.kind),
          cell(item.printed),
          item.timed ? "another on every machine" : cell(without_rounding(item.measured)),
          item.timed ? "–" : verdict(item), cell(without_rounding(item.note)));
    }
  }
  return out;
}

}  // namespace dyn::tool
