// The arm: rate without loss, frames, commands good and bad, its end.
#include <cmath>

#include <dyn_core/urdf.hpp>
#include <netinet/in.h>
#include <sys/socket.h>

#include "notes.hpp"
#include "wire.hpp"

namespace dyn_dds::test {
namespace {

using sensor_msgs::msg::JointState;
using trajectory_msgs::msg::JointTrajectory;

double seconds_of(const Time& stamp) { return stamp.sec + 1e-9 * stamp.nanosec; }

struct Armed : Wire {
  Publisher<JointTrajectory> commands = node.publisher<JointTrajectory>("joint_trajectory", Qos());
  Subscription<JointState> joint_states =
      node.subscription<JointState>("joint_states", Qos{.depth = 100'000});
  std::vector<std::string> names =
      dyn::load_urdf(robot_path("puma560")).value()->coordinate_names();
  std::vector<double> latest;
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
  bool arrives_at(double position) {
    return eventually([&] {
      joint_states.take([&](const JointState& message, auto) {
        const auto q = Fields::numbers(message.position);
        latest.assign(q.begin(), q.end());
      });
      bool there = !latest.empty();
      for (const double q : latest) there = there && std::abs(q - position) < 2e-3;
      return there;
    });
  }

  /// Through the next `count` joint states.
  bool stays_at(double position, int count) {
    bool there = true;
    const bool enough = eventually([&] {
      joint_states.take([&](const JointState& message, auto) {
        for (const double q : Fields::numbers(message.position)) {
          there = there && std::abs(q - position) < 2e-3;
        }
        --count;
      });
      return count <= 0;
    });
    return enough && there;
  }
};

// DYN_DDS_SECONDS makes it longer.
TEST_F(Armed, StatesComeEveryMillisecondWithoutLoss) {
  const Server server({robot_path("arm7"), "--demo"});
  const char* wanted = std::getenv("DYN_DDS_SECONDS");
  const double duration = wanted == nullptr ? 5.0 : std::atof(wanted);
  double first = 0.0, last = 0.0, longest = 0.0;
  long count = 0;
  ASSERT_TRUE(eventually(
      [&] {
        joint_states.take([&](const JointState& message, auto) {
          const double time = seconds_of(message.header.stamp);
          if (count++ == 0) first = last = time;
          longest = std::max(longest, time - last);
          last = time;
        });
        return last - first >= duration;
      },
      duration + 60.0));
  EXPECT_NEAR(static_cast<double>(count), std::round((last - first) * 1e3) + 1.0, 2.0)
      << "longest gap between two stamps: " << 1e3 * longest << " ms";
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
  command(names, 0.3, 0.5);
  EXPECT_TRUE(arrives_at(0.3));
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
  const std::string output = ::testing::TempDir() + "dyn_serve_" + std::to_string(getpid());
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
  const std::string output = ::testing::TempDir() + "dyn_serve_" + std::to_string(getpid());
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
  EXPECT_LT(text_of(output).size(), 10'000U);
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

TEST(DynServe, RefusesWhatMakesNoSense) {
  (void)participant();
  EXPECT_EQ(Server({"nowhere.urdf"}).wait(), 1);
  EXPECT_EQ(Server({"--arm"}).wait(), 2);
  EXPECT_EQ(Server({"--duration=never", robot_path("arm7")}).wait(), 2);
  EXPECT_EQ(Server({robot_path("arm7"), "--tip=nothing"}).wait(), 1);
  EXPECT_THROW((void)checked_namespace("/a//b"), Failure);
  EXPECT_THROW((void)checked_namespace("1a"), Failure);
  EXPECT_EQ(checked_namespace("a/b/"), "/a/b");
}

}  // namespace
}  // namespace dyn_dds::test
