// What moves each joint: itself, another joint that it mimics, or nothing. Internal to dyn_core.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "dyn_core/base/status.hpp"
#include "urdf_document.hpp"

namespace dyn::internal {

/// Revolute, continuous or prismatic.
[[nodiscard]] bool has_one_axis(const urdf::Joint& joint);

/// A joint's position as multiplier * master + offset; without a master it stands still at offset.
struct Drive {
  const urdf::Joint* master = nullptr;
  double multiplier = 0.0;
  double offset = 0.0;
};

class Drives {
 public:
  /// Resolves every joint with one axis, through mimics of mimics and joints locked by `lock`.
  [[nodiscard]] static Result<Drives> resolve(const UrdfTree& tree,
                                              const std::map<std::string, double>& lock);

  [[nodiscard]] const Drive& of(const urdf::Joint& joint) const { return drives_.at(&joint); }

 private:
  std::unordered_map<const urdf::Joint*, Drive> drives_;
};

}  // namespace dyn::internal
