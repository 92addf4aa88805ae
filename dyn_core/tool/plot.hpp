// Line charts as SVG: light, printable, without references to anything outside.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dyn::tool {

struct Curve {
  std::string label;  ///< curves of one label share a colour and one entry in the legend
  std::vector<double> x, y;
  bool dashed = false;
};

struct Chart {
  std::string title, x_label, y_label;
  std::vector<Curve> curves;
  bool log_y = false;  ///< values that are not above 0 are left out
  std::optional<std::pair<double, double>> y_range = {};  ///< what lies outside is cut off
  std::optional<double> mark = {};                        ///< a vertical line at this x
  std::string mark_label = {};
  bool equal = false;  ///< a unit is as long across as up
};

struct Picture {
  std::string title;
  std::vector<Chart> charts;
  int columns = 1;
  double chart_width = 420.0, chart_height = 240.0;  ///< px
};

/// One <svg> element; it may stand alone in a file or inside an HTML page.
[[nodiscard]] std::string to_svg(const Picture& picture);

}  // namespace dyn::tool
