#include "dyn_core/control/limiter.hpp"

#include <algorithm>
#include <cmath>

namespace dyn {
namespace {

struct Bounds {
  double lower, upper;
};

// What a command may be so that it and its sum with the hardware's torque are within the effort.
Bounds bounds(double effort, double by_hardware) {
  const Bounds both{std::max(-effort, -effort - by_hardware),
                    std::min(effort, effort - by_hardware)};
  return both.lower <= both.upper ? both : Bounds{-effort, effort};
}

// The largest s in [0, 1] with baseline + s * remainder within the bounds.
double share(double baseline, double remainder, const Bounds& range) {
  const double sum = baseline + remainder;
  if (sum > range.upper) return (range.upper - baseline) / remainder;
  if (sum < range.lower) return (range.lower - baseline) / remainder;
  return 1.0;
}

}  // namespace

LimitReport limit_torque(const TorqueLimits& limits, const VecXd& baseline, const VecXd& remainder,
                         const VecXd& gravity_by_hardware, const VecXd& previous, double dt,
                         VecXd& command) noexcept {
  LimitReport report;
  const bool scaled = limits.saturation == Saturation::kScaled;
  for (Index i = 0; i < command.size() && scaled; ++i) {
    const Bounds range = bounds(limits.effort[i], gravity_by_hardware[i]);
    if (baseline[i] >= range.lower && baseline[i] <= range.upper) {
      report.scale = std::min(report.scale, share(baseline[i], remainder[i], range));
    } else {
      report.direction_lost = true;
    }
  }
  report.effort = report.scale < 1.0;
  for (Index i = 0; i < command.size(); ++i) {
    const Bounds range = bounds(limits.effort[i], gravity_by_hardware[i]);
    const double sum = baseline[i] + report.scale * remainder[i];
    const double wanted = std::isfinite(sum) ? sum : previous[i];
    const double allowed = std::clamp(wanted, range.lower, range.upper);
    report.effort = report.effort || (!scaled && wanted != allowed) || report.direction_lost;
    const double step = std::isfinite(limits.rate[i]) ? limits.rate[i] * dt : limits.rate[i];
    command[i] = std::clamp(allowed, previous[i] - step, previous[i] + step);
    report.rate = report.rate || command[i] != allowed;
  }
  return report;
}

}  // namespace dyn
