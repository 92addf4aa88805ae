// What a user calls a robot: a file, perhaps with the ends of the chain, or one of the suite's robots.
#pragma once

#include <string>

#include "dyn_core/base/export.hpp"

namespace dyn {

struct RobotName {
  std::string file;
  std::string base = {}, tip = {};  ///< empty where not given
};

/// Reads FILE, FILE:base:tip, FILE::tip and FILE:base: where FILE may be one of the robots installed with
/// the suite, such as arm7. A file of exactly this name goes first. Whether there is such a file is not
/// checked: load_urdf does.
DYN_CORE_EXPORT [[nodiscard]] RobotName robot_named(const std::string& text);

}  // namespace dyn
