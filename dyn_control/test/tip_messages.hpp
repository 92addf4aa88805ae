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

// What is sent to the laws at the tip.
#pragma once

#include <string>

#include <Eigen/Geometry>
#include <dyn_core/math/spatial.hpp>
#include <geometry_msgs/msg/pose_stamped.hpp>
#include <geometry_msgs/msg/twist_stamped.hpp>
#include <geometry_msgs/msg/wrench_stamped.hpp>

namespace dyn_control::test {

using geometry_msgs::msg::PoseStamped;
using geometry_msgs::msg::TwistStamped;
using geometry_msgs::msg::WrenchStamped;

inline PoseStamped pose_message(const dyn::Posed& at, const std::string& frame = "") {
  const Eigen::Quaterniond q(at.R);
  PoseStamped out;
  out.header.frame_id = frame;
  out.pose.position.x = at.p.x();
  out.pose.position.y = at.p.y();
  out.pose.position.z = at.p.z();
  out.pose.orientation.w = q.w();
  out.pose.orientation.x = q.x();
  out.pose.orientation.y = q.y();
  out.pose.orientation.z = q.z();
  return out;
}

}  // namespace dyn_control::test
