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

// What comes by topics and services: references, gravity, payload; and what is published.
#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <dyn_msgs/srv/set_payload.hpp>
#include <geometry_msgs/msg/vector3_stamped.hpp>

#include "motion.hpp"

namespace dyn_control::test {
namespace {

using rclcpp::Parameter;

class Topics : public testing::Test {
 protected:
  void start(const std::vector<Parameter>& parameters, const Names& hardware = {}) {
    bench.emplace(BenchOptions{.hardware = hardware, .parameters = parameters});
    bench->start(false);
    user = std::make_shared<rclcpp::Node>("user", bench->node()->get_namespace());
    executor.add_node(user);
    executor.add_node(bench->node()->get_node_base_interface());
    references = user->create_publisher<trajectory_msgs::msg::JointTrajectory>("ctc/reference", 1);
    ASSERT_TRUE(wait([&] { return references->get_subscription_count() > 0; }));
  }

  bool wait(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      executor.spin_once(std::chrono::milliseconds(10));
    }
    return true;
  }

  /// The arm's joints from the last to the first.
  trajectory_msgs::msg::JointTrajectory point(double offset) {
    trajectory_msgs::msg::JointTrajectory message;
    message.points.resize(1);
    for (dyn::Index i = 6; i >= 0; --i) {
      message.joint_names.push_back(bench->joint(i));
      message.points[0].positions.push_back(bench->first()[i] + offset);
    }
    return message;
  }

  /// Sends it until the loop follows something else than before.
  void send(const trajectory_msgs::msg::JointTrajectory& message) {
    const dyn::VecXd before = bench->loop().reference().q;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (bench->loop().reference().q == before && std::chrono::steady_clock::now() < end) {
      references->publish(message);
      executor.spin_some(std::chrono::milliseconds(5));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      (void)bench->cycle();
    }
  }

  void run(double seconds) {
    for (double t = 0.0; t < seconds; t += kPeriod) EXPECT_EQ(bench->cycle(), return_type::OK);
  }

  std::optional<Bench> bench;
  rclcpp::executors::SingleThreadedExecutor executor;
  rclcpp::Node::SharedPtr user;
  rclcpp::Publisher<trajectory_msgs::msg::JointTrajectory>::SharedPtr references;
};

TEST_F(Topics, AStepIsSmoothedAndReached) {
  start({{"reference.filter_frequency", 6.0}, {"reference.filter_velocity", 0.5}});
  send(point(0.3));
  run(3.0);
  const dyn::VecXd step = bench->loop().reference().q - bench->first();
  EXPECT_LT((step.array() - 0.3).abs().maxCoeff(), 1e-4);
  EXPECT_LT((bench->truth().q - bench->loop().reference().q).norm(), 0.02) << "stiction is left";
  EXPECT_LT(bench->largest_step, kNoJump);
  EXPECT_EQ(bench->calls, 0u);
}

TEST_F(Topics, WrongNamesAndSizesAreRefused) {
  start({});
  trajectory_msgs::msg::JointTrajectory partial = point(0.1);
  partial.joint_names.pop_back();
  partial.points[0].positions.pop_back();
  trajectory_msgs::msg::JointTrajectory stranger = point(0.1);
  stranger.joint_names[2] = "nobody";
  trajectory_msgs::msg::JointTrajectory two = point(0.1);
  two.points.push_back(two.points[0]);
  trajectory_msgs::msg::JointTrajectory infinite = point(0.1);
  infinite.points[0].positions[1] = std::numeric_limits<double>::infinity();
  for (const auto& message :
       {partial, stranger, two, infinite, trajectory_msgs::msg::JointTrajectory()}) {
    for (int k = 0; k < 3; ++k) {
      references->publish(message);
      executor.spin_some(std::chrono::milliseconds(10));
      run(0.002);
    }
  }
  EXPECT_LT((bench->loop().reference().q - bench->first()).lpNorm<Eigen::Infinity>(), 1e-9);
  send(point(0.1));
  EXPECT_NEAR(bench->loop().reference().q[0], bench->first()[0] + 0.1, 1e-9);
}

TEST_F(Topics, AReferenceThatIsNotRenewedIsLost) {
  start({{"reference.timeout", 0.05}, {"fault.timeout", 0.1}});
  run(0.3);  // there has been none yet
  send(point(0.02));
  double t = 0.0;
  while (t < 1.0 && bench->cycle() == return_type::OK) t += kPeriod;
  EXPECT_NEAR(t, 0.15, 0.01);
  EXPECT_TRUE(bench->loop().reference_lost());
}

TEST_F(Topics, WhyAnUpdateFailsIsLoggedAndDiagnosed) {
  start({{"reference.timeout", 0.05}, {"fault.timeout", 0.1}});
  std::string diagnosed;
  const auto diagnostics = user->create_subscription<diagnostic_msgs::msg::DiagnosticArray>(
      "/diagnostics", 10, [&](const diagnostic_msgs::msg::DiagnosticArray& message) {
        for (const auto& status : message.status) {
          if (status.name == "ctc: control" &&
              status.level == diagnostic_msgs::msg::DiagnosticStatus::ERROR) {
            diagnosed = status.message;
          }
        }
      });
  const LogKeeper log;
  send(point(0.02));
  while (bench->cycle() == return_type::OK) {
  }
  ASSERT_TRUE(wait([&] { return !diagnosed.empty() && !log.text().empty(); }));
  EXPECT_EQ(diagnosed, "The reference is too old, not finite or too far from the one before");
  EXPECT_NE(log.text().find(diagnosed + ". It has lasted for longer than fault.timeout"),
            std::string::npos)
      << log.text();
}

TEST_F(Topics, WhatIsNotActiveIsDiagnosedAsThat) {
  start({{"reference.timeout", 0.05}, {"fault.timeout", 0.1}});
  diagnostic_msgs::msg::DiagnosticStatus latest;
  const auto diagnostics = user->create_subscription<diagnostic_msgs::msg::DiagnosticArray>(
      "/diagnostics", 10, [&](const diagnostic_msgs::msg::DiagnosticArray& message) {
        for (const auto& status : message.status) {
          if (status.name == "ctc: control") latest = status;
        }
      });
  const auto said = [&](const std::string& text, unsigned char level) {
    EXPECT_TRUE(wait([&] { return latest.message == text; })) << latest.message;
    EXPECT_EQ(latest.level, level) << text;
  };
  using diagnostic_msgs::msg::DiagnosticStatus;
  const std::string inactive = "The controller is not active: it commands zero torque";
  said("The law is in force", DiagnosticStatus::OK);
  EXPECT_EQ(latest.hardware_id, "arm7");
  bench->deactivate();
  said(inactive, DiagnosticStatus::OK);
  ASSERT_TRUE(bench->activate(false));
  send(point(0.02));
  while (bench->cycle() == return_type::OK) {
  }
  bench->deactivate();
  said(inactive +
           ". What ended it: The reference is too old, not finite or too far from the one "
           "before",
       DiagnosticStatus::ERROR);
  EXPECT_EQ(bench->node()->cleanup().label(), "unconfigured");
  executor.remove_node(user);  // what rclcpp's executor waits for is wrong after topics have gone
  executor.add_node(user);
  said("The controller is not configured", DiagnosticStatus::OK);
}

TEST_F(Topics, GravityOfAMovingBase) {
  start({{"gravity_topic.name", "base_gravity"},
         {"gravity_topic.timeout", 0.2},
         {"friction.source", "none"},
         {"fault.timeout", 0.1}},
        {{"friction_scale", "0"}});
  const auto gravity =
      user->create_publisher<geometry_msgs::msg::Vector3Stamped>("base_gravity", 1);
  ASSERT_TRUE(wait([&] { return gravity->get_subscription_count() > 0; }));
  geometry_msgs::msg::Vector3Stamped message;
  message.header.frame_id = "imu";
  message.vector.x = 5.0;
  for (int k = 0; k < 5; ++k) {
    gravity->publish(message);
    executor.spin_some(std::chrono::milliseconds(10));
    run(0.002);
  }
  message.header.frame_id = "base_link";
  message.vector.x = 2.0;
  message.vector.z = -9.6;
  bench->arm().simulation().set_gravity({2.0, 0.0, -9.6});
  dyn::Solver solver = dyn::Solver::make(bench->chain()).value();
  solver.set_gravity({2.0, 0.0, -9.6});
  dyn::VecXd expected(7);
  ASSERT_EQ(solver.gravity_torque(bench->first(), expected), dyn::Status::kOk);
  for (int k = 0; k < 1500; ++k) {
    gravity->publish(message);
    executor.spin_some();
    ASSERT_EQ(bench->cycle(), return_type::OK);
  }
  EXPECT_LT((bench->last - expected).lpNorm<Eigen::Infinity>(), 0.05);
  EXPECT_LT(bench->largest_step, kNoJump);
  double t = 0.0;
  while (t < 1.0 && bench->cycle() == return_type::OK) t += kPeriod;
  EXPECT_NEAR(t, 0.3, 0.02);
  EXPECT_TRUE(bench->loop().gravity_timed_out());
  EXPECT_EQ(bench->mode(), dyn::ControlMode::kStopping);
}

TEST_F(Topics, PayloadByServiceAndWhatIsPublished) {
  start({{"observer.enabled", true}, {"prediction.enabled", true}});
  dyn_msgs::msg::ComputedTorqueState latest;
  const auto states = user->create_subscription<dyn_msgs::msg::ComputedTorqueState>(
      "ctc/controller_state", 10, [&](const dyn_msgs::msg::ComputedTorqueState& m) { latest = m; });
  const auto client = user->create_client<dyn_msgs::srv::SetPayload>("ctc/set_payload");
  ASSERT_TRUE(wait([&] { return client->service_is_ready(); }));
  const auto call = [&](const std::string& frame, double mass) {
    auto request = std::make_shared<dyn_msgs::srv::SetPayload::Request>();
    request->payload.m = mass;
    request->frame_id = frame;
    auto future = client->async_send_request(request);
    executor.spin_until_future_complete(future, std::chrono::seconds(60));
    return *future.get();
  };
  EXPECT_TRUE(call("tool0", 0.5).success);
  EXPECT_EQ(bench->node()->get_parameter("payload.mass").as_double(), 0.5);
  EXPECT_NE(call("link3", 0.5).message.find("tool0"), std::string::npos);
  EXPECT_NE(call("", -1.0).message.find("the payload cannot be"), std::string::npos);
  ASSERT_TRUE(wait([&] {
    (void)bench->cycle();
    return latest.joint_names.size() == 7 && latest.period > 0.0;
  }));
  EXPECT_EQ(latest.header.frame_id, "base_link");
  EXPECT_EQ(latest.law, "computed_torque");
  for (std::size_t i = 0; i < 7; ++i) {
    const double sum = latest.tau_inertia[i] + latest.tau_feedback[i] + latest.tau_coriolis[i] +
                       latest.tau_gravity[i] + latest.tau_friction[i] + latest.tau_external[i] +
                       latest.tau_handover[i] + latest.tau_limited[i];
    EXPECT_NEAR(latest.output.effort[i], sum, 1e-9);
  }
  EXPECT_EQ(latest.predicted_position.size(), 7u);
  EXPECT_EQ(latest.external_torque.size(), 7u);
  EXPECT_EQ(latest.contact.size(), 7u);
  EXPECT_EQ(latest.mode, dyn_msgs::msg::ComputedTorqueState::TRACKING);
  EXPECT_GT(latest.computation_time, 0.0);
  EXPECT_EQ(bench->calls, 0u);
}

}  // namespace
}  // namespace dyn_control::test
