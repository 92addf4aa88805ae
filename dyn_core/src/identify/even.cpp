#include "identify/even.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace dyn {
namespace {

using Column = Log::Column;

constexpr double kMostPoints = 240e6;  // numbers in all columns of a grid

// The usual time between two samples: the mean of those near the median.
double usual_period(const Column& t) {
  Column steps(t.size() - 1);
  for (std::size_t k = 0; k < steps.size(); ++k) steps[k] = t[k + 1] - t[k];
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::ranges::nth_element(steps, middle);
  const double median = *middle;
  double sum = 0.0, count = 0.0;
  for (const double step : steps) {
    if (std::abs(step - median) > 0.5 * median) continue;
    sum += step;
    count += 1.0;
  }
  return sum / count;
}

template <class Keep>
std::size_t compress(Log& log, const Keep& keep) {
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < log.t.size(); ++k) {
    if (keep(k, kept)) kept.push_back(k);
  }
  const auto squeeze = [&](Column& column) {
    for (std::size_t k = 0; k < kept.size(); ++k) column[k] = column[kept[k]];
    column.resize(kept.size());
  };
  const std::size_t lost = log.t.size() - kept.size();
  if (lost == 0) return 0;
  squeeze(log.t);
  for (auto* columns : {&log.q, &log.qd, &log.tau}) std::ranges::for_each(*columns, squeeze);
  return lost;
}

// The cubic through the four samples around each point of the grid; the ends go on as they are.
void to_grid(const Column& t, Column& x, const Even& even, double shift) {
  Column out(even.points);
  for (const Piece& piece : even.pieces) {
    std::size_t i = piece.first;
    for (std::size_t k = 0; k < piece.points; ++k) {
      const double at = std::clamp(piece.start + static_cast<double>(k) / even.rate - shift,
                                   t[piece.first], t[piece.end - 1]);
      while (i + 2 < piece.end && t[i + 1] <= at) ++i;
      double& value = out[piece.begin + k];
      if (std::abs(at - t[i]) * even.rate < 1e-6) {
        value = x[i];
        continue;
      }
      const std::size_t count = std::min<std::size_t>(4, piece.end - piece.first);
      const std::size_t low = std::clamp(i, piece.first + 1, piece.end - count + 1) - 1;
      for (std::size_t a = low; a < low + count; ++a) {
        double weight = 1.0;
        for (std::size_t b = low; b < low + count; ++b) {
          if (b != a) weight *= (at - t[b]) / (t[a] - t[b]);
        }
        value += weight * x[a];
      }
    }
  }
  x = std::move(out);
}

// Of messages that arrived in a burst the times are not those of the motion.
void leave_out_bursts(Log& log, double period) {
  const Column& t = log.t;
  const std::size_t bursts = compress(log, [&](std::size_t k, const auto& kept) {
    return kept.empty() || t[k] - t[kept.back()] > 0.25 * period;
  });
  if (bursts == 0) return;
  log.notes.push_back(fmt::format(
      "{} samples within a quarter of the usual time after the one before were left out", bursts));
}

/// Samples that are the one before although the arm moves on: some drivers publish faster than they measure, others
/// hold the last state where one is lost.
class Repeats {
 public:
  explicit Repeats(const Log& log) : log_(log), repeated_(log.t.size(), false) {
    const std::size_t size = repeated_.size();
    double squares = 0.0, count = 0.0;
    for (std::size_t k = 1; k < size; ++k) {
      repeated_[k] = same(k - 1, k);
      if (repeated_[k]) continue;
      squares += step(k - 1, k);
      count += 1.0;
    }
    constexpr double kMoves = 2e-3;  // of the usual step
    const double least = kMoves * kMoves * squares / std::max(count, 1.0);
    for (std::size_t k = 1; k < size; ++k) {
      if (!repeated_[k]) continue;
      std::size_t end = k;
      while (end < size && repeated_[end]) ++end;
      if (!goes_on(k, end, least)) {
        std::fill_n(repeated_.begin() + static_cast<std::ptrdiff_t>(k), end - k, false);
      }
      k = end;
    }
  }
  [[nodiscard]] bool operator[](std::size_t k) const { return repeated_[k]; }
  /// The steps after them are as long as those before: nothing was lost.
  [[nodiscard]] bool published_too_often() const { return after_ < 1.5 * 1.5 * before_; }

 private:
  [[nodiscard]] bool same(std::size_t a, std::size_t b) const {
    for (const auto* columns : {&log_.q, &log_.qd, &log_.tau}) {
      for (const Column& column : *columns) {
        if (column[a] != column[b]) return false;
      }
    }
    return true;
  }
  // Squared step from sample a to b.
  [[nodiscard]] double step(std::size_t a, std::size_t b) const {
    double sum = 0.0;
    for (const Column& q : log_.q) sum += (q[b] - q[a]) * (q[b] - q[a]);
    return sum;
  }
  // Whether the joints move on after samples k to end - 1.
  bool goes_on(std::size_t k, std::size_t end, double least) {
    const double first = k > 1 ? step(k - 2, k - 1) : INFINITY;
    const double after = end < log_.t.size() ? step(k, end) : first;
    const double before = std::isfinite(first) ? first : after;
    if (!(std::min(before, after) > least) || !std::isfinite(before)) return false;
    before_ += before, after_ += after;
    return true;
  }

  const Log& log_;
  std::vector<bool> repeated_;
  double before_ = 0.0, after_ = 0.0;  // squared steps
};

/// The line through samples by their number.
struct Line {
  double mean = 0.0, slope = 0.0, middle;

  explicit Line(const Column& t) : middle(0.5 * (static_cast<double>(t.size()) - 1.0)) {
    const auto size = static_cast<double>(t.size());
    for (std::size_t k = 0; k < t.size(); ++k) {
      mean += t[k] / size;
      slope += 12.0 * (static_cast<double>(k) - middle) * t[k] / (size * (size * size - 1.0));
    }
  }
  [[nodiscard]] double operator()(std::size_t k) const {
    return mean + slope * (static_cast<double>(k) - middle);
  }
};

// What was published too often was measured evenly, if stamps are late by no more than a publisher's period.
void leave_out_repeats(Log& log) {
  const double period = usual_period(log.t);
  const Repeats repeats(log);
  const std::size_t lost = compress(log, [&](std::size_t k, const auto&) { return !repeats[k]; });
  if (lost == 0) return;
  log.notes.push_back(
      fmt::format("{} samples that repeat the one before while the arm moves were left out", lost));
  if (!repeats.published_too_often()) return;
  const Line even(log.t);
  double early = 0.0, late = 0.0;
  for (std::size_t k = 0; k < log.t.size(); ++k) {
    early = std::min(early, log.t[k] - even(k));
    late = std::max(late, log.t[k] - even(k));
  }
  constexpr double kHurried = 1.5;  // periods: the publisher's own are not all alike
  if (late - early > kHurried * period) return;
  log.notes.push_back(
      fmt::format("the others were measured at {:.5g} Hz and their stamps late by up to {:.3g} ms: "
                  "they are taken at even times",
                  1.0 / even.slope, 1e3 * (late - early)));
  for (std::size_t k = 0; k < log.t.size(); ++k) log.t[k] = even(k);
}

// Cuts the log where no sample came for longer than `gap`; false: a grid beyond what is allowed.
bool cut_at_gaps(Even& even, double period, double gap) {
  const Column& t = even.log.t;
  const auto columns = static_cast<double>(3 * even.log.q.size());
  double uneven = 0.0;
  std::size_t bridged = 0;
  for (std::size_t first = 0, k = 1; k <= t.size(); ++k) {
    const double step = k < t.size() ? t[k] - t[k - 1] : INFINITY;
    if (step <= gap) {
      bridged += step > 1.5 * period ? 1 : 0;
      uneven = std::max(uneven, std::abs(step - period));
      continue;
    }
    // A hair before the next point, so that rounding loses none.
    const double points = std::floor((t[k - 1] - t[first]) * even.rate + 1e-3) + 1.0;
    if ((static_cast<double>(even.points) + points) * columns > kMostPoints) return false;
    even.pieces.push_back({first, k, even.points, static_cast<std::size_t>(points), t[first]});
    even.points += even.pieces.back().points;
    first = k;
  }
  even.log.notes.push_back(fmt::format(
      "{} piece{} without gaps at {:.5g} Hz{}{}", even.pieces.size(),
      even.pieces.size() > 1 ? "s" : "", even.rate,
      uneven > 0.02 * period
          ? fmt::format(", stamps uneven by up to {:.3g} ms, interpolated", 1e3 * uneven)
          : "",
      bridged > 0 ? fmt::format(", {} short gaps bridged", bridged) : ""));
  return true;
}

}  // namespace

Result<Even> evened(Log log, const PrepareOptions& options) {
  Even even{.log = std::move(log), .pieces = {}, .rate = 0.0};
  leave_out_repeats(even.log);
  const double period = usual_period(even.log.t);
  leave_out_bursts(even.log, period);
  even.rate = options.rate > 0.0 ? options.rate : 1.0 / period;
  const double gap = options.longest_gap > 0.0 ? options.longest_gap : 4.5 * period;
  if (!cut_at_gaps(even, period, gap)) {
    return fail(
        fmt::format("a grid of {:.4g} Hz over {:.4g} s has more points than memory should hold; "
                    "lower the rate or shorten the bridged gaps",
                    even.rate, even.log.t.back()));
  }
  if (options.delay != 0.0) {
    even.log.notes.push_back(fmt::format("efforts are taken {:.4g} ms later", 1e3 * options.delay));
  }
  const Column& t = even.log.t;
  for (Column& column : even.log.q) to_grid(t, column, even, 0.0);
  for (Column& column : even.log.qd) to_grid(t, column, even, 0.0);
  for (Column& column : even.log.tau) to_grid(t, column, even, options.delay);
  even.log.t = {};
  return even;
}

}  // namespace dyn
