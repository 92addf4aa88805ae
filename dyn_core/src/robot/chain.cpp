#include "dyn_core/robot/chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "dyn_core/base/names.hpp"

namespace dyn {
namespace {

// Every axis seen from frame 0, joints at zero: parallel revolute axes stay parallel whatever q is.
bool motion_is_planar(const ChainDescription& chain) {
  constexpr double kTolerance = 1e-12;
  const auto is_zero = [](double x) { return std::abs(x) < kTolerance; };
  Mat3d rotation = Mat3d::Identity();
  std::optional<Vec3d> normal;
  std::vector<Vec3d> slides;
  for (std::size_t i = 0; i < chain.dh.size(); ++i) {
    const DhRow& row = chain.dh[i];
    rotation = rotation * Eigen::AngleAxisd(row.alpha, Vec3d::UnitX()).toRotationMatrix() *
               Eigen::AngleAxisd(row.beta, Vec3d::UnitY()).toRotationMatrix() *
               Eigen::AngleAxisd(row.theta, Vec3d::UnitZ()).toRotationMatrix();
    const Vec3d axis = rotation.col(2);
    if (chain.joints[i].is_prismatic()) {
      slides.push_back(axis);
    } else if (!normal) {
      normal = axis;
    } else if (!is_zero(normal->cross(axis).norm())) {
      return false;
    }
  }
  if (!normal) return false;
  for (const Vec3d& slide : slides) {
    if (!is_zero(normal->dot(slide))) return false;
  }
  return true;
}

std::string objection_to_dynamics_of(const ChainDescription& chain) {
  const auto immobile =
      std::ranges::find_if(chain.missing_inertia, [](const auto& link) { return link.immobile; });
  if (immobile == chain.missing_inertia.end()) return {};
  std::vector<std::string> links;
  for (const MissingInertia& missing : chain.missing_inertia) links.push_back(missing.link);
  const auto joint = std::ranges::find(chain.joints, immobile->joint, &Joint::name);
  return fmt::format(
      "link{} {} lack{} inertia: everything that joint '{}' moves has no {}; give {} an <inertial> "
      "or the joint an armature, or estimate bodies from the shapes (dyn: --estimate-inertia)",
      links.size() == 1 ? "" : "s", quoted_list(links), links.size() == 1 ? "s" : "",
      immobile->joint, joint->is_prismatic() ? "mass" : "inertia about its axis",
      links.size() == 1 ? "it" : "them");
}

VecXd limits_of(const Chain& chain, double JointLimits::*limit) {
  VecXd out(chain.dof());
  for (Index i = 0; i < chain.dof(); ++i) {
    const double most = chain.coordinate_joint(i).limits.*limit;
    out[i] = most > 0.0 ? most : std::numeric_limits<double>::infinity();
  }
  return out;
}

}  // namespace

const char* to_string(JointType type) noexcept {
  switch (type) {
    case JointType::kRevolute:
      return "revolute";
    case JointType::kContinuous:
      return "continuous";
    case JointType::kPrismatic:
      return "prismatic";
  }
  return "unknown";
}

Chain::Chain(ChainDescription description)
    : data_(std::move(description)),
      dof_(static_cast<Index>(data_.coordinate_names.size())),
      coordinate_joints_(data_.coordinate_names.size(), 0),
      planar_(motion_is_planar(data_)),
      objection_(objection_to_dynamics_of(data_)) {
  for (std::size_t i = 0; i < data_.joints.size(); ++i) {
    const Joint& joint = data_.joints[i];
    const auto k = static_cast<std::size_t>(joint.coordinate);
    if (joint.name == data_.coordinate_names[k]) coordinate_joints_[k] = static_cast<Index>(i);
  }
}

double Chain::total_mass() const {
  double mass = data_.base_body.mass;
  for (const Link& link : data_.links) mass += link.body.mass;
  return mass;
}

double Chain::reach() const {
  double reach = data_.tip_pose.p.norm();
  for (const DhRow& row : data_.dh) reach += std::hypot(row.a, row.d);
  for (const Joint& joint : data_.joints) {
    if (joint.is_prismatic() && std::isfinite(joint.limits.upper - joint.limits.lower)) {
      reach += std::max(std::abs(joint.limits.lower), std::abs(joint.limits.upper));
    }
  }
  return reach;
}

VecXd effort_limits(const Chain& chain) { return limits_of(chain, &JointLimits::effort); }
VecXd velocity_limits(const Chain& chain) { return limits_of(chain, &JointLimits::velocity); }

}  // namespace dyn
