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

// TipSource: where the tip is to be, from the targets that come for it now and then. No ROS in it.
#pragma once

#include <limits>

#include <dyn_core/control/target.hpp>

namespace dyn_control {

/// The last target of each kind, with the number of the change. At the tip: in the axes of the
/// reference, and a pose as a step from there; else in the base link frame.
struct TipTarget {
  dyn::Posed pose;
  dyn::Vec6<double> twist = dyn::Vec6<double>::Zero();
  dyn::Wrench wrench;
  bool pose_at_tip = false, twist_at_tip = false, wrench_at_tip = false;
  unsigned pose_number = 0, twist_number = 0, wrench_number = 0;
};

class TipSource {
 public:
  [[nodiscard]] static dyn::Result<TipSource> make(const dyn::TargetOptions& options);

  // The following allocate nothing, throw nothing and take no lock.

  /// The tip is the joints' reference's again, until the next target.
  void release() noexcept;
  /// What is new in `target`; where the first one comes the tip of the reference is at `start`.
  void take(const TipTarget& target, const dyn::Posed& start) noexcept;
  /// Whatever `target` says has been seen.
  void skip(const TipTarget& target) noexcept { seen_ = target; }

  /// The reference `dt` after the last one.
  const dyn::TipReference& update(double dt) noexcept;
  /// There has been a target.
  [[nodiscard]] bool following() const noexcept { return following_; }
  /// The last target was too far away or no rotation: the one before it stands.
  [[nodiscard]] bool lost() const noexcept { return lost_; }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  TipSource(dyn::TargetFilter filter, double timeout) : filter_(filter), timeout_(timeout) {}

  dyn::TargetFilter filter_;
  double timeout_;
  TipTarget seen_;
  dyn::Vec6<double> twist_ = dyn::Vec6<double>::Zero();
  dyn::Wrench wrench_;
  double pose_age_ = kNever, twist_age_ = kNever, wrench_age_ = kNever;
  bool following_ = false, lost_ = false;
};

}  // namespace dyn_control
