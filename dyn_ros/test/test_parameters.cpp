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

// Parameters are changed while the node runs, or refused with a sentence.
#include <dyn_core/inspect/monitor.hpp>
#include <dyn_msgs/eigen.hpp>
#include <dyn_msgs/msg/joint_dynamics.hpp>
#include <dyn_msgs/msg/mass_matrix.hpp>
#include <rcl_interfaces/msg/log.hpp>

#include "dyn_ros/settings.hpp"
#include "node_fixture.hpp"

namespace dyn_ros::test {
namespace {

class Parameters : public NodeTest {
 protected:
  // The reason why it was refused, empty if it was not.
  std::string set(const std::vector<rclcpp::Parameter>& parameters) {
    const auto result = node->set_parameters_atomically(parameters);
    EXPECT_EQ(result.successful, result.reason.empty());
    return result.reason;
  }
  std::string set(const std::string& name, const rclcpp::ParameterValue& value) {
    return set({rclcpp::Parameter(name, value)});
  }
  void expect_refused(const std::string& reason, const std::string& part) {
    EXPECT_NE(reason.find(part), std::string::npos) << reason;
  }
};

using rclcpp::ParameterValue;

TEST_F(Parameters, DefaultsAreThoseOfTheLibrary) {
  start_node();
  const dyn::inspect::Settings defaults;
  for (const auto& output : dyn::inspect::kOutputs) {
    EXPECT_EQ(node->get_parameter("rates." + std::string(output.name)).as_double(), output.rate);
  }
  EXPECT_EQ(node->get_parameter("joint_state_timeout").as_double(), defaults.joint_state_timeout);
  EXPECT_EQ(node->get_parameter("markers.horizon").as_double(), defaults.markers.horizon);
  EXPECT_EQ(node->get_parameter("markers.manipulability_scale").as_double(),
            defaults.markers.manipulability_scale);
  EXPECT_EQ(node->get_parameter("markers.dynamic_manipulability_size").as_double(),
            defaults.markers.dynamic_manipulability_size);
}

TEST_F(Parameters, EveryOneIsDescribed) {
  start_node();
  const auto names = node->list_parameters({}, 10).names;
  for (const auto& descriptor : node->describe_parameters(names)) {
    const bool others = descriptor.name.rfind("qos_overrides", 0) == 0 ||
                        descriptor.name == "use_sim_time" ||
                        descriptor.name == "start_type_description_service";
    EXPECT_TRUE(others || descriptor.description.size() > 20) << descriptor.name;
  }
}

TEST_F(Parameters, AlgorithmsAreThoseOfTheRegistry) {
  start_with("arm7");
  expect_refused(
      set("algorithms.mass_matrix", ParameterValue("fastest")),
      "there is no algorithm 'fastest' for algorithms.mass_matrix; choose one of: gdahj");
  EXPECT_EQ(node->get_parameter("algorithms.mass_matrix").as_string(), "");
  const Listener<dyn_msgs::msg::MassMatrix> listener(*user, "dynamics/mass_matrix");
  for (const char* name : {"crba", "denoc", "gdahj"}) {
    EXPECT_EQ(set("algorithms.mass_matrix", ParameterValue(name)), "");
    ASSERT_TRUE(answered(state(shuffled_joints(), shuffled_positions()), listener));
    EXPECT_EQ(listener.latest().algorithm, name);
  }
}

TEST_F(Parameters, ALinkThatIsNotThereIsRefusedAndTheModelStays) {
  start_with("arm7");
  expect_refused(set("tip_link", ParameterValue("nowhere")), "nowhere");
  EXPECT_EQ(node->get_parameter("tip_link").as_string(), "tool0");
  const Listener<dyn_msgs::msg::MassMatrix> listener(*user, "dynamics/mass_matrix");
  EXPECT_TRUE(answered(state(shuffled_joints(), shuffled_positions()), listener));
  EXPECT_EQ(set("tip_link", ParameterValue("link4")), "");
  ASSERT_TRUE(spin_until([&] { return report.latest().tip_link == "link4"; }));
  EXPECT_TRUE(answered(state(shuffled_joints(), shuffled_positions()), listener));
  EXPECT_EQ(listener.latest().data.size(), 16u);
}

TEST_F(Parameters, ListsThatBelongTogetherActWhenTheyFit) {
  start_with("arm7");
  const Listener<dyn_msgs::msg::MassMatrix> listener(*user, "dynamics/mass_matrix");
  const auto inertia_at_joint2 = [&] {
    EXPECT_TRUE(answered(state(shuffled_joints(), shuffled_positions()), listener));
    return listener.latest().data[8];
  };
  using Names = std::vector<std::string>;
  using Numbers = std::vector<double>;
  const double without = inertia_at_joint2();
  // As `ros2 param set` and `ros2 param load` do it: one after the other.
  EXPECT_EQ(set("armature.values", ParameterValue(Numbers{0.5})), "");
  EXPECT_EQ(inertia_at_joint2(), without) << "whose 0.5 kg m² is not known yet";
  EXPECT_EQ(set("payload.mass", ParameterValue(1.0)), "") << "nothing else has to wait";
  EXPECT_EQ(set("payload.mass", ParameterValue(0.0)), "");
  EXPECT_EQ(set("armature.joints", ParameterValue(Names{"joint2"})), "");
  EXPECT_NEAR(inertia_at_joint2() - without, 0.5, 1e-12);
  EXPECT_EQ(set("armature.joints", ParameterValue(Names{"joint1", "joint2"})), "");
  EXPECT_NEAR(inertia_at_joint2() - without, 0.5, 1e-12) << "until both fit again";
  EXPECT_EQ(set("armature.values", ParameterValue(Numbers{0.0, 0.25})), "");
  EXPECT_NEAR(inertia_at_joint2() - without, 0.25, 1e-12);
  EXPECT_EQ(set({rclcpp::Parameter("armature.joints", Names{}),
                 rclcpp::Parameter("armature.values", Numbers{})}),
            "");
  EXPECT_EQ(inertia_at_joint2(), without);
  expect_refused(set({rclcpp::Parameter("lock.joints", Names{"nobody"}),
                      rclcpp::Parameter("lock.positions", Numbers{0.01})}),
                 "nobody");
  EXPECT_EQ(set("lock.positions", ParameterValue(Numbers{0.01})), "");
  expect_refused(set("lock.joints", ParameterValue(Names{"nobody"})), "nobody");
}

TEST_F(Parameters, FrictionMayBeGiven) {
  start_with("arm7");
  EXPECT_EQ(set({rclcpp::Parameter("damping.joints", std::vector<std::string>{"joint1", "joint2"}),
                 rclcpp::Parameter("damping.values", std::vector<double>{2.0, 3.0}),
                 rclcpp::Parameter("friction.joints", std::vector<std::string>{"joint1", "joint2"}),
                 rclcpp::Parameter("friction.values", std::vector<double>{0.0, 0.0})}),
            "");
  const Listener<dyn_msgs::msg::JointDynamics> listener(*user, "dynamics/joint_dynamics");
  auto message = state(shuffled_joints(), shuffled_positions());
  message.velocity.assign(8, 0.5);
  ASSERT_TRUE(answered(message, listener));
  EXPECT_EQ(listener.latest().friction_torque[0], 1.0);
  EXPECT_EQ(listener.latest().friction_torque[1], 1.5);
  EXPECT_NE(listener.latest().friction_torque[2], 0.0);
}

TEST_F(Parameters, PayloadAndGravityActAtOnce) {
  start_with("arm7");
  const Listener<dyn_msgs::msg::JointDynamics> listener(*user, "dynamics/joint_dynamics");
  EXPECT_EQ(set("payload.mass", ParameterValue(2.0)), "");
  EXPECT_EQ(set("gravity", ParameterValue(std::vector<double>{1.0, 2.0, -9.0})), "");
  ASSERT_TRUE(answered(state(shuffled_joints(), shuffled_positions()), listener));
  dyn::Solver solver = robot_solver("arm7");
  solver.set_payload({.mass = 2.0});
  solver.set_gravity(dyn::Vec3d(1.0, 2.0, -9.0));
  const dyn::VecXd q = dyn_msgs::to_eigen(listener.latest().position);
  dyn::VecXd g(7);
  ASSERT_EQ(solver.gravity_torque(q, g), dyn::Status::kOk);
  EXPECT_EQ(dyn_msgs::to_eigen(listener.latest().gravity_torque), g);
  EXPECT_EQ(listener.latest().gravity.y, 2.0);
  ASSERT_TRUE(spin_until([&] { return report.latest().payload.m == 2.0; }));
  EXPECT_FALSE(set("payload.mass", ParameterValue(-1.0)).empty());
  EXPECT_FALSE(set("gravity", ParameterValue(std::vector<double>{1.0})).empty());
  EXPECT_FALSE(set("gravity", ParameterValue(std::vector<double>{0.0, 0.0, NAN})).empty());
}

TEST_F(Parameters, ARateOfZeroSwitchesAnOutputOff) {
  start_with("arm7");
  const Listener<dyn_msgs::msg::MassMatrix> off(*user, "dynamics/mass_matrix");
  const Listener<dyn_msgs::msg::JointDynamics> other(*user, "dynamics/joint_dynamics");
  ASSERT_TRUE(answered(state(shuffled_joints(), shuffled_positions()), off));
  EXPECT_EQ(set("rates.mass_matrix", ParameterValue(0.0)), "");
  const auto message = state(shuffled_joints(), shuffled_positions());
  ASSERT_TRUE(answered(message, other));
  EXPECT_NE(off.latest().header.stamp, message.header.stamp);
  EXPECT_FALSE(set("rates.mass_matrix", ParameterValue(-1.0)).empty());
}

TEST_F(Parameters, ADescriptionThatMakesNoSenseIsRefused) {
  start_with("arm7");
  EXPECT_FALSE(set("robot_description", ParameterValue("no robot")).empty());
  EXPECT_TRUE(model_is("arm7"));
  EXPECT_EQ(set("robot_description", ParameterValue(robot_text("puma560"))), "");
  EXPECT_TRUE(spin_until([&] { return model_is("puma560"); }));
}

// What a node writes into its log goes to /rosout.
TEST_F(Parameters, MisspeltOnesAreNamed) {
  std::string log;
  const auto rosout = user->create_subscription<rcl_interfaces::msg::Log>(
      "/rosout", rclcpp::RosoutQoS(), [&](const rcl_interfaces::msg::Log& line) {
        if (line.name.find(name_space.substr(1)) == 0) log += line.msg + '\n';
      });
  start_node({rclcpp::Parameter("rates.mass_matrx", 10.0),
              rclcpp::Parameter("joint_state_timout", 2.0),
              rclcpp::Parameter("someone_elses.speed", 2.0)});
  ASSERT_TRUE(spin_until([&] {
    return log.find(
               "there is no parameter 'rates.mass_matrx', so it changes nothing; did you mean "
               "'rates.mass_matrix'?") != std::string::npos &&
           log.find("did you mean 'joint_state_timeout'?") != std::string::npos;
  })) << log;
  EXPECT_EQ(log.find("someone_elses"), std::string::npos);
}

TEST_F(Parameters, OnesItCannotStartWithAreNamed) {
  const auto sentence = [](const rclcpp::Parameter& parameter) -> std::string {
    try {
      DynamicsNode(rclcpp::NodeOptions().parameter_overrides({parameter}));
    } catch (const std::exception& error) {
      return error.what();
    }
    return "started";
  };
  expect_refused(sentence({"algorithms.coriolis", "guess"}), "no algorithm 'guess'");
  expect_refused(sentence({"markers.show", std::vector<std::string>{"halo"}}), "'halo'");
  expect_refused(sentence({"lock.joints", std::vector<std::string>{"a"}}),
                 "lock.joints has 1 names but lock.positions 0 values; give one for each joint");
  EXPECT_EQ(sentence({"robot_description", "no robot"}), "started");
}

}  // namespace
}  // namespace dyn_ros::test
