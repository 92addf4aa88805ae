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

#include "dyn_ros/conversions.hpp"

#include <dyn_msgs/eigen.hpp>
#include <rclcpp/duration.hpp>

namespace dyn_ros {
namespace {

using dyn::inspect::Level;
using MarkerMessage = visualization_msgs::msg::Marker;

geometry_msgs::msg::Point to_point(const dyn::Vec3d& vector) {
  geometry_msgs::msg::Point message;
  message.x = vector.x();
  message.y = vector.y();
  message.z = vector.z();
  return message;
}

std_msgs::msg::ColorRGBA to_message(const dyn::inspect::Color& color) {
  std_msgs::msg::ColorRGBA message;
  message.r = color.r;
  message.g = color.g;
  message.b = color.b;
  message.a = color.a;
  return message;
}

std::uint8_t to_row_type(dyn::JointType type) {
  switch (type) {
    case dyn::JointType::kRevolute:
      return dyn_msgs::msg::DhRow::REVOLUTE;
    case dyn::JointType::kContinuous:
      return dyn_msgs::msg::DhRow::CONTINUOUS;
    case dyn::JointType::kPrismatic:
      break;
  }
  return dyn_msgs::msg::DhRow::PRISMATIC;
}

std::uint8_t to_link_status(Level level) {
  switch (level) {
    case Level::kOk:
      return dyn_msgs::msg::LinkInertia::OK;
    case Level::kWarning:
      return dyn_msgs::msg::LinkInertia::WARNING;
    case Level::kError:
      break;
  }
  return dyn_msgs::msg::LinkInertia::ERROR;
}

unsigned char to_diagnostic_level(Level level) {
  switch (level) {
    case Level::kOk:
      return diagnostic_msgs::msg::DiagnosticStatus::OK;
    case Level::kWarning:
      return diagnostic_msgs::msg::DiagnosticStatus::WARN;
    case Level::kError:
      break;
  }
  return diagnostic_msgs::msg::DiagnosticStatus::ERROR;
}

int to_marker_type(dyn::inspect::Marker::Shape shape) {
  switch (shape) {
    case dyn::inspect::Marker::Shape::kEllipsoid:
      return MarkerMessage::SPHERE;
    case dyn::inspect::Marker::Shape::kLineStrip:
      return MarkerMessage::LINE_STRIP;
    case dyn::inspect::Marker::Shape::kLineList:
      break;
  }
  return MarkerMessage::LINE_LIST;
}

dyn_msgs::msg::DhRow to_row(const dyn::Chain& chain, std::size_t i) {
  const dyn::Joint& joint = chain.joints()[i];
  const dyn::DhRow& row = chain.dh()[i];
  dyn_msgs::msg::DhRow message;
  message.joint_name = joint.name;
  message.link_name = chain.links()[i].name;
  message.type = to_row_type(joint.type);
  message.a = row.a;
  message.alpha = row.alpha;
  message.beta = row.beta;
  message.d = row.d;
  message.theta = row.theta;
  message.coordinate_name = chain.coordinate_joint(joint.coordinate).name;
  message.multiplier = joint.multiplier;
  message.offset = joint.offset;
  return message;
}

dyn_msgs::msg::LinkInertia to_message(const dyn::inspect::LinkReport& report) {
  dyn_msgs::msg::LinkInertia message;
  message.link_name = report.link;
  message.joint_name = report.joint;
  message.carried = report.carried;
  message.inertia = dyn_ros::to_message(report.body);
  message.status = to_link_status(report.level);
  message.text = report.text;
  return message;
}

}  // namespace

geometry_msgs::msg::Vector3 to_message(const dyn::Vec3d& vector) {
  geometry_msgs::msg::Vector3 message;
  message.x = vector.x();
  message.y = vector.y();
  message.z = vector.z();
  return message;
}

geometry_msgs::msg::Pose to_message(const dyn::Posed& pose) {
  const Eigen::Quaterniond rotation(pose.R);
  geometry_msgs::msg::Pose message;
  message.position = to_point(pose.p);
  message.orientation.x = rotation.x();
  message.orientation.y = rotation.y();
  message.orientation.z = rotation.z();
  message.orientation.w = rotation.w();
  return message;
}

geometry_msgs::msg::Inertia to_message(const dyn::RigidBody& body) {
  geometry_msgs::msg::Inertia message;
  message.m = body.mass;
  message.com = to_message(body.com);
  message.ixx = body.inertia(0, 0);
  message.iyy = body.inertia(1, 1);
  message.izz = body.inertia(2, 2);
  message.ixy = body.inertia(0, 1);
  message.ixz = body.inertia(0, 2);
  message.iyz = body.inertia(1, 2);
  return message;
}

dyn::Vec3d from_message(const geometry_msgs::msg::Vector3& vector) {
  return {vector.x, vector.y, vector.z};
}

dyn::RigidBody from_message(const geometry_msgs::msg::Inertia& inertia) {
  dyn::RigidBody body;
  body.mass = inertia.m;
  body.com = from_message(inertia.com);
  body.inertia << inertia.ixx, inertia.ixy, inertia.ixz, inertia.ixy, inertia.iyy, inertia.iyz,
      inertia.ixz, inertia.iyz, inertia.izz;
  return body;
}

dyn::Wrench from_message(const geometry_msgs::msg::Wrench& wrench) {
  return {from_message(wrench.force), from_message(wrench.torque)};
}

dyn_msgs::msg::DhChain to_dh_chain(const dyn::Chain& chain) {
  dyn_msgs::msg::DhChain message;
  message.robot_name = chain.name();
  message.base_link = chain.base();
  message.tip_link = chain.tip();
  for (std::size_t i = 0; i < chain.joints().size(); ++i) {
    message.rows.push_back(to_row(chain, i));
  }
  message.base_pose = to_message(chain.base_pose());
  message.tip_pose = to_message(chain.tip_pose());
  return message;
}

dyn_msgs::msg::ModelReport to_message(const dyn::inspect::Report& report) {
  dyn_msgs::msg::ModelReport message;
  message.loaded = report.chain != nullptr;
  message.message = report.message;
  if (!message.loaded) return message;
  const dyn::Chain& chain = *report.chain;
  message.description_hash = report.description_hash;
  message.robot_name = chain.name();
  message.base_link = chain.base();
  message.tip_link = chain.tip();
  message.joint_names = chain.coordinate_names();
  message.mass_matrix_algorithm = report.algorithms.mass_matrix;
  message.inverse_dynamics_algorithm = report.algorithms.inverse_dynamics;
  message.forward_dynamics_algorithm = report.algorithms.forward_dynamics;
  message.coriolis_algorithm = report.algorithms.coriolis;
  message.gravity = to_message(report.gravity);
  message.payload = to_message(report.payload);
  message.total_mass = chain.total_mass();
  for (const auto& link : report.links) message.links.push_back(to_message(link));
  message.warnings = chain.warnings();
  return message;
}

MarkerMessage to_message(const dyn::inspect::Marker& marker, const std::string& frame_prefix) {
  MarkerMessage message;
  message.header.frame_id = frame_prefix + marker.frame;
  message.ns = marker.space;
  message.id = marker.id;
  message.type = to_marker_type(marker.shape);
  message.action = MarkerMessage::ADD;
  message.pose = to_message(marker.pose);
  message.scale = to_message(marker.scale);
  message.color = to_message(marker.color);
  message.frame_locked = true;
  for (const dyn::Vec3d& point : marker.points) message.points.push_back(to_point(point));
  for (const auto& color : marker.colors) message.colors.push_back(to_message(color));
  return message;
}

trajectory_msgs::msg::JointTrajectory to_message(const dyn::inspect::Motion& motion,
                                                 const dyn::VecXd& torque) {
  trajectory_msgs::msg::JointTrajectory message;
  message.points.resize(motion.times.size());
  for (std::size_t k = 0; k < motion.times.size(); ++k) {
    auto& point = message.points[k];
    point.time_from_start = rclcpp::Duration::from_seconds(motion.times[k]);
    dyn_msgs::from_eigen(motion.states[k].q, point.positions);
    dyn_msgs::from_eigen(motion.states[k].qd, point.velocities);
    dyn_msgs::from_eigen(motion.accelerations[k], point.accelerations);
    dyn_msgs::from_eigen(torque, point.effort);
  }
  return message;
}

void to_status(const dyn::inspect::Diagnostic& diagnostic,
               diagnostic_updater::DiagnosticStatusWrapper& status) {
  status.summary(to_diagnostic_level(diagnostic.level), diagnostic.message);
  for (const auto& [key, value] : diagnostic.values) status.add(key, value);
}

}  // namespace dyn_ros
