#include "demo_identify.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include <fmt/format.h>

#include "dyn_core/control/tracking.hpp"
#include "dyn_core/identify/excitation.hpp"
#include "dyn_core/identify/identify.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "limits.hpp"
#include "progress.hpp"
#include "sines.hpp"

namespace dyn::tool {
namespace {

constexpr double kWrong = 0.3;   // every body's mass and inertia are so far off
constexpr double kLate = 0.004;  // from a command to its action, s; the controller does not know it
constexpr double kPositionNoise = 2e-5;  // standard deviations of what is measured, rad or m
constexpr double kVelocityNoise = 2e-3;
constexpr double kTorqueNoise =
    0.01;                          // of the joint's rms torque: sensors are made for their joint
constexpr double kNatural = 20.0;  // of the control loop, rad/s
constexpr double kCutoff =
    14.0;  // of the log's filter, Hz: with more, noise of the positions outweighs what turns
constexpr int kRepeats = 20;  // of the motion, with the better model: noise averages out

// What the user believes: bodies too light and too heavy in turn, no friction.
ChainPtr wrong_description(const Chain& truth) {
  ChainDescription description = truth.description();
  for (std::size_t i = 0; i < description.links.size(); ++i) {
    RigidBody& body = description.links[i].body;
    const double factor = i % 2 == 0 ? 1.0 + kWrong : 1.0 - kWrong;
    body.mass *= factor;
    body.inertia *= factor;
    description.joints[i].damping = description.joints[i].friction = 0.0;
  }
  return std::make_shared<const Chain>(std::move(description));
}

/// What a controller believes.
struct Belief {
  std::string name;  ///< in JSON
  std::string title;
  ChainPtr model;
  double delay = 0.0;  ///< predicted over, s
};

/// One arm, and what a controller makes of it.
class LearningArm {
 public:
  explicit LearningArm(ChainPtr truth) : truth_(std::move(truth)) {}

  TrackingReport follow(const Belief& belief, const Trajectory& motion, bool observe,
                        Log* log = nullptr, std::uint64_t seed = 1) const {
    TrackingParameters parameters(*belief.model);
    ControllerParameters& controller = parameters.controller;
    const Index n = truth_->dof();
    Solver solver = require(Solver::make(belief.model));
    const Excursion excursion = excursion_of(*truth_);
    controller.law.gains =
        require(gains_from_frequency(controller.law.law, solver, excursion.middle,
                                     VecXd::Constant(n, kNatural), VecXd::Ones(n)));
    controller.delay = belief.delay;
    controller.predict = belief.delay > 0.0;
    controller.observe = controller.reject_disturbance = observe;
    parameters.plant.delay = kLate;
    parameters.plant.position_noise = kPositionNoise;
    parameters.plant.velocity_noise = kVelocityNoise;
    parameters.plant.seed = seed;
    TrackingCallbacks callbacks;
    callbacks.proceed = [](double) { return !InterruptGuard::requested(); };
    if (log != nullptr) {
      log->q.resize(static_cast<std::size_t>(n));
      log->tau = log->q;
      callbacks.sample = [&](const TrackingSample& s) {
        log->t.push_back(s.time);
        for (Index i = 0; i < n; ++i) {
          const auto joint = static_cast<std::size_t>(i);
          log->q[joint].push_back(s.measured.q[i]);
          log->tau[joint].push_back(s.output.torque[i]);
        }
      };
    }
    TrackingReport report = require(track(belief.model, truth_, motion, parameters, callbacks));
    if (report.stopped) throw Interrupted();
    if (log != nullptr) add_noise(log->tau, seed);
    return report;
  }

 private:
  static void add_noise(std::vector<Log::Column>& torques, std::uint64_t seed) {
    Random random(kSeed + seed);
    for (Log::Column& torque : torques) {
      const Eigen::Map<const VecXd> all(torque.data(), static_cast<Index>(torque.size()));
      const double deviation =
          kTorqueNoise * all.norm() / std::sqrt(static_cast<double>(all.size()));
      for (double& value : torque) value += deviation * random.normal();
    }
  }

  ChainPtr truth_;
};

struct Learned {
  Excitation excitation;
  Belief belief;
};

// A motion by the wrong model; its log, by a controller that has the same, and what the log tells. Once more with
// that: what sticks because it is badly controlled tells little, and what the delay is a wrong model cannot say.
Learned learn(const LearningArm& arm, const Belief& start) {
  ExcitationOptions options;
  options.starts = 1;
  Learned out{require(excite(start.model, motion_limits(*start.model, {}), options)), start};
  const double held =
      0.5 * ControlParameters(*start.model).period;  // a command acts on until the next
  for (const int repeats : {1, kRepeats}) {
    std::vector<Log> logs(static_cast<std::size_t>(repeats));
    for (std::size_t i = 0; i < logs.size(); ++i)
      (void)arm.follow(out.belief, *out.excitation.motion, false, &logs[i], i + 1);
    Identified found;
    double acts = out.belief.delay + held;  // after it was logged, on the mean
    for (int pass = 0; pass < 2; ++pass) {
      const Prepared prepared =
          require(prepare(logs, *start.model, {.cutoff = kCutoff, .delay = acts}));
      found = require(identify(start.model, {&prepared.samples, 1}));
      const CheckReport report = require(check_log(found.chain, prepared, Effort::kWithGravity));
      acts += report.delay.value_or(0.0);
    }
    out.belief = {"identified", "as identified", found.chain, std::max(0.0, acts - held)};
  }
  return out;
}

/// By one controller: errors with each belief.
struct Comparison {
  const char *name, *title;
  bool observe;
  std::vector<TrackingReport> reports = {};  // as described, as identified, the arm itself

  [[nodiscard]] double times_true(std::size_t belief) const {
    return reports[belief].rms_norm / reports.back().rms_norm;
  }
};

Json comparison_json(const Comparison& comparison, std::span<const Belief> beliefs) {
  Json models = Json::array();
  for (std::size_t i = 0; i < beliefs.size(); ++i) {
    const TrackingReport& report = comparison.reports[i];
    models.push_back({{"model", beliefs[i].name},
                      {"rms", to_json(report.rms)},
                      {"rms_norm", report.rms_norm},
                      {"peak_norm", report.peak_norm}});
  }
  return {{"control", comparison.name},
          {"models", std::move(models)},
          {"ratio", comparison.times_true(1)}};
}

void print_comparison(const Comparison& comparison, std::span<const Belief> beliefs) {
  fmt::print("{:<44}{:>10}{:>10}{:>14}\n", comparison.title, "rms", "worst", "times true");
  for (std::size_t i = 0; i < beliefs.size(); ++i) {
    fmt::print("{:<44}{:>10.3f}{:>10.3f}{:>14.3g}\n", "  model " + beliefs[i].title,
               1e3 * comparison.reports[i].rms_norm, 1e3 * comparison.reports[i].peak_norm,
               comparison.times_true(i));
  }
}

struct Demonstration {
  const Chain& chain;
  const Learned& learned;
  std::span<const Belief> beliefs;
  std::span<const Comparison> comparisons;
};

Json demonstration_json(const Demonstration& shown) {
  const Information& told = shown.learned.excitation.information;
  Json out = {{"robot", shown.chain.name()},
              {"joints", shown.chain.coordinate_names()},
              {"inertia_error", kWrong},
              {"delay", kLate},
              {"delay_found", shown.learned.belief.delay},
              {"parameters", told.parameters},
              {"log_det", told.log_det},
              {"condition", told.condition},
              {"results", Json::array()}};
  for (const Comparison& one : shown.comparisons)
    out["results"].push_back(comparison_json(one, shown.beliefs));
  return out;
}

void print_demonstration(const Demonstration& shown) {
  const Excitation& excitation = shown.learned.excitation;
  fmt::print(
      "{}  the description's masses and inertias are {:.0f} % off, it knows no friction, and "
      "commands act {:g} ms late.\nA motion of {:.0f} s tells {} base parameters (condition "
      "{:.3g}); the delay in its log: {:.2f} ms.\n\n{}\n",
      bold(shown.chain.name()), 100.0 * kWrong, 1e3 * kLate, excitation.motion->duration(),
      excitation.information.parameters, excitation.information.condition,
      1e3 * shown.learned.belief.delay, bold("Tracking error on another motion, 1/1000 rad or m"));
  for (const Comparison& one : shown.comparisons) print_comparison(one, shown.beliefs);
}

}  // namespace

void demonstrate_identification(const ChainPtr& chain, bool json) {
  constexpr Index kMostJoints = 30;
  require_joints(*chain, kMostJoints, "demo --identify");
  const InterruptGuard interrupt;
  const LearningArm arm(chain);
  const Belief start{"description", "as described", wrong_description(*chain)};
  const Learned learned = learn(arm, start);
  const std::array beliefs = {start, learned.belief,
                              Belief{"truth", "the arm itself", chain, kLate}};
  const Excursion excursion = excursion_of(*chain);
  const double period = 0.5 * std::numbers::pi * unhurried(*chain, excursion, 1.0);
  const Sines motion(excursion, period, 3.0 * period);
  std::array comparisons = {
      Comparison{"computed_torque", "Computed torque, predicted over the delay", false},
      Comparison{"observer", "  and an observer cancels what is left", true}};
  for (Comparison& comparison : comparisons) {
    for (const Belief& belief : beliefs) {
      comparison.reports.push_back(arm.follow(belief, motion, comparison.observe));
    }
  }
  const Demonstration shown{*chain, learned, beliefs, comparisons};
  if (json) {
    fmt::print("{}\n", demonstration_json(shown).dump(2));
  } else {
    print_demonstration(shown);
  }
}

}  // namespace dyn::tool
