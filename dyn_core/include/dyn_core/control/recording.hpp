// What an arm was guided through, and the motion that repeats it.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/signals.hpp"
#include "dyn_core/motion/trajectory.hpp"

namespace dyn {

/// One column a sample: q, q̇ and the torque at the joints.
struct Recording {
  std::vector<double> times;  ///< s, from 0
  MatXd q, qd, torque;
};

/// Keeps a sample now and then of what it is shown every period.
class DYN_CORE_EXPORT Recorder {
 public:
  /// Room for `seconds` with a sample every `interval`.
  explicit Recorder(Index dof, double seconds = 180.0, double interval = 0.02);

  // The following allocate nothing, throw nothing and take no lock.

  /// Forgets what there was.
  void start() noexcept;
  void stop() noexcept { running_ = false; }
  /// The state `dt` after the last one. Nothing where it does not run or has no room left.
  void add(const JointState& state, const VecXd& torque, double dt) noexcept;

  [[nodiscard]] bool running() const noexcept { return running_; }
  [[nodiscard]] Index size() const noexcept { return size_.load(std::memory_order_acquire); }

  /// A copy of what was kept so far. Another thread may ask for it, but not while one starts anew.
  [[nodiscard]] Recording recording() const;

 private:
  double interval_;
  std::vector<double> times_;
  MatXd samples_;  // q, q̇, torque, one below the other
  std::atomic<Index> size_{0};
  bool running_ = false;
  double time_ = 0.0;
};

/// Lines of t, q, q̇ and torque: a motion for `dyn track` and a log for `dyn identify`.
DYN_CORE_EXPORT [[nodiscard]] std::string to_csv(const Chain& chain, const Recording& recording);

/// From rest at `from` to where the recording begins, within half of the velocity limits, and then through
/// it, `speed` times as fast as it was; smoothed over 0.1 s, without the time in which the arm stood at its
/// beginning and end. A continuous joint goes the shorter way, where its encoder begins anew, too. The error
/// says why it cannot be repeated.
DYN_CORE_EXPORT [[nodiscard]] Result<TrajectoryPtr> playback(const Chain& chain,
                                                             Recording recording, const VecXd& from,
                                                             double speed = 1.0);

}  // namespace dyn
