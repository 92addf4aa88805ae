// The measured operation counts stay at or below what the papers state.
#include <algorithm>
#include <cmath>

#include "dyn_core/study/count.hpp"
#include "support.hpp"

namespace dyn::test::count_tests {
namespace {

constexpr Index kLengths[] = {2, 6, 7, 12, 30};

// Algorithms whose paper is held to be beaten; the others' formulas are shown beside the measurement.
const std::vector<std::string_view> kHeld = {"gdahj",
                                             "crba",
                                             "denoc",
                                             "kic",
                                             "rnea",
                                             "mci",
                                             "udut",
                                             "cholesky",
                                             "diagonalized_normalized",
                                             "diagonalized_unnormalized"};

bool is_held(const AlgorithmCount& row) {
  return row.paper && std::ranges::find(kHeld, row.algorithm) != kHeld.end();
}

void expect_at_or_below(const AlgorithmCount& row) {
  EXPECT_LE(row.measured.multiplications, row.paper->multiplications) << row.algorithm;
  EXPECT_LE(row.measured.additions, row.paper->additions) << row.algorithm;
}

TEST(Count, GeneralCountsAreAtOrBelowThePapers) {
  for (const Index n : kLengths) {
    SCOPED_TRACE(n);
    int held = 0;
    for (const AlgorithmCount& row : count_operations(random_chain(n, 5), CountingRule::kGeneral)) {
      if (!is_held(row)) continue;
      expect_at_or_below(row);
      ++held;
    }
    EXPECT_GE(held, 8);
  }
}

TEST(Count, PlanarCountsAreAtOrBelowThePaper) {
  for (const AlgorithmCount& row :
       count_operations(load_robot("planar3r"), CountingRule::kGeneral)) {
    if (row.algorithm == "denoc" || row.algorithm == "mci") expect_at_or_below(row);
  }
}

TEST(Count, FramesAtHandAreNotCharged) {
  const ChainPtr chain = random_chain(6, 5);
  const auto whole = count_operations(chain, CountingRule::kGeneral);
  const auto without = count_operations(chain, CountingRule::kGeneral, true);
  const OperationCount frames{5 * 30, 5 * 18};  // as link_frames() says
  for (std::size_t k = 0; k < whole.size(); ++k) {
    const std::string_view name = whole[k].algorithm;
    const bool uses = name == "gdahj" || name == "gda" || name == "kic_older";
    EXPECT_EQ(whole[k].measured + whole[k].set_aside - without[k].measured - without[k].set_aside,
              uses ? frames : OperationCount{})
        << whole[k].quantity << ' ' << whole[k].algorithm;
  }
}

// The formulas are for general arms: beside the count of one robot they would be of another kind.
TEST(Count, ACustomisedCountHasNoFormulaBesideIt) {
  for (const AlgorithmCount& row :
       count_operations(load_robot("puma560"), CountingRule::kCustomised)) {
    EXPECT_FALSE(row.paper) << row.algorithm;
  }
}

// Coefficients of 1, n, … n⁴.
struct Polynomial {
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0;
  [[nodiscard]] std::int64_t at(Index n) const {
    const auto x = static_cast<double>(n);
    return std::llround(a + x * (b + x * (c + x * (d + x * e))));
  }
};

struct Formula {
  std::string_view quantity, algorithm;
  struct {
    Polynomial multiplications, additions;
  } count;
};

// What each executes on a general revolute arm of n ≥ 3 joints: an operation more or less anywhere shows here.
constexpr Formula kFormulas[] = {
    {"mass_matrix", "gdahj", {{-12, 84, 3}, {-20, 94.5, 2.5}}},
    {"mass_matrix", "crba", {{-32, 22, 10}, {-42, 36, 6}}},
    {"mass_matrix", "denoc", {{-36, 25, 11}, {-48, 41, 7}}},
    {"mass_matrix", "kic", {{-153, 106, 3}, {-128, 94.5, 2.5}}},
    {"mass_matrix", "operator", {{-483, 513, 21}, {-426, 443.5, 17.5}}},
    {"inverse_dynamics", "rnea", {{-105, 91}, {-97, 79}}},
    {"inverse_dynamics", "gda", {{-36, 141, 33}, {-27, 122.5, 28.5}}},
    {"inverse_dynamics", "gim_mci", {{-348, 230.5, 20.5}, {-386, 259.5, 15.5}}},
    {"inverse_dynamics", "kic", {{-143, 88.5, 17, 3.5}, {-119, 241 / 3.0, 10, 11 / 3.0}}},
    {"forward_dynamics", "udut", {{-208, 137}, {-233, 136}}},
    {"forward_dynamics",
     "cholesky",
     {{-32, 70 / 3.0, 11.5, 1 / 6.0}, {-42, 209 / 6.0, 7, 1 / 6.0}}},
    {"forward_dynamics", "diagonalized_normalized", {{-548, 411}, {-565, 391}}},
    {"forward_dynamics", "diagonalized_unnormalized", {{-506, 369}, {-534, 361}}},
    {"coriolis", "mci", {{-172, 89.5, 7.5}, {-218, 111.5, 6.5}}},
    {"coriolis", "kic", {{-144, 85.5, 12, 2.5}, {-119, 473 / 6.0, 6.5, 8 / 3.0}}},
    {"coriolis", "kic_older", {{-30, 97, 27, 18, 10}, {-18, 67, 19.5, 14.5, 9}}},
    {"coriolis", "mci_printed", {{-1116, 789, 564}, {-1023, 663, 509}}},
};

TEST(Count, IsTheMeasuredFormulaOfEveryAlgorithm) {
  for (const Index n : {3, 4, 7, 12, 30}) {
    std::size_t found = 0;
    for (const AlgorithmCount& row : count_operations(random_chain(n, 9), CountingRule::kGeneral)) {
      const auto* formula = std::ranges::find_if(kFormulas, [&](const Formula& f) {
        return f.quantity == row.quantity && f.algorithm == row.algorithm;
      });
      ASSERT_NE(formula, std::end(kFormulas)) << row.quantity << ' ' << row.algorithm;
      const OperationCount wanted{formula->count.multiplications.at(n),
                                  formula->count.additions.at(n)};
      EXPECT_EQ(row.measured, wanted) << row.quantity << ' ' << row.algorithm << ", n = " << n;
      ++found;
    }
    EXPECT_EQ(found, std::size(kFormulas));
  }
}

std::int64_t operations(Index n, std::string_view quantity, std::string_view algorithm) {
  const OperationCount count =
      count_operations(random_chain(n, 9), CountingRule::kGeneral, quantity, algorithm);
  return count.multiplications + count.additions;
}

// docs/algorithms.md, "Which one".
TEST(Count, EachIsCheapestWhereTheDocsSaySo) {
  for (Index n = 2; n <= 30; ++n) {
    SCOPED_TRACE(n);
    const auto gim = [n](const char* algorithm) { return operations(n, "mass_matrix", algorithm); };
    EXPECT_EQ(gim("gdahj") < gim("crba"), n >= 12);
    EXPECT_EQ(gim("kic") < gim("crba"), n >= 12);
    EXPECT_LT(std::min({gim("gdahj"), gim("kic"), gim("crba")}), gim("denoc"));
    EXPECT_EQ(gim("gdahj") < gim("kic"), n >= 12);
    EXPECT_EQ(
        operations(n, "forward_dynamics", "udut") < operations(n, "forward_dynamics", "cholesky"),
        n < 3 || n >= 8);
    for (const char* other : {"gda", "gim_mci", "kic"}) {
      EXPECT_LT(operations(n, "inverse_dynamics", "rnea"),
                operations(n, "inverse_dynamics", other));
    }
    for (const char* other : {"kic", "kic_older", "mci_printed"}) {
      EXPECT_LT(operations(n, "coriolis", "mci"), operations(n, "coriolis", other));
    }
  }
}

// Kozłowski Tab. 2, column 2: twists of 0 and ±90°, displacements along x.
TEST(Count, RightAngledArmsAreAtOrBelowKozlowski) {
  for (const Index n : {6, 7, 12, 30}) {
    SCOPED_TRACE(n);
    const ChainPtr chain = random_chain(n, 3, {.right_angles = true});
    const auto normalised = count_operations(chain, CountingRule::kCustomised, "forward_dynamics",
                                             "diagonalized_normalized");
    EXPECT_LE(normalised.multiplications, 406 * n - 381);
    EXPECT_LE(normalised.additions, 376 * n - 359);
    const auto unnormalised = count_operations(chain, CountingRule::kCustomised, "forward_dynamics",
                                               "diagonalized_unnormalized");
    EXPECT_LE(unnormalised.multiplications, 314 * n - 238);
    EXPECT_LE(unnormalised.additions, 284 * n - 218);
  }
}

// Bhangale Tables III and V.
TEST(Count, CustomisedCountsAreAtOrBelowBhangale) {
  struct Row {
    const char* robot;
    OperationCount gim, mci;
  };
  const Row rows[] = {{"rp", {12, 6}, {26, 14}},
                      {"pr", {21, 6}, {28, 18}},
                      {"rtx3", {142, 138}, {389, 317}},
                      {"stanford3", {170, 154}, {522, 352}}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.robot);
    const ChainPtr chain = load_robot(row.robot);
    const auto gim = count_operations(chain, CountingRule::kCustomised, "mass_matrix", "denoc");
    const auto mci = count_operations(chain, CountingRule::kCustomised, "coriolis", "mci");
    EXPECT_LE(gim.multiplications, row.gim.multiplications);
    EXPECT_LE(gim.additions, row.gim.additions);
    EXPECT_LE(mci.multiplications, row.mci.multiplications);
    EXPECT_LE(mci.additions, row.mci.additions);
  }
}

// Safeea's claim: 3 n² multiplications and 2.5 n² additions, which second differences show exactly.
TEST(Count, QuadraticCostOfGdahjIsFivePointFive) {
  const auto at = [](Index n) {
    return count_operations(random_chain(n, 1), CountingRule::kGeneral, "mass_matrix", "gdahj");
  };
  const OperationCount low = at(20), middle = at(30), high = at(40);
  const auto second_difference = [](std::int64_t a, std::int64_t b, std::int64_t c) {
    return static_cast<double>(c - 2 * b + a) / 200.0;
  };
  EXPECT_DOUBLE_EQ(
      second_difference(low.multiplications, middle.multiplications, high.multiplications), 3.0);
  EXPECT_DOUBLE_EQ(second_difference(low.additions, middle.additions, high.additions), 2.5);
}

TEST(Count, CustomisedRuleFreesZerosOnesAndConstants) {
  const Counted zero(0.0), one(1.0), two(2.0), x = Counted::variable(3.0);
  Counted::reset(CountingRule::kCustomised);
  EXPECT_EQ((zero * x + one * x - two * two).value(), -1.0);
  EXPECT_EQ(Counted::count(), (OperationCount{0, 1}));
  Counted::reset(CountingRule::kGeneral);
  EXPECT_EQ((zero * x + one * x - two * two).value(), -1.0);
  EXPECT_EQ(Counted::count(), (OperationCount{3, 2}));
}

}  // namespace
}  // namespace dyn::test::count_tests
