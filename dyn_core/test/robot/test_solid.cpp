// Mass, centre and inertia of surfaces against closed forms and the laws of affine maps.
#include <algorithm>

#include "meshes.hpp"
#include "support.hpp"

namespace dyn::test::solid_tests {
namespace {

void expect_body(const Result<Solid>& solid, const RigidBody& expected, double tolerance,
                 const std::string& what) {
  ASSERT_TRUE(solid) << what << ": " << solid.error().sentence;
  const RigidBody body = solid->body(1.0);
  EXPECT_NEAR(body.mass, expected.mass, tolerance * expected.mass) << what;
  EXPECT_LT((body.com - expected.com).norm(), tolerance * (1.0 + expected.com.norm())) << what;
  EXPECT_LT((body.inertia - expected.inertia).norm(), tolerance * expected.inertia.norm()) << what;
}

RigidBody cube_body(double side) {
  return Solid::box(Vec3d::Constant(side))
      .body(1.0)
      .expressed_in({Mat3d::Identity(), Vec3d::Constant(side / 2.0)});
}

RigidBody torus_body(double ring, double tube) {
  const double m = 2.0 * M_PI * M_PI * ring * tube * tube, r2 = tube * tube;
  const double across = m * (0.5 * ring * ring + 0.625 * r2), along = m * (ring * ring + 0.75 * r2);
  return {m, Vec3d::Zero(), Vec3d(across, across, along).asDiagonal()};
}

TEST(Solid, ClosedMeshesAgreeWithClosedForms) {
  expect_body(solid_of(cube_mesh(0.3)), cube_body(0.3), 1e-14, "cube");
  expect_body(solid_of(l_mesh()), l_body(), 1e-14, "L");
  for (const std::uint32_t n :
       {40U, 160U}) {  // chords of 2 pi / n are off by a share of their square
    const double error = 30.0 / (n * n);
    expect_body(solid_of(sphere_mesh(n, 0.2)), Solid::sphere(0.2).body(1.0), error, "sphere");
    expect_body(solid_of(torus_mesh(n, 1.0, 0.3)), torus_body(1.0, 0.3), error, "torus");
  }
  const auto tube = [](std::uint32_t n) { return solid_of(torus_mesh(n, 1.0, 0.3))->volume; };
  const double finest = (16.0 * tube(640) - tube(160)) / 15.0;  // the h² of the chords taken out
  EXPECT_NEAR(finest, torus_body(1.0, 0.3).mass, 1e-6);
}

TEST(Solid, MomentsFollowAffineMapsOfTheSurface) {
  Random random(11);
  for (const Mesh& mesh : {cube_mesh(), l_mesh(), sphere_mesh(24, 1.0), torus_mesh(24, 1.0, 0.4)}) {
    const auto own = solid_of(mesh);
    ASSERT_TRUE(own);
    for (int i = 0; i < 20; ++i) {
      Mat3d A;
      for (double& x : A.reshaped()) x = random.uniform(-1.0, 1.0);
      if (std::abs(A.determinant()) < 0.1) continue;
      const Vec3d shift = random.vector(2.0);
      Mesh other =
          random.chance(0.5) ? loose(mesh) : mesh;  // some are mirrored and some turned inwards
      for (Vec3d& corner : other.corners) corner = A * corner + shift;
      if (random.chance(0.5)) {
        for (auto& triangle : other.triangles) std::swap(triangle[0], triangle[1]);
      }
      const auto mapped = solid_of(other);
      ASSERT_TRUE(mapped);
      const double by = std::abs(A.determinant());
      EXPECT_EQ(mapped->how, Solid::How::kExact);
      EXPECT_NEAR(mapped->volume, by * own->volume, 1e-12 * own->volume);
      EXPECT_LT((mapped->centre - (A * own->centre + shift)).norm(), 1e-12);
      EXPECT_LT((mapped->second - by * A * own->second * A.transpose()).norm(), 1e-11);
      if (i > 3) continue;
      const Vec3d scale = random.vector(2.0);
      Mesh stretched = mesh;
      for (Vec3d& corner : stretched.corners) corner = scale.cwiseProduct(corner);
      expect_body(own->stretched(scale), solid_of(stretched)->body(1.0), 1e-11, "stretched");
    }
  }
}

// Of a closed mesh, without the triangles that `drop` says.
template <class Drop>
Mesh without(Mesh mesh, Drop drop) {
  Mesh out{mesh.corners, {}};
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    if (!drop(i)) out.triangles.push_back(mesh.triangles[i]);
  }
  return out;
}

TEST(Solid, HolesAreCovered) {
  const auto first_two = [](std::size_t i) { return i < 2; };
  expect_body(solid_of(without(cube_mesh(), first_two)), cube_body(1.0), 1e-14, "box without lid");
  expect_body(solid_of(without(l_mesh(), first_two)), l_body(), 1e-14, "L without a side");
  const auto few = [](std::size_t i) { return i % 40 == 3; };
  expect_body(solid_of(without(torus_mesh(60, 1.0, 0.3), few)), torus_body(1.0, 0.3), 0.02,
              "torus");
  expect_body(solid_of(without(sphere_mesh(60, 1.0), few)), Solid::sphere(1.0).body(1.0), 0.02,
              "sphere");
  Mesh turned = l_mesh();
  std::swap(turned.triangles[0][0], turned.triangles[0][1]);
  expect_body(solid_of(turned), l_body(), 1e-14, "one triangle turned");
  EXPECT_EQ(solid_of(turned)->how, Solid::How::kCovered);
}

TEST(Solid, TheHullStandsForWhatLiesOnItAndForNothingElse) {
  const auto half = [](std::size_t i) { return i % 2 == 0; };
  Mesh inside_out = cube_mesh();  // every second triangle, so that none fits its neighbours
  for (std::size_t i = 0; i < 12; i += 2)
    std::swap(inside_out.triangles[i][0], inside_out.triangles[i][1]);
  const auto cube = solid_of(inside_out);
  expect_body(cube, cube_body(1.0), 1e-12, "a cube turned in and out");
  EXPECT_EQ(cube->how, Solid::How::kHull);
  expect_body(solid_of(without(sphere_mesh(60, 1.0), half)), Solid::sphere(1.0).body(1.0), 0.02,
              "half of a sphere");
  const auto expect_near = [](const Mesh& part, double volume, const std::string& what) {
    const auto solid = solid_of(part);
    const double found = solid ? solid->volume : volume;
    EXPECT_NEAR(found, volume, 0.1 * volume) << what;
  };
  Random random(5);
  for (int i = 0; i < 100; ++i) {  // any part of a torus, seed 5: within 10 % or refused
    const double share = random.uniform(0.0, 0.9);
    const Mesh part = without(torus_mesh(20, 1.0, 0.4), [&](auto) { return random.chance(share); });
    expect_near(part, torus_body(1.0, 0.4).mass, std::to_string(share));
  }
  for (std::size_t a = 0; a < l_mesh().triangles.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {  // an L without any two of its triangles
      expect_near(without(l_mesh(), [&](auto i) { return i == a || i == b; }), 5.0,
                  std::to_string(a) + " " + std::to_string(b));
    }
  }
}

TEST(Solid, WhatIsNoBodyIsRefused) {
  const auto sentence = [](const Mesh& mesh) {
    const auto solid = solid_of(mesh);
    return solid ? std::string("taken") : solid.error().sentence;
  };
  Mesh mesh = cube_mesh();
  mesh.corners[3].x() = std::nan("");
  EXPECT_NE(sentence(mesh).find("not a finite number"), std::string::npos);
  mesh = cube_mesh();
  mesh.triangles[2][1] = 8;
  EXPECT_NE(sentence(mesh).find("not there"), std::string::npos);
  EXPECT_NE(sentence({}).find("no triangles"), std::string::npos);
  EXPECT_NE(sentence({cube_mesh().corners, {{0, 1, 2}, {1, 3, 2}}}).find("no"), std::string::npos);
  EXPECT_NE(sentence({{Vec3d::Zero()}, {{0, 0, 0}}}).find("no volume"), std::string::npos);
}

}  // namespace
}  // namespace dyn::test::solid_tests
