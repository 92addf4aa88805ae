// dyn time: a path as fast as the arm can follow it.
#include <chrono>

#include "common.hpp"
#include "dyn_core/motion/timing.hpp"
#include "dyn_core/solver.hpp"
#include "limits.hpp"
#include "motion_file.hpp"

namespace dyn::tool {
namespace {

struct TimeOptions {
  RobotOptions robot;
  std::string path;
  MotionOptions file;
  double speed = 1.0, effort = 1.0;
  bool json = false;
};

/// The most that every joint does along the motion, and the share of the time at a limit.
struct MotionPeaks {
  VecXd velocity, acceleration, effort;
  double at_limit = 0.0;
};

MotionPeaks peaks_of(const ChainPtr& chain, const Trajectory& motion, const TimingLimits& limits) {
  constexpr double kSamples = 4000.0, kAtLimit = 0.97;
  Solver solver = require(Solver::make(chain));
  solver.set_friction(true);
  VecXd tau = VecXd::Zero(chain->dof());
  MotionPeaks peaks{tau, tau, tau};
  each_sample(motion, motion.duration() / kSamples, [&](const MotionSample& s) {
    require(solver.inverse_dynamics(s.q, s.qd, s.qdd, tau), "the motion's torques");
    peaks.velocity = peaks.velocity.cwiseMax(s.qd.cwiseAbs());
    peaks.acceleration = peaks.acceleration.cwiseMax(s.qdd.cwiseAbs());
    peaks.effort = peaks.effort.cwiseMax(tau.cwiseAbs());
    const auto share = [](const VecXd& of, const VecXd& limit) {
      return (of.array().abs() / limit.array()).maxCoeff();
    };
    const double most = std::max({share(s.qd, limits.velocity), share(tau, limits.effort),
                                  share(s.qdd, limits.acceleration)});
    if (most > kAtLimit) peaks.at_limit += 1.0 / kSamples;
  });
  return peaks;
}

Json timing_json(const Chain& chain, const Trajectory& motion, const MotionPeaks& peaks,
                 const TimingLimits& limits, double seconds) {
  Json out = {{"robot", chain.name()},
              {"joints", chain.coordinate_names()},
              {"duration", motion.duration()},
              {"at_limit", peaks.at_limit},
              {"seconds", seconds},
              {"peaks", Json::array()}};
  for (Index i = 0; i < chain.dof(); ++i) {
    out["peaks"].push_back({{"joint", chain.coordinate_joint(i).name},
                            {"velocity", peaks.velocity[i]},
                            {"acceleration", peaks.acceleration[i]},
                            {"torque", peaks.effort[i]},
                            {"allowed",
                             {{"velocity", finite_or_null(limits.velocity[i])},
                              {"acceleration", finite_or_null(limits.acceleration[i])},
                              {"torque", finite_or_null(limits.effort[i])}}}});
  }
  return out;
}

void print_timing(const Chain& chain, const Trajectory& motion, const MotionPeaks& peaks,
                  const TimingLimits& limits) {
  fmt::print("{}: {:.4g} s, {:.0f} % of it at a limit\n  {:<20}{:>18}{:>18}{:>18}\n", chain.name(),
             motion.duration(), 100.0 * peaks.at_limit, "peak / allowed", "velocity",
             "acceleration", "torque");
  for (Index i = 0; i < chain.dof(); ++i) {
    const auto of = [](double peak, double allowed) {
      return fmt::format("{:.3g} / {:.3g}", peak, allowed);
    };
    fmt::print("  {:<20}{:>18}{:>18}{:>18}\n", chain.coordinate_joint(i).name,
               of(peaks.velocity[i], limits.velocity[i]),
               of(peaks.acceleration[i], limits.acceleration[i]),
               of(peaks.effort[i], limits.effort[i]));
  }
}

TimingLimits timing_limits(const Chain& chain, const TimeOptions& options) {
  TimingLimits limits(chain);
  limits.velocity *= options.speed;
  limits.effort *= options.effort;
  limits.acceleration = options.file.accelerations(chain, limits.acceleration);
  if (limits.velocity.allFinite() || limits.effort.allFinite() || limits.acceleration.allFinite()) {
    return limits;
  }
  throw Failure(
      "the robot's description has neither velocity nor effort limits for every joint, and without "
      "limits there is no fastest motion: give --acceleration");
}

void run_time(const TimeOptions& options) {
  constexpr Index kMostJoints = 100;
  if (options.json && options.file.output == "-") {
    throw Failure("--json and --output - both write to standard output; name a file");
  }
  const ChainPtr chain = options.robot.load();
  require_joints(*chain, kMostJoints, "time");
  const TrajectoryPtr path =
      require(path_from_csv(text_of_file(options.path, "PATH"), chain->dof()));
  if (auto within = within_position_limits(*chain, *path); !within) {
    throw Failure(within.error().sentence);
  }
  const TimingLimits limits = timing_limits(*chain, options);
  const auto start = std::chrono::steady_clock::now();
  const TrajectoryPtr motion = require(fastest(chain, path, limits));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const MotionPeaks peaks = peaks_of(chain, *motion, limits);
  if (!options.file.output.empty())
    write_motion(options.file.output, *chain, *motion, options.file.step);
  if (!options.file.pictures.empty()) {
    draw_motion(options.file.pictures, chain->name() + ", a path as fast as the limits allow",
                chain, *motion, {limits.velocity, limits.acceleration, limits.effort});
  }
  if (options.json) {
    fmt::print("{}\n", timing_json(*chain, *motion, peaks, limits, seconds.count()).dump(2));
  } else if (options.file.output != "-") {
    print_timing(*chain, *motion, peaks, limits);
  }
}

}  // namespace

void add_time(CLI::App& app) {
  CLI::App* command = app.add_subcommand("time", "A path as fast as the arm can follow it");
  auto options = std::make_shared<TimeOptions>();
  options->robot.add_to(*command);
  command
      ->add_option("PATH", options->path,
                   "CSV: the postures on the way, a line of positions each, joined by a spline")
      ->required();
  options->file.add_to(*command, "", "none");
  add_share(*command, "--speed", options->speed, "Share of the velocity limits");
  add_share(*command, "--torque", options->effort, "Share of the effort limits, by the model");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer("Example: dyn time arm7 path.csv -o motion.yaml --torque 0.8");
  command->callback([options] { run_time(*options); });
}

}  // namespace dyn::tool
