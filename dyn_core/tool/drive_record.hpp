// What a motion asks of each joint's drive: to choose motors and gears by.
#pragma once

#include <vector>

#include "common.hpp"

namespace dyn::tool {

/// Peaks of the samples; means and energies by the trapezoidal rule between them.
class DriveRecord {
 public:
  explicit DriveRecord(ChainPtr chain);

  void take(double time, const VecXd& torques, const VecXd& velocities);

  /// By joint; torques in N m, speeds in rad/s, powers in W, energies in J (N and m/s where it slides).
  [[nodiscard]] Json json() const;
  /// Lines of a table.
  [[nodiscard]] std::string text() const;

 private:
  // Of one instant, and integrals over time of the same.
  struct Load {
    double torque = 0.0, speed = 0.0, power = 0.0;
    double given = 0.0, taken = 0.0;  ///< power into the arm, and back out of it
  };
  struct Drive {
    Load now, peak, integral;  ///< integrals of squares; of `given` and `taken` themselves
  };

  [[nodiscard]] double rms(double integral) const;

  ChainPtr chain_;
  std::vector<Drive> drives_;
  double first_ = 0.0, last_ = 0.0;  // s
  bool empty_ = true;
};

}  // namespace dyn::tool
