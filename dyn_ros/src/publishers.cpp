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

#include "dyn_ros/publishers.hpp"

#include <exception>

#include <dyn_core/inspect/messages.hpp>
#include <dyn_msgs/fields.hpp>
#include <rclcpp/duration.hpp>
#include <rclcpp/logging.hpp>

namespace dyn_ros {

using dyn::inspect::Monitor;
using dyn::inspect::Output;
using dyn::inspect::OutputSet;

namespace {

rclcpp::QoS latched() { return rclcpp::QoS(1).transient_local(); }

template <class Message>
auto make_publisher(rclcpp::Node& node, Output output) {
  const std::string topic(dyn::inspect::kOutputs[index(output)].topic);
  return node.create_publisher<Message>("~/" + topic, rclcpp::QoS(1));
}

// Asking the middleware who listens costs about as much as computing; s.
constexpr double kLookPeriod = 0.01;

void set_joint_names(sensor_msgs::msg::JointState& message, const dyn::Chain& chain) {
  message.name = chain.coordinate_names();
}

template <class Message>
void set_joint_names(Message& message, const dyn::Chain& chain) {
  message.joint_names = chain.coordinate_names();
}

}  // namespace

Publishers::Publishers(rclcpp::Node& node)
    : logger_(node.get_logger()),
      mass_matrix_(make_publisher<dyn_msgs::msg::MassMatrix>(node, Output::kMassMatrix)),
      joint_dynamics_(make_publisher<dyn_msgs::msg::JointDynamics>(node, Output::kJointDynamics)),
      diagonalized_(
          make_publisher<dyn_msgs::msg::DiagonalizedDynamics>(node, Output::kDiagonalized)),
      coriolis_matrix_(
          make_publisher<dyn_msgs::msg::CoriolisMatrix>(node, Output::kCoriolisMatrix)),
      inertia_power_(make_publisher<dyn_msgs::msg::InertiaPower>(node, Output::kInertiaPower)),
      gravity_torque_(make_publisher<sensor_msgs::msg::JointState>(node, Output::kGravityTorque)),
      coriolis_torque_(make_publisher<sensor_msgs::msg::JointState>(node, Output::kCoriolisTorque)),
      markers_(make_publisher<visualization_msgs::msg::MarkerArray>(node, Output::kMarkers)),
      residual_(make_publisher<sensor_msgs::msg::JointState>(node, Output::kResidual)),
      external_wrench_(
          make_publisher<geometry_msgs::msg::WrenchStamped>(node, Output::kExternalWrench)),
      dh_chain_(node.create_publisher<dyn_msgs::msg::DhChain>("~/dh_chain", latched())),
      model_report_(node.create_publisher<dyn_msgs::msg::ModelReport>("~/model_report", latched())),
      outputs_({mass_matrix_, joint_dynamics_, diagonalized_, coriolis_matrix_, inertia_power_,
                gravity_torque_, coriolis_torque_, markers_, residual_, external_wrench_}),
      sender_([this](const Messages& messages) { send_or_log(messages); }) {}

void Publishers::announce(const dyn::Chain& chain, Messages& messages) const {
  messages = Messages();
  const auto set = [&](auto&... message) {
    ((message.header.frame_id = frame_prefix_ + chain.base()), ...);
    (set_joint_names(message, chain), ...);
  };
  set(messages.mass_matrix, messages.joint_dynamics, messages.diagonalized,
      messages.coriolis_matrix, messages.inertia_power, messages.gravity_torque,
      messages.coriolis_torque, messages.residual);
  messages.external_wrench.header.frame_id = frame_prefix_ + chain.tip();
}

void Publishers::announce(Monitor& monitor, const builtin_interfaces::msg::Time& stamp) {
  const dyn::Chain& chain = monitor.chain();
  for (Messages& messages : sender_.all()) announce(chain, messages);

  dyn_msgs::msg::DhChain table;
  dyn::inspect::fill_dh_chain(dyn_msgs::kFields, chain, table);
  table.header.frame_id = frame_prefix_ + chain.base();
  table.header.stamp = stamp;
  dh_chain_->publish(table);

  visualization_msgs::msg::MarkerArray nothing;
  nothing.markers.resize(1);
  nothing.markers[0].action = visualization_msgs::msg::Marker::DELETEALL;
  markers_->publish(nothing);
}

void Publishers::report(const Monitor& monitor, const builtin_interfaces::msg::Time& stamp) {
  dyn_msgs::msg::ModelReport message;
  dyn::inspect::fill_report(dyn_msgs::kFields, monitor.report(), message);
  message.header.stamp = stamp;
  message.header.frame_id = frame_prefix_ + message.base_link;
  model_report_->publish(message);
}

void Publishers::warn(const Monitor& monitor, const OutputSet& missing) {
  for (std::size_t k = 0; k < missing.size(); ++k) {
    if (!missing.test(k)) continue;
    RCLCPP_WARN_THROTTLE(logger_, steady_clock_, 5000, "~/%s cannot be computed in this state: %s",
                         dyn::inspect::kOutputs[k].topic.data(),
                         dyn::to_string(monitor.values().status[k]));
  }
}

void Publishers::fill_markers(const std::vector<dyn::inspect::Marker>& picture,
                              Messages& messages) const {
  auto& markers = messages.markers.markers;
  markers.resize(picture.size());
  for (std::size_t i = 0; i < picture.size(); ++i) {
    markers[i].header.stamp = stamp_;
    markers[i].header.frame_id = frame_prefix_ + picture[i].frame;
    markers[i].lifetime = rclcpp::Duration::from_seconds(marker_lifetime_);
    dyn::inspect::fill_marker(dyn_msgs::kFields, picture[i], markers[i]);
  }
}

void Publishers::fill(Monitor& monitor, Messages& messages) const {
  dyn::inspect::for_each_output(dyn_msgs::kFields, monitor, messages,
                                [&](Output output, auto& message, const auto& function) {
                                  if (!messages.is_due(output)) return;
                                  message.header.stamp = stamp_;
                                  function(message);
                                });
  if (messages.is_due(Output::kMarkers)) fill_markers(monitor.values().markers, messages);
}

void Publishers::look_for_listeners(double now) {
  if (now < next_look_) return;
  next_look_ = now + kLookPeriod;
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    has_listeners_.set(k, outputs_[k]->get_subscription_count() > 0 ||
                              outputs_[k]->get_intra_process_subscription_count() > 0);
  }
}

void Publishers::publish(Monitor& monitor, const builtin_interfaces::msg::Time& stamp, double now) {
  look_for_listeners(now);
  const OutputSet due = monitor.due(now) & has_listeners_;
  if (due.none()) return;
  const OutputSet computed = monitor.compute(due);
  if (computed != due) warn(monitor, due & ~computed);
  if (computed.none()) return;
  stamp_ = stamp;
  Messages& messages = sender_.next();
  messages.due = computed;
  fill(monitor, messages);
  sender_.push();
}

void Publishers::send(const Messages& messages) const {
  const auto send = [&](Output output, const auto& publisher, const auto& message) {
    if (messages.is_due(output)) publisher->publish(message);
  };
  send(Output::kJointDynamics, joint_dynamics_, messages.joint_dynamics);
  send(Output::kGravityTorque, gravity_torque_, messages.gravity_torque);
  send(Output::kCoriolisTorque, coriolis_torque_, messages.coriolis_torque);
  send(Output::kMassMatrix, mass_matrix_, messages.mass_matrix);
  send(Output::kCoriolisMatrix, coriolis_matrix_, messages.coriolis_matrix);
  send(Output::kDiagonalized, diagonalized_, messages.diagonalized);
  send(Output::kInertiaPower, inertia_power_, messages.inertia_power);
  send(Output::kMarkers, markers_, messages.markers);
  send(Output::kResidual, residual_, messages.residual);
  send(Output::kExternalWrench, external_wrench_, messages.external_wrench);
}

void Publishers::send_or_log(const Messages& messages) noexcept {
  try {
    send(messages);
  } catch (const std::exception& error) {
    RCLCPP_ERROR_THROTTLE(logger_, steady_clock_, 5000, "The dynamics cannot be sent: %s",
                          error.what());
  }
}

}  // namespace dyn_ros
