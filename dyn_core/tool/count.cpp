// dyn count: multiplications and additions of every algorithm, measured.
#include "dyn_core/study/count.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "dyn_core/study/steps.hpp"
#include "progress.hpp"

namespace dyn::tool {
namespace {

constexpr int kMostDof = 1000;

struct CountOptions {
  RobotOptions robot;
  std::string dof;
  bool customised = false;
  bool without_frames = false;
  bool steps = false;
  bool json = false;
};

Index chain_length(const std::string& text) {
  const std::vector<double> values = numbers(text, "--dof");
  if (values.size() != 1 || values[0] < 1.0 || values[0] > kMostDof ||
      values[0] != std::floor(values[0])) {
    throw Failure(
        fmt::format("--dof: '{}' is no number of joints; give whole numbers from 1 to {}: N, N,N,… "
                    "or FIRST..LAST",
                    text, kMostDof));
  }
  return static_cast<Index>(values[0]);
}

std::vector<Index> chain_lengths(const std::string& text) {
  std::vector<Index> lengths;
  const std::size_t range = text.find("..");
  if (range == std::string::npos) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      lengths.push_back(chain_length(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    return lengths;
  }
  const Index first = chain_length(text.substr(0, range));
  const Index last = chain_length(text.substr(range + 2));
  if (first > last) {
    throw Failure(fmt::format("--dof: {0}..{1} is empty; give {1}..{0}", first, last));
  }
  for (Index n = first; n <= last; ++n) lengths.push_back(n);
  return lengths;
}

// Counting takes a time that grows with the cube of the joints.
double work_of(Index joints) { return std::pow(static_cast<double>(joints), 3); }

double work_of(const std::vector<ChainPtr>& chains) {
  constexpr double kMost = 1e8;
  double work = 0.0;
  Index longest = 0;
  for (const ChainPtr& chain : chains) {
    work += work_of(chain->joint_count());
    longest = std::max(longest, chain->joint_count());
  }
  if (work <= kMost) return work;
  throw Failure(fmt::format(
      "counting takes a time that grows with the cube of the joints: {} chain{} with up to {} "
      "joints are {:.2g} times too much; one of 400 or 2..140 is possible",
      chains.size(), chains.size() == 1 ? "" : "s", longest, work / kMost));
}

std::vector<std::vector<AlgorithmCount>> count_all(const std::vector<ChainPtr>& chains,
                                                   CountingRule rule, bool frames_given) {
  const double work = work_of(chains);
  const InterruptGuard interrupt;
  Progress progress("counting");
  std::vector<std::vector<AlgorithmCount>> tables;
  double done = 0.0;
  for (const ChainPtr& chain : chains) {
    if (InterruptGuard::requested()) throw Interrupted();
    progress.show(done / work);
    tables.push_back(count_operations(chain, rule, frames_given));
    done += work_of(chain->joint_count());
  }
  return tables;
}

// Whole numbers as such.
Json number_json(double x) {
  return x == std::floor(x) ? Json(static_cast<std::int64_t>(x)) : Json(x);
}

Json operations_json(const PrintedCount& count) {
  return {{"multiplications", number_json(count.multiplications)},
          {"additions", number_json(count.additions)}};
}

Json steps_json(const std::vector<StepCount>& rows, Index dof, bool with_dof) {
  Json out = Json::array();
  for (const StepCount& row : rows) {
    Json entry = {{"quantity", std::string(row.quantity)},
                  {"algorithm", std::string(row.algorithm)},
                  {"table", std::string(row.table)},
                  {"step", std::string(row.step)}};
    entry.update(operations_json(row.measured));
    entry["paper"] = row.paper ? operations_json(*row.paper) : Json(nullptr);
    if (with_dof) entry["dof"] = dof;
    out.push_back(std::move(entry));
  }
  return out;
}

Json row_json(const AlgorithmCount& row) {
  Json out = {{"quantity", std::string(row.quantity)}, {"algorithm", std::string(row.algorithm)}};
  out.update(operations_json(row.measured));
  out["set_aside"] = operations_json(row.set_aside);
  out["paper"] = row.paper ? operations_json(*row.paper) : Json(nullptr);
  return out;
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

// With the sum of each table below its steps.
void print_steps(const std::string& title, const std::vector<StepCount>& rows) {
  fmt::print("{}\n", bold(title));
  fmt::print("  {:<26}{:>16}{:>18}\n", "", "measured", "paper");
  const auto print = [](std::string_view step, const PrintedCount& measured,
                        const std::optional<PrintedCount>& paper) {
    fmt::print("    {:<24}{:>16}{:>18}\n", step, text(measured), paper ? text(*paper) : "-");
  };
  const auto same = [](const StepCount& a, const StepCount& b) {
    return a.algorithm == b.algorithm && a.table == b.table;
  };
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if_not(begin, rows.end(),
                                      [&](const StepCount& row) { return same(row, *begin); });
    fmt::print("  {}\n",
               bold(fmt::format("{}, {}, {}", begin->quantity, begin->algorithm, begin->table)));
    OperationCount measured;
    PrintedCount paper;
    for (auto row = begin; row != end; ++row) {
      print(row->step, row->measured, row->paper);
      measured = measured + row->measured;
      if (row->paper) paper = paper + *row->paper;
    }
    print("sum", measured, begin->paper ? std::optional(paper) : std::nullopt);
    begin = end;
  }
}

void run_steps(const CountOptions& options, const std::vector<ChainPtr>& chains) {
  const bool one_robot = options.dof.empty();
  const CountingRule rule = options.customised ? CountingRule::kCustomised : CountingRule::kGeneral;
  if (!one_robot && options.customised) {
    throw Failure(
        "--steps counts the kinds of arms that the papers count: give a ROBOT, or leave "
        "--customised out");
  }
  (void)work_of(chains);
  Json steps = Json::array();
  for (const ChainPtr& chain : chains) {
    const Index n = chain->joint_count();
    if (n < kFewestLinksWithSteps) {
      throw Failure(fmt::format("{} has {} joint{}: the papers count their steps from {} joints on",
                                chain->name(), n, n == 1 ? "" : "s", kFewestLinksWithSteps));
    }
    const std::vector<StepCount> rows = one_robot ? count_steps(chain, rule) : count_steps(n);
    if (options.json) {
      for (Json& row : steps_json(rows, n, chains.size() > 1)) steps.push_back(std::move(row));
    } else {
      const char* kind = options.customised ? "customised to this robot" : "general";
      print_steps(one_robot ? fmt::format("{}, n = {}, {} count", chain->name(), n, kind)
                            : fmt::format("revolute chains, n = {}", n),
                  rows);
    }
  }
  if (options.json) fmt::print("{}\n", Json{{"steps", steps}}.dump(2));
}

// What is not run on the longest chains cannot be compared over all of them.
void keep_common_rows(std::vector<std::vector<AlgorithmCount>>& tables) {
  const std::vector<AlgorithmCount> fewest = *std::ranges::min_element(
      tables, {}, [](const std::vector<AlgorithmCount>& table) { return table.size(); });
  for (std::vector<AlgorithmCount>& table : tables) {
    std::erase_if(table, [&](const AlgorithmCount& row) {
      return std::ranges::none_of(fewest, [&](const AlgorithmCount& other) {
        return other.quantity == row.quantity && other.algorithm == row.algorithm;
      });
    });
  }
}

// Chain lengths at which an algorithm of the same quantity becomes cheaper than another one.
void print_overtaking(std::vector<std::vector<AlgorithmCount>> tables,
                      const std::vector<Index>& lengths) {
  keep_common_rows(tables);
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
  if (options.dof.empty() == options.robot.robot.empty()) {
    throw Failure("give either a ROBOT or --dof N");
  }
  const std::vector<Index> lengths =
      options.dof.empty() ? std::vector<Index>{} : chain_lengths(options.dof);
  std::vector<ChainPtr> chains;
  if (lengths.empty()) chains.push_back(options.robot.load());
  for (const Index n : lengths) chains.push_back(random_chain(n, kSeed));

  if (options.steps) return run_steps(options, chains);

  Json counts = Json::array();
  const std::vector<std::vector<AlgorithmCount>> tables =
      count_all(chains, rule, options.without_frames);
  for (std::size_t c = 0; c < chains.size(); ++c) {
    for (const AlgorithmCount& row : tables[c]) {
      Json entry = row_json(row);
      if (lengths.size() > 1) entry["dof"] = chains[c]->dof();
      counts.push_back(std::move(entry));
    }
    if (options.json || lengths.size() > 4) continue;
    print_table(
        fmt::format("{}, n = {}, {} count", lengths.empty() ? chains[c]->name() : "revolute chain",
                    chains[c]->joint_count(), kind),
        tables[c]);
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
  command->add_flag("--without-frames", options->without_frames,
                    "The link frames are at hand: who uses them is not charged for them");
  command
      ->add_flag("--steps", options->steps,
                 "Step by step, where a paper counts so: Kang's STEP 1-7, Saha's A1 … C3, "
                 "Kozłowski's Tab. 2, Bhangale's Tables I and II")
      ->excludes("--without-frames");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer(
      "Stages that a paper's own count leaves out (direct kinematics, bias torques) are "
      "listed as not counted.\nExample: dyn count --dof 2..100");
  command->callback([options] { run_count(*options); });
}

}  // namespace dyn::tool
