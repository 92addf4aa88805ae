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
#include <map>
#include <string>
#include <vector>

#include <builtin_interfaces/msg/time.hpp>
#include <dyn_core/inspect/monitor.hpp>
#include <dyn_msgs/srv/set_payload.hpp>
#include <rclcpp/client.hpp>
#include <rclcpp/node.hpp>
#include <rclcpp/service.hpp>

namespace dyn_ros {

/// What the services need of the node.
struct ServiceContext {
  dyn::inspect::Monitor& monitor;
  std::function<double()> now;                                  ///< the monitor's clock, s
  std::function<builtin_interfaces::msg::Time()> latest_stamp;  ///< of the latest joint state
  std::function<std::string()> frame_id;                        ///< of the base link
  /// Sets parameters all or none; the sentence says why not.
  std::function<dyn::Result<void>(const std::vector<rclcpp::Parameter>&)> set_parameters;
  /// Services of dyn_msgs/SetPayload that a payload found is passed on to.
  std::function<std::vector<std::string>()> carriers;
};

class Services {
 public:
  Services(rclcpp::Node& node, ServiceContext context);

 private:
  template <class Service, class Answer>
  void offer(rclcpp::Node& node, const std::string& name, Answer answer);
  /// By the node's parameters.
  dyn::Result<void> set_payload(const dyn::RigidBody& body);
  /// To those who carry it too, such as the controller. What they answer is logged.
  dyn::Result<void> pass_on(rclcpp::Node& node, const dyn::RigidBody& body);

  ServiceContext context_;
  std::map<std::string, rclcpp::Client<dyn_msgs::srv::SetPayload>::SharedPtr> carriers_;
  std::vector<rclcpp::ServiceBase::SharedPtr> services_;
};

}  // namespace dyn_ros
