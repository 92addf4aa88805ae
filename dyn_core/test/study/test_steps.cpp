// Operations step by step: together they are the algorithm's, and the papers' steps are the papers' totals.
#include <map>
#include <string>

#include "dyn_core/papers/bhangale_2004/printed.hpp"
#include "dyn_core/papers/kang/printed.hpp"
#include "dyn_core/papers/kozlowski_1995/printed.hpp"
#include "dyn_core/study/count.hpp"
#include "dyn_core/study/steps.hpp"
#include "support.hpp"

namespace dyn::test::steps_tests {
namespace {

std::vector<ChainPtr> chains_with_steps() {
  std::vector<ChainPtr> chains;
  for (const char* robot : {"planar3r", "stanford", "puma560", "arm7"}) {
    chains.push_back(load_robot(robot));
  }
  for (const Index n : {3, 4, 6, 12}) {
    chains.push_back(random_chain(n, 21));
    chains.push_back(random_chain(n, 22, {.prismatic = 0.4, .hayati = 0.3}));
    chains.push_back(right_angled_arm(n, RightAngledArm::kSpatial));
    chains.push_back(right_angled_arm(n, RightAngledArm::kPlanar));
  }
  return chains;
}

TEST(Steps, AddUpToTheirAlgorithm) {
  for (const ChainPtr& chain : chains_with_steps()) {
    for (const CountingRule rule : {CountingRule::kGeneral, CountingRule::kCustomised}) {
      SCOPED_TRACE(chain->name() + (rule == CountingRule::kGeneral ? "" : ", customised"));
      std::map<std::pair<std::string_view, std::string_view>, OperationCount> sums;
      for (const StepCount& row : count_steps(chain, rule)) {
        EXPECT_GE(row.measured.multiplications, 0) << row.algorithm << ' ' << row.step;
        EXPECT_GE(row.measured.additions, 0) << row.algorithm << ' ' << row.step;
        OperationCount& sum = sums[{row.quantity, row.algorithm}];
        sum = sum + row.measured;
      }
      EXPECT_EQ(sums.size(), 5u);
      for (const auto& [algorithm, sum] : sums) {
        if (algorithm.first == "inertia_power")
          continue;  // KangSteps.AddUpToTheWholeAndEachIsItsFormula
        EXPECT_EQ(sum, count_operations(chain, rule, algorithm.first, algorithm.second))
            << algorithm.first << ' ' << algorithm.second;
      }
    }
  }
}

TEST(Steps, OfThePapersAddUpToTheirTotals) {
  for (const Index n : {3, 6, 12}) {
    SCOPED_TRACE(n);
    std::map<std::string, PrintedCount> sums;
    for (const StepCount& row : count_steps(n)) {
      PrintedCount& sum = sums[std::string(row.algorithm) + ", " + std::string(row.table)];
      if (row.paper) sum = sum + *row.paper;
    }
    const auto x = static_cast<double>(n);
    // Their own total has n additions less (papers/kang.md), and 30 n M more stand in z⁺ by a misprint.
    const PrintedCount kang = kang::inertia_power_count(x);
    EXPECT_EQ(sums["kic, STEP 1-7"].multiplications, kang.multiplications);
    EXPECT_NEAR(sums["kic, STEP 1-7"].additions, kang.additions + x, 1e-9);
    EXPECT_EQ(sums["udut, section 3"], (PrintedCount{192 * x - 284, 187 * x - 325}));
    for (const std::size_t column : {0, 1}) {
      const std::string table = column == 0 ? ", Tab. 2, column 1" : ", Tab. 2, column 2";
      EXPECT_EQ(sums["diagonalized_normalized" + table],
                kozlowski::kTable2NormalizedTotal.columns[column](x));
      EXPECT_EQ(sums["diagonalized_unnormalized" + table],
                kozlowski::kTable2UnnormalizedTotal.columns[column](x) +
                    PrintedCount(column == 1 ? 30 * x : 0, 0));
    }
    EXPECT_EQ(sums["denoc, Table I"], bhangale::gim_count(x));
    EXPECT_EQ(sums["denoc, Table II"], bhangale::planar_gim_count(x));
  }
}

// Of another kind of arm than the paper's, or customised, there is no figure to compare with.
TEST(Steps, StandBesideThePaperForItsOwnArmsOnly) {
  for (const StepCount& row : count_steps(load_robot("stanford"), CountingRule::kGeneral)) {
    EXPECT_FALSE(row.paper) << row.step;
  }
  for (const StepCount& row : count_steps(load_robot("puma560"), CountingRule::kCustomised)) {
    EXPECT_FALSE(row.paper) << row.step;
  }
}

}  // namespace
}  // namespace dyn::test::steps_tests
