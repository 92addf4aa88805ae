// The monitor keeps a working model whatever comes, and its services answer or say what is wrong.
#include <fstream>
#include <sstream>

#include "dyn_core/inspect/monitor.hpp"
#include "dyn_core/inspect/request.hpp"
#include "long_robot.hpp"
#include "support.hpp"

namespace dyn::test::inspect_monitor_tests {
namespace {

using namespace inspect;

std::string text_of(const std::string& robot) {
  std::ifstream file(robot_path(robot));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Settings at_tool() {
  Settings settings;
  settings.urdf.tip = "tool0";
  return settings;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Monitor, RefusedDescriptionsLeaveTheModelInUse) {
  Monitor monitor(at_tool());
  EXPECT_FALSE(monitor.load("<robot").has_value());
  EXPECT_FALSE(monitor.loaded());
  EXPECT_EQ(monitor.diagnose_model(0.0).level, Level::kError);
  EXPECT_TRUE(contains(monitor.diagnose_model(0.0).message, "was refused"));
  EXPECT_EQ(monitor.report().chain, nullptr);

  ASSERT_TRUE(monitor.load(text_of("arm7")).value());
  EXPECT_FALSE(monitor.load(text_of("arm7")).value()) << "the same once more";
  EXPECT_EQ(monitor.report().message, "ok");
  const std::string hash = monitor.report().description_hash;

  const auto refused = monitor.load("not a robot");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(monitor.report().message, refused.error().sentence);
  EXPECT_EQ(monitor.report().description_hash, hash);
  EXPECT_EQ(monitor.chain().name(), "arm7");
  EXPECT_TRUE(contains(monitor.diagnose_model(0.0).message, "the one before is in use"));

  EXPECT_TRUE(monitor.load(text_of("puma560")).value());
  EXPECT_EQ(monitor.report().message, "ok");
  EXPECT_NE(monitor.report().description_hash, hash);
}

TEST(Monitor, RefusesMoreJointsThanItCanComputeInTime) {
  Monitor monitor;
  EXPECT_TRUE(monitor.load(long_robot(kMostCoordinates)).has_value());
  const auto refused = monitor.load(long_robot(kMostCoordinates + 1));
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(contains(refused.error().sentence, "101 moving joints, more than 100"));
  EXPECT_EQ(monitor.chain().dof(), kMostCoordinates) << "the one before stays in use";
}

// arm7 with a cylinder in place of every <inertial>.
std::string arm_of_tubes() {
  std::string text = text_of("arm7");
  for (std::size_t at = text.find("<inertial>"); at != std::string::npos;
       at = text.find("<inertial>")) {
    text.replace(
        at, text.find("</inertial>", at) + 11 - at,
        "<visual><geometry><cylinder radius=\"0.05\" length=\"0.2\"/></geometry></visual>");
  }
  return text;
}

TEST(Monitor, EstimatesInertiaWhereItIsAskedTo) {
  Monitor monitor(at_tool());
  ASSERT_TRUE(monitor.load(arm_of_tubes()).has_value());
  EXPECT_FALSE(monitor.chain().has_dynamics());
  EXPECT_TRUE(contains(monitor.diagnose_model(0.0).message, "kinematics only"));
  Settings settings = at_tool();
  settings.estimate_inertia = "a lot";
  EXPECT_TRUE(contains(monitor.apply(settings).error().sentence, "total mass"));
  settings.estimate_inertia = "20";
  ASSERT_TRUE(monitor.apply(settings).value());
  EXPECT_NEAR(monitor.chain().total_mass(), 20.0, 1e-9);
  EXPECT_FALSE(monitor.chain().estimated().empty());
  EXPECT_TRUE(contains(monitor.report().chain->name(), "estimated"));
  const Diagnostic diagnostic = monitor.diagnose_model(0.0);
  EXPECT_EQ(diagnostic.level, Level::kWarning);
  EXPECT_TRUE(contains(diagnostic.message, "estimated by dyn from the shapes"))
      << diagnostic.message;
  ASSERT_TRUE(monitor.apply(at_tool()).value());
  EXPECT_FALSE(monitor.chain().has_dynamics());
}

// A sentence for every front end: an option's name, not how one of them writes it.
TEST(Monitor, SentencesNameNoOptionOfTheCommandLine) {
  std::string text = text_of("arm7");
  const std::size_t at = text.find("<mass value=\"", text.find("<link name=\"link3\""));
  text.insert(at + std::string("<mass value=\"").size(), "-");
  Monitor monitor(at_tool());
  const auto refused = monitor.load(text);
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(contains(refused.error().sentence, "allow_nonphysical")) << refused.error().sentence;
  EXPECT_FALSE(contains(refused.error().sentence, "--")) << refused.error().sentence;
  Settings settings = at_tool();
  settings.urdf.allow_nonphysical = true;
  ASSERT_TRUE(monitor.apply(settings).has_value());
}

TEST(Monitor, SettingsAreTakenAllOrNothing) {
  Monitor monitor(at_tool());
  ASSERT_TRUE(monitor.load(text_of("arm7")).has_value());
  Settings settings = at_tool();
  settings.urdf.gravity = Vec3d(1.0, 2.0, 3.0);
  settings.urdf.tip = "nowhere";
  const auto refused = monitor.apply(settings);
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(contains(refused.error().sentence, "nowhere"));
  EXPECT_EQ(monitor.inspector().gravity(), Vec3d(0.0, 0.0, -9.81));

  settings.urdf.tip = "tool0";
  EXPECT_FALSE(monitor.apply(settings).value()) << "gravity needs no new model";
  EXPECT_EQ(monitor.inspector().gravity(), Vec3d(1.0, 2.0, 3.0));
  settings.algorithms.mass_matrix = "crba";
  EXPECT_TRUE(monitor.apply(settings).value());
  EXPECT_EQ(monitor.inspector().algorithms().mass_matrix, "crba");
  EXPECT_EQ(monitor.inspector().gravity(), Vec3d(1.0, 2.0, 3.0));
}

TEST(Monitor, SettingsThatMakeNoSenseAreRefused) {
  const Monitor monitor(at_tool());
  Settings settings = at_tool();
  settings.urdf.payload.mass = -1.0;
  EXPECT_TRUE(contains(monitor.check(settings).error().sentence, "payload"));
  settings = at_tool();
  settings.urdf.gravity.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(contains(monitor.check(settings).error().sentence, "gravity"));
  settings = at_tool();
  settings.markers.show = {"halo"};
  EXPECT_TRUE(contains(monitor.check(settings).error().sentence, "'halo'"));
}

TEST(Monitor, PayloadActsOnceAndSurvivesAReload) {
  Settings settings = at_tool();
  settings.urdf.payload.mass = 2.0;
  Monitor monitor(settings);
  for (const char* robot : {"arm7", "puma560"}) {
    ASSERT_TRUE(monitor.load(text_of(robot)).has_value());
    const VecXd q = VecXd::Constant(monitor.chain().dof(), 0.3);
    JointDynamics with(q.size());
    ASSERT_EQ(monitor.inspector().joint_dynamics(q, q, with), Status::kOk);
    auto solver = Solver::make(load_robot(robot)).value();
    solver.set_payload(settings.urdf.payload);
    VecXd g(q.size());
    ASSERT_EQ(solver.gravity_torque(q, g), Status::kOk);
    EXPECT_EQ(with.gravity_torque, g);
  }
}

TEST(Monitor, RatesSayWhatIsDue) {
  Settings settings = at_tool();
  settings.rates[index(Output::kMassMatrix)] = 10.0;
  Monitor monitor(settings);
  int sent = 0, power = 0;
  for (int k = 0; k < 1000; ++k) {
    const OutputSet due = monitor.due(1e-3 * k);
    sent += due.test(index(Output::kMassMatrix));
    power += due.test(index(Output::kInertiaPower));
  }
  EXPECT_NEAR(sent, 10, 1);
  EXPECT_EQ(power, 0) << "off by default";
}

// Whenever a rate was set: what has the same rate is due with the same joint states.
TEST(Monitor, OutputsOfEqualRateAreDueTogether) {
  Settings settings = at_tool();
  settings.rates[index(Output::kDiagonalized)] = 0.0;
  Monitor monitor(settings);
  int together = 0, alone = 0;
  for (int k = 0; k < 2000; ++k) {
    if (k == 333) {
      settings.rates[index(Output::kDiagonalized)] = 50.0;
      ASSERT_TRUE(monitor.apply(settings).has_value());
    }
    const OutputSet due = monitor.due(7.0 + 1e-3 * k);
    const bool mass_matrix = due.test(index(Output::kMassMatrix));
    const bool diagonalized = due.test(index(Output::kDiagonalized));
    if (k > 333) (mass_matrix == diagonalized ? together : alone) += mass_matrix || diagonalized;
  }
  EXPECT_EQ(alone, 0);
  EXPECT_NEAR(together, 83, 2);
}

TEST(Monitor, ComputesWhatIsAskedForAndSaysWhatCouldNotBe) {
  Monitor monitor(at_tool());
  ASSERT_TRUE(monitor.load(text_of("arm7")).has_value());
  const std::vector<std::string> names = monitor.chain().coordinate_names();
  const std::vector<double> values(names.size(), 0.3);
  ASSERT_TRUE(monitor.take({names, values, values, values}, 1.0));
  OutputSet wanted;
  wanted.set(index(Output::kMassMatrix)).set(index(Output::kGravityTorque));
  EXPECT_EQ(monitor.compute(wanted), wanted);
  EXPECT_TRUE(monitor.values().power.empty()) << "nobody asked for n³ numbers";
  auto solver = Solver::make(load_robot("arm7")).value();
  const VecXd q = VecXd::Constant(7, 0.3);
  MatXd M(7, 7);
  ASSERT_EQ(solver.mass_matrix(q, M), Status::kOk);
  EXPECT_EQ(monitor.values().mass_matrix, M);
  wanted.set();
  EXPECT_TRUE(monitor.compute(wanted).all());
  EXPECT_EQ(monitor.values().power.size(), 7u);

  const std::vector<double> huge(names.size(), 1e200);
  ASSERT_TRUE(monitor.take({names, values, huge, {}}, 1.0));
  const OutputSet computed = monitor.compute(wanted);
  EXPECT_TRUE(computed.test(index(Output::kMassMatrix)));
  EXPECT_FALSE(computed.test(index(Output::kJointDynamics)));
  EXPECT_NE(monitor.values().status[index(Output::kJointDynamics)], Status::kOk);
}

TEST(Monitor, DiagnosesJointStates) {
  Monitor monitor(at_tool());
  EXPECT_EQ(monitor.diagnose_joint_states(0.0).message, "waiting for a robot description");
  ASSERT_TRUE(monitor.load(text_of("arm7")).has_value());
  EXPECT_EQ(monitor.diagnose_joint_states(0.0).level, Level::kWarning);
  const std::vector<std::string> names = monitor.chain().coordinate_names();
  const std::vector<double> zero(names.size(), 0.0);
  EXPECT_TRUE(monitor.take({names, zero, {}, {}}, 1.0));
  EXPECT_EQ(monitor.diagnose_joint_states(1.5).message, "joint states arrive");
  EXPECT_EQ(monitor.diagnose_joint_states(1.5).level, Level::kOk);
  EXPECT_EQ(monitor.diagnose_joint_states(3.0).level, Level::kError);
  bool has_condition = false;
  for (const auto& [key, value] : monitor.diagnose_model(1.5).values) {
    has_condition = has_condition || key == "condition number of the mass matrix";
  }
  EXPECT_TRUE(has_condition);
}

TEST(Monitor, ReportsEveryLinkInItsOwnFrame) {
  Monitor monitor(at_tool());
  ASSERT_TRUE(monitor.load(text_of("arm7")).has_value());
  const Report report = monitor.report();
  ASSERT_EQ(report.links.size(), 7u);
  double mass = report.chain->base_body().mass;
  for (const LinkReport& link : report.links) {
    EXPECT_EQ(link.level, Level::kOk) << link.text;
    mass += link.body.mass;
  }
  EXPECT_NEAR(mass, report.chain->total_mass(), 1e-12);
  EXPECT_EQ(report.links.front().joint, "joint1");
  EXPECT_FALSE(report.links.back().carried.empty());
}

class Request : public testing::Test {
 protected:
  ChainPtr chain = load_robot("planar3r");
  std::vector<std::string> names = chain->coordinate_names();
  JointStateMatcher latest{*chain, 1.0};
  const std::vector<double> one_two_three = {1, 2, 3};
};

TEST_F(Request, GivenStatesAreArranged) {
  const std::vector<std::string> turned = {names[2], names[0], names[1]};
  const auto state =
      requested_state(*chain, {turned, one_two_three, one_two_three}, latest, 0.0).value();
  EXPECT_EQ(state.q, Vec3d(2, 3, 1));
  EXPECT_EQ(state.qd, Vec3d(2, 3, 1));
  EXPECT_EQ(requested_state(*chain, {{}, one_two_three, {}}, latest, 0.0)->qd, Vec3d::Zero());
  EXPECT_EQ(requested_torque(*chain, {{}, one_two_three, {}}, {}, latest).value(), Vec3d::Zero());
}

TEST_F(Request, TheLatestStateStandsInForWhatIsMissing) {
  EXPECT_TRUE(contains(requested_state(*chain, {}, latest, 5.0).error().sentence,
                       "no joint state was received yet"));
  ASSERT_EQ(latest.take({names, one_two_three, one_two_three, {}}, 5.0), Match::kComplete);
  EXPECT_EQ(requested_state(*chain, {}, latest, 5.0)->q, Vec3d(1, 2, 3));
  EXPECT_EQ(requested_state(*chain, {}, latest, 5.0)->qd, Vec3d(1, 2, 3));
  EXPECT_FALSE(requested_state(*chain, {}, latest, 7.0).has_value()) << "too old";
  EXPECT_TRUE(contains(requested_torque(*chain, {}, {}, latest).error().sentence, "no effort"));
}

TEST_F(Request, MistakesAreNamed) {
  const auto sentence = [&](const std::vector<std::string>& joints,
                            const std::vector<double>& values) {
    const auto result = arranged(*chain, joints, values, "position");
    return result ? "accepted" : result.error().sentence;
  };
  EXPECT_TRUE(contains(sentence({}, {1, 2}), "2 values of position for the 3 joints"));
  EXPECT_TRUE(contains(sentence(names, {1}), "1 values of position for 3 joint names"));
  EXPECT_TRUE(contains(sentence({names[0], names[1], "elbow"}, {1, 2, 3}), "no joint 'elbow'"));
  EXPECT_TRUE(contains(sentence({names[0], names[1]}, {1, 2}), "'" + names[2] + "' is missing"));
  EXPECT_TRUE(contains(sentence({names[0], names[1], names[0]}, {1, 2, 3}), "more than once"));
  EXPECT_TRUE(contains(sentence({}, {1, 2, INFINITY}), "'" + names[2] + "' is not finite"));
}

TEST(Requests, AWrenchIsFiniteAndInTheBaseLinksFrame) {
  const Wrench wrench{Vec3d(1.0, 2.0, 3.0), Vec3d(4.0, 5.0, 6.0)};
  for (const char* frame : {"", "base_link"}) {
    EXPECT_EQ(requested_wrench("base_link", frame, wrench).value().force, wrench.force);
  }
  EXPECT_EQ(requested_wrench("base_link", "tool0", wrench).error().sentence,
            "the wrench is given in 'tool0', but it has to be in the frame of the base link "
            "'base_link'");
  const Wrench wrong{Vec3d(1.0, NAN, 3.0), Vec3d::Zero()};
  EXPECT_TRUE(contains(requested_wrench("base_link", "", wrong).error().sentence, "not finite"));
}

TEST(Requests, AGravityThatCannotBeIsNamedInWords) {
  EXPECT_EQ(checked_gravity(Vec3d(-NAN, 0.0, 0.0)).error().sentence,
            "the gravity is not finite; give three values in m/s²");
  EXPECT_TRUE(contains(checked_gravity(Vec3d(0.0, 0.0, -9810.0)).error().sentence,
                       "a gravity of 9810 m/s² cannot be"));
  EXPECT_TRUE(contains(checked_gravity(Vec3d(0.0, 0.0, 1e300)).error().sentence, "cannot be"));
}

TEST(Prediction, FollowsTheDynamicsAndReachesTheDuration) {
  auto inspector = Inspector::make(load_robot("arm7")).value();
  JointState start(7);
  start.q.setConstant(0.4);
  VecXd hold(7);
  ASSERT_EQ(inspector.solver().gravity_torque(start.q, hold), Status::kOk);
  const auto still = inspector.predict(start, hold, {.duration = 0.35, .step = 0.1}).value();
  ASSERT_EQ(still.status, Status::kOk);
  EXPECT_EQ(still.times, (std::vector<double>{0.0, 0.1, 0.2, 3 * 0.1, 0.35}));
  EXPECT_LT((still.states.back().q - start.q).norm(), 1e-9);
  EXPECT_LT(still.accelerations.back().norm(), 1e-6);
  const auto fall =
      inspector.predict(start, VecXd::Zero(7), {.duration = 0.3, .step = 0.1}).value();
  EXPECT_NEAR(fall.energies.back(), fall.energies.front(), 1e-3 * std::abs(fall.energies.front()));
  EXPECT_GT((fall.states.back().q - start.q).norm(), 0.1);
  EXPECT_FALSE(inspector.predict(start, hold, {.duration = -1.0}).has_value());
}

TEST(Prediction, NobodyWaitsForAVeryLongOne) {
  auto inspector = Inspector::make(load_robot("arm7")).value();
  const JointState start(7);
  const VecXd torque = VecXd::Zero(7);
  const auto sentence = [&](double duration, double step) {
    const auto motion =
        inspector.predict(start, torque, {.duration = duration, .step = step, .max_step = 1e-3});
    return motion ? "accepted" : motion.error().sentence;
  };
  EXPECT_EQ(sentence(1000.0, 1.0),
            "a motion of 1000 s is too long to predict in steps of 0.001 s; give at most 10 s");
  EXPECT_TRUE(contains(sentence(1e9, 0.1), "too long"));
  EXPECT_TRUE(contains(sentence(1.0, 1e-5), "at most 10001 points"));
  EXPECT_TRUE(contains(sentence(1.0, INFINITY), "makes no sense"));
  EXPECT_TRUE(contains(sentence(INFINITY, 1.0), "give a positive one"));
  EXPECT_EQ(sentence(0.1, 5.0), "accepted");
}

TEST(Snapshot, AgreesWithItself) {
  auto inspector = Inspector::make(load_robot("arm7")).value();
  const VecXd q = VecXd::LinSpaced(7, -0.5, 0.7), qd = VecXd::LinSpaced(7, 1.0, -1.0);
  Snapshot all(7);
  ASSERT_EQ(inspector.snapshot(q, qd, all), Status::kOk);
  EXPECT_LT((all.mass_matrix * all.mass_matrix_inverse - MatXd::Identity(7, 7)).norm(), 1e-9);
  EXPECT_LT((all.U * all.D.asDiagonal() * all.U.transpose() - all.mass_matrix).norm(), 1e-12);
  EXPECT_LT((all.coriolis_matrix * qd - all.joint_dynamics.coriolis_torque).norm(), 1e-11);
  EXPECT_NEAR(all.joint_dynamics.kinetic_energy, 0.5 * qd.dot(all.mass_matrix * qd), 1e-12);
  EXPECT_GE(all.condition_number, 1.0);
  EXPECT_GT(all.manipulability, 0.0);
}

}  // namespace
}  // namespace dyn::test::inspect_monitor_tests
