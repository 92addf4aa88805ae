// dyn info: the chain in a robot description.
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "common.hpp"
#include "dyn_core/robot/dh.hpp"
#include "dyn_core/study/effort_need.hpp"
#include "output.hpp"

namespace dyn::tool {
namespace {

struct InfoOptions {
  RobotOptions robot;
  DhConvention dh = DhConvention::kModified;
  bool json = false;
  std::string output;
};

/// What `dyn info` shows.
struct Info {
  const Chain& chain;
  DhConvention convention;
  DhArm dh;
  VecXd gravity_peak;    // of each coordinate; empty where the chain is too long for matrices
  std::string weakness;  // of joints that cannot hold their own weight
};

Info info_of(const ChainPtr& chain, DhConvention convention) {
  Info info{*chain, convention, dh_arm(*chain, convention), {}, {}};
  if (auto solver = Solver::make(chain)) {
    info.gravity_peak = gravity_torque_peak(*solver);
    info.weakness = weakness(*chain, info.gravity_peak, effort_limits(*chain));
  }
  return info;
}

const char* name_of(DhConvention convention) {
  return convention == DhConvention::kClassic ? "classic" : "modified";
}

std::vector<double> six(const Mat3d& I) {
  return {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
}

Json body_json(const std::string& name, const RigidBody& body) {
  return {{"name", name},
          {"mass", body.mass},
          {"com", {body.com.x(), body.com.y(), body.com.z()}},
          {"inertia", six(body.inertia)}};
}

Json joint_json(const Chain& chain, const Joint& joint) {
  Json out = {{"name", joint.name},
              {"type", to_string(joint.type)},
              {"lower", finite_or_null(joint.limits.lower)},
              {"upper", finite_or_null(joint.limits.upper)},
              {"effort", finite_or_null(joint.limits.effort)},
              {"velocity", finite_or_null(joint.limits.velocity)},
              {"damping", joint.damping},
              {"friction", joint.friction},
              {"armature", joint.armature}};
  const Joint& master = chain.coordinate_joint(joint.coordinate);
  if (master.name != joint.name) {
    out["mimic"] = {
        {"joint", master.name}, {"multiplier", joint.multiplier}, {"offset", joint.offset}};
  }
  return out;
}

Json dh_json(const Info& info) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < info.dh.rows.size(); ++i) {
    const DhRow& row = info.dh.rows[i];
    rows.push_back({{"a", row.a},
                    {"alpha", row.alpha},
                    {"beta", row.beta},
                    {"d", row.d},
                    {"theta", row.theta},
                    {"joint", info.chain.joints()[i].name}});
  }
  return rows;
}

Json ends_json(const Chain& chain) {
  Json ends = Json::array();
  for (const ChainEnd& end : chain.ends()) {
    ends.push_back({{"link", end.link}, {"joints", end.joints}});
  }
  return ends;
}

// In whole or in part.
bool is_estimated(const Chain& chain, const Link& link) {
  return std::ranges::any_of(chain.estimated(), [&](const std::string& name) {
    return name == link.name || std::ranges::count(link.carried, name) > 0;
  });
}

Json chain_json(const Info& info) {
  const Chain& chain = info.chain;
  Json out = {{"robot", chain.name()}, {"base", chain.base()}, {"tip", chain.tip()}};
  if (!chain.tip_rule().empty()) out["tip_rule"] = chain.tip_rule();
  out["tips"] = ends_json(chain);
  out["dof"] = chain.dof();
  out["joints"] = Json::array();
  for (const Joint& joint : chain.joints()) out["joints"].push_back(joint_json(chain, joint));
  out["convention"] = name_of(info.convention);
  out["base_pose"] = to_json(info.dh.base_pose);
  out["dh"] = dh_json(info);
  out["tip_pose"] = to_json(info.dh.tip_pose);
  out["bodies"] = Json::array();
  for (const Link& link : chain.links()) {
    out["bodies"].push_back(body_json(link.name, link.body));
    out["bodies"].back()["carries"] = link.carried;
    out["bodies"].back()["estimated"] = is_estimated(chain, link);
  }
  out["base_body"] = body_json(chain.base(), chain.base_body());
  out["total_mass"] = chain.total_mass();
  out["moving_mass"] = chain.total_mass() - chain.base_body().mass;
  if (info.gravity_peak.size() > 0) out["gravity_torque_peak"] = to_json(info.gravity_peak);
  out["dynamics"] = chain.has_dynamics();
  out["missing_inertia"] = missing_inertia_json(chain);
  out["estimated_inertia"] = chain.estimated();
  out["planar"] = chain.is_planar();
  out["warnings"] = chain.warnings();
  if (!info.weakness.empty()) out["warnings"].push_back(info.weakness);
  return out;
}

// The first column is as wide as its longest name.
template <class Items, class Name>
std::size_t width_of(const Items& items, Name name) {
  std::size_t width = 16;
  for (const auto& item : items) width = std::max(width, std::invoke(name, item).size());
  return width + 2;
}

// Numbers of a URDF are rounded: what is nearly zero or a quarter turn is shown as that.
constexpr double kNoise = 1e-10;
double shown(double x, double scale = 1.0) { return std::abs(x) < kNoise * scale ? 0.0 : x; }

std::string angle_text(double angle) {
  const double quarters = std::round(angle / M_PI_2);
  if (quarters == 0.0 || std::abs(quarters) > 2.0 || std::abs(angle - quarters * M_PI_2) > kNoise) {
    return fmt::format("{:.5g}", shown(angle));
  }
  return fmt::format("{}pi{}", quarters < 0.0 ? "-" : "", std::abs(quarters) == 1.0 ? "/2" : "");
}

std::string limit(double x) { return std::isfinite(x) ? fmt::format("{:.4g}", x) : "-"; }

void print_joints(const Chain& chain) {
  const std::size_t width = width_of(chain.joints(), &Joint::name);
  fmt::print("{}\n", bold("Joints (rad, N m; prismatic: m, N)"));
  fmt::print("  {:<{}}{:<12}{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "", width, "type",
             "lower", "upper", "effort", "velocity", "damping", "friction", "armature");
  for (const Joint& joint : chain.joints()) {
    fmt::print("  {:<{}}{:<12}{:>9} {:>9} {:>9} {:>9} {:>9.4g} {:>9.4g} {:>9.4g}", joint.name,
               width, to_string(joint.type), limit(joint.limits.lower), limit(joint.limits.upper),
               limit(joint.limits.effort), limit(joint.limits.velocity), joint.damping,
               joint.friction, joint.armature);
    const Joint& master = chain.coordinate_joint(joint.coordinate);
    if (master.name != joint.name) {
      fmt::print("  = {:.4g} * {} + {:.4g}", joint.multiplier, master.name, joint.offset);
    }
    fmt::print("\n");
  }
}

std::string variable(const std::string& offset) {
  if (offset == "0") return "q";
  return offset.starts_with('-') ? "q" + offset : "q+" + offset;
}

void print_pose(const char* what, const Posed& pose) {
  fmt::print("  {}\n", what);
  for (Index i = 0; i < 3; ++i) {
    fmt::print("   ");
    for (Index j = 0; j < 3; ++j) fmt::print(" {:>10.5g}", shown(pose.R(i, j)));
    fmt::print("  {:>10.5g}\n", shown(pose.p[i]));
  }
}

void print_dh(const Info& info) {
  const Chain& chain = info.chain;
  const std::size_t width = width_of(chain.joints(), &Joint::name);
  const bool hayati =
      std::ranges::any_of(info.dh.rows, [](const DhRow& row) { return row.beta != 0.0; });
  fmt::print("{}\n",
             bold(fmt::format("Denavit-Hartenberg table, {} (m, rad)", name_of(info.convention))));
  fmt::print("  {:<{}}{:>10} {:>10}{} {:>12} {:>12}\n", "", width, "a", "alpha",
             hayati ? fmt::format(" {:>10}", "beta") : "", "d", "theta");
  for (std::size_t i = 0; i < info.dh.rows.size(); ++i) {
    const DhRow& row = info.dh.rows[i];
    const bool slides = chain.joints()[i].is_prismatic();
    const std::string d = fmt::format("{:.5g}", shown(row.d)), theta = angle_text(row.theta);
    fmt::print("  {:<{}}{:>10.5g} {:>10}{} {:>12} {:>12}\n", chain.joints()[i].name, width,
               shown(row.a), angle_text(row.alpha),
               hayati ? fmt::format(" {:>10.3g}", row.beta) : "", slides ? variable(d) : d,
               slides ? theta : variable(theta));
  }
  const bool classic = info.convention == DhConvention::kClassic;
  print_pose(fmt::format("from '{}' to the frame before the first row", chain.base()).c_str(),
             info.dh.base_pose);
  print_pose(fmt::format("from the frame after the last row to '{}'", chain.tip()).c_str(),
             info.dh.tip_pose);
  fmt::print("  one row: {}\n", classic ? "Rz(theta) Tz(d) Tx(a) Rx(alpha) Ry(beta)"
                                        : "Rx(alpha) Tx(a) Ry(beta) Rz(theta) Tz(d)");
}

void print_bodies(const Chain& chain) {
  const std::size_t width = width_of(chain.links(), &Link::name);
  fmt::print("{}\n",
             bold("Bodies, each in the frame of its joint in the modified table (kg, m, kg m² "
                  "about the centre of mass)"));
  fmt::print("  {:<{}}{:>8}  {:^28}  {:^62}\n", "", width, "mass", "centre of mass",
             "ixx        iyy        izz        ixy        ixz        iyz");
  for (const Link& link : chain.links()) {
    const RigidBody& body = link.body;
    const double largest = body.inertia.cwiseAbs().maxCoeff();
    fmt::print("  {:<{}}{:>8.4g}  {:>8.4f} {:>8.4f} {:>8.4f}  ", link.name, width, body.mass,
               shown(body.com.x()), shown(body.com.y()), shown(body.com.z()));
    for (const double x : six(body.inertia)) fmt::print(" {:>10.3g}", shown(x, largest));
    fmt::print("{}\n", is_estimated(chain, link) ? "  estimated"
                       : body.mass == 0.0        ? "  none given"
                                                 : "");
    if (!link.carried.empty()) {
      fmt::print("  {:<{}}  with {}\n", "", width, fmt::join(link.carried, ", "));
    }
  }
}

// Leaves with the most joints first.
void print_ends(const Chain& chain) {
  constexpr std::size_t kMost = 12;
  std::vector<ChainEnd> ends = chain.ends();
  std::erase_if(ends, [&](const ChainEnd& end) { return end.link == chain.tip(); });
  if (ends.empty()) return;
  std::ranges::stable_sort(ends, std::greater(), &ChainEnd::joints);
  fmt::print("\n{}\n", bold("Other ends, for --tip, with the joints on the way"));
  for (std::size_t i = 0; i < std::min(kMost, ends.size()); ++i) {
    fmt::print("  {} {}\n", ends[i].joints, ends[i].link);
  }
  if (ends.size() > kMost) fmt::print("  and {} more, see --json\n", ends.size() - kMost);
}

void run_info(const InfoOptions& options) {
  if (!options.output.empty() && options.robot.estimate_inertia.empty()) {
    throw Failure(
        "--output writes the robot description that --estimate-inertia completes; give both");
  }
  std::string urdf;
  const ChainPtr chain = options.robot.load(Inertia::kIfThere, &urdf);
  if (!options.output.empty()) {
    OutputFile file("--output", options.output);
    file.write(urdf);
    file.finish();
    if (file.is_stdout()) return;
  }
  const Info info = info_of(chain, options.dh);
  if (options.json) {
    fmt::print("{}\n", chain_json(info).dump(2));
    return;
  }
  const double moving = chain->total_mass() - chain->base_body().mass;
  fmt::print(
      "{}  {} -> {}, {} coordinates, {:.4g} kg ({:.4g} kg moving), reach at most {:.3g} m{}\n\n",
      bold(chain->name()), chain->base(), chain->tip(), chain->dof(), chain->total_mass(), moving,
      chain->reach(), chain->is_planar() ? ", planar" : "");
  print_joints(*chain);
  if (!info.weakness.empty()) fmt::print("  Note: {}.\n", info.weakness);
  fmt::print("\n");
  print_dh(info);
  fmt::print("\n");
  print_bodies(*chain);
  print_ends(*chain);
}

}  // namespace

void add_info(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("info", "The chain in a robot description: joints, DH table, inertias");
  auto options = std::make_shared<InfoOptions>();
  options->robot.add_to(*command);
  const std::map<std::string, DhConvention> conventions = {{"modified", DhConvention::kModified},
                                                           {"classic", DhConvention::kClassic}};
  command
      ->add_option("--dh", options->dh, "Convention of the DH table: modified (default) or classic")
      ->transform(CLI::CheckedTransformer(conventions))
      ->type_name("NAME");
  command->add_flag("--json", options->json, "Print one JSON object");
  command
      ->add_option("-o,--output", options->output,
                   "Write the robot description with the estimated inertias, all else in it kept")
      ->type_name("FILE.urdf");
  command->footer(
      "Without --tip the chain ends where the arm ends: before joints named after fingers, "
      "grippers or\n"
      "wheels, before sliding or continuous joints side by side, and before a link where the way "
      "divides\n"
      "into branches that are all shorter than the way to it. There it ends at tool0, flange, link "
      "N+1\n"
      "after link N, another tool frame, or the link itself. Other ends are listed below the "
      "tables.\n"
      "Example: dyn info arm7 --dh classic");
  command->callback([options] { run_info(*options); });
}

}  // namespace dyn::tool
