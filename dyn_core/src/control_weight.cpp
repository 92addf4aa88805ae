#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "dyn_core/control/weight.hpp"
#include "dyn_core/random_chain.hpp"

namespace dyn {

Result<WeightReport> weight_on(const ChainPtr& chain, const VecXd& effort, const RigidBody& payload,
                               const Vec3d& gravity) {
  constexpr int kPostures = 500;
  Result<Solver> solver = Solver::make(chain);
  if (!solver) return tl::unexpected(solver.error());
  solver->set_payload(payload);
  solver->set_gravity(gravity);
  const Index n = chain->dof();
  VecXd q(n), torque(n);
  Random random(1);
  WeightReport report;
  int held = 0, seen = 0;
  for (int k = 0; k < kPostures; ++k) {
    for (Index i = 0; i < n; ++i) {
      const JointLimits& limits = chain->coordinate_joint(i).limits;
      const bool bounded = std::isfinite(limits.upper - limits.lower);
      q[i] = bounded ? random.uniform(limits.lower, limits.upper)
                     : random.uniform(-std::numbers::pi, std::numbers::pi);
    }
    if (solver->gravity_torque(q, torque) != Status::kOk) continue;
    Index joint = 0;
    const double share = torque.cwiseAbs().cwiseQuotient(effort).maxCoeff(&joint);
    ++seen;
    if (share <= 1.0) ++held;
    if (share > report.share) report = {1.0, joint, share};
  }
  report.held = seen > 0 ? static_cast<double>(held) / seen : 1.0;
  if (report.held > 0.0) return report;
  return fail(fmt::format(
      "{}; there is no posture in which this arm could be held{}", warning_of(*chain, report),
      payload.mass > 0.0 ? fmt::format(", with a payload of {} kg", payload.mass) : ""));
}

std::string warning_of(const Chain& chain, const WeightReport& report) {
  if (report.share <= 1.0) return {};
  return fmt::format("gravity alone takes up to {:.0f} % of the effort limit of joint '{}'",
                     100.0 * report.share,
                     chain.coordinate_names()[static_cast<std::size_t>(report.joint)]);
}

}  // namespace dyn
