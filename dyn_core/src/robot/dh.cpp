#include "dyn_core/robot/dh.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace dyn {
namespace {

// Part of `v` perpendicular to the unit vector `axis`, normalised; zero where nothing is left of
// it.
Vec3d perpendicular_part(const Vec3d& v, const Vec3d& axis) {
  const Vec3d rest = v - v.dot(axis) * axis;
  const double length = rest.norm();
  return length > 1e-6 ? Vec3d(rest / length) : Vec3d::Zero();
}

Vec3d any_perpendicular(const Vec3d& axis, const Vec3d& wish) {
  for (const Vec3d& candidate : {wish, Vec3d(Vec3d::UnitX()), Vec3d(Vec3d::UnitY())}) {
    const Vec3d x = perpendicular_part(candidate, axis);
    if (x != Vec3d::Zero()) return x;
  }
  return Vec3d::UnitZ();
}

Mat3d frame_axes(const Vec3d& x, const Vec3d& z) {
  Mat3d R;
  R << x, z.cross(x), z;
  return R;
}

// Rounding is cleared from angles that are multiples of 90° and from lengths that are zero.
double clean_angle(double angle) {
  const double quarter = std::round(angle / M_PI_2) * M_PI_2;
  return std::abs(angle - quarter) < 1e-14 ? quarter + 0.0 : angle;  // never -0
}
double clean_length(double length, double scale) {
  return std::abs(length) < 1e-15 * scale ? 0.0 : length;
}

// How frame i stands on its axis so that the row to axis i+1 exists, and where that row arrives.
struct Departure {
  Vec3d origin;   // of frame i, on axis i
  Vec3d x;        // of frame i, perpendicular to axis i
  Vec3d arrival;  // the point on axis i+1 where the row ends
};

// The two axes meet the common normal at `origin` and `arrival`.
Departure along_common_normal(const JointAxis& from, const JointAxis& to, const Vec3d& x_wish,
                              double scale) {
  const Vec3d normal = from.direction.cross(to.direction);
  const Vec3d between = to.origin - from.origin;
  const double square = normal.squaredNorm();
  const Vec3d origin =
      from.origin + between.cross(to.direction).dot(normal) / square * from.direction;
  const Vec3d arrival =
      to.origin + between.cross(from.direction).dot(normal) / square * to.direction;
  Vec3d x = normal.normalized();
  const double length = between.dot(x);
  const bool flip = std::abs(length) > 1e-12 * scale ? length < 0.0 : x.dot(x_wish) < -1e-9;
  if (flip) x = -x;
  return {origin, x, arrival};
}

// Hayati: from the point `start` on the first axis across to where the plane perpendicular to that
// axis meets the second one.
Departure across(const JointAxis& from, const JointAxis& to, const Vec3d& start,
                 const Vec3d& x_wish, double scale) {
  const double along = from.direction.dot(to.direction);
  const Vec3d arrival = to.origin + (start - to.origin).dot(from.direction) / along * to.direction;
  const Vec3d step = arrival - start;
  const Vec3d x = step.norm() > 1e-14 * scale
                      ? perpendicular_part(step / step.norm(), from.direction)
                      : any_perpendicular(from.direction, x_wish);
  return {start, x, arrival};
}

double scale_of(std::span<const JointAxis> axes) {
  double scale = 1e-3;
  for (std::size_t i = 1; i < axes.size(); ++i) {
    scale += (axes[i].origin - axes[i - 1].origin).norm();
  }
  return scale;
}

// Goes along the axes from base to tip and lays one row after the other.
class TableWriter {
 public:
  explicit TableWriter(std::span<const JointAxis> axes)
      : axes_(axes),
        scale_(scale_of(axes)),
        arrival_(axes[0].origin),
        x_arrival_(any_perpendicular(axes[0].direction, axes[0].x_hint)) {}

  DhTable write() {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const bool last = i + 1 == axes_.size();
      const Departure leave = last ? Departure{arrival_, x_arrival_, arrival_} : departure(i);
      if (i == 0) arrival_ = leave.origin, x_arrival_ = leave.x;
      finish_row(leave, axes_[i].direction);
      if (!last) begin_row(leave, axes_[i + 1].direction, nearly_parallel(i));
    }
    return std::move(table_);
  }

 private:
  [[nodiscard]] bool nearly_parallel(std::size_t i) const {
    return axes_[i].direction.cross(axes_[i + 1].direction).norm() < kNearlyParallel;
  }
  [[nodiscard]] Departure departure(std::size_t i) const {
    return nearly_parallel(i) ? across(axes_[i], axes_[i + 1], arrival_, x_arrival_, scale_)
                              : along_common_normal(axes_[i], axes_[i + 1], x_arrival_, scale_);
  }

  // d and theta lead from where the row arrived on axis i to where the next one departs from it.
  void finish_row(const Departure& leave, const Vec3d& z) {
    row_.d = clean_length((leave.origin - arrival_).dot(z), scale_);
    row_.theta = clean_angle(std::atan2(x_arrival_.cross(leave.x).dot(z), x_arrival_.dot(leave.x)));
    table_.rows.push_back(row_);
    table_.frames.push_back({frame_axes(leave.x, z), leave.origin});
  }

  // a, alpha and beta lead from frame i to the point of arrival on axis i+1.
  void begin_row(const Departure& leave, const Vec3d& next_z, bool near) {
    const Mat3d& R = table_.frames.back().R;
    const Vec3d z = R.transpose() * next_z;
    row_ = DhRow{};
    row_.a = clean_length((leave.arrival - leave.origin).dot(leave.x), scale_);
    row_.alpha = clean_angle(std::atan2(-z.y(), z.z()));
    row_.beta = near ? clean_angle(std::asin(std::clamp(z.x(), -1.0, 1.0))) : 0.0;
    arrival_ = leave.arrival;
    const Vec3d x(std::cos(row_.beta), std::sin(row_.alpha) * std::sin(row_.beta),
                  -std::cos(row_.alpha) * std::sin(row_.beta));  // Rx(alpha) Ry(beta) e_x
    x_arrival_ = perpendicular_part(R * x, next_z);
  }

  std::span<const JointAxis> axes_;
  double scale_;
  Vec3d arrival_;    // where the present row meets its axis …
  Vec3d x_arrival_;  // … and the direction of x there
  DhRow row_;
  DhTable table_;
};

/// Along and about one z axis.
struct AxisStep {
  double turn = 0.0, shift = 0.0;
};

// What a pose begins with, so that the rest of it has neither a z nor a turn of its x axis towards y.
AxisStep leading_step(const Posed& pose) {
  const Vec3d x = pose.R.col(0);
  const bool upright = std::hypot(x.x(), x.y()) < 1e-9;
  return {upright ? 0.0 : clean_angle(std::atan2(x.y(), x.x())), pose.p.z()};
}

Posed about_z(double turn, double shift) {
  return {Eigen::AngleAxisd(turn, Vec3d::UnitZ()).toRotationMatrix(), Vec3d(0.0, 0.0, shift)};
}

Posed step_to(const DhRow& row) {
  const Mat3d alpha = Eigen::AngleAxisd(row.alpha, Vec3d::UnitX()).toRotationMatrix();
  return {alpha * Eigen::AngleAxisd(row.beta, Vec3d::UnitY()).toRotationMatrix(),
          Vec3d(row.a, 0.0, 0.0)};
}

}  // namespace

DhTable modified_dh(std::span<const JointAxis> axes) {
  return axes.empty() ? DhTable{} : TableWriter(axes).write();
}

DhArm dh_arm(const Chain& chain, DhConvention convention) {
  DhArm arm{chain.base_pose(), chain.dh(), chain.tip_pose()};
  DhRow& first = arm.rows.front();
  // A first row that begins with a step of its own stays as it is.
  if (first.a == 0.0 && first.alpha == 0.0 && first.beta == 0.0) {
    const AxisStep start = leading_step(arm.base_pose.inverse());
    first.d -= start.shift;
    first.theta -= start.turn;
    arm.base_pose = arm.base_pose * about_z(start.turn, start.shift);
  }
  if (convention == DhConvention::kModified) return arm;

  arm.base_pose = arm.base_pose * step_to(first);
  for (std::size_t i = 0; i + 1 < arm.rows.size(); ++i) {
    const DhRow& next = arm.rows[i + 1];
    arm.rows[i] = {next.a, next.alpha, next.beta, arm.rows[i].d, arm.rows[i].theta};
  }
  const AxisStep end = leading_step(arm.tip_pose);
  DhRow& last = arm.rows.back();
  last = {0.0, 0.0, 0.0, last.d + end.shift, last.theta + end.turn};
  arm.tip_pose = about_z(-end.turn, -end.shift) * arm.tip_pose;
  return arm;
}

}  // namespace dyn
