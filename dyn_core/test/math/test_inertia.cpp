// What passes as the inertia of a body: rounding does, nonsense does not; and what reading a model does
// to the numbers.
#include <cfloat>

#include "robot/urdf_sentences.hpp"

namespace dyn::test::inertia_tests {
namespace {

bool has_error(const RigidBody& body) {
  return std::ranges::any_of(check(body, 1.0), [](const InertiaIssue& issue) {
    return issue.severity == InertiaIssue::Severity::kError;
  });
}

RigidBody body_with(double mass, const Mat3d& inertia) {
  RigidBody body;
  body.mass = mass;
  body.inertia = inertia;
  return body;
}

TEST(Inertia, RoundingIsNoError) {
  const Mat3d dust = Vec3d(-5.4e-20, -5.4e-20, 0.0).asDiagonal();
  for (const double mass : {0.0, 1e-9, 0.1, 5.0}) EXPECT_FALSE(has_error(body_with(mass, dust)));
  Mat3d rod = Vec3d(1e-9, 0.01, 0.01).asDiagonal();
  rod(0, 1) = rod(1, 0) = 3.2e-6;
  EXPECT_FALSE(has_error(body_with(1.0, rod)));
  EXPECT_FALSE(has_error(body_with(0.0, rod)));
  EXPECT_FALSE(has_error(body_with(2.0, Vec3d(-1e-9, 1e-9, 1e-9).asDiagonal())));  // a tiny ball
}

TEST(Inertia, NonsenseIsAnError) {
  EXPECT_TRUE(has_error(body_with(1.0, Vec3d(-0.001, 0.01, 0.01).asDiagonal())));
  EXPECT_TRUE(has_error(body_with(1.0, Vec3d(-1e-6, 1e-6, 1e-6).asDiagonal())));
  EXPECT_TRUE(has_error(body_with(0.001, Vec3d(-1e-9, 1e-9, 1e-9).asDiagonal())));
  Mat3d mixed = 0.01 * Mat3d::Identity();
  mixed(0, 1) = mixed(1, 0) = 0.02;
  EXPECT_TRUE(has_error(body_with(1.0, mixed)));
  EXPECT_TRUE(has_error(body_with(-1.0, Mat3d::Identity())));
}

// An antenna whose inertia nobody checked, fixed to `carrier`.
std::string with_antenna(const char* carrier) {
  return replaced(good_text(), "</robot>",
                  fmt::format("<link name=\"antenna\"><inertial><mass value=\"1e-6\"/><inertia "
                              "ixx=\"2.371e-8\" ixy=\"6.119e-8\" ixz=\"1.179e-8\" "
                              "iyy=\"2.833e-8\" iyz=\"0.774e-8\" izz=\"3.849e-8\"/></inertial>"
                              "</link><joint name=\"antenna_mount\" type=\"fixed\">"
                              "<parent link=\"{}\"/><child link=\"antenna\"/></joint></robot>",
                              carrier));
}

TEST(Inertia, WhatStandsOnlyWarns) {
  const auto chain = parse_urdf(with_antenna("base"));
  ASSERT_TRUE(chain) << chain.error().sentence;
  EXPECT_TRUE(std::ranges::any_of((*chain)->warnings(), [](const std::string& warning) {
    return warning.starts_with("link 'antenna': its inertia is not positive");
  }));
  expect_refused(with_antenna("hand"), {"link 'antenna'", "allow_nonphysical"});
}

TEST(Inertia, AllowNonphysicalAllowsNothingElse) {
  UrdfOptions options;
  options.allow_nonphysical = true;
  EXPECT_TRUE(parse_urdf(with_antenna("hand"), options));
  expect_refused(replaced(good_text(), "ixx=\"0.01\"", "ixx=\"nan\""), {"number"}, options);
  expect_refused(replaced(good_text(), "ixx=\"0.01\"", "ixx=\"1e12\""), {"beyond"}, options);
  expect_refused(replaced(good_text(), "<mass value=\"1\"/>", "<mass value=\"1e300\"/>"),
                 {"beyond"}, options);
  expect_refused(replaced(good_text(), "lower=\"-2\"", "lower=\"2.75\""), {"lower limit"}, options);
  options.payload.com.x() = NAN;
  expect_refused(good_text(), {"the payload", "not finite"}, options);
  UrdfText empty;
  empty.links = {{"base", false}, {"arm", false}};
  empty.joints = {joint_between("j", "revolute", "base", "arm")};
  options.payload = {};
  const auto chain = parse_urdf(to_text(empty), options);
  ASSERT_TRUE(chain);
  EXPECT_FALSE((*chain)->has_dynamics());
}

// A link along the axes of its frame, which the <inertial> writes with a quarter turn.
UrdfText quarter_turned(const Vec3d& rpy) {
  UrdfText robot;
  robot.links = {{"base", false},
                 {"arm", true, 2.0, Vec3d(0.3, 0.0, 0.0), rpy, {}},
                 {"hand", true, 1.0, Vec3d(0.0, 0.2, 0.0), rpy, {}}};
  robot.links[1].inertia = Vec3d(0.001, 0.02, 0.021).asDiagonal();
  robot.links[2].inertia = Vec3d(0.002, 0.003, 0.004).asDiagonal();
  robot.joints = {joint_between("turn", "revolute", "base", "arm"),
                  joint_between("bend", "revolute", "arm", "hand")};
  for (TextJoint& joint : robot.joints) {
    joint.xyz = Vec3d(0.1, 0.0, 0.0);
    joint.rpy = Vec3d::Zero();
    joint.axis = Vec3d::UnitZ();
  }
  return robot;
}

TEST(Inertia, AQuarterTurnLeavesExactZeros) {
  for (const double angle : {M_PI_2, -M_PI_2, 1.5707963267948966, M_PI}) {
    for (const Vec3d& axis :
         {Vec3d(Vec3d::UnitX()), Vec3d(Vec3d::UnitY()), Vec3d(Vec3d::UnitZ())}) {
      const auto chain = parse_urdf(to_text(quarter_turned(angle * axis)));
      ASSERT_TRUE(chain) << error_of(chain);
      for (const Link& link : (*chain)->links()) {
        const Mat3d& I = link.body.inertia;
        EXPECT_EQ(I(0, 1), 0.0) << link.name << " " << angle;
        EXPECT_EQ(I(0, 2), 0.0) << link.name << " " << angle;
        EXPECT_EQ(I(1, 2), 0.0) << link.name << " " << angle;
        EXPECT_EQ(link.body.com.z(), 0.0) << link.name << " " << angle;
      }
    }
  }
}

// Every robot of the suite: the sum of all bodies is that of the file, as if nothing had been cleared,
// and nothing is left that is neither zero nor of any size.
TEST(Inertia, ClearingRoundingChangesNothing) {
  for (const std::string& name : robot_names()) {
    const ChainPtr chain = load_robot(name);
    const UrdfText robot = read_text(robot_path(name));
    const Composite truth = composite_of(robot, link_poses(robot, chain->base(), {}));
    Kinematics<double> kinematics(chain);
    ASSERT_EQ(kinematics.update(VecXd::Zero(chain->dof())), Status::kOk);
    RigidBody sum = chain->base_body();
    for (Index i = 0; i < chain->joint_count(); ++i) {
      const RigidBody& body = chain->links()[static_cast<std::size_t>(i)].body;
      sum = sum + body.expressed_in(kinematics.dh_pose(i));
      const double largest = body.inertia.cwiseAbs().maxCoeff();
      for (const double x : body.inertia.reshaped()) {
        EXPECT_TRUE(x == 0.0 || std::abs(x) > DBL_EPSILON * largest) << name << " " << x;
      }
    }
    EXPECT_NEAR(sum.mass, truth.mass, 1e-12) << name;
    EXPECT_LT((sum.mass * sum.com - truth.moment).norm(), 1e-12) << name;
    EXPECT_LT((sum.inertia_about_origin() - truth.inertia).norm(), 1e-12) << name;
  }
}

}  // namespace
}  // namespace dyn::test::inertia_tests
