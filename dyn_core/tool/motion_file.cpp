#include "motion_file.hpp"

#include <iterator>

#include <fmt/ranges.h>

#include "dyn_core/solver.hpp"
#include "limits.hpp"
#include "output.hpp"

namespace dyn::tool {
namespace {

void write_csv(const Trajectory& motion, double step, OutputFile& file) {
  std::string line = "t";
  for (const char* name : {"q", "qd", "qdd"}) {
    for (Index i = 1; i <= motion.dof(); ++i) line += fmt::format(",{}_{}", name, i);
  }
  file.write(line + "\n");
  each_sample(motion, step, [&](const MotionSample& s) {
    line = fmt::format("{}", s.time);
    for (const VecXd* values : {&s.q, &s.qd, &s.qdd}) {
      fmt::format_to(std::back_inserter(line), ",{}", fmt::join(*values, ","));
    }
    file.write(line + "\n");
  });
}

// trajectory_msgs/JointTrajectory.
void write_yaml(const Chain& chain, const Trajectory& motion, double step, OutputFile& file) {
  file.write(fmt::format("joint_names: {}\npoints:\n", Json(chain.coordinate_names()).dump()));
  each_sample(motion, step, [&](const MotionSample& s) {
    const auto nanoseconds = static_cast<std::int64_t>(std::llround(1e9 * s.time));
    file.write(
        fmt::format("- positions: [{}]\n  velocities: [{}]\n  accelerations: [{}]\n"
                    "  time_from_start: {{sec: {}, nanosec: {}}}\n",
                    fmt::join(s.q, ", "), fmt::join(s.qd, ", "), fmt::join(s.qdd, ", "),
                    nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000));
  });
}

}  // namespace

void MotionOptions::add_to(CLI::App& command, const char* where, const char* otherwise) {
  command.add_option("-o,--output", output,
                     fmt::format("Write the motion here{}: .csv, or .yaml for a\n"
                                 "trajectory_msgs/JointTrajectory",
                                 where));
  command
      .add_option("--acceleration", acceleration,
                  fmt::format("Limits in rad/s² or m/s² (default: {})", otherwise))
      ->type_name("A,B,...");
  command.add_option("--step", step, "Time between the samples that are written, s")
      ->check(number_between(1e-4, 1.0))
      ->capture_default_str();
  command
      .add_option("--pictures,--svg", pictures,
                  "Draw the positions, and how much of the limits is used")
      ->type_name("FILE.svg");
}

VecXd MotionOptions::accelerations(const Chain& chain, const VecXd& otherwise) const {
  if (acceleration.empty()) return otherwise;
  VecXd limits = coordinates(acceleration, "--acceleration", chain);
  if (!(limits.minCoeff() > 0.0)) throw Failure("--acceleration: each must be above 0");
  return limits;
}

void add_share(CLI::App& command, const char* name, double& value, const char* text) {
  command.add_option(name, value, text)->check(number_between(1e-3, 1.0))->capture_default_str();
}

void write_motion(const std::string& path, const Chain& chain, const Trajectory& motion,
                  double step) {
  OutputFile file("--output", path);
  if (path.ends_with(".yaml") || path.ends_with(".yml")) {
    write_yaml(chain, motion, step, file);
  } else {
    write_csv(motion, step, file);
  }
  file.finish();
}

void draw_motion(const std::string& path, const std::string& title, const ChainPtr& chain,
                 const Trajectory& motion, const MotionShares& limits) {
  Picture picture{.title = title, .charts = {}, .columns = 2};
  for (Index i = 0; i < chain->dof(); ++i) {
    const Joint& joint = chain->coordinate_joint(i);
    picture.charts.push_back({.title = joint.name,
                              .x_label = "time, s",
                              .y_label = joint.is_prismatic() ? "position, m" : "position, rad",
                              .curves = {{"motion", {}, {}}}});
    picture.charts.push_back(
        {.title = joint.name + ", share of what may be used",
         .x_label = "time, s",
         .y_label = "",
         .curves = {{"velocity", {}, {}}, {"acceleration", {}, {}}, {"torque", {}, {}}},
         .y_range = {{-1.05, 1.05}}});
  }
  Solver solver = require(Solver::make(chain));
  solver.set_friction(true);
  VecXd tau(chain->dof());
  each_sample(motion, motion.duration() / 1000.0, [&](const MotionSample& s) {
    require(solver.inverse_dynamics(s.q, s.qd, s.qdd, tau), "the motion's torques");
    for (Index i = 0; i < chain->dof(); ++i) {
      const auto add = [&](std::size_t chart, std::size_t curve, double value) {
        Curve& c = picture.charts[2 * static_cast<std::size_t>(i) + chart].curves[curve];
        c.x.push_back(s.time);
        c.y.push_back(value);
      };
      add(0, 0, s.q[i]);
      add(1, 0, s.qd[i] / limits.velocity[i]);
      add(1, 1, s.qdd[i] / limits.acceleration[i]);
      add(1, 2, tau[i] / limits.effort[i]);
    }
  });
  OutputFile file("--pictures", path);
  file.write(to_svg(picture));
  file.finish();
}

}  // namespace dyn::tool
