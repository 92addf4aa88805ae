// The model against what was measured: how far off it is, what the efforts mean, how late they act.
#pragma once

#include <optional>
#include <string_view>

#include "dyn_core/identify/prepare.hpp"

namespace dyn {

/// What a robot calls effort.
enum class Effort {
  kWithGravity,     ///< all torque at the joint
  kWithoutGravity,  ///< the hardware adds gravity to it
  kCurrent,         ///< all torque at the joint but for a factor for each joint
};

/// with_gravity, without_gravity, current.
DYN_CORE_EXPORT [[nodiscard]] std::string_view to_string(Effort effort) noexcept;
DYN_CORE_EXPORT [[nodiscard]] Result<Effort> effort_named(std::string_view name);

struct JointCheck {
  double rms_measured = 0.0;  ///< N m or N, with `current` in the unit logged, as the next two
  double rms_error = 0.0;     ///< of measured minus model, the delay taken into account
  double bias = 0.0;          ///< mean of measured minus model
  double scale = 1.0;         ///< measured is so many times the model; 1 but for `current`
  std::optional<double> lag;  ///< s; none where the joint's motion does not tell
};

struct CheckReport {
  std::vector<JointCheck> joints;      ///< in the order of q
  std::optional<Effort> effort;        ///< as it looks; none where the motion does not tell
  std::string effort_reason;           ///< why, a sentence
  std::optional<double> delay;         ///< from the logged effort to its action, s
  std::vector<std::string> sentences;  ///< what fits, what does not, what to do
};

/// `stated` is the meaning of the efforts for rms_error and bias.
DYN_CORE_EXPORT [[nodiscard]] Result<CheckReport> check_log(const ChainPtr& chain,
                                                            const Prepared& log, Effort stated);

}  // namespace dyn
