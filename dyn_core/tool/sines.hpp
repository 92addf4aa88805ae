// A trajectory of sines: every joint swings at once.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "dyn_core/motion/trajectory.hpp"
#include "report_data.hpp"

namespace dyn::tool {

/// Every joint swings about the middle of its excursion, each with a frequency of its own; it sets out
/// and comes to rest smoothly.
class Sines final : public Trajectory {
 public:
  Sines(const Excursion& excursion, double slowest_period, double duration)
      : middle_(0.5 * (excursion.from + excursion.to)),
        amplitude_(0.5 * (excursion.to - excursion.from)),
        duration_(duration),
        fade_(std::min(1.0, 0.25 * duration)),
        rate_(2.0 * std::numbers::pi / slowest_period) {}

  [[nodiscard]] Index dof() const noexcept override { return middle_.size(); }
  [[nodiscard]] double duration() const noexcept override { return duration_; }
  Status evaluate(double time, VecOut<double> q, VecOut<double> qd,
                  VecOut<double> qdd) const noexcept override {
    if (!std::isfinite(time)) time = 0.0;
    const double t = std::clamp(time, 0.0, duration_);
    const auto [u, ud, udd] = envelope(t);
    for (Index i = 0; i < dof(); ++i) {
      const double rate = rate_ * (1.0 - 0.3 * static_cast<double>(i) / static_cast<double>(dof()));
      const double s = amplitude_[i] * std::sin(rate * t);
      const double sd = amplitude_[i] * rate * std::cos(rate * t);
      q[i] = middle_[i] + u * s;
      qd[i] = ud * s + u * sd;
      qdd[i] = udd * s + 2.0 * ud * sd - u * rate * rate * s;
    }
    return Status::kOk;
  }

 private:
  // Rises from 0 to 1 within fade_ and falls at the end, with two smooth derivatives.
  [[nodiscard]] std::array<double, 3> envelope(double t) const {
    const bool falling = t > 0.5 * duration_;
    const double x = std::min((falling ? duration_ - t : t) / fade_, 1.0);
    const double y = 1.0 - x;
    const double sign = falling ? -1.0 : 1.0;
    return {x * x * x * (10.0 - 15.0 * x + 6.0 * x * x), sign * 30.0 * x * x * y * y / fade_,
            60.0 * x * y * (1.0 - 2.0 * x) / (fade_ * fade_)};
  }

  VecXd middle_, amplitude_;
  double duration_, fade_, rate_;
};

}  // namespace dyn::tool
