// Motions as files and pictures: what `dyn excite` and `dyn time` write.
#pragma once

#include <algorithm>
#include <cmath>

#include "common.hpp"
#include "dyn_core/motion/trajectory.hpp"
#include "plot.hpp"

namespace dyn::tool {

struct MotionSample {
  double time;
  VecXd q, qd, qdd;
};

/// `take` is called with every sample, the last at the end of the motion.
template <class Take>
void each_sample(const Trajectory& motion, double step, const Take& take) {
  MotionSample s{0.0, VecXd(motion.dof()), VecXd(motion.dof()), VecXd(motion.dof())};
  const double count = std::ceil(motion.duration() / step - 1e-9);
  for (double i = 0.0; i <= count; ++i) {
    s.time = std::min(i * step, motion.duration());
    require(motion.evaluate(s.time, s.q, s.qd, s.qdd), "the motion");
    take(s);
  }
}

/// What `dyn excite` and `dyn time` write of a motion, and which share of the limits it may use.
struct MotionOptions {
  std::string output, pictures, acceleration;
  double step = 0.01;

  /// `where`: what --output is for; `otherwise`: the accelerations without --acceleration.
  void add_to(CLI::App& command, const char* where, const char* otherwise);
  /// Those of --acceleration, each above 0, or else `otherwise`.
  [[nodiscard]] VecXd accelerations(const Chain& chain, const VecXd& otherwise) const;
};

/// An option for a share of something, above 0 and up to 1.
void add_share(CLI::App& command, const char* name, double& value, const char* text);

/// To the file that --output names: .yaml or .yml as trajectory_msgs/JointTrajectory, else CSV with the
/// columns t, q_1…, qd_1…, qdd_1….
void write_motion(const std::string& path, const Chain& chain, const Trajectory& motion,
                  double step);

/// Of what may be used at most, one per coordinate.
struct MotionShares {
  const VecXd &velocity, &acceleration, &effort;
};

/// Of each joint the positions, and how much of the limits is used.
void draw_motion(const std::string& path, const std::string& title, const ChainPtr& chain,
                 const Trajectory& motion, const MotionShares& limits);

}  // namespace dyn::tool
