// Copyright 2026 The dyn developers
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

// What is received over ROS equals dyn_core's values to the last bit.
#include <algorithm>
#include <limits>

#include <dyn_core/inspect/inspector.hpp>
#include <dyn_msgs/eigen.hpp>
#include <dyn_msgs/msg/coriolis_matrix.hpp>
#include <dyn_msgs/msg/dh_chain.hpp>
#include <dyn_msgs/msg/diagonalized_dynamics.hpp>
#include <dyn_msgs/msg/inertia_power.hpp>
#include <dyn_msgs/msg/joint_dynamics.hpp>
#include <dyn_msgs/msg/mass_matrix.hpp>
#include <geometry_msgs/msg/wrench_stamped.hpp>

#include "node_fixture.hpp"

namespace dyn_ros::test {
namespace {

using dyn_msgs::to_eigen;

class Values : public NodeTest {
 protected:
  // q = 0.1 … 0.7, qd = 1 … 7, tau = 10 … 70, in shuffled order.
  sensor_msgs::msg::JointState moving_state() {
    auto message = state(shuffled_joints(), shuffled_positions());
    for (const double position : message.position) {
      message.velocity.push_back(10.0 * position);
      message.effort.push_back(100.0 * position);
    }
    return message;
  }

  template <class Message>
  void expect_header(const Message& message) const {
    EXPECT_EQ(message.header.frame_id, "base_link");
    EXPECT_EQ(message.joint_names, solver.chain().coordinate_names());
  }

  dyn::Solver solver = robot_solver("arm7");
  const sensor_msgs::msg::JointState sent = moving_state();
  // Computed as in moving_state(), for the same bits.
  const dyn::VecXd q = (dyn::VecXd(7) << 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7).finished();
  const dyn::VecXd qd = 10.0 * q;
  const dyn::VecXd tau = 100.0 * q;
};

TEST_F(Values, MassMatrix) {
  start_with("arm7");
  const Listener<dyn_msgs::msg::MassMatrix> listener(*user, "dynamics/mass_matrix");
  ASSERT_TRUE(answered(sent, listener));
  expect_header(listener.latest());
  EXPECT_EQ(listener.latest().algorithm, solver.algorithms().mass_matrix);
  dyn::MatXd M(7, 7);
  ASSERT_EQ(solver.mass_matrix(q, M), dyn::Status::kOk);
  EXPECT_EQ(to_eigen(listener.latest()), M);
}

TEST_F(Values, CoriolisMatrix) {
  start_with("arm7");
  const Listener<dyn_msgs::msg::CoriolisMatrix> listener(*user, "dynamics/coriolis_matrix");
  ASSERT_TRUE(answered(sent, listener));
  expect_header(listener.latest());
  EXPECT_EQ(listener.latest().algorithm, solver.algorithms().coriolis);
  dyn::MatXd C(7, 7);
  ASSERT_EQ(solver.coriolis_matrix(q, qd, C), dyn::Status::kOk);
  EXPECT_EQ(to_eigen(listener.latest()), C);
}

TEST_F(Values, JointDynamicsAndTorques) {
  start_with("arm7");
  const Listener<dyn_msgs::msg::JointDynamics> all(*user, "dynamics/joint_dynamics");
  const Listener<sensor_msgs::msg::JointState> gravity(*user, "dynamics/torque/gravity");
  const Listener<sensor_msgs::msg::JointState> coriolis(*user, "dynamics/torque/coriolis");
  ASSERT_TRUE(answered(sent, all));
  ASSERT_TRUE(answered(sent, gravity));
  ASSERT_TRUE(answered(sent, coriolis));
  auto inspector = dyn::inspect::Inspector::make(solver.chain_ptr()).value();
  dyn::inspect::JointDynamics expected(7);
  ASSERT_EQ(inspector.joint_dynamics(q, qd, expected), dyn::Status::kOk);
  const auto& message = all.latest();
  expect_header(message);
  EXPECT_EQ(message.gravity.z, -9.81);
  EXPECT_EQ(to_eigen(message.position), q);
  EXPECT_EQ(to_eigen(message.velocity), qd);
  EXPECT_EQ(to_eigen(message.effort), tau);
  EXPECT_EQ(to_eigen(message.gravity_torque), expected.gravity_torque);
  EXPECT_EQ(to_eigen(message.coriolis_torque), expected.coriolis_torque);
  EXPECT_EQ(to_eigen(message.friction_torque), expected.friction_torque);
  EXPECT_EQ(to_eigen(message.bias_torque), expected.bias_torque);
  EXPECT_EQ(message.kinetic_energy, expected.kinetic_energy);
  EXPECT_EQ(message.potential_energy, expected.potential_energy);
  for (const auto* torque : {&gravity, &coriolis}) {
    EXPECT_EQ(torque->latest().name, solver.chain().coordinate_names());
    EXPECT_EQ(torque->latest().header.frame_id, "base_link");
  }
  EXPECT_EQ(to_eigen(gravity.latest().effort), expected.gravity_torque);
  EXPECT_EQ(to_eigen(coriolis.latest().effort), expected.coriolis_torque);
}

// Held still for long: all that is left is what the efforts have beyond gravity.
TEST_F(Values, ResidualAndExternalWrench) {
  start_with("arm7", {rclcpp::Parameter("efforts.observer_gain", 1000.0)});
  const Listener<sensor_msgs::msg::JointState> residual(*user, "dynamics/residual");
  const Listener<geometry_msgs::msg::WrenchStamped> wrench(*user, "dynamics/external_wrench");
  dyn::VecXd gravity(7);
  ASSERT_EQ(solver.gravity_torque(q, gravity), dyn::Status::kOk);
  auto still = sent;
  std::ranges::fill(still.velocity, 0.0);
  rclcpp::Time stamp(sent.header.stamp);
  int looks = 0;
  ASSERT_TRUE(spin_until([&] {
    if (looks++ % 5 == 0) {  // the executor takes one message at a time
      stamp += rclcpp::Duration::from_seconds(0.05);
      still.header.stamp = stamp;
      joint_states->publish(still);
    }
    return residual.count() > 0 && wrench.count() > 0 &&
           (to_eigen(residual.latest().effort) - (tau - gravity)).norm() < 1e-9;
  }));
  EXPECT_EQ(residual.latest().name, solver.chain().coordinate_names());
  EXPECT_EQ(residual.latest().header.frame_id, "base_link");
  EXPECT_EQ(wrench.latest().header.frame_id, "tool0");
}

TEST_F(Values, Diagonalized) {
  start_with("arm7");
  const Listener<dyn_msgs::msg::DiagonalizedDynamics> listener(*user, "dynamics/diagonalized");
  ASSERT_TRUE(answered(sent, listener));
  dyn::Quasi expected(7);
  ASSERT_EQ(solver.quasi(q, qd, tau, expected), dyn::Status::kOk);
  const auto& message = listener.latest();
  expect_header(message);
  EXPECT_EQ(dyn_msgs::unit_upper_to_eigen(message), expected.U);
  EXPECT_EQ(to_eigen(message.diagonal), expected.D);
  EXPECT_EQ(to_eigen(message.scaling), expected.D.cwiseSqrt());
  EXPECT_EQ(to_eigen(message.nu), expected.nu);
  EXPECT_EQ(to_eigen(message.xi), expected.xi);
  EXPECT_EQ(to_eigen(message.coriolis_nu), expected.coriolis_nu);
  EXPECT_EQ(to_eigen(message.coriolis_xi), expected.coriolis_xi);
  EXPECT_EQ(to_eigen(message.gravity_nu), expected.gravity_nu);
  EXPECT_EQ(to_eigen(message.gravity_xi), expected.gravity_xi);
  EXPECT_EQ(to_eigen(message.epsilon), expected.epsilon);
  EXPECT_EQ(to_eigen(message.kappa), expected.kappa);
  EXPECT_EQ(to_eigen(message.diagonal_rate), expected.pivot_rate);
  EXPECT_EQ(to_eigen(message.mass_factor_rate, 7, 7), expected.mass_factor_rate);
  EXPECT_EQ(to_eigen(message.nu_rate), expected.nu_rate);
  EXPECT_EQ(to_eigen(message.xi_rate), expected.xi_rate);
}

TEST_F(Values, WithoutEffortsWhatNeedsThemIsEmpty) {
  start_with("arm7");
  const Listener<dyn_msgs::msg::DiagonalizedDynamics> quasi(*user, "dynamics/diagonalized");
  const Listener<dyn_msgs::msg::JointDynamics> dynamics(*user, "dynamics/joint_dynamics");
  auto message = sent;
  message.effort[3] = std::numeric_limits<double>::quiet_NaN();
  message.velocity[3] = std::numeric_limits<double>::quiet_NaN();
  ASSERT_TRUE(answered(message, quasi));
  ASSERT_TRUE(answered(message, dynamics));
  EXPECT_TRUE(quasi.latest().epsilon.empty());
  EXPECT_TRUE(quasi.latest().kappa.empty());
  EXPECT_TRUE(quasi.latest().nu_rate.empty());
  EXPECT_TRUE(quasi.latest().xi_rate.empty());
  EXPECT_EQ(quasi.latest().mass_factor_rate.size(), 49u);
  EXPECT_TRUE(dynamics.latest().effort.empty());
  EXPECT_EQ(dynamics.latest().velocity[0], 0.0) << "joint1's, which is not a number";
  EXPECT_EQ(dynamics.latest().velocity[1], qd[1]);
}

TEST_F(Values, InertiaPowerIsOffUntilItHasARate) {
  start_with("arm7");
  const Listener<dyn_msgs::msg::InertiaPower> listener(*user, "dynamics/inertia_power");
  const Listener<dyn_msgs::msg::MassMatrix> other(*user, "dynamics/mass_matrix");
  ASSERT_TRUE(answered(sent, other));
  EXPECT_EQ(listener.count(), 0u);
  node->set_parameter(rclcpp::Parameter("rates.inertia_power", 1000.0));
  ASSERT_TRUE(answered(sent, listener));
  expect_header(listener.latest());
  std::vector<dyn::MatXd> P(7, dyn::MatXd(7, 7));
  ASSERT_EQ(solver.inertia_power(q, P), dyn::Status::kOk);
  for (dyn::Index i = 0; i < 7; ++i) {
    EXPECT_EQ(dyn_msgs::inertia_power_to_eigen(listener.latest(), i),
              P[static_cast<std::size_t>(i)]);
  }
}

TEST_F(Values, TheTableAndTheReportReachLateJoiners) {
  start_with("arm7");
  const Listener<dyn_msgs::msg::DhChain> table(*user, "dynamics/dh_chain", latched());
  const Listener<dyn_msgs::msg::ModelReport> late(*user, "dynamics/model_report", latched());
  ASSERT_TRUE(spin_until([&] { return table.count() > 0 && late.count() > 0; }));
  const dyn::Chain& chain = solver.chain();
  ASSERT_EQ(table.latest().rows.size(), 7u);
  EXPECT_EQ(table.latest().tip_link, "tool0");
  for (std::size_t i = 0; i < 7; ++i) {
    const auto& row = table.latest().rows[i];
    EXPECT_EQ(row.joint_name, chain.joints()[i].name);
    EXPECT_EQ(row.coordinate_name, chain.joints()[i].name);
    EXPECT_EQ(row.multiplier, 1.0);
    EXPECT_EQ(row.a, chain.dh()[i].a);
    EXPECT_EQ(row.alpha, chain.dh()[i].alpha);
    EXPECT_EQ(row.beta, chain.dh()[i].beta);
    EXPECT_EQ(row.d, chain.dh()[i].d);
    EXPECT_EQ(row.theta, chain.dh()[i].theta);
  }
  EXPECT_EQ(late.latest().total_mass, chain.total_mass());
  EXPECT_EQ(late.latest().message, "ok");
  ASSERT_EQ(late.latest().links.size(), 7u);
  EXPECT_EQ(late.latest().links[6].inertia.m, chain.links()[6].body.mass);
}

}  // namespace
}  // namespace dyn_ros::test
