// The action follow_joint_trajectory, asked as rclcpp_action's clients ask.
#include <cmath>

#include <dyn_core/robot/urdf.hpp>

#include "arm.hpp"
#include "wire.hpp"

namespace dyn_dds::test {
namespace {

using SendGoal = control_msgs::action::FollowJointTrajectory_SendGoal;
using GetResult = control_msgs::action::FollowJointTrajectory_GetResult;
using CancelGoal = action_msgs::srv::CancelGoal;
using Feedback = control_msgs::action::FollowJointTrajectory_FeedbackMessage;
using Status = action_msgs::msg::GoalStatusArray;

constexpr int kSucceeded = 4, kCanceled = 5, kAborted = 6;

// Of one joint of a goal: tolerances as the message has them.
struct Tolerance {
  std::string name;
  double position = 0.0;
};

struct Asking : Wire {
  std::string action = own_namespace() + "/follow_joint_trajectory/_action/";
  Client<SendGoal> send_goal{own.get(), action + "send_goal"};
  Client<CancelGoal> cancel_goal{own.get(), action + "cancel_goal"};
  Client<GetResult> get_result{own.get(), action + "get_result"};
  Subscription<Feedback> feedback =
      node.subscription<Feedback>("follow_joint_trajectory/_action/feedback", Qos());
  Subscription<Status> status =
      node.subscription<Status>("follow_joint_trajectory/_action/status", latched);
  Subscription<sensor_msgs::msg::JointState> joint_states =
      node.subscription<sensor_msgs::msg::JointState>("joint_states", Qos());
  std::vector<std::string> names =
      dyn::load_urdf(robot_path("puma560")).value()->coordinate_names();
  Fields fields;

  /// Lets an arm of this process go on.
  virtual void turn() {}
  template <class Done>
  bool in_time(Done done) {
    return eventually([&] {
      turn();
      return done();
    });
  }
  /// Until client and arm know each other, requests are sent again; these ask for nothing.
  template <class Kind>
  bool meet(const Client<Kind>& client) {
    typename Kind::Request request = {};
    bool met = false;
    return in_time([&] {
      request.rmw_sequence = ++last_request;
      client.requests.send(request);
      turn();
      client.responses.take([&](const auto&, auto) { met = true; });
      return met;
    });
  }
  void SetUp() override {
    ASSERT_TRUE(meet(send_goal) && meet(cancel_goal) && meet(get_result));
    ASSERT_TRUE(in_time([&] { return feedback.talkers() > 0; }));
  }
  /// Passes the answer to `look`.
  template <class Kind, class Look>
  void ask(const Client<Kind>& client, typename Kind::Request& request, Look look) {
    request.rmw_sequence = ++last_request;
    client.requests.send(request);
    bool done = false;
    EXPECT_TRUE(in_time([&] {
      client.responses.take([&](const auto& response, auto) {
        if (response.rmw_sequence != request.rmw_sequence) return;
        look(response);
        done = true;
      });
      return done;
    }));
  }

  void fill(const Tolerance& from, auto& to) {
    if (from.name.empty()) return;
    auto& out = fields.resize(to, 1)[0];
    fields.text(from.name, out.name);
    out.position = from.position;
  }
  /// Whether the goal with this number for an identifier was accepted.
  bool accepted(std::uint8_t id, const std::vector<std::string>& joints, double position,
                double seconds, const Tolerance& path = {}, const Tolerance& goal = {}) {
    fields.clear();
    SendGoal::Request request = {};
    request.rmw_client = id;
    request.goal_id.uuid[0] = id;
    auto& trajectory = request.goal.trajectory;
    dyn::inspect::fill_names(fields, joints, trajectory.joint_names);
    auto& point = fields.resize(trajectory.points, 1)[0];
    const auto n = static_cast<dyn::Index>(joints.size());
    dyn::inspect::fill_array(fields, dyn::VecXd::Constant(n, position), point.positions);
    dyn::inspect::fill_time(seconds, point.time_from_start);
    fill(path, request.goal.path_tolerance);
    fill(goal, request.goal.goal_tolerance);
    dyn::inspect::fill_time(0.2, request.goal.goal_time_tolerance);
    bool yes = false;
    ask(send_goal, request, [&](const SendGoal::Response& response) { yes = response.accepted; });
    return yes;
  }
  struct Result {
    int status = -1, code = 0;
    std::string text;
  };
  Result result_of(std::uint8_t id) {
    GetResult::Request request = {};
    request.goal_id.uuid[0] = id;
    Result out;
    ask(get_result, request, [&](const GetResult::Response& response) {
      out = {response.status, response.result.error_code, response.result.error_string};
    });
    return out;
  }
  int cancel(std::uint8_t id) {
    CancelGoal::Request request = {};
    request.goal_info.goal_id.uuid[0] = id;
    int code = -1;
    ask(cancel_goal, request, [&](const CancelGoal::Response& response) {
      code = response.return_code;
      EXPECT_EQ(response.goals_canceling._length, code == 0 ? 1U : 0U);
    });
    return code;
  }
};

struct Acting : Asking {
  Server server{{robot_path("puma560"), "--arm"}};
};

// An arm of this process, with the page's side of it.
struct Paged : Asking {
  Notes notes;
  Robot robot{robot_text("puma560"), dyn::load_urdf(robot_path("puma560")).value(), {}};
  Arm arm{own, {.name_space = own_namespace(), .frame_prefix = ""}, robot, false, notes};
  dyn::view::Bridge bridge{6};

  Paged() { arm.show_on(bridge); }
  void turn() override {
    arm.work();
    arm.step(stamp_of_now());
  }
};

TEST_F(Acting, AGoalIsFollowedToItsEnd) {
  ASSERT_TRUE(accepted(1, names, 0.3, 1.0, {names[0], 0.1}, {names[0], 0.01}));
  const Result result = result_of(1);
  EXPECT_EQ(result.status, kSucceeded) << result.text;
  EXPECT_EQ(result.code, 0);
  int heard = 0, state = 0;
  EXPECT_TRUE(eventually([&] {
    feedback.take([&](const Feedback& message, auto) {
      ++heard;
      EXPECT_EQ(message.goal_id.uuid[0], 1);
      EXPECT_EQ(Fields::names(message.feedback.joint_names), names);
      EXPECT_EQ(message.feedback.desired.positions._length, names.size());
    });
    status.take(
        [&](const Status& message, auto) { state = message.status_list._buffer[0].status; });
    return heard > 0 && state == kSucceeded;
  })) << heard
      << " messages of feedback, status " << state;
  double worst = 1.0;
  EXPECT_TRUE(eventually([&] {
    joint_states.take([&](const sensor_msgs::msg::JointState& message, auto) {
      worst = 0.0;
      for (const double q : Fields::numbers(message.position)) {
        worst = std::max(worst, std::abs(q - 0.3));
      }
    });
    return worst < 2e-3;
  }));
  EXPECT_EQ(result_of(1).status, kSucceeded) << "it is remembered";
  EXPECT_EQ(result_of(99).status, 0) << "nobody knows that goal";
}

TEST_F(Acting, WhatCannotBeFollowedIsRejected) {
  EXPECT_FALSE(accepted(1, {"nobody"}, 0.3, 1.0));
  EXPECT_FALSE(accepted(2, {}, 0.3, 1.0));
  EXPECT_FALSE(accepted(3, names, 1e6, 1.0));
  EXPECT_FALSE(accepted(4, names, 0.3, 1.0, {"nobody", 0.1}));
  EXPECT_FALSE(accepted(5, names, 0.3, 1.0, {}, {names[0], std::nan("")}));
  ASSERT_TRUE(accepted(6, names, 0.3, 1.0));
  EXPECT_FALSE(accepted(6, names, 0.3, 1.0)) << "the same identifier";
  EXPECT_EQ(result_of(6).status, kSucceeded);
}

TEST_F(Acting, TolerancesAreKeptOrTheGoalIsAborted) {
  ASSERT_TRUE(accepted(1, names, 0.3, 1.0, {names[1], 1e-9}));
  Result result = result_of(1);
  EXPECT_EQ(result.status, kAborted);
  EXPECT_EQ(result.code, -4) << result.text;
  EXPECT_NE(result.text.find(names[1]), std::string::npos) << result.text;
  ASSERT_TRUE(accepted(2, names, 0.1, 0.5, {}, {names[1], 1e-15}));
  result = result_of(2);
  EXPECT_EQ(result.status, kAborted);
  EXPECT_EQ(result.code, -5) << result.text;
}

TEST_F(Acting, AnArmThatHadToBeBrakedGoesOn) {
  ASSERT_TRUE(accepted(1, names, 1.5, 0.01));
  const Result braked = result_of(1);
  EXPECT_EQ(braked.status, kAborted);
  EXPECT_EQ(braked.code, -4);
  EXPECT_NE(braked.text.find("braked"), std::string::npos) << braked.text;
  ASSERT_TRUE(accepted(2, names, 0.3, 2.0, {}, {names[0], 0.01}));
  const Result next = result_of(2);
  EXPECT_EQ(next.status, kSucceeded) << next.text;
}

TEST_F(Acting, AGoalIsCancelledOrReplaced) {
  EXPECT_EQ(cancel(1), 2) << "an unknown goal";
  ASSERT_TRUE(accepted(1, names, 0.3, 30.0));
  EXPECT_EQ(cancel(1), 0);
  EXPECT_EQ(result_of(1).status, kCanceled);
  EXPECT_EQ(cancel(1), 3) << "it has ended";
  ASSERT_TRUE(accepted(2, names, 0.3, 30.0));
  ASSERT_TRUE(accepted(3, names, 0.2, 30.0));
  const Result replaced = result_of(2);
  EXPECT_EQ(replaced.status, kAborted);
  EXPECT_EQ(replaced.code, -1);
  const auto commands =
      node.publisher<trajectory_msgs::msg::JointTrajectory>("joint_trajectory", Qos());
  ASSERT_TRUE(eventually([&] { return commands.listeners() > 0; }));
  int state = 0;
  EXPECT_TRUE(eventually([&] {
    commands.send({});
    status.take([&](const Status& message, auto) {
      state = Fields::numbers(message.status_list).back().status;
    });
    return state == kAborted;
  })) << "a command on the topic replaces it, too";
  EXPECT_NE(result_of(3).text.find("joint_trajectory"), std::string::npos);
  EXPECT_EQ(server.stop(SIGTERM), 0);
}

TEST_F(Acting, AHandEndsAGoal) {
  ASSERT_TRUE(accepted(1, names, 0.3, 30.0));
  using dyn_msgs::srv::Guide;
  const Client<Guide> guide(own.get(), own_namespace() + "/arm/guide");
  EXPECT_TRUE(answered(guide, {}, [](const Guide::Response& response) {
    EXPECT_TRUE(response.success) << response.message;
  }));
  const Result result = result_of(1);
  EXPECT_EQ(result.status, kAborted);
  EXPECT_NE(result.text.find("a hand"), std::string::npos) << result.text;
}

TEST_F(Paged, ThePageEndsAGoal) {
  ASSERT_TRUE(accepted(1, names, 0.3, 0.5));
  ASSERT_TRUE(in_time([&] { return arm.summary().doing == Simulation::Doing::kFollowing; }));
  ASSERT_TRUE(bridge.order([](dyn::SimulatedArm& it) { it.stop(); }, true));
  const Result result = result_of(1);
  EXPECT_EQ(result.status, kAborted);
  EXPECT_NE(result.text.find("the page"), std::string::npos) << result.text;
}

}  // namespace
}  // namespace dyn_dds::test
