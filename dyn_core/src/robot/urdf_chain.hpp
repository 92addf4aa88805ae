// From a checked tree to the serial chain between two of its links. Internal to dyn_core.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dyn_core/robot/urdf.hpp"
#include "urdf_document.hpp"
#include "urdf_drives.hpp"

namespace dyn::internal {

class ChainBuilder {
 public:
  ChainBuilder(const UrdfTree& tree, const UrdfOptions& options) : tree_(tree), options_(options) {}

  [[nodiscard]] Result<ChainDescription> build();

 private:
  // Each returns an empty string, or the sentence of the error.
  std::string check_options();
  std::string choose_ends();
  std::string collect_joints();
  std::string add_joint(int index);
  std::string set_drives();
  std::string set_drives(const std::map<std::string, double>& values, double Joint::*member,
                         std::string_view what);
  std::string add_inertias();
  std::string add_body(const std::string& what, const RigidBody& body, RigidBody& sum,
                       const Posed& pose, bool stands);

  [[nodiscard]] const TreeNode& node(int i) const {
    return tree_.nodes[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] bool is_independent(const urdf::Joint& joint) const;
  [[nodiscard]] JointLimits limits_of(const urdf::Joint& joint);
  void place_links();
  double standing_position(const urdf::Joint& joint);
  void lay_dh_table();

  const UrdfTree& tree_;
  const UrdfOptions& options_;
  ChainDescription chain_;
  int base_ = 0;
  int tip_ = 0;
  std::vector<int> path_;  // nodes from base to tip
  Drives drives_;
  std::unordered_map<std::string, Index> coordinates_;  // of the independent joints on the chain
  std::vector<bool> moves_;       // of every node: its joint is one of the chain's
  std::vector<Posed> poses_;      // of every node in the base link frame, joints at zero
  std::vector<int> owner_;        // of every node: the chain's link, -1 base, -2 elsewhere
  std::vector<Posed> dh_frames_;  // in the base link frame, joints at zero
  double reach_ = 0.0;
};

}  // namespace dyn::internal
