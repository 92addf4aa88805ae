// Simulation: integration of a chain's forward dynamics in state space, from initial positions and
// velocities under given torques.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "dyn_core/base/export.hpp"
#include "dyn_core/motion/trajectory.hpp"
#include "dyn_core/solver.hpp"

namespace dyn {

enum class Integrator {
  kRkf45,         ///< Runge-Kutta-Fehlberg 4(5), error control, dense output
  kDopri5,        ///< Dormand-Prince 5(4), error control, dense output
  kRk4,           ///< classical Runge-Kutta of order 4, constant step
  kSemiImplicit,  ///< velocities first, positions with the new velocities: order 1, constant step
  kAbm,           ///< Adams-Bashforth-Moulton of order 1 to 13, error control, dense output
};

/// Chooses its steps by the error of each; the others have steps of one length.
DYN_CORE_EXPORT [[nodiscard]] bool has_error_control(Integrator integrator);

/// The velocities that are integrated next to the positions.
enum class Velocities {
  kJoint,         ///< q̇, by the forward dynamics chosen in Algorithms
  kNormalized,    ///< ν = mᵀ q̇ of the diagonalized equations ν̇ + C(q,ν) + l g = ε
  kUnnormalized,  ///< ξ = Uᵀ q̇ of D ξ̇ + C(q,ξ) + U⁻¹g = κ
};

template <class Value>
struct Choice {
  std::string_view name;
  Value value;
  std::string_view text;
};

/// All integrators and all velocities by name.
DYN_CORE_EXPORT [[nodiscard]] std::span<const Choice<Integrator>> integrators();
DYN_CORE_EXPORT [[nodiscard]] std::span<const Choice<Velocities>> velocities();

struct SimulationOptions {
  double duration = 10.0;  ///< s
  double step = 0.01;  ///< s between samples, which are at 0, step, 2 step, … up to the duration
  Integrator integrator = Integrator::kRkf45;
  /// Error allowed per step, absolute (rad, m and their rates) plus relative. Integrators with error
  /// control only.
  double tolerance = 1e-6;
  /// No step of integration is longer, s: error control sees nothing of torques that come and go within
  /// one step. Integrators with error control only.
  double longest_step = 1.0;
  /// Steps of integration per sample. Integrators with constant step only.
  int substeps = 1;
  Velocities velocities = Velocities::kJoint;
  Algorithms algorithms = {};
  bool friction = false;     ///< the joints' damping and Coulomb friction act
  bool joint_stops = false;  ///< a spring and damper act beyond each joint's limits
  /// Natural frequency of a joint on its stop, with the others held at the initial configuration, rad/s.
  /// The damping is critical.
  double stop_frequency = 200.0;
  Wrench tip_wrench = {};  ///< acts on the tip throughout
};

/// Joint torques as a function of time and state. What it does not change is zero; a status other than
/// kOk ends the simulation.
using TorqueInput =
    std::function<Status(double time, VecIn<double> q, VecIn<double> qd, VecOut<double> tau)>;

/// No torques.
DYN_CORE_EXPORT [[nodiscard]] TorqueInput free_fall();
DYN_CORE_EXPORT [[nodiscard]] TorqueInput constant_torque(VecXd tau);
/// The torques that make the chain follow `trajectory`, as a function of time alone: nothing corrects a
/// deviation. Friction and tip wrench of `options` are accounted for.
DYN_CORE_EXPORT [[nodiscard]] Result<TorqueInput> feedforward(const ChainPtr& chain,
                                                              TrajectoryPtr trajectory,
                                                              const SimulationOptions& options);

/// `torques`, a function of time alone, computed once per `step` and held until the next, as a digital
/// controller would.
DYN_CORE_EXPORT [[nodiscard]] TorqueInput held(TorqueInput torques, double step);

struct Sample {
  double time;
  const VecXd& q;
  const VecXd& qd;
  const VecXd& tau;  ///< from the TorqueInput
  double energy;     ///< kinetic and potential, J
};

struct SimulationReport {
  Algorithms algorithms = {};  ///< the names in use
  double time = 0.0;           ///< of the last sample
  VecXd q, qd;                 ///< at that time
  bool stopped = false;        ///< `proceed` said so before the end
  Index samples = 0, steps = 0, rejected_steps = 0, evaluations = 0;
  double first_energy = 0.0, last_energy = 0.0;
  double energy_drift = 0.0;    ///< the largest |energy - first energy| of all samples
  double kinetic_energy = 0.0;  ///< the largest of all samples, the scale for the drift
};

struct SimulationCallbacks {
  std::function<void(const Sample&)> sample = {};
  /// Asked after every step of integration, with the time reached; false ends the simulation.
  std::function<bool(double time)> proceed = {};
  /// What there is of a run that breaks down, before simulate() returns its error.
  std::function<void(const SimulationReport&)> broke_down = {};
};

/// Deterministic: the same arguments give the same samples. The error names the time and the joint when
/// the motion is no longer finite or the step size collapses; the samples before that have been passed
/// on. Not for the real-time path.
DYN_CORE_EXPORT [[nodiscard]] Result<SimulationReport> simulate(
    const ChainPtr& chain, const SimulationOptions& options, const TorqueInput& torques,
    const VecXd& q0, const VecXd& qd0, const SimulationCallbacks& callbacks = {});

}  // namespace dyn
