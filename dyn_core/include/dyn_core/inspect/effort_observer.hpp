// EffortObserver: what acts on an arm besides what its model knows, from joint states as they come.
#pragma once

#include <cstdint>

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/observer.hpp"
#include "dyn_core/inspect/joint_states.hpp"

namespace dyn::inspect {

struct EffortOptions {
  double gain = 20.0;           ///< of the momentum observer, 1/s
  bool contain_gravity = true;  ///< false: the hardware adds gravity's torque to the efforts

  friend bool operator==(const EffortOptions&, const EffortOptions&) = default;
};

class DYN_CORE_EXPORT EffortObserver {
 public:
  [[nodiscard]] static Result<EffortObserver> make(ChainPtr chain, const EffortOptions& options);

  void set_payload(const RigidBody& payload) noexcept { observer_.set_payload(payload); }
  void set_gravity(const Vec3d& gravity) noexcept { observer_.set_gravity(gravity); }

  /// Takes a complete state measured at `stamp`, ns on any clock. After a gap, a jump back in time or a
  /// state without velocities or efforts it starts anew, from zero. Allocates nothing.
  void take(const JointStateMatcher& state, std::int64_t stamp) noexcept;

  /// Of the last state: kMissing where it has no velocities or efforts.
  [[nodiscard]] Status status() const noexcept { return status_; }
  /// Measured effort minus the model's, N m or N.
  void residual(VecXd& out) const { out = -observer_.external_torque(); }
  /// What the world exerts on the tip, in the tip link's frame.
  Status tip_wrench(Kinematics<double>& kinematics, Wrench& out) noexcept;

 private:
  explicit EffortObserver(MomentumObserver observer, Index dof);

  MomentumObserver observer_;
  JointState state_;
  VecXd effort_, mean_;
  std::int64_t stamp_ = 0;
  Status status_ = Status::kMissing;
};

}  // namespace dyn::inspect
