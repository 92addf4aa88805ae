// dyn demo: an arm follows a trajectory under model-based control, within seconds and without ROS.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "demo_identify.hpp"
#include "dyn_core/control/tracking.hpp"
#include "dyn_core/motion/simulate.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "limits.hpp"
#include "progress.hpp"
#include "report.hpp"

namespace dyn::tool {
namespace {

constexpr double kDelay = 0.004;       // s
constexpr double kPayloadError = 0.3;  // the last link is so much heavier than the model says
constexpr double kFrequency = 20.0;    // of the control loop, rad/s
constexpr double kShortest = 1.0, kLongest = 60.0;  // s

struct DemoOptions {
  RobotOptions robot;
  double duration = 3.0;
  std::string output = "report.html";
  bool no_report = false;
  bool identify = false;
  bool json = false;
};

struct Contender {
  const char* name;  // in JSON
  const char* title;
  Law law;
  bool predict, observe, reject;
};

constexpr std::array kContenders = {
    Contender{"pd", "PD alone", Law::kPd, false, false, false},
    Contender{"pd_gravity", "PD and gravity", Law::kPdGravity, false, false, false},
    Contender{"computed_torque", "computed torque", Law::kComputedTorque, false, false, false},
    Contender{"prediction", "  + prediction over the delay", Law::kComputedTorque, true, true,
              false},
    Contender{"observer", "  + observer cancels the load", Law::kComputedTorque, true, true, true}};

// Error of the tip's position along one run, m.
struct TipError {
  double rms = 0.0, peak = 0.0;
  double saturated = 0.0;  ///< share of the updates that met an effort limit
};

struct Row {
  const Contender* contender;
  TipError right, wrong;  ///< with the right and the wrong payload in the model
};

struct UpdateTime {
  double median = 0.0, permille_999 = 0.0;  ///< s
};

struct Findings {
  double last_link = 0.0;  ///< mass, kg
  double duration = 0.0;
  std::vector<Row> rows;
  UpdateTime update;
  double energy_drift = 0.0, energy_duration = 0.0;  ///< relative to the kinetic energy; s
  double seconds = 0.0;                              ///< the simulations took
};

/// The runs of the demo on one arm.
class Demo {
 public:
  Demo(ChainPtr chain, double duration)
      : chain_(std::move(chain)),
        excursion_(excursion_of(*chain_)),
        duration_(motion_duration(*chain_, excursion_, duration)),
        trajectory_(require(cycloid(excursion_.from, excursion_.to, duration_))),
        kinematics_(chain_) {}

  Findings run() {
    const auto start = std::chrono::steady_clock::now();
    Findings found;
    found.duration = duration_;
    found.last_link = chain_->links().back().body.mass;
    const ChainPtr heavier = scale_inertia(*chain_, 1.0, 1.0 + kPayloadError);
    for (const Contender& contender : kContenders) {
      const TipError right = follow(contender, chain_);
      found.rows.push_back({&contender, right, follow(contender, heavier)});
    }
    found.update = time_updates();
    measure_energy(found);
    found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return found;
  }

 private:
  [[nodiscard]] TrackingParameters parameters_of(const Contender& contender) const {
    TrackingParameters out(*chain_);
    Solver solver = require(Solver::make(chain_));
    const Index n = chain_->dof();
    out.controller.law.law = contender.law;
    out.controller.law.gains = require(gains_from_frequency(
        contender.law, solver, excursion_.middle, VecXd::Constant(n, kFrequency), VecXd::Ones(n)));
    out.controller.delay = out.plant.delay = kDelay;
    out.controller.predict = contender.predict;
    out.controller.observe = contender.observe;
    out.controller.reject_disturbance = contender.reject;
    return out;
  }

  Vec3d tip(const VecXd& q) {
    require(kinematics_.update(q), "tip position");
    return kinematics_.tip_pose().p;
  }

  TipError follow(const Contender& contender, const ChainPtr& truth) {
    TipError error;
    double squares = 0.0;
    TrackingCallbacks callbacks;
    callbacks.sample = [&](const TrackingSample& sample) {
      const double distance = (tip(sample.reference.q) - tip(sample.state.q)).norm();
      squares += distance * distance;
      error.peak = std::max(error.peak, distance);
    };
    callbacks.proceed = [&](double time) {
      progress_.show((done_ + time / duration_) / kRuns);
      return !InterruptGuard::requested();
    };
    const TrackingReport report =
        require(track(chain_, truth, *trajectory_, parameters_of(contender), callbacks));
    if (report.stopped) throw Interrupted();
    done_ += 1.0;
    error.rms = std::sqrt(squares / static_cast<double>(std::max<Index>(1, report.updates)));
    error.saturated = report.saturated;
    return error;
  }

  // Of the whole controller: observer, prediction and law.
  UpdateTime time_updates() {
    constexpr int kUpdates = 10'000;
    Controller controller =
        require(Controller::make(chain_, parameters_of(kContenders.back()).controller));
    const Index n = chain_->dof();
    require(controller.activate(VecXd::Zero(n)), "the controller");
    JointState state(n);
    Reference reference(n);
    std::vector<double> times(kUpdates);
    for (int i = 0; i < kUpdates; ++i) {
      const double now = 1e-3 * i, at = std::fmod(now, duration_);
      require(trajectory_->evaluate(at, state.q, state.qd, reference.qdd), "the trajectory");
      reference.q = state.q;
      reference.qd = state.qd;
      const auto begin = std::chrono::steady_clock::now();
      controller.update(now, state, reference, 1e-3);
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      times[static_cast<std::size_t>(i)] = spent.count();
    }
    std::sort(times.begin(), times.end());
    return {times[kUpdates / 2], times[kUpdates - kUpdates / 1000]};
  }

  // The arm falls freely, without friction: energy must stay what it is.
  void measure_energy(Findings& found) {
    SimulationOptions options;
    options.duration = found.energy_duration = 2.0;
    options.tolerance = 1e-10;
    SimulationCallbacks callbacks;
    callbacks.proceed = [&](double time) {
      progress_.show((done_ + time / options.duration) / kRuns);
      return !InterruptGuard::requested();
    };
    const SimulationReport fall = require(simulate(chain_, options, free_fall(), excursion_.middle,
                                                   VecXd::Constant(chain_->dof(), 0.2), callbacks));
    if (fall.stopped) throw Interrupted();
    found.energy_drift = fall.energy_drift / fall.kinetic_energy;
  }

  static constexpr double kRuns = 2.0 * kContenders.size() + 1.0;

  ChainPtr chain_;
  Excursion excursion_;
  double duration_;
  TrajectoryPtr trajectory_;
  Kinematics<double> kinematics_;
  Progress progress_{"simulating"};
  double done_ = 0.0;  // runs
};

std::string millimetres(double metres) {
  const double mm = 1e3 * metres;
  if (mm < 5e-4) return "<0.001";
  return fmt::format("{:.{}f}", mm, mm < 0.1 ? 3 : mm < 10.0 ? 2 : 1);
}

// Whether more programs want to run than there are processors.
bool computer_is_busy() {
  double load = 0.0;
  return getloadavg(&load, 1) == 1 && load > std::thread::hardware_concurrency();
}

void print_findings(const Chain& chain, const Findings& found) {
  fmt::print("{}  {} → {}, {} coordinates\n", bold(chain.name()), chain.base(), chain.tip(),
             chain.dof());
  fmt::print(
      "A motion of {:.3g} s, controlled 1000 times a second on a simulated arm whose drives answer "
      "{:.0f} ms late.\nWrong load: the last link weighs {:.3g} kg instead of the {:.3g} kg that "
      "the "
      "controller believes.\n\n",
      found.duration, 1e3 * kDelay, (1.0 + kPayloadError) * found.last_link, found.last_link);
  fmt::print("{}{:>20}{:>22}\n", bold(fmt::format("{:<32}", "Error of the tip, mm")), "right load",
             "wrong load");
  fmt::print("{:<32}{:>11}{:>9}{:>13}{:>9}\n", "", "rms", "worst", "rms", "worst");
  double saturated = 0.0;
  for (const Row& row : found.rows) {
    fmt::print("{:<32}{:>11}{:>9}{:>13}{:>9}\n", row.contender->title, millimetres(row.right.rms),
               millimetres(row.right.peak), millimetres(row.wrong.rms),
               millimetres(row.wrong.peak));
    saturated = std::max({saturated, row.right.saturated, row.wrong.saturated});
  }
  if (saturated > 0.0) {
    fmt::print("A drive was at its effort limit in up to {:.1f} % of the updates.\n",
               100.0 * saturated);
  }
  fmt::print("\n{:<26}{:.0f} µs in the median, {:.0f} µs at 99.9 % (1000 µs available{})\n",
             "One control update", 1e6 * found.update.median, 1e6 * found.update.permille_999,
             computer_is_busy() ? "; the computer was busy with other work" : "");
  fmt::print("{:<26}energy kept to {:.1e} of the kinetic energy over {:.0f} s\n",
             "Free fall, no friction", found.energy_drift, found.energy_duration);
}

Json error_json(const TipError& error) {
  return {{"rms_m", error.rms}, {"peak_m", error.peak}, {"saturated", error.saturated}};
}

Json findings_json(const Chain& chain, const Findings& found, const std::string& report) {
  Json out = {{"robot", chain.name()}, {"base", chain.base()},
              {"tip", chain.tip()},    {"duration_s", found.duration},
              {"delay_s", kDelay},     {"payload_error", kPayloadError}};
  Json rows = Json::array();
  for (const Row& row : found.rows) {
    rows.push_back({{"control", row.contender->name},
                    {"right_payload", error_json(row.right)},
                    {"wrong_payload", error_json(row.wrong)}});
  }
  out["tip_error"] = std::move(rows);
  out["update"] = {{"median_s", found.update.median}, {"p999_s", found.update.permille_999}};
  out["energy_drift"] = found.energy_drift;
  out["seconds"] = found.seconds;
  out["report"] = report.empty() ? Json(nullptr) : Json(report);
  return out;
}

void run_demo(const DemoOptions& options) {
  if (!(options.duration >= kShortest && options.duration <= kLongest)) {
    throw Failure(
        fmt::format("--duration takes {:.0f} to {:.0f} s of motion", kShortest, kLongest));
  }
  if (options.output == "-") {
    throw Failure("--output: stdout is for the table; give a file for the report, or --no-report");
  }
  RobotOptions robot = options.robot;
  if (robot.robot.empty()) robot.robot = "arm7";
  const ChainPtr chain = robot.load();
  if (options.identify) return demonstrate_identification(chain, options.json);
  require_joints(*chain, kMostReportedJoints, "demo");
  const InterruptGuard interrupt;
  std::optional<OutputFile> file;
  if (!options.no_report) file.emplace("--output", options.output);
  const Findings found = Demo(chain, options.duration).run();
  if (!options.json) print_findings(*chain, found);
  std::string report;
  if (file) {
    write_report(chain, robot, *file);
    report = std::filesystem::absolute(options.output).lexically_normal().string();
  }
  if (options.json) {
    fmt::print("{}\n", findings_json(*chain, found, report).dump(2));
  } else if (!report.empty()) {
    fmt::print("{:<26}{}\n", "Report for the browser", report);
  }
}

}  // namespace

void add_demo(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "demo", "An arm follows a trajectory on a simulated plant: what the model is worth");
  auto options = std::make_shared<DemoOptions>();
  options->robot.add_to(*command, false);
  command
      ->add_option("--duration", options->duration,
                   "Duration of the motion, s; longer where the joints are slow")
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "Where the report goes")
      ->capture_default_str();
  command->add_flag(
      "--identify", options->identify,
      "Instead: the description is wrong; a motion is excited, logged and identified, and\n"
      "the controller takes what is found");
  command->add_flag("--no-report", options->no_report, "Write no report");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer(
      "Without ROBOT: arm7, which comes with dyn.\nExample: dyn demo arm.urdf "
      "--tip tool0");
  command->callback([options] { run_demo(*options); });
}

}  // namespace dyn::tool
