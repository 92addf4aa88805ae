// dyn bench from the outside: the JSON that scripts read, and what it refuses.
#include <set>

#include <nlohmann/json.hpp>

#include "support.hpp"
#include "tool_support.hpp"

namespace dyn::test::tool_bench_tests {
namespace {

Output bench(const std::string& arguments) { return tool("bench " + arguments); }

TEST(ToolBench, EveryQuantityIsTimedAloneAndInBatches) {
  const Output output =
      bench("--dof 2,3 --batch 8,20 --threads 2 --rounds 1 --no-peers --json 2>/dev/null");
  ASSERT_EQ(output.status, 0);
  std::set<std::tuple<std::string, std::string, int, int>> seen;
  const nlohmann::json answer = nlohmann::json::parse(output.text);
  for (const auto& timing : answer.at("timings")) {
    EXPECT_GT(timing.at("ns").get<double>(), 0.0);
    seen.emplace(timing.at("quantity").get<std::string>(),
                 timing.at("algorithm").get<std::string>(), timing.at("dof").get<int>(),
                 timing.at("batch").get<int>());
  }
  for (const int n : {2, 3}) {
    for (const char* quantity :
         {"mass_matrix", "inverse_dynamics", "forward_dynamics", "coriolis", "mass_matrix_inverse",
          "factorisation", "bias", "inverse_dynamics_derivatives", "forward_dynamics_derivatives",
          "all"}) {
      EXPECT_TRUE(seen.contains({quantity, "fast", n, 1})) << quantity;
      if (std::string(quantity) == "all") continue;
      EXPECT_TRUE(seen.contains({quantity, "batch", n, 8})) << quantity;
      EXPECT_TRUE(seen.contains({quantity, "batch", n, 20})) << quantity;
    }
    EXPECT_TRUE(seen.contains({"mass_matrix", "gdahj", n, 1}));
    EXPECT_TRUE(seen.contains({"forward_dynamics", "udut", n, 1}));
  }
}

TEST(ToolBench, OnlyWhatIsNamedIsTimed) {
  const Output output =
      bench(robot_path("arm7") + " --batch 8 --only rnea --rounds 1 --json " + "2>/dev/null");
  ASSERT_EQ(output.status, 0);
  EXPECT_NE(output.text.find("\"rnea\""), std::string::npos);
  EXPECT_EQ(output.text.find("\"crba\""), std::string::npos);
  EXPECT_NE(output.text.find("\"batch\": 8"), std::string::npos);
  EXPECT_EQ(output.text.find("\"load\""), std::string::npos);
  const Output load = bench(robot_path("arm7") + " --only load --rounds 1 --json 2>/dev/null");
  EXPECT_NE(load.text.find("\"load\""), std::string::npos);
  EXPECT_EQ(load.text.find("\"crba\""), std::string::npos);
}

TEST(ToolBench, WrongRequestsAreSentences) {
  const std::pair<const char*, const char*> requests[] = {
      {"--dof 7 --target mmx", "mmx"},
      {"--dof 0", "whole numbers"},
      {"--dof 900 --batch 10000000 --only rnea", "GB"},
      {"--dof 2 --only nosuch", "there is no 'nosuch'; choose of load, "},
      {"no_such_robot.urdf", "no_such_robot.urdf"}};
  for (const auto& [arguments, part] : requests) {
    const Output output = bench(std::string(arguments) + " --rounds 1 2>&1");
    EXPECT_EQ(output.status, 1) << arguments;
    EXPECT_NE(output.text.find(part), std::string::npos) << output.text;
  }
}

}  // namespace
}  // namespace dyn::test::tool_bench_tests
