// From logs to samples: an even grid, one zero-phase filter for all signals, derivatives.
#pragma once

#include <span>

#include "dyn_core/identify/log.hpp"
#include "dyn_core/identify/samples.hpp"

namespace dyn {

struct PrepareOptions {
  double cutoff = 0.0;  ///< of the low-pass, Hz; 0: as the motion needs it
  double rate = 0.0;    ///< of the grid that is filtered, Hz; 0: the log's own
  Index decimation =
      0;  ///< every so many points of the grid become a sample; 0: as the cutoff allows
  double longest_gap = 0.0;  ///< bridged by interpolation, s; 0: three lost samples
  double edge =
      -1.0;  ///< cut off both ends of each segment, s; negative: one and a half periods of the cutoff
  double delay = 0.0;  ///< a torque logged at t acted at t + delay, s
};

struct Prepared {
  Samples samples;
  double rate = 0.0;               ///< of the samples of the first log, Hz
  std::vector<std::string> notes;  ///< what was done, a sentence each
};

/// Each log is brought to an even grid between its gaps, filtered, differentiated, cut and thinned out;
/// between logs t has a gap. Logs are freed on the way.
DYN_CORE_EXPORT [[nodiscard]] Result<Prepared> prepare(std::vector<Log> logs, const Chain& chain,
                                                       const PrepareOptions& options = {});

/// First rows of the evenly spaced pieces of t, and the number of rows at the end.
DYN_CORE_EXPORT [[nodiscard]] std::vector<Index> segments(const VecXd& t);

/// Butterworth low-pass of fourth order, run forwards and backwards: no delay, power halved at the cutoff.
class DYN_CORE_EXPORT ZeroPhase {
 public:
  /// `cutoff` below half of `rate`, Hz.
  ZeroPhase(double rate, double cutoff);
  /// In place. Beyond its ends the signal goes on as its own reflection about the end point.
  void filter(std::span<double> signal) const;

 private:
  struct Section {
    double b0, b1, b2, a1, a2;
  };
  void run(std::vector<double>& signal) const;

  Section sections_[2];
  std::size_t settling_;  // samples until the answer to a step has ended
};

}  // namespace dyn
