// The experiments of Saha 2003, section 4, run.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "dyn_core/motion/simulate.hpp"
#include "paper.hpp"

namespace dyn::tool {

/// One arm, where it starts, and where its trajectory (18) ends after T = 10 s.
struct SahaExperiment {
  std::string name;
  ChainPtr chain;
  VecXd start, end;
  TrajectoryPtr wanted = {};

  [[nodiscard]] VecXd wanted_at(double time) const;
};

/// "planar3r", "stanford" or "puma560".
[[nodiscard]] SahaExperiment saha_experiment(const std::string& robot);
[[nodiscard]] ChainPtr saha_robot(const std::string& robot);

/// T = 10 s, ΔT = 0.01 s, tolerance 1e-6, accelerations by the paper's algorithm.
[[nodiscard]] SimulationOptions saha_options(Integrator integrator = Integrator::kRkf45,
                                             double tolerance = 1e-6);

/// Samples every ΔT.
struct SahaMotion {
  std::vector<double> time, deviation;  ///< the largest of a joint from the trajectory
  std::vector<VecXd> q, tau;
  std::vector<Vec3d> tip;
  SimulationReport report;

  [[nodiscard]] static std::size_t index(double t) {
    return static_cast<std::size_t>(std::lround(t / 0.01));
  }
  [[nodiscard]] const VecXd& at(double t) const { return q[index(t)]; }
  /// When a joint is first further from the trajectory than this, s; infinite if none ever is.
  [[nodiscard]] double departure(double deviation_of = 0.01) const;
  [[nodiscard]] std::vector<double> joint(Index i) const;
  [[nodiscard]] std::vector<double> torque(Index i) const;
  [[nodiscard]] std::vector<double> tip_along(Index axis) const;
  void add(const SahaExperiment& experiment, double t, const VecXd& position, const VecXd& torques);
};

[[nodiscard]] SahaMotion saha_fall(const SahaExperiment& experiment,
                                   const SimulationOptions& options = saha_options());
[[nodiscard]] SahaMotion saha_forced(const SahaExperiment& experiment,
                                     const SimulationOptions& options = saha_options(),
                                     bool hold = false);
/// Forced, by the method of DVERK.
[[nodiscard]] SahaMotion saha_forced_by_verner(const SahaExperiment& experiment, double tolerance);

using SahaRate = std::function<VecXd(double time, const VecXd& state)>;
/// Verner's Runge-Kutta pair 6(5), which DVERK has, from x at time 0 to `duration`: the states every ΔT.
[[nodiscard]] std::vector<VecXd> saha_verner(const SahaRate& rate, VecXd x, double duration,
                                             double tolerance);
/// (θ̇, θ̈) of (θ, θ̇) with θ̈ by the paper's algorithm under the torques of (18), or none.
[[nodiscard]] SahaRate saha_state_space(const SahaExperiment& experiment, bool forced);

/// The rate, 1/s, at which a small deviation from the trajectory grows at `time`.
[[nodiscard]] double saha_growth(const SahaExperiment& experiment, double time);

}  // namespace dyn::tool
