// Whether the links and joints of an outline form one tree.
#include <unordered_map>

#include <fmt/format.h>

#include "urdf_outline.hpp"

namespace dyn::internal {
namespace {

constexpr std::size_t kMaxLinks = 10'000;
constexpr int kNone = -1;

using Numbering = std::unordered_map<std::string_view, int>;

std::string number_links(const UrdfOutline& outline, Numbering& links) {
  for (const std::string& name : outline.links) {
    if (!links.emplace(name, static_cast<int>(links.size())).second) {
      return fmt::format("link '{}' is defined twice; rename or remove one of the two", name);
    }
  }
  return {};
}

std::string objection_to_joint_names(const UrdfOutline& outline) {
  Numbering joints;
  for (const UrdfOutline::Joint& joint : outline.joints) {
    if (!joints.emplace(joint.name, 0).second) {
      return fmt::format("joint '{}' is defined twice; rename or remove one of the two",
                         joint.name);
    }
  }
  return {};
}

// Fills `carrier`: for every link the number of the joint that carries it.
std::string find_carriers(const UrdfOutline& outline, const Numbering& links,
                          std::vector<int>& carrier) {
  for (std::size_t i = 0; i < outline.joints.size(); ++i) {
    const UrdfOutline::Joint& joint = outline.joints[i];
    for (const auto& [part, name] : {std::pair("parent", &joint.parent), {"child", &joint.child}}) {
      if (!links.contains(*name)) {
        return fmt::format(
            "joint '{}': there is no link '{}', its {}; add <link name=\"{}\"/> or "
            "correct the name",
            joint.name, printable(*name, 200), part, printable(*name, 200));
      }
    }
    if (joint.parent == joint.child) {
      return fmt::format("joint '{}' connects link '{}' with itself; name two different links",
                         joint.name, joint.parent);
    }
    int& mine = carrier[static_cast<std::size_t>(links.at(joint.child))];
    if (mine != kNone) {
      return fmt::format(
          "link '{}' is the child of two joints, '{}' and '{}'; a URDF is a tree, "
          "remove one of them",
          joint.child, outline.joints[static_cast<std::size_t>(mine)].name, joint.name);
    }
    mine = static_cast<int>(i);
  }
  return {};
}

// Walks from every link towards the root until it meets a link that was walked from before: one of
// this very walk closes a cycle.
std::string objection_to_cycle(const UrdfOutline& outline, const Numbering& links,
                               const std::vector<int>& carrier) {
  std::vector<int> walk_of(outline.links.size(), kNone);
  for (int start = 0; start < static_cast<int>(walk_of.size()); ++start) {
    int at = start;
    while (true) {
      int& walk = walk_of[static_cast<std::size_t>(at)];
      const int joint = carrier[static_cast<std::size_t>(at)];
      if (walk == start) {
        return fmt::format(
            "link '{}' is its own ancestor: the joints form a cycle; a URDF is a tree, "
            "remove joint '{}'",
            outline.links[static_cast<std::size_t>(at)],
            outline.joints[static_cast<std::size_t>(joint)].name);
      }
      if (walk != kNone) break;
      walk = start;
      if (joint == kNone) break;
      at = links.at(outline.joints[static_cast<std::size_t>(joint)].parent);
    }
  }
  return {};
}

std::string objection_to_roots(const UrdfOutline& outline, const std::vector<int>& carrier) {
  const std::string* root = nullptr;
  for (std::size_t i = 0; i < carrier.size(); ++i) {
    if (carrier[i] != kNone) continue;
    if (root != nullptr) {
      return fmt::format(
          "links '{}' and '{}' both have no parent, and a URDF has one root; connect "
          "one of them by a joint or remove it",
          *root, outline.links[i]);
    }
    root = &outline.links[i];
  }
  return {};
}

}  // namespace

std::string objection_to_tree(const UrdfOutline& outline) {
  if (outline.links.empty()) return "the robot has no link; give a URDF with links and joints";
  if (outline.links.size() > kMaxLinks) {
    return fmt::format(
        "the robot has {} links, more than the {} this reader accepts; is it the right "
        "file?",
        outline.links.size(), kMaxLinks);
  }
  Numbering links;
  std::vector<int> carrier(outline.links.size(), kNone);
  std::string text = number_links(outline, links);
  if (text.empty()) text = objection_to_joint_names(outline);
  if (text.empty()) text = find_carriers(outline, links, carrier);
  if (text.empty()) text = objection_to_cycle(outline, links, carrier);
  if (text.empty()) text = objection_to_roots(outline, carrier);
  return text;
}

}  // namespace dyn::internal
