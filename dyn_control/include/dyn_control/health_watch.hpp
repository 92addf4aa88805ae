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
#include <mutex>
#include <string>

#include <diagnostic_updater/diagnostic_updater.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>

#include "dyn_control/control_loop.hpp"

namespace dyn_control {

class HealthWatch {
 public:
  /// For as long as the node lives: whoever spins it may be in a callback of this at any time.
  HealthWatch(rclcpp_lifecycle::LifecycleNode& node, const std::atomic<Health>& health);
  /// What the controller is configured for now; null: it is not.
  void set_chain(dyn::ChainPtr chain);

 private:
  void look();
  void report(diagnostic_updater::DiagnosticStatusWrapper& status);
  [[nodiscard]] std::string reason(const Health& health) const;
  [[nodiscard]] std::string summary(const Health& health) const;

  rclcpp::Logger logger_;
  const std::atomic<Health>& health_;
  std::mutex mutex_;  // of what follows, between the callbacks and configuring
  dyn::ChainPtr chain_;
  Health last_;
  diagnostic_updater::Updater updater_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace dyn_control
