// The formats of surfaces. assimp reads more of them, but one wrong character in a DAE file makes it take all
// the memory there is (5.2.5). Internal to dyn_core.
#pragma once

#include <string>

#include "dyn_core/robot/solid.hpp"

namespace dyn::internal {

/// Of the triangles of one file, each with three corners of its own.
inline constexpr std::size_t kMostTriangles = 2'000'000;

// Each adds to the mesh and returns an empty string, or the sentence of the error. What they take of memory is
// a small multiple of the bytes given.

/// Binary or text.
[[nodiscard]] std::string read_stl(const std::string& bytes, Mesh& mesh);
[[nodiscard]] std::string read_obj(const std::string& text, Mesh& mesh);
/// The nodes of its scene in metres; which axis it calls up plays no role, as in rviz.
[[nodiscard]] std::string read_dae(const std::string& xml, Mesh& mesh);

}  // namespace dyn::internal
