// Robots without inertia: kinematics as ever, and one sentence for what needs it.
#include "dyn_core/inspect/monitor.hpp"
#include "dyn_core/solver.hpp"
#include "robot/urdf_sentences.hpp"

namespace dyn::test::missing_inertia_tests {
namespace {

UrdfText bare_robot(Index n, std::uint64_t seed) {
  UrdfText robot = random_robot(n, seed);
  for (TextLink& link : robot.links) link.has_inertial = false;
  return robot;
}

ChainPtr chain_of(const UrdfText& robot) {
  const auto chain = parse_urdf(to_text(robot), {.tip = "tip"});
  EXPECT_TRUE(chain) << (chain ? "" : chain.error().sentence);
  return chain ? *chain : nullptr;
}

TEST(MissingInertia, KinematicsAreThoseOfTheRobotWithInertia) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto n = static_cast<Index>(1 + seed % 8);
    const ChainPtr with = chain_of(random_robot(n, seed)), without = chain_of(bare_robot(n, seed));
    ASSERT_TRUE(with && without);
    EXPECT_TRUE(with->has_dynamics());
    EXPECT_TRUE(with->missing_inertia().empty());
    EXPECT_FALSE(without->has_dynamics());
    ASSERT_EQ(without->missing_inertia().size(), static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < without->joints().size(); ++i) {
      EXPECT_EQ(without->missing_inertia()[i].joint, without->joints()[i].name);
      EXPECT_EQ(without->missing_inertia()[i].link, without->links()[i].name);
    }
    Random random(seed);
    VecXd q(n);
    for (double& x : q) x = random.uniform(-2.0, 2.0);
    Kinematics<double> a(with), b(without);
    ASSERT_EQ(a.update(q), Status::kOk);
    ASSERT_EQ(b.update(q), Status::kOk);
    EXPECT_EQ(a.tip_pose().p, b.tip_pose().p);
    EXPECT_EQ(a.tip_pose().R, b.tip_pose().R);
  }
}

TEST(MissingInertia, TheSentenceNamesTheLinks) {
  const ChainPtr chain = chain_of(bare_robot(7, 1));
  expect_sentence(chain->objection_to_dynamics(),
                  {"'link1'", "'link5' and 2 more", "joint 'joint1'", "--estimate-inertia"},
                  "bare");
  const auto solver = Solver::make(chain);
  ASSERT_FALSE(solver);
  EXPECT_EQ(solver.error().sentence, chain->objection_to_dynamics());
  const std::string folder = DYN_TEST_DATA_DIR "/urdf/";
  const auto refusal = [&](const std::string& file) {
    return Solver::make(load_urdf(folder + file).value()).error().sentence;
  };
  expect_sentence(refusal("massless_end.urdf"),
                  {"joint 'elbow'", "no mass", "<inertial>", "armature"}, "massless end");
  expect_sentence(refusal("mass_on_the_axis.urdf"),
                  {"joint 'shoulder'", "no inertia about its axis", "armature"}, "on the axis");
}

TEST(MissingInertia, ALinkWithoutMassIsNamedWhereDynamicsExist) {
  UrdfText robot = random_robot(3, 2);
  for (TextLink& link : robot.links) link.has_inertial = link.name == "link3";
  const ChainPtr chain = chain_of(robot);
  EXPECT_TRUE(chain->has_dynamics());
  ASSERT_EQ(chain->missing_inertia().size(), 2u);
  EXPECT_TRUE(Solver::make(chain));
}

TEST(MissingInertia, ArmatureOrPayloadMakeUpForIt) {
  const std::string text = to_text(bare_robot(2, 3));
  const auto armed =
      parse_urdf(text, {.tip = "tip", .armature = {{"joint1", 0.1}, {"joint2", 0.1}}});
  ASSERT_TRUE(armed);
  EXPECT_TRUE((*armed)->has_dynamics());
  const RigidBody load{2.0, {0.1, 0.2, 0.3}, Mat3d::Identity()};
  const auto loaded = parse_urdf(text, {.tip = "tip", .payload = load});
  ASSERT_TRUE(loaded);
  EXPECT_TRUE((*loaded)->has_dynamics());
}

TEST(MissingInertia, EveryQueryOfAPermissiveSolverSaysSo) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ChainPtr chain = chain_of(bare_robot(4, seed));
    auto solver = Solver::make(chain, {.mass_matrix = "fast"}, Inertia::kIfThere);
    ASSERT_TRUE(solver) << solver.error().sentence;
    const VecXd q = VecXd::Zero(4);
    VecXd tau(4);
    MatXd M(4, 4), U(4, 4);
    Quasi quasi(4);
    Dynamics all(*chain);
    std::vector<MatXd> power(4, M);
    double energy = 0.0;
    const Status refused[] = {solver->mass_matrix(q, M),
                              solver->mass_matrix_inverse(q, M),
                              solver->factor(q, U, tau),
                              solver->coriolis_matrix(q, q, M),
                              solver->coriolis_torque(q, q, tau),
                              solver->gravity_torque(q, tau),
                              solver->bias_torque(q, q, tau),
                              solver->inverse_dynamics(q, q, q, tau),
                              solver->dynamics(q, q, all),
                              solver->forward_dynamics(q, q, q, tau),
                              solver->quasi(q, q, q, quasi),
                              solver->inertia_power(q, power),
                              solver->kinetic_energy(q, q, energy),
                              solver->potential_energy(q, energy)};
    for (const Status status : refused) EXPECT_EQ(status, Status::kNoInertia);
    EXPECT_EQ(solver->friction_torque(q, tau), Status::kOk);
  }
}

TEST(MissingInertia, TheMonitorGoesOnWithKinematics) {
  inspect::Monitor monitor;
  const auto loaded = monitor.load(to_text(bare_robot(3, 4)));
  ASSERT_TRUE(loaded) << loaded.error().sentence;
  EXPECT_EQ(monitor.report().chain->dof(), 3);
  const auto diagnostic = monitor.diagnose_model(0.0);
  EXPECT_EQ(diagnostic.level, inspect::Level::kError);
  EXPECT_NE(diagnostic.message.find("kinematics only"), std::string::npos);
  EXPECT_NE(diagnostic.message.find("'link1', 'link2', 'link3'"), std::string::npos);
  const std::vector<double> zeros(3, 0.0);
  ASSERT_TRUE(monitor.take({.names = monitor.chain().coordinate_names(),
                            .positions = zeros,
                            .velocities = zeros,
                            .efforts = zeros},
                           1.0));
  const inspect::OutputSet computed = monitor.compute(inspect::OutputSet().set());
  EXPECT_EQ(computed, inspect::OutputSet().set(inspect::index(inspect::Output::kMarkers)));
}

}  // namespace
}  // namespace dyn::test::missing_inertia_tests
