// Arm selection: the paper's judgements, formulas for workspace and manipulability.
#include <cmath>

#include "dyn_core/kinematics.hpp"
#include "dyn_core/select.hpp"
#include "support.hpp"

namespace dyn::test {
namespace {

const SelectionOptions kOptions{.samples = 40'000, .speed = 1.0, .seed = 3};

void expect_better(const char* better, const char* worse, const SelectionWeights& weights) {
  const std::vector<ArmAssessment> arms = {assess(load_robot(worse), kOptions),
                                           assess(load_robot(better), kOptions)};
  const Ranking ranking = rank(arms, weights);
  EXPECT_EQ(ranking.places[0].arm, 1u) << ranking.places[0].why;
  EXPECT_GT(ranking.places[0].score, ranking.places[1].score);
  EXPECT_FALSE(ranking.places[0].why.empty());
}

// Bhangale 2004, Table III: over all criteria but computing time, as CPUs differ.
TEST(Select, PrefersRpOverPr) {
  SelectionWeights weights;
  weights.time = 0.0;
  expect_better("rp", "pr", weights);
}

// Table V: by the simplicity of the dynamics. The slide of Table IV is far longer than the links, so by
// workspace the Stanford arm leads.
TEST(Select, PrefersRtxOverStanford) {
  expect_better("rtx3", "stanford3",
                {.complexity = 1.0,
                 .time = 0.0,
                 .workspace = 0.0,
                 .manipulability = 0.0,
                 .condition = 0.0,
                 .torque = 0.0});
}

TEST(Select, WorkspaceFormulasAgreeWithSampling) {
  for (const char* name : {"rp", "pr", "rtx3"}) {
    SCOPED_TRACE(name);
    const ChainPtr chain = load_robot(name);
    const Workspace exact = workspace_of(chain, kOptions);
    const Workspace sampled = workspace_of(chain, kOptions, true);
    EXPECT_FALSE(exact.formula.empty());
    EXPECT_TRUE(sampled.formula.empty());
    EXPECT_GT(sampled.error, 0.0);
    EXPECT_LT(sampled.error, 0.35 * exact.size);
    EXPECT_NEAR(sampled.size, exact.size, sampled.error);
  }
}

// The formulas of Tables III and V at the robots' own dimensions.
TEST(Select, WorkspaceFormulasAreThePapers) {
  const double slide = 3.2, a2 = 0.8584;
  EXPECT_NEAR(workspace_of(load_robot("rp"), kOptions).size, M_PI * slide * slide, 1e-9);
  EXPECT_NEAR(workspace_of(load_robot("pr"), kOptions).size, M_PI * a2 * a2 + 2.0 * a2 * slide,
              1e-9);
  EXPECT_NEAR(workspace_of(load_robot("rtx3"), kOptions).size, 4.0 * M_PI * slide * 0.432 * 0.2,
              1e-9);
  // The offset b2 hollows out the Stanford arm's sphere: no formula, and a little less than the paper's.
  const Workspace stanford = workspace_of(load_robot("stanford3"), kOptions);
  EXPECT_TRUE(stanford.formula.empty());
  EXPECT_NEAR(stanford.size, 4.0 / 3.0 * M_PI * std::pow(slide, 3), 1.5 * stanford.error);
}

TEST(Select, PeakTorqueBoundsEveryTorqueAtThatSpeed) {
  const ChainPtr chain = load_robot("puma560");
  const ArmAssessment arm = assess(chain, kOptions);
  EXPECT_EQ(arm.peak_torque.size(), chain->dof());
  EXPECT_GT(arm.peak_torque.minCoeff(), 0.0);
  EXPECT_GE(arm.condition.least, 1.0);
  EXPECT_LE(arm.condition.least, arm.condition.mean);
  EXPECT_LE(arm.condition.mean, arm.condition.most);
}

TEST(Select, WeightsDecide) {
  ArmAssessment simple, roomy;
  simple.name = "simple", simple.gim = {10, 10}, simple.workspace.size = 1.0;
  roomy.name = "roomy", roomy.gim = {100, 100}, roomy.workspace.size = 5.0;
  for (ArmAssessment* arm : {&simple, &roomy}) {
    arm->microseconds = 1.0;
    arm->manipulability = arm->condition = {1.0, 1.0, 1.0};
    arm->peak_torque = VecXd::Ones(2);
  }
  SelectionWeights weights{
      .complexity = 1, .time = 0, .workspace = 0, .manipulability = 0, .condition = 0, .torque = 0};
  EXPECT_EQ(rank({simple, roomy}, weights).places[0].arm, 0u);
  weights.complexity = 0.0;
  weights.workspace = 1.0;
  EXPECT_EQ(rank({simple, roomy}, weights).places[0].arm, 1u);
}

}  // namespace
}  // namespace dyn::test
