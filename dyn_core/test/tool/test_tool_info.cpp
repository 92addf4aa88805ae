// The tool from outside: how it names robots and their ends, what `dyn info` and `dyn eval` show, and what
// they do where memory or input has no end.
#include <sstream>

#include <nlohmann/json.hpp>

#include "robot/urdf_text.hpp"
#include "support.hpp"
#include "tool_support.hpp"

namespace dyn::test::tool_info_tests {
namespace {

using nlohmann::json;

json json_of(const std::string& arguments) {
  const Output output = tool(arguments + " --json 2>/dev/null");
  EXPECT_EQ(output.status, 0) << arguments;
  return json::parse(output.text, nullptr, false);
}

void expect_failure(const std::string& arguments, const std::vector<std::string>& words,
                    int status = 1) {
  const Output output = tool(arguments + " 2>&1 >/dev/null");
  EXPECT_EQ(output.status, status) << arguments;
  for (const std::string& word : words) {
    EXPECT_NE(output.text.find(word), std::string::npos) << arguments << ": " << output.text;
  }
}

std::string written(const std::string& name, const UrdfText& robot) {
  const std::string path = temporary(name + ".urdf");
  std::ofstream(path) << to_text(robot);
  return path;
}

// Links in a row, each 0.1 m from the one before.
UrdfText row_of(int joints, const std::string& prefix = "j") {
  UrdfText robot;
  TextLink link{
      "base", true, 0.5, Vec3d(0.02, 0.01, 0.0), Vec3d::Zero(), 0.001 * Mat3d::Identity()};
  robot.links = {link};
  for (int i = 0; i < joints; ++i) {
    const std::string parent = robot.links.back().name;
    link.name = "link" + std::to_string(i);
    robot.links.push_back(link);
    TextJoint joint = joint_between(prefix + std::to_string(i), "revolute", parent, link.name);
    joint.xyz = Vec3d(0.1, 0.0, 0.0);
    joint.axis = i % 2 == 0 ? Vec3d::UnitZ() : Vec3d::UnitY();
    robot.joints.push_back(joint);
  }
  return robot;
}

// ---- naming a robot -----------------------------------------------------------------------------

TEST(ToolInfo, ARobotOfTheSuiteGoesByItsName) {
  EXPECT_EQ(json_of("info puma560")["robot"],
            json_of("info '" + robot_path("puma560") + "'")["robot"]);
  EXPECT_EQ(json_of("info arm7")["tip"], "tool0");
  expect_failure("info nosuchrobot", {"'nosuchrobot' does not exist"});
}

TEST(ToolInfo, ARobotCarriesItsEnds) {
  const json ends = json_of("info arm7:link2:link5");
  EXPECT_EQ(ends["base"], "link2");
  EXPECT_EQ(ends["tip"], "link5");
  EXPECT_EQ(json_of("info '" + robot_path("arm7") + "::link5'")["tip"], "link5");
  expect_failure("info arm7::link5 --tip link3",
                 {"--tip", "'link3' beside FILE:base:tip with 'link5'", "name this end once"}, 2);
  expect_failure("info arm7:link2: --base link1", {"--base", "'link1' beside"}, 2);
  EXPECT_EQ(json_of("info arm7::link5 --base link2")["tip"], "link5");
  const std::string odd = temporary("a:b:c.urdf");
  std::ofstream(odd) << to_text(row_of(2));
  EXPECT_EQ(json_of("info '" + odd + "'")["dof"], 2);
  expect_failure("info arm7::lnk5", {"no link 'lnk5' to be the tip", "nearest: 'link5'"});
}

TEST(ToolInfo, TheChoiceAndItsRuleAreStated) {
  const Output output = tool("info arm7 2>&1 >/dev/null");
  EXPECT_NE(output.text.find("to 'tool0', 7 coordinates: the frame tool0"), std::string::npos)
      << output.text;
  EXPECT_EQ(tool("info arm7:base_link:tool0 2>&1 >/dev/null").text.find("chain from"),
            std::string::npos);
  const json tips = json_of("info arm7")["tips"];
  ASSERT_FALSE(tips.empty());
  EXPECT_TRUE(tips[0].contains("link"));
  EXPECT_TRUE(tips[0]["joints"].is_number_integer());
  EXPECT_NE(tool("info arm7 2>/dev/null").text.find("Other ends"), std::string::npos);
}

// ---- tables -------------------------------------------------------------------------------------

TEST(ToolInfo, DhTablesInBothConventionsWithTheirEnds) {
  for (const std::string convention : {"modified", "classic"}) {
    const json info = json_of("info arm7 --dh " + convention);
    EXPECT_EQ(info["convention"], convention);
    for (const char* pose : {"base_pose", "tip_pose"}) {
      ASSERT_EQ(info[pose].size(), 4U);
      EXPECT_EQ(info[pose][3], json({0.0, 0.0, 0.0, 1.0}));
    }
    const std::string text = tool("info arm7 --dh " + convention + " 2>/dev/null").text;
    EXPECT_NE(text.find("table, " + convention), std::string::npos);
    EXPECT_NE(text.find("to the frame before the first row"), std::string::npos);
  }
  expect_failure("info arm7 --dh other", {"--dh"}, 2);
}

TEST(ToolInfo, ColumnsDoNotCollideAndNoiseIsNotShown) {
  UrdfText robot = row_of(3, "a_joint_with_a_name_of_forty_letters_or_");
  robot.joints[1].rpy = Vec3d(1.57079632679, 0.0, 0.0);  // as most URDFs write a quarter turn
  robot.joints[2].rpy = Vec3d(0.0, 0.0, -4.897e-12);
  robot.joints[0].xyz = Vec3d(0.0, 0.0, 3e-13);
  robot.joints[2].axis = Vec3d::UnitX();
  const std::string text = tool("info '" + written("long", robot) + "' 2>/dev/null").text;
  EXPECT_EQ(text.find("e-1"), std::string::npos) << text;
  EXPECT_NE(text.find("pi/2"), std::string::npos) << text;
  EXPECT_NE(text.find("letters_or_0  revolute"), std::string::npos) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("letters_or_") == std::string::npos) continue;
    EXPECT_EQ(line.find("letters_or_"), 31U) << line;  // every name is followed by a gap
    EXPECT_EQ(line.substr(43, 2), "  ") << line;
  }
}

TEST(ToolInfo, WarningsOfOneKindShareALine) {
  UrdfText robot = row_of(30);
  for (TextJoint& joint : robot.joints) joint.effort = joint.velocity = 0.0;
  const std::string text = tool("info '" + written("warnings", robot) + "' 2>&1 >/dev/null").text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 3) << text;
  EXPECT_NE(
      text.find("joint 'j0': its effort limit is 0, read as unset (likewise 'j1', 'j2', 'j3', "
                "'j4', 'j5', 'j6' and 23 more)"),
      std::string::npos)
      << text;
  EXPECT_EQ(json_of("info '" + written("warnings", robot) + "'")["warnings"].size(), 60U);
}

TEST(ToolInfo, AJointTooWeakForItsOwnWeightIsNamed) {
  UrdfText robot = row_of(4);
  robot.joints[1].effort = 0.25;
  const std::string path = written("weak", robot);
  EXPECT_NE(
      tool("info '" + path + "' 2>/dev/null").text.find("joint 'j1' is too weak for the weight"),
      std::string::npos);
  const json info = json_of("info '" + path + "'");
  EXPECT_GT(info["gravity_torque_peak"][1], 0.25);
  EXPECT_NE(std::string(info["warnings"].back()).find("'j1'"), std::string::npos);
  robot.joints[1].effort = 25.0;
  EXPECT_EQ(tool("info '" + written("strong", robot) + "' 2>/dev/null").text.find("too weak"),
            std::string::npos);
}

TEST(ToolEval, TheTextTellsHowTheTipIsTurned) {
  UrdfText robot = row_of(1);
  robot.joints[0].axis = Vec3d::UnitZ();
  robot.joints[0].xyz = robot.joints[0].rpy = Vec3d::Zero();
  const std::string text = tool("eval '" + written("one", robot) + "' --q 0.5 2>/dev/null").text;
  EXPECT_NE(text.find("roll pitch yaw (rad)\n            0           0         0.5\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("x y z w\n            0           0      0.2474     0.96891\n"),
            std::string::npos)
      << text;
}

TEST(ToolEval, JsonHasTheInertiaPower) {
  const json power = json_of("eval arm7")["inertia_power"];
  ASSERT_EQ(power.size(), 7U);
  ASSERT_EQ(power[6].size(), 7U);
  EXPECT_EQ(power[6][6].size(), 7U);
}

TEST(ToolEval, WhatEachJointDoesToEachLink) {
  const json arm = json_of(
      "eval arm7 --per-link --influence --q 0,0.5,0,-1,0,0.5,0 --qd 1,2,3,4,5,6,7 --qdd "
      "1,1,1,1,1,1,1");
  const json& links = arm["per_link"]["links"];
  ASSERT_EQ(links.size(), 7U);
  for (const json& link : links) {
    for (const char* effect : {"acceleration", "moment"}) {
      for (const int x : {0, 1, 2}) {
        double sum = 0.0;
        for (const char* part : {"tangential", "normal", "coriolis"}) {
          for (const json& joint : link[effect][part]) sum += joint[x].get<double>();
        }
        EXPECT_NEAR(sum, link[effect]["sum"][x].get<double>(), 1e-9) << link["link"] << effect;
      }
    }
  }
  EXPECT_EQ(arm["per_link"]["momentum"]["by_joint"].size(), 7U);
  EXPECT_EQ(arm["per_link"]["angular_momentum"]["sum"].size(), 3U);
  EXPECT_EQ(arm["influence"]["translation"]["G"][0], arm["jacobian"][0]);
  EXPECT_EQ(arm["influence"]["rotation"]["H"].size(), 3U);
  const std::string text = tool("eval arm7 --per-link --influence 2>/dev/null").text;
  for (const char* title : {"acceleration of its mass centre", "Momentum of the arm",
                            "Second order H, z component", "Inertia power P of"}) {
    EXPECT_NE(text.find(title), std::string::npos) << title;
  }
}

// M⁻¹ M = 1 in what they say of q̈ and of τ, and -M⁻¹ between the two.
TEST(ToolEval, Derivatives) {
  const json arm =
      json_of("eval puma560 --derivatives --q 0.1,0.5,0.3,-1,0.2,0.5 --qd 1,2,3,4,5,6");
  const json& inverse = arm["inverse_dynamics_derivatives"];
  const json& forward = arm["forward_dynamics_derivatives"];
  EXPECT_EQ(inverse["qdd"], arm["mass_matrix"]);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_NEAR(forward["tau"][i][j].get<double>(),
                  arm["mass_matrix_inverse"][i][j].get<double>(), 1e-9);
      double by_rate = inverse["qd"][i][j].get<double>();
      for (std::size_t k = 0; k < 6; ++k) {
        by_rate += arm["mass_matrix"][i][k].get<double>() * forward["qd"][k][j].get<double>();
      }
      EXPECT_NEAR(by_rate, 0.0, 1e-9);
    }
  }
  const std::string text = tool("eval arm7 --derivatives 2>/dev/null").text;
  EXPECT_NE(text.find("Derivatives of forward dynamics by tau"), std::string::npos);
}

// ---- what has no end or makes no sense ----------------------------------------------------------

TEST(ToolInput, RefusedWithASentence) {
  expect_failure("eval arm7 --q ''", {"--q", "empty"}, 2);
  expect_failure("eval rp --q 0,,1", {"--q: number 2 is empty"});
  expect_failure("eval rp --q ,0,1", {"--q: number 1 is empty"});
  expect_failure("eval rp --q '0,1, '", {"--q: number 3 is empty"});
  EXPECT_EQ(tool("eval rp --q '0 ,1' 2>/dev/null").status, 0);
  expect_failure("eval arm7 --q @/", {"--q: '/' cannot be read", "file of numbers"});
  expect_failure("eval arm7 --q @/dev/zero", {"--q: '/dev/zero' is longer than 16 MB"});
  expect_failure("eval - </dev/zero", {"33 MB long, more than the 32 MB"});
  expect_failure("info arm7 --lock joint1=1 --lock joint1=2",
                 {"--lock: joint 'joint1' is given twice"});
  expect_failure("info arm7 --armature joint1=1 joint1=2",
                 {"--armature: joint 'joint1' is given twice"});
}

TEST(ToolInput, AFileOfAByteTooManyIsLongerThanTheLimit) {
  const std::string path = temporary("long.urdf");
  std::ofstream(path) << std::string((32U << 20) + 1, ' ');
  expect_failure("info '" + path + "'", {"is 33 MB long, more than the 32 MB"});
  std::remove(path.c_str());
}

// In kB of addresses: what used to take 8 GB.
Output limited(int kilobytes, const std::string& arguments) {
  return shell("ulimit -v " + std::to_string(kilobytes) + "; " DYN_TOOL_PATH " " + arguments);
}

TEST(ToolMemory, AThousandJointsFitIntoALittle) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer reserves terabytes of addresses";
  const std::string path = written("thousand", row_of(1000));
  EXPECT_EQ(limited(1'500'000, "eval '" + path + "' >/dev/null 2>&1").status, 0);
  EXPECT_EQ(limited(1'500'000, "info '" + path + "' >/dev/null 2>&1").status, 0);
  const Output json_text = limited(2'500'000, "eval '" + path + "' --json 2>&1 >/dev/null");
  EXPECT_EQ(json_text.status, 0);
  EXPECT_NE(json_text.text.find("inertia_power is null beyond 200 joints"), std::string::npos);
}

TEST(ToolMemory, TooLittleEndsInASentence) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer reserves terabytes of addresses";
  const std::string path = written("many", row_of(200));
  int sentences = 0;
  for (int kilobytes = 80'000; kilobytes <= 320'000; kilobytes += 60'000) {
    const Output output = limited(kilobytes, "eval '" + path + "' --json 2>&1 >/dev/null");
    if (output.status == 127) continue;  // not even the program fits
    EXPECT_TRUE(output.status == 0 || output.status == 1) << kilobytes << ": " << output.text;
    if (output.status == 0) continue;
    EXPECT_NE(output.text.find("dyn: this takes more memory than there is"), std::string::npos)
        << kilobytes << ": " << output.text;
    ++sentences;
  }
  EXPECT_GT(sentences, 0);
}

TEST(ToolMemory, AbsurdChainsAreRefused) {
  const std::string path = written("absurd", row_of(2001));
  expect_failure("eval '" + path + "'",
                 {"2001 moving joints", "more than the 2000", "lock joints"});
}

}  // namespace
}  // namespace dyn::test::tool_info_tests
