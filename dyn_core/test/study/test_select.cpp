// Arm selection: the paper's judgements, formulas for workspace and manipulability.
#include <cmath>
#include <numeric>

#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "dyn_core/solver.hpp"
#include "dyn_core/study/select.hpp"
#include "support.hpp"

namespace dyn::test::select_tests {
namespace {

const SelectionOptions kOptions{.samples = 40'000, .speed = 1.0, .seed = 3};

void expect_better(const char* better, const char* worse, const SelectionWeights& weights) {
  const std::vector<ArmAssessment> arms = assess({load_robot(worse), load_robot(better)}, kOptions);
  const Ranking ranking = rank(arms, weights);
  EXPECT_EQ(ranking.places[0].arm, 1u) << ranking.places[0].why;
  EXPECT_GT(ranking.places[0].score, ranking.places[1].score);
  EXPECT_FALSE(ranking.places[0].why.empty());
}

// Bhangale 2004, Table III: over all criteria but computing time, as machines differ.
TEST(Select, PrefersRpOverPr) {
  SelectionWeights weights;
  weights.time = 0.0;
  expect_better("rp", "pr", weights);
}

// Table V: over the paper's criteria, again without computing time. Conditioning and drive torques, at the
// dimensions of Table IV, speak for the other.
SelectionWeights criteria_of_the_paper() {
  SelectionWeights weights;
  weights.time = weights.condition = weights.torque = 0.0;
  return weights;
}

TEST(Select, PrefersRtxOverStanford) {
  const SelectionWeights weights = criteria_of_the_paper();
  expect_better("rtx3", "stanford3", weights);
}

TEST(Select, AnAreaIsNotComparedWithAVolume) {
  const std::vector<ArmAssessment> arms = {assess(load_robot("rp"), kOptions),
                                           assess(load_robot("rtx3"), kOptions)};
  for (const bool as_built : {false, true}) {
    const Ranking ranking = rank(arms, {}, as_built);
    EXPECT_FALSE(ranking.sizes_compared);
    for (const Ranking::Place& place : ranking.places) {
      EXPECT_EQ(place.why.find("workspace"), std::string::npos) << place.why;
      EXPECT_EQ(place.why.find("manipulability"), std::string::npos) << place.why;
    }
  }
  EXPECT_TRUE(rank({arms[0], arms[0]}, {}).sizes_compared);
}

// At a slide seven times as long as the links, as in Table IV, the Stanford arm reaches further.
TEST(Select, TheDimensionsCanOutweighTheArchitecture) {
  const std::vector<ArmAssessment> arms = {assess(load_robot("rtx3"), kOptions),
                                           assess(load_robot("stanford3"), kOptions)};
  const SelectionWeights weights = criteria_of_the_paper();
  EXPECT_EQ(rank(arms, weights, false).places[0].arm, 0u);
  EXPECT_EQ(rank(arms, weights, true).places[0].arm, 1u);
}

TEST(Select, WorkspaceFormulasAgreeWithSampling) {
  for (const char* name : {"rp", "pr", "rtx3", "stanford3"}) {
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
  EXPECT_NEAR(workspace_of(load_robot("stanford3"), kOptions).size,
              4.0 / 3.0 * M_PI * std::pow(slide, 3), 1e-9);
}

// Tables III and V at a_i = b_i = a. RP: the formula gives 3π a², the table prints 4π a². PR: of the
// table's (π + 2) a² a lens of 2π/3 - √3/2 is out of reach.
TEST(Select, EqualLengthsAreThePapers) {
  const auto workspace = [](const char* name) {
    return workspace_of(load_robot(name), kOptions).equal_lengths->workspace;
  };
  EXPECT_NEAR(workspace("rp"), 3.0 * M_PI, 1e-12);
  EXPECT_NEAR(workspace("pr"), M_PI + 2.0 - (2.0 / 3.0 * M_PI - std::sqrt(0.75)), 1e-12);
  EXPECT_NEAR(workspace("rtx3"), 4.0 * M_PI, 1e-12);
  EXPECT_NEAR(workspace("stanford3"), 4.0 / 3.0 * M_PI, 1e-12);
  EXPECT_FALSE(workspace_of(load_robot("puma560"), kOptions).equal_lengths.has_value());
}

// Their mean tells them apart, the largest does not: Table V, RTX and Stanford.
TEST(Select, ManipulabilityIsComparedByItsLargest) {
  const std::vector<ArmAssessment> arms =
      assess({load_robot("rtx3"), load_robot("stanford3")}, kOptions);
  EXPECT_NE(arms[0].workspace.equal_lengths->mean_manipulability,
            arms[1].workspace.equal_lengths->mean_manipulability);
  const SelectionWeights weights{
      .complexity = 0, .time = 0, .workspace = 0, .manipulability = 1, .condition = 0, .torque = 0};
  for (const Ranking::Place& place : rank(arms, weights).places) {
    EXPECT_EQ(place.why, "ties for the best manipulability");
  }
  EXPECT_EQ(rank(arms, weights, true).places[0].arm, 1u);
}

// The formulas of Tables III and V at the robots' own dimensions.
TEST(Select, TheLargestManipulabilityIsClimbedTo) {
  const std::vector<ArmAssessment> arms = assess(
      {load_robot("rp"), load_robot("pr"), load_robot("rtx3"), load_robot("stanford3")}, kOptions);
  const double expected[] = {3.2, 0.8584, 0.432 * 0.2, 3.2 * 3.2};
  for (std::size_t k = 0; k < arms.size(); ++k) {
    SCOPED_TRACE(arms[k].name);
    EXPECT_NEAR(arms[k].manipulability.most, expected[k], 1e-9 * expected[k]);
    EXPECT_LT(arms[k].manipulability.mean, expected[k]);
  }
}

TEST(Select, TwoEqualArmsTie) {
  for (const char* name : {"rp", "stanford3", "puma560"}) {
    SCOPED_TRACE(name);
    const SelectionOptions options{.samples = 2000};
    const std::vector<ArmAssessment> arms =
        assess({load_robot(name), load_robot(name), load_robot(name)}, options);
    for (const Ranking::Place& place : rank(arms, {}).places) {
      EXPECT_EQ(place.score, 1.0);
      EXPECT_EQ(
          place.why,
          "ties for the simplest dynamics, the fastest inverse dynamics, the largest workspace, "
          "the best manipulability, the best conditioned inertia and the smallest peak torques");
    }
  }
}

TEST(Select, TimesTieWhereTheirSpreadsMeet) {
  ArmAssessment a;
  a.microseconds = 1.0, a.microseconds_error = 0.06;
  ArmAssessment b = a;
  b.microseconds = 1.1;
  const SelectionWeights weights{
      .complexity = 0, .time = 1, .workspace = 0, .manipulability = 0, .condition = 0, .torque = 0};
  for (const Ranking::Place& place : rank({a, b}, weights).places) {
    EXPECT_EQ(place.why, "ties for the fastest inverse dynamics");
  }
  b.microseconds = 1.2;
  EXPECT_EQ(rank({a, b}, weights).places[0].why, "has the fastest inverse dynamics");
}

TEST(Select, WhatIsTimedIsOfThisArm) {
  const std::vector<ArmAssessment> arms = assess({load_robot("rp"), load_robot("pr")}, kOptions);
  for (const ArmAssessment& arm : arms) {
    EXPECT_GT(arm.microseconds, 0.0);
    EXPECT_GT(arm.microseconds_error, 0.0);
  }
  EXPECT_EQ(arms[0].timed_functions, 0);
  EXPECT_EQ(arms[1].timed_functions, 2);
}

TEST(Select, PeakTorqueBoundsEveryTorqueAtThatSpeed) {
  const ChainPtr chain = load_robot("puma560");
  const ArmAssessment arm = assess(chain, kOptions);
  EXPECT_EQ(arm.peak_torque.size(), chain->dof());
  EXPECT_GT(arm.peak_torque.minCoeff(), 0.0);
  Solver solver = Solver::make(chain).value();
  const std::vector<JointRange> ranges = joint_ranges(*chain);
  Random random(7);
  VecXd seen = VecXd::Zero(6), torque(6), q(6), qd(6);
  for (int k = 0; k < 500; ++k) {
    for (Index i = 0; i < 6; ++i) {
      const JointRange& range = ranges[static_cast<std::size_t>(i)];
      q[i] = random.uniform(range.low, range.high);
      qd[i] = std::copysign(kOptions.speed, random.uniform(-1.0, 1.0));
    }
    ASSERT_EQ(solver.inverse_dynamics(q, qd, VecXd::Zero(6), torque), Status::kOk);
    seen = seen.cwiseMax(torque.cwiseAbs());
  }
  // The postures of assess() are others.
  EXPECT_LT((seen - 1.05 * arm.peak_torque).maxCoeff(), 0.0) << seen.transpose();
  EXPECT_GT(seen[1], 0.5 * arm.peak_torque[1]);
  EXPECT_GE(arm.condition.least, 1.0);
  EXPECT_LE(arm.condition.least, arm.condition.mean);
  EXPECT_LE(arm.condition.mean, arm.condition.most);
}

// Values that the errors do not tell apart count the same; without errors the same values do not.
TEST(Select, ArmsWithinTheErrorOfTheBestTie) {
  ArmAssessment a;
  a.microseconds = 1.0, a.workspace.size = 1.0;
  a.manipulability = a.condition = {1.0, 1.0, 1.0};
  a.peak_torque = VecXd::Ones(2);
  ArmAssessment b = a;
  b.workspace.size = 1.2;
  const SelectionWeights weights{
      .complexity = 0, .time = 0, .workspace = 1, .manipulability = 0, .condition = 0, .torque = 0};
  const Ranking exact = rank({a, b}, weights);
  EXPECT_EQ(exact.places[0].arm, 1u);
  EXPECT_EQ(exact.places[0].why, "has the largest workspace");
  EXPECT_EQ(exact.places[1].why, "has a smaller workspace (1.2 times smaller than the largest)");
  a.workspace.error = b.workspace.error = 0.15;
  for (const Ranking::Place& place : rank({a, b}, weights).places) {
    EXPECT_EQ(place.score, 1.0);
    EXPECT_EQ(place.why, "ties for the largest workspace");
  }
  a.workspace.size = 0.0;
  a.workspace.error = b.workspace.error = 0.0;
  EXPECT_EQ(rank({a, b}, weights).places[1].why,
            "has a smaller workspace (more than a million times smaller than the largest)");
}

// Of n independent samples of a mean: the scatter of the means over many seeds.
TEST(Select, TheErrorOfAMeanIsItsScatter) {
  const ChainPtr chain = load_robot("puma560");
  std::vector<double> means;
  double error = 0.0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ArmAssessment arm = assess(chain, {.samples = 2000, .seed = seed});
    means.push_back(arm.condition.mean);
    error += arm.condition.error / 20.0;
  }
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / 20.0;
  double squares = 0.0;
  for (const double x : means) squares += (x - mean) * (x - mean);
  const double scatter = 2.0 * std::sqrt(squares / 19.0);
  EXPECT_GT(error, 0.5 * scatter);
  EXPECT_LT(error, 2.0 * scatter);
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
}  // namespace dyn::test::select_tests
