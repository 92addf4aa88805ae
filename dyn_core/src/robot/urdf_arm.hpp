// Where the arm in a robot description ends, when nobody says it. Internal to dyn_core.
//
// An arm ends before its hand and its wheels. Of the joints below the base these are left out, with
// everything they carry:
//   - joints named after fingers, grippers or wheels, with nothing else moving below them;
//   - side by side on one link: sliding or continuous joints with nothing moving below them, and a joint
//     that mimics another one there;
//   - where the way divides: all branches, if none has as many joints as the way to them.
// The arm is the longest way that is left, the first in the text among equals. Of the frames fixed to its
// last link it ends at the first of: tool0; flange; link N+1 after link N; another tool frame by name; the
// link that carries the hand; the outermost frame that is no sensor.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dyn_core/robot/chain.hpp"
#include "urdf_document.hpp"

namespace dyn::internal {

struct ArmEnd {
  int node = 0;
  std::string rule;  ///< why it is this one
};

/// `lock` names the joints that stand still.
[[nodiscard]] ArmEnd find_arm_end(const UrdfTree& tree, int base,
                                  const std::map<std::string, double>& lock);

/// The leaves below `base`, in the order of the text.
[[nodiscard]] std::vector<ChainEnd> leaves(const UrdfTree& tree, int base,
                                           const std::map<std::string, double>& lock);

}  // namespace dyn::internal
