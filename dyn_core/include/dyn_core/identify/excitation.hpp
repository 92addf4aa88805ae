// Excitation: the motion that tells most about an arm's inertias and friction, within its limits.
//
//   J. Swevers, C. Ganseman, D. B. Tükel, J. De Schutter, H. Van Brussel: Optimal robot excitation and
//   identification, IEEE Transactions on Robotics and Automation 13 (1997): Fourier series, here faded in and
//   out. Maximised is log det ∫ Yᵀ W Y dt of the base parameters (D-optimality): random starts, then ascent with
//   a logarithmic barrier at every limit.
//
// Offline: everything here allocates.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dyn_core/identify/fourier.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn {

/// How much of an arm's limits a motion may use; 1 is all.
struct LimitShares {
  double range = 0.9;  ///< about the middle
  double speed = 0.7;
  double effort = 0.8;  ///< by the model, which is what is in doubt
};

/// Of every coordinate; only an effort may be infinite.
struct MotionLimits {
  VecXd lower, upper, velocity, acceleration, effort;
  std::vector<std::string> assumed = {};  ///< a sentence for each kind that the description lacks
};
/// A joint without range, or with more than a turn, swings within one turn or 1 m, one without velocity limit moves
/// at 1 rad/s or m/s. Robot descriptions have no accelerations: full speed takes 0.5 s, and longer where that
/// were more than 10 rad/s² or m/s².
DYN_CORE_EXPORT [[nodiscard]] MotionLimits motion_limits(const Chain& chain,
                                                         const LimitShares& shares);

/// The largest torques that the model needs for a motion: inertial ones and gravity sampled, with twice what
/// their second differences say may be missed in between, damping and friction in full.
DYN_CORE_EXPORT [[nodiscard]] VecXd torque_peaks(const ChainPtr& chain,
                                                 const FourierMotion& motion);

/// What a motion tells about the base parameters, drives and friction among them.
struct Information {
  Index parameters = 0;
  double log_det =
      0.0;  ///< of ∫ Yᵀ W Y dt; W: torques in shares of the effort limits where all joints have them
  double condition = 0.0;  ///< of the regressor √W Y
};
DYN_CORE_EXPORT [[nodiscard]] Result<Information> information_of(const ChainPtr& chain,
                                                                 const Trajectory& motion);

struct ExcitationOptions {
  FourierShape shape = {};
  std::uint64_t seed = 1;
  int draws = 50;  ///< random motions, of which the best
  int starts = 3;  ///< are improved by
  int steps = 80;  ///< at each of three barriers, fewer for more than seven joints
  std::function<bool(double share)> proceed =
      {};  ///< told what is done; false: the best so far will do
};

struct Excitation {
  std::shared_ptr<const FourierMotion> motion;
  FourierPeaks peaks;
  VecXd torque;  ///< peaks
  Information information;
};
/// The same for the same seed. An error where no posture can be held, or not all can be told.
DYN_CORE_EXPORT [[nodiscard]] Result<Excitation> excite(const ChainPtr& chain,
                                                        const MotionLimits& limits,
                                                        const ExcitationOptions& options = {});

}  // namespace dyn
