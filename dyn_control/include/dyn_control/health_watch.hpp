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

// HealthWatch: says in the log and in /diagnostics what a control cycle found wrong. It looks on
// from a timer; the cycle only leaves a word behind.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include <diagnostic_updater/diagnostic_updater.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>

#include "dyn_control/control_loop.hpp"

namespace dyn_control {

class HealthWatch {
 public:
  HealthWatch(rclcpp_lifecycle::LifecycleNode& node, const dyn::Chain& chain,
              const std::atomic<Health>& health);

 private:
  void look();
  void report(diagnostic_updater::DiagnosticStatusWrapper& status) const;
  [[nodiscard]] std::string reason(const Health& health) const;

  rclcpp::Logger logger_;
  const dyn::Chain& chain_;
  const std::atomic<Health>& health_;
  Health last_;
  diagnostic_updater::Updater updater_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace dyn_control
