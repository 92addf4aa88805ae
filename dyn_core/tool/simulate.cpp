// dyn simulate: the motion under given torques, as samples, a summary and pictures.
#include "dyn_core/motion/simulate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>

#include <fmt/format.h>
#include <unistd.h>

#include "common.hpp"
#include "limits.hpp"
#include "motion_record.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "samples_file.hpp"

namespace dyn::tool {
namespace {

struct SimulateOptions {
  RobotOptions robot;
  bool free_fall = false, hold = false;
  std::string tau, follow;
  std::string q0, qd0, q1, max_velocity, max_acceleration, tip_wrench;
  std::string integrator = "rkf45", velocities = "joint", interpolation = "cubic";
  SimulationOptions simulation;
  std::string csv, pictures;
  bool json = false;
};

template <class Value>
Value chosen(std::span<const Choice<Value>> choices, const std::string& name) {
  for (const Choice<Value>& choice : choices) {
    if (choice.name == name) return choice.value;
  }
  throw Failure("there is no '" + name + "'");
}

// The help text of an option that takes a name, and the check of it.
template <class Value>
void add_choice(CLI::App& command, const char* option, std::string& name, std::string help,
                std::span<const Choice<Value>> choices) {
  std::vector<std::string> names;
  for (const Choice<Value>& choice : choices) {
    names.emplace_back(choice.name);
    help += fmt::format("\n{}: {}", choice.name, choice.text);
  }
  command.add_option(option, name, help)->check(CLI::IsMember(names))->capture_default_str();
}

// The integrators themselves refuse what is not positive.
void require_affordable(const SimulateOptions& options) {
  constexpr double kMostSamples = 1e8, kMostKept = 1e6, kMostSteps = 1e9;
  const SimulationOptions& s = options.simulation;
  const double samples = s.duration / s.step;
  if (samples > kMostSamples) {
    throw Failure(
        fmt::format("--step {:g} in --duration {:g} makes {:.3g} samples, more than {:g}: "
                    "take longer steps or a shorter duration",
                    s.step, s.duration, samples, kMostSamples));
  }
  if (samples > kMostKept && !options.pictures.empty()) {
    throw Failure(
        fmt::format("--pictures draws up to {:g} samples, and these are {:.3g}: take a longer "
                    "--step or a shorter --duration",
                    kMostKept, samples));
  }
  const double steps = has_error_control(chosen(integrators(), options.integrator))
                           ? s.duration / s.longest_step
                           : samples * s.substeps;
  if (steps > kMostSteps) {
    throw Failure(
        fmt::format("--substeps, --longest-step and --duration make {:.3g} steps of "
                    "integration, more than {:g}: take fewer or longer ones",
                    steps, kMostSteps));
  }
}

SimulationOptions simulation_options(const SimulateOptions& options) {
  SimulationOptions out = options.simulation;
  out.integrator = chosen(integrators(), options.integrator);
  out.velocities = chosen(velocities(), options.velocities);
  if (!options.tip_wrench.empty()) {
    const std::vector<double> w = numbers(options.tip_wrench, "--tip-wrench");
    if (w.size() != 6) {
      throw Failure(
          fmt::format("--tip-wrench has {} numbers; give fx,fy,fz,tx,ty,tz in the base link "
                      "frame",
                      w.size()));
    }
    out.tip_wrench = {{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
  }
  return out;
}

VecXd velocity_limits(const SimulateOptions& options, const Chain& chain) {
  if (!options.max_velocity.empty()) {
    return coordinates(options.max_velocity, "--max-velocity", chain);
  }
  VecXd limits(chain.dof());
  for (Index i = 0; i < chain.dof(); ++i) limits[i] = chain.coordinate_joint(i).limits.velocity;
  return limits;
}

TrajectoryPtr waypoint_file(const SimulateOptions& options, Index dof) {
  if (!std::filesystem::exists(options.follow)) {
    throw Failure(
        fmt::format("--follow: '{}' is neither cycloid, quintic or trapezoid nor a file that "
                    "can be read",
                    options.follow));
  }
  return require(waypoints_from_csv(
      text_of_file(options.follow, "--follow"), dof,
      options.interpolation == "quintic" ? Interpolation::kQuintic : Interpolation::kCubic));
}

TrajectoryPtr trajectory(const SimulateOptions& options, const Chain& chain) {
  const VecXd q0 = coordinates(options.q0, "--q0", chain);
  const VecXd q1 = options.q1.empty() ? VecXd(q0.array() + std::numbers::pi)
                                      : coordinates(options.q1, "--q1", chain);
  if (options.follow == "cycloid") return require(cycloid(q0, q1, options.simulation.duration));
  if (options.follow == "quintic") return require(quintic(q0, q1, options.simulation.duration));
  if (options.follow != "trapezoid") return waypoint_file(options, chain.dof());
  if (options.max_acceleration.empty()) {
    throw Failure("--follow trapezoid: give the joints' limits with --max-acceleration");
  }
  return require(trapezoid(q0, q1, velocity_limits(options, chain),
                           coordinates(options.max_acceleration, "--max-acceleration", chain)));
}

/// What is simulated, made from the command line.
struct SimulateSetup {
  SimulateSetup(const SimulateOptions& options, const ChainPtr& chain_in)
      : chain(chain_in),
        simulation(simulation_options(options)),
        q0(coordinates(options.q0, "--q0", *chain)),
        qd0(coordinates(options.qd0, "--qd0", *chain)) {
    if (!options.tau.empty()) {
      torques = constant_torque(coordinates(options.tau, "--tau-constant", *chain));
      input = "constant torques";
    } else if (!options.follow.empty()) {
      desired = trajectory(options, *chain);
      torques = require(feedforward(chain, desired, simulation));
      if (options.hold) torques = held(std::move(torques), simulation.step);
      input = fmt::format("torques of {}{}", options.follow, options.hold ? ", held" : "");
      VecXd qd(chain->dof()), qdd(chain->dof());
      if (options.q0.empty()) require(desired->evaluate(0.0, q0, qd, qdd), "trajectory");
    }
  }

  ChainPtr chain;
  SimulationOptions simulation;
  VecXd q0, qd0;
  std::string input = kFreeFall;
  TorqueInput torques = free_fall();
  TrajectoryPtr desired;
};

void write_pictures(const SimulateOptions& options, const SimulateSetup& setup,
                    const MotionRecord& record) {
  if (options.pictures.empty()) return;
  const bool tolerance = options.integrator != "rk4" && options.integrator != "semi_implicit";
  OutputFile file("--pictures", options.pictures);
  file.write(to_svg(record.picture(
      fmt::format("{}, {} ({}{})", setup.chain->name(), setup.input, options.integrator,
                  tolerance ? fmt::format(", tolerance {}", setup.simulation.tolerance) : ""))));
  file.finish();
}

// Where the samples are not.
void print_summary(const SimulateOptions& options, const MotionRecord& record,
                   const MotionSummary& summary, const SimulationReport& report) {
  if (options.json) {
    fmt::print("{}\n", record.json(summary, report).dump(2));
  } else if (options.csv.empty()) {
    put_on_stderr(record.text(summary, report));
  } else {
    fmt::print("{}", record.text(summary, report));
  }
}

// Samples go to `csv`, made with the first one: a wrong request empties no file. `so_far` is what there is of
// a run that breaks down.
Result<SimulationReport> simulate_recorded(const SimulateOptions& options,
                                           const SimulateSetup& setup,
                                           std::unique_ptr<SamplesFile>& csv, MotionRecord& record,
                                           SimulationReport& so_far) {
  const bool csv_wanted = !options.csv.empty() || !options.json;
  const bool samples_on_terminal = csv_wanted && options.csv.empty() && isatty(STDOUT_FILENO) == 1;
  Kinematics<double> kinematics(setup.chain);
  Progress progress(setup.chain->name(), !samples_on_terminal);
  const auto take = [&](const Sample& sample) {
    if (csv_wanted && !csv) {
      csv = std::make_unique<SamplesFile>(options.csv, setup.chain->dof(), ",energy,x,y,z");
    }
    require(kinematics.update(sample.q), "kinematics");
    const Vec3d tip = kinematics.tip_pose().p;
    if (csv) {
      csv->write(sample.time, sample.q, sample.qd, sample.tau,
                 {sample.energy, tip.x(), tip.y(), tip.z()});
    }
    record.take(sample, tip);
  };
  const auto proceed = [&](double time) {
    progress.show(time / setup.simulation.duration);
    return !InterruptGuard::requested();
  };
  return simulate(setup.chain, setup.simulation, setup.torques, setup.q0, setup.qd0,
                  {.sample = take,
                   .proceed = proceed,
                   .broke_down = [&](const SimulationReport& report) { so_far = report; }});
}

void run_simulate(const SimulateOptions& options) {
  require_affordable(options);
  const ChainPtr chain = options.robot.load();
  const SimulateSetup setup(options, chain);
  std::unique_ptr<SamplesFile> csv;
  MotionRecord record(chain, setup.desired, !options.pictures.empty());
  const InterruptGuard interrupt;
  const auto start = std::chrono::steady_clock::now();
  SimulationReport done;
  Result<SimulationReport> report = simulate_recorded(options, setup, csv, record, done);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (csv) csv->finish();
  if (report) done = std::move(*report);
  if (done.samples > 0) {
    write_pictures(options, setup, record);
    print_summary(options, record,
                  {setup.input, setup.simulation, options.integrator, options.velocities,
                   elapsed.count(), report ? std::string() : report.error().sentence},
                  done);
  }
  if (!report) throw Failure(report.error().sentence);
  if (done.stopped) throw Interrupted();
}

void add_inputs(CLI::App& command, SimulateOptions& options) {
  auto* input = command.add_option_group("Torques", "One of these");
  input->add_flag("--free-fall", options.free_fall, "No torques");
  input->add_option("--tau-constant", options.tau, "Constant torques, N m or N")
      ->type_name("A,B,...");
  input
      ->add_option("--follow", options.follow,
                   "Torques by inverse dynamics of a trajectory, as a function of time alone:\n"
                   "cycloid (Saha 2003, eq. 18), quintic, trapezoid, or a CSV file of time,q1,…,qn")
      ->type_name("NAME|FILE");
  input->require_option(1);
  command.add_flag("--hold", options.hold,
                   "Compute the torques of --follow once per --step and hold them");
  command.add_option("--q0", options.q0, "First positions, rad or m (default: 0)")
      ->type_name("A,B,...");
  command.add_option("--qd0", options.qd0, "First velocities (default: 0)")->type_name("A,B,...");
  command.add_option("--q1", options.q1, "Last positions of the trajectory (default: q0 + π)")
      ->type_name("A,B,...");
  command
      .add_option("--max-velocity", options.max_velocity,
                  "For trapezoid (default: the robot description's)")
      ->type_name("A,B,...");
  command
      .add_option("--max-acceleration", options.max_acceleration,
                  "For trapezoid, where the URDF file gives none")
      ->type_name("A,B,...");
  command
      .add_option("--interpolation", options.interpolation,
                  "Between the waypoints of --follow FILE: cubic or quintic")
      ->check(CLI::IsMember({"cubic", "quintic"}))
      ->capture_default_str();
}

void add_method(CLI::App& command, SimulateOptions& options) {
  SimulationOptions& simulation = options.simulation;
  command.add_option("--duration", simulation.duration, "Simulated time, s")->capture_default_str();
  command.add_option("--step", simulation.step, "Time between samples, s")->capture_default_str();
  add_choice(command, "--integrator", options.integrator, "Integrator", integrators());
  command
      .add_option("--tolerance", simulation.tolerance,
                  "Error per step, absolute and relative, with error control")
      ->capture_default_str();
  command
      .add_option("--longest-step", simulation.longest_step,
                  "No step of integration is longer, s, with error control")
      ->capture_default_str();
  command.add_option("--substeps", simulation.substeps, "Steps per sample, with constant step")
      ->capture_default_str();
  add_choice(command, "--velocities", options.velocities,
             "What is integrated next to the positions", velocities());
  command.add_option("--forward-dynamics", simulation.algorithms.forward_dynamics,
                     "Algorithm for joint velocities (dyn list)");
  command.add_option("--inverse-dynamics", simulation.algorithms.inverse_dynamics,
                     "Algorithm for the torques of --follow (dyn list)");
  command.add_flag("--friction", simulation.friction, "Damping and friction of the joints act");
  command.add_flag("--joint-stops", simulation.joint_stops,
                   "Stiff springs with dampers act beyond the joint limits");
  command
      .add_option("--tip-wrench", options.tip_wrench,
                  "Force and torque on the tip, in the base link frame")
      ->type_name("FX,FY,FZ,TX,TY,TZ");
}

}  // namespace

void add_simulate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("simulate", "The motion under given torques");
  auto options = std::make_shared<SimulateOptions>();
  options->robot.add_to(*command);
  add_inputs(*command, *options);
  add_method(*command, *options);
  command->add_option("--csv", options->csv,
                      "Write the samples here instead of to standard output");
  command
      ->add_option(
          "--pictures,--svg", options->pictures,
          "Draw positions, torques and the tip's place, beside the trajectory if there is one")
      ->type_name("FILE.svg");
  command->add_flag("--json", options->json, "Print the summary as one JSON object");
  command->footer(
      "Columns of the samples: t, q_1…, qd_1…, tau_1…, energy, x, y, z: the tip's place in the "
      "base "
      "link frame. The summary says what is asked of each drive: peak and RMS of torque, speed and "
      "power, energy given to the arm and taken back; of a run that breaks down, too.\n"
      "Example: dyn simulate puma560.urdf --free-fall --duration 2 --csv fall.csv");
  command->callback([options] { run_simulate(*options); });
}

}  // namespace dyn::tool
