// Simulation: an arm under the computed-torque law that follows what it is told. No DDS in it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <dyn_core/control/recording.hpp>
#include <dyn_core/control/simulated_arm.hpp>

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

/// A dyn::SimulatedArm with the tolerances of what it follows.
class Simulation {
 public:
  static constexpr double kPeriod = dyn::SimulatedArm::kPeriod;  // s

  /// `demo`: the arm sways until its first command. Arm and law know the payload.
  [[nodiscard]] static dyn::Result<Simulation> make(const dyn::ChainPtr& chain,
                                                    const dyn::RigidBody& payload, bool demo);

  enum class Doing { kDemo, kFollowing, kHolding, kGuided };

  /// Goes along the trajectory from now on, smoothly from the present motion; null: stops. It also stops
  /// when it violates what is watched.
  void follow(dyn::TrajectoryPtr trajectory, std::optional<GoalWatch> watch = {});
  /// Somebody else has told the arm where to go: nothing is watched any more.
  void let_go() noexcept;
  /// Leaves the arm to whoever pushes its tip, and records what comes of it, until it follows something; false
  /// where it cannot be guided or is in a hand already.
  bool guide() noexcept;
  /// May be read by another thread, but for the moment in which guiding begins.
  [[nodiscard]] const dyn::Recorder& recorder() const noexcept { return *recorder_; }
  /// One period.
  dyn::Status step() noexcept;

  [[nodiscard]] dyn::SimulatedArm& arm() noexcept { return arm_; }
  [[nodiscard]] const dyn::SimulatedArm& arm() const noexcept { return arm_; }
  [[nodiscard]] const std::optional<GoalWatch>& watch() const noexcept { return watch_; }
  [[nodiscard]] Doing doing() const noexcept {
    if (arm_.guided()) return Doing::kGuided;
    if (!arm_.following()) return Doing::kHolding;
    return demo_ ? Doing::kDemo : Doing::kFollowing;
  }

 private:
  explicit Simulation(dyn::SimulatedArm arm);

  void look() noexcept;

  dyn::SimulatedArm arm_;
  std::unique_ptr<dyn::Recorder> recorder_;
  double end_ = 0.0;  // of the trajectory, on the arm's clock
  std::optional<GoalWatch> watch_;
  dyn::VecXd watched_error_, watched_speed_;
  bool demo_ = false;
};

}  // namespace dyn_dds
