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

// Services whose answer says whether it was done, or in a sentence why not.
#pragma once

#include <memory>
#include <string>

#include <dyn_core/base/status.hpp>
#include <rclcpp/service.hpp>

namespace dyn_control {

/// `answer` takes the request, fills the response and returns dyn::Result<void>.
template <class Service, class Node, class Answer>
typename rclcpp::Service<Service>::SharedPtr offer_with_answer(Node& node, const std::string& name,
                                                               Answer answer) {
  return node.template create_service<Service>(
      name, [answer](std::shared_ptr<typename Service::Request> request,
                     std::shared_ptr<typename Service::Response> response) {
        const dyn::Result<void> result = answer(*request, *response);
        response->success = result.has_value();
        response->message = result ? "ok" : result.error().sentence;
      });
}

/// The same where there is nothing more to say.
template <class Service, class Node, class Answer>
typename rclcpp::Service<Service>::SharedPtr offer(Node& node, const std::string& name,
                                                   Answer answer) {
  return offer_with_answer<Service>(
      node, name, [answer](const auto& request, auto&) { return answer(request); });
}

}  // namespace dyn_control
