// Arm: a simulated arm as a node: joint_states, robot_description and frames out, joint_trajectory in.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <dyn_core/inspect/frames.hpp>
#include <dyn_view/bridge.hpp>

#include "dds.hpp"
#include "fields.hpp"
#include "follow_action.hpp"
#include "notes.hpp"
#include "simulation.hpp"

namespace dyn_dds {

struct Robot {
  std::string description;
  dyn::ChainPtr chain;     ///< made of it; null where there is none
  dyn::RigidBody payload;  ///< at its tip link
};

class Arm {
 public:
  Arm(Participant& participant, const Naming& naming, const Robot& robot, bool demo, Notes& notes);

  [[nodiscard]] const NodeEntities& entities() const noexcept { return node_.entities(); }
  [[nodiscard]] const dyn::ChainPtr& chain() const noexcept { return chain_; }
  /// Takes the commands and requests that have come.
  void work();
  /// Whether somebody waits for how a motion fares, and work() should be called often.
  [[nodiscard]] bool watched() const noexcept { return follow_action_.active(); }
  /// One period, due at `stamp` and begun `late` s after; by one thread only.
  void step(const Time& stamp, double late = 0.0);
  /// The page that shows and moves it, before the first period.
  void show_on(dyn::view::Bridge& bridge) noexcept { bridge_ = &bridge; }
  [[nodiscard]] const dyn::ArmSettings& settings() const noexcept {
    return simulation_.arm().settings();
  }

  struct Summary {
    Simulation::Doing doing = Simulation::Doing::kHolding;
    std::uint64_t steps = 0;
    dyn::JointState state;
    dyn::VecXd torque, error;
    bool fault = false;  ///< the law is not in force
    bool guidable = true;
    int joint_state_listeners = 0, frame_listeners = 0;
  };
  /// May be asked by another thread.
  [[nodiscard]] Summary summary() const;

 private:
  using JointTrajectory = trajectory_msgs::msg::JointTrajectory;
  /// From the next period on; its number, or why not.
  [[nodiscard]] dyn::Result<std::uint64_t> start(const JointTrajectory& message,
                                                 std::optional<GoalWatch> watch);
  std::uint64_t start(dyn::TrajectoryPtr trajectory, const char* by,
                      std::optional<GoalWatch> watch = {});
  /// The arm does now what `by` says, and no goal is watched.
  void replace_motion(const char* by);
  [[nodiscard]] Progress progress() const;
  [[nodiscard]] Motions motions();
  [[nodiscard]] dyn::Result<void> take(const dyn_msgs::srv::InjectFault::Request& request);
  [[nodiscard]] dyn::Result<void> take(const dyn_msgs::srv::SetPayload::Request& request);
  [[nodiscard]] dyn::Result<void> guide(const dyn_msgs::srv::Guide::Request& request,
                                        dyn_msgs::srv::Guide::Response& response);
  void push(const geometry_msgs::msg::WrenchStamped& message);
  void take_requests();
  void note_fault();
  void publish_frames(const std::vector<dyn::inspect::LinkFrame>& frames, const Time& stamp,
                      const Publisher<tf2_msgs::msg::TFMessage>& publisher);
  void publish_joint_states(const Time& stamp);

  Notes& notes_;
  dyn::ChainPtr chain_;
  dyn::inspect::FrameTree frames_;
  std::string frame_prefix_;
  Simulation simulation_;
  Node node_;
  Publisher<sensor_msgs::msg::JointState> joint_states_;
  Publisher<std_msgs::msg::String> description_;
  Publisher<tf2_msgs::msg::TFMessage> tf_, tf_static_;
  Subscription<trajectory_msgs::msg::JointTrajectory> commands_;
  Service<dyn_msgs::srv::InjectFault> inject_fault_;
  Service<dyn_msgs::srv::SetPayload> set_payload_;
  Service<dyn_msgs::srv::Guide> guide_;
  Subscription<geometry_msgs::msg::WrenchStamped> tip_wrench_;
  Fields fields_, joint_state_fields_, response_fields_;
  sensor_msgs::msg::JointState joint_state_ = {};
  dyn::view::Bridge* bridge_ = nullptr;
  std::uint64_t steps_ = 0;
  dyn::Status fault_ = dyn::Status::kOk;

  mutable std::mutex mutex_;  // of the following
  Summary summary_;
  dyn::JointState reference_;
  struct Order {
    dyn::TrajectoryPtr trajectory;  // null: stop
    const char* by;
    std::optional<GoalWatch> watch;
  };
  std::optional<Order> order_;
  std::uint64_t ordered_ = 0, begun_ = 0;  // motions
  const char* begun_by_ = "";
  std::optional<GoalWatch> watch_;  // of the one begun last
  std::optional<dyn::RigidBody> payload_;
  bool guide_wanted_ = false;
  std::optional<dyn::Wrench> pushed_;
  std::optional<std::pair<dyn::Breakage, double>> breakage_;  // with its duration

  FollowAction follow_action_;
};

}  // namespace dyn_dds
