// dyn track: closed loop on a simulated arm with delay, wrong payload and wrong friction; what the
// control laws, the prediction and the observer make of it.
#include "track.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <fmt/format.h>

#include "limits.hpp"
#include "progress.hpp"
#include "samples_file.hpp"
#include "sines.hpp"
#include "track_picture.hpp"

namespace dyn::tool {
namespace {

/// "30" and "30 %" are 0.3.
double percent(std::string text, const std::string& option) {
  if (text.ends_with('%')) text.pop_back();
  const std::vector<double> values = numbers(text, option);
  if (values.size() != 1 || values[0] <= -100.0 || values[0] > 1e6) {
    throw Failure(fmt::format("{}: '{}' is not a percentage above -100, up to 1e6", option, text));
  }
  return 0.01 * values[0];
}

// What the controller's model is of.
ChainPtr arm_of(const TrackOptions& options, const ChainPtr& model) {
  if (options.arm.empty()) return model;
  RobotOptions robot = options.robot;
  robot.robot = options.arm;
  ChainPtr arm = robot.load();
  if (arm->coordinate_names() == model->coordinate_names()) return arm;
  throw Failure(fmt::format(
      "--arm: '{}' has not the joints of '{}'; choose the ends of its chain, FILE:base:tip",
      options.arm, options.robot.robot));
}

TrajectoryPtr trajectory_file(const std::string& path, Index dof) {
  return require(
      waypoints_from_csv(text_of_file(path, "--trajectory"), dof, Interpolation::kCubic));
}

}  // namespace

TrackSetup::TrackSetup(const TrackOptions& options)
    : chain(options.robot.load()),
      payload_error(percent(options.payload_error, "--payload-error")),
      friction_error(percent(options.friction_error, "--friction-error")),
      truth(scale_inertia(*arm_of(options, chain), 1.0, 1.0 + payload_error)),
      excursion(excursion_of(*chain)),
      noise(numbers(options.noise, "--noise")) {
  if (noise.empty() || noise.size() > 3) {
    throw Failure("--noise: give one number or up to three, Q,QD,TAU");
  }
  noise.resize(3, 0.0);
  if (options.trajectory == "cycloid") {
    duration = motion_duration(*chain, excursion, options.duration);
    trajectory = require(cycloid(excursion.from, excursion.to, duration));
  } else if (options.trajectory != "sine") {
    trajectory = trajectory_file(options.trajectory, chain->dof());
    duration = trajectory->duration();
  } else {
    duration = options.duration;
    // Forth alone, half a period, a sine needs π/4 of the cycloid's time for the same peak speed.
    const double period = 0.5 * std::numbers::pi * unhurried(*chain, excursion, 1.0);
    trajectory = std::make_shared<const Sines>(excursion, period, duration);
  }
}

namespace {

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

TrackObserver observer_named(const std::string& name) {
  const auto found = std::find(kTrackObservers.begin(), kTrackObservers.end(), name);
  return static_cast<TrackObserver>(found - kTrackObservers.begin());
}

// PD alone first; then, for each law, plain, with prediction, with the disturbance rejected as well.
std::vector<TrackVariant> variants(const TrackOptions& options) {
  std::vector<TrackVariant> out;
  std::vector<Law> laws;
  if (options.law != "all") laws.push_back(require(control_law_named(options.law)));
  for (const LawEntry& entry : control_laws()) {
    if (options.law == "all" && entry.follows != Follows::kNothing) laws.push_back(entry.law);
  }
  if (entry_of(laws.front()).follows != Follows::kNothing) {
    out.push_back({Law::kPd, false, TrackObserver::kOff});
  }
  for (const Law law : laws) {
    for (const TrackObserver usual :
         {TrackObserver::kOff, TrackObserver::kCorrect, TrackObserver::kReject}) {
      TrackVariant variant{law, usual != TrackObserver::kOff, usual};
      if (!options.predict.empty() && variant.predict != (options.predict == "on")) continue;
      if (!options.observer.empty()) variant.observer = observer_named(options.observer);
      const bool known = std::any_of(out.begin(), out.end(), [&](const TrackVariant& other) {
        return other.law == variant.law && other.predict == variant.predict &&
               other.observer == variant.observer;
      });
      if (!known) out.push_back(variant);
    }
  }
  return out;
}

// What the arm's user does: pushes, chooses a stiffness, lets the drives close the loop.
void add_hands(const TrackOptions& options, const TrackSetup& setup, const TrackVariant& variant,
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
  if (variant.law == Law::kGravity && variant.observer == TrackObserver::kReject) {
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
                                 const TrackVariant& variant) {
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
  controller.observe = variant.observer != TrackObserver::kOff;
  controller.reject_disturbance = variant.observer == TrackObserver::kReject;
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
      for (double& value : tau_) value += noise_ * random_.normal();
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

std::vector<TrackOutcome> run_all(const TrackOptions& options, const TrackSetup& setup,
                                  const std::vector<TrackVariant>& all) {
  std::vector<TrackOutcome> out;
  TrackLog log(options, setup);
  TrackPicture picture(options, setup);
  const InterruptGuard interrupt;
  Progress progress(setup.chain->name());
  for (const TrackVariant& variant : all) {
    TrackingCallbacks callbacks;
    callbacks.proceed = [&](double time) {
      progress.show((static_cast<double>(out.size()) + time / setup.duration) /
                    static_cast<double>(all.size()));
      return !InterruptGuard::requested();
    };
    const bool logged = log.wanted() && &variant == &all.back();
    picture.begin(variant);
    if (logged || picture.wanted()) {
      callbacks.sample = [&](const TrackingSample& sample) {
        if (logged) log.take(sample);
        if (picture.wanted()) picture.take(sample);
      };
    }
    TrackingReport report = require(track(setup.chain, setup.truth, *setup.trajectory,
                                          parameters_of(options, setup, variant), callbacks));
    if (report.stopped) break;
    out.push_back({variant, std::move(report)});
  }
  if (out.size() < all.size()) return out;
  log.finish();
  picture.finish();
  return out;
}

void run_track(const TrackOptions& options) {
  const TrackSetup setup(options);
  const std::vector<TrackVariant> wanted = variants(options);
  require_affordable(options, setup, wanted.size());
  const std::vector<TrackOutcome> outcomes = run_all(options, setup, wanted);
  if (options.json) {
    fmt::print("{}\n", track_json(options, setup, outcomes).dump(2));
  } else if (!outcomes.empty()) {
    print_track(options, setup, outcomes);
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
      .add_option("--arm", options.arm,
                  "The arm that is simulated, where the controller's model is another")
      ->type_name("ROBOT");
  command
      .add_option(
          "--noise", options.noise,
          "Standard deviation of the measured positions and velocities, of the logged torques")
      ->type_name("Q,QD,TAU");
  command.add_flag("--drive-gravity", options.drives_lift,
                   "The drives add gravity torque themselves: commands are without it");
  command
      .add_option("--trajectory", options.trajectory,
                  "cycloid: from one posture to another; sine: every joint swings; or a CSV file\n"
                  "such as dyn excite and dyn time write")
      ->check(CLI::IsMember({"cycloid", "sine"}) | CLI::ExistingFile)
      ->capture_default_str();
  command
      .add_option(
          "--duration", options.duration,
          "s; a cycloid takes longer where half the velocity limits demand it, a file lasts as\n"
          "long as it says")
      ->check(number_between(1e-3, kLongestMotion))
      ->capture_default_str();
}

void add_law(CLI::App& command, TrackOptions& options) {
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
      ->check(
          CLI::IsMember(std::vector<std::string>(kTrackObservers.begin(), kTrackObservers.end())));
}

void add_surroundings(CLI::App& command, TrackOptions& options) {
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
  add_law(*command, *options);
  add_surroundings(*command, *options);
  command->add_flag("--json", options->json, "Print one JSON object");
  command
      ->add_option(
          "--csv", options->csv,
          "Write a log of the table's last line: measured positions and velocities, torques as\n"
          "commanded, at every update; dyn check and dyn identify read it")
      ->type_name("FILE");
  command
      ->add_option(
          "--pictures,--svg", options->pictures,
          "Draw the error of every line of the table over time, and the torques' share of\n"
          "their limits")
      ->type_name("FILE.svg");
  command->footer("Example: dyn track arm7.urdf --tip tool0 --delay-ms 4 --payload-error 30");
  command->callback([options] { run_track(*options); });
}

}  // namespace dyn::tool
