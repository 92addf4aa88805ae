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

// The node's topics: what they carry is computed by dyn_core; here it is asked for, copied and
// sent.
#pragma once

#include <string>
#include <vector>

#include <builtin_interfaces/msg/time.hpp>
#include <dyn_core/inspect/monitor.hpp>
#include <dyn_msgs/msg/coriolis_matrix.hpp>
#include <dyn_msgs/msg/dh_chain.hpp>
#include <dyn_msgs/msg/diagonalized_dynamics.hpp>
#include <dyn_msgs/msg/inertia_power.hpp>
#include <dyn_msgs/msg/joint_dynamics.hpp>
#include <dyn_msgs/msg/mass_matrix.hpp>
#include <dyn_msgs/msg/model_report.hpp>
#include <geometry_msgs/msg/wrench_stamped.hpp>
#include <rclcpp/node.hpp>
#include <rclcpp/publisher.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <visualization_msgs/msg/marker_array.hpp>

#include "dyn_ros/sender.hpp"

namespace dyn_ros {

/// What one joint state gives rise to. Names and sizes stay from one use to the next.
struct Messages {
  dyn::inspect::OutputSet due;  ///< what is to be sent
  dyn_msgs::msg::MassMatrix mass_matrix;
  dyn_msgs::msg::JointDynamics joint_dynamics;
  dyn_msgs::msg::DiagonalizedDynamics diagonalized;
  dyn_msgs::msg::CoriolisMatrix coriolis_matrix;
  dyn_msgs::msg::InertiaPower inertia_power;
  sensor_msgs::msg::JointState gravity_torque, coriolis_torque, residual;
  geometry_msgs::msg::WrenchStamped external_wrench;
  visualization_msgs::msg::MarkerArray markers;

  [[nodiscard]] bool is_due(dyn::inspect::Output output) const { return due.test(index(output)); }
};

class Publishers {
 public:
  explicit Publishers(rclcpp::Node& node);

  void set_frame_prefix(const std::string& prefix) { frame_prefix_ = prefix; }
  void set_marker_lifetime(double seconds) { marker_lifetime_ = seconds; }

  /// After a new model or frame prefix: names and sizes, the chain's table, and an empty picture.
  void announce(dyn::inspect::Monitor& monitor, const builtin_interfaces::msg::Time& stamp);
  /// The model's report, after every change of the model or the description.
  void report(const dyn::inspect::Monitor& monitor, const builtin_interfaces::msg::Time& stamp);
  /// Computes all that is due for the complete joint state and hands it to the thread that
  /// sends: a message's way into the network takes longer than its computation.
  void publish(dyn::inspect::Monitor& monitor, const builtin_interfaces::msg::Time& stamp,
               double now);

 private:
  template <class Message>
  using Publisher = typename rclcpp::Publisher<Message>::SharedPtr;

  void announce(const dyn::Chain& chain, Messages& messages) const;
  void look_for_listeners(double now);
  void fill(dyn::inspect::Monitor& monitor, Messages& messages) const;
  void fill_markers(const std::vector<dyn::inspect::Marker>& picture, Messages& messages) const;
  /// These outputs could not be computed.
  void warn(const dyn::inspect::Monitor& monitor, const dyn::inspect::OutputSet& missing);
  void send(const Messages& messages) const;
  void send_or_log(const Messages& messages) noexcept;

  rclcpp::Logger logger_;
  rclcpp::Clock steady_clock_{RCL_STEADY_TIME};
  std::string frame_prefix_;
  double marker_lifetime_ = 1.0;
  builtin_interfaces::msg::Time stamp_;

  Publisher<dyn_msgs::msg::MassMatrix> mass_matrix_;
  Publisher<dyn_msgs::msg::JointDynamics> joint_dynamics_;
  Publisher<dyn_msgs::msg::DiagonalizedDynamics> diagonalized_;
  Publisher<dyn_msgs::msg::CoriolisMatrix> coriolis_matrix_;
  Publisher<dyn_msgs::msg::InertiaPower> inertia_power_;
  Publisher<sensor_msgs::msg::JointState> gravity_torque_, coriolis_torque_;
  Publisher<visualization_msgs::msg::MarkerArray> markers_;
  Publisher<sensor_msgs::msg::JointState> residual_;
  Publisher<geometry_msgs::msg::WrenchStamped> external_wrench_;
  Publisher<dyn_msgs::msg::DhChain> dh_chain_;
  Publisher<dyn_msgs::msg::ModelReport> model_report_;
  // Indexed by Output.
  std::vector<rclcpp::PublisherBase::SharedPtr> outputs_;
  dyn::inspect::OutputSet has_listeners_;
  double next_look_ = 0.0;  // for listeners

  Sender<Messages> sender_;
};

}  // namespace dyn_ros
