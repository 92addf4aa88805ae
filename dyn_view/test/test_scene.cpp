// The scene: frames against the solver, every command, what is refused.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>

#include <dyn_core/control/computed_torque.hpp>
#include <dyn_core/solver.hpp>

#include "view_support.hpp"

namespace dyn::view::test::scene_tests {

constexpr const char* kOk = R"({"ok":true})";

std::uint32_t head(const Message& message, std::size_t k) {
  std::uint32_t out = 0;
  std::memcpy(&out, message.bytes.data() + 4 * k, 4);
  return out;
}

std::map<std::string, VecXd> frame_of(const std::vector<MessagePtr>& messages, const Json& hello) {
  std::map<std::string, VecXd> out;
  for (auto m = messages.rbegin(); m != messages.rend() && out.empty(); ++m) {
    if (!(*m)->binary || head(**m, 0) != 0) continue;
    std::size_t at = 8;
    for (const Json& field : hello.at("layout")) {
      VecXd values(field.at("size").get<Index>());
      std::memcpy(values.data(), (*m)->bytes.data() + at, sizeof(double) * values.size());
      at += sizeof(double) * static_cast<std::size_t>(values.size());
      out[field.at("name")] = values;
    }
    EXPECT_EQ(at, (*m)->bytes.size());
  }
  return out;
}

// The last of them that says what is set.
Json controls_in(const std::vector<MessagePtr>& messages) {
  Json out;
  for (const MessagePtr& message : messages) {
    if (message->binary) continue;
    const Json json = Json::parse(message->bytes);
    if (json.contains("controls")) out = json["controls"];
  }
  return out;
}

TEST(Scene, AFrameIsWhatTheSolverSays) {
  for (const char* name : {"arm7", "stanford"}) {
    Stage stage(name);
    const Json hello = stage.hello();
    auto frame = frame_of(stage.play(64), hello);
    auto solver = Solver::make(stage.shown.chain).value();
    const Index n = solver.dof();
    MatXd M(n, n), U(n, n);
    VecXd D(n);
    ASSERT_EQ(solver.mass_matrix(frame.at("q"), M), Status::kOk);
    ASSERT_EQ(solver.factor(frame.at("q"), U, D), Status::kOk);
    const MatXd shown = Eigen::Map<const MatXd>(frame.at("M").data(), n, n);
    EXPECT_LT((shown - M).norm(), 1e-12 * M.norm()) << name;
    const MatXd upper = Eigen::Map<const MatXd>(frame.at("U").data(), n, n).transpose();
    EXPECT_LT((upper * frame.at("D").asDiagonal() * upper.transpose() - M).norm(),
              1e-10 * M.norm());
    const VecXd nu = frame.at("D").cwiseSqrt().asDiagonal() * upper.transpose() * frame.at("qd");
    EXPECT_LT((frame.at("nu") - nu).norm(), 1e-10 * (1.0 + nu.norm()));
    EXPECT_NEAR(frame.at("scalars")[0], 0.5 * frame.at("nu").squaredNorm(), 1e-9);
    const auto tip = frame.at("scalars").segment<3>(2);
    Kinematics<double> kinematics(stage.shown.chain);
    ASSERT_EQ(kinematics.update(frame.at("q")), Status::kOk);
    EXPECT_LT((tip - kinematics.tip_pose().p).norm(), 1e-12);
  }
}

TEST(Scene, TheTermsOfTheLawAreItsCommand) {
  Stage stage("arm7");
  const auto frame = frame_of(stage.play(64), stage.hello());
  const MatXd terms = Eigen::Map<const MatXd>(frame.at("terms").data(), 7, 8);
  EXPECT_LT((terms.rowwise().sum() - stage.arm.output().torque).norm(), 1e-9);
}

TEST(Scene, EveryCommandIsCarriedOut) {
  Stage stage("arm7");
  stage.play(16);
  const std::vector<std::pair<std::string, Json>> commands = {
      {"frequency", 12.0},       {"delay", 0.004},      {"predict", true},
      {"observer", "estimate"},  {"payload-mass", 2.0}, {"payload-known", false},
      {"gravity", {0, 0, 9.81}}, {"motion", "hold"},    {"record", true}};
  for (const auto& [name, value] : commands) {
    EXPECT_EQ(stage.set(name, value).dump(), kOk) << name;
    stage.play(16);
  }
  EXPECT_EQ(stage.arm.settings().frequency, 12.0);
  EXPECT_EQ(stage.arm.settings().delay, 0.004);
  EXPECT_TRUE(stage.arm.settings().predict);
  EXPECT_TRUE(stage.arm.settings().observe);
  EXPECT_FALSE(stage.arm.following());
  for (const LawEntry& law : control_laws()) {
    EXPECT_EQ(stage.set("law", std::string(law.name)).dump(), kOk);
    stage.play(32);
    EXPECT_EQ(stage.arm.settings().law, law.law);
  }
  for (const auto name : breakage_names()) {
    EXPECT_EQ(stage.set("fault", std::string(name)).dump(), kOk);
    stage.play(16);
    EXPECT_EQ(breakage_names()[static_cast<std::size_t>(stage.arm.breakage())], name);
  }
}

TEST(Scene, WhatOthersTellTheArmIsOnThePage) {
  Stage stage("arm7");
  EXPECT_EQ(stage.set("payload-mass", 1.0).dump(), kOk);
  const Json before = controls_in(stage.play(32));
  EXPECT_EQ(before.at("payload-mass"), 1.0);
  EXPECT_EQ(before.at("payload-known"), true);
  EXPECT_EQ(before.at("motion"), "sway");
  RigidBody load;
  load.mass = 3.0;
  stage.arm.set_payload(load);
  stage.arm.stop();
  stage.arm.inject(Breakage::kEffortClipped, 0.0);
  const Json after = controls_in(stage.play(32));
  EXPECT_EQ(after.at("payload-mass"), 3.0);
  EXPECT_EQ(after.at("payload-known"), false);
  EXPECT_EQ(after.at("motion"), "hold");
  EXPECT_EQ(after.at("fault"), "effort_clipped");
  EXPECT_EQ(stage.set("payload-known", true).dump(), kOk);
  EXPECT_EQ(controls_in(stage.play(32)).at("payload-known"), true);
  EXPECT_EQ(stage.arm.payload().mass, 3.0);
  EXPECT_EQ(stage.arm.known_payload().mass, 3.0);
}

TEST(Scene, AnArmInAHandStaysThereUnderAnotherLaw) {
  Stage stage("arm7");
  stage.play(16);
  ASSERT_EQ(stage.arm.guide(true), Status::kOk);
  EXPECT_EQ(stage.set("frequency", 12.0).dump(), kOk);
  stage.play(32);
  EXPECT_EQ(stage.arm.settings().frequency, 12.0);
  EXPECT_TRUE(stage.arm.guided());
}

TEST(Scene, JointsGoWhereTheyAreSent) {
  Stage stage("planar3r");
  stage.play(16);
  EXPECT_EQ(stage.set("joints", {0.3, -0.2, 0.1}).dump(), kOk);
  stage.play(5000);
  EXPECT_LT((stage.arm.state().q - Vec3d(0.3, -0.2, 0.1)).norm(), 2e-3);
}

TEST(Scene, APullMovesTheArmAndEndsWhenNobodyHoldsIt) {
  Stage stage("arm7");
  stage.play(16);
  const std::string tip = stage.shown.chain->tip();
  const Json pull = {{"link", tip}, {"point", {0, 0, 0}}, {"target", {0.9, 0.5, 0.3}}};
  EXPECT_EQ(stage.set("law", "gravity").dump(), kOk);
  stage.play(16);
  EXPECT_EQ(stage.set("drag", pull).dump(), kOk);
  stage.play(32);
  const double far = (Vec3d(0.9, 0.5, 0.3) - stage.arm.pulled_at()).norm();
  EXPECT_GT(stage.arm.pull_force().norm(), 1.0);
  stage.play(500);
  EXPECT_LT((Vec3d(0.9, 0.5, 0.3) - stage.arm.pulled_at()).norm(), far);
  EXPECT_EQ(stage.set("drag", nullptr).dump(), kOk);
  stage.play(16);
  EXPECT_EQ(stage.arm.pull_force().norm(), 0.0);
}

TEST(Scene, ARecordingIsTheMotion) {
  Stage stage("planar3r");
  stage.play(16);
  EXPECT_EQ(stage.set("csv", true).count("error"), 1U);
  EXPECT_EQ(stage.set("record", true).dump(), kOk);
  stage.play(400);
  EXPECT_EQ(stage.set("record", false).dump(), kOk);
  const Answer answer = stage.scene->command(R"({"set":"csv","value":true})");
  ASSERT_EQ(answer.mine.size(), 1U);
  const std::string csv = Json::parse(answer.mine.front()->bytes).at("csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "t,q_1,q_2,q_3,qd_1,qd_2,qd_3,tau_1,tau_2,tau_3");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 101);
}

TEST(Scene, WhatMakesNoSenseIsRefusedWithASentence) {
  Stage stage("arm7");
  stage.play(16);
  const std::vector<std::pair<std::string, Json>> wrong = {
      {"law", "magic"},
      {"law", 3},
      {"frequency", 1e9},
      {"frequency", "x"},
      {"delay", -1},
      {"predict", 1},
      {"observer", "maybe"},
      {"payload-mass", -1},
      {"payload-mass", 1e300},
      {"gravity", {0, 0}},
      {"gravity", {0, 0, "a"}},
      {"gravity", {0, 0, 1e5}},
      {"fault", "all"},
      {"joints", {1, 2}},
      {"joints", {99, 0, 0, 0, 0, 0, 0}},
      {"drag", 3},
      {"drag", {{"link", "nobody"}, {"point", {0, 0, 0}}, {"target", {0, 0, 0}}}},
      {"record", "yes"},
      {"robot", 3},
      {"robot", "<robot"},
      {"nothing", 1}};
  for (const auto& [name, value] : wrong) {
    const Json reply = stage.set(name, value);
    ASSERT_TRUE(reply.contains("error")) << name << ' ' << value;
    EXPECT_GT(reply["error"].get<std::string>().size(), 10U);
  }
  for (const char* text :
       {"", "[]", "{}", "{\"set\":1}", "null", "{\"set\":\"law\"}", "\xff\xfe"}) {
    EXPECT_TRUE(Json::parse(stage.scene->command(text).reply).contains("error")) << text;
  }
  stage.play(32);
  EXPECT_EQ(stage.arm.settings().law, Law::kComputedTorque);
}

TEST(Scene, WhatIsNestedDeepEndsNothing) {
  Stage stage("planar3r");
  for (const std::string value : {"[", R"({"a":)"}) {
    const std::string::size_type depth = 1'000'000;
    std::string text = R"({"set":"drag","value":)";
    for (std::size_t k = 0; k < depth; ++k) text += value;
    text += '1';
    for (std::size_t k = 0; k < depth; ++k) text += value == "[" ? ']' : '}';
    const Json reply = Json::parse(stage.scene->command(text + "}").reply);
    EXPECT_NE(reply.value("error", "").find("this is no command"), std::string::npos) << reply;
  }
}

TEST(Scene, ABrokenRobotIsRefusedWithTheSentenceOfTheLibrary) {
  Stage stage("planar3r");
  stage.play(16);
  int refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DYN_TEST_DATA_DIR "/urdf")) {
    if (entry.path().extension() != ".urdf") continue;
    const auto text = urdf_text(entry.path().string());
    if (!text) continue;
    const auto chain = parse_urdf(*text);
    const Json reply = stage.set("robot", *text);
    if (chain) continue;
    ++refused;
    EXPECT_EQ(reply.value("error", ""), chain.error().sentence) << entry.path();
  }
  EXPECT_GT(refused, 80);
}

TEST(Scene, ADroppedRobotTakesThePlaceAndReadsNoFile) {
  Stage stage("planar3r");
  stage.play(16);
  EXPECT_EQ(stage.set("record", true).dump(), kOk);
  stage.play(64);
  std::string text = robot("puma560").description;
  const std::string mesh = R"(<link name="shape_of_a_stranger"><visual><geometry>
      <mesh filename="file:///etc/passwd"/></geometry></visual></link>
      <joint name="to_stranger" type="fixed"><parent link=")" +
                           robot("puma560").chain->base() +
                           R"("/><child link="shape_of_a_stranger"/></joint></robot>)";
  text.replace(text.rfind("</robot>"), 8, mesh);
  EXPECT_EQ(stage.set("robot", text).dump(), kOk);
  const Json hello = stage.hello();
  EXPECT_EQ(hello.at("joints").size(), 6U);
  ASSERT_EQ(hello.at("missing").size(), 1U);
  EXPECT_NE(hello.at("missing")[0].get<std::string>().find("not read"), std::string::npos);
  stage.play(16);
  EXPECT_EQ(stage.arm.chain().dof(), 6);
  EXPECT_EQ(frame_of(stage.play(64), hello).at("q").size(), 6);
  EXPECT_TRUE(stage.set("csv", true).contains("error")) << "the recording was the other robot's";
}

TEST(Scene, ARobotThatIsOnlyWatchedIsNotMoved) {
  Stage stage("arm7", false);
  stage.play(16);
  for (const char* name :
       {"law", "joints", "drag", "payload-mass", "gravity", "fault", "robot", "motion"}) {
    EXPECT_TRUE(stage.set(name, nullptr).contains("error")) << name;
  }
  EXPECT_FALSE(stage.hello().at("touch").get<bool>());
  EXPECT_EQ(stage.set("record", true).dump(), kOk);
}

TEST(Scene, AWatchedRobotIsShownWithThePayloadThatItHasNow) {
  Robot shown = robot("planar3r");
  Bridge bridge(3);
  const auto scene = std::move(Scene::make(bridge, {}, {.touch = false, .load = false}).value());
  Sample sample(3);
  sample.q.setZero();
  const auto inertia = [&] {
    bridge.describe(shown);
    bridge.show(sample);
    const auto messages = scene->advance(true);
    return frame_of(messages, Json::parse(scene->greeting().front()->bytes).at("hello")).at("M")[0];
  };
  const double before = inertia();
  shown.payload.mass = 2.0;
  EXPECT_GT(inertia(), 1.1 * before);
}

TEST(Scene, WhatNeedsInertiaIsUnknownWhereLinksHaveNone) {
  Robot bare{R"(<robot name="bare"><link name="base"/><link name="hand"/>
      <joint name="turn" type="revolute"><parent link="base"/><child link="hand"/>
      <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>)",
             nullptr};
  bare.chain = parse_urdf(bare.description).value();
  Bridge bridge(1);
  const auto scene = std::move(Scene::make(bridge, bare, {.touch = false, .load = false}).value());
  const Json hello = Json::parse(scene->greeting().front()->bytes).at("hello");
  EXPECT_NE(hello.at("objection").get<std::string>().find("hand"), std::string::npos);
  Sample sample(1);
  sample.q.setZero();
  bridge.show(sample);
  const auto frame = frame_of(scene->advance(true), hello);
  EXPECT_TRUE(std::isnan(frame.at("M")[0]) && std::isnan(frame.at("scalars")[0]));
  EXPECT_TRUE(frame.at("scalars").segment<3>(2).allFinite()) << "the tip needs none";
}

TEST(Scene, RandomCommandsEndNothing) {
  constexpr unsigned kSeed = 19;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  Stage stage("planar3r");
  const std::string letters = "{}[]\":,0123456789.eE+-truefalsnd setvluwmo\\u\n";
  for (int k = 0; k < 3000; ++k) {
    std::string text = k % 2 == 0 ? R"({"set":"drag","value":)" : "";
    for (std::size_t i = random() % 60; i > 0; --i) text += letters[random() % letters.size()];
    EXPECT_FALSE(stage.scene->command(text).reply.empty());
  }
  stage.play(64);
}

}  // namespace dyn::view::test::scene_tests
