// dyn excite: the motion that identifies an arm best within its limits.
#include <chrono>
#include <cmath>
#include <iterator>

#include "common.hpp"
#include "dyn_core/identify/excitation.hpp"
#include "dyn_core/solver.hpp"
#include "limits.hpp"
#include "output.hpp"
#include "plot.hpp"
#include "progress.hpp"

namespace dyn::tool {
namespace {

struct ExciteOptions {
  RobotOptions robot;
  LimitShares shares;
  ExcitationOptions search;
  std::string acceleration, output, pictures;
  double step = 0.01;
  bool json = false;
};

/// What is said of the motion.
struct ExciteResult {
  const Chain& chain;
  const ExciteOptions& options;
  const MotionLimits& limits;
  const Excitation& best;
  double seconds;
  bool stopped;
};

struct MotionSample {
  double time;
  VecXd q, qd, qdd;
};

// `take` is called with every sample, the last at the end of the motion.
template <class Take>
void each_sample(const Trajectory& motion, double step, const Take& take) {
  MotionSample s{0.0, VecXd(motion.dof()), VecXd(motion.dof()), VecXd(motion.dof())};
  const double count = std::ceil(motion.duration() / step - 1e-9);
  for (double i = 0.0; i <= count; ++i) {
    s.time = std::min(i * step, motion.duration());
    require(motion.evaluate(s.time, s.q, s.qd, s.qdd), "the motion");
    take(s);
  }
}

void write_csv(const Trajectory& motion, double step, OutputFile& file) {
  std::string line = "t";
  for (const char* name : {"q", "qd", "qdd"}) {
    for (Index i = 1; i <= motion.dof(); ++i) line += fmt::format(",{}_{}", name, i);
  }
  file.write(line + "\n");
  each_sample(motion, step, [&](const MotionSample& s) {
    line = fmt::format("{}", s.time);
    for (const VecXd* values : {&s.q, &s.qd, &s.qdd}) {
      fmt::format_to(std::back_inserter(line), ",{}", fmt::join(*values, ","));
    }
    file.write(line + "\n");
  });
}

// trajectory_msgs/JointTrajectory.
void write_yaml(const Chain& chain, const Trajectory& motion, double step, OutputFile& file) {
  file.write(fmt::format("joint_names: {}\npoints:\n", Json(chain.coordinate_names()).dump()));
  each_sample(motion, step, [&](const MotionSample& s) {
    const auto nanoseconds = static_cast<std::int64_t>(std::llround(1e9 * s.time));
    file.write(
        fmt::format("- positions: [{}]\n  velocities: [{}]\n  accelerations: [{}]\n"
                    "  time_from_start: {{sec: {}, nanosec: {}}}\n",
                    fmt::join(s.q, ", "), fmt::join(s.qd, ", "), fmt::join(s.qdd, ", "),
                    nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000));
  });
}

void write_motion(const ExciteResult& result) {
  const ExciteOptions& options = result.options;
  if (options.output.empty() && options.json) return;
  const std::string path = options.output.empty() ? "-" : options.output;
  OutputFile file("--output", path);
  if (path.ends_with(".yaml") || path.ends_with(".yml")) {
    write_yaml(result.chain, *result.best.motion, options.step, file);
  } else {
    write_csv(*result.best.motion, options.step, file);
  }
  file.finish();
}

// Of each joint the positions, and how much of the limits is used.
void write_pictures(const ExciteResult& result, const ChainPtr& chain) {
  if (result.options.pictures.empty()) return;
  Picture picture{.title = fmt::format("{}, a motion that tells {} base parameters", chain->name(),
                                       result.best.information.parameters),
                  .charts = {},
                  .columns = 2};
  for (Index i = 0; i < chain->dof(); ++i) {
    const Joint& joint = chain->coordinate_joint(i);
    picture.charts.push_back({.title = joint.name,
                              .x_label = "time, s",
                              .y_label = joint.is_prismatic() ? "position, m" : "position, rad",
                              .curves = {{"motion", {}, {}}}});
    picture.charts.push_back(
        {.title = joint.name + ", share of what may be used",
         .x_label = "time, s",
         .y_label = "",
         .curves = {{"velocity", {}, {}}, {"acceleration", {}, {}}, {"torque", {}, {}}},
         .y_range = {{-1.05, 1.05}}});
  }
  Solver solver = require(Solver::make(chain));
  solver.set_friction(true);
  VecXd tau(chain->dof());
  each_sample(
      *result.best.motion, result.best.motion->duration() / 1000.0, [&](const MotionSample& s) {
        require(solver.inverse_dynamics(s.q, s.qd, s.qdd, tau), "the motion's torques");
        for (Index i = 0; i < chain->dof(); ++i) {
          const auto add = [&](std::size_t chart, std::size_t curve, double value) {
            Curve& c = picture.charts[2 * static_cast<std::size_t>(i) + chart].curves[curve];
            c.x.push_back(s.time);
            c.y.push_back(value);
          };
          add(0, 0, s.q[i]);
          add(1, 0, s.qd[i] / result.limits.velocity[i]);
          add(1, 1, s.qdd[i] / result.limits.acceleration[i]);
          add(1, 2, tau[i] / result.limits.effort[i]);
        }
      });
  OutputFile file("--pictures", result.options.pictures);
  file.write(to_svg(picture));
  file.finish();
}

Json result_json(const ExciteResult& result) {
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

std::string summary(const ExciteResult& result) {
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

void run_excite(const ExciteOptions& options) {
  constexpr Index kMostJoints = 30;
  const ChainPtr chain = options.robot.load();
  require_joints(*chain, kMostJoints, "excite");
  MotionLimits limits = motion_limits(*chain, options.shares);
  for (const std::string& sentence : limits.assumed) say("{}", sentence);
  if (!options.acceleration.empty()) {
    limits.acceleration = coordinates(options.acceleration, "--acceleration", *chain);
    if (!(limits.acceleration.minCoeff() > 0.0))
      throw Failure("--acceleration: each must be above 0");
  }
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
  const ExciteResult result{*chain, options,         limits,
                            best,   elapsed.count(), InterruptGuard::requested()};
  write_motion(result);
  write_pictures(result, chain);
  if (options.json) {
    fmt::print("{}\n", result_json(result).dump(2));
  } else if (options.output.empty() || options.output == "-") {
    put_on_stderr(summary(result));
  } else {
    fmt::print("{}", summary(result));
  }
  if (result.stopped) throw Interrupted();
}

void add_limits(CLI::App& command, ExciteOptions& options) {
  const auto share = [&](const char* name, double& value, const char* text) {
    command.add_option(name, value, text)->check(number_between(1e-3, 1.0))->capture_default_str();
  };
  share("--range", options.shares.range,
        "Share of the joints' ranges that may be used, about the middle");
  share("--speed", options.shares.speed, "Share of the velocity limits");
  share("--torque", options.shares.effort, "Share of the effort limits, by the model");
  command
      .add_option("--acceleration", options.acceleration,
                  "Limits in rad/s² or m/s² (default: full speed in 0.5 s, 10 at most)")
      ->type_name("A,B,...");
}

}  // namespace

void add_excite(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("excite", "A motion that identifies the arm best within its limits");
  auto options = std::make_shared<ExciteOptions>();
  FourierShape& shape = options->search.shape;
  options->robot.add_to(*command);
  command->add_option("-o,--output", options->output,
                      "Write the motion here instead of to standard output: .csv, or .yaml for a\n"
                      "trajectory_msgs/JointTrajectory");
  command->add_option("--duration", shape.duration, "s")
      ->check(number_between(0.1, 3600.0))
      ->capture_default_str();
  command->add_option("--period", shape.period, "Of the Fourier series, s")
      ->check(number_between(0.1, 3600.0))
      ->capture_default_str();
  command->add_option("--harmonics", shape.harmonics, "Of the Fourier series")
      ->check(number_between(1, 20))
      ->capture_default_str();
  add_limits(*command, *options);
  command->add_option("--step", options->step, "Time between the samples that are written, s")
      ->check(number_between(1e-4, 1.0))
      ->capture_default_str();
  command->add_option("--seed", options->search.seed, "Of the random motions that it starts from")
      ->capture_default_str();
  command
      ->add_option("--pictures,--svg", options->pictures,
                   "Draw the positions, and how much of the limits is used")
      ->type_name("FILE.svg");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer(
      "Columns: t, q_1…, qd_1…, qdd_1…. Ctrl-C ends the search with the best motion so far.\n"
      "Example: dyn excite arm7 -o motion.csv --pictures motion.svg");
  command->callback([options] { run_excite(*options); });
}

}  // namespace dyn::tool
