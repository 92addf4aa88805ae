#include "dyn_core/control/plant.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "least_step.hpp"

namespace dyn {
namespace {

std::string objection(const PlantParameters& p) {
  if (!(p.delay >= 0.0) || !std::isfinite(p.delay)) {
    return fmt::format("the plant's delay is {} s; give zero or more", p.delay);
  }
  if (!(p.shortest_period > 0.0)) {
    return fmt::format("the plant's shortest period is {} s; give a positive one",
                       p.shortest_period);
  }
  if (!(p.model.max_step >= kLeastStep)) {
    return fmt::format("the plant's step is {} s; give {} s or more", p.model.max_step, kLeastStep);
  }
  if (!(p.drive_period >= kLeastStep)) {
    return fmt::format("the period of the plant's drives is {} s; give {} s or more",
                       p.drive_period, kLeastStep);
  }
  if (!(p.torque_rate > 0.0)) {
    return fmt::format("the plant's drives change their torque by {} N m/s; give a positive rate",
                       p.torque_rate);
  }
  if (!(p.velocity_lag >= 0.0) || !std::isfinite(p.velocity_lag)) {
    return fmt::format("the plant's velocities lag by {} s; give zero or more", p.velocity_lag);
  }
  if (!(p.model.friction_scale >= 0.0) || !std::isfinite(p.model.friction_scale)) {
    return fmt::format("the plant's friction is scaled by {}; give zero or more",
                       p.model.friction_scale);
  }
  if (!(p.position_noise >= 0.0 && p.velocity_noise >= 0.0)) {
    return "the plant's measurement noise is negative; give zero or more";
  }
  return {};
}

Index ring_size(const PlantParameters& p) {
  constexpr double kMost = 1e5;
  return static_cast<Index>(std::min(std::ceil(p.delay / p.shortest_period), kMost)) + 8;
}

}  // namespace

ChainPtr scale_inertia(const Chain& chain, double all, double last) {
  ChainDescription out = chain.description();
  for (Link& link : out.links) {
    const double scale = &link == &out.links.back() ? all * last : all;
    link.body.mass *= scale;
    link.body.inertia *= scale;
  }
  return std::make_shared<const Chain>(std::move(out));
}

Result<Plant> Plant::make(ChainPtr chain, const PlantParameters& parameters,
                          const Algorithms& algorithms) {
  if (std::string sentence = objection(parameters); !sentence.empty()) {
    return fail(std::move(sentence));
  }
  Result<Solver> solver = Solver::make(std::move(chain), algorithms);
  if (!solver) return tl::unexpected(solver.error());
  return Plant(std::move(*solver), parameters);
}

Plant::Plant(Solver solver, const PlantParameters& parameters)
    : parameters_(parameters),
      stepper_(std::move(solver), parameters.model),
      commands_(5 * dof(), ring_size(parameters)),
      state_(dof()),
      measured_(dof()),
      effort_(VecXd::Constant(dof(), std::numeric_limits<double>::infinity())),
      gravity_(VecXd::Zero(dof())),
      torque_(gravity_),
      mean_torque_(gravity_),
      external_(gravity_),
      whole_torque_(gravity_),
      whole_(VecXd::Zero(5 * dof())),
      given_(gravity_),
      lagged_(gravity_),
      random_(parameters.seed) {
  for (Index i = 0; i < dof() && parameters.clip_effort; ++i) {
    const double effort = stepper_.solver().chain().coordinate_joint(i).limits.effort;
    if (effort > 0.0) effort_[i] = effort;
  }
}

Status Plant::reset(const JointState& state, const VecXd& torque) noexcept {
  if (state.q.size() != dof() || state.qd.size() != dof() || torque.size() != dof()) {
    return Status::kWrongSize;
  }
  if (!state.finite() || !torque.allFinite()) return Status::kNotFinite;
  state_.q = state.q;
  state_.qd = state.qd;
  lagged_ = state.qd;
  given_ = torque;
  whole_.setZero();
  whole_.head(dof()) = torque;
  commands_.reset(whole_);
  mean_torque_ = torque;
  external_.setZero();
  stepper_.reset();
  random_ = Random(parameters_.seed);
  time_ = 0.0;
  fault_ = Fault::kNone;
  measure();
  return Status::kOk;
}

Status Plant::command(VecIn<double> torque) noexcept {
  if (torque.size() != dof()) return Status::kWrongSize;
  if (!torque.allFinite()) return Status::kNotFinite;
  whole_.setZero();
  whole_.head(dof()) = torque;
  if (fault_ != Fault::kCommandLost) commands_.push(time_, whole_);
  return Status::kOk;
}

Status Plant::command(VecIn<double> torque, const DriveReference& drive) noexcept {
  const Index n = dof();
  if (torque.size() != n || drive.q.size() != n || drive.qd.size() != n || drive.kp.size() != n ||
      drive.kd.size() != n) {
    return Status::kWrongSize;
  }
  if (!torque.allFinite() || !drive.finite()) return Status::kNotFinite;
  whole_ << torque, drive.q, drive.qd, drive.kp, drive.kd;
  if (fault_ != Fault::kCommandLost) commands_.push(time_, whole_);
  return Status::kOk;
}

// torque_ at the joints under a command, `dt` after the last one.
Status Plant::drive_torque(const VecXd& command, double dt) noexcept {
  const Index n = dof();
  torque_ = command.head(n) +
            command.segment(3 * n, n).cwiseProduct(command.segment(n, n) - state_.q) +
            command.tail(n).cwiseProduct(command.segment(2 * n, n) - state_.qd);
  const double most = parameters_.torque_rate * dt;
  given_ = torque_ =
      torque_.cwiseMin((given_.array() + most).matrix()).cwiseMax((given_.array() - most).matrix());
  if (parameters_.drive_compensates_gravity) {
    const Status status = stepper_.solver().gravity_torque(state_.q, gravity_);
    if (status != Status::kOk) return status;
    torque_ += gravity_;
  }
  torque_ = torque_.cwiseMin(effort_).cwiseMax(-effort_);
  return Status::kOk;
}

Status Plant::step(double dt) noexcept {
  if (!std::isfinite(dt) || dt < 0.0) return Status::kNotFinite;
  constexpr double kShortestStep = 1e-9;
  const double end = time_ + dt;
  double now = time_;
  mean_torque_.setZero();
  for (Index i = commands_.find(now - parameters_.delay); i < commands_.size(); ++i) {
    const bool last = i + 1 == commands_.size();
    const double until = last ? end : std::min(end, commands_.time(i + 1) + parameters_.delay);
    if (until - now < kShortestStep) continue;
    const Status status = drive_until(now, until, commands_.torque(i), dt);
    if (status != Status::kOk) return status;
    now = until;
  }
  time_ = end;
  const double lag = parameters_.velocity_lag;
  lagged_ += (lag > 0.0 ? -std::expm1(-dt / lag) : 1.0) * (state_.qd - lagged_);
  measure();
  return Status::kOk;
}

// From `begin` to `end` under one command, whose drives answer the arm every period of theirs.
Status Plant::drive_until(double begin, double end, const VecXd& command, double dt) noexcept {
  const bool closed =
      !command.tail(2 * dof()).isZero(0.0) || std::isfinite(parameters_.torque_rate);
  const double part = closed ? parameters_.drive_period : end - begin;
  const double steps = std::max(std::ceil((end - begin) / part - 1e-9), 1.0);
  const double h = (end - begin) / steps;
  for (int k = 0; k < static_cast<int>(steps); ++k) {
    Status status = drive_torque(command, h);
    whole_torque_ = torque_ + external_;
    if (status == Status::kOk) status = stepper_.advance(state_, whole_torque_, h);
    if (status != Status::kOk) return status;
    mean_torque_ += (h / dt) * torque_;
  }
  return Status::kOk;
}

void Plant::set_fault(Fault fault) noexcept {
  fault_ = fault;
  measure();
}

void Plant::measure() noexcept {
  if (fault_ == Fault::kStateFrozen) return;
  for (Index i = 0; i < dof(); ++i) {
    measured_.q[i] = state_.q[i] + parameters_.position_noise * random_.normal();
    measured_.qd[i] = lagged_[i] + parameters_.velocity_noise * random_.normal();
  }
  if (fault_ == Fault::kStateNotFinite) {
    measured_.q.setConstant(std::numeric_limits<double>::quiet_NaN());
    measured_.qd = measured_.q;
  }
}

}  // namespace dyn
