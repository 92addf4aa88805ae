#include "report_pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "common.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "html.hpp"

namespace dyn::tool {
namespace {

struct View {
  const char* title;
  Index across, up;  // axes of the base link frame
};

constexpr std::array kViews = {View{"from the side", 0, 2}, View{"from the front", 1, 2},
                               View{"from above", 0, 1}};
constexpr std::array kAxes = {"x", "y", "z"};
constexpr double kPanel = 230.0, kGap = 16.0, kPanelLeft = 44.0, kPanelTop = 22.0,
                 kPanelBottom = 36.0;

struct Box {
  Vec3d low = Vec3d::Constant(1e300), high = Vec3d::Constant(-1e300);

  void take(const Vec3d& point) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  [[nodiscard]] double size() const { return (high - low).maxCoeff(); }
};

/// One view of a cube of space, all views at the same scale.
class Panel {
 public:
  Panel(const View& view, const Box& box)
      : view_(view),
        centre_(0.5 * (box.low + box.high)),
        half_(std::max(0.54 * box.size(), 1e-3)) {}

  [[nodiscard]] double x(const Vec3d& point) const {
    return kPanelLeft +
           kPanel * (0.5 + 0.5 * (point[view_.across] - centre_[view_.across]) / half_);
  }
  [[nodiscard]] double y(const Vec3d& point) const {
    return kPanelTop + kPanel * (0.5 - 0.5 * (point[view_.up] - centre_[view_.up]) / half_);
  }

  [[nodiscard]] std::string frame() const {
    std::string out = fmt::format(
        "<text x=\"{:.1f}\" y=\"14\" font-weight=\"600\" fill=\"#222\">{}</text>\n"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{} (m)</text>\n"
        "<text x=\"{:.1f}\" y=\"14\" text-anchor=\"end\">↑ {}</text>\n",
        kPanelLeft, view_.title, kPanelLeft + 0.5 * kPanel, kPanelTop + kPanel + 30.0,
        kAxes.at(view_.across), kPanelLeft + kPanel, kAxes.at(view_.up));
    const double step = grid_step();
    for (const Index axis : {view_.across, view_.up}) {
      const double low = centre_[axis] - half_, high = centre_[axis] + half_;
      for (double k = std::ceil(low / step); k * step <= high; k += 1.0) {
        out += grid_line(axis, k * step);
      }
    }
    return out + fmt::format(
                     "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                     "fill=\"none\" stroke=\"#999\"/>\n",
                     kPanelLeft, kPanelTop, kPanel, kPanel);
  }

 private:
  [[nodiscard]] double grid_step() const {
    const double rough = 2.0 * half_ / 5.0;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= rough) return factor * power;
    }
    return 10.0 * power;
  }

  [[nodiscard]] std::string grid_line(Index axis, double value) const {
    const Vec3d point = Vec3d::Constant(value);
    const char* colour = std::abs(value) < 1e-9 ? "#bbb" : "#eee";
    const std::string text = human(std::abs(value) < 1e-9 ? 0.0 : value);
    if (axis == view_.across) {
      const double at = x(point);
      return fmt::format(
          "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"/>"
          "<text x=\"{0:.1f}\" y=\"{4:.1f}\" text-anchor=\"middle\">{5}</text>\n",
          at, kPanelTop, kPanelTop + kPanel, colour, kPanelTop + kPanel + 14.0, text);
    }
    const double at = y(point);
    return fmt::format(
        "<line x1=\"{1:.1f}\" y1=\"{0:.1f}\" x2=\"{2:.1f}\" y2=\"{0:.1f}\" stroke=\"{3}\"/>"
        "<text x=\"{4:.1f}\" y=\"{5:.1f}\" text-anchor=\"end\">{6}</text>\n",
        at, kPanelLeft, kPanelLeft + kPanel, colour, kPanelLeft - 5.0, at + 4.0, text);
  }

  const View& view_;
  Vec3d centre_;
  double half_;
};

std::string svg_element(double width, double height, const std::string& content) {
  return fmt::format(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"11\" fill=\"#555\">\n{2}</svg>\n",
      width, height, content);
}

// Draws all views that are more than a line, each a picture: they stand beside or below one another.
std::string views(const Box& box, const std::function<std::string(const Panel&)>& draw) {
  const Vec3d extent = box.high - box.low;
  const double flat = 0.02 * box.size();
  std::string out;
  const auto add = [&](const View& view) {
    const Panel panel(view, box);
    out += svg_element(kPanelLeft + kPanel + kGap, kPanelTop + kPanel + kPanelBottom,
                       panel.frame() + draw(panel));
  };
  for (const View& view : kViews) {
    if (extent[view.across] > flat && extent[view.up] > flat) add(view);
  }
  if (out.empty()) add(extent[2] > flat ? kViews[0] : kViews[2]);
  return "<div class=\"views\">\n" + out + "</div>\n";
}

struct Figure {
  const char* label;
  const char* colour;
  std::vector<Vec3d> points;  // base, joints, tip
};

Figure figure_of(const ChainPtr& chain, const VecXd& q, const char* label, const char* colour) {
  Kinematics<double> kinematics(chain);
  require(kinematics.update(q), "link frames");
  Figure figure{label, colour, {Vec3d::Zero()}};
  for (Index i = 0; i < chain->joint_count(); ++i) {
    figure.points.push_back(kinematics.link_pose(i).p);
  }
  figure.points.push_back(kinematics.tip_pose().p);
  return figure;
}

std::string draw_figure(const Panel& panel, const Figure& figure, const Chain& chain) {
  std::string line;
  for (const Vec3d& point : figure.points) {
    line += fmt::format("{:.1f},{:.1f} ", panel.x(point), panel.y(point));
  }
  std::string out = fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"3\" "
      "stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n",
      line, figure.colour);
  for (std::size_t i = 1; i + 1 < figure.points.size(); ++i) {
    const double x = panel.x(figure.points[i]), y = panel.y(figure.points[i]);
    if (chain.joints()[i - 1].is_prismatic()) {
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"8\" height=\"8\" fill=\"#fff\" "
          "stroke=\"{}\" stroke-width=\"1.6\"/>",
          x - 4.0, y - 4.0, figure.colour);
    } else {
      out += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.6\" fill=\"#fff\" "
          "stroke=\"{}\" stroke-width=\"1.6\"/>",
          x, y, figure.colour);
    }
  }
  const Vec3d& tip = figure.points.back();
  out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", panel.x(tip),
                     panel.y(tip), figure.colour);
  const double x = panel.x(Vec3d::Zero()), y = panel.y(Vec3d::Zero());
  return out + fmt::format(
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"5\" "
                   "fill=\"#222\"/>\n",
                   x - 7.0, y);
}

// A square matrix as coloured cells; `share` is 0 (white) to 1. Large ones have colours only.
class CellMap {
 public:
  CellMap(Index n, std::function<double(Index, Index)> share,
          std::function<bool(Index, Index)> warm, std::function<std::string(Index, Index)> text)
      : n_(n),
        has_text_(n <= kMostNumbers),
        cell_(n <= 7      ? 42.0
              : has_text_ ? 40.0
                          : std::max(6.0, 480.0 / static_cast<double>(n))),
        share_(std::move(share)),
        warm_(std::move(warm)),
        text_(std::move(text)) {}

  [[nodiscard]] std::string draw() const {
    const Index each = cell_ < 14.0 ? 5 : 1;  // label
    std::string out;
    for (Index i = 0; i < n_; ++i) {
      if ((i + 1) % each == 0 || i == 0) out += label(i);
      for (Index j = 0; j < n_; ++j) out += element(i, j);
    }
    const double size = kEdge + cell_ * static_cast<double>(n_) + 4.0;
    return "<div class=\"matrix\">" + svg_element(size, size, out) + "</div>\n";
  }

 private:
  static constexpr Index kMostNumbers = 24;
  static constexpr double kEdge = 26.0;

  [[nodiscard]] std::string label(Index i) const {
    const double along = kEdge + (static_cast<double>(i) + 0.5) * cell_;
    return fmt::format(
        "<text x=\"{0:.1f}\" y=\"16\" text-anchor=\"middle\">{1}</text>"
        "<text x=\"20\" y=\"{2:.1f}\" text-anchor=\"end\">{1}</text>\n",
        along, i + 1, along + 4.0);
  }

  [[nodiscard]] std::string element(Index i, Index j) const {
    const double strength = std::clamp(share_(i, j), 0.0, 1.0);
    if (!has_text_ && strength < 0.02) return {};
    const double x = kEdge + static_cast<double>(j) * cell_,
                 y = kEdge + static_cast<double>(i) * cell_;
    std::string out = fmt::format(
        "<rect x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{2:.1f}\" fill=\"{3}\" "
        "fill-opacity=\"{4:.2f}\"{5}/>",
        x, y, cell_, warm_(i, j) ? "#d55e00" : "#0072b2", 0.04 + 0.9 * strength,
        has_text_ ? " stroke=\"#fff\"" : "");
    if (!has_text_) return out;
    const std::string value = text_(i, j);
    const double fitting = 1.6 * cell_ / static_cast<double>(letters(value));
    return out + fmt::format(
                     "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
                     "font-size=\"{:.1f}\" fill=\"{}\">{}</text>\n",
                     x + 0.5 * cell_, y + 0.5 * cell_ + 3.5, std::min(11.0, fitting),
                     strength > 0.55 ? "#fff" : "#222", value);
  }

  Index n_;
  bool has_text_;
  double cell_;  // px
  std::function<double(Index, Index)> share_;
  std::function<bool(Index, Index)> warm_;
  std::function<std::string(Index, Index)> text_;
};

}  // namespace

std::string stick_figures(const ReportData& data) {
  const std::vector<Figure> figures = {
      figure_of(data.chain, data.farthest, "far", "#c4c4c4"),
      figure_of(data.chain, data.excursion.from, "start", "#0072b2"),
      figure_of(data.chain, data.excursion.to, "end", "#d55e00"),
      figure_of(data.chain, data.excursion.middle, "middle", "#222222")};
  Box box;
  for (const Figure& figure : figures) {
    for (const Vec3d& point : figure.points) box.take(point);
  }
  std::string out = "<p class=\"legend\">";
  for (const auto& [figure, text] :
       {std::pair{&figures[1], "start of the motion"}, std::pair{&figures[3], "middle"},
        std::pair{&figures[2], "end of the motion"}, std::pair{&figures[0], "stretched far out"}}) {
    out += fmt::format("<span><i style=\"background:{}\"></i>{}</span>", figure->colour, text);
  }
  return out + "<span>○ turning joint</span><span>□ sliding joint</span><span>● tip</span></p>\n" +
         views(box, [&](const Panel& panel) {
           std::string drawing;
           for (const Figure& figure : figures) {
             drawing += draw_figure(panel, figure, *data.chain);
           }
           return drawing;
         });
}

std::string workspace_clouds(const ReportData& data) {
  Box box;
  box.take(Vec3d::Zero());
  for (const Vec3d& tip : data.tips) box.take(tip);
  return views(box, [&](const Panel& panel) {
    std::string path;
    for (const Vec3d& tip : data.tips) {
      path += fmt::format("M{:.0f} {:.0f}h0", panel.x(tip), panel.y(tip));
    }
    return fmt::format(
        "<path d=\"{}\" stroke=\"#0072b2\" stroke-width=\"1.8\" "
        "stroke-linecap=\"round\" stroke-opacity=\"0.35\" fill=\"none\"/>\n"
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"5\" fill=\"#222\"/>\n",
        path, panel.x(Vec3d::Zero()) - 7.0, panel.y(Vec3d::Zero()));
  });
}

std::string inertia_map(const MatXd& M) {
  const double largest = M.cwiseAbs().maxCoeff();
  const auto value = [&](Index i, Index j) {
    return std::abs(M(i, j)) < 5e-4 * largest && i != j ? 0.0 : M(i, j);
  };
  return CellMap(
             M.rows(), [&](Index i, Index j) { return std::sqrt(std::abs(value(i, j)) / largest); },
             [&](Index i, Index j) { return value(i, j) < 0.0; },
             [&](Index i, Index j) { return human(value(i, j)); })
      .draw();
}

std::string coupling_map(const MatXd& M) {
  const auto share = [&](Index i, Index j) {
    return std::abs(M(i, j)) / std::sqrt(M(i, i) * M(j, j));
  };
  return CellMap(
             M.rows(), [&](Index i, Index j) { return i == j ? 0.0 : share(i, j); },
             [](Index, Index) { return false; },
             [&](Index i, Index j) {
               return i == j ? std::string("–") : fmt::format("{:.0f}", 100.0 * share(i, j));
             })
      .draw();
}

std::string bar(double share, const char* colour, bool mark) {
  constexpr double kFull = 110.0, kWidth = 150.0;
  const bool cut = share * kFull > kWidth - 8.0;
  const double length = cut ? kWidth - 8.0 : share * kFull;
  std::string out = fmt::format(
      "<rect x=\"0\" y=\"2\" width=\"{:.1f}\" height=\"10\" fill=\"{}\"/>", length, colour);
  if (cut) {
    out += fmt::format("<path d=\"M{:.1f} 2l7 5l-7 5z\" fill=\"{}\"/>", length, colour);
  }
  if (mark) {
    out += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"0\" x2=\"{0:.1f}\" y2=\"14\" stroke=\"#222\" "
        "stroke-dasharray=\"2 2\"/>",
        kFull);
  }
  return svg_element(kWidth, 14.0, out);
}

std::string embedded(std::string svg) {
  const std::size_t begin = svg.find(" xmlns=\"");
  if (begin != std::string::npos) svg.erase(begin, svg.find('"', begin + 8) + 1 - begin);
  return svg;
}

}  // namespace dyn::tool
