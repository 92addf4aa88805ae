// dyn paper: what it lists, that nothing disagrees without a reason, and that docs/papers/ is what it writes.
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "support.hpp"
#include "tool_support.hpp"

namespace dyn::test::tool_paper_tests {
namespace {

using Json = nlohmann::json;

// The fewest items that a reader who counts the paper's own numbers and tables would accept.
const std::map<std::string, int> kPapers = {
    {"safeea", 12}, {"kang", 20}, {"saha", 30}, {"kozlowski", 35}, {"bhangale", 30}};

TEST(ToolPaper, EveryItemIsWholeAndEveryDisagreementHasAReason) {
  const Output all = tool("paper --json 2>/dev/null");
  ASSERT_EQ(all.status, 0) << all.text;
  std::map<std::string, int> count;
  const Json json = Json::parse(all.text);
  for (const Json& item : json["items"]) {
    SCOPED_TRACE(item["item"].get<std::string>());
    ++count[item["paper"]];
    const std::string kind = item["kind"];
    EXPECT_TRUE(kind == "table" || kind == "figure" || kind == "equation" || kind == "example" ||
                kind == "claim" || kind == "erratum")
        << kind;
    EXPECT_FALSE(item["printed"].get<std::string>().empty());
    EXPECT_FALSE(item["measured"].get<std::string>().empty());
    if (item["agrees"] == false) {
      EXPECT_GT(item["note"].get<std::string>().size(), 10u);
    }
  }
  for (const auto& [paper, fewest] : kPapers) EXPECT_GE(count[paper], fewest) << paper;
}

// Other compilers and flags round otherwise: under sanitizers only what is not measured is compared.
std::string comparable(const std::string& text) {
  if (!kSanitized) return text;
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t end = 0;  // of the column `printed`
    for (int column = 0; column < 3 && end != std::string::npos; ++column) {
      end = line.find(" | ", end == 0 ? 0 : end + 1);
    }
    if (line.starts_with("| ")) out += line.substr(0, end) + "\n";
  }
  return out;
}

TEST(ToolPaper, TheDocsAreWhatItWrites) {
  for (const auto& [paper, fewest] : kPapers) {
    const std::string path = temporary(paper + ".md");
    ASSERT_EQ(tool("paper " + paper + " -o " + path + " 2>/dev/null").status, 0);
    const std::string docs =
        std::string(DYN_TEST_DATA_DIR) + "/../../../docs/papers/" + paper + ".md";
    EXPECT_EQ(comparable(content(path)), comparable(content(docs)))
        << "write it again: dyn paper " << paper << " -o " << docs;
  }
}

TEST(ToolPaper, ThePageHoldsEveryItemAndItsPictures) {
  const std::string path = temporary("safeea.html");
  ASSERT_EQ(tool("paper safeea -o " + path + " 2>/dev/null").status, 0);
  const std::string page = content(path);
  EXPECT_NE(page.find("Table I, Symbolic-Numeric, n = 12"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_EQ(page.find("http"), page.find("http://www.w3.org/2000/svg")) << "nothing from outside";
}

TEST(ToolPaper, AnUnknownNameIsAUsageError) {
  const Output refused = tool("paper featherstone 2>&1");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.text.find("safeea"), std::string::npos) << refused.text;
}

}  // namespace
}  // namespace dyn::test::tool_paper_tests
