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

}  // namespace
}  // namespace dyn::test::docs_tests
