#include "dyn_core/robot/solid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace dyn {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

double area_of(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  return 0.5 * (b - a).cross(c - a).norm();
}

double area_of(const Mesh& mesh) {
  double sum = 0.0;
  for (const auto& [a, b, c] : mesh.triangles) {
    sum += area_of(mesh.corners[a], mesh.corners[b], mesh.corners[c]);
  }
  return sum;
}

// By the divergence theorem: the sum over the tetrahedra from one point to every triangle, each counted
// by the side it is seen from. That point is in the middle, where the least is lost by cancellation.
Solid integral_over(const Mesh& mesh) {
  const Vec3d middle =
      std::accumulate(mesh.corners.begin(), mesh.corners.end(), Vec3d(Vec3d::Zero())) /
      static_cast<double>(mesh.corners.size());
  double volume = 0.0;
  Vec3d first = Vec3d::Zero();
  Mat3d second = Mat3d::Zero();
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3d a = mesh.corners[i] - middle, b = mesh.corners[j] - middle,
                c = mesh.corners[k] - middle, sum = a + b + c;
    const double part = a.dot(b.cross(c)) / 6.0;
    volume += part;
    first += part / 4.0 * sum;
    second += part / 20.0 *
              (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  const double sign = volume < 0.0 ? -1.0 : 1.0;  // all triangles may be turned inwards
  const Vec3d centre = volume == 0.0 ? Vec3d(Vec3d::Zero()) : Vec3d(first / volume);
  return {sign * volume, middle + centre, sign * (second - volume * centre * centre.transpose()),
          Solid::How::kExact};
}

// Corners at the same place become one, those of no triangle and triangles of fewer corners go. Files of
// triangles name every corner anew.
Mesh welded(const Mesh& mesh) {
  const auto less = [](const Vec3d& a, const Vec3d& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  };
  Mesh out;
  for (const Triangle& triangle : mesh.triangles) {
    for (const std::uint32_t corner : triangle) out.corners.push_back(mesh.corners[corner]);
  }
  std::ranges::sort(out.corners, less);
  out.corners.erase(std::unique(out.corners.begin(), out.corners.end()), out.corners.end());
  const auto place = [&](std::uint32_t corner) {
    const auto at = std::ranges::lower_bound(out.corners, mesh.corners[corner], less);
    return static_cast<std::uint32_t>(at - out.corners.begin());
  };
  for (const auto& [i, j, k] : mesh.triangles) {
    const Triangle triangle = {place(i), place(j), place(k)};
    const auto& [a, b, c] = triangle;
    if (a != b && b != c && c != a) out.triangles.push_back(triangle);
  }
  return out;
}

using Edge = std::pair<std::uint32_t, std::uint32_t>;

// The edges that no triangle beside them runs the other way, as often as that is so, sorted. As many lead to
// a corner as away from it.
std::vector<Edge> open_edges(const Mesh& mesh) {
  std::vector<std::pair<Edge, int>> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      sides.push_back({std::minmax(a, b), a < b ? 1 : -1});
    }
  }
  std::ranges::sort(sides);
  std::vector<Edge> open;
  for (std::size_t i = 0; i < sides.size();) {
    const auto [from, to] = sides[i].first;
    int times = 0;
    for (; i < sides.size() && sides[i].first == Edge(from, to); ++i) times += sides[i].second;
    open.insert(open.end(), static_cast<std::size_t>(std::abs(times)),
                times > 0 ? Edge(from, to) : Edge(to, from));
  }
  std::ranges::sort(open);
  return open;
}

/// A cone from the rim of a hole to its middle, or a fan from one of its corners: the same where the rim is
/// plane.
enum class Cover { kCone, kFan };

void cover(const std::vector<std::uint32_t>& rim, Cover by, Mesh& covers) {
  const auto top = by == Cover::kCone ? static_cast<std::uint32_t>(covers.corners.size()) : rim[0];
  Vec3d sum = Vec3d::Zero();
  double length = 0.0;
  for (std::size_t i = 0; i < rim.size(); ++i) {
    const std::uint32_t from = rim[i], to = rim[(i + 1) % rim.size()];
    const Vec3d &a = covers.corners[from], &b = covers.corners[to];
    length += (b - a).norm();
    sum += (b - a).norm() * 0.5 * (a + b);
    covers.triangles.push_back({to, from, top});
  }
  if (by == Cover::kCone) covers.corners.emplace_back(sum / length);
}

// Goes along open edges; where the way meets itself a hole is closed. A triangle that is turned against its
// neighbours is a hole twice over, and comes out right as well.
Mesh covers_of(const Mesh& mesh, const std::vector<Edge>& edges, Cover by) {
  constexpr std::size_t kNoStep = std::numeric_limits<std::size_t>::max();
  Mesh covers{mesh.corners, {}};
  std::vector<std::size_t> next(mesh.corners.size()), step(mesh.corners.size(), kNoStep);
  for (std::size_t i = edges.size(); i-- > 0;) next[edges[i].first] = i;
  for (const Edge& start : edges) {
    std::vector<std::uint32_t> way = {start.first};
    step[start.first] = 0;
    while (next[way.back()] < edges.size() && edges[next[way.back()]].first == way.back()) {
      const std::uint32_t to = edges[next[way.back()]++].second;
      if (step[to] == kNoStep) {
        step[to] = way.size();
        way.push_back(to);
        continue;
      }
      const auto begin = way.begin() + static_cast<std::ptrdiff_t>(step[to]);
      cover({begin, way.end()}, by, covers);
      for (auto corner = begin + 1; corner != way.end(); ++corner) step[*corner] = kNoStep;
      way.erase(begin + 1, way.end());
    }
    for (const std::uint32_t corner : way) step[corner] = kNoStep;
  }
  return covers;
}

/// The convex hull, and the planes of its faces: outward normals and where they stand.
struct Hull {
  Mesh mesh;
  std::vector<std::pair<Vec3d, double>> planes;
};

// Empty where the corners lie in a plane.
Hull hull_of(const std::vector<Vec3d>& corners) {
  std::vector<double> points;
  points.reserve(3 * corners.size());
  for (const Vec3d& corner : corners) points.insert(points.end(), corner.begin(), corner.end());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> nowhere(std::fopen("/dev/null", "w"),
                                                                &std::fclose);
  auto qhull = std::make_unique<qhT>();
  qhT* const qh = qhull.get();
  qh_zero(qh, nowhere.get());
  char options[] = "qhull Qt Pp";
  Hull hull;
  if (qh_new_qhull(qh, 3, static_cast<int>(corners.size()), points.data(), False, options, nullptr,
                   nowhere.get()) == 0) {
    hull.mesh.corners = corners;
    const Vec3d inside(qh->interior_point[0], qh->interior_point[1], qh->interior_point[2]);
    for (const facetT* facet = qh->facet_list; facet != nullptr && facet->next != nullptr;
         facet = facet->next) {
      Triangle triangle{};
      for (int k = 0; k < 3; ++k) {
        const auto* vertex = static_cast<const vertexT*>(facet->vertices->e[k].p);
        triangle[static_cast<std::size_t>(k)] =
            static_cast<std::uint32_t>(qh_pointid(qh, vertex->point));
      }
      auto& [i, j, k] = triangle;
      const Vec3d normal = (corners[j] - corners[i]).cross(corners[k] - corners[i]);
      if (normal.dot(corners[i] - inside) < 0.0) std::swap(j, k);
      hull.mesh.triangles.push_back(triangle);
      hull.planes.emplace_back(Vec3d(facet->normal[0], facet->normal[1], facet->normal[2]),
                               facet->offset);
    }
  }
  qh_freeqhull(qh, !qh_ALL);
  int left = 0, total = 0;
  qh_memfreeshort(qh, &left, &total);
  return hull;
}

// The share of the surface, by area, that lies on the hull. Of many triangles some are asked.
double share_on_hull(const Mesh& mesh, const Hull& hull, double size) {
  constexpr std::size_t kRays = 500;
  const double close = 0.01 * size;
  double all = 0.0, on_hull = 0.0;
  const std::size_t step = 1 + mesh.triangles.size() / kRays;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += step) {
    const auto& [i, j, k] = mesh.triangles[t];
    const Vec3d &a = mesh.corners[i], &b = mesh.corners[j], &c = mesh.corners[k];
    const Vec3d middle = (a + b + c) / 3.0;
    const bool on = std::ranges::any_of(hull.planes, [&](const auto& plane) {
      return plane.first.dot(middle) + plane.second > -close;
    });
    all += area_of(a, b, c);
    on_hull += on ? area_of(a, b, c) : 0.0;
  }
  return on_hull / all;
}

bool has_volume(const Solid& solid, double size) {
  constexpr double kThin = 1e-9;
  return solid.volume > kThin * size * size * size;
}

// The hull of a surface that covers much of it and little else.
Result<Solid> hull_for(const Mesh& mesh, double size) {
  constexpr double kMostly = 0.95, kEnough = 0.45;
  const Hull hull = hull_of(mesh.corners);
  Solid solid = hull.mesh.triangles.empty() ? Solid() : integral_over(hull.mesh);
  if (!has_volume(solid, size)) return fail("it encloses no volume; give a body");
  if (area_of(mesh) < kEnough * area_of(hull.mesh) || share_on_hull(mesh, hull, size) < kMostly) {
    return fail(
        "its surface is open and not convex, so that its volume is anybody's guess; close it, or "
        "give simpler shapes or an <inertial>");
  }
  solid.how = Solid::How::kHull;
  return solid;
}

std::string objection_to_mesh(const Mesh& mesh) {
  for (const Vec3d& corner : mesh.corners) {
    if (!corner.allFinite() || corner.cwiseAbs().maxCoeff() > 1e6) {
      return "a corner of it is not a finite number of metres below a million; export it anew";
    }
  }
  for (const Triangle& triangle : mesh.triangles) {
    if (*std::ranges::max_element(triangle) >= mesh.corners.size()) {
      return "a triangle of it has a corner that is not there; export it anew";
    }
  }
  return mesh.triangles.empty() ? "it has no triangles; export it anew" : "";
}

}  // namespace

Solid Solid::box(const Vec3d& sides) {
  const double volume = sides.prod();
  return {volume, Vec3d::Zero(), (volume / 12.0 * sides.cwiseAbs2()).asDiagonal(), How::kExact};
}

Solid Solid::cylinder(double radius, double length) {
  const double volume = M_PI * radius * radius * length, across = radius * radius / 4.0;
  return {volume, Vec3d::Zero(),
          (volume * Vec3d(across, across, length * length / 12.0)).asDiagonal(), How::kExact};
}

Solid Solid::sphere(double radius) {
  const double volume = 4.0 / 3.0 * M_PI * radius * radius * radius;
  return {volume, Vec3d::Zero(), volume * radius * radius / 5.0 * Mat3d::Identity(), How::kExact};
}

Solid Solid::stretched(const Vec3d& scale) const {
  const double by = std::abs(scale.prod());
  return {by * volume, scale.cwiseProduct(centre),
          by * Mat3d(scale.asDiagonal() * second * scale.asDiagonal()), how};
}

RigidBody Solid::body(double density) const {
  return {density * volume, centre, density * (second.trace() * Mat3d::Identity() - second)};
}

Result<Solid> solid_of(Mesh mesh) {
  constexpr double kMostCovered = 0.25, kUnsure = 0.02;
  if (std::string text = objection_to_mesh(mesh); !text.empty()) return fail(std::move(text));
  mesh = welded(mesh);
  Vec3d low = mesh.corners.front(), high = low;
  for (const Vec3d& corner : mesh.corners) {
    low = low.cwiseMin(corner);
    high = high.cwiseMax(corner);
  }
  const double size = (high - low).norm();
  const std::vector<Edge> edges = open_edges(mesh);
  const auto covered_by = [&](Cover by) {
    Mesh whole = covers_of(mesh, edges, by);
    whole.triangles.insert(whole.triangles.end(), mesh.triangles.begin(), mesh.triangles.end());
    return std::pair(integral_over(whole), area_of(whole));
  };
  auto [solid, area] = covered_by(Cover::kCone);
  const double other = edges.empty() ? solid.volume : covered_by(Cover::kFan).first.volume;
  if (!has_volume(solid, size) || area - area_of(mesh) > kMostCovered * area ||
      std::abs(solid.volume - other) > kUnsure * solid.volume) {
    return hull_for(mesh, size);
  }
  if (!edges.empty()) solid.how = Solid::How::kCovered;
  return solid;
}

}  // namespace dyn
