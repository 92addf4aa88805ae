#include "dyn_core/motion/simulate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "integration.hpp"

namespace dyn {
namespace {

constexpr std::array kIntegrators = {
    Choice<Integrator>{"rkf45", Integrator::kRkf45, "Runge-Kutta-Fehlberg 4(5), error control"},
    Choice<Integrator>{"dopri5", Integrator::kDopri5, "Dormand-Prince 5(4), error control"},
    Choice<Integrator>{"rk4", Integrator::kRk4, "Runge-Kutta of order 4, constant step"},
    Choice<Integrator>{"semi_implicit", Integrator::kSemiImplicit,
                       "velocities before positions, order 1, constant step"},
    Choice<Integrator>{"abm", Integrator::kAbm,
                       "Adams-Bashforth-Moulton of order 1 to 13, error control"},
};

constexpr std::array kVelocities = {
    Choice<Velocities>{"joint", Velocities::kJoint, "joint velocities"},
    Choice<Velocities>{"normalized", Velocities::kNormalized,
                       "normalized quasi-velocities nu of the diagonalized equations"},
    Choice<Velocities>{"unnormalized", Velocities::kUnnormalized,
                       "unnormalized quasi-velocities xi of the diagonalized equations"},
};

// Empty if the simulation can start.
std::string objection(const SimulationOptions& options) {
  if (!(std::isfinite(options.duration) && options.duration > 0.0)) {
    return fmt::format("the duration is {} s; give one above 0", options.duration);
  }
  if (!(options.step > 0.0 && options.step <= options.duration)) {
    return fmt::format(
        "the step is {} s; give one above 0 and not longer than the duration of {} s", options.step,
        options.duration);
  }
  if (has_error_control(options.integrator) &&
      !(options.tolerance >= 1e-15 && options.tolerance <= 1.0)) {
    return fmt::format("the tolerance is {}; give one from 1e-15 to 1", options.tolerance);
  }
  if (!(options.longest_step > 0.0 && std::isfinite(options.longest_step))) {
    return fmt::format("the longest step is {} s; give one above 0", options.longest_step);
  }
  if (options.substeps < 1) {
    return fmt::format("the number of substeps is {}; give 1 or more", options.substeps);
  }
  constexpr double kMostSteps = 1e8;
  const double shortest = has_error_control(options.integrator)
                              ? std::min(options.longest_step, options.step)
                              : options.step / options.substeps;
  if (!(options.duration / shortest <= kMostSteps)) {
    return fmt::format("{} s in steps of {} s at most are more than {} steps; give longer ones",
                       options.duration, shortest, kMostSteps);
  }
  if (!(options.stop_frequency > 0.0 && std::isfinite(options.stop_frequency))) {
    return fmt::format("the frequency of the joint stops is {} rad/s; give one above 0",
                       options.stop_frequency);
  }
  if (!options.tip_wrench.force.allFinite() || !options.tip_wrench.torque.allFinite()) {
    return "the tip wrench has a component that is not finite";
  }
  return {};
}

// Empty if the state is one of this chain.
std::string objection(const Chain& chain, const SimulationOptions& options, const VecXd& q0,
                      const VecXd& qd0) {
  if (q0.size() != chain.dof() || qd0.size() != chain.dof()) {
    return fmt::format(
        "the chain from '{}' to '{}' has {} coordinates, but the initial state has {} "
        "positions and {} velocities",
        chain.base(), chain.tip(), chain.dof(), q0.size(), qd0.size());
  }
  for (Index i = 0; i < chain.dof(); ++i) {
    const Joint& joint = chain.coordinate_joint(i);
    if (!std::isfinite(q0[i]) || !std::isfinite(qd0[i])) {
      return fmt::format("joint '{}' starts at {} with the velocity {}; both must be finite",
                         joint.name, q0[i], qd0[i]);
    }
    if (options.joint_stops && (q0[i] < joint.limits.lower || q0[i] > joint.limits.upper)) {
      return fmt::format(
          "joint '{}' starts at {}, beyond its stops at {} and {}; start between them", joint.name,
          q0[i], joint.limits.lower, joint.limits.upper);
    }
  }
  return {};
}

/// One run from start to end.
class Run {
 public:
  Run(const SimulationOptions& options, StateSpace& system, const SimulationCallbacks& callbacks,
      Algorithms algorithms)
      : options_(options), system_(system), callbacks_(callbacks) {
    report_.algorithms = std::move(algorithms);
  }

  Result<SimulationReport> from(const VecXd& q0, const VecXd& qd0) {
    const std::string failure = go(q0, qd0);
    if (integration_) {
      report_.steps = integration_->steps();
      report_.rejected_steps = integration_->rejected_steps();
    }
    report_.evaluations = system_.evaluations();
    if (failure.empty()) return std::move(report_);
    if (callbacks_.broke_down) callbacks_.broke_down(report_);
    return fail(failure);
  }

 private:
  // To the end; the sentence of what stops it before, or nothing.
  std::string go(const VecXd& q0, const VecXd& qd0) {
    if (!system_.start(q0, qd0, x_)) return sentence(0.0);
    integration_ = make_integration(options_, system_, x_);
    // The last sample may miss the duration by rounding only.
    const auto last = static_cast<Index>(options_.duration / options_.step * (1.0 + 1e-12) + 1e-9);
    const double end = std::min(options_.duration, options_.step * static_cast<double>(last));
    for (Index k = 0; k <= last && !report_.stopped; ++k) {
      const double time = end * static_cast<double>(k) / static_cast<double>(last);
      const StepOutcome outcome = advance(time, k);
      if (outcome != StepOutcome::kOk) return sentence(outcome);
      if (report_.stopped) break;
      if (!take_sample(time)) return sentence(time);
    }
    return {};
  }

  // Steps until sample number k at `time` is reached.
  StepOutcome advance(double time, Index k) {
    const bool adaptive = has_error_control(options_.integrator);
    while (adaptive ? integration_->time() < time : integration_->steps() < k * options_.substeps) {
      if (const StepOutcome outcome = integration_->step(); outcome != StepOutcome::kOk)
        return outcome;
      if (callbacks_.proceed && !callbacks_.proceed(integration_->time())) {
        report_.stopped = true;
        return StepOutcome::kOk;
      }
    }
    return StepOutcome::kOk;
  }

  bool take_sample(double time) {
    if (time > 0.0) integration_->state_at(time, x_);
    if (!system_.observe(time, x_)) return false;
    const double kinetic = system_.kinetic_energy();
    const double energy = kinetic + system_.potential_energy();
    if (report_.samples++ == 0) report_.first_energy = energy;
    report_.time = time;
    report_.q = system_.q();
    report_.qd = system_.qd();
    report_.last_energy = energy;
    report_.energy_drift = std::max(report_.energy_drift, std::abs(energy - report_.first_energy));
    report_.kinetic_energy = std::max(report_.kinetic_energy, kinetic);
    if (callbacks_.sample) {
      callbacks_.sample({time, report_.q, report_.qd, system_.tau(), energy});
    }
    return true;
  }

  [[nodiscard]] std::string sentence(double time) const {
    return fmt::format("the simulation cannot go on at {:.6g} s: {}", time, system_.failure());
  }

  [[nodiscard]] std::string sentence(StepOutcome outcome) {
    const Index n = system_.dof();
    const State& x = integration_->state();
    const auto size_of = [&](Index i) {
      const double value = std::abs(x[static_cast<std::size_t>(n + i)]);
      return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
    };
    Index worst = 0;
    for (Index i = 1; i < n; ++i) worst = size_of(i) > size_of(worst) ? i : worst;
    const std::string& joint = system_.chain().coordinate_joint(worst).name;
    const double time = integration_->time();
    if (outcome == StepOutcome::kCollapsed) {
      return fmt::format(
          "no step is small enough for the tolerance {} after {:.6g} s, where joint '{}' "
          "moves fastest; allow a larger tolerance, or look for torques that jump",
          options_.tolerance, time, joint);
    }
    if (std::isfinite(size_of(worst))) {
      return fmt::format(
          "the simulation cannot go on after {:.6g} s, where joint '{}' moves fastest: {}", time,
          joint, system_.failure());
    }
    return fmt::format(
        "the motion of joint '{}' is no longer finite after {:.6g} s; take smaller steps "
        "or an integrator with error control, or look for torques that drive the robot "
        "ever faster",
        joint, time);
  }

  const SimulationOptions& options_;
  StateSpace& system_;
  const SimulationCallbacks& callbacks_;
  std::unique_ptr<Integration> integration_;
  State x_;
  SimulationReport report_;
};

}  // namespace

bool has_error_control(Integrator integrator) {
  return integrator == Integrator::kRkf45 || integrator == Integrator::kDopri5 ||
         integrator == Integrator::kAbm;
}

std::span<const Choice<Integrator>> integrators() { return kIntegrators; }
std::span<const Choice<Velocities>> velocities() { return kVelocities; }

TorqueInput free_fall() { return {}; }

TorqueInput constant_torque(VecXd tau) {
  return [constant = std::move(tau)](double /*time*/, VecIn<double> /*q*/, VecIn<double> /*qd*/,
                                     VecOut<double> out) {
    if (out.size() != constant.size()) return Status::kWrongSize;
    out = constant;
    return Status::kOk;
  };
}

Result<TorqueInput> feedforward(const ChainPtr& chain, TrajectoryPtr trajectory,
                                const SimulationOptions& options) {
  if (trajectory->dof() != chain->dof()) {
    return fail(
        fmt::format("the trajectory has {} joints, but the chain from '{}' to '{}' has {} "
                    "coordinates",
                    trajectory->dof(), chain->base(), chain->tip(), chain->dof()));
  }
  Result<Solver> solver = Solver::make(chain, options.algorithms);
  if (!solver) return tl::unexpected(solver.error());
  solver->set_friction(options.friction);
  solver->set_tip_wrench(options.tip_wrench);
  struct Desired {
    Solver solver;
    TrajectoryPtr trajectory;
    VecXd q, qd, qdd;
  };
  const VecXd zero = VecXd::Zero(chain->dof());
  auto desired = std::make_shared<Desired>(
      Desired{std::move(*solver), std::move(trajectory), zero, zero, zero});
  return TorqueInput([desired = std::move(desired)](double time, VecIn<double> /*q*/,
                                                    VecIn<double> /*qd*/,
                                                    const VecOut<double>& out) {
    Desired& d = *desired;
    const Status status = d.trajectory->evaluate(time, d.q, d.qd, d.qdd);
    return status == Status::kOk ? d.solver.inverse_dynamics(d.q, d.qd, d.qdd, out) : status;
  });
}

TorqueInput held(TorqueInput torques, double step) {
  return [torques = std::move(torques), step](double time, VecIn<double> q, VecIn<double> qd,
                                              const VecOut<double>& out) {
    const double steps = std::floor(time / step + 1e-9);
    return torques(steps * step, q, qd, out);
  };
}

Result<SimulationReport> simulate(const ChainPtr& chain, const SimulationOptions& options,
                                  const TorqueInput& torques, const VecXd& q0, const VecXd& qd0,
                                  const SimulationCallbacks& callbacks) {
  std::string text = objection(options);
  if (text.empty()) text = objection(*chain, options, q0, qd0);
  if (!text.empty()) return fail(std::move(text));
  Result<Solver> solver = Solver::make(chain, options.algorithms);
  if (!solver) return tl::unexpected(solver.error());
  Algorithms algorithms = solver->algorithms();
  StateSpace system(chain, std::move(*solver), options, torques);
  return Run(options, system, callbacks, std::move(algorithms)).from(q0, qd0);
}

}  // namespace dyn
