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

// How long an update takes: the computed-torque controller with prediction and observer on, a
// joint_trajectory_controller in front of it, on arm7, and plain arithmetic of about the same
// length, whose tail is the machine's alone; cycle by cycle in one run. Then the laws at the tip
// beside computed torque, also in turns, alone and with prediction and observer.
//   benchmark_update [CYCLES [ALGORITHM]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <joint_trajectory_controller/joint_trajectory_controller.hpp>
#include <realtime_tools/realtime_helpers.hpp>

#include "bench.hpp"

namespace dyn_control::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Times {
  std::vector<double> values;  // us

  double share(double part) {
    const auto at =
        values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }
};

/// Microseconds that this many dependent multiplications take.
double arithmetic(int count) {
  const auto begin = Clock::now();
  volatile double x = 1.0;
  for (int k = 0; k < count; ++k) x = x * 0.999;
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

/// So many that they take as long as an update.
int arithmetic_of(double microseconds) {
  constexpr int kCount = 10000;
  double shortest = arithmetic(kCount);
  for (int k = 0; k < 100; ++k) shortest = std::min(shortest, arithmetic(kCount));
  return static_cast<int>(kCount * microseconds / shortest);
}

/// A trajectory controller that refers to the bench's controller.
class Front {
 public:
  explicit Front(Bench& bench) : executor_(), controller_() {
    std::vector<std::string> joints = bench.chain()->coordinate_names(), commands;
    for (const std::string& joint : joints) commands.push_back("ctc/" + joint);
    controller_interface::ControllerInterfaceParams params;
    params.controller_name = "jtc";
    params.robot_description = bench.arm().description();
    params.controller_manager_update_rate = params.update_rate = 1000;
    params.node_namespace = bench.node()->get_namespace();
    const std::vector<rclcpp::Parameter> parameters = {
        {"joints", joints},
        {"command_joints", commands},
        {"command_interfaces", std::vector<std::string>{"position", "velocity", "acceleration"}},
        {"state_interfaces", std::vector<std::string>{"position", "velocity"}}};
    params.node_options = rclcpp::NodeOptions().parameter_overrides(parameters);
    if (controller_.init(params) != return_type::OK) std::exit(1);
    controller_.configure();
    assign(bench);
    controller_.get_node()->activate();
    executor_.add_node(controller_.get_node()->get_node_base_interface());
    send(bench);
  }

  double update(const rclcpp::Time& time) {
    const auto begin = Clock::now();
    (void)controller_.update(time, rclcpp::Duration::from_seconds(kPeriod));
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
  }

 private:
  void assign(Bench& bench) {
    std::vector<hardware_interface::LoanedCommandInterface> commands;
    for (const std::string& name : controller_.command_interface_configuration().names) {
      for (const auto& reference : bench.references()) {
        if (reference->get_name() == name) commands.emplace_back(reference, nullptr);
      }
    }
    std::vector<hardware_interface::LoanedStateInterface> states;
    for (const std::string& name : controller_.state_interface_configuration().names) {
      states.emplace_back(bench.arm().state(name), nullptr);
    }
    controller_.assign_interfaces(std::move(commands), std::move(states));
  }

  // A motion that lasts as long as the benchmark.
  void send(Bench& bench) {
    const auto publisher =
        controller_.get_node()->create_publisher<trajectory_msgs::msg::JointTrajectory>(
            "~/joint_trajectory", 1);
    trajectory_msgs::msg::JointTrajectory message;
    message.joint_names = bench.chain()->coordinate_names();
    for (int k = 1; k <= 100; ++k) {
      trajectory_msgs::msg::JointTrajectoryPoint point;
      point.time_from_start = rclcpp::Duration::from_seconds(k);
      for (dyn::Index i = 0; i < bench.first().size(); ++i) {
        point.positions.push_back(bench.first()[i] + 0.3 * (k % 2));
        point.velocities.push_back(0.0);
        point.accelerations.push_back(0.0);
      }
      message.points.push_back(point);
    }
    publisher->on_activate();
    for (int k = 0; k < 50; ++k) {
      publisher->publish(message);
      executor_.spin_some(std::chrono::milliseconds(20));
    }
  }

  rclcpp::executors::SingleThreadedExecutor executor_;
  joint_trajectory_controller::JointTrajectoryController controller_;
};

void print(const char* name, Times times) {
  std::printf("%-34s%8.2f%10.2f%10.2f\n", name, times.share(0.5), times.share(0.999),
              times.share(1.0));
}

// As the controller manager's thread, which those that publish must not interrupt.
template <class Work>
void with_priority(Work work) {
  std::thread([&] {
    if (!realtime_tools::configure_sched_fifo(50)) {
      std::puts("without real-time priority, which needs rtprio in /etc/security/limits.conf");
    }
    work();
  }).join();
}

std::vector<rclcpp::Parameter> with_prediction() {
  return {{"prediction.enabled", true}, {"prediction.delay", 0.004}, {"observer.enabled", true}};
}

void run(std::size_t cycles, const std::string& algorithm, double publish_rate) {
  std::vector<rclcpp::Parameter> parameters = with_prediction();
  for (const char* quantity : {"mass_matrix", "inverse_dynamics", "forward_dynamics", "coriolis"}) {
    parameters.emplace_back(std::string("algorithms.") + quantity, algorithm);
  }
  parameters.emplace_back("state_publish_rate", publish_rate);
  Bench bench({.hardware = {{"delay", "0.004"}}, .parameters = parameters});
  bench.start(true);
  Front front(bench);
  Times ours, theirs, machine;
  const int count = arithmetic_of(10.0);
  with_priority([&] {
    rclcpp::Time now(100, 0, RCL_ROS_TIME);
    for (std::size_t k = 0; k < cycles; ++k) {
      now += rclcpp::Duration::from_seconds(kPeriod);
      theirs.values.push_back(front.update(now));
      (void)bench.cycle();
      ours.values.push_back(bench.update_time);
      machine.values.push_back(arithmetic(count));
    }
  });
  const double ratio = ours.share(0.5) / theirs.share(0.5);
  std::printf("%zu cycles, state published at %.0f Hz: median, 99.9 %%, longest in us\n", cycles,
              publish_rate);
  print("ComputedTorqueController", std::move(ours));
  print("JointTrajectoryController", std::move(theirs));
  print("arithmetic of 10 us", std::move(machine));
  std::printf("ratio of the medians: %.2f; allocations in all updates: %zu\n\n", ratio,
              bench.calls);
}

/// An arm that a law holds while its tip is pushed to and fro.
struct HeldArm {
  HeldArm(const std::string& law, bool predicts) : name(law), bench(options(law, predicts)) {
    bench.start(false);
  }

  void cycle(std::size_t k) {
    const double force = k / 500 % 2 == 0 ? 5.0 : -5.0;
    bench.arm().simulation().set_tip_wrench({{0.0, force, 0.0}, dyn::Vec3d::Zero()});
    (void)bench.cycle();
    times.values.push_back(bench.update_time);
  }

  static BenchOptions options(const std::string& law, bool predicts) {
    BenchOptions out;
    if (predicts) {
      out.hardware = {{"delay", "0.004"}};
      out.parameters = with_prediction();
    }
    out.parameters.emplace_back("law", law);
    out.start.resize(7);
    out.start << 0.0, 0.4, 0.0, 1.2, 0.0, 0.9, 0.0;
    return out;
  }

  std::string name;
  Bench bench;
  Times times;
};

void compare_laws(std::size_t cycles, bool predict) {
  std::vector<std::unique_ptr<HeldArm>> arms;
  for (const char* law : {"computed_torque", "task_space", "impedance"}) {
    arms.push_back(std::make_unique<HeldArm>(law, predict));
  }
  with_priority([&] {
    for (std::size_t k = 0; k < cycles; ++k) {
      for (const auto& arm : arms) arm->cycle(k);
    }
  });
  std::printf("%zu cycles of each law, %s: median, 99.9 %%, longest in us\n", cycles,
              predict ? "prediction and observer on" : "alone");
  const double first = arms.front()->times.share(0.5);
  for (const auto& arm : arms) {
    const double ratio = arm->times.share(0.5) / first;
    print(fmt::format("{} ({:.2f} x)", arm->name, ratio).c_str(), std::move(arm->times));
  }
  std::puts("");
}

}  // namespace
}  // namespace dyn_control::test

int main(int argc, char** argv) {
  rclcpp::init(argc, argv);
  const auto cycles = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20000ul;
  const std::string algorithm = argc > 2 ? argv[2] : "";
  dyn_control::test::run(cycles, algorithm, 100.0);
  dyn_control::test::run(cycles, algorithm, 1000.0);
  dyn_control::test::compare_laws(cycles, false);
  dyn_control::test::compare_laws(cycles, true);
  rclcpp::shutdown();
}
