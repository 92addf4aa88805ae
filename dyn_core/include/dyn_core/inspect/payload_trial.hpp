// PayloadTrial: joint states between a start and a stop, and the payload that explains their efforts.
#pragma once

#include <cstdint>

#include "dyn_core/base/export.hpp"
#include "dyn_core/identify/identify.hpp"
#include "dyn_core/inspect/joint_states.hpp"

namespace dyn::inspect {

struct PayloadFound {
  IdentifiedBody payload;          ///< in the tip link's frame
  VecXd rms_before, rms_after;     ///< of measured minus model, without and with it, N m or N
  std::uint32_t joint_states = 0;  ///< taken
};

class DYN_CORE_EXPORT PayloadTrial {
 public:
  /// Takes joint states from now on; what a trial before has taken is forgotten.
  void start();
  /// A complete state measured at `stamp`, ns; nothing before start(), without efforts or beyond ten million
  /// numbers.
  void take(const JointStateMatcher& state, std::int64_t stamp);
  /// `chain` is the arm without payload.
  [[nodiscard]] Result<PayloadFound> stop(const ChainPtr& chain, Effort effort);

 private:
  bool running_ = false, all_velocities_ = true;
  std::int64_t first_ = 0, last_ = 0;  // stamps
  Log log_;
};

}  // namespace dyn::inspect
