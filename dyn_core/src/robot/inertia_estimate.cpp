#include "dyn_core/robot/inertia_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "dyn_core/base/names.hpp"
#include "dyn_core/base/number.hpp"
#include "dyn_core/base/printable.hpp"
#include "mesh_file.hpp"
#include "urdf_document.hpp"

namespace dyn {
namespace {

constexpr double kWater = 1000.0;  // kg/m³

class InertiaGuess {
 public:
  InertiaGuess(const internal::UrdfTree& tree, const EstimateOptions& options)
      : tree_(tree), options_(options) {}

  Result<InertiaEstimate> estimate() {
    double known = 0.0, volume = 0.0;
    InertiaEstimate out;
    for (const internal::TreeNode& node : tree_.nodes) {
      const urdf::Link& link = *node.link;
      if (link.inertial && link.inertial->mass != 0.0) {
        known += link.inertial->mass;
        continue;
      }
      RigidBody body;
      if (std::string text = add_shapes(link, body); !text.empty()) {
        return fail(fmt::format("link '{}': {}", link.name, text));
      }
      if (body.mass == 0.0) continue;
      volume += body.mass;
      out.bodies.push_back({link.name, body});
    }
    out.warnings = std::move(warnings_);
    out.density = options_.mass == 0.0 ? kWater : (options_.mass - known) / volume;
    if (!out.bodies.empty() && !(out.density > 0.0 && std::isfinite(out.density))) {
      return fail(fmt::format(
          "the links that have a mass weigh {:.6g} kg already, not less than the {:.6g} kg of the "
          "whole robot; give a larger total mass",
          known, options_.mass));
    }
    for (LinkInertia& link : out.bodies) {
      link.body.mass *= out.density;
      link.body.inertia *= out.density;
    }
    return out;
  }

 private:
  // Bodies of density 1: empty, or the sentence of the error.
  std::string add_shapes(const urdf::Link& link, RigidBody& body) {
    std::string text;
    for (const auto& shape : link.collision_array) {
      if (text.empty() && shape) text = add_shape(link, shape->geometry.get(), shape->origin, body);
    }
    if (!text.empty() || body.mass != 0.0) return text;
    for (const auto& shape : link.visual_array) {
      if (text.empty() && shape) text = add_shape(link, shape->geometry.get(), shape->origin, body);
    }
    return text;
  }

  std::string add_shape(const urdf::Link& link, const urdf::Geometry* shape,
                        const urdf::Pose& origin, RigidBody& body) {
    if (shape == nullptr) return {};
    const Result<Solid> solid = solid_of_shape(link, *shape);
    if (!solid) return solid.error().sentence;
    const Posed pose = internal::to_pose(origin);
    if (!(solid->volume < internal::kLargest) || !(pose.p.norm() < internal::kLargest) ||
        !solid->second.allFinite()) {
      return fmt::format("a shape of it is larger than {:g} m or m³ or further away; correct it",
                         internal::kLargest);
    }
    body = body + solid->body(1.0).expressed_in(pose);
    return {};
  }

  Result<Solid> solid_of_shape(const urdf::Link& link, const urdf::Geometry& shape) {
    switch (shape.type) {
      case urdf::Geometry::SPHERE:
        return positive(Solid::sphere(static_cast<const urdf::Sphere&>(shape).radius));
      case urdf::Geometry::BOX: {
        const urdf::Vector3& sides = static_cast<const urdf::Box&>(shape).dim;
        return positive(Solid::box({sides.x, sides.y, sides.z}));
      }
      case urdf::Geometry::CYLINDER: {
        const auto& cylinder = static_cast<const urdf::Cylinder&>(shape);
        return positive(Solid::cylinder(cylinder.radius, cylinder.length));
      }
      case urdf::Geometry::MESH:
        return solid_of_file(link, static_cast<const urdf::Mesh&>(shape));
    }
    return fail("a shape of it is neither box, cylinder, sphere nor mesh; replace it");
  }

  static Result<Solid> positive(const Solid& solid) {
    if (!(solid.volume >= 0.0)) {
      return fail("a shape of it has a size that is not a positive number; correct it");
    }
    return solid;
  }

  Result<Solid> solid_of_file(const urdf::Link& link, const urdf::Mesh& mesh) {
    const Vec3d scale(mesh.scale.x, mesh.scale.y, mesh.scale.z);
    if (!(scale.cwiseAbs().minCoeff() > 0.0) || !scale.allFinite()) {
      return fail(fmt::format("the scale of mesh '{}' has a zero; correct it", mesh.filename));
    }
    const auto sentence = [&](const std::string& text) {
      return fail(fmt::format("mesh '{}': {}", printable(mesh.filename, 300), text));
    };
    const auto path =
        internal::find_mesh(mesh.filename, options_.urdf_folder, options_.mesh_folders);
    if (!path) return sentence(path.error().sentence);
    auto known = solids_.find(*path);
    if (known == solids_.end()) {
      auto surface = internal::read_mesh(*path, budget_);
      if (!surface) return sentence(surface.error().sentence);
      const auto solid = solid_of(std::move(*surface));
      if (!solid) return sentence(solid.error().sentence);
      known = solids_.emplace(*path, *solid).first;
      warn(link, mesh.filename, solid->how);
    }
    return known->second.stretched(scale);
  }

  void warn(const urdf::Link& link, const std::string& file, Solid::How how) {
    if (how == Solid::How::kExact) return;
    warnings_.push_back(fmt::format("link '{}': its mesh '{}' is not closed, {}", link.name,
                                    printable(file, 300),
                                    how == Solid::How::kHull ? "its convex hull stands for it"
                                                             : "its holes are taken as covered"));
  }

  const internal::UrdfTree& tree_;
  const EstimateOptions& options_;
  std::map<std::string, Solid> solids_;  // by path: a mesh is read once
  std::uintmax_t budget_ = 512u << 20;   // bytes of meshes
  std::vector<std::string> warnings_;
};

}  // namespace

Result<InertiaEstimate> estimate_inertia(std::string_view urdf, const EstimateOptions& options) {
  const auto tree = internal::read_urdf(urdf);
  if (!tree) return tl::unexpected(tree.error());
  auto estimate = InertiaGuess(*tree, options).estimate();
  if (!estimate) return fail(printable(estimate.error().sentence, 3000));
  return estimate;
}

Result<CompletedUrdf> complete_urdf(std::string_view urdf, std::string_view mass,
                                    EstimateOptions options) {
  if (mass != "geometry") {
    const std::optional<double> number = parse_number(mass);
    if (!number || !(*number > 0.0) || !(*number < 1e9)) {
      return fail(fmt::format(
          "what inertia is estimated by is '{}', neither a total mass in kg above zero nor the "
          "word geometry",
          printable(mass)));
    }
    options.mass = *number;
  }
  auto estimate = estimate_inertia(urdf, options);
  if (!estimate) return tl::unexpected(estimate.error());
  CompletedUrdf out{std::string(urdf)};
  if (estimate->bodies.empty()) {
    out.warnings = {"no inertia is estimated: no link without mass has a shape"};
    return out;
  }
  for (const LinkInertia& body : estimate->bodies) out.links.push_back(body.link);
  const std::string how =
      fmt::format("estimated by dyn from the shapes of the link, {:.4g} kg/m³", estimate->density);
  out.warnings.push_back(fmt::format("the inertia of link{} {} is {}",
                                     out.links.size() == 1 ? "" : "s", quoted_list(out.links),
                                     how));
  out.warnings.insert(out.warnings.end(), estimate->warnings.begin(), estimate->warnings.end());
  auto written = rewrite_urdf(urdf, estimate->bodies, {}, how);
  if (!written) return tl::unexpected(written.error());
  out.urdf = std::move(*written);
  return out;
}

ChainPtr marked_as_estimated(const Chain& chain, const CompletedUrdf& from) {
  ChainDescription description = chain.description();
  if (!from.links.empty()) description.name += " (inertia estimated)";
  description.estimated = from.links;
  description.warnings.insert(description.warnings.begin(), from.warnings.begin(),
                              from.warnings.end());
  return std::make_shared<const Chain>(std::move(description));
}

}  // namespace dyn
