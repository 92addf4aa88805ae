// Timing of many functions against each other on a machine that also does other things: short pieces of
// each in turn, round after round, and the median of the rounds.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace dyn::bench {

/// One timed function. A sweep is so many calls, each with another state.
struct Timing {
  std::string quantity, algorithm;
  int calls = 1;   ///< states that one sweep treats
  long batch = 1;  ///< of these, how many at a time
  std::function<void()> sweep;
  std::vector<double> ns = {};  ///< per state, of each round
  long sweeps = 0;              ///< of one round

  [[nodiscard]] double at(double share) const {
    std::vector<double> sorted = ns;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  }
  [[nodiscard]] double median() const { return at(0.5); }
};

class Stopwatch {
 public:
  explicit Stopwatch(double round_seconds = 5e-4) : round_seconds_(round_seconds) {}

  /// One more round of every function; before each, `next` is told the share of the round that is done.
  void round(
      std::vector<Timing>& timings, const std::function<void(double)>& next = [](double) {}) const {
    for (Timing& timing : timings) {
      next(static_cast<double>(&timing - timings.data()) / static_cast<double>(timings.size()));
      if (timing.sweeps == 0) calibrate(timing);
      timing.ns.push_back(seconds(timing) * 1e9 / static_cast<double>(timing.sweeps) /
                          static_cast<double>(timing.calls));
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  static double seconds(const Timing& timing) {
    const Clock::time_point start = Clock::now();
    for (long i = 0; i < timing.sweeps; ++i) timing.sweep();
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  void calibrate(Timing& timing) const {
    timing.sweep();
    timing.sweeps = 1;
    for (double t = seconds(timing); t < round_seconds_; t = seconds(timing)) {
      const double factor = std::clamp(1.2 * round_seconds_ / std::max(t, 1e-9), 1.5, 10.0);
      timing.sweeps = static_cast<long>(static_cast<double>(timing.sweeps) * factor) + 1;
    }
  }

  double round_seconds_;
};

/// How far the typical round is above the quietest one, over all functions: 1.0 on a quiet machine.
[[nodiscard]] inline double unrest(const std::vector<Timing>& timings) {
  std::vector<double> ratios;
  ratios.reserve(timings.size());
  for (const Timing& timing : timings) ratios.push_back(timing.median() / timing.at(0.0));
  if (ratios.empty()) return 1.0;
  std::nth_element(ratios.begin(), ratios.begin() + ratios.size() / 2, ratios.end());
  return ratios[ratios.size() / 2];
}

}  // namespace dyn::bench
