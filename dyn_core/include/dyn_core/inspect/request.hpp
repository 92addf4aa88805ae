// What a service was asked for, put into the chain's order or refused with a sentence.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/signals.hpp"
#include "dyn_core/inspect/joint_states.hpp"
#include "dyn_core/solver.hpp"

namespace dyn::inspect {

/// The arrays are in the order of `names`; without names in the chain's order.
struct StateRequest {
  std::span<const std::string> names;
  std::span<const double> positions;  ///< none: the latest joint state
  std::span<const double>
      velocities;  ///< none: the latest joint state's, zero with positions given
};

/// `values` in the chain's order. The error names the joint or the size that is wrong; `quantity`
/// is how it calls the values.
DYN_CORE_EXPORT [[nodiscard]] Result<VecXd> arranged(const Chain& chain,
                                                     std::span<const std::string> names,
                                                     std::span<const double> values,
                                                     std::string_view quantity);

/// The state asked for.
DYN_CORE_EXPORT [[nodiscard]] Result<JointState> requested_state(const Chain& chain,
                                                                 const StateRequest& request,
                                                                 const JointStateMatcher& latest,
                                                                 double now);

/// The torque asked for: `values`, else the latest joint state's efforts, zero with positions
/// given.
DYN_CORE_EXPORT [[nodiscard]] Result<VecXd> requested_torque(const Chain& chain,
                                                             const StateRequest& request,
                                                             std::span<const double> values,
                                                             const JointStateMatcher& latest);

/// The values, or zero where there are none.
DYN_CORE_EXPORT [[nodiscard]] Result<VecXd> arranged_or_zero(const Chain& chain,
                                                             std::span<const std::string> names,
                                                             std::span<const double> values,
                                                             std::string_view quantity);

/// Whether the body can be carried: finite, mass not negative, inertia positive semi-definite.
DYN_CORE_EXPORT [[nodiscard]] Result<RigidBody> checked_payload(const RigidBody& payload);
/// The payload asked for, given in `frame`; empty: the tip link's.
DYN_CORE_EXPORT [[nodiscard]] Result<RigidBody> requested_payload(const std::string& tip,
                                                                  const std::string& frame,
                                                                  const RigidBody& payload);
/// Finite and at most 1000 m/s².
DYN_CORE_EXPORT [[nodiscard]] Result<Vec3d> checked_gravity(const Vec3d& gravity);
/// The wrench at the tip asked for, given in `frame`; empty: the base link's.
DYN_CORE_EXPORT [[nodiscard]] Result<Wrench> requested_wrench(const std::string& base,
                                                              const std::string& frame,
                                                              const Wrench& wrench);

}  // namespace dyn::inspect
