// dyn excite: the motion that identifies an arm best within its limits.
#include <chrono>

#include <fmt/ranges.h>

#include "common.hpp"
#include "dyn_core/identify/excitation.hpp"
#include "limits.hpp"
#include "motion_file.hpp"
#include "output.hpp"
#include "progress.hpp"

namespace dyn::tool {
namespace {

struct ExciteOptions {
  RobotOptions robot;
  LimitShares shares;
  ExcitationOptions search;
  MotionOptions file;
  bool json = false;
};

/// What is said of the motion.
struct FoundMotion {
  const Chain& chain;
  const ExciteOptions& options;
  const MotionLimits& limits;
  const Excitation& best;
  double seconds;
  bool stopped;
};

Json excitation_json(const FoundMotion& result) {
  const auto& [chain, options, limits, best, seconds, stopped] = result;
  Json out = {{"robot", chain.name()},
              {"joints", chain.coordinate_names()},
              {"duration", options.search.shape.duration},
              {"period", options.search.shape.period},
              {"harmonics", options.search.shape.harmonics},
              {"seed", options.search.seed},
              {"parameters", best.information.parameters},
              {"condition", best.information.condition},
              {"log_det", best.information.log_det},
              {"start", to_json(VecXd(best.motion->coefficients().col(0)))},
              {"seconds", seconds},
              {"stopped", stopped},
              {"peaks", Json::array()}};
  for (Index i = 0; i < chain.dof(); ++i) {
    out["peaks"].push_back({{"joint", chain.coordinate_joint(i).name},
                            {"position", {best.peaks.lowest[i], best.peaks.highest[i]}},
                            {"velocity", best.peaks.velocity[i]},
                            {"acceleration", best.peaks.acceleration[i]},
                            {"torque", best.torque[i]},
                            {"allowed",
                             {{"position", {limits.lower[i], limits.upper[i]}},
                              {"velocity", limits.velocity[i]},
                              {"acceleration", limits.acceleration[i]},
                              {"torque", finite_or_null(limits.effort[i])}}}});
  }
  return out;
}

std::string excitation_text(const FoundMotion& result) {
  const auto& [chain, options, limits, best, seconds, stopped] = result;
  const FourierShape& shape = options.search.shape;
  std::string out = fmt::format(
      "{}, {:g} s of a Fourier series, period {:g} s, {} harmonics, seed {}: {} base parameters, "
      "log det {:.5g}, condition {:.4g}\n  {:<20}{:>17}{:>16}{:>16}{:>16}\n",
      chain.name(), shape.duration, shape.period, shape.harmonics, options.search.seed,
      best.information.parameters, best.information.log_det, best.information.condition,
      "peak / allowed", "position", "velocity", "acceleration", "torque");
  for (Index i = 0; i < chain.dof(); ++i) {
    const auto of = [](double peak, double allowed) {
      return fmt::format("{:.3g} / {:.3g}", peak, allowed);
    };
    out += fmt::format("  {:<20}{:>17}{:>16}{:>16}{:>16}\n", chain.coordinate_joint(i).name,
                       fmt::format("{:.3g} … {:.3g}", best.peaks.lowest[i], best.peaks.highest[i]),
                       of(best.peaks.velocity[i], limits.velocity[i]),
                       of(best.peaks.acceleration[i], limits.acceleration[i]),
                       of(best.torque[i], limits.effort[i]));
  }
  return out +
         fmt::format(
             "  begins and ends at rest at q = {:.4g}\n"
             "  of obstacles, and of where the arm meets itself, it knows nothing: look at it "
             "first\n",
             fmt::join(best.motion->coefficients().col(0), ","));
}

// Motions go to a file, or to stdout with what is said of them on stderr.
void write_result(const ExciteOptions& options, const FoundMotion& result) {
  const std::string& output = options.file.output;
  const bool to_stdout = output.empty() || output == "-";
  if (!to_stdout || !options.json) {
    write_motion(to_stdout ? "-" : output, result.chain, *result.best.motion, options.file.step);
  }
  if (options.json) {
    fmt::print("{}\n", excitation_json(result).dump(2));
  } else if (to_stdout) {
    put_on_stderr(excitation_text(result));
  } else {
    fmt::print("{}", excitation_text(result));
  }
}

void run_excite(const ExciteOptions& options) {
  constexpr Index kMostJoints = 30;
  const ChainPtr chain = options.robot.load();
  require_joints(*chain, kMostJoints, "excite");
  MotionLimits limits = motion_limits(*chain, options.shares);
  for (const std::string& sentence : limits.assumed) say("{}", sentence);
  limits.acceleration = options.file.accelerations(*chain, limits.acceleration);
  const InterruptGuard interrupt;
  const auto start = std::chrono::steady_clock::now();
  ExcitationOptions search = options.search;
  Progress progress(chain->name());
  search.proceed = [&](double share) {
    progress.show(share);
    return !InterruptGuard::requested();
  };
  const Excitation best = require(excite(chain, limits, search));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const FoundMotion result{*chain, options,         limits,
                           best,   elapsed.count(), InterruptGuard::requested()};
  if (!options.file.pictures.empty()) {
    draw_motion(options.file.pictures,
                fmt::format("{}, a motion that tells {} base parameters", chain->name(),
                            best.information.parameters),
                chain, *best.motion, {limits.velocity, limits.acceleration, limits.effort});
  }
  write_result(options, result);
  if (result.stopped) throw Interrupted();
}

void add_shares(CLI::App& command, LimitShares& shares) {
  add_share(command, "--range", shares.range,
            "Share of the joints' ranges that may be used, about the middle");
  add_share(command, "--speed", shares.speed, "Share of the velocity limits");
  add_share(command, "--torque", shares.effort, "Share of the effort limits, by the model");
}

}  // namespace

void add_excite(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("excite", "A motion that identifies the arm best within its limits");
  auto options = std::make_shared<ExciteOptions>();
  FourierShape& shape = options->search.shape;
  options->robot.add_to(*command);
  options->file.add_to(*command, " instead of to standard output",
                       "full speed in 0.5 s, 10 at most");
  command->add_option("--duration", shape.duration, "s")
      ->check(number_between(0.1, 3600.0))
      ->capture_default_str();
  command->add_option("--period", shape.period, "Of the Fourier series, s")
      ->check(number_between(0.1, 3600.0))
      ->capture_default_str();
  command->add_option("--harmonics", shape.harmonics, "Of the Fourier series")
      ->check(number_between(1, 20))
      ->capture_default_str();
  add_shares(*command, options->shares);
  command->add_option("--seed", options->search.seed, "Of the random motions that it starts from")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer(
      "Columns: t, q_1…, qd_1…, qdd_1…. Ctrl-C ends the search with the best motion so far.\n"
      "Example: dyn excite arm7 -o motion.csv --pictures motion.svg");
  command->callback([options] { run_excite(*options); });
}

}  // namespace dyn::tool
