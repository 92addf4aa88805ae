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
            "~/" + std::string(dyn::inspect::kOutputs[static_cast<std::size_t>(which)].topic),
            Qos{.depth = 1})),
        output(which) {}

  /// Someone listens and it is time.
  [[nodiscard]] bool due(dyn::inspect::Monitor& monitor, double now) const {
    return publisher.listeners() > 0 && monitor.due(output, now);
  }

  Publisher<Message> publisher;
  dyn::inspect::Output output;
};

class Publishers {
 public:
  explicit Publishers(Node& node);

  /// After a new model: sizes, the chain's table, an empty picture.
  void announce(dyn::inspect::Monitor& monitor);
  /// The model's report, after every change of the model or the description.
  void report(const dyn::inspect::Monitor& monitor);
  /// All that is due for the monitor's complete joint state.
  void publish(dyn::inspect::Monitor& monitor, const Time& stamp, double now);
  void diagnose(const std::string& robot, const dyn::inspect::Diagnostic& model,
                const dyn::inspect::Diagnostic& joint_states);
  /// How many topics have listeners.
  [[nodiscard]] int topics_in_use() const;

 private:
  template <class Message>
  [[nodiscard]] Message begin(const dyn::Chain& chain);
  void publish_joint_dynamics(dyn::inspect::Monitor& monitor, double now);
  void publish_torque(const Channel<sensor_msgs::msg::JointState>& channel, const dyn::Chain& chain,
                      const dyn::VecXd& torque);
  void publish_mass_matrix(dyn::inspect::Monitor& monitor);
  void publish_coriolis_matrix(dyn::inspect::Monitor& monitor);
  void publish_diagonalized(dyn::inspect::Monitor& monitor);
  void publish_inertia_power(dyn::inspect::Monitor& monitor);
  void publish_markers(dyn::inspect::Monitor& monitor);

  std::string node_name_;
  Channel<dyn_msgs::msg::MassMatrix> mass_matrix_;
  Channel<dyn_msgs::msg::JointDynamics> joint_dynamics_;
  Channel<dyn_msgs::msg::DiagonalizedDynamics> diagonalized_;
  Channel<dyn_msgs::msg::CoriolisMatrix> coriolis_matrix_;
  Channel<dyn_msgs::msg::InertiaPower> inertia_power_;
  Channel<sensor_msgs::msg::JointState> gravity_torque_, coriolis_torque_;
  Channel<visualization_msgs::msg::MarkerArray> markers_;
  Publisher<dyn_msgs::msg::DhChain> dh_chain_;
  Publisher<dyn_msgs::msg::ModelReport> model_report_;
  Publisher<diagnostic_msgs::msg::DiagnosticArray> diagnostics_;

  Fields fields_;
  Time stamp_ = {};
  // Sized for the model by announce().
  dyn::inspect::JointDynamics terms_{0};
  dyn::Quasi quasi_{0};
  dyn::MatXd matrix_;
  std::vector<dyn::MatXd> power_;
};

}  // namespace dyn_dds
