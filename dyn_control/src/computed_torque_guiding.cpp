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

// The part of ComputedTorqueController that gives the arm to a hand and repeats what it did.
#include <limits>
#include <mutex>

#include <dyn_core/inspect/guide.hpp>
#include <dyn_msgs/fields.hpp>

#include "dyn_control/computed_torque_controller.hpp"

namespace dyn_control {

using dyn::Index;
using dyn::Result;
using dyn::inspect::GuideAction;
using dyn_msgs::kFields;
using dyn_msgs::srv::Guide;

// In the control cycle.
void ComputedTorqueController::carry_out(const GuideOrder& order) noexcept {
  // Planned before another controller came in front, or before this one was activated anew: neither
  // in a hand nor along a motion any more.
  const bool past = is_in_chained_mode() || order.activation != activation_.load();
  const bool guide = !past && order.action == GuideAction::kStart;
  // Nothing happens to an arm that is not in a hand and is to leave it.
  if (guide || loop_->guided()) (void)loop_->guide(guide, measured_);
  if (!guide) loop_->play(past ? nullptr : order.motion, measured_);
  guide_done_.store(order.number);
}

void ComputedTorqueController::order(GuideAction action, dyn::TrajectoryPtr motion,
                                     std::uint64_t activation) {
  // The cycle has carried out the last one: it goes along the last motion or along none.
  if (motions_.size() > 1) motions_.erase(motions_.begin());
  const dyn::Trajectory* const bare = motion.get();
  if (motion) motions_.push_back(std::move(motion));
  const GuideOrder next{action, bare, ++guide_ordered_, activation};
  guide_box_.set(next);
}

// From where the reference is: what was recorded last, or what the request has.
Result<dyn::TrajectoryPtr> ComputedTorqueController::motion_of(
    const Guide::Request& request) const {
  dyn::VecXd from(loop_->dof());
  for (Index i = 0; i < from.size(); ++i) {
    const auto& reference = ordered_exported_reference_interfaces_[static_cast<std::size_t>(i)];
    from[i] = reference->get_optional().value_or(std::numeric_limits<double>::quiet_NaN());
  }
  return dyn::inspect::motion_of(kFields, *setup_->chain, request, loop_->recorder().recording(),
                                 from);
}

Result<void> ComputedTorqueController::may_guide(GuideAction action) const {
  if (!setup_ || get_lifecycle_id() != lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE) {
    return dyn::fail("the controller is not active");
  }
  if (is_in_chained_mode()) {
    return dyn::fail(
        "another controller in front says where the arm is to be; deactivate it first");
  }
  if (guide_done_.load() != guide_ordered_) {
    return dyn::fail("the last request is still to be carried out; wait for a control cycle");
  }
  if (action == GuideAction::kStart && setup_->drives == DriveInterfaces::kReference) {
    return dyn::fail("the drives hold the joints with gains of their own (drive_interfaces)");
  }
  if (action == GuideAction::kStart && !loop_->guidable()) {
    return dyn::fail(
        "the law gravity cannot carry this arm: in some posture its mass matrix has no inverse; "
        "check the inertias of the robot description");
  }
  const dyn::Law law = setup_->parameters.law.law;
  if (action == GuideAction::kPlay && dyn::entry_of(law).follows == dyn::Follows::kNothing) {
    return dyn::fail("the law gravity follows nothing; choose a law that tracks");
  }
  return {};
}

Result<void> ComputedTorqueController::guide(const Guide::Request& request,
                                             Guide::Response& response) {
  const std::lock_guard<std::mutex> lock(setup_mutex_);
  const auto action = dyn::inspect::guide_action(request.action);
  if (!action) return tl::unexpected(action.error());
  const std::uint64_t activation = activation_.load();
  if (auto may = may_guide(*action); !may) return may;
  dyn::TrajectoryPtr motion;
  if (*action == GuideAction::kStop) {
    dyn::inspect::fill_guide(kFields, *setup_->chain, loop_->recorder().recording(), response);
  } else if (*action == GuideAction::kPlay) {
    auto made = motion_of(request);
    if (!made) return tl::unexpected(made.error());
    motion = std::move(*made);
    response.duration = motion->duration();
  }
  order(*action, std::move(motion), activation);
  return {};
}

}  // namespace dyn_control
