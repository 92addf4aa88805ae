// Kang, Appendix 1: the rows of the tables, with those that are printed wrong.
#include <array>

#include "dyn_core/papers/kang/kic.hpp"
#include "papers/christoffel.hpp"

namespace dyn::test::kang_appendix_tests {
namespace {

// Which row of the translational second order table is that of joints k, j.
enum Row { kRR, kRRSwapped, kPR, kRP, kRPZero, kPRZero, kPP, kOutboard, kRows };

Row row_of(const InfluenceCoefficients<Dual>& kic, Index link, Index j, Index k) {
  if (j > link || k > link) return kOutboard;
  if (kic.prismatic(k)) {
    if (kic.prismatic(j)) return kPP;
    return j <= k ? kPR : kPRZero;
  }
  if (kic.prismatic(j)) return k <= j ? kRP : kRPZero;
  return j <= k ? kRR : kRRSwapped;
}

TEST(KangAppendix1, EveryRowOfTheSecondOrderTableIsTheDerivative) {
  std::array<int, kRows> met{};
  double smallest_of_repeated_row = 1e9;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const ChainPtr chain = random_chain(6, seed, {.prismatic = 0.5});
    const VecXd q = Random(seed).vector(Index(6), 3.0);
    const Model model(chain);
    InfluenceCoefficients<Dual> kic(model);
    for (Index link = 0; link < 6; ++link) {
      for (Index j = 0; j < 6; ++j) {
        kic.update(model, poses_of<Dual>(model, moving(q, j)));
        const Vec3<Dual> P = kic.frame(link) * Vec3<Dual>(Vec3d(0.2, -0.3, 0.4).cast<Dual>());
        for (Index k = 0; k < 6; ++k) {
          const Row row = row_of(kic, link, j, k);
          SCOPED_TRACE(::testing::Message() << "seed " << seed << " row " << row);
          ++met[row];
          const Vec3d rate = rates(kic.translation(link, k, P));
          EXPECT_LE((rate - values(kic.translation(link, j, k, P))).norm(), 1e-13);
          const bool zero = row >= kRPZero;
          EXPECT_TRUE(!zero || rate.isZero(0.0));
          if (row == kPR)
            smallest_of_repeated_row = std::min(smallest_of_repeated_row, rate.norm());
        }
      }
    }
  }
  for (const int times : met) EXPECT_GT(times, 0);
  // The row P, R, j ≤ k, printed a second time with 0.
  EXPECT_GT(smallest_of_repeated_row, 1e-3);
}

TEST(KangAppendix1, RotationsHaveTheOrderOfTheirJoints) {
  const Model model(random_chain(4, 5));
  InfluenceCoefficients<double> kic(model);
  kic.update(model, poses_of<double>(model, Random(5).vector(Index(4), 3.0)));
  for (Index j = 0; j < 4; ++j) {
    for (Index k = 0; k < 4; ++k) {
      const Vec3d expected = j < k ? kic.S(j).cross(kic.S(k)) : Vec3d::Zero();
      EXPECT_EQ(kic.rotation(3, j, k), expected);
      EXPECT_EQ(kic.rotation(2, j, k), k <= 2 ? expected : Vec3d::Zero());
    }
  }
}

}  // namespace
}  // namespace dyn::test::kang_appendix_tests
