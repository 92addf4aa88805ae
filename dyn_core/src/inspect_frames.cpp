#include <algorithm>

#include "dyn_core/inspect/frames.hpp"
#include "urdf_document.hpp"
#include "urdf_drives.hpp"

namespace dyn::inspect {

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
    const internal::Drive& drive = drives->of(joint);
    const std::string master = drive.master == nullptr ? joint.name : drive.master->name;
    const auto& names = chain.coordinate_names();
    const auto found = std::ranges::find(names, master);
    if (found == names.end() && master == joint.name) out.others_.push_back(joint.name);
    const Vec3d axis(joint.axis.x, joint.axis.y, joint.axis.z);
    out.moving_.push_back(frame);
    out.motions_.push_back({origin, axis.stableNormalized(), joint.type == urdf::Joint::PRISMATIC,
                            found == names.end() ? -1 : found - names.begin(), drive.multiplier,
                            drive.offset});
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
