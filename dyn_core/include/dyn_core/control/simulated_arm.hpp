// SimulatedArm: a Controller that closes the loop on a Plant, period by period, along whatever it is told to
// follow: what `dyn view` and `dyn_serve` play. Beside it, where that is asked for, the same arm with the
// prediction the other way round, which shows what the prediction is worth.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/controller.hpp"
#include "dyn_core/control/plant.hpp"
#include "dyn_core/control/reference.hpp"
#include "dyn_core/motion/trajectory.hpp"

namespace dyn {

/// What may break in the arm, as in dyn_msgs/InjectFault.
enum class Breakage { kNone, kStateNotFinite, kStateFrozen, kCommandLost, kEffortClipped };

DYN_CORE_EXPORT [[nodiscard]] std::span<const std::string_view> breakage_names() noexcept;
/// The error lists the names.
DYN_CORE_EXPORT [[nodiscard]] Result<Breakage> breakage_named(std::string_view name);

struct ArmSettings {
  Law law = Law::kComputedTorque;
  double frequency = 40.0;  ///< of the law, rad/s
  double delay = 0.0;       ///< of the drives, s; the controller knows it
  bool predict = false;     ///< over the delay
  bool observe = false;     ///< run the observer
  bool reject = false;      ///< and cancel what it sees
  bool compare = false;     ///< with a second arm that predicts where this one does not
};

/// A spring between a point of a link and a place, as strong as the arm is heavy at most.
struct Pull {
  Index link = 0;                ///< by the number of the joint that moves it
  Vec3d point = Vec3d::Zero();   ///< in the link's URDF frame
  Vec3d target = Vec3d::Zero();  ///< in the base link frame
};

class DYN_CORE_EXPORT SimulatedArm {
 public:
  static constexpr double kPeriod = 1e-3;  // s

  /// At rest at `posture`. Arm and law know the payload.
  [[nodiscard]] static Result<SimulatedArm> make(const ChainPtr& chain, const ArmSettings& settings,
                                                 const RigidBody& payload, const VecXd& posture);

  // The following allocate nothing, throw nothing and take no lock.

  /// Goes on where `other`, an arm of the same chain with other settings, stands and what it does; in the hand
  /// that has it, where its law can be guided.
  Status take_over(const SimulatedArm& other) noexcept;

  /// Goes along the trajectory from now on, smoothly from the present motion; null: stops.
  void follow(TrajectoryPtr trajectory) noexcept;
  /// Goes to a posture, at half of the velocity limits: a soft law overshoots.
  void go_to(const VecXd& posture) noexcept;
  void stop() noexcept { follow(nullptr); }
  /// Leaves the arm to whoever pushes it, or takes it back where it is; following something does that too.
  Status guide(bool on) noexcept;
  [[nodiscard]] bool guided() const noexcept { return main_.controller.guided(); }
  [[nodiscard]] bool guidable() const noexcept { return main_.controller.guidable(); }
  /// A wrench on the tip, in the base link frame.
  void push(const Wrench& wrench) noexcept;
  /// What the arm carries from now on; the law knows nothing of it.
  void set_payload(const RigidBody& payload) noexcept;
  /// What the law believes that it carries.
  Status set_known_payload(const RigidBody& payload) noexcept;
  /// For arm and law.
  Status set_gravity(const Vec3d& gravity) noexcept;
  /// For so many seconds; zero: until the next.
  void inject(Breakage breakage, double duration) noexcept;
  void pull(const std::optional<Pull>& pull) noexcept { pull_ = pull; }

  /// One period: what to follow, then what the arm does.
  Status step() noexcept {
    const Status status = plan();
    return status == Status::kOk ? act() : status;
  }
  Status plan() noexcept;
  Status act() noexcept;

  [[nodiscard]] const Chain& chain() const noexcept { return main_.plant.chain(); }
  [[nodiscard]] const ArmSettings& settings() const noexcept { return settings_; }
  /// Of all periods so far, s.
  [[nodiscard]] double time() const noexcept { return before_ + main_.plant.time(); }
  /// What the supervisor of the law objects to, while the arm is braked for it; afterwards it holds where
  /// it came to rest.
  [[nodiscard]] Status fault() const noexcept { return main_.controller.supervisor().fault(); }
  /// The joint of the fault.
  [[nodiscard]] Index fault_joint() const noexcept { return main_.controller.supervisor().joint(); }
  /// The last period ended what was followed.
  [[nodiscard]] bool braked() const noexcept { return braked_; }
  [[nodiscard]] bool following() const noexcept { return trajectory_ != nullptr; }
  [[nodiscard]] Breakage breakage() const noexcept { return breakage_; }
  [[nodiscard]] const RigidBody& payload() const noexcept { return payload_; }
  [[nodiscard]] const RigidBody& known_payload() const noexcept { return known_payload_; }
  /// As it is measured.
  [[nodiscard]] const JointState& state() const noexcept { return main_.plant.measured(); }
  /// What acted on the joints in the last period.
  [[nodiscard]] const VecXd& torque() const noexcept { return main_.plant.torque(); }
  /// What is asked for, and the smooth way there.
  [[nodiscard]] const Reference& wanted() const noexcept { return wanted_; }
  [[nodiscard]] const Reference& reference() const noexcept { return now_; }
  /// Every joint's tracking error in the last period, and that of the arm beside; null where there is none.
  [[nodiscard]] const VecXd& error() const noexcept { return main_.error; }
  [[nodiscard]] const VecXd* other_error() const noexcept {
    return beside_ ? &beside_->error : nullptr;
  }
  [[nodiscard]] const ControlOutput& output() const noexcept { return main_.controller.output(); }
  /// What the observer sees at the tip, in the base link frame.
  Status external_wrench(Wrench& out) noexcept {
    return main_.controller.external_wrench(state().q, out);
  }
  /// The force of the pull and where it acts, in the base link frame; zero without.
  [[nodiscard]] const Vec3d& pull_force() const noexcept { return pull_force_; }
  [[nodiscard]] const Vec3d& pulled_at() const noexcept { return pulled_at_; }

 private:
  struct Loop {
    Controller controller;
    Plant plant;
    VecXd error, torque;
    Reference ahead;  // of the time when the torque acts, where that is predicted
  };

  SimulatedArm(const ChainPtr& chain, const ArmSettings& settings, Loop main);
  [[nodiscard]] static Result<Loop> make_loop(const ChainPtr& chain, const ArmSettings& settings,
                                              const VecXd& posture);
  template <class Action>
  void each(Action action) noexcept {
    action(main_);
    if (beside_) action(*beside_);
  }
  Status run(Loop& loop) noexcept;
  Status start(Loop& loop, const JointState& state, const VecXd& torque) noexcept;
  void rest_at(const VecXd& q) noexcept;
  void approach() noexcept;
  void brake() noexcept;
  void count_breakage() noexcept;
  void spring() noexcept;

  ArmSettings settings_;
  Loop main_;
  std::optional<Loop> beside_;
  VecXd velocity_limits_;
  ReferenceFilter filter_;
  TrajectoryPtr trajectory_;
  Reference wanted_, now_;
  VecXd goal_, way_;  // of go_to(), and what is left of it
  bool going_ = false;
  VecXd clip_;          // bounds of the torque where the drives are broken
  double start_ = 0.0;  // of the trajectory, on the plant's clock
  double before_ = 0.0;
  RigidBody payload_, known_payload_;
  Vec3d gravity_;
  Breakage breakage_ = Breakage::kNone;
  double breakage_left_ = 0.0;  // s; zero: for ever
  bool braked_ = false;
  std::optional<Pull> pull_;
  Kinematics<double> kinematics_;
  MatXd jacobian_;
  VecXd pull_torque_;
  Vec3d pull_force_ = Vec3d::Zero(), pulled_at_ = Vec3d::Zero();
};

}  // namespace dyn
