// The pictures of docs/simulation.md are what its own commands draw.
#include <cmath>
#include <cstdlib>
#include <regex>
#include <sstream>
#include <vector>

#include "tool_support.hpp"

namespace dyn::test::tool_pictures_tests {
namespace {

const std::string kDocs = std::string(DYN_TEST_DATA_DIR) + "/../../../docs/";

// The lines "    dyn simulate …" of its section on Saha's experiments, continuations joined.
std::vector<std::string> commands_of_the_page() {
  std::string page = content(kDocs + "simulation.md");
  page = page.substr(page.find("## The experiments of Saha"));
  std::vector<std::string> commands;
  std::istringstream lines(std::regex_replace(page, std::regex(R"( \\\n +)"), " "));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("    dyn simulate ")) commands.push_back(line.substr(8));
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

TEST(ToolPictures, OfTheDocsAreWhatTheirCommandsDraw) {
  const std::vector<std::string> commands = commands_of_the_page();
  ASSERT_EQ(commands.size(), 6u);
  for (const std::string& command : commands) {
    SCOPED_TRACE(command);
    const std::string name = picture_of(command), path = temporary(name);
    ASSERT_EQ(shell("cd " DYN_ROBOTS_DIR " && " DYN_TOOL_PATH " " + command +
                    " --csv /dev/null --pictures " + path + " >/dev/null 2>&1")
                  .status,
              0);
    const std::string drawn = content(path), in_docs = content(kDocs + "pictures/" + name);
    std::remove(path.c_str());
    EXPECT_FALSE(words_of(in_docs).empty());
    EXPECT_EQ(words_of(drawn), words_of(in_docs));
    // Where the planar arm is after some seconds is decided by rounding, which each compiler does in an
    // order of its own.
    if (!name.starts_with("planar3r")) expect_same_drawing(drawn, in_docs);
    EXPECT_NE(content(kDocs + "simulation.md").find("(pictures/" + name + ")"), std::string::npos);
  }
}

}  // namespace
}  // namespace dyn::test::tool_pictures_tests
