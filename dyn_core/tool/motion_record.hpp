// What `dyn simulate` keeps of a motion: for its summary and its picture.
#pragma once

#include <array>
#include <optional>

#include "common.hpp"
#include "drive_record.hpp"
#include "dyn_core/motion/simulate.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "plot.hpp"

namespace dyn::tool {

constexpr const char* kFreeFall = "free fall";

struct MotionSummary {
  std::string input;
  const SimulationOptions& simulation;
  std::string integrator, velocities;
  double seconds;       ///< of computing
  std::string failure;  ///< the sentence of a run that broke down
};

class MotionRecord {
 public:
  /// `desired` may be null. The samples are kept only for a picture.
  MotionRecord(ChainPtr chain, TrajectoryPtr desired, bool keep_samples);

  /// `tip` is the tip's place, in the base link frame.
  void take(const Sample& sample, const Vec3d& tip);

  /// Positions and torques by joint, the tip's place, and how far all is from the trajectory.
  [[nodiscard]] Picture picture(std::string title) const;
  [[nodiscard]] Json json(const MotionSummary& summary, const SimulationReport& report) const;
  [[nodiscard]] std::string text(const MotionSummary& summary,
                                 const SimulationReport& report) const;

 private:
  struct Departure {
    double time;
    Index joint;
  };

  using Values = std::vector<double>;

  void keep(const Sample& sample, const Vec3d& tip);
  [[nodiscard]] bool conservative(const MotionSummary& summary) const;
  [[nodiscard]] Chart beside_trajectory(std::string title, const char* y_label, const Values& moved,
                                        const Values& wanted) const;
  [[nodiscard]] Chart deviation_chart() const;

  ChainPtr chain_;
  TrajectoryPtr desired_;
  bool keep_samples_;
  DriveRecord drives_;
  Kinematics<double> kinematics_;
  VecXd q_, qd_, qdd_;  // of the trajectory
  double largest_deviation_ = 0.0;
  std::optional<Departure> departure_;
  Values time_, deviation_;
  std::vector<Values> motion_, wanted_, torques_;  // per joint
  std::array<Values, 3> tip_, wanted_tip_;
  bool any_torque_ = false;
};

}  // namespace dyn::tool
