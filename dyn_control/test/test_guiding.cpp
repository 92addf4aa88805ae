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
// The arm in a hand by service, under a law that tracks: pushed, recorded, held, repeated. And a
// controller in front that says where the tip is to be.
#include <dyn_msgs/srv/guide.hpp>

#include "motion.hpp"
#include "tip_messages.hpp"

namespace dyn_control::test {
namespace {

using dyn_msgs::srv::Guide;
using rclcpp::Parameter;

class Hand : public testing::Test {
 protected:
  void start(const std::string& law, bool chained = false, std::vector<Parameter> more = {}) {
    more.emplace_back("law", law);
    dyn::VecXd bent(7);
    bent << 0.0, 0.4, 0.0, 1.2, 0.0, 0.9, 0.0;
    bench.emplace(BenchOptions{.parameters = more, .start = bent});
    bench->start(chained);
    user = std::make_shared<rclcpp::Node>("user", bench->node()->get_namespace());
    client = user->create_client<Guide>("ctc/guide");
    executor.add_node(user);
    executor.add_node(bench->node()->get_node_base_interface());
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!client->service_is_ready() && std::chrono::steady_clock::now() < end) {
      executor.spin_once(std::chrono::milliseconds(10));
    }
  }

  Guide::Response::SharedPtr ask(std::uint8_t action, Guide::Request request = Guide::Request()) {
    request.action = action;
    auto future = client->async_send_request(std::make_shared<Guide::Request>(request));
    EXPECT_EQ(executor.spin_until_future_complete(future, std::chrono::seconds(60)),
              rclcpp::FutureReturnCode::SUCCESS);
    return future.get();
  }

  void run(double seconds) {
    for (double t = 0.0; t < seconds; t += kPeriod) ASSERT_EQ(bench->cycle(), return_type::OK);
  }
  /// Cycles for so long, and sends it as a target 20 times a second of the arm's time.
  void run_towards(const dyn::Posed& target, double seconds) {
    const auto poses = user->create_publisher<PoseStamped>("ctc/target_pose", 1);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (poses->get_subscription_count() == 0 && std::chrono::steady_clock::now() < end) {
      executor.spin_once(std::chrono::milliseconds(10));
    }
    for (double t = 0.0; t < seconds; t += 0.05) {
      poses->publish(pose_message(target));
      executor.spin_some(std::chrono::milliseconds(5));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      run(0.05);
    }
  }
  void push(double y) {
    bench->arm().simulation().set_tip_wrench({{0.0, y, 0.0}, dyn::Vec3d::Zero()});
  }
  dyn::Posed tip() {
    dyn::Kinematics<double> kinematics(bench->chain());
    EXPECT_EQ(kinematics.update(bench->truth().q), dyn::Status::kOk);
    return kinematics.tip_pose();
  }

  std::optional<Bench> bench;
  rclcpp::executors::SingleThreadedExecutor executor;
  rclcpp::Node::SharedPtr user;
  rclcpp::Client<Guide>::SharedPtr client;
};

TEST_F(Hand, GuidesRecordsHoldsAndRepeats) {
  start("computed_torque");
  const dyn::VecXd first = bench->truth().q;
  ASSERT_TRUE(ask(Guide::Request::START)->success);
  run(0.3);
  EXPECT_LT((bench->truth().q - first).norm(), 1e-3) << "it drifts";
  push(8.0);
  run(1.2);
  push(0.0);
  run(2.0);
  const dyn::VecXd left = bench->truth().q;
  EXPECT_GT((left - first).norm(), 0.05);
  EXPECT_LT(bench->truth().qd.norm(), 0.02);
  const auto recorded = ask(Guide::Request::STOP);
  ASSERT_TRUE(recorded->success) << recorded->message;
  EXPECT_NEAR(recorded->duration, 3.5, 0.1);
  EXPECT_EQ(recorded->recorded.joint_names, arm7_joints());
  EXPECT_TRUE(recorded->csv.starts_with("t,q_joint1"));
  push(8.0);
  run(1.0);
  push(0.0);
  run(1.0);
  EXPECT_LT((bench->truth().q - left).cwiseAbs().maxCoeff(), 0.05) << "held where it was left";
  const auto played = ask(Guide::Request::PLAY);
  ASSERT_TRUE(played->success) << played->message;
  double nearest = 1.0;
  for (double t = 0.0; t < played->duration + 0.5; t += kPeriod) {
    ASSERT_EQ(bench->cycle(), return_type::OK);
    nearest = std::min(nearest, (bench->truth().q - first).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(nearest, 0.02) << "from the beginning of what was recorded";
  EXPECT_LT((bench->truth().q - left).cwiseAbs().maxCoeff(), 0.03) << "to its end";
  EXPECT_LT(bench->largest_step, 0.05) << "Coulomb friction of the wrist, fed forward";
  EXPECT_EQ(bench->calls, 0u) << "allocations in updates";
  // The same by the message, at half the speed.
  Guide::Request request;
  request.trajectory = recorded->recorded;
  request.speed = 0.5;
  EXPECT_GT(ask(Guide::Request::PLAY, request)->duration, played->duration + 1.0);
  run(0.5);
  EXPECT_TRUE(ask(Guide::Request::STOP)->success) << "in the middle of it";
  run(1.0);
  EXPECT_LT(bench->truth().qd.norm(), 0.02);
}

TEST_F(Hand, WhatCannotBeDoneIsASentence) {
  start("computed_torque", true);
  EXPECT_NE(ask(Guide::Request::START)->message.find("in front"), std::string::npos);
  bench->deactivate();
  EXPECT_NE(ask(Guide::Request::START)->message.find("not active"), std::string::npos);
  ASSERT_TRUE(bench->activate(false));
  EXPECT_NE(ask(Guide::Request::PLAY)->message.find("guide the arm first"), std::string::npos);
  EXPECT_NE(ask(9)->message.find("neither START"), std::string::npos);
  ASSERT_TRUE(ask(Guide::Request::START)->success);
  EXPECT_NE(ask(Guide::Request::STOP)->message.find("still to be carried out"), std::string::npos);
}

TEST_F(Hand, IsNoCollision) {
  start("computed_torque", false, feeling(4.0));
  const auto& observer = bench->loop().controller().observer();
  ASSERT_TRUE(ask(Guide::Request::START)->success);
  push(16.0);
  run(0.6);
  ASSERT_TRUE(observer.any_contact()) << "it is not felt at all";
  ASSERT_TRUE(ask(Guide::Request::STOP)->success);
  run(0.5);
  ASSERT_TRUE(observer.any_contact()) << "the hand is still there";
  EXPECT_FALSE(bench->loop().collided());
  push(0.0);
  run(1.5);
  EXPECT_FALSE(observer.any_contact());
  push(60.0);
  for (int k = 0; k < 500 && !bench->loop().collided(); ++k) (void)bench->cycle();
  EXPECT_TRUE(bench->loop().collided());
}

TEST_F(Hand, WhatItPutsOnIsAContactAfterwards) {
  start("computed_torque", false, feeling(6.0));
  ASSERT_TRUE(ask(Guide::Request::START)->success);
  run(0.5);
  dyn::RigidBody tool;
  tool.mass = 1.5;
  tool.com = {0.0, 0.0, 0.05};
  tool.inertia = 1e-3 * dyn::Mat3d::Identity();
  bench->arm().simulation().set_payload(tool);
  run(0.5);
  ASSERT_TRUE(ask(Guide::Request::STOP)->success);
  run(1.5);
  ASSERT_TRUE(bench->loop().controller().observer().any_contact()) << "the tool is not felt";
  EXPECT_FALSE(bench->loop().collided());
  for (int k = 0; k < 1000 && !bench->loop().collided(); ++k) (void)bench->cycle();
  EXPECT_TRUE(bench->loop().collided());
}

TEST_F(Hand, WhatIsPlayedTakesTheTipFromItsTarget) {
  start("task_space");
  dyn::Posed target = tip();
  target.p.y() += 0.15;
  run_towards(target, 2.0);
  ASSERT_LT((tip().p - target.p).norm(), 0.01);
  Guide::Request request;
  request.trajectory.joint_names = arm7_joints();
  request.trajectory.points.resize(2);
  dyn::VecXd last = bench->truth().q;
  for (auto& point : request.trajectory.points) {
    point.positions.assign(last.begin(), last.end());
    point.velocities.assign(7, 0.0);
    last[0] -= 0.3;
  }
  last[0] += 0.3;
  request.trajectory.points[1].time_from_start.sec = 1;
  const auto played = ask(Guide::Request::PLAY, request);
  ASSERT_TRUE(played->success) << played->message;
  run_towards(target, played->duration - 0.1);
  EXPECT_FALSE(bench->loop().reference_lost());
  EXPECT_TRUE(bench->loop().playing());
  run(0.6);
  EXPECT_LT((bench->truth().q - last).cwiseAbs().maxCoeff(), 0.05);
  EXPECT_LT(bench->largest_step, 0.05);
  EXPECT_EQ(bench->calls, 0u) << "allocations in updates";
}

TEST_F(Hand, TargetsThatGoOnMeanwhileAreLeftOut) {
  start("impedance", false, {{"fault.timeout", 0.1}});
  ASSERT_TRUE(ask(Guide::Request::START)->success);
  run(0.01);
  dyn::Posed far = tip();
  far.p.x() -= 0.7;
  run_towards(far, 0.5);
  EXPECT_FALSE(bench->loop().reference_lost());
}

// The interfaces of the tip, as a controller in front writes them in every cycle.
TEST_F(Hand, AControllerInFrontLeadsTheTip) {
  start("task_space", true);
  const dyn::Posed begin = tip();
  const auto find = [&](const std::string& name) {
    for (const auto& reference : bench->references()) {
      if (reference->get_interface_name() == name) return reference;
    }
    return hardware_interface::CommandInterface::SharedPtr();
  };
  ASSERT_EQ(bench->references().size(), 3u * 7u + 19u);
  const Eigen::Quaterniond turn(begin.R);
  const auto set = [&](const std::string& name, double value) {
    ASSERT_TRUE(find(name)) << name;
    EXPECT_TRUE(find(name)->set_value(value));
  };
  set("orientation.x", turn.x());
  set("orientation.y", turn.y());
  set("orientation.z", turn.z());
  set("orientation.w", turn.w());
  set("position.x", begin.p.x());
  set("position.z", begin.p.z());
  double y = 0.0;
  for (int k = 0; k < 3000; ++k) {
    y = 0.1 * std::min(1.0, 5e-4 * k);
    set("position.y", begin.p.y() + y);
    ASSERT_EQ(bench->cycle(), return_type::OK);
  }
  EXPECT_NEAR((tip().p - begin.p).y(), 0.1, 0.005);
  EXPECT_LT((tip().p - begin.p - dyn::Vec3d(0.0, 0.1, 0.0)).norm(), 0.006);
  EXPECT_EQ(bench->calls, 0u) << "allocations in updates";
}

}  // namespace
}  // namespace dyn_control::test
