// Bhangale 2004 (9) from exchangeable modules, in space and in the plane, and the program that is timed.
#include "arm_in_motion.hpp"
#include "dyn_core/math/counted.hpp"
#include "dyn_core/papers/bhangale_2004/gim_mci.hpp"
#include "dyn_core/papers/bhangale_2004/printed.hpp"
#include "dyn_core/papers/classic/crba.hpp"
#include "dyn_core/papers/kang/mass_matrix.hpp"
#include "dyn_core/study/modular_program.hpp"

namespace dyn::test::gim_mci_tests {
namespace {

using bhangale_2004::for_states;
using bhangale_2004::kEpsilon;
using bhangale_2004::largest;
using bhangale_2004::State;

// Section 3.3 and contribution 3 of Bhangale 2004: any GIM will do.
TEST(GimMci, TakesAnyGimForTheSameTorques) {
  for_states([](const State& s) {
    const Index n = s.n();
    const VecXd qdd = Random(21).vector(n, 2.0);
    VecXd expected(n), tau(n);
    Rnea<double>(s.model).inverse_dynamics(s.model, s.joints, s.model.gravity(), s.qd, qdd,
                                           expected);
    const double scale =
        (10.0 + s.scale) * (1.0 + largest(s.qd)) * (1.0 + largest(s.qd)) * static_cast<double>(n);
    const auto check = [&](InverseDynamicsAlgorithm<double>&& modular) {
      modular.inverse_dynamics(s.model, s.joints, s.model.gravity(), s.qd, qdd, tau);
      EXPECT_LE(largest(tau - expected), 1024.0 * kEpsilon * scale);
    };
    check(GimMci<double>(s.model));
    check(GimMci<double, Crba<double>>(s.model));
    check(GimMci<double, KicMassMatrix<double>>(s.model));
  });
}

// Gravity from any side, slides anywhere, and a payload that comes later.
TEST(GimMci, InThePlaneIsNewtonEuler) {
  for (const std::uint64_t seed : {61u, 62u, 63u}) {
    for (const char* kinds : kPlanarKinds) {
      SCOPED_TRACE(kinds + (", seed " + std::to_string(seed)));
      Model model(planar_chain_with_slides(kinds, seed));
      const Index n = model.size();
      Random random(seed);
      const VecXd q = random.vector(n, 2.0), qd = random.vector(n, 2.0),
                  qdd = random.vector(n, 2.0);
      GimMci<double> modular(model);
      Rnea<double> recursive(model);
      const auto joints = poses_of<double>(model, q);
      for (const double mass : {0.0, 2.0}) {
        if (mass > 0.0) model.set_payload({mass, random.vector(0.3), 0.1 * Mat3d::Identity()});
        model.set_gravity(random.vector(9.0));
        VecXd tau(n), expected(n);
        modular.inverse_dynamics(model, joints, model.gravity(), qd, qdd, tau);
        recursive.inverse_dynamics(model, joints, model.gravity(), qd, qdd, expected);
        EXPECT_LE(largest(tau - expected), 256.0 * kEpsilon * (1.0 + largest(expected)));
      }
    }
  }
}

TEST(ModularProgram, IsNewtonEuler) {
  for_states([](const State& s) {
    const Index n = s.n();
    ModularProgram program(s.chain);
    VecXd state(3 * n), expected(n), tau(n);
    state << s.q, s.qd, s.qdd;
    program.run(state.data());
    for (Index i = 0; i < n; ++i) tau[i] = program.output(static_cast<std::size_t>(i));
    Rnea<double>(s.model).inverse_dynamics(s.model, s.joints, s.model.gravity(), s.qd, s.qdd,
                                           expected);
    const double scale =
        (10.0 + s.scale) * (1.0 + largest(s.qd)) * (1.0 + largest(s.qd)) * static_cast<double>(n);
    EXPECT_LE(largest(tau - expected), 1024.0 * kEpsilon * scale);
  });
}

// What the paper's criterion is about: each architecture leaves another part of the equations.
TEST(ModularProgram, HasOnlyWhatTheArmNeeds) {
  const auto functions = [](const char* name) {
    return ModularProgram(load_robot(name)).functions();
  };
  EXPECT_EQ(functions("rp"), 0);
  EXPECT_EQ(functions("pr"), 2);
  EXPECT_EQ(functions("rtx3"), 4);
  EXPECT_EQ(functions("stanford3"), 2);
  const OperationCount rtx = ModularProgram(load_robot("rtx3")).operations();
  const OperationCount stanford = ModularProgram(load_robot("stanford3")).operations();
  EXPECT_LT(rtx.multiplications, stanford.multiplications);
  EXPECT_LT(rtx.additions, stanford.additions);
}

// ---- costs -------------------------------------------------------------------------------------

// GIM and MCI of a planar arm with all that either forms: the paper has 165M 115A for three joints.
TEST(GimMci, CostsWhatItsBannerStatesInThePlane) {
  for (const Index n : {2, 3, 6, 12}) {
    SCOPED_TRACE(n);
    for (const bool opposite : {false, true}) {
      const Model model(planar_chain(n, 1, opposite));
      const VecX<Counted> x = VecX<Counted>::Constant(n, Counted::variable(0.4));
      const auto joints = poses_of<Counted>(model, x);
      MatX<Counted> matrix(n, n);
      VecX<Counted> tau(n);
      GimMci<Counted> both(model);
      Denoc<Counted> gim(model);
      Mci<Counted> mci(model);
      Counted::reset(CountingRule::kGeneral);
      both.inverse_dynamics(model, joints, model.gravity(), x, x, tau);
      EXPECT_EQ(2 * Counted::count().multiplications, 13 * n * n + 47 * n - 56);
      EXPECT_EQ(2 * Counted::count().additions, 11 * n * n + 53 * n - 62);
      Counted::reset(CountingRule::kGeneral);
      gim.mass_matrix(model, joints, matrix);
      mci.coriolis_matrix(model, joints, x, matrix);
      const OperationCount all = Counted::count() + Counted::count_set_aside();
      EXPECT_EQ(Counted::count_set_aside(), (OperationCount{12 * n - 18, 11 * n - 15}));
      const PrintedCount g = bhangale::planar_gim_count(static_cast<double>(n));
      const PrintedCount c = bhangale::planar_mci_count(static_cast<double>(n));
      EXPECT_LE(all.multiplications, g.multiplications + c.multiplications);
      EXPECT_LE(all.additions, g.additions + c.additions);
    }
  }
}

}  // namespace
}  // namespace dyn::test::gim_mci_tests
