#include "dyn_core/control/recording.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace dyn {
namespace {

constexpr double kStanding = 2e-4;         // rad or m, from where it begins or ends
constexpr double kSmoothing = 0.1;         // s, between the postures that a repetition goes through
constexpr double kApproachShare = 0.5;     // of the velocity limits, on the way to the beginning
constexpr double kShortestApproach = 1.0;  // s
constexpr double kFastestReplay = 10.0;    // times as it was

double time_for(const Chain& chain, const VecXd& way) {
  constexpr double kPeak = 1.875;  // of a quintic's velocity, times its mean
  double out = kShortestApproach;
  for (Index i = 0; i < chain.dof(); ++i) {
    const double limit = chain.coordinate_joint(i).limits.velocity;
    const double speed = kApproachShare * (limit > 0.0 && std::isfinite(limit) ? limit : 1.0);
    out = std::max(out, kPeak * std::abs(way[i]) / speed);
  }
  return out;
}

// The mean posture within half of kSmoothing around sample k.
VecXd posture_at(const Recording& recording, std::size_t k) {
  const std::vector<double>& t = recording.times;
  const auto begin = std::ranges::lower_bound(t, t[k] - 0.5 * kSmoothing);
  const auto end = std::ranges::upper_bound(t, t[k] + 0.5 * kSmoothing);
  return recording.q.middleCols(begin - t.begin(), end - begin).rowwise().mean();
}

// Without the jumps of a continuous joint whose encoder begins anew, and from next to `from` on.
void unwrap(const Chain& chain, const VecXd& from, MatXd& q) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  VecXd before = from, now(from), way(from);
  for (Index k = 0; k < q.cols(); ++k) {
    now = q.col(k);
    joint_difference(chain, now, before, way);
    for (Index i = 0; i < now.size(); ++i) {
      before[i] = now[i] + kTurn * std::round((before[i] + way[i] - now[i]) / kTurn);
    }
    q.col(k) = before;
  }
}

struct MovingPart {
  std::size_t first, last;
};

// From the last sample that is still where it begins until it has been for kSmoothing where it ends.
MovingPart moving(const Recording& recording) {
  const auto away = [&](std::size_t k, std::size_t from) {
    const auto way =
        recording.q.col(static_cast<Index>(k)) - recording.q.col(static_cast<Index>(from));
    return way.cwiseAbs().maxCoeff() > kStanding;
  };
  const std::size_t end = recording.times.size() - 1;
  MovingPart out{0, end};
  while (out.first < end && !away(out.first + 1, 0)) ++out.first;
  while (out.last > out.first && !away(out.last - 1, end)) --out.last;
  const double stands = recording.times[out.last] + kSmoothing;
  while (out.last < end && recording.times[out.last] < stands) ++out.last;
  return out;
}

std::string replay_objection(const Chain& chain, const Recording& recording, const VecXd& from,
                             double speed) {
  if (recording.times.size() < 2) return "nothing was recorded: guide the arm first";
  if (recording.q.rows() != chain.dof() || from.size() != chain.dof()) {
    return fmt::format("the recording has {} joints, but the arm {}", recording.q.rows(),
                       chain.dof());
  }
  if (!recording.q.allFinite() || !recording.qd.allFinite() || !from.allFinite()) {
    return "the recording has values that are not finite";
  }
  if (!(speed > 0.0 && speed <= kFastestReplay)) {
    return fmt::format("{} times as fast as it was recorded; give more than 0 and at most {}",
                       speed, kFastestReplay);
  }
  return {};
}

}  // namespace

Recorder::Recorder(Index dof, double seconds, double interval)
    : interval_(interval),
      times_(static_cast<std::size_t>(std::ceil(seconds / interval)) + 1),
      samples_(MatXd::Zero(3 * dof, static_cast<Index>(times_.size()))) {}

void Recorder::start() noexcept {
  size_ = 0;
  time_ = 0.0;
  running_ = true;
}

void Recorder::add(const JointState& state, const VecXd& torque, double dt) noexcept {
  const Index n = samples_.rows() / 3, k = size_.load(std::memory_order_relaxed);
  if (!running_ || state.q.size() != n || torque.size() != n || !state.finite()) return;
  constexpr double kSlack = 1e-9;
  if (k > 0) time_ += std::max(dt, 0.0);
  const bool due = k == 0 || time_ - times_[static_cast<std::size_t>(k - 1)] > interval_ - kSlack;
  if (!due || k == samples_.cols()) return;
  times_[static_cast<std::size_t>(k)] = time_;
  samples_.col(k).head(n) = state.q;
  samples_.col(k).segment(n, n) = state.qd;
  samples_.col(k).tail(n) = torque;
  size_.store(k + 1, std::memory_order_release);
}

Recording Recorder::recording() const {
  const Index n = samples_.rows() / 3, size = this->size();
  return {{times_.begin(), times_.begin() + size},
          samples_.topLeftCorner(n, size),
          samples_.block(n, 0, n, size),
          samples_.bottomLeftCorner(n, size)};
}

std::string to_csv(const Chain& chain, const Recording& recording) {
  std::string out = "t";
  for (const char* what : {"q", "qd", "tau"}) {
    for (const std::string& name : chain.coordinate_names())
      out += fmt::format(",{}_{}", what, name);
  }
  for (std::size_t k = 0; k < recording.times.size(); ++k) {
    const auto column = static_cast<Index>(k);
    out += fmt::format("\n{}", recording.times[k]);
    for (const MatXd* values : {&recording.q, &recording.qd, &recording.torque}) {
      for (Index i = 0; i < values->rows(); ++i) out += fmt::format(",{}", (*values)(i, column));
    }
  }
  return out + "\n";
}

Result<TrajectoryPtr> playback(const Chain& chain, Recording recording, const VecXd& from,
                               double speed) {
  if (std::string text = replay_objection(chain, recording, from, speed); !text.empty()) {
    return fail(std::move(text));
  }
  unwrap(chain, from, recording.q);
  const MovingPart range = moving(recording);
  std::vector<double> times = {0.0};
  std::vector<VecXd> positions = {from};
  // Half a second of standing between the two motions, so that both begin and end at rest.
  const VecXd begin = posture_at(recording, range.first);
  const double there = time_for(chain, begin - from);
  const auto approach = quintic(from, begin, there);
  if (!approach) return approach;
  constexpr double kKnot = 0.1;  // s
  VecXd q(chain.dof()), qd(q), qdd(q);
  for (double t = kKnot; t < there - 0.5 * kKnot; t += kKnot) {
    if ((*approach)->evaluate(t, q, qd, qdd) != Status::kOk) break;
    times.push_back(t);
    positions.push_back(q);
  }
  const double pause = there + 0.5, origin = recording.times[range.first];
  for (const double t : {there, pause - 0.25, pause}) {
    times.push_back(t);
    positions.push_back(begin);
  }
  for (std::size_t k = range.first; k <= range.last; ++k) {
    const double t = pause + (recording.times[k] - origin) / speed;
    if (t < times.back() + kSmoothing / speed) continue;
    times.push_back(t);
    positions.push_back(posture_at(recording, k));
  }
  // A hand may let go while it moves: the way on from there to rest.
  constexpr double kStop = 0.5;  // s
  const std::size_t end = recording.times.size() - 1;
  const VecXd rest = 0.5 * kStop * recording.qd.col(static_cast<Index>(end));
  positions.push_back(posture_at(recording, end) + speed * rest);
  times.push_back(times.back() + kStop);
  return waypoints(times, positions, Interpolation::kQuintic);
}

}  // namespace dyn
