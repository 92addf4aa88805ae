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

// Services answer from the latest or a given state, and say what is wrong.
#include <limits>

#include <dyn_core/inspect/inspector.hpp>
#include <dyn_msgs/eigen.hpp>
#include <dyn_msgs/msg/joint_dynamics.hpp>
#include <dyn_msgs/srv/forward_dynamics.hpp>
#include <dyn_msgs/srv/get_dynamics.hpp>
#include <dyn_msgs/srv/identify_payload.hpp>
#include <dyn_msgs/srv/inverse_dynamics.hpp>
#include <dyn_msgs/srv/predict_motion.hpp>
#include <dyn_msgs/srv/set_gravity.hpp>
#include <dyn_msgs/srv/set_payload.hpp>
#include <dyn_msgs/srv/time_trajectory.hpp>

#include "node_fixture.hpp"

namespace dyn_ros::test {
namespace {

using dyn_msgs::from_eigen;
using dyn_msgs::to_eigen;
using dyn_msgs::srv::ForwardDynamics;
using dyn_msgs::srv::GetDynamics;
using dyn_msgs::srv::IdentifyPayload;
using dyn_msgs::srv::InverseDynamics;
using dyn_msgs::srv::PredictMotion;
using dyn_msgs::srv::SetGravity;
using dyn_msgs::srv::SetPayload;
using dyn_msgs::srv::TimeTrajectory;

class ServiceCalls : public NodeTest {
 protected:
  ServiceCalls() { from_eigen(q, positions); }

  // The node has a joint state with efforts; its stamp.
  builtin_interfaces::msg::Time send_state() {
    const Listener<dyn_msgs::msg::JointDynamics> listener(*user, "dynamics/joint_dynamics");
    auto message = state(solver.chain().coordinate_names(), positions);
    message.velocity = positions;
    message.effort = positions;
    EXPECT_TRUE(answered(message, listener));
    return message.header.stamp;
  }
  static void expect_mistake(bool success, const std::string& message, const std::string& part) {
    EXPECT_FALSE(success);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }

  dyn::Solver solver = robot_solver("arm7");
  const dyn::VecXd q = ordered_positions();
  std::vector<double> positions;
};

TEST_F(ServiceCalls, GetDynamicsOfAGivenState) {
  start_with("arm7");
  GetDynamics::Request request;
  request.position = positions;
  request.velocity = positions;
  const auto response = call<GetDynamics>("get_dynamics", request);
  ASSERT_TRUE(response.success) << response.message;
  EXPECT_EQ(response.message, "ok");
  EXPECT_EQ(response.header.stamp, builtin_interfaces::msg::Time());
  EXPECT_EQ(response.header.frame_id, "base_link");
  auto inspector = dyn::inspect::Inspector::make(solver.chain_ptr()).value();
  dyn::inspect::Snapshot all(7);
  ASSERT_EQ(inspector.snapshot(q, q, all), dyn::Status::kOk);
  EXPECT_EQ(to_eigen(response.mass_matrix, 7, 7), all.mass_matrix);
  EXPECT_EQ(to_eigen(response.mass_matrix_inverse, 7, 7), all.mass_matrix_inverse);
  EXPECT_EQ(to_eigen(response.unit_upper, 7, 7), all.U);
  EXPECT_EQ(to_eigen(response.diagonal), all.D);
  EXPECT_EQ(to_eigen(response.coriolis_matrix, 7, 7), all.coriolis_matrix);
  EXPECT_EQ(to_eigen(response.bias_torque), all.joint_dynamics.bias_torque);
  EXPECT_EQ(to_eigen(response.jacobian, 6, 7), all.jacobian);
  EXPECT_EQ(response.tip_pose.position.x, all.tip_pose.p.x());
  EXPECT_EQ(response.condition_number, all.condition_number);
  EXPECT_EQ(response.manipulability, all.manipulability);
}

TEST_F(ServiceCalls, TheLatestStateStandsIn) {
  start_with("arm7", {rclcpp::Parameter("joint_state_timeout", 0.0)});
  const auto stamp = send_state();
  const auto all = call<GetDynamics>("get_dynamics");
  ASSERT_TRUE(all.success) << all.message;
  EXPECT_EQ(all.header.stamp, stamp);
  EXPECT_EQ(to_eigen(all.position), q);
  const auto forward = call<ForwardDynamics>("forward_dynamics");
  ASSERT_TRUE(forward.success) << forward.message;
  dyn::VecXd qdd(7);
  ASSERT_EQ(solver.forward_dynamics(q, q, q, qdd), dyn::Status::kOk);
  EXPECT_EQ(to_eigen(forward.acceleration), qdd);
}

TEST_F(ServiceCalls, JointsMayBeNamedInAnyOrder) {
  start_with("arm7");
  InverseDynamics::Request request;
  request.joint_names = solver.chain().coordinate_names();
  request.position = positions;
  std::reverse(request.joint_names.begin(), request.joint_names.end());
  std::reverse(request.position.begin(), request.position.end());
  const auto response = call<InverseDynamics>("inverse_dynamics", request);
  ASSERT_TRUE(response.success) << response.message;
  dyn::VecXd g(7);
  const dyn::VecXd zero = dyn::VecXd::Zero(7);
  ASSERT_EQ(solver.inverse_dynamics(q, zero, zero, g), dyn::Status::kOk);
  EXPECT_EQ(to_eigen(response.torque), g);
  EXPECT_EQ(response.joint_names, solver.chain().coordinate_names());
}

TEST_F(ServiceCalls, InverseAndForwardDynamicsAreEachOthers) {
  start_with("arm7");
  InverseDynamics::Request inverse;
  inverse.position = inverse.velocity = inverse.acceleration = positions;
  inverse.tip_wrench.force.x = 10.0;
  inverse.tip_wrench.torque.z = 2.0;
  inverse.friction = true;
  const auto torque = call<InverseDynamics>("inverse_dynamics", inverse);
  ASSERT_TRUE(torque.success) << torque.message;
  ForwardDynamics::Request forward;
  forward.position = forward.velocity = positions;
  forward.torque = torque.torque;
  forward.tip_wrench = inverse.tip_wrench;
  forward.friction = true;
  const auto acceleration = call<ForwardDynamics>("forward_dynamics", forward);
  ASSERT_TRUE(acceleration.success) << acceleration.message;
  EXPECT_LT((to_eigen(acceleration.acceleration) - q).norm(), 1e-9);
  forward.friction = false;
  const auto without = call<ForwardDynamics>("forward_dynamics", forward);
  EXPECT_GT((to_eigen(without.acceleration) - q).norm(), 1e-3);
}

TEST_F(ServiceCalls, PredictMotion) {
  start_with("arm7");
  PredictMotion::Request request;
  request.position = positions;
  request.duration = 0.2;
  const auto fall = call<PredictMotion>("predict_motion", request);
  ASSERT_TRUE(fall.success) << fall.message;
  EXPECT_EQ(fall.trajectory.points.size(), 101u);
  EXPECT_EQ(fall.trajectory.joint_names, solver.chain().coordinate_names());
  EXPECT_EQ(fall.energy.size(), 101u);
  EXPECT_EQ(fall.trajectory.points.back().time_from_start.nanosec, 200000000u);
  EXPECT_NEAR(fall.energy.back(), fall.energy.front(), 1e-3 * std::abs(fall.energy.front()));
  request.step = 1e-9;
  auto wrong = call<PredictMotion>("predict_motion", request);
  expect_mistake(wrong.success, wrong.message, "a step of 1e-09 s");
  request.duration = -1.0;
  wrong = call<PredictMotion>("predict_motion", request);
  expect_mistake(wrong.success, wrong.message, "the duration is -1 s");
  request.duration = 1000.0;
  request.step = 1.0;
  wrong = call<PredictMotion>("predict_motion", request);
  expect_mistake(wrong.success, wrong.message, "1000 s is too long to predict");
}

TEST_F(ServiceCalls, TimesAPath) {
  start_with("arm7");
  TimeTrajectory::Request request;
  request.path.joint_names = solver.chain().coordinate_names();
  request.path.points.resize(3);
  for (std::size_t k = 0; k < 3; ++k) {
    request.path.points[k].positions = positions;
    request.path.points[k].positions[1] += 0.3 * static_cast<double>(k);
  }
  const auto timed = call<TimeTrajectory>("time_trajectory", request);
  ASSERT_TRUE(timed.success) << timed.message;
  EXPECT_EQ(timed.trajectory.points.front().positions, positions);
  EXPECT_NEAR(timed.trajectory.points.back().positions[1], positions[1] + 0.6, 1e-9);
  request.velocity = 0.1;
  EXPECT_GT(call<TimeTrajectory>("time_trajectory", request).duration, 2.0 * timed.duration);
  request.velocity = 3.0;
  const auto wrong = call<TimeTrajectory>("time_trajectory", request);
  expect_mistake(wrong.success, wrong.message, "velocity is 3");
}

TEST_F(ServiceCalls, MistakesAreSentences) {
  start_with("arm7");
  auto none = call<GetDynamics>("get_dynamics");
  expect_mistake(none.success, none.message, "no joint state was received yet");
  GetDynamics::Request request;
  request.position = {1.0, 2.0};
  auto answer = call<GetDynamics>("get_dynamics", request);
  expect_mistake(answer.success, answer.message, "2 values of position for the 7 joints joint1");
  request.position = positions;
  request.position[4] = std::numeric_limits<double>::quiet_NaN();
  answer = call<GetDynamics>("get_dynamics", request);
  expect_mistake(answer.success, answer.message, "position of joint 'joint5' is not finite");
  request.joint_names = {"elbow"};
  request.position = {1.0};
  answer = call<GetDynamics>("get_dynamics", request);
  expect_mistake(answer.success, answer.message, "no joint 'elbow'");
  InverseDynamics::Request inverse;
  inverse.position = positions;
  inverse.acceleration = {1.0};
  const auto wrong = call<InverseDynamics>("inverse_dynamics", inverse);
  expect_mistake(wrong.success, wrong.message, "1 values of acceleration");
  const auto fine = call<InverseDynamics>("inverse_dynamics", [&] {
    inverse.acceleration.clear();
    return inverse;
  }());
  EXPECT_TRUE(fine.success) << "the node lives on";
}

TEST_F(ServiceCalls, SetPayloadAndGravityAreTheParameters) {
  start_with("arm7");
  SetPayload::Request load;
  load.payload.m = 3.0;
  load.payload.com.z = 0.1;
  load.payload.ixx = load.payload.iyy = load.payload.izz = 0.01;
  EXPECT_TRUE(call<SetPayload>("set_payload", load).success);
  EXPECT_EQ(node->get_parameter("payload.mass").as_double(), 3.0);
  SetGravity::Request gravity;
  gravity.gravity.x = 9.81;
  EXPECT_TRUE(call<SetGravity>("set_gravity", gravity).success);
  EXPECT_EQ(node->get_parameter("gravity").as_double_array(),
            (std::vector<double>{9.81, 0.0, 0.0}));
  InverseDynamics::Request request;
  request.position = positions;
  const auto response = call<InverseDynamics>("inverse_dynamics", request);
  solver.set_payload({.mass = 3.0,
                      .com = dyn::Vec3d(0.0, 0.0, 0.1),
                      .inertia = dyn::Mat3d(0.01 * dyn::Mat3d::Identity())});
  solver.set_gravity(dyn::Vec3d(9.81, 0.0, 0.0));
  dyn::VecXd g(7);
  const dyn::VecXd zero = dyn::VecXd::Zero(7);
  ASSERT_EQ(solver.inverse_dynamics(q, zero, zero, g), dyn::Status::kOk);
  EXPECT_EQ(to_eigen(response.torque), g);

  load.payload.m = -1.0;
  auto wrong = call<SetPayload>("set_payload", load);
  expect_mistake(wrong.success, wrong.message, "mass is negative");
  load.payload.m = 1.0;
  load.frame_id = "link2";
  wrong = call<SetPayload>("set_payload", load);
  expect_mistake(wrong.success, wrong.message, "frame of the tip link 'tool0'");
  gravity.gravity.x = std::numeric_limits<double>::infinity();
  const auto bad = call<SetGravity>("set_gravity", gravity);
  expect_mistake(bad.success, bad.message, "gravity");
}

// Six seconds of a motion under a load; what is found is the node's and the controller's.
TEST_F(ServiceCalls, ThePayloadFoundIsPassedOn) {
  const std::string carrier = name_space + "/controller/set_payload";
  double carried = 0.0;
  const auto controller = user->create_service<SetPayload>(
      carrier, [&](std::shared_ptr<SetPayload::Request> request,
                   std::shared_ptr<SetPayload::Response> response) {
        carried = request->payload.m;
        response->success = true;
      });
  start_with("arm7",
             {rclcpp::Parameter("identify_payload.apply_to", std::vector<std::string>{carrier})});
  send_state();
  IdentifyPayload::Request request;
  request.action = IdentifyPayload::Request::START;
  EXPECT_TRUE(call<IdentifyPayload>("identify_payload", request).success);
  solver.set_payload({.mass = 2.0,
                      .com = dyn::Vec3d(0.0, 0.02, 0.05),
                      .inertia = dyn::Mat3d(0.01 * dyn::Mat3d::Identity())});
  const dyn::VecXd rate = dyn::VecXd::LinSpaced(7, 2.0, 5.0);
  for (int k = 0; k < 600; ++k) {
    const dyn::VecXd angle = 0.01 * k * rate;
    const dyn::VecXd at = 0.8 * angle.array().sin();
    const dyn::VecXd qd = 0.8 * rate.array() * angle.array().cos();
    const dyn::VecXd qdd = -0.8 * rate.array().square() * angle.array().sin();
    dyn::VecXd torque(7);
    ASSERT_EQ(solver.inverse_dynamics(at, qd, qdd, torque), dyn::Status::kOk);
    auto message = state(solver.chain().coordinate_names(), {});
    message.header.stamp.sec = 5000 + k / 100;
    message.header.stamp.nanosec = 10'000'000U * static_cast<unsigned>(k % 100);
    from_eigen(at, message.position);
    from_eigen(qd, message.velocity);
    from_eigen(torque, message.effort);
    joint_states->publish(message);
    executor.spin_some();
  }
  request.action = IdentifyPayload::Request::STOP;
  request.apply = true;
  const auto found = call<IdentifyPayload>("identify_payload", request);
  EXPECT_TRUE(found.success) << found.message;
  EXPECT_NEAR(found.payload.m, 2.0, 0.02);
  EXPECT_EQ(node->get_parameter("payload.mass").as_double(), found.payload.m);
  EXPECT_TRUE(spin_until([&] { return carried == found.payload.m; })) << carried;
}

}  // namespace
}  // namespace dyn_ros::test
