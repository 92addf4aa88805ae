// dyn list: every algorithm with its paper.
#include <fmt/format.h>

#include "common.hpp"
#include "dyn_core/registry.hpp"

namespace dyn::tool {
namespace {

template <class Algorithm>
void list(Entries<Algorithm> entries, const char* quantity, Json& out) {
  for (const Entry<Algorithm>& entry : entries) {
    out.push_back({{"quantity", quantity},
                   {"name", std::string(entry.name)},
                   {"paper", std::string(entry.paper)},
                   {"cost", std::string(entry.cost)}});
  }
}

void run(bool json) {
  Json rows = Json::array();
  list(mass_matrix_algorithms<double>(), "mass_matrix", rows);
  list(inverse_dynamics_algorithms<double>(), "inverse_dynamics", rows);
  list(forward_dynamics_algorithms<double>(), "forward_dynamics", rows);
  list(coriolis_algorithms<double>(), "coriolis", rows);
  if (json) {
    fmt::print("{}\n", Json{{"algorithms", rows}}.dump(2));
    return;
  }
  std::string quantity;
  for (const Json& row : rows) {
    if (row["quantity"] != quantity) {
      quantity = row["quantity"];
      fmt::print("{}\n", bold(quantity));
    }
    fmt::print("  {:<27}{}\n  {:<27}{}\n", row["name"].get<std::string>(),
               row["paper"].get<std::string>(), "", row["cost"].get<std::string>());
  }
}

}  // namespace

void add_list(CLI::App& app) {
  CLI::App* command = app.add_subcommand("list", "Every algorithm with its paper and cost");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print one JSON object");
  command->footer("Example: dyn list");
  command->callback([json] { run(*json); });
}

}  // namespace dyn::tool
