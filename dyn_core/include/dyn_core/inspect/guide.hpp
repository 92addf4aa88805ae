// The service dyn_msgs/Guide, for every front end; see messages.hpp for `Fields`.
#pragma once

#include <cstdint>
#include <string>

#include "dyn_core/control/recording.hpp"
#include "dyn_core/inspect/messages.hpp"
#include "dyn_core/inspect/request.hpp"

namespace dyn::inspect {

enum class GuideAction : std::uint8_t { kStart, kStop, kPlay };

[[nodiscard]] inline Result<GuideAction> guide_action(std::uint8_t action) {
  if (action <= static_cast<std::uint8_t>(GuideAction::kPlay)) {
    return static_cast<GuideAction>(action);
  }
  return fail("the action " + std::to_string(action) + " is neither START nor STOP nor PLAY");
}

/// trajectory_msgs/JointTrajectory: positions, velocities and the torque as effort.
void fill_recording(auto& fields, const Chain& chain, const Recording& from, auto& to) {
  fields.text(chain.base(), to.header.frame_id);
  fill_names(fields, chain.coordinate_names(), to.joint_names);
  const auto points = fields.resize(to.points, from.times.size());
  for (std::size_t k = 0; k < from.times.size(); ++k) {
    const auto column = static_cast<Index>(k);
    fill_time(from.times[k], points[k].time_from_start);
    fill_array(fields, from.q.col(column), points[k].positions);
    fill_array(fields, from.qd.col(column), points[k].velocities);
    fill_array(fields, from.torque.col(column), points[k].effort);
  }
}

/// A motion that is given has so many points at most.
inline constexpr std::size_t kMostPlayed = 10'000;

/// The other way; velocities may be left out.
[[nodiscard]] Result<Recording> to_recording(auto& fields, const Chain& chain,
                                             const auto& message) {
  const auto& names = fields.names(message.joint_names);
  const auto points = elements(message.points);
  if (points.size() > kMostPlayed) {
    return fail("the trajectory has " + std::to_string(points.size()) + " points; give up to " +
                std::to_string(kMostPlayed));
  }
  Recording out;
  out.q = out.qd = out.torque = MatXd::Zero(chain.dof(), static_cast<Index>(points.size()));
  for (std::size_t k = 0; k < points.size(); ++k) {
    const auto& point = points[k];
    const auto q = arranged(chain, names, fields.numbers(point.positions), "position");
    if (!q) return tl::unexpected(q.error());
    const auto qd = arranged_or_zero(chain, names, fields.numbers(point.velocities), "velocity");
    if (!qd) return tl::unexpected(qd.error());
    out.q.col(static_cast<Index>(k)) = *q;
    out.qd.col(static_cast<Index>(k)) = *qd;
    const double time = point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec;
    if (k > 0 && !(time > out.times.back())) {
      return fail("point " + std::to_string(k + 1) + " is at " + std::to_string(time) +
                  " s, not after the point before");
    }
    out.times.push_back(time);
  }
  return out;
}

/// What STOP answers with.
void fill_guide(auto& fields, const Chain& chain, const Recording& from, auto& response) {
  response.duration = from.times.empty() ? 0.0 : from.times.back();
  fill_recording(fields, chain, from, response.recorded);
  fields.text(to_csv(chain, from), response.csv);
}

/// What PLAY asks for, from rest at `from`; `last` is what was recorded.
[[nodiscard]] Result<TrajectoryPtr> motion_of(auto& fields, const Chain& chain, const auto& request,
                                              const Recording& last, const VecXd& from) {
  const double speed = request.speed == 0.0 ? 1.0 : request.speed;
  if (elements(request.trajectory.points).empty()) return playback(chain, last, from, speed);
  const auto given = to_recording(fields, chain, request.trajectory);
  if (!given) return tl::unexpected(given.error());
  return playback(chain, *given, from, speed);
}

}  // namespace dyn::inspect
