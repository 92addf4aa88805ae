#include "publishers.hpp"

#include <type_traits>
#include <utility>

namespace dyn_dds {

using dyn::inspect::Monitor;
using dyn::inspect::Output;
using dyn::inspect::OutputSet;

namespace {

constexpr Qos kLatched{.depth = 1, .latched = true};
constexpr std::int32_t kDeleteAll = 3;  // of visualization_msgs/Marker

auto& names_of(sensor_msgs::msg::JointState& message) { return message.name; }
auto& names_of(auto& message) { return message.joint_names; }

}  // namespace

Publishers::Channels::Channels(Node& node)
    : mass_matrix(node, Output::kMassMatrix),
      joint_dynamics(node, Output::kJointDynamics),
      diagonalized(node, Output::kDiagonalized),
      coriolis_matrix(node, Output::kCoriolisMatrix),
      inertia_power(node, Output::kInertiaPower),
      gravity_torque(node, Output::kGravityTorque),
      coriolis_torque(node, Output::kCoriolisTorque),
      markers(node, Output::kMarkers),
      residual(node, Output::kResidual),
      external_wrench(node, Output::kExternalWrench) {}

Publishers::Publishers(Node& node, std::string frame_prefix)
    : node_name_(node.full_name()),
      frame_prefix_(std::move(frame_prefix)),
      channels_(node),
      dh_chain_(node.publisher<dyn_msgs::msg::DhChain>("~/dh_chain", kLatched)),
      model_report_(node.publisher<dyn_msgs::msg::ModelReport>("~/model_report", kLatched)),
      diagnostics_(
          node.publisher<diagnostic_msgs::msg::DiagnosticArray>("/diagnostics", Qos{.depth = 1})) {}

// A message with its header and joint names; what the one before borrowed is forgotten.
template <class Message>
Message Publishers::begin(const dyn::Chain& chain) {
  fields_.clear();
  constexpr bool kAtTip = std::is_same_v<Message, geometry_msgs::msg::WrenchStamped>;
  Message message = {};
  message.header.stamp = stamp_;
  fields_.text(frame_prefix_ + (kAtTip ? chain.tip() : chain.base()), message.header.frame_id);
  if constexpr (!kAtTip) {
    dyn::inspect::fill_names(fields_, chain.coordinate_names(), names_of(message));
  }
  return message;
}

void Publishers::announce(Monitor& monitor) {
  const dyn::Chain& chain = monitor.chain();
  fields_.clear();
  dyn_msgs::msg::DhChain table = {};
  table.header.stamp = stamp_of_now();
  fields_.text(frame_prefix_ + chain.base(), table.header.frame_id);
  dyn::inspect::fill_dh_chain(fields_, chain, table);
  dh_chain_.send(table);

  visualization_msgs::msg::MarkerArray picture = {};
  fields_.resize(picture.markers, 1)[0].action = kDeleteAll;
  channels_.markers.publisher.send(picture);
}

void Publishers::report(const Monitor& monitor) {
  fields_.clear();
  dyn_msgs::msg::ModelReport message = {};
  message.header.stamp = stamp_of_now();
  const dyn::inspect::Report report = monitor.report();
  if (report.chain != nullptr) {
    fields_.text(frame_prefix_ + report.chain->base(), message.header.frame_id);
  }
  dyn::inspect::fill_report(fields_, report, message);
  model_report_.send(message);
}

void Publishers::send_markers(const std::vector<dyn::inspect::Marker>& picture) {
  fields_.clear();
  visualization_msgs::msg::MarkerArray message = {};
  const auto markers = fields_.resize(message.markers, picture.size());
  for (std::size_t i = 0; i < markers.size(); ++i) {
    markers[i].header.stamp = stamp_;
    fields_.text(frame_prefix_ + picture[i].frame, markers[i].header.frame_id);
    markers[i].lifetime.sec = 1;
    dyn::inspect::fill_marker(fields_, picture[i], markers[i]);
  }
  channels_.markers.publisher.send(message);
}

void Publishers::publish(Monitor& monitor, const Time& stamp, double now) {
  const OutputSet due = monitor.due(now) & in_use();
  if (due.none()) return;
  stamp_ = stamp;
  const OutputSet outputs = monitor.compute(due);
  dyn::inspect::for_each_output(
      fields_, monitor, channels_,
      [&]<class Message>(Output output, const Channel<Message>& channel, const auto& fill) {
        if (!outputs.test(index(output))) return;
        auto message = begin<Message>(monitor.chain());
        fill(message);
        channel.publisher.send(message);
      });
  if (outputs.test(index(Output::kMarkers))) send_markers(monitor.values().markers);
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

OutputSet Publishers::in_use() const {
  OutputSet outputs;
  const auto look = [&](const auto&... channels) {
    (outputs.set(index(channels.output), channels.publisher.listeners() > 0), ...);
  };
  const Channels& c = channels_;
  look(c.mass_matrix, c.joint_dynamics, c.diagonalized, c.coriolis_matrix, c.inertia_power,
       c.gravity_torque, c.coriolis_torque, c.markers, c.residual, c.external_wrench);
  return outputs;
}

}  // namespace dyn_dds
