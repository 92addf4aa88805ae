// dyn eval: every quantity at one state.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "common.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/solver.hpp"
#include "dyn_core/study/link_effects.hpp"
#include "eval_derivatives.hpp"
#include "output.hpp"

namespace dyn::tool {
namespace {

struct EvalOptions {
  RobotOptions robot;
  std::string q, qd, qdd, tau, wrench;
  Algorithms algorithms;
  bool friction = false;
  bool per_link = false, influence = false, derivatives = false;
  bool json = false;
};

struct Values {
  explicit Values(Index n)
      : M(n, n),
        M_inverse(n, n),
        U(n, n),
        C(n, n),
        J(6, n),
        D(n),
        coriolis(n),
        gravity(n),
        torque(n),
        acceleration(n),
        quasi(n) {}

  VecXd q, qd, qdd, tau;
  MatXd M, M_inverse, U, C, J;
  VecXd D, coriolis, gravity, torque, acceleration;
  Quasi quasi;
  double kinetic = 0.0, potential = 0.0, manipulability = 0.0;
  Posed tip;
  std::optional<QuasiCoupling> coupling;  // none with mimic joints
  std::vector<LinkEffects> links;         // if asked for, and so on
  JointMomenta momenta;
  std::optional<LinkInfluence> influence;
  std::optional<DynamicsDerivatives> derivatives;
};

void set_wrench(const std::string& text, Solver& solver) {
  if (text.empty()) return;
  const std::vector<double> w = numbers(text, "--tip-wrench");
  if (w.size() != 6) {
    throw Failure(
        fmt::format("--tip-wrench has {} numbers; give fx,fy,fz,tx,ty,tz in the base link "
                    "frame",
                    w.size()));
  }
  solver.set_tip_wrench({{w[0], w[1], w[2]}, {w[3], w[4], w[5]}});
}

// What has n² or n³ numbers is not shown beyond.
constexpr Index kMostWithPower = 200;

void refuse_long_chains(const Chain& chain, const char* option) {
  if (chain.joint_count() <= kMostWithPower) return;
  throw Failure(
      fmt::format("{}: {} joints are too many for what grows with their square; it is for "
                  "up to {}",
                  option, chain.joint_count(), kMostWithPower));
}

void add_kinematics(const ChainPtr& chain, const EvalOptions& options, Values& v) {
  Kinematics<double> kinematics(chain);
  require(kinematics.update(v.q), "kinematics");
  require(kinematics.jacobian(v.J), "jacobian");
  v.tip = kinematics.tip_pose();
  v.manipulability = manipulability(*chain, v.J);
  const Model model(chain);
  if (options.influence) {
    refuse_long_chains(*chain, "--influence");
    v.influence = link_influence(model, kinematics, model.size() - 1, v.tip.p);
  }
  if (!chain->has_dynamics()) return;
  if (!chain->has_mimic()) {
    require(quasi_coupling(model, kinematics, v.qd, v.coupling.emplace()), "diagonalized dynamics");
  }
  if (options.per_link) {
    refuse_long_chains(*chain, "--per-link");
    v.links = link_effects(model, kinematics, v.qd, v.qdd);
    v.momenta = joint_momenta(model, kinematics, v.qd);
  }
}

Values evaluate(const ChainPtr& chain, Solver& solver, const EvalOptions& options) {
  Values v(chain->dof());
  v.q = coordinates(options.q, "--q", *chain);
  v.qd = coordinates(options.qd, "--qd", *chain);
  v.qdd = coordinates(options.qdd, "--qdd", *chain);
  v.tau = coordinates(options.tau, "--tau", *chain);
  add_kinematics(chain, options, v);
  if (!chain->has_dynamics()) return v;
  require(solver.mass_matrix(v.q, v.M), "mass matrix");
  require(solver.mass_matrix_inverse(v.q, v.M_inverse), "mass matrix inverse");
  require(solver.factor(v.q, v.U, v.D), "UDUᵀ factors");
  require(solver.coriolis_matrix(v.q, v.qd, v.C), "Coriolis matrix");
  require(solver.coriolis_torque(v.q, v.qd, v.coriolis), "Coriolis torque");
  require(solver.gravity_torque(v.q, v.gravity), "gravity torque");
  require(solver.inverse_dynamics(v.q, v.qd, v.qdd, v.torque), "inverse dynamics");
  require(solver.forward_dynamics(v.q, v.qd, v.tau, v.acceleration), "forward dynamics");
  require(solver.quasi(v.q, v.qd, v.tau, v.quasi), "diagonalized dynamics");
  require(solver.kinetic_energy(v.q, v.qd, v.kinetic), "kinetic energy");
  require(solver.potential_energy(v.q, v.potential), "potential energy");
  if (options.derivatives) {
    refuse_long_chains(*chain, "--derivatives");
    v.derivatives = derivatives_of(solver, v.q, v.qd, v.qdd, v.tau);
  }
  return v;
}

Json quasi_json(const Quasi& quasi, const std::optional<QuasiCoupling>& coupling) {
  return {{"nu", to_json(quasi.nu)},
          {"xi", to_json(quasi.xi)},
          {"nu_rate", to_json(quasi.nu_rate)},
          {"xi_rate", to_json(quasi.xi_rate)},
          {"coriolis_nu", to_json(quasi.coriolis_nu)},
          {"coriolis_xi", to_json(quasi.coriolis_xi)},
          {"epsilon", to_json(quasi.epsilon)},
          {"kappa", to_json(quasi.kappa)},
          {"gravity_nu", to_json(quasi.gravity_nu)},
          {"gravity_xi", to_json(quasi.gravity_xi)},
          {"mass_factor", to_json(quasi.mass_factor)},
          {"mass_factor_rate", to_json(quasi.mass_factor_rate)},
          {"pivot_rate", to_json(quasi.pivot_rate)},
          {"coriolis_factor", coupling ? to_json(coupling->c) : Json(nullptr)},
          {"coriolis_bias", coupling ? to_json(coupling->bias) : Json(nullptr)}};
}

Json parts_json(const JointParts& parts) {
  const auto rows = [](const Mat3X<double>& columns) {
    return to_json(MatXd(columns.transpose()));
  };
  return {{"tangential", rows(parts.tangential)},
          {"normal", rows(parts.normal)},
          {"coriolis", rows(parts.coriolis)},
          {"sum", to_json(VecXd(parts.by_joint().rowwise().sum()))}};
}

Json per_link_json(const Chain& chain, const Values& v) {
  Json links = Json::array(), names = Json::array();
  for (Index i = 0; i < chain.joint_count(); ++i) {
    const LinkEffects& link = v.links[static_cast<std::size_t>(i)];
    names.push_back(chain.joint(i).name);
    links.push_back({{"link", chain.links()[static_cast<std::size_t>(i)].name},
                     {"mass_centre", to_json(VecXd(link.mass_centre))},
                     {"acceleration", parts_json(link.acceleration)},
                     {"moment", parts_json(link.moment)}});
  }
  const auto momentum = [](const Mat3X<double>& by_joint) -> Json {
    return {{"by_joint", to_json(MatXd(by_joint.transpose()))},
            {"sum", to_json(VecXd(by_joint.rowwise().sum()))}};
  };
  return {{"joints", names},
          {"links", links},
          {"momentum", momentum(v.momenta.linear)},
          {"angular_momentum", momentum(v.momenta.angular)}};
}

Json influence_json(const Influence& influence) {
  Json H = Json::array();
  for (const MatXd& plane : influence.H) H.push_back(to_json(plane));
  return {{"G", to_json(MatXd(influence.G))}, {"H", H}};
}

Json values_json(const Chain& chain, const Algorithms& algorithms, const Values& v) {
  Json out = {{"joints", chain.coordinate_names()}};
  out["mass_matrix"] = to_json(v.M);
  out["mass_matrix_inverse"] = to_json(v.M_inverse);
  out["udut"] = {{"U", to_json(v.U)}, {"D", to_json(v.D)}};
  out["coriolis_matrix"] = to_json(v.C);
  out["coriolis_torque"] = to_json(v.coriolis);
  out["gravity_torque"] = to_json(v.gravity);
  out["inverse_dynamics"] = to_json(v.torque);
  out["forward_dynamics"] = to_json(v.acceleration);
  out["inertia_power"] = nullptr;
  out["quasi"] = quasi_json(v.quasi, v.coupling);
  out["kinetic_energy"] = v.kinetic;
  out["potential_energy"] = v.potential;
  out["tip_pose"] = to_json(v.tip);
  out["jacobian"] = to_json(v.J);
  out["manipulability"] = v.manipulability;
  if (!v.links.empty()) out["per_link"] = per_link_json(chain, v);
  if (v.influence) {
    out["influence"] = {{"translation", influence_json(v.influence->translation)},
                        {"rotation", influence_json(v.influence->rotation)}};
  }
  if (v.derivatives) add_to_json(*v.derivatives, out);
  out["algorithms"] = {{"mass_matrix", algorithms.mass_matrix},
                       {"inverse_dynamics", algorithms.inverse_dynamics},
                       {"forward_dynamics", algorithms.forward_dynamics},
                       {"coriolis", algorithms.coriolis}};
  if (!chain.has_dynamics()) {
    constexpr std::array<std::string_view, 5> kKinematic = {"joints", "tip_pose", "jacobian",
                                                            "manipulability", "influence"};
    for (const auto& [key, value] : out.items()) {
      if (std::ranges::find(kKinematic, key) == kKinematic.end()) out[key] = nullptr;
    }
  }
  out["dynamics"] = chain.has_dynamics();
  out["missing_inertia"] = missing_inertia_json(chain);
  out["estimated_inertia"] = chain.estimated();
  return out;
}

double snapped(double x) { return std::abs(x) < 1e-12 ? 0.0 : x; }

void print_dynamics(const Algorithms& algorithms, const Values& v) {
  print_matrix(fmt::format("Mass matrix M ({})", algorithms.mass_matrix), v.M);
  print_matrix("M = U D Uᵀ, U", v.U);
  print_vector("D", v.D);
  print_vector("Gravity torque g", v.gravity);
  print_matrix(fmt::format("Coriolis matrix C ({})", algorithms.coriolis), v.C);
  print_vector("Coriolis torque C qd", v.coriolis);
  print_vector(fmt::format("Inverse dynamics, torque for qdd ({})", algorithms.inverse_dynamics),
               v.torque);
  print_vector(fmt::format("Forward dynamics, qdd from tau ({})", algorithms.forward_dynamics),
               v.acceleration);
  print_vector("Quasi-velocities nu", v.quasi.nu);
  print_vector("Quasi-velocities xi", v.quasi.xi);
  print_vector("Coriolis forces C(q, nu)", v.quasi.coriolis_nu);
  print_vector("Coriolis forces C(q, xi)", v.quasi.coriolis_xi);
  print_vector("Quasi-forces epsilon", v.quasi.epsilon);
  print_vector("Quasi-forces kappa", v.quasi.kappa);
}

void print_tables(const Chain& chain, const Algorithms& algorithms, const Values& v) {
  fmt::print("{}  joints {}\n\n", bold(chain.name()), fmt::join(chain.coordinate_names(), ", "));
  if (chain.has_dynamics()) print_dynamics(algorithms, v);
  print_matrix("Jacobian at the tip, base frame (rows: linear, angular)", v.J);
  print_vector("Tip position", v.tip.p);
  print_vector("Tip orientation, roll pitch yaw (rad)",
               roll_pitch_yaw(v.tip.R).unaryExpr(&snapped));
  print_vector("Tip orientation, quaternion x y z w", Eigen::Quaterniond(v.tip.R).coeffs());
  fmt::print("\n  manipulability {:.6g}", snapped(v.manipulability));
  if (chain.has_dynamics()) {
    fmt::print(", kinetic energy {:.6g} J, potential energy {:.6g} J", v.kinetic, v.potential);
  }
  fmt::print("\n");
}

void print_with_sum(const std::string& title, const Mat3X<double>& by_joint) {
  MatXd columns(3, by_joint.cols() + 1);
  columns << by_joint, by_joint.rowwise().sum();
  print_matrix(title, columns);
}

void print_per_link(const Chain& chain, const Values& v) {
  fmt::print("\n{}\n", bold("By each joint and together (rows x, y, z of the base link frame; last "
                            "column: the sum)"));
  for (std::size_t i = 0; i < v.links.size(); ++i) {
    const std::string& name = chain.links()[i].name;
    print_with_sum(name + ": acceleration of its mass centre, without gravity",
                   v.links[i].acceleration.by_joint());
    print_with_sum(name + ": inertial moment about its mass centre", v.links[i].moment.by_joint());
  }
  print_with_sum("Momentum of the arm", v.momenta.linear);
  print_with_sum("Angular momentum of the arm about the base link's origin", v.momenta.angular);
}

void print_influence(const Chain& chain, const LinkInfluence& influence,
                     const std::vector<MatXd>& power) {
  const auto print = [](const char* of, const Influence& i) {
    print_matrix(fmt::format("Influence coefficients G of the tip's {}", of), MatXd(i.G));
    for (std::size_t x = 0; x < 3; ++x) {
      print_matrix(
          fmt::format("Second order H, {} component, row j, column k: dG_k/dq_j", "xyz"[x]),
          MatXd(i.H[x].unaryExpr(&snapped)));
    }
  };
  print("translation", influence.translation);
  print("rotation", influence.rotation);
  for (std::size_t i = 0; i < power.size(); ++i) {
    print_matrix(
        fmt::format("Inertia power P of {}: its torque is qdᵀ P qd", chain.coordinate_names()[i]),
        power[i]);
  }
}

std::vector<MatXd> inertia_power_of(Solver& solver, const VecXd& q) {
  const Index n = solver.dof();
  if (!solver.chain().has_dynamics()) return {};
  if (n > kMostWithPower) {
    say("inertia_power is null beyond {} joints: it has n³ numbers", kMostWithPower);
    return {};
  }
  std::vector<MatXd> power(static_cast<std::size_t>(n), MatXd(n, n));
  require(solver.inertia_power(q, power), "inertia power");
  return power;
}

// Row by row: as JSON in memory it would take many times its size.
void print_power(const std::vector<MatXd>& power) {
  fmt::print("[");
  for (std::size_t i = 0; i < power.size(); ++i) {
    fmt::print("{}\n    [", i == 0 ? "" : ",");
    for (Index j = 0; j < power[i].rows(); ++j) {
      const VecXd row = power[i].row(j).transpose();
      fmt::print("{}\n      {}", j == 0 ? "" : ",", to_json(row).dump());
    }
    fmt::print("\n    ]");
  }
  fmt::print("\n  ]");
}

void print_json(Solver& solver, const Values& v) {
  const std::vector<MatXd> power = inertia_power_of(solver, v.q);
  const Json out = values_json(solver.chain(), solver.algorithms(), v);
  const char* before = "{\n  ";
  for (const auto& [key, value] : out.items()) {
    fmt::print("{}\"{}\": ", before, key);
    if (key == "inertia_power" && !power.empty()) {
      print_power(power);
    } else {
      fmt::print("{}", value.dump());
    }
    before = ",\n  ";
  }
  fmt::print("\n}}\n");
}

void run_eval(const EvalOptions& options) {
  const ChainPtr chain = options.robot.load(Inertia::kIfThere);
  Solver solver = require(Solver::make(chain, options.algorithms, Inertia::kIfThere));
  solver.set_friction(options.friction);
  set_wrench(options.wrench, solver);
  const Values values = evaluate(chain, solver, options);
  if (options.json) {
    print_json(solver, values);
  } else {
    print_tables(*chain, solver.algorithms(), values);
    if (!values.links.empty()) print_per_link(*chain, values);
    if (values.derivatives) print(*values.derivatives);
    if (options.influence) {
      print_influence(*chain, *values.influence, inertia_power_of(solver, values.q));
    }
  }
}

}  // namespace

void add_eval(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "eval", "Mass matrix, torques, accelerations, quasi-velocities at one state");
  auto options = std::make_shared<EvalOptions>();
  options->robot.add_to(*command);
  const auto list = [&](const char* name, std::string& into, const char* help) {
    command->add_option(name, into, help)->type_name("A,B,…|@FILE")->check(not_blank());
  };
  list("--q", options->q, "Joint positions, rad or m (default: zeros)");
  list("--qd", options->qd, "Joint velocities (default: zeros)");
  list("--qdd", options->qdd, "Joint accelerations, for inverse dynamics (default: zeros)");
  list("--tau", options->tau, "Joint torques, for forward dynamics (default: zeros)");
  list("--tip-wrench", options->wrench, "Force and torque on the tip, base link frame");
  const auto algorithm = [&](const char* name, std::string& into) {
    command->add_option(name, into, "Algorithm by name, see dyn list")->type_name("NAME");
  };
  algorithm("--mass-matrix", options->algorithms.mass_matrix);
  algorithm("--inverse-dynamics", options->algorithms.inverse_dynamics);
  algorithm("--forward-dynamics", options->algorithms.forward_dynamics);
  algorithm("--coriolis", options->algorithms.coriolis);
  command->add_flag("--friction", options->friction, "Include the joints' damping and friction");
  command->add_flag("--per-link", options->per_link,
                    "Each link's acceleration and moment by each joint, and the arm's momenta");
  command->add_flag("--derivatives", options->derivatives,
                    "Derivatives of inverse dynamics by q, qd, qdd and of forward dynamics by q, "
                    "qd, tau");
  command->add_flag("--influence", options->influence,
                    "First and second order influence coefficients of the tip, and the inertia "
                    "power, which --json has anyway");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer("Example: dyn eval arm7.urdf --tip tool0 --q 0,0.5,0,-1,0,0.5,0 --json");
  command->callback([options] { run_eval(*options); });
}

}  // namespace dyn::tool
