// What `dyn simulate` keeps of a motion: for its summary and its picture.
#pragma once

#include <optional>

#include "common.hpp"
#include "drive_record.hpp"
#include "dyn_core/motion/simulate.hpp"
#include "plot.hpp"

namespace dyn::tool {

constexpr const char* kFreeFall = "free fall";

struct MotionSummary {
  std::string input;
  const SimulationOptions& simulation;
  std::string integrator, velocities;
  double seconds;  ///< of computing
};

class MotionRecord {
 public:
  /// `desired` may be null. The samples are kept only for a picture.
  MotionRecord(ChainPtr chain, TrajectoryPtr desired, bool keep_samples);

  void take(const Sample& sample);

  [[nodiscard]] Picture picture(std::string title) const;
  [[nodiscard]] Json json(const MotionSummary& summary, const SimulationReport& report) const;
  [[nodiscard]] std::string text(const MotionSummary& summary,
                                 const SimulationReport& report) const;

 private:
  struct Departure {
    double time;
    Index joint;
  };

  [[nodiscard]] bool conservative(const MotionSummary& summary) const;
  [[nodiscard]] std::pair<double, double> shown_range(Index joint) const;

  ChainPtr chain_;
  TrajectoryPtr desired_;
  bool keep_samples_;
  DriveRecord drives_;
  VecXd q_, qd_, qdd_;  // of the trajectory
  double largest_deviation_ = 0.0;
  std::optional<Departure> departure_;
  std::vector<double> time_, deviation_;
  std::vector<std::vector<double>> motion_, wanted_;  // per joint
};

}  // namespace dyn::tool
