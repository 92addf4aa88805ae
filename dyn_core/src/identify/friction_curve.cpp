#include "friction_curve.hpp"

#include <cmath>

#include "dyn_core/identify/prepare.hpp"
#include "dyn_core/identify/regressor.hpp"

namespace dyn {
namespace {

/// One evenly spaced piece of a log.
struct EvenPiece {
  const Samples& log;
  Index first, rows;

  [[nodiscard]] double rate() const {
    return rows > 1 ? 1.0 / (log.t[first + 1] - log.t[first]) : 0.0;
  }
  [[nodiscard]] bool filtered() const { return log.cutoff > 0.0 && log.cutoff < 0.4 * rate(); }
};

std::vector<EvenPiece> pieces_of(const Samples& log) {
  const std::vector<Index> ends = segments(log.t);
  std::vector<EvenPiece> out;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    out.push_back({log, ends[i], ends[i + 1] - ends[i]});
  }
  return out;
}

double curve(double rate, double speed) {
  const double share = rate / speed;
  return friction_direction(rate) * std::exp(-share * share);
}

// Between rows the speed goes along the cubic that has their speeds and accelerations: on a grid so fine that
// nothing is lost of what turns between them.
void filter_curve(const EvenPiece& piece, Index coordinate, double speed,
                  VecXd::SegmentReturnType out) {
  constexpr double kPointsPerCutoff = 40.0;
  const double rate = piece.rate();
  const auto parts =
      static_cast<Index>(std::ceil(kPointsPerCutoff * piece.log.cutoff / rate - 1e-6));
  const auto v = piece.log.qd.col(coordinate).segment(piece.first, piece.rows);
  const auto a = piece.log.qdd.col(coordinate).segment(piece.first, piece.rows);
  VecXd fine((piece.rows - 1) * parts + 1);
  for (Index k = 0; k + 1 < piece.rows; ++k) {
    for (Index i = 0; i < parts; ++i) {
      const double s = static_cast<double>(i) / static_cast<double>(parts), r = 1.0 - s;
      fine[k * parts + i] =
          curve(r * r * (1.0 + 2.0 * s) * v[k] + s * s * (3.0 - 2.0 * s) * v[k + 1] +
                    s * r * (r * a[k] - s * a[k + 1]) / rate,
                speed);
    }
  }
  fine[fine.size() - 1] = curve(v[piece.rows - 1], speed);
  ZeroPhase(rate * static_cast<double>(parts), piece.log.cutoff)
      .filter({fine.data(), static_cast<std::size_t>(fine.size())});
  for (Index k = 0; k < piece.rows; ++k) out[k] = fine[k * parts];
}

}  // namespace

VecXd friction_curve(const Samples& log, Index coordinate, double speed) {
  VecXd out(log.size());
  for (const EvenPiece& piece : pieces_of(log)) {
    if (piece.filtered()) {
      filter_curve(piece, coordinate, speed, out.segment(piece.first, piece.rows));
      continue;
    }
    for (Index k = piece.first; k < piece.first + piece.rows; ++k) {
      out[k] = curve(log.qd(k, coordinate), speed);
    }
  }
  return out;
}

VecXd settled(const Samples& log) {
  VecXd out = VecXd::Ones(log.size());
  for (const EvenPiece& piece : pieces_of(log)) {
    if (!piece.filtered()) continue;
    const Index lead =
        std::min(static_cast<Index>(std::ceil(piece.rate() / log.cutoff)), piece.rows / 4);
    out.segment(piece.first, lead).setZero();
    out.segment(piece.first + piece.rows - lead, lead).setZero();
  }
  return out;
}

}  // namespace dyn
