// prepare: what a low-pass without delay and derivatives have to be, on signals that are known.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "dyn_core/identify/prepare.hpp"
#include "support.hpp"

namespace dyn::test {
namespace {

ChainPtr one_joint() { return random_chain(1, 1); }

// q = sin(2π f t), its rate where asked for, and as tau the same a quarter of a period earlier.
Log sine_log(const std::vector<double>& t, double f, bool with_velocity = false) {
  const double w = 2.0 * std::numbers::pi * f;
  Log log;
  log.t = t;
  log.q.resize(1);
  log.tau.resize(1);
  if (with_velocity) log.qd.resize(1);
  for (const double x : t) {
    log.q[0].push_back(std::sin(w * x));
    log.tau[0].push_back(std::cos(w * x));
    if (with_velocity) log.qd[0].push_back(w * std::cos(w * x));
  }
  return log;
}

std::vector<double> even_times(std::size_t count, double step) {
  std::vector<double> t(count);
  for (std::size_t k = 0; k < count; ++k) t[k] = step * static_cast<double>(k);
  return t;
}

// What is published every `step` of a state that is measured every `source`.
Log published(const std::vector<double>& t, double source, double f, bool with_velocity) {
  std::vector<double> measured = t;
  for (double& x : measured) x = source * std::floor(x / source + 1e-9);
  Log log = sine_log(measured, f, with_velocity);
  log.t = t;
  return log;
}

bool says(const Prepared& out, const std::string& part) {
  return std::ranges::any_of(
      out.notes, [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

Prepared prepared(Log log, const PrepareOptions& options = {}) {
  std::vector<Log> logs;
  logs.push_back(std::move(log));
  Result<Prepared> out = prepare(std::move(logs), *one_joint(), options);
  if (out) return std::move(*out);
  ADD_FAILURE() << out.error().sentence;
  return {};
}

void expect_sine(const Samples& s, double f, double tolerance) {
  const double w = 2.0 * std::numbers::pi * f;
  for (Index k = 0; k < s.size(); ++k) {
    EXPECT_NEAR(s.q(k, 0), std::sin(w * s.t[k]), tolerance);
    EXPECT_NEAR(s.qd(k, 0), w * std::cos(w * s.t[k]), w * tolerance);
    EXPECT_NEAR(s.qdd(k, 0), -w * w * std::sin(w * s.t[k]),
                10.0 * w * w * tolerance);  // the worst is at the ends
    EXPECT_NEAR(s.tau(k, 0), std::cos(w * s.t[k]), tolerance);
  }
}

}  // namespace

TEST(Prepare, FilterHalvesThePowerAtItsCutoff) {
  for (const double f : {1.0, 5.0, 10.0, 20.0}) {
    std::vector<double> x(8000);
    for (std::size_t k = 0; k < x.size(); ++k)
      x[k] = std::sin(2.0 * std::numbers::pi * f * 1e-3 * static_cast<double>(k));
    const std::vector<double> before = x;
    ZeroPhase(1000.0, 10.0).filter(x);
    // Both runs of a Butterworth filter of order 4, made such that the gain at the cutoff is 1/√2.
    const double gain = 1.0 / (1.0 + (std::sqrt(2.0) - 1.0) *
                                         std::pow(std::tan(std::numbers::pi * f / 1000.0) /
                                                      std::tan(std::numbers::pi * 10.0 / 1000.0),
                                                  8.0));
    for (std::size_t k = 2000; k < 6000; ++k) EXPECT_NEAR(x[k], gain * before[k], 2e-6) << f;
  }
}

TEST(Prepare, FilterLeavesStraightLinesToTheirEnds) {
  for (const std::size_t count : {2, 3, 10, 500}) {
    std::vector<double> x(count);
    for (std::size_t k = 0; k < count; ++k) x[k] = 3.0 - 0.25 * static_cast<double>(k);
    const std::vector<double> before = x;
    ZeroPhase(100.0, 5.0).filter(x);
    if (count < 100) continue;  // shorter than the filter's memory: only that nothing breaks
    for (std::size_t k = 0; k < count; ++k) EXPECT_NEAR(x[k], before[k], 1e-2 * 0.25);
  }
}

TEST(Prepare, DifferentiatesEvenStamps) {
  for (const double rate : {60.0, 250.0, 1000.0}) {
    const Prepared out =
        prepared(sine_log(even_times(static_cast<std::size_t>(12.0 * rate), 1.0 / rate), 0.5));
    expect_sine(out.samples, 0.5, 2e-3);
    EXPECT_GT(out.samples.size(), 100);
  }
}

TEST(Prepare, BridgesUnevenStampsAndSplitsAtGaps) {
  Random random(7);
  std::vector<double> t;
  for (double x = 0.0; x < 20.0; x += 0.004) {
    if (x > 8.0 && x < 9.0) continue;   // a gap
    if (random.chance(0.05)) continue;  // lost
    t.push_back(x + random.uniform(0.0, 0.002));
    if (random.chance(0.02)) t.push_back(t.back() + 1e-7);  // a burst
  }
  const Prepared out = prepared(sine_log(t, 0.4));
  Samples s = out.samples;
  s.t.array() += t.front();
  expect_sine(s, 0.4, 2e-3);
  ASSERT_EQ(segments(s.t).size(), 3U);
  EXPECT_EQ(segments(s.t).back(), s.size());
}

TEST(Prepare, ShiftsEffortsByTheDelay) {
  const double delay = 0.25 / 0.5;  // a quarter of the period: the cosine becomes the sine
  const Prepared out = prepared(sine_log(even_times(5000, 0.004), 0.5), {.delay = delay});
  for (Index k = 0; k < out.samples.size(); ++k)
    EXPECT_NEAR(out.samples.tau(k, 0), out.samples.q(k, 0), 1e-3);
}

TEST(Prepare, TakesMeasuredVelocitiesWhereTheyAreBetter) {
  Random random(3);
  Log log = sine_log(even_times(6000, 0.002), 0.5, true);
  for (double& q : log.q[0]) q += random.uniform(-1e-3, 1e-3);
  Log rough = log;
  for (double& v : rough.qd[0]) v += random.uniform(-1.0, 1.0);
  Log late = log, fine = sine_log(log.t, 0.5);
  std::rotate(late.qd[0].begin(), late.qd[0].end() - 1, late.qd[0].end());  // by 2 ms
  fine.qd = late.qd;
  for (double& q : late.q[0]) q += random.uniform(-2e-2, 2e-2);
  EXPECT_TRUE(says(prepared(log), "of 1 of 1 joints are the measured ones"));
  EXPECT_TRUE(says(prepared(rough), "of 0 of 1 joints are the measured ones"));
  EXPECT_TRUE(says(prepared(late), "of 1 of 1 joints are the measured ones"));
  EXPECT_TRUE(says(prepared(fine), "of 0 of 1 joints are the measured ones"));
}

// Whenever a state was measured: its position, rate, acceleration and effort belong to each other.
TEST(Prepare, LeavesOutWhatIsPublishedTwice) {
  const double f = 0.3, w = 2.0 * std::numbers::pi * f;
  for (const bool with_velocity : {false, true}) {
    for (const auto& [step, source] :
         {std::pair{1.0 / 30.0, 0.0342}, std::pair{1e-3, 8e-3}, std::pair{1e-3, 7.77e-3}}) {
      const auto count = static_cast<std::size_t>(20.0 / step);
      const Prepared out = prepared(published(even_times(count, step), source, f, with_velocity));
      EXPECT_TRUE(says(out, "that repeat the one before")) << step;
      EXPECT_TRUE(says(out, "that repeat the one before")) << step;
      const Samples& s = out.samples;
      for (Index k = 0; k < s.size(); ++k) {
        EXPECT_NEAR(std::hypot(s.q(k, 0), s.qd(k, 0) / w), 1.0, 2e-3) << step << " " << source;
        EXPECT_NEAR(s.qd(k, 0) / w, s.tau(k, 0), 2e-3) << step << " " << source;
        EXPECT_NEAR(s.qdd(k, 0) / (w * w), -s.q(k, 0), 1e-2) << step << " " << source;
      }
    }
  }
}

// A state that is held where one is lost has the stamp of the lost one: the others keep theirs.
TEST(Prepare, LeavesOutWhatIsHeld) {
  const double f = 0.4;
  const std::vector<double> t = even_times(3000, 0.01);
  for (const double share : {0.003, 0.1}) {
    Log log = sine_log(t, f);
    Random random(5);
    for (std::size_t k = 1; k < t.size(); ++k) {
      if (!random.chance(share)) continue;
      log.q[0][k] = log.q[0][k - 1];
      log.tau[0][k] = log.tau[0][k - 1];
    }
    const Prepared out = prepared(log);
    EXPECT_TRUE(says(out, "that repeat the one before"));
    expect_sine(out.samples, f, 4e-3);  // one at a reversal is no more than another
  }
}

// An arm that stands, without noise, repeats itself too.
TEST(Prepare, KeepsStandstill) {
  Log log = sine_log(even_times(4000, 0.01), 0.25);
  for (std::size_t k = 1000; k < 2000; ++k) {
    log.q[0][k] = log.q[0][1000];
    log.tau[0][k] = log.tau[0][1000];
  }
  const Prepared out = prepared(log);
  EXPECT_FALSE(says(out, "that repeat the one before"));
  EXPECT_EQ(segments(out.samples.t).size(), 2U);
}

TEST(Prepare, HasASentenceForWhatIsNoMotion) {
  const auto refusal = [](Log log) {
    std::vector<Log> logs;
    logs.push_back(std::move(log));
    const auto out = prepare(std::move(logs), *one_joint());
    return out ? std::string("prepared") : out.error().sentence;
  };
  Log still = sine_log(even_times(2000, 0.01), 0.5);
  for (double& q : still.q[0]) q = 1.0;
  EXPECT_NE(refusal(still).find("no joint moves"), std::string::npos);
  EXPECT_NE(refusal(sine_log(even_times(5, 0.01), 0.5)).find("record a longer motion"),
            std::string::npos);
  Log swapped = sine_log(even_times(2000, 0.01), 0.5, true);
  swapped.q.swap(swapped.qd);
  for (double& v : swapped.qd[0]) v = std::cos(40.0 * v);
  EXPECT_NE(refusal(swapped).find("mixed up"), std::string::npos);
  EXPECT_NE(refusal(Log{}).find("of the chain"), std::string::npos);
}

TEST(Prepare, TakesSeveralLogsTogether) {
  std::vector<Log> logs;
  logs.push_back(sine_log(even_times(2000, 0.01), 0.5));
  logs.push_back(sine_log(even_times(4000, 0.004), 0.5));
  const auto out = prepare(std::move(logs), *one_joint());
  ASSERT_TRUE(out) << out.error().sentence;
  EXPECT_EQ(segments(out->samples.t).size(), 3U);
}

}  // namespace dyn::test
