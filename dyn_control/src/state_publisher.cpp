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

#include "dyn_control/state_publisher.hpp"

#include <limits>
#include <mutex>
#include <vector>

#include <dyn_msgs/eigen.hpp>

namespace dyn_control {

namespace {

using Message = dyn_msgs::msg::ComputedTorqueState;

// The arrays have their sizes: copies only.
void write(const dyn::VecXd& from, std::vector<double>& to) { dyn_msgs::write(from, to, 0); }

std::uint8_t mode_of(dyn::ControlMode mode) {
  switch (mode) {
    case dyn::ControlMode::kTracking:
      return Message::TRACKING;
    case dyn::ControlMode::kHolding:
      return Message::HOLDING;
    case dyn::ControlMode::kStopping:
      return Message::STOPPING;
    case dyn::ControlMode::kBlind:
      break;
  }
  return Message::BLIND;
}

std::uint8_t status_of(dyn::Status status) {
  switch (status) {
    case dyn::Status::kOk:
      return Message::OK;
    case dyn::Status::kWrongSize:
      return Message::WRONG_SIZE;
    case dyn::Status::kNotFinite:
      return Message::NOT_FINITE;
    case dyn::Status::kSingular:
      return Message::SINGULAR;
    case dyn::Status::kOverspeed:
      return Message::OVERSPEED;
    case dyn::Status::kTrackingError:
      return Message::TRACKING_ERROR;
    case dyn::Status::kOscillation:
      return Message::OSCILLATION;
    case dyn::Status::kUnsupported:
    case dyn::Status::kNoInertia:
    case dyn::Status::kMissing:
      break;
  }
  return Message::UNSUPPORTED;
}

// Room for all that will be copied there; where publishers hide it, the first message makes it.
// (Kilted warns of that; the later ones are they that hide it.)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
template <class Publisher>
void make_room(Publisher& publisher, const Message& message) {
  if constexpr (requires { publisher.msg_ = message; }) {
    const std::lock_guard<std::mutex> lock(publisher.get_mutex());
    publisher.msg_ = message;
  }
}
#pragma GCC diagnostic pop

}  // namespace

StatePublisher::StatePublisher(rclcpp_lifecycle::LifecycleNode& node, const Setup& setup,
                               double interval)
    : interval_(interval),
      waited_(interval),
      predicts_(setup.parameters.predict),
      observes_(setup.parameters.observe) {
  message_.header.frame_id = setup.chain->base();
  message_.joint_names = setup.chain->coordinate_names();
  message_.law = dyn::entry_of(setup.parameters.law.law).name;
  size_arrays(setup);
  publisher_ =
      rclcpp::create_publisher<Message>(node, "~/controller_state", rclcpp::SystemDefaultsQoS());
  realtime_ = std::make_unique<realtime_tools::RealtimePublisher<Message>>(publisher_);
  make_room(*realtime_, message_);
}

void StatePublisher::size_arrays(const Setup& setup) {
  const auto n = static_cast<std::size_t>(setup.chain->dof());
  Message& m = message_;
  for (auto* point : {&m.reference, &m.feedback, &m.error}) {
    point->positions.resize(n);
    point->velocities.resize(n);
  }
  m.reference.accelerations.resize(n);
  m.output.effort.resize(n);
  m.feedback.effort.resize(n);
  for (auto* array :
       {&m.tau_inertia, &m.tau_feedback, &m.tau_coriolis, &m.tau_gravity, &m.tau_friction,
        &m.tau_external, &m.tau_handover, &m.tau_limited, &m.integral, &m.blocked}) {
    array->resize(n);
  }
  if (predicts_) {
    for (auto* array : {&m.predicted_position, &m.predicted_velocity, &m.prediction_position_error,
                        &m.prediction_velocity_error}) {
      array->resize(n);
    }
  }
  if (!observes_) return;
  m.external_torque.resize(n);
  m.contact.resize(n);
}

void StatePublisher::publish(const ControlLoop& loop, const dyn::JointState& measured,
                             const dyn::VecXd* measured_effort, const rclcpp::Time& time,
                             double period, double computation_time) noexcept {
  waited_ += period > 0.0 ? period : 0.0;
  if (waited_ < interval_) return;
  waited_ = waited_ < 2.0 * interval_ ? waited_ - interval_ : 0.0;
  message_.header.stamp = time;
  write_states(loop, measured);
  message_.feedback.effort.resize(measured_effort != nullptr ? message_.joint_names.size() : 0);
  if (measured_effort != nullptr) write(*measured_effort, message_.feedback.effort);
  write_terms(loop.output());
  write_estimates(loop);
  write_flags(loop);
  message_.period = period;
  message_.computation_time = computation_time;
  realtime_->try_publish(message_);
}

void StatePublisher::write_states(const ControlLoop& loop,
                                  const dyn::JointState& measured) noexcept {
  write(loop.reference().q, message_.reference.positions);
  write(loop.reference().qd, message_.reference.velocities);
  write(loop.reference().qdd, message_.reference.accelerations);
  write(measured.q, message_.feedback.positions);
  write(measured.qd, message_.feedback.velocities);
  write(loop.output().position_error, message_.error.positions);
  write(loop.output().velocity_error, message_.error.velocities);
  write(loop.output().torque, message_.output.effort);
}

void StatePublisher::write_terms(const dyn::ControlOutput& output) noexcept {
  const dyn::TorqueTerms& terms = output.terms;
  write(terms.inertia, message_.tau_inertia);
  write(terms.feedback, message_.tau_feedback);
  write(terms.coriolis, message_.tau_coriolis);
  write(terms.gravity, message_.tau_gravity);
  write(terms.friction, message_.tau_friction);
  write(terms.external, message_.tau_external);
  write(terms.handover, message_.tau_handover);
  write(terms.limited, message_.tau_limited);
  write(output.integral, message_.integral);
}

void StatePublisher::write_estimates(const ControlLoop& loop) noexcept {
  const dyn::Controller& controller = loop.controller();
  message_.prediction_horizon = controller.lookahead();
  message_.prediction_weight = predicts_ ? controller.predictor().weight() : 0.0;
  message_.reference_limited = controller.supervisor().reference_limited();
  write(controller.supervisor().blocked(), message_.blocked);
  if (predicts_) {
    write(controller.state().q, message_.predicted_position);
    write(controller.state().qd, message_.predicted_velocity);
    write(controller.predictor().error().q, message_.prediction_position_error);
    write(controller.predictor().error().qd, message_.prediction_velocity_error);
  }
  if (!observes_) return;
  write(controller.observer().external_torque(), message_.external_torque);
  for (dyn::Index i = 0; i < loop.dof(); ++i) {
    message_.contact[static_cast<std::size_t>(i)] = controller.observer().contact(i);
  }
}

void StatePublisher::write_flags(const ControlLoop& loop) noexcept {
  const dyn::ControlOutput& output = loop.output();
  message_.effort_limited = output.limit.effort;
  message_.rate_limited = output.limit.rate;
  message_.integral_limited = output.integral_limited;
  message_.saturated = output.limit.effort || output.limit.rate || output.integral_limited;
  message_.direction_lost = output.limit.direction_lost;
  message_.limit_scale = output.limit.scale;
  message_.storage = output.storage;
  message_.mode = mode_of(output.mode);
  message_.status = status_of(output.status);
  message_.reference_lost = loop.reference_lost();
  message_.gravity_timed_out = loop.gravity_timed_out();
  message_.collision = loop.collided();
  message_.write_failed = loop.write_failed();
}

}  // namespace dyn_control
