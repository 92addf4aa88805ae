// What the efforts that a robot reports mean, and how it shows at rest that they mean something else.
//
// At rest the drives give g(q) but for what Coulomb friction f bears. Of what is reported, in N m, the share
//   s = Σ x_i e_i/b_i / Σ x_i²,   x_i = g_i/b_i,   b_i = f_i + 2 % of the effort limit              (1)
// is gravity: 1 where all torque at the joint is meant, 0 where the hardware adds gravity beside it. Friction
// and what else is not known can make of s
//   u = Σ |x_i| / Σ x_i²                                                                        (2)
// more or less: where that is more than a quarter, as in a posture without load, nothing can be said.
#pragma once

#include <string_view>

#include "dyn_core/base/export.hpp"
#include "dyn_core/base/status.hpp"
#include "dyn_core/math/types.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn {

enum class EffortMeaning {
  kNone,            ///< nothing that could be used
  kSameAsCommand,   ///< what is commanded, as it acts
  kWithGravity,     ///< all torque at the joint
  kWithoutGravity,  ///< without what carries the arm
  kCurrent,  ///< of the motor, in a unit of its own: a gain makes all torque at the joint of it
};

DYN_CORE_EXPORT [[nodiscard]] std::string_view name_of(EffortMeaning meaning) noexcept;
/// none, same_as_command, with_gravity, without_gravity, current; the error lists them.
DYN_CORE_EXPORT [[nodiscard]] Result<EffortMeaning> effort_meaning_named(std::string_view name);

struct DYN_CORE_EXPORT EffortState {
  EffortMeaning meaning = EffortMeaning::kNone;
  bool hardware_compensates_gravity = false;
  VecXd gain;  ///< current: N m or N per unit, one for each joint; otherwise not looked at

  [[nodiscard]] bool used() const noexcept { return meaning != EffortMeaning::kNone; }
  /// `effort` as reported becomes the torque as commands are; `gravity` is g at the same posture.
  void to_command(VecIn<double> gravity, VecOut<double> effort) const noexcept;
  /// The reverse, for whoever plays the robot: what is reported while `torque` acts at the joints.
  void to_report(VecIn<double> gravity, VecOut<double> torque) const noexcept;
};

struct EffortCheck {
  double share = 0.0;      ///< s, with currents times their gains
  double expected = 0.0;   ///< by the meaning: 0 or 1
  double uncertain = 0.0;  ///< u
  Index joint = 0;         ///< that counts most, and what it says
  double reported = 0.0, gravity = 0.0;

  [[nodiscard]] bool decisive() const noexcept { return uncertain < 0.25; }
  [[nodiscard]] bool right() const noexcept {
    return !decisive() || (share > expected - 0.5 && share < expected + 0.5);
  }
};

/// Of an arm at rest; `limit` are the effort limits. No allocation.
DYN_CORE_EXPORT [[nodiscard]] EffortCheck check_at_rest(const Chain& chain,
                                                        const EffortState& state,
                                                        VecIn<double> effort, VecIn<double> gravity,
                                                        VecIn<double> limit) noexcept;
/// Why it is not right, with the figures and what it looks like instead.
DYN_CORE_EXPORT [[nodiscard]] std::string to_sentence(const EffortCheck& check,
                                                      const EffortState& state, const Chain& chain);

}  // namespace dyn
