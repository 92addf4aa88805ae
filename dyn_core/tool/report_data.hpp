// What `dyn report` shows, computed: postures, inertia, loads, workspace, counts, times.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dyn_core/solver.hpp"
#include "dyn_core/study/count.hpp"
#include "dyn_core/study/select.hpp"

namespace dyn::tool {

/// A motion to show an arm with: within the limits of the joints, bent in between.
struct Excursion {
  VecXd from, middle, to;
};
[[nodiscard]] Excursion excursion_of(const Chain& chain);
/// Time for a cycloid along it that keeps every joint within half of its velocity limit, at least
/// `shortest`, s.
[[nodiscard]] double unhurried(const Chain& chain, const Excursion& excursion, double shortest);
/// The same for a motion that is simulated: a Failure where it would last longer than an hour.
[[nodiscard]] double motion_duration(const Chain& chain, const Excursion& excursion,
                                     double shortest);
constexpr double kLongestMotion = 3600.0;  ///< s

/// Along a cycloid from one end of the excursion to the other.
struct InertiaAlongMotion {
  double duration = 0.0;
  std::vector<double> time, condition;
  std::vector<VecXd> D;
};

/// Per coordinate, the worst of many random postures.
struct Loads {
  int postures = 0;
  VecXd gravity;  ///< |g(q)|
  VecXd peak;     ///< with the bound of centrifugal and Coriolis torques by inertia power
  VecXd speed;    ///< of every joint for `peak`: its velocity limit, else 1 rad/s or m/s
};

struct AlgorithmTime {
  std::string quantity, algorithm;
  double microseconds = 0.0;
  bool is_default = false;
};

/// Arms of more joints are not reported on.
constexpr Index kMostReportedJoints = 100;

/// Of a chain without dynamics what needs no inertia, the rest is empty.
struct ReportData {
  ChainPtr chain;
  Excursion excursion;
  VecXd farthest;  ///< of random postures, the one with the tip farthest from the base
  MatXd M;         ///< at excursion.middle
  InertiaAlongMotion motion;
  Loads loads;
  Workspace workspace;
  std::vector<Vec3d> tips;  ///< of random postures
  std::vector<AlgorithmCount> general, customised;
  std::vector<AlgorithmTime> times;
};

/// `progress` is told the share that is done.
[[nodiscard]] ReportData gather_report(const ChainPtr& chain,
                                       const std::function<void(double)>& progress);

}  // namespace dyn::tool
