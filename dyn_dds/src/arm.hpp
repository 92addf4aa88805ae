// Arm: a simulated arm as a node: joint_states, robot_description and frames out, joint_trajectory in.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <dyn_core/inspect/frames.hpp>

#include "dds.hpp"
#include "fields.hpp"
#include "notes.hpp"
#include "simulation.hpp"

namespace dyn_dds {

class Arm {
 public:
  /// `chain` was made of `description`.
  Arm(Participant& participant, const std::string& name_space, const std::string& description,
      const dyn::ChainPtr& chain, bool demo, Notes& notes);

  [[nodiscard]] const NodeEntities& entities() const noexcept { return node_.entities(); }
  [[nodiscard]] const dyn::ChainPtr& chain() const noexcept { return chain_; }
  /// Takes the commands that have come.
  void work();
  /// One period, due at `stamp`; by one thread only.
  void step(const Time& stamp);

  struct Summary {
    Simulation::Doing doing = Simulation::Doing::kHolding;
    std::uint64_t steps = 0;
    dyn::JointState state;
    dyn::VecXd torque, error;
    bool fault = false;  ///< the law is not in force
    int joint_state_listeners = 0, frame_listeners = 0;
  };
  /// May be asked by another thread.
  [[nodiscard]] Summary summary() const;

 private:
  void take(const trajectory_msgs::msg::JointTrajectory& message);
  void publish_joint_states(const Time& stamp);

  Notes& notes_;
  dyn::ChainPtr chain_;
  dyn::inspect::FrameTree frames_;
  Simulation simulation_;
  Node node_;
  Publisher<sensor_msgs::msg::JointState> joint_states_;
  Publisher<std_msgs::msg::String> description_;
  Publisher<tf2_msgs::msg::TFMessage> tf_, tf_static_;
  Subscription<trajectory_msgs::msg::JointTrajectory> commands_;
  Fields fields_, joint_state_fields_;
  sensor_msgs::msg::JointState joint_state_ = {};
  std::uint64_t steps_ = 0;

  mutable std::mutex mutex_;  // of the following
  Summary summary_;
  dyn::VecXd reference_;
  bool has_command_ = false;
  dyn::TrajectoryPtr command_;
};

}  // namespace dyn_dds
