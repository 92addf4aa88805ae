// What becomes of a reference before a law follows it: an end without a jump, and a smoother way there.
#pragma once

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/signals.hpp"

namespace dyn {

/// From a moving reference to rest: the velocity of each joint is the cubic that begins with the given
/// velocity and acceleration and ends, after `duration`, with neither.
class DYN_CORE_EXPORT StopMotion {
 public:
  explicit StopMotion(Index dof);

  // The following allocate nothing and throw nothing.

  /// A duration that is not positive stops at once.
  void start(const Reference& from, double duration) noexcept;
  void advance(double dt) noexcept;
  [[nodiscard]] bool at_rest() const noexcept { return time_ >= duration_; }
  [[nodiscard]] const Reference& reference() const noexcept { return now_; }

 private:
  Reference from_, now_;
  double duration_ = 0.0, time_ = 0.0;
};

/// Follows a reference that may jump in position, velocity or acceleration with one that does so in
/// none of them. The difference x - r between the two obeys
///   (d/dt + ω)³ (x - r) = -r‴,
/// so that a reference with a jerk of j is followed j/ω³ behind, and a step of its position is taken in
/// about 6/ω. The difference is clipped to 3 v/ω, which bounds the speed of catching up to v. Solved exactly,
/// hence stable for every period.
class DYN_CORE_EXPORT ReferenceFilter {
 public:
  /// `frequency` is ω in rad/s; `velocity` may be infinite.
  ReferenceFilter(ChainPtr chain, double frequency, const VecXd& velocity);

  // The following allocate nothing and throw nothing.

  void reset(const Reference& from) noexcept;
  /// `wanted` is the reference now, `dt` after the last call.
  const Reference& update(const Reference& wanted, double dt) noexcept;

 private:
  ChainPtr chain_;
  double frequency_;
  VecXd bound_;
  Reference now_, before_;
  VecXd difference_;
};

}  // namespace dyn
