#include "urdf_mobility.hpp"

#include <cmath>

#include <Eigen/Geometry>

namespace dyn::internal {
namespace {

// Pose of frame i in frame i-1 with the joint at `position`.
Posed row_pose(const DhRow& row, bool prismatic, double position) {
  const double theta = row.theta + (prismatic ? 0.0 : position);
  const double d = row.d + (prismatic ? position : 0.0);
  const Mat3d twist =
      (Eigen::AngleAxisd(row.alpha, Vec3d::UnitX()) * Eigen::AngleAxisd(row.beta, Vec3d::UnitY()))
          .toRotationMatrix();
  return {twist * Eigen::AngleAxisd(theta, Vec3d::UnitZ()).toRotationMatrix(),
          Vec3d(row.a, 0.0, 0.0) + d * twist.col(2)};
}

// What a joint carries: its inertia about the joint's axis (its mass, for a prismatic joint), and
// the size of the numbers this is made of.
struct Outboard {
  double inertia = 0.0, size = 0.0;
};

std::vector<Outboard> outboards(const ChainDescription& chain, double position) {
  std::vector<Outboard> all(chain.joints.size());
  RigidBody body;
  for (std::size_t i = chain.joints.size(); i-- > 0;) {
    body = body + chain.links[i].body;
    const bool prismatic = chain.joints[i].is_prismatic();
    const Mat3d about_origin = body.inertia_about_origin();
    all[i] = prismatic ? Outboard{body.mass, 0.0}
                       : Outboard{about_origin(2, 2), std::abs(about_origin.trace())};
    body = body.expressed_in(row_pose(chain.dh[i], prismatic, position));
  }
  return all;
}

}  // namespace

std::vector<MissingInertia> missing_inertia_of(const ChainDescription& chain,
                                               bool allow_nonphysical) {
  constexpr double kRounding = 1e-13;
  constexpr double kNothing = 1e-25;  // kg or kg m²
  const std::vector<Outboard> at_zero = outboards(chain, 0.0);
  const std::vector<Outboard> bent = outboards(chain, 0.7);
  std::vector<MissingInertia> missing;
  for (std::size_t i = 0; i < chain.joints.size(); ++i) {
    const Joint& joint = chain.joints[i];
    const Outboard& carried = at_zero[i].inertia > bent[i].inertia ? at_zero[i] : bent[i];
    const double inertia = carried.inertia + joint.armature;
    const bool moves = (inertia > kNothing && inertia > kRounding * carried.size) ||
                       (allow_nonphysical && inertia < 0.0);
    if (moves && chain.links[i].body.mass != 0.0) continue;
    missing.push_back({chain.links[i].name, joint.name, !moves});
  }
  return missing;
}

}  // namespace dyn::internal
