#include "dyn_core/control/supervisor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace dyn {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
constexpr int kPeriods = 2;            // one sample may be a glitch of an encoder
constexpr double kAtLimit = 0.8;       // share of the effort limit that counts as met
constexpr double kReversalTime = 0.1;  // reversals are forgotten with this time constant, s
constexpr double kMostReversals = 5.0;
constexpr double kBlockedTime = 0.05;  // s
constexpr double kStill = 0.1;         // share of the speed asked for in that time
constexpr double kAsked = 2.0;         // less says nothing, rad/s² or m/s²

std::string supervision_objection(const Chain& chain, const SupervisionParameters& p) {
  struct Bound {
    const VecXd& values;
    const char* name;
  };
  for (const Bound& bound :
       {Bound{p.speed, "the speed limit"}, Bound{p.error, "the tracking error limit"}}) {
    if (bound.values.size() != chain.dof()) {
      return fmt::format("{} has {} entries, but the chain has {} coordinates", bound.name,
                         bound.values.size(), chain.dof());
    }
    for (Index i = 0; i < chain.dof(); ++i) {
      if (bound.values[i] > 0.0) continue;
      return fmt::format("{} of joint '{}' is {}; give a positive one, or infinity for none",
                         bound.name, chain.coordinate_names()[static_cast<std::size_t>(i)],
                         bound.values[i]);
    }
  }
  if (!(p.tip_error > 0.0) || !(p.tip_turn > 0.0)) {
    return fmt::format(
        "the error limits of the tip are {} m and {} rad; give positive ones, or infinity for none",
        p.tip_error, p.tip_turn);
  }
  if (p.lower.size() != chain.dof() || p.upper.size() != chain.dof()) {
    return fmt::format("references need {} lower and upper position limits", chain.dof());
  }
  return {};
}

}  // namespace

SupervisionParameters::SupervisionParameters(const Chain& chain)
    : speed(VecXd::Constant(chain.dof(), kUnlimited)),
      error(speed),
      lower(-speed),
      upper(speed),
      approach(speed) {
  constexpr double kSpeedFactor = 1.5, kTurn = 1.0, kWay = 0.25, kApproachTime = 0.1;
  for (Index i = 0; i < chain.dof(); ++i) {
    const Joint& joint = chain.coordinate_joint(i);
    if (joint.limits.velocity > 0.0) {
      speed[i] = kSpeedFactor * joint.limits.velocity;
      approach[i] = joint.limits.velocity / kApproachTime;
    }
    error[i] = joint.type == JointType::kPrismatic ? kWay : kTurn;
    lower[i] = joint.limits.lower;
    upper[i] = joint.limits.upper;
  }
}

std::string culprit(const Chain& chain, Index joint) {
  if (joint >= chain.dof()) return "the tip";
  return fmt::format("joint '{}'", chain.coordinate_names()[static_cast<std::size_t>(joint)]);
}

Result<Supervisor> Supervisor::make(ChainPtr chain, const SupervisionParameters& parameters,
                                    const VecXd& effort) {
  if (std::string sentence = supervision_objection(*chain, parameters); !sentence.empty()) {
    return fail(std::move(sentence));
  }
  return Supervisor(std::move(chain), parameters, effort);
}

Supervisor::Supervisor(ChainPtr chain, const SupervisionParameters& parameters, const VecXd& effort)
    : chain_(std::move(chain)),
      parameters_(parameters),
      effort_(effort),
      lower_(parameters.lower),
      upper_(parameters.upper),
      too_fast_(static_cast<std::size_t>(chain_->dof())),
      too_far_(too_fast_),
      side_(VecXd::Zero(chain_->dof())),
      side_age_(side_),
      reversals_(side_),
      asked_(side_),
      still_(side_),
      blocked_(side_) {}

void Supervisor::reset() noexcept {
  lower_ = parameters_.lower;
  upper_ = parameters_.upper;
  std::ranges::fill(too_fast_, 0);
  std::ranges::fill(too_far_, 0);
  tip_too_far_ = 0;
  for (VecXd* counts : {&asked_, &side_, &side_age_, &reversals_, &still_, &blocked_})
    counts->setZero();
  started_ = reference_limited_ = false;
  fault_ = Status::kOk;
}

void Supervisor::limit(const JointState& measured, Reference& reference) noexcept {
  reference_limited_ = false;
  if (!parameters_.enabled || reference.q.size() != lower_.size()) return;
  if (!started_ && measured.q.size() == lower_.size() && measured.finite()) {
    lower_ = lower_.cwiseMin(measured.q);
    upper_ = upper_.cwiseMax(measured.q);
    started_ = true;
  }
  asked_ = reference.qd.cwiseAbs();
  for (Index i = 0; i < lower_.size(); ++i) {
    const double q = reference.q[i];
    if (!(q < lower_[i] || q > upper_[i])) continue;  // what is not finite is for the law to refuse
    reference_limited_ = true;
    reference.q[i] = std::clamp(q, lower_[i], upper_[i]);
    const bool above = q > upper_[i];
    for (VecXd* rate : {&reference.qd, &reference.qdd}) {
      if (above == ((*rate)[i] > 0.0)) (*rate)[i] = 0.0;
    }
  }
}

void Supervisor::trip(Status fault, Index joint) noexcept {
  if (fault_ != Status::kOk) return;
  fault_ = fault;
  joint_ = joint;
}

Status Supervisor::check(const JointState& measured, const VecXd& error, const VecXd& torque,
                         double dt) noexcept {
  if (!parameters_.enabled || !measured.finite() || measured.qd.size() != lower_.size()) {
    return fault_;
  }
  for (Index i = 0; i < lower_.size(); ++i) {
    int& fast = too_fast_[static_cast<std::size_t>(i)];
    int& far = too_far_[static_cast<std::size_t>(i)];
    const double speed = std::max(std::abs(measured.qd[i]), asked_[i]);
    fast = speed > parameters_.speed[i] ? fast + 1 : 0;
    far = std::abs(error[i]) > parameters_.error[i] ? far + 1 : 0;
    if (fast >= kPeriods) trip(Status::kOverspeed, i);
    if (far >= kPeriods) trip(Status::kTrackingError, i);
    count_reversals(i, torque[i], dt);
  }
  return fault_;
}

void Supervisor::check_tip(double away, double turned) noexcept {
  if (!parameters_.enabled) return;
  const bool far = away > parameters_.tip_error || turned > parameters_.tip_turn;
  tip_too_far_ = far ? tip_too_far_ + 1 : 0;
  if (tip_too_far_ >= kPeriods) trip(Status::kTrackingError, lower_.size());
}

void Supervisor::count_reversals(Index i, double torque, double dt) noexcept {
  reversals_[i] *= std::exp(-dt / kReversalTime);
  side_age_[i] += dt;
  if (std::abs(torque) < kAtLimit * effort_[i]) return;
  const double side = std::copysign(1.0, torque);
  if (side_[i] == -side && side_age_[i] < kReversalTime) reversals_[i] += 1.0;
  side_[i] = side;
  side_age_[i] = 0.0;
  if (reversals_[i] > kMostReversals) trip(Status::kOscillation, i);
}

void Supervisor::watch_blocked(const JointState& measured, const VecXd& acceleration,
                               double dt) noexcept {
  if (!parameters_.enabled || !measured.finite() || measured.qd.size() != lower_.size()) return;
  for (Index i = 0; i < lower_.size(); ++i) {
    const double asked = std::abs(acceleration[i]);
    const bool stands = asked > kAsked && std::abs(measured.qd[i]) < kStill * kBlockedTime * asked;
    still_[i] = std::clamp(still_[i] + (stands ? dt : -4.0 * dt), 0.0, 2.0 * kBlockedTime);
    blocked_[i] = std::clamp(still_[i] / kBlockedTime - 1.0, 0.0, 1.0);
  }
}

}  // namespace dyn
