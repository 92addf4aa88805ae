// dyn compare: which of several arms has the simplest dynamics, and what else speaks for it.
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "common.hpp"
#include "dyn_core/base/printable.hpp"
#include "dyn_core/study/select.hpp"
#include "html.hpp"
#include "limits.hpp"
#include "progress.hpp"
#include "report_data.hpp"

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

constexpr double kLargestWeight = 1e6, kLargestSpeed = 1e4;

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
    if (value.size() != 1 || value[0] < 0.0 || value[0] > kLargestWeight) {
      throw Failure(
          fmt::format("--weight: '{}' needs one number from 0 to {:g}", item, kLargestWeight));
    }
    weights.*(name->second) = value[0];
  }
  return weights;
}

// Sizes are workspace and manipulability.
void require_some_weight(const SelectionWeights& w, bool sizes_compared, bool dynamics) {
  const double sizes = w.workspace + w.manipulability;
  const double others = dynamics ? w.complexity + w.time + w.condition + w.torque : 0.0;
  if (!dynamics && (sizes == 0.0 || !sizes_compared)) {
    throw Failure(
        "an arm has no inertia, and workspace and manipulability have no weight or do not compare "
        "between planar arms and others; choose other weights or arms, or --estimate-inertia");
  }
  if (others > 0.0 || (sizes > 0.0 && sizes_compared)) return;
  throw Failure(sizes > 0.0
                    ? "--weight: only workspace and manipulability have a weight, and these "
                      "do not compare between planar arms and others: weigh something else"
                    : "--weight: every criterion has the weight 0; leave one above it");
}

// The inertia power array, n³ elements, decides how long it takes.
void require_affordable(const Chain& chain, int samples) {
  constexpr double kMost = 1e11;
  require_joints(chain, kMostReportedJoints, "compare");
  const double work = 0.1 * samples * std::pow(static_cast<double>(chain.joint_count()), 3);
  if (work <= kMost) return;
  throw Failure(
      fmt::format("--samples: {} postures of '{}' with {} joints take too long; give up to {:.0f}",
                  samples, chain.name(), chain.joint_count(), samples * kMost / work));
}

Json spread_json(const Spread& s) {
  return {{"least", s.least}, {"mean", s.mean}, {"most", s.most}, {"error", s.error}};
}

Json count_json(const OperationCount& count) {
  return {{"multiplications", count.multiplications}, {"additions", count.additions}};
}

Json arm_json(const ArmAssessment& arm, const Ranking::Place& place) {
  Json out = {{"robot", arm.name}, {"score", place.score}, {"why", place.why}};
  out["dynamics"] = arm.dynamics;
  out["gim"] = count_json(arm.gim);
  out["mci"] = count_json(arm.mci);
  out["inverse_dynamics_us"] = arm.microseconds;
  out["inverse_dynamics_us_error"] = arm.microseconds_error;
  out["inverse_dynamics"] = count_json(arm.timed);
  out["inverse_dynamics"]["sines_and_cosines"] = arm.timed_functions;
  out["workspace"] = {{"size", arm.workspace.size},
                      {"error", arm.workspace.error},
                      {"unit", arm.workspace.is_area ? "m2" : "m3"},
                      {"formula", arm.workspace.formula}};
  out["equal_lengths"] = nullptr;
  if (const auto& equal = arm.workspace.equal_lengths) {
    out["equal_lengths"] = {{"workspace", equal->workspace},
                            {"manipulability", equal->manipulability},
                            {"mean_manipulability", equal->mean_manipulability}};
  }
  out["manipulability"] = spread_json(arm.manipulability);
  out["condition"] = spread_json(arm.condition);
  out["dominance"] = spread_json(arm.dominance);
  out["peak_torque"] = to_json(arm.peak_torque);
  if (!arm.dynamics) {
    for (const char* key : {"gim", "mci", "inverse_dynamics_us", "inverse_dynamics_us_error",
                            "inverse_dynamics", "condition", "dominance", "peak_torque"}) {
      out[key] = nullptr;
    }
  }
  return out;
}

std::string size_text(const Workspace& w) {
  const char* unit = w.is_area ? "m²" : "m³";
  if (!w.formula.empty()) return fmt::format("{:.4g} {} = {}", w.size, unit, w.formula);
  return fmt::format("{:.3g} ± {:.1g} {} (sampled)", w.size, w.error, unit);
}

// Pads by what is seen, not by bytes.
std::string cell(const std::string& text, std::size_t width) {
  const std::size_t seen = letters(text);
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
    return fmt::format(
        "at most {:.3g} a{}, mean {:.3g}", arm.workspace.equal_lengths->manipulability,
        arm.workspace.is_area ? "" : "²", arm.workspace.equal_lengths->mean_manipulability);
  });
}

void print_costs(const std::vector<ArmAssessment>& arms) {
  const auto count = [](const OperationCount& c) {
    return fmt::format("{}M {}A", c.multiplications, c.additions);
  };
  print_row("GIM, operations for this arm", arms, [&](const auto& arm) { return count(arm.gim); });
  print_row("MCI, operations for this arm", arms, [&](const auto& arm) { return count(arm.mci); });
  print_row("inverse dynamics, for this arm", arms, [&](const auto& arm) {
    return fmt::format("{}, {} sin and cos", count(arm.timed), arm.timed_functions);
  });
  print_row("its time, µs", arms, [](const auto& arm) {
    return fmt::format("{:.3g} ± {:.1g}", arm.microseconds, arm.microseconds_error);
  });
}

void print_inertia_rows(const std::vector<ArmAssessment>& arms, double speed) {
  print_row("condition of M", arms, [](const auto& arm) { return spread_text(arm.condition); });
  print_row("diagonal dominance of M", arms,
            [](const auto& arm) { return dominance_text(arm.dominance); });
  print_row(fmt::format("peak torque at {:.3g} rad/s, m/s", speed), arms, [](const auto& arm) {
    return fmt::format("{:.3g} (largest of {})", arm.peak_torque.maxCoeff(),
                       arm.peak_torque.size());
  });
}

void print_tables(const std::vector<ArmAssessment>& arms, const Ranking& ranking, double speed) {
  const bool dynamics = arms.front().dynamics;
  print_row("", arms, [](const auto& arm) { return bold(arm.name); });
  if (dynamics) print_costs(arms);
  print_row("workspace of the tip", arms, [](const auto& arm) { return size_text(arm.workspace); });
  print_row("manipulability (min … mean … max)", arms,
            [](const auto& arm) { return spread_text(arm.manipulability); });
  print_equal_lengths(arms);
  if (dynamics) print_inertia_rows(arms, speed);
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

// Arms of one name are called as they were given.
std::vector<ArmAssessment> told_apart(std::vector<ArmAssessment> arms,
                                      const std::vector<std::string>& given) {
  std::map<std::string, int> bearers;
  for (const ArmAssessment& arm : arms) ++bearers[arm.name];
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (bearers[arms[i].name] > 1) arms[i].name = printable(given[i]);
  }
  return arms;
}

std::vector<ArmAssessment> assess_all(const CompareOptions& options) {
  std::vector<ChainPtr> chains;
  for (const std::string& robot : options.robots) {
    RobotOptions one = options.common;
    one.robot = robot;
    chains.push_back(one.load(Inertia::kIfThere));
    require_affordable(*chains.back(), options.selection.samples);
  }
  const InterruptGuard interrupt;
  Progress progress("comparing");
  SelectionOptions selection = options.selection;
  selection.progress = [&](double share) {
    if (InterruptGuard::requested()) throw Interrupted();
    progress.show(share);
  };
  return told_apart(assess(chains, selection), options.robots);
}

void run_compare(const CompareOptions& options) {
  const SelectionWeights weights = weights_from(options.weights);
  require_some_weight(weights, true, true);
  const std::vector<ArmAssessment> arms = assess_all(options);
  const Ranking ranking = rank(arms, weights, options.as_built);
  require_some_weight(weights, ranking.sizes_compared, arms.front().dynamics);
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
  command
      ->add_option("ROBOTS", options->robots, "URDF files; FILE:BASE:TIP names the ends of one arm")
      ->required()
      ->expected(1, 100);
  command->add_option("--base", options->common.base, "First link of every chain");
  command->add_option("--tip", options->common.tip, "Last link of every chain");
  options->common.add_estimate_to(*command);
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
      ->check(number_between(0.0, kLargestSpeed))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer("Example: dyn compare rp.urdf pr.urdf --weight time=0");
  command->callback([options] { run_compare(*options); });
}

}  // namespace dyn::tool
