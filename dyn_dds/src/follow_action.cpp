#include "follow_action.hpp"

#include <algorithm>
#include <cmath>

#include <dyn_core/base/printable.hpp>
#include <fmt/format.h>

namespace dyn_dds {
namespace {

constexpr std::size_t kMostGoals = 32;    // that are remembered
constexpr std::size_t kMostWaiting = 32;  // for the result of one
constexpr double kFeedbackPeriod = 0.05;  // s
constexpr Qos kStatusQos{.depth = 1, .latched = true};

// Of action_msgs/GoalStatus.
constexpr std::int8_t kExecuting = 2, kSucceeded = 4, kCanceled = 5, kAborted = 6;
// Of action_msgs/CancelGoal.
constexpr std::int8_t kRejected = 1, kUnknownGoal = 2, kGoalTerminated = 3;
// Of control_msgs/FollowJointTrajectory.
constexpr std::int32_t kSuccessful = 0, kInvalidGoal = -1, kPathViolated = -4, kGoalViolated = -5;

double seconds_of(const auto& time) { return time.sec + 1e-9 * time.nanosec; }

bool same(const unique_identifier_msgs::msg::UUID& a, const unique_identifier_msgs::msg::UUID& b) {
  return std::ranges::equal(a.uuid, b.uuid);
}

// Zero: what was there; negative: any error will do.
void take_tolerance(double given, double& to) {
  if (given != 0.0) to = given > 0.0 ? given : std::numeric_limits<double>::infinity();
}

// Puts the tolerances of the joints named into the chain's order. The error names the joint.
dyn::Result<void> take_tolerances(const dyn::Chain& chain, const auto& given, dyn::VecXd& position,
                                  dyn::VecXd& speed) {
  for (const auto& tolerance : Fields::numbers(given)) {
    const auto& names = chain.coordinate_names();
    const auto at = std::ranges::find(names, std::string_view(tolerance.name));
    if (at == names.end()) {
      return dyn::fail(
          fmt::format("there is a tolerance for the joint '{}', which the chain has not",
                      dyn::printable(tolerance.name, 60)));
    }
    if (!std::isfinite(tolerance.position) || !std::isfinite(tolerance.velocity)) {
      return dyn::fail(fmt::format("the tolerance of joint '{}' is not finite", *at));
    }
    take_tolerance(tolerance.position, position[at - names.begin()]);
    take_tolerance(tolerance.velocity, speed[at - names.begin()]);
  }
  return {};
}

void fill_point(Fields& fields, const dyn::VecXd& q, const dyn::VecXd& qd, auto& to) {
  dyn::inspect::fill_array(fields, q, to.positions);
  dyn::inspect::fill_array(fields, qd, to.velocities);
}

}  // namespace

FollowAction::FollowAction(Node& node, const dyn::ChainPtr& chain, Motions motions, Notes& notes)
    : chain_(chain),
      motions_(std::move(motions)),
      notes_(notes),
      send_goal_(node.service<SendGoal>("follow_joint_trajectory/_action/send_goal")),
      cancel_goal_(node.service<CancelGoal>("follow_joint_trajectory/_action/cancel_goal")),
      get_result_(node.service<GetResult>("follow_joint_trajectory/_action/get_result")),
      feedback_(node.publisher<Feedback>("follow_joint_trajectory/_action/feedback", Qos())),
      status_(node.publisher<Status>("follow_joint_trajectory/_action/status", kStatusQos)) {}

FollowAction::Goal* FollowAction::find(const Uuid& id) {
  const auto at =
      std::ranges::find_if(goals_, [&](const Goal& goal) { return same(goal.info.goal_id, id); });
  return at == goals_.end() ? nullptr : &*at;
}

dyn::Result<Tolerances> FollowAction::tolerances_of(
    const control_msgs::action::FollowJointTrajectory_Goal& goal) const {
  if (goal.multi_dof_trajectory.points._length > 0 || goal.component_path_tolerance._length > 0 ||
      goal.component_goal_tolerance._length > 0) {
    return dyn::fail("it is for joints of several degrees of freedom, which the arm has not");
  }
  const double end =
      goal.trajectory.points._length == 0
          ? 0.0
          : seconds_of(Fields::numbers(goal.trajectory.points).back().time_from_start);
  const double start = seconds_of(goal.trajectory.header.stamp);
  const double now = seconds_of(stamp_of_now());
  if (start > 0.0 && start + end < now) {
    return dyn::fail(fmt::format("by its stamp it was over {:.3g} s ago", now - start - end));
  }
  Tolerances out(chain_->dof());
  const auto path = take_tolerances(*chain_, goal.path_tolerance, out.path, out.path_speed);
  if (!path) return tl::unexpected(path.error());
  const auto last = take_tolerances(*chain_, goal.goal_tolerance, out.end, out.end_speed);
  if (!last) return tl::unexpected(last.error());
  out.time = std::max(seconds_of(goal.goal_time_tolerance), 0.0);
  return out;
}

void FollowAction::take(const SendGoal::Request& request, SendGoal::Response& response) {
  const auto begin = [&]() -> dyn::Result<std::uint64_t> {
    if (find(request.goal_id) != nullptr) return dyn::fail("its identifier was used before");
    if (request.goal.trajectory.points._length == 0) return dyn::fail("it has no points");
    const auto tolerances = tolerances_of(request.goal);
    if (!tolerances) return tl::unexpected(tolerances.error());
    return motions_.start(request.goal.trajectory, *tolerances);
  };
  const auto motion = begin();
  response.stamp = stamp_of_now();
  response.accepted = motion.has_value();
  if (!motion) {
    notes_.add("a goal of follow_joint_trajectory was rejected: " + motion.error().sentence);
    return;
  }
  if (active_ != nullptr) finish(kAborted, kInvalidGoal, "it was replaced by a new goal");
  if (goals_.size() == kMostGoals) goals_.pop_front();
  goals_.push_back({{request.goal_id, response.stamp}, kExecuting, *motion, 0, {}, {}});
  active_ = &goals_.back();
}

void FollowAction::take(const CancelGoal::Request& request, CancelGoal::Response& response) {
  const auto& id = request.goal_info.goal_id;
  const bool any = std::ranges::all_of(id.uuid, [](std::uint8_t byte) { return byte == 0; });
  const double before = seconds_of(request.goal_info.stamp);
  const bool meant =
      active_ != nullptr && ((any && before == 0.0) || same(active_->info.goal_id, id) ||
                             (before > 0.0 && seconds_of(active_->info.stamp) <= before));
  if (!meant) {
    response.return_code = any ? kRejected : find(id) == nullptr ? kUnknownGoal : kGoalTerminated;
    return;
  }
  fields_.clear();
  fields_.resize(response.goals_canceling, 1)[0] = active_->info;
  cancelled_ = true;
}

void FollowAction::take(const GetResult::Request& request) {
  Goal* goal = find(request.goal_id);
  if (goal == nullptr) {
    send_result({}, request.rmw_client, request.rmw_sequence);  // of status 0, unknown
  } else if (goal != active_) {
    send_result(*goal, request.rmw_client, request.rmw_sequence);
  } else if (goal->waiting.size() < kMostWaiting) {
    goal->waiting.emplace_back(request.rmw_client, request.rmw_sequence);
  }
}

void FollowAction::send_result(const Goal& goal, std::uint64_t client, std::int64_t sequence) {
  fields_.clear();
  GetResult::Response response = {};
  response.rmw_client = client;
  response.rmw_sequence = sequence;
  response.status = goal.status;
  response.result.error_code = goal.code;
  fields_.text(goal.text, response.result.error_string);
  get_result_.send(response);
}

void FollowAction::send_status() {
  fields_.clear();
  Status message = {};
  const auto list = fields_.resize(message.status_list, goals_.size());
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = {goals_[i].info, goals_[i].status};
  status_.send(message);
}

void FollowAction::finish(std::int8_t status, std::int32_t code, const std::string& text) {
  Goal& goal = *std::exchange(active_, nullptr);
  goal.status = status;
  goal.code = code;
  goal.text = text;
  notes_.add("the goal of follow_joint_trajectory has ended: " + text);
  send_status();
  for (const auto& [client, sequence] : std::exchange(goal.waiting, {})) {
    send_result(goal, client, sequence);
  }
}

void FollowAction::send_feedback(const Progress& progress) {
  const double now = steady_seconds();
  if (now - feedback_sent_ < kFeedbackPeriod || feedback_.listeners() == 0) return;
  feedback_sent_ = now;
  fields_.clear();
  Feedback message = {};
  message.goal_id = active_->info.goal_id;
  message.feedback.header.stamp = stamp_of_now();
  fields_.text("", message.feedback.header.frame_id);
  dyn::inspect::fill_names(fields_, chain_->coordinate_names(), message.feedback.joint_names);
  dyn::VecXd error(chain_->dof());
  dyn::joint_difference(*chain_, progress.desired.q, progress.actual.q, error);
  fill_point(fields_, progress.desired.q, progress.desired.qd, message.feedback.desired);
  fill_point(fields_, progress.actual.q, progress.actual.qd, message.feedback.actual);
  fill_point(fields_, error, progress.desired.qd - progress.actual.qd, message.feedback.error);
  feedback_.send(message);
}

void FollowAction::follow_progress() {
  const Progress progress = motions_.progress();
  if (progress.motion < active_->motion) return;  // not begun yet
  if (progress.motion > active_->motion || !progress.watch) {
    finish(kAborted, kInvalidGoal, fmt::format("it was replaced by {}", progress.by));
    return;
  }
  switch (progress.watch->outcome()) {
    case Outcome::kUnderWay:
      send_feedback(progress);
      break;
    case Outcome::kReached:
      finish(kSucceeded, kSuccessful, "goal reached");
      break;
    case Outcome::kOffPath:
    case Outcome::kBraked:
      finish(kAborted, kPathViolated, progress.watch->sentence(*chain_));
      break;
    case Outcome::kLate:
      finish(kAborted, kGoalViolated, progress.watch->sentence(*chain_));
      break;
  }
}

void FollowAction::work() {
  const Goal* const before = active_;
  send_goal_.serve([this](const auto& request, auto& response) { take(request, response); });
  if (active_ != before && active_ != nullptr) send_status();
  cancel_goal_.serve([this](const auto& request, auto& response) { take(request, response); });
  if (std::exchange(cancelled_, false) && active_ != nullptr) {
    motions_.stop();
    finish(kCanceled, kSuccessful, "it was cancelled");
  }
  get_result_.take([this](const GetResult::Request& request) { take(request); });
  if (active_ != nullptr) follow_progress();
}

}  // namespace dyn_dds
