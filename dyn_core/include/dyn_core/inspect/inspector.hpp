// Inspector: everything one may want to know about a chain in one state, for topics and services.
#pragma once

#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/stepper.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/solver.hpp"

namespace dyn::inspect {

/// The torques of one state by term, and its energies.
struct DYN_CORE_EXPORT JointDynamics {
  VecXd gravity_torque, coriolis_torque, friction_torque;
  VecXd bias_torque;  ///< the sum of the three
  double kinetic_energy = 0.0, potential_energy = 0.0;

  explicit JointDynamics(Index dof);
};

/// Every quantity of one state that a service answers with.
struct DYN_CORE_EXPORT Snapshot {
  JointDynamics joint_dynamics;
  MatXd mass_matrix, mass_matrix_inverse, U, coriolis_matrix;
  VecXd D;
  double condition_number = 0.0;  ///< of the mass matrix
  Posed tip_pose;                 ///< in the base link frame
  MatXd jacobian;                 ///< 6 x dof: linear, then angular
  double manipulability = 0.0;

  explicit Snapshot(Index dof);
};

struct MotionOptions {
  double duration = 0.5;   ///< s
  double step = 0.02;      ///< s between two points
  double max_step = 1e-3;  ///< of integration, s
  bool friction = false, joint_stops = false;
};

/// A motion under constant torques, at 0, step, 2 step, … and at the duration.
struct Motion {
  std::vector<double> times;
  std::vector<JointState> states;
  std::vector<VecXd> accelerations;  ///< of the frictionless arm under the torques
  std::vector<double> energies;      ///< kinetic and potential, J
  Status status = Status::kOk;       ///< why it ends before the duration
};

/// A path to go along as fast as the limits allow.
struct TimingRequest {
  std::vector<VecXd> path;              ///< postures, joined by a natural spline
  double velocity = 0.0, effort = 0.0;  ///< shares of the chain's limits; zero: all
  VecXd acceleration;                   ///< rad/s² or m/s²; empty: any
  double step = 0.0;                    ///< s between two points of the answer; zero: 0.01
};

/// At even times, and at the end.
struct TimedMotion {
  double duration = 0.0;  ///< s
  std::vector<double> times;
  std::vector<VecXd> q, qd, qdd, torque;  ///< with friction
};

/// The most steps that a prediction may take, of integration and from point to point, times the joints:
/// 10 s of an arm with seven joints.
inline constexpr Index kMotionWork = 70000;

class DYN_CORE_EXPORT Inspector {
 public:
  [[nodiscard]] static Result<Inspector> make(ChainPtr chain, const Algorithms& algorithms = {});

  [[nodiscard]] Solver& solver() noexcept { return solver_; }
  [[nodiscard]] const Chain& chain() const { return solver_.chain(); }
  [[nodiscard]] const ChainPtr& chain_ptr() const { return solver_.chain_ptr(); }
  [[nodiscard]] const Algorithms& algorithms() const { return solver_.algorithms(); }
  [[nodiscard]] Kinematics<double>& kinematics() noexcept { return kinematics_; }

  void set_payload(const RigidBody& payload) noexcept;
  void set_gravity(const Vec3d& gravity) noexcept;
  [[nodiscard]] const RigidBody& payload() const noexcept { return payload_; }
  [[nodiscard]] const Vec3d& gravity() const noexcept { return gravity_; }

  /// Allocates nothing.
  Status joint_dynamics(VecIn<double> q, VecIn<double> qd, JointDynamics& out) noexcept;

  // The following allocate.

  [[nodiscard]] Status snapshot(const VecXd& q, const VecXd& qd, Snapshot& out);
  /// Ratio of the largest to the smallest singular value of the mass matrix.
  [[nodiscard]] Status condition_number(const VecXd& q, double& out);
  /// The error names the option that makes no sense, or a motion too long for kMotionWork.
  [[nodiscard]] Result<Motion> predict(const JointState& start, const VecXd& torque,
                                       const MotionOptions& options);
  /// Under payload and gravity; the error names what is wrong with the request.
  [[nodiscard]] Result<TimedMotion> time_path(const TimingRequest& request) const;
  /// With a wrench at the tip and with or without friction, for this call only.
  [[nodiscard]] Status inverse_dynamics(const JointState& state, const VecXd& acceleration,
                                        const Wrench& wrench, bool friction, VecXd& torque);
  [[nodiscard]] Status forward_dynamics(const JointState& state, const VecXd& torque,
                                        const Wrench& wrench, bool friction, VecXd& acceleration);

 private:
  Inspector(Solver solver, ChainPtr chain);
  [[nodiscard]] Status add_point(double time, const JointState& state, const VecXd& torque,
                                 Motion& motion);

  Solver solver_;
  Kinematics<double> kinematics_;
  RigidBody payload_;
  Vec3d gravity_;
};

}  // namespace dyn::inspect
