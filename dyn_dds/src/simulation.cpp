#include "simulation.hpp"

#include <utility>

#include <dyn_core/inspect/request.hpp>
#include <dyn_core/inspect/sway.hpp>
#include <fmt/format.h>

namespace dyn_dds {

using dyn::Result;
using dyn::Status;

namespace {

constexpr std::size_t kMostPoints = 10'000;

std::string objection_to(const dyn::Chain& chain, const dyn::VecXd& q) {
  for (dyn::Index i = 0; i < chain.dof(); ++i) {
    const dyn::JointLimits& limits = chain.coordinate_joint(i).limits;
    if (q[i] >= limits.lower && q[i] <= limits.upper) continue;
    return fmt::format("joint '{}' is to go to {}, but its limits are {} and {}",
                       chain.coordinate_joint(i).name, q[i], limits.lower, limits.upper);
  }
  return {};
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

Simulation::Simulation(dyn::SimulatedArm arm)
    : arm_(std::move(arm)),
      recorder_(std::make_unique<dyn::Recorder>(arm_.chain().dof())),
      watched_error_(dyn::VecXd::Zero(arm_.chain().dof())),
      watched_speed_(watched_error_) {}

Result<Simulation> Simulation::make(const dyn::ChainPtr& chain, const dyn::RigidBody& payload,
                                    bool demo) {
  auto sway = dyn::inspect::sway(*chain);
  if (!sway) return tl::unexpected(sway.error());
  dyn::VecXd rest(chain->dof()), qd(chain->dof()), qdd(chain->dof());
  const Status status = (*sway)->evaluate(0.0, rest, qd, qdd);
  if (status != Status::kOk) return dyn::fail(dyn::to_string(status));
  auto arm = dyn::SimulatedArm::make(chain, dyn::ArmSettings(), payload, rest);
  if (!arm) return tl::unexpected(arm.error());
  Simulation out(std::move(*arm));
  out.demo_ = demo;
  if (demo) out.arm_.follow(*sway);
  return out;
}

bool Simulation::guide() noexcept {
  if (arm_.guided() || arm_.guide(true) != Status::kOk) return false;
  let_go();
  recorder_->start();
  return true;
}

void Simulation::let_go() noexcept {
  demo_ = false;
  watch_.reset();
}

void Simulation::follow(dyn::TrajectoryPtr trajectory, std::optional<GoalWatch> watch) {
  demo_ = false;
  watch_ = std::move(watch);
  end_ = arm_.time() + (trajectory ? trajectory->duration() : 0.0);
  arm_.follow(std::move(trajectory));
}

// On the way the arm is compared with the reference in force, at the end with what was asked for.
void Simulation::look() noexcept {
  if (!watch_ || watch_->outcome() != Outcome::kUnderWay) return;
  const double late = arm_.time() - end_;
  const dyn::Reference& reference = late < 0.0 ? arm_.reference() : arm_.wanted();
  dyn::joint_difference(arm_.chain(), reference.q, arm_.state().q, watched_error_);
  watched_speed_ = reference.qd - arm_.state().qd;
  const Outcome outcome = watch_->update(watched_error_, watched_speed_, late);
  if (outcome == Outcome::kOffPath || outcome == Outcome::kLate) arm_.stop();
}

Status Simulation::step() noexcept {
  Status status = arm_.plan();
  if (status != Status::kOk) return status;
  look();
  status = arm_.act();
  if (arm_.braked() || !arm_.guided()) recorder_->stop();
  recorder_->add(arm_.state(), arm_.torque(), kPeriod);
  if (arm_.braked() && watch_) watch_->brake();
  return status;
}

}  // namespace dyn_dds
