#include "urdf_document.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <tuple>
#include <utility>

#include <Eigen/Geometry>
#include <console_bridge/console.h>
#include <fmt/format.h>
#include <urdf_parser/urdf_parser.h>

#include "urdf_outline.hpp"
#include "urdf_tags.hpp"

namespace dyn::internal {
namespace {

// urdfdom reports through console_bridge, which is global to the process: the messages of one parse
// are collected here instead of going to the terminal.
class MessageCollector : public console_bridge::OutputHandler {
 public:
  MessageCollector() : lock_(mutex()), level_(console_bridge::getLogLevel()) {
    console_bridge::setLogLevel(console_bridge::CONSOLE_BRIDGE_LOG_ERROR);
    console_bridge::useOutputHandler(this);
  }
  ~MessageCollector() override {
    console_bridge::restorePreviousOutputHandler();
    console_bridge::setLogLevel(level_);
  }
  MessageCollector(const MessageCollector&) = delete;
  MessageCollector& operator=(const MessageCollector&) = delete;

  void log(const std::string& text, console_bridge::LogLevel /*level*/, const char* /*file*/,
           int /*line*/) override {
    if (text.ends_with("is not initialized correctly")) return;
    before_ = std::exchange(last_, text);
  }
  /// urdfdom names the cause first and the place it is in afterwards.
  [[nodiscard]] std::string place_and_cause() const {
    return printable(before_.empty() ? last_ : fmt::format("{}: {}", last_, before_), 500);
  }

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }
  std::lock_guard<std::mutex> lock_;
  console_bridge::LogLevel level_;
  std::string before_, last_;
};

// What well-formed text may cost the parser: time by the square of the attributes of one tag, and
// memory many times the text of short tags.
std::string objection_to_cost(std::string_view xml) {
  constexpr std::size_t kMaxTags = 1'000'000;
  constexpr std::size_t kMaxAttributes = 100;
  std::size_t tags = 0;
  std::size_t at = 0;
  while (const auto tag = next_tag(xml, at)) {
    if (tag->values > kMaxAttributes) {
      return fmt::format("line {}: a tag has more than {} quoted values; is a quote missing?",
                         1 + std::ranges::count(xml.substr(0, tag->begin), '\n'), kMaxAttributes);
    }
    if (++tags > kMaxTags) {
      return fmt::format("the robot description has more than {} tags; is it the right file?",
                         kMaxTags);
    }
  }
  return {};
}

std::string objection_to_text(std::string_view xml) {
  const std::size_t first = xml.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    return "the robot description is empty; give the text of a URDF file";
  }
  if (xml.size() > kMaxBytes) {
    return fmt::format(
        "the robot description is {} MB long, more than the {} MB this reader accepts; "
        "is it the right file?",
        megabytes(xml.size()), kMaxBytes >> 20);
  }
  const bool marked = xml.starts_with("\xef\xbb\xbf");
  if (xml.find('\0') != std::string_view::npos || (xml[first] != '<' && !marked)) {
    return "the robot description is not XML text in UTF-8; give a URDF file";
  }
  for (const std::string_view mark : {"\xef\xbb\xbf", "\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    if (xml.find(mark, 1) != std::string_view::npos) {
      return "the robot description has a byte order mark within its text; save it as plain UTF-8";
    }
  }
  return objection_to_cost(xml);
}

bool all_in_range(const urdf::Vector3& v) {
  return in_range(v.x) && in_range(v.y) && in_range(v.z);
}

std::string objection_to_link(const urdf::Link& link) {
  if (!link.inertial) return {};
  const urdf::Inertial& inertial = *link.inertial;
  const double numbers[] = {inertial.mass, inertial.ixx, inertial.ixy, inertial.ixz,
                            inertial.iyy,  inertial.iyz, inertial.izz};
  if (!all_in_range(inertial.origin.position) ||
      !std::ranges::all_of(numbers, [](double x) { return in_range(x); })) {
    return fmt::format(
        "link '{}': a number in its <inertial> is beyond ±{:g}; correct it, in m, kg "
        "and kg m²",
        link.name, kLargest);
  }
  return {};
}

std::string objection_to_limits(const urdf::Joint& joint) {
  if (!joint.limits) return {};
  const urdf::JointLimits& limits = *joint.limits;
  if (joint.type != urdf::Joint::CONTINUOUS && limits.lower > limits.upper) {
    return fmt::format(
        "joint '{}': its lower limit {} is above its upper limit {}; swap or correct "
        "them",
        joint.name, limits.lower, limits.upper);
  }
  if (limits.effort < 0.0 || limits.velocity < 0.0) {
    return fmt::format("joint '{}': its {} limit is negative; give the magnitude", joint.name,
                       limits.effort < 0.0 ? "effort" : "velocity");
  }
  return {};
}

std::string objection_to_joint(const urdf::Joint& joint) {
  if (!all_in_range(joint.parent_to_joint_origin_transform.position)) {
    return fmt::format("joint '{}': a number in its <origin> is beyond ±{:g}; give it in m",
                       joint.name, kLargest);
  }
  const bool moves = joint.type != urdf::Joint::FIXED && joint.type != urdf::Joint::FLOATING;
  const urdf::Vector3& axis = joint.axis;
  if (moves && std::hypot(axis.x, axis.y, axis.z) < 1e-6) {
    return fmt::format("joint '{}': its <axis> is zero; give a direction such as xyz=\"0 0 1\"",
                       joint.name);
  }
  if (joint.dynamics && (joint.dynamics->damping < 0.0 || joint.dynamics->friction < 0.0)) {
    return fmt::format("joint '{}': its {} is negative; give zero or a positive number", joint.name,
                       joint.dynamics->damping < 0.0 ? "damping" : "friction");
  }
  if (joint.mimic && (!in_range(joint.mimic->multiplier) || !in_range(joint.mimic->offset))) {
    return fmt::format("joint '{}': a number in its <mimic> is beyond ±{:g}; correct it",
                       joint.name, kLargest);
  }
  return objection_to_limits(joint);
}

std::string objection_to_numbers(const urdf::ModelInterface& model) {
  for (const auto& [name, link] : model.links_) {
    if (std::string text = objection_to_link(*link); !text.empty()) return text;
  }
  for (const auto& [name, joint] : model.joints_) {
    if (std::string text = objection_to_joint(*joint); !text.empty()) return text;
  }
  return {};
}

// Breadth first, so that ten thousand links in a row need no recursion.
void lay_out(UrdfTree& tree) {
  tree.nodes.push_back({tree.model->getRoot().get(), nullptr, -1, {}});
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const urdf::Link* link = tree.nodes[i].link;
    tree.by_name.emplace(link->name, static_cast<int>(i));
    for (const urdf::LinkSharedPtr& child : link->child_links) {
      tree.nodes[i].children.push_back(static_cast<int>(tree.nodes.size()));
      tree.nodes.push_back({child.get(), child->parent_joint.get(), static_cast<int>(i), {}});
    }
  }
}

// All that dynamics reads has no percent sign (see urdf_outline), and urdfdom uses some of the text as
// a format string: mesh file names and colours lose it.
std::string without_formats(std::string_view xml) {
  std::string text(xml);
  for (char& c : text) {
    if (c == '%') c = '_';
  }
  return text;
}

// The model, and what urdfdom complained about: the reason where there is no model.
std::pair<urdf::ModelInterfaceSharedPtr, std::string> parse_quietly(std::string_view xml) {
  const MessageCollector collector;
  try {
    urdf::ModelInterfaceSharedPtr model = urdf::parseURDF(without_formats(xml));
    return {model, collector.place_and_cause()};
  } catch (const std::exception& exception) {
    return {nullptr, printable(exception.what(), 500)};
  }
}

}  // namespace

UrdfTree::~UrdfTree() {
  if (!model) return;
  for (auto& [name, link] : model->links_) {  // unlinked one by one: no deep chain of destructors
    link->child_links.clear();
    link->child_joints.clear();
  }
}

std::vector<int> UrdfTree::path(int base, int tip) const {
  std::vector<int> way;
  for (int node = tip; node != -1; node = nodes[static_cast<std::size_t>(node)].parent) {
    way.push_back(node);
    if (node == base) {
      std::reverse(way.begin(), way.end());
      return way;
    }
  }
  return {};
}

Result<UrdfTree> read_urdf(std::string_view xml) {
  if (std::string text = objection_to_text(xml); !text.empty()) return fail(std::move(text));
  const auto outline = outline_of(xml);
  if (!outline) return tl::unexpected<Error>(outline.error());
  if (std::string text = objection_to_tree(*outline); !text.empty()) return fail(std::move(text));
  UrdfTree tree;
  std::string complaint;
  std::tie(tree.model, complaint) = parse_quietly(outline->xml);
  if (!tree.model || !tree.model->getRoot()) {
    return fail(fmt::format("the robot description is not valid URDF: {}; correct it",
                            complaint.empty() ? "urdfdom gives no reason" : complaint));
  }
  if (!complaint.empty()) {
    tree.warnings.push_back(fmt::format(
        "a shape or colour is not valid URDF, which dynamics does not need: {}", complaint));
  }
  if (std::string text = objection_to_numbers(*tree.model); !text.empty()) return fail(text);
  lay_out(tree);
  for (const std::string& link : outline->links) {
    tree.document_order.emplace(link, tree.document_order.size());
  }
  return tree;
}

Posed to_pose(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  return {Eigen::Quaterniond(r.w, r.x, r.y, r.z).normalized().toRotationMatrix(),
          {pose.position.x, pose.position.y, pose.position.z}};
}

}  // namespace dyn::internal
