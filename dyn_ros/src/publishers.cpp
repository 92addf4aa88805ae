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
#include <rclcpp/duration.hpp>
#include <rclcpp/logging.hpp>

#include "dyn_ros/fields.hpp"

namespace dyn_ros {

using dyn::inspect::Monitor;
using dyn::inspect::Output;

namespace {

rclcpp::QoS latched() { return rclcpp::QoS(1).transient_local(); }

template <class Message>
auto make_publisher(rclcpp::Node& node, Output output) {
  const std::string topic(dyn::inspect::kOutputs[static_cast<std::size_t>(output)].topic);
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
      dh_chain_(node.create_publisher<dyn_msgs::msg::DhChain>("~/dh_chain", latched())),
      model_report_(node.create_publisher<dyn_msgs::msg::ModelReport>("~/model_report", latched())),
      outputs_({mass_matrix_, joint_dynamics_, diagonalized_, coriolis_matrix_, inertia_power_,
                gravity_torque_, coriolis_torque_, markers_}),
      sender_([this](const Messages& messages) { send_or_log(messages); }) {}

void Publishers::announce(const dyn::Chain& chain, const dyn::Algorithms& algorithms,
                          Messages& messages) const {
  messages = Messages();
  const auto set = [&](auto&... message) {
    ((message.header.frame_id = frame_prefix_ + chain.base()), ...);
    (set_joint_names(message, chain), ...);
  };
  set(messages.mass_matrix, messages.joint_dynamics, messages.diagonalized,
      messages.coriolis_matrix, messages.inertia_power, messages.gravity_torque,
      messages.coriolis_torque);
  messages.mass_matrix.algorithm = algorithms.mass_matrix;
  messages.coriolis_matrix.algorithm = algorithms.coriolis;
}

void Publishers::announce(Monitor& monitor, const builtin_interfaces::msg::Time& stamp) {
  const dyn::Chain& chain = monitor.chain();
  for (Messages& messages : sender_.all()) {
    announce(chain, monitor.inspector().algorithms(), messages);
  }
  const dyn::Index n = chain.dof();
  terms_ = dyn::inspect::JointDynamics(n);
  quasi_ = dyn::Quasi(n);
  matrix_ = dyn::MatXd::Zero(n, n);
  power_.assign(static_cast<std::size_t>(n), matrix_);

  dyn_msgs::msg::DhChain table;
  dyn::inspect::fill_dh_chain(kFields, chain, table);
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
  dyn::inspect::fill_report(kFields, monitor.report(), message);
  message.header.stamp = stamp;
  message.header.frame_id = frame_prefix_ + message.base_link;
  model_report_->publish(message);
}

bool Publishers::keep(Output output, dyn::Status status, Messages& messages) {
  if (!messages.is_due(output)) return false;
  if (status == dyn::Status::kOk) return true;
  messages.due.reset(static_cast<std::size_t>(output));
  RCLCPP_WARN_THROTTLE(logger_, steady_clock_, 5000, "~/%s cannot be computed in this state: %s",
                       dyn::inspect::kOutputs[static_cast<std::size_t>(output)].topic.data(),
                       dyn::to_string(status));
  return false;
}

void Publishers::fill_joint_dynamics(Monitor& monitor, Messages& messages) {
  const auto& state = monitor.joint_states();
  const dyn::Status status =
      monitor.inspector().joint_dynamics(state.positions(), state.velocities(), terms_);
  const auto fill_torque = [&](const dyn::VecXd& torque, sensor_msgs::msg::JointState& message) {
    dyn::inspect::fill_array(kFields, torque, message.effort);
    message.header.stamp = stamp_;
  };
  if (keep(Output::kGravityTorque, status, messages)) {
    fill_torque(terms_.gravity_torque, messages.gravity_torque);
  }
  if (keep(Output::kCoriolisTorque, status, messages)) {
    fill_torque(terms_.coriolis_torque, messages.coriolis_torque);
  }
  if (!keep(Output::kJointDynamics, status, messages)) return;
  messages.joint_dynamics.header.stamp = stamp_;
  dyn::inspect::fill_joint_dynamics(kFields, monitor, terms_, messages.joint_dynamics);
}

void Publishers::fill_mass_matrix(Monitor& monitor, Messages& messages) {
  const auto& q = monitor.joint_states().positions();
  const dyn::Status status = monitor.inspector().solver().mass_matrix(q, matrix_);
  if (!keep(Output::kMassMatrix, status, messages)) return;
  messages.mass_matrix.header.stamp = stamp_;
  dyn::inspect::fill_array(kFields, matrix_, messages.mass_matrix.data);
}

void Publishers::fill_coriolis_matrix(Monitor& monitor, Messages& messages) {
  const auto& state = monitor.joint_states();
  const dyn::Status status =
      monitor.inspector().solver().coriolis_matrix(state.positions(), state.velocities(), matrix_);
  if (!keep(Output::kCoriolisMatrix, status, messages)) return;
  messages.coriolis_matrix.header.stamp = stamp_;
  dyn::inspect::fill_array(kFields, matrix_, messages.coriolis_matrix.data);
}

void Publishers::fill_inertia_power(Monitor& monitor, Messages& messages) {
  const auto& q = monitor.joint_states().positions();
  const dyn::Status status = monitor.inspector().solver().inertia_power(q, power_);
  if (!keep(Output::kInertiaPower, status, messages)) return;
  messages.inertia_power.header.stamp = stamp_;
  dyn::inspect::fill_power(kFields, power_, messages.inertia_power);
}

void Publishers::fill_diagonalized(Monitor& monitor, Messages& messages) {
  const auto& state = monitor.joint_states();
  const dyn::Status status = monitor.inspector().solver().quasi(
      state.positions(), state.velocities(), state.efforts(), quasi_);
  if (!keep(Output::kDiagonalized, status, messages)) return;
  messages.diagonalized.header.stamp = stamp_;
  dyn::inspect::fill_diagonalized(kFields, quasi_, state.has_efforts(), messages.diagonalized);
}

void Publishers::fill_markers(Monitor& monitor, Messages& messages) const {
  const auto& latest = monitor.joint_states();
  dyn::JointState state(latest.positions().size());
  state.q = latest.positions();
  state.qd = latest.velocities();
  const auto picture = monitor.painter().paint(monitor.inspector(), state,
                                               latest.has_efforts() ? &latest.efforts() : nullptr);
  auto& markers = messages.markers.markers;
  markers.resize(picture.size());
  for (std::size_t i = 0; i < picture.size(); ++i) {
    markers[i].header.stamp = stamp_;
    markers[i].header.frame_id = frame_prefix_ + picture[i].frame;
    markers[i].lifetime = rclcpp::Duration::from_seconds(marker_lifetime_);
    dyn::inspect::fill_marker(kFields, picture[i], markers[i]);
  }
}

void Publishers::fill(Monitor& monitor, Messages& messages) {
  if (messages.is_due(Output::kJointDynamics) || messages.is_due(Output::kGravityTorque) ||
      messages.is_due(Output::kCoriolisTorque)) {
    fill_joint_dynamics(monitor, messages);
  }
  if (messages.is_due(Output::kMassMatrix)) fill_mass_matrix(monitor, messages);
  if (messages.is_due(Output::kCoriolisMatrix)) fill_coriolis_matrix(monitor, messages);
  if (messages.is_due(Output::kDiagonalized)) fill_diagonalized(monitor, messages);
  if (messages.is_due(Output::kInertiaPower)) fill_inertia_power(monitor, messages);
  if (messages.is_due(Output::kMarkers)) fill_markers(monitor, messages);
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
  decltype(Messages::due) due;
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    due.set(k, has_listeners_.test(k) && monitor.due(static_cast<Output>(k), now));
  }
  if (due.none()) return;
  stamp_ = stamp;
  Messages& messages = sender_.next();
  messages.due = due;
  fill(monitor, messages);
  if (messages.due.any()) sender_.push();
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
