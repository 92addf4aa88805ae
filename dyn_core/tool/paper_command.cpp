// dyn paper: the papers item by item, printed beside measured.
#include <fmt/format.h>

#include "common.hpp"
#include "output.hpp"
#include "paper/paper.hpp"
#include "progress.hpp"

namespace dyn::tool {
namespace {

struct PaperOptions {
  std::string name;
  std::string output;
  bool json = false;
};

ReproducedPapers reproduce(const std::string& name) {
  const InterruptGuard interrupt;
  Progress progress("reproducing");
  ReproducedPapers out;
  const std::span<const PaperRoom> rooms = paper_rooms();
  const double share = name.empty() ? 1.0 / static_cast<double>(rooms.size()) : 1.0;
  double before = 0.0;
  for (const PaperRoom& room : rooms) {
    if (!name.empty() && name != room.name) continue;
    const auto show = [&](double done) {
      if (InterruptGuard::requested()) throw Interrupted();
      progress.show(before + share * done);
    };
    out.emplace_back(&room, room.items(show));
    before += share;
  }
  return out;
}

Json item_json(const PaperRoom& room, const PaperItem& item) {
  return {{"paper", std::string(room.name)},
          {"item", item.item},
          {"kind", to_string(item.kind)},
          {"printed", item.printed},
          {"measured", item.measured},
          {"agrees", item.agrees ? Json(*item.agrees) : Json(nullptr)},
          {"note", item.note}};
}

void print_text(const ReproducedPapers& results) {
  for (const auto& [room, items] : results) {
    fmt::print("{}\n", bold(std::string(room->citation)));
    for (const PaperItem& item : items) {
      const char* verdict = !item.agrees ? " " : *item.agrees ? "=" : "≠";
      fmt::print("{} {} ({})\n    printed   {}\n    measured  {}\n", verdict, item.item,
                 to_string(item.kind), item.printed, item.measured);
      if (!item.note.empty()) fmt::print("    {}\n", item.note);
    }
    fmt::print("\n");
  }
}

void run_paper(const PaperOptions& options) {
  if (options.output.empty()) {
    const ReproducedPapers results = reproduce(options.name);
    if (!options.json) return print_text(results);
    Json items = Json::array();
    for (const auto& [room, rows] : results) {
      for (const PaperItem& item : rows) items.push_back(item_json(*room, item));
    }
    fmt::print("{}\n", Json{{"items", items}}.dump(2));
    return;
  }
  OutputFile file("-o", options.output);
  const ReproducedPapers papers = reproduce(options.name);
  file.write(options.output.ends_with(".md") ? paper_markdown(papers) : paper_page(papers));
  file.finish();
}

}  // namespace

void add_paper(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("paper", "The papers reproduced: each item, printed beside measured");
  auto options = std::make_shared<PaperOptions>();
  std::vector<std::string> names;
  for (const PaperRoom& room : paper_rooms()) names.emplace_back(room.name);
  command->add_option("NAME", options->name, "One of them (default: all five)")
      ->check(CLI::IsMember(names));
  CLI::Option* json = command->add_flag("--json", options->json, "Print one JSON object");
  command
      ->add_option("-o,--output", options->output,
                   "Write a page with every picture, or Markdown where the name ends in .md")
      ->type_name("FILE")
      ->excludes(json);
  command->footer("Example: dyn paper saha -o saha.html");
  command->callback([options] { run_paper(*options); });
}

}  // namespace dyn::tool
