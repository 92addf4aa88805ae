// A robot description read by urdfdom and laid out as a checked tree. Internal to dyn_core.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <urdf_model/model.h>
#include <urdf_world/types.h>

#include "dyn_core/base/status.hpp"
#include "dyn_core/math/spatial.hpp"

namespace dyn::internal {

/// Of the text of a robot description.
inline constexpr std::size_t kMaxBytes = 32u << 20;
/// Of so many bytes, each begun one counted.
[[nodiscard]] constexpr std::uintmax_t megabytes(std::uintmax_t bytes) {
  return (bytes + (1u << 20) - 1) >> 20;
}

/// Beyond this nothing on a robot is real, and products of such numbers overflow: m, kg, kg m²,
/// rad.
inline constexpr double kLargest = 1e9;
[[nodiscard]] inline bool in_range(double x) { return std::abs(x) <= kLargest; }  // NaN is not

/// One link with the joint that carries it. Parents come before their children.
struct TreeNode {
  const urdf::Link* link = nullptr;
  const urdf::Joint* joint = nullptr;  ///< null for the root
  int parent = -1;
  std::vector<int> children;
};

struct UrdfTree {
  urdf::ModelInterfaceSharedPtr model;
  std::vector<TreeNode> nodes;
  std::map<std::string, int> by_name;
  std::map<std::string, std::size_t> document_order;  ///< of the links, in the text
  std::vector<std::string> warnings;

  UrdfTree() = default;
  UrdfTree(const UrdfTree&) = delete;
  UrdfTree& operator=(const UrdfTree&) = delete;
  UrdfTree(UrdfTree&&) = default;
  UrdfTree& operator=(UrdfTree&&) = default;
  ~UrdfTree();

  /// Node indices from `base` down to `tip`, both included; empty if tip is not below base.
  [[nodiscard]] std::vector<int> path(int base, int tip) const;
};

/// Everything that can be said about the text and the tree before a chain is chosen: readable,
/// one root, no cycle, one parent per link, numbers in range, usable axes and limits.
[[nodiscard]] Result<UrdfTree> read_urdf(std::string_view xml);

[[nodiscard]] Posed to_pose(const urdf::Pose& pose);

}  // namespace dyn::internal
