#include "dyn_core/identify/prepare.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "identify/even.hpp"

namespace dyn {
namespace {

using Column = Log::Column;

constexpr double kStandstill = 1e-3;    // rad or m: a motion that stays within says nothing
constexpr std::size_t kStencil = 3;     // points to either side that a derivative takes
constexpr std::size_t kFewestRows = 4;  // rows of a piece

// Central differences of sixth order; the ends stay as they are.
void differentiate(std::span<const double> x, double rate, std::span<double> out) {
  for (std::size_t k = kStencil; k + kStencil < x.size(); ++k) {
    out[k] = rate / 60.0 *
             (45.0 * (x[k + 1] - x[k - 1]) - 9.0 * (x[k + 2] - x[k - 2]) + x[k + 3] - x[k - 3]);
  }
}

void differentiate_twice(std::span<const double> x, double rate, std::span<double> out) {
  for (std::size_t k = kStencil; k + kStencil < x.size(); ++k) {
    out[k] = rate * rate / 180.0 *
             (2.0 * (x[k + 3] + x[k - 3]) - 27.0 * (x[k + 2] + x[k - 2]) +
              270.0 * (x[k + 1] + x[k - 1]) - 490.0 * x[k]);
  }
}

// Standard deviation of white noise, from what no smooth motion has: third differences.
double noise_of(std::span<const double> x) {
  double sum = 0.0;
  for (std::size_t k = 3; k < x.size(); ++k) {
    const double d = x[k] - x[k - 3] - 3.0 * (x[k - 1] - x[k - 2]);
    sum += d * d;
  }
  return std::sqrt(sum / (20.0 * std::max(1.0, static_cast<double>(x.size()) - 3.0)));
}

/// How measured velocities v go with the rates r of the positions and the accelerations a.
struct Agreement {
  double count = 0.0, vv = 0.0, rr = 0.0, aa = 0.0, vr = 0.0, va = 0.0;

  void add(double v, double r, double a) {
    count += 1.0;
    vv += v * v;
    rr += r * r;
    aa += a * a;
    vr += v * r;
    va += (v - r) * a;
  }
  [[nodiscard]] double correlation() const { return vr / std::sqrt(std::max(vv * rr, 1e-300)); }
  /// Mean square of how v is off by its scale and by its lag.
  [[nodiscard]] double error() const {
    const double off = vr - rr;
    return (off * off / std::max(rr, 1e-300) + va * va / std::max(aa, 1e-300)) /
           std::max(count, 1.0);
  }
};

/// How a log is cut and thinned out.
struct Thinning {
  std::size_t edge, every;  // points of the grid

  Thinning(const Even& even, double cutoff, const PrepareOptions& options) {
    const double seconds =
        (options.edge < 0.0 ? 1.5 / cutoff : options.edge) + std::abs(options.delay);
    edge = std::max(kStencil, static_cast<std::size_t>(std::ceil(seconds * even.rate)));
    const double thinning = options.decimation > 0 ? static_cast<double>(options.decimation)
                                                   : std::floor(even.rate / (10.0 * cutoff));
    every = std::max<std::size_t>(1, static_cast<std::size_t>(thinning));
  }
  [[nodiscard]] std::size_t shortest() const { return 2 * edge + (kFewestRows - 1) * every + 1; }
  [[nodiscard]] std::size_t rows(const Piece& piece) const {
    return piece.points < shortest() ? 0 : (piece.points - 2 * edge - 1) / every + 1;
  }
  [[nodiscard]] Index rows(const Even& even) const {
    std::size_t sum = 0;
    for (const Piece& piece : even.pieces) sum += rows(piece);
    return static_cast<Index>(sum);
  }
  /// `take(row, piece, point)` for each row, from `row` on.
  template <class Take>
  void each(const Even& even, Index row, const Take& take) const {
    for (const Piece& piece : even.pieces) {
      for (std::size_t k = 0; k < rows(piece); ++k) take(row++, piece, edge + k * every);
    }
  }
};

/// Filters and differentiates a log, joint by joint, and frees what it has used.
class Smoother {
 public:
  Smoother(Even& even, double cutoff, const Thinning& thinning)
      : even_(even),
        cutoff_(cutoff),
        filter_(even.rate, cutoff),
        thinning_(thinning),
        rate_(even.points),
        acceleration_(even.points) {}

  /// Rows from `row` on.
  void joint(Index j, Index row, Samples& samples) {
    Log& log = even_.log;
    const auto i = static_cast<std::size_t>(j);
    const double noise = noise_of(log.q[i]);
    smooth(log.q[i]);
    differentiate_pieces(log.q[i]);
    put(log.q[i], row, samples.q.col(j));
    measure_range(samples.q.col(j).segment(row, thinning_.rows(even_)));
    if (!log.qd.empty()) measured_velocity(log.qd[i], noise);
    put(rate_, row, samples.qd.col(j));
    put(acceleration_, row, samples.qdd.col(j));
    smooth(log.tau[i]);
    put(log.tau[i], row, samples.tau.col(j));
    log.q[i] = log.tau[i] = {};
    if (!log.qd.empty()) log.qd[i] = {};
  }

  int measured = 0, moving = 0, contradicted = 0;  ///< joints

 private:
  void smooth(Column& column) {
    for (const Piece& piece : even_.pieces) filter_.filter(even_.of(column, piece));
  }
  void differentiate_pieces(const Column& q) {
    for (const Piece& piece : even_.pieces) {
      differentiate(even_.of(q, piece), even_.rate, even_.of(rate_, piece));
      differentiate_twice(even_.of(q, piece), even_.rate, even_.of(acceleration_, piece));
    }
  }
  void put(const Column& column, Index first, auto&& to) const {
    thinning_.each(even_, first, [&](Index row, const Piece& piece, std::size_t point) {
      to[row] = column[piece.begin + point];
    });
  }
  void measure_range(const auto& q) {
    moving_ = q.maxCoeff() - q.minCoeff() > kStandstill;
    moving += moving_ ? 1 : 0;
  }

  // Takes the measured velocities instead of the positions' rates where they are less wrong, by their scale, lag and
  // noise against the noise of the positions, differentiated; white noise both, of which the filter leaves a share.
  void measured_velocity(Column& v, double noise_of_q) {
    const double noise = noise_of(v),
                 noise_of_rate = 0.77 * 2.0 * std::numbers::pi * cutoff_ * noise_of_q;
    smooth(v);
    Agreement agreement;
    thinning_.each(even_, 0, [&](Index, const Piece& piece, std::size_t point) {
      const std::size_t k = piece.begin + point;
      agreement.add(v[k], rate_[k], acceleration_[k]);
    });
    if (!moving_) return;
    contradicted += agreement.correlation() < 0.5 ? 1 : 0;
    const double share = 2.0 * cutoff_ / even_.rate;
    if (agreement.error() + share * noise * noise > share * noise_of_rate * noise_of_rate) return;
    ++measured;
    rate_.swap(v);
    for (const Piece& piece : even_.pieces) {
      differentiate(even_.of(rate_, piece), even_.rate, even_.of(acceleration_, piece));
    }
  }

  Even& even_;
  double cutoff_;
  ZeroPhase filter_;
  const Thinning& thinning_;
  Column rate_, acceleration_;
  bool moving_ = false;
};

std::string options_objection(const PrepareOptions& o, const std::vector<Log>& logs,
                              const Chain& chain) {
  const auto usable = [](double x) { return std::isfinite(x); };
  if (!usable(o.cutoff) || !usable(o.rate) || !usable(o.edge) || !usable(o.longest_gap) ||
      !usable(o.delay)) {
    return "the options of the preparation are not all finite; leave out those that are not known";
  }
  for (const Log& log : logs) {
    const auto wrong = [&](const std::vector<Column>& columns) {
      return static_cast<Index>(columns.size()) != chain.dof() ||
             std::ranges::any_of(columns,
                                 [&](const Column& c) { return c.size() != log.t.size(); });
    };
    if (log.t.size() < 2 || wrong(log.q) || wrong(log.tau) || (!log.qd.empty() && wrong(log.qd))) {
      return fmt::format(
          "a log has not the {} coordinates of the chain in columns of one length; read it with "
          "read_log",
          chain.dof());
    }
  }
  return logs.empty() ? "there is no log; give one or more" : "";
}

// All logs on their grids, and the one low-pass for all.
Result<std::vector<Even>> all_even(std::vector<Log> logs, const PrepareOptions& options,
                                   double& cutoff) {
  std::vector<Even> out;
  for (Log& log : logs) {
    Result<Even> even = evened(std::move(log), options);
    if (!even) return tl::unexpected(even.error());
    cutoff = std::max(cutoff, options.cutoff > 0.0 ? std::min(options.cutoff, 0.4 * even->rate)
                                                   : needed_cutoff(*even));
    out.push_back(std::move(*even));
  }
  for (const Even& even : out) cutoff = std::min(cutoff, 0.4 * even.rate);
  return out;
}

/// What was seen of the joints of all logs.
struct Seen {
  int moving = 0, contradicted = 0;
};

// Appends the rows of a log from `row` on.
void append(Even& even, const Thinning& thinning, Index row, Prepared& out, Seen& seen) {
  Samples& samples = out.samples;
  const double step = static_cast<double>(thinning.every) / even.rate;
  // Further from the log before than any of its own steps.
  const double start = row == 0 ? 0.0 : samples.t[row - 1] + 1.0 + 10.0 * step;
  thinning.each(even, row, [&](Index r, const Piece& piece, std::size_t point) {
    samples.t[r] = start + piece.start + static_cast<double>(point) / even.rate;
  });
  Smoother smoother(even, out.samples.cutoff, thinning);
  const Index n = samples.q.cols();
  for (Index j = 0; j < n; ++j) smoother.joint(j, row, samples);
  if (row == 0) out.rate = 1.0 / step;
  seen.moving += smoother.moving;
  seen.contradicted += smoother.contradicted;
  out.notes.insert(out.notes.end(), even.log.notes.begin(), even.log.notes.end());
  out.notes.push_back(
      fmt::format("velocities of {} of {} joints are the measured ones, the others and all "
                  "accelerations are derivatives of the positions",
                  smoother.measured, n));
  out.notes.push_back(fmt::format(
      "{:.3g} s cut off both ends of each piece, every {} point kept: {} samples at {:.4g} Hz",
      static_cast<double>(thinning.edge) / even.rate, thinning.every, thinning.rows(even),
      1.0 / step));
}

std::string samples_objection(const Samples& samples, const Seen& seen) {
  if (seen.moving == 0) {
    return fmt::format(
        "no joint moves by more than {:g} rad or m in the log; record a motion, "
        "such as that of dyn excite",
        kStandstill);
  }
  if (2 * seen.contradicted > seen.moving) {
    return "the velocities of the log are not the rates of its positions; are its columns or its "
           "joints mixed up?";
  }
  for (const MatXd* signal : {&samples.q, &samples.qdd, &samples.tau}) {
    if (!signal->allFinite())
      return "the log's numbers grow beyond all bounds; see what has written them";
  }
  return {};
}

}  // namespace

std::vector<Index> segments(const VecXd& t) {
  std::vector<Index> out = {0};
  for (Index k = 1; k < t.size(); ++k) {
    const Index first = out.back();
    if (k == first + 1) continue;
    const double step = t[first + 1] - t[first];
    if (std::abs(t[k] - t[k - 1] - step) > 0.01 * step) out.push_back(k);
  }
  if (t.size() > 0) out.push_back(t.size());
  return out;
}

Result<Prepared> prepare(std::vector<Log> logs, const Chain& chain, const PrepareOptions& options) {
  std::string wrong = options_objection(options, logs, chain);
  if (!wrong.empty()) return fail(std::move(wrong));
  Prepared out;
  Result<std::vector<Even>> evens = all_even(std::move(logs), options, out.samples.cutoff);
  if (!evens) return tl::unexpected(evens.error());
  std::vector<Thinning> thinnings;
  Index rows = 0;
  for (const Even& even : *evens) {
    thinnings.emplace_back(even, out.samples.cutoff, options);
    rows += thinnings.back().rows(even);
  }
  if (rows == 0) {
    const double needed = static_cast<double>(thinnings.front().shortest()) / evens->front().rate;
    return fail(
        fmt::format("no stretch of the log without gaps lasts {:.3g} s, which a low-pass of {:.3g} "
                    "Hz needs; record a longer motion, or raise the cutoff",
                    needed, out.samples.cutoff));
  }
  out.samples.t.resize(rows);
  for (MatXd* signal : {&out.samples.q, &out.samples.qd, &out.samples.qdd, &out.samples.tau})
    signal->resize(rows, chain.dof());
  Seen seen;
  for (Index row = 0; Even & even : *evens) {
    const Thinning& thinning = thinnings[static_cast<std::size_t>(&even - evens->data())];
    append(even, thinning, row, out, seen);
    row += thinning.rows(even);
  }
  out.notes.push_back(
      fmt::format("low-pass of {:.3g} Hz, Butterworth of fourth order forwards and backwards, on "
                  "positions, velocities and efforts alike",
                  out.samples.cutoff));
  wrong = samples_objection(out.samples, seen);
  if (!wrong.empty()) return fail(std::move(wrong));
  return out;
}

}  // namespace dyn
