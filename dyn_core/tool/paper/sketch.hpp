// Line drawings of an arm and of the vectors on it, for the papers' figures of arms.
#pragma once

#include <string>
#include <vector>

#include "dyn_core/math/types.hpp"
#include "plot.hpp"

namespace dyn::tool {

/// What of a point goes across the drawing and what goes up.
struct View {
  Vec3d across = Vec3d::UnitX(), up = Vec3d::UnitY();
};
/// From above and from one side.
[[nodiscard]] inline View oblique_view() { return {{1.0, -0.5, 0.0}, {-0.4, -0.4, 1.0}}; }

class Sketch {
 public:
  explicit Sketch(std::string title, View view = {}, std::string across = "x, m",
                  std::string up = "y, m");
  Sketch& line(std::string label, const std::vector<Vec3d>& points, bool dashed = false);
  /// From its foot along `vector`, with a head.
  Sketch& arrow(std::string label, const Vec3d& foot, const Vec3d& vector);
  [[nodiscard]] Chart take() { return std::move(chart_); }

 private:
  View view_;
  Chart chart_;
};

}  // namespace dyn::tool
