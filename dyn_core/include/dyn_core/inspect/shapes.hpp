// Shapes: what every link of a robot looks like, for displays that read neither URDF nor mesh files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/inspect/markers.hpp"
#include "dyn_core/robot/solid.hpp"

namespace dyn::inspect {

struct Shape {
  enum class Kind { kBox, kCylinder, kSphere, kMesh };
  std::string link;
  Kind kind = Kind::kBox;
  Posed pose;                  ///< in the link's frame
  Vec3d size = Vec3d::Ones();  ///< three sides; radius and length, along z; radius; scale of a mesh
  std::size_t surface = 0;     ///< of a mesh, in Shapes::surfaces
  bool has_color = false;
  Color color;
};

struct ShapeOptions {
  bool read_meshes = true;        ///< false for descriptions from strangers: no file is opened
  std::string urdf_folder = ".";  ///< where relative paths of meshes begin
  std::vector<std::string> mesh_folders = {};  ///< where else meshes and packages may be
  std::size_t most_triangles = 500'000;        ///< of all meshes together
};

struct Shapes {
  std::vector<Shape> shapes;
  std::vector<Mesh> surfaces;
  std::vector<std::string> missing;  ///< what is not shown and why, a sentence each
};

/// The visual geometry of every link, where it has none its collision geometry.
DYN_CORE_EXPORT [[nodiscard]] Result<Shapes> shapes_of(std::string_view urdf,
                                                       const ShapeOptions& options = {});

}  // namespace dyn::inspect
