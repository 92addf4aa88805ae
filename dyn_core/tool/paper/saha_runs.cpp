#include "saha_runs.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include <Eigen/Eigenvalues>

#include "dyn_core/robot/robot_name.hpp"

namespace dyn::tool {
namespace {

constexpr double kSahaDuration = 10.0, kSahaStep = 0.01;

}  // namespace

ChainPtr saha_robot(const std::string& robot) {
  return require(load_urdf(robot_named(robot).file, {}));
}

VecXd SahaExperiment::wanted_at(double time) const {
  VecXd q(start.size()), qd(q), qdd(q);
  require(wanted->evaluate(time, q, qd, qdd), "trajectory");
  return q;
}

SahaExperiment saha_experiment(const std::string& robot) {
  const double pi = std::numbers::pi;
  SahaExperiment out{.name = robot, .chain = saha_robot(robot), .start = {}, .end = {}};
  out.start = VecXd::Zero(out.chain->dof());
  out.end = VecXd::Constant(out.chain->dof(), pi);
  if (robot == "stanford") {
    out.start[1] = pi / 2.0;
    out.end.setConstant(pi / 3.0);
    out.end[2] = 0.1;
  }
  out.wanted = require(cycloid(out.start, out.end, kSahaDuration));
  return out;
}

SimulationOptions saha_options(Integrator integrator, double tolerance) {
  SimulationOptions options;
  options.duration = kSahaDuration;
  options.step = kSahaStep;
  options.integrator = integrator;
  options.tolerance = tolerance;
  options.algorithms = {
      .mass_matrix = "crba", .inverse_dynamics = "rnea", .forward_dynamics = "udut"};
  return options;
}

double SahaMotion::departure(double deviation_of) const {
  for (std::size_t i = 0; i < deviation.size(); ++i) {
    if (deviation[i] > deviation_of) return time[i];
  }
  return std::numeric_limits<double>::infinity();
}

std::vector<double> SahaMotion::joint(Index i) const {
  std::vector<double> out;
  for (const VecXd& position : q) out.push_back(position[i]);
  return out;
}
std::vector<double> SahaMotion::torque(Index i) const {
  std::vector<double> out;
  for (const VecXd& torques : tau) out.push_back(torques[i]);
  return out;
}
std::vector<double> SahaMotion::tip_along(Index axis) const {
  std::vector<double> out;
  for (const Vec3d& position : tip) out.push_back(position[axis]);
  return out;
}

void SahaMotion::add(const SahaExperiment& experiment, double t, const VecXd& position,
                     const VecXd& torques) {
  Kinematics<double> kinematics(experiment.chain);
  require(kinematics.update(position), "kinematics");
  time.push_back(t);
  q.push_back(position);
  tau.push_back(torques);
  tip.push_back(kinematics.tip_pose().p);
  deviation.push_back((position - experiment.wanted_at(t)).cwiseAbs().maxCoeff());
}

namespace {

SahaMotion run_saha(const SahaExperiment& experiment, const SimulationOptions& options,
                    const TorqueInput& torques) {
  SahaMotion motion;
  const auto take = [&](const Sample& s) { motion.add(experiment, s.time, s.q, s.tau); };
  auto report = simulate(experiment.chain, options, torques, experiment.start,
                         VecXd::Zero(experiment.start.size()), {.sample = take, .proceed = {}});
  if (report) motion.report = std::move(*report);
  return motion;
}

}  // namespace

SahaMotion saha_fall(const SahaExperiment& experiment, const SimulationOptions& options) {
  return run_saha(experiment, options, free_fall());
}

SahaMotion saha_forced(const SahaExperiment& experiment, const SimulationOptions& options,
                       bool hold) {
  TorqueInput torques = require(feedforward(experiment.chain, experiment.wanted, options));
  if (hold) torques = held(std::move(torques), options.step);
  return run_saha(experiment, options, torques);
}

SahaRate saha_state_space(const SahaExperiment& experiment, bool forced) {
  const SimulationOptions options = saha_options();
  auto solver =
      std::make_shared<Solver>(require(Solver::make(experiment.chain, options.algorithms)));
  const TorqueInput torques =
      forced ? require(feedforward(experiment.chain, experiment.wanted, options)) : TorqueInput();
  return [solver, torques](double time, const VecXd& x) {
    const Index n = x.size() / 2;
    VecXd tau = VecXd::Zero(n), out(2 * n);
    if (torques) require(torques(time, x.head(n), x.tail(n), tau), "torques");
    out.head(n) = x.tail(n);
    require(solver->forward_dynamics(x.head(n), x.tail(n), tau, out.tail(n)), "accelerations");
    return out;
  };
}

SahaMotion saha_forced_by_verner(const SahaExperiment& experiment, double tolerance) {
  const Index n = experiment.start.size();
  VecXd x = VecXd::Zero(2 * n);
  x.head(n) = experiment.start;
  SahaMotion motion;
  double time = 0.0;
  for (const VecXd& state :
       saha_verner(saha_state_space(experiment, true), x, kSahaDuration, tolerance)) {
    motion.add(experiment, time, state.head(n), VecXd::Zero(n));
    time = kSahaStep * static_cast<double>(motion.time.size());
  }
  return motion;
}

namespace {

// J. H. Verner, SIAM J. Numer. Anal. 15 (1978), as in T. E. Hull, W. H. Enright, K. R. Jackson: User's
// guide for DVERK, University of Toronto, 1976.
constexpr std::array<double, 8> kVernerNodes = {0.0,       1.0 / 6.0, 4.0 / 15.0, 2.0 / 3.0,
                                                5.0 / 6.0, 1.0,       1.0 / 15.0, 1.0};
constexpr std::array<std::array<double, 7>, 8> kVernerStages = {{
    {},
    {1.0 / 6.0},
    {4.0 / 75.0, 16.0 / 75.0},
    {5.0 / 6.0, -8.0 / 3.0, 5.0 / 2.0},
    {-165.0 / 64.0, 55.0 / 6.0, -425.0 / 64.0, 85.0 / 96.0},
    {12.0 / 5.0, -8.0, 4015.0 / 612.0, -11.0 / 36.0, 88.0 / 255.0},
    {-8263.0 / 15000.0, 124.0 / 75.0, -643.0 / 680.0, -81.0 / 250.0, 2484.0 / 10625.0},
    {3501.0 / 1720.0, -300.0 / 43.0, 297275.0 / 52632.0, -319.0 / 2322.0, 24068.0 / 84065.0, 0.0,
     3850.0 / 26703.0},
}};
constexpr std::array<double, 8> kVernerSixth = {3.0 / 40.0,     0.0, 875.0 / 2244.0,  23.0 / 72.0,
                                                264.0 / 1955.0, 0.0, 125.0 / 11592.0, 43.0 / 616.0};
constexpr std::array<double, 8> kVernerFifth = {13.0 / 160.0, 0.0,         2375.0 / 5984.0,
                                                5.0 / 16.0,   12.0 / 85.0, 3.0 / 44.0};

struct VernerStep {
  VecXd x;       // of order 6
  double error;  // of the difference of both, as a multiple of what is allowed
};

VernerStep verner_step(const SahaRate& rate, double time, const VecXd& x, double h,
                       double tolerance) {
  std::array<VecXd, 8> slopes;
  VernerStep out{x, 0.0};
  VecXd difference = VecXd::Zero(x.size());
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    VecXd stage = x;
    for (std::size_t j = 0; j < i; ++j) stage += h * kVernerStages[i][j] * slopes[j];
    slopes[i] = rate(time + kVernerNodes[i] * h, stage);
    out.x += h * kVernerSixth[i] * slopes[i];
    difference += h * (kVernerSixth[i] - kVernerFifth[i]) * slopes[i];
  }
  for (Index i = 0; i < x.size(); ++i) {
    const double allowed = tolerance * (1.0 + std::max(std::abs(x[i]), std::abs(out.x[i])));
    out.error = std::max(out.error, std::abs(difference[i]) / allowed);
  }
  return out;
}

}  // namespace

std::vector<VecXd> saha_verner(const SahaRate& rate, VecXd x, double duration, double tolerance) {
  std::vector<VecXd> samples = {x};
  const auto last = static_cast<std::size_t>(std::lround(duration / kSahaStep));
  double time = 0.0, h = 0.01;
  while (samples.size() <= last) {
    VernerStep step = verner_step(rate, time, x, h, tolerance);
    const double factor = 0.9 * std::pow(std::max(step.error, 1e-9), -1.0 / 6.0);
    if (!(step.error <= 1.0)) {
      h *= std::isfinite(step.error) ? std::max(0.2, factor) : 0.2;
      continue;
    }
    for (double t = kSahaStep * static_cast<double>(samples.size());
         samples.size() <= last && t <= time + h;
         t = kSahaStep * static_cast<double>(samples.size())) {  // by a shorter step of its own
      samples.push_back(verner_step(rate, time, x, t - time, tolerance).x);
    }
    time += h;
    x = std::move(step.x);
    h *= std::min(4.0, factor);
  }
  return samples;
}

double saha_growth(const SahaExperiment& experiment, double time) {
  Solver solver = require(Solver::make(experiment.chain, saha_options().algorithms));
  const Index n = solver.dof();
  VecXd q(n), qd(n), qdd(n), tau(n);
  require(experiment.wanted->evaluate(time, q, qd, qdd), "trajectory");
  require(solver.inverse_dynamics(q, qd, qdd, tau), "torques");
  Linearization near(n);
  require(solver.linearize(q, qd, tau, near), "linearization");
  return near.A.eigenvalues().real().maxCoeff();
}

}  // namespace dyn::tool
