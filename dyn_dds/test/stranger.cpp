// stranger ROBOT.urdf POSITION SECONDS [ENCLAVE]: takes part where CYCLONEDDS_URI says, listens to joint_states, asks
// for the dynamics and commands every joint to POSITION; says what came of it, once all did or in the end.
#include <cmath>
#include <cstdio>

#include <dyn_core/robot/urdf.hpp>

#include "wire.hpp"

namespace dyn_dds::test {
namespace {

using trajectory_msgs::msg::JointTrajectory;

void command(const Publisher<JointTrajectory>& commands, const dyn::Chain& chain, double position) {
  Fields fields;
  JointTrajectory message = {};
  dyn::inspect::fill_names(fields, chain.coordinate_names(), message.joint_names);
  auto& point = fields.resize(message.points, 1)[0];
  dyn::inspect::fill_array(fields, dyn::VecXd::Constant(chain.dof(), position), point.positions);
  dyn::inspect::fill_time(2.0, point.time_from_start);
  commands.send(message);
}

void run(const dyn::Chain& chain, double position, double seconds, const std::string& security) {
  Participant own(choose_domain(true), security);
  Node node(own, "/", "stranger");
  const auto states = node.subscription<sensor_msgs::msg::JointState>(
      "joint_states", Qos{.depth = 100, .reliable = false});
  const auto commands = node.publisher<JointTrajectory>("joint_trajectory", Qos());
  const Client<dyn_msgs::srv::GetDynamics> client(own.get(), "/dynamics/get_dynamics");
  bool heard = false, answered = false, moved = false;
  double commanded = 0.0;
  const double end = steady_seconds() + seconds;
  while (steady_seconds() < end && !(heard && answered && moved)) {
    if (steady_seconds() - commanded > 4.0) {
      command(commands, chain, position);
      commanded = steady_seconds();
    }
    client.requests.send({});
    dds_sleepfor(DDS_MSECS(100));
    client.responses.take([&](const auto&, auto) { answered = true; });
    states.take([&](const sensor_msgs::msg::JointState& message, auto) {
      heard = true;
      moved = std::abs(message.position._buffer[0] - position) < 0.01;
    });
  }
  std::printf("states %s, answers %s, arm %s\n", heard ? "heard" : "none",
              answered ? "heard" : "none", moved ? "moved" : "not moved");
}

}  // namespace
}  // namespace dyn_dds::test

int main(int argc, char** argv) {
  if (argc < 4 || argc > 5) return 2;
  dyn_dds::test::run(*dyn::load_urdf(argv[1]).value(), std::atof(argv[2]), std::atof(argv[3]),
                     argc == 5 ? argv[4] : "");
  return 0;
}
