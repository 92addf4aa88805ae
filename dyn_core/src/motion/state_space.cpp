#include "state_space.hpp"

#include <algorithm>
#include <cmath>

namespace dyn {

StateSpace::StateSpace(ChainPtr chain, Solver solver, const SimulationOptions& options,
                       const TorqueInput& torques)
    : solver_(std::move(solver)),
      kinematics_(std::move(chain)),
      torques_(&torques),
      velocities_(options.velocities),
      friction_(options.friction),
      joint_stops_(options.joint_stops),
      stop_frequency_(options.stop_frequency),
      wrench_(options.tip_wrench),
      q_(VecXd::Zero(solver_.dof())),
      qd_(q_),
      v_(q_),
      tau_(q_),
      total_(q_),
      scratch_(q_),
      factor_(dof(), dof()),
      jacobian_(6, dof()),
      pivots_(q_),
      quasi_(dof()) {
  if (velocities_ != Velocities::kJoint) return;
  solver_.set_friction(friction_);
  solver_.set_tip_wrench(wrench_);
}

bool StateSpace::check(Status status, const char* what) {
  if (status != Status::kOk) failure_ = what;
  return status == Status::kOk;
}

bool StateSpace::start(const VecXd& q0, const VecXd& qd0, State& x) {
  q_ = q0;
  qd_ = v_ = qd0;
  if (velocities_ != Velocities::kJoint) {
    if (!check(solver_.factor(q_, factor_, pivots_), "the mass matrix is not positive definite"))
      return false;
    v_.noalias() = factor_.transpose() * qd_;
    if (velocities_ == Velocities::kNormalized) v_.array() *= pivots_.array().sqrt();
  }
  x.assign(q_.begin(), q_.end());
  x.insert(x.end(), v_.begin(), v_.end());
  return !joint_stops_ || place_stops(q0);
}

bool StateSpace::place_stops(const VecXd& q0) {
  MatXd M(dof(), dof());
  if (!check(solver_.mass_matrix(q0, M), "the mass matrix is not finite")) return false;
  stops_.clear();
  for (Index i = 0; i < dof(); ++i) {
    const JointLimits& limits = chain().coordinate_joint(i).limits;
    stops_.push_back({limits.lower, limits.upper, M(i, i) * stop_frequency_ * stop_frequency_,
                      2.0 * M(i, i) * stop_frequency_});
  }
  return true;
}

// q, the velocities and q̇ of a state.
bool StateSpace::read(const State& x) {
  q_ = Eigen::Map<const VecXd>(x.data(), dof());
  v_ = Eigen::Map<const VecXd>(x.data() + dof(), dof());
  qd_ = v_;
  if (velocities_ == Velocities::kJoint) return true;
  if (!check(solver_.factor(q_, factor_, pivots_), "the mass matrix is not positive definite"))
    return false;
  if (velocities_ == Velocities::kNormalized) qd_.array() /= pivots_.array().sqrt();
  for (Index i = 1; i < dof(); ++i) qd_[i] -= factor_.col(i).head(i).dot(qd_.head(i));
  return true;
}

bool StateSpace::apply_torques(double time) {
  tau_.setZero();
  if (*torques_ && !check((*torques_)(time, q_, qd_, tau_), "the torques cannot be computed")) {
    return false;
  }
  for (Index i = 0; i < dof(); ++i) {
    if (std::isfinite(tau_[i])) continue;
    failure_ = "the torque of joint '" + chain().coordinate_joint(i).name + "' is not finite";
    return false;
  }
  total_ = tau_;
  add_stops();
  return true;
}

// A stop pushes back and never pulls.
void StateSpace::add_stops() {
  for (std::size_t i = 0; i < stops_.size(); ++i) {
    const auto k = static_cast<Index>(i);
    const Stop& stop = stops_[i];
    const double above = q_[k] - stop.upper, below = stop.lower - q_[k];
    if (above > 0.0) total_[k] -= std::max(0.0, stop.stiffness * above + stop.damping * qd_[k]);
    if (below > 0.0) total_[k] += std::max(0.0, stop.stiffness * below - stop.damping * qd_[k]);
  }
}

// Joint velocities leave these to the solver.
void StateSpace::add_friction_and_wrench() {
  if (friction_) {
    (void)solver_.friction_torque(qd_, scratch_);  // the size is right
    total_ -= scratch_;
  }
  (void)kinematics_.update(q_);
  (void)kinematics_.jacobian(jacobian_);
  total_.noalias() += jacobian_.topRows<3>().transpose() * wrench_.force;
  total_.noalias() += jacobian_.bottomRows<3>().transpose() * wrench_.torque;
}

bool StateSpace::diagonalized_rate(VecOut<double> rate) {
  add_friction_and_wrench();
  if (!check(solver_.quasi(q_, qd_, total_, quasi_),
             "the diagonalized equations cannot be solved")) {
    return false;
  }
  rate = velocities_ == Velocities::kNormalized ? quasi_.nu_rate : quasi_.xi_rate;
  return true;
}

bool StateSpace::rate(double time, const State& x, State& dxdt) {
  ++evaluations_;
  if (!read(x) || !apply_torques(time)) return false;
  Eigen::Map<VecXd>(dxdt.data(), dof()) = qd_;
  Eigen::Map<VecXd> velocity_rate(dxdt.data() + dof(), dof());
  if (velocities_ != Velocities::kJoint) return diagonalized_rate(velocity_rate);
  const Status status = solver_.forward_dynamics(q_, qd_, total_, velocity_rate);
  return check(status, status == Status::kSingular ? "the mass matrix is not positive definite"
                                                   : "the accelerations are not finite");
}

bool StateSpace::drift(double step, State& x) {
  if (!read(x)) return false;
  Eigen::Map<VecXd>(x.data(), dof()) += step * qd_;
  return true;
}

bool StateSpace::observe(double time, const State& x) {
  if (!read(x) || !apply_torques(time)) return false;
  Status status = Status::kOk;
  switch (velocities_) {
    case Velocities::kJoint:
      status = solver_.kinetic_energy(q_, qd_, kinetic_);
      break;
    case Velocities::kNormalized:
      kinetic_ = 0.5 * v_.squaredNorm();
      break;
    case Velocities::kUnnormalized:
      kinetic_ = 0.5 * v_.cwiseAbs2().dot(pivots_);
      break;
  }
  return check(status, "the kinetic energy is not finite") &&
         check(solver_.potential_energy(q_, potential_), "the potential energy is not finite");
}

}  // namespace dyn
