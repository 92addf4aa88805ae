// What dyn_serve is told, by options, environment and commands, and what it refuses.
#include <cstdio>
#include <cstdlib>

#include <dyn_core/robot/urdf.hpp>
#include <dyn_view/server.hpp>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "simulation.hpp"
#include "wire.hpp"

namespace dyn_dds::test {
namespace {

TEST(DynServe, RefusesWhatMakesNoSense) {
  (void)participant();
  EXPECT_EQ(Server({"nowhere.urdf"}).wait(), 1);
  EXPECT_EQ(Server({"--arm"}).wait(), 2);
  const std::string robot = robot_path("arm7");
  EXPECT_EQ(Server({robot, "--tip=nothing"}).wait(), 1);
  EXPECT_EQ(Server({robot, "--gravity=0,0,nan"}).wait(), 1);
  EXPECT_EQ(Server({robot, "--lock=nobody=1"}).wait(), 1);
  for (const char* usage :
       {"--duration=never", "--duration=0", "--duration=-1", "--duration=nan", "--gravity=1,2",
        "--payload=1", "--view=page", "--view=70000", "--lock=joint1", "--lock==1"}) {
    const std::string output = output_path();
    EXPECT_EQ(Server({robot, usage}, output).wait(), 2) << usage;
    EXPECT_LT(text_of(output).size(), 200U) << usage;
  }
  EXPECT_THROW((void)checked_namespace("/a//b"), Failure);
  EXPECT_THROW((void)checked_namespace("1a"), Failure);
  EXPECT_EQ(checked_namespace("a/b/"), "/a/b");
}

// arm7 of cylinders: without inertia no arm can be simulated.
TEST(DynServe, EstimatesInertiaWhereItIsAskedTo) {
  (void)participant();
  std::string text = robot_text("arm7");
  for (std::size_t at = text.find("<inertial>"); at != std::string::npos;
       at = text.find("<inertial>")) {
    text.replace(
        at, text.find("</inertial>", at) + 11 - at,
        "<visual><geometry><cylinder radius=\"0.05\" length=\"0.2\"/></geometry></visual>");
  }
  const std::string robot = output_path() + ".urdf";
  std::ofstream(robot) << text;
  EXPECT_EQ(Server({robot, "--duration=0.5"}).wait(), 1);
  EXPECT_EQ(Server({robot, "--duration=0.5", "--estimate-inertia=20"}).wait(), 0);
  EXPECT_EQ(Server({robot, "--duration=0.5", "--estimate-inertia=much"}).wait(), 1);
  EXPECT_EQ(std::remove(robot.c_str()), 0);
}

// What a server on the loopback answers.
std::string answer_of(int port, const std::string& request) {
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in place = {};
  place.sin_family = AF_INET;
  place.sin_port = htons(static_cast<std::uint16_t>(port));
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (connect(file, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0 &&
      send(file, request.data(), request.size(), 0) > 0) {
    char part[4096];
    for (ssize_t n = 0; (n = recv(file, part, sizeof part, 0)) > 0;) {
      answer.append(part, static_cast<std::size_t>(n));
    }
  }
  close(file);
  return answer;
}

TEST(DynServe, ShowsItsArmOrWhatItObservesOnAPage) {
  if (!dyn::view::why_no_page().empty()) GTEST_SKIP() << "built without the page";
  for (const std::vector<std::string>& what :
       {std::vector<std::string>{robot_path("arm7"), "--view=0"}, {"--observe", "--view=0"}}) {
    const std::string output = output_path();
    std::remove(output.c_str());  // of the one before
    Server server(what, output);
    int port = 0;
    const std::string before = "http://127.0.0.1:";
    ASSERT_TRUE(eventually([&] {
      const std::string text = text_of(output);
      const std::size_t at = text.find(before);
      if (at != std::string::npos) port = std::atoi(text.c_str() + at + before.size());
      return port > 0;
    }));
    const std::string page = answer_of(port, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(page.rfind("HTTP/1.1 200", 0), 0U) << page.substr(0, 100);
    EXPECT_EQ(answer_of(port, "GET / HTTP/1.1\r\nHost: robot\r\n\r\n").rfind("HTTP/1.1 403", 0),
              0U);
    EXPECT_EQ(server.stop(SIGINT), 0);
  }
}

// Sets a variable of the environment for its lifetime.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* now = std::getenv(name)) before_ = now;
    setenv(name, value, 1);
  }
  ~Variable() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

Reach reach_with(const char* range, bool network, const char* uri = "") {
  const Variable discovery("ROS_AUTOMATIC_DISCOVERY_RANGE", range);
  const Variable cyclone("CYCLONEDDS_URI", uri);
  return choose_domain(network).reach;
}

TEST(ChosenDomain, IsTheNetworkOnlyWhereThatIsAskedFor) {
  for (const char* range : {"", "SUBNET", "LOCALHOST", "SYSTEM_DEFAULT"}) {
    EXPECT_EQ(reach_with(range, false), Reach::kThisMachine) << range;
  }
  for (const char* range : {"", "SUBNET", "SYSTEM_DEFAULT"}) {
    EXPECT_EQ(reach_with(range, true), Reach::kNetwork) << range;
  }
  EXPECT_EQ(reach_with("OFF", false), Reach::kNobody);
  EXPECT_THROW((void)reach_with("OFF", true), Failure);
  EXPECT_THROW((void)reach_with("LOCALHOST", true), Failure);
  EXPECT_THROW((void)reach_with("EVERYWHERE", false), Failure);
}

TEST(ChosenDomain, FollowsTheInterfacesOfCycloneDds) {
  const char* const lo =
      "<General><Interfaces><NetworkInterface name='lo'/></Interfaces></General>";
  const char* const address = "<NetworkInterface multicast=\"false\" address = \"127.0.0.1\"/>";
  const char* const card = "<NetworkInterface name=\"eth0\" priority=\"lo\"/>";
  EXPECT_EQ(reach_with("", false, "<Tracing/>"), Reach::kThisMachine);
  EXPECT_EQ(reach_with("", false, lo), Reach::kThisMachine);
  EXPECT_EQ(reach_with("", false, address), Reach::kThisMachine);
  EXPECT_EQ(reach_with("", false, card), Reach::kAsConfigured);
  EXPECT_EQ(reach_with("", false, (std::string(lo) + card).c_str()), Reach::kAsConfigured);
  const std::string path = output_path();
  std::ofstream(path) << card;
  EXPECT_EQ(reach_with("", false, ("file://" + path).c_str()), Reach::kAsConfigured);
}

TEST(ChosenDomain, HasAnIdThatPortsSufficeFor) {
  for (const char* good : {"0", "101", "232"}) {
    const Variable id("ROS_DOMAIN_ID", good);
    EXPECT_NO_THROW((void)choose_domain(false));
    const std::string output = output_path();
    EXPECT_EQ(Server({"--observe", "--duration=1"}, output).wait(), 0);
    EXPECT_EQ(text_of(output).find("Cyclone DDS"), std::string::npos) << text_of(output);
  }
  for (const char* bad : {"233", "-1", "1x", "99999999999"}) {
    const Variable id("ROS_DOMAIN_ID", bad);
    EXPECT_THROW((void)choose_domain(false), Failure);
  }
}

TEST(JointTrajectories, AreRefusedWithTheNumberOfThePoint) {
  const auto chain = dyn::load_urdf(robot_path("planar3r")).value();
  const std::vector<double> q = {0.1, 0.2, 0.3};
  const auto objection = [&](std::vector<std::string> names, std::vector<double> times) {
    Command command{std::move(names), std::move(times), {}};
    command.positions.assign(command.times.size(), q);
    const auto made = to_trajectory(*chain, command, dyn::VecXd::Zero(3));
    return made ? std::string("none") : made.error().sentence;
  };
  const auto names = chain->coordinate_names();
  EXPECT_EQ(objection(names, {1.0, 2.0}), "none");
  EXPECT_EQ(objection(names, {0.0, 2.0}), "none");
  EXPECT_TRUE(objection(names, {1.0, 0.5}).starts_with("point 2: its time_from_start is 0.5 s"));
  EXPECT_TRUE(objection(names, {1.0, 1.0}).starts_with("point 2: "));
  EXPECT_TRUE(objection(names, {-1.0, 1.0}).starts_with("point 1: "));
  EXPECT_NE(objection({}, {1.0}).find("names no joints"), std::string::npos);
}

}  // namespace
}  // namespace dyn_dds::test
