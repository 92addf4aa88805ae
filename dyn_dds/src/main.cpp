// dyn_serve: an arm and the dynamics of it on the ROS 2 graph, with no ROS installed.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include <dyn_core/inspect/request.hpp>
#include <dyn_core/robot/inertia_estimate.hpp>
#include <dyn_core/robot/urdf.hpp>
#include <dyn_view/watch.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "arm.hpp"
#include "dashboard.hpp"
#include "dds.hpp"
#include "loopback.hpp"
#include "notes.hpp"
#include "observer.hpp"
#include "options.hpp"
#include "rivals.hpp"

namespace dyn_dds {
namespace {

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
    outlive(notes, [&] { arm.step(stamp_of_now(late), late); });
    due += late > 5.0 ? late : Simulation::kPeriod;
  }
}

// Waits for messages and requests, and has them taken.
void run_readers(const Participant& participant, Arm* arm, Observer* observer, Notes& notes) {
  while (!stop_requested) {
    participant.wait(arm != nullptr && arm->watched() ? DDS_MSECS(10) : DDS_MSECS(100));
    if (arm != nullptr) outlive(notes, [&] { arm->work(); });
    if (observer != nullptr) outlive(notes, [&] { observer->work(); });
  }
}

Robot load_robot(const Options& options) {
  if (options.robot.empty()) return {};
  dyn::UrdfOptions urdf = options.urdf;
  urdf.payload = {};                         // it may be replaced
  constexpr std::size_t kMost = 64U << 20U;  // more than is accepted
  std::string text;
  const auto read = [&](std::istream& in) {
    for (char c; text.size() < kMost && in.get(c);) text.push_back(c);
  };
  const bool standard_input = options.robot == "-";
  auto chain = required(standard_input ? (read(std::cin), dyn::parse_urdf(text, urdf))
                                       : dyn::load_urdf(options.robot, urdf));
  std::ifstream file(options.robot, std::ios::binary);
  if (!standard_input) read(file);
  if (options.estimate_inertia.empty()) return {std::move(text), chain, options.urdf.payload};
  dyn::EstimateOptions estimate{.mesh_folders = options.mesh_path};
  if (!standard_input) {
    estimate.urdf_folder = std::filesystem::absolute(options.robot).parent_path();
  }
  const auto completed =
      required(dyn::complete_urdf(text, options.estimate_inertia, std::move(estimate)));
  chain = required(dyn::parse_urdf(completed.urdf, urdf));
  return {completed.urdf, dyn::marked_as_estimated(*chain, completed), options.urdf.payload};
}

dyn::inspect::Settings settings_of(const Options& options) {
  dyn::inspect::Settings settings;
  settings.urdf = options.urdf;
  settings.estimate_inertia = options.estimate_inertia;
  settings.mesh_path = options.mesh_path;
  return settings;
}

// The nodes of this process.
class Nodes {
 public:
  Nodes(Participant& participant, const Options& options, Notes& notes) : notes_(notes) {
    const std::string name_space = checked_namespace(options.name_space);
    required(dyn::inspect::checked_payload(options.urdf.payload));
    required(dyn::inspect::checked_gravity(options.urdf.gravity));
    robot = load_robot(options);
    if (options.arm && !options.beside) {
      const std::string prefix = name_space == "/" ? "" : name_space;
      rivals_.emplace(participant,
                      std::vector{prefix + "/joint_states", prefix + "/robot_description"});
      rivals_->refuse();
    }
    const Naming naming = {name_space, options.frame_prefix};
    if (options.arm) arm.emplace(participant, naming, robot, options.demo, notes);
    if (options.observe) observer.emplace(participant, naming, settings_of(options), notes);
    if (observer && !arm && robot.chain) observer->load(robot.description);
    std::vector<const NodeEntities*> all;
    if (arm) all.push_back(&arm->entities());
    if (observer) all.push_back(&observer->entities());
    participant.announce(all);
  }
  /// Says once who else has come to publish what the arm publishes.
  void watch() {
    if (!rivals_) return;
    const std::string found = rivals_->topics();
    if (!found.empty()) {
      notes_.add(fmt::format("somebody else publishes {} now, and listeners mix the two arms: {}",
                             found, kTellApart));
      rivals_.reset();
    }
  }

  Robot robot;
  std::optional<Arm> arm;
  std::optional<Observer> observer;

 private:
  Notes& notes_;
  std::optional<Rivals> rivals_;
};

// The page of the simulated arm, or of what the observer sees.
class Page {
 public:
  Page(const Options& options, Nodes& nodes) {
    namespace view = dyn::view;
    if (!view::why_no_page().empty()) {
      throw Failure(fmt::format("it was built without the page: {}", view::why_no_page()));
    }
    view::ServerOptions place{.address = options.listen, .port = options.view_port};
    place.ports_tried = options.view_port == view::ServerOptions().port ? 20 : 1;
    const AsTold sockets;
    const dyn::inspect::ShapeOptions shapes{
        .urdf_folder = options.robot.empty()
                           ? std::filesystem::path(".")
                           : std::filesystem::absolute(options.robot).parent_path(),
        .mesh_folders = options.mesh_path};
    if (nodes.arm) {
      const view::Robot robot{nodes.robot.description, nodes.robot.chain, nodes.robot.payload};
      bridge_.emplace(robot.chain->dof());
      nodes.arm->show_on(*bridge_);
      const view::SceneOptions scene{
          .load = false, .shapes = shapes, .settings = nodes.arm->settings()};
      server_ =
          required(view::Server::start(place, required(view::Scene::make(*bridge_, robot, scene))));
    } else {
      watch_ = required(view::Watch::start(place, shapes));
      nodes.observer->show_on(*watch_);
    }
  }
  [[nodiscard]] const std::string& url() const { return server_ ? server_->url() : watch_->url(); }

 private:
  std::optional<dyn::view::Bridge> bridge_;
  std::unique_ptr<dyn::view::Server> server_;
  std::unique_ptr<dyn::view::Watch> watch_;
};

void show_until_stopped(Dashboard& dashboard, Nodes& nodes, double duration) {
  const double start = steady_seconds();
  double shown = start;
  while (!stop_requested) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const double now = steady_seconds();
    if (duration > 0.0 && now - start >= duration) stop_requested = true;
    if (now - shown < dashboard.period()) continue;
    shown = now;
    nodes.watch();
    dashboard.show();
  }
}

void serve(const Options& options) {
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  Notes notes;
  notes.take_log();
  Participant participant(choose_domain(options.network), options.security);
  Nodes nodes(participant, options, notes);
  Arm* const arm = nodes.arm ? &*nodes.arm : nullptr;
  Observer* const observer = nodes.observer ? &*nodes.observer : nullptr;
  std::optional<Page> page;
  if (options.view) page.emplace(options, nodes);
  if (terminal) notes.keep();
  Dashboard dashboard(participant, arm, observer, notes, page ? page->url() : "", terminal);
  const std::jthread readers([&] { run_readers(participant, arm, observer, notes); });
  const std::jthread stepper([&] {
    if (arm != nullptr) run_arm(*arm, notes);
  });
  const StopAtEnd stop;
  show_until_stopped(dashboard, nodes, options.duration);
}

int run(int argc, char** argv) try {
  const Options options = read_options(argc, argv);
  (void)std::signal(SIGINT, request_stop);
  (void)std::signal(SIGTERM, request_stop);
  serve(options);
  return 0;
} catch (const Done& done) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return done.status;
  throw Failure("standard output could not be written");
}

}  // namespace
}  // namespace dyn_dds

int main(int argc, char** argv) {
  try {
    return dyn_dds::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dyn_serve: %s\n", error.what());
    return 1;
  }
}
