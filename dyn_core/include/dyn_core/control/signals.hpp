// What goes in and out of the control loop: joint states, references, and commands with their times.
#pragma once

#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/math/types.hpp"
#include "dyn_core/robot/chain.hpp"
#include "dyn_core/solver.hpp"

namespace dyn {

struct JointState {
  VecXd q, qd;

  explicit JointState(Index dof) : q(VecXd::Zero(dof)), qd(VecXd::Zero(dof)) {}
  [[nodiscard]] bool finite() const noexcept { return q.allFinite() && qd.allFinite(); }
};

/// Where the tip is to be, in the base link frame; twist and acceleration linear, then angular.
struct TipReference {
  bool given = false;  ///< otherwise the tip of the joints' reference is meant
  Posed pose;
  Vec6<double> twist = Vec6<double>::Zero(), acceleration = Vec6<double>::Zero();
  Wrench wrench;  ///< that the tip is to exert on what it touches

  [[nodiscard]] bool finite() const noexcept {
    return pose.R.allFinite() && pose.p.allFinite() && twist.allFinite() &&
           acceleration.allFinite() && wrench.force.allFinite() && wrench.torque.allFinite();
  }
};

struct Reference {
  VecXd q, qd, qdd;  ///< to the laws at the tip it is the posture
  TipReference tip = {};

  explicit Reference(Index dof) : q(VecXd::Zero(dof)), qd(q), qdd(q) {}
  [[nodiscard]] bool finite() const noexcept {
    return q.allFinite() && qd.allFinite() && qdd.allFinite() && (!tip.given || tip.finite());
  }
};

/// What a drive that closes the loop itself gets beside the torque: it adds
/// kp (q - its position) + kd (qd - its velocity), with N m/rad and N m s/rad.
struct DriveReference {
  VecXd q, qd, kp, kd;

  explicit DriveReference(Index dof) : q(VecXd::Zero(dof)), qd(q), kp(q), kd(q) {}
  [[nodiscard]] bool finite() const noexcept {
    return q.allFinite() && qd.allFinite() && kp.allFinite() && kd.allFinite();
  }
};

/// to - from, by the shorter way round for continuous joints.
DYN_CORE_EXPORT void joint_difference(const Chain& chain, const VecXd& to, const VecXd& from,
                                      VecXd& out) noexcept;

/// The reference `ahead` seconds later with its acceleration kept: for a predictor whose trajectory
/// cannot be asked for the future. `out` may be `reference` itself.
DYN_CORE_EXPORT void extrapolate(const Reference& reference, double ahead, Reference& out) noexcept;
DYN_CORE_EXPORT void extrapolate(const TipReference& tip, double ahead, TipReference& out) noexcept;

/// The torques sent to a drive with the times of sending, in a ring: the oldest one is dropped. One
/// command acts from its time, plus the delay of the drive, until the next one does.
class DYN_CORE_EXPORT CommandHistory {
 public:
  CommandHistory(Index dof, Index capacity);

  /// Forgets everything; `torque` counts as sent at the beginning of time.
  void reset(const VecXd& torque) noexcept;
  void push(double time, VecIn<double> torque) noexcept;

  [[nodiscard]] Index size() const noexcept { return size_; }
  [[nodiscard]] Index capacity() const noexcept { return static_cast<Index>(times_.size()); }
  /// Entry 0 is the oldest.
  [[nodiscard]] double time(Index i) const noexcept { return times_[slot(i)]; }
  [[nodiscard]] const VecXd& torque(Index i) const noexcept { return torques_[slot(i)]; }
  /// The newest entry sent at or before `time` (a nanosecond of slack), else the oldest.
  [[nodiscard]] Index find(double time) const noexcept;

 private:
  [[nodiscard]] std::size_t slot(Index i) const noexcept {
    return static_cast<std::size_t>((first_ + i) % capacity());
  }

  std::vector<double> times_;
  std::vector<VecXd> torques_;
  Index first_ = 0;
  Index size_ = 0;
};

}  // namespace dyn
