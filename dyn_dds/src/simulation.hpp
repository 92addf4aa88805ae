// Simulation: an arm under the computed-torque law that follows what it is told. No DDS in it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <dyn_core/control/controller.hpp>
#include <dyn_core/control/plant.hpp>
#include <dyn_core/control/recording.hpp>
#include <dyn_core/control/reference.hpp>
#include <dyn_core/motion/trajectory.hpp>

#include "goal.hpp"

namespace dyn_dds {

/// Waypoints as they are commanded, in the order of `names`.
struct Command {
  std::vector<std::string> names;
  std::vector<double> times;  ///< of the waypoints, s from now
  std::vector<std::span<const double>> positions;
};

/// From `start` through all waypoints, ending at rest. The error says what cannot be followed.
[[nodiscard]] dyn::Result<dyn::TrajectoryPtr> to_trajectory(const dyn::Chain& chain,
                                                            const Command& command,
                                                            const dyn::VecXd& start);

/// What may break in the arm, as in dyn_msgs/InjectFault.
enum class Breakage { kNone, kStateNotFinite, kStateFrozen, kCommandLost, kEffortClipped };

/// The error lists the names.
[[nodiscard]] dyn::Result<Breakage> breakage_named(std::string_view name);

class Simulation {
 public:
  static constexpr double kPeriod = 1e-3;  // s

  /// `demo`: the arm sways until its first command. Arm and law know the payload.
  [[nodiscard]] static dyn::Result<Simulation> make(const dyn::ChainPtr& chain,
                                                    const dyn::RigidBody& payload, bool demo);

  enum class Doing { kDemo, kFollowing, kHolding, kGuided };

  /// Goes along the trajectory from now on, smoothly from the present motion; null: stops. It also stops
  /// when it violates what is watched.
  void follow(dyn::TrajectoryPtr trajectory, std::optional<GoalWatch> watch = {});
  /// Leaves the arm to whoever pushes its tip, and records what comes of it; or takes it back where it is.
  void guide(bool on) noexcept;
  [[nodiscard]] bool guided() const noexcept { return controller_.guided(); }
  /// May be read by another thread, but for the moment in which guiding begins.
  [[nodiscard]] const dyn::Recorder& recorder() const noexcept { return *recorder_; }
  /// On the tip, in the base link frame.
  void push(const dyn::Wrench& wrench) noexcept { plant_.set_tip_wrench(wrench); }
  /// What the arm carries from now on; the law knows nothing of it.
  void set_payload(const dyn::RigidBody& payload) noexcept { plant_.set_payload(payload); }
  /// For so many seconds; zero: until the next.
  void inject(Breakage breakage, double duration) noexcept;
  /// One period.
  dyn::Status step() noexcept;

  /// What the supervisor of the law objects to, while the arm is braked for it; afterwards it holds where
  /// it came to rest.
  [[nodiscard]] dyn::Status fault() const noexcept { return controller_.supervisor().fault(); }
  /// The joint of the fault.
  [[nodiscard]] dyn::Index fault_joint() const noexcept { return controller_.supervisor().joint(); }
  [[nodiscard]] const std::optional<GoalWatch>& watch() const noexcept { return watch_; }
  [[nodiscard]] Doing doing() const noexcept { return doing_; }
  [[nodiscard]] const dyn::JointState& state() const noexcept { return plant_.measured(); }
  /// What acted on the joints in the last period.
  [[nodiscard]] const dyn::VecXd& torque() const noexcept { return plant_.torque(); }
  [[nodiscard]] const dyn::Reference& reference() const noexcept { return filter_now_; }
  /// Largest of every joint's tracking error in the last period.
  [[nodiscard]] const dyn::VecXd& error() const noexcept { return error_; }
  [[nodiscard]] const dyn::ControlOutput& output() const noexcept { return controller_.output(); }

 private:
  Simulation(dyn::Controller controller, dyn::Plant plant, dyn::ReferenceFilter filter);

  void count_breakage() noexcept;
  void stop() noexcept;
  void look() noexcept;
  void brake() noexcept;
  void stand() noexcept;

  dyn::Controller controller_;
  dyn::Plant plant_;
  std::unique_ptr<dyn::Recorder> recorder_;
  dyn::ReferenceFilter filter_;
  dyn::TrajectoryPtr trajectory_;
  dyn::Reference wanted_, filter_now_;
  dyn::VecXd error_;
  dyn::VecXd torque_, clip_;  // sent, and its bounds where the drives are broken
  Breakage breakage_ = Breakage::kNone;
  double breakage_left_ = 0.0;      // s; zero: for ever
  double start_ = 0.0, end_ = 0.0;  // of the trajectory, on the plant's clock
  std::optional<GoalWatch> watch_;
  dyn::VecXd watched_error_, watched_speed_;
  Doing doing_ = Doing::kHolding;
};

}  // namespace dyn_dds
