// The modified Denavit-Hartenberg table against the joint axes it was made from.
#include <Eigen/Geometry>

#include "dyn_core/dh.hpp"
#include "support.hpp"
#include "urdf_text.hpp"

namespace dyn::test::dh_tests {
namespace {

Posed row_pose(const DhRow& row) {
  const Mat3d twist = Eigen::AngleAxisd(row.alpha, Vec3d::UnitX()).toRotationMatrix() *
                      Eigen::AngleAxisd(row.beta, Vec3d::UnitY()).toRotationMatrix();
  return {twist * Eigen::AngleAxisd(row.theta, Vec3d::UnitZ()).toRotationMatrix(),
          Vec3d(row.a, 0.0, 0.0) + row.d * twist.col(2)};
}

double size_of(const std::vector<JointAxis>& axes) {
  double size = 0.0;
  for (std::size_t i = 1; i < axes.size(); ++i)
    size += (axes[i].origin - axes[i - 1].origin).norm();
  return size;
}

// Frame i lies on axis i with z along it, the rows lead from frame to frame, and none of them
// explodes.
void expect_table_of(const std::vector<JointAxis>& axes, const std::string& what) {
  const DhTable table = modified_dh(axes);
  ASSERT_EQ(table.rows.size(), axes.size());
  Posed pose = table.frames.front();
  const double limit = 100.0 * size_of(axes) + 1e-12;
  double lever = 1.0;
  for (const Posed& frame : table.frames) lever = std::max(lever, frame.p.norm());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string where = what + ", axis " + std::to_string(i);
    const DhRow& row = table.rows[i];
    pose = i == 0 ? pose : pose * row_pose(row);
    EXPECT_LT((pose.R - table.frames[i].R).norm(), 1e-12) << where;
    EXPECT_LT((pose.p - table.frames[i].p).norm(), 1e-12 * lever) << where;
    EXPECT_LT((table.frames[i].R.col(2) - axes[i].direction).norm(), 1e-13) << where;
    const Vec3d off_axis = axes[i].direction.cross(table.frames[i].p - axes[i].origin);
    EXPECT_LT(off_axis.norm(), 1e-13 * lever) << where;
    EXPECT_LE(std::max(std::abs(row.a), std::abs(row.d)), limit) << where;
    EXPECT_LT(std::abs(row.beta), 1.01 * kNearlyParallel) << where;
    EXPECT_TRUE(row.beta == 0.0 || row.d == 0.0 || i + 1 < axes.size()) << where;
  }
  const DhRow& first = table.rows.front();
  EXPECT_EQ(std::abs(first.a) + std::abs(first.alpha) + std::abs(first.beta) + std::abs(first.d) +
                std::abs(first.theta),
            0.0)
      << what;
}

// Two axes tilted by `angle`, and a third one somewhere.
std::vector<JointAxis> tilted_axes(double angle, const Vec3d& shift, bool opposite) {
  Vec3d direction(std::sin(angle), 0.0, std::cos(angle));
  if (opposite) direction = -direction;
  return {{Vec3d(0.1, 0.2, 0.3), Vec3d::UnitZ(), Vec3d::UnitX()},
          {Vec3d(0.1, 0.2, 0.3) + shift, direction, Vec3d::UnitX()},
          {Vec3d(0.5, -0.1, 0.9), Vec3d(0.6, 0.0, 0.8), Vec3d::UnitY()}};
}

TEST(Dh, TiltFromNothingToARightAngle) {
  const std::vector<Vec3d> shifts = {
      Vec3d::Zero(),         Vec3d(0.4, 0.0, 0.0),  Vec3d(0.0, 0.4, 0.0),  Vec3d(0.0, 0.0, 0.4),
      Vec3d(0.3, -0.2, 0.5), Vec3d(1e-9, 0.0, 0.0), Vec3d(0.0, 1e-14, 0.0)};
  for (int step = -340; step <= 4; ++step) {
    const double exponent = 0.05 * step;
    for (const Vec3d& shift : shifts) {
      for (const bool opposite : {false, true}) {
        const double angle = std::pow(10.0, exponent);
        expect_table_of(tilted_axes(angle, shift, opposite), "tilt " + std::to_string(exponent));
      }
    }
  }
}

TEST(Dh, AxesAroundTheThreshold) {
  const double threshold = std::asin(kNearlyParallel);
  for (const double factor : {0.999999, 1.0 - 1e-15, 1.0, 1.0 + 1e-15, 1.000001}) {
    for (const bool opposite : {false, true}) {
      expect_table_of(tilted_axes(threshold * factor, {0.3, -0.2, 0.5}, opposite), "threshold");
    }
  }
}

TEST(Dh, RandomAxesWithEveryKindOfNeighbour) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<JointAxis> axes;
    for (int i = 0; i < 8; ++i) {
      JointAxis axis{random.vector(1.0), random.vector(1.0).normalized(), random.vector(1.0)};
      if (i > 0 && random.chance(0.7)) {
        const JointAxis& before = axes.back();
        const double angle = random.chance(0.4) ? 0.0 : std::pow(10.0, random.uniform(-16.0, -1.0));
        axis.direction =
            Eigen::AngleAxisd(angle, random.vector(1.0).normalized()) * before.direction;
        axis.direction.normalize();
        if (random.chance(0.3)) axis.direction = -axis.direction;
        if (random.chance(0.3))
          axis.origin = before.origin + random.uniform(-1, 1) * before.direction;
        if (random.chance(0.1)) axis.origin = before.origin;
      }
      axes.push_back(axis);
    }
    expect_table_of(axes, "round " + std::to_string(round));
  }
}

TEST(Dh, ParallelAxesGetNeitherTwistNorHayatiAngle) {
  const ChainPtr chain = load_robot("planar3r");
  const double lengths[] = {0.0, 0.30, 0.25};
  for (std::size_t i = 0; i < 3; ++i) {
    const DhRow& row = chain->dh()[i];
    EXPECT_EQ(row.alpha, 0.0);
    EXPECT_EQ(row.beta, 0.0);
    EXPECT_EQ(row.d, 0.0);
    EXPECT_NEAR(row.a, lengths[i], 1e-15);
  }
}

TEST(Dh, RightAnglesAreExactAndTheTableIsSahas) {
  const ChainPtr chain = load_robot("puma560");
  const double a[] = {0.0, 0.0, 0.432, 0.02, 0.0, 0.0};
  const double d[] = {0.0, 0.0, 0.149, 0.432, 0.0, 0.0};
  for (std::size_t i = 0; i < 6; ++i) {
    const DhRow& row = chain->dh()[i];
    EXPECT_NEAR(std::abs(row.a), a[i], 1e-14) << i;
    EXPECT_NEAR(std::abs(row.d), d[i], 1e-14) << i;
    EXPECT_EQ(row.alpha, std::round(row.alpha / M_PI_2) * M_PI_2) << i;
    EXPECT_EQ(row.theta, std::round(row.theta / M_PI_2) * M_PI_2) << i;
    EXPECT_EQ(row.beta, 0.0) << i;
  }
}

TEST(Dh, RoundedRightAnglesStayAsWritten) {
  UrdfText robot;
  Random random(1);
  robot.links = {random_link(random, "base"), random_link(random, "a"), random_link(random, "b")};
  robot.joints = {joint_between("j1", "continuous", "base", "a"),
                  joint_between("j2", "continuous", "a", "b")};
  robot.joints[0].axis = robot.joints[1].axis = Vec3d::UnitZ();
  robot.joints[1].rpy = Vec3d(1.5708, 0.0, 0.0);
  robot.joints[1].xyz = Vec3d(0.3, 0.0, 0.1);
  const auto chain = parse_urdf(to_text(robot));
  ASSERT_TRUE(chain) << chain.error().sentence;
  EXPECT_NEAR(std::abs((*chain)->dh()[1].alpha), 1.5708, 1e-12);  // not snapped to pi/2
}

}  // namespace
}  // namespace dyn::test::dh_tests
