// dyn compare: which of several arms has the simplest dynamics, and what else speaks for it.
#include <map>

#include <fmt/format.h>

#include "common.hpp"
#include "dyn_core/select.hpp"

namespace dyn::tool {
namespace {

struct CompareOptions {
  std::vector<std::string> robots;
  RobotOptions common;
  std::vector<std::string> weights;
  SelectionOptions selection;
  bool as_built = false;
  bool json = false;
};

const std::map<std::string, double SelectionWeights::*>& weight_names() {
  static const std::map<std::string, double SelectionWeights::*> kNames = {
      {"complexity", &SelectionWeights::complexity},
      {"time", &SelectionWeights::time},
      {"workspace", &SelectionWeights::workspace},
      {"manipulability", &SelectionWeights::manipulability},
      {"condition", &SelectionWeights::condition},
      {"torque", &SelectionWeights::torque}};
  return kNames;
}

SelectionWeights weights_from(const std::vector<std::string>& items) {
  SelectionWeights weights;
  for (const std::string& item : items) {
    const std::size_t equals = item.find('=');
    const auto name = weight_names().find(item.substr(0, equals));
    if (equals == std::string::npos || name == weight_names().end()) {
      std::vector<std::string> known;
      for (const auto& entry : weight_names()) known.push_back(entry.first);
      throw Failure(fmt::format("--weight: '{}' should read NAME=NUMBER with NAME one of {}", item,
                                fmt::join(known, ", ")));
    }
    const std::vector<double> value = numbers(item.substr(equals + 1), "--weight");
    if (value.size() != 1 || value[0] < 0.0) {
      throw Failure(fmt::format("--weight: '{}' needs one number that is zero or larger", item));
    }
    weights.*(name->second) = value[0];
  }
  return weights;
}

Json spread_json(const Spread& s) {
  return {{"least", s.least}, {"mean", s.mean}, {"most", s.most}};
}

Json count_json(const OperationCount& count) {
  return {{"multiplications", count.multiplications}, {"additions", count.additions}};
}

Json arm_json(const ArmAssessment& arm, const Ranking::Place& place) {
  Json out = {{"robot", arm.name}, {"score", place.score}, {"why", place.why}};
  out["gim"] = count_json(arm.gim);
  out["mci"] = count_json(arm.mci);
  out["inverse_dynamics_us"] = arm.microseconds;
  out["workspace"] = {{"size", arm.workspace.size},
                      {"error", arm.workspace.error},
                      {"unit", arm.workspace.is_area ? "m2" : "m3"},
                      {"formula", arm.workspace.formula}};
  out["equal_lengths"] = nullptr;
  if (const auto& equal = arm.workspace.equal_lengths) {
    out["equal_lengths"] = {{"workspace", equal->workspace},
                            {"manipulability", equal->manipulability}};
  }
  out["manipulability"] = spread_json(arm.manipulability);
  out["condition"] = spread_json(arm.condition);
  out["dominance"] = spread_json(arm.dominance);
  out["peak_torque"] = to_json(arm.peak_torque);
  return out;
}

std::string size_text(const Workspace& w) {
  const char* unit = w.is_area ? "m²" : "m³";
  if (!w.formula.empty()) return fmt::format("{:.4g} {} = {}", w.size, unit, w.formula);
  return fmt::format("{:.3g} ± {:.1g} {} (sampled)", w.size, w.error, unit);
}

// Pads by what is seen, not by bytes.
std::string cell(const std::string& text, std::size_t width) {
  std::size_t seen = 0;
  for (const char c : text) seen += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  return text + std::string(seen < width ? width - seen : 1, ' ');
}

template <class Value>
void print_row(const std::string& title, const std::vector<ArmAssessment>& arms, Value value) {
  fmt::print("  {}", cell(title, 38));
  for (const ArmAssessment& arm : arms) fmt::print("{}", cell(value(arm), 30));
  fmt::print("\n");
}

std::string spread_text(const Spread& s) {
  return fmt::format("{:.3g} … {:.3g} … {:.3g}", s.least, s.mean, s.most);
}

std::string dominance_text(const Spread& s) {
  return s.least < 1e300 ? spread_text(s) : "M is diagonal";
}

void print_equal_lengths(const std::vector<ArmAssessment>& arms) {
  if (!have_equal_lengths(arms)) return;
  print_row("at equal lengths a: workspace", arms, [](const auto& arm) {
    return fmt::format("{:.4g} a{}", arm.workspace.equal_lengths->workspace,
                       arm.workspace.is_area ? "²" : "³");
  });
  print_row("at equal lengths a: manipulability", arms, [](const auto& arm) {
    return fmt::format("{:.3g} a{} (mean)", arm.workspace.equal_lengths->manipulability,
                       arm.workspace.is_area ? "" : "²");
  });
}

void print_tables(const std::vector<ArmAssessment>& arms, const Ranking& ranking, double speed) {
  const auto count = [](const OperationCount& c) {
    return fmt::format("{}M {}A", c.multiplications, c.additions);
  };
  print_row("", arms, [](const auto& arm) { return bold(arm.name); });
  print_row("GIM, operations for this arm", arms, [&](const auto& arm) { return count(arm.gim); });
  print_row("MCI, operations for this arm", arms, [&](const auto& arm) { return count(arm.mci); });
  print_row("inverse dynamics by both, µs", arms,
            [](const auto& arm) { return fmt::format("{:.3g}", arm.microseconds); });
  print_row("workspace of the tip", arms, [](const auto& arm) { return size_text(arm.workspace); });
  print_row("manipulability (min … mean … max)", arms,
            [](const auto& arm) { return spread_text(arm.manipulability); });
  print_equal_lengths(arms);
  print_row("condition of M", arms, [](const auto& arm) { return spread_text(arm.condition); });
  print_row("diagonal dominance of M", arms,
            [](const auto& arm) { return dominance_text(arm.dominance); });
  print_row(fmt::format("peak torque at {:.3g} rad/s, m/s", speed), arms, [](const auto& arm) {
    return fmt::format("{:.3g} (largest of {})", arm.peak_torque.maxCoeff(),
                       arm.peak_torque.size());
  });
  fmt::print("\n{}\n", bold("Ranking"));
  if (!ranking.sizes_compared) {
    fmt::print("  Planar arms and others: workspace and manipulability are not compared.\n");
  }
  int place = 1;
  for (const Ranking::Place& entry : ranking.places) {
    fmt::print("  {}. {}  score {:.2f}: {}.\n", place++, arms[entry.arm].name, entry.score,
               entry.why);
  }
}

void run_compare(const CompareOptions& options) {
  std::vector<ArmAssessment> arms;
  for (const std::string& robot : options.robots) {
    RobotOptions one = options.common;
    one.robot = robot;
    arms.push_back(assess(one.load(), options.selection));
  }
  const Ranking ranking = rank(arms, weights_from(options.weights), options.as_built);
  if (!options.json) return print_tables(arms, ranking, options.selection.speed);
  Json rows = Json::array();
  for (const Ranking::Place& place : ranking.places) {
    rows.push_back(arm_json(arms[place.arm], place));
  }
  fmt::print("{}\n", Json{{"ranking", rows}}.dump(2));
}

}  // namespace

void add_compare(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "compare",
      "Choose an arm: dynamic complexity, workspace, manipulability, conditioning, torques");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("ROBOTS", options->robots, "URDF files")->required()->expected(1, 100);
  command->add_option("--base", options->common.base, "First link of every chain");
  command->add_option("--tip", options->common.tip, "Last link of every chain");
  command
      ->add_option("--weight", options->weights,
                   "How much a criterion counts: complexity, time, workspace, manipulability, "
                   "condition, torque (default: 1 each)")
      ->type_name("NAME=NUMBER");
  command->add_flag("--as-built", options->as_built,
                    "Rank workspace and manipulability at the arms' own dimensions; without it, at "
                    "equal lengths where all arms have formulas");
  command->add_option("--samples", options->selection.samples, "Postures to sample")
      ->check(CLI::Range(100, 10'000'000))
      ->capture_default_str();
  command->add_option("--speed", options->selection.speed, "Joint speed for the peak torques")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer("Example: dyn compare rp.urdf pr.urdf --weight time=0");
  command->callback([options] { run_compare(*options); });
}

}  // namespace dyn::tool
