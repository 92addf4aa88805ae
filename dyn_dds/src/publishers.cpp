#include "publishers.hpp"

namespace dyn_dds {

using dyn::Status;
using dyn::inspect::Monitor;
using dyn::inspect::Output;

namespace {

constexpr Qos kLatched{.depth = 1, .latched = true};
constexpr std::int32_t kDeleteAll = 3;  // of visualization_msgs/Marker

auto& names_of(sensor_msgs::msg::JointState& message) { return message.name; }
auto& names_of(auto& message) { return message.joint_names; }

}  // namespace

Publishers::Publishers(Node& node)
    : node_name_(node.full_name()),
      mass_matrix_(node, Output::kMassMatrix),
      joint_dynamics_(node, Output::kJointDynamics),
      diagonalized_(node, Output::kDiagonalized),
      coriolis_matrix_(node, Output::kCoriolisMatrix),
      inertia_power_(node, Output::kInertiaPower),
      gravity_torque_(node, Output::kGravityTorque),
      coriolis_torque_(node, Output::kCoriolisTorque),
      markers_(node, Output::kMarkers),
      dh_chain_(node.publisher<dyn_msgs::msg::DhChain>("~/dh_chain", kLatched)),
      model_report_(node.publisher<dyn_msgs::msg::ModelReport>("~/model_report", kLatched)),
      diagnostics_(
          node.publisher<diagnostic_msgs::msg::DiagnosticArray>("/diagnostics", Qos{.depth = 1})) {}

// A message with its header and joint names; what the one before borrowed is forgotten.
template <class Message>
Message Publishers::begin(const dyn::Chain& chain) {
  fields_.clear();
  Message message = {};
  message.header.stamp = stamp_;
  fields_.text(chain.base(), message.header.frame_id);
  dyn::inspect::fill_names(fields_, chain.coordinate_names(), names_of(message));
  return message;
}

void Publishers::announce(Monitor& monitor) {
  const dyn::Chain& chain = monitor.chain();
  const dyn::Index n = chain.dof();
  terms_ = dyn::inspect::JointDynamics(n);
  quasi_ = dyn::Quasi(n);
  matrix_ = dyn::MatXd::Zero(n, n);
  power_.assign(static_cast<std::size_t>(n), matrix_);

  fields_.clear();
  dyn_msgs::msg::DhChain table = {};
  table.header.stamp = stamp_of_now();
  fields_.text(chain.base(), table.header.frame_id);
  dyn::inspect::fill_dh_chain(fields_, chain, table);
  dh_chain_.send(table);

  visualization_msgs::msg::MarkerArray picture = {};
  fields_.resize(picture.markers, 1)[0].action = kDeleteAll;
  markers_.publisher.send(picture);
}

void Publishers::report(const Monitor& monitor) {
  fields_.clear();
  dyn_msgs::msg::ModelReport message = {};
  message.header.stamp = stamp_of_now();
  const dyn::inspect::Report report = monitor.report();
  if (report.chain != nullptr) fields_.text(report.chain->base(), message.header.frame_id);
  dyn::inspect::fill_report(fields_, report, message);
  model_report_.send(message);
}

void Publishers::publish_torque(const Channel<sensor_msgs::msg::JointState>& channel,
                                const dyn::Chain& chain, const dyn::VecXd& torque) {
  auto message = begin<sensor_msgs::msg::JointState>(chain);
  dyn::inspect::fill_array(fields_, torque, message.effort);
  channel.publisher.send(message);
}

void Publishers::publish_joint_dynamics(Monitor& monitor, double now) {
  const bool all = joint_dynamics_.due(monitor, now);
  const bool gravity = gravity_torque_.due(monitor, now);
  const bool coriolis = coriolis_torque_.due(monitor, now);
  if (!all && !gravity && !coriolis) return;
  const auto& state = monitor.joint_states();
  if (monitor.inspector().joint_dynamics(state.positions(), state.velocities(), terms_) !=
      Status::kOk) {
    return;
  }
  if (all) {
    auto message = begin<dyn_msgs::msg::JointDynamics>(monitor.chain());
    dyn::inspect::fill_joint_dynamics(fields_, monitor, terms_, message);
    joint_dynamics_.publisher.send(message);
  }
  if (gravity) publish_torque(gravity_torque_, monitor.chain(), terms_.gravity_torque);
  if (coriolis) publish_torque(coriolis_torque_, monitor.chain(), terms_.coriolis_torque);
}

void Publishers::publish_mass_matrix(Monitor& monitor) {
  const auto& state = monitor.joint_states();
  if (monitor.inspector().solver().mass_matrix(state.positions(), matrix_) != Status::kOk) return;
  auto message = begin<dyn_msgs::msg::MassMatrix>(monitor.chain());
  fields_.text(monitor.inspector().algorithms().mass_matrix, message.algorithm);
  dyn::inspect::fill_array(fields_, matrix_, message.data);
  mass_matrix_.publisher.send(message);
}

void Publishers::publish_coriolis_matrix(Monitor& monitor) {
  const auto& state = monitor.joint_states();
  if (monitor.inspector().solver().coriolis_matrix(state.positions(), state.velocities(),
                                                   matrix_) != Status::kOk) {
    return;
  }
  auto message = begin<dyn_msgs::msg::CoriolisMatrix>(monitor.chain());
  fields_.text(monitor.inspector().algorithms().coriolis, message.algorithm);
  dyn::inspect::fill_array(fields_, matrix_, message.data);
  coriolis_matrix_.publisher.send(message);
}

void Publishers::publish_inertia_power(Monitor& monitor) {
  const auto& state = monitor.joint_states();
  if (monitor.inspector().solver().inertia_power(state.positions(), power_) != Status::kOk) return;
  auto message = begin<dyn_msgs::msg::InertiaPower>(monitor.chain());
  dyn::inspect::fill_power(fields_, power_, message);
  inertia_power_.publisher.send(message);
}

void Publishers::publish_diagonalized(Monitor& monitor) {
  const auto& state = monitor.joint_states();
  if (monitor.inspector().solver().quasi(state.positions(), state.velocities(), state.efforts(),
                                         quasi_) != Status::kOk) {
    return;
  }
  auto message = begin<dyn_msgs::msg::DiagonalizedDynamics>(monitor.chain());
  dyn::inspect::fill_diagonalized(fields_, quasi_, state.has_efforts(), message);
  diagonalized_.publisher.send(message);
}

void Publishers::publish_markers(Monitor& monitor) {
  const auto& latest = monitor.joint_states();
  dyn::JointState state(latest.positions().size());
  state.q = latest.positions();
  state.qd = latest.velocities();
  const auto picture = monitor.painter().paint(monitor.inspector(), state,
                                               latest.has_efforts() ? &latest.efforts() : nullptr);
  fields_.clear();
  visualization_msgs::msg::MarkerArray message = {};
  const auto markers = fields_.resize(message.markers, picture.size());
  for (std::size_t i = 0; i < markers.size(); ++i) {
    markers[i].header.stamp = stamp_;
    fields_.text(picture[i].frame, markers[i].header.frame_id);
    markers[i].lifetime.sec = 1;
    dyn::inspect::fill_marker(fields_, picture[i], markers[i]);
  }
  markers_.publisher.send(message);
}

void Publishers::publish(Monitor& monitor, const Time& stamp, double now) {
  stamp_ = stamp;
  publish_joint_dynamics(monitor, now);
  if (mass_matrix_.due(monitor, now)) publish_mass_matrix(monitor);
  if (coriolis_matrix_.due(monitor, now)) publish_coriolis_matrix(monitor);
  if (diagonalized_.due(monitor, now)) publish_diagonalized(monitor);
  if (inertia_power_.due(monitor, now)) publish_inertia_power(monitor);
  if (markers_.due(monitor, now)) publish_markers(monitor);
}

void Publishers::diagnose(const std::string& robot, const dyn::inspect::Diagnostic& model,
                          const dyn::inspect::Diagnostic& joint_states) {
  fields_.clear();
  diagnostic_msgs::msg::DiagnosticArray message = {};
  message.header.stamp = stamp_of_now();
  const auto status = fields_.resize(message.status, 2);
  const auto add = [&](std::size_t i, const char* what, const dyn::inspect::Diagnostic& from) {
    fields_.text(node_name_ + ": " + what, status[i].name);
    fields_.text(robot, status[i].hardware_id);
    dyn::inspect::fill_diagnostic(fields_, from, status[i]);
  };
  add(0, "model", model);
  add(1, "joint states", joint_states);
  diagnostics_.send(message);
}

int Publishers::topics_in_use() const {
  const auto count = [](const auto&... channels) {
    return (static_cast<int>(channels.publisher.listeners() > 0) + ...);
  };
  return count(mass_matrix_, joint_dynamics_, diagonalized_, coriolis_matrix_, inertia_power_,
               gravity_torque_, coriolis_torque_, markers_);
}

}  // namespace dyn_dds
