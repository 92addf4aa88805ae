// dyn time from the outside: the motion that it writes is the one that it speaks of.
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "support.hpp"
#include "tool_support.hpp"

namespace dyn::test::tool_time_tests {
namespace {

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string a_path() {
  const std::string path = temporary("path.csv");
  write(path, "# joints of planar3r\nq_1,q_2,q_3\n0.1,-0.2,0.3\n0.5,0.4,-0.1\n\n1.0,0.2,0.6\n");
  return path;
}

Output dyn_time(const std::string& rest) {
  return tool("time " + robot_path("planar3r") + " " + rest);
}

TEST(ToolTime, KeepsTheLimitsItNames) {
  const Output output =
      dyn_time(a_path() + " --speed 0.5 --torque 0.6 --acceleration 20,20,20 --json 2>/dev/null");
  ASSERT_EQ(output.status, 0);
  const auto json = nlohmann::json::parse(output.text);
  EXPECT_GT(json["duration"], 0.0);
  EXPECT_GT(json["at_limit"], 0.9);
  ASSERT_EQ(json["peaks"].size(), 3u);
  for (const auto& peak : json["peaks"]) {
    for (const char* what : {"velocity", "acceleration", "torque"}) {
      if (peak["allowed"][what].is_null()) continue;
      EXPECT_LE(peak[what].get<double>(), 1.01 * peak["allowed"][what].get<double>()) << what;
    }
  }
}

TEST(ToolTime, WritesTheMotionAndItsPicture) {
  const std::string csv = temporary("motion.csv"), yaml = temporary("motion.yaml"),
                    svg = temporary("motion.svg");
  const std::string limited = a_path() + " --acceleration 9,9,9 2>&1 -o ";
  const Output output = dyn_time(limited + csv + " --pictures " + svg);
  ASSERT_EQ(output.status, 0) << output.text;
  std::istringstream lines(content(csv));
  std::string line, last;
  std::getline(lines, line);
  EXPECT_EQ(line, "t,q_1,q_2,q_3,qd_1,qd_2,qd_3,qdd_1,qdd_2,qdd_3");
  std::getline(lines, line);
  EXPECT_TRUE(line.starts_with("0,0.1,-0.2,0.3,0,")) << line;
  while (std::getline(lines, line)) last = line;
  EXPECT_NE(last.find(",1,0.2"), std::string::npos) << last;
  EXPECT_TRUE(content(svg).starts_with("<svg"));
  ASSERT_EQ(dyn_time(limited + yaml).status, 0);
  EXPECT_TRUE(content(yaml).starts_with("joint_names: ["));
}

TEST(ToolTime, SaysWhatIsWrongWithAPath) {
  const std::string path = temporary("bad.csv");
  const auto says = [&](const std::string& text, const std::string& part) {
    write(path, text);
    const Output output = dyn_time(path + " --acceleration 9,9,9 2>&1");
    EXPECT_EQ(output.status, 1) << text;
    EXPECT_NE(output.text.find(part), std::string::npos) << output.text;
  };
  says("0,0,0\n", "give at least two");
  says("0,0,0\n1,1\n", "line 2 has 2 numbers, but the positions of 3 joints make 3");
  says("0,0,0\n0,0,0\n1,1,1\n", "line 2 is the point before once more");
  says("0,0,0\n1,nan,1\n", "line 2");
  says("", "give at least two");
  says("0,0,0\n9,0,0\n", "'joint1' is at 9, ");
}

}  // namespace
}  // namespace dyn::test::tool_time_tests
