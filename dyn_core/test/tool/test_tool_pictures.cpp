// The pictures of docs/ are what the commands beside them draw.
#include <cmath>
#include <cstdlib>
#include <regex>
#include <sstream>
#include <vector>

#include "tool_support.hpp"

namespace dyn::test::tool_pictures_tests {
namespace {

const std::string kDocs = std::string(DYN_TEST_DATA_DIR) + "/../../../docs/";

// The page's lines "    dyn COMMAND …" without dyn, continuations joined.
std::vector<std::string> commands_of(const std::string& page, const std::string& command) {
  std::vector<std::string> commands;
  std::istringstream lines(std::regex_replace(page, std::regex(R"( \\\n +)"), " "));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("    dyn " + command)) commands.push_back(line.substr(8));
  }
  return commands;
}

// "stanford_free_fall.svg" of "simulate stanford.urdf --free-fall …".
std::string picture_of(const std::string& command) {
  const std::size_t begin = std::string("simulate ").size();
  const bool falls = command.find("--free-fall") != std::string::npos;
  return command.substr(begin, command.find(".urdf") - begin) +
         (falls ? "_free_fall.svg" : "_forced.svg");
}

// Pixels may differ by what rounding moves a tenth of one.
void expect_same_drawing(const std::string& drawn, const std::string& in_docs) {
  const char *a = drawn.c_str(), *b = in_docs.c_str();
  while (*a != '\0' && *b != '\0') {
    char *a_end = nullptr, *b_end = nullptr;
    const double x = std::strtod(a, &a_end), y = std::strtod(b, &b_end);
    if (a_end != a && b_end != b) {
      ASSERT_NEAR(x, y, 0.11) << std::string(a, 40);
      a = a_end, b = b_end;
    } else {
      ASSERT_EQ(*a, *b) << std::string(a, 40) << " in place of " << std::string(b, 40);
      ++a, ++b;
    }
  }
  EXPECT_EQ(*a, *b);
}

// What is written in it but for numbers.
std::vector<std::string> words_of(const std::string& svg) {
  std::vector<std::string> words;
  const std::regex text(">([^<>]*[A-Za-z][^<>]*)<");
  for (std::sregex_iterator it(svg.begin(), svg.end(), text), end; it != end; ++it) {
    words.push_back((*it)[1]);
  }
  return words;
}

// What the command draws is the picture of that name, and the page shows it.
void expect_drawn(const std::string& page, const std::string& command, const std::string& name) {
  SCOPED_TRACE(command);
  const std::string path = temporary(name);
  ASSERT_EQ(shell("cd " DYN_ROBOTS_DIR " && " DYN_TOOL_PATH " " + command + " --pictures " + path +
                  " >/dev/null 2>&1")
                .status,
            0);
  const std::string drawn = content(path), in_docs = content(kDocs + "pictures/" + name);
  std::remove(path.c_str());
  EXPECT_FALSE(words_of(in_docs).empty());
  EXPECT_EQ(words_of(drawn), words_of(in_docs));
  // Where the planar arm is after some seconds is decided by rounding, which each compiler does in an
  // order of its own.
  if (!name.starts_with("planar3r")) expect_same_drawing(drawn, in_docs);
  EXPECT_NE(page.find("(pictures/" + name + ")"), std::string::npos);
}

TEST(ToolPictures, OfTheDocsAreWhatTheirCommandsDraw) {
  const std::string page = content(kDocs + "simulation.md");
  const auto commands =
      commands_of(page.substr(page.find("## The experiments of Saha")), "simulate ");
  ASSERT_EQ(commands.size(), 6u);
  for (const std::string& command : commands) {
    expect_drawn(page, command + " --csv /dev/null", picture_of(command));
  }
}

TEST(ToolPictures, OfClosedLoopsAreWhatTheirCommandsDraw) {
  for (const char* name : {"guiding", "task_space", "drives", "presets"}) {
    const std::string page = content(kDocs + name + std::string(".md"));
    int drawn = 0;
    for (const std::string& command : commands_of(page, "track ")) {
      const std::size_t option = command.find(" --pictures ");
      if (option == std::string::npos) continue;
      ++drawn;
      expect_drawn(page, command.substr(0, option), command.substr(option + 12));
    }
    EXPECT_GT(drawn, 0) << name;
  }
}

// Every run has a curve in every chart.
TEST(ToolPictures, OfClosedLoopsHaveEveryRunOfTheTable) {
  const std::string path = temporary("runs.svg");
  const auto draw = [&](const std::string& options) {
    const Output output =
        shell(DYN_TOOL_PATH " track planar3r --duration 0.5 --pictures " + path + " " + options);
    EXPECT_EQ(output.status, 0) << output.text;
    std::string svg = content(path);
    std::remove(path.c_str());
    return svg;
  };
  const auto curves = [](const std::string& svg) {
    const std::regex curve("<path d=\"M[^\"]*\" fill=\"none\" stroke=");
    return std::distance(std::sregex_iterator(svg.begin(), svg.end(), curve), {});
  };
  const std::string joints = draw("--law computed_torque");
  EXPECT_EQ(curves(joints), 4 * 2) << "errors and torques";
  EXPECT_NE(joints.find("computed_torque + prediction, load cancelled"), std::string::npos);
  EXPECT_NE(joints.find("tracking error"), std::string::npos);
  const std::string tip = draw("--law impedance --predict off");
  EXPECT_EQ(curves(tip), 2 * 2);
  EXPECT_NE(tip.find("the tip from its reference"), std::string::npos);
  const std::string hand = draw("--law gravity --predict off");
  EXPECT_EQ(curves(hand), 1 * 2);
  EXPECT_NE(hand.find("the tip from its first place"), std::string::npos);
  EXPECT_EQ(curves(draw("--law pd --predict off")), 1 * 2);
}

TEST(ToolPictures, OfClosedLoopsAreRefusedWhereTheyCannotBeWritten) {
  const Output output = shell(DYN_TOOL_PATH " track arm7 --pictures /nowhere/a.svg 2>&1");
  EXPECT_EQ(output.status, 1);
  EXPECT_NE(output.text.find("--pictures: '/nowhere/a.svg' cannot be written"), std::string::npos)
      << output.text;
}

}  // namespace
}  // namespace dyn::test::tool_pictures_tests
