// dyn_serve: an arm and the dynamics of it on the ROS 2 graph, with no ROS installed.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <dyn_core/urdf.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "arm.hpp"
#include "dashboard.hpp"
#include "dds.hpp"
#include "notes.hpp"
#include "observer.hpp"

namespace dyn_dds {
namespace {

struct Options {
  std::string robot, base, tip, name_space = "/";
  bool observe = false, arm = false, demo = false, network = false;
  double duration = 0.0;  // s; zero: until told to stop
};

std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void request_stop(int /*signal*/) { stop_requested = true; }

// Lets the threads end however their starter does.
struct StopAtEnd {
  StopAtEnd() = default;
  ~StopAtEnd() { stop_requested = true; }
  StopAtEnd(const StopAtEnd&) = delete;
  StopAtEnd& operator=(const StopAtEnd&) = delete;
};

// What one message or period brings about does not end the process: it is said, and the next one comes.
template <class Work>
void outlive(Notes& notes, Work work) noexcept try {
  work();
} catch (const std::bad_alloc&) {
  notes.add("there is not enough memory for what has come; it was passed over");
} catch (const std::exception& error) {
  notes.add(error.what());
}

// One step a millisecond; what was late is caught up with, unless it was more than five seconds.
void run_arm(Arm& arm, Notes& notes) {
  double due = steady_seconds();
  while (!stop_requested) {
    const double late = steady_seconds() - due;
    if (late < 0.0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(-late));
      continue;
    }
    outlive(notes, [&] { arm.step(stamp_of_now(late)); });
    due += late > 5.0 ? late : Simulation::kPeriod;
  }
}

// Waits for messages and requests, and has them taken.
void run_readers(const Participant& participant, Arm* arm, Observer* observer, Notes& notes) {
  while (!stop_requested) {
    participant.wait(DDS_MSECS(100));
    if (arm != nullptr) outlive(notes, [&] { arm->work(); });
    if (observer != nullptr) outlive(notes, [&] { observer->work(); });
  }
}

struct Robot {
  std::string description;
  dyn::ChainPtr chain;  // null where no file was given
};

Robot load_robot(const Options& options) {
  if (options.robot.empty()) return {};
  dyn::UrdfOptions urdf;
  urdf.base = options.base;
  urdf.tip = options.tip;
  auto chain = dyn::load_urdf(options.robot, urdf);
  if (!chain) throw Failure(chain.error().sentence);
  std::ifstream file(options.robot, std::ios::binary);
  return {{std::istreambuf_iterator<char>(file), {}}, *chain};
}

void show_until_stopped(Dashboard& dashboard, double duration) {
  const double start = steady_seconds();
  double shown = start;
  while (!stop_requested) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const double now = steady_seconds();
    if (duration > 0.0 && now - start >= duration) stop_requested = true;
    if (now - shown < dashboard.period()) continue;
    shown = now;
    dashboard.show();
  }
}

void serve(const Options& options) {
  const std::string name_space = checked_namespace(options.name_space);
  const Robot robot = load_robot(options);
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  Notes notes;
  notes.take_log();
  Participant participant(choose_domain(options.network));
  std::optional<Arm> arm;
  std::optional<Observer> observer;
  std::vector<const NodeEntities*> nodes;
  if (options.arm) {
    arm.emplace(participant, name_space, robot.description, robot.chain, options.demo, notes);
    nodes.push_back(&arm->entities());
  }
  if (options.observe) {
    observer.emplace(participant, name_space, options.base, options.tip, notes);
    nodes.push_back(&observer->entities());
    if (!arm && robot.chain) observer->load(robot.description);
  }
  participant.announce(nodes);

  Arm* const arm_pointer = arm ? &*arm : nullptr;
  Observer* const observer_pointer = observer ? &*observer : nullptr;
  if (terminal) notes.keep();
  Dashboard dashboard(participant, arm_pointer, observer_pointer, notes, terminal);
  const std::jthread readers(
      [&] { run_readers(participant, arm_pointer, observer_pointer, notes); });
  const std::jthread stepper([&] {
    if (arm) run_arm(*arm, notes);
  });
  const StopAtEnd stop;
  show_until_stopped(dashboard, options.duration);
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("ROBOT", options.robot, "URDF file; only --observe alone can do without");
  app.add_flag("--observe", options.observe,
               "the node 'dynamics': robot_description and joint_states in, dynamics out");
  app.add_flag("--arm", options.arm,
               "the node 'arm': a simulated arm that follows joint_trajectory at 1 kHz");
  app.add_flag("--demo", options.demo, "the arm, moving by itself until its first command");
  app.add_flag("--network", options.network,
               "talk to other machines too; CYCLONEDDS_URI may choose interfaces");
  app.add_option("--duration", options.duration, "seconds after which it ends")
      ->check(CLI::PositiveNumber);
  app.add_option("--namespace", options.name_space, "namespace of nodes and topics");
  app.add_option("--base", options.base, "first link of the chain; default: the root link");
  app.add_option("--tip", options.tip,
                 "last link; default: where the arm ends, before its hand and its wheels");
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app{
      "A simulated arm and the dynamics of an arm as ROS 2 nodes, with no ROS installed.\n"
      "Without --observe, --arm or --demo it does all three."};
  app.failure_message(CLI::FailureMessage::simple);
  add_options(app, options);
  app.footer("The domain is that of ROS_DOMAIN_ID.\nExample: dyn_serve arm7.urdf --tip tool0");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!options.observe && !options.arm && !options.demo) {
    options.observe = options.arm = options.demo = true;
  }
  options.arm = options.arm || options.demo;
  if (options.arm && options.robot.empty()) {
    fmt::print(stderr, "dyn_serve: give the URDF file of the robot; --help says more\n");
    return 2;
  }
  (void)std::signal(SIGINT, request_stop);
  (void)std::signal(SIGTERM, request_stop);
  serve(options);
  return 0;
}

}  // namespace
}  // namespace dyn_dds

int main(int argc, char** argv) {
  try {
    return dyn_dds::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "dyn_serve: {}\n", error.what());
    return 1;
  }
}
