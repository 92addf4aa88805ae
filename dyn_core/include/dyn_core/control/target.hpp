// TargetFilter: targets of the tip that come now and then, from a policy or a hand on a joystick, made into a
// reference for every period.
//
// The target moves on with its twist until the next one comes, and for a while with the acceleration that the twists
// of one after the other show: one that turns would be lagged behind by 3 a/ω² without. The reference follows it as ReferenceFilter
// does for joints: the difference to the target, as a vector and as a rotation vector, obeys
//   (d/dt + ω)³ x = 0,                                                                           (1)
// solved exactly for each period, so that position, velocity and acceleration have no steps whatever the
// targets do. Differences count up to 3 v/ω, which bounds the speed of catching up to v. A target that is
// older than `timeout` moves no more: the reference comes to rest at it, and its wrench goes. One that is not
// finite, no rotation, further away than `farthest`, faster or stronger than may be is refused, and the one
// before it stands.
#pragma once

#include <limits>

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/signals.hpp"

namespace dyn {

struct TargetOptions {
  double frequency = 25.0;       ///< ω, rad/s
  double speed = 0.25;           ///< of catching up, m/s
  double turning_speed = 1.0;    ///< rad/s
  double timeout = 0.25;         ///< s
  double farthest = 0.5;         ///< from the reference, m
  double farthest_turn = 1.6;    ///< rad
  double fastest = 1.0;          ///< a target's own twist, m/s
  double fastest_turn = 4.0;     ///< rad/s
  double strongest = 100.0;      ///< its wrench, N
  double strongest_turn = 20.0;  ///< N m
};

class DYN_CORE_EXPORT TargetFilter {
 public:
  /// The error names the option.
  [[nodiscard]] static Result<TargetFilter> make(const TargetOptions& options);

  // The following allocate nothing, throw nothing and take no lock.

  /// At rest at `pose`, and without a target.
  void reset(const Posed& pose) noexcept;
  /// A new target. kNotFinite and kUnsupported (no rotation; too far, too fast or too strong): refused.
  Status set(const TipReference& target) noexcept;
  /// The reference `dt` after the last one.
  const TipReference& update(double dt) noexcept;

  [[nodiscard]] const TipReference& reference() const noexcept { return now_; }
  /// Seconds since the last target.
  [[nodiscard]] double age() const noexcept { return age_; }
  [[nodiscard]] bool too_old() const noexcept { return age_ > options_.timeout; }

 private:
  explicit TargetFilter(const TargetOptions& options) : options_(options) {}

  TargetOptions options_;
  TipReference target_, now_;
  double age_ = 0.0;
};

}  // namespace dyn
