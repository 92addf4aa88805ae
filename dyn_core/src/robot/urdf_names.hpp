// What the names in a robot description say. Internal to dyn_core.
#pragma once

#include <string>
#include <string_view>

#include "dyn_core/base/status.hpp"
#include "urdf_document.hpp"

namespace dyn::internal {

/// The joint of a finger, a gripper or a wheel.
[[nodiscard]] bool names_hand_or_wheel(const urdf::Joint& joint);
/// A sensor, a finger that stands still, or a frame for shapes only.
[[nodiscard]] bool names_sensor(std::string_view link);
/// How surely the arm ends at `link`, fixed to `last`, its last moving link: 0 tool0, 1 flange, 2 the
/// number after that of `last`, 3 another name of a tool frame, 4 none of these.
[[nodiscard]] int tool_rank(std::string_view link, std::string_view last);

/// The link of this name, or the only one with it as a part of its name. `what` is "base" or "tip"; the
/// sentence of the error names the candidates.
[[nodiscard]] Result<int> find_link(const UrdfTree& tree, const std::string& name,
                                    std::string_view what);

}  // namespace dyn::internal
