// Tracking: a Controller closes the loop on a Plant along a trajectory, and the error is measured.
#pragma once

#include <functional>
#include <limits>

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/controller.hpp"
#include "dyn_core/control/plant.hpp"
#include "dyn_core/control/target.hpp"
#include "dyn_core/motion/trajectory.hpp"

namespace dyn {

struct TrackingParameters {
  ControllerParameters controller;
  PlantParameters plant;
  Vec3d push = Vec3d::Zero();  ///< force on the arm's tip in the second quarter of the run, N
  /// Targets of the tip a second, made from the trajectory and sent through a TargetFilter; zero: every
  /// period's own.
  double targets = 0.0;
  TargetOptions target;

  /// Nothing is blended in: the run begins where the law wants to be. Targets are as fast as the trajectory.
  explicit TrackingParameters(const Chain& chain) : controller(chain) {
    controller.law.ramp_in = 0.0;
    target.fastest = target.fastest_turn = std::numeric_limits<double>::infinity();
  }
};

struct TrackingReport {
  VecXd rms, peak;                           ///< of q_d - q of every coordinate, rad or m
  double rms_norm = 0.0;                     ///< root mean square of |q_d - q|
  double peak_norm = 0.0;                    ///< largest |q_d - q|
  VecXd torque_rms, torque_peak;             ///< of the commands, N m or N
  double tip_rms = 0.0, tip_peak = 0.0;      ///< of the tip from where the reference has it, m
  double turn_rms = 0.0, turn_peak = 0.0;    ///< and of its orientation, rad
  Vec6<double> kept = Vec6<double>::Ones();  ///< least share of a direction, see TipOutput
  double pushed = 0.0;                       ///< way of the tip by the end of the push, m
  double drift = 0.0;                        ///< way of the tip in the last quarter of the run, m
  double saturated = 0.0;                    ///< share of the updates in which a limit was met
  double prediction_rms = 0.0;  ///< root mean square of |measured - predicted q|; zero without
  double mean_update = 0.0, worst_update = 0.0;  ///< computing time of one update, s
  Index updates = 0, failures = 0;  ///< failures: updates in which the law was not in force
  double time = 0.0;                ///< reached, s
  bool stopped = false;             ///< `proceed` said so before the end
};

struct TrackingSample {
  double time;
  const Reference& reference;   ///< for this time
  const JointState& state;      ///< the arm's, without noise
  const JointState& measured;   ///< the same with noise and faults
  const ControlOutput& output;  ///< the command sent at this time
};

struct TrackingCallbacks {
  std::function<void(const TrackingSample&)> sample = {};
  std::function<bool(double time)> proceed = {};  ///< asked every period; false ends the run
};

/// Follows `trajectory` from its start to its end with the controller's model of `chain` and a plant of
/// `truth`, which may be the same chain. The arm starts on the trajectory, carried by the controller's
/// gravity torque. The sentence of an error names what is wrong with a parameter. Allocates before the
/// first and after the last period.
DYN_CORE_EXPORT [[nodiscard]] Result<TrackingReport> track(const ChainPtr& chain,
                                                           const ChainPtr& truth,
                                                           const Trajectory& trajectory,
                                                           const TrackingParameters& parameters,
                                                           const TrackingCallbacks& callbacks = {});

}  // namespace dyn
