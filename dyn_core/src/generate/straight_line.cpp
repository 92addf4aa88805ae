#include "straight_line.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "dyn_core/robot/random_chain.hpp"

namespace dyn::generate {
namespace {

std::string string_literal(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?' || std::iscntrl(byte) != 0) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

Result<void> check_joints(const Model& model) {
  if (model.size() <= kMostGeneratedJoints) return {};
  return fail(fmt::format(
      "the chain from '{}' to '{}' has {} joints, and straight-line code pays for {} at "
      "most: use the algorithm `fast`",
      model.chain().base(), model.chain().tip(), model.size(), kMostGeneratedJoints));
}

std::string identifier(const std::string& name, const std::string& ending) {
  std::string out;
  for (const char c : name) {
    out += std::isalnum(static_cast<unsigned char>(c)) != 0
               ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
               : '_';
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out = "robot_" + out;
  return out + ending;
}

State<double> sample_state(Index n) {
  Random random(20261118);
  State<double> state;
  state.q = random.vector(n, 1.5), state.qd = random.vector(n, 2.0);
  state.qdd = random.vector(n, 3.0), state.tau = random.vector(n, 10.0);
  return state;
}

}  // namespace

StraightLine::StraightLine(const Model& model)
    : model_(model),
      dof_(model.chain().dof()),
      sample_(sample_state(dof_)),
      robot_(model, traced_state()) {}

State<Traced> StraightLine::traced_state() {
  const auto vector = [this](const std::string& name, const VecXd& sample) {
    VecX<Traced> out(sample.size());
    for (Index i = 0; i < sample.size(); ++i) {
      out[i] = Traced::input(static_cast<int>(inputs_.size()), sample[i]);
      inputs_.push_back(fmt::format("{}[{}]", name, i));
      turns_.push_back(name == "q" ? std::to_string(i + 1) : "");
    }
    return out;
  };
  return {vector("q", sample_.q), vector("qd", sample_.qd), vector("qdd", sample_.qdd),
          vector("tau", sample_.tau)};
}

std::string StraightLine::coordinate(Index i) const {
  return in_comment(model_.chain().coordinate_names()[static_cast<std::size_t>(i)]);
}

void StraightLine::add_outputs(const VecX<Traced>& values, const std::string& what,
                               Function& function) const {
  for (Index i = 0; i < values.size(); ++i) {
    function.outputs.push_back({fmt::format("{}[{}]", function.result, i), values[i].node(),
                                fmt::format("{} of {}", what, coordinate(i))});
  }
}

Function StraightLine::mass_matrix() const {
  Function f{"mass_matrix",
             fmt::format("Mass matrix, {0} x {0}, armature included.", dof_),
             {"q"},
             "M",
             {},
             {},
             {}};
  const MatX<Traced> M = robot_.mass_matrix();
  for (Index j = dof_ - 1; j >= 0; --j) {
    for (Index i = 0; i <= j; ++i) {
      f.outputs.push_back({fmt::format("M[{}]", i * dof_ + j), M(i, j).node(),
                           i == 0 ? fmt::format("column of {}", coordinate(j)) : ""});
    }
  }
  for (Index j = 0; j < dof_; ++j) {
    for (Index i = 0; i < j; ++i) {
      f.last += fmt::format("  M[{}] = M[{}];\n", j * dof_ + i, i * dof_ + j);
    }
  }
  if (!f.last.empty()) f.last = "\n  // the other triangle\n" + f.last;
  return f;
}

Function StraightLine::inverse_dynamics() const {
  Function f{"inverse_dynamics",
             "tau = M qdd + C(q, qd) qd + g(q).",
             {"q", "qd", "qdd"},
             "tau",
             {},
             {},
             {}};
  add_outputs(robot_.torque(), "torque", f);
  return f;
}

Function StraightLine::bias_torque() const {
  Function f{"bias_torque", "C(q, qd) qd + g(q).", {"q", "qd"}, "tau", {}, {}, {}};
  add_outputs(robot_.bias(), "torque", f);
  return f;
}

Function StraightLine::forward_dynamics() const {
  const auto [qdd, D] = robot_.acceleration();
  Function f{"forward_dynamics",
             "Accelerations under the torques tau; false where the mass matrix is singular.",
             {"q", "qd", "tau"},
             "qdd",
             {},
             {},
             {}};
  for (Index i = dof_ - 1; i >= 0; --i) {
    f.pivots.push_back(
        {fmt::format("D{}", i + 1), D[i].node(), fmt::format("pivot of {}", coordinate(i))});
  }
  add_outputs(qdd, "acceleration", f);
  return f;
}

Result<std::vector<Function>> StraightLine::functions(int most_operations,
                                                      std::vector<std::string>& left_out) const {
  std::vector<Function> out;
  CodeWriter counter = writer("double", "");
  for (Function& f : std::vector<Function>{mass_matrix(), inverse_dynamics(), bias_torque(),
                                           forward_dynamics()}) {
    std::vector<Output> all = f.pivots;
    all.insert(all.end(), f.outputs.begin(), f.outputs.end());
    f.operations = counter.operations(all);
    const int operations = f.operations.multiplications + f.operations.additions;
    if (operations <= most_operations) {
      out.push_back(std::move(f));
      continue;
    }
    left_out.push_back(fmt::format(
        "{} takes {} operations, more than {}: as straight-line code it would not fit into the "
        "instruction cache and be slower than the solver's `fast`",
        f.name, operations, most_operations));
  }
  if (out.empty()) {
    return fail(
        fmt::format("every function takes more than {} operations, so there is nothing to "
                    "write: use the algorithm `fast`",
                    most_operations));
  }
  return out;
}

Result<GeneratedCode> written(const Model& model, const std::string& ending, int most_operations,
                              const Text& text) {
  if (const auto fits = check_joints(model); !fits) return tl::unexpected(fits.error());
  GeneratedCode code;
  code.name = identifier(model.chain().name(), ending);
  const StraightLine robot(model);
  const auto functions = robot.functions(most_operations, code.left_out);
  if (!functions) return tl::unexpected(functions.error());
  code.text = text(robot, code.name, *functions);
  return code;
}

bool has(const std::vector<Function>& functions, const std::string& name) {
  return std::ranges::any_of(functions, [&](const Function& f) { return f.name == name; });
}

std::string pointers(const std::vector<Function>& functions, const std::string& space) {
  std::string out;
  for (const char* name : kFunctions) {
    out += (out.empty() ? "" : ", ") + (has(functions, name) ? space + name : "nullptr");
  }
  return out;
}

// Silences warnings about arguments that the statements have no use for.
std::string unused_arguments(const Function& function, const std::string& statements) {
  std::string out;
  for (const std::string& name : function.inputs) {
    const auto has = [&](const char* before) {
      return statements.find(before + name + "[") != std::string::npos;
    };
    if (!has(" ") && !has("(") && !has("-")) out += "  (void)" + name + ";\n";
  }
  return out;
}

std::string in_comment(std::string name) {
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return c == '\\' || std::iscntrl(static_cast<unsigned char>(c)) != 0; }, '_');
  return name;
}

std::string list(const VecXd& values) {
  std::string out;
  for (const double x : values) out += (out.empty() ? "" : ", ") + literal(x);
  return out;
}

std::string banner(const StraightLine& robot, const std::string& first,
                   const std::string& version) {
  const Chain& chain = robot.model().chain();
  std::string joints;
  for (Index i = 0; i < robot.dof(); ++i) {
    joints += fmt::format(
        "//   [{}] {}, {}\n", i, robot.coordinate(i),
        chain.coordinate_joint(i).is_prismatic() ? "prismatic, m and N" : "revolute, rad and N m");
  }
  const Vec3d gravity = chain.base_pose().R * robot.model().gravity();
  return fmt::format(
      "// Dynamics of the robot {}, base {} to tip {}: written by `dyn generate`, version {}.\n"
      "//\n"
      "// Straight-line code for this robot alone{}: its lengths, masses and inertias, a payload "
      "at "
      "the\n"
      "// tip, armature and gravity ({}) m/s² are constants. Friction is left out. SI units;\n"
      "// vectors by joint:\n{}"
      "// matrices row by row. s1, c1, … are sine and cosine of the joint angles.\n",
      in_comment(chain.name()), in_comment(chain.base()), in_comment(chain.tip()), version, first,
      list(gravity), joints);
}

std::string joint_names(const StraightLine& robot) {
  std::string names;
  for (Index i = 0; i < robot.dof(); ++i) {
    names += (i == 0 ? "" : ", ") + string_literal(robot.model().chain().coordinate_joint(i).name);
  }
  return fmt::format(
      "inline constexpr int kJoints = {};\n"
      "inline constexpr const char* kJointNames[kJoints] = {{{}}};\n",
      robot.dof(), names);
}

}  // namespace dyn::generate
