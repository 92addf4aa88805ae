// The measured operation counts stay at or below what the papers state.
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

OperationCount count_of(const ChainPtr& chain, CountingRule rule, std::string_view quantity,
                        std::string_view algorithm) {
  for (const AlgorithmCount& row : count_operations(chain, rule)) {
    if (row.quantity == quantity && row.algorithm == algorithm) return row.measured;
  }
  ADD_FAILURE() << "no " << quantity << " algorithm " << algorithm;
  return {};
}

TEST(Count, FramesAtHandAreNotCharged) {
  const ChainPtr chain = random_chain(6, 5);
  const auto whole = count_operations(chain, CountingRule::kGeneral);
  const auto without = count_operations(chain, CountingRule::kGeneral, true);
  const OperationCount frames{5 * 30, 5 * 18};  // as link_frames() says
  for (std::size_t k = 0; k < whole.size(); ++k) {
    const bool uses = whole[k].algorithm == "gdahj" || whole[k].algorithm == "gda";
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

// Kozłowski Tab. 2, column 2: twists of 0 and ±90°, displacements along x.
TEST(Count, RightAngledArmsAreAtOrBelowKozlowski) {
  for (const Index n : {6, 7, 12, 30}) {
    SCOPED_TRACE(n);
    const ChainPtr chain = random_chain(n, 3, {.right_angles = true});
    const auto normalised =
        count_of(chain, CountingRule::kCustomised, "forward_dynamics", "diagonalized_normalized");
    EXPECT_LE(normalised.multiplications, 406 * n - 381);
    EXPECT_LE(normalised.additions, 376 * n - 359);
    const auto unnormalised =
        count_of(chain, CountingRule::kCustomised, "forward_dynamics", "diagonalized_unnormalized");
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
    const auto gim = count_of(chain, CountingRule::kCustomised, "mass_matrix", "denoc");
    const auto mci = count_of(chain, CountingRule::kCustomised, "coriolis", "mci");
    EXPECT_LE(gim.multiplications, row.gim.multiplications);
    EXPECT_LE(gim.additions, row.gim.additions);
    EXPECT_LE(mci.multiplications, row.mci.multiplications);
    EXPECT_LE(mci.additions, row.mci.additions);
  }
}

// Safeea's claim: 3 n² multiplications and 2.5 n² additions, which second differences show exactly.
TEST(Count, QuadraticCostOfGdahjIsFivePointFive) {
  const auto at = [](Index n) {
    return count_of(random_chain(n, 1), CountingRule::kGeneral, "mass_matrix", "gdahj");
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
