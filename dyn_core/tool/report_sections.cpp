// The sections about the arm itself: what it is, how it moves, what it carries.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "dyn_core/robot/dh.hpp"
#include "html.hpp"
#include "plot.hpp"
#include "report.hpp"
#include "report_pictures.hpp"

namespace dyn::tool {
namespace {

// Joint name with the number it has in matrices and charts.
std::string numbered(const Chain& chain, Index coordinate) {
  return fmt::format("{}&ensp;{}", coordinate + 1,
                     html_escaped(chain.coordinate_joint(coordinate).name));
}

std::string effort(double value, bool prismatic) {
  return human(value) + " " + effort_unit(prismatic);
}

std::string limit_text(double value, const std::string& text) {
  return std::isfinite(value) ? text : "–";
}

bool has_effort_limit(const Chain& chain, Index k) {
  const double limit = chain.coordinate_joint(k).limits.effort;
  return std::isfinite(limit) && limit > 0.0;
}

// The coordinate whose torque takes the largest share of its effort limit, and that share; -1 without limits.
std::pair<Index, double> heaviest_joint(const Chain& chain, const VecXd& torque) {
  std::pair<Index, double> heaviest{-1, 0.0};
  for (Index k = 0; k < chain.dof(); ++k) {
    if (!has_effort_limit(chain, k)) continue;
    const double share = torque[k] / chain.coordinate_joint(k).limits.effort;
    if (share >= heaviest.second) heaviest = {k, share};
  }
  return heaviest;
}

std::string percent(double share) {
  constexpr double kMost = 1e7;
  return (share > kMost ? "more than " : "") +
         human_count(std::llround(100.0 * std::min(share, kMost))) + " %";
}

// "45 % of a drive’s effort limit (joint a, 4.5 N m of 10 N m)"
std::string share_of_limit(const Chain& chain, const VecXd& torque) {
  const auto [k, share] = heaviest_joint(chain, torque);
  const Joint& joint = chain.coordinate_joint(k);
  return fmt::format("{} of a drive’s effort limit (joint {}, {} of {})", percent(share),
                     html_escaped(joint.name), effort(torque[k], joint.is_prismatic()),
                     effort(joint.limits.effort, joint.is_prismatic()));
}

std::string gravity_sentence(const ReportData& data) {
  const auto [k, share] = heaviest_joint(*data.chain, data.loads.gravity);
  if (k < 0) {
    return "The robot description gives no effort limits, so torques are not judged against any.";
  }
  if (share < 1e-9) return "Gravity loads none of the joints.";
  return "Holding still takes at most " + share_of_limit(*data.chain, data.loads.gravity) +
         (share > 1.0 ? ": <b>the arm cannot hold every posture</b>." : ".");
}

// Nothing where there are no limits.
std::string speed_sentence(const ReportData& data) {
  const auto [k, share] = heaviest_joint(*data.chain, data.loads.peak);
  if (k < 0) return {};
  return "<li>With all joints at full speed, gravity, centrifugal and Coriolis forces ask for up "
         "to " +
         share_of_limit(*data.chain, data.loads.peak) +
         (share > 1.0 ? ": <b>the joints may not all be able to go this fast at once</b>.</li>\n"
                      : ".</li>\n");
}

std::string workspace_text(const Workspace& workspace) {
  const char* unit = workspace.is_area ? "m²" : "m³";
  if (workspace.error == 0.0) return fmt::format("{} {}", human(workspace.size), unit);
  const int digits = std::max(0, 1 - static_cast<int>(std::floor(std::log10(workspace.error))));
  return fmt::format("{:.{}f} ± {:.{}f} {}", workspace.size, digits, workspace.error, digits, unit);
}

std::string dh_angle(double angle) { return human_position(angle, false); }

std::string dh_variable(double offset, bool prismatic, Index number) {
  std::string text = fmt::format("q<sub>{}</sub>", number + 1);
  if (offset == 0.0) return text;
  return text + (offset < 0.0 ? " − " : " + ") + human_position(std::abs(offset), prismatic);
}

std::string joint_table(const Chain& chain) {
  HtmlTable table({"Joint", "Type", ">From", ">To", ">Fastest", ">Strongest", ">Damping",
                   ">Friction", "Moves"});
  for (Index i = 0; i < chain.joint_count(); ++i) {
    const Joint& joint = chain.joint(i);
    const bool slides = joint.is_prismatic();
    const JointLimits& limits = joint.limits;
    std::string type = to_string(joint.type);
    if (chain.coordinate_joint(joint.coordinate).name != joint.name) {
      type += " = " + human(joint.multiplier) + " × " +
              html_escaped(chain.coordinate_joint(joint.coordinate).name);
    }
    table.row({fmt::format("{}&ensp;{}", joint.coordinate + 1, html_escaped(joint.name)), type,
               limit_text(limits.lower, human_position(limits.lower, slides)),
               limit_text(limits.upper, human_position(limits.upper, slides)),
               limit_text(limits.velocity, human_position(limits.velocity, slides) + "/s"),
               limit_text(limits.effort, effort(limits.effort, slides)),
               human(joint.damping) + (slides ? " N s/m" : " N m s"),
               effort(joint.friction, slides),
               html_escaped(chain.links()[static_cast<std::size_t>(i)].name)});
  }
  return table.html();
}

bool has_beta(const Chain& chain) {
  return std::any_of(chain.dh().begin(), chain.dh().end(),
                     [](const DhRow& row) { return row.beta != 0.0; });
}

std::string pose_text(const Posed& pose) {
  const Vec3d turn = roll_pitch_yaw(pose.R);
  return fmt::format("({}, {}, {}) with roll {}, pitch {}, yaw {}",
                     human_position(pose.p.x(), true), human_position(pose.p.y(), true),
                     human_position(pose.p.z(), true), dh_angle(turn.x()), dh_angle(turn.y()),
                     dh_angle(turn.z()));
}

std::string dh_table(const Chain& chain) {
  const DhArm arm = dh_arm(chain, DhConvention::kModified);
  const bool hayati = has_beta(chain);
  std::vector<std::string> headings = {"Joint", ">a", ">α"};
  if (hayati) headings.emplace_back(">β");
  headings.insert(headings.end(), {">d", ">θ"});
  HtmlTable table(headings);
  for (Index i = 0; i < chain.joint_count(); ++i) {
    const DhRow& row = arm.rows[static_cast<std::size_t>(i)];
    const Joint& joint = chain.joint(i);
    std::vector<std::string> cells = {html_escaped(joint.name), human_position(row.a, true),
                                      dh_angle(row.alpha)};
    if (hayati) cells.push_back(dh_angle(row.beta));
    const bool slides = joint.is_prismatic();
    cells.push_back(slides ? dh_variable(row.d, true, joint.coordinate)
                           : human_position(row.d, true));
    cells.push_back(slides ? dh_angle(row.theta) : dh_variable(row.theta, false, joint.coordinate));
    table.row(cells);
  }
  return table.html() +
         fmt::format("<p>The first row starts from {} in {}; {} is at {} after the last.</p>\n",
                     pose_text(arm.base_pose), html_escaped(chain.base()),
                     html_escaped(chain.tip()), pose_text(arm.tip_pose));
}

// Once for wide screens and paper, once for narrow screens.
std::string charts(Picture picture) {
  picture.chart_width = 780.0;
  std::string out = "<div class=\"broad\">" + embedded(to_svg(picture)) + "</div>\n";
  picture.chart_width = 370.0;
  return out + "<div class=\"narrow\">" + embedded(to_svg(picture)) + "</div>\n";
}

// A torque, its share of the limit in percent where there is one, and a bar.
void add_load(std::vector<std::string>& cells, double value, const Joint& joint, double largest) {
  const double limit = joint.limits.effort;
  const bool limited = std::isfinite(limit) && limit > 0.0;
  if (value < 1e-9 * largest) value = 0.0;
  const double share = limited ? value / limit : value / std::max(largest, 1e-300);
  const char* colour = !limited ? "#999" : share > 1.0 ? "#d55e00" : "#0072b2";
  cells.push_back(effort(value, joint.is_prismatic()));
  cells.push_back(limited ? percent(share) : "");
  cells.push_back(bar(share, colour, limited));
}

}  // namespace

std::string summary_section(const ReportData& data) {
  const Chain& chain = *data.chain;
  std::string out = "<section>\n<h2>In short</h2>\n<ul>\n";
  out += fmt::format("<li>{} moving joint{}{}, {} kg in all, of which {} kg move.</li>\n",
                     chain.joint_count(), chain.joint_count() == 1 ? "" : "s",
                     chain.is_planar() ? " in one plane" : "", human(chain.total_mass()),
                     human(chain.total_mass() - chain.base_body().mass));
  out += chain.has_dynamics()
             ? "<li>" + gravity_sentence(data) + "</li>\n" + speed_sentence(data)
             : "<li>No dynamics: " + html_escaped(chain.objection_to_dynamics()) + ".</li>\n";
  out += fmt::format("<li>The tip reaches {} {}.</li>\n",
                     data.workspace.is_area ? "an area of" : "a volume of",
                     workspace_text(data.workspace));
  if (chain.has_dynamics()) {
    const auto [least, most] = std::ranges::minmax(data.motion.condition);
    out += fmt::format(
        "<li>The inertia matrix has a condition number from {} to {} along the motion "
        "shown.</li>\n",
        human(least), human(most));
  }
  const std::size_t warnings = chain.warnings().size();
  out += warnings == 0 ? std::string("<li>The inertial data gave no cause for warnings.</li>\n")
                       : fmt::format(
                             "<li><a href=\"#warnings\">{} warning{}</a> about the robot "
                             "description, in the last section.</li>\n",
                             warnings, warnings == 1 ? "" : "s");
  return out + "</ul>\n</section>\n";
}

std::string arm_section(const ReportData& data) {
  return "<section>\n<h2>The arm</h2>\n<p>Lines join the frames of consecutive links as the robot "
         "description places them; black block: base. Every view has the same scale.</p>\n" +
         stick_figures(data) + "</section>\n";
}

std::string geometry_section(const ReportData& data) {
  const char* hayati = has_beta(*data.chain) ? "turn by β about y, " : "";
  return "<section>\n<h2>Joints</h2>\n<p>Limits as given in the robot description; – where it "
         "gives none. The numbers stand for the joints in the matrices and charts below.</p>\n" +
         joint_table(*data.chain) +
         fmt::format(
             "</section>\n<section>\n<h2>Denavit–Hartenberg table</h2>\n<p>Modified (Craig) "
             "convention: turn by α about x, shift by a along x, {}turn by θ about z, shift "
             "by d along z. q is the position of the joint.</p>\n",
             hayati) +
         dh_table(*data.chain) + "</section>\n";
}

std::string inertia_section(const ReportData& data) {
  return "<section>\n<h2>Inertia</h2>\n<p>The joint-space inertia matrix M in the middle posture. "
         "First: its elements in kg m² (turning joints), kg (sliding joints) and kg m (mixed), "
         "orange where negative. Then: how strongly two joints disturb one another, "
         "|M<sub>ij</sub>| / √(M<sub>ii</sub> M<sub>jj</sub>) in percent; 0 means not at "
         "all.</p>\n<div class=\"pair\">\n" +
         inertia_map(data.M) + coupling_map(data.M) + "</div>\n</section>\n";
}

std::string motion_section(const ReportData& data) {
  const InertiaAlongMotion& motion = data.motion;
  Picture inertia{.title = "", .charts = {}, .columns = 1};
  Chart chart{.title = "Effective inertia D of every joint",
              .x_label = "time (s)",
              .y_label = "kg m² (kg)",
              .curves = {},
              .log_y = true};
  for (Index k = 0; k < data.chain->dof(); ++k) {
    Curve curve{.label = fmt::format("{}{}", data.chain->dof() > 7 ? "" : "joint ", k + 1),
                .x = motion.time,
                .y = {},
                .dashed = k > 5};
    for (const VecXd& D : motion.D) curve.y.push_back(D[k]);
    chart.curves.push_back(std::move(curve));
  }
  inertia.charts.push_back(std::move(chart));
  Picture condition{.title = "", .charts = {}, .columns = 1, .chart_height = 200.0};
  condition.charts.push_back(
      {.title = "Condition number of M",
       .x_label = "time (s)",
       .y_label = "ratio of eigenvalues",
       .curves = {{.label = "condition", .x = motion.time, .y = motion.condition}}});
  return fmt::format(
             "<section>\n<h2>Inertia along a motion</h2>\n<p>From the start to the end of the "
             "motion "
             "drawn above in {} s (cycloid). D is the diagonal of M = U D Uᵀ: the inertia "
             "that a joint’s drive feels while the joints beyond it (towards the tip) move "
             "freely. It never exceeds the inertia with those joints locked. A large condition "
             "number means that some directions of motion are far easier to accelerate than "
             "others.</p>\n",
             human(motion.duration)) +
         charts(std::move(inertia)) + charts(std::move(condition)) + "</section>\n";
}

std::string loads_section(const ReportData& data) {
  const Chain& chain = *data.chain;
  HtmlTable table(
      {"Joint", ">Limit", ">Gravity", ">", "", ">Speed", ">Gravity and speed", ">", ""});
  const double largest = data.loads.peak.maxCoeff();
  for (Index k = 0; k < chain.dof(); ++k) {
    const Joint& joint = chain.coordinate_joint(k);
    const bool slides = joint.is_prismatic();
    std::vector<std::string> cells = {
        numbered(chain, k), has_effort_limit(chain, k) ? effort(joint.limits.effort, slides) : "–"};
    add_load(cells, data.loads.gravity[k], joint, largest);
    cells.push_back(human_position(data.loads.speed[k], slides) + "/s");
    add_load(cells, data.loads.peak[k], joint, largest);
    table.row(cells);
  }
  return "<section>\n<h2>Torques against effort limits</h2>\n<p>Gravity: the largest torque that "
         "holding still takes in any of " +
         std::to_string(data.loads.postures) +
         " random postures. Gravity and speed: an upper bound, "
         "by inertia power, of what gravity and centrifugal and Coriolis forces ask for when all "
         "joints move at the speed given, their velocity limit where there is one, each in the "
         "worse direction; acceleration comes on top. The dashed mark is the effort limit; "
         "orange bars exceed it; grey bars have no limit and show the size only.</p>\n" +
         table.html() + "</section>\n";
}

std::string workspace_section(const ReportData& data) {
  const Workspace& workspace = data.workspace;
  std::string how = "counted on a grid filled by random postures";
  if (!workspace.formula.empty()) {
    how = "by the closed formula " + html_escaped(workspace.formula);
  }
  return fmt::format(
             "<section>\n<h2>Workspace</h2>\n<p>The tip, {}, reaches <b>{}</b> ({}). The dots are "
             "its positions in {} random postures within the joint limits; joints without limits "
             "turn once around.</p>\n",
             html_escaped(data.chain->tip()), workspace_text(workspace), how, data.tips.size()) +
         workspace_clouds(data) + "</section>\n";
}

std::string warnings_section(const ReportData& data) {
  std::string out = "<section id=\"warnings\">\n<h2>Warnings</h2>\n";
  if (data.chain->warnings().empty()) {
    return out +
           "<p>None: every mass is positive and every inertia belongs to a body that can "
           "exist.</p>\n</section>\n";
  }
  out +=
      "<p>Worth a look in the robot description, because dynamics are only as good as these "
      "numbers:</p>\n<ul>\n";
  for (const std::string& warning : data.chain->warnings()) {
    out += "<li>" + html_escaped(warning) + "</li>\n";
  }
  return out + "</ul>\n</section>\n";
}

}  // namespace dyn::tool
