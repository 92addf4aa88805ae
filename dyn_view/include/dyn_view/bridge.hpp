// Bridge: between a control loop and the page. The loop never waits: what it shows goes into a batch, and what
// it is told is carried out, in periods in which nobody else holds the lock; in others it is kept for the next.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <dyn_core/control/simulated_arm.hpp>
#include <dyn_core/robot/urdf.hpp>

namespace dyn::view {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// One state of the arm, over its coordinates. What is not known is kUnknown.
struct DYN_CORE_EXPORT Sample {
  explicit Sample(Index dof = 0);

  double time = 0.0;                  ///< s
  VecXd q, qd, effort;                ///< as measured; N m or N
  VecXd desired, error, other_error;  ///< of the reference; with the prediction the other way round
  Eigen::Matrix<double, Eigen::Dynamic, 8, Eigen::ColMajor> terms;  ///< as TorqueTerms
  Vec3d pull = Vec3d::Zero(), pulled_at = Vec3d::Zero();  ///< N and m, in the base link frame
  Vec3d seen = Vec3d::Zero();  ///< the force at the tip that the observer sees, N
  Status fault = Status::kOk;
  Index fault_joint = 0;
  bool effort_limit = false, rate_limit = false;
  ControlMode mode = ControlMode::kTracking;
  double late = 0.0;  ///< worst of the periods since the sample before, s

  // What a simulated arm was told, here or elsewhere.
  RigidBody payload = {},
            known_payload = {};  ///< that it carries, and that its law believes it does
  Breakage breakage = Breakage::kNone;
  bool following = false;    ///< a trajectory
  std::uint64_t orders = 0;  ///< how many were carried out before
};

/// Samples in the order of time, the first `count` of them.
struct DYN_CORE_EXPORT Batch {
  explicit Batch(Index dof) : samples(64, Sample(dof)) {}
  std::vector<Sample> samples;
  std::size_t count = 0;
};

/// A robot description, and the chain made of it.
struct Robot {
  std::string description;
  ChainPtr chain;
  RigidBody payload = {};             ///< beside what the chain carries
  std::optional<Vec3d> gravity = {};  ///< another than the chain's
};

class DYN_CORE_EXPORT Bridge {
 public:
  using Order = std::function<void(SimulatedArm&)>;
  static constexpr int kEvery = 4;  ///< periods from sample to sample

  explicit Bridge(Index dof) : batch_(dof), fresh_(dof) {}

  // ---- the loop's side, one thread

  /// After each period, which began `late` after its time; whether an order moved the arm. Allocates nothing
  /// but what orders do.
  bool exchange(SimulatedArm& arm, double late) noexcept;
  /// A state of a robot that is only watched. May wait for the time of a copy.
  void show(const Sample& sample);
  /// That robot's description, before its first state; the same chain again: another payload or gravity.
  void describe(Robot robot);

  // ---- the page's side, one thread

  /// The samples since the last call; `mine` is given in exchange.
  void take(Batch& mine);
  [[nodiscard]] std::optional<Robot> described();
  /// To be carried out between two periods; false: too many wait. `moves`: in place of what the arm follows.
  [[nodiscard]] bool order(Order order, bool moves = false);
  /// How many orders there were.
  [[nodiscard]] std::uint64_t ordered() const noexcept { return ordered_; }
  /// Another arm from the next period on.
  [[nodiscard]] bool replace(SimulatedArm arm);

 private:
  void look(SimulatedArm& arm) noexcept;

  std::mutex mutex_;  // of the following
  Batch batch_;
  std::vector<Order> orders_, done_;  // those done are destroyed on the page's side
  bool moves_ = false;                // one of the orders
  std::optional<Robot> described_;
  // of the page
  std::uint64_t ordered_ = 0;
  // of the loop
  Sample fresh_;
  int periods_ = 0;
};

}  // namespace dyn::view
