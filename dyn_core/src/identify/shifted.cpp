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

std::optional<double> ShiftSearch::best(double independent) {
  constexpr int kShifts = 50;
  constexpr double kLeastCertain = 1e-2;  // s
  const double step = shifted_.reach() / (kShifts + 1);
  double nearest = 0.0, least = INFINITY;
  for (int i = -kShifts; i <= kShifts; ++i) {
    const double c = cost(i * step);
    if (c >= least) continue;
    least = c;
    nearest = i * step;
  }
  if (std::abs(nearest) > (kShifts - 0.5) * step) return {};
  const double shift = lowest_between(nearest - step, nearest + step);
  const double certainty = independent * information(shift);
  return certainty * kLeastCertain * kLeastCertain > 1.0 ? std::optional(shift) : std::nullopt;
}

double ShiftSearch::left(Index j, double delay) {
  shifted_.torque(j, delay, tau_);
  tau_ = tau_.cwiseProduct(joint(j).moving);
  const double all = tau_.squaredNorm();
  // No model is better than that: a joint that fits by chance must not outweigh the others.
  return std::max(all - (joint(j).all.transpose() * tau_).squaredNorm(), 1e-8 * all) + 1e-300;
}

double ShiftSearch::cost(double delay) {
  double sum = 0.0;
  for (Index j = from_; j < to_; ++j) sum += std::log(left(j, delay));
  return sum;
}

// By golden sections.
double ShiftSearch::lowest_between(double low, double high) {
  constexpr double kGolden = 0.6180339887498949;
  for (int i = 0; i < 20; ++i) {
    const double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    if (cost(a) < cost(b)) {
      high = b;
    } else {
      low = a;
    }
  }
  return 0.5 * (low + high);
}

// By how much torques that are not explained change with the shift, against what is left of them.
double ShiftSearch::information(double shift) {
  constexpr double kSmall = 1e-3;  // s
  double sum = 0.0;
  for (Index j = from_; j < to_; ++j) {
    const double noise = left(j, shift);
    shifted_.torque(j, shift + kSmall, later_);
    shifted_.torque(j, shift, tau_);
    const VecXd change =
        without(joint(j).all, ((later_ - tau_) / kSmall).cwiseProduct(joint(j).moving));
    sum += change.squaredNorm() / noise;
  }
  return sum;
}

}  // namespace dyn
