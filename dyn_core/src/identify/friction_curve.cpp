#include "friction_curve.hpp"

#include <cmath>

#include "dyn_core/identify/prepare.hpp"
#include "dyn_core/identify/regressor.hpp"

namespace dyn {
namespace {

// Mean over the half steps to the samples before and after, between which the rate goes along a line: what turns
// between two samples is not lost.
double mean_curve(double before, double rate, double after, double speed) {
  constexpr int kParts = 4;
  double sum = 0.0;
  for (const double other : {before, after}) {
    for (int i = 0; i < kParts; ++i) {
      const double v = rate + (other - rate) * (i + 0.5) / (2.0 * kParts);
      sum += friction_direction(v) * std::exp(-(v / speed) * (v / speed));
    }
  }
  return sum / (2.0 * kParts);
}

}  // namespace

VecXd friction_curve(const Samples& log, Index coordinate, double speed) {
  const auto qd = log.qd.col(coordinate);
  VecXd out(log.size());
  const std::vector<Index> ends = segments(log.t);
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const Index first = ends[i], last = ends[i + 1] - 1;
    const double rate = last > first ? 1.0 / (log.t[first + 1] - log.t[first]) : 0.0;
    const bool filtered = log.cutoff > 0.0 && log.cutoff < 0.4 * rate;
    for (Index k = first; k <= last; ++k) {
      const Index before = filtered && k > first ? k - 1 : k;
      const Index after = filtered && k < last ? k + 1 : k;
      out[k] = mean_curve(qd[before], qd[k], qd[after], speed);
    }
    if (filtered) {
      ZeroPhase(rate, log.cutoff)
          .filter({out.data() + first, static_cast<std::size_t>(last - first + 1)});
    }
  }
  return out;
}

}  // namespace dyn
