#include "dyn_core/control/guiding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "dyn_core/control/computed_torque.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "friction_share.hpp"

namespace dyn {
namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();

// The least inertia that a joint feels while the others are free, 1/(M⁻¹)_ii, over many postures.
Result<VecXd> least_inertia(Solver& solver) {
  constexpr std::uint64_t kSeed = 20261301;
  constexpr double kWork = 1e7;
  const Chain& chain = solver.chain();
  const auto n = static_cast<double>(chain.dof());
  const int postures = static_cast<int>(std::clamp(kWork / (n * n * n), 1.0, 200.0));
  Random random(kSeed);
  VecXd q(chain.dof()), out = VecXd::Constant(chain.dof(), kNowhere);
  MatXd M_inverse(chain.dof(), chain.dof());
  for (int k = 0; k < postures; ++k) {
    for (Index i = 0; i < chain.dof(); ++i) {
      const JointLimits& limits = chain.coordinate_joint(i).limits;
      q[i] = random.uniform(std::max(limits.lower, -std::numbers::pi),
                            std::min(limits.upper, std::numbers::pi));
    }
    const Status status = solver.mass_matrix_inverse(q, M_inverse);
    if (status != Status::kOk) {
      return fail(
          fmt::format("the mass matrix for the walls at the joint limits: {}; check the "
                      "inertias of the robot description",
                      to_string(status)));
    }
    out = out.cwiseMin(M_inverse.diagonal().cwiseInverse());
  }
  return out;
}

// -k x - d ẋ at one end of a joint, x > 0 inside the wall, which does not pull.
double push(double x, double rate, double stiffness, double damping) {
  return x > 0.0 ? std::min(-stiffness * x - damping * rate, 0.0) : 0.0;
}

}  // namespace

GuidingParameters::GuidingParameters(const Chain& chain)
    : damping(VecXd::Zero(chain.dof())), wall_margin(damping) {
  constexpr double kTurn = 0.1, kWay = 0.02, kShare = 0.1;
  for (Index i = 0; i < chain.dof(); ++i) {
    const Joint& joint = chain.coordinate_joint(i);
    wall_margin[i] = joint.type == JointType::kPrismatic ? kWay : kTurn;
    const double effort = joint.limits.effort, velocity = joint.limits.velocity;
    if (effort > 0.0 && velocity > 0.0 && std::isfinite(effort)) {
      damping[i] = kShare * effort / velocity;
    }
  }
}

JointWalls::JointWalls(Index dof)
    : lower(VecXd::Constant(dof, -kNowhere)),
      upper(-lower),
      stiffness(VecXd::Zero(dof)),
      wall_damping(stiffness),
      damping(stiffness) {}

Result<JointWalls> make_walls(Solver& solver, const GuidingParameters& parameters,
                              const VecXd& effort, double fastest) {
  Result<VecXd> inertia = least_inertia(solver);
  if (!inertia) return tl::unexpected(inertia.error());
  const Chain& chain = solver.chain();
  JointWalls out(chain.dof());
  for (Index i = 0; i < chain.dof(); ++i) {
    const JointLimits& limits = chain.coordinate_joint(i).limits;
    const double m = (*inertia)[i];
    out.damping[i] = std::min(parameters.damping[i], m * fastest);
    const double margin = std::min(parameters.wall_margin[i], 0.4 * (limits.upper - limits.lower));
    if (!(margin > 0.0)) continue;
    out.lower[i] = limits.lower + margin;
    out.upper[i] = limits.upper - margin;
    out.stiffness[i] = std::min(0.5 * effort[i] / margin, 0.25 * m * fastest * fastest);
    out.wall_damping[i] = std::min(2.0 * std::sqrt(out.stiffness[i] * m), m * fastest);
  }
  return out;
}

void JointWalls::add(const JointState& state, VecXd& torque) const noexcept {
  for (Index i = 0; i < damping.size(); ++i) {
    const double q = state.q[i], qd = state.qd[i];
    torque[i] += push(q - upper[i], qd, stiffness[i], wall_damping[i]) -
                 push(lower[i] - q, -qd, stiffness[i], wall_damping[i]) - damping[i] * qd;
  }
}

double JointWalls::stored(const JointState& state) const noexcept {
  double energy = 0.0;
  for (Index i = 0; i < damping.size(); ++i) {
    const double x = std::max({state.q[i] - upper[i], lower[i] - state.q[i], 0.0});
    energy += 0.5 * stiffness[i] * x * x;
  }
  return energy;
}

Status ControlLaw::guide(bool on) noexcept {
  if (on && !parameters_.guidable) return Status::kUnsupported;
  if (on == guided_) return Status::kOk;
  guided_ = on;
  z_.setZero();
  output_.position_error.setZero();
  output_.velocity_error.setZero();
  output_.integral.setZero();
  output_.tip = {};
  paid_.setZero();
  tank_ = parameters_.task.tank;
  handover_pending_ = true;
  return Status::kOk;
}

// (2), with M in M_.
void ControlLaw::coriolis_without_power(const VecXd& qd) noexcept {
  VecXd& coriolis = output_.terms.coriolis;
  a_.noalias() = M_ * qd;
  const double energy = qd.dot(a_);
  if (energy > 0.0) coriolis -= (qd.dot(coriolis) / energy) * a_;
}

// (3).
void ControlLaw::assist(const VecXd& qd) noexcept {
  if (!parameters_.friction || solver_.friction_torque(qd, output_.terms.friction) != Status::kOk) {
    return;
  }
  const GuidingParameters& guiding = parameters_.guiding;
  for (Index i = 0; i < qd.size(); ++i) {
    output_.terms.friction[i] *= guiding.friction_share * faded(qd[i], guiding.assist_speed);
  }
}

// (1) to (4).
Status ControlLaw::carry_by_hand(const JointState& state) noexcept {
  TorqueTerms& terms = output_.terms;
  const VecXd& qd = state.qd;
  Status status = solver_.mass_matrix(state.q, M_);
  if (status == Status::kOk) status = solver_.coriolis_torque(state.q, qd, terms.coriolis);
  if (status != Status::kOk) return status;
  coriolis_without_power(qd);
  assist(qd);
  terms.feedback.setZero();
  walls_.add(state, terms.feedback);
  return gravity(state.q);
}

}  // namespace dyn
