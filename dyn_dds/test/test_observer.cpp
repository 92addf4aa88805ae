// The observer against dyn_core, over the wire: every value to the last bit.
#include <cstring>

#include <dyn_core/robot/kinematics.hpp>
#include <dyn_core/robot/urdf.hpp>

#include "long_robot.hpp"
#include "wire.hpp"

namespace dyn_dds::test {
namespace {

using dyn_msgs::msg::ModelReport;

template <class Sequence>
void expect_bits(const Sequence& got, const dyn::MatXd& wanted, const char* what) {
  ASSERT_EQ(got._length, static_cast<std::uint32_t>(wanted.size())) << what;
  for (dyn::Index k = 0; k < wanted.size(); ++k) {
    const double value = wanted(k / wanted.cols(), k % wanted.cols());
    EXPECT_EQ(std::memcmp(&got._buffer[k], &value, sizeof(value)), 0)
        << what << '[' << k << "]: " << got._buffer[k] << " is not " << value;
  }
}

struct Observed : Wire {
  Publisher<std_msgs::msg::String> descriptions =
      node.publisher<std_msgs::msg::String>("robot_description", latched);
  Publisher<sensor_msgs::msg::JointState> joint_states =
      node.publisher<sensor_msgs::msg::JointState>("joint_states", Qos());
  Subscription<ModelReport> reports =
      node.subscription<ModelReport>("dynamics/model_report", latched);
  dyn::ChainPtr chain = dyn::load_urdf(robot_path("puma560")).value();
  dyn::VecXd q = dyn::VecXd::LinSpaced(6, -1.1, 0.7), qd = dyn::VecXd::LinSpaced(6, 0.3, -0.9),
             effort = dyn::VecXd::LinSpaced(6, -5.0, 8.0);
  Fields fields;
  Server server{{"--observe"}};

  void describe(const std::string& text) {
    std_msgs::msg::String message = {};
    fields.clear();
    fields.text(text, message.data);
    descriptions.send(message);
  }
  void send_joint_state(const std::vector<std::string>& names, Time stamp = {12, 34}) {
    fields.clear();
    sensor_msgs::msg::JointState message = {};
    message.header.stamp = stamp;
    dyn::inspect::fill_names(fields, names, message.name);
    dyn::inspect::fill_array(fields, q, message.position);
    dyn::inspect::fill_array(fields, qd, message.velocity);
    dyn::inspect::fill_array(fields, effort, message.effort);
    joint_states.send(message);
  }
  /// Waits for a report that `good` likes.
  template <class Good>
  bool reported(Good good) {
    return eventually([&] {
      bool seen = false;
      reports.take([&](const ModelReport& report, auto) { seen = seen || good(report); });
      return seen;
    });
  }
  bool loaded(const std::string& robot) {
    return reported([&](const ModelReport& report) {
      return report.loaded && std::string(report.message) == "ok" && report.robot_name == robot;
    });
  }
  /// Sends joint states until a message comes, and passes it to `look`.
  template <class Message, class Look>
  void expect(const std::string& topic, Look look) {
    const auto subscription = node.subscription<Message>("dynamics/" + topic, Qos());
    int seen = 0;
    EXPECT_TRUE(eventually([&] {
      send_joint_state(chain->coordinate_names());
      subscription.take([&](const Message& message, auto) {
        if (seen++ > 0) return;
        EXPECT_EQ(message.header.stamp.nanosec, 34U);
        EXPECT_EQ(std::string(message.header.frame_id), chain->base());
        look(message);
      });
      return seen > 0;
    })) << topic;
  }
};

TEST_F(Observed, EveryTopicHasTheValuesOfDynCore) {
  describe(robot_text("puma560"));
  ASSERT_TRUE(loaded("puma560"));
  auto inspector = dyn::inspect::Inspector::make(chain).value();
  dyn::Solver& solver = inspector.solver();
  dyn::MatXd matrix(6, 6);
  ASSERT_EQ(solver.mass_matrix(q, matrix), dyn::Status::kOk);
  expect<dyn_msgs::msg::MassMatrix>("mass_matrix", [&](const auto& message) {
    expect_bits(message.data, matrix, "mass matrix");
    EXPECT_EQ(Fields::names(message.joint_names), chain->coordinate_names());
  });
  ASSERT_EQ(solver.coriolis_matrix(q, qd, matrix), dyn::Status::kOk);
  expect<dyn_msgs::msg::CoriolisMatrix>("coriolis_matrix", [&](const auto& message) {
    expect_bits(message.data, matrix, "Coriolis matrix");
  });
  dyn::inspect::JointDynamics terms(6);
  ASSERT_EQ(inspector.joint_dynamics(q, qd, terms), dyn::Status::kOk);
  expect<dyn_msgs::msg::JointDynamics>("joint_dynamics", [&](const auto& message) {
    expect_bits(message.position, q, "position");
    expect_bits(message.effort, effort, "effort");
    expect_bits(message.gravity_torque, terms.gravity_torque, "gravity torque");
    expect_bits(message.bias_torque, terms.bias_torque, "bias torque");
    EXPECT_EQ(message.kinetic_energy, terms.kinetic_energy);
  });
  expect<sensor_msgs::msg::JointState>("torque/gravity", [&](const auto& message) {
    expect_bits(message.effort, terms.gravity_torque, "gravity torque");
  });
  expect<sensor_msgs::msg::JointState>("torque/coriolis", [&](const auto& message) {
    expect_bits(message.effort, terms.coriolis_torque, "Coriolis torque");
  });
  dyn::Quasi quasi(6);
  ASSERT_EQ(solver.quasi(q, qd, effort, quasi), dyn::Status::kOk);
  expect<dyn_msgs::msg::DiagonalizedDynamics>("diagonalized", [&](const auto& message) {
    expect_bits(message.unit_upper, quasi.U, "U");
    expect_bits(message.diagonal, quasi.D, "D");
    expect_bits(message.nu, quasi.nu, "nu");
    expect_bits(message.coriolis_xi, quasi.coriolis_xi, "C(q, xi)");
    expect_bits(message.epsilon, quasi.epsilon, "epsilon");
    expect_bits(message.diagonal_rate, quasi.pivot_rate, "rate of D");
    expect_bits(message.mass_factor_rate, quasi.mass_factor_rate, "rate of m");
    expect_bits(message.nu_rate, quasi.nu_rate, "rate of nu");
    expect_bits(message.xi_rate, quasi.xi_rate, "rate of xi");
  });
}

// Held still for long: all that is left is what the efforts have beyond gravity.
TEST_F(Observed, TellsWhatActsBesidesTheModel) {
  describe(robot_text("puma560"));
  ASSERT_TRUE(loaded("puma560"));
  qd.setZero();
  auto solver = dyn::Solver::make(chain).value();
  dyn::VecXd gravity(6);
  ASSERT_EQ(solver.gravity_torque(q, gravity), dyn::Status::kOk);
  dyn::Kinematics<double> kinematics(chain);
  ASSERT_EQ(kinematics.update(q), dyn::Status::kOk);
  dyn::MatXd jacobian(6, 6);
  ASSERT_EQ(kinematics.jacobian(jacobian), dyn::Status::kOk);
  const auto residual = node.subscription<sensor_msgs::msg::JointState>("dynamics/residual", Qos());
  const auto wrench =
      node.subscription<geometry_msgs::msg::WrenchStamped>("dynamics/external_wrench", Qos());
  Time stamp = {12, 0};
  bool settled = false, explained = false;
  EXPECT_TRUE(eventually([&] {
    stamp.nanosec = (stamp.nanosec + 400'000'000) % 1'000'000'000;
    stamp.sec += stamp.nanosec < 400'000'000 ? 1 : 0;
    send_joint_state(chain->coordinate_names(), stamp);
    residual.take([&](const sensor_msgs::msg::JointState& message, auto) {
      ASSERT_EQ(message.effort._length, 6U);
      const Eigen::Map<const dyn::VecXd> seen(message.effort._buffer, 6);
      settled = settled || (seen - (effort - gravity)).norm() < 1e-9;
      EXPECT_EQ(Fields::names(message.name), chain->coordinate_names());
    });
    wrench.take([&](const geometry_msgs::msg::WrenchStamped& message, auto) {
      EXPECT_EQ(std::string(message.header.frame_id), chain->tip());
      const dyn::Wrench seen = dyn::inspect::to_wrench(message.wrench);
      const dyn::Mat3d from_tip = kinematics.tip_pose().R;
      Eigen::Matrix<double, 6, 1> at_tip;
      at_tip << from_tip * seen.force, from_tip * seen.torque;
      const dyn::VecXd at_joints = jacobian.transpose() * at_tip;
      explained = explained || (at_joints - (gravity - effort)).norm() < 1e-2 * effort.norm();
    });
    return settled && explained;
  })) << settled
      << explained;
}

TEST_F(Observed, KeepsItsModelWhenADescriptionIsMalformed) {
  describe(robot_text("puma560"));
  ASSERT_TRUE(loaded("puma560"));
  describe("<robot name='broken'><link");
  EXPECT_TRUE(reported([](const ModelReport& report) {
    return report.loaded && std::string(report.message) != "ok" &&
           std::string(report.robot_name) == "puma560";
  }));
  expect<dyn_msgs::msg::MassMatrix>("mass_matrix", [](const auto&) {});
  describe(robot_text("arm7"));
  EXPECT_TRUE(loaded("arm7"));
}

TEST_F(Observed, ADescriptionOfAThousandJointsDoesNoHarm) {
  server.limit_memory(3'000'000'000);
  describe(dyn::test::long_robot(1000));
  EXPECT_TRUE(reported([](const ModelReport& report) {
    return std::string(report.message).find("1000 moving joints") != std::string::npos;
  }));
  describe(robot_text("puma560"));
  EXPECT_TRUE(loaded("puma560"));
  EXPECT_EQ(server.stop(SIGTERM), 0);
}

TEST_F(Observed, LateJoinersAndBothSidesRestarted) {
  describe(robot_text("puma560"));
  ASSERT_TRUE(loaded("puma560"));
  const auto table = node.subscription<dyn_msgs::msg::DhChain>("dynamics/dh_chain", latched);
  EXPECT_TRUE(eventually([&] {
    std::uint32_t rows = 0;
    table.take([&](const auto& message, auto) { rows = message.rows._length; });
    return rows == 6;
  })) << "the table was published before this reader came";
  EXPECT_EQ(server.stop(SIGKILL), -SIGKILL);
  const Server again({"--observe"});
  EXPECT_TRUE(loaded("puma560")) << "the description was published before this server came";
  expect<dyn_msgs::msg::MassMatrix>("mass_matrix", [](const auto&) {});
}

TEST_F(Observed, OtherJointsAndContradictingSizesDoNoHarm) {
  describe(robot_text("puma560"));
  ASSERT_TRUE(loaded("puma560"));
  for (int k = 0; k < 200; ++k) {
    send_joint_state({"someone", "elses", "joints"});
    send_joint_state({});
  }
  expect<dyn_msgs::msg::MassMatrix>("mass_matrix", [](const auto&) {});
  EXPECT_TRUE(server.runs());
}

TEST_F(Observed, AnswersRequests) {
  describe(robot_text("puma560"));
  ASSERT_TRUE(loaded("puma560"));
  using Client = Client<dyn_msgs::srv::GetDynamics>;
  const Client client(own.get(), own_namespace() + "/dynamics/get_dynamics");
  Client::Request request = {};
  request.rmw_client = 77;
  dyn::inspect::fill_array(fields, q, request.position);
  dyn::inspect::fill_array(fields, qd, request.velocity);
  auto inspector = dyn::inspect::Inspector::make(chain).value();
  dyn::inspect::Snapshot snapshot(6);
  ASSERT_EQ(inspector.snapshot(q, qd, snapshot), dyn::Status::kOk);
  EXPECT_TRUE(answered(client, request, [&](const Client::Response& response) {
    EXPECT_EQ(response.rmw_client, 77U);
    EXPECT_TRUE(response.success) << response.message;
    expect_bits(response.mass_matrix_inverse, snapshot.mass_matrix_inverse, "inverse of M");
    expect_bits(response.jacobian, snapshot.jacobian, "Jacobian");
  }));
}

// Six seconds of a motion under a load, and what the load is.
TEST_F(Observed, FindsThePayload) {
  describe(robot_text("puma560"));
  ASSERT_TRUE(loaded("puma560"));
  using Client = Client<dyn_msgs::srv::IdentifyPayload>;
  const Client client(own.get(), own_namespace() + "/dynamics/identify_payload");
  Client::Request request = {};
  const auto ask = [&](std::uint8_t action, auto look) {
    request.action = action;
    EXPECT_TRUE(answered(client, request, look));
  };
  constexpr std::uint8_t kStart = 0, kStop = 1;
  ask(kStop, [](const Client::Response& response) {
    EXPECT_FALSE(response.success);
    EXPECT_NE(std::string(response.message).find("start one first"), std::string::npos);
  });
  ask(kStart, [](const Client::Response& response) { EXPECT_TRUE(response.success); });
  auto solver = dyn::Solver::make(chain).value();
  const dyn::RigidBody load{1.5, {0.02, -0.01, 0.08}, 0.01 * dyn::Mat3d::Identity()};
  solver.set_payload(load);
  const dyn::VecXd rate = dyn::VecXd::LinSpaced(6, 2.0, 5.0);
  // The observer's reader keeps a hundred states, and none is sent twice: no more may be on the way.
  using dyn_msgs::srv::GetDynamics;
  const test::Client<GetDynamics> latest(own.get(), own_namespace() + "/dynamics/get_dynamics");
  const auto await = [&](int k) {
    int seen = 0;
    return eventually([&] {
      return answered(latest, {},
                      [&](const GetDynamics::Response& response) {
                        const Time& stamp = response.header.stamp;
                        seen =
                            100 * (stamp.sec - 100) + static_cast<int>(stamp.nanosec / 10'000'000);
                      }) &&
             seen >= k;
    });
  };
  for (int k = 0; k < 600; ++k) {
    const bool looks = k % 50 == 49;
    ASSERT_TRUE(!looks || await(k - 25));
    const dyn::VecXd angle = 0.01 * k * rate;
    q = 0.8 * angle.array().sin();
    qd = 0.8 * rate.array() * angle.array().cos();
    const dyn::VecXd qdd = -0.8 * rate.array().square() * angle.array().sin();
    ASSERT_EQ(solver.inverse_dynamics(q, qd, qdd, effort), dyn::Status::kOk);
    send_joint_state(chain->coordinate_names(),
                     {100 + k / 100, static_cast<std::uint32_t>(10'000'000 * (k % 100))});
  }
  request.apply = true;
  ask(kStop, [&](const Client::Response& response) {
    ASSERT_TRUE(response.success) << response.message;
    EXPECT_GT(response.samples, 300U);
    EXPECT_NEAR(response.payload.m, load.mass, 0.02);
    EXPECT_NEAR(response.payload.com.z, load.com.z(), 0.01);
    ASSERT_EQ(response.residual_after._length, 6U);
    ASSERT_EQ(response.residual_before._length, 6U);
    EXPECT_LT(response.residual_after._buffer[1], 0.1 * response.residual_before._buffer[1]);
  });
}

struct Narrow : Wire {};

TEST_F(Narrow, AnAnswerLargerThanAMessageMayBeIsSaid) {
  const char* const set = std::getenv("CYCLONEDDS_URI");
  const std::string before = set == nullptr ? "" : set;
  const std::string bound =
      "<CycloneDDS><Domain><Internal><MaxSampleSize>1 kB</MaxSampleSize></Internal></Domain>"
      "</CycloneDDS>";
  setenv("CYCLONEDDS_URI", (before.empty() ? bound : before + "," + bound).c_str(), 1);
  const Server server({robot_path("puma560"), "--observe"});
  before.empty() ? unsetenv("CYCLONEDDS_URI") : setenv("CYCLONEDDS_URI", before.c_str(), 1);
  using dyn_msgs::srv::GetDynamics;
  const Client<GetDynamics> client(own.get(), own_namespace() + "/dynamics/get_dynamics");
  GetDynamics::Request request = {};
  Fields fields;
  dyn::inspect::fill_array(fields, dyn::VecXd::Zero(6), request.position);
  dyn::inspect::fill_array(fields, dyn::VecXd::Zero(6), request.velocity);
  EXPECT_TRUE(answered(client, request, [](const GetDynamics::Response& response) {
    EXPECT_FALSE(response.success);
    EXPECT_NE(std::string(response.message).find("larger than a message"), std::string::npos)
        << response.message;
  }));
}

TEST_F(Observed, TimesAPath) {
  describe(robot_text("puma560"));
  ASSERT_TRUE(loaded("puma560"));
  using Client = Client<dyn_msgs::srv::TimeTrajectory>;
  const Client client(own.get(), own_namespace() + "/dynamics/time_trajectory");
  Client::Request request = {};
  dyn::inspect::fill_names(fields, chain->coordinate_names(), request.path.joint_names);
  const auto points = fields.resize(request.path.points, 3);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const dyn::VecXd posture = q.array() + 0.3 * static_cast<double>(k);
    dyn::inspect::fill_array(fields, posture, points[k].positions);
  }
  request.step = 0.05;
  EXPECT_TRUE(answered(client, request, [&](const Client::Response& response) {
    ASSERT_TRUE(response.success) << response.message;
    EXPECT_GT(response.duration, 0.0);
    const auto timed = Fields::numbers(response.trajectory.points);
    ASSERT_GT(timed.size(), 2U);
    expect_bits(timed.front().positions, q, "the first posture");
  }));
}

}  // namespace
}  // namespace dyn_dds::test
