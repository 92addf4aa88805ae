// Inspector::time_path: what a service asks of motion/timing.hpp, with bounds on its work.
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "dyn_core/inspect/inspector.hpp"
#include "dyn_core/motion/timing.hpp"

namespace dyn::inspect {
namespace {

constexpr std::size_t kMostPathPoints = 2000;
constexpr double kMostSamples = 20'000.0;

// One posture after the other, at their distances; those that repeat the one before are left out.
Result<TrajectoryPtr> path_through(const Chain& chain, const std::vector<VecXd>& postures) {
  if (postures.size() > kMostPathPoints) {
    return fail(fmt::format("the path has {} points, more than {}; send it in parts",
                            postures.size(), kMostPathPoints));
  }
  std::vector<double> places;
  std::vector<VecXd> kept;
  for (const VecXd& posture : postures) {
    if (posture.size() != chain.dof()) return fail("a point of the path has not all joints");
    const double way = kept.empty() ? 1.0 : (posture - kept.back()).norm();
    if (way == 0.0) continue;
    places.push_back(kept.empty() ? 0.0 : places.back() + way);
    kept.push_back(posture);
  }
  if (kept.size() < 2) return fail("the path needs two points that differ");
  return waypoints(places, kept, Interpolation::kNatural);
}

Result<double> share_of(double value, std::string_view what) {
  if (value == 0.0) return 1.0;
  if (value > 0.0 && value <= 1.0) return value;
  return fail(fmt::format("{} is {} of the limits; give a share between 0 and 1", what, value));
}

Result<TimingLimits> timing_limits_of(const Chain& chain, const TimingRequest& request) {
  const auto velocity = share_of(request.velocity, "velocity");
  if (!velocity) return tl::unexpected(velocity.error());
  const auto effort = share_of(request.effort, "effort");
  if (!effort) return tl::unexpected(effort.error());
  TimingLimits limits(chain);
  limits.velocity *= *velocity;
  limits.effort *= *effort;
  if (request.acceleration.size() > 0) limits.acceleration = request.acceleration;
  if (limits.velocity.allFinite() || limits.effort.allFinite() || limits.acceleration.allFinite()) {
    return limits;
  }
  return fail(
      "the robot's description has neither velocity nor effort limits for every joint, and without "
      "limits there is no fastest motion: give acceleration");
}

// States and torques of the motion, a step apart.
Result<TimedMotion> sampled(const Trajectory& motion, Solver& solver, double wanted) {
  constexpr double kStep = 0.01;  // s
  const double step = wanted == 0.0 ? kStep : wanted;
  TimedMotion out{motion.duration(), {}, {}, {}, {}, {}};
  if (!(step > 0.0) || out.duration / step > kMostSamples) {
    return fail(
        fmt::format("a step of {} s; give a positive one, and at most {:.0f} points in {:.4g} s",
                    step, kMostSamples, out.duration));
  }
  VecXd q(motion.dof()), qd(q), qdd(q), torque(q);
  const auto samples = static_cast<int>(std::ceil(out.duration / step - 1e-9));
  for (int k = 0; k <= samples; ++k) {
    const double time = k == samples ? out.duration : k * step;
    Status status = motion.evaluate(time, q, qd, qdd);
    if (status == Status::kOk) status = solver.inverse_dynamics(q, qd, qdd, torque);
    if (status != Status::kOk) return fail(to_string(status));
    out.times.push_back(time);
    out.q.push_back(q);
    out.qd.push_back(qd);
    out.qdd.push_back(qdd);
    out.torque.push_back(torque);
  }
  return out;
}

}  // namespace

Result<TimedMotion> Inspector::time_path(const TimingRequest& request) const {
  const auto path = path_through(chain(), request.path);
  if (!path) return tl::unexpected(path.error());
  if (auto within = within_position_limits(chain(), **path); !within) {
    return tl::unexpected(within.error());
  }
  const auto limits = timing_limits_of(chain(), request);
  if (!limits) return tl::unexpected(limits.error());
  const auto loaded = [this]() -> Result<Solver> {
    Result<Solver> made = Solver::make(chain_ptr(), algorithms());
    if (!made) return made;
    made->set_payload(payload_);
    made->set_gravity(gravity_);
    return made;
  };
  Result<Solver> first = loaded(), second = loaded();
  if (!first) return tl::unexpected(first.error());
  if (!second) return tl::unexpected(second.error());
  const auto motion = fastest(std::move(*first), *path, *limits);
  if (!motion) return tl::unexpected(motion.error());
  second->set_friction(true);
  return sampled(**motion, *second, request.step);
}

}  // namespace dyn::inspect
