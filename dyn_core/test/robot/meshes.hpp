// Surfaces of bodies whose volume, centre and moments are known in closed form.
#pragma once

#include <cmath>

#include <Eigen/Geometry>

#include "dyn_core/robot/random_chain.hpp"
#include "dyn_core/robot/solid.hpp"

namespace dyn::test {

/// A cube of this side, one corner at the origin.
inline Mesh cube_mesh(double side = 1.0) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i) mesh.corners.push_back(side * Vec3d(i & 1, (i >> 1) & 1, i >> 2));
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

/// An L of five unit cubes, three up and two along x from the lowest, and one thick.
inline Mesh l_mesh() {
  const Vec3d outline[] = {{0, 0, 0}, {3, 0, 0}, {3, 0, 1}, {1, 0, 1}, {1, 0, 3}, {0, 0, 3}};
  Mesh mesh;
  for (const double y : {0.0, 1.0}) {
    for (const Vec3d& corner : outline) mesh.corners.push_back(corner + y * Vec3d::UnitY());
  }
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::uint32_t j = (i + 1) % 6;
    mesh.triangles.push_back({j, i, i + 6});
    mesh.triangles.push_back({j, i + 6, j + 6});
  }
  for (const auto& [a, b, c] :
       {std::array<std::uint32_t, 3>{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({a + 6, c + 6, b + 6});
  }
  return mesh;
}

/// The same by its parts.
inline RigidBody l_body() {
  const auto part = [](const Vec3d& sides, const Vec3d& at) {
    return Solid::box(sides).body(1.0).expressed_in({Mat3d::Identity(), at});
  };
  return part({3, 1, 1}, {1.5, 0.5, 0.5}) + part({1, 1, 2}, {0.5, 0.5, 2.0});
}

/// A tube around the z axis in n x n pieces; a sphere where the ring has no radius and half the tube.
inline Mesh ring_mesh(std::uint32_t n, double ring, double tube, bool sphere) {
  Mesh mesh;
  const std::uint32_t rows = sphere ? n + 1 : n;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < rows; ++j) {
      const double u = 2.0 * M_PI * i / n,
                   v = sphere ? M_PI * (double(j) / n - 0.5) : 2.0 * M_PI * j / n;
      const double out = sphere && (j == 0 || j == n) ? 0.0 : ring + tube * std::cos(v);
      mesh.corners.emplace_back(out * std::cos(u), out * std::sin(u), tube * std::sin(v));
    }
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      const std::uint32_t i1 = (i + 1) % n, j1 = sphere ? j + 1 : (j + 1) % n;
      const std::uint32_t a = i * rows + j, b = i1 * rows + j, c = i1 * rows + j1,
                          d = i * rows + j1;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
  }
  return mesh;
}
inline Mesh sphere_mesh(std::uint32_t n, double radius) { return ring_mesh(n, 0.0, radius, true); }
inline Mesh torus_mesh(std::uint32_t n, double ring, double tube) {
  return ring_mesh(n, ring, tube, false);
}

/// Triangle by triangle with corners of their own, as an STL file has them.
inline Mesh loose(const Mesh& mesh) {
  Mesh out;
  for (const auto& triangle : mesh.triangles) {
    const auto first = static_cast<std::uint32_t>(out.corners.size());
    for (const std::uint32_t corner : triangle) out.corners.push_back(mesh.corners[corner]);
    out.triangles.push_back({first, first + 1, first + 2});
  }
  return out;
}

}  // namespace dyn::test
