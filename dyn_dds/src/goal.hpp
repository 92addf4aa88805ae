// Goal: what an action asks of a motion besides its points, and whether it is kept. No DDS in it.
#pragma once

#include <limits>
#include <string>

#include <dyn_core/robot/chain.hpp>

namespace dyn_dds {

/// Per joint; infinite: any error will do.
struct Tolerances {
  static constexpr double kStopped = 0.01;  ///< the speed at the end, where nothing else is given

  explicit Tolerances(dyn::Index dof)
      : path(dyn::VecXd::Constant(dof, std::numeric_limits<double>::infinity())),
        path_speed(path),
        end(path),
        end_speed(dyn::VecXd::Constant(dof, kStopped)) {}

  dyn::VecXd path, path_speed;  ///< on the way
  dyn::VecXd end, end_speed;    ///< when it succeeds
  double time = 0.0;            ///< how much later than planned that may be, s; zero: any time
};

enum class Outcome { kUnderWay, kReached, kOffPath, kLate, kBraked };

/// Looks at the errors of a motion while it goes on. Allocates nothing after it is made.
class GoalWatch {
 public:
  explicit GoalWatch(Tolerances tolerances) : tolerances_(std::move(tolerances)) {}

  /// `late`: how long the motion should have been at its end; negative on the way. After the first
  /// outcome nothing changes any more.
  Outcome update(const dyn::VecXd& error, const dyn::VecXd& speed_error, double late) noexcept;
  /// The arm had to be braked.
  void brake() noexcept {
    if (outcome_ == Outcome::kUnderWay) outcome_ = Outcome::kBraked;
  }
  [[nodiscard]] Outcome outcome() const noexcept { return outcome_; }
  /// What went wrong, in words.
  [[nodiscard]] std::string sentence(const dyn::Chain& chain) const;

 private:
  bool violates(const dyn::VecXd& error, const dyn::VecXd& allowed, bool speed) noexcept;

  Tolerances tolerances_;
  Outcome outcome_ = Outcome::kUnderWay;
  dyn::Index joint_ = 0;  // the first one beyond its tolerance
  double error_ = 0.0, allowed_ = 0.0;
  bool speed_ = false;
};

}  // namespace dyn_dds
