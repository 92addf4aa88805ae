// Shifted: torques of a log moved in time against the motion.
#pragma once

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

}  // namespace dyn
