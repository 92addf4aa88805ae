#include "goal.hpp"

#include <cmath>

#include <fmt/format.h>

namespace dyn_dds {

bool GoalWatch::violates(const dyn::VecXd& error, const dyn::VecXd& allowed, bool speed) noexcept {
  for (dyn::Index i = 0; i < error.size(); ++i) {
    if (std::isinf(allowed[i]) || std::abs(error[i]) <= allowed[i]) continue;
    joint_ = i;
    error_ = error[i];
    allowed_ = allowed[i];
    speed_ = speed;
    return true;
  }
  return false;
}

Outcome GoalWatch::update(const dyn::VecXd& error, const dyn::VecXd& speed_error,
                          double late) noexcept {
  if (outcome_ != Outcome::kUnderWay) return outcome_;
  if (late < 0.0) {
    if (violates(error, tolerances_.path, false) ||
        violates(speed_error, tolerances_.path_speed, true)) {
      outcome_ = Outcome::kOffPath;
    }
  } else if (!violates(error, tolerances_.end, false) &&
             !violates(speed_error, tolerances_.end_speed, true)) {
    outcome_ = Outcome::kReached;
  } else if (tolerances_.time > 0.0 && late > tolerances_.time) {
    outcome_ = Outcome::kLate;
  }
  return outcome_;
}

std::string GoalWatch::sentence(const dyn::Chain& chain) const {
  if (outcome_ == Outcome::kBraked) return "the arm had to be braked on its way";
  const dyn::Joint& joint = chain.coordinate_joint(joint_);
  return fmt::format("joint '{}' is off {} by {:.4g} {}{}, more than {:.4g}", joint.name,
                     outcome_ == Outcome::kLate ? "its goal" : "its path", error_,
                     joint.is_prismatic() ? "m" : "rad", speed_ ? "/s" : "", allowed_);
}

}  // namespace dyn_dds
