// dyn compare from the outside.
#include <nlohmann/json.hpp>

#include "support.hpp"
#include "tool_support.hpp"

namespace dyn::test::tool_compare_tests {
namespace {

Output compare(const std::string& rest) {
  return tool("compare " + robot_path("rp") + " " + robot_path("pr") + " --samples 2000 " + rest);
}

TEST(ToolCompare, SaysHowManyTimesWorse) {
  const Output output = compare("--weight time=0 --json 2>/dev/null");
  ASSERT_EQ(output.status, 0);
  const auto ranking = nlohmann::json::parse(output.text).at("ranking");
  std::map<std::string, nlohmann::json> arms;
  for (const auto& arm : ranking) arms[arm.at("robot").get<std::string>()] = arm;
  const auto peak = [&](const char* name) {
    const auto torques = arms[name].at("peak_torque").get<std::vector<double>>();
    return *std::max_element(torques.begin(), torques.end());
  };
  const double ratio = peak("rp") / peak("pr");
  ASSERT_GT(ratio, 10.0);
  const std::string part =
      "larger peak torques (" + std::to_string(std::lround(ratio)) + " times the smallest)";
  const auto why = arms["rp"].at("why").get<std::string>();
  EXPECT_NE(why.find(part), std::string::npos) << why;
  EXPECT_EQ(output.text.find(" %"), std::string::npos);
}

TEST(ToolCompare, AnArmTiesWithItself) {
  const std::string rp = robot_path("rp");
  const Output output =
      tool("compare " + rp + " " + rp + " --samples 2000 --weight time=0 --json 2>/dev/null");
  ASSERT_EQ(output.status, 0);
  const nlohmann::json parsed = nlohmann::json::parse(output.text);
  for (const auto& arm : parsed.at("ranking")) {
    EXPECT_EQ(arm.at("score").get<double>(), 1.0);
    EXPECT_TRUE(arm.at("why").get<std::string>().starts_with("ties for the simplest dynamics, "));
  }
}

TEST(ToolCompare, VersionsOfOneRobotGoByTheirFiles) {
  const std::string copy = temporary("version.urdf"), rp = robot_path("rp");
  std::ofstream(copy) << content(rp);
  const std::string arms = "compare " + rp + " " + copy + " --samples 200 ";
  const Output table = tool(arms + "2>/dev/null");
  const std::string ranking = table.text.substr(table.text.find("Ranking"));
  for (const std::string& file : {rp, copy}) {
    EXPECT_NE(ranking.find(". " + file + "  score"), std::string::npos) << ranking;
    EXPECT_LT(table.text.find(file), table.text.find("Ranking"));
  }
  const auto json = nlohmann::json::parse(tool(arms + "--json 2>/dev/null").text);
  EXPECT_NE(json["ranking"][0]["robot"], json["ranking"][1]["robot"]);
}

TEST(ToolCompare, SomethingHasToCount) {
  const std::string none =
      "--weight complexity=0 --weight time=0 --weight condition=0 --weight torque=0 ";
  const std::string sizes = "--weight workspace=0 --weight manipulability=0 ";
  const Output nothing = compare(none + sizes + "2>&1");
  EXPECT_EQ(nothing.status, 1);
  EXPECT_NE(nothing.text.find("every criterion has the weight 0"), std::string::npos);
  EXPECT_EQ(compare(none + "2>/dev/null").status, 0);
  const Output apart = tool("compare " + robot_path("rp") + " " + robot_path("rtx3") +
                            " --samples 200 " + none + "2>&1");
  EXPECT_EQ(apart.status, 1);
  EXPECT_NE(apart.text.find("do not compare between planar arms and others"), std::string::npos);
  EXPECT_EQ(compare("--weight time=-1 2>/dev/null").status, 1);
  EXPECT_EQ(compare("--weight time=1e300 2>/dev/null").status, 1);
}

}  // namespace
}  // namespace dyn::test::tool_compare_tests
