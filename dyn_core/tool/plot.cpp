#include "plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

namespace dyn::tool {
namespace {

// Distinguishable for colour-blind readers too (M. Okabe, K. Ito).
constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
constexpr const char* kInk = "#222";
constexpr const char* kGrey = "#666";
constexpr const char* kGrid = "#e3e3e3";
constexpr double kLeft = 64.0, kRight = 14.0, kTop = 28.0, kBottom = 40.0, kHeading = 52.0;
constexpr double kLegendLine = 16.0, kTicksUp = 6.0;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void take(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] bool empty() const { return low > high; }
};

/// The axis of one direction: values, in their logarithm if asked for, to pixels.
struct Axis {
  Range range;
  double from = 0.0, to = 1.0;  // px
  bool log = false;

  [[nodiscard]] double pixel(double value) const {
    const double v = log ? std::log10(value) : value;
    return from + (v - range.low) / (range.high - range.low) * (to - from);
  }
};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else {
      out += c;
    }
  }
  return out;
}

// The step of 1, 2 or 5 times a power of ten that divides the range into about `count` parts.
double tick_step(const Range& range, double count) {
  const double rough = (range.high - range.low) / count;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10.0 * power;
}

void make_nonempty(Range& range) {
  if (range.empty()) range = {0.0, 1.0};
  const double size = std::max({std::abs(range.low), std::abs(range.high), 1e-300});
  if (range.high - range.low > 1e-9 * size) return;
  const double margin = size > 1e-9 ? 0.5 * size : 1.0;
  range.low -= margin;
  range.high += margin;
}

Axis x_axis(const Chart& chart, double left, double width) {
  Axis axis{.range = {}, .from = left, .to = width - kRight};
  for (const Curve& curve : chart.curves) {
    for (const double x : curve.x) axis.range.take(x);
  }
  make_nonempty(axis.range);
  return axis;
}

// Ends at whole ticks unless the chart says where to end.
Axis y_axis(const Chart& chart, double height) {
  Axis axis{.range = {}, .from = height - kBottom, .to = kTop, .log = chart.log_y};
  if (chart.y_range) {
    axis.range = {chart.y_range->first, chart.y_range->second};
    if (chart.log_y) axis.range = {std::log10(axis.range.low), std::log10(axis.range.high)};
    return axis;
  }
  for (const Curve& curve : chart.curves) {
    for (const double y : curve.y) {
      if (!chart.log_y || y > 0.0) axis.range.take(chart.log_y ? std::log10(y) : y);
    }
  }
  make_nonempty(axis.range);
  const double step = chart.log_y ? 1.0 : tick_step(axis.range, 5.0);
  axis.range.low = std::floor(axis.range.low / step + 1e-9) * step;
  axis.range.high = std::ceil(axis.range.high / step - 1e-9) * step;
  return axis;
}

// The range with pixels to spare is widened on both sides.
void make_equal(Axis& x, Axis& y) {
  const auto unit = [](const Axis& axis) {
    return std::abs(axis.to - axis.from) / (axis.range.high - axis.range.low);
  };
  Axis& spare = unit(x) > unit(y) ? x : y;
  const double ratio = std::max(unit(x), unit(y)) / std::min(unit(x), unit(y));
  const double margin = 0.5 * (ratio - 1.0) * (spare.range.high - spare.range.low);
  spare.range.low -= margin;
  spare.range.high += margin;
}

std::vector<double> ticks(const Axis& axis, double count) {
  double step = tick_step(axis.range, count);
  if (axis.log) step = std::max(1.0, std::ceil(step));
  std::vector<double> values;
  const auto first = static_cast<long>(std::ceil(axis.range.low / step - 1e-9));
  const auto last = static_cast<long>(std::floor(axis.range.high / step + 1e-9));
  for (long k = first; k <= last; ++k) {
    const double value = static_cast<double>(k) * step;
    values.push_back(axis.log ? std::pow(10.0, value) : value);
  }
  return values;
}

std::string tick_text(double value, bool log) {
  if (!log) return fmt::format("{:.6g}", value);
  return fmt::format("10<tspan dy=\"-4\" font-size=\"8\">{}</tspan>",
                     std::lround(std::log10(value)));
}

// Long numbers must not run into the title of the axis.
double left_margin(const Axis& y) {
  if (y.log) return kLeft;
  double left = kLeft;
  for (const double tick : ticks(y, kTicksUp)) {
    left = std::max(left, 32.0 + 6.4 * static_cast<double>(tick_text(tick, false).size()));
  }
  return left;
}

/// Draws one chart at a place in the picture.
class Drawing {
 public:
  Drawing(const Chart& chart, double width, double height)
      : chart_(chart),
        height_(height),
        y_(y_axis(chart, height)),
        x_(x_axis(chart, left_margin(y_), width)) {
    if (chart.equal) make_equal(x_, y_);
  }

  std::string draw(const std::vector<std::string>& labels) {
    draw_frame();
    // An inner <svg> cuts off what lies outside of the axes.
    add("<svg x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.1f}\" viewBox=\"{0:.1f} "
        "{1:.1f} {2:.1f} {3:.1f}\">\n",
        x_.from, y_.to, x_.to - x_.from, y_.from - y_.to);
    for (const Curve& curve : chart_.curves) draw_curve(curve, labels);
    draw_mark();
    add("</svg>\n");
    return std::move(out_);
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
  }

  void draw_frame() {
    for (const double tick : ticks(x_, 5.0)) {
      const double at = x_.pixel(tick);
      add("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"/>\n",
          at, y_.from, y_.to, kGrid);
      add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", at, y_.from + 15.0,
          tick_text(tick, false));
    }
    for (const double tick : ticks(y_, kTicksUp)) {
      const double at = y_.pixel(tick);
      add("<line x1=\"{1:.1f}\" y1=\"{0:.1f}\" x2=\"{2:.1f}\" y2=\"{0:.1f}\" stroke=\"{3}\"/>\n",
          at, x_.from, x_.to, kGrid);
      add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", x_.from - 6.0,
          at + 4.0, tick_text(tick, chart_.log_y));
    }
    add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
        "stroke=\"{}\"/>\n",
        x_.from, y_.to, x_.to - x_.from, y_.from - y_.to, kGrey);
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" font-weight=\"600\" fill=\"{}\">{}</text>\n", x_.from,
        y_.to - 8.0, kInk, escaped(chart_.title));
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
        0.5 * (x_.from + x_.to), height_ - 8.0, escaped(chart_.x_label));
    add("<text transform=\"translate(14 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        0.5 * (y_.from + y_.to), escaped(chart_.y_label));
  }

  // Points within 1.5 px of the one before are passed over; far outside is near enough.
  void draw_curve(const Curve& curve, const std::vector<std::string>& labels) {
    const auto index = static_cast<std::size_t>(
        std::find(labels.begin(), labels.end(), curve.label) - labels.begin());
    std::string path;
    bool pen_down = false;
    double last_x = 0.0, last_y = 0.0;
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
      const bool drawable = std::isfinite(curve.y[i]) && (!chart_.log_y || curve.y[i] > 0.0);
      if (!drawable) {
        pen_down = false;
        continue;
      }
      const double x = x_.pixel(curve.x[i]);
      const double y = std::clamp(y_.pixel(curve.y[i]), -2.0 * height_, 3.0 * height_);
      const bool last = i + 1 == curve.x.size();
      if (pen_down && !last && std::hypot(x - last_x, y - last_y) < 1.5) continue;
      path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x, y);
      pen_down = true;
      last_x = x;
      last_y = y;
    }
    add("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" "
        "stroke-linejoin=\"round\"{}/>\n",
        path, kColours[index % kColours.size()], curve.dashed ? " stroke-dasharray=\"5 4\"" : "");
  }

  void draw_mark() {
    if (!chart_.mark) return;
    const double at = x_.pixel(*chart_.mark);
    const bool at_right = at > 0.5 * (x_.from + x_.to);
    add("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\" "
        "stroke-dasharray=\"2 3\"/>\n",
        at, y_.from, y_.to, kInk);
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
        at + (at_right ? -5.0 : 5.0), y_.from - 8.0, at_right ? "end" : "start",
        escaped(chart_.mark_label));
  }

  const Chart& chart_;
  double height_;
  Axis y_, x_;
  std::string out_;
};

struct LegendEntry {
  std::string label;
  bool dashed;
  double x = 0.0;
  int line = 0;
};

// The entries line by line, each as long as `width` allows.
void place(std::vector<LegendEntry>& entries, double width) {
  double x = kLeft;
  int line = 0;
  for (LegendEntry& entry : entries) {
    const double length = 52.0 + 6.2 * static_cast<double>(entry.label.size());
    if (x > kLeft && x + length > width) {
      x = kLeft;
      ++line;
    }
    entry.x = x;
    entry.line = line;
    x += length;
  }
}

std::vector<LegendEntry> legend_of(const Picture& picture) {
  std::vector<LegendEntry> entries;
  for (const Chart& chart : picture.charts) {
    for (const Curve& curve : chart.curves) {
      const bool known = std::any_of(entries.begin(), entries.end(), [&](const LegendEntry& entry) {
        return entry.label == curve.label;
      });
      if (!known) entries.push_back({.label = curve.label, .dashed = curve.dashed});
    }
  }
  return entries;
}

std::string draw_legend(const std::vector<LegendEntry>& entries) {
  std::string out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LegendEntry& entry = entries[i];
    const double y = 42.0 + kLegendLine * entry.line;
    out += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"2\"{}/>\n<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        entry.x, y, entry.x + 24.0, y, kColours[i % kColours.size()],
        entry.dashed ? " stroke-dasharray=\"5 4\"" : "", entry.x + 30.0, y + 4.0,
        escaped(entry.label));
  }
  return out;
}

}  // namespace

std::string to_svg(const Picture& picture) {
  std::vector<LegendEntry> legend = legend_of(picture);
  std::vector<std::string> labels(legend.size());
  std::transform(legend.begin(), legend.end(), labels.begin(),
                 [](const LegendEntry& entry) { return entry.label; });
  const int columns = std::max(1, picture.columns);
  const int count = static_cast<int>(picture.charts.size());
  const int rows = (count + columns - 1) / columns;
  const double width = columns * picture.chart_width;
  place(legend, width);
  const double heading =
      legend.size() > 1 ? kHeading + kLegendLine * legend.back().line : 0.6 * kHeading;
  const double height = heading + rows * picture.chart_height;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" "
      "font-size=\"11\" fill=\"{2}\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text x=\"{3:.0f}\" y=\"22\" font-size=\"14\" font-weight=\"600\" "
      "fill=\"{4}\">{5}</text>\n",
      width, height, kGrey, kLeft, kInk, escaped(picture.title));
  if (legend.size() > 1) out += draw_legend(legend);
  for (int i = 0; i < count; ++i) {
    const int row = i / columns, column = i % columns;
    out += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n", column * picture.chart_width,
                       heading + row * picture.chart_height);
    const Chart& chart = picture.charts[static_cast<std::size_t>(i)];
    out += Drawing(chart, picture.chart_width, picture.chart_height).draw(labels);
    out += "</g>\n";
  }
  return out + "</svg>\n";
}

}  // namespace dyn::tool
