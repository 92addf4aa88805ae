// The modified Denavit-Hartenberg table of any chain of joint axes.
#pragma once

#include <span>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn {

/// A joint axis in the base frame, all joints at zero.
struct JointAxis {
  Vec3d origin = Vec3d::Zero();
  Vec3d direction = Vec3d::UnitZ();  ///< unit vector
  Vec3d x_hint = Vec3d::UnitX();  ///< where the geometry leaves x free, it is turned towards this
};

struct DhTable {
  std::vector<DhRow> rows;    ///< rows[0] is zero: frame 0 is frame 1 with its joint at zero
  std::vector<Posed> frames;  ///< the link frames in the base frame, all joints at zero
};

/// Two axes closer than this (sine of their angle) get a Hayati row: a, alpha, beta and no shift along
/// the first axis, so that no parameter grows as the axes become parallel.
inline constexpr double kNearlyParallel = 0.05;

DYN_CORE_EXPORT [[nodiscard]] DhTable modified_dh(std::span<const JointAxis> axes);

/// Modified: X_i = Rx(alpha) Tx(a) Ry(beta) Rz(theta) Tz(d). Classic: A_i = Rz(theta) Tz(d) Tx(a) Rx(alpha)
/// Ry(beta), with z of frame i-1 along joint i.
enum class DhConvention { kModified, kClassic };

/// A whole arm as others write it down: the tip in the base link frame is base_pose times the rows, with
/// the joint values added, times tip_pose. Of both poses as much as fits is in the rows: what the base
/// has along and about the first axis, and with the classic convention the tip along and about the last.
struct DhArm {
  Posed base_pose;
  std::vector<DhRow> rows;
  Posed tip_pose;
};

DYN_CORE_EXPORT [[nodiscard]] DhArm dh_arm(const Chain& chain, DhConvention convention);

}  // namespace dyn
