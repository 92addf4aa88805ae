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

// Between ROS messages and dyn_core's plain types. ROS's order and units appear only here.
#pragma once

#include <string>

#include <diagnostic_updater/diagnostic_status_wrapper.hpp>
#include <dyn_core/inspect/joint_states.hpp>
#include <dyn_core/inspect/markers.hpp>
#include <dyn_core/inspect/report.hpp>
#include <dyn_msgs/msg/dh_chain.hpp>
#include <dyn_msgs/msg/model_report.hpp>
#include <geometry_msgs/msg/inertia.hpp>
#include <geometry_msgs/msg/pose.hpp>
#include <geometry_msgs/msg/vector3.hpp>
#include <geometry_msgs/msg/wrench.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <trajectory_msgs/msg/joint_trajectory.hpp>
#include <visualization_msgs/msg/marker.hpp>

namespace dyn_ros {

/// A view: valid as long as the message is.
[[nodiscard]] inline dyn::inspect::JointStateSample to_sample(
    const sensor_msgs::msg::JointState& message) {
  return {message.name, message.position, message.velocity, message.effort};
}

[[nodiscard]] geometry_msgs::msg::Vector3 to_message(const dyn::Vec3d& vector);
[[nodiscard]] geometry_msgs::msg::Pose to_message(const dyn::Posed& pose);
[[nodiscard]] geometry_msgs::msg::Inertia to_message(const dyn::RigidBody& body);

[[nodiscard]] dyn::Vec3d from_message(const geometry_msgs::msg::Vector3& vector);
[[nodiscard]] dyn::RigidBody from_message(const geometry_msgs::msg::Inertia& inertia);
[[nodiscard]] dyn::Wrench from_message(const geometry_msgs::msg::Wrench& wrench);

/// Rows and poses of the chain; the header is left to the caller.
[[nodiscard]] dyn_msgs::msg::DhChain to_dh_chain(const dyn::Chain& chain);
/// The header is left to the caller.
[[nodiscard]] dyn_msgs::msg::ModelReport to_message(const dyn::inspect::Report& report);

/// Without header.stamp and lifetime.
[[nodiscard]] visualization_msgs::msg::Marker to_message(const dyn::inspect::Marker& marker,
                                                         const std::string& frame_prefix);

[[nodiscard]] trajectory_msgs::msg::JointTrajectory to_message(const dyn::inspect::Motion& motion,
                                                               const dyn::VecXd& torque);

void to_status(const dyn::inspect::Diagnostic& diagnostic,
               diagnostic_updater::DiagnosticStatusWrapper& status);

}  // namespace dyn_ros
