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

// ReferenceSource: the reference of each cycle, from whatever came or did not come. No ROS in it.
#pragma once

#include <optional>

#include <dyn_core/control/reference.hpp>

namespace dyn_control {

enum class LostReference {
  kHold,     ///< come to rest and hold
  kGravity,  ///< no reference at all: the law brakes and carries the weight
};

struct ReferenceOptions {
  double timeout = 0.0;  ///< a reference older than this is lost, s; 0: never
  LostReference lost = LostReference::kHold;
  double stop_time = 0.25;        ///< s
  double filter_frequency = 0.0;  ///< rad/s; 0: no filter
  dyn::VecXd filter_velocity;     ///< rad/s or m/s; may be infinite
  dyn::VecXd longest_jump;        ///< without a filter: further counts as lost, rad or m
};

class ReferenceSource {
 public:
  ReferenceSource(const dyn::ChainPtr& chain, const ReferenceOptions& options);

  // The following allocate nothing, throw nothing and take no lock.

  /// Starts anew: from this state to rest, until a reference comes.
  void start(const dyn::JointState& state) noexcept;
  /// Comes to rest from the last reference and waits for the next; nobody is to blame.
  void release() noexcept;
  /// A reference came, for this cycle; one that is not finite counts as lost.
  void take(const dyn::Reference& wanted) noexcept;
  /// Comes to rest from `state` within `duration`, and takes no reference any more.
  void stop(const dyn::JointState& state, double duration) noexcept;

  /// The reference `dt` after the last one, which is `elapsed` old: more where cycles were missed.
  /// It is not finite where there is none. `state` is where a new one would start then.
  const dyn::Reference& update(double dt, double elapsed, const dyn::JointState& state) noexcept;
  /// There was one, and it has been lost: too old, not finite, or too far from the one before.
  [[nodiscard]] bool lost() const noexcept { return lost_; }
  /// The last update may have jumped: another source, without a filter in between.
  [[nodiscard]] bool jumped() const noexcept { return jumped_; }

 private:
  void come_to_rest() noexcept;
  void move_to(const dyn::JointState& state) noexcept;
  [[nodiscard]] bool too_far(const dyn::Reference& wanted) noexcept;
  void follow(double dt) noexcept;
  void stand(double dt) noexcept;

  ReferenceOptions options_;
  dyn::StopMotion stop_;
  std::optional<dyn::ReferenceFilter> filter_;
  dyn::ChainPtr chain_;
  dyn::Reference wanted_, ahead_, now_, none_;  // none_ is all NaN
  dyn::VecXd jump_;
  bool following_ = false, fresh_ = false, latched_ = false, lost_ = false, jumped_ = false;
  double age_ = 0.0;  // of wanted_, s
};

}  // namespace dyn_control
