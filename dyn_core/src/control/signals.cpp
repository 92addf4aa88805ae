#include "dyn_core/control/signals.hpp"

#include <cmath>
#include <numbers>

#include "dyn_core/control/task.hpp"

namespace dyn {

void joint_difference(const Chain& chain, const VecXd& to, const VecXd& from, VecXd& out) noexcept {
  out = to - from;
  for (Index i = 0; i < chain.dof(); ++i) {
    if (chain.coordinate_joint(i).type == JointType::kContinuous) {
      out[i] = std::remainder(out[i], 2.0 * std::numbers::pi);
    }
  }
}

void extrapolate(const Reference& reference, double ahead, Reference& out) noexcept {
  out.q = reference.q + ahead * reference.qd + (0.5 * ahead * ahead) * reference.qdd;
  out.qd = reference.qd + ahead * reference.qdd;
  out.qdd = reference.qdd;
  if (reference.tip.given || out.tip.given) extrapolate(reference.tip, ahead, out.tip);
}

void extrapolate(const TipReference& tip, double ahead, TipReference& out) noexcept {
  const Vec6<double> way = ahead * tip.twist + (0.5 * ahead * ahead) * tip.acceleration;
  const Mat3d R = rotation_about(way.tail<3>()) * tip.pose.R;
  const Vec3d p = tip.pose.p + way.head<3>();
  out = tip;
  out.pose = {R, p};
  out.twist += ahead * tip.acceleration;
}

CommandHistory::CommandHistory(Index dof, Index capacity)
    : times_(static_cast<std::size_t>(capacity)),
      torques_(static_cast<std::size_t>(capacity), VecXd::Zero(dof)) {
  reset(VecXd::Zero(dof));
}

void CommandHistory::reset(const VecXd& torque) noexcept {
  first_ = 0;
  size_ = 1;
  times_[0] = -std::numeric_limits<double>::infinity();
  torques_[0] = torque;
}

void CommandHistory::push(double time, VecIn<double> torque) noexcept {
  if (size_ == capacity()) {
    first_ = (first_ + 1) % capacity();
    --size_;
  }
  ++size_;
  times_[slot(size_ - 1)] = time;
  torques_[slot(size_ - 1)] = torque;
}

Index CommandHistory::find(double time) const noexcept {
  constexpr double kSlack = 1e-9;
  Index i = size_ - 1;
  while (i > 0 && times_[slot(i)] > time + kSlack) --i;
  return i;
}

}  // namespace dyn
