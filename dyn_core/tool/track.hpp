// What `dyn track` runs, and what comes of it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common.hpp"
#include "dyn_core/control/tracking.hpp"
#include "report_data.hpp"

namespace dyn::tool {

struct TrackOptions {
  RobotOptions robot;
  std::string law = "computed_torque", predict, observer, trajectory = "cycloid";
  std::string payload_error = "0", friction_error = "0";
  double delay_ms = 4.0, duration = 3.0, rate = 1000.0, frequency = 20.0, damping = 1.0;
  std::string noise = "0,0", push, stiffness, drives = "torque", csv, pictures, arm;
  double targets = 0.0;
  bool drives_lift = false;
  bool json = false;
};

enum class TrackObserver { kOff, kCorrect, kReject };
constexpr std::array<const char*, 3> kTrackObservers = {"off", "correct", "reject"};

/// One line of the table.
struct TrackVariant {
  Law law;
  bool predict;
  TrackObserver observer;
};

struct TrackOutcome {
  TrackVariant variant;
  TrackingReport report;
};

/// What is run, made from the command line.
struct TrackSetup {
  explicit TrackSetup(const TrackOptions& options);

  ChainPtr chain;
  double payload_error, friction_error;
  ChainPtr truth;
  Excursion excursion;
  std::vector<double> noise;
  double duration = 0.0;
  TrajectoryPtr trajectory;
};

/// "+ prediction" and the like, for the first line of a law with its name.
[[nodiscard]] std::string track_title(const TrackVariant& variant, bool first_of_law);
/// As tables.
void print_track(const TrackOptions& options, const TrackSetup& setup,
                 const std::vector<TrackOutcome>& outcomes);
[[nodiscard]] Json track_json(const TrackOptions& options, const TrackSetup& setup,
                              const std::vector<TrackOutcome>& outcomes);

}  // namespace dyn::tool
