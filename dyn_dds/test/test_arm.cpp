// The arm: rate without loss, frames, commands good and bad, its end.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <dyn_core/robot/urdf.hpp>
#include <dyn_core/solver.hpp>
#include <netinet/in.h>
#include <sys/socket.h>

#include "notes.hpp"
#include "wire.hpp"

namespace dyn_dds::test {
namespace {

using sensor_msgs::msg::JointState;
using trajectory_msgs::msg::JointTrajectory;

double seconds_of(const Time& stamp) { return stamp.sec + 1e-9 * stamp.nanosec; }

// How far the clock of the stamps, which may be set meanwhile, is ahead of the one that cycles are counted by.
double clock_ahead() {
  double ahead = 0.0, doubt = 1.0;
  for (int k = 0; k < 100; ++k) {
    const double before = steady_seconds();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const double after = steady_seconds();
    if (after - before >= doubt) continue;
    doubt = after - before;
    ahead = std::chrono::duration<double>(now).count() - before;
  }
  return ahead;
}

struct Armed : Wire {
  Publisher<JointTrajectory> commands = node.publisher<JointTrajectory>("joint_trajectory", Qos());
  Subscription<JointState> joint_states =
      node.subscription<JointState>("joint_states", Qos{.depth = 100'000});
  std::vector<std::string> names =
      dyn::load_urdf(robot_path("puma560")).value()->coordinate_names();
  Fields fields;

  void command(const std::vector<std::string>& joints, double position, double seconds) {
    fields.clear();
    JointTrajectory message = {};
    dyn::inspect::fill_names(fields, joints, message.joint_names);
    auto& point = fields.resize(message.points, 1)[0];
    dyn::inspect::fill_array(fields,
                             dyn::VecXd::Constant(static_cast<dyn::Index>(joints.size()), position),
                             point.positions);
    dyn::inspect::fill_time(seconds, point.time_from_start);
    commands.send(message);
  }

  /// Shows the joints of every state to `done` until that is true, for `count` states, one of each
  /// millisecond of the arm's time: however slow the machine is. False, too, if the arm falls silent.
  template <class Done>
  bool within(int count, Done done) {
    bool found = false, silent = false;
    while (!found && !silent && count > 0) {
      bool some = false;
      silent = !eventually([&] {
        joint_states.take([&](const JointState& message, auto) {
          found = found || done(Fields::numbers(message.position));
          some = true;
          --count;
        });
        return some;
      });
    }
    return found;
  }
  static bool is_at(double position, std::span<const double> joints) {
    return std::ranges::all_of(joints, [&](double q) { return std::abs(q - position) < 2e-3; });
  }
  bool arrives_at(double position, int count = 10'000) {
    constexpr int kRest = 100;
    int there = 0;
    return within(count, [&](auto joints) {
      there = is_at(position, joints) ? there + 1 : 0;
      return there == kRest;
    });
  }
  // The states of so many seconds, by their stamps.
  struct Window {
    double first = 0.0, last = 0.0, longest = 0.0, drift = 0.0;  // s
    long count = 0;

    [[nodiscard]] double cycles() const { return std::round((last - first - drift) * 1e3) + 1.0; }
    [[nodiscard]] bool whole() const {
      return count > 0 && std::abs(static_cast<double>(count) - cycles()) <= 2.0;
    }
  };
  Window watch(double duration) {
    Window out;
    const double ahead = clock_ahead();
    EXPECT_TRUE(eventually(
        [&] {
          joint_states.take([&](const JointState& message, auto) {
            const double time = seconds_of(message.header.stamp);
            if (out.count++ == 0) out.first = out.last = time;
            out.longest = std::max(out.longest, time - out.last);
            out.last = time;
          });
          return out.last - out.first >= duration;
        },
        duration + 60.0));
    out.drift = clock_ahead() - ahead;
    return out;
  }
  bool stays_at(double position, int count) {
    int there = 0;
    return within(count, [&](auto joints) {
      there += is_at(position, joints) ? 1 : 0;
      return there == count;
    });
  }
};

// DYN_DDS_SECONDS makes it longer. Where this process is kept from running, its states outlive the writer's memory:
// of some windows of time one has to be whole.
TEST_F(Armed, StatesComeEveryMillisecondWithoutLoss) {
  const Server server({robot_path("arm7"), "--demo"});
  const char* wanted = std::getenv("DYN_DDS_SECONDS");
  const double duration = wanted == nullptr ? 5.0 : std::atof(wanted);
  Window window;
  for (int k = 0; k < 5 && !window.whole(); ++k) window = watch(duration);
  EXPECT_TRUE(window.whole()) << window.count << " states in " << window.cycles()
                              << " cycles; longest gap between two stamps: " << 1e3 * window.longest
                              << " ms, the clock drifted by " << 1e3 * window.drift << " ms";
}

TEST_F(Armed, LateJoinersGetDescriptionAndFrames) {
  Server server({robot_path("arm7"), "--arm"});
  ASSERT_TRUE(eventually([&] { return joint_states.talkers() == 1; }));
  const auto descriptions = node.subscription<std_msgs::msg::String>("robot_description", latched);
  const auto tf_static = node.subscription<tf2_msgs::msg::TFMessage>("/tf_static", latched);
  const auto tf = node.subscription<tf2_msgs::msg::TFMessage>("/tf", Qos{.depth = 100});
  std::string text;
  std::size_t moving = 0, fixed = 0;
  EXPECT_TRUE(eventually([&] {
    descriptions.take([&](const auto& message, auto) { text = message.data; });
    tf.take([&](const auto& message, auto) { moving = message.transforms._length; });
    tf_static.take([&](const auto& message, auto) { fixed = message.transforms._length; });
    return !text.empty() && moving > 0 && fixed > 0;
  }));
  EXPECT_EQ(text, robot_text("arm7"));
  EXPECT_EQ(moving, 9U) << "seven joints and two fingers";
  EXPECT_EQ(server.stop(SIGINT), 0);
}

TEST_F(Armed, FollowsGoodCommandsAndOutlivesBadOnes) {
  Server server({robot_path("puma560"), "--arm"});
  ASSERT_TRUE(eventually([&] { return commands.listeners() == 1; }));
  // The first command is lost where the arm gets to know its writer later than the writer the arm.
  bool arrived = false;
  for (int k = 0; k < 10 && !arrived; ++k) {
    command(names, 0.3, 0.5);
    arrived = arrives_at(0.3, 2000);
  }
  EXPECT_TRUE(arrived);
  for (int k = 0; k < 500; ++k) {
    command({"nobody"}, 0.1, 1.0);
    command(names, std::nan(""), 1.0);
    command(names, 1e6, 1.0);
    command(names, 0.1, 0.0);
    command(names, 0.1, -1.0);
  }
  EXPECT_TRUE(stays_at(0.3, 1000));
  for (int k = 0; k < 2000; ++k) command(names, 0.001 * (k % 100), 0.5);
  command(names, 0.2, 0.5);
  EXPECT_TRUE(arrives_at(0.2));
  EXPECT_EQ(server.stop(SIGTERM), 0);
}

TEST_F(Armed, PrintsTextFromTheNetworkOnOneShortLine) {
  const std::string output = output_path();
  Server server({robot_path("puma560"), "--arm"}, output);
  ASSERT_TRUE(eventually([&] { return commands.listeners() == 1; }));
  const std::string name = "no\x1b[2J\ndyn_serve: forged\u009b" + std::string(5000, 'x');
  std::string text;
  EXPECT_TRUE(eventually([&] {
    command({name}, 0.1, 1.0);
    text = text_of(output);
    return text.find("forged") != std::string::npos;
  }));
  EXPECT_EQ(server.stop(SIGTERM), 0);
  for (const char* bad : {"\x1b", "\u009b", "\ndyn_serve: forged",
                          "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}) {
    EXPECT_EQ(text.find(bad), std::string::npos) << bad;
  }
}

// Sends `count` packets that begin like RTPS to every port of this machine that a participant may have.
void send_garbage(dds_domainid_t domain, int count) {
  const int sender = socket(AF_INET, SOCK_DGRAM, 0);
  const std::string packet = "RTPS\2\1\1\20" + std::string(40, '0');
  for (int k = 0; k < count; ++k) {
    for (std::uint32_t port = 7410 + 250 * domain; port < 7420 + 250 * domain; ++port) {
      sockaddr_in to = {};
      to.sin_family = AF_INET;
      to.sin_port = htons(static_cast<std::uint16_t>(port));
      to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      (void)sendto(sender, packet.data(), packet.size(), 0, reinterpret_cast<sockaddr*>(&to),
                   sizeof(to));
    }
  }
  close(sender);
}

TEST_F(Armed, MalformedPacketsFillNoLog) {
  const std::string output = output_path();
  Notes own_log;  // the packets come to this process, too
  own_log.take_log();
  Server server({robot_path("puma560"), "--arm"}, output);
  ASSERT_TRUE(eventually([&] { return commands.listeners() == 1; }));
  std::string text;
  EXPECT_TRUE(eventually([&] {
    send_garbage(own.domain(), 1000);
    text = text_of(output);
    return text.find("Cyclone DDS: ") != std::string::npos;
  }));
  send_garbage(own.domain(), 1000);
  EXPECT_EQ(server.stop(SIGTERM), 0);
  std::ifstream lines(output);
  int complaints = 0;
  double seconds = 0.0;
  for (std::string line; std::getline(lines, line);) {
    complaints += line.find("Cyclone DDS: ") != std::string::npos ? 1 : 0;
    if (line.find(" s; ") != std::string::npos) seconds = std::atof(line.c_str());
  }
  EXPECT_LE(complaints, 2.0 + seconds / 10.0);
}

TEST_F(Armed, StartsNoSecondArmOnOneGraphUnlessTold) {
  const Server first({robot_path("puma560"), "--arm"});
  ASSERT_TRUE(eventually([&] { return joint_states.talkers() == 1; }));
  const std::string output = output_path();
  // On a busy machine discovery takes longer than a second arm waits for; then it says later what it found.
  int status = 0;
  std::string text;
  for (int k = 0; k < 10 && status == 0; ++k) {
    status = Server({robot_path("puma560"), "--arm", "--duration=60"}, output).wait();
    text = text_of(output);
    EXPECT_NE(text.find("publishes " + own_namespace() + "/"), std::string::npos) << text;
  }
  EXPECT_EQ(status, 1);
  for (const std::string part : {"--beside", "--namespace", "ROS_DOMAIN_ID"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  const Server watching({"--observe"}, output);
  const auto diagnostics =
      node.subscription<diagnostic_msgs::msg::DiagnosticArray>("/diagnostics", Qos());
  // The level of both parts, one if they disagree.
  const auto level_becomes = [&](std::uint8_t wanted) {
    return eventually([&] {
      bool seen = false;
      diagnostics.take([&](const diagnostic_msgs::msg::DiagnosticArray& message, auto) {
        const auto& parts = message.status._buffer;
        if (std::string(parts[0].name).starts_with(own_namespace())) {
          seen = seen || (parts[0].level == wanted && parts[1].level == wanted);
        }
      });
      return seen;
    });
  };
  EXPECT_TRUE(level_becomes(0));
  {
    const Server second({robot_path("puma560"), "--arm", "--beside"});
    EXPECT_TRUE(level_becomes(1)) << "two publishers of both topics are worth a warning";
    EXPECT_TRUE(eventually([&] {
      return text_of(output).find("2 publishers of joint_states are mixed") != std::string::npos;
    }));
  }
  EXPECT_TRUE(level_becomes(0));
}

TEST_F(Armed, TakesTheOptionsOfDyn) {
  const std::string output = output_path();
  EXPECT_EQ(Server({"--version"}, output).wait(), 0);
  EXPECT_TRUE(text_of(output).starts_with("dyn_serve 0."));
  EXPECT_EQ(Server({"--version"}, "/dev/full").wait(), 1);
  EXPECT_EQ(Server({"nowhere.urdf"}, "/dev/full").wait(), 1);
  const Server server({robot_path("arm7"), "--arm", "--tip=tool0", "--payload=2,0,0,0.1",
                       "--gravity", "0,0,-1.62", "--armature=joint1=0.5", "--lock=finger_left=0.01",
                       "--frame-prefix=left/"});
  dyn::UrdfOptions options;
  options.tip = "tool0";
  options.payload.mass = 2.0;
  options.payload.com = {0.0, 0.0, 0.1};
  options.gravity = {0.0, 0.0, -1.62};
  options.lock = {{"finger_left", 0.01}};
  auto solver = dyn::Solver::make(dyn::load_urdf(robot_path("arm7"), options).value()).value();
  const auto tf = node.subscription<tf2_msgs::msg::TFMessage>("/tf", Qos{.depth = 100});
  dyn::VecXd weight(7), effort = dyn::VecXd::Zero(7);
  std::string frames;
  EXPECT_TRUE(eventually([&] {
    joint_states.take([&](const JointState& message, auto) {
      const dyn::VecXd q = Eigen::Map<const dyn::VecXd>(message.position._buffer, 7);
      ASSERT_EQ(solver.gravity_torque(q, weight), dyn::Status::kOk);
      effort = Eigen::Map<const dyn::VecXd>(message.effort._buffer, 7);
    });
    tf.take([&](const auto& message, auto) {
      frames = message.transforms._buffer[0].header.frame_id + std::string(" ") +
               message.transforms._buffer[0].child_frame_id;
    });
    return !frames.empty() && effort.norm() > 0.0 && (effort - weight).norm() < 0.02;
  })) << "resting, the joints hold arm and payload on the moon: "
      << effort.transpose() << " against " << weight.transpose();
  EXPECT_EQ(frames, "left/base_link left/link1");
}

TEST_F(Armed, CarriesWhatItIsTold) {
  const Server server({robot_path("puma560"), "--arm"});
  using SetPayload = dyn_msgs::srv::SetPayload;
  const Client<SetPayload> client(own.get(), own_namespace() + "/arm/set_payload");
  SetPayload::Request request = {};
  request.payload.m = -1.0;
  EXPECT_TRUE(answered(client, request, [](const SetPayload::Response& response) {
    EXPECT_FALSE(response.success);
    EXPECT_NE(std::string(response.message).find("negative"), std::string::npos);
  }));
  request.payload.m = 3.0;
  EXPECT_TRUE(answered(client, request, [](const SetPayload::Response& response) {
    EXPECT_TRUE(response.success) << response.message;
  }));
  auto solver = dyn::Solver::make(dyn::load_urdf(robot_path("puma560")).value()).value();
  dyn::RigidBody payload;
  payload.mass = 3.0;
  solver.set_payload(payload);
  dyn::VecXd weight(6), effort = dyn::VecXd::Zero(6);
  EXPECT_TRUE(eventually([&] {
    joint_states.take([&](const JointState& message, auto) {
      effort = Eigen::Map<const dyn::VecXd>(message.effort._buffer, 6);
      EXPECT_EQ(
          solver.gravity_torque(Eigen::Map<const dyn::VecXd>(message.position._buffer, 6), weight),
          dyn::Status::kOk);
    });
    return effort.norm() > 0.0 && (effort - weight).norm() < 0.2;
  })) << effort.transpose()
      << " against " << weight.transpose();
}

TEST_F(Armed, BreaksForAsLongAsItIsTold) {
  const Server server({robot_path("puma560"), "--arm"});
  using InjectFault = dyn_msgs::srv::InjectFault;
  const Client<InjectFault> client(own.get(), own_namespace() + "/arm/inject_fault");
  InjectFault::Request request = {};
  std::string fault = "gremlins";
  request.fault = fault.data();
  EXPECT_TRUE(answered(client, request, [](const InjectFault::Response& response) {
    EXPECT_FALSE(response.success);
    EXPECT_NE(std::string(response.message).find("state_frozen"), std::string::npos);
  }));
  fault = "state_not_finite";
  request.fault = fault.data();
  request.duration = 0.3;
  bool lost = false, back = false;
  const auto look = [&] {
    joint_states.take([&](const JointState& message, auto) {
      const bool finite = std::isfinite(message.position._buffer[0]);
      lost = lost || !finite;
      back = lost && finite;
    });
  };
  EXPECT_TRUE(answered(client, request, [](const InjectFault::Response& response) {
    EXPECT_TRUE(response.success) << response.message;
  }));
  EXPECT_TRUE(eventually([&] { return look(), lost; }));
  EXPECT_TRUE(eventually([&] { return look(), back; }));
}

TEST_F(Armed, ReadsItsRobotFromStandardInput) {
  const std::string output = output_path();
  Server server({"-", "--arm"}, output, robot_path("puma560"));
  EXPECT_TRUE(eventually([&] { return joint_states.talkers() == 1; })) << text_of(output);
}

TEST_F(Armed, ComesBackAfterAKill) {
  for (int k = 0; k < 2; ++k) {
    Server server({robot_path("puma560"), "--demo"});
    bool seen = false;
    EXPECT_TRUE(eventually([&] {
      joint_states.take([&](const JointState&, auto) { seen = true; });
      return seen;
    }));
    EXPECT_EQ(server.stop(SIGKILL), -SIGKILL);
    joint_states.take([](const JointState&, auto) {});
  }
}

TEST_F(Armed, EndsAfterItsDuration) {
  Server server({robot_path("planar3r"), "--duration=1"});
  EXPECT_EQ(server.wait(), 0);
}

}  // namespace
}  // namespace dyn_dds::test
