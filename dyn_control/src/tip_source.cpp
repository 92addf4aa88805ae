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

#include "dyn_control/tip_source.hpp"

#include <utility>

namespace dyn_control {

dyn::Result<TipSource> TipSource::make(const dyn::TargetOptions& options) {
  auto filter = dyn::TargetFilter::make(options);
  if (!filter) return tl::unexpected(filter.error());
  return TipSource(std::move(*filter), options.timeout);
}

void TipSource::release() noexcept {
  following_ = lost_ = false;
  pose_age_ = twist_age_ = wrench_age_ = kNever;
}

// Twist and wrench go with the next pose where poses come, else with where the reference is.
void TipSource::take(const TipTarget& target, const dyn::Posed& start) noexcept {
  if (!following_) filter_.reset(start);
  following_ = true;
  const dyn::Posed& now = filter_.reference().pose;
  const bool pose = target.pose_number != seen_.pose_number;
  if (target.twist_number != seen_.twist_number) {
    const dyn::Mat3d axes = target.twist_at_tip ? now.R : dyn::Mat3d(dyn::Mat3d::Identity());
    twist_ << axes * target.twist.head<3>(), axes * target.twist.tail<3>();
    twist_age_ = 0.0;
  }
  if (target.wrench_number != seen_.wrench_number) {
    const dyn::Mat3d axes = target.wrench_at_tip ? now.R : dyn::Mat3d(dyn::Mat3d::Identity());
    wrench_ = {axes * target.wrench.force, axes * target.wrench.torque};
    wrench_age_ = 0.0;
  }
  seen_ = target;
  if (!pose && pose_age_ < timeout_) return;
  dyn::TipReference wanted;
  wanted.pose = now;
  if (pose && target.pose_at_tip) {
    wanted.pose = {now.R * target.pose.R, now.p + now.R * target.pose.p};
  } else if (pose) {
    wanted.pose = target.pose;
  }
  if (pose) pose_age_ = 0.0;
  if (twist_age_ < timeout_) wanted.twist = twist_;
  if (wrench_age_ < timeout_) wanted.wrench = wrench_;
  lost_ = filter_.set(wanted) != dyn::Status::kOk;
}

const dyn::TipReference& TipSource::update(double dt) noexcept {
  pose_age_ += dt;
  twist_age_ += dt;
  wrench_age_ += dt;
  return filter_.update(dt);
}

}  // namespace dyn_control
