#include "dyn_core/inspect/payload_trial.hpp"

#include <array>
#include <utility>

#include "dyn_core/identify/prepare.hpp"

namespace dyn::inspect {

void PayloadTrial::start() {
  log_ = {};
  running_ = all_velocities_ = true;
}

void PayloadTrial::take(const JointStateMatcher& state, std::int64_t stamp) {
  constexpr std::size_t kMostTried = 10'000'000;
  const auto joints = static_cast<std::size_t>(state.positions().size());
  if (!running_ || !state.has_efforts() || 3 * joints * log_.t.size() > kMostTried) return;
  if (log_.t.empty()) {
    first_ = stamp;
    log_.q.resize(joints);
    log_.qd.resize(joints);
    log_.tau.resize(joints);
  } else if (stamp <= last_) {
    return;
  }
  last_ = stamp;
  all_velocities_ = all_velocities_ && state.has_velocities();
  log_.t.push_back(1e-9 * static_cast<double>(stamp - first_));
  for (std::size_t i = 0; i < joints; ++i) {
    log_.q[i].push_back(state.positions()[static_cast<Index>(i)]);
    log_.qd[i].push_back(state.velocities()[static_cast<Index>(i)]);
    log_.tau[i].push_back(state.efforts()[static_cast<Index>(i)]);
  }
}

Result<PayloadFound> PayloadTrial::stop(const ChainPtr& chain, Effort effort) {
  if (!std::exchange(running_, false)) return fail("no trial was started; start one first");
  if (log_.t.empty()) {
    return fail("no joint state with efforts came since the start; move the arm and try again");
  }
  PayloadFound found;
  found.joint_states = static_cast<std::uint32_t>(log_.t.size());
  if (!all_velocities_) log_.qd.clear();
  std::vector<Log> logs;
  logs.push_back(std::exchange(log_, {}));
  auto prepared = prepare(std::move(logs), *chain);
  if (!prepared) return tl::unexpected(prepared.error());
  IdentifyOptions options;
  options.effort = effort;
  options.payload = true;
  const std::array<Samples, 1> samples = {std::move(prepared->samples)};
  const auto identified = identify(chain, samples, options);
  if (!identified) return tl::unexpected(identified.error());
  found.payload = identified->payload.value();
  found.rms_before = found.rms_after = VecXd::Zero(chain->dof());
  for (Index i = 0; i < chain->dof(); ++i) {
    const IdentifiedJoint& joint = identified->joints[static_cast<std::size_t>(i)];
    found.rms_before[i] = joint.rms_before;
    found.rms_after[i] = joint.rms_after;
  }
  return found;
}

}  // namespace dyn::inspect
