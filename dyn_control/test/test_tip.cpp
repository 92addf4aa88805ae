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

// The laws at the tip and for a hand: targets by topics, what the arm makes of them and of pushes.
#include "motion.hpp"
#include "tip_messages.hpp"

namespace dyn_control::test {
namespace {

using rclcpp::Parameter;

class TipLaws : public testing::Test {
 protected:
  void start(const std::string& law, std::vector<Parameter> parameters = {}) {
    parameters.emplace_back("law", law);
    dyn::VecXd bent(7);
    bent << 0.0, 0.4, 0.0, 1.2, 0.0, 0.9, 0.0;
    bench.emplace(BenchOptions{.parameters = parameters, .start = bent});
    bench->start(false);
    user = std::make_shared<rclcpp::Node>("user", bench->node()->get_namespace());
    executor.add_node(user);
    executor.add_node(bench->node()->get_node_base_interface());
    begin = tip();
  }

  dyn::Posed tip() {
    dyn::Kinematics<double> kinematics(bench->chain());
    EXPECT_EQ(kinematics.update(bench->truth().q), dyn::Status::kOk);
    return kinematics.tip_pose();
  }

  /// Cycles for so long, and sends the message at 15 Hz of the arm's time.
  template <class Message>
  void run(double seconds, rclcpp::Publisher<Message>& publisher, const Message& message) {
    for (int k = 0; k < static_cast<int>(seconds / kPeriod); ++k) {
      if (k % 67 == 0) {
        publisher.publish(message);
        executor.spin_some(std::chrono::milliseconds(5));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      ASSERT_EQ(bench->cycle(), return_type::OK);
    }
  }

  template <class Message>
  typename rclcpp::Publisher<Message>::SharedPtr sender(const std::string& topic) {
    auto publisher = user->create_publisher<Message>("ctc/" + topic, 1);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (publisher->get_subscription_count() == 0 && std::chrono::steady_clock::now() < end) {
      executor.spin_once(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(publisher->get_subscription_count(), 1u);
    return publisher;
  }

  void expect_calm() {
    EXPECT_LT(bench->largest_step, 0.03);
    EXPECT_EQ(bench->calls, 0u) << "allocations in updates";
  }

  std::optional<Bench> bench;
  rclcpp::executors::SingleThreadedExecutor executor;
  rclcpp::Node::SharedPtr user;
  dyn::Posed begin;
};

TEST_F(TipLaws, ATargetPoseIsReached) {
  start("task_space");
  dyn::Posed target = begin;
  target.p += dyn::Vec3d(0.05, 0.1, -0.05);
  target.R = dyn::rotation_about({0.0, 0.2, 0.0}) * begin.R;
  run(3.0, *sender<PoseStamped>("target_pose"), pose_message(target, "base_link"));
  EXPECT_LT((tip().p - target.p).norm(), 0.005) << "stiction is left";
  EXPECT_LT(dyn::rotation_vector(target.R * tip().R.transpose()).norm(), 0.08);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(bench->references()[i]->get_optional().value(),
                bench->truth().q[static_cast<dyn::Index>(i)], 1e-3)
        << "where the tip has led the joints";
  }
  expect_calm();
}

TEST_F(TipLaws, ATwistAtTheTipMovesAlongItsAxes) {
  start("task_space");
  TwistStamped twist;
  twist.header.frame_id = "tool0";
  twist.twist.linear.z = -0.05;
  run(2.0, *sender<TwistStamped>("target_twist"), twist);
  const dyn::Vec3d way = begin.R.transpose() * (tip().p - begin.p);
  EXPECT_NEAR(way.z(), -0.1, 0.02);
  EXPECT_LT(way.head<2>().norm(), 0.003);
  const dyn::Vec3d then = tip().p;
  for (int k = 0; k < 500; ++k) ASSERT_EQ(bench->cycle(), return_type::OK);
  EXPECT_LT((tip().p - then).norm(), 0.03) << "too old a twist moves no more";
  expect_calm();
}

TEST_F(TipLaws, StrangeFramesOldStampsAndFarTargetsAreRefused) {
  start("task_space", {{"fault.timeout", 60.0}});
  const auto publisher = sender<PoseStamped>("target_pose");
  dyn::Posed target = begin;
  target.p.z() -= 0.1;
  PoseStamped old = pose_message(target, "base_link"), zero = old, before = old;
  before.header.stamp.sec = -1;
  old.header.stamp = user->now() - rclcpp::Duration::from_seconds(1.0);
  zero.pose.orientation = geometry_msgs::msg::Quaternion();
  zero.pose.orientation.w = 0.0;
  for (const PoseStamped& message : {pose_message(target, "somewhere"), old, zero, before}) {
    run(0.1, *publisher, message);
    EXPECT_FALSE(bench->loop().reference_lost());
  }
  EXPECT_LT((tip().p - begin.p).norm(), 0.002);
  target.p.z() -= 0.5;
  run(0.1, *publisher, pose_message(target, "base_link"));
  EXPECT_TRUE(bench->loop().reference_lost());
  EXPECT_LT((tip().p - begin.p).norm(), 0.002);
}

TEST_F(TipLaws, FastTwistsAndStrongWrenchesAreRefused) {
  start("impedance");
  TwistStamped twist;
  twist.twist.linear.y = 2.0;
  run(0.3, *sender<TwistStamped>("target_twist"), twist);
  WrenchStamped wrench;
  wrench.wrench.force.y = 200.0;
  run(0.3, *sender<WrenchStamped>("target_wrench"), wrench);
  EXPECT_LT((tip().p - begin.p).norm(), 0.002);
}

// Targets lead the tip on against something, and go on coming when it is felt.
TEST_F(TipLaws, AContactStopsTheTip) {
  for (const char* law : {"task_space", "impedance"}) {
    start(law, feeling(4.0, 60.0));
    const auto publisher = sender<TwistStamped>("target_twist");
    TwistStamped twist;
    twist.twist.linear.y = 0.25;
    double felt = 0.0, most = 0.0;
    for (int k = 0; k < 1500; ++k) {
      if (k % 20 == 0) {
        publisher->publish(twist);
        executor.spin_some(std::chrono::milliseconds(5));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      const double depth = std::max(0.0, (tip().p - begin.p).y() - 0.1), force = 3000.0 * depth;
      bench->arm().simulation().set_tip_wrench({{0.0, -force, 0.0}, dyn::Vec3d::Zero()});
      ASSERT_EQ(bench->cycle(), return_type::OK);
      if (bench->loop().collided() && felt == 0.0) felt = force;
      most = std::max(most, force);
    }
    EXPECT_TRUE(bench->loop().collided()) << law;
    EXPECT_LT(most, felt + 8.0) << law << " goes on pressing";
    executor.remove_node(user);
    executor.remove_node(bench->node()->get_node_base_interface());
  }
}

TEST_F(TipLaws, AnImpedanceYieldsByItsStiffness) {
  start("impedance", {{"observer.enabled", true}});
  const auto states = bench->controller().export_state_interfaces();
  ASSERT_EQ(states.size(), 7u + 6u);
  bench->arm().simulation().set_tip_wrench({{0.0, 20.0, 0.0}, dyn::Vec3d::Zero()});
  for (int k = 0; k < 4000; ++k) ASSERT_EQ(bench->cycle(), return_type::OK);
  EXPECT_NEAR((tip().p - begin.p).y(), 20.0 / 500.0, 0.02);
  EXPECT_EQ(states[8]->get_name(), "ctc/tool0/force.y");
  EXPECT_NEAR(states[8]->get_optional().value(), 20.0, 6.0) << "but for what friction holds";
  expect_calm();
}

TEST_F(TipLaws, AWrenchIsFeltByWhatIsTouched) {
  start("impedance");
  WrenchStamped wrench;
  wrench.wrench.force.y = 20.0;
  run(4.0, *sender<WrenchStamped>("target_wrench"), wrench);
  EXPECT_NEAR((tip().p - begin.p).y(), 20.0 / 500.0, 0.02) << "nothing is touched but the spring";
  expect_calm();
}

TEST_F(TipLaws, AHandMovesTheArmAndItStaysThere) {
  start("gravity");
  bench->arm().simulation().set_tip_wrench({{0.0, 8.0, 0.0}, dyn::Vec3d::Zero()});
  for (int k = 0; k < 1500; ++k) ASSERT_EQ(bench->cycle(), return_type::OK);
  const double pushed = (tip().p - begin.p).y();
  EXPECT_GT(pushed, 0.05);
  bench->arm().simulation().set_tip_wrench({});
  for (int k = 0; k < 3000; ++k) ASSERT_EQ(bench->cycle(), return_type::OK);
  EXPECT_GT((tip().p - begin.p).y(), 0.8 * pushed);
  EXPECT_LT(bench->truth().qd.norm(), 0.05);
  expect_calm();
}

}  // namespace
}  // namespace dyn_control::test
