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

// The node's services. Whatever is wrong becomes a sentence in the response.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <builtin_interfaces/msg/time.hpp>
#include <dyn_core/inspect/monitor.hpp>
#include <dyn_core/inspect/request.hpp>
#include <dyn_msgs/srv/forward_dynamics.hpp>
#include <dyn_msgs/srv/get_dynamics.hpp>
#include <dyn_msgs/srv/inverse_dynamics.hpp>
#include <dyn_msgs/srv/predict_motion.hpp>
#include <dyn_msgs/srv/set_gravity.hpp>
#include <dyn_msgs/srv/set_payload.hpp>
#include <rclcpp/node.hpp>
#include <rclcpp/service.hpp>
#include <std_msgs/msg/header.hpp>

namespace dyn_ros {

/// What the services need of the node.
struct ServiceContext {
  dyn::inspect::Monitor& monitor;
  std::function<double()> now;                                  ///< the monitor's clock, s
  std::function<builtin_interfaces::msg::Time()> latest_stamp;  ///< of the latest joint state
  std::function<std::string()> frame_id;                        ///< of the base link
  /// Sets parameters all or none; the sentence says why not.
  std::function<dyn::Result<void>(const std::vector<rclcpp::Parameter>&)> set_parameters;
};

class Services {
 public:
  Services(rclcpp::Node& node, ServiceContext context);

 private:
  using GetDynamics = dyn_msgs::srv::GetDynamics;
  using InverseDynamics = dyn_msgs::srv::InverseDynamics;
  using ForwardDynamics = dyn_msgs::srv::ForwardDynamics;
  using PredictMotion = dyn_msgs::srv::PredictMotion;
  using SetPayload = dyn_msgs::srv::SetPayload;
  using SetGravity = dyn_msgs::srv::SetGravity;

  [[nodiscard]] dyn::Result<void> answer(const GetDynamics::Request& request,
                                         GetDynamics::Response& response);
  [[nodiscard]] dyn::Result<void> answer(const InverseDynamics::Request& request,
                                         InverseDynamics::Response& response);
  [[nodiscard]] dyn::Result<void> answer(const ForwardDynamics::Request& request,
                                         ForwardDynamics::Response& response);
  [[nodiscard]] dyn::Result<void> answer(const PredictMotion::Request& request,
                                         PredictMotion::Response& response);
  [[nodiscard]] dyn::Result<void> answer(const SetPayload::Request& request,
                                         SetPayload::Response& response);
  [[nodiscard]] dyn::Result<void> answer(const SetGravity::Request& request,
                                         SetGravity::Response& response);

  template <class Service>
  void offer(rclcpp::Node& node, const std::string& name);
  [[nodiscard]] dyn::Result<void> need_model() const;
  [[nodiscard]] dyn::Result<dyn::JointState> state_of(const dyn::inspect::StateRequest& request);
  [[nodiscard]] std_msgs::msg::Header header_of(const dyn::inspect::StateRequest& request) const;

  ServiceContext context_;
  std::vector<rclcpp::ServiceBase::SharedPtr> services_;
};

}  // namespace dyn_ros
