// Plant: a simulated arm to close the loop on. Torque commands arrive after a delay, are clipped by the
// drives and move a model that may differ from the controller's: other masses, other friction, an
// external force, noise on what is measured, faults. Deterministic: the same seed gives the same run.
#pragma once

#include <limits>

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/stepper.hpp"
#include "dyn_core/robot/random_chain.hpp"

namespace dyn {

struct PlantParameters {
  double delay = 0.0;             ///< from command() to the joint, s
  double shortest_period = 1e-3;  ///< commands do not come faster than this, s
  bool clip_effort = true;        ///< the drives give no more than the chain's effort limits
  double drive_period = 1e-4;     ///< of drives that close the loop themselves, s
  bool drive_compensates_gravity = false;  ///< the drives add this arm's own gravity torque
  /// The drives change their torque, without gravity, by no more, N m/s or N/s; infinite: at once.
  double torque_rate = std::numeric_limits<double>::infinity();
  double velocity_lag = 0.0;    ///< time constant of the measured q̇, s
  double position_noise = 0.0;  ///< standard deviation of the measured q, rad or m
  double velocity_noise = 0.0;  ///< of the measured q̇
  std::uint64_t seed = 1;
  StepperOptions model = {.scheme = Scheme::kRungeKutta4,
                          .friction = Friction::kFull,
                          .stops = true,
                          .max_step = 2.5e-4};
};

enum class Fault {
  kNone,
  kStateNotFinite,  ///< the measured state is NaN
  kStateFrozen,     ///< the measured state does not change any more
  kCommandLost,     ///< commands do not arrive; the last one acts on
};

/// The same chain with all masses and inertias times `all`, and those of the last link, with whatever
/// it carries (hand, tool, payload), times `last` besides; centres of mass stay.
DYN_CORE_EXPORT [[nodiscard]] ChainPtr scale_inertia(const Chain& chain, double all, double last);

class DYN_CORE_EXPORT Plant {
 public:
  [[nodiscard]] static Result<Plant> make(ChainPtr chain, const PlantParameters& parameters,
                                          const Algorithms& algorithms = {});

  [[nodiscard]] const Chain& chain() const noexcept { return stepper_.solver().chain(); }
  [[nodiscard]] Index dof() const noexcept { return chain().dof(); }

  // The following allocate nothing, throw nothing and take no lock.

  /// Time and noise start again, commands, faults and the external torque are forgotten; `torque` acts until a
  /// command does.
  Status reset(const JointState& state, const VecXd& torque) noexcept;
  /// A command sent now. One that is not finite is refused, and the one before it acts on.
  Status command(VecIn<double> torque) noexcept;
  /// To drives that close the loop themselves: every drive_period they add their own part.
  Status command(VecIn<double> torque, const DriveReference& drive) noexcept;
  /// Moves on by `dt`. On a failure the arm stays where it was.
  Status step(double dt) noexcept;

  [[nodiscard]] double time() const noexcept { return time_; }
  [[nodiscard]] const JointState& state() const noexcept { return state_; }
  /// The state with noise and faults.
  [[nodiscard]] const JointState& measured() const noexcept { return measured_; }
  /// Mean torque at the joints over the last step, as the drives gave it.
  [[nodiscard]] const VecXd& torque() const noexcept { return mean_torque_; }

  void set_fault(Fault fault) noexcept;
  void set_tip_wrench(const Wrench& wrench) noexcept { stepper_.solver().set_tip_wrench(wrench); }
  /// On the joints besides that of the drives, until changed; a wrong size is passed over.
  void set_external_torque(const VecXd& torque) noexcept {
    if (torque.size() == dof()) external_ = torque;
  }
  void set_payload(const RigidBody& payload) noexcept { stepper_.solver().set_payload(payload); }
  void set_gravity(const Vec3d& gravity) noexcept { stepper_.solver().set_gravity(gravity); }

 private:
  Plant(Solver solver, const PlantParameters& parameters);
  Status drive_torque(const VecXd& command, double dt) noexcept;
  Status drive_until(double begin, double end, const VecXd& command, double dt) noexcept;
  void measure() noexcept;

  PlantParameters parameters_;
  Stepper stepper_;
  CommandHistory commands_;
  JointState state_, measured_;
  VecXd effort_, gravity_, torque_, mean_torque_, external_, whole_torque_;
  VecXd whole_;   // a command: torque, and q, q̇, kp, kd of the drives
  VecXd given_;   // by the drives, without gravity
  VecXd lagged_;  // q̇
  Random random_;
  double time_ = 0.0;
  Fault fault_ = Fault::kNone;
};

}  // namespace dyn
