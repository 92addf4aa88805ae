#include "simulation.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <dyn_core/base/printable.hpp>
#include <dyn_core/inspect/request.hpp>
#include <dyn_core/inspect/sway.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dyn_dds {

using dyn::Result;
using dyn::Status;

namespace {

constexpr std::size_t kMostPoints = 10'000;
constexpr double kFrequency = 40.0;  // of the law and of taking over a new reference, rad/s

std::string objection_to(const dyn::Chain& chain, const dyn::VecXd& q) {
  for (dyn::Index i = 0; i < chain.dof(); ++i) {
    const dyn::JointLimits& limits = chain.coordinate_joint(i).limits;
    if (q[i] >= limits.lower && q[i] <= limits.upper) continue;
    return fmt::format("joint '{}' is to go to {}, but its limits are {} and {}",
                       chain.coordinate_joint(i).name, q[i], limits.lower, limits.upper);
  }
  return {};
}

// A tenth of the torque that they have.
dyn::VecXd broken_drives(const dyn::Chain& chain) {
  dyn::VecXd out(chain.dof());
  for (dyn::Index i = 0; i < chain.dof(); ++i) {
    const double limit = chain.coordinate_joint(i).limits.effort;
    out[i] = limit > 0.0 ? 0.1 * limit : std::numeric_limits<double>::infinity();
  }
  return out;
}

dyn::VecXd speed_limits(const dyn::Chain& chain) {
  dyn::VecXd out(chain.dof());
  for (dyn::Index i = 0; i < chain.dof(); ++i) {
    const double limit = chain.coordinate_joint(i).limits.velocity;
    out[i] = limit > 0.0 ? limit : std::numeric_limits<double>::infinity();
  }
  return out;
}

Result<dyn::Controller> make_controller(const dyn::ChainPtr& chain, dyn::Solver& solver,
                                        const dyn::VecXd& posture) {
  dyn::ControllerParameters parameters(*chain);
  parameters.law.period = Simulation::kPeriod;
  parameters.law.guidable = true;
  const dyn::Index n = chain->dof();
  auto gains = dyn::gains_from_frequency(parameters.law.law, solver, posture,
                                         dyn::VecXd::Constant(n, kFrequency), dyn::VecXd::Ones(n));
  if (!gains) return tl::unexpected(gains.error());
  parameters.law.gains = *gains;
  // Against sticking friction: a tenth of what would make the loop unstable.
  parameters.law.gains.ki = 0.1 * gains->kp.cwiseProduct(gains->kd);
  return dyn::Controller::make(chain, parameters);
}

}  // namespace

Result<dyn::TrajectoryPtr> to_trajectory(const dyn::Chain& chain, const Command& command,
                                         const dyn::VecXd& start) {
  if (command.times.size() > kMostPoints) {
    return dyn::fail(fmt::format("it has {} points, more than {}; send it in parts",
                                 command.times.size(), kMostPoints));
  }
  if (command.names.empty()) return dyn::fail("it names no joints; name every joint of the chain");
  std::vector<double> times;
  std::vector<dyn::VecXd> positions;
  if (command.times.front() > 0.0) {
    times.push_back(0.0);
    positions.push_back(start);
  }
  double before = -1.0;
  for (std::size_t k = 0; k < command.times.size(); ++k) {
    const auto objection = [k](const std::string& text) {
      return dyn::fail(fmt::format("point {}: {}", k + 1, text));
    };
    const auto q = dyn::inspect::arranged(chain, command.names, command.positions[k], "position");
    if (!q) return objection(q.error().sentence);
    if (const std::string text = objection_to(chain, *q); !text.empty()) return objection(text);
    const double time = command.times[k];
    if (time < 0.0)
      return objection(fmt::format("its time_from_start is {} s, before the start", time));
    if (time <= before) {
      return objection(
          fmt::format("its time_from_start is {} s, not after that of the point before, "
                      "{} s",
                      time, before));
    }
    before = time;
    times.push_back(time);
    positions.push_back(*q);
  }
  if (times.size() < 2) return dyn::fail("its only point is at time 0; give time_from_start");
  return dyn::waypoints(times, positions, dyn::Interpolation::kQuintic);
}

Simulation::Simulation(dyn::Controller controller, dyn::Plant plant, dyn::ReferenceFilter filter)
    : controller_(std::move(controller)),
      plant_(std::move(plant)),
      recorder_(std::make_unique<dyn::Recorder>(plant_.dof())),
      filter_(std::move(filter)),
      wanted_(plant_.dof()),
      filter_now_(plant_.dof()),
      error_(dyn::VecXd::Zero(plant_.dof())),
      torque_(error_),
      clip_(broken_drives(plant_.chain())),
      watched_error_(error_),
      watched_speed_(error_) {}

Result<Breakage> breakage_named(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "state_not_finite", "state_frozen",
                                                      "command_lost", "effort_clipped"};
  const auto* const at = std::find(kNames.begin(), kNames.end(), name);
  if (at != kNames.end()) return static_cast<Breakage>(at - kNames.begin());
  return dyn::fail(fmt::format("there is no fault '{}'; choose among: {}", dyn::printable(name, 60),
                               fmt::join(kNames, ", ")));
}

Result<Simulation> Simulation::make(const dyn::ChainPtr& chain, const dyn::RigidBody& payload,
                                    bool demo) {
  auto solver = dyn::Solver::make(chain);
  if (!solver) return tl::unexpected(solver.error());
  solver->set_payload(payload);
  auto sway = dyn::inspect::sway(*chain);
  if (!sway) return tl::unexpected(sway.error());
  const dyn::Index n = chain->dof();
  dyn::JointState rest(n);
  dyn::VecXd qdd(n), torque(n);
  Status status = (*sway)->evaluate(0.0, rest.q, rest.qd, qdd);
  if (status == Status::kOk) status = solver->gravity_torque(rest.q, torque);
  if (status != Status::kOk) return dyn::fail(dyn::to_string(status));
  auto controller = make_controller(chain, *solver, rest.q);
  if (!controller) return tl::unexpected(controller.error());
  auto plant = dyn::Plant::make(chain, dyn::PlantParameters());
  if (!plant) return tl::unexpected(plant.error());
  Simulation out(std::move(*controller), std::move(*plant),
                 dyn::ReferenceFilter(chain, kFrequency, speed_limits(*chain)));
  out.wanted_.q = rest.q;
  out.filter_.reset(out.wanted_);
  out.filter_now_ = out.wanted_;
  out.set_payload(payload);
  status = out.controller_.set_payload(payload);
  if (status == Status::kOk) status = out.controller_.activate(torque);
  if (status == Status::kOk) status = out.plant_.reset(rest, out.controller_.output().torque);
  if (status != Status::kOk) return dyn::fail(dyn::to_string(status));
  if (demo) {
    out.trajectory_ = *sway;
    out.doing_ = Doing::kDemo;
  }
  return out;
}

void Simulation::guide(bool on) noexcept {
  if (on == guided() || controller_.guide(on) != Status::kOk) return;
  stop();
  stand();
  watch_.reset();
  if (on) {
    doing_ = Doing::kGuided;
    recorder_->start();
  } else {
    recorder_->stop();
  }
}

// The reference is where the arm is.
void Simulation::stand() noexcept {
  const dyn::JointState& measured = plant_.measured();
  if (!measured.finite()) return;
  wanted_.q = measured.q;
  wanted_.qd.setZero();
  wanted_.qdd.setZero();
  filter_.reset(wanted_);
  filter_now_ = wanted_;
}

void Simulation::follow(dyn::TrajectoryPtr trajectory, std::optional<GoalWatch> watch) {
  guide(false);
  trajectory_ = std::move(trajectory);
  watch_ = std::move(watch);
  start_ = plant_.time();
  doing_ = Doing::kFollowing;
  if (!trajectory_) return stop();
  end_ = start_ + trajectory_->duration();
}

void Simulation::stop() noexcept {
  trajectory_.reset();
  doing_ = Doing::kHolding;
  wanted_ = filter_now_;
  wanted_.qd.setZero();
  wanted_.qdd.setZero();
}

// The law has given up what it followed; it begins anew from where the arm comes to rest.
void Simulation::brake() noexcept {
  constexpr double kRest = 0.05;  // rad/s or m/s
  if (watch_) watch_->brake();
  stop();
  const dyn::JointState& measured = plant_.measured();
  if (!(measured.qd.cwiseAbs().maxCoeff() < kRest) || !measured.q.allFinite()) return;
  stand();
  recorder_->stop();
  (void)controller_.activate(controller_.output().torque);
}

// On the way the arm is compared with the reference in force, at the end with what was asked for.
void Simulation::look() noexcept {
  if (!watch_ || watch_->outcome() != Outcome::kUnderWay) return;
  const double late = plant_.time() - end_;
  const dyn::Reference& reference = late < 0.0 ? filter_now_ : wanted_;
  const dyn::JointState& measured = plant_.measured();
  dyn::joint_difference(plant_.chain(), reference.q, measured.q, watched_error_);
  watched_speed_ = reference.qd - measured.qd;
  const Outcome outcome = watch_->update(watched_error_, watched_speed_, late);
  if (outcome == Outcome::kOffPath || outcome == Outcome::kLate) stop();
}

void Simulation::inject(Breakage breakage, double duration) noexcept {
  constexpr std::array<dyn::Fault, 5> kFaults = {dyn::Fault::kNone, dyn::Fault::kStateNotFinite,
                                                 dyn::Fault::kStateFrozen, dyn::Fault::kCommandLost,
                                                 dyn::Fault::kNone};
  breakage_ = breakage;
  breakage_left_ = duration;
  plant_.set_fault(kFaults[static_cast<std::size_t>(breakage)]);
}

void Simulation::count_breakage() noexcept {
  if (breakage_left_ <= 0.0) return;
  breakage_left_ -= kPeriod;
  if (breakage_left_ <= 0.0) inject(Breakage::kNone, 0.0);
}

Status Simulation::step() noexcept {
  const double time = plant_.time() - start_;
  if (trajectory_) {
    Status status = trajectory_->evaluate(time, wanted_.q, wanted_.qd, wanted_.qdd);
    if (status != Status::kOk) return status;
    if (time >= trajectory_->duration()) {
      trajectory_.reset();
      doing_ = Doing::kHolding;
    }
  }
  if (guided()) stand();
  filter_now_ = filter_.update(wanted_, kPeriod);
  look();
  dyn::joint_difference(plant_.chain(), filter_now_.q, plant_.state().q, error_);
  torque_ = controller_.update(plant_.time(), plant_.measured(), filter_now_, kPeriod).torque;
  if (fault() != Status::kOk) brake();
  if (breakage_ == Breakage::kEffortClipped) torque_ = torque_.cwiseMin(clip_).cwiseMax(-clip_);
  const Status status = plant_.command(torque_);
  count_breakage();
  recorder_->add(plant_.measured(), plant_.torque(), kPeriod);
  return status == Status::kOk ? plant_.step(kPeriod) : status;
}

}  // namespace dyn_dds
