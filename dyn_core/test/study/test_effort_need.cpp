// What gravity asks of each joint at most, against a pendulum by hand and a fine grid of postures.
#include "dyn_core/study/effort_need.hpp"
#include "dyn_core/study/select.hpp"
#include "robot/urdf_text.hpp"
#include "support.hpp"

namespace dyn::test::effort_need_tests {
namespace {

// Two horizontal axes, 0.5 m apart; 2 kg on the first and 1 kg 0.4 m out on the second link.
UrdfText pendulum() {
  UrdfText robot;
  robot.links = {
      {"base", false},
      {"upper", true, 2.0, Vec3d(0.25, 0.0, 0.0), Vec3d::Zero(), 0.01 * Mat3d::Identity()},
      {"lower", true, 1.0, Vec3d(0.4, 0.0, 0.0), Vec3d::Zero(), 0.01 * Mat3d::Identity()}};
  robot.joints = {joint_between("shoulder", "revolute", "base", "upper"),
                  joint_between("elbow", "revolute", "upper", "lower")};
  for (TextJoint& joint : robot.joints) {
    joint.axis = Vec3d::UnitY();
    joint.xyz = Vec3d::Zero();
    joint.rpy = Vec3d::Zero();
    joint.lower = -2.0;
    joint.upper = 2.0;
    joint.effort = 50.0;
  }
  robot.joints[1].xyz = Vec3d(0.5, 0.0, 0.0);
  return robot;
}

TEST(EffortNeed, OfAPendulumByHand) {
  UrdfText robot = pendulum();
  robot.joints[0].effort = 13.0;
  const auto chain = parse_urdf(to_text(robot));
  ASSERT_TRUE(chain) << chain.error().sentence;
  Solver solver = Solver::make(*chain).value();
  const VecXd peak = gravity_torque_peak(solver);
  EXPECT_NEAR(peak[0], 9.81 * (2.0 * 0.25 + 1.0 * 0.9), 1e-6);  // stretched out
  EXPECT_NEAR(peak[1], 9.81 * 0.4, 1e-6);
  const std::string sentence = weakness(**chain, peak, effort_limits(**chain));
  EXPECT_NE(sentence.find("joint 'shoulder' is too weak"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("13.7 N m of it, and its effort limit is 13 N m"), std::string::npos)
      << sentence;
  EXPECT_EQ(sentence.find("elbow"), std::string::npos) << sentence;
}

TEST(EffortNeed, StaysWithinTheLimitsAndFollowsPayloadAndGravity) {
  UrdfText robot = pendulum();
  robot.joints[0].lower = 1.0;  // below the horizontal
  robot.joints[1].lower = 0.0;
  robot.joints[0].upper = robot.joints[1].upper = 1.5;
  const auto chain = parse_urdf(to_text(robot));
  ASSERT_TRUE(chain) << chain.error().sentence;
  Solver solver = Solver::make(*chain).value();
  const double stretched = 9.81 * std::cos(1.0);
  EXPECT_NEAR(gravity_torque_peak(solver)[0], 1.4 * stretched, 1e-9);
  RigidBody payload;
  payload.mass = 3.0;
  solver.set_payload(payload);  // at the elbow's own origin
  EXPECT_NEAR(gravity_torque_peak(solver)[0], (1.4 + 3.0 * 0.5) * stretched, 1e-9);
  solver.set_gravity(Vec3d::Zero());
  EXPECT_EQ(gravity_torque_peak(solver).norm(), 0.0);
}

TEST(EffortNeed, NoPostureOfManyNeedsMore) {
  for (const std::string& name : robot_names()) {
    const ChainPtr chain = load_robot(name);
    Solver solver = Solver::make(chain).value();
    const VecXd peak = gravity_torque_peak(solver);
    const std::vector<JointRange> ranges = joint_ranges(*chain);
    Random random(77);
    VecXd torque(chain->dof());
    for (int i = 0; i < 5000; ++i) {
      ASSERT_EQ(solver.gravity_torque(random_posture(ranges, random), torque), Status::kOk);
      for (Index k = 0; k < chain->dof(); ++k) {
        EXPECT_LE(std::abs(torque[k]), peak[k] * (1.0 + 1e-3) + 1e-9) << name << " " << k;
      }
    }
    EXPECT_EQ((gravity_torque_peak(solver) - peak).norm(), 0.0);
  }
}

}  // namespace
}  // namespace dyn::test::effort_need_tests
