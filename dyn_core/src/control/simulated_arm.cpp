#include "dyn_core/control/simulated_arm.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dyn_core/base/printable.hpp"

namespace dyn {
namespace {

constexpr double kTakingOver = 40.0;  // a new reference, rad/s
constexpr std::array<std::string_view, 5> kBreakages = {"none", "state_not_finite", "state_frozen",
                                                        "command_lost", "effort_clipped"};

// A tenth of the torque that they have.
VecXd broken_drives(const Chain& chain) { return 0.1 * effort_limits(chain); }

Result<Controller> make_controller(const ChainPtr& chain, const ArmSettings& settings,
                                   const VecXd& posture) {
  auto solver = Solver::make(chain);
  if (!solver) return tl::unexpected(solver.error());
  ControllerParameters parameters(*chain);
  parameters.law.law = settings.law;
  parameters.law.period = SimulatedArm::kPeriod;
  parameters.law.guidable = entry_of(settings.law).follows_joints();
  parameters.delay = settings.delay;
  parameters.predict = settings.predict && settings.delay > 0.0;
  parameters.observe = settings.observe || settings.reject;
  parameters.reject_disturbance = settings.reject;
  const Index n = chain->dof();
  auto gains = gains_from_frequency(settings.law, *solver, posture,
                                    VecXd::Constant(n, settings.frequency), VecXd::Ones(n));
  if (!gains) return tl::unexpected(gains.error());
  parameters.law.gains = *gains;
  // Against sticking friction: a tenth of what would make the loop unstable.
  if (entry_of(settings.law).follows_joints()) {
    parameters.law.gains.ki = 0.1 * gains->kp.cwiseProduct(gains->kd);
  }
  return Controller::make(chain, parameters);
}

}  // namespace

std::span<const std::string_view> breakage_names() noexcept { return kBreakages; }

Result<Breakage> breakage_named(std::string_view name) {
  const auto* const at = std::find(kBreakages.begin(), kBreakages.end(), name);
  if (at != kBreakages.end()) return static_cast<Breakage>(at - kBreakages.begin());
  return fail(fmt::format("there is no fault '{}'; choose among: {}", printable(name, 60),
                          fmt::join(kBreakages, ", ")));
}

Result<SimulatedArm::Loop> SimulatedArm::make_loop(const ChainPtr& chain,
                                                   const ArmSettings& settings,
                                                   const VecXd& posture) {
  auto controller = make_controller(chain, settings, posture);
  if (!controller) return tl::unexpected(controller.error());
  PlantParameters parameters;
  parameters.delay = settings.delay;
  auto plant = Plant::make(chain, parameters);
  if (!plant) return tl::unexpected(plant.error());
  const VecXd zero = VecXd::Zero(chain->dof());
  return Loop{std::move(*controller), std::move(*plant), zero, zero, Reference(chain->dof())};
}

SimulatedArm::SimulatedArm(const ChainPtr& chain, const ArmSettings& settings, Loop main)
    : settings_(settings),
      main_(std::move(main)),
      velocity_limits_(velocity_limits(*chain)),
      filter_(chain, kTakingOver, velocity_limits_),
      wanted_(chain->dof()),
      now_(chain->dof()),
      goal_(VecXd::Zero(chain->dof())),
      way_(goal_),
      clip_(broken_drives(*chain)),
      gravity_(chain->gravity()),
      kinematics_(chain),
      jacobian_(6, chain->dof()),
      pull_torque_(VecXd::Zero(chain->dof())) {}

Result<SimulatedArm> SimulatedArm::make(const ChainPtr& chain, const ArmSettings& settings,
                                        const RigidBody& payload, const VecXd& posture) {
  if (!(settings.delay >= 0.0) || settings.delay > PredictorParameters().longest_delay) {
    return fail(fmt::format("the delay is {} s; give 0 to {} s", settings.delay,
                            PredictorParameters().longest_delay));
  }
  auto main = make_loop(chain, settings, posture);
  if (!main) return tl::unexpected(main.error());
  SimulatedArm out(chain, settings, std::move(*main));
  if (settings.compare && settings.delay > 0.0) {
    ArmSettings other = settings;
    other.predict = !settings.predict;
    auto beside = make_loop(chain, other, posture);
    if (!beside) return tl::unexpected(beside.error());
    out.beside_ = std::move(*beside);
  }
  auto solver = Solver::make(chain);
  if (!solver) return tl::unexpected(solver.error());
  solver->set_payload(payload);
  JointState rest(chain->dof());
  rest.q = posture;
  VecXd torque(chain->dof());
  Status status = solver->gravity_torque(rest.q, torque);
  out.rest_at(posture);
  out.set_payload(payload);
  if (status == Status::kOk) status = out.set_known_payload(payload);
  out.each([&](Loop& loop) {
    if (status == Status::kOk) status = out.start(loop, rest, torque);
  });
  if (status != Status::kOk) return fail(to_string(status));
  return out;
}

Status SimulatedArm::start(Loop& loop, const JointState& state, const VecXd& torque) noexcept {
  const Status status = loop.controller.activate(torque);
  if (status != Status::kOk) return status;
  return loop.plant.reset(state, loop.controller.output().torque);
}

Status SimulatedArm::take_over(const SimulatedArm& other) noexcept {
  wanted_ = other.wanted_;
  now_ = other.now_;
  filter_ = other.filter_;
  trajectory_ = other.trajectory_;
  goal_ = other.goal_;
  going_ = other.going_;
  start_ = other.start_ - other.main_.plant.time();
  before_ = other.time();
  pull_ = other.pull_;
  set_payload(other.payload_);
  Status status = set_known_payload(other.known_payload_);
  if (status == Status::kOk) status = set_gravity(other.gravity_);
  each([&](Loop& loop) {
    if (status == Status::kOk) {
      status = start(loop, other.main_.plant.state(), other.output().torque);
    }
  });
  if (status == Status::kOk && other.guided() && guidable()) status = guide(true);
  inject(other.breakage_, other.breakage_left_);
  return status;
}

void SimulatedArm::follow(TrajectoryPtr trajectory) noexcept {
  (void)guide(false);
  going_ = false;
  trajectory_ = std::move(trajectory);
  start_ = main_.plant.time();
  if (trajectory_) return;
  wanted_ = now_;
  wanted_.qd.setZero();
  wanted_.qdd.setZero();
}

// The reference is there.
void SimulatedArm::rest_at(const VecXd& q) noexcept {
  wanted_.q = q;
  wanted_.qd.setZero();
  wanted_.qdd.setZero();
  filter_.reset(wanted_);
  now_ = wanted_;
}

Status SimulatedArm::guide(bool on) noexcept {
  if (on == guided()) return Status::kOk;
  Status status = Status::kOk;
  each([&](Loop& loop) {
    if (status == Status::kOk) status = loop.controller.guide(on);
  });
  if (status != Status::kOk) return status;
  trajectory_.reset();
  going_ = false;
  if (state().finite()) rest_at(state().q);
  return status;
}

void SimulatedArm::push(const Wrench& wrench) noexcept {
  each([&](Loop& loop) { loop.plant.set_tip_wrench(wrench); });
}

void SimulatedArm::go_to(const VecXd& posture) noexcept {
  stop();
  goal_ = posture;
  going_ = true;
}

// What is wanted moves on by one period.
void SimulatedArm::approach() noexcept {
  constexpr double kSpeed = 0.5;  // of the limit
  joint_difference(chain(), goal_, wanted_.q, way_);
  going_ = false;
  for (Index i = 0; i < way_.size(); ++i) {
    const double most = kSpeed * kPeriod * velocity_limits_[i];
    going_ = going_ || std::abs(way_[i]) > most;
    wanted_.q[i] += std::clamp(way_[i], -most, most);
  }
}

void SimulatedArm::set_payload(const RigidBody& payload) noexcept {
  payload_ = payload;
  each([&](Loop& loop) { loop.plant.set_payload(payload); });
}

Status SimulatedArm::set_known_payload(const RigidBody& payload) noexcept {
  known_payload_ = payload;
  Status status = Status::kOk;
  each([&](Loop& loop) {
    if (status == Status::kOk) status = loop.controller.set_payload(payload);
  });
  return status;
}

Status SimulatedArm::set_gravity(const Vec3d& gravity) noexcept {
  gravity_ = gravity;
  Status status = Status::kOk;
  each([&](Loop& loop) {
    loop.plant.set_gravity(gravity);
    if (status == Status::kOk) status = loop.controller.set_gravity(gravity);
  });
  return status;
}

void SimulatedArm::inject(Breakage breakage, double duration) noexcept {
  constexpr std::array<Fault, 5> kFaults = {Fault::kNone, Fault::kStateNotFinite,
                                            Fault::kStateFrozen, Fault::kCommandLost, Fault::kNone};
  breakage_ = breakage;
  breakage_left_ = duration;
  each([&](Loop& loop) { loop.plant.set_fault(kFaults[static_cast<std::size_t>(breakage)]); });
}

void SimulatedArm::count_breakage() noexcept {
  if (breakage_left_ <= 0.0) return;
  breakage_left_ -= kPeriod;
  if (breakage_left_ <= 0.0) inject(Breakage::kNone, 0.0);
}

Status SimulatedArm::plan() noexcept {
  const double time = main_.plant.time() - start_;
  if (trajectory_) {
    const Status status = trajectory_->evaluate(time, wanted_.q, wanted_.qd, wanted_.qdd);
    if (status != Status::kOk) return status;
    if (time >= trajectory_->duration()) trajectory_.reset();
  }
  // Guided by hand, the arm is wanted where it is.
  const bool by_hand = guided() || entry_of(settings_.law).follows == Follows::kNothing;
  going_ = going_ && !by_hand;
  if (going_) approach();
  if (by_hand && state().finite()) rest_at(state().q);
  now_ = filter_.update(wanted_, kPeriod);
  return Status::kOk;
}

// F = k (target - x) - c ẋ, no more than the weight of the arm, as joint torques Jᵀ F.
void SimulatedArm::spring() noexcept {
  pull_torque_.setZero();
  pull_force_.setZero();
  const JointState& state = main_.plant.state();
  if (!pull_ || kinematics_.update(state.q) != Status::kOk) return;
  constexpr double kGravity = 9.81, kReach = 0.2, kTime = 0.1;  // m/s², share of the arm's, s
  const double most = kGravity * std::max(chain().total_mass(), 1e-3);
  const double stiffness = most / (kReach * std::max(chain().reach(), 1e-3));
  pulled_at_ = kinematics_.link_pose(pull_->link) * pull_->point;
  (void)kinematics_.jacobian(pull_->link, pulled_at_, jacobian_);
  const Vec3d speed = jacobian_.topRows<3>().lazyProduct(state.qd);
  pull_force_ = stiffness * (pull_->target - pulled_at_) - kTime * stiffness * speed;
  pull_force_ *= std::min(1.0, most / std::max(pull_force_.norm(), 1e-9));
  pull_torque_ = jacobian_.topRows<3>().transpose().lazyProduct(pull_force_);
}

// The law has given up what it followed; it begins anew from where the arm comes to rest.
void SimulatedArm::brake() noexcept {
  constexpr double kRest = 0.05;  // rad/s or m/s
  const JointState& measured = main_.plant.measured();
  if (!(measured.qd.cwiseAbs().maxCoeff() < kRest) || !measured.q.allFinite()) return;
  rest_at(measured.q);
  (void)main_.controller.activate(main_.controller.output().torque);
}

Status SimulatedArm::run(Loop& loop) noexcept {
  joint_difference(chain(), now_.q, loop.plant.state().q, loop.error);
  extrapolate(now_, loop.controller.lookahead(), loop.ahead);
  loop.torque =
      loop.controller.update(loop.plant.time(), loop.plant.measured(), loop.ahead, kPeriod).torque;
  if (breakage_ == Breakage::kEffortClipped) {
    loop.torque = loop.torque.cwiseMin(clip_).cwiseMax(-clip_);
  }
  const Status status = loop.plant.command(loop.torque);
  loop.plant.set_external_torque(pull_torque_);
  return status == Status::kOk ? loop.plant.step(kPeriod) : status;
}

Status SimulatedArm::act() noexcept {
  spring();
  const Status status = run(main_);
  const bool before = std::exchange(braked_, fault() != Status::kOk);
  if (braked_ && !before) stop();
  if (braked_) brake();
  if (beside_) {
    (void)run(*beside_);
    // Braked, it begins anew where the arm is.
    if (beside_->controller.supervisor().fault() != Status::kOk) {
      (void)start(*beside_, main_.plant.state(), output().torque);
      inject(breakage_, breakage_left_);
    }
  }
  count_breakage();
  return status;
}

}  // namespace dyn
