// Kang's operations step by step, the older algorithm under its name, and the loads at constant tip speed.
#include <array>

#include "dyn_core/papers/classic/rnea.hpp"
#include "dyn_core/papers/kang/as_printed_modified.hpp"
#include "dyn_core/papers/kang/coriolis.hpp"
#include "dyn_core/papers/kang/printed.hpp"
#include "dyn_core/papers/kang/tip_speed.hpp"
#include "papers/christoffel.hpp"

namespace dyn::test::kang_operations_tests {
namespace {

using Step = CountedStep<Counted>;

/// A general revolute arm at a counted state.
struct CountedState {
  explicit CountedState(Index n) : model(random_chain(n, 1)) {
    VecX<Counted> q(n);
    for (Index i = 0; i < n; ++i) q[i] = Counted::variable(0.3 + 0.1 * static_cast<double>(i));
    poses = poses_of<Counted>(model, q);
  }
  Model model;
  std::vector<JointPose<Counted>> poses;
};

// An operation counted under another step shows here.
TEST(KangSteps, AddUpToTheWholeAndEachIsItsFormula) {
  for (const Index n : {3, 4, 6, 12}) {
    SCOPED_TRACE(n);
    const CountedState state(n);
    InertiaPower<Counted> power(state.model);
    MatX<Counted> I(n, n);
    std::vector<MatX<Counted>> P(static_cast<std::size_t>(n), I);
    Step::reset(CountingRule::kGeneral);
    power.inertia_and_power(state.model, state.poses, I, P);
    const std::array<OperationCount, 8> formulas = {{
        {0, 0},
        {39 * n - 66, 24 * n - 44},
        {46 * n - 63, 58 * n - 69},
        {3 * n * n - 3 * n, 3 * (n - 1) * (n - 1)},
        {3 * n * n + 9 * n - 12, (5 * n * n + 11 * n - 16) / 2},
        {6 * n * n - 6, 3 * n * n - 3},
        {n * (5 * n * n + 6 * n - 11) / 2, n * (5 * n * n + 6 * n - 11) / 3},
        {0, n * (2 * n * n - 3 * n + 1) / 2},
    }};
    OperationCount sum;
    for (std::size_t s = 0; s < formulas.size(); ++s) {
      EXPECT_EQ(Step::count(s), formulas[s]) << "STEP " << s;
      sum = sum + Step::count(s);
    }
    EXPECT_EQ(sum, Counted::count());
  }
}

// The only step of the text as printed that wastes nothing.
TEST(KangSteps, TheTextsFourthStepHasThePrintedCount) {
  for (const Index n : {2, 3, 6, 12}) {
    SCOPED_TRACE(n);
    const CountedState state(n);
    kang::ModifiedAlgorithm<Counted> text(state.model);
    text.update(state.model, state.poses);
    Counted::reset(CountingRule::kGeneral);
    text.step_4();
    EXPECT_EQ(PrintedCount(Counted::count()), kang::step_counts(static_cast<double>(n))[3]);
  }
}

TEST(KangSteps, PrintedOnesMakeThePrintedTotals) {
  for (const double n : {3.0, 6.0, 12.0}) {
    PrintedCount sum;
    for (std::size_t s = 0; s < 7; ++s) {
      sum.multiplications += kang::step_counts(n)[s].multiplications;
      sum.additions += kang::step_counts(n)[s].additions;
      if (s == 3) {
        EXPECT_EQ(sum, kang::inertia_count(n));
      }
    }
    EXPECT_DOUBLE_EQ(sum.multiplications, kang::inertia_power_count(n).multiplications);
    // The total lacks n additions of the steps.
    EXPECT_NEAR(sum.additions, kang::inertia_power_count(n).additions + n, 1e-9);
  }
}

TEST(KangOlderCoriolis, IsTheMatrixOfTheModifiedAlgorithm) {
  for (const ChainPtr& chain : small_chains()) {
    SCOPED_TRACE(chain->name());
    const Model model(chain);
    Random random(3);
    const auto poses = poses_of<double>(model, random.vector(model.size(), 3.0));
    const VecXd qd = random.vector(model.size(), 2.0);
    MatXd older(model.size(), model.size()), modified = older;
    KicOlderCoriolis<double>(model).coriolis_matrix(model, poses, qd, older);
    KicCoriolis<double>(model).coriolis_matrix(model, poses, qd, modified);
    EXPECT_LE((older - modified).norm(), 1e-13 * (1.0 + modified.norm()));
  }
}

// Along any direction the tip keeps its velocity, and the loads are Newton and Euler's.
TEST(KangTipSpeed, LoadsAreQuadraticFormsOfTheTipsVelocity) {
  for (const Index n : {3, 6}) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      SCOPED_TRACE(::testing::Message() << "n " << n << " seed " << seed);
      const Model model(random_chain(n, seed, {.prismatic = 0.2}));
      Random random(seed);
      const auto poses = poses_of<double>(model, random.vector(n, 2.0));
      kang::TipSpeed tips(model);
      ASSERT_TRUE(tips.update(model, poses, Vec3d(0.1, -0.2, 0.3)));
      for (int k = 0; k < 20; ++k) {
        const Vec3d velocity = random.vector(1.0);
        const VecXd qd = tips.rates(velocity);
        VecXd T(n);
        Rnea<double>(model).inverse_dynamics(model, poses, Vec3d::Zero(), qd,
                                             tips.accelerations(velocity), T);
        for (Index i = 0; i < n; ++i) {
          const double tolerance = 1e-9 * (1.0 + T.cwiseAbs().maxCoeff());
          EXPECT_NEAR(T[i], velocity.dot(tips.B(i) * velocity), tolerance);
          EXPECT_LE(std::abs(T[i]), tips.largest_load(i, velocity.norm()) + tolerance);
        }
      }
    }
  }
}

TEST(KangTipSpeed, RefusesASingularArm) {
  const Model model(random_chain(3, 1, {.prismatic = 1.0}));
  const auto poses = poses_of<double>(model, VecXd::Zero(3));
  kang::TipSpeed tips(model);
  ASSERT_TRUE(tips.update(model, poses, Vec3d::Zero()));
  const Model planar(load_robot("planar3r"));  // its tip never leaves a plane
  kang::TipSpeed in_plane(planar);
  EXPECT_FALSE(in_plane.update(planar, poses_of<double>(planar, VecXd::Zero(3)), Vec3d::Zero()));
}

}  // namespace
}  // namespace dyn::test::kang_operations_tests
