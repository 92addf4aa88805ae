// What is sought: which parameters, around which values, and what the robot description says of them.
#pragma once

#include "evidence.hpp"
#include "minimize.hpp"
#include "possible_body.hpp"

namespace dyn {

/// parameters = fixed + map · z, over Columns; z as Prior has it.
struct Unknowns {
  Prior prior;
  VecXd fixed;
  MatXd map;  ///< of what moves without the payload
  std::vector<bool> guessed;
  std::vector<Index> drive;      ///< of each of z: whose drive's it is, -1 for none
  std::optional<Index> payload;  ///< where it begins in z; in the last link's frame
  BodyMap payload_map;           ///< its parameters from its ten of z, likewise
  std::vector<Index> stribeck;   ///< of each coordinate: where in z, if anywhere

  /// Of a log, with or without the payload.
  [[nodiscard]] MatXd map_of(const Chain& chain, bool with_payload) const;
};

/// What is usual in the logs, where the robot description says nothing.
struct Scales {
  VecXd torque, rate, change;  ///< rms of effort / gain, q̇ and q̈
};
[[nodiscard]] Scales scales_of(std::span<const Samples> logs, const VecXd& gain);

enum class Sought { kArm, kPayload, kArmAndPayload, kMount };

[[nodiscard]] Unknowns unknowns_of(const Chain& chain, const Scales& scales,
                                   const IdentifyOptions& options, Sought sought);

}  // namespace dyn
