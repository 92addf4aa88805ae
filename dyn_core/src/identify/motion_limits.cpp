#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "dyn_core/identify/base_parameters.hpp"
#include "dyn_core/identify/excitation.hpp"
#include "witness.hpp"

namespace dyn {

MotionLimits motion_limits(const Chain& chain, const LimitShares& shares) {
  constexpr double kRiseTime = 0.5, kMostAcceleration = 10.0;
  const Index n = chain.dof();
  MotionLimits out{VecXd(n), VecXd(n), VecXd(n), VecXd(n), shares.effort * effort_limits(chain)};
  std::vector<std::string> without_range, without_speed, without_effort;
  for (Index k = 0; k < n; ++k) {
    const Joint& joint = chain.coordinate_joint(k);
    double low = joint.limits.lower, high = joint.limits.upper, speed = joint.limits.velocity;
    const double half = joint.is_prismatic() ? 0.5 : std::numbers::pi;
    if (!std::isfinite(high - low)) without_range.push_back(joint.name);
    if (!std::isfinite(high - low) || (!joint.is_prismatic() && high - low > 2.0 * half)) {
      const double middle = std::min(std::max(0.0, low + half), high - half);
      low = middle - half, high = middle + half;
    }
    if (!(std::isfinite(speed) && speed > 0.0)) without_speed.push_back(joint.name), speed = 1.0;
    if (!std::isfinite(out.effort[k])) without_effort.push_back(joint.name);
    out.lower[k] = 0.5 * (low + high - shares.range * (high - low));
    out.upper[k] = 0.5 * (low + high + shares.range * (high - low));
    out.velocity[k] = shares.speed * speed;
    out.acceleration[k] = std::min(speed / kRiseTime, kMostAcceleration);
  }
  const auto assume = [&](const std::vector<std::string>& names, std::string_view text) {
    if (!names.empty())
      out.assumed.push_back(fmt::format("'{}' {}", fmt::join(names, "', '"), text));
  };
  assume(without_range, "without position limits: one turn or 1 m about 0");
  assume(without_speed, "without velocity limits: 1 rad/s or m/s");
  assume(without_effort, "without effort limits: no bound on torques");
  return out;
}

VecXd torque_peaks(const ChainPtr& chain, const FourierMotion& motion) {
  Witness witness(chain);
  const FourierShape& shape = motion.shape();
  const Index n = motion.dof();
  VecXd q(n), qd(n), qdd(n), peak = VecXd::Zero(n), bend = peak;
  const double step = shape.period / (100.0 * static_cast<double>(shape.harmonics));
  for (const FourierShape::Part& part : shape.parts(step)) {
    std::array<VecXd, 3> last;  // torques, the newest first
    for (const double time : part.times) {
      (void)motion.evaluate(time, q, qd, qdd);
      if (witness.at(q, qd, qdd) != Status::kOk) continue;
      peak = peak.cwiseMax(witness.load());
      std::rotate(last.begin(), last.end() - 1, last.end());
      last[0] = witness.torque();
      if (last[2].size() > 0) bend = bend.cwiseMax((last[0] - 2.0 * last[1] + last[2]).cwiseAbs());
    }
  }
  return peak + 0.25 * bend;
}

Result<Information> information_of(const ChainPtr& chain, const Trajectory& motion) {
  constexpr int kInstants = 2000;
  Witness witness(chain, base_parameters(chain).columns);
  const Index n = chain->dof(), p = witness.parameters();
  VecXd q(n), qd(n), qdd(n);
  MatXd A = MatXd::Zero(p, p);
  const double part = motion.duration() / kInstants;
  for (int k = 0; k < kInstants; ++k) {
    (void)motion.evaluate((k + 0.5) * part, q, qd, qdd);
    if (witness.at(q, qd, qdd) != Status::kOk) return fail("the motion is not finite");
    A.selfadjointView<Eigen::Lower>().rankUpdate(witness.rows().transpose(), part);
  }
  const VecXd values = A.selfadjointView<Eigen::Lower>().eigenvalues();
  if (!(values[0] > 1e-14 * values[p - 1]))
    return fail(
        fmt::format("the motion does not tell all {} base parameters apart; give it more "
                    "harmonics, a longer duration or higher limits",
                    p));
  return Information{p, values.array().log().sum(), std::sqrt(values[p - 1] / values[0])};
}

}  // namespace dyn
