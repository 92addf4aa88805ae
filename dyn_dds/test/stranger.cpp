// stranger ROBOT.urdf POSITION SECONDS [ENCLAVE]: takes part where CYCLONEDDS_URI says, listens to joint_states, asks
// for the dynamics and commands every joint to POSITION; says what came of it.
#include <cstdio>

#include <dyn_core/urdf.hpp>

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
  dyn::inspect::fill_time(0.2, point.time_from_start);
  commands.send(message);
}

void run(const dyn::Chain& chain, double position, double seconds, const std::string& security) {
  Participant own(choose_domain(true), security);
  Node node(own, "/", "stranger");
  const auto states = node.subscription<sensor_msgs::msg::JointState>(
      "joint_states", Qos{.depth = 100, .reliable = false});
  const auto commands = node.publisher<JointTrajectory>("joint_trajectory", Qos());
  const Client<dyn_msgs::srv::GetDynamics> client(own.get(), "/dynamics/get_dynamics");
  long heard = 0, answers = 0;
  double first_joint = 0.0;
  for (const double end = steady_seconds() + seconds; steady_seconds() < end;) {
    command(commands, chain, position);
    client.requests.send({});
    dds_sleepfor(DDS_MSECS(100));
    client.responses.take([&](const auto&, auto) { ++answers; });
    states.take([&](const sensor_msgs::msg::JointState& message, auto) {
      ++heard;
      first_joint = message.position._buffer[0];
    });
  }
  std::printf("states %s, answers %s, first joint at %.2f\n", heard > 0 ? "heard" : "none",
              answers > 0 ? "heard" : "none", first_joint);
}

}  // namespace
}  // namespace dyn_dds::test

int main(int argc, char** argv) {
  if (argc < 4 || argc > 5) return 2;
  dyn_dds::test::run(*dyn::load_urdf(argv[1]).value(), std::atof(argv[2]), std::atof(argv[3]),
                     argc == 5 ? argv[4] : "");
  return 0;
}
