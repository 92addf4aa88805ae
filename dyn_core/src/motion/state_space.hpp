// The equations of motion as ẋ = f(t, x) with x = (positions, velocities), in each kind of velocities.
#pragma once

#include <string>
#include <vector>

#include "dyn_core/motion/simulate.hpp"
#include "dyn_core/robot/kinematics.hpp"

namespace dyn {

using State = std::vector<double>;

class StateSpace {
 public:
  /// `torques` must outlive this.
  StateSpace(ChainPtr chain, Solver solver, const SimulationOptions& options,
             const TorqueInput& torques);

  [[nodiscard]] Index dof() const { return q_.size(); }
  [[nodiscard]] const Chain& chain() const { return solver_.chain(); }
  [[nodiscard]] Index evaluations() const { return evaluations_; }
  /// Why the last query returned false.
  [[nodiscard]] const std::string& failure() const { return failure_; }

  [[nodiscard]] bool start(const VecXd& q0, const VecXd& qd0, State& x);
  /// ẋ; false where it does not exist.
  [[nodiscard]] bool rate(double time, const State& x, State& dxdt);
  /// Moves the positions in x on by `step` with the velocities in x.
  [[nodiscard]] bool drift(double step, State& x);
  /// Positions, joint velocities, torques and energies of x, to be read below.
  [[nodiscard]] bool observe(double time, const State& x);

  [[nodiscard]] const VecXd& q() const { return q_; }
  [[nodiscard]] const VecXd& qd() const { return qd_; }
  [[nodiscard]] const VecXd& tau() const { return tau_; }
  [[nodiscard]] double kinetic_energy() const { return kinetic_; }
  [[nodiscard]] double potential_energy() const { return potential_; }

 private:
  struct Stop {
    double lower, upper, stiffness, damping;
  };

  [[nodiscard]] bool check(Status status, const char* what);
  [[nodiscard]] bool place_stops(const VecXd& q0);
  [[nodiscard]] bool read(const State& x);
  [[nodiscard]] bool apply_torques(double time);
  [[nodiscard]] bool diagonalized_rate(VecOut<double> rate);
  void add_stops();
  void add_friction_and_wrench();

  Solver solver_;
  Kinematics<double> kinematics_;
  const TorqueInput* torques_;
  Velocities velocities_;
  bool friction_, joint_stops_;
  double stop_frequency_;
  Wrench wrench_;
  std::vector<Stop> stops_;

  VecXd q_, qd_, v_, tau_, total_, scratch_;
  MatXd factor_, jacobian_;
  VecXd pivots_;
  Quasi quasi_;
  double kinetic_ = 0.0, potential_ = 0.0;
  Index evaluations_ = 0;
  std::string failure_;
};

}  // namespace dyn
