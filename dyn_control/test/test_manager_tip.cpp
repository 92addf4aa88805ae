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

// The laws at the tip and for a hand under a real controller manager: pushed by a topic, round a
// circle that stretches the arm out, led by a policy that stutters.
#include <Eigen/Eigenvalues>

#include "manager_bench.hpp"
#include "tip_messages.hpp"

namespace dyn_control::test {
namespace {

dyn::VecXd bent() {
  dyn::VecXd q(7);
  q << 0.0, 0.6, 0.0, 0.9, 0.0, 1.0, 0.0;
  return q;
}

class TipUnderAManager : public UnderAManager {
 protected:
  void begin(const std::string& law, const std::string& more = "", const Names& hardware = {}) {
    start(hardware, "    law: " + law + "\n" + more, bent());
    ASSERT_EQ(switch_to({"ctc"}, {}), return_type::OK);
    user = std::make_shared<rclcpp::Node>("tip_user", manager->get_namespace());
  }

  template <class Message>
  typename rclcpp::Publisher<Message>::SharedPtr sender(const std::string& topic) {
    auto publisher = user->create_publisher<Message>(topic, 1);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (publisher->get_subscription_count() == 0 && std::chrono::steady_clock::now() < end) {
      executor->spin_some(std::chrono::milliseconds(10));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(publisher->get_subscription_count(), 1u) << topic;
    return publisher;
  }
  /// A message on its way, as far as one can wait for that.
  void deliver() {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    executor->spin_some(std::chrono::milliseconds(2));
  }

  dyn::Posed tip_at(const dyn::VecXd& q) {
    EXPECT_EQ(kinematics.update(q), dyn::Status::kOk);
    return kinematics.tip_pose();
  }
  dyn::Posed tip() { return tip_at(read_states("position")); }
  [[nodiscard]] double energy() {
    double out = 0.0;
    EXPECT_EQ(solver.kinetic_energy(read_states("position"), read_states("velocity"), out),
              dyn::Status::kOk);
    return out;
  }

  dyn::Kinematics<double> kinematics{robot_chain("arm7")};
  dyn::Solver solver = dyn::Solver::make(robot_chain("arm7")).value();
};

TwistStamped twist_message(const dyn::Vec3d& linear) {
  TwistStamped out;
  out.twist.linear.x = linear.x();
  out.twist.linear.y = linear.y();
  out.twist.linear.z = linear.z();
  return out;
}

TEST_F(TipUnderAManager, GuidedByATopicItComesToRest) {
  begin("gravity");
  const auto hand = sender<WrenchStamped>("arm/tip_wrench");
  const dyn::Posed first = tip();
  WrenchStamped push;
  push.wrench.force.y = 8.0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while ((tip().p - first.p).norm() < 0.1 && std::chrono::steady_clock::now() < end) {
    hand->publish(push);
    deliver();
    watch_for(0.05);
  }
  ASSERT_GT((tip().p - first.p).norm(), 0.1);
  hand->publish(WrenchStamped());
  for (int k = 0; k < 20; ++k) deliver();
  double before = energy(), grown = 0.0;
  const double given = before;
  for (int k = 0; k < 4000; ++k) {
    watch_for(kPeriod);
    grown += std::max(energy() - before, 0.0);
    before = energy();
  }
  RecordProperty("energy_let_go_J", std::to_string(given));
  RecordProperty("energy_grown_J", std::to_string(grown));
  EXPECT_LT(grown, 1e-3 * given + 1e-6) << "energy from nowhere";
  EXPECT_LT(read_states("velocity").norm(), 5e-3);
  EXPECT_EQ(state_of("ctc"), State::PRIMARY_STATE_ACTIVE);
  EXPECT_LT(torque_step, 0.03);
}

TEST_F(TipUnderAManager, ACircleStretchesTheArmOut) {
  begin("task_space", "    tip: {farthest: 2.0}\n");
  // The arm outstretched, and the direction in which its tip can go no further.
  dyn::VecXd straight(7);
  straight << 0.0, 0.9, 0.0, 0.0, 0.0, 1.0, 0.0;
  dyn::MatXd jacobian(6, 7);
  dyn::Vec3d along;
  double best = 0.0, smallest = 1e9;
  for (double angle = -0.14; angle < 0.3; angle += 1e-3) {
    straight[3] = angle;
    (void)tip_at(straight);
    ASSERT_EQ(kinematics.jacobian(jacobian), dyn::Status::kOk);
    const Eigen::SelfAdjointEigenSolver<dyn::Mat6<double>> eigen(
        dyn::Mat6<double>(jacobian * jacobian.transpose()));
    if (eigen.eigenvalues()[0] >= smallest) continue;
    smallest = eigen.eigenvalues()[0];
    best = angle;
    along = eigen.eigenvectors().col(0).head<3>().normalized();
  }
  straight[3] = best;
  const dyn::Posed outermost = tip_at(straight);
  if (along.dot(tip().p - outermost.p) > 0.0) along = -along;
  const dyn::Vec3d across = along.unitOrthogonal();
  const auto poses = sender<PoseStamped>("ctc/target_pose");
  const auto twists = sender<TwistStamped>("ctc/target_twist");
  constexpr double kRadius = 0.08, kRound = 4.0;  // m, s
  double off = 0.0, behind = 0.0, kept = 1.0;
  for (int k = 0; k < 13000; ++k) {
    // Up to speed within a second: no tip follows one that is there at once.
    const double time = std::max(1e-3 * k - 4.0, 0.0), speeding = std::min(time, 1.0);
    const double full = 2.0 * M_PI / kRound, rate = full * speeding;
    const double angle = M_PI + full * (time - speeding + 0.5 * speeding * speeding);
    const dyn::Vec3d arm = std::cos(angle) * along + std::sin(angle) * across;
    const dyn::Vec3d way = std::cos(angle) * across - std::sin(angle) * along;
    const dyn::Posed target{outermost.R, outermost.p + kRadius * (arm - along)};
    if (k % 10 == 0) {
      twists->publish(twist_message(kRadius * rate * way));
      poses->publish(pose_message(target));
      deliver();
    }
    watch_for(kPeriod);
    if (k < 4000) continue;
    kept = std::min(kept, loop().output().tip.kept.minCoeff());
    dyn::Vec3d error = loop().output().tip.error.head<3>();
    error -= along.dot(error) * along;
    off = std::max(off, error.norm());
    error = target.p - tip().p;
    error -= along.dot(error) * along;
    behind = std::max(behind, error.norm());
  }
  std::printf(
      "kept %.2f of a direction, %.2f mm off in the others (%.2f mm from the messages), torque "
      "steps %.3f\n",
      kept, 1e3 * off, 1e3 * behind, torque_step);
  EXPECT_EQ(state_of("ctc"), State::PRIMARY_STATE_ACTIVE);
  EXPECT_LT(kept, 0.8) << "it has not been near";
  EXPECT_LT(off, 0.002);
  EXPECT_LT(behind, 0.002) << "where the messages want it";
  EXPECT_LT(torque_step, 0.1);
}

// The wall pushes by the topic, as far as the tip is in it.
TEST_F(TipUnderAManager, AWallIsPressedByTheStiffness) {
  constexpr double kWall = 5000.0, kStiffness = 500.0, kDeep = 0.05, kBegin = 0.005;
  begin("impedance", "    friction: {source: none}\n", {{"friction_scale", "0.0"}});
  const auto wall = sender<WrenchStamped>("arm/tip_wrench");
  const auto poses = sender<PoseStamped>("ctc/target_pose");
  const dyn::Posed first = tip();
  dyn::Posed target = first;
  dyn::Vec3d last = first.p;
  double force = 0.0, least = 1e9, largest = 0.0;
  for (int k = 0; k < 5000; ++k) {
    const dyn::Vec3d now_at = tip().p;
    const double deep = now_at.x() - first.p.x() - kBegin, speed = (now_at - last).x() / kPeriod;
    last = now_at;
    force = deep > 0.0 ? std::max(0.0, kWall * deep + 50.0 * speed) : 0.0;
    target.p.x() = first.p.x() + kDeep * std::min(1.0, 5e-4 * k);
    WrenchStamped push;
    push.wrench.force.x = -force;
    wall->publish(push);
    if (k % 20 == 0) poses->publish(pose_message(target));
    deliver();
    watch_for(kPeriod);
    if (k < 4000) continue;
    least = std::min(least, force);
    largest = std::max(largest, force);
  }
  const double expected = kStiffness * (target.p.x() - tip().p.x());
  std::printf("force %.2f N, stiffness x penetration %.2f N, within %.2g N, torque steps %.3f\n",
              force, expected, largest - least, torque_step);
  EXPECT_EQ(state_of("ctc"), State::PRIMARY_STATE_ACTIVE);
  EXPECT_GT(force, 15.0);
  EXPECT_NEAR(force, expected, 0.05 * expected);
  EXPECT_LT(largest - least, 0.05 * force) << "chatter";
  EXPECT_LT(torque_step, 0.03);
}

TEST_F(TipUnderAManager, APolicyThatStutters) {
  begin("task_space");
  const auto poses = sender<PoseStamped>("ctc/target_pose");
  const dyn::Posed first = tip();
  dyn::Random random(20261360);
  double farthest = 0.0, rested = 1.0;
  for (int k = 0; k < 8000; ++k) {
    const double angle = 2e-3 * k;
    const bool silent = k > 4000 && k < 5000;
    dyn::Posed target = first;
    target.p += dyn::Vec3d(0.0, 0.06 * std::sin(angle), 0.06 * (1.0 - std::cos(angle)));
    if (k % 67 == 0 && !silent && !random.chance(0.2)) {
      poses->publish(pose_message(target));
      deliver();
    }
    watch_for(kPeriod);
    if (silent && k > 4800) rested = std::min(rested, read_states("velocity").norm());
    if (k > 500 && (k < 4000 || k > 6000)) {
      farthest = std::max(farthest, (tip().p - target.p).norm());
    }
  }
  std::printf("at most %.1f mm behind, %.2g rad/s while nothing comes, torque steps %.3f\n",
              1e3 * farthest, rested, torque_step);
  EXPECT_EQ(state_of("ctc"), State::PRIMARY_STATE_ACTIVE);
  EXPECT_EQ(loop().output().mode, dyn::ControlMode::kTracking);
  EXPECT_LT(farthest, 0.06);
  EXPECT_LT(rested, 0.02) << "too old a target is rested at";
  EXPECT_LT(torque_step, 0.05);
}

}  // namespace
}  // namespace dyn_control::test
