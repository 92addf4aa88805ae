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

#include <dyn_msgs/eigen.hpp>
#include <rclcpp/logging.hpp>

#include "dyn_ros/conversions.hpp"

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

  auto table = to_dh_chain(chain);
  table.header.frame_id = frame_prefix_ + chain.base();
  table.header.stamp = stamp;
  dh_chain_->publish(table);

  visualization_msgs::msg::MarkerArray nothing;
  nothing.markers.resize(1);
  nothing.markers[0].action = visualization_msgs::msg::Marker::DELETEALL;
  markers_->publish(nothing);
}

void Publishers::report(const Monitor& monitor, const builtin_interfaces::msg::Time& stamp) {
  auto message = to_message(monitor.report());
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
    dyn_msgs::from_eigen(torque, message.effort);
    message.header.stamp = stamp_;
  };
  if (keep(Output::kGravityTorque, status, messages)) {
    fill_torque(terms_.gravity_torque, messages.gravity_torque);
  }
  if (keep(Output::kCoriolisTorque, status, messages)) {
    fill_torque(terms_.coriolis_torque, messages.coriolis_torque);
  }
  if (!keep(Output::kJointDynamics, status, messages)) return;
  auto& message = messages.joint_dynamics;
  message.header.stamp = stamp_;
  message.gravity = to_message(monitor.inspector().gravity());
  dyn_msgs::from_eigen(state.positions(), message.position);
  dyn_msgs::from_eigen(state.velocities(), message.velocity);
  message.effort.clear();
  if (state.has_efforts()) dyn_msgs::from_eigen(state.efforts(), message.effort);
  dyn_msgs::from_eigen(terms_.gravity_torque, message.gravity_torque);
  dyn_msgs::from_eigen(terms_.coriolis_torque, message.coriolis_torque);
  dyn_msgs::from_eigen(terms_.friction_torque, message.friction_torque);
  dyn_msgs::from_eigen(terms_.bias_torque, message.bias_torque);
  message.kinetic_energy = terms_.kinetic_energy;
  message.potential_energy = terms_.potential_energy;
}

void Publishers::fill_mass_matrix(Monitor& monitor, Messages& messages) {
  const auto& q = monitor.joint_states().positions();
  const dyn::Status status = monitor.inspector().solver().mass_matrix(q, matrix_);
  if (!keep(Output::kMassMatrix, status, messages)) return;
  messages.mass_matrix.header.stamp = stamp_;
  dyn_msgs::from_eigen(matrix_, messages.mass_matrix.data);
}

void Publishers::fill_coriolis_matrix(Monitor& monitor, Messages& messages) {
  const auto& state = monitor.joint_states();
  const dyn::Status status =
      monitor.inspector().solver().coriolis_matrix(state.positions(), state.velocities(), matrix_);
  if (!keep(Output::kCoriolisMatrix, status, messages)) return;
  messages.coriolis_matrix.header.stamp = stamp_;
  dyn_msgs::from_eigen(matrix_, messages.coriolis_matrix.data);
}

void Publishers::fill_inertia_power(Monitor& monitor, Messages& messages) {
  const auto& q = monitor.joint_states().positions();
  const dyn::Status status = monitor.inspector().solver().inertia_power(q, power_);
  if (!keep(Output::kInertiaPower, status, messages)) return;
  auto& message = messages.inertia_power;
  message.header.stamp = stamp_;
  const std::size_t n = power_.size();
  message.data.resize(n * n * n);
  for (std::size_t i = 0; i < n; ++i) dyn_msgs::write(power_[i], message.data, i * n * n);
}

void Publishers::fill_diagonalized(Monitor& monitor, Messages& messages) {
  const auto& state = monitor.joint_states();
  const dyn::Status status = monitor.inspector().solver().quasi(
      state.positions(), state.velocities(), state.efforts(), quasi_);
  if (!keep(Output::kDiagonalized, status, messages)) return;
  auto& message = messages.diagonalized;
  message.header.stamp = stamp_;
  dyn_msgs::from_eigen(quasi_.U, message.unit_upper);
  dyn_msgs::from_eigen(quasi_.D, message.diagonal);
  dyn_msgs::from_eigen(quasi_.D.cwiseSqrt(), message.scaling);
  dyn_msgs::from_eigen(quasi_.nu, message.nu);
  dyn_msgs::from_eigen(quasi_.xi, message.xi);
  dyn_msgs::from_eigen(quasi_.coriolis_nu, message.coriolis_nu);
  dyn_msgs::from_eigen(quasi_.coriolis_xi, message.coriolis_xi);
  dyn_msgs::from_eigen(quasi_.gravity_nu, message.gravity_nu);
  dyn_msgs::from_eigen(quasi_.gravity_xi, message.gravity_xi);
  message.epsilon.clear();
  message.kappa.clear();
  if (!state.has_efforts()) return;
  dyn_msgs::from_eigen(quasi_.epsilon, message.epsilon);
  dyn_msgs::from_eigen(quasi_.kappa, message.kappa);
}

void Publishers::fill_markers(Monitor& monitor, Messages& messages) const {
  const auto& latest = monitor.joint_states();
  dyn::JointState state(latest.positions().size());
  state.q = latest.positions();
  state.qd = latest.velocities();
  const auto picture = monitor.painter().paint(monitor.inspector(), state,
                                               latest.has_efforts() ? &latest.efforts() : nullptr);
  auto& markers = messages.markers.markers;
  markers.clear();
  for (const dyn::inspect::Marker& marker : picture) {
    markers.push_back(to_message(marker, frame_prefix_));
    markers.back().header.stamp = stamp_;
    markers.back().lifetime = rclcpp::Duration::from_seconds(marker_lifetime_);
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
