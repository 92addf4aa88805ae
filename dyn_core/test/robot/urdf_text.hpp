// Robot descriptions made in the test, and what their numbers say without any of dyn_core's code
// for chains: the pose of every link (joint origins times axis rotations) and the sum of all
// inertias.
#pragma once

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "dyn_core/math/spatial.hpp"
#include "dyn_core/robot/random_chain.hpp"

namespace dyn::test {

struct TextLink {
  std::string name;
  bool has_inertial = true;
  double mass = 0.0;
  Vec3d com = Vec3d::Zero(), rpy = Vec3d::Zero();
  Mat3d inertia = Mat3d::Zero();
};

struct TextJoint {
  std::string name, type, parent, child;
  Vec3d xyz = Vec3d::Zero(), rpy = Vec3d::Zero(), axis = Vec3d::UnitX();
  double lower = -1.0, upper = 1.0, effort = 10.0, velocity = 2.0;
  std::string mimic;  ///< the joint it follows
  double multiplier = 1.0, offset = 0.0;

  [[nodiscard]] bool moves() const { return type != "fixed" && type != "floating"; }
};

using Positions = std::map<std::string, double>;  ///< by joint name; what is absent is zero

struct UrdfText {
  std::string name = "robot";
  std::vector<TextLink> links;
  std::vector<TextJoint> joints;  ///< parents come before their children

  [[nodiscard]] const TextLink& link(const std::string& wanted) const {
    for (const TextLink& entry : links) {
      if (entry.name == wanted) return entry;
    }
    throw std::out_of_range(wanted);
  }
  [[nodiscard]] TextJoint& joint(const std::string& wanted) {
    for (TextJoint& entry : joints) {
      if (entry.name == wanted) return entry;
    }
    throw std::out_of_range(wanted);
  }
};

// ---- writing ------------------------------------------------------------------------------------

inline std::string to_text(const Vec3d& v) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
}

inline std::string to_text(const TextLink& link) {
  if (!link.has_inertial) return fmt::format("  <link name=\"{}\"/>\n", link.name);
  const Mat3d& I = link.inertia;
  return fmt::format(
      "  <link name=\"{}\">\n    <inertial>\n      <origin xyz=\"{}\" rpy=\"{}\"/>\n"
      "      <mass value=\"{:.17g}\"/>\n      <inertia ixx=\"{:.17g}\" ixy=\"{:.17g}\" "
      "ixz=\"{:.17g}\" iyy=\"{:.17g}\" iyz=\"{:.17g}\" izz=\"{:.17g}\"/>\n    </inertial>\n  "
      "</link>\n",
      link.name, to_text(link.com), to_text(link.rpy), link.mass, I(0, 0), I(0, 1), I(0, 2),
      I(1, 1), I(1, 2), I(2, 2));
}

inline std::string to_text(const TextJoint& joint) {
  std::string text = fmt::format(
      "  <joint name=\"{}\" type=\"{}\">\n    <parent link=\"{}\"/>\n    <child link=\"{}\"/>\n"
      "    <origin xyz=\"{}\" rpy=\"{}\"/>\n",
      joint.name, joint.type, joint.parent, joint.child, to_text(joint.xyz), to_text(joint.rpy));
  if (joint.moves()) text += fmt::format("    <axis xyz=\"{}\"/>\n", to_text(joint.axis));
  if (joint.type == "revolute" || joint.type == "prismatic") {
    text += fmt::format(
        "    <limit lower=\"{:.17g}\" upper=\"{:.17g}\" effort=\"{}\" velocity=\"{}\"/>\n",
        joint.lower, joint.upper, joint.effort, joint.velocity);
  }
  if (!joint.mimic.empty()) {
    text += fmt::format("    <mimic joint=\"{}\" multiplier=\"{:.17g}\" offset=\"{:.17g}\"/>\n",
                        joint.mimic, joint.multiplier, joint.offset);
  }
  return text + "  </joint>\n";
}

inline std::string to_text(const UrdfText& robot) {
  std::string text = fmt::format("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", robot.name);
  for (const TextLink& link : robot.links) text += to_text(link);
  for (const TextJoint& joint : robot.joints) text += to_text(joint);
  return text + "</robot>\n";
}

// ---- reading the tidy files of this package -----------------------------------------------------

inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Value of `name` in the first <tag …> of `text`; `otherwise` where there is none.
inline std::string attribute(const std::string& text, const std::string& tag,
                             const std::string& name, const std::string& otherwise) {
  const std::size_t begin = text.find("<" + tag + " ");
  if (begin == std::string::npos) return otherwise;
  const std::string inside = text.substr(begin, text.find('>', begin) - begin);
  const std::size_t at = inside.find(" " + name + "=\"");
  if (at == std::string::npos) return otherwise;
  const std::size_t value = at + name.size() + 3;
  return inside.substr(value, inside.find('"', value) - value);
}

inline Vec3d vector_attribute(const std::string& text, const std::string& tag,
                              const std::string& name, const std::string& otherwise) {
  const std::string value = attribute(text, tag, name, otherwise);
  const char* at = value.c_str();
  Vec3d v;
  for (double& x : v) {
    char* end = nullptr;
    x = std::strtod(at, &end);
    at = end;
  }
  return v;
}

inline TextLink read_link(const std::string& text) {
  TextLink link;
  link.name = attribute(text, "link", "name", "");
  link.has_inertial = text.find("<inertial>") != std::string::npos;
  if (!link.has_inertial) return link;
  const std::string inertial = text.substr(text.find("<inertial>"));
  const auto number = [&](const char* tag, const char* name) {
    return std::stod(attribute(inertial, tag, name, "nan"));
  };
  link.com = vector_attribute(inertial, "origin", "xyz", "0 0 0");
  link.rpy = vector_attribute(inertial, "origin", "rpy", "0 0 0");
  link.mass = number("mass", "value");
  const double xy = number("inertia", "ixy"), xz = number("inertia", "ixz"),
               yz = number("inertia", "iyz");
  link.inertia << number("inertia", "ixx"), xy, xz, xy, number("inertia", "iyy"), yz, xz, yz,
      number("inertia", "izz");
  return link;
}

inline TextJoint read_joint(const std::string& text) {
  TextJoint joint;
  joint.name = attribute(text, "joint", "name", "");
  joint.type = attribute(text, "joint", "type", "");
  joint.parent = attribute(text, "parent", "link", "");
  joint.child = attribute(text, "child", "link", "");
  joint.xyz = vector_attribute(text, "origin", "xyz", "0 0 0");
  joint.rpy = vector_attribute(text, "origin", "rpy", "0 0 0");
  joint.axis = vector_attribute(text, "axis", "xyz", "1 0 0");
  joint.lower = std::stod(attribute(text, "limit", "lower", "0"));
  joint.upper = std::stod(attribute(text, "limit", "upper", "0"));
  joint.mimic = attribute(text, "mimic", "joint", "");
  joint.multiplier = std::stod(attribute(text, "mimic", "multiplier", "1"));
  joint.offset = std::stod(attribute(text, "mimic", "offset", "0"));
  return joint;
}

/// Reads what dyn_core/robots holds, and nothing less tidy.
inline UrdfText read_text(const std::string& path) {
  std::string text = file_text(path);
  for (std::size_t at = text.find("<!--"); at != std::string::npos; at = text.find("<!--")) {
    text.erase(at, text.find("-->", at) + 3 - at);
  }
  UrdfText robot;
  for (std::size_t at = text.find("\n  <", 0); at != std::string::npos;
       at = text.find("\n  <", at + 1)) {
    const bool link = text.compare(at + 4, 5, "link ") == 0;
    const bool joint = text.compare(at + 4, 6, "joint ") == 0;
    const std::string closing = link ? "\n  </link>" : "\n  </joint>";
    const bool empty = text[text.find('>', at) - 1] == '/';
    const std::string element = text.substr(at, text.find(empty ? ">" : closing, at) + 1 - at);
    if (link) robot.links.push_back(read_link(element));
    if (joint) robot.joints.push_back(read_joint(element));
  }
  return robot;
}

// ---- what the numbers say -----------------------------------------------------------------------

inline Mat3d rotation_of(const Vec3d& rpy) {
  return Eigen::AngleAxisd(rpy.z(), Vec3d::UnitZ()).toRotationMatrix() *
         Eigen::AngleAxisd(rpy.y(), Vec3d::UnitY()).toRotationMatrix() *
         Eigen::AngleAxisd(rpy.x(), Vec3d::UnitX()).toRotationMatrix();
}

inline double position_of(UrdfText& robot, const TextJoint& joint, const Positions& q) {
  if (const auto it = q.find(joint.name); it != q.end()) return it->second;
  if (joint.mimic.empty()) return 0.0;
  return joint.multiplier * position_of(robot, robot.joint(joint.mimic), q) + joint.offset;
}

/// Pose of every link in the frame of `base`; only `base` and what is below it.
inline std::map<std::string, Posed> link_poses(UrdfText robot, const std::string& base,
                                               const Positions& q) {
  std::map<std::string, Posed> poses{{base, {}}};
  for (const TextJoint& joint : robot.joints) {
    const auto parent = poses.find(joint.parent);
    if (parent == poses.end() || joint.child == base) continue;
    Posed pose = parent->second * Posed{rotation_of(joint.rpy), joint.xyz};
    const double position = position_of(robot, joint, q);
    if (joint.type == "prismatic") {
      pose.p += pose.R * joint.axis.normalized() * position;
    } else if (joint.moves()) {
      pose.R = pose.R * Eigen::AngleAxisd(position, joint.axis.normalized()).toRotationMatrix();
    }
    poses.emplace(joint.child, pose);
  }
  return poses;
}

/// Mass, first moment and inertia about the origin, in one frame.
struct Composite {
  double mass = 0.0;
  Vec3d moment = Vec3d::Zero();
  Mat3d inertia = Mat3d::Zero();

  void add(double m, const Vec3d& com, const Mat3d& inertia_com) {
    mass += m;
    moment += m * com;
    inertia += inertia_com + m * (com.squaredNorm() * Mat3d::Identity() - com * com.transpose());
  }
};

/// All links that `poses` holds, link by link.
inline Composite composite_of(const UrdfText& robot, const std::map<std::string, Posed>& poses) {
  Composite sum;
  for (const auto& [name, pose] : poses) {
    const TextLink& link = robot.link(name);
    if (!link.has_inertial) continue;
    const Mat3d R = pose.R * rotation_of(link.rpy);
    sum.add(link.mass, pose * link.com, R * link.inertia * R.transpose());
  }
  return sum;
}

// ---- random robots ------------------------------------------------------------------------------

inline TextLink random_link(Random& random, const std::string& name) {
  const RigidBody body = random_body(random);
  TextLink link{name, true, body.mass, body.com, random.vector(3.0), body.inertia};
  return link;
}

inline TextJoint joint_between(const std::string& name, const std::string& type,
                               const std::string& parent, const std::string& child) {
  TextJoint joint;
  joint.name = name, joint.type = type, joint.parent = parent, joint.child = child;
  return joint;
}

/// How the axis of one joint lies to the one before it.
enum class AxisCase {
  kGeneral,
  kParallel,
  kAntiparallel,
  kNearlyParallel,
  kRounded,
  kCoincident,
  kIntersecting,
  kNoOffset
};
inline constexpr int kAxisCases = 8;

/// A moving joint from `parent` to `child`; `before` is the axis that moves `parent`, in its frame.
inline TextJoint random_joint(Random& random, const std::string& name, const std::string& parent,
                              const std::string& child, const Vec3d& before, AxisCase axis_case) {
  const char* types[] = {"revolute", "revolute", "continuous", "prismatic"};
  TextJoint joint = joint_between(name, types[random.next() % 4], parent, child);
  joint.xyz = random.vector(0.4);
  joint.rpy = random.vector(3.1);
  joint.axis = random.vector(1.0);
  joint.lower = random.uniform(-3.0, -0.1);
  joint.upper = random.uniform(0.1, 3.0);
  const auto along = [&] { return Vec3d(random.uniform(-0.4, 0.4) * before.normalized()); };
  switch (axis_case) {
    case AxisCase::kGeneral:
      break;
    case AxisCase::kParallel:
      joint.rpy.setZero(), joint.axis = before;
      break;
    case AxisCase::kAntiparallel:
      joint.rpy.setZero(), joint.axis = -before;
      break;
    case AxisCase::kNearlyParallel:
      joint.rpy *= std::pow(10.0, random.uniform(-15.0, -2.0));
      joint.axis = random.chance(0.3) ? Vec3d(-before) : before;
      break;
    case AxisCase::kRounded:  // as people write it
      for (double& angle : joint.rpy) angle = 1.5708 * std::round(random.uniform(-2.0, 2.0));
      joint.axis =
          Vec3d::Unit(static_cast<Index>(random.next() % 3)) * (random.chance(0.5) ? 1 : -1);
      for (double& x : joint.xyz) x = random.chance(0.5) ? 0.0 : x;
      break;
    case AxisCase::kCoincident:
      joint.rpy.setZero(), joint.axis = before, joint.xyz = along();
      break;
    case AxisCase::kIntersecting:
      joint.xyz = along();
      break;
    case AxisCase::kNoOffset:
      joint.xyz.setZero();
      break;
  }
  return joint;
}

/// A serial robot base … tip with n moving joints joint1 … jointn, fixed joints mixed in.
inline UrdfText random_robot(Index n, std::uint64_t seed) {
  Random random(seed);
  UrdfText robot;
  robot.links.push_back(random_link(random, "base"));
  Vec3d before = Vec3d::UnitX();
  const auto hang = [&](TextJoint joint, const std::string& child) {
    joint.child = child;
    robot.links.push_back(random_link(random, child));
    robot.joints.push_back(std::move(joint));
  };
  for (Index i = 1; i <= n; ++i) {
    const std::string number = std::to_string(i);
    if (random.chance(0.15)) {
      TextJoint fixed = joint_between("fixed" + number, "fixed", robot.links.back().name, "");
      fixed.xyz = random.vector(0.2), fixed.rpy = random.vector(3.1);
      hang(fixed, "plate" + number);
      before = rotation_of(fixed.rpy).transpose() * before;
    }
    const auto axis_case = static_cast<AxisCase>(random.next() % kAxisCases);
    hang(random_joint(random, "joint" + number, robot.links.back().name, "", before, axis_case),
         "link" + number);
    before = robot.joints.back().axis.normalized();
  }
  TextJoint tool = joint_between("tool", "fixed", robot.links.back().name, "");
  tool.xyz = random.vector(0.2), tool.rpy = random.vector(3.1);
  hang(tool, "tip");
  return robot;
}

}  // namespace dyn::test
