#include "dyn_core/inspect/inspector.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/SVD>
#include <fmt/format.h>

namespace dyn::inspect {

JointDynamics::JointDynamics(Index dof)
    : gravity_torque(VecXd::Zero(dof)),
      coriolis_torque(gravity_torque),
      friction_torque(gravity_torque),
      bias_torque(gravity_torque) {}

Snapshot::Snapshot(Index dof)
    : joint_dynamics(dof),
      mass_matrix(MatXd::Zero(dof, dof)),
      mass_matrix_inverse(mass_matrix),
      U(mass_matrix),
      coriolis_matrix(mass_matrix),
      D(VecXd::Zero(dof)),
      jacobian(MatXd::Zero(6, dof)) {}

Inspector::Inspector(Solver solver, ChainPtr chain)
    : solver_(std::move(solver)), kinematics_(chain), gravity_(chain->gravity()) {}

Result<Inspector> Inspector::make(ChainPtr chain, const Algorithms& algorithms) {
  constexpr Index kMostJoints = 200;  // the inertia power array of these is 64 MB
  if (chain && chain->joint_count() > kMostJoints) {
    return fail(
        fmt::format("the chain from '{}' to '{}' has {} moving joints, more than the {} that are "
                    "answered for on the graph; choose other ends or lock joints",
                    chain->base(), chain->tip(), chain->joint_count(), kMostJoints));
  }
  auto solver = Solver::make(chain, algorithms, Inertia::kIfThere);
  if (!solver) return tl::unexpected(solver.error());
  return Inspector(std::move(*solver), std::move(chain));
}

void Inspector::set_payload(const RigidBody& payload) noexcept {
  payload_ = payload;
  solver_.set_payload(payload);
}

void Inspector::set_gravity(const Vec3d& gravity) noexcept {
  gravity_ = gravity;
  solver_.set_gravity(gravity);
}

Status Inspector::joint_dynamics(VecIn<double> q, VecIn<double> qd, JointDynamics& out) noexcept {
  Status status = solver_.gravity_torque(q, out.gravity_torque);
  if (status == Status::kOk) status = solver_.coriolis_torque(q, qd, out.coriolis_torque);
  if (status == Status::kOk) status = solver_.friction_torque(qd, out.friction_torque);
  if (status == Status::kOk) status = solver_.kinetic_energy(q, qd, out.kinetic_energy);
  if (status == Status::kOk) status = solver_.potential_energy(q, out.potential_energy);
  if (status != Status::kOk) return status;
  out.bias_torque = out.gravity_torque + out.coriolis_torque + out.friction_torque;
  return Status::kOk;
}

Status Inspector::condition_number(const VecXd& q, double& out) {
  MatXd M(solver_.dof(), solver_.dof());
  if (const Status status = solver_.mass_matrix(q, M); status != Status::kOk) return status;
  const VecXd singular = M.jacobiSvd().singularValues();
  out = singular[0] / singular[singular.size() - 1];
  return Status::kOk;
}

Status Inspector::snapshot(const VecXd& q, const VecXd& qd, Snapshot& out) {
  Status status = joint_dynamics(q, qd, out.joint_dynamics);
  if (status == Status::kOk) status = solver_.mass_matrix(q, out.mass_matrix);
  if (status == Status::kOk) status = solver_.mass_matrix_inverse(q, out.mass_matrix_inverse);
  if (status == Status::kOk) status = solver_.factor(q, out.U, out.D);
  if (status == Status::kOk) status = solver_.coriolis_matrix(q, qd, out.coriolis_matrix);
  if (status == Status::kOk) status = condition_number(q, out.condition_number);
  if (status == Status::kOk) status = kinematics_.update(q);
  if (status == Status::kOk) status = kinematics_.jacobian(out.jacobian);
  if (status != Status::kOk) return status;
  out.tip_pose = kinematics_.tip_pose();
  out.manipulability = manipulability(chain(), out.jacobian);
  return Status::kOk;
}

Status Inspector::add_point(double time, const JointState& state, const VecXd& torque,
                            Motion& motion) {
  VecXd acceleration(solver_.dof());
  double kinetic = 0.0, potential = 0.0;
  Status status = solver_.forward_dynamics(state.q, state.qd, torque, acceleration);
  if (status == Status::kOk) status = solver_.kinetic_energy(state.q, state.qd, kinetic);
  if (status == Status::kOk) status = solver_.potential_energy(state.q, potential);
  if (status != Status::kOk) return status;
  motion.times.push_back(time);
  motion.states.push_back(state);
  motion.accelerations.push_back(acceleration);
  motion.energies.push_back(kinetic + potential);
  return Status::kOk;
}

namespace {

// A prediction keeps whoever asks for it waiting: its length is bounded before it begins.
Result<void> check_motion(const MotionOptions& options, Index dof) {
  const auto most = static_cast<double>(std::max<Index>(kMotionWork / dof, 1));
  if (!std::isfinite(options.duration) || options.duration <= 0.0) {
    return fail(fmt::format("the duration is {} s; give a positive one", options.duration));
  }
  if (options.duration > most * options.max_step) {
    return fail(
        fmt::format("a motion of {} s is too long to predict in steps of {} s; give at most "
                    "{} s",
                    options.duration, options.max_step, most * options.max_step));
  }
  if (!std::isfinite(options.step) || options.step <= 0.0 ||
      options.duration / options.step > most) {
    return fail(
        fmt::format("a step of {} s in {} s makes no sense; give one that leads to at most "
                    "{} points",
                    options.step, options.duration, most + 1.0));
  }
  return {};
}

}  // namespace

Result<Motion> Inspector::predict(const JointState& start, const VecXd& torque,
                                  const MotionOptions& options) {
  if (!chain().has_dynamics()) return fail(chain().objection_to_dynamics());
  if (auto checked = check_motion(options, solver_.dof()); !checked)
    return tl::unexpected(checked.error());
  auto solver = Solver::make(solver_.chain_ptr(), solver_.algorithms());
  if (!solver) return tl::unexpected(solver.error());
  solver->set_payload(payload_);
  solver->set_gravity(gravity_);
  Stepper stepper(std::move(*solver),
                  {.friction = options.friction ? Friction::kFull : Friction::kNone,
                   .stops = options.joint_stops,
                   .max_step = options.max_step});
  Motion motion;
  JointState state = start;
  motion.status = add_point(0.0, state, torque, motion);
  const auto points = static_cast<Index>(std::ceil(options.duration / options.step - 1e-9));
  double time = 0.0;
  for (Index k = 1; k <= points && motion.status == Status::kOk; ++k) {
    const double next = k == points ? options.duration : static_cast<double>(k) * options.step;
    motion.status = stepper.advance(state, torque, next - time);
    if (motion.status == Status::kOk) motion.status = add_point(next, state, torque, motion);
    time = next;
  }
  return motion;
}

Status Inspector::inverse_dynamics(const JointState& state, const VecXd& acceleration,
                                   const Wrench& wrench, bool friction, VecXd& torque) {
  solver_.set_tip_wrench(wrench);
  solver_.set_friction(friction);
  const Status status = solver_.inverse_dynamics(state.q, state.qd, acceleration, torque);
  solver_.set_tip_wrench({});
  solver_.set_friction(false);
  return status;
}

Status Inspector::forward_dynamics(const JointState& state, const VecXd& torque,
                                   const Wrench& wrench, bool friction, VecXd& acceleration) {
  solver_.set_tip_wrench(wrench);
  solver_.set_friction(friction);
  const Status status = solver_.forward_dynamics(state.q, state.qd, torque, acceleration);
  solver_.set_tip_wrench({});
  solver_.set_friction(false);
  return status;
}

}  // namespace dyn::inspect
