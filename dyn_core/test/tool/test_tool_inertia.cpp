// Robots without inertia, and robots with estimated inertia, in the tool.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "robot/urdf_text.hpp"
#include "support.hpp"
#include "tool_support.hpp"

namespace dyn::test::tool_inertia_tests {
namespace {

using nlohmann::json;

// arm7 with another shape in place of every <inertial>, or without any inertia.
std::string bare_arm(const std::string& shape) {
  std::string text = file_text(robot_path("arm7"));
  for (std::size_t at = text.find("<inertial>"); at != std::string::npos;
       at = text.find("<inertial>")) {
    text.replace(at, text.find("</inertial>", at) + 11 - at, shape);
  }
  return text;
}
const char* const kTube =
    "<visual><geometry><cylinder radius=\"0.05\" length=\"0.2\"/></geometry></visual>";

std::string put(const std::string& name, const std::string& text) {
  const std::string path = temporary(name + ".urdf");
  std::ofstream(path) << text;
  return path;
}

json json_from(const std::string& arguments) {
  const Output output = tool(arguments + " --json 2>/dev/null");
  EXPECT_EQ(output.status, 0) << arguments;
  return json::parse(output.text, nullptr, false);
}

TEST(ToolInertia, WhatNeedsNoneWorksWithoutIt) {
  const std::string bare = put("bare", bare_arm(""));
  const json info = json_from("info " + bare), whole = json_from("info arm7");
  EXPECT_EQ(info["dynamics"], false);
  EXPECT_EQ(whole["dynamics"], true);
  EXPECT_TRUE(whole["missing_inertia"].empty());
  ASSERT_EQ(info["missing_inertia"].size(), 7u);
  EXPECT_EQ(info["missing_inertia"][2]["joint"], info["joints"][2]["name"]);
  for (const char* key : {"joints", "dh", "base_pose", "tip_pose", "tips", "convention"}) {
    EXPECT_EQ(info[key], whole[key]) << key;
  }
  const std::string q = " --q 0.1,0.2,0.3,-0.4,0.5,0.6,0.7";
  const json here = json_from("eval " + bare + q), there = json_from("eval arm7" + q);
  for (const char* key : {"joints", "tip_pose", "jacobian", "manipulability"}) {
    EXPECT_EQ(here[key], there[key]) << key;
  }
  EXPECT_TRUE(here["mass_matrix"].is_null() && here["quasi"].is_null());
  EXPECT_EQ(tool("eval " + bare + " 2>/dev/null").status, 0);
  const Output text = tool("info " + bare + " 2>&1");
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.text.find("no dynamics: links"), std::string::npos) << text.text;
}

TEST(ToolInertia, WhatNeedsItSaysWhichLinksLackIt) {
  const std::string bare = put("bare", bare_arm(""));
  for (const char* command : {"count", "bench", "generate", "simulate --free-fall --duration 1",
                              "track", "count --customised"}) {
    const Output output = tool(std::string(command) + " " + bare + " 2>&1 >/dev/null");
    EXPECT_EQ(output.status, 1) << command << output.text;
    EXPECT_NE(output.text.find("lack inertia"), std::string::npos) << command << output.text;
    EXPECT_NE(output.text.find("--estimate-inertia"), std::string::npos) << command << output.text;
  }
}

TEST(ToolInertia, ArmsAreComparedByWhatIsKnown) {
  const std::string bare = put("bare", bare_arm(""));
  const std::string rest = " --samples 1000 --json 2>/dev/null";
  const Output output = tool("compare " + bare + " puma560" + rest);
  ASSERT_EQ(output.status, 0);
  const json ranking = json::parse(output.text)["ranking"];
  ASSERT_EQ(ranking.size(), 2u);
  for (const json& arm : ranking) {
    EXPECT_EQ(arm["dynamics"], false);
    EXPECT_TRUE(arm["gim"].is_null());
    EXPECT_GT(arm["workspace"]["size"], 0.0);
    EXPECT_GT(arm["manipulability"]["most"], 0.0);
  }
  EXPECT_EQ(ranking[0]["score"].get<double>() >= ranking[1]["score"].get<double>(), true);
  const Output nothing = tool("compare " + bare +
                              " puma560 --weight workspace=0 --weight "
                              "manipulability=0 --samples 1000 2>&1");
  EXPECT_EQ(nothing.status, 1);
  EXPECT_NE(nothing.text.find("has no inertia"), std::string::npos);
}

TEST(ToolInertia, TheReportHasItsKinematicPages) {
  const std::string bare = put("bare", bare_arm(""));
  const Output page = tool("report " + bare + " -o - 2>/dev/null");
  ASSERT_EQ(page.status, 0);
  for (const char* section : {"In short", "The arm", "Joints", "Hartenberg", "Workspace"}) {
    EXPECT_NE(page.text.find(section), std::string::npos) << section;
  }
  EXPECT_NE(page.text.find("No dynamics: links"), std::string::npos);
  EXPECT_EQ(page.text.find("Torques against effort limits"), std::string::npos);
}

TEST(ToolInertia, EstimatedBodiesAreMarkedEverywhere) {
  const std::string bare = put("tubes", bare_arm(kTube)), out = temporary("whole.urdf");
  const json info = json_from("info " + bare + " --estimate-inertia 20 -o " + out);
  EXPECT_EQ(info["dynamics"], true);
  EXPECT_NEAR(info["total_mass"].get<double>(), 20.0, 1e-9);
  EXPECT_NE(info["robot"].get<std::string>().find("estimated"), std::string::npos);
  EXPECT_FALSE(info["estimated_inertia"].empty());
  for (const json& body : info["bodies"]) EXPECT_EQ(body["estimated"], true);
  const std::string written = content(out);
  EXPECT_NE(written.find("<!-- estimated by dyn"), std::string::npos);
  const json read = json_from("info " + out);
  EXPECT_EQ(read["bodies"][3]["inertia"], info["bodies"][3]["inertia"]);
  EXPECT_TRUE(read["estimated_inertia"].empty());
  for (const char* command : {"eval", "info", "report -o -", "compare --samples 1000"}) {
    const Output output = tool(std::string(command) + " " + bare + " --estimate-inertia geometry");
    EXPECT_EQ(output.status, 0) << command;
    EXPECT_NE(output.text.find("estimated"), std::string::npos) << command;
  }
  EXPECT_EQ(
      tool("simulate --free-fall --duration 0.1 " + bare + " --estimate-inertia 20 >/dev/null 2>&1")
          .status,
      0);
}

TEST(ToolInertia, TheEstimateIsRefusedInASentence) {
  const std::string bare = put("tubes", bare_arm(kTube));
  const std::string mesh =
      put("mesh", bare_arm("<collision><geometry><mesh filename=\"package://some_arm/link.stl\"/>"
                           "</geometry></collision>"));
  const auto refused = [](const std::string& arguments) {
    const Output output = tool(arguments + " 2>&1 >/dev/null");
    EXPECT_EQ(output.status, 1) << arguments;
    return output.text;
  };
  for (const char* mass : {"-1", "0", "many", "nan", "1e12"}) {
    EXPECT_NE(refused("info " + bare + " --estimate-inertia=" + mass).find("total mass"),
              std::string::npos);
  }
  const std::string missing = refused("info " + mesh + " --estimate-inertia 5");
  EXPECT_NE(missing.find("'package://some_arm/link.stl'"), std::string::npos) << missing;
  EXPECT_NE(missing.find("--mesh-path"), std::string::npos) << missing;
  const std::string folder = temporary("meshes");
  EXPECT_NE(refused("info " + mesh + " --estimate-inertia 5 --mesh-path " + folder)
                .find(folder + "/some_arm/link.stl"),
            std::string::npos);
  EXPECT_NE(refused("info " + bare + " -o /dev/null").find("--estimate-inertia"),
            std::string::npos);
}

}  // namespace
}  // namespace dyn::test::tool_inertia_tests
