#include "sketch.hpp"

namespace dyn::tool {

Sketch::Sketch(std::string title, View view, std::string across, std::string up)
    : view_(std::move(view)),
      chart_{.title = std::move(title),
             .x_label = std::move(across),
             .y_label = std::move(up),
             .curves = {},
             .equal = true} {}

Sketch& Sketch::line(std::string label, const std::vector<Vec3d>& points, bool dashed) {
  Curve curve{.label = std::move(label), .x = {}, .y = {}, .dashed = dashed};
  for (const Vec3d& p : points) {
    curve.x.push_back(view_.across.dot(p));
    curve.y.push_back(view_.up.dot(p));
  }
  chart_.curves.push_back(std::move(curve));
  return *this;
}

Sketch& Sketch::arrow(std::string label, const Vec3d& foot, const Vec3d& vector) {
  const Vec3d tip = foot + vector;
  line(std::move(label), {foot, tip});
  Curve& curve = chart_.curves.back();
  const double dx = curve.x[1] - curve.x[0], dy = curve.y[1] - curve.y[0];
  const double x = curve.x[1], y = curve.y[1];
  for (const double side : {0.05, -0.05}) {  // one half of the head, back to the tip, the other
    curve.x.insert(curve.x.end(), {x - 0.15 * dx - side * dy, x});
    curve.y.insert(curve.y.end(), {y - 0.15 * dy + side * dx, y});
  }
  return *this;
}

}  // namespace dyn::tool
