// Logs of the simulated arm: a closed loop along sines, as a driver would have written it.
#pragma once

#include "control/control_support.hpp"
#include "dyn_core/control/tracking.hpp"
#include "dyn_core/identify/check.hpp"

namespace dyn::test {

/// Every joint swings about `middle` with a frequency of its own, setting out and stopping smoothly.
class Swing final : public Trajectory {
 public:
  Swing(VecXd middle, double amplitude, double frequency, double duration)
      : middle_(std::move(middle)),
        amplitude_(amplitude),
        frequency_(frequency),
        duration_(duration) {}

  [[nodiscard]] Index dof() const noexcept override { return middle_.size(); }
  [[nodiscard]] double duration() const noexcept override { return duration_; }
  Status evaluate(double time, VecOut<double> q, VecOut<double> qd,
                  VecOut<double> qdd) const noexcept override {
    const double t = std::clamp(time, 0.0, duration_);
    for (Index j = 0; j < dof(); ++j) {
      const double w = 2.0 * M_PI * frequency_ * (1.0 + 0.17 * static_cast<double>(j));
      // 1 - cos has no velocity at the beginning.
      q[j] = middle_[j] + amplitude_ * (1.0 - std::cos(w * t)) * (j % 2 == 0 ? 0.5 : -0.5);
      qd[j] = amplitude_ * w * std::sin(w * t) * (j % 2 == 0 ? 0.5 : -0.5);
      qdd[j] = amplitude_ * w * w * std::cos(w * t) * (j % 2 == 0 ? 0.5 : -0.5);
    }
    return Status::kOk;
  }

 private:
  VecXd middle_;
  double amplitude_, frequency_, duration_;
};

struct SimulatedLog {
  Effort effort = Effort::kWithGravity;
  double delay = 0.0;      // s
  double frequency = 0.3;  // Hz, of the slowest joint
  double amplitude = 1.0;  // rad
  double duration = 10.0;  // s
  double friction = 0.0;   // Coulomb, share of the peak effort; viscous the same at 1 rad/s
  double noise_q = 0.0, noise_tau = 0.0;  // noise_tau: share of the rms
  double mass_error = 0.0;                // of the truth
};

inline Log simulated_log(const ChainPtr& model, const SimulatedLog& options, std::uint64_t seed) {
  const Index n = model->dof();
  VecXd middle = VecXd::Zero(n);
  for (Index j = 0; j < n; ++j) {
    const JointLimits& limits = model->coordinate_joint(j).limits;
    if (std::isfinite(limits.lower + limits.upper)) middle[j] = 0.5 * (limits.lower + limits.upper);
  }
  Random random(seed);
  ChainPtr truth = scale_inertia(*model, 1.0 + options.mass_error, 1.0);
  Solver solver = solver_of(without_limits(*model));
  VecXd load(n);
  EXPECT_EQ(solver.inverse_dynamics(middle, VecXd::Zero(n), VecXd::Constant(n, 1.0), load),
            Status::kOk);
  truth = edited(*truth, [&](Joint& joint) {
    joint.limits = {};
    const double size = options.friction * std::max(std::abs(load[joint.coordinate]),
                                                    0.05 * load.cwiseAbs().maxCoeff());
    joint.damping += size;
    joint.friction += size;
  });
  const Swing swing(middle, options.amplitude, options.frequency, options.duration);
  TrackingParameters parameters(*model);
  Solver gains = solver_of(model);
  parameters.controller.law.gains =
      take(gains_from_frequency(parameters.controller.law.law, gains, middle,
                                VecXd::Constant(n, 12.0), VecXd::Constant(n, 1.0)));
  parameters.controller.delay = parameters.plant.delay = options.delay;
  parameters.controller.predict = options.delay > 0.0;
  parameters.plant.position_noise = options.noise_q;
  parameters.plant.velocity_noise = 20.0 * options.noise_q;
  parameters.plant.drive_compensates_gravity = options.effort == Effort::kWithoutGravity;
  parameters.controller.law.hardware_compensates_gravity =
      options.effort == Effort::kWithoutGravity;
  Log log;
  log.q.resize(static_cast<std::size_t>(n));
  log.qd = log.tau = log.q;
  TrackingCallbacks callbacks;
  callbacks.sample = [&](const TrackingSample& sample) {
    log.t.push_back(sample.time);
    for (std::size_t j = 0; j < log.q.size(); ++j) {
      const auto i = static_cast<Index>(j);
      log.q[j].push_back(sample.measured.q[i]);
      log.qd[j].push_back(sample.measured.qd[i]);
      log.tau[j].push_back(sample.output.torque[i]);
    }
  };
  ChainPtr free = without_limits(*model);
  const auto report = track(free, truth, swing, parameters, callbacks);
  EXPECT_TRUE(report) << (report ? "" : report.error().sentence);
  for (std::size_t j = 0; j < log.tau.size(); ++j) {
    const Eigen::Map<VecXd> tau(log.tau[j].data(), log.t.size());
    const double rms = tau.norm() / std::sqrt(static_cast<double>(tau.size()));
    const double scale =
        options.effort == Effort::kCurrent ? 0.03 + 0.02 * static_cast<double>(j) : 1.0;
    for (double& value : log.tau[j])
      value = scale * (value + options.noise_tau * rms * random.vector(12, 0.5).sum());
  }
  return log;
}

}  // namespace dyn::test
