// Impedance at the tip against a wall that others simulate: MuJoCo moves the arm and finds the contact.
#include <fmt/format.h>

#include "peer_mujoco.hpp"
#include "tip_support.hpp"

namespace dyn::test::peer_mujoco_wall_tests {
namespace {

constexpr double kPeriod = 1e-3, kBall = 0.02, kGap = 0.005;

// The arm with a ball at its tip, and a hard wall at right angles to x, `kGap` away from the ball.
MujocoModel before_a_wall(const Chain& chain, const Vec3d& tip) {
  std::string text = to_mjcf(chain);
  std::ostringstream ball, wall;
  ball.precision(17);
  wall.precision(17);
  const char* contact = "condim=\"1\" solref=\"0.001 1\" solimp=\"0.98 0.98 0.001\"";
  ball << "<geom size=\"" << kBall << "\" mass=\"0\" " << contact << " pos=\""
       << chain.tip_pose().p.transpose() << "\"/>";
  wall << "<geom type=\"box\" size=\"0.1 1 1\" " << contact << " pos=\""
       << tip.x() + kBall + kGap + 0.1 << " " << tip.y() << " " << tip.z() << "\"/>";
  text.insert(text.find("</body>"), ball.str());
  text.insert(text.find("</worldbody>"), wall.str());
  MujocoModel model = load_text(text, "wall");
  if (model != nullptr) model->opt.timestep = 0.25 * kPeriod;
  return model;
}

double pushed(const mjModel& model, mjData& data) {
  double sum = 0.0;
  for (int k = 0; k < data.ncon; ++k) {
    mjtNum force[6];
    mj_contactForce(&model, &data, k, force);
    sum += force[0];
  }
  return sum;
}

TEST(MujocoWall, TheForceIsStiffnessTimesPenetration) {
  constexpr double kStiffness = 1000.0, kDeep = 0.03;
  const ChainPtr chain = without_friction(*load_robot("arm7"));
  Tip tip(chain);
  tip.move_to(bent_elbow());
  const Posed begin = tip.pose();
  const MujocoModel model = before_a_wall(*chain, begin.p);
  ASSERT_NE(model, nullptr);
  const MujocoData data(mj_makeData(model.get()));
  Eigen::Map<VecXd>(data->qpos, 7) = bent_elbow();
  ControllerParameters parameters = parameters_at_tip(*chain, Law::kImpedance);
  parameters.law.task.stiffness.head<3>().setConstant(kStiffness);
  Controller controller = take(Controller::make(chain, parameters));
  VecXd torque(7);
  ASSERT_EQ(tip.solver.gravity_torque(bent_elbow(), torque), Status::kOk);
  ASSERT_EQ(controller.activate(torque), Status::kOk);
  Reference reference(7);
  reference.q = bent_elbow();
  reference.tip.given = true;
  reference.tip.pose = begin;
  JointState measured(7);
  double force = 0.0, least = kInfinity, most = 0.0;
  bool touched = false;
  int parted = 0;  // periods without contact, after the first one with it
  for (int k = 0; k < 4000; ++k) {
    measured.q = Eigen::Map<VecXd>(data->qpos, 7);
    measured.qd = Eigen::Map<VecXd>(data->qvel, 7);
    reference.tip.pose.p.x() = begin.p.x() + kDeep * std::min(1.0, 1e-3 * k);
    const ControlOutput& out = controller.update(k * kPeriod, measured, reference, kPeriod);
    ASSERT_EQ(out.mode, ControlMode::kTracking) << to_string(out.status);
    Eigen::Map<VecXd>(data->qfrc_applied, 7) = out.torque;
    for (int i = 0; i < 4; ++i) mj_step(model.get(), data.get());
    force = pushed(*model, *data);
    touched = touched || force > 0.0;
    if (touched && force == 0.0) ++parted;
    if (k < 3000) continue;
    least = std::min(least, force);
    most = std::max(most, force);
  }
  tip.move_to(measured.q);
  const double penetration = reference.tip.pose.p.x() - tip.pose().p.x();
  fmt::print(
      "MuJoCo's contact {:.3f} N, stiffness x penetration {:.3f} N, within {:.2g} N for the last "
      "second, {} periods apart\n",
      force, kStiffness * penetration, most - least, parted);
  EXPECT_GT(force, 15.0);
  EXPECT_NEAR(force, kStiffness * penetration, 0.05 * force);
  EXPECT_LT(most - least, 0.01 * force) << "chatter";
  EXPECT_LT(parted, 100) << "it bounced";
}

}  // namespace
}  // namespace dyn::test::peer_mujoco_wall_tests
