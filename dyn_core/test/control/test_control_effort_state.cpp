// The meaning of efforts: there and back, and what an arm at rest says of it.
#include "control_support.hpp"
#include "dyn_core/control/effort_state.hpp"

namespace dyn::test::control_effort_tests {
namespace {

constexpr std::uint64_t kSeed = 20261350;
constexpr std::array<EffortMeaning, 4> kMeanings = {
    EffortMeaning::kSameAsCommand, EffortMeaning::kWithGravity, EffortMeaning::kWithoutGravity,
    EffortMeaning::kCurrent};

EffortState meaning(EffortMeaning what, bool compensates) {
  EffortState out{what, compensates, VecXd::Constant(7, 0.05)};
  out.gain[2] = 0.2;
  return out;
}

// Arms at rest, each held by its drives but for what its friction bears.
struct AtRest {
  explicit AtRest(std::uint64_t seed) : random(seed), chain(load_robot("arm7")) {
    Solver solver = solver_of(chain);
    gravity = torque = limit = VecXd::Zero(7);
    VecXd q = random.vector(7, 1.5);
    EXPECT_EQ(solver.gravity_torque(q, gravity), Status::kOk);
    for (Index i = 0; i < 7; ++i) {
      const Joint& joint = chain->coordinate_joint(i);
      limit[i] = joint.limits.effort;
      torque[i] = gravity[i] + random.uniform(-joint.friction, joint.friction);
    }
  }
  // What a robot of this meaning reports.
  [[nodiscard]] VecXd report(const EffortState& state) const {
    VecXd out = torque;
    state.to_report(gravity, out);
    return out;
  }

  Random random;
  ChainPtr chain;
  VecXd gravity, torque, limit;
};

TEST(EffortState, BecomesTheCommandThatActs) {
  for (const EffortMeaning what : kMeanings) {
    for (const bool compensates : {false, true}) {
      const AtRest arm(kSeed);
      const EffortState state = meaning(what, compensates);
      VecXd out = arm.report(state);
      if (what == EffortMeaning::kCurrent) {
        EXPECT_DOUBLE_EQ(out[2], arm.torque[2] / 0.2);
      }
      state.to_command(arm.gravity, out);
      const VecXd command = compensates ? VecXd(arm.torque - arm.gravity) : arm.torque;
      EXPECT_LT((out - command).norm(), 1e-12) << name_of(what) << compensates;
    }
  }
}

// Every meaning against every robot, in 200 postures: what holds gravity is told from what does not.
TEST(EffortState, AWrongMeaningShowsAtRest) {
  int decided = 0;
  for (std::uint64_t k = 0; k < 200; ++k) {
    const AtRest arm(kSeed + k);
    const bool compensates = k % 2 == 0;
    for (const EffortMeaning truth : kMeanings) {
      for (const EffortMeaning said : kMeanings) {
        const EffortState state = meaning(said, compensates);
        const EffortState robot = meaning(truth, compensates);
        const EffortCheck check =
            check_at_rest(*arm.chain, state, arm.report(robot), arm.gravity, arm.limit);
        if (!check.decisive()) continue;
        ++decided;
        const bool same_unit =
            (said == EffortMeaning::kCurrent) == (truth == EffortMeaning::kCurrent);
        const EffortCheck own =
            check_at_rest(*arm.chain, robot, arm.report(robot), arm.gravity, arm.limit);
        EXPECT_TRUE(own.right()) << name_of(truth) << " taken for wrong, share " << own.share;
        if (!same_unit && own.expected == 0.0) continue;  // nothing, in whatever unit
        EXPECT_EQ(check.right(), same_unit && check.expected == own.expected)
            << name_of(said) << " for " << name_of(truth) << ", share " << check.share;
      }
    }
  }
  EXPECT_GT(decided, 2000);
}

TEST(EffortState, AnArmWithoutLoadSaysNothing) {
  const AtRest arm(kSeed);
  const EffortState state = meaning(EffortMeaning::kWithGravity, false);
  const VecXd none = VecXd::Zero(7), little = 0.01 * arm.limit;
  EXPECT_TRUE(check_at_rest(*arm.chain, state, none, little, arm.limit).right());
  EXPECT_FALSE(check_at_rest(*arm.chain, state, none, little, arm.limit).decisive());
  EXPECT_FALSE(check_at_rest(*arm.chain, state, none, none, arm.limit).decisive());
}

TEST(EffortState, TheSentenceHasTheFigure) {
  const AtRest arm(kSeed);
  const EffortState state = meaning(EffortMeaning::kWithGravity, false);
  const EffortCheck check =
      check_at_rest(*arm.chain, state, VecXd::Zero(7), arm.gravity, arm.limit);
  ASSERT_FALSE(check.right());
  const std::string text = to_sentence(check, state, *arm.chain);
  EXPECT_NE(text.find("hold 0.00 times"), std::string::npos) << text;
  EXPECT_NE(text.find("without_gravity is what it looks like"), std::string::npos) << text;
  const EffortCheck reversed =
      check_at_rest(*arm.chain, state, -arm.gravity, arm.gravity, arm.limit);
  EXPECT_NE(to_sentence(reversed, state, *arm.chain).find("another sign"), std::string::npos);
}

TEST(EffortState, NamesAreThoseOfTheDocs) {
  for (const char* name :
       {"none", "same_as_command", "with_gravity", "without_gravity", "current"}) {
    EXPECT_EQ(name_of(take(effort_meaning_named(name))), name);
  }
  const auto wrong = effort_meaning_named("torque");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().sentence.find("with_gravity"), std::string::npos);
}

}  // namespace
}  // namespace dyn::test::control_effort_tests
