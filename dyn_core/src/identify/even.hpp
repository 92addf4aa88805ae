// A log on an even grid.
#pragma once

#include <span>

#include "dyn_core/identify/prepare.hpp"

namespace dyn {

/// A stretch of a log without gaps, and its points on the grid.
struct Piece {
  std::size_t first, end;     // of the log's samples
  std::size_t begin, points;  // of the grid's
  double start;               // s
};

struct Even {
  Log log;  ///< columns over the grid; t is empty
  std::vector<Piece> pieces;
  double rate = 0.0;       ///< Hz
  std::size_t points = 0;  ///< of all pieces

  template <class Column>
  [[nodiscard]] static auto of(Column& column, const Piece& piece) {
    return std::span(column).subspan(piece.begin, piece.points);
  }
};

[[nodiscard]] Result<Even> evened(Log log, const PrepareOptions& options);

/// So many times the frequency below which the motion has nearly all of its power that nothing of it is
/// lost, Hz.
[[nodiscard]] double needed_cutoff(const Even& even);

}  // namespace dyn
