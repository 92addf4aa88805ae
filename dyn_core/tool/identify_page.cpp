#include "identify_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "dyn_core/robot/kinematics.hpp"
#include "html.hpp"
#include "plot.hpp"
#include "report_pictures.hpp"

namespace dyn::tool {
namespace {

std::vector<double> column(const MatXd& signals, Index k, Index every) {
  std::vector<double> out;
  for (Index row = 0; row < signals.rows(); row += every) out.push_back(signals(row, k));
  return out;
}

std::string torque_charts(const IdentifyOutcome& outcome) {
  constexpr Index kMostPoints = 1500;
  const Samples& log = outcome.shown;
  const Index every = 1 + log.size() / kMostPoints;
  const std::vector<double> t = column(log.t, 0, every);
  Picture picture{.title = "", .charts = {}, .columns = 2};
  for (Index k = 0; k < outcome.measured.cols(); ++k) {
    Chart chart;
    const bool prismatic = outcome.described->coordinate_joint(k).is_prismatic();
    chart.title = outcome.described->coordinate_names()[static_cast<std::size_t>(k)];
    chart.x_label = "s", chart.y_label = effort_unit(prismatic);
    chart.curves = {{"measured", t, column(outcome.measured, k, every)},
                    {"robot description", t, column(outcome.before, k, every), true},
                    {"identified", t, column(outcome.after, k, every)}};
    picture.charts.push_back(std::move(chart));
  }
  return to_svg(picture);
}

// Over the speeds of the log: friction as identified.
std::string friction_charts(const IdentifyOutcome& outcome) {
  constexpr int kPoints = 201;
  Picture picture{
      .title = "", .charts = {}, .columns = 3, .chart_width = 280.0, .chart_height = 190.0};
  for (Index k = 0; k < outcome.measured.cols(); ++k) {
    const IdentifiedJoint& joint = outcome.found.joints[static_cast<std::size_t>(k)];
    const bool prismatic = outcome.described->coordinate_joint(k).is_prismatic();
    const double fastest = outcome.shown.qd.col(k).cwiseAbs().maxCoeff();
    Curve curve{"friction", {}, {}};
    for (int i = 0; i < kPoints; ++i) {
      const double rate = fastest * (2.0 * i / (kPoints - 1) - 1.0);
      const double share = rate / std::max(joint.stribeck_speed, 1e-9);
      const double dry = joint.coulomb.value + joint.stribeck.value * std::exp(-share * share);
      curve.x.push_back(rate);
      curve.y.push_back(joint.viscous.value * rate + dry * friction_direction(rate) +
                        joint.offset.value);
    }
    Chart chart;
    chart.title = outcome.described->coordinate_names()[static_cast<std::size_t>(k)];
    chart.x_label = prismatic ? "m/s" : "rad/s", chart.y_label = effort_unit(prismatic);
    chart.curves = {std::move(curve)};
    picture.charts.push_back(std::move(chart));
  }
  return to_svg(picture);
}

// A body as the solid ellipsoid of its mass and inertia, seen along one axis of the base: centre, and the 2 x 2 matrix of its
// outline.
struct Outline {
  Eigen::Vector2d centre;
  Eigen::Matrix2d square;
};

Outline outline(const RigidBody& body, const Pose<double>& pose, const std::array<Index, 2>& axes) {
  const Mat3d moments = 0.5 * body.inertia.trace() * Mat3d::Identity() - body.inertia;
  const Mat3d square = pose.R * (5.0 / body.mass * moments) * pose.R.transpose();
  const Vec3d centre = pose * body.com;
  Outline out;
  out.centre = centre(axes);
  out.square = square(axes, axes);
  return out;
}

std::string ellipse(const Outline& body, double scale, const Eigen::Vector2d& corner,
                    const char* style) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> axes(body.square);
  const Eigen::Vector2d size = scale * axes.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  const Eigen::Vector2d at = scale * (body.centre - corner);
  const double turn = std::atan2(axes.eigenvectors()(1, 1), axes.eigenvectors()(0, 1));
  return fmt::format(
      "<ellipse cx=\"0\" cy=\"0\" rx=\"{:.1f}\" ry=\"{:.1f}\" transform=\"translate({:.1f} "
      "{:.1f}) rotate({:.1f})\" {}/>\n",
      size[1], size[0], at.x(), -at.y(), -57.29578 * turn, style);
}

std::string body_view(const IdentifyOutcome& outcome, const std::array<Index, 2>& axes,
                      const char* title) {
  constexpr double kWidth = 420.0, kHeight = 400.0;
  Kinematics<double> kinematics(outcome.described);
  const VecXd q = outcome.shown.q.row(outcome.shown.size() / 2);
  (void)kinematics.update(q);
  std::vector<Outline> before, after;
  Eigen::Vector2d low(0.0, 0.0), high(0.0, 0.0);
  for (Index i = 0; i < outcome.described->joint_count(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Pose<double> pose = kinematics.dh_pose(i);
    const RigidBody& described = outcome.described->links()[at].body;
    if (described.mass > 0.0) before.push_back(outline(described, pose, axes));
    after.push_back(outline(outcome.found.links[at].body, pose, axes));
    const Eigen::Vector2d half = after.back().square.diagonal().cwiseMax(0.0).cwiseSqrt();
    low = low.cwiseMin(after.back().centre - half);
    high = high.cwiseMax(after.back().centre + half);
  }
  const Eigen::Vector2d size = high - low;
  const double scale = 0.94 * std::min(kWidth / size.x(), kHeight / size.y());
  const Eigen::Vector2d corner(0.5 * (low + high).x() - 0.5 * kWidth / scale,
                               0.5 * (low + high).y() + 0.5 * kHeight / scale);
  std::string svg = fmt::format(
      "<div><svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\">"
      "<title>{2}</title>\n<text x=\"6\" y=\"16\" font-size=\"13\" fill=\"#666\">{2}</text>\n",
      kWidth, kHeight, title);
  for (const Outline& body : after) {
    svg +=
        ellipse(body, scale, corner, "fill=\"#0072b2\" fill-opacity=\"0.25\" stroke=\"#0072b2\"");
  }
  for (const Outline& body : before) {
    svg +=
        ellipse(body, scale, corner, "fill=\"none\" stroke=\"#d55e00\" stroke-dasharray=\"4 3\"");
  }
  return svg + "</svg></div>\n";
}

std::string with_deviation(const Estimate& estimate) {
  const bool nil = std::abs(estimate.value) < 1e-6 * estimate.deviation;
  return human(nil ? 0.0 : estimate.value) + " ± " + human(estimate.deviation);
}

std::string joint_table(const IdentifyOutcome& outcome) {
  const VecXd measured = rms_of(outcome.measured);
  const VecXd before = rms_of(outcome.measured - outcome.before);
  const VecXd after = rms_of(outcome.measured - outcome.after);
  HtmlTable table({"Joint", ">Measured, rms", ">Error before", ">after", ">Viscous", ">Coulomb",
                   ">Offset", ">Drive inertia", ">Gain"});
  for (std::size_t j = 0; j < outcome.found.joints.size(); ++j) {
    const IdentifiedJoint& joint = outcome.found.joints[j];
    const auto k = static_cast<Index>(j);
    table.row({html_escaped(outcome.described->coordinate_names()[j]), human(measured[k]),
               percent(before[k], measured[k]), "<b>" + percent(after[k], measured[k]) + "</b>",
               with_deviation(joint.viscous), with_deviation(joint.coulomb),
               with_deviation(joint.offset), with_deviation(joint.armature),
               joint.gain.deviation > 0.0 ? with_deviation(joint.gain) : human(joint.gain.value)});
  }
  return table.html();
}

std::string centre_cell(const RigidBody& body) {
  const Vec3d mm = 1e3 * body.com;
  return fmt::format("({:.1f}, {:.1f}, {:.1f})", mm.x(), mm.y(), mm.z());
}

std::string link_table(const IdentifyOutcome& outcome) {
  HtmlTable table({"Link", ">Mass before, kg", ">after", "Centre before, mm", "after",
                   ">Ixx, kg m²", ">Iyy", ">Izz", ""});
  const Chain& chain = *outcome.described;
  for (Index i = 0; i < chain.joint_count(); ++i) {
    const Link& link = chain.links()[static_cast<std::size_t>(i)];
    const IdentifiedBody& found = outcome.found.links[static_cast<std::size_t>(i)];
    const RigidBody body = in_link_frame(chain, i, found.body);
    table.row({html_escaped(link.name), human(link.body.mass),
               with_deviation({body.mass, found.mass_deviation}),
               centre_cell(in_link_frame(chain, i, link.body)), centre_cell(body),
               human(body.inertia(0, 0)), human(body.inertia(1, 1)), human(body.inertia(2, 2)),
               found.guessed ? "prior guessed" : ""});
  }
  if (outcome.found.payload) {
    const IdentifiedBody& found = *outcome.found.payload;
    table.row({"<b>payload</b>", "–", with_deviation({found.body.mass, found.mass_deviation}), "–",
               centre_cell(found.body), human(found.body.inertia(0, 0)),
               human(found.body.inertia(1, 1)), human(found.body.inertia(2, 2)), ""});
  }
  return table.html();
}

std::string base_table(const Identified& found) {
  HtmlTable table({"Base parameter", ">Robot description", ">Identified", ""});
  for (const IdentifiedCombination& base : found.base) {
    const bool told = std::ranges::count(found.untold, base.name) == 0;
    table.row({"<span class=\"wrap\">" + html_escaped(base.name) + "</span>",
               with_deviation(base.before), with_deviation(base.after),
               told ? "" : "the motion does not tell"});
  }
  return table.html();
}

std::string section(const char* title, const std::string& text, const std::string& body) {
  return fmt::format(
      "<section>\n<h2>{}</h2>\n<p>{}</p>\n<div class=\"wide\">{}</div>\n</section>\n", title, text,
      body);
}

}  // namespace

RigidBody in_link_frame(const Chain& chain, Index link, const RigidBody& body) {
  return body.expressed_in(chain.links()[static_cast<std::size_t>(link)].urdf_frame.inverse());
}

VecXd rms_of(const MatXd& signals) {
  return (signals.colwise().squaredNorm() / static_cast<double>(std::max<Index>(signals.rows(), 1)))
      .cwiseSqrt();
}

std::string identify_page(const IdentifyOutcome& outcome) {
  const Identified& found = outcome.found;
  const std::string name = html_escaped(outcome.described->name());
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}: "
      "identified</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}, identified</h1>\n<p "
      "class=\"facts\">{2} → {3} · the motion tells {4} of {5} parameters' combinations apart, "
      "condition {6}</p>\n<ul>\n",
      name, page_style(), html_escaped(outcome.described->base()),
      html_escaped(outcome.described->tip()), found.rank, found.parameters.size(),
      human(found.condition));
  for (const std::string& note : outcome.notes) out += "<li>" + html_escaped(note) + "</li>\n";
  out += "</ul>\n";
  const char* shown = outcome.held_out ? "On samples that the fit of these curves has not seen."
                                       : "On the samples that were identified from.";
  out += section("Torque", shown, torque_charts(outcome));
  out += section("Joints",
                 std::string("Error: root mean square of measured minus model by that of measured, "
                             "on the samples above. ± one standard deviation. ") +
                     kBeyondTheModel,
                 joint_table(outcome));
  out += section("Friction", "As identified, over the speeds of the motion.",
                 friction_charts(outcome));
  out +=
      section("Bodies",
              "Each as the solid ellipsoid with its mass, centre and inertia, in a posture of the "
              "motion: identified (blue), robot description (orange, dashed).",
              "<div class=\"pair\">" + body_view(outcome, {0, 2}, "x, z") +
                  body_view(outcome, {1, 2}, "y, z") + "</div>");
  out += section(
      "Links",
      "In the frames of the robot description's links; fixed parts that ride along are "
      "part of the link. What one body's mass is the motion hardly ever tells: the base parameters "
      "below are what it tells.",
      link_table(outcome));
  out += section("Base parameters",
                 "m, mx … (m c), Ixx … are about the link frames of docs/notation.md.",
                 base_table(found));
  return out + "<footer>Made with dyn " DYN_VERSION " identify</footer>\n</body>\n</html>\n";
}

}  // namespace dyn::tool
