// Robots: a chain from a robot description, and what is known of it.
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bindings.hpp"
#include "dyn_core/robot/dh.hpp"
#include "dyn_core/robot/inertia_estimate.hpp"
#include "dyn_core/robot/robot_name.hpp"
#include "dyn_core/robot/urdf.hpp"
#include "fields.hpp"
#include "queries.hpp"

namespace dyn::python {
namespace {

using Values = std::map<std::string, double>;
using Triple = std::array<double, 3>;

struct Estimate {
  std::optional<std::variant<double, std::string>> mass;
  std::vector<std::string> folders;
};

CompletedUrdf completed(const std::string& urdf, const std::string& folder,
                        const Estimate& wanted) {
  const auto* number = std::get_if<double>(&*wanted.mass);
  const std::string mass =
      number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(*wanted.mass);
  Result<CompletedUrdf> out =
      complete_urdf(urdf, mass, {.urdf_folder = folder, .mesh_folders = wanted.folders});
  if (!out) throw Failure("estimate_inertia: " + out.error().sentence);
  return std::move(*out);
}

SharedChain load(const py::object& robot, UrdfOptions options, const Estimate& estimate) {
  const std::string text = py::str(py::module_::import("os").attr("fspath")(robot));
  const bool is_text = text.find('<') != std::string::npos;
  std::string urdf = text, folder = ".", prefix;
  if (!is_text) {
    const RobotName name = robot_named(text);
    if (!name.base.empty()) options.base = name.base;
    if (!name.tip.empty()) options.tip = name.tip;
    urdf = require(urdf_text(name.file));
    folder = std::filesystem::absolute(name.file).parent_path();
    prefix = name.file + ": ";
  }
  CompletedUrdf complete{urdf};
  if (estimate.mass) complete = completed(urdf, folder, estimate);
  Result<ChainPtr> chain = parse_urdf(complete.urdf, options);
  if (!chain) throw Failure(prefix + chain.error().sentence);
  return shared(estimate.mass ? marked_as_estimated(**chain, complete) : *chain);
}

SharedChain load_urdf(const py::object& robot, const std::string& base, const std::string& tip,
                      const Triple& gravity, const std::optional<Floats>& payload,
                      const Values& armature, const Values& lock, const Values& damping,
                      const Values& friction, bool allow_nonphysical,
                      const std::optional<std::variant<double, std::string>>& estimate_inertia,
                      const std::vector<std::string>& mesh_path) {
  UrdfOptions options{.base = base,
                      .tip = tip,
                      .gravity = {gravity[0], gravity[1], gravity[2]},
                      .lock = lock,
                      .armature = armature,
                      .damping = damping,
                      .friction = friction,
                      .payload = {},
                      .allow_nonphysical = allow_nonphysical};
  if (payload) options.payload = payload_from(*payload);
  return load(robot, options, {estimate_inertia, mesh_path});
}

VecXd of_limits(const Chain& chain, double JointLimits::*bound) {
  VecXd out(chain.dof());
  for (Index k = 0; k < chain.dof(); ++k) out[k] = chain.coordinate_joint(k).limits.*bound;
  return out;
}
VecXd lower(const Chain& chain) { return of_limits(chain, &JointLimits::lower); }
VecXd upper(const Chain& chain) { return of_limits(chain, &JointLimits::upper); }

std::string joint_line(const Joint& joint) {
  const char* unit = joint.is_prismatic() ? "m" : "rad";
  std::string text = fmt::format("\n  {:<20} {:<11}", joint.name, to_string(joint.type));
  if (joint.type != JointType::kContinuous) {
    text += fmt::format(" {:.4g} … {:.4g} {}", joint.limits.lower, joint.limits.upper, unit);
  }
  if (std::isfinite(joint.limits.velocity)) {
    text += fmt::format(", {:.4g} {}/s", joint.limits.velocity, unit);
  }
  if (std::isfinite(joint.limits.effort)) {
    text += fmt::format(", {:.4g} {}", joint.limits.effort, joint.is_prismatic() ? "N" : "N m");
  }
  return text;
}

std::string chain_text(const Chain& chain) {
  constexpr std::size_t kMostLines = 12;
  std::string text = fmt::format(
      "Chain '{}' from '{}' to '{}': {} coordinates, {:.4g} kg, gravity ({})", chain.name(),
      chain.base(), chain.tip(), chain.dof(), chain.total_mass(), fmt::join(chain.gravity(), ", "));
  for (std::size_t i = 0; i < std::min(kMostLines, chain.joints().size()); ++i) {
    text += joint_line(chain.joints()[i]);
  }
  if (chain.joints().size() > kMostLines) text += "\n  …";
  if (!chain.has_dynamics()) text += "\n  no dynamics: " + chain.objection_to_dynamics();
  if (!chain.warnings().empty()) {
    text += fmt::format("\n  {} warnings, see .warnings", chain.warnings().size());
  }
  return text;
}

void bind_parts(py::module_& module) {
  py::class_<RigidBody> body(module, "RigidBody",
                             "Mass, centre of mass, inertia about it; SI units.");
  show(body, "mass", &RigidBody::mass, "com", at(&RigidBody::com), "inertia",
       at(&RigidBody::inertia));
  using L = JointLimits;
  py::class_<Joint> joint(module, "Joint", "A moving joint; limits that are not set are infinite.");
  show(
      joint, "name", &Joint::name, "type", [](const Joint& j) { return to_string(j.type); },
      "lower", at(&Joint::limits, &L::lower), "upper", at(&Joint::limits, &L::upper), "velocity",
      at(&Joint::limits, &L::velocity), "effort", at(&Joint::limits, &L::effort), "damping",
      &Joint::damping, "friction", &Joint::friction, "armature", &Joint::armature);
  py::class_<Link> link(module, "Link", "What moves with one joint, in the link's DH frame.");
  show(link, "name", &Link::name, "body", &Link::body, "carried", &Link::carried);
}

// Rows a, alpha, beta, d, theta.
MatXd dh_table(const Chain& chain, const std::string& convention) {
  if (convention != "modified" && convention != "classic") {
    throw Failure("dh: there is no convention '" + convention + "'; choose modified or classic");
  }
  const DhArm arm =
      dh_arm(chain, convention == "classic" ? DhConvention::kClassic : DhConvention::kModified);
  MatXd rows(static_cast<Index>(arm.rows.size()), 5);
  for (Index i = 0; i < rows.rows(); ++i) {
    const DhRow& r = arm.rows[static_cast<std::size_t>(i)];
    rows.row(i) << r.a, r.alpha, r.beta, r.d, r.theta;
  }
  return rows;
}

}  // namespace

void bind_chain(py::module_& module) {
  bind_parts(module);
  using C = Chain;
  py::class_<C, SharedChain> chain(
      module, "Chain",
      R"(A robot's joints and bodies from a base link to a tip link. Immutable; made by load_urdf().

dof                    coordinates, the length of q; joint_names in this order, all moving joints in joints
lower, upper, velocity_limits, effort_limits  infinite where the description has none
tip_rule               why the chain ends there, where the tip was not given
objection_to_dynamics  which links lack inertia; empty where has_dynamics
estimated              links whose bodies were made from their shapes
warnings               sentences on the robot description)");
  chain.def("__repr__", &chain_text);
  show(chain, "name", &C::name, "base", &C::base, "tip", &C::tip, "tip_rule", &C::tip_rule, "dof",
       &C::dof, "joint_names", &C::coordinate_names, "joints", &C::joints, "links", &C::links,
       "gravity", at(&C::gravity), "total_mass", &C::total_mass, "reach", &C::reach, "warnings",
       &C::warnings, "has_dynamics", &C::has_dynamics, "objection_to_dynamics",
       &C::objection_to_dynamics, "estimated", &C::estimated, "lower", &lower, "upper", &upper,
       "velocity_limits", &velocity_limits, "effort_limits", &effort_limits);
  chain
      .def("dh", &dh_table, "convention"_a = "modified",
           "Denavit-Hartenberg rows: a, alpha, beta, d, theta.")
      .def("__len__", &C::dof);
  module.def("load_urdf", &load_urdf, "robot"_a, "base"_a = "", "tip"_a = "",
             "gravity"_a = Triple{0.0, 0.0, -9.81}, "payload"_a = py::none(),
             "armature"_a = Values(), "lock"_a = Values(), "damping"_a = Values(),
             "friction"_a = Values(), "allow_nonphysical"_a = false,
             "estimate_inertia"_a = py::none(), "mesh_path"_a = std::vector<std::string>(),
             R"(A chain from a robot description.

robot             URDF file, FILE:base:tip, the text of a URDF, or a robot of the suite such as 'arm7'
base, tip         links, or parts of their names; default: from the root to where the arm ends
gravity           in the base link frame, m/s²
payload           carried at the tip: mass, centre of mass and, if known, ixx, iyy, izz, ixy, ixz, iyz
armature          drive inertia by joint, kg m² or kg; damping and friction by joint likewise
lock              positions of joints off the chain
estimate_inertia  bodies from shapes for links without: total mass in kg, or 'geometry'; meshes are
                  looked for in mesh_path, too)");
}

}  // namespace dyn::python
