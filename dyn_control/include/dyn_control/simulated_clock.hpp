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

// SimulatedClock: the time of an arm, published on /clock, as fast as its controller manager
// follows.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include <rclcpp/node.hpp>
#include <rosgraph_msgs/msg/clock.hpp>

namespace dyn_control {

class SimulatedClock {
 public:
  /// With `real_time_factor` 1 it goes as the wall clock does, with 0 as fast as it can.
  SimulatedClock(rclcpp::Node& node, double period, double real_time_factor);

  /// One cycle is over: the next may begin. Sleeps where the arm is ahead of the wall clock.
  void tick();

 private:
  void publish();
  void keep_alive();

  std::int64_t period_;  // ns
  double factor_;
  std::atomic<std::int64_t> now_;  // ns
  std::atomic<unsigned> ticks_{0};
  unsigned seen_ticks_ = 0, silent_ = 0;
  std::chrono::steady_clock::time_point next_;
  rclcpp::Publisher<rosgraph_msgs::msg::Clock>::SharedPtr publisher_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace dyn_control
