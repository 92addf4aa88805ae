#include "dyn_core/control/predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "least_step.hpp"

namespace dyn {
namespace {

constexpr double kShortest = 1e-9;  // times so near to each other are one, s

std::string objection(const PredictorParameters& p) {
  if (!(p.period >= kLeastStep) || !std::isfinite(p.period)) {
    return fmt::format("the predictor's period is {} s; give the control period, {} s or more",
                       p.period, kLeastStep);
  }
  if (!(p.longest_delay >= 0.0) || !std::isfinite(p.longest_delay)) {
    return fmt::format("the predictor's longest delay is {} s; give a finite one", p.longest_delay);
  }
  if (!(p.delay >= 0.0) || !std::isfinite(p.delay)) {
    return fmt::format("the predictor's delay is {} s; give zero or more", p.delay);
  }
  if (!(p.model.max_step >= kLeastStep)) {
    return fmt::format("the predictor's step is {} s; give {} s or more", p.model.max_step,
                       kLeastStep);
  }
  return {};
}

// A late loop catches up in short cycles: none of the commands that are still to act is forgotten.
Index ring_size(const PredictorParameters& p) {
  constexpr double kMost = 1e5, kShortestCycle = 0.1;  // of the period
  const double longest = std::max(p.delay, p.longest_delay);
  return static_cast<Index>(std::min(std::ceil(longest / (kShortestCycle * p.period)), kMost)) + 8;
}

// Cubic Hermite interpolation of positions, linear of velocities.
void interpolate(const JointState& a, const JointState& b, double h, double s, JointState& out) {
  const double s2 = s * s, s3 = s2 * s;
  out.q = (1.0 - 3.0 * s2 + 2.0 * s3) * a.q + (3.0 * s2 - 2.0 * s3) * b.q +
          (h * (s - 2.0 * s2 + s3)) * a.qd + (h * (s3 - s2)) * b.qd;
  out.qd = (1.0 - s) * a.qd + s * b.qd;
}

}  // namespace

Result<Predictor> Predictor::make(ChainPtr chain, const PredictorParameters& parameters,
                                  const Algorithms& algorithms) {
  if (std::string sentence = objection(parameters); !sentence.empty()) return fail(sentence);
  Result<Solver> solver = Solver::make(std::move(chain), algorithms);
  if (!solver) return tl::unexpected(solver.error());
  return Predictor(std::move(*solver), parameters);
}

Predictor::Predictor(Solver solver, const PredictorParameters& parameters)
    : parameters_(parameters),
      stepper_(std::move(solver), parameters.model),
      commands_(dof(), ring_size(parameters)),
      predictions_(static_cast<std::size_t>(commands_.capacity()),
                   {0.0, JointState(dof()), VecXd::Zero(dof())}),
      predicted_(dof()),
      error_(dof()),
      disturbance_(VecXd::Zero(dof())),
      torque_(disturbance_) {
  parameters_.longest_delay = std::max(parameters.delay, parameters.longest_delay);
  set_gravity(stepper_.solver().chain().gravity());
}

void Predictor::set_gravity(const Vec3d& gravity) noexcept {
  stepper_.solver().set_gravity(parameters_.hardware_compensates_gravity ? Vec3d::Zero() : gravity);
}

double Predictor::horizon() const noexcept {
  return parameters_.delay + (parameters_.middle_of_hold ? 0.5 * parameters_.period : 0.0);
}

Status Predictor::reset(const VecXd& torque) noexcept {
  if (torque.size() != dof()) return Status::kWrongSize;
  if (!torque.allFinite()) return Status::kNotFinite;
  commands_.reset(torque);
  stepper_.reset();
  first_ = count_ = 0;
  has_error_ = false;
  missed_ = missed_without_ = 0.0;
  believed_ = true;
  weight_ = 1.0;
  error_.q.setZero();
  error_.qd.setZero();
  disturbance_.setZero();
  return Status::kOk;
}

Status Predictor::sent(double time, VecIn<double> torque) noexcept {
  if (torque.size() != dof()) return Status::kWrongSize;
  if (!std::isfinite(time) || !torque.allFinite()) return Status::kNotFinite;
  commands_.push(time, torque);
  return Status::kOk;
}

Status Predictor::set_disturbance(VecIn<double> torque) noexcept {
  if (torque.size() != dof()) return Status::kWrongSize;
  if (!torque.allFinite()) return Status::kNotFinite;
  disturbance_ = torque;
  return Status::kOk;
}

Status Predictor::set_delay(double delay) noexcept {
  if (!std::isfinite(delay)) return Status::kNotFinite;
  if (delay < 0.0 || delay > parameters_.longest_delay) return Status::kUnsupported;
  parameters_.delay = delay;
  first_ = count_ = 0;
  return Status::kOk;
}

Status Predictor::follow(const JointState& measured) noexcept {
  if (measured.q.size() != dof() || measured.qd.size() != dof()) {
    predicted_.q.setConstant(std::numeric_limits<double>::quiet_NaN());
    predicted_.qd = predicted_.q;
    return Status::kWrongSize;
  }
  predicted_.q = measured.q;
  predicted_.qd = measured.qd;
  return measured.finite() ? Status::kOk : Status::kNotFinite;
}

Status Predictor::predict(double time, const JointState& measured) noexcept {
  Status status = follow(measured);
  if (status != Status::kOk) return status;
  if (!std::isfinite(time)) return Status::kNotFinite;
  compare(time, measured);
  status = carry(time, time + horizon());
  if (status == Status::kOk) {
    remember(time + horizon(), measured);
    if (weight_ < 1.0) {
      predicted_.q = measured.q + weight_ * (predicted_.q - measured.q);
      predicted_.qd = measured.qd + weight_ * (predicted_.qd - measured.qd);
    }
  } else {
    predicted_.q = measured.q;
    predicted_.qd = measured.qd;
  }
  return status;
}

// Moves predicted_ through the commands that act between `begin` and `end`.
Status Predictor::carry(double begin, double end) noexcept {
  double now = begin;
  for (Index i = commands_.find(begin - parameters_.delay); i < commands_.size(); ++i) {
    const bool last = i + 1 == commands_.size();
    const double until = last ? end : std::min(end, commands_.time(i + 1) + parameters_.delay);
    if (until - now < kShortest) continue;
    torque_ = commands_.torque(i) + disturbance_;
    const Status status = stepper_.advance(predicted_, torque_, until - now);
    if (status != Status::kOk) return status;
    now = until;
  }
  return Status::kOk;
}

void Predictor::mean_torque(double begin, double end, VecXd& out) const noexcept {
  Index i = commands_.find(begin - parameters_.delay);
  if (!(end > begin)) {
    out = commands_.torque(i);
    return;
  }
  out.setZero();
  for (double now = begin; i < commands_.size(); ++i) {
    const bool last = i + 1 == commands_.size();
    const double until = last ? end : std::min(end, commands_.time(i + 1) + parameters_.delay);
    if (until <= now) continue;
    out += ((until - now) / (end - begin)) * commands_.torque(i);
    now = until;
  }
}

void Predictor::remember(double time, const JointState& measured) noexcept {
  const auto capacity = static_cast<Index>(predictions_.size());
  const auto newest_slot = static_cast<std::size_t>((first_ + count_ + capacity - 1) % capacity);
  if (count_ > 0 && predictions_[newest_slot].time >= time) count_ = 0;  // the clock went back
  if (count_ == capacity) {
    first_ = (first_ + 1) % capacity;
    --count_;
  }
  Prediction& newest = predictions_[static_cast<std::size_t>((first_ + count_++) % capacity)];
  newest.time = time;
  newest.state.q = predicted_.q;
  newest.state.qd = predicted_.qd;
  newest.from = measured.qd;
}

// Drops the predictions that `time` has passed, all but the last of them, and interpolates.
void Predictor::compare(double time, const JointState& measured) noexcept {
  const auto capacity = static_cast<Index>(predictions_.size());
  const auto at = [&](Index i) -> const Prediction& {
    return predictions_[static_cast<std::size_t>((first_ + i) % capacity)];
  };
  while (count_ > 1 && at(1).time <= time + kShortest) {
    first_ = (first_ + 1) % capacity;
    --count_;
  }
  if (count_ == 0 || at(0).time > time + kShortest) return;
  const double past = time - at(0).time;
  if (past > kShortest && count_ < 2) return;
  if (past <= kShortest) {
    error_.q = at(0).state.q;
    error_.qd = at(0).state.qd;
  } else {
    const double h = at(1).time - at(0).time;
    interpolate(at(0).state, at(1).state, h, past / h, error_);
  }
  torque_ = error_.q;
  joint_difference(stepper_.solver().chain(), measured.q, torque_, error_.q);
  error_.qd = measured.qd - error_.qd;
  has_error_ = true;
  judge(measured, at(0).from);
}

// Twice as far off as no prediction at all, by the velocities: it is given up.
void Predictor::judge(const JointState& measured, const VecXd& from) noexcept {
  constexpr double kNew = 0.02;                      // share of this prediction in the means
  constexpr double kHarmless = 0.1;                  // so far off does no harm, rad/s or m/s
  constexpr double kGiveUp = 0.05, kTakeUp = 0.002;  // of the weight, per prediction
  const double missed = error_.qd.squaredNorm(), without = (measured.qd - from).squaredNorm();
  missed_ += kNew * (missed - missed_);
  missed_without_ += kNew * (without - missed_without_);
  const double harmless = kHarmless * kHarmless;
  if (missed_ > 4.0 * missed_without_ + harmless) believed_ = false;
  if (missed_ < missed_without_ + 0.25 * harmless) believed_ = true;
  weight_ = std::clamp(weight_ + (believed_ ? kTakeUp : -kGiveUp), 0.0, 1.0);
}

}  // namespace dyn
