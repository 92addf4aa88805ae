// Every mass matrix algorithm against Σ m Jvᵀ Jv + Jwᵀ I Jw, the closed form of two links, the
// planar form of denoc, and the costs stated in the banners.
#include <limits>

#include "dyn_core/math/dual.hpp"
#include "dyn_core/papers/bhangale_2004/denoc.hpp"
#include "dyn_core/registry.hpp"
#include "planar_chain.hpp"
#include "support.hpp"

namespace dyn::test::mass_matrix_tests {
namespace {

constexpr Index kLengths[] = {2, 6, 7, 12, 30};

template <class Scalar>
MatX<Scalar> mass_matrix(const Entry<MassMatrixAlgorithm<Scalar>>& entry, const Model& model,
                         const VecX<Scalar>& q) {
  // A matrix full of something else: every element has to be written.
  MatX<Scalar> M = MatX<Scalar>::Constant(model.size(), model.size(), Scalar(1e6));
  entry.make(model)->mass_matrix(model, poses_of<Scalar>(model, q), M);
  return M;
}

template <class Scalar>
void expect_brute_force_sums(const ChainPtr& chain, std::uint64_t seed) {
  SCOPED_TRACE(chain->name() + ", seed " + std::to_string(seed));
  const Model model(chain);
  const VecXd q = Random(seed).vector(model.size(), 3.0);
  const MatXd expected = brute_force_mass_matrix<double>(chain, q);
  const double tolerance = 64.0 * static_cast<double>(std::numeric_limits<Scalar>::epsilon()) *
                           expected.cwiseAbs().maxCoeff();
  for (const auto& entry : mass_matrix_algorithms<Scalar>()) {
    SCOPED_TRACE(entry.name);
    const MatXd M = mass_matrix<Scalar>(entry, model, q.cast<Scalar>()).template cast<double>();
    EXPECT_LE((M - expected).cwiseAbs().maxCoeff(), tolerance);
    EXPECT_EQ((M - M.transpose()).cwiseAbs().maxCoeff(), 0.0);
  }
}

TEST(MassMatrix, IsTheSumOverTheLinks) {
  for (const ChainPtr& chain : conformance_chains()) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) expect_brute_force_sums<double>(chain, seed);
  }
}

TEST(MassMatrix, IsTheSumOverTheLinksInFloat) {
  for (const Index n : {1, 2, 4, 7}) {
    expect_brute_force_sums<float>(random_chain(n, 11), 1);
    expect_brute_force_sums<float>(random_chain(n, 12, {.prismatic = 0.4, .hayati = 0.3}), 2);
  }
}

TEST(MassMatrix, IsTheSumOverTheLinksOfSlidesOnly) {
  for (const Index n : {1, 2, 3, 7}) {
    expect_brute_force_sums<double>(random_chain(n, 21, {.prismatic = 1.0}), 1);
  }
}

TEST(MassMatrix, CarriesItsDerivative) {
  const ChainPtr chain = random_chain(5, 31, {.prismatic = 0.4, .hayati = 0.3});
  const Model model(chain);
  Random random(1);
  VecX<Dual> q(5);
  for (Dual& x : q) x = {random.uniform(-3.0, 3.0), random.uniform(-1.0, 1.0)};
  const MatX<Dual> expected = brute_force_mass_matrix<Dual>(chain, q);
  for (const auto& entry : mass_matrix_algorithms<Dual>()) {
    SCOPED_TRACE(entry.name);
    const MatX<Dual> M = mass_matrix<Dual>(entry, model, q);
    for (Index k = 0; k < M.size(); ++k) EXPECT_NEAR(M(k).rate, expected(k).rate, 1e-12);
  }
}

TEST(MassMatrix, OfTwoLinksInAPlaneHasItsClosedForm) {
  for (const std::uint64_t seed : {41u, 42u, 43u}) {
    const ChainPtr chain = planar_chain(2, seed);
    const Model model(chain);
    const VecXd q = Random(seed).vector(2, 3.0);
    const MatXd expected = TwoLinks(*chain).mass_matrix(q[1] + chain->dh()[1].theta);
    for (const auto& entry : mass_matrix_algorithms<double>()) {
      SCOPED_TRACE(entry.name);
      EXPECT_LE((mass_matrix<double>(entry, model, q) - expected).cwiseAbs().maxCoeff(), 1e-14);
    }
  }
}

TEST(Denoc, TakesThePlanarFormWhereItApplies) {
  const auto planar = [](const ChainPtr& chain) { return Denoc<double>(Model(chain)).planar(); };
  EXPECT_TRUE(planar(load_robot("planar3r")));
  EXPECT_TRUE(planar(planar_chain(5, 1)));
  EXPECT_TRUE(planar(planar_chain(5, 1, true)));
  EXPECT_TRUE(planar(load_robot("rp")));
  EXPECT_TRUE(planar(load_robot("pr")));
  for (const char* robot : {"rtx3", "stanford3", "puma560"}) {
    EXPECT_FALSE(planar(load_robot(robot))) << robot;
  }
}

TEST(Denoc, PlanarFormIsTheSumOverTheLinks) {
  for (const Index n : {1, 2, 3, 7, 20}) {
    for (const bool opposite : {false, true}) {
      expect_brute_force_sums<double>(planar_chain(n, 51, opposite), 1);
    }
  }
}

struct Measured {
  PrintedCount count, paper;
};

Measured count(const ChainPtr& chain, std::string_view name) {
  const Model model(chain);
  const auto* entry = find(mass_matrix_algorithms<Counted>(), name);
  VecX<Counted> q(model.size());
  for (Counted& x : q) x = Counted::variable(0.4);
  const auto poses = poses_of<Counted>(model, q);
  MatX<Counted> M(model.size(), model.size());
  const auto algorithm = entry->make(model);
  Counted::reset(CountingRule::kGeneral);
  algorithm->mass_matrix(model, poses, M);
  return {Counted::count(), entry->paper_count(model.size(), chain->is_planar())};
}

void expect_at_or_below_the_paper(const ChainPtr& chain, std::string_view name) {
  SCOPED_TRACE(chain->name());
  const Measured measured = count(chain, name);
  EXPECT_LE(measured.count.multiplications, measured.paper.multiplications);
  EXPECT_LE(measured.count.additions, measured.paper.additions);
}

TEST(MassMatrix, CostIsAtOrBelowThePapers) {
  for (const Index n : kLengths) {
    expect_at_or_below_the_paper(random_chain(n, 5), "crba");
    expect_at_or_below_the_paper(random_chain(n, 5), "denoc");
    expect_at_or_below_the_paper(planar_chain(n, 5), "denoc");
    expect_at_or_below_the_paper(planar_chain(n, 5, true), "denoc");
  }
}

TEST(MassMatrix, CostIsWhatTheBannersSay) {
  for (const Index n : kLengths) {
    EXPECT_EQ(count(random_chain(n, 5), "crba").count,
              (OperationCount{10 * n * n + 22 * n - 32, 6 * n * n + 36 * n - 42}));
    EXPECT_EQ(count(random_chain(n, 5), "denoc").count,
              (OperationCount{11 * n * n + 25 * n - 36, 7 * n * n + 41 * n - 48}));
    EXPECT_EQ(count(planar_chain(n, 5), "denoc").count,
              (OperationCount{(5 * n * n + 7 * n - 12) / 2, (3 * n * n + 15 * n - 18) / 2}));
  }
}

}  // namespace
}  // namespace dyn::test::mass_matrix_tests
