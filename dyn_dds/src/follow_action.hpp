// FollowAction: the action follow_joint_trajectory (control_msgs/FollowJointTrajectory), made of services and
// topics as ROS 2 does it.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dds.hpp"
#include "fields.hpp"
#include "goal.hpp"
#include "notes.hpp"

namespace dyn_dds {

/// How the arm fares with the latest motion it was told.
struct Progress {
  std::uint64_t motion = 0;  ///< counts them; zero: none yet
  std::optional<GoalWatch> watch;
  const char* by = "";  ///< what told it
  dyn::JointState desired, actual;
};

/// What the action needs of the arm.
struct Motions {
  /// Begins a motion; its number, or why not.
  std::function<dyn::Result<std::uint64_t>(const trajectory_msgs::msg::JointTrajectory&,
                                           const Tolerances&)>
      start;
  std::function<void()> stop;
  std::function<Progress()> progress;
};

class FollowAction {
 public:
  FollowAction(Node& node, const dyn::ChainPtr& chain, Motions motions, Notes& notes);

  /// Takes and answers all that has come, and says how the goal fares.
  void work();
  /// Whether a goal is being followed.
  [[nodiscard]] bool active() const noexcept { return active_ != nullptr; }

 private:
  using Uuid = unique_identifier_msgs::msg::UUID;
  using SendGoal = control_msgs::action::FollowJointTrajectory_SendGoal;
  using GetResult = control_msgs::action::FollowJointTrajectory_GetResult;
  using CancelGoal = action_msgs::srv::CancelGoal;
  using Feedback = control_msgs::action::FollowJointTrajectory_FeedbackMessage;
  using Status = action_msgs::msg::GoalStatusArray;
  struct Goal {
    action_msgs::msg::GoalInfo info;
    std::int8_t status;
    std::uint64_t motion;
    std::int32_t code = 0;
    std::string text;
    std::vector<std::pair<std::uint64_t, std::int64_t>> waiting;  // requests for its result
  };

  void take(const SendGoal::Request& request, SendGoal::Response& response);
  [[nodiscard]] dyn::Result<Tolerances> tolerances_of(
      const control_msgs::action::FollowJointTrajectory_Goal& goal) const;
  void take(const CancelGoal::Request& request, CancelGoal::Response& response);
  void take(const GetResult::Request& request);
  void send_result(const Goal& goal, std::uint64_t client, std::int64_t sequence);
  void send_status();
  void send_feedback(const Progress& progress);
  void follow_progress();
  /// Of the goal that is being followed.
  void finish(std::int8_t status, std::int32_t code, const std::string& text);
  [[nodiscard]] Goal* find(const Uuid& id);

  dyn::ChainPtr chain_;
  Motions motions_;
  Notes& notes_;
  Service<SendGoal> send_goal_;
  Service<CancelGoal> cancel_goal_;
  Service<GetResult> get_result_;
  Publisher<Feedback> feedback_;
  Publisher<Status> status_;
  Fields fields_;
  std::deque<Goal> goals_;  // the latest; their addresses do not change
  Goal* active_ = nullptr;
  bool cancelled_ = false;  // it is to end once its cancellation is answered
  double feedback_sent_ = 0.0;
};

}  // namespace dyn_dds
