#include "arm.hpp"

#include <utility>

#include <dyn_core/inspect/guide.hpp>
#include <dyn_core/inspect/request.hpp>
#include <fmt/format.h>

#include "services.hpp"

namespace dyn_dds {
namespace {

constexpr std::uint64_t kStepsPerFrames = 20;  // 50 Hz
constexpr Qos kLatched{.depth = 1, .latched = true};

// Who tells the arm what to do.
constexpr const char* kTopic = "a command on joint_trajectory";
constexpr const char* kHand = "a hand that guides the arm";
constexpr const char* kGuide = "a request to guide";
constexpr const char* kPage = "the page";

}  // namespace

Arm::Arm(Participant& participant, const Naming& naming, const Robot& robot, bool demo,
         Notes& notes)
    : notes_(notes),
      chain_(robot.chain),
      frames_(required(dyn::inspect::FrameTree::make(robot.description, *chain_))),
      frame_prefix_(naming.frame_prefix),
      simulation_(required(Simulation::make(chain_, robot.payload, demo))),
      node_(participant, naming.name_space, "arm"),
      joint_states_(node_.publisher<sensor_msgs::msg::JointState>("joint_states", Qos())),
      description_(node_.publisher<std_msgs::msg::String>("robot_description", kLatched)),
      tf_(node_.publisher<tf2_msgs::msg::TFMessage>("/tf", Qos{.depth = 100})),
      tf_static_(node_.publisher<tf2_msgs::msg::TFMessage>("/tf_static", kLatched)),
      commands_(
          node_.subscription<trajectory_msgs::msg::JointTrajectory>("joint_trajectory", Qos())),
      inject_fault_(node_.service<dyn_msgs::srv::InjectFault>("~/inject_fault")),
      set_payload_(node_.service<dyn_msgs::srv::SetPayload>("~/set_payload")),
      guide_(node_.service<dyn_msgs::srv::Guide>("~/guide")),
      tip_wrench_(node_.subscription<geometry_msgs::msg::WrenchStamped>("~/tip_wrench", Qos())),
      summary_{.state = simulation_.arm().state(),
               .torque = simulation_.arm().torque(),
               .error = simulation_.arm().error(),
               .guidable = simulation_.arm().guidable()},
      reference_(chain_->dof()),
      follow_action_(node_, chain_, motions(), notes) {
  reference_.q = simulation_.arm().reference().q;
  std::vector<std::string> names = chain_->coordinate_names();
  names.insert(names.end(), frames_.other_joints().begin(), frames_.other_joints().end());
  dyn::inspect::fill_names(joint_state_fields_, names, joint_state_.name);
  joint_state_fields_.resize(joint_state_.position, names.size());
  joint_state_fields_.resize(joint_state_.velocity, names.size());
  joint_state_fields_.resize(joint_state_.effort, names.size());
  std_msgs::msg::String text = {};
  fields_.text(robot.description, text.data);
  description_.send(text);
  publish_frames(frames_.fixed(), stamp_of_now(), tf_static_);
}

void Arm::work() {
  commands_.take([this](const JointTrajectory& message, dds_instance_handle_t) {
    if (message.points._length == 0) {
      (void)start(dyn::TrajectoryPtr(), kTopic);
      notes_.add("stopping: a joint trajectory without points");
    } else if (const auto started = start(message, {}); !started) {
      notes_.add("a joint trajectory was refused: " + started.error().sentence);
    }
  });
  follow_action_.work();
  serve(inject_fault_, response_fields_,
        [this](const auto& request, auto&) { return take(request); });
  serve(set_payload_, response_fields_,
        [this](const auto& request, auto&) { return take(request); });
  serve(guide_, response_fields_,
        [this](const auto& request, auto& response) { return guide(request, response); });
  tip_wrench_.take([this](const geometry_msgs::msg::WrenchStamped& message, dds_instance_handle_t) {
    push(message);
  });
}

dyn::Result<void> Arm::guide(const dyn_msgs::srv::Guide::Request& request,
                             dyn_msgs::srv::Guide::Response& response) {
  using dyn::inspect::GuideAction;
  const auto action = dyn::inspect::guide_action(request.action);
  if (!action) return tl::unexpected(action.error());
  {
    const std::scoped_lock lock(mutex_);
    if (guide_wanted_ || order_) return dyn::fail("the last request is still to be carried out");
    if (*action == GuideAction::kStart && !summary_.guidable) {
      return dyn::fail(
          "the arm cannot be guided under its law; choose computed_torque on the page");
    }
    guide_wanted_ = *action == GuideAction::kStart;
  }
  if (*action == GuideAction::kStop) {
    dyn::inspect::fill_guide(response_fields_, *chain_, simulation_.recorder().recording(),
                             response);
    (void)start(dyn::TrajectoryPtr(), kGuide);
  } else if (*action == GuideAction::kPlay) {
    const dyn::VecXd from = progress().desired.q;
    auto motion = dyn::inspect::motion_of(response_fields_, *chain_, request,
                                          simulation_.recorder().recording(), from);
    if (!motion) return tl::unexpected(motion.error());
    response.duration = (*motion)->duration();
    (void)start(std::move(*motion), kGuide);
  }
  notes_.add(*action == GuideAction::kStart  ? "the arm is in a hand"
             : *action == GuideAction::kStop ? "the arm is held again"
                                             : "repeating what was recorded");
  return {};
}

void Arm::push(const geometry_msgs::msg::WrenchStamped& message) {
  std::string_view frame = message.header.frame_id;
  if (frame.starts_with(frame_prefix_)) frame.remove_prefix(frame_prefix_.size());
  const auto wrench = dyn::inspect::requested_wrench(chain_->base(), std::string(frame),
                                                     dyn::inspect::to_wrench(message.wrench));
  if (!wrench) {
    notes_.add("a tip wrench was refused: " + wrench.error().sentence);
    return;
  }
  const std::scoped_lock lock(mutex_);
  pushed_ = *wrench;
}

dyn::Result<std::uint64_t> Arm::start(const JointTrajectory& message,
                                      std::optional<GoalWatch> watch) {
  Command command{Fields::names(message.joint_names), {}, {}};
  for (const auto& point : Fields::numbers(message.points)) {
    command.times.push_back(point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec);
    command.positions.push_back(Fields::numbers(point.positions));
  }
  const auto now = [&] {
    const std::scoped_lock lock(mutex_);
    return reference_.q;
  };
  auto trajectory = to_trajectory(*chain_, command, now());
  if (!trajectory) return tl::unexpected(trajectory.error());
  notes_.add(fmt::format("following a joint trajectory of {} points for {:.3g} s",
                         command.times.size(), (*trajectory)->duration()));
  return start(std::move(*trajectory), kTopic, std::move(watch));
}

std::uint64_t Arm::start(dyn::TrajectoryPtr trajectory, const char* by,
                         std::optional<GoalWatch> watch) {
  const std::scoped_lock lock(mutex_);
  order_ = Order{std::move(trajectory), by, std::move(watch)};
  return ++ordered_;
}

Motions Arm::motions() {
  return {[this](const JointTrajectory& message, const Tolerances& tolerances) {
            return start(message, GoalWatch(tolerances));
          },
          [this] { (void)start(dyn::TrajectoryPtr(), kTopic); }, [this] { return progress(); }};
}

Progress Arm::progress() const {
  const std::scoped_lock lock(mutex_);
  return {begun_, watch_, begun_by_, reference_, summary_.state};
}

dyn::Result<void> Arm::take(const dyn_msgs::srv::InjectFault::Request& request) {
  const auto breakage = dyn::breakage_named(request.fault);
  if (!breakage) return tl::unexpected(breakage.error());
  if (!(request.duration >= 0.0)) {
    return dyn::fail("the duration is not 0 or more; give seconds, or 0");
  }
  const std::scoped_lock lock(mutex_);
  breakage_ = {*breakage, request.duration};
  return {};
}

dyn::Result<void> Arm::take(const dyn_msgs::srv::SetPayload::Request& request) {
  std::string_view frame = request.frame_id;
  if (frame.starts_with(frame_prefix_)) frame.remove_prefix(frame_prefix_.size());
  const auto payload = dyn::inspect::requested_payload(chain_->tip(), std::string(frame),
                                                       dyn::inspect::to_body(request.payload));
  if (!payload) return tl::unexpected(payload.error());
  const std::scoped_lock lock(mutex_);
  payload_ = *payload;
  return {};
}

void Arm::note_fault() {
  const dyn::Status fault = simulation_.arm().fault();
  if (std::exchange(fault_, fault) == fault || fault == dyn::Status::kOk) return;
  notes_.add(fmt::format("the arm is braked: {}: {}; it holds where it comes to rest",
                         dyn::culprit(*chain_, simulation_.arm().fault_joint()),
                         dyn::to_string(fault)));
}

// A motion that waits is begun after it, and keeps its number.
void Arm::replace_motion(const char* by) {
  watch_.reset();
  begun_by_ = by;
  if (!order_) begun_ = ++ordered_;
}

// A motion waits until the arm is no longer braked.
void Arm::take_requests() {
  if (order_ && simulation_.arm().fault() == dyn::Status::kOk) {
    auto order = std::exchange(order_, {});
    simulation_.follow(std::move(order->trajectory), order->watch);
    watch_ = std::move(order->watch);
    begun_ = ordered_;
    begun_by_ = order->by;
  }
  const auto& watch = simulation_.watch();
  if (watch && watch->outcome() != watch_->outcome()) watch_ = watch;
  if (std::exchange(guide_wanted_, false) && simulation_.guide()) replace_motion(kHand);
  if (const auto wrench = std::exchange(pushed_, {})) simulation_.arm().push(*wrench);
  if (const auto payload = std::exchange(payload_, {})) simulation_.arm().set_payload(*payload);
  if (const auto breakage = std::exchange(breakage_, {})) {
    simulation_.arm().inject(breakage->first, breakage->second);
  }
}

void Arm::publish_frames(const std::vector<dyn::inspect::LinkFrame>& frames, const Time& stamp,
                         const Publisher<tf2_msgs::msg::TFMessage>& publisher) {
  fields_.clear();
  tf2_msgs::msg::TFMessage message = {};
  const auto out = fields_.resize(message.transforms, frames.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].header.stamp = stamp;
    dyn::inspect::fill_frame(fields_, frames[i], out[i]);
    if (frame_prefix_.empty()) continue;
    fields_.text(frame_prefix_ + frames[i].parent, out[i].header.frame_id);
    fields_.text(frame_prefix_ + frames[i].link, out[i].child_frame_id);
  }
  publisher.send(message);
}

void Arm::publish_joint_states(const Time& stamp) {
  const auto n = static_cast<std::size_t>(chain_->dof());
  joint_state_.header.stamp = stamp;
  dyn::inspect::fill(simulation_.arm().state().q, {joint_state_.position._buffer, n});
  dyn::inspect::fill(simulation_.arm().state().qd, {joint_state_.velocity._buffer, n});
  dyn::inspect::fill(simulation_.arm().torque(), {joint_state_.effort._buffer, n});
  joint_states_.send(joint_state_);
}

void Arm::step(const Time& stamp, double late) {
  const dyn::Status status = simulation_.step();
  const bool by_page = bridge_ != nullptr && bridge_->exchange(simulation_.arm(), late);
  if (by_page) simulation_.let_go();
  note_fault();
  publish_joint_states(stamp);
  if (steps_++ % kStepsPerFrames == 0 && simulation_.arm().state().q.allFinite()) {
    publish_frames(frames_.moving(simulation_.arm().state().q), stamp, tf_);
  }

  const std::scoped_lock lock(mutex_);
  if (by_page) replace_motion(kPage);
  take_requests();
  reference_.q = simulation_.arm().reference().q;
  reference_.qd = simulation_.arm().reference().qd;
  summary_.doing = simulation_.doing();
  summary_.steps = steps_;
  summary_.state = simulation_.arm().state();
  summary_.torque = simulation_.arm().torque();
  summary_.error = simulation_.arm().error();
  summary_.fault =
      status != dyn::Status::kOk || simulation_.arm().output().mode != dyn::ControlMode::kTracking;
  summary_.guidable = simulation_.arm().guidable();
}

Arm::Summary Arm::summary() const {
  const std::scoped_lock lock(mutex_);
  Summary out = summary_;
  out.joint_state_listeners = joint_states_.listeners();
  out.frame_listeners = tf_.listeners();
  return out;
}

}  // namespace dyn_dds
