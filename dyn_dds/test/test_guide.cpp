// The arm in a hand: pushed over the wire, recorded, held where it was left, and made to repeat it.
#include <cmath>

#include <dyn_core/robot/urdf.hpp>

#include "wire.hpp"

namespace dyn_dds::test {
namespace {

using dyn_msgs::srv::Guide;
using geometry_msgs::msg::WrenchStamped;
using sensor_msgs::msg::JointState;

struct Guided : Wire {
  static constexpr std::uint8_t kStart = 0, kStop = 1, kPlay = 2;

  Client<Guide> client{own.get(), own_namespace() + "/arm/guide"};
  Publisher<WrenchStamped> hand = node.publisher<WrenchStamped>("arm/tip_wrench", Qos());
  Subscription<JointState> joint_states =
      node.subscription<JointState>("joint_states", Qos{.depth = 100'000});
  std::vector<double> q, qd;
  Fields fields;
  Server server{{robot_path("puma560"), "--arm"}};

  void SetUp() override {
    ASSERT_TRUE(eventually(
        [&] { return hand.listeners() > 0 && client.responses.talkers() > 0 && see(); }));
  }

  /// Whether `good` is true of a state that has come; q and qd are of the latest looked at.
  template <class Good>
  bool see(Good good) {
    bool found = false;
    joint_states.take([&](const JointState& message, auto) {
      if (found) return;
      const auto positions = Fields::numbers(message.position);
      const auto velocities = Fields::numbers(message.velocity);
      q.assign(positions.begin(), positions.end());
      qd.assign(velocities.begin(), velocities.end());
      found = good();
    });
    return found;
  }
  bool see() {
    return see([] { return true; });
  }
  bool comes_to(const auto& good) {
    return eventually([&] { return see(good); });
  }
  // The answer once the request is one that can be carried out.
  template <class Look>
  void ask(std::uint8_t action, Look look) {
    Guide::Request request = {};
    request.action = action;
    request.speed = 3.0;
    ASSERT_TRUE(answered(client, request, look));
  }
  void push(double y) {
    fields.clear();
    WrenchStamped message = {};
    fields.text("", message.header.frame_id);
    message.wrench.force.y = y;
    hand.send(message);
  }
  [[nodiscard]] double away(const std::vector<double>& from) const {
    double out = 0.0;
    for (std::size_t i = 0; i < from.size(); ++i) out = std::max(out, std::abs(q[i] - from[i]));
    return out;
  }
  [[nodiscard]] bool rests() const {
    return std::ranges::all_of(qd, [](double v) { return std::abs(v) < 0.03; });
  }
};

TEST_F(Guided, PushedRecordedHeldAndRepeated) {
  const std::vector<double> first = q;
  ask(kStart, [](const Guide::Response& response) { EXPECT_TRUE(response.success); });
  ASSERT_TRUE(eventually([&] {
    push(20.0);  // the first may be lost
    return see([&] { return away(first) > 0.05; });
  }));
  push(0.0);
  ASSERT_TRUE(comes_to([&] { return rests(); }));
  std::string csv;
  std::vector<double> last;
  ask(kStop, [&](const Guide::Response& response) {
    EXPECT_TRUE(response.success) << response.message;
    EXPECT_GT(response.duration, 0.1);
    csv = response.csv;
    const auto points = Fields::numbers(response.recorded.points);
    ASSERT_GT(points.size(), 5U);
    const auto positions = Fields::numbers(points.back().positions);
    last.assign(positions.begin(), positions.end());
  });
  EXPECT_TRUE(csv.starts_with("t,q_")) << csv.substr(0, 20);
  push(-20.0);  // it is held again
  for (int k = 0; k < 30; ++k) eventually([&] { return see(); });
  EXPECT_LT(away(last), 0.05);
  push(0.0);
  // From elsewhere: the recording is repeated from its beginning, where the arm was, to its end.
  ask(kPlay, [](const Guide::Response& response) {
    EXPECT_TRUE(response.success) << response.message;
    EXPECT_GT(response.duration, 1.0);
  });
  EXPECT_TRUE(comes_to([&] { return away(first) < 0.02; })) << "back at its beginning";
  EXPECT_TRUE(comes_to([&] { return away(last) < 0.04 && rests(); })) << "at its end";
}

TEST_F(Guided, WhatMakesNoSenseIsASentence) {
  ask(kPlay, [](const Guide::Response& response) {
    EXPECT_FALSE(response.success);
    EXPECT_NE(std::string(response.message).find("guide the arm first"), std::string::npos);
  });
  ask(7, [](const Guide::Response& response) {
    EXPECT_FALSE(response.success);
    EXPECT_NE(std::string(response.message).find("neither START"), std::string::npos);
  });
}

}  // namespace
}  // namespace dyn_dds::test
