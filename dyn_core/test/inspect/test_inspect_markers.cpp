// Pictures: what is drawn is finite, stable from one picture to the next, and in proportion.
#include <map>

#include "dyn_core/inspect/markers.hpp"
#include "support.hpp"

namespace dyn::test::inspect_markers_tests {
namespace {

using namespace inspect;

std::vector<Marker> picture(const std::string& robot, const MarkerOptions& options = {},
                            double bend = 0.4) {
  const ChainPtr chain = load_robot(robot);
  auto inspector = Inspector::make(chain).value();
  JointState state(chain->dof());
  state.q.setConstant(bend);
  const VecXd torque = VecXd::Zero(chain->dof());
  return MarkerPainter(chain, options).paint(inspector, state, &torque);
}

Marker find(const std::vector<Marker>& markers, std::string_view space, int id) {
  for (const Marker& marker : markers) {
    if (marker.space == space && marker.id == id) return marker;
  }
  ADD_FAILURE() << "no " << space << " " << id;
  return markers.front();
}

TEST(Markers, EveryRobotHasEveryKindFiniteAndOnce) {
  for (const std::string& robot : robot_names()) {
    SCOPED_TRACE(robot);
    std::map<std::pair<std::string_view, int>, int> seen;
    std::map<std::string_view, int> spaces;
    for (const Marker& marker : picture(robot)) {
      EXPECT_EQ(++seen[std::make_pair(marker.space, marker.id)], 1) << marker.space << marker.id;
      ++spaces[marker.space];
      EXPECT_TRUE(marker.scale.allFinite() && marker.pose.p.allFinite());
      EXPECT_NEAR(marker.pose.R.determinant(), 1.0, 1e-9);
      EXPECT_FALSE(marker.frame.empty());
      for (const Vec3d& point : marker.points) EXPECT_TRUE(point.allFinite());
      EXPECT_TRUE(marker.colors.empty() || marker.colors.size() == marker.points.size());
    }
    for (const std::string_view space : marker_spaces()) EXPECT_GT(spaces[space], 0) << space;
  }
}

TEST(Markers, OnlyWhatIsAskedForIsShown) {
  for (const std::string_view space : marker_spaces()) {
    for (const Marker& marker : picture("arm7", {.show = {std::string(space)}})) {
      EXPECT_EQ(marker.space, space);
    }
  }
}

TEST(Markers, AnInertiaEllipsoidHasTheInertiaOfItsBody) {
  const ChainPtr chain = load_robot("arm7");
  const Marker marker = find(picture("arm7"), "link_inertia", 3);
  const Link& link = chain->links()[2];
  const Vec3d a = 0.5 * marker.scale;
  const Vec3d squares = a.cwiseProduct(a);
  const Vec3d moments = 0.2 * link.body.mass * (Vec3d::Constant(squares.sum()) - squares);
  const Mat3d in_link = marker.pose.R * Mat3d(moments.asDiagonal()) * marker.pose.R.transpose();
  const Mat3d expected = link.body.expressed_in(link.urdf_frame.inverse()).inertia;
  EXPECT_LT((in_link - expected).norm(), 1e-9);
}

TEST(Markers, TheCentreOfMassCountsThePayload) {
  const ChainPtr chain = load_robot("arm7");
  auto inspector = Inspector::make(chain).value();
  inspector.set_payload({.mass = 1e9, .com = Vec3d(0.0, 0.0, 0.1)});
  const JointState state(7);
  const auto markers = MarkerPainter(chain, {}).paint(inspector, state, nullptr);
  Kinematics<double> kinematics(chain);
  ASSERT_EQ(kinematics.update(state.q), Status::kOk);
  const Vec3d expected = kinematics.tip_pose() * Vec3d(0.0, 0.0, 0.1);
  EXPECT_LT((find(markers, "center_of_mass", 0).pose.p - expected).norm(), 1e-6);
  for (const Marker& marker : markers) EXPECT_NE(marker.space, "predicted_motion") << "no torque";
}

TEST(Markers, AManipulabilityEllipsoidHasTheSingularValuesOfTheJacobian) {
  const ChainPtr chain = load_robot("arm7");
  Kinematics<double> kinematics(chain);
  ASSERT_EQ(kinematics.update(VecXd::Constant(7, 0.4)), Status::kOk);
  MatXd J(6, 7);
  ASSERT_EQ(kinematics.jacobian(J), Status::kOk);
  const VecXd singular = MatXd(J.topRows(3)).jacobiSvd().singularValues();
  Vec3d lengths = find(picture("arm7"), "manipulability", 0).scale / 2.0 / 0.3;
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  EXPECT_LT((lengths - singular).norm(), 1e-9);
}

TEST(Markers, TheLargestFullTorqueAccelerationHasOneLengthOnEveryRobot) {
  for (const std::string& robot : robot_names()) {
    const Marker marker = find(picture(robot), "dynamic_manipulability", 0);
    EXPECT_NEAR(marker.scale.maxCoeff() / 2.0, 0.25 * load_robot(robot)->reach(), 1e-9) << robot;
  }
}

TEST(Markers, ALinkInertiaLargerThanTheArmIsRed) {
  const ChainPtr chain = load_robot("arm7");
  int larger = 0;
  for (const std::string robot : {"arm7", "puma560"}) {
    const double reach = load_robot(robot)->reach();
    for (const Marker& marker : picture(robot, {.show = {"link_inertia"}})) {
      const bool red = marker.color.r > marker.color.b;
      EXPECT_EQ(red, marker.scale.maxCoeff() > reach) << robot << marker.id;
      larger += red;
    }
  }
  EXPECT_GT(larger, 0) << "puma560's, which hold its drives";
}

// Joint 2 of arm7: its circle and its arc.
TEST(Markers, ATorqueArcGrowsWithTheTorqueOnItsCircle) {
  const ChainPtr chain = load_robot("arm7");
  const auto turn = [](const Marker& marker) {
    double sum = 0.0;
    for (std::size_t k = 1; k + 4 < marker.points.size(); ++k) {
      sum += (marker.points[k] - marker.points[k - 1]).norm();
    }
    return sum / marker.points.front().norm();
  };
  auto solver = Solver::make(chain).value();
  for (const double bend : {0.1, 0.6}) {
    const auto markers = picture("arm7", {}, bend);
    VecXd torque(7);
    ASSERT_EQ(solver.gravity_torque(VecXd::Constant(7, bend), torque), Status::kOk);
    const double share = std::abs(torque[1]) / chain->coordinate_joint(1).limits.effort;
    const Marker arc = find(markers, "gravity_torque", 4);
    EXPECT_NEAR(turn(arc), 1.5 * M_PI * share, 1e-3);
    const Marker circle = find(markers, "gravity_torque", 3);
    EXPECT_EQ(circle.frame, arc.frame);
    EXPECT_NEAR(arc.points.front().norm(), 0.15 * chain->reach(), 1e-12);
    EXPECT_LT((circle.points.front() - circle.points.back()).norm(), 1e-12) << "closed";
  }
}

TEST(Markers, NoTorqueIsNoArc) {
  const ChainPtr chain = load_robot("arm7");
  auto inspector = Inspector::make(chain).value();
  inspector.set_gravity(Vec3d::Zero());
  const auto markers = MarkerPainter(chain, {}).paint(inspector, JointState(7), nullptr);
  for (int joint = 0; joint < 7; ++joint) {
    find(markers, "gravity_torque", 2 * joint + 1);
    for (const Marker& marker : markers) {
      EXPECT_FALSE(marker.space == "gravity_torque" && marker.id == 2 * joint + 2) << joint;
    }
  }
}

TEST(Markers, ThePredictedPathStartsAtTheTip) {
  const ChainPtr chain = load_robot("arm7");
  Kinematics<double> kinematics(chain);
  ASSERT_EQ(kinematics.update(VecXd::Constant(7, 0.4)), Status::kOk);
  const Marker path = find(picture("arm7"), "predicted_motion", 0);
  EXPECT_EQ(path.points.size(), 26u);
  EXPECT_LT((path.points.front() - kinematics.tip_pose().p).norm(), 1e-12);
  EXPECT_LT(path.points.back().z(), path.points.front().z()) << "it falls without torques";
}

}  // namespace
}  // namespace dyn::test::inspect_markers_tests
