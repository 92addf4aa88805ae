// The observer's topics: what they carry is computed by dyn_core; here it is asked for, copied, sent.
#pragma once

#include <string>
#include <vector>

#include "dds.hpp"
#include "fields.hpp"

namespace dyn_dds {

/// One topic of inspect::kOutputs.
template <class Message>
struct Channel {
  Channel(Node& node, dyn::inspect::Output which)
      : publisher(node.publisher<Message>(
            "~/" + std::string(dyn::inspect::kOutputs[index(which)].topic), Qos{.depth = 1})),
        output(which) {}

  Publisher<Message> publisher;
  dyn::inspect::Output output;
};

class Publishers {
 public:
  /// `frame_prefix` stands before the name of every frame.
  Publishers(Node& node, std::string frame_prefix);

  /// After a new model: sizes, the chain's table, an empty picture.
  void announce(dyn::inspect::Monitor& monitor);
  /// The model's report, after every change of the model or the description.
  void report(const dyn::inspect::Monitor& monitor);
  /// All that is due for the monitor's complete joint state.
  void publish(dyn::inspect::Monitor& monitor, const Time& stamp, double now);
  void diagnose(const std::string& robot, const dyn::inspect::Diagnostic& model,
                const dyn::inspect::Diagnostic& joint_states);
  /// The outputs with listeners.
  [[nodiscard]] dyn::inspect::OutputSet in_use() const;

 private:
  template <class Message>
  [[nodiscard]] Message begin(const dyn::Chain& chain);
  void send_markers(const std::vector<dyn::inspect::Marker>& picture);

  struct Channels {
    explicit Channels(Node& node);
    Channel<dyn_msgs::msg::MassMatrix> mass_matrix;
    Channel<dyn_msgs::msg::JointDynamics> joint_dynamics;
    Channel<dyn_msgs::msg::DiagonalizedDynamics> diagonalized;
    Channel<dyn_msgs::msg::CoriolisMatrix> coriolis_matrix;
    Channel<dyn_msgs::msg::InertiaPower> inertia_power;
    Channel<sensor_msgs::msg::JointState> gravity_torque, coriolis_torque;
    Channel<visualization_msgs::msg::MarkerArray> markers;
    Channel<sensor_msgs::msg::JointState> residual;
    Channel<geometry_msgs::msg::WrenchStamped> external_wrench;
  };

  std::string node_name_, frame_prefix_;
  Channels channels_;
  Publisher<dyn_msgs::msg::DhChain> dh_chain_;
  Publisher<dyn_msgs::msg::ModelReport> model_report_;
  Publisher<diagnostic_msgs::msg::DiagnosticArray> diagnostics_;

  Fields fields_;
  Time stamp_ = {};
};

}  // namespace dyn_dds
