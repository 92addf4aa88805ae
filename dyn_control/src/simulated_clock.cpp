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

#include "dyn_control/simulated_clock.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

namespace dyn_control {

using std::chrono::steady_clock;

namespace {

constexpr auto kHeartbeat = std::chrono::milliseconds(20);

}  // namespace

SimulatedClock::SimulatedClock(rclcpp::Node& node, double period, double real_time_factor)
    : period_(std::llround(1e9 * period)),
      factor_(real_time_factor),
      now_(period_),
      next_(steady_clock::now()),
      publisher_(node.create_publisher<rosgraph_msgs::msg::Clock>("/clock", rclcpp::ClockQoS())),
      timer_(node.create_wall_timer(kHeartbeat, [this] { keep_alive(); })) {}

void SimulatedClock::publish() {
  rosgraph_msgs::msg::Clock message;
  message.clock = rclcpp::Time(now_.load());
  publisher_->publish(message);
}

void SimulatedClock::tick() {
  if (factor_ > 0.0) {
    const std::chrono::duration<double, std::nano> step(static_cast<double>(period_) / factor_);
    next_ = std::max(next_ + std::chrono::duration_cast<steady_clock::duration>(step),
                     steady_clock::now() - std::chrono::milliseconds(100));
    std::this_thread::sleep_until(next_);
  }
  now_ += period_;
  ++ticks_;
  publish();
}

// A message may get lost. And before the first cycle there is nobody to tick: the manager waits for
// time to begin; later, where the arm is not read any more, others do.
void SimulatedClock::keep_alive() {
  constexpr unsigned kPatience = 100;  // heartbeats
  const unsigned ticks = ticks_.load();
  silent_ = ticks == seen_ticks_ ? silent_ + 1 : 0;
  seen_ticks_ = ticks;
  if (silent_ == 0) return;
  if (ticks == 0 || silent_ > kPatience) now_ += period_;
  publish();
}

}  // namespace dyn_control
