// Messages: what a Monitor knows, put into the fields of messages. One text for every front end: the
// messages of ROS 2's C++ and the structs of a DDS implementation have the same fields and differ in how
// they hold text and arrays. That is what `Fields` says:
//   void text(std::string_view from, String& to);
//   span<Element> resize(Sequence& to, std::size_t size);      elements are new or to be overwritten
//   span<const double> numbers(const Sequence& from);
//   vector<string> (or a reference to one) names(const Sequence& from);
// Units and layouts are those of the packages' .msg files. Everything here converts, nothing computes.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dyn_core/inspect/frames.hpp"
#include "dyn_core/inspect/monitor.hpp"

namespace dyn::inspect {

/// A sequence of messages, in C++ or C.
[[nodiscard]] auto elements(const auto& sequence) {
  if constexpr (requires { sequence._buffer; }) {
    return std::span(sequence._buffer, sequence._length);
  } else {
    return std::span(sequence.data(), sequence.size());
  }
}

/// Arrays row by row.
template <class Derived>
void fill(const Eigen::MatrixBase<Derived>& from, std::span<double> to) {
  for (Index i = 0; i < from.rows(); ++i) {
    for (Index j = 0; j < from.cols(); ++j) {
      to[static_cast<std::size_t>(i * from.cols() + j)] = from(i, j);
    }
  }
}

template <class Fields, class Derived>
void fill_array(Fields& fields, const Eigen::MatrixBase<Derived>& from, auto& to) {
  fill(from, std::span<double>(fields.resize(to, static_cast<std::size_t>(from.size()))));
}

void fill_names(auto& fields, const std::vector<std::string>& from, auto& to) {
  const auto out = fields.resize(to, from.size());
  for (std::size_t i = 0; i < from.size(); ++i) fields.text(from[i], out[i]);
}

/// builtin_interfaces/Time or Duration.
void fill_time(double seconds, auto& to) {
  const std::int64_t nanoseconds = std::llround(seconds * 1e9);
  to.sec = static_cast<std::int32_t>(nanoseconds / 1'000'000'000);
  to.nanosec = static_cast<std::uint32_t>(nanoseconds % 1'000'000'000);
}

/// geometry_msgs/Vector3 or Point.
void fill_vector(const Vec3d& from, auto& to) {
  to.x = from.x();
  to.y = from.y();
  to.z = from.z();
}

void fill_quaternion(const Mat3d& from, auto& to) {
  const Eigen::Quaterniond rotation(from);
  to.x = rotation.x();
  to.y = rotation.y();
  to.z = rotation.z();
  to.w = rotation.w();
}

void fill_pose(const Posed& from, auto& to) {
  fill_vector(from.p, to.position);
  fill_quaternion(from.R, to.orientation);
}

void fill_inertia(const RigidBody& from, auto& to) {
  to.m = from.mass;
  fill_vector(from.com, to.com);
  to.ixx = from.inertia(0, 0);
  to.iyy = from.inertia(1, 1);
  to.izz = from.inertia(2, 2);
  to.ixy = from.inertia(0, 1);
  to.ixz = from.inertia(0, 2);
  to.iyz = from.inertia(1, 2);
}

[[nodiscard]] Vec3d to_vector(const auto& message) { return {message.x, message.y, message.z}; }

[[nodiscard]] RigidBody to_body(const auto& message) {
  RigidBody body;
  body.mass = message.m;
  body.com = to_vector(message.com);
  body.inertia << message.ixx, message.ixy, message.ixz,  //
      message.ixy, message.iyy, message.iyz,              //
      message.ixz, message.iyz, message.izz;
  return body;
}

[[nodiscard]] Wrench to_wrench(const auto& message) {
  return {to_vector(message.force), to_vector(message.torque)};
}

/// geometry_msgs/TransformStamped without its stamp.
void fill_frame(auto& fields, const LinkFrame& from, auto& to) {
  fields.text(from.parent, to.header.frame_id);
  fields.text(from.link, to.child_frame_id);
  fill_vector(from.pose.p, to.transform.translation);
  fill_quaternion(from.pose.R, to.transform.rotation);
}

/// dyn_msgs/DhChain without its header. The types of joints are numbered alike.
void fill_dh_chain(auto& fields, const Chain& from, auto& to) {
  fields.text(from.name(), to.robot_name);
  fields.text(from.base(), to.base_link);
  fields.text(from.tip(), to.tip_link);
  const auto rows = fields.resize(to.rows, from.joints().size());
  for (std::size_t i = 0; i < from.joints().size(); ++i) {
    const Joint& joint = from.joints()[i];
    const DhRow& row = from.dh()[i];
    fields.text(joint.name, rows[i].joint_name);
    fields.text(from.links()[i].name, rows[i].link_name);
    rows[i].type = static_cast<std::uint8_t>(joint.type);
    rows[i].a = row.a;
    rows[i].alpha = row.alpha;
    rows[i].beta = row.beta;
    rows[i].d = row.d;
    rows[i].theta = row.theta;
    fields.text(from.coordinate_joint(joint.coordinate).name, rows[i].coordinate_name);
    rows[i].multiplier = joint.multiplier;
    rows[i].offset = joint.offset;
  }
  fill_pose(from.base_pose(), to.base_pose);
  fill_pose(from.tip_pose(), to.tip_pose);
}

/// dyn_msgs/LinkInertia. Its status is numbered as Level is.
void fill_link(auto& fields, const LinkReport& from, auto& to) {
  fields.text(from.link, to.link_name);
  fields.text(from.joint, to.joint_name);
  fill_names(fields, from.carried, to.carried);
  fill_inertia(from.body, to.inertia);
  to.status = static_cast<std::uint8_t>(from.level);
  fields.text(from.text, to.text);
}

/// dyn_msgs/ModelReport without its header.
void fill_report(auto& fields, const Report& from, auto& to) {
  to.loaded = from.chain != nullptr;
  fields.text(from.message, to.message);
  if (!to.loaded) return;
  const Chain& chain = *from.chain;
  fields.text(from.description_hash, to.description_hash);
  fields.text(chain.name(), to.robot_name);
  fields.text(chain.base(), to.base_link);
  fields.text(chain.tip(), to.tip_link);
  fill_names(fields, chain.coordinate_names(), to.joint_names);
  fields.text(from.algorithms.mass_matrix, to.mass_matrix_algorithm);
  fields.text(from.algorithms.inverse_dynamics, to.inverse_dynamics_algorithm);
  fields.text(from.algorithms.forward_dynamics, to.forward_dynamics_algorithm);
  fields.text(from.algorithms.coriolis, to.coriolis_algorithm);
  fill_vector(from.gravity, to.gravity);
  fill_inertia(from.payload, to.payload);
  to.total_mass = chain.total_mass();
  const auto links = fields.resize(to.links, from.links.size());
  for (std::size_t i = 0; i < from.links.size(); ++i) fill_link(fields, from.links[i], links[i]);
  fill_names(fields, chain.warnings(), to.warnings);
}

/// The torques and energies by name.
void fill_terms(auto& fields, const JointDynamics& terms, auto& to) {
  fill_array(fields, terms.gravity_torque, to.gravity_torque);
  fill_array(fields, terms.coriolis_torque, to.coriolis_torque);
  fill_array(fields, terms.friction_torque, to.friction_torque);
  fill_array(fields, terms.bias_torque, to.bias_torque);
  to.kinetic_energy = terms.kinetic_energy;
  to.potential_energy = terms.potential_energy;
}

/// dyn_msgs/JointDynamics without header and names.
void fill_joint_dynamics(auto& fields, Monitor& monitor, const JointDynamics& terms, auto& to) {
  const JointStateMatcher& state = monitor.joint_states();
  fill_vector(monitor.inspector().gravity(), to.gravity);
  fill_array(fields, state.positions(), to.position);
  fill_array(fields, state.velocities(), to.velocity);
  fields.resize(to.effort, 0);
  if (state.has_efforts()) fill_array(fields, state.efforts(), to.effort);
  fill_terms(fields, terms, to);
}

/// dyn_msgs/DiagonalizedDynamics without header and names.
void fill_diagonalized(auto& fields, const Quasi& from, bool has_efforts, auto& to) {
  fill_array(fields, from.U, to.unit_upper);
  fill_array(fields, from.D, to.diagonal);
  fill_array(fields, from.D.cwiseSqrt(), to.scaling);
  fill_array(fields, from.nu, to.nu);
  fill_array(fields, from.xi, to.xi);
  fill_array(fields, from.coriolis_nu, to.coriolis_nu);
  fill_array(fields, from.coriolis_xi, to.coriolis_xi);
  fill_array(fields, from.gravity_nu, to.gravity_nu);
  fill_array(fields, from.gravity_xi, to.gravity_xi);
  fill_array(fields, from.pivot_rate, to.diagonal_rate);
  fill_array(fields, from.mass_factor_rate, to.mass_factor_rate);
  for (auto* of_efforts : {&to.epsilon, &to.kappa, &to.nu_rate, &to.xi_rate}) {
    fields.resize(*of_efforts, 0);
  }
  if (!has_efforts) return;
  fill_array(fields, from.epsilon, to.epsilon);
  fill_array(fields, from.kappa, to.kappa);
  fill_array(fields, from.nu_rate, to.nu_rate);
  fill_array(fields, from.xi_rate, to.xi_rate);
}

/// dyn_msgs/InertiaPower without header and names.
void fill_power(auto& fields, const std::vector<MatXd>& from, auto& to) {
  const std::size_t layer = from.size() * from.size();
  const std::span<double> out = fields.resize(to.data, from.size() * layer);
  for (std::size_t i = 0; i < from.size(); ++i) fill(from[i], out.subspan(i * layer, layer));
}

/// visualization_msgs/Marker without stamp, prefix of the frame and lifetime.
void fill_marker(auto& fields, const Marker& from, auto& to) {
  constexpr std::int32_t kSphere = 2, kLineStrip = 4, kLineList = 5;  // visualization_msgs' own
  fields.text(from.space, to.ns);
  to.id = from.id;
  to.type = from.shape == Marker::Shape::kEllipsoid   ? kSphere
            : from.shape == Marker::Shape::kLineStrip ? kLineStrip
                                                      : kLineList;
  fill_pose(from.pose, to.pose);
  fill_vector(from.scale, to.scale);
  const auto fill_color = [](const Color& color, auto& out) {
    out.r = color.r;
    out.g = color.g;
    out.b = color.b;
    out.a = color.a;
  };
  fill_color(from.color, to.color);
  to.frame_locked = true;
  const auto points = fields.resize(to.points, from.points.size());
  for (std::size_t i = 0; i < from.points.size(); ++i) fill_vector(from.points[i], points[i]);
  const auto colors = fields.resize(to.colors, from.colors.size());
  for (std::size_t i = 0; i < from.colors.size(); ++i) fill_color(from.colors[i], colors[i]);
}

/// trajectory_msgs/JointTrajectory without header and names.
void fill_motion(auto& fields, const Motion& from, const VecXd& torque, auto& to) {
  const auto points = fields.resize(to.points, from.times.size());
  for (std::size_t k = 0; k < from.times.size(); ++k) {
    fill_time(from.times[k], points[k].time_from_start);
    fill_array(fields, from.states[k].q, points[k].positions);
    fill_array(fields, from.states[k].qd, points[k].velocities);
    fill_array(fields, from.accelerations[k], points[k].accelerations);
    fill_array(fields, torque, points[k].effort);
  }
}

/// diagnostic_msgs/DiagnosticStatus without name and hardware. Its level is numbered as Level is.
void fill_diagnostic(auto& fields, const Diagnostic& from, auto& to) {
  to.level = static_cast<std::uint8_t>(from.level);
  fields.text(from.message, to.message);
  const auto values = fields.resize(to.values, from.values.size());
  for (std::size_t i = 0; i < from.values.size(); ++i) {
    fields.text(from.values[i].first, values[i].key);
    fields.text(from.values[i].second, values[i].value);
  }
}

/// geometry_msgs/Wrench.
void fill_wrench(const Wrench& from, auto& to) {
  fill_vector(from.force, to.force);
  fill_vector(from.torque, to.torque);
}

/// What goes into the message of each output but the markers: each(output, slot, fill), where `slots` has a
/// member for every one of them, such as a message or a publisher, and fill(message) writes the values.
void for_each_output(auto& fields, Monitor& monitor, auto& slots, const auto& each) {
  const Values& values = monitor.values();
  each(Output::kJointDynamics, slots.joint_dynamics,
       [&](auto& message) { fill_joint_dynamics(fields, monitor, values.terms, message); });
  each(Output::kGravityTorque, slots.gravity_torque,
       [&](auto& message) { fill_array(fields, values.terms.gravity_torque, message.effort); });
  each(Output::kCoriolisTorque, slots.coriolis_torque,
       [&](auto& message) { fill_array(fields, values.terms.coriolis_torque, message.effort); });
  each(Output::kMassMatrix, slots.mass_matrix, [&](auto& message) {
    fields.text(monitor.inspector().algorithms().mass_matrix, message.algorithm);
    fill_array(fields, values.mass_matrix, message.data);
  });
  each(Output::kCoriolisMatrix, slots.coriolis_matrix, [&](auto& message) {
    fields.text(monitor.inspector().algorithms().coriolis, message.algorithm);
    fill_array(fields, values.coriolis_matrix, message.data);
  });
  each(Output::kDiagonalized, slots.diagonalized, [&](auto& message) {
    fill_diagonalized(fields, values.quasi, monitor.joint_states().has_efforts(), message);
  });
  each(Output::kInertiaPower, slots.inertia_power,
       [&](auto& message) { fill_power(fields, values.power, message); });
  each(Output::kResidual, slots.residual,
       [&](auto& message) { fill_array(fields, values.residual, message.effort); });
  each(Output::kExternalWrench, slots.external_wrench,
       [&](auto& message) { fill_wrench(values.external_wrench, message.wrench); });
}

}  // namespace dyn::inspect
