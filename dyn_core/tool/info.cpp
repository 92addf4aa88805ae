// dyn info: the chain in a robot description.
#include <cmath>

#include <fmt/format.h>

#include "common.hpp"
#include "dyn_core/kinematics.hpp"

namespace dyn::tool {
namespace {

struct InfoOptions {
  RobotOptions robot;
  bool json = false;
};

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

Json chain_json(const Chain& chain) {
  Json out = {{"robot", chain.name()},  {"base", chain.base()},    {"tip", chain.tip()},
              {"dof", chain.dof()},     {"joints", Json::array()}, {"dh", Json::array()},
              {"bodies", Json::array()}};
  for (std::size_t i = 0; i < chain.joints().size(); ++i) {
    const Joint& joint = chain.joints()[i];
    const DhRow& row = chain.dh()[i];
    const Link& link = chain.links()[i];
    out["joints"].push_back(joint_json(chain, joint));
    out["dh"].push_back({{"a", row.a},
                         {"alpha", row.alpha},
                         {"beta", row.beta},
                         {"d", row.d},
                         {"theta", row.theta},
                         {"joint", joint.name}});
    out["bodies"].push_back(body_json(link.name, link.body));
    out["bodies"].back()["carries"] = link.carried;
  }
  out["base_body"] = body_json(chain.base(), chain.base_body());
  out["total_mass"] = chain.total_mass();
  out["moving_mass"] = chain.total_mass() - chain.base_body().mass;
  out["planar"] = chain.is_planar();
  out["warnings"] = chain.warnings();
  return out;
}

std::string limit(double x) { return std::isfinite(x) ? fmt::format("{:.4g}", x) : "-"; }

void print_joints(const Chain& chain) {
  fmt::print("{}\n", bold("Joints (rad, N m; prismatic: m, N)"));
  fmt::print("  {:<18}{:<12}{:>9}{:>9}{:>9}{:>10}{:>9}{:>10}{:>10}\n", "", "type", "lower", "upper",
             "effort", "velocity", "damping", "friction", "armature");
  for (const Joint& joint : chain.joints()) {
    fmt::print("  {:<18}{:<12}{:>9}{:>9}{:>9}{:>10}{:>9.4g}{:>10.4g}{:>10.4g}", joint.name,
               to_string(joint.type), limit(joint.limits.lower), limit(joint.limits.upper),
               limit(joint.limits.effort), limit(joint.limits.velocity), joint.damping,
               joint.friction, joint.armature);
    const Joint& master = chain.coordinate_joint(joint.coordinate);
    if (master.name != joint.name) {
      fmt::print("  = {:.4g} * {} + {:.4g}", joint.multiplier, master.name, joint.offset);
    }
    fmt::print("\n");
  }
}

void print_dh(const Chain& chain) {
  bool hayati = false;
  for (const DhRow& row : chain.dh()) hayati = hayati || row.beta != 0.0;
  fmt::print("{}\n", bold("Modified Denavit-Hartenberg table (m, rad)"));
  fmt::print("  {:<18}{:>10}{:>10}{}{:>10}{:>10}\n", "", "a", "alpha",
             hayati ? fmt::format("{:>12}", "beta") : "", "d", "theta");
  for (std::size_t i = 0; i < chain.dh().size(); ++i) {
    const DhRow& row = chain.dh()[i];
    const bool slides = chain.joints()[i].is_prismatic();
    const auto variable = [](double offset, bool is_variable) {
      if (!is_variable) return fmt::format("{:.5g}", offset);
      return offset == 0.0 ? std::string("q") : fmt::format("q{:+.4g}", offset);
    };
    fmt::print("  {:<18}{:>10.5g}{:>10.5g}{}{:>10}{:>10}\n", chain.joints()[i].name, row.a,
               row.alpha, hayati ? fmt::format("{:>12.3g}", row.beta) : "", variable(row.d, slides),
               variable(row.theta, !slides));
  }
}

void print_bodies(const Chain& chain) {
  fmt::print("{}\n",
             bold("Bodies, each in the DH frame of its joint (kg, m, kg m² about the centre of "
                  "mass)"));
  fmt::print("  {:<18}{:>8}  {:^28}  {:^62}\n", "", "mass", "centre of mass",
             "ixx        iyy        izz        ixy        ixz        iyz");
  for (const Link& link : chain.links()) {
    const RigidBody& body = link.body;
    fmt::print("  {:<18}{:>8.4g}  {:>8.4f} {:>8.4f} {:>8.4f}  ", link.name, body.mass, body.com.x(),
               body.com.y(), body.com.z());
    for (const double x : six(body.inertia)) fmt::print(" {:>10.3g}", x);
    fmt::print("\n");
    if (!link.carried.empty()) {
      fmt::print("  {:<18}  with {}\n", "", fmt::join(link.carried, ", "));
    }
  }
}

void run_info(const InfoOptions& options) {
  const ChainPtr chain = options.robot.load();
  if (options.json) {
    fmt::print("{}\n", chain_json(*chain).dump(2));
    return;
  }
  const double moving = chain->total_mass() - chain->base_body().mass;
  fmt::print(
      "{}  {} -> {}, {} coordinates, {:.4g} kg ({:.4g} kg moving), reach at most {:.3g} m{}\n\n",
      bold(chain->name()), chain->base(), chain->tip(), chain->dof(), chain->total_mass(), moving,
      chain->reach(), chain->is_planar() ? ", planar" : "");
  print_joints(*chain);
  fmt::print("\n");
  print_dh(*chain);
  fmt::print("\n");
  print_bodies(*chain);
}

}  // namespace

void add_info(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("info", "The chain in a robot description: joints, DH table, inertias");
  auto options = std::make_shared<InfoOptions>();
  options->robot.add_to(*command);
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer("Example: dyn info arm7.urdf --tip tool0");
  command->callback([options] { run_info(*options); });
}

}  // namespace dyn::tool
