// check_log on the simulated arm: what the efforts mean and how late they act is known there.
#include <fmt/format.h>

#include "identify/log_support.hpp"

namespace dyn::test {
namespace {

constexpr std::uint64_t kCheckSeed = 20261119;

CheckReport checked(const ChainPtr& chain, Log log, Effort stated) {
  std::vector<Log> logs;
  logs.push_back(std::move(log));
  const Result<Prepared> prepared = prepare(std::move(logs), *chain);
  if (!prepared) throw std::runtime_error(prepared.error().sentence);
  return take(check_log(chain, *prepared, stated));
}

std::string described(const Chain& chain, const SimulatedLog& log) {
  return fmt::format("{}, {}, delay {} s, {} Hz, friction {}", chain.name(), to_string(log.effort),
                     log.delay, log.frequency, log.friction);
}

void expect_told(const SimulatedLog& options, double tolerance,
                 const std::vector<double>& delays = {0.0, 0.007, 0.02}) {
  for (const char* name : {"planar3r", "puma560", "arm7"}) {
    const ChainPtr chain = load_robot(name);
    for (const Effort effort : {Effort::kWithGravity, Effort::kWithoutGravity, Effort::kCurrent}) {
      for (const double delay : delays) {
        SimulatedLog log = options;
        log.effort = effort;
        log.delay = delay;
        const CheckReport report =
            checked(chain, simulated_log(chain, log, kCheckSeed), Effort::kWithGravity);
        EXPECT_EQ(report.effort, effort) << described(*chain, log) << ": " << report.effort_reason;
        // A command is held for 1 ms and acts half of that later on the mean.
        ASSERT_TRUE(report.delay) << described(*chain, log);
        EXPECT_NEAR(*report.delay, delay + 0.5e-3, tolerance) << described(*chain, log);
      }
    }
    if (kSanitized) return;
  }
}

}  // namespace

TEST(Check, TellsMeaningAndDelay) { expect_told({.duration = 6.0}, 1e-3); }

TEST(Check, TellsThemWithFrictionAndNoise) {
  expect_told({.duration = 8.0, .friction = 0.2, .noise_q = 1e-4, .noise_tau = 0.02}, 1e-3);
}

TEST(Check, TellsThemOfAWrongModel) {
  expect_told(
      {.duration = 8.0, .friction = 0.1, .noise_q = 1e-4, .noise_tau = 0.02, .mass_error = 0.3},
      1e-3, {0.007});
}

TEST(Check, TellsThemOfASlowMotion) {
  expect_told(
      {.frequency = 0.07, .duration = 15.0, .friction = 0.1, .noise_q = 5e-5, .noise_tau = 0.01},
      3e-3, {0.007});
}

TEST(Check, SaysWhereGravityTellsNothing) {
  for (const double share : {0.0, 0.002}) {
    ChainDescription description = load_robot("planar3r")->description();
    const Vec3d down = description.gravity;  // in the plane of motion
    description.gravity = share * down + std::sqrt(1.0 - share * share) * 9.81 * Vec3d::UnitY();
    const auto flat = std::make_shared<const Chain>(std::move(description));
    for (const Effort effort : {Effort::kWithGravity, Effort::kWithoutGravity}) {
      const Log log =
          simulated_log(flat, {.effort = effort, .noise_q = 1e-5, .noise_tau = 0.01}, kCheckSeed);
      const CheckReport report = checked(flat, log, effort);
      EXPECT_FALSE(report.effort) << report.effort_reason;
      EXPECT_TRUE(report.delay);
    }
  }
}

TEST(Check, MeasuresErrorBiasAndScale) {
  const ChainPtr chain = load_robot("planar3r");
  const Log log = simulated_log(chain, {.duration = 6.0}, kCheckSeed);
  const CheckReport exact = checked(chain, log, Effort::kWithGravity);
  for (const JointCheck& joint : exact.joints)
    EXPECT_LT(joint.rms_error, 0.01 * joint.rms_measured);
  Log shifted = log;
  for (double& tau : shifted.tau[1]) tau += 5.0;
  const CheckReport biased = checked(chain, shifted, Effort::kWithGravity);
  EXPECT_NEAR(biased.joints[1].bias - exact.joints[1].bias, 5.0, 0.01);
  EXPECT_NEAR(biased.joints[0].bias, exact.joints[0].bias, 0.01);
  Log amperes = log;
  for (double& tau : amperes.tau[2]) tau *= 0.1;
  const CheckReport scaled = checked(chain, amperes, Effort::kCurrent);
  EXPECT_NEAR(scaled.joints[2].scale, 0.1, 1e-3);
  EXPECT_NEAR(scaled.joints[0].scale, 1.0, 1e-2);
}

TEST(Check, EffortsThatComeLateAreNoDelayToPredictBy) {
  const ChainPtr chain = load_robot("planar3r");
  Log log = simulated_log(chain, {.duration = 6.0}, kCheckSeed);
  for (std::vector<double>& tau : log.tau) {  // by 1 ms, of which a held command has half anyway
    tau.insert(tau.begin(), tau.front());
    tau.pop_back();
  }
  const CheckReport report = checked(chain, log, Effort::kWithGravity);
  ASSERT_TRUE(report.delay);
  EXPECT_LT(*report.delay, 0.0);
  EXPECT_GT(*report.delay, -1e-3);
  const auto says = [&](const char* part) {
    return std::ranges::any_of(report.sentences, [&](const std::string& sentence) {
      return sentence.find(part) != std::string::npos;
    });
  };
  EXPECT_TRUE(says("there is no delay to predict by"));
  EXPECT_FALSE(says("the delay to predict by."));
}

}  // namespace dyn::test
