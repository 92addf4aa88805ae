// Controller: control law, predictor and momentum observer put together, as one update per period. The
// ROS 2 controller, the wire server and `dyn track` all call this.
//
//   measured state ──> observer ──> r ──> predictor ──> state at t + horizon ──> law ──> torque
//                         ^                   ^                                            │
//                         └─ torque acting ───┴──────────── torques sent <─────────────────┘
#pragma once

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/computed_torque.hpp"
#include "dyn_core/control/observer.hpp"
#include "dyn_core/control/predictor.hpp"
#include "dyn_core/control/supervisor.hpp"

namespace dyn {

struct ControllerParameters {
  ControlParameters law;
  double delay = 0.0;    ///< from measurement to the torque that answers it, s
  bool predict = false;  ///< act on the state predicted for the time when the torque acts
  StepperOptions predictor_model = {
      .friction = Friction::kFull, .stops = true, .tolerance = 1e-8, .most_sweeps = 20};
  ObserverParameters observer;
  bool observe = false;             ///< run the observer; its estimate corrects the predictor
  bool reject_disturbance = false;  ///< and the law cancels it: stiff against every force
  /// A state that moves and yet stays bit for bit the same so long is not believed, s; infinite: any is.
  double stale_time = 0.02;
  SupervisionParameters supervision;

  explicit ControllerParameters(const Chain& chain)
      : law(chain), observer(chain.dof()), supervision(chain) {}
};

class DYN_CORE_EXPORT Controller {
 public:
  [[nodiscard]] static Result<Controller> make(const ChainPtr& chain,
                                               const ControllerParameters& parameters,
                                               const Algorithms& algorithms = {});

  [[nodiscard]] const Chain& chain() const noexcept { return law_.chain(); }
  [[nodiscard]] const ChainPtr& chain_ptr() const noexcept { return law_.chain_ptr(); }
  /// The reference given to update() is the one so many seconds after the measurement.
  [[nodiscard]] double lookahead() const noexcept {
    return predict_ ? predictor_.weight() * predictor_.horizon() : 0.0;
  }

  // The following allocate nothing, throw nothing and take no lock.

  /// Starts anew; `torque_now` acts as a command until the first one sent does.
  Status activate(VecIn<double> torque_now) noexcept;
  /// The command that answers the state measured at `time`, `dt` after the last one. It counts as sent
  /// at `time`. Where the prediction fails, the law acts on the measured state; a stale state is to it
  /// like one that is not finite. After a fault of the supervisor the arm is braked and carried until
  /// it is activated again.
  const ControlOutput& update(double time, const JointState& measured, const Reference& reference,
                              double dt) noexcept;

  /// What acted on the joints during the period before the next update, where that is measured; a torque
  /// as commands are. The observer believes it for one update; without it, the torques sent.
  Status set_acting_torque(VecIn<double> torque) noexcept;
  /// What the observer sees, as a wrench at the tip, in the base link frame; see MomentumObserver.
  Status external_wrench(const VecXd& q, Wrench& out) noexcept {
    return observer_.tip_wrench(q, out);
  }
  /// Leaves the arm to a hand and takes it back, see ControlLaw; afterwards the reference should begin
  /// where the arm is.
  Status guide(bool on) noexcept;
  [[nodiscard]] bool guided() const noexcept { return law_.guided(); }
  [[nodiscard]] bool guidable() const noexcept { return law_.parameters().guidable; }
  /// The next reference is another's: the torque goes on from the last one, blended.
  void continue_from_last() noexcept { law_.continue_from_last(); }

  [[nodiscard]] const ControlOutput& output() const noexcept { return law_.output(); }
  /// The state the law acted on.
  [[nodiscard]] const JointState& state() const noexcept { return predictor_.state(); }
  [[nodiscard]] bool stale() const noexcept { return unchanged_time_ > stale_time_; }
  [[nodiscard]] const Predictor& predictor() const noexcept { return predictor_; }
  [[nodiscard]] const MomentumObserver& observer() const noexcept { return observer_; }
  [[nodiscard]] const Supervisor& supervisor() const noexcept { return supervisor_; }
  [[nodiscard]] ControlLaw& law() noexcept { return law_; }

  Status set_gains(const Gains& gains) noexcept { return law_.set_gains(gains); }
  Status set_delay(double delay) noexcept { return predictor_.set_delay(delay); }
  Status set_payload(const RigidBody& payload) noexcept;
  Status set_gravity(const Vec3d& gravity) noexcept;

 private:
  Controller(ControlLaw law, Predictor predictor, MomentumObserver observer, Supervisor supervisor,
             const ControllerParameters& parameters);
  void watch(const JointState& measured, double dt) noexcept;
  void observe(double time, const JointState& measured, double dt) noexcept;
  void learn_bias(const JointState& measured, double dt) noexcept;
  [[nodiscard]] bool take_reference(const JointState& measured,
                                    const Reference& reference) noexcept;
  const ControlOutput& command(const JointState& measured, const Reference& reference,
                               double dt) noexcept;

  ControlLaw law_;
  Predictor predictor_;
  MomentumObserver observer_;
  Supervisor supervisor_;
  Reference reference_;  // within the position limits
  bool predict_, bias_, observe_, reject_disturbance_;
  double stale_time_;
  double unchanged_time_ = 0.0;
  JointState last_, lost_;  // measured before; all NaN
  VecXd acting_, slow_;
  double learnt_ = 0.0;  // since activation, s
  VecXd sent_;           // with what the drives add by themselves
  bool acting_known_ = false;
};

}  // namespace dyn
