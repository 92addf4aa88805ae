#include "dyn_core/study/effort_need.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "dyn_core/study/select.hpp"

namespace dyn {
namespace {

/// Looks for the posture in which gravity asks most of one joint.
class GravityClimb {
 public:
  GravityClimb(Solver& solver, const std::vector<JointRange>& ranges)
      : solver_(solver), ranges_(ranges), torque_(solver.dof()) {}

  // Of one revolute joint the torque is a + b cos + c sin, which three points determine.
  double climb(Index joint, VecXd q) {
    constexpr int kSweeps = 8;
    double best = at(joint, q);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const double before = best;
      for (Index k = 0; k < q.size(); ++k) best = climb_along(joint, k, q, best);
      if (best <= before * (1.0 + 1e-12)) break;
    }
    return best;
  }

 private:
  double value(Index joint, const VecXd& q) {
    return solver_.gravity_torque(q, torque_) == Status::kOk ? torque_[joint] : 0.0;
  }
  double at(Index joint, const VecXd& q) { return std::abs(value(joint, q)); }

  double climb_along(Index joint, Index k, VecXd& q, double best) {
    const JointRange& range = ranges_[static_cast<std::size_t>(k)];
    VecXd trial = q;
    const auto here = [&](double x) {
      trial[k] = x;
      return value(joint, trial);
    };
    const double forward = here(0.0), backward = here(M_PI);
    const double mean = 0.5 * (forward + backward);
    const double peak = std::atan2(here(M_PI_2) - mean, 0.5 * (forward - backward));
    for (const double wish : {peak, peak + M_PI, peak - M_PI, range.low, range.high}) {
      trial[k] = std::clamp(wish, range.low, range.high);
      const double found = at(joint, trial);
      if (found > best) best = found, q[k] = trial[k];
    }
    return best;
  }

  Solver& solver_;
  const std::vector<JointRange>& ranges_;
  VecXd torque_;
};

}  // namespace

VecXd gravity_torque_peak(Solver& solver) {
  constexpr int kPostures = 200;
  constexpr Index kClimbed = 30;  // joints; beyond, the postures alone
  const std::vector<JointRange> ranges = joint_ranges(solver.chain());
  const Index n = solver.dof();
  VecXd peak = VecXd::Zero(n), torque(n);
  MatXd postures = MatXd::Zero(n, n);  // column k: where joint k needs most
  Random random(1);
  for (int i = 0; i < kPostures; ++i) {
    const VecXd q = random_posture(ranges, random);
    if (solver.gravity_torque(q, torque) != Status::kOk) continue;
    for (Index k = 0; k < n; ++k) {
      if (std::abs(torque[k]) <= peak[k]) continue;
      peak[k] = std::abs(torque[k]);
      postures.col(k) = q;
    }
  }
  if (n > kClimbed) return peak;
  GravityClimb gravity(solver, ranges);
  for (Index k = 0; k < n; ++k) {
    if (peak[k] > 0.0) peak[k] = gravity.climb(k, postures.col(k));
  }
  return peak;
}

double held_share(Solver& solver, const VecXd& effort) {
  constexpr int kPostures = 500;
  const std::vector<JointRange> ranges = joint_ranges(solver.chain());
  VecXd torque(solver.dof());
  Random random(1);
  int held = 0;
  for (int k = 0; k < kPostures; ++k) {
    const Status status = solver.gravity_torque(random_posture(ranges, random), torque);
    if (status == Status::kOk && (torque.cwiseAbs().array() <= effort.array()).all()) ++held;
  }
  return static_cast<double>(held) / kPostures;
}

std::string weakness(const Chain& chain, VecIn<double> peak, VecIn<double> effort) {
  std::string text;
  for (Index k = 0; k < chain.dof(); ++k) {
    const Joint& joint = chain.coordinate_joint(k);
    if (!(peak[k] > effort[k])) continue;
    text += fmt::format(
        "{}joint '{}' is too weak for the weight it carries: gravity alone needs up to "
        "{:.3g} {unit} of it, and its effort limit is {:.3g} {unit}",
        text.empty() ? "" : "; ", joint.name, peak[k], effort[k],
        fmt::arg("unit", joint.is_prismatic() ? "N" : "N m"));
  }
  return text;
}

}  // namespace dyn
