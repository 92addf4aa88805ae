#include "dyn_core/motion/timing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "dyn_core/solver.hpp"

namespace dyn {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// The values of u that something allows.
struct Interval {
  double low = -kNoLimit, high = kNoLimit;

  [[nodiscard]] bool empty() const { return low > high; }
  // a u within low … high
  void cut(double a, double from, double to) {
    if (std::abs(a) * kInfinite < std::max(std::abs(from), std::abs(to))) a = 0.0;
    if (a == 0.0) {
      if (from > 0.0 || to < 0.0) *this = {kNoLimit, -kNoLimit};
      return;
    }
    if (a < 0.0) std::swap(from, to);
    low = std::max(low, from / a);
    high = std::min(high, to / a);
  }

  // A joint that would need more than this of u is not moved by it.
  static constexpr double kInfinite = 1e15;
};

/// What a joint's torque and acceleration are made of at one place of the path, see (1).
struct Place {
  double s = 0.0;
  VecXd a, b, f, d;        // of the torque
  VecXd gravity;           // d where the arm rests, and friction does not help to brake it
  VecXd slope, curvature;  // q', q''
  double most = kNoLimit;  // x that the velocities allow
};

class Timed final : public Trajectory {
 public:
  Timed(TrajectoryPtr path, std::vector<double> s, const std::vector<double>& x)
      : path_(std::move(path)), s_(std::move(s)), t_(s_.size(), 0.0), speed_(s_.size()) {
    for (std::size_t i = 0; i < s_.size(); ++i) speed_[i] = std::sqrt(x[i]);
    for (std::size_t i = 0; i + 1 < s_.size(); ++i) {
      t_[i + 1] = t_[i] + 2.0 * (s_[i + 1] - s_[i]) / (speed_[i] + speed_[i + 1]);
    }
  }

  [[nodiscard]] Index dof() const noexcept override { return path_->dof(); }
  [[nodiscard]] double duration() const noexcept override { return t_.back(); }
  Status evaluate(double time, VecOut<double> q, VecOut<double> qd,
                  VecOut<double> qdd) const noexcept override {
    const bool within = time >= 0.0 && time <= duration();
    const double t = std::clamp(std::isfinite(time) ? time : 0.0, 0.0, duration());
    const auto after = std::upper_bound(t_.begin() + 1, t_.end() - 1, t);
    const auto i = static_cast<std::size_t>(after - t_.begin()) - 1;
    const double u = (speed_[i + 1] - speed_[i]) / (t_[i + 1] - t_[i]);
    const double passed = t - t_[i];
    const double speed = within ? speed_[i] + u * passed : 0.0;
    const double s = s_[i] + passed * (speed_[i] + 0.5 * u * passed);
    const Status status = path_->evaluate(std::min(s, s_.back()), q, qd, qdd);
    qdd = qdd * (speed * speed) + qd * (within ? u : 0.0);
    qd *= speed;
    return std::isfinite(time) ? status : Status::kNotFinite;
  }

 private:
  TrajectoryPtr path_;
  std::vector<double> s_, t_, speed_;  // at the knots
};

class Timer {
 public:
  Timer(Solver solver, const Trajectory& path, const TimingLimits& limits)
      : solver_(std::move(solver)), path_(path), limits_(limits), q_(VecXd::Zero(solver_.dof())) {}

  [[nodiscard]] Result<void> look(Index steps) {
    for (Index i = 0; i <= steps; ++i) {
      const double s = path_.duration() * static_cast<double>(i) / static_cast<double>(steps);
      places_.emplace_back().s = s;
      if (const Status status = look(places_.back()); status != Status::kOk) {
        return fail(
            fmt::format("the arm's dynamics {:.4g} into the path: {}", s, to_string(status)));
      }
      if (std::string text = objection(places_.back()); !text.empty()) {
        return fail(std::move(text));
      }
    }
    return {};
  }

  // The largest x at each place.
  [[nodiscard]] std::vector<double> speeds() const {
    const std::size_t last = places_.size() - 1;
    std::vector<double> most(places_.size(), 0.0);  // from which the end is reached
    for (std::size_t i = last; i-- > 0;) {
      double good = 0.0, bad = std::min(places_[i].most, kFastest);
      if (reaches(i, bad, most[i + 1])) good = bad;
      while (bad - good > 1e-12 * bad) {
        const double x = 0.5 * (good + bad);
        (reaches(i, x, most[i + 1]) ? good : bad) = x;
      }
      most[i] = good;
    }
    std::vector<double> x(places_.size(), 0.0);
    for (std::size_t i = 0; i < last; ++i) {
      const double step = 2.0 * (places_[i + 1].s - places_[i].s);
      x[i + 1] = std::clamp(x[i] + step * allowed(i, x[i]).high, 0.0, most[i + 1]);
    }
    return x;
  }

  [[nodiscard]] std::vector<double> knots() const {
    std::vector<double> s;
    for (const Place& place : places_) s.push_back(place.s);
    return s;
  }

 private:
  // Beyond every arm; where nothing limits x.
  static constexpr double kFastest = 1e12;

  [[nodiscard]] Status look(Place& place) {
    const Index n = solver_.dof();
    const VecXd zero = VecXd::Zero(n);
    place.slope = place.curvature = place.a = place.b = place.d = place.f = place.gravity = zero;
    Status status = path_.evaluate(place.s, q_, place.slope, place.curvature);
    VecXd &gravity = place.gravity, once(n), twice(n);
    const auto torque = [&](VecIn<double> qd, VecIn<double> qdd, VecXd& out) {
      if (status == Status::kOk) status = solver_.inverse_dynamics(q_, qd, qdd, out);
    };
    const auto friction = [&](const VecXd& qd, VecXd& out) {
      if (status == Status::kOk) status = solver_.friction_torque(qd, out);
    };
    torque(zero, zero, gravity);
    torque(zero, place.slope, place.a);
    torque(place.slope, place.curvature, place.b);
    // Far beyond the smooth step of Coulomb friction, so that the rest is viscous.
    constexpr double kQuick = 1e6;
    friction(kQuick * place.slope, once);
    friction(2.0 * kQuick * place.slope, twice);
    place.a -= gravity;
    place.b -= gravity;
    place.f = (twice - once) / kQuick;
    place.d = gravity + 2.0 * once - twice;
    for (Index j = 0; j < n; ++j) {
      if (place.slope[j] == 0.0) continue;
      place.most = std::min(place.most, std::pow(limits_.velocity[j] / place.slope[j], 2));
    }
    return status;
  }

  [[nodiscard]] std::string objection(const Place& place) const {
    for (Index j = 0; j < place.d.size(); ++j) {
      if (std::abs(place.d[j]) <= limits_.effort[j]) continue;
      return fmt::format(
          "{:.4g} of {:.4g} along the path '{}' needs {:.4g} to hold the arm against gravity and "
          "friction and has {:.4g}; choose another path or a lighter load",
          place.s, path_.duration(),
          solver_.chain().coordinate_names()[static_cast<std::size_t>(j)], std::abs(place.d[j]),
          limits_.effort[j]);
    }
    return {};
  }

  // The u that keep the limits at both ends of the step that begins with x.
  [[nodiscard]] Interval allowed(std::size_t i, double x) const {
    const double step = 2.0 * (places_[i + 1].s - places_[i].s);
    Interval u;
    for (const std::size_t k : {i, i + 1}) {
      const Place& place = places_[k];
      const double more = k == i ? 0.0 : step;  // x there is x + more u
      const double root = std::sqrt(x);
      for (Index j = 0; j < place.d.size(); ++j) {
        const double at_rest = place.b[j] * x + place.f[j] * root + place.d[j];
        u.cut(place.a[j] + more * place.b[j], -limits_.effort[j] - at_rest,
              limits_.effort[j] - at_rest);
        if (k == 0 || k + 1 == places_.size()) {
          const double without = place.b[j] * x + place.gravity[j];
          u.cut(place.a[j] + more * place.b[j], -limits_.effort[j] - without,
                limits_.effort[j] - without);
        }
        const double turn = place.curvature[j] * x;
        u.cut(place.slope[j] + more * place.curvature[j], -limits_.acceleration[j] - turn,
              limits_.acceleration[j] - turn);
      }
    }
    return u;
  }

  // Whether a step from x can end within 0 … next.
  [[nodiscard]] bool reaches(std::size_t i, double x, double next) const {
    const double step = 2.0 * (places_[i + 1].s - places_[i].s);
    Interval u = allowed(i, x);
    u.cut(1.0, -x / step, (next - x) / step);
    return !u.empty();
  }

  Solver solver_;
  const Trajectory& path_;
  const TimingLimits& limits_;
  VecXd q_;
  std::vector<Place> places_;
};

std::string objection(const Chain& chain, const Trajectory& path, const TimingLimits& limits,
                      Index steps) {
  const Index n = chain.dof();
  if (path.dof() != n || limits.velocity.size() != n || limits.acceleration.size() != n ||
      limits.effort.size() != n) {
    return fmt::format("a path of {} joints and limits of {}, {} and {} do not fit an arm of {}",
                       path.dof(), limits.velocity.size(), limits.acceleration.size(),
                       limits.effort.size(), n);
  }
  for (Index j = 0; j < n; ++j) {
    if (limits.velocity[j] > 0.0 && limits.acceleration[j] > 0.0 && limits.effort[j] > 0.0) {
      continue;
    }
    return fmt::format(
        "'{}' has the limits {} of velocity, {} of acceleration and {} of effort; "
        "all must be above 0",
        chain.coordinate_names()[static_cast<std::size_t>(j)], limits.velocity[j],
        limits.acceleration[j], limits.effort[j]);
  }
  if (steps < 2 || steps > 1'000'000) {
    return fmt::format("a path in {} steps; give 2 to a million", steps);
  }
  return {};
}

}  // namespace

TimingLimits::TimingLimits(const Chain& chain)
    : velocity(velocity_limits(chain)),
      acceleration(VecXd::Constant(chain.dof(), kNoLimit)),
      effort(effort_limits(chain)) {}

Result<void> within_position_limits(const Chain& chain, const Trajectory& path, Index steps) {
  VecXd q = VecXd::Zero(path.dof()), qd = q, qdd = q;
  double farthest = 1e-9;
  std::string text;
  for (Index i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(steps);
    if (path.evaluate(share * path.duration(), q, qd, qdd) != Status::kOk) continue;
    for (Index j = 0; j < chain.dof(); ++j) {
      const JointLimits& limits = chain.coordinate_joint(j).limits;
      const double limit = q[j] < limits.lower ? limits.lower : limits.upper;
      const double beyond = std::max(limits.lower - q[j], q[j] - limits.upper);
      if (!(beyond > farthest)) continue;
      farthest = beyond;
      text = fmt::format(
          "{:.0f} % of the way along the path '{}' is at {:.4g}, {:.3g} beyond its limit {:.4g}; "
          "change the postures there, or add one where the path between two swings out",
          100.0 * share, chain.coordinate_names()[static_cast<std::size_t>(j)], q[j], beyond,
          limit);
    }
  }
  return text.empty() ? Result<void>() : fail(std::move(text));
}

Result<TrajectoryPtr> fastest(const ChainPtr& chain, TrajectoryPtr path, const TimingLimits& limits,
                              Index steps) {
  auto solver = Solver::make(chain);
  if (!solver) return tl::unexpected(solver.error());
  return fastest(std::move(*solver), std::move(path), limits, steps);
}

Result<TrajectoryPtr> fastest(Solver solver, TrajectoryPtr path, const TimingLimits& limits,
                              Index steps) {
  if (std::string text = objection(solver.chain(), *path, limits, steps); !text.empty()) {
    return fail(std::move(text));
  }
  Timer timer(std::move(solver), *path, limits);
  if (auto looked = timer.look(steps); !looked) return tl::unexpected(looked.error());
  const std::vector<double> x = timer.speeds();
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    if (x[i] + x[i + 1] > 0.0) continue;
    return fail(
        fmt::format("the limits let nothing move {:.4g} of {:.4g} along the path; give more "
                    "steps, or a path that turns less sharply",
                    timer.knots()[i], path->duration()));
  }
  return std::make_shared<Timed>(std::move(path), timer.knots(), x);
}

}  // namespace dyn
