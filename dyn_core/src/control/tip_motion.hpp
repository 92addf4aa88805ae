// The tip's Jacobian, and its velocity and acceleration, each in one pass over the frames of the links. Vectors are
// in the frame that these are given in, linear, then angular.
#pragma once

#include <span>

#include "dyn_core/robot/chain.hpp"

namespace dyn {

struct TipMotion {
  Vec6<double> twist, acceleration;
};

/// Of the point `tip` of the last link; 6 x dof.
inline void tip_jacobian(const Chain& chain, std::span<const Posed> frames, const Vec3d& tip,
                         MatXd& J) noexcept {
  J.setZero();
  for (std::size_t j = 0; j < frames.size(); ++j) {
    const Joint& joint = chain.joint(static_cast<Index>(j));
    const Vec3d axis = joint.multiplier * frames[j].R.col(2);
    auto column = J.col(joint.coordinate).head<6>();
    if (joint.is_prismatic()) {
      column.head<3>() += axis;
    } else {
      column.head<3>() += axis.cross(tip - frames[j].p);
      column.tail<3>() += axis;
    }
  }
}

/// J q̇ and J q̈ + J̇ q̇ of that point; J̇ q̇ alone where there is no `qdd`.
inline TipMotion tip_motion(const Chain& chain, std::span<const Posed> frames, const Vec3d& tip,
                            const VecXd& qd, const VecXd* qdd = nullptr) noexcept {
  Vec3d v = Vec3d::Zero(), a = v, omega = v, omega_rate = v;
  Vec3d at = frames[0].p;  // the point whose motion is carried along
  const auto carry = [&](const Vec3d& to) {
    const Vec3d arm = to - at, turned = omega.cross(arm);
    v += turned;
    a += omega_rate.cross(arm) + omega.cross(turned);
    at = to;
  };
  for (std::size_t j = 0; j < frames.size(); ++j) {
    const Joint& joint = chain.joint(static_cast<Index>(j));
    carry(frames[j].p);
    const Vec3d axis = joint.multiplier * frames[j].R.col(2);
    const Vec3d rate = qd[joint.coordinate] * axis, turned = omega.cross(rate);
    Vec3d push = turned;
    if (qdd != nullptr) push += (*qdd)[joint.coordinate] * axis;
    if (joint.is_prismatic()) {
      v += rate;
      a += push + turned;
    } else {
      omega += rate;
      omega_rate += push;
    }
  }
  carry(tip);
  TipMotion out;
  out.twist.head<3>() = v;
  out.twist.tail<3>() = omega;
  out.acceleration.head<3>() = a;
  out.acceleration.tail<3>() = omega_rate;
  return out;
}

}  // namespace dyn
