// dyn report and dyn demo from the outside: the page of every robot, its sections, what it never
// contains, and the figures of the demo.
#include <nlohmann/json.hpp>

#include "support.hpp"
#include "tool_support.hpp"

namespace dyn::test::tool_report_tests {
namespace {

std::string page_of(const std::string& robot, const std::string& rest = "") {
  const std::string path = temporary("page.html");
  const Output output = tool("report " + robot + " " + rest + " -o " + path + " 2>/dev/null");
  EXPECT_EQ(output.status, 0) << robot;
  EXPECT_EQ(output.text, path + "\n");
  std::string page = content(path);
  std::remove(path.c_str());
  return page;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) {
    ++count;
  }
  return count;
}

// What is wrong with the nesting of elements, empty if nothing. Knows the elements without an end.
std::string nesting_fault(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = page.find('<', at)) != std::string::npos;) {
    const std::size_t end = page.find('>', at);
    if (end == std::string::npos) return "an unfinished tag";
    const std::string tag = page.substr(at + 1, end - at - 1);
    if (contains(tag, "<")) return "'<' within <" + tag + ">";
    if (occurrences(tag, "\"") % 2 != 0) return "an odd number of quotes in <" + tag + ">";
    at = end + 1;
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (name.starts_with('!') || name == "meta" || tag.ends_with('/')) continue;
    if (!name.starts_with('/')) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name.substr(1)) {
      return "<" + name + "> closes <" + (open.empty() ? "nothing" : open.back()) + ">";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> stays open";
}

TEST(ToolReport, EveryRobotHasAWholePage) {
  for (const std::string& robot : robot_names()) {
    SCOPED_TRACE(robot);
    const std::string page = page_of(robot_path(robot), "--tip tool0");
    const ChainPtr chain = load_robot(robot);
    EXPECT_TRUE(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    for (const char* heading :
         {"In short", "The arm", "Joints", "Denavit–Hartenberg table", "Inertia",
          "Inertia along a motion", "Torques against effort limits", "Workspace",
          "Algorithms: operations and time", "Warnings"}) {
      EXPECT_EQ(occurrences(page, std::string("<h2>") + heading + "</h2>"), 1u) << heading;
    }
    for (const Joint& joint : chain->joints()) EXPECT_TRUE(contains(page, joint.name));
    for (const char* algorithm : {"gdahj", "rnea", "udut", "kic"}) {
      EXPECT_TRUE(contains(page, algorithm)) << algorithm;
    }
    EXPECT_TRUE(contains(page, "dyn report "));
    EXPECT_EQ(nesting_fault(page), "");
  }
}

TEST(ToolReport, NeedsNothingFromOutsideAndShowsNoBrokenNumbers) {
  for (const std::string& robot : robot_names()) {
    SCOPED_TRACE(robot);
    const std::string page = page_of(robot_path(robot), "--tip tool0");
    for (const char* absent : {"http", "<script", "<img", "<link", "src=", "url(", "@import",
                               ">nan", "\"nan", ">inf", "\"inf", "\"-nan"}) {
      EXPECT_FALSE(contains(page, absent)) << absent;
    }
  }
}

TEST(ToolReport, EscapesNames) {
  std::string urdf = content(robot_path("planar3r"));
  const std::string name = "\"joint1\"";
  ASSERT_TRUE(contains(urdf, name));
  for (std::size_t at; (at = urdf.find(name)) != std::string::npos;) {
    urdf.replace(at, name.size(), "\"&lt;script&gt;left\"");
  }
  const std::string path = temporary("<b>R&D.urdf");
  std::ofstream(path) << urdf;
  const std::string page = page_of("'" + path + "'");
  EXPECT_TRUE(contains(page, "&lt;b&gt;R&amp;D.urdf"));
  EXPECT_TRUE(contains(page, "left"));
  EXPECT_FALSE(contains(page, "<b>R"));
  EXPECT_FALSE(contains(page, "<script"));
  EXPECT_EQ(nesting_fault(page), "");
  std::remove(path.c_str());
}

TEST(ToolReport, ExitStatusTellsUsageFromInput) {
  const auto unknown = tool("bogus 2>&1");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.text, "dyn: there is no command 'bogus'; dyn --help lists them\n");
  EXPECT_EQ(tool("report 2>/dev/null").status, 2);
  EXPECT_EQ(tool("report nowhere.urdf 2>/dev/null").status, 1);
  EXPECT_EQ(tool("report " + robot_path("rp") + " -o /nowhere/x.html 2>/dev/null").status, 1);
  EXPECT_EQ(tool("report --help").status, 0);
  EXPECT_EQ(tool("demo --help").status, 0);
  EXPECT_EQ(tool("demo nowhere.urdf 2>/dev/null").status, 1);
  EXPECT_EQ(tool("demo " + robot_path("rp") + " --duration 0 --no-report 2>/dev/null").status, 1);
}

// Each view and each matrix may stand alone on a narrow screen; the charts are there for both.
TEST(ToolReport, FitsNarrowScreens) {
  const std::string page = page_of(robot_path("arm7"), "--tip tool0");
  const std::size_t widest = 820;
  for (std::size_t at = 0; (at = page.find("<svg viewBox=\"0 0 ", at)) != std::string::npos; ++at) {
    EXPECT_LE(std::stoul(page.substr(at + 18)), widest);
  }
  EXPECT_EQ(occurrences(page, "<div class=\"views\">"), 2u);
  EXPECT_EQ(occurrences(page, "<div class=\"matrix\">"), 2u);
  EXPECT_EQ(occurrences(page, "<div class=\"narrow\">"), 2u);
  EXPECT_EQ(occurrences(page, "<div class=\"broad\">"), 2u);
}

// The numbers at an axis end at the pixel of text-anchor="end"; the axis' title is left of 20 px.
TEST(ToolReport, LongNumbersLeaveTheTitleOfTheAxisAlone) {
  const std::string svg = temporary("long.svg");
  ASSERT_EQ(
      tool("simulate " + robot_path("rp") + " --free-fall --q0=-1.5e8,0 --duration 0.1 --svg " +
           svg + " --csv /dev/null >/dev/null 2>&1")
          .status,
      0);
  const std::string picture = content(svg);
  int long_ones = 0;
  const std::string anchor = "text-anchor=\"end\">";
  for (std::size_t at = 0; (at = picture.find(anchor, at)) != std::string::npos; ++at) {
    const std::size_t begin = at + anchor.size();
    const std::string number = picture.substr(begin, picture.find('<', begin) - begin);
    const std::size_t x = picture.rfind("x=\"", at) + 3;
    const double end = std::stod(picture.substr(x));
    EXPECT_GE(end - 6.2 * static_cast<double>(number.size()), 18.0) << number;
    long_ones += number.size() > 6 ? 1 : 0;
  }
  EXPECT_GT(long_ones, 0);
  std::remove(svg.c_str());
}

// arm7 with a tenth of its torques: the summary has to say so.
TEST(ToolReport, SaysInShortWhereTorquesExceedTheirLimits) {
  std::string urdf = content(robot_path("arm7"));
  for (std::size_t at = 0; (at = urdf.find("effort=\"", at)) != std::string::npos; ++at) {
    urdf.insert(at + 8, "0.0");
  }
  const std::string path = temporary("weak.urdf");
  std::ofstream(path) << urdf;
  const std::string page = page_of(path, "--tip tool0");
  const std::string summary = page.substr(0, page.find("<h2>The arm</h2>"));
  EXPECT_TRUE(contains(summary, "the arm cannot hold every posture"));
  EXPECT_TRUE(contains(summary, "the joints may not all be able to go this fast at once"));
  EXPECT_FALSE(contains(page_of(robot_path("rtx3"), "--tip tool0"), "go this fast at once"));
  std::remove(path.c_str());
}

TEST(ToolReport, GoesToStdoutWhereAsked) {
  const Output output = tool("report " + robot_path("rp") + " --tip tool0 -o - 2>/dev/null");
  EXPECT_EQ(output.status, 0);
  EXPECT_TRUE(output.text.starts_with("<!DOCTYPE html>") && output.text.ends_with("</html>\n"));
  EXPECT_EQ(tool("demo --output - 2>/dev/null").status, 1);
}

TEST(ToolDemo, TheModelIsWorthItsWhile) {
  const Output output =
      tool("demo " + robot_path("arm7") + " --duration 2 --no-report --json 2>/dev/null");
  ASSERT_EQ(output.status, 0);
  const auto found = nlohmann::json::parse(output.text);
  EXPECT_EQ(found["tip"], "tool0");
  EXPECT_TRUE(found["report"].is_null());
  const auto rms = [&](const std::string& control, const std::string& payload) {
    for (const auto& row : found["tip_error"]) {
      if (row["control"] == control) return row[payload + "_payload"]["rms_m"].get<double>();
    }
    ADD_FAILURE() << control;
    return 0.0;
  };
  EXPECT_LT(rms("computed_torque", "right"), 0.1 * rms("pd", "right"));
  EXPECT_LT(rms("prediction", "right"), 0.2 * rms("computed_torque", "right"));
  EXPECT_LT(rms("prediction", "wrong"), rms("computed_torque", "wrong"));
  EXPECT_LT(rms("observer", "wrong"), 0.2 * rms("computed_torque", "wrong"));
  EXPECT_LT(found["energy_drift"].get<double>(), 1e-7);
  EXPECT_GT(found["update"]["p999_s"].get<double>(), 0.0);
}

TEST(ToolDemo, ShowsEveryRobotAndSaysWhereTheReportIs) {
  const std::vector<std::string> few = {"rtx3"};
  for (const std::string& robot : kSanitized ? few : robot_names()) {
    SCOPED_TRACE(robot);
    const std::string path = temporary("demo.html");
    const Output output =
        tool("demo " + robot_path(robot) + " --duration 1 -o " + path + " 2>/dev/null");
    EXPECT_EQ(output.status, 0);
    EXPECT_TRUE(contains(output.text, "PD alone"));
    EXPECT_TRUE(contains(output.text, "prediction"));
    EXPECT_TRUE(contains(output.text, path));
    EXPECT_FALSE(contains(output.text, "nan"));
    EXPECT_FALSE(contains(output.text, "\x1b"));  // not a terminal
    EXPECT_TRUE(content(path).ends_with("</html>\n"));
    std::remove(path.c_str());
  }
}

}  // namespace
}  // namespace dyn::test::tool_report_tests
