#include "dyn_core/motion/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace dyn {
namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;

/// What all trajectories share: sizes, the time clamped to [0, duration], a standstill outside of it.
class Checked : public Trajectory {
 public:
  Checked(Index dof, double duration) : dof_(dof), duration_(duration) {}

  [[nodiscard]] Index dof() const noexcept final { return dof_; }
  [[nodiscard]] double duration() const noexcept final { return duration_; }

  Status evaluate(double time, VecOut<double> q, VecOut<double> qd,
                  VecOut<double> qdd) const noexcept final {
    if (q.size() != dof_ || qd.size() != dof_ || qdd.size() != dof_) return Status::kWrongSize;
    const bool finite = std::isfinite(time);
    evaluate_within(finite ? std::clamp(time, 0.0, duration_) : 0.0, q, qd, qdd);
    if (!finite || time < 0.0 || time > duration_) {
      qd.setZero();
      qdd.setZero();
    }
    return finite ? Status::kOk : Status::kNotFinite;
  }

 protected:
  virtual void evaluate_within(double time, VecOut<double>& q, VecOut<double>& qd,
                               VecOut<double>& qdd) const noexcept = 0;

 private:
  Index dof_;
  double duration_;
};

// The way from q0 to q1 along one scalar profile s(t) from 0 to 1.

class Cycloid final : public Checked {
 public:
  Cycloid(VecXd q0, const VecXd& q1, double duration)
      : Checked(q0.size(), duration), start_(std::move(q0)), way_(q1 - start_) {}

 protected:
  void evaluate_within(double time, VecOut<double>& q, VecOut<double>& qd,
                       VecOut<double>& qdd) const noexcept override {
    const double rate = kTwoPi / duration();
    const double angle = rate * time;
    q = start_ + (angle - std::sin(angle)) / kTwoPi * way_;
    qd = (1.0 - std::cos(angle)) / duration() * way_;
    qdd = std::sin(angle) * rate / duration() * way_;
  }

 private:
  VecXd start_, way_;
};

/// One joint's velocity profile: up to `cruise` with `acceleration`, on, and down again.
struct Trapezoid {
  double start = 0.0, way = 0.0;
  double acceleration = 0.0;  // with the sign of the way
  double cruise = 0.0;
  double ramp = 0.0;  // s, how long each of the two ramps takes
  double duration = 0.0;
};

// The quickest profile over `way`; a triangle where the velocity limit is not reached.
Trapezoid quickest(double start, double way, double max_velocity, double max_acceleration) {
  const double distance = std::abs(way);
  if (distance == 0.0) return {.start = start};
  const double peak = std::min(max_velocity, std::sqrt(distance * max_acceleration));
  const double ramp = peak / max_acceleration;
  return {.start = start,
          .way = way,
          .acceleration = std::copysign(max_acceleration, way),
          .cruise = std::copysign(peak, way),
          .ramp = ramp,
          .duration = ramp + distance / peak};
}

// The same profile, slower by the factor `stretch` >= 1.
Trapezoid stretched(Trapezoid profile, double stretch) {
  profile.acceleration /= stretch * stretch;
  profile.cruise /= stretch;
  profile.ramp *= stretch;
  profile.duration *= stretch;
  return profile;
}

class Trapezoids final : public Checked {
 public:
  Trapezoids(std::vector<Trapezoid> joints, double duration)
      : Checked(static_cast<Index>(joints.size()), duration), joints_(std::move(joints)) {}

 protected:
  void evaluate_within(double time, VecOut<double>& q, VecOut<double>& qd,
                       VecOut<double>& qdd) const noexcept override {
    for (Index i = 0; i < dof(); ++i) {
      const Trapezoid& joint = joints_[static_cast<std::size_t>(i)];
      const double left = duration() - time;
      if (time < joint.ramp) {
        q[i] = joint.start + 0.5 * joint.acceleration * time * time;
        qd[i] = joint.acceleration * time;
        qdd[i] = joint.acceleration;
      } else if (left < joint.ramp) {
        q[i] = joint.start + joint.way - 0.5 * joint.acceleration * left * left;
        qd[i] = joint.acceleration * left;
        qdd[i] = -joint.acceleration;
      } else {
        q[i] = joint.start + joint.cruise * (time - 0.5 * joint.ramp);
        qd[i] = joint.cruise;
        qdd[i] = 0.0;
      }
    }
  }

 private:
  std::vector<Trapezoid> joints_;
};

/// Quintic pieces; column k of a piece's coefficients belongs to the power k of the time since its knot.
class Pieces final : public Checked {
 public:
  using Coefficients = Eigen::Matrix<double, Eigen::Dynamic, 6>;

  Pieces(std::vector<double> knots, std::vector<Coefficients> pieces)
      : Checked(pieces.front().rows(), knots.back()),
        knots_(std::move(knots)),
        pieces_(std::move(pieces)) {}

 protected:
  void evaluate_within(double time, VecOut<double>& q, VecOut<double>& qd,
                       VecOut<double>& qdd) const noexcept override {
    const auto next = std::upper_bound(knots_.begin() + 1, knots_.end() - 1, time);
    const auto piece = static_cast<std::size_t>(next - knots_.begin()) - 1;
    const Coefficients& c = pieces_[piece];
    const double s = time - knots_[piece];
    for (Index i = 0; i < dof(); ++i) {
      q[i] = ((((c(i, 5) * s + c(i, 4)) * s + c(i, 3)) * s + c(i, 2)) * s + c(i, 1)) * s + c(i, 0);
      qd[i] = (((5.0 * c(i, 5) * s + 4.0 * c(i, 4)) * s + 3.0 * c(i, 3)) * s + 2.0 * c(i, 2)) * s +
              c(i, 1);
      qdd[i] = ((20.0 * c(i, 5) * s + 12.0 * c(i, 4)) * s + 6.0 * c(i, 3)) * s + 2.0 * c(i, 2);
    }
  }

 private:
  std::vector<double> knots_;
  std::vector<Coefficients> pieces_;
};

/// Position, velocity and acceleration of all joints at a knot.
struct Knot {
  VecXd q, qd, qdd;
};

// The quintic that takes `h` seconds from one knot to the next.
Pieces::Coefficients quintic_piece(const Knot& a, const Knot& b, double h) {
  Pieces::Coefficients c(a.q.size(), 6);
  c.col(0) = a.q;
  c.col(1) = a.qd;
  c.col(2) = 0.5 * a.qdd;
  const VecXd dq = b.q - a.q - h * a.qd - 0.5 * h * h * a.qdd;
  const VecXd dv = h * (b.qd - a.qd - h * a.qdd);
  const VecXd da = h * h * (b.qdd - a.qdd);
  c.col(3) = (10.0 * dq - 4.0 * dv + 0.5 * da) / std::pow(h, 3);
  c.col(4) = (-15.0 * dq + 7.0 * dv - da) / std::pow(h, 4);
  c.col(5) = (6.0 * dq - 3.0 * dv + 0.5 * da) / std::pow(h, 5);
  return c;
}

TrajectoryPtr join(const std::vector<double>& knots, const std::vector<Knot>& values) {
  std::vector<Pieces::Coefficients> pieces;
  for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
    pieces.push_back(quintic_piece(values[i], values[i + 1], knots[i + 1] - knots[i]));
  }
  return std::make_shared<Pieces>(knots, std::move(pieces));
}

// Accelerations of the cubic spline that is at rest at both ends, or has no acceleration there: a
// tridiagonal system, solved for all joints at once.
std::vector<Knot> spline_knots(const std::vector<double>& t, const std::vector<VecXd>& q,
                               bool natural) {
  const std::size_t n = t.size();
  const VecXd still = VecXd::Zero(q[0].size());
  const auto slope = [&](std::size_t i) -> VecXd { return (q[i + 1] - q[i]) / (t[i + 1] - t[i]); };
  std::vector<VecXd> a(n, still);  // right-hand side, then acceleration
  std::vector<double> upper(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (natural && (i == 0 || i + 1 == n)) continue;
    const double before = i > 0 ? t[i] - t[i - 1] : 0.0;
    const double after = i + 1 < n ? t[i + 1] - t[i] : 0.0;
    const VecXd right = (i + 1 < n ? slope(i) : still) - (i > 0 ? slope(i - 1) : still);
    const double pivot = 2.0 * (before + after) - before * (i > 0 ? upper[i - 1] : 0.0);
    a[i] = (6.0 * right - before * (i > 0 ? a[i - 1] : still)) / pivot;
    upper[i] = after / pivot;
  }
  for (std::size_t i = n - 1; i-- > 0;) a[i] -= upper[i] * a[i + 1];

  std::vector<Knot> knots(n, Knot{still, still, still});
  for (std::size_t i = 0; i < n; ++i) {
    knots[i].q = q[i];
    knots[i].qdd = a[i];
    const bool last = i + 1 == n;
    if (!natural && (i == 0 || last)) continue;
    if (last) {
      knots[i].qd = slope(i - 1) + (t[i] - t[i - 1]) / 6.0 * (a[i - 1] + 2.0 * a[i]);
    } else {
      knots[i].qd = slope(i) - (t[i + 1] - t[i]) / 6.0 * (2.0 * a[i] + a[i + 1]);
    }
  }
  return knots;
}

// Empty if the two ends and the duration make a trajectory.
std::string objection(std::string_view kind, const VecXd& q0, const VecXd& q1, double duration) {
  if (q0.size() != q1.size() || q0.size() == 0) {
    return fmt::format("{}: the start has {} positions and the end {}; give one of each per joint",
                       kind, q0.size(), q1.size());
  }
  if (!q0.allFinite() || !q1.allFinite()) {
    return fmt::format("{}: a position is not a finite number", kind);
  }
  if (!(std::isfinite(duration) && duration > 0.0)) {
    return fmt::format("{}: the duration is {} s; give one above 0", kind, duration);
  }
  return {};
}

}  // namespace

Result<TrajectoryPtr> cycloid(const VecXd& q0, const VecXd& q1, double duration) {
  if (auto text = objection("cycloid", q0, q1, duration); !text.empty())
    return fail(std::move(text));
  return std::make_shared<Cycloid>(q0, q1, duration);
}

Result<TrajectoryPtr> quintic(const VecXd& q0, const VecXd& q1, double duration) {
  if (auto text = objection("quintic", q0, q1, duration); !text.empty())
    return fail(std::move(text));
  const VecXd still = VecXd::Zero(q0.size());
  return join({0.0, duration}, {{q0, still, still}, {q1, still, still}});
}

Result<TrajectoryPtr> trapezoid(const VecXd& q0, const VecXd& q1, const VecXd& max_velocity,
                                const VecXd& max_acceleration) {
  if (auto text = objection("trapezoid", q0, q1, 1.0); !text.empty()) return fail(std::move(text));
  if (max_velocity.size() != q0.size() || max_acceleration.size() != q0.size()) {
    return fail(
        fmt::format("trapezoid: {} positions, {} velocity limits, {} acceleration limits; give "
                    "one of each per joint",
                    q0.size(), max_velocity.size(), max_acceleration.size()));
  }
  std::vector<Trapezoid> joints;
  double duration = 0.0;
  for (Index i = 0; i < q0.size(); ++i) {
    if (!(max_velocity[i] > 0.0 && max_acceleration[i] > 0.0 &&
          std::isfinite(max_acceleration[i]))) {
      return fail(
          fmt::format("trapezoid: joint {} of {} has the velocity limit {} and the acceleration "
                      "limit {}; both must be above 0, the acceleration finite",
                      i + 1, q0.size(), max_velocity[i], max_acceleration[i]));
    }
    joints.push_back(quickest(q0[i], q1[i] - q0[i], max_velocity[i], max_acceleration[i]));
    duration = std::max(duration, joints.back().duration);
  }
  for (Trapezoid& joint : joints) {
    if (joint.duration > 0.0) joint = stretched(joint, duration / joint.duration);
  }
  return std::make_shared<Trapezoids>(std::move(joints), duration);
}

Result<TrajectoryPtr> waypoints(const std::vector<double>& times,
                                const std::vector<VecXd>& positions, Interpolation interpolation) {
  if (times.size() != positions.size() || times.size() < 2) {
    return fail(fmt::format("waypoints: {} times and {} positions; give at least two of each",
                            times.size(), positions.size()));
  }
  std::vector<double> knots;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (positions[i].size() != positions[0].size() || positions[i].size() == 0) {
      return fail(fmt::format("waypoints: number {} has {} joints, the first one has {}", i + 1,
                              positions[i].size(), positions[0].size()));
    }
    if (!std::isfinite(times[i]) || !positions[i].allFinite()) {
      return fail(fmt::format("waypoints: number {} has a value that is not finite", i + 1));
    }
    if (i > 0 && !(times[i] > times[i - 1])) {
      return fail(
          fmt::format("waypoints: number {} is at {} s, which is not after {} s; times must grow",
                      i + 1, times[i], times[i - 1]));
    }
    knots.push_back(times[i] - times[0]);
  }
  std::vector<Knot> values =
      spline_knots(knots, positions, interpolation == Interpolation::kNatural);
  if (interpolation == Interpolation::kQuintic) {
    values.front().qdd.setZero();
    values.back().qdd.setZero();
  }
  return join(knots, values);
}

}  // namespace dyn
