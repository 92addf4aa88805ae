// From a tree of links to the bodies of a chain: nothing is lost, whatever is fixed, locked,
// mimicked, beyond the tip or beside the chain.
#include <numeric>

#include "dyn_core/solver.hpp"
#include "support.hpp"
#include "urdf_text.hpp"

namespace dyn::test::lumping_tests {
namespace {

constexpr double kTolerance = 1e-12;  // relative

ChainPtr chain_of(const UrdfText& robot, const UrdfOptions& options) {
  const auto chain = parse_urdf(to_text(robot), options);
  if (!chain) {
    ADD_FAILURE() << chain.error().sentence;
    return nullptr;
  }
  return *chain;
}

UrdfOptions with_tip(const std::string& tip) {
  UrdfOptions options;
  options.tip = tip;
  return options;
}

Composite composite_of(const ChainPtr& chain, const VecXd& q) {
  Kinematics<double> kinematics(chain);
  EXPECT_EQ(kinematics.update(q), Status::kOk);
  Composite sum;
  const RigidBody& base = chain->base_body();
  sum.add(base.mass, base.com, base.inertia);
  for (Index i = 0; i < chain->joint_count(); ++i) {
    const RigidBody& body = chain->links()[static_cast<std::size_t>(i)].body;
    const Posed pose = kinematics.dh_pose(i);
    sum.add(body.mass, pose * body.com, pose.R * body.inertia * pose.R.transpose());
  }
  return sum;
}

Positions positions_at(const ChainPtr& chain, const VecXd& q, const UrdfOptions& options) {
  Positions positions(options.lock.begin(), options.lock.end());
  for (Index k = 0; k < chain->dof(); ++k) {
    positions[chain->coordinate_names()[static_cast<std::size_t>(k)]] = q[k];
  }
  return positions;
}

void expect_same(const Composite& a, const Composite& b, const std::string& what) {
  EXPECT_NEAR(a.mass, b.mass, kTolerance * b.mass) << what;
  const double length = std::sqrt(b.inertia.norm() / b.mass);
  EXPECT_LT((a.moment - b.moment).norm(), kTolerance * b.mass * length) << what;
  EXPECT_LT((a.inertia - b.inertia).norm(), kTolerance * b.inertia.norm()) << what;
}

void expect_nothing_lost(const UrdfText& robot, const UrdfOptions& options,
                         const std::string& what) {
  const ChainPtr chain = chain_of(robot, options);
  ASSERT_TRUE(chain) << what;
  Random random(21);
  for (int i = 0; i < 5; ++i) {
    const VecXd q = random.vector(chain->dof(), 2.0);
    const auto poses = link_poses(robot, chain->base(), positions_at(chain, q, options));
    const Composite expected = test::composite_of(robot, poses);
    const Composite actual = composite_of(chain, q);
    expect_same(actual, expected, what + " at " + std::to_string(i));
    EXPECT_NEAR(chain->total_mass(), expected.mass, kTolerance * expected.mass) << what;
  }
}

// ---- side branches ------------------------------------------------------------------------------

// Hangs links of every kind beside and beyond the chain of `robot`.
void add_branches(UrdfText& robot, Random& random, int count) {
  const char* types[] = {"fixed", "revolute", "prismatic", "continuous", "floating"};
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    const std::size_t parent = random.next() % robot.links.size();
    TextJoint joint = joint_between("side" + number, types[random.next() % 5],
                                    robot.links[parent].name, "extra" + number);
    joint.xyz = random.vector(0.3), joint.rpy = random.vector(3.1), joint.axis = random.vector(1.0);
    robot.links.push_back(random_link(random, joint.child));
    robot.links.back().has_inertial = random.chance(0.8);
    robot.joints.push_back(joint);
  }
}

// Locks some of the branches, and lets others follow one another.
UrdfOptions arrange(UrdfText& robot, Random& random) {
  UrdfOptions options = with_tip("tip");
  std::string before;
  for (TextJoint& joint : robot.joints) {
    if (!joint.moves() || joint.name.rfind("side", 0) != 0) continue;
    if (random.chance(0.3)) options.lock[joint.name] = random.uniform(-0.9, 0.9);
    if (!before.empty() && random.chance(0.4)) {
      joint.mimic = before;
      joint.multiplier = random.uniform(-2.0, 2.0), joint.offset = random.uniform(-0.5, 0.5);
    }
    before = joint.name;
  }
  return options;
}

TEST(Lumping, NothingIsLostOnRandomTrees) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    UrdfText robot = random_robot(static_cast<Index>(1 + seed % 20), seed);
    add_branches(robot, random, 12);
    expect_nothing_lost(robot, arrange(robot, random), "seed " + std::to_string(seed));
  }
}

TEST(Lumping, NothingIsLostOnTheRobotsOfThisPackage) {
  for (const std::string& name : robot_names()) {
    const UrdfText robot = read_text(robot_path(name));
    expect_nothing_lost(robot, with_tip("tool0"), name);
  }
  UrdfOptions open = with_tip("tool0");
  open.lock["finger_left"] = 0.04;  // the right finger follows
  expect_nothing_lost(read_text(robot_path("arm7")), open, "arm7 with its gripper open");
}

TEST(Lumping, TheGripperIsHeldWhereItIsLocked) {
  UrdfOptions closed = with_tip("tool0"), open = closed;
  open.lock["finger_left"] = 0.04;
  const UrdfText robot = read_text(robot_path("arm7"));
  const RigidBody a = chain_of(robot, closed)->links().back().body;
  const RigidBody b = chain_of(robot, open)->links().back().body;
  EXPECT_NEAR(a.mass, b.mass, 1e-15);
  EXPECT_LT((a.com - b.com).norm(), 1e-15);          // the fingers part symmetrically …
  EXPECT_GT((b.inertia - a.inertia).trace(), 1e-4);  // … and their inertia grows
}

TEST(Lumping, NamesOfWhatIsCarriedAreKept) {
  UrdfText robot = random_robot(3, 5);
  Random random(5);
  add_branches(robot, random, 6);
  const ChainPtr chain = chain_of(robot, with_tip("tip"));
  ASSERT_TRUE(chain);
  std::size_t count = 0;
  for (const Link& link : chain->links()) count += 1 + link.carried.size();
  EXPECT_LE(count, robot.links.size() - 1);  // the base and what is fixed to it stand still
  const auto& last = chain->links().back().carried;
  EXPECT_NE(std::find(last.begin(), last.end(), "tip"), last.end());
}

// ---- ends of the chain --------------------------------------------------------------------------

TEST(Lumping, TheBaseNeedNotBeTheRootNorTheTipALeaf) {
  UrdfText robot = random_robot(8, 31);
  UrdfOptions options;
  options.base = "link2";
  options.tip = "link6";
  const ChainPtr chain = chain_of(robot, options);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->coordinate_names(),
            (std::vector<std::string>{"joint3", "joint4", "joint5", "joint6"}));
  expect_nothing_lost(robot, options, "link2 … link6");  // the sum is over link2 and all below it
  const VecXd q = Random(1).vector(4, 2.0);
  Kinematics<double> kinematics(chain);
  ASSERT_EQ(kinematics.update(q), Status::kOk);
  const Posed tip = link_poses(robot, "link2", positions_at(chain, q, options)).at("link6");
  EXPECT_LT((kinematics.tip_pose().p - tip.p).norm(), 1e-12);
  EXPECT_LT((kinematics.tip_pose().R - tip.R).norm(), 1e-12);
}

TEST(Lumping, TheRootsInertiaStandsStill) {
  const UrdfText robot = random_robot(4, 32);
  const ChainPtr chain = chain_of(robot, with_tip("tip"));
  ASSERT_TRUE(chain);
  EXPECT_GE(chain->base_body().mass, robot.links.front().mass);
  EXPECT_TRUE(chain->warnings().empty()) << chain->warnings().front();
}

TEST(Lumping, MasslessLinksAmongTheMovingOnesAreAccepted) {
  UrdfText robot = random_robot(6, 34);
  for (const char* name : {"link2", "link4", "link5"}) {
    for (TextLink& link : robot.links) {
      if (link.name == name) link.has_inertial = false;
    }
  }
  expect_nothing_lost(robot, with_tip("tip"), "massless wrist");
}

// ---- mimic, lock, armature ----------------------------------------------------------------------

// FK and sums with mimic joints on the chain; the coordinates are the independent ones.
TEST(Lumping, MimicJointsOnTheChainFollowTheirMaster) {
  UrdfText robot = random_robot(8, 41);
  robot.joint("joint3").mimic = "joint6";  // the master comes later on the chain
  robot.joint("joint3").multiplier = -1.5, robot.joint("joint3").offset = 0.2;
  robot.joint("joint5").mimic = "joint3";  // a mimic of a mimic
  robot.joint("joint5").multiplier = 0.5, robot.joint("joint5").offset = -0.1;
  robot.joint("joint8").mimic = "joint1";
  const UrdfOptions options = with_tip("tip");
  const ChainPtr chain = chain_of(robot, options);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->coordinate_names(),
            (std::vector<std::string>{"joint1", "joint2", "joint4", "joint6", "joint7"}));
  EXPECT_EQ(chain->joint_count(), 8);
  EXPECT_TRUE(chain->has_mimic());
  const Joint& twice = chain->joint(4);
  EXPECT_EQ(twice.coordinate, 3);
  EXPECT_DOUBLE_EQ(twice.multiplier, -0.75);
  EXPECT_DOUBLE_EQ(twice.offset, 0.5 * 0.2 - 0.1);
  EXPECT_EQ(chain->coordinate_joint(3).name, "joint6");
  expect_nothing_lost(robot, options, "mimic");
}

TEST(Lumping, AMimicOfALockedJointStandsStill) {
  UrdfText robot = random_robot(4, 42);
  robot.joint("joint2").mimic = "joint1";
  robot.joint("joint2").multiplier = 2.0, robot.joint("joint2").offset = 0.1;
  UrdfOptions options = with_tip("tip");
  options.lock["joint1"] = 0.3;
  const ChainPtr chain = chain_of(robot, options);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->coordinate_names(), (std::vector<std::string>{"joint3", "joint4"}));
  EXPECT_FALSE(chain->has_mimic());
  expect_nothing_lost(robot, options, "locked master");
}

TEST(Lumping, AMimicWhoseMasterIsOffTheChainIsHeldAndSaid) {
  UrdfText robot = random_robot(3, 43);
  Random random(1);
  robot.links.push_back(random_link(random, "knob"));
  robot.joints.push_back(joint_between("knob_turns", "revolute", "base", "knob"));
  robot.joint("joint2").mimic = "knob_turns", robot.joint("joint2").offset = 0.4;
  const ChainPtr chain = chain_of(robot, with_tip("tip"));
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->dof(), 2);
  ASSERT_EQ(chain->warnings().size(), 1u);
  EXPECT_NE(chain->warnings()[0].find("'joint2' mimics 'knob_turns'"), std::string::npos);
  expect_nothing_lost(robot, with_tip("tip"), "master off the chain");
}

TEST(Lumping, AMimicOffTheChainIsHeldAndSaid) {
  UrdfText robot = random_robot(3, 44);
  Random random(1);
  robot.links.push_back(random_link(random, "bar"));
  robot.joints.push_back(joint_between("bar_turns", "revolute", "link2", "bar"));
  robot.joints.back().mimic = "joint3", robot.joints.back().offset = 0.25;
  const ChainPtr chain = chain_of(robot, with_tip("tip"));
  ASSERT_TRUE(chain);
  ASSERT_EQ(chain->warnings().size(), 1u);
  EXPECT_NE(chain->warnings()[0].find("'bar_turns' is off the chain"), std::string::npos);
  EXPECT_NE(chain->warnings()[0].find("held at 0.25"), std::string::npos);
}

TEST(Lumping, LockedJointsOnTheChainBecomePartOfALink) {
  UrdfText robot = random_robot(6, 45);
  UrdfOptions options = with_tip("tip");
  options.lock = {{"joint2", 0.5}, {"joint6", -0.4}};
  const ChainPtr chain = chain_of(robot, options);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->coordinate_names(),
            (std::vector<std::string>{"joint1", "joint3", "joint4", "joint5"}));
  expect_nothing_lost(robot, options, "locked on the chain");
}

TEST(Lumping, JointsKeepTheirData) {
  UrdfText robot = random_robot(3, 46);
  robot.joint("joint1").type = "revolute";
  robot.joint("joint2").type = "continuous";
  robot.joint("joint3").type = "prismatic";
  UrdfOptions options = with_tip("tip");
  options.armature = {{"joint1", 0.5}, {"joint3", 7.0}};
  const ChainPtr chain = chain_of(robot, options);
  ASSERT_TRUE(chain);
  const JointType types[] = {JointType::kRevolute, JointType::kContinuous, JointType::kPrismatic};
  const double armatures[] = {0.5, 0.0, 7.0};
  for (Index i = 0; i < 3; ++i) {
    const Joint& joint = chain->joint(i);
    const TextJoint& text = robot.joint(joint.name);
    EXPECT_EQ(joint.type, types[i]);
    EXPECT_EQ(joint.armature, armatures[i]);
    EXPECT_EQ(joint.limits.lower, i == 1 ? -HUGE_VAL : text.lower);
    EXPECT_EQ(joint.limits.upper, i == 1 ? HUGE_VAL : text.upper);
    EXPECT_EQ(joint.limits.effort, i == 1 ? HUGE_VAL : 10.0);
    EXPECT_EQ(Model(chain).link(i).armature, armatures[i]);
  }
}

TEST(Lumping, AnArmatureIsEnoughForAMasslessEnd) {
  UrdfText robot = random_robot(2, 47);
  for (TextLink& link : robot.links) link.has_inertial = link.name == "link1";
  robot.joint("joint2").type = "continuous";
  UrdfOptions options = with_tip("tip");
  EXPECT_FALSE(Solver::make(parse_urdf(to_text(robot), options).value()));
  options.armature["joint2"] = 0.01;
  EXPECT_TRUE(Solver::make(parse_urdf(to_text(robot), options).value()));
}

// ---- payload ------------------------------------------------------------------------------------

TEST(Lumping, ChangingThePayloadIsParsingWithIt) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const UrdfText robot = random_robot(4, 50 + seed);
    Random random(seed);
    UrdfOptions options = with_tip("tip");
    Model changed(chain_of(robot, options));
    changed.set_payload(random_body(random));  // replaced by the next one
    const RigidBody payload = options.payload = random_body(random);
    changed.set_payload(payload);
    const Model parsed(chain_of(robot, options));
    for (Index i = 0; i < parsed.size(); ++i) {
      const LinkModel &a = changed.link(i), &b = parsed.link(i);
      EXPECT_NEAR(a.mass, b.mass, kTolerance * b.mass);
      EXPECT_LT((a.moment - b.moment).norm(), kTolerance * b.moment.norm());
      EXPECT_LT((a.inertia_origin.matrix() - b.inertia_origin.matrix()).norm(),
                kTolerance * b.inertia_origin.matrix().norm());
      EXPECT_LT((a.inertia_com.matrix() - b.inertia_com.matrix()).norm(),
                kTolerance * b.inertia_origin.matrix().norm());
    }
    changed.set_payload({});
    const Model bare(chain_of(robot, with_tip("tip")));
    EXPECT_EQ(changed.link(3).mass, bare.link(3).mass);
    EXPECT_EQ(changed.link(3).com, bare.link(3).com);
  }
}

TEST(Lumping, ThePayloadHangsAtTheTipInItsFrame) {
  const UrdfText robot = random_robot(5, 61);
  UrdfOptions options = with_tip("tip");
  options.payload = {2.0, Vec3d(0.1, 0.2, 0.3), Vec3d(0.03, 0.04, 0.05).asDiagonal()};
  const ChainPtr chain = chain_of(robot, options);
  ASSERT_TRUE(chain);
  const VecXd q = Random(2).vector(5, 2.0);
  const auto poses = link_poses(robot, "base", positions_at(chain, q, options));
  Composite expected = test::composite_of(robot, poses);
  const Posed tip = poses.at("tip");
  expected.add(2.0, tip * options.payload.com, tip.R * options.payload.inertia * tip.R.transpose());
  expect_same(composite_of(chain, q), expected, "payload");
}

TEST(Lumping, GravityIsGivenInTheBaseFrame) {
  const UrdfText robot = random_robot(3, 62);
  UrdfOptions options = with_tip("tip");
  options.gravity = Vec3d(1.0, 2.0, -3.0);
  const ChainPtr chain = chain_of(robot, options);
  ASSERT_TRUE(chain);
  Model model(chain);
  EXPECT_LT((chain->base_pose().R * model.gravity() - options.gravity).norm(), 1e-14);
  model.set_gravity(Vec3d(0.0, 0.0, -1.62));
  EXPECT_LT((chain->base_pose().R * model.gravity() - Vec3d(0.0, 0.0, -1.62)).norm(), 1e-14);
}

}  // namespace
}  // namespace dyn::test::lumping_tests
