// Rates: thinning of a stream of events, and how fast a stream is.
#pragma once

#include <array>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace dyn::inspect {

/// Lets events through to N outputs, to each at a mean rate of at most its own, without drift: events
/// that come at that rate or slower all pass, also with jitter and in bursts up to the last tenth of a
/// second. All rates lie on one grid of times: outputs of equal rate get the same events, and what gets
/// through at a whole fraction of a rate also does at that rate.
template <std::size_t N>
class RateGrid {
 public:
  /// In Hz; zero or less: nothing passes. The grid starts with the next event.
  explicit RateGrid(const std::array<double, N>& rates) noexcept {
    double fastest = 0.0;
    for (std::size_t k = 0; k < N; ++k) {
      periods_[k] = rates[k] > 0.0 ? 1.0 / rates[k] : 0.0;
      fastest = std::fmax(fastest, rates[k]);
    }
    early_ = kRounding + (fastest > 0.0 ? 0.5 / fastest : 0.0);
  }

  /// The outputs that get the event at `now` (s).
  [[nodiscard]] std::bitset<N> pass(double now) noexcept {
    if (!started_ || now < latest_ - kBurst) {  // or the clock was set back
      started_ = true;
      start_ = now;
      slots_.fill(0.0);
    }
    latest_ = now;
    const double time = now - start_;
    std::bitset<N> passed;
    for (std::size_t k = 0; k < N; ++k) {
      if (periods_[k] <= 0.0 || time + early_ < slots_[k] * periods_[k]) continue;
      passed.set(k);
      slots_[k] = std::fmax(slots_[k] + 1.0, std::ceil((time - kBurst) / periods_[k]));
    }
    return passed;
  }

 private:
  static constexpr double kBurst = 0.1;      // s
  static constexpr double kRounding = 1e-9;  // s
  std::array<double, N> periods_{}, slots_{};
  double early_ = 0.0;  // so much before its slot an event may come, s
  double start_ = 0.0, latest_ = 0.0;
  bool started_ = false;
};

/// Events per second, over the time between two readings.
class RateMeter {
 public:
  void count() noexcept { ++events_; }
  /// The rate since the last reading at least half a second ago, in Hz.
  [[nodiscard]] double read(double now) noexcept {
    if (!started_ || now - since_ >= 0.5) {
      rate_ = started_ ? static_cast<double>(events_) / (now - since_) : 0.0;
      started_ = true;
      since_ = now;
      events_ = 0;
    }
    return rate_;
  }

 private:
  std::uint64_t events_ = 0;
  double since_ = 0.0, rate_ = 0.0;
  bool started_ = false;
};

}  // namespace dyn::inspect
