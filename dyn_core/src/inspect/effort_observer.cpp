#include "dyn_core/inspect/effort_observer.hpp"

#include <utility>

namespace dyn::inspect {
namespace {

// Between two states of one motion there is no more than this, ns.
constexpr std::int64_t kLongestGap = 500'000'000;

}  // namespace

Result<EffortObserver> EffortObserver::make(ChainPtr chain, const EffortOptions& options) {
  const Index dof = chain->dof();
  ObserverParameters parameters(dof);
  parameters.gain.setConstant(options.gain);
  parameters.hardware_compensates_gravity = !options.contain_gravity;
  auto observer = MomentumObserver::make(std::move(chain), parameters, {}, Inertia::kIfThere);
  if (!observer) return tl::unexpected(observer.error());
  return EffortObserver(std::move(*observer), dof);
}

EffortObserver::EffortObserver(MomentumObserver observer, Index dof)
    : observer_(std::move(observer)),
      state_(dof),
      effort_(VecXd::Zero(dof)),
      mean_(VecXd::Zero(dof)) {}

void EffortObserver::take(const JointStateMatcher& state, std::int64_t stamp) noexcept {
  if (!state.has_velocities() || !state.has_efforts()) {
    status_ = Status::kMissing;
    return;
  }
  const bool started = status_ == Status::kOk;
  if (started && stamp == stamp_) return;  // another part of the state before
  const bool follows = started && stamp > stamp_ && stamp - stamp_ <= kLongestGap;
  const double passed = follows ? 1e-9 * static_cast<double>(stamp - stamp_) : 0.0;
  if (!follows) {
    observer_.reset();
    effort_ = state.efforts();
  }
  mean_ = 0.5 * (effort_ + state.efforts());
  effort_ = state.efforts();
  state_.q = state.positions();
  state_.qd = state.velocities();
  stamp_ = stamp;
  status_ = observer_.update(state_, mean_, passed);
}

Status EffortObserver::tip_wrench(Kinematics<double>& kinematics, Wrench& out) noexcept {
  if (Status status = observer_.tip_wrench(state_.q, out); status != Status::kOk) return status;
  if (Status status = kinematics.update(state_.q); status != Status::kOk) return status;
  const Mat3d to_tip = kinematics.tip_pose().R.transpose();
  out = {to_tip * out.force, to_tip * out.torque};
  return Status::kOk;
}

}  // namespace dyn::inspect
