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

#include "dyn_control/reference_source.hpp"

#include <limits>

namespace dyn_control {

using dyn::Reference;

namespace {

bool moves(const Reference& reference) {
  return !reference.qd.isZero(0.0) || !reference.qdd.isZero(0.0);
}

}  // namespace

ReferenceSource::ReferenceSource(const dyn::ChainPtr& chain, const ReferenceOptions& options)
    : options_(options),
      stop_(chain->dof()),
      chain_(chain),
      wanted_(chain->dof()),
      ahead_(chain->dof()),
      now_(chain->dof()),
      none_(chain->dof()),
      jump_(dyn::VecXd::Zero(chain->dof())) {
  none_.q.setConstant(std::numeric_limits<double>::quiet_NaN());
  none_.qd = none_.qdd = none_.q;
  if (options.filter_frequency > 0.0) {
    filter_.emplace(chain, options.filter_frequency, options.filter_velocity);
  }
}

void ReferenceSource::start(const dyn::JointState& state) noexcept {
  latched_ = false;
  move_to(state);
  release();
}

void ReferenceSource::move_to(const dyn::JointState& state) noexcept {
  now_.q = state.q;
  now_.qd = state.qd;
  now_.qdd.setZero();
}

void ReferenceSource::release() noexcept {
  if (latched_) return;
  lost_ = fresh_ = false;
  come_to_rest();
}

void ReferenceSource::come_to_rest() noexcept {
  following_ = false;
  stop_.start(now_, options_.stop_time);
  if (filter_) filter_->reset(now_);
}

void ReferenceSource::take(const Reference& wanted) noexcept {
  wanted_ = wanted;
  fresh_ = true;
}

void ReferenceSource::stop(const dyn::JointState& state, double duration) noexcept {
  move_to(state);
  following_ = false;
  latched_ = true;
  stop_.start(now_, duration);
}

bool ReferenceSource::too_far(const Reference& wanted) noexcept {
  if (filter_ || options_.longest_jump.size() != wanted.q.size()) return false;
  dyn::joint_difference(*chain_, wanted.q, now_.q, jump_);
  return (jump_.cwiseAbs().array() > options_.longest_jump.array()).any();
}

const Reference& ReferenceSource::update(double dt, double elapsed,
                                         const dyn::JointState& state) noexcept {
  jumped_ = false;
  if (fresh_ && !latched_) {
    const bool valid = wanted_.finite() && !too_far(wanted_);
    age_ = 0.0;
    jumped_ = valid && !following_ && !filter_;
    if (!valid && !lost_) come_to_rest();
    lost_ = !valid;
    following_ = valid;
  } else {
    age_ += elapsed;
  }
  fresh_ = false;
  if (following_) {
    follow(dt);
  } else {
    stand(dt);
  }
  if (!lost_ || options_.lost == LostReference::kHold) return now_;
  if (state.finite()) move_to(state);
  return none_;
}

// A moving point is carried on until the next one comes, but not for long.
void ReferenceSource::follow(double dt) noexcept {
  constexpr double kLongest = 0.1;
  const bool timed = options_.timeout > 0.0;
  if (timed && age_ > options_.timeout) {
    lost_ = true;
    come_to_rest();
    stand(dt);
  } else if (!timed && age_ > kLongest && moves(wanted_)) {
    come_to_rest();
    stand(dt);
  } else {
    dyn::extrapolate(wanted_, age_, ahead_);
    now_ = filter_ ? filter_->update(ahead_, dt) : ahead_;
  }
}

void ReferenceSource::stand(double dt) noexcept {
  stop_.advance(dt);
  now_ = stop_.reference();
  if (filter_) filter_->reset(now_);
}

}  // namespace dyn_control
