// The control loop closed on an arm that others simulate: MuJoCo reads the same robot description with
// its own reader and moves it with its own equations, friction and integrator.
#include "control_support.hpp"
#include "dyn_core/motion/trajectory.hpp"
#include "dyn_core/robot/urdf.hpp"
#include "peer_mujoco.hpp"

namespace dyn::test::peer_mujoco_control_tests {
namespace {

constexpr double kPeriod = 1e-3;

// arm7's description with its fingers welded on, for they are no part of the chain.
std::string arm7_text() {
  std::ifstream file(std::string(DYN_ROBOTS_DIR) + "/arm7.urdf");
  std::ostringstream text;
  text << file.rdbuf();
  std::string out = text.str();
  for (const char* finger : {"finger_left", "finger_right"}) {
    const std::string joint = std::string("<joint name=\"") + finger;
    const std::size_t begin = out.find(joint), type = out.find("prismatic", begin);
    EXPECT_NE(begin, std::string::npos);
    EXPECT_LT(type, out.find('>', begin));
    out.replace(type, std::string("prismatic").size(), "fixed");
  }
  const std::size_t open = out.find('>', out.find("<robot"));
  return out.insert(open + 1,
                    "<mujoco><compiler balanceinertia=\"false\" discardvisual=\"true\"/></mujoco>");
}

ChainPtr chain_of(const std::string& text) {
  UrdfOptions options;
  options.tip = "tool0";
  return take(parse_urdf(text, options));
}

// Nothing of the scene but the arm's own dynamics: no contacts. MuJoCo's Coulomb friction is soft; here it
// is made as hard as the step allows, in order to be that of the robot description.
MujocoModel plant_of(const std::string& text, double step) {
  MujocoModel model = load_text(text, "arm7_urdf");
  if (model == nullptr) return model;
  model->opt.timestep = step;
  model->opt.disableflags |= mjDSBL_CONTACT;
  for (int i = 0; i < model->nv; ++i) {
    mjtNum* const reference = model->dof_solref + i * mjNREF;
    mjtNum* const impedance = model->dof_solimp + i * mjNIMP;
    reference[0] = 2.0 * step;
    impedance[0] = impedance[1] = 0.9999;
  }
  return model;
}

struct Outcome {
  double peak = 0.0, prediction = 0.0;
  Index tracking = 0, updates = 0;
};

// A cycloid of 2 s through a good part of the workspace, at up to 1.2 rad/s.
Outcome follow(const ChainPtr& chain, const mjModel& model,
               const ControllerParameters& parameters) {
  constexpr int kSteps = 4;
  const MujocoData data(mj_makeData(&model));
  const TrajectoryPtr trajectory = take(cycloid(first_posture(), last_posture(), 2.0));
  Controller controller = take(Controller::make(chain, parameters));
  Solver solver = solver_of(chain);
  VecXd torque(7);
  EXPECT_EQ(solver.gravity_torque(first_posture(), torque), Status::kOk);
  EXPECT_EQ(controller.activate(torque), Status::kOk);
  Eigen::Map<VecXd>(data->qpos, 7) = first_posture();
  JointState measured(7);
  Reference reference(7), ahead(7);
  Outcome outcome;
  for (double t = 0.0; t < 2.0; t += kPeriod) {
    measured.q = Eigen::Map<VecXd>(data->qpos, 7);
    measured.qd = Eigen::Map<VecXd>(data->qvel, 7);
    EXPECT_EQ(trajectory->evaluate(t, reference.q, reference.qd, reference.qdd), Status::kOk);
    outcome.peak = std::max(outcome.peak, (reference.q - measured.q).norm());
    extrapolate(reference, controller.lookahead(), ahead);
    const ControlOutput& output = controller.update(t, measured, ahead, kPeriod);
    ++outcome.updates;
    outcome.tracking += output.mode == ControlMode::kTracking ? 1 : 0;
    outcome.prediction = std::max(outcome.prediction, controller.predictor().error().q.norm());
    Eigen::Map<VecXd>(data->qfrc_applied, 7) = output.torque;
    for (int k = 0; k < kSteps; ++k) mj_step(&model, data.get());
  }
  return outcome;
}

TEST(MujocoControl, TheLawFollowsWithinTwoMilliradians) {
  const std::string text = arm7_text();
  const ChainPtr chain = chain_of(text);
  const MujocoModel plant = plant_of(text, 0.25 * kPeriod);
  ASSERT_NE(plant, nullptr);
  ASSERT_EQ(plant->nv, 7);
  for (const Law law : {Law::kComputedTorque, Law::kQuasiVelocity}) {
    for (const bool predict : {false, true}) {
      ControllerParameters parameters(*chain);
      parameters.law.law = law;
      parameters.law.ramp_in = 0.0;
      parameters.predict = parameters.observe = predict;
      const Outcome outcome = follow(chain, *plant, parameters);
      EXPECT_LT(outcome.peak, 2e-3) << entry_of(law).name << ", prediction " << predict;
      EXPECT_EQ(outcome.tracking, outcome.updates);
      EXPECT_LT(outcome.prediction, predict ? 1e-4 : 1e-12);
    }
  }
}

TEST(MujocoControl, InverseDynamicsAgreesAlongTheMotion) {
  const ChainPtr chain = without_friction(*load_robot("arm7"));
  const MujocoModel model = load(*chain);
  ASSERT_NE(model, nullptr);
  const MujocoData data(mj_makeData(model.get()));
  const TrajectoryPtr trajectory = take(cycloid(first_posture(), last_posture(), 2.0));
  Solver solver = solver_of(chain);
  VecXd q(7), qd(7), qdd(7), torque(7);
  for (double t = 0.0; t <= 2.0; t += 0.01) {
    ASSERT_EQ(trajectory->evaluate(t, q, qd, qdd), Status::kOk);
    ASSERT_EQ(solver.inverse_dynamics(q, qd, qdd, torque), Status::kOk);
    Eigen::Map<VecXd>(data->qpos, 7) = q;
    Eigen::Map<VecXd>(data->qvel, 7) = qd;
    Eigen::Map<VecXd>(data->qacc, 7) = qdd;
    mj_inverse(model.get(), data.get());
    const VecXd theirs = Eigen::Map<VecXd>(data->qfrc_inverse, 7);
    EXPECT_LE((torque - theirs).lpNorm<Eigen::Infinity>(), 1e-8) << "at " << t << " s";
  }
}

}  // namespace
}  // namespace dyn::test::peer_mujoco_control_tests
