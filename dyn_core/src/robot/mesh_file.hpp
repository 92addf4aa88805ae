// Surfaces from files: STL, OBJ, DAE. Internal to dyn_core.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dyn_core/robot/solid.hpp"

namespace dyn::internal {

/// Where a mesh may be: its name in a URDF (package://, file://, a path) in the folders that it may be in. The
/// first that is a file, or a sentence that says where it was looked for.
[[nodiscard]] Result<std::string> find_mesh(const std::string& uri, const std::string& urdf_folder,
                                            const std::vector<std::string>& folders);

/// In metres, the parts of a scene where they stand in it. `budget` is how many bytes may still be read for
/// this robot.
[[nodiscard]] Result<Mesh> read_mesh(const std::string& path, std::uintmax_t& budget);

}  // namespace dyn::internal
