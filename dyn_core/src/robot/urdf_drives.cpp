#include "urdf_drives.hpp"

#include <unordered_set>
#include <vector>

#include <fmt/format.h>

namespace dyn::internal {
namespace {

using Table = std::unordered_map<const urdf::Joint*, Drive>;
using Locks = std::map<std::string, double>;

// From `joint` over its masters to the first one that is resolved already, locked or independent.
Result<std::vector<const urdf::Joint*>> way_to_master(const urdf::ModelInterface& model,
                                                      const urdf::Joint& joint, const Locks& lock,
                                                      const Table& known) {
  std::vector<const urdf::Joint*> way;
  std::unordered_set<const urdf::Joint*> seen;
  for (const urdf::Joint* at = &joint;;) {
    way.push_back(at);
    if (known.contains(at) || lock.contains(at->name) || !at->mimic) return way;
    if (!seen.insert(at).second) {
      return fail(
          fmt::format("joint '{}': its <mimic> leads back to itself; make one of the joints on "
                      "that way independent",
                      at->name));
    }
    const auto master = model.joints_.find(at->mimic->joint_name);
    if (master == model.joints_.end() || !has_one_axis(*master->second)) {
      return fail(
          fmt::format("joint '{}' mimics '{}', which is not a revolute, continuous or prismatic "
                      "joint of this robot; correct the name in its <mimic>",
                      at->name, at->mimic->joint_name));
    }
    at = master->second.get();
  }
}

}  // namespace

bool has_one_axis(const urdf::Joint& joint) {
  return joint.type == urdf::Joint::REVOLUTE || joint.type == urdf::Joint::CONTINUOUS ||
         joint.type == urdf::Joint::PRISMATIC;
}

Result<Drives> Drives::resolve(const UrdfTree& tree, const Locks& lock) {
  Drives all;
  for (const TreeNode& node : tree.nodes) {
    if (node.joint == nullptr || !has_one_axis(*node.joint)) continue;
    auto way = way_to_master(*tree.model, *node.joint, lock, all.drives_);
    if (!way) return tl::unexpected<Error>(way.error());
    const urdf::Joint* at = way->back();
    const auto locked = lock.find(at->name);
    Drive drive = locked == lock.end() ? Drive{at, 1.0, 0.0} : Drive{nullptr, 0.0, locked->second};
    drive = all.drives_.emplace(at, drive).first->second;
    for (way->pop_back(); !way->empty(); way->pop_back()) {
      at = way->back();
      drive.multiplier *= at->mimic->multiplier;
      drive.offset = at->mimic->multiplier * drive.offset + at->mimic->offset;
      if (!in_range(drive.multiplier) || !in_range(drive.offset)) {
        return fail(
            fmt::format("joint '{}': the multipliers and offsets of its <mimic> and of those "
                        "behind it grow beyond ±{:g}; correct them",
                        at->name, kLargest));
      }
      all.drives_.emplace(at, drive);
    }
  }
  return all;
}

}  // namespace dyn::internal
