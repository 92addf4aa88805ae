#include "shifted.hpp"

#include <algorithm>
#include <cmath>

#include "dyn_core/identify/prepare.hpp"

namespace dyn {

Shifted::Shifted(const Samples& samples) : samples_(samples) {
  const std::vector<Index> ends = segments(samples.t);
  double longest = 0.0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i)
    longest = std::max(longest, samples.t[ends[i + 1] - 1] - samples.t[ends[i]]);
  reach_ = std::min(0.1, 0.2 * longest);
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    for (Index k = ends[i]; k < ends[i + 1]; ++k) {
      const double t = samples.t[k];
      if (t - reach_ >= samples.t[ends[i]] && t + reach_ <= samples.t[ends[i + 1] - 1] &&
          ends[i + 1] - ends[i] >= 4) {
        rows_.push_back({k, ends[i], ends[i + 1]});
      }
    }
  }
}

VecXd Shifted::rows_of(const Eigen::Ref<const VecXd>& column) const {
  VecXd out(size());
  for (Index r = 0; r < size(); ++r) out[r] = column[rows_[static_cast<std::size_t>(r)].row];
  return out;
}

void Shifted::torque(Index j, double delay, VecXd& out) const {
  out.resize(size());
  const double* tau = samples_.tau.col(j).data();
  for (Index r = 0; r < size(); ++r) {
    const auto [row, first, end] = rows_[static_cast<std::size_t>(r)];
    const double back = delay / (samples_.t[first + 1] - samples_.t[first]);
    const auto whole = static_cast<Index>(std::floor(-back));
    const Index i = std::clamp<Index>(row + whole, first + 1, end - 3);
    const double x = static_cast<double>(row - i) - back;  // from sample i on, in samples
    out[r] = -x * (x - 1.0) * (x - 2.0) / 6.0 * tau[i - 1] +
             (x * x - 1.0) * (x - 2.0) / 2.0 * tau[i] -
             x * (x + 1.0) * (x - 2.0) / 2.0 * tau[i + 1] + x * (x * x - 1.0) / 6.0 * tau[i + 2];
  }
}

}  // namespace dyn
