#include "report_data.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "common.hpp"
#include "dyn_core/motion/trajectory.hpp"
#include "dyn_core/registry.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "limits.hpp"

namespace dyn::tool {
namespace {

constexpr int kTips = 4000;
constexpr int kLoadPostures = 1500, kFewestLoadPostures = 50;
constexpr int kMotionSamples = 200;

double condition_of(const MatXd& M) {
  const VecXd values = M.selfadjointView<Eigen::Lower>().eigenvalues();
  return values[values.size() - 1] / values[0];
}

InertiaAlongMotion inertia_along(Solver& solver, const Excursion& excursion) {
  InertiaAlongMotion out;
  out.duration = unhurried(solver.chain(), excursion, 1.0);
  const TrajectoryPtr motion = require(cycloid(excursion.from, excursion.to, out.duration));
  const Index n = solver.dof();
  MatXd M(n, n), U(n, n);
  VecXd q(n), qd(n), qdd(n), D(n);
  for (int i = 0; i <= kMotionSamples; ++i) {
    const double time = out.duration * i / kMotionSamples;
    require(motion->evaluate(time, q, qd, qdd), "the motion");
    require(solver.mass_matrix(q, M), "mass matrix along the motion");
    require(solver.factor(q, U, D), "diagonalization along the motion");
    out.time.push_back(time);
    out.D.push_back(D);
    out.condition.push_back(condition_of(M));
  }
  return out;
}

using Told = std::function<void(double)>;  // of the share that is done

// The inertia power array has n³ elements: of a long chain fewer postures have to do.
Loads loads_of(Solver& solver, const Told& progress) {
  const Chain& chain = solver.chain();
  const Index n = chain.dof();
  Loads out{kLoadPostures, VecXd::Zero(n), VecXd::Zero(n), VecXd::Ones(n)};
  if (n > 30) out.postures = std::max(kFewestLoadPostures, static_cast<int>(4e7 / std::pow(n, 3)));
  for (Index k = 0; k < n; ++k) {
    const double limit = chain.coordinate_joint(k).limits.velocity;
    if (std::isfinite(limit) && limit > 0.0) out.speed[k] = limit;
  }
  const std::vector<JointRange> ranges = joint_ranges(chain);
  std::vector<MatXd> power(static_cast<std::size_t>(n), MatXd(n, n));
  VecXd gravity(n);
  Random random(kSeed);
  for (int i = 0; i < out.postures; ++i) {
    progress(static_cast<double>(i) / out.postures);
    const VecXd q = random_posture(ranges, random);
    require(solver.gravity_torque(q, gravity), "gravity torques");
    require(solver.inertia_power(q, power), "inertia power");
    for (Index k = 0; k < n; ++k) {
      const MatXd& P = power[static_cast<std::size_t>(k)];
      const MatXd symmetric = 0.5 * (P + P.transpose()).cwiseAbs();
      const double carried = std::abs(gravity[k]);
      out.gravity[k] = std::max(out.gravity[k], carried);
      out.peak[k] = std::max(out.peak[k], carried + out.speed.dot(symmetric * out.speed));
    }
  }
  return out;
}

void sample_tips(ReportData& data) {
  const std::vector<JointRange> ranges = joint_ranges(*data.chain);
  Kinematics<double> kinematics(data.chain);
  Random random(kSeed);
  double farthest = -1.0;
  for (int i = 0; i < kTips; ++i) {
    const VecXd q = random_posture(ranges, random);
    require(kinematics.update(q), "tip position");
    data.tips.push_back(kinematics.tip_pose().p);
    const double distance = data.tips.back().norm();
    if (distance <= farthest) continue;
    farthest = distance;
    data.farthest = q;
  }
}

// Microseconds of one query: the least of several batches, which disturbances from outside reach least.
template <class Query>
double least_time(const Query& query) {
  using Clock = std::chrono::steady_clock;
  constexpr int kBatches = 15;
  const auto batch = [&](int calls) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < calls; ++i) query();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / calls;
  };
  const int calls = std::clamp(static_cast<int>(300.0 / std::max(batch(20), 0.01)), 1, 5000);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kBatches; ++i) least = std::min(least, batch(calls));
  return least;
}

struct State {
  VecXd q, qd, qdd, out;
  MatXd matrix;
};

using TimedQuery = std::function<Status(Solver&, State&)>;

template <class Algorithm>
void time_quantity(Entries<Algorithm> entries, std::string Algorithms::*name,
                   const std::string& quantity, const TimedQuery& query, ReportData& data) {
  const Index n = data.chain->dof();
  State state{data.excursion.middle, VecXd::Constant(n, 0.5), VecXd::Constant(n, 1.0), VecXd(n),
              MatXd(n, n)};
  const Solver fallback = require(Solver::make(data.chain));
  for (const Entry<Algorithm>& entry : entries) {
    Algorithms algorithms;
    algorithms.*name = std::string(entry.name);
    Result<Solver> solver = Solver::make(data.chain, algorithms);
    if (!solver || query(*solver, state) != Status::kOk) continue;
    AlgorithmTime time{quantity, std::string(entry.name)};
    time.microseconds = least_time([&] { (void)query(*solver, state); });
    time.is_default = fallback.algorithms().*name == entry.name;
    data.times.push_back(std::move(time));
  }
}

void time_algorithms(ReportData& data, const Told& progress) {
  progress(0.0);
  time_quantity(
      mass_matrix_algorithms<double>(), &Algorithms::mass_matrix, "mass_matrix",
      [](Solver& solver, State& s) { return solver.mass_matrix(s.q, s.matrix); }, data);
  progress(0.25);
  time_quantity(
      inverse_dynamics_algorithms<double>(), &Algorithms::inverse_dynamics, "inverse_dynamics",
      [](Solver& solver, State& s) { return solver.inverse_dynamics(s.q, s.qd, s.qdd, s.out); },
      data);
  progress(0.5);
  time_quantity(
      forward_dynamics_algorithms<double>(), &Algorithms::forward_dynamics, "forward_dynamics",
      [](Solver& solver, State& s) { return solver.forward_dynamics(s.q, s.qd, s.qdd, s.out); },
      data);
  progress(0.75);
  time_quantity(
      coriolis_algorithms<double>(), &Algorithms::coriolis, "coriolis",
      [](Solver& solver, State& s) { return solver.coriolis_matrix(s.q, s.qd, s.matrix); }, data);
  progress(1.0);
}

// The joint that takes longest within half of its velocity limit, and its time; 0 s without limits.
std::pair<Index, double> slowest_joint(const Chain& chain, const Excursion& excursion) {
  std::pair<Index, double> slowest{0, 0.0};
  for (Index k = 0; k < chain.dof(); ++k) {
    const double limit = chain.coordinate_joint(k).limits.velocity;
    const double way = std::abs(excursion.to[k] - excursion.from[k]);
    if (!std::isfinite(limit) || limit <= 0.0) continue;
    if (4.0 * way / limit > slowest.second) slowest = {k, 4.0 * way / limit};
  }
  return slowest;
}

}  // namespace

Excursion excursion_of(const Chain& chain) {
  constexpr double kLargest = 0.6;  // rad or m
  const std::vector<JointRange> ranges = joint_ranges(chain);
  Excursion out{VecXd(chain.dof()), VecXd(chain.dof()), VecXd(chain.dof())};
  for (Index k = 0; k < chain.dof(); ++k) {
    const JointRange& range = ranges[static_cast<std::size_t>(k)];
    const double amplitude = std::min(kLargest, 0.2 * (range.high - range.low));
    const double side = k % 2 == 0 ? -0.5 : 0.5;
    out.middle[k] = 0.5 * (range.low + range.high) + side * amplitude;
    out.from[k] = out.middle[k] - amplitude;
    out.to[k] = out.middle[k] + amplitude;
  }
  return out;
}

double unhurried(const Chain& chain, const Excursion& excursion, double shortest) {
  return std::max(shortest, slowest_joint(chain, excursion).second);
}

double motion_duration(const Chain& chain, const Excursion& excursion, double shortest) {
  const double duration = unhurried(chain, excursion, shortest);
  if (duration <= kLongestMotion) return duration;
  const Joint& joint = chain.coordinate_joint(slowest_joint(chain, excursion).first);
  throw Failure(
      fmt::format("the velocity limit of joint '{}' is {:g} {}, so that the motion would last "
                  "{:.3g} s, more than {:.0f}: "
                  "correct the limit in the robot description, or hold the joint with --lock",
                  joint.name, joint.limits.velocity, joint.is_prismatic() ? "m/s" : "rad/s",
                  duration, kLongestMotion));
}

ReportData gather_report(const ChainPtr& chain, const std::function<void(double)>& progress) {
  require_joints(*chain, kMostReportedJoints, "report");
  const auto part = [&progress](double from, double to) {
    return [&progress, from, to](double share) { progress(from + (to - from) * share); };
  };
  ReportData data;
  data.chain = chain;
  data.excursion = excursion_of(*chain);
  sample_tips(data);
  data.workspace = workspace_of(chain, SelectionOptions{});
  progress(0.25);
  if (!chain->has_dynamics()) return data;
  Solver solver = require(Solver::make(chain));
  data.M.resize(chain->dof(), chain->dof());
  require(solver.mass_matrix(data.excursion.middle, data.M), "mass matrix");
  data.motion = inertia_along(solver, data.excursion);
  data.loads = loads_of(solver, part(0.25, 0.5));
  data.general = count_operations(chain, CountingRule::kGeneral);
  progress(0.6);
  data.customised = count_operations(chain, CountingRule::kCustomised);
  time_algorithms(data, part(0.7, 1.0));
  return data;
}

}  // namespace dyn::tool
