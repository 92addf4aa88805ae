// What the text of a URDF says before urdfdom reads it: which links and joints there are, whether
// they form a tree, and whether everything that dynamics needs is a number. urdfdom passes over
// some of this (a link whose <inertial> it cannot read, for one). Internal to dyn_core.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/base/printable.hpp"
#include "dyn_core/base/status.hpp"

namespace dyn::internal {

/// In the order of the text.
struct UrdfOutline {
  struct Joint {
    std::string name, type, parent, child;
  };
  std::vector<std::string> links;
  std::vector<Joint> joints;
  std::string xml;  ///< the same description, written anew: what urdfdom gets to read
};

[[nodiscard]] Result<UrdfOutline> outline_of(std::string_view xml);

/// Empty, or the sentence: too many links, names used twice, unknown links, a link with two
/// parents, several roots, a cycle.
[[nodiscard]] std::string objection_to_tree(const UrdfOutline& outline);

}  // namespace dyn::internal
