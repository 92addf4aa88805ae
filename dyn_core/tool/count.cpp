// dyn count: multiplications and additions of every algorithm, measured.
#include "dyn_core/count.hpp"

#include <fmt/format.h>

#include "common.hpp"
#include "dyn_core/random_chain.hpp"

namespace dyn::tool {
namespace {

struct CountOptions {
  RobotOptions robot;
  std::string dof;
  bool customised = false;
  bool json = false;
};

std::vector<Index> chain_lengths(const std::string& text) {
  std::vector<Index> lengths;
  const std::size_t range = text.find("..");
  if (range != std::string::npos) {
    const auto first = static_cast<Index>(numbers(text.substr(0, range), "--dof").at(0));
    const auto last = static_cast<Index>(numbers(text.substr(range + 2), "--dof").at(0));
    for (Index n = first; n <= last; ++n) lengths.push_back(n);
  } else {
    for (const double n : numbers(text, "--dof")) lengths.push_back(static_cast<Index>(n));
  }
  for (const Index n : lengths) {
    if (n < 1 || n > 1000) throw Failure("--dof takes numbers of joints from 1 to 1000");
  }
  return lengths;
}

Json operations_json(const OperationCount& count) {
  return {{"multiplications", count.multiplications}, {"additions", count.additions}};
}

Json row_json(const AlgorithmCount& row) {
  Json out = {{"quantity", std::string(row.quantity)}, {"algorithm", std::string(row.algorithm)}};
  out.update(operations_json(row.measured));
  out["set_aside"] = operations_json(row.set_aside);
  out["paper"] = row.paper ? operations_json(*row.paper) : Json(nullptr);
  return out;
}

std::string text(const OperationCount& count) {
  return fmt::format("{}M {}A", count.multiplications, count.additions);
}

void print_table(const std::string& title, const std::vector<AlgorithmCount>& rows) {
  fmt::print("{}\n", bold(title));
  fmt::print("  {:<26}{:>16}{:>18}{:>18}   {}\n", "", "measured", "paper", "not counted",
             "formula");
  std::string_view quantity;
  for (const AlgorithmCount& row : rows) {
    if (row.quantity != quantity) fmt::print("  {}\n", bold(std::string(quantity = row.quantity)));
    const bool whole = row.set_aside == OperationCount{};
    fmt::print("    {:<24}{:>16}{:>18}{:>18}   {}\n", row.algorithm, text(row.measured),
               row.paper ? text(*row.paper) : "-", whole ? "-" : text(row.set_aside), row.formula);
  }
}

// Chain lengths at which an algorithm of the same quantity becomes cheaper than another one.
void print_overtaking(const std::vector<std::vector<AlgorithmCount>>& tables,
                      const std::vector<Index>& lengths) {
  fmt::print("{}\n", bold("Who overtakes whom (multiplications + additions of the whole call)"));
  const auto total = [](const AlgorithmCount& row) {
    const OperationCount all = row.measured + row.set_aside;
    return all.multiplications + all.additions;
  };
  for (std::size_t a = 0; a < tables[0].size(); ++a) {
    for (std::size_t b = 0; b < tables[0].size(); ++b) {
      if (a == b || tables[0][a].quantity != tables[0][b].quantity) continue;
      for (std::size_t i = 1; i < tables.size(); ++i) {
        const bool before = total(tables[i - 1][a]) < total(tables[i - 1][b]);
        const bool now = total(tables[i][a]) < total(tables[i][b]);
        if (!now || before) continue;
        const bool known = lengths[i] == lengths[i - 1] + 1;
        fmt::print("  {:<18}{} becomes cheaper than {} {}n = {}\n", tables[0][a].quantity,
                   tables[0][a].algorithm, tables[0][b].algorithm,
                   known ? "at " : fmt::format("between n = {} and ", lengths[i - 1]), lengths[i]);
      }
    }
  }
}

void run_count(const CountOptions& options) {
  const CountingRule rule = options.customised ? CountingRule::kCustomised : CountingRule::kGeneral;
  const char* kind = options.customised ? "customised to this robot" : "general";
  std::vector<ChainPtr> chains;
  const std::vector<Index> lengths =
      options.dof.empty() ? std::vector<Index>{} : chain_lengths(options.dof);
  if (options.dof.empty() == options.robot.robot.empty()) {
    throw Failure("give either a ROBOT or --dof N");
  }
  if (lengths.empty()) chains.push_back(options.robot.load());
  for (const Index n : lengths) chains.push_back(random_chain(n, kSeed));

  Json counts = Json::array();
  std::vector<std::vector<AlgorithmCount>> tables;
  for (const ChainPtr& chain : chains) {
    tables.push_back(count_operations(chain, rule));
    for (const AlgorithmCount& row : tables.back()) {
      Json entry = row_json(row);
      if (lengths.size() > 1) entry["dof"] = chain->dof();
      counts.push_back(std::move(entry));
    }
    if (options.json || lengths.size() > 4) continue;
    print_table(
        fmt::format("{}, n = {}, {} count", lengths.empty() ? chain->name() : "revolute chain",
                    chain->joint_count(), kind),
        tables.back());
  }
  if (options.json) {
    fmt::print("{}\n", Json{{"counts", counts}}.dump(2));
  } else if (lengths.size() > 1) {
    print_overtaking(tables, lengths);
  }
}

}  // namespace

void add_count(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("count", "Multiplications and additions of every algorithm, measured");
  auto options = std::make_shared<CountOptions>();
  options->robot.add_to(*command, false);
  command->add_option("--dof", options->dof,
                      "Count on general revolute chains instead: N, N,N,… or FIRST..LAST");
  command->add_flag("--customised", options->customised,
                    "0 and ±1 of this robot cost nothing, nor do constant expressions");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer(
      "Stages that a paper's own count leaves out (direct kinematics, bias torques) are "
      "listed as not counted.\nExample: dyn count --dof 2..100");
  command->callback([options] { run_count(*options); });
}

}  // namespace dyn::tool
