#include "dyn_core/inspect/shapes.hpp"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "dyn_core/base/printable.hpp"
#include "robot/mesh_file.hpp"
#include "robot/urdf_document.hpp"

namespace dyn::inspect {
namespace {

class ShapeCollector {
 public:
  explicit ShapeCollector(const ShapeOptions& options) : options_(options) {}

  void add(const urdf::Link& link) {
    bool some = false;
    for (const auto& visual : link.visual_array) {
      if (!visual || !visual->geometry) continue;
      add(link, *visual->geometry, visual->origin, visual->material.get());
      some = true;
    }
    for (const auto& collision : link.collision_array) {
      if (some || !collision || !collision->geometry) continue;
      add(link, *collision->geometry, collision->origin, nullptr);
    }
  }
  Shapes take() { return std::move(out_); }

 private:
  void add(const urdf::Link& link, const urdf::Geometry& geometry, const urdf::Pose& origin,
           const urdf::Material* material) {
    Shape shape;
    shape.link = link.name;
    shape.pose = internal::to_pose(origin);
    if (material != nullptr) {
      shape.has_color = true;
      shape.color = {material->color.r, material->color.g, material->color.b, material->color.a};
    }
    switch (geometry.type) {
      case urdf::Geometry::SPHERE:
        shape.kind = Shape::Kind::kSphere;
        shape.size.setConstant(static_cast<const urdf::Sphere&>(geometry).radius);
        break;
      case urdf::Geometry::BOX: {
        const urdf::Vector3& sides = static_cast<const urdf::Box&>(geometry).dim;
        shape.size = {sides.x, sides.y, sides.z};
        break;
      }
      case urdf::Geometry::CYLINDER: {
        const auto& cylinder = static_cast<const urdf::Cylinder&>(geometry);
        shape.kind = Shape::Kind::kCylinder;
        shape.size = {cylinder.radius, cylinder.length, 0.0};
        break;
      }
      case urdf::Geometry::MESH:
        if (!add_mesh(static_cast<const urdf::Mesh&>(geometry), shape)) return;
        break;
    }
    const bool drawable = shape.size.allFinite() && shape.pose.p.allFinite() &&
                          shape.size.cwiseAbs().maxCoeff() < internal::kLargest;
    if (drawable) out_.shapes.push_back(std::move(shape));
  }

  bool add_mesh(const urdf::Mesh& mesh, Shape& shape) {
    shape.kind = Shape::Kind::kMesh;
    shape.size = {mesh.scale.x, mesh.scale.y, mesh.scale.z};
    auto known = surfaces_.find(mesh.filename);
    if (known == surfaces_.end()) {
      auto surface = read(mesh.filename);
      std::optional<std::size_t> index;
      if (surface) {
        index = out_.surfaces.size();
        triangles_ += surface->triangles.size();
        out_.surfaces.push_back(std::move(*surface));
      } else {
        out_.missing.push_back(fmt::format("link '{}', mesh '{}': {}", shape.link,
                                           printable(mesh.filename, 300),
                                           printable(surface.error().sentence)));
      }
      known = surfaces_.emplace(mesh.filename, index).first;
    }
    if (known->second) shape.surface = *known->second;
    return known->second.has_value();
  }

  Result<Mesh> read(const std::string& name) {
    if (!options_.read_meshes) return fail("files that a dropped description names are not read");
    const auto path = internal::find_mesh(name, options_.urdf_folder, options_.mesh_folders);
    if (!path) return tl::unexpected(path.error());
    auto mesh = internal::read_mesh(*path, budget_);
    if (mesh && mesh->triangles.size() > options_.most_triangles - triangles_) {
      return fail(fmt::format("with its {} triangles the robot has more than the {} that are drawn",
                              mesh->triangles.size(), options_.most_triangles));
    }
    return mesh;
  }

  const ShapeOptions& options_;
  Shapes out_;
  std::map<std::string, std::optional<std::size_t>> surfaces_;  // by name: a mesh is read once
  std::size_t triangles_ = 0;
  std::uintmax_t budget_ = 256u << 20;  // bytes of meshes
};

}  // namespace

Result<Shapes> shapes_of(std::string_view urdf, const ShapeOptions& options) {
  const auto tree = internal::read_urdf(urdf);
  if (!tree) return tl::unexpected(tree.error());
  ShapeCollector collector(options);
  for (const internal::TreeNode& node : tree->nodes) collector.add(*node.link);
  return collector.take();
}

}  // namespace dyn::inspect
