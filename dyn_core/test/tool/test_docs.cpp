// What the docs say of tests is there.
#include <filesystem>
#include <regex>
#include <set>
#include <vector>

#include "tool_support.hpp"

namespace dyn::test::docs_tests {
namespace {

const std::filesystem::path kTop = std::filesystem::path(DYN_TEST_DATA_DIR) / "../../..";

std::set<std::string> tests_of_this_program() {
  std::set<std::string> names;
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      names.insert(std::string(suite.name()) + "." + suite.GetTestInfo(t)->name());
    }
  }
  return names;
}

// `Suite.Name`, both capitalised.
TEST(Docs, NameOnlyTestsThatExist) {
  const std::set<std::string> tests = tests_of_this_program();
  const std::regex name("`([A-Z][A-Za-z0-9]*\\.[A-Z][A-Za-z0-9]*)`");
  std::vector<std::filesystem::path> pages = {kTop / "README.md", kTop / "CONTRIBUTING.md"};
  for (const auto& file : std::filesystem::directory_iterator(kTop / "docs")) {
    if (file.path().extension() == ".md") pages.push_back(file.path());
  }
  int found = 0;
  for (const std::filesystem::path& page : pages) {
    const std::string text = content(page);
    for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) {
      EXPECT_TRUE(tests.contains((*it)[1])) << page.filename() << " names " << (*it)[1];
      ++found;
    }
  }
  EXPECT_GE(found, 2);
}

std::string without_gaps(const std::string& line) {
  return std::regex_replace(line, std::regex(" +"), " ");
}

// The rows of docs/selection.md are what its commands print, but for times and the ranks that hang on them.
TEST(Docs, ArmsOfTheSelectionAreWhatIsCompared) {
  std::string printed;
  for (const char* arms : {"rp.urdf pr.urdf", "rtx3.urdf stanford3.urdf"}) {
    printed += shell("cd " DYN_ROBOTS_DIR " && " DYN_TOOL_PATH " compare " + std::string(arms) +
                     " --tip tool0 2>/dev/null")
                   .text;
  }
  printed = "\n" + std::regex_replace(without_gaps(printed), std::regex(" ?\n"), "\n");
  const std::string page = content(kTop / "docs/selection.md");
  std::istringstream lines(page.substr(page.find("```\n") + 4));
  const std::regex row("  [A-Za-z].*");
  int rows = 0;
  for (std::string line; std::getline(lines, line) && line != "```";) {
    std::smatch part;
    if (!std::regex_search(line, part, row, std::regex_constants::match_continuous)) continue;
    if (line.find("its time") != std::string::npos) continue;
    EXPECT_NE(printed.find("\n" + without_gaps(part.str())), std::string::npos) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 2 * 10);
}

}  // namespace
}  // namespace dyn::test::docs_tests
