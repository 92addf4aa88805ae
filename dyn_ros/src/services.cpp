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

#include "dyn_ros/services.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include <dyn_core/inspect/answers.hpp>
#include <dyn_msgs/fields.hpp>
#include <dyn_msgs/srv/forward_dynamics.hpp>
#include <dyn_msgs/srv/get_dynamics.hpp>
#include <dyn_msgs/srv/identify_payload.hpp>
#include <dyn_msgs/srv/inverse_dynamics.hpp>
#include <dyn_msgs/srv/predict_motion.hpp>
#include <dyn_msgs/srv/set_gravity.hpp>
#include <dyn_msgs/srv/set_payload.hpp>
#include <dyn_msgs/srv/time_trajectory.hpp>
#include <rclcpp/logging.hpp>
#include <std_msgs/msg/header.hpp>

namespace dyn_ros {

using dyn::Result;
using rclcpp::Parameter;

template <class Service, class Answer>
void Services::offer(rclcpp::Node& node, const std::string& name, Answer answer) {
  const auto callback = [this, answer](std::shared_ptr<typename Service::Request> request,
                                       std::shared_ptr<typename Service::Response> response) {
    dyn::inspect::Answers answers(dyn_msgs::kFields, context_.monitor, context_.now(),
                                  [this](std_msgs::msg::Header& header, bool latest) {
                                    if (latest) header.stamp = context_.latest_stamp();
                                    header.frame_id = context_.frame_id();
                                  });
    const Result<void> result = answer(answers, *request, *response);
    response->success = result.has_value();
    response->message = result ? "ok" : result.error().sentence;
  };
  services_.push_back(node.create_service<Service>("~/" + name, callback));
}

Result<void> Services::set_payload(const dyn::RigidBody& body) {
  const auto& c = body.com;
  const auto& i = body.inertia;
  return context_.set_parameters(
      {Parameter("payload.mass", body.mass),
       Parameter("payload.com", std::vector<double>{c.x(), c.y(), c.z()}),
       Parameter("payload.inertia",
                 std::vector<double>{i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2)})});
}

Result<void> Services::pass_on(rclcpp::Node& node, const dyn::RigidBody& body) {
  using Service = dyn_msgs::srv::SetPayload;
  std::string absent;
  for (const std::string& name : context_.carriers()) {
    auto& client = carriers_[name];
    if (!client) client = node.create_client<Service>(name);
    if (!client->wait_for_service(std::chrono::seconds(1))) {
      absent += (absent.empty() ? "'" : ", '") + name + "'";
      continue;
    }
    const auto request = std::make_shared<Service::Request>();
    dyn::inspect::fill_inertia(body, request->payload);
    client->async_send_request(
        request, [name, logger = node.get_logger()](rclcpp::Client<Service>::SharedFuture answer) {
          const auto& response = *answer.get();
          if (response.success) {
            RCLCPP_INFO(logger, "'%s' has taken the payload.", name.c_str());
          } else {
            RCLCPP_ERROR(logger, "'%s' refused the payload: %s", name.c_str(),
                         response.message.c_str());
          }
        });
  }
  if (absent.empty()) return {};
  return dyn::fail("the payload is in force here, but there is no service " + absent);
}

Services::Services(rclcpp::Node& node, ServiceContext context) : context_(std::move(context)) {
  offer<dyn_msgs::srv::GetDynamics>(node, "get_dynamics",
                                    [](auto& answers, const auto& request, auto& response) {
                                      return answers.get_dynamics(request, response);
                                    });
  offer<dyn_msgs::srv::InverseDynamics>(node, "inverse_dynamics",
                                        [](auto& answers, const auto& request, auto& response) {
                                          return answers.inverse_dynamics(request, response);
                                        });
  offer<dyn_msgs::srv::ForwardDynamics>(node, "forward_dynamics",
                                        [](auto& answers, const auto& request, auto& response) {
                                          return answers.forward_dynamics(request, response);
                                        });
  offer<dyn_msgs::srv::PredictMotion>(node, "predict_motion",
                                      [](auto& answers, const auto& request, auto& response) {
                                        return answers.predict_motion(request, response);
                                      });
  offer<dyn_msgs::srv::TimeTrajectory>(node, "time_trajectory",
                                       [](auto& answers, const auto& request, auto& response) {
                                         return answers.time_trajectory(request, response);
                                       });
  offer<dyn_msgs::srv::SetPayload>(
      node, "set_payload", [this](auto& answers, const auto& request, auto&) -> Result<void> {
        const auto payload = answers.payload(request.frame_id, request.payload);
        if (!payload) return tl::unexpected(payload.error());
        return set_payload(*payload);
      });
  offer<dyn_msgs::srv::IdentifyPayload>(
      node, "identify_payload", [this, &node](auto& answers, const auto& request, auto& response) {
        return answers.identify_payload(request, response,
                                        [this, &node](const dyn::RigidBody& found) -> Result<void> {
                                          if (auto set = set_payload(found); !set) return set;
                                          return pass_on(node, found);
                                        });
      });
  offer<dyn_msgs::srv::SetGravity>(node, "set_gravity", [this](auto&, const auto& request, auto&) {
    const auto& g = request.gravity;
    return context_.set_parameters({Parameter("gravity", std::vector<double>{g.x, g.y, g.z})});
  });
}

}  // namespace dyn_ros
