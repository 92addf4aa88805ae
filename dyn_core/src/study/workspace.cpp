// The reachable area or volume of an arm's tip, by formula where there is one, else by sampling.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "dyn_core/study/select.hpp"

namespace dyn {
namespace {

constexpr double kTiny = 1e-9;

bool full_turn(const JointRange& range) { return range.high - range.low >= 2.0 * M_PI - kTiny; }
double stroke(const JointRange& range) { return range.high - range.low; }

// The tip and the joint axes with every joint at zero, in frame 0.
struct Shape {
  explicit Shape(const ChainPtr& chain) : ranges(joint_ranges(*chain)), kinematics(chain) {
    (void)kinematics.update(VecXd::Zero(chain->dof()));
    for (const Joint& joint : chain->joints()) kinds += joint.is_prismatic() ? 'P' : 'R';
    for (Index i = 0; i < chain->joint_count(); ++i) frames.push_back(kinematics.dh_pose(i));
    tip = kinematics.tip_pose().p;
  }
  [[nodiscard]] Vec3d axis(std::size_t i) const { return frames[i].R.col(2); }
  [[nodiscard]] bool parallel(std::size_t i, std::size_t j) const {
    return axis(i).cross(axis(j)).norm() < kTiny;
  }
  // From the axis of joint i to `point`, perpendicular to the axis.
  [[nodiscard]] Vec3d arm_to(std::size_t i, const Vec3d& point) const {
    const Vec3d d = point - frames[i].p;
    return d - d.dot(axis(i)) * axis(i);
  }

  std::vector<JointRange> ranges;
  Kinematics<double> kinematics;
  std::string kinds;
  std::vector<Posed> frames;
  Vec3d tip;
};

// R-P in a plane: the tip runs along a ray through the turning axis; a ring.
std::optional<Workspace> revolute_prismatic(const Shape& shape) {
  if (shape.kinds != "RP" || !full_turn(shape.ranges[0])) return std::nullopt;
  const Vec3d slide = shape.axis(1), start = shape.arm_to(0, shape.tip);
  if (std::abs(slide.dot(shape.axis(0))) > kTiny || start.cross(slide).norm() > kTiny) {
    return std::nullopt;
  }
  const double a = start.dot(slide);
  const double low = a + shape.ranges[1].low, high = a + shape.ranges[1].high;
  if (low < -kTiny) return std::nullopt;
  return Workspace{M_PI * (high * high - low * low), 0.0, "π (2 a1 b2 + b2²)", true,
                   EqualLengths{3.0 * M_PI, 2.0, 1.5}};
}

// Area of what two circles of radius a share whose centres are b < 2a apart.
double lens(double a, double b) {
  return 2.0 * a * a * std::acos(0.5 * b / a) - 0.5 * b * std::sqrt(4.0 * a * a - b * b);
}

// P-R in a plane: what a circle covers while it is shifted by the stroke. With a stroke shorter than
// the diameter a lens in the middle stays out of reach, which the paper's formula includes.
std::optional<Workspace> prismatic_revolute(const Shape& shape) {
  if (shape.kinds != "PR" || !full_turn(shape.ranges[1])) return std::nullopt;
  if (std::abs(shape.axis(0).dot(shape.axis(1))) > kTiny) return std::nullopt;
  const double a = shape.arm_to(1, shape.tip).norm(), b = stroke(shape.ranges[0]);
  Workspace workspace{M_PI * a * a + 2.0 * a * b, 0.0, "π a2² + 2 a2 b1", true,
                      EqualLengths{M_PI + 2.0 - lens(1.0, 1.0), 1.0, M_2_PI}};
  if (b < 2.0 * a) {
    workspace.size -= lens(a, b);
    workspace.formula += " - lens";
  }
  return workspace;
}

// P-R-R with parallel axes: a hollow cylinder.
std::optional<Workspace> vertical_arm(const Shape& shape) {
  if (shape.kinds != "PRR" || !shape.parallel(0, 1) || !shape.parallel(1, 2)) return std::nullopt;
  if (!full_turn(shape.ranges[1]) || !full_turn(shape.ranges[2])) return std::nullopt;
  const double a2 = shape.arm_to(1, shape.frames[2].p).norm();
  const double a3 = shape.arm_to(2, shape.tip).norm();
  return Workspace{4.0 * M_PI * stroke(shape.ranges[0]) * a2 * a3, 0.0, "4π b1 a2 a3", false,
                   EqualLengths{4.0 * M_PI, 1.0, M_2_PI}};
}

// R-R-P with intersecting axes: a sphere. An offset of the slide along the second axis, as the Stanford
// arm's shoulder has, bores a hole through it and moves the rim outwards by as much: the volume of a
// bored sphere depends on the length of the bore alone.
std::optional<Workspace> spherical_arm(const Shape& shape) {
  if (shape.kinds != "RRP" || std::abs(shape.axis(0).dot(shape.axis(1))) > kTiny) {
    return std::nullopt;
  }
  if (!full_turn(shape.ranges[0]) || !full_turn(shape.ranges[1])) return std::nullopt;
  const Vec3d along = shape.axis(1), foot = shape.frames[1].p;
  const Vec3d centre = foot - along.dot(foot - shape.frames[0].p) * along;
  const Vec3d arm = shape.tip - centre, slide = shape.axis(2);
  const double from_axis = shape.arm_to(0, centre).norm();
  const Vec3d offset = arm - arm.dot(slide) * slide;
  if (from_axis > kTiny || offset.cross(along).norm() > kTiny) return std::nullopt;
  const double low = arm.dot(slide) + shape.ranges[2].low;
  const double high = arm.dot(slide) + shape.ranges[2].high;
  if (low < -kTiny) return std::nullopt;
  const double cubes = high * high * high - low * low * low;
  return Workspace{4.0 / 3.0 * M_PI * cubes, 0.0, "4/3 π b3³", false,
                   EqualLengths{4.0 / 3.0 * M_PI, 1.0, M_2_PI / 3.0}};
}

// Cells of a grid that the tip was seen in. Cells at the rim count half, and are the error.
Workspace count_cells(const std::vector<Vec3d>& points, bool planar) {
  Vec3d low = points.front(), high = points.front();
  for (const Vec3d& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const int axes = planar ? 2 : 3;
  const double per_axis = std::pow(static_cast<double>(points.size()) / 12.0, 1.0 / axes);
  const auto cells = static_cast<Index>(std::max(4.0, std::floor(per_axis)));
  const double edge = (high - low).head(axes).maxCoeff() / static_cast<double>(cells) + kTiny;
  const Index side = cells + 2;  // an empty rim all around
  const Index layers = planar ? 3 : side;
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(side * side * layers), 0);
  const auto at = [&](Index x, Index y, Index z) -> std::uint8_t& {
    return seen[static_cast<std::size_t>((z * side + y) * side + x)];
  };
  for (const Vec3d& p : points) {
    const Vec3d c = (p - low) / edge;
    at(1 + static_cast<Index>(c.x()), 1 + static_cast<Index>(c.y()),
       planar ? 1 : 1 + static_cast<Index>(c.z())) = 1;
  }
  Index inside = 0, rim = 0;
  for (Index z = 1; z + 1 < layers; ++z) {
    for (Index y = 1; y + 1 < side; ++y) {
      for (Index x = 1; x + 1 < side; ++x) {
        if (at(x, y, z) == 0) continue;
        int neighbours = at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z);
        if (!planar) neighbours += at(x, y, z - 1) + at(x, y, z + 1);
        ++(neighbours == 2 * axes ? inside : rim);
      }
    }
  }
  const double cell = std::pow(edge, axes), half = 0.5 * static_cast<double>(rim);
  return {cell * (static_cast<double>(inside) + half), cell * half, {}, planar, {}};
}

Workspace sample(const ChainPtr& chain, const SelectionOptions& options) {
  const std::vector<JointRange> ranges = joint_ranges(*chain);
  Kinematics<double> kinematics(chain);
  Random random(options.seed);
  std::vector<Vec3d> points;
  VecXd q(chain->dof());
  const int count = options.samples * (chain->is_planar() ? 1 : 10);
  for (int i = 0; i < count; ++i) {
    for (Index k = 0; k < q.size(); ++k) {
      const JointRange& range = ranges[static_cast<std::size_t>(k)];
      q[k] = random.uniform(range.low, range.high);
    }
    (void)kinematics.update(q);
    points.push_back(kinematics.tip_pose().p);
  }
  if (chain->is_planar()) {  // into the plane of motion, which is frame 0's x-y plane if it turns
    Mat3d R = chain->base_pose().R;
    for (Index i = 0; i < chain->joint_count(); ++i) {
      if (!chain->joint(i).is_prismatic()) R = kinematics.dh_pose(i).R;
    }
    for (Vec3d& p : points) p = R.transpose() * p;
  }
  return count_cells(points, chain->is_planar());
}

}  // namespace

VecXd random_posture(const std::vector<JointRange>& ranges, Random& random) {
  VecXd q(static_cast<Index>(ranges.size()));
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    q[static_cast<Index>(k)] = random.uniform(ranges[k].low, ranges[k].high);
  }
  return q;
}

std::vector<JointRange> joint_ranges(const Chain& chain) {
  std::vector<JointRange> ranges;
  for (Index k = 0; k < chain.dof(); ++k) {
    const Joint& joint = chain.coordinate_joint(k);
    const double half = joint.is_prismatic() ? 0.5 : M_PI;
    JointRange range{std::max(joint.limits.lower, -1e3), std::min(joint.limits.upper, 1e3)};
    const bool turns_over = !joint.is_prismatic() && range.high - range.low > 2.0 * M_PI;
    if (!std::isfinite(joint.limits.upper - joint.limits.lower) || turns_over)
      range = {-half, half};
    ranges.push_back(range);
  }
  return ranges;
}

Workspace workspace_of(const ChainPtr& chain, const SelectionOptions& options, bool sampled) {
  if (!sampled) {
    const Shape shape(chain);
    for (const auto formula :
         {revolute_prismatic, prismatic_revolute, vertical_arm, spherical_arm}) {
      if (const std::optional<Workspace> exact = formula(shape)) return *exact;
    }
  }
  return sample(chain, options);
}

}  // namespace dyn
