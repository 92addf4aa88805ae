// Shifted: torques of a log moved in time against the motion.
#pragma once

#include <optional>
#include <vector>

#include "dyn_core/identify/samples.hpp"

namespace dyn {

/// The samples that stay when torques are shifted by up to `reach`, and torques so shifted.
class Shifted {
 public:
  explicit Shifted(const Samples& samples);

  [[nodiscard]] double reach() const { return reach_; }
  [[nodiscard]] Index size() const { return static_cast<Index>(rows_.size()); }
  [[nodiscard]] VecXd rows_of(const Eigen::Ref<const VecXd>& column) const;
  /// The torques logged `delay` before, by the cubic through four samples.
  void torque(Index j, double delay, VecXd& out) const;

 private:
  struct Row {
    Index row, first, end;
  };
  const Samples& samples_;
  std::vector<Row> rows_;
  double reach_ = 0.0;
};

/// What may explain the torques of a joint, over the rows that a Shifted keeps.
struct Explanation {
  VecXd moving;  ///< 1 where the joint moves, 0 where it may stick
  MatXd all;     ///< orthonormal, of everything that may explain the torque where it moves
};

/// What of y is not in the span of the orthonormal Q.
[[nodiscard]] inline VecXd without(const MatXd& Q, const VecXd& y) {
  return y - Q * (Q.transpose() * y);
}

/// The shift of the efforts of joints `from` to `to` that leaves the least unexplained.
class ShiftSearch {
 public:
  ShiftSearch(const Shifted& shifted, const std::vector<const Explanation*>& joints, Index from,
              Index to)
      : shifted_(shifted), joints_(joints), from_(from), to_(to) {}

  /// None where the motion does not tell; so large a share of the samples is independent.
  [[nodiscard]] std::optional<double> best(double independent);

 private:
  [[nodiscard]] const Explanation& joint(Index j) const {
    return *joints_[static_cast<std::size_t>(j)];
  }
  double left(Index j, double delay);
  double cost(double delay);
  double lowest_between(double low, double high);
  double information(double shift);

  const Shifted& shifted_;
  const std::vector<const Explanation*>& joints_;
  Index from_, to_;
  VecXd tau_, later_;
};

}  // namespace dyn
