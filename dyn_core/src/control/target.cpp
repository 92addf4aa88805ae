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

// A target that turns is not left behind by 3 a / ω². What its velocity has changed by since the last one says how
// it accelerates, smoothed by (1)'s own ω, and is believed for so long after it, s.
constexpr double kCarried = 0.05;

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
        Positive{options.farthest_turn, "largest turn"}, Positive{options.fastest, "largest speed"},
        Positive{options.fastest_turn, "largest turning speed"},
        Positive{options.strongest, "largest force"},
        Positive{options.strongest_turn, "largest torque"}}) {
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
  const bool bounded = target.twist.head<3>().norm() <= options_.fastest &&
                       target.twist.tail<3>().norm() <= options_.fastest_turn &&
                       target.wrench.force.norm() <= options_.strongest &&
                       target.wrench.torque.norm() <= options_.strongest_turn;
  if (!rotation || !near || !bounded) return Status::kUnsupported;
  Vec6<double> acceleration = Vec6<double>::Zero();
  if (age_ > 0.0 && !too_old()) {
    const double w = options_.frequency, share = -std::expm1(-w * age_) / age_;
    acceleration = target_.acceleration + share * (target.twist - target_.twist);
    acceleration.head<3>() = shortened(acceleration.head<3>(), w * options_.speed);
    acceleration.tail<3>() = shortened(acceleration.tail<3>(), w * options_.turning_speed);
  }
  target_ = target;
  target_.given = true;
  target_.acceleration = acceleration;
  age_ = 0.0;
  return Status::kOk;
}

const TipReference& TargetFilter::update(double dt) noexcept {
  if (!(dt > 0.0) || !std::isfinite(dt)) return now_;
  const double w = options_.frequency;
  age_ += dt;
  if (age_ > kCarried) target_.acceleration.setZero();
  if (too_old()) {
    target_.twist.setZero();
    target_.wrench = {};
  }
  const Vec6<double>&twist = target_.twist, &acceleration = target_.acceleration;
  const Vec6<double> moved = dt * twist + (0.5 * dt * dt) * acceleration;
  const Vec3d near = shortened(now_.pose.p - target_.pose.p, 3.0 * options_.speed / w);
  const Vec3d near_turn = shortened(rotation_vector(now_.pose.R * target_.pose.R.transpose()),
                                    3.0 * options_.turning_speed / w);
  const Vec6<double> v = now_.twist - twist, a = now_.acceleration - acceleration;
  const Motion shift = decay({near, v.head<3>(), a.head<3>()}, w, dt);
  const Motion turned = decay({near_turn, v.tail<3>(), a.tail<3>()}, w, dt);
  extrapolate(target_, dt, target_);
  now_.pose.p += (shift.x - near) + moved.head<3>();
  const Mat3d R = rotation_about((turned.x - near_turn) + moved.tail<3>()) * now_.pose.R;
  now_.pose.R = Eigen::Quaterniond(R).normalized().toRotationMatrix();
  now_.twist << shift.v, turned.v;
  now_.twist += twist;
  now_.acceleration << shift.a, turned.a;
  now_.acceleration += acceleration;
  const double kept = std::exp(-w * dt);
  now_.wrench.force = target_.wrench.force + kept * (now_.wrench.force - target_.wrench.force);
  now_.wrench.torque = target_.wrench.torque + kept * (now_.wrench.torque - target_.wrench.torque);
  return now_;
}

}  // namespace dyn
