// The modified Denavit-Hartenberg table against the joint axes it was made from.
#include <Eigen/Geometry>

#include "dyn_core/robot/dh.hpp"
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

// ---- both conventions ---------------------------------------------------------------------------

Mat3d about(double angle, const Vec3d& axis) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

// The product of the rows as a reader of the table would multiply them, with matrices of his own.
Posed tip_by_table(const Chain& chain, const DhArm& arm, DhConvention convention, const VecXd& q) {
  Posed pose = arm.base_pose;
  for (Index i = 0; i < chain.joint_count(); ++i) {
    const Joint& joint = chain.joint(i);
    const DhRow& row = arm.rows[static_cast<std::size_t>(i)];
    const double value = joint.multiplier * q[joint.coordinate] + joint.offset;
    const double theta = row.theta + (joint.is_prismatic() ? 0.0 : value);
    const double d = row.d + (joint.is_prismatic() ? value : 0.0);
    const Posed screw{about(theta, Vec3d::UnitZ()), Vec3d(0.0, 0.0, d)};
    const Posed link{about(row.alpha, Vec3d::UnitX()) * about(row.beta, Vec3d::UnitY()),
                     Vec3d(row.a, 0.0, 0.0)};
    pose = convention == DhConvention::kClassic ? pose * screw * link : pose * link * screw;
  }
  return pose * arm.tip_pose;
}

void expect_both_conventions(const ChainPtr& chain, const std::string& what) {
  Random random(9);
  Kinematics<double> kinematics(chain);
  for (const DhConvention convention : {DhConvention::kModified, DhConvention::kClassic}) {
    const DhArm arm = dh_arm(*chain, convention);
    ASSERT_EQ(arm.rows.size(), chain->dh().size());
    for (int i = 0; i < 20; ++i) {
      VecXd q(chain->dof());
      for (double& x : q) x = random.uniform(-3.0, 3.0);
      ASSERT_EQ(kinematics.update(q), Status::kOk);
      const Posed truth = kinematics.tip_pose(), table = tip_by_table(*chain, arm, convention, q);
      EXPECT_LT((table.p - truth.p).norm(), 1e-9) << what;
      EXPECT_LT((table.R - truth.R).norm(), 1e-9) << what;
    }
  }
}

TEST(Dh, BothConventionsLeadToTheTip) {
  for (const std::string& name : robot_names()) expect_both_conventions(load_robot(name), name);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto n = static_cast<Index>(1 + seed % 9);
    expect_both_conventions(random_chain(n, seed, {.prismatic = 0.3, .hayati = 0.3}), "random");
  }
}

// And to the tip of the URDF itself, multiplied joint by joint without any chain.
void expect_tip_of_the_file(const Chain& chain, const UrdfText& robot, const std::string& what) {
  Random random(10);
  VecXd q(chain.dof());
  Positions positions;
  for (Index k = 0; k < chain.dof(); ++k) {
    q[k] = random.uniform(-2.0, 2.0);
    positions[chain.coordinate_names()[static_cast<std::size_t>(k)]] = q[k];
  }
  const Posed truth = link_poses(robot, chain.base(), positions).at(chain.tip());
  for (const DhConvention convention : {DhConvention::kModified, DhConvention::kClassic}) {
    const Posed table = tip_by_table(chain, dh_arm(chain, convention), convention, q);
    EXPECT_LT((table.p - truth.p).norm(), 1e-9) << what;
    EXPECT_LT((table.R - truth.R).norm(), 1e-9) << what;
  }
}

TEST(Dh, BothConventionsAgreeWithTheFile) {
  for (const std::string& name : robot_names()) {
    expect_tip_of_the_file(*load_robot(name), read_text(robot_path(name)), name);
  }
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const UrdfText robot = random_robot(static_cast<Index>(1 + seed % 9), seed);
    const auto chain = parse_urdf(to_text(robot), {.tip = "tip"});
    ASSERT_TRUE(chain) << chain.error().sentence;
    expect_tip_of_the_file(**chain, robot, "seed " + std::to_string(seed));
  }
}

// Seven joints as on a Panda: its makers write d1 = 0.333, and 0.107 from the last joint to the flange.
UrdfText panda_like() {
  UrdfText robot;
  Random random(3);
  const double roll[] = {0.0, -M_PI_2, M_PI_2, M_PI_2, -M_PI_2, M_PI_2, M_PI_2, 0.0};
  const Vec3d xyz[] = {{0.0, 0.0, 0.333},  {0.0, 0.0, 0.0},       {0.0, -0.316, 0.0},
                       {0.0825, 0.0, 0.0}, {-0.0825, 0.384, 0.0}, {0.0, 0.0, 0.0},
                       {0.088, 0.0, 0.0},  {0.0, 0.0, 0.107}};
  robot.links = {random_link(random, "link0")};
  for (int i = 0; i < 8; ++i) {
    const std::string number = std::to_string(i + 1);
    robot.links.push_back(random_link(random, "link" + number));
    robot.joints.push_back(joint_between("joint" + number, i < 7 ? "revolute" : "fixed",
                                         "link" + std::to_string(i), "link" + number));
    robot.joints.back().xyz = xyz[i];
    robot.joints.back().rpy = Vec3d(roll[i], 0.0, 0.0);
    robot.joints.back().axis = Vec3d::UnitZ();
  }
  return robot;
}

TEST(Dh, NothingOfTheBaseIsHidden) {
  const auto chain = parse_urdf(to_text(panda_like()));
  ASSERT_TRUE(chain) << chain.error().sentence;
  const DhArm modified = dh_arm(**chain, DhConvention::kModified);
  EXPECT_NEAR(modified.rows[0].d, 0.333, 1e-15);
  EXPECT_NEAR(modified.rows[2].d, 0.316, 1e-14);
  EXPECT_LT((modified.base_pose.R - Mat3d::Identity()).norm() + modified.base_pose.p.norm(), 1e-14);
  EXPECT_NEAR(modified.tip_pose.p.z(), 0.107, 1e-14);
  const DhArm classic = dh_arm(**chain, DhConvention::kClassic);
  EXPECT_NEAR(classic.rows[0].d, 0.333, 1e-15);
  EXPECT_NEAR(classic.rows[6].d, 0.107, 1e-14);
  EXPECT_NEAR(std::abs(classic.rows[5].a), 0.088, 1e-14);
  EXPECT_LT((classic.tip_pose.R - Mat3d::Identity()).norm() + classic.tip_pose.p.norm(), 1e-13);
}

}  // namespace
}  // namespace dyn::test::dh_tests
