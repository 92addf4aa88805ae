// dyn track: closed loop on a simulated arm with delay, wrong payload and wrong friction; what the
// control laws, the prediction and the observer make of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include <fmt/format.h>

#include "common.hpp"
#include "dyn_core/control/tracking.hpp"
#include "limits.hpp"
#include "progress.hpp"
#include "report_data.hpp"
#include "samples_file.hpp"
#include "sines.hpp"

namespace dyn::tool {
namespace {

struct TrackOptions {
  RobotOptions robot;
  std::string law = "computed_torque", predict, observer, trajectory = "cycloid";
  std::string payload_error = "0", friction_error = "0";
  double delay_ms = 4.0, duration = 3.0, rate = 1000.0, frequency = 20.0, damping = 1.0;
  std::string noise = "0,0", push, stiffness, drives = "torque", csv;
  double targets = 0.0;
  bool drives_lift = false;
  bool json = false;
};

enum class Observer { kOff, kCorrect, kReject };
constexpr std::array<const char*, 3> kObservers = {"off", "correct", "reject"};

/// One line of the table.
struct Variant {
  Law law;
  bool predict;
  Observer observer;
};

struct Outcome {
  Variant variant;
  TrackingReport report;
};

/// "30" and "30 %" are 0.3.
double percent(std::string text, const std::string& option) {
  if (text.ends_with('%')) text.pop_back();
  const std::vector<double> values = numbers(text, option);
  if (values.size() != 1 || values[0] <= -100.0 || values[0] > 1e6) {
    throw Failure(fmt::format("{}: '{}' is not a percentage above -100, up to 1e6", option, text));
  }
  return 0.01 * values[0];
}

/// What is run, made from the command line.
struct TrackSetup {
  explicit TrackSetup(const TrackOptions& options)
      : chain(options.robot.load()),
        payload_error(percent(options.payload_error, "--payload-error")),
        friction_error(percent(options.friction_error, "--friction-error")),
        truth(scale_inertia(*chain, 1.0, 1.0 + payload_error)),
        excursion(excursion_of(*chain)),
        noise(numbers(options.noise, "--noise")) {
    if (noise.empty() || noise.size() > 3) {
      throw Failure("--noise: give one number or up to three, Q,QD,TAU");
    }
    noise.resize(3, 0.0);
    if (options.trajectory == "cycloid") {
      duration = motion_duration(*chain, excursion, options.duration);
      trajectory = require(cycloid(excursion.from, excursion.to, duration));
    } else {
      duration = options.duration;
      // Forth alone, half a period, a sine needs π/4 of the cycloid's time for the same peak speed.
      const double period = 0.5 * std::numbers::pi * unhurried(*chain, excursion, 1.0);
      trajectory = std::make_shared<const Sines>(excursion, period, duration);
    }
  }

  ChainPtr chain;
  double payload_error, friction_error;
  ChainPtr truth;
  Excursion excursion;
  std::vector<double> noise;
  double duration = 0.0;
  TrajectoryPtr trajectory;
};

// Integration steps of one update with prediction, each as dear as the joints squared.
double steps_of_update(const TrackOptions& options) {
  constexpr double kPlantStep = 2.5e-4, kPredictorStep = 1e-3;
  const double delay = 1e-3 * options.delay_ms;
  return 1.0 / (options.rate * kPlantStep) + delay / kPredictorStep + delay * options.rate + 10.0;
}

void require_affordable(const TrackOptions& options, const TrackSetup& setup,
                        std::size_t variants) {
  constexpr double kMost = 1e10;
  const auto joints = static_cast<double>(setup.chain->joint_count());
  const double updates = setup.duration * options.rate * static_cast<double>(variants);
  const double work = updates * steps_of_update(options) * joints * joints;
  if (work <= kMost) return;
  throw Failure(fmt::format(
      "{} runs of {:.4g} s at {:g} Hz with a delay of {:g} ms on {} joints are {:.2g} times what "
      "track "
      "takes on: shorten --duration, lower --rate or --delay-ms, or choose fewer joints",
      variants, setup.duration, options.rate, options.delay_ms, joints, work / kMost));
}

Observer observer_named(const std::string& name) {
  const auto found = std::find(kObservers.begin(), kObservers.end(), name);
  return static_cast<Observer>(found - kObservers.begin());
}

// PD alone first; then, for each law, plain, with prediction, with the disturbance rejected as well.
std::vector<Variant> variants(const TrackOptions& options) {
  std::vector<Variant> out;
  std::vector<Law> laws;
  if (options.law != "all") laws.push_back(require(control_law_named(options.law)));
  for (const LawEntry& entry : control_laws()) {
    if (options.law == "all" && entry.follows != Follows::kNothing) laws.push_back(entry.law);
  }
  if (entry_of(laws.front()).follows != Follows::kNothing) {
    out.push_back({Law::kPd, false, Observer::kOff});
  }
  for (const Law law : laws) {
    for (const Observer usual : {Observer::kOff, Observer::kCorrect, Observer::kReject}) {
      Variant variant{law, usual != Observer::kOff, usual};
      if (!options.predict.empty() && variant.predict != (options.predict == "on")) continue;
      if (!options.observer.empty()) variant.observer = observer_named(options.observer);
      const bool known = std::any_of(out.begin(), out.end(), [&](const Variant& other) {
        return other.law == variant.law && other.predict == variant.predict &&
               other.observer == variant.observer;
      });
      if (!known) out.push_back(variant);
    }
  }
  return out;
}

// What the arm's user does: pushes, chooses a stiffness, lets the drives close the loop.
void add_hands(const TrackOptions& options, const TrackSetup& setup, const Variant& variant,
               TrackingParameters& out) {
  ControlParameters& law = out.controller.law;
  if (!options.push.empty()) {
    const std::vector<double> push = numbers(options.push, "--push");
    if (push.size() != 3) throw Failure("--push: give three numbers, X,Y,Z");
    out.push = {push[0], push[1], push[2]};
  }
  if (!options.stiffness.empty()) {
    const std::vector<double> k = numbers(options.stiffness, "--stiffness");
    if (k.size() != 2) throw Failure("--stiffness: give two numbers, N/m and N m/rad");
    law.task.stiffness << Vec3d::Constant(k[0]), Vec3d::Constant(k[1]);
  }
  law.task.frequency.setConstant(options.frequency);
  law.task.damping_ratio.setConstant(options.damping);
  if (variant.law == Law::kGravity && variant.observer == Observer::kReject) {
    constexpr double kBiasTime = 0.2;
    law.guiding.bias_time = kBiasTime;
  }
  if (options.drives == "torque" || !entry_of(variant.law).follows_joints()) return;
  const Index n = setup.chain->dof();
  Solver solver = require(Solver::make(setup.chain));
  const Gains gains = require(gains_from_frequency(Law::kPd, solver, setup.excursion.middle,
                                                   VecXd::Constant(n, options.frequency),
                                                   VecXd::Constant(n, options.damping)));
  law.drive_kp = gains.kp;
  law.drive_kd = gains.kd;
  law.gains = Gains(n);
}

TrackingParameters parameters_of(const TrackOptions& options, const TrackSetup& setup,
                                 const Variant& variant) {
  const Index n = setup.chain->dof();
  TrackingParameters out(*setup.chain);
  ControllerParameters& controller = out.controller;
  Solver solver = require(Solver::make(setup.chain));
  controller.law.law = variant.law;
  controller.law.period = 1.0 / options.rate;
  controller.law.gains = require(gains_from_frequency(variant.law, solver, setup.excursion.middle,
                                                      VecXd::Constant(n, options.frequency),
                                                      VecXd::Constant(n, options.damping)));
  controller.law.antiwindup_time = std::max(controller.law.antiwindup_time, controller.law.period);
  controller.delay = out.plant.delay = 1e-3 * options.delay_ms;
  controller.predict = variant.predict;
  controller.observe = variant.observer != Observer::kOff;
  controller.reject_disturbance = variant.observer == Observer::kReject;
  out.plant.model.friction_scale = 1.0 + setup.friction_error;
  out.plant.position_noise = setup.noise[0];
  out.plant.velocity_noise = setup.noise[1];
  out.plant.drive_compensates_gravity = options.drives_lift;
  controller.law.hardware_compensates_gravity = options.drives_lift;
  out.targets = entry_of(variant.law).follows == Follows::kTip ? options.targets : 0.0;
  add_hands(options, setup, variant, out);
  return out;
}

/// Of the last run, as a driver would have logged it.
class TrackLog {
 public:
  TrackLog(const TrackOptions& options, const TrackSetup& setup) : noise_(setup.noise[2]) {
    if (!options.csv.empty()) file_.emplace(options.csv, setup.chain->dof());
  }
  [[nodiscard]] bool wanted() const { return file_.has_value(); }
  void take(const TrackingSample& sample) {
    tau_ = sample.output.torque;
    if (noise_ > 0.0) {
      // Of twelve evenly spread numbers, nearly a normal one.
      for (double& value : tau_) value += noise_ * random_.vector(12, 1.0 / 2.0).sum();
    }
    file_->write(sample.time, sample.measured.q, sample.measured.qd, tau_);
  }
  void finish() {
    if (file_) file_->finish();
  }

 private:
  double noise_;
  std::optional<SamplesFile> file_;
  Random random_{kSeed};
  VecXd tau_;
};

std::vector<Outcome> run_all(const TrackOptions& options, const TrackSetup& setup,
                             const std::vector<Variant>& all) {
  std::vector<Outcome> out;
  TrackLog log(options, setup);
  const InterruptGuard interrupt;
  Progress progress(setup.chain->name());
  for (const Variant& variant : all) {
    TrackingCallbacks callbacks;
    callbacks.proceed = [&](double time) {
      progress.show((static_cast<double>(out.size()) + time / setup.duration) /
                    static_cast<double>(all.size()));
      return !InterruptGuard::requested();
    };
    if (log.wanted() && &variant == &all.back()) {
      callbacks.sample = [&](const TrackingSample& sample) { log.take(sample); };
    }
    TrackingReport report = require(track(setup.chain, setup.truth, *setup.trajectory,
                                          parameters_of(options, setup, variant), callbacks));
    if (report.stopped) break;
    out.push_back({variant, std::move(report)});
  }
  if (out.size() == all.size()) log.finish();
  return out;
}

// ---- printing ------------------------------------------------------------------------------------

std::string title(const Variant& variant, bool first_of_law) {
  if (first_of_law && !variant.predict && variant.observer == Observer::kOff) {
    return std::string(entry_of(variant.law).name);
  }
  std::string text = first_of_law ? fmt::format("{} ", entry_of(variant.law).name) : "  ";
  text += variant.predict ? "+ prediction" : "+ observer";
  if (variant.observer == Observer::kCorrect) text += variant.predict ? " with observer" : "";
  const bool guided = variant.law == Law::kGravity;
  if (variant.observer == Observer::kReject) text += guided ? ", bias let in" : ", load cancelled";
  return text;
}

std::vector<std::string> titles(const std::vector<Outcome>& outcomes) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Law law = outcomes[i].variant.law;
    out.push_back(title(outcomes[i].variant, i == 0 || law != outcomes[i - 1].variant.law));
  }
  return out;
}

void print_head(const TrackOptions& options, const TrackSetup& setup) {
  const Chain& chain = *setup.chain;
  const double mass = chain.links().back().body.mass;
  fmt::print("{}  {} -> {}, {} coordinates\n", bold(chain.name()), chain.base(), chain.tip(),
             chain.dof());
  fmt::print("  {} of {:.3g} s, control at {:g} Hz, {:g} ms until a torque acts\n",
             options.trajectory, setup.duration, options.rate, options.delay_ms);
  fmt::print("  natural frequency {:g} rad/s, damping ratio {:g}\n", options.frequency,
             options.damping);
  fmt::print("  the arm's last link with all it carries: {:.4g} kg, in the model {:.4g} kg\n",
             mass * (1.0 + setup.payload_error), mass);
  fmt::print("  the arm's friction: {:.4g} times the model's\n\n", 1.0 + setup.friction_error);
}

// How many times smaller `b` is than `a`; nothing where both are zero.
std::string times_smaller(double a, double b, int digits) {
  return b > 0.0 ? fmt::format("{:.{}g}", a / b, digits) : "-";
}

std::string milli(double x) { return fmt::format("{:.{}f}", 1e3 * x, x < 0.1 ? 3 : 1); }

void print_totals(const std::vector<Outcome>& outcomes, const std::vector<std::string>& names) {
  fmt::print("{}\n", bold("Tracking error |q_d - q| (1/1000 rad or m)"));
  fmt::print("  {:<44}{:>10}{:>10}{:>12}{:>11}{:>12}\n", "", "RMS", "peak", "better by",
             "saturated", "update");
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const TrackingReport& report = outcomes[i].report;
    fmt::print("  {:<44}{:>10}{:>10}{:>12}{:>9.1f} %{:>9.1f} µs\n", names[i],
               milli(report.rms_norm), milli(report.peak_norm),
               times_smaller(outcomes.front().report.rms_norm, report.rms_norm, 4),
               100.0 * report.saturated, 1e6 * report.mean_update);
  }
}

// The tip, where a law follows it or nothing at all.
void print_tip(const std::vector<Outcome>& outcomes, const std::vector<std::string>& names,
               bool guided) {
  fmt::print("{}\n",
             bold(guided ? "The tip, left to hands (mm)" : "Tip error, RMS / peak (mm, mrad)"));
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const TrackingReport& r = outcomes[i].report;
    if (guided) {
      fmt::print("  {:<44} {:>10} by the end of the push, {} in the last quarter of the run\n",
                 names[i], milli(r.pushed), milli(r.drift));
      continue;
    }
    fmt::print("  {:<44} {:>18} {:>18}", names[i], milli(r.tip_rms) + " / " + milli(r.tip_peak),
               milli(r.turn_rms) + " / " + milli(r.turn_peak));
    const double kept = r.kept.minCoeff();
    if (kept < 1.0) fmt::print("  a direction kept to {:.0f} %", 100.0 * kept);
    if (r.failures > 0)
      fmt::print("  braked by a fault in {} of {} updates", r.failures, r.updates);
    fmt::print("\n");
  }
  if (guided) return;
  fmt::print("\n");
}

void print_joints(const std::vector<Outcome>& outcomes, const std::vector<std::string>& names,
                  const Chain& chain) {
  constexpr Index kMostColumns = 8;
  for (Index first = 0; first < chain.dof(); first += kMostColumns) {
    const Index last = std::min(chain.dof(), first + kMostColumns);
    fmt::print("\n{}\n  {:<44}", bold("Each joint, RMS / peak (mrad, prismatic: mm)"), "");
    for (Index k = first; k < last; ++k) {
      const std::string& joint = chain.coordinate_names()[static_cast<std::size_t>(k)];
      fmt::print(" {:>15.15}", joint);
    }
    fmt::print("\n");
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      fmt::print("  {:<44}", names[i]);
      for (Index k = first; k < last; ++k) {
        const TrackingReport& report = outcomes[i].report;
        fmt::print(" {:>15}", milli(report.rms[k]) + "/" + milli(report.peak[k]));
      }
      fmt::print("\n");
    }
  }
}

void print_verdict(const std::vector<Outcome>& outcomes) {
  for (const Outcome& plain : outcomes) {
    if (plain.variant.predict || plain.variant.law == Law::kPd) continue;
    for (const Outcome& other : outcomes) {
      if (other.variant.law != plain.variant.law || !other.variant.predict) continue;
      if (!(other.report.rms_norm > 0.0)) continue;
      fmt::print("\n{}: {} divides the RMS error by {}", entry_of(plain.variant.law).name,
                 title(other.variant, false).substr(4),
                 times_smaller(plain.report.rms_norm, other.report.rms_norm, 3));
    }
  }
  fmt::print("\n");
}

Json outcome_json(const Outcome& outcome) {
  const TrackingReport& report = outcome.report;
  return {{"law", std::string(entry_of(outcome.variant.law).name)},
          {"predict", outcome.variant.predict},
          {"observer", kObservers[static_cast<std::size_t>(outcome.variant.observer)]},
          {"rms", to_json(report.rms)},
          {"peak", to_json(report.peak)},
          {"rms_norm", report.rms_norm},
          {"peak_norm", report.peak_norm},
          {"tip_rms", report.tip_rms},
          {"tip_peak", report.tip_peak},
          {"turn_rms", report.turn_rms},
          {"turn_peak", report.turn_peak},
          {"kept", to_json(VecXd(report.kept))},
          {"pushed", report.pushed},
          {"drift", report.drift},
          {"torque_rms", to_json(report.torque_rms)},
          {"torque_peak", to_json(report.torque_peak)},
          {"saturated", report.saturated},
          {"prediction_rms", report.prediction_rms},
          {"mean_update", report.mean_update},
          {"worst_update", report.worst_update},
          {"updates", report.updates},
          {"failures", report.failures}};
}

Json result_json(const TrackOptions& options, const TrackSetup& setup,
                 const std::vector<Outcome>& outcomes) {
  Json out = {{"robot", setup.chain->name()},
              {"joints", setup.chain->coordinate_names()},
              {"trajectory", options.trajectory},
              {"duration", setup.duration},
              {"rate", options.rate},
              {"delay", 1e-3 * options.delay_ms},
              {"payload_error", setup.payload_error},
              {"friction_error", setup.friction_error},
              {"frequency", options.frequency},
              {"damping_ratio", options.damping},
              {"results", Json::array()}};
  for (const Outcome& outcome : outcomes) out["results"].push_back(outcome_json(outcome));
  return out;
}

void run_track(const TrackOptions& options) {
  const TrackSetup setup(options);
  const std::vector<Variant> wanted = variants(options);
  require_affordable(options, setup, wanted.size());
  const std::vector<Outcome> outcomes = run_all(options, setup, wanted);
  if (options.json) {
    fmt::print("{}\n", result_json(options, setup, outcomes).dump(2));
  } else if (!outcomes.empty()) {
    const std::vector<std::string> names = titles(outcomes);
    print_head(options, setup);
    const Follows follows = entry_of(outcomes.back().variant.law).follows;
    if (follows != Follows::kJoints) print_tip(outcomes, names, follows == Follows::kNothing);
    if (follows == Follows::kNothing) return;
    print_totals(outcomes, names);
    print_joints(outcomes, names, *setup.chain);
    print_verdict(outcomes);
  }
  if (outcomes.size() < wanted.size()) throw Interrupted();
}

void add_arm(CLI::App& command, TrackOptions& options) {
  command.add_option("--delay-ms", options.delay_ms, "From the measurement to the torque, ms")
      ->check(number_between(0.0, 1000.0))
      ->capture_default_str();
  command
      .add_option("--payload-error", options.payload_error,
                  "The arm's last link, with hand, tool and payload, is so much heavier than in\n"
                  "the controller's model; mass and inertia, same centre of mass")
      ->type_name("PERCENT")
      ->capture_default_str();
  command
      .add_option("--friction-error", options.friction_error,
                  "The arm's damping and friction are so much larger than in the model")
      ->type_name("PERCENT")
      ->capture_default_str();
  command
      .add_option(
          "--noise", options.noise,
          "Standard deviation of the measured positions and velocities, of the logged torques")
      ->type_name("Q,QD,TAU");
  command.add_flag("--drive-gravity", options.drives_lift,
                   "The drives add gravity torque themselves: commands are without it");
  command
      .add_option("--trajectory", options.trajectory,
                  "cycloid: from one posture to another; sine: every joint swings")
      ->check(CLI::IsMember({"cycloid", "sine"}))
      ->capture_default_str();
  command
      .add_option("--duration", options.duration,
                  "s; a cycloid takes longer where half the velocity limits demand it")
      ->check(number_between(1e-3, kLongestMotion))
      ->capture_default_str();
}

void add_control(CLI::App& command, TrackOptions& options) {
  std::vector<std::string> names = {"all"};
  std::string help = "Control law, beside PD alone; or all";
  for (const LawEntry& entry : control_laws()) {
    names.emplace_back(entry.name);
    help += fmt::format("\n{}: {}", entry.name, entry.text);
  }
  command.add_option("--law", options.law, help)
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command
      .add_option("--predict", options.predict,
                  "Act on the state predicted for when the torque acts (default: both, compared)")
      ->check(CLI::IsMember({"on", "off"}));
  command
      .add_option("--observer", options.observer,
                  "Momentum observer: off, correct the prediction, or reject (cancel what it\n"
                  "sees) as well (default: off without prediction, the other two with it)")
      ->check(CLI::IsMember(std::vector<std::string>(kObservers.begin(), kObservers.end())));
  command
      .add_option("--push", options.push,
                  "Force on the tip in the second quarter of the run, N, in the base link frame")
      ->type_name("X,Y,Z");
  command.add_option("--stiffness", options.stiffness, "Of impedance, N/m and N m/rad")
      ->type_name("K,KR");
  command
      .add_option("--targets", options.targets,
                  "Targets a second for the laws at the tip, filtered; 0: one for every update")
      ->check(number_between(0.0, 1e4))
      ->capture_default_str();
  command
      .add_option("--drives", options.drives,
                  "torque: the law closes the loop; mit: the drives do, by the natural frequency,\n"
                  "and the law gives them reference and feedforward (laws that follow joints)")
      ->check(CLI::IsMember({"torque", "mit"}))
      ->capture_default_str();
  command.add_option("--rate", options.rate, "Control updates per second")
      ->check(number_between(1.0, 1e5))
      ->capture_default_str();
  command.add_option("--frequency", options.frequency, "Natural frequency of the loop, rad/s")
      ->check(number_between(1e-3, 1e5))
      ->capture_default_str();
  command.add_option("--damping-ratio", options.damping, "Of the loop")
      ->check(number_between(0.0, 1e3))
      ->capture_default_str();
}

}  // namespace

void add_track(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "track", "Closed loop on a simulated arm: errors with delay, wrong payload");
  auto options = std::make_shared<TrackOptions>();
  options->robot.add_to(*command);
  add_arm(*command, *options);
  add_control(*command, *options);
  command->add_flag("--json", options->json, "Print one JSON object");
  command
      ->add_option(
          "--csv", options->csv,
          "Write a log of the table's last line: measured positions and velocities, torques as\n"
          "commanded, at every update; dyn check and dyn identify read it")
      ->type_name("FILE");
  command->footer("Example: dyn track arm7.urdf --tip tool0 --delay-ms 4 --payload-error 30");
  command->callback([options] { run_track(*options); });
}

}  // namespace dyn::tool
