// A free double pendulum simulated here and by MuJoCo, with equal steps. The two descriptions are written
// apart from each other.
#include <cstdio>
#include <fstream>
#include <memory>

#include <mujoco/mujoco.h>
#include <unistd.h>

#include "motion/simulation_support.hpp"

namespace dyn::test::peer_mujoco_pendulum_tests {
namespace {

constexpr const char* kUrdf = R"(<robot name="pendulum">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.03 0 -0.2"/><mass value="1.5"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.021" iyz="0" izz="0.01"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0.02 -0.3"/><mass value="0.8"/>
    <inertia ixx="0.015" ixy="0" ixz="0" iyy="0.016" iyz="0" izz="0.005"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0.05 -0.5"/><axis xyz="1 0 0"/></joint></robot>)";

constexpr const char* kMjcf = R"(<mujoco><compiler angle="radian"/>
  <option gravity="0 0 -9.81" timestep="0.001" integrator="%s"/><worldbody>
  <body><inertial pos="0.03 0 -0.2" mass="1.5" diaginertia="0.02 0.021 0.01"/>
    <joint axis="0 1 0"/>
    <body pos="0 0.05 -0.5"><inertial pos="0 0.02 -0.3" mass="0.8" diaginertia="0.015 0.016 0.005"/>
      <joint axis="1 0 0"/></body></body></worldbody></mujoco>)";

struct Deleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};

std::unique_ptr<mjModel, Deleter> load(const char* integrator) {
  char text[2000];
  std::snprintf(text, sizeof text, kMjcf, integrator);
  const std::string path = ::testing::TempDir() + "peer_mujoco_pendulum_" + integrator + "_" +
                           std::to_string(getpid()) + ".xml";
  std::ofstream(path) << text;
  char message[500] = "";
  std::unique_ptr<mjModel, Deleter> model(
      mj_loadXML(path.c_str(), nullptr, message, sizeof message));
  EXPECT_NE(model, nullptr) << message;
  std::remove(path.c_str());
  return model;
}

// Round-off only: the same method with the same step makes the same error.
void expect_same_motion(const char* mujoco_integrator, Integrator integrator) {
  const auto model = load(mujoco_integrator);
  ASSERT_NE(model, nullptr);
  const std::unique_ptr<mjData, Deleter> data(mj_makeData(model.get()));
  const auto chain = parse_urdf(kUrdf);
  ASSERT_TRUE(chain) << chain.error().sentence;
  SimulationOptions options;
  options.duration = 1.0;
  options.step = 0.001;
  options.integrator = integrator;
  const VecXd q0 = Eigen::Vector2d(1.9, 0.7);
  const Motion motion = run(*chain, options, q0);
  ASSERT_EQ(motion.error, "");
  Eigen::Map<VecXd> q(data->qpos, 2), qd(data->qvel, 2);
  q = q0;
  qd.setZero();
  double worst = 0.0;
  for (std::size_t i = 0; i < motion.q.size(); ++i) {
    worst = std::max({worst, largest(motion.q[i] - q), largest(motion.qd[i] - qd)});
    mj_step(model.get(), data.get());
  }
  EXPECT_EQ(motion.q.size(), 1001u);
  EXPECT_GT(largest(motion.q.back() - q0), 0.5);  // it did swing
  EXPECT_LE(worst, 1e-10);
}

TEST(MujocoPendulum, SemiImplicitStepsAgree) {
  expect_same_motion("Euler", Integrator::kSemiImplicit);
}

TEST(MujocoPendulum, RungeKuttaStepsAgree) { expect_same_motion("RK4", Integrator::kRk4); }

}  // namespace
}  // namespace dyn::test::peer_mujoco_pendulum_tests
