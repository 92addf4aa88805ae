// dyn excite and dyn demo --identify from outside.
#include <cmath>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "support.hpp"
#include "tool_support.hpp"

namespace dyn::test::tool_excite_tests {
namespace {

using Json = nlohmann::json;

// A short search: what is written does not depend on how far it goes.
constexpr const char* kQuick = " --duration 6 --period 3 --harmonics 2 ";

std::vector<std::vector<double>> rows_of(const std::string& path, std::string& heading) {
  std::ifstream file(path);
  std::getline(file, heading);
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    rows.emplace_back();
    for (std::string cell; std::getline(in, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

TEST(ToolExcite, WritesAMotionFromRestToRest) {
  const std::string csv = temporary("motion.csv");
  const Output run = tool("excite rp -o " + csv + kQuick + "--json 2>/dev/null");
  ASSERT_EQ(run.status, 0) << run.text;
  const Json out = Json::parse(run.text);
  std::string heading;
  const auto rows = rows_of(csv, heading);
  EXPECT_EQ(heading, "t,q_1,q_2,qd_1,qd_2,qdd_1,qdd_2");
  ASSERT_EQ(rows.size(), 601u);
  for (const auto& row : {rows.front(), rows.back()}) {
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(row[1 + i], out["start"][i].get<double>());
      EXPECT_EQ(row[3 + i], 0.0);
      EXPECT_EQ(row[5 + i], 0.0);
    }
  }
  EXPECT_EQ(rows.back()[0], 6.0);
  for (std::size_t k = 1; k + 1 < rows.size(); ++k) {
    for (std::size_t i = 0; i < 2; ++i) {
      const Json& peak = out["peaks"][i];
      EXPECT_NEAR((rows[k + 1][1 + i] - rows[k - 1][1 + i]) / 0.02, rows[k][3 + i], 4e-2);
      EXPECT_NEAR((rows[k + 1][3 + i] - rows[k - 1][3 + i]) / 0.02, rows[k][5 + i],
                  0.1 * peak["acceleration"].get<double>());  // the jerk jumps where it fades in
      EXPECT_LE(std::abs(rows[k][3 + i]), peak["velocity"].get<double>());
      EXPECT_LE(std::abs(rows[k][5 + i]), peak["acceleration"].get<double>());
    }
  }
  for (const Json& peak : out["peaks"]) {
    for (const char* kind : {"velocity", "acceleration", "torque"}) {
      EXPECT_LE(peak[kind].get<double>(), peak["allowed"][kind].get<double>()) << kind;
    }
  }
  EXPECT_GT(out["condition"].get<double>(), 1.0);
  EXPECT_TRUE(out["log_det"].is_number());
}

TEST(ToolExcite, WritesATrajectoryMessageAndAPicture) {
  const std::string yaml = temporary("motion.yaml"), svg = temporary("motion.svg");
  const Output run =
      tool("excite rp -o " + yaml + kQuick + "--step 0.5 --pictures " + svg + " 2>/dev/null");
  ASSERT_EQ(run.status, 0) << run.text;
  std::stringstream text, picture;
  text << std::ifstream(yaml).rdbuf();
  picture << std::ifstream(svg).rdbuf();
  EXPECT_TRUE(
      text.str().starts_with("joint_names: [\"joint1\",\"joint2\"]\npoints:\n- positions: ["));
  EXPECT_NE(text.str().find("time_from_start: {sec: 5, nanosec: 500000000}"), std::string::npos);
  EXPECT_NE(picture.str().find("share of what may be used"), std::string::npos);
}

TEST(ToolExcite, TheSeedDecides) {
  const auto motion = [](const char* seed) {
    return tool(std::string("excite rp") + kQuick + "--seed " + seed + " 2>/dev/null").text;
  };
  const std::string first = motion("1");
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(first, motion("1"));
  EXPECT_NE(first, motion("2"));
}

TEST(ToolExcite, RefusesWithASentence) {
  EXPECT_NE(tool("excite rp --speed 0 2>&1").status, 0);
  EXPECT_NE(tool("excite rp --harmonics 0 2>&1").status, 0);
  const Output wrong = tool("excite rp --acceleration 1,0 2>&1");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.text.find("--acceleration"), std::string::npos) << wrong.text;
}

// Bodies 30 % off, no friction known, an unknown delay, noise: what the logs tell makes the controller as good
// as the true model does, and by itself more than thirty times as good as the description did.
TEST(ToolExcite, AnIdentifiedArmTracksLikeTheTrueModel) {
  const std::string robot = kSanitized ? "rp" : "arm7";  // which takes minutes there
  const Output run = tool("demo " + robot + " --identify --json 2>/dev/null");
  ASSERT_EQ(run.status, 0) << run.text;
  const Json out = Json::parse(run.text);
  EXPECT_NEAR(out["delay_found"].get<double>(), out["delay"].get<double>(), 2e-4);
  const auto rms = [&](std::size_t control, std::size_t model) {
    return out["results"][control]["models"][model]["rms_norm"].get<double>();
  };
  EXPECT_LT(rms(0, 1), rms(0, 0) / 30.0);
  for (const std::size_t control : {0, 1}) EXPECT_LT(rms(control, 1), 1.3 * rms(control, 2));
  EXPECT_LT(rms(1, 1), rms(1, 0) / 2.0);
}

}  // namespace
}  // namespace dyn::test::tool_excite_tests
