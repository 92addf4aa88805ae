#include "dyn_core/inspect/sway.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

namespace dyn::inspect {
namespace {

// q_i = centre_i + amplitude_i w(t) sin(omega_i t), where w grows from 0 to 1 as a quintic.
class Sway : public Trajectory {
 public:
  Sway(const Chain& chain, const SwayOptions& options)
      : centre_(chain.dof()), amplitude_(chain.dof()), omega_(chain.dof()), ramp_(options.ramp) {
    for (Index k = 0; k < chain.dof(); ++k) set_joint(k, chain.coordinate_joint(k), options);
  }

  [[nodiscard]] Index dof() const noexcept override { return centre_.size(); }
  [[nodiscard]] double duration() const noexcept override {
    return std::numeric_limits<double>::infinity();
  }
  Status evaluate(double time, VecOut<double> q, VecOut<double> qd,
                  VecOut<double> qdd) const noexcept override;

 private:
  void set_joint(Index k, const Joint& joint, const SwayOptions& options);

  VecXd centre_, amplitude_, omega_;
  double ramp_;
};

void Sway::set_joint(Index k, const Joint& joint, const SwayOptions& options) {
  double lower = joint.limits.lower, upper = joint.limits.upper;
  if (!std::isfinite(upper - lower)) {
    const double reach = joint.is_prismatic() ? 1.0 : std::numbers::pi;
    lower = -reach;
    upper = reach;
  }
  const double reach = 0.5 * options.amplitude * (upper - lower);
  // As near to zero as the motion fits in, and well within the range.
  const double middle = 0.5 * (lower + upper);
  const double room = 0.5 * (upper - lower) - reach;
  centre_[k] = middle + std::clamp(-middle, -0.9 * room, 0.9 * room);
  const double fastest = joint.limits.velocity;
  const double speed = options.speed * (std::isfinite(fastest) && fastest > 0.0 ? fastest : 1.0);
  omega_[k] = 2.0 * std::numbers::pi / (options.period * (1.0 + 0.13 * static_cast<double>(k)));
  // The growing envelope adds its slope, at most 15/8 per ramp, to the speed of the full motion.
  amplitude_[k] = std::min(reach, speed / (omega_[k] + 1.875 / ramp_));
}

Status Sway::evaluate(double time, VecOut<double> q, VecOut<double> qd,
                      VecOut<double> qdd) const noexcept {
  if (q.size() != dof() || qd.size() != dof() || qdd.size() != dof()) return Status::kWrongSize;
  q = centre_;
  qd.setZero();
  qdd.setZero();
  if (!std::isfinite(time)) return Status::kNotFinite;
  if (time <= 0.0) return Status::kOk;
  const double x = std::min(time / ramp_, 1.0);
  const double w = x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
  const double wd = 30.0 * x * x * (1.0 - x) * (1.0 - x) / ramp_;
  const double wdd = 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / (ramp_ * ramp_);
  for (Index k = 0; k < dof(); ++k) {
    const double a = amplitude_[k], o = omega_[k];
    const double s = std::sin(o * time), c = std::cos(o * time);
    q[k] += a * w * s;
    qd[k] = a * (wd * s + w * o * c);
    qdd[k] = a * (wdd * s + 2.0 * wd * o * c - w * o * o * s);
  }
  return Status::kOk;
}

bool is_share(double x) { return x >= 0.0 && x <= 1.0; }
bool is_positive(double x) { return std::isfinite(x) && x > 0.0; }

}  // namespace

Result<TrajectoryPtr> sway(const Chain& chain, const SwayOptions& options) {
  if (!is_share(options.amplitude) || !is_share(options.speed)) {
    return fail(fmt::format("the amplitude is {} and the speed {}; give shares from 0 to 1",
                            options.amplitude, options.speed));
  }
  if (!is_positive(options.period) || !is_positive(options.ramp)) {
    return fail(fmt::format("the period is {} s and the ramp {} s; give positive times",
                            options.period, options.ramp));
  }
  return std::make_shared<const Sway>(chain, options);
}

}  // namespace dyn::inspect
