// A robot description (URDF) becomes a checked serial Chain.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "dyn_core/base/export.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn {

struct UrdfOptions {
  /// First link of the chain; empty: the root link. A part of a name will do where it fits one link.
  std::string base = {};
  /// Last link, likewise; empty: where the arm ends, before its hand and its wheels (urdf_arm.hpp has
  /// the rule, Chain::tip_rule says what it chose).
  std::string tip = {};
  Vec3d gravity = Vec3d(0.0, 0.0, -9.81);   ///< in the base link frame, m/s²
  std::map<std::string, double> lock = {};  ///< joints off the chain held elsewhere than at zero
  std::map<std::string, double> armature = {};  ///< drive inertia per joint, kg m² or kg
  std::map<std::string, double> damping = {};   ///< per joint, in place of the robot description's
  std::map<std::string, double> friction = {};  ///< Coulomb friction, likewise
  RigidBody payload = {};                       ///< carried at the tip link, in its frame
  bool allow_nonphysical = false;               ///< accept negative masses and indefinite inertias
};

/// `xml` is the text of a robot description. The error says which link or joint, what is wrong and
/// what to do about it. Configure-time only: allocates.
DYN_CORE_EXPORT [[nodiscard]] Result<ChainPtr> parse_urdf(std::string_view xml,
                                                          const UrdfOptions& options = {});

/// Reads the file first. A xacro file is refused with the command that expands it.
DYN_CORE_EXPORT [[nodiscard]] Result<ChainPtr> load_urdf(const std::string& path,
                                                         const UrdfOptions& options = {});

/// The text of the file that load_urdf would read.
DYN_CORE_EXPORT [[nodiscard]] Result<std::string> urdf_text(const std::string& path);

}  // namespace dyn
