// Rates: thinning of a stream of events, and how fast a stream is.
#pragma once

#include <cmath>
#include <cstdint>

namespace dyn::inspect {

/// Lets events through at a mean rate of at most `rate`, without drift: events that come at that
/// rate or slower all pass, also with jitter and in bursts up to the last tenth of a second.
class RateLimiter {
 public:
  /// In Hz; zero or less: nothing passes.
  explicit RateLimiter(double rate = 0.0) noexcept { set_rate(rate); }

  void set_rate(double rate) noexcept {
    period_ = rate > 0.0 ? 1.0 / rate : 0.0;
    started_ = false;
  }
  [[nodiscard]] bool enabled() const noexcept { return period_ > 0.0; }

  /// Whether an event at `now` (s) passes.
  [[nodiscard]] bool pass(double now) noexcept {
    if (!enabled()) return false;
    if (!started_ || now < due_ - 2.0 * period_) {
      started_ = true;
      due_ = now;
    }
    if (now < due_ - 0.5 * period_) return false;
    due_ = std::fmax(due_ + period_, now - kBurst);
    return true;
  }

 private:
  static constexpr double kBurst = 0.1;  // s
  double period_ = 0.0, due_ = 0.0;
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
