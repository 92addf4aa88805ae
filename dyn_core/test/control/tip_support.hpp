// What the tests of the laws at the tip share.
#pragma once

#include <algorithm>

#include "control_support.hpp"

namespace dyn::test {

/// The tip of an arm and its accelerations, beside the law's own.
struct Tip {
  explicit Tip(const ChainPtr& chain)
      : kinematics(chain), solver(solver_of(chain)), J(MatXd::Zero(6, chain->dof())) {}

  // The acceleration of the tip under `torque`, by forward dynamics.
  Vec6<double> acceleration(const JointState& state, const VecXd& torque) {
    move_to(state.q);
    VecXd qdd(state.q.size());
    Vec6<double> drift;
    EXPECT_EQ(solver.forward_dynamics(state.q, state.qd, torque, qdd), Status::kOk);
    const Index last = kinematics.chain().joint_count() - 1;
    EXPECT_EQ(kinematics.jacobian_rate_times_velocity(state.qd, last, pose().p, drift),
              Status::kOk);
    return J * qdd + drift;
  }
  void move_to(const VecXd& q) {
    EXPECT_EQ(kinematics.update(q), Status::kOk);
    EXPECT_EQ(kinematics.jacobian(J), Status::kOk);
  }
  [[nodiscard]] Posed pose() const { return kinematics.tip_pose(); }

  Kinematics<double> kinematics;
  Solver solver;
  MatXd J;
};

/// Far from singular postures.
inline VecXd bent_elbow() {
  VecXd q(7);
  q << 0.0, 0.4, 0.0, 1.2, 0.0, 0.9, 0.0;
  return q;
}

/// A controller and its arm, without delay.
struct TipLoop {
  TipLoop(const ChainPtr& chain, const ControllerParameters& parameters,
          const PlantParameters& plant_parameters = {})
      : tip(chain),
        controller(take(Controller::make(chain, parameters))),
        plant(take(Plant::make(chain, plant_parameters))),
        effort(parameters.law.limits.effort) {}

  void start(const VecXd& q) {
    JointState state(q.size());
    state.q = q;
    VecXd torque(q.size());
    ASSERT_EQ(tip.solver.gravity_torque(q, torque), Status::kOk);
    ASSERT_EQ(controller.activate(torque), Status::kOk);
    ASSERT_EQ(plant.reset(state, torque), Status::kOk);
    before = torque;
  }

  // One period; the largest share of its effort that a joint's torque has moved by, and reached.
  void period(const Reference& reference) {
    const ControlOutput& out = controller.update(plant.time(), plant.measured(), reference, 1e-3);
    ASSERT_TRUE(out.torque.allFinite());
    ASSERT_EQ(out.mode, ControlMode::kTracking)
        << to_string(out.status) << " at " << plant.time() << " s, joint "
        << controller.supervisor().joint() << ", velocities " << plant.state().qd.transpose();
    step = std::max(step, (out.torque - before).cwiseQuotient(effort).cwiseAbs().maxCoeff());
    most = std::max(most, out.torque.cwiseQuotient(effort).cwiseAbs().maxCoeff());
    before = out.torque;
    ASSERT_EQ(plant.command(out.torque), Status::kOk);
    ASSERT_EQ(plant.step(1e-3), Status::kOk);
  }

  Posed pose() {
    tip.move_to(plant.state().q);
    return tip.pose();
  }

  Tip tip;
  Controller controller;
  Plant plant;
  VecXd effort, before;
  double step = 0.0, most = 0.0;
};

inline ControllerParameters parameters_at_tip(const Chain& chain, Law law) {
  ControllerParameters out(chain);
  out.law.law = law;
  return out;
}

}  // namespace dyn::test
