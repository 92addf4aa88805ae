#include "dyn_core/control/target.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dyn_core/control/task.hpp"

namespace dyn {
namespace {

// The vector, or the part of it that is `most` long.
Vec3d shortened(const Vec3d& v, double most) {
  const double length = v.norm();
  return length > most ? Vec3d(v * (most / length)) : v;
}

struct Motion {
  Vec3d x, v, a;
};

// (1) solved for x(0), x'(0), x''(0).
Motion decay(const Motion& from, double w, double dt) {
  const Vec3d c1 = from.v + w * from.x, c2 = 0.5 * (from.a + 2.0 * w * from.v + w * w * from.x);
  const double rest = std::exp(-w * dt);
  const Vec3d p0 = from.x + dt * (c1 + dt * c2), p1 = c1 + 2.0 * dt * c2, p2 = 2.0 * c2;
  return {rest * p0, rest * (p1 - w * p0), rest * (p2 - 2.0 * w * p1 + w * w * p0)};
}

}  // namespace

Result<TargetFilter> TargetFilter::make(const TargetOptions& options) {
  struct Positive {
    double value;
    const char* name;
  };
  for (const Positive& option :
       {Positive{options.frequency, "frequency"}, Positive{options.speed, "speed"},
        Positive{options.turning_speed, "turning speed"}, Positive{options.timeout, "timeout"},
        Positive{options.farthest, "largest distance"},
        Positive{options.farthest_turn, "largest turn"}}) {
    if (option.value > 0.0) continue;
    return fail(fmt::format("the {} of targets at the tip is {}; give a positive one", option.name,
                            option.value));
  }
  if (!std::isfinite(options.frequency)) {
    return fail("the frequency of the filter at the tip is infinite; give a finite one, in rad/s");
  }
  return TargetFilter(options);
}

void TargetFilter::reset(const Posed& pose) noexcept {
  target_ = {};
  target_.given = true;
  target_.pose = pose;
  now_ = target_;
  age_ = std::numeric_limits<double>::infinity();
}

Status TargetFilter::set(const TipReference& target) noexcept {
  constexpr double kSlack = 1e-3;
  if (!target.finite()) return Status::kNotFinite;
  const Mat3d& R = target.pose.R;
  const bool rotation = (R.transpose() * R - Mat3d::Identity()).cwiseAbs().maxCoeff() < kSlack &&
                        R.determinant() > 0.0;
  const bool near = (target.pose.p - now_.pose.p).norm() <= options_.farthest &&
                    rotation_vector(R * now_.pose.R.transpose()).norm() <= options_.farthest_turn;
  if (!rotation || !near) return Status::kUnsupported;
  target_ = target;
  target_.given = true;
  target_.acceleration.setZero();  // it would be carried on for too long
  age_ = 0.0;
  return Status::kOk;
}

const TipReference& TargetFilter::update(double dt) noexcept {
  if (!(dt > 0.0) || !std::isfinite(dt)) return now_;
  const double w = options_.frequency;
  age_ += dt;
  if (too_old()) {
    target_.twist.setZero();
    target_.wrench = {};
  }
  extrapolate(target_, dt, target_);
  // The difference a period ago, when the target was where it came from.
  const Vec6<double>& twist = target_.twist;
  const Mat3d from = rotation_about(-dt * twist.tail<3>()) * target_.pose.R;
  const Vec3d way = now_.pose.p - (target_.pose.p - dt * twist.head<3>());
  const Vec3d turn = rotation_vector(now_.pose.R * from.transpose());
  const Vec3d near = shortened(way, 3.0 * options_.speed / w);
  const Vec3d near_turn = shortened(turn, 3.0 * options_.turning_speed / w);
  const Motion shift =
      decay({near, now_.twist.head<3>() - twist.head<3>(), now_.acceleration.head<3>()}, w, dt);
  const Motion turned = decay(
      {near_turn, now_.twist.tail<3>() - twist.tail<3>(), now_.acceleration.tail<3>()}, w, dt);
  now_.pose.p += (shift.x - near) + dt * twist.head<3>();
  const Mat3d R = rotation_about((turned.x - near_turn) + dt * twist.tail<3>()) * now_.pose.R;
  now_.pose.R = Eigen::Quaterniond(R).normalized().toRotationMatrix();
  now_.twist << shift.v, turned.v;
  now_.twist += twist;
  now_.acceleration << shift.a, turned.a;
  const double kept = std::exp(-w * dt);
  now_.wrench.force = target_.wrench.force + kept * (now_.wrench.force - target_.wrench.force);
  now_.wrench.torque = target_.wrench.torque + kept * (now_.wrench.torque - target_.wrench.torque);
  return now_;
}

}  // namespace dyn
