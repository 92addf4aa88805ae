#include "gains.hpp"

#include <algorithm>
#include <cmath>

namespace dyn {

GainRule check_gains(Law law, const Gains& gains, Index i, double period) noexcept {
  if (!entry_of(law).acceleration_gains) return GainRule::kKept;
  const double kp = gains.kp[i], ki = gains.ki[i], kd = gains.kd[i];
  if (ki > 0.0 && ki >= kp * kd) return GainRule::kIntegralTooStrong;
  if (kd * period > 1.0 || kp * period * period > 1.0) return GainRule::kTooFast;
  if (law == Law::kQuasiVelocity && !split_poles(kp, ki, kd).real) return GainRule::kPolesNotReal;
  return GainRule::kKept;
}

// The largest root of f(x) = x³ - kd x² + kp x - ki. All roots are below kd, and f is convex above
// kd/3: Newton's method from kd descends to the root without passing it, if there is one above kd/3.
QuasiPole split_poles(double kp, double ki, double kd) noexcept {
  constexpr double kSlack = 1e-9;
  if (!(kd > 0.0)) return {};
  double x = kd;
  if (ki == 0.0) {
    const double discriminant = kd * kd - 4.0 * kp;
    if (discriminant < -kSlack * kd * kd) return {};
    x = 0.5 * (kd + std::sqrt(std::max(discriminant, 0.0)));
    return {true, x, kd - x, 0.0};
  }
  constexpr int kMostSteps = 100;
  const double scale = kd * kd * kd;
  double f = 0.0;
  for (int k = 0; k < kMostSteps; ++k) {
    f = ((x - kd) * x + kp) * x - ki;
    const double slope = (3.0 * x - 2.0 * kd) * x + kp;
    if (f <= kSlack * kSlack * scale || !(slope > 0.0) || x < kd / 3.0) break;
    x -= f / slope;
  }
  if (std::abs(f) > kSlack * scale || x < kd / 3.0 * (1.0 - 1e-3)) return {};
  return {true, x, kd - x, ki / x};
}

}  // namespace dyn
