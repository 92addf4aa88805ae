#include "dyn_core/inspect/frames.hpp"

#include <algorithm>

#include "robot/urdf_document.hpp"
#include "robot/urdf_drives.hpp"

namespace dyn::inspect {
namespace {

double rest_position(const urdf::Joint& joint) {
  if (!joint.limits || joint.type == urdf::Joint::CONTINUOUS) return 0.0;
  return std::clamp(0.0, joint.limits->lower, std::max(joint.limits->lower, joint.limits->upper));
}

JointMotion motion_of(const urdf::Joint& joint, const internal::Drives& drives,
                      const Chain& chain) {
  const internal::Drive& drive = drives.of(joint);
  const auto& names = chain.coordinate_names();
  const auto found = std::ranges::find(names, drive.master->name);
  return {joint.name,       drive.master->name, found == names.end() ? -1 : found - names.begin(),
          drive.multiplier, drive.offset,       rest_position(*drive.master)};
}

}  // namespace

Result<std::vector<JointMotion>> joint_motions(std::string_view description, const Chain& chain) {
  const auto urdf = internal::read_urdf(description);
  if (!urdf) return tl::unexpected(urdf.error());
  const auto drives = internal::Drives::resolve(*urdf, {});
  if (!drives) return tl::unexpected(drives.error());
  std::vector<JointMotion> motions;
  for (const internal::TreeNode& node : urdf->nodes) {
    if (node.joint == nullptr || !internal::has_one_axis(*node.joint)) continue;
    motions.push_back(motion_of(*node.joint, *drives, chain));
  }
  return motions;
}

Result<FrameTree> FrameTree::make(std::string_view description, const Chain& chain) {
  const auto urdf = internal::read_urdf(description);
  if (!urdf) return tl::unexpected(urdf.error());
  const auto drives = internal::Drives::resolve(*urdf, {});
  if (!drives) return tl::unexpected(drives.error());
  FrameTree out;
  out.dof_ = chain.dof();
  for (const internal::TreeNode& node : urdf->nodes) {
    if (node.joint == nullptr) continue;
    const urdf::Joint& joint = *node.joint;
    const Posed origin = internal::to_pose(joint.parent_to_joint_origin_transform);
    const LinkFrame frame{joint.parent_link_name, joint.child_link_name, origin};
    if (!internal::has_one_axis(joint)) {
      out.fixed_.push_back(frame);
      continue;
    }
    const JointMotion motion = motion_of(joint, *drives, chain);
    if (motion.coordinate < 0 && motion.master == joint.name) out.others_.push_back(joint.name);
    const Vec3d axis(joint.axis.x, joint.axis.y, joint.axis.z);
    out.moving_.push_back(frame);
    out.motions_.push_back({origin, axis.stableNormalized(), joint.type == urdf::Joint::PRISMATIC,
                            motion.coordinate, motion.multiplier, motion.offset});
  }
  return out;
}

const std::vector<LinkFrame>& FrameTree::moving(VecIn<double> q) noexcept {
  if (q.size() != dof_) return moving_;
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    const Motion& motion = motions_[i];
    double position = motion.offset;
    if (motion.coordinate >= 0) position += motion.multiplier * q[motion.coordinate];
    Posed displacement;
    if (motion.prismatic) {
      displacement.p = position * motion.axis;
    } else {
      displacement.R = Eigen::AngleAxisd(position, motion.axis).toRotationMatrix();
    }
    moving_[i].pose = motion.origin * displacement;
  }
  return moving_;
}

}  // namespace dyn::inspect
