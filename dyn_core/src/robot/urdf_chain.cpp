#include "urdf_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "dyn_core/robot/dh.hpp"
#include "urdf_arm.hpp"
#include "urdf_mobility.hpp"
#include "urdf_names.hpp"

namespace dyn::internal {
namespace {

constexpr int kBaseBody = -1;
constexpr int kElsewhere = -2;

Vec3d axis_of(const urdf::Joint& joint) {
  return Vec3d(joint.axis.x, joint.axis.y, joint.axis.z).stableNormalized();
}

Posed displacement(const urdf::Joint& joint, double position) {
  if (joint.type == urdf::Joint::PRISMATIC) {
    return {Mat3d::Identity(), position * axis_of(joint)};
  }
  if (!has_one_axis(joint)) return {};
  return {Eigen::AngleAxisd(position, axis_of(joint)).toRotationMatrix(), Vec3d::Zero()};
}

RigidBody body_of(const urdf::Link& link) {
  if (!link.inertial) return {};
  const urdf::Inertial& inertial = *link.inertial;
  RigidBody body;
  body.mass = inertial.mass;
  body.inertia << inertial.ixx, inertial.ixy, inertial.ixz,  //
      inertial.ixy, inertial.iyy, inertial.iyz,              //
      inertial.ixz, inertial.iyz, inertial.izz;
  return body.expressed_in(to_pose(inertial.origin));
}

// Turning a body leaves some 1e-17 where there is a zero, another one on each processor: what is
// below a few units of rounding, of its largest number and of the robot's length, is zero.
void clear_rounding(RigidBody& body, double reach) {
  constexpr double kRounding = 16.0 * std::numeric_limits<double>::epsilon();
  const auto clear = [](double& x, double scale) {
    if (std::abs(x) < kRounding * scale) x = 0.0;
  };
  const double largest =
      std::max(body.inertia.cwiseAbs().maxCoeff(), std::abs(body.mass) * body.com.squaredNorm());
  for (double& x : body.inertia.reshaped()) clear(x, largest);
  for (double& x : body.com) clear(x, std::max(reach, body.com.norm()));
}

JointType type_of(const urdf::Joint& joint) {
  if (joint.type == urdf::Joint::PRISMATIC) return JointType::kPrismatic;
  return joint.type == urdf::Joint::CONTINUOUS ? JointType::kContinuous : JointType::kRevolute;
}

}  // namespace

Result<ChainDescription> ChainBuilder::build() {
  chain_.name = tree_.model->getName();
  chain_.gravity = options_.gravity;
  chain_.warnings = tree_.warnings;
  std::string objection = check_options();
  if (objection.empty()) objection = choose_ends();
  if (objection.empty()) objection = collect_joints();
  if (!objection.empty()) return fail(std::move(objection));
  place_links();
  lay_dh_table();
  objection = add_inertias();
  if (!objection.empty()) return fail(std::move(objection));
  chain_.missing_inertia = missing_inertia_of(chain_, options_.allow_nonphysical);
  return std::move(chain_);
}

std::string ChainBuilder::check_options() {
  const auto& joints = tree_.model->joints_;
  for (const auto& [name, position] : options_.lock) {
    const auto it = joints.find(name);
    if (it == joints.end()) {
      return fmt::format("there is no joint '{}' to lock; check the name", name);
    }
    const urdf::Joint& joint = *it->second;
    if (!has_one_axis(joint)) {
      return fmt::format(
          "joint '{}' cannot be locked: it is not revolute, continuous or prismatic; "
          "leave it out",
          name);
    }
    if (!in_range(position)) {
      return fmt::format("joint '{}' cannot be locked at {}; give a position within ±{:g}", name,
                         position, kLargest);
    }
    const bool limited = joint.limits && joint.type != urdf::Joint::CONTINUOUS;
    if (limited && (position < joint.limits->lower || position > joint.limits->upper)) {
      chain_.warnings.push_back(
          fmt::format("joint '{}' is locked at {}, outside its limits {} … {}", name, position,
                      joint.limits->lower, joint.limits->upper));
    }
  }
  for (const double g : options_.gravity) {
    if (!in_range(g)) {
      return fmt::format("gravity has the component {}; give three numbers in m/s²", g);
    }
  }
  return {};
}

std::string ChainBuilder::choose_ends() {
  if (!options_.base.empty()) {
    const auto found = find_link(tree_, options_.base, "base");
    if (!found) return found.error().sentence;
    base_ = *found;
  }
  if (options_.tip.empty()) {
    ArmEnd end = find_arm_end(tree_, base_, options_.lock);
    tip_ = end.node;
    chain_.tip_rule = std::move(end.rule);
  } else {
    const auto found = find_link(tree_, options_.tip, "tip");
    if (!found) return found.error().sentence;
    tip_ = *found;
  }
  chain_.ends = leaves(tree_, base_, options_.lock);
  chain_.base = node(base_).link->name;
  chain_.tip = node(tip_).link->name;
  path_ = tree_.path(base_, tip_);
  if (path_.empty()) {
    return fmt::format(
        "the tip '{}' is not below the base '{}'; choose a base between the root and "
        "the tip",
        chain_.tip, chain_.base);
  }
  return {};
}

bool ChainBuilder::is_independent(const urdf::Joint& joint) const {
  return has_one_axis(joint) && !joint.mimic && !options_.lock.contains(joint.name);
}

std::string ChainBuilder::collect_joints() {
  auto drives = Drives::resolve(tree_, options_.lock);
  if (!drives) return drives.error().sentence;
  drives_ = std::move(*drives);
  for (std::size_t i = 1; i < path_.size(); ++i) {
    const urdf::Joint& joint = *node(path_[i]).joint;
    if (!is_independent(joint)) continue;
    coordinates_.emplace(joint.name, static_cast<Index>(chain_.coordinate_names.size()));
    chain_.coordinate_names.push_back(joint.name);
  }
  moves_.assign(tree_.nodes.size(), false);
  for (std::size_t i = 1; i < path_.size(); ++i) {
    if (std::string text = add_joint(path_[i]); !text.empty()) return text;
  }
  if (chain_.joints.empty()) {
    return fmt::format(
        "no joint moves between the base '{}' and the tip '{}'{}; choose another base or "
        "tip",
        chain_.base, chain_.tip, base_ == tip_ ? ", which are the same link" : "");
  }
  return set_drives();
}

std::string ChainBuilder::add_joint(int index) {
  const urdf::Joint& joint = *node(index).joint;
  if (joint.type == urdf::Joint::FIXED) return {};
  if (!has_one_axis(joint)) {
    return fmt::format(
        "joint '{}' on the chain is {}; a serial chain has revolute, continuous and "
        "prismatic joints: choose a base beyond it, '{}' or below",
        joint.name, joint.type == urdf::Joint::PLANAR ? "planar" : "floating",
        joint.child_link_name);
  }
  const Drive& drive = drives_.of(joint);
  if (drive.master == nullptr) return {};
  const auto master = coordinates_.find(drive.master->name);
  if (master == coordinates_.end()) {
    chain_.warnings.push_back(
        fmt::format("joint '{}' mimics '{}', which is off the chain: it is held at {}", joint.name,
                    drive.master->name, drive.offset));
    return {};
  }
  Joint entry;
  entry.name = joint.name;
  entry.type = type_of(joint);
  entry.limits = limits_of(joint);
  if (joint.dynamics) {
    entry.damping = joint.dynamics->damping;
    entry.friction = joint.dynamics->friction;
  }
  entry.coordinate = master->second;
  entry.multiplier = drive.multiplier;
  entry.offset = drive.offset;
  chain_.joints.push_back(std::move(entry));
  moves_[static_cast<std::size_t>(index)] = true;
  return {};
}

std::string ChainBuilder::set_drives() {
  std::string sentence = set_drives(options_.armature, &Joint::armature, "the armature");
  if (sentence.empty()) sentence = set_drives(options_.damping, &Joint::damping, "the damping");
  if (sentence.empty()) sentence = set_drives(options_.friction, &Joint::friction, "the friction");
  return sentence;
}

std::string ChainBuilder::set_drives(const std::map<std::string, double>& values,
                                     double Joint::*member, std::string_view what) {
  std::size_t used = 0;
  for (Joint& joint : chain_.joints) {
    const auto it = values.find(joint.name);
    if (it == values.end()) continue;
    if (!in_range(it->second) || it->second < 0.0) {
      return fmt::format("{} of joint '{}' is {}; give zero or a positive number", what, joint.name,
                         it->second);
    }
    joint.*member = it->second;
    ++used;
  }
  if (used == values.size()) return {};
  std::map<std::string, double> unknown = values;
  for (const Joint& joint : chain_.joints) unknown.erase(joint.name);
  return fmt::format(
      "{} is given for joint '{}', which does not move on the chain from '{}' to '{}'; check the "
      "name",
      what, unknown.begin()->first, chain_.base, chain_.tip);
}

JointLimits ChainBuilder::limits_of(const urdf::Joint& joint) {
  JointLimits limits;
  if (!joint.limits) return limits;
  if (joint.type != urdf::Joint::CONTINUOUS) {
    limits.lower = joint.limits->lower;
    limits.upper = joint.limits->upper;
    if (limits.lower == limits.upper) {
      chain_.warnings.push_back(fmt::format(
          "joint '{}': its limits leave it no room, lower = upper = {}", joint.name, limits.lower));
    }
  }
  const auto read = [&](double value, const char* what, double& out) {
    if (value > 0.0) {
      out = value;
    } else {
      chain_.warnings.push_back(
          fmt::format("joint '{}': its {} limit is 0, read as unset", joint.name, what));
    }
  };
  read(joint.limits->effort, "effort", limits.effort);
  read(joint.limits->velocity, "velocity", limits.velocity);
  return limits;
}

void ChainBuilder::place_links() {
  poses_.resize(tree_.nodes.size());
  owner_.assign(tree_.nodes.size(), kElsewhere);
  owner_[static_cast<std::size_t>(base_)] = kBaseBody;
  int moved = kBaseBody;
  for (std::size_t i = static_cast<std::size_t>(base_) + 1; i < tree_.nodes.size(); ++i) {
    const TreeNode& at = tree_.nodes[i];
    const auto parent = static_cast<std::size_t>(at.parent);
    if (owner_[parent] == kElsewhere) continue;
    const double position = moves_[i] ? 0.0 : standing_position(*at.joint);
    const Posed link = to_pose(at.joint->parent_to_joint_origin_transform);
    poses_[i] = poses_[parent] * link * displacement(*at.joint, position);
    owner_[i] = moves_[i] ? ++moved : owner_[parent];
  }
  for (std::size_t i = 1; i < path_.size(); ++i) {
    reach_ += to_pose(node(path_[i]).joint->parent_to_joint_origin_transform).p.norm();
  }
  for (const Joint& joint : chain_.joints) {
    if (joint.is_prismatic()) {
      reach_ += std::max(std::abs(joint.limits.lower), std::abs(joint.limits.upper));
    }
  }
}

// Of a joint that is not one of the chain's: locked there, or with its master at zero.
double ChainBuilder::standing_position(const urdf::Joint& joint) {
  if (!has_one_axis(joint)) return 0.0;
  const Drive& drive = drives_.of(joint);
  if (drive.master != nullptr && coordinates_.contains(drive.master->name)) {
    chain_.warnings.push_back(
        fmt::format("joint '{}' is off the chain but mimics '{}', which is on it: "
                    "what it carries is held at {}",
                    joint.name, drive.master->name, drive.offset));
  }
  return drive.offset;
}

void ChainBuilder::lay_dh_table() {
  std::vector<JointAxis> axes;
  std::vector<Posed> link_frames;
  for (const int i : path_) {
    if (!moves_[static_cast<std::size_t>(i)]) continue;
    const Posed& pose = poses_[static_cast<std::size_t>(i)];
    axes.push_back({pose.p, pose.R * axis_of(*node(i).joint), pose.R.col(0)});
    link_frames.push_back(pose);
    chain_.links.push_back({node(i).link->name, {}, {}, {}});
  }
  DhTable table = modified_dh(axes);
  chain_.dh = std::move(table.rows);
  dh_frames_ = std::move(table.frames);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    chain_.links[i].urdf_frame = dh_frames_[i].inverse() * link_frames[i];
  }
  chain_.base_pose = dh_frames_.front();
  chain_.tip_pose = dh_frames_.back().inverse() * poses_[static_cast<std::size_t>(tip_)];
}

std::string ChainBuilder::add_inertias() {
  for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
    if (owner_[i] == kElsewhere) continue;
    const urdf::Link& link = *tree_.nodes[i].link;
    const bool at_base = owner_[i] == kBaseBody;
    const auto owner = static_cast<std::size_t>(at_base ? 0 : owner_[i]);
    RigidBody& sum = at_base ? chain_.base_body : chain_.links[owner].body;
    const Posed pose = at_base ? poses_[i] : dh_frames_[owner].inverse() * poses_[i];
    const std::string what = fmt::format("link '{}'", link.name);
    std::string text = add_body(what, body_of(link), sum, pose, at_base);
    if (!text.empty()) return text;
    if (!at_base && link.name != chain_.links[owner].name) {
      chain_.links[owner].carried.push_back(link.name);
    }
  }
  Link& last = chain_.links.back();
  std::string text = add_body("the payload", options_.payload, last.body, chain_.tip_pose, false);
  if (!text.empty()) return text;
  clear_rounding(chain_.base_body, reach_);
  for (Link& link : chain_.links) {
    clear_rounding(link.body, reach_);
    if (link.body.mass == 0.0) {
      chain_.warnings.push_back(fmt::format(
          "link '{}' and what is fixed to it have no mass; is an <inertial> missing?", link.name));
    }
  }
  return {};
}

std::string ChainBuilder::add_body(const std::string& what, const RigidBody& body, RigidBody& sum,
                                   const Posed& pose, bool stands) {
  if (!in_range(body.mass) || !(body.com.norm() <= kLargest) ||
      !(body.inertia.norm() <= kLargest)) {
    return fmt::format(
        "{}: its mass, centre of mass or inertia is not finite or beyond {:g}; correct "
        "it, in kg, m and kg m²",
        what, kLargest);
  }
  if (body.mass == 0.0 && body.inertia.isZero(0.0)) return {};
  for (const InertiaIssue& issue : check(body, reach_)) {
    const bool tolerated = stands || options_.allow_nonphysical;
    if (issue.severity == InertiaIssue::Severity::kError && !tolerated) {
      return fmt::format("{}: {}; correct it, or set the option allow_nonphysical", what,
                         issue.text);
    }
    chain_.warnings.push_back(fmt::format("{}: {}", what, issue.text));
  }
  sum = sum + body.expressed_in(pose);
  if ((sum.mass == 0.0 && body.mass != 0.0) || !(sum.com.norm() <= kLargest)) {
    return fmt::format(
        "{}: its mass and those it is fixed to cancel, so that together they have no "
        "centre of mass; correct them",
        what);
  }
  return {};
}

}  // namespace dyn::internal
