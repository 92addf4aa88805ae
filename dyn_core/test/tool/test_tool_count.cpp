// dyn count --steps.
#include <map>

#include <nlohmann/json.hpp>

#include "tool_support.hpp"

namespace dyn::test::tool_count_tests {
namespace {

using Json = nlohmann::json;

TEST(ToolCount, StepsAddUpToTheCount) {
  const Json counts = Json::parse(tool("count puma560 --json 2>/dev/null").text)["counts"];
  const Json steps = Json::parse(tool("count puma560 --steps --json 2>/dev/null").text)["steps"];
  std::map<std::string, int> sums;
  for (const Json& row : steps) {
    sums[row["algorithm"]] += row["multiplications"].get<int>() + row["additions"].get<int>();
    EXPECT_TRUE(row["paper"].is_object() || row["step"] == "joints 1 and 2") << row;
  }
  for (const char* algorithm : {"denoc", "udut", "diagonalized_normalized"}) {
    for (const Json& row : counts) {
      if (row["algorithm"] != algorithm) continue;
      EXPECT_EQ(sums[algorithm], row["multiplications"].get<int>() + row["additions"].get<int>());
    }
  }
}

TEST(ToolCount, StepsOfEveryKindOfArmThatThePapersCount) {
  const Output steps = tool("count --dof 6 --steps 2>/dev/null");
  ASSERT_EQ(steps.status, 0);
  for (const char* words : {"STEP 7", "A10", "Tab. 2, column 1", "Tab. 2, column 2", "Table I\n",
                            "Table II", "1647M 1621A"}) {
    EXPECT_NE(steps.text.find(words), std::string::npos) << words;
  }
}

TEST(ToolCount, StepsThatThePapersDoNotHaveAreSentences) {
  const Output refused = tool("count rp --steps 2>&1");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.text.find("from 3 joints on"), std::string::npos) << refused.text;
  EXPECT_EQ(tool("count --dof 6 --steps --customised 2>/dev/null").status, 1);
  EXPECT_EQ(tool("count --dof 6 --steps --without-frames 2>/dev/null").status, 2);
}

}  // namespace
}  // namespace dyn::test::tool_count_tests
