// rewrite_urdf: what is asked for changes, every other byte stays.
#include <algorithm>

#include "dyn_core/robot/urdf_writer.hpp"
#include "support.hpp"
#include "urdf_text.hpp"

namespace dyn::test::urdf_writer_tests {
namespace {

std::string rewritten(const std::string& text, const std::vector<LinkInertia>& links,
                      const std::vector<JointFriction>& joints = {}, const std::string& note = {}) {
  const auto out = rewrite_urdf(text, links, joints, note);
  EXPECT_TRUE(out) << (out ? "" : out.error().sentence);
  return out ? *out : std::string();
}

TEST(UrdfWriter, WhatIsWrittenIsRead) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    UrdfText robot = random_robot(static_cast<Index>(1 + seed % 8), seed);
    Random random(seed);
    UrdfText other = robot;
    std::vector<LinkInertia> links;
    std::vector<JointFriction> joints;
    for (TextLink& link : other.links) {
      link = random_link(random, link.name);
      link.rpy.setZero();
      links.push_back({link.name, {link.mass, link.com, link.inertia}});
    }
    for (TextLink& link : robot.links) link.has_inertial = random.chance(0.5);
    for (const TextJoint& joint : robot.joints) {
      if (joint.moves()) joints.push_back({joint.name, random.uniform(0, 1), random.uniform(0, 1)});
    }
    const auto expected = parse_urdf(to_text(other));
    const std::string once = rewritten(to_text(robot), links, joints, "drawn by lot");
    const auto actual = parse_urdf(once);
    ASSERT_TRUE(expected && actual) << seed << (actual ? "" : actual.error().sentence);
    for (std::size_t i = 0; i < (*expected)->links().size(); ++i) {
      const RigidBody &a = (*actual)->links()[i].body, &b = (*expected)->links()[i].body;
      EXPECT_EQ(a.mass, b.mass) << seed;
      EXPECT_LT((a.com - b.com).norm(), 1e-13) << seed;
      EXPECT_LT((a.inertia - b.inertia).norm(), 1e-13 * b.inertia.norm()) << seed;
    }
    for (const Joint& joint : (*actual)->joints()) {
      const auto given = std::ranges::find(joints, joint.name, &JointFriction::joint);
      EXPECT_EQ(joint.damping, given->damping);
      EXPECT_EQ(joint.friction, given->friction);
    }
    EXPECT_EQ(rewritten(once, links, joints, "drawn by lot"), once) << "not the second time";
    EXPECT_EQ(rewritten(to_text(robot), {}), to_text(robot));
  }
}

const char* const kOdd = R"(<?xml version='1.0'?>
<!-- <link name="arm"><inertial/></link> stays -->
<robot name="odd"><!-- as
  it is -->
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base"/>
	<link name='arm' >
	    <!-- of wood > steel -->
	    <visual name="<inertial>"><geometry><sphere radius="0.1"/></geometry></visual>
	    <inertial><mass value="1"/><!-- gone --><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
	</link>
  <link name="hand"></link>
  <joint name="turn" type="continuous">
    <parent link="base"/><child link="arm"/>
    <dynamics spring="3" damping = '0.5' />
  </joint>
  <joint name="slide" type="prismatic"><parent link="arm"/><child link="hand"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/></joint>
  <transmission name="t"><joint name="turn"><inertial/><dynamics/></joint></transmission>
</robot>
)";

TEST(UrdfWriter, EveryOtherByteStays) {
  const RigidBody body{2.0, {0.1, 0.0, -0.25}, Vec3d(3.0, 4.0, 5.0).asDiagonal()};
  std::string expected = kOdd;
  const auto replace = [&](const std::string& old, const std::string& now) {
    const std::size_t at = expected.find(old);
    ASSERT_NE(at, std::string::npos) << old;
    expected.replace(at, old.size(), now);
  };
  const auto inertial = [](const std::string& line) {
    return "<inertial>" + line + "  <!-- a - - note -->" + line +
           "  <origin xyz=\"0.1 0 -0.25\" rpy=\"0 0 0\"/>" + line + "  <mass value=\"2\"/>" + line +
           "  <inertia ixx=\"3\" ixy=\"0\" ixz=\"0\" iyy=\"4\" iyz=\"0\" izz=\"5\"/>" + line +
           "</inertial>";
  };
  replace("<link name=\"base\"/>",
          "<link name=\"base\">\n    " + inertial("\n    ") + "\n  </link>");
  replace(
      "<inertial><mass value=\"1\"/><!-- gone --><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" "
      "iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>",
      inertial("\n\t    "));
  replace("<link name=\"hand\">", "<link name=\"hand\">\n    " + inertial("\n    "));
  replace("<dynamics spring=\"3\" damping = '0.5' />",
          "<dynamics friction=\"0.75\" spring=\"3\" damping = '0.25' ><!-- a - - note "
          "--></dynamics>");
  EXPECT_EQ(rewritten(kOdd, {{"base", body}, {"arm", body}, {"hand", body}}, {{"turn", 0.25, 0.75}},
                      "a -- note"),
            expected);
  EXPECT_TRUE(parse_urdf(expected));
}

TEST(UrdfWriter, RefusesWhatItCannotWrite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto sentence = [](const Result<std::string>& result) {
    return result ? "" : result.error().sentence;
  };
  EXPECT_NE(sentence(rewrite_urdf(kOdd, {{"leg", {}}})).find("no link 'leg'"), std::string::npos);
  EXPECT_NE(sentence(rewrite_urdf(kOdd, {}, {{"hip", 0, 0}})).find("no joint 'hip'"),
            std::string::npos);
  EXPECT_NE(sentence(rewrite_urdf(kOdd, {{"arm", {nan, {}, {}}}})).find("not finite"),
            std::string::npos);
  EXPECT_NE(sentence(rewrite_urdf(kOdd, {}, {{"turn", nan, 0}})).find("not finite"),
            std::string::npos);
  EXPECT_NE(sentence(rewrite_urdf("<robot", {})).find("line 1"), std::string::npos);
}

}  // namespace
}  // namespace dyn::test::urdf_writer_tests
