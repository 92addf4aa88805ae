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

// The part of SimulatedArm that others call while it runs.
#include <dyn_core/inspect/messages.hpp>
#include <dyn_core/inspect/request.hpp>

#include "dyn_control/service.hpp"
#include "dyn_control/simulated_arm.hpp"

namespace dyn_control {

using dyn::Result;
using dyn::inspect::checked_gravity;
using dyn::inspect::requested_payload;
using dyn::inspect::requested_wrench;
using dyn::inspect::to_body;
using dyn::inspect::to_vector;
using dyn::inspect::to_wrench;

void SimulatedArm::offer_services() {
  services_.clear();
  if (!get_node()) return;  // a manager without an executor
  rclcpp::Node& node = *get_node();
  services_.push_back(offer<dyn_msgs::srv::InjectFault>(
      node, "~/inject_fault", [this](const auto& request) { return take_fault(request); }));
  services_.push_back(offer<dyn_msgs::srv::SetPayload>(
      node, "~/set_payload", [this](const auto& request) { return take_payload(request); }));
  services_.push_back(offer<dyn_msgs::srv::SetGravity>(
      node, "~/set_gravity", [this](const auto& request) { return take_gravity(request); }));
  wrench_subscription_ = node.create_subscription<geometry_msgs::msg::WrenchStamped>(
      "~/tip_wrench", rclcpp::SystemDefaultsQoS().keep_last(1),
      [this](const geometry_msgs::msg::WrenchStamped& message) {
        const auto taken = take_wrench(message);
        if (taken) return;
        RCLCPP_WARN_THROTTLE(get_logger(), *get_clock(), 1000, "A tip wrench was refused: %s.",
                             taken.error().sentence.c_str());
      });
}

Result<void> SimulatedArm::take_fault(const dyn_msgs::srv::InjectFault::Request& message) {
  const auto fault = fault_named(message.fault);
  if (!fault) return tl::unexpected(fault.error());
  if (!(message.duration >= 0.0)) return dyn::fail("the duration is negative; give seconds, or 0");
  requests_.set([&](Request& request) {
    request.fault = *fault;
    request.fault_duration = message.duration;
    ++request.fault_number;
  });
  return {};
}

Result<void> SimulatedArm::take_payload(const dyn_msgs::srv::SetPayload::Request& message) {
  const auto payload = requested_payload(chain_->tip(), message.frame_id, to_body(message.payload));
  if (!payload) return tl::unexpected(payload.error());
  requests_.set([&](Request& request) {
    request.payload = *payload;
    ++request.payload_number;
  });
  return {};
}

Result<void> SimulatedArm::take_gravity(const dyn_msgs::srv::SetGravity::Request& message) {
  const auto gravity = checked_gravity(to_vector(message.gravity));
  if (!gravity) return tl::unexpected(gravity.error());
  requests_.set([&](Request& request) {
    request.gravity = *gravity;
    ++request.gravity_number;
  });
  return {};
}

Result<void> SimulatedArm::take_wrench(const geometry_msgs::msg::WrenchStamped& message) {
  const auto wrench =
      requested_wrench(chain_->base(), message.header.frame_id, to_wrench(message.wrench));
  if (!wrench) return tl::unexpected(wrench.error());
  requests_.set([&](Request& request) {
    request.wrench = *wrench;
    ++request.wrench_number;
  });
  return {};
}

void SimulatedArm::take_requests() {
  requests_.try_get([this](const Request& request) { request_ = request; });
  if (request_.payload_number != done_.payload_number) simulation_->set_payload(request_.payload);
  if (request_.gravity_number != done_.gravity_number) simulation_->set_gravity(request_.gravity);
  if (request_.wrench_number != done_.wrench_number) simulation_->set_tip_wrench(request_.wrench);
  if (request_.fault_number != done_.fault_number) {
    simulation_->inject(request_.fault, request_.fault_duration);
  } else if (fault_pending_ && simulation_->time() >= fault_time_) {
    simulation_->inject(settings_.fault, settings_.fault_duration);
    fault_pending_ = false;
  }
  done_ = request_;
}

}  // namespace dyn_control
