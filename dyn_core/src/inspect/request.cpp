#include "dyn_core/inspect/request.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dyn_core/base/printable.hpp"

namespace dyn::inspect {
namespace {

std::string joint_list(const Chain& chain) {
  std::string text;
  for (const std::string& name : chain.coordinate_names()) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

Result<VecXd> in_chain_order(const Chain& chain, std::span<const double> values,
                             std::string_view quantity) {
  if (static_cast<Index>(values.size()) != chain.dof()) {
    return fail(fmt::format("there are {} values of {} for the {} joints {}; give one for each",
                            values.size(), quantity, chain.dof(), joint_list(chain)));
  }
  return VecXd(Eigen::Map<const VecXd>(values.data(), chain.dof()));
}

Result<VecXd> in_named_order(const Chain& chain, std::span<const std::string> names,
                             std::span<const double> values, std::string_view quantity) {
  if (values.size() != names.size()) {
    return fail(fmt::format("there are {} values of {} for {} joint names; give one for each",
                            values.size(), quantity, names.size()));
  }
  for (const std::string& name : names) {
    if (std::ranges::find(chain.coordinate_names(), name) == chain.coordinate_names().end()) {
      return fail(
          fmt::format("there is no joint '{}' in the chain from '{}' to '{}'; its joints "
                      "are {}",
                      printable(name, 60), chain.base(), chain.tip(), joint_list(chain)));
    }
    if (std::ranges::count(names, name) > 1) {
      return fail(fmt::format("joint '{}' is named more than once", name));
    }
  }
  VecXd out(chain.dof());
  for (Index k = 0; k < chain.dof(); ++k) {
    const std::string& name = chain.coordinate_names()[static_cast<std::size_t>(k)];
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      return fail(fmt::format("joint '{}' is missing among the joint names", name));
    }
    out[k] = values[static_cast<std::size_t>(found - names.begin())];
  }
  return out;
}

}  // namespace

Result<VecXd> arranged(const Chain& chain, std::span<const std::string> names,
                       std::span<const double> values, std::string_view quantity) {
  auto out = names.empty() ? in_chain_order(chain, values, quantity)
                           : in_named_order(chain, names, values, quantity);
  for (Index k = 0; out && k < chain.dof(); ++k) {
    if (!std::isfinite((*out)[k])) {
      return fail(fmt::format("the {} of joint '{}' is not finite", quantity,
                              chain.coordinate_names()[static_cast<std::size_t>(k)]));
    }
  }
  return out;
}

Result<VecXd> arranged_or_zero(const Chain& chain, std::span<const std::string> names,
                               std::span<const double> values, std::string_view quantity) {
  if (values.empty()) return VecXd(VecXd::Zero(chain.dof()));
  return arranged(chain, names, values, quantity);
}

Result<JointState> requested_state(const Chain& chain, const StateRequest& request,
                                   const JointStateMatcher& latest, double now) {
  JointState state(chain.dof());
  if (request.positions.empty()) {
    if (!latest.complete(now)) {
      return fail(
          fmt::format("there is no complete joint state: {}; give the positions or publish "
                      "the joint states",
                      latest.problem(now)));
    }
    state.q = latest.positions();
    state.qd = latest.velocities();
  } else {
    auto positions = arranged(chain, request.names, request.positions, "position");
    if (!positions) return tl::unexpected(positions.error());
    state.q = std::move(*positions);
  }
  if (!request.velocities.empty()) {
    auto velocities = arranged(chain, request.names, request.velocities, "velocity");
    if (!velocities) return tl::unexpected(velocities.error());
    state.qd = std::move(*velocities);
  }
  return state;
}

Result<VecXd> requested_torque(const Chain& chain, const StateRequest& request,
                               std::span<const double> values, const JointStateMatcher& latest) {
  if (!values.empty()) return arranged(chain, request.names, values, "torque");
  if (!request.positions.empty()) return VecXd(VecXd::Zero(chain.dof()));
  if (!latest.has_efforts()) {
    return fail("the latest joint state has no effort for some joint; give the torque");
  }
  return latest.efforts();
}

Result<RigidBody> checked_payload(const RigidBody& payload) {
  for (const InertiaIssue& issue : check(payload, 0.0)) {
    if (issue.severity == InertiaIssue::Severity::kError) {
      return fail(fmt::format("the payload cannot be: {}", issue.text));
    }
  }
  return payload;
}

Result<RigidBody> requested_payload(const std::string& tip, const std::string& frame,
                                    const RigidBody& payload) {
  if (frame.empty() || frame == tip) return checked_payload(payload);
  return fail(fmt::format(
      "the payload is given in '{}', but it has to be in the frame of the tip link '{}'",
      printable(frame, 60), tip));
}

Result<Vec3d> checked_gravity(const Vec3d& gravity) {
  constexpr double kMost = 1000.0;
  if (!gravity.allFinite()) return fail("the gravity is not finite; give three values in m/s²");
  if (gravity.norm() <= kMost) return gravity;
  return fail(
      fmt::format("a gravity of {:.6g} m/s² cannot be; give three values in m/s², of at most "
                  "{} together",
                  gravity.stableNorm(), kMost));
}

Result<Wrench> requested_wrench(const std::string& base, const std::string& frame,
                                const Wrench& wrench) {
  if (!frame.empty() && frame != base) {
    return fail(fmt::format(
        "the wrench is given in '{}', but it has to be in the frame of the base link '{}'", frame,
        base));
  }
  if (wrench.force.allFinite() && wrench.torque.allFinite()) return wrench;
  return fail("the wrench is not finite; give a force in N and a torque in N m");
}

}  // namespace dyn::inspect
