// The modified Denavit-Hartenberg table of any chain of joint axes.
#pragma once

#include <span>
#include <vector>

#include "dyn_core/chain.hpp"
#include "dyn_core/export.hpp"

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

}  // namespace dyn
