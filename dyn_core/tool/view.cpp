// dyn view: a simulated arm in the browser, to see and to touch.
#ifdef DYN_VIEW
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "dyn_core/robot/robot_name.hpp"
#include "dyn_view/server.hpp"
#endif

#include "common.hpp"
#include "output.hpp"

namespace dyn::tool {
namespace {

struct ViewOptions {
  RobotOptions robot;
  std::string listen = "127.0.0.1";
  int port = 8080;
  bool any_port = true;  ///< none was asked for: one of the next will do
};

#ifdef DYN_VIEW

std::atomic<bool> view_ends = false;

// One period a millisecond; what was late is caught up with, unless it was more than a second.
void play(SimulatedArm& arm, view::Bridge& bridge) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kPeriod = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(SimulatedArm::kPeriod));
  auto due = Clock::now();
  while (!view_ends) {
    std::this_thread::sleep_until(due);
    const auto late = Clock::now() - due;
    (void)arm.step();
    bridge.exchange(arm, std::chrono::duration<double>(late).count());
    due += late > std::chrono::seconds(1) ? late : kPeriod;
  }
}

void run_view(const ViewOptions& options) {
  if (!view::why_no_page().empty()) {
    throw Failure(
        fmt::format("this dyn was built without the page: {}; install npm and build again",
                    view::why_no_page()));
  }
  view::Robot robot;
  robot.chain = options.robot.load(Inertia::kNeeded, &robot.description);
  ArmSettings settings;
  settings.frequency = 15.0;
  settings.delay = 0.004;
  settings.predict = settings.compare = true;
  SimulatedArm arm = require(view::make_arm(robot.chain, settings, {}));
  view::Bridge bridge(robot.chain->dof());
  view::SceneOptions scene;
  scene.settings = settings;
  const std::string file = robot_named(options.robot.robot).file;
  if (file != "-") scene.shapes.urdf_folder = std::filesystem::absolute(file).parent_path();
  scene.shapes.mesh_folders = options.robot.mesh_path;
  view::ServerOptions server{.address = options.listen, .port = options.port};
  server.ports_tried = options.any_port ? 20 : 1;
  const auto running =
      require(view::Server::start(server, require(view::Scene::make(bridge, robot, scene))));
  const auto stop = [](int) { view_ends = true; };
  (void)std::signal(SIGINT, stop);
  (void)std::signal(SIGTERM, stop);
  std::thread player([&] { play(arm, bridge); });
  fmt::print("{} in the browser, until Ctrl-C: {}\n", robot.chain->name(), running->url());
  (void)std::fflush(stdout);
  player.join();
}

#else

void run_view(const ViewOptions&) {
  throw Failure(
      "this dyn was built without the folder dyn_view, which has the page; build it there");
}

#endif

}  // namespace

void add_view(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "view", "The arm in the browser: its dynamics alive, and a hand to pull it");
  auto options = std::make_shared<ViewOptions>();
  options->robot.robot = "arm7";
  options->robot.add_to(*command, false);
  const CLI::Option* port =
      command
          ->add_option("--port", options->port,
                       "Port of the page; 0: any that is free (default: 8080, or the next free)")
          ->check(CLI::Range(0, 65535));
  command
      ->add_option("--listen", options->listen,
                   "Address to listen on; from another machine than this one the page then asks "
                   "for the token that is printed")
      ->capture_default_str();
  command->footer("Example: dyn view puma560 --port 8080");
  command->callback([options, port] {
    options->any_port = port->count() == 0;
    run_view(*options);
  });
}

}  // namespace dyn::tool
