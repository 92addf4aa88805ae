// Volume, centre and second moments of bodies by their shape: what their inertia is at a density.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/base/status.hpp"
#include "dyn_core/math/inertia.hpp"

namespace dyn {

/// A surface of triangles, each by the numbers of its corners.
struct Mesh {
  std::vector<Vec3d> corners = {};
  std::vector<std::array<std::uint32_t, 3>> triangles = {};
};

struct DYN_CORE_EXPORT Solid {
  double volume = 0.0;           ///< m³
  Vec3d centre = Vec3d::Zero();  ///< m
  Mat3d second = Mat3d::Zero();  ///< ∫ r rᵀ dV with r from the centre, m⁵
  /// How a mesh was read: as it is, with its holes covered, or by its convex hull.
  enum class How { kExact, kCovered, kHull } how = How::kExact;

  [[nodiscard]] static Solid box(const Vec3d& sides);
  /// Along z.
  [[nodiscard]] static Solid cylinder(double radius, double length);
  [[nodiscard]] static Solid sphere(double radius);

  /// Stretched along the axes, also by negative numbers: what is mirrored is no less a body.
  [[nodiscard]] Solid stretched(const Vec3d& scale) const;
  [[nodiscard]] RigidBody body(double density) const;
};

/// The solid that a surface encloses, whichever way all its triangles turn. Holes are covered where
/// it matters little how; the convex hull stands for a surface that is open but lies on it. The
/// error says why neither will do.
DYN_CORE_EXPORT [[nodiscard]] Result<Solid> solid_of(Mesh mesh);

}  // namespace dyn
