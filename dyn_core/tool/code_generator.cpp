#include "code_generator.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "code_writer.hpp"
#include "dyn_core/math/traced.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "robot_state.hpp"

namespace dyn::tool {
namespace {

std::string identifier(const std::string& name) {
  std::string out;
  for (const char c : name) {
    out += std::isalnum(static_cast<unsigned char>(c)) != 0
               ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
               : '_';
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out = "robot_" + out;
  return out + "_dynamics";
}

// A name as part of a comment: it must not end the line, nor join it with the next.
std::string in_comment(std::string name) {
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return c == '\\' || std::iscntrl(static_cast<unsigned char>(c)) != 0; }, '_');
  return name;
}

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

// Silences warnings about arguments that the statements have no use for.
std::string unused_arguments(const std::string& declaration, const std::string& statements) {
  std::string out;
  for (const std::string name : {"q", "qd", "qdd", "tau"}) {
    const bool declared = declaration.find("const double* " + name + ",") != std::string::npos;
    const bool used = statements.find(" " + name + "[") != std::string::npos ||
                      statements.find("(" + name + "[") != std::string::npos ||
                      statements.find("-" + name + "[") != std::string::npos;
    if (declared && !used) out += "  (void)" + name + ";\n";
  }
  return out;
}

// At which the trace is recorded and the written code tests itself.
State<double> sample_state(Index n) {
  Random random(20261118);
  State<double> state;
  state.q = random.vector(n, 1.5), state.qd = random.vector(n, 2.0);
  state.qdd = random.vector(n, 3.0), state.tau = random.vector(n, 10.0);
  return state;
}

// The arguments of the code to be written.
struct Inputs {
  std::vector<std::string> names;
  std::vector<std::string>
      turns;  // what the sine and cosine of an input are called after, or nothing

  State<Traced> add(const State<double>& sample) {
    return {vector("q", sample.q), vector("qd", sample.qd), vector("qdd", sample.qdd),
            vector("tau", sample.tau)};
  }

 private:
  VecX<Traced> vector(const std::string& name, const VecXd& sample) {
    VecX<Traced> out(sample.size());
    for (Index i = 0; i < sample.size(); ++i) {
      out[i] = Traced::input(static_cast<int>(names.size()), sample[i]);
      names.push_back(fmt::format("{}[{}]", name, i));
      turns.push_back(name == "q" ? std::to_string(i + 1) : "");
    }
    return out;
  }
};

constexpr std::size_t kFunctions = 4;

class Generator {
 public:
  Generator(const Model& model, int most_operations)
      : model_(model),
        dof_(model.chain().dof()),
        sample_(sample_state(dof_)),
        robot_(model, inputs_.add(sample_)),
        writer_(trace_, inputs_.names, inputs_.turns),
        most_operations_(most_operations) {}

  GeneratedCode run(const std::string& version) {
    GeneratedCode code;
    code.name = identifier(model_.chain().name());
    std::string body =
        mass_matrix(code) + inverse_dynamics(code) + bias_torque(code) + forward_dynamics(code);
    code.text = head(code, version) + body + self_test() + tail(code);
    return code;
  }

 private:
  [[nodiscard]] std::string coordinate(Index i) const {
    return in_comment(model_.chain().coordinate_names()[static_cast<std::size_t>(i)]);
  }
  void add_outputs(const VecX<Traced>& values, const char* name, const char* what,
                   std::vector<Output>& outputs) const {
    for (Index i = 0; i < values.size(); ++i) {
      outputs.push_back({fmt::format("{}[{}]", name, i), values[i].node(),
                         fmt::format("{} of {}", what, coordinate(i))});
    }
  }
  // The function, or nothing and a sentence where it has too many operations.
  std::string function(const std::string& comment, const std::string& declaration,
                       const std::vector<Output>& outputs, const std::string& last,
                       const std::string& name, GeneratedCode& code) {
    const OperationTotals totals = writer_.operations(outputs);
    const int operations = totals.multiplications + totals.additions;
    if (operations > most_operations_) {
      code.left_out.push_back(fmt::format(
          "{} takes {} operations, more than {}: as straight-line code it would not fit into the "
          "instruction cache and be slower than the solver's `fast`",
          name, operations, most_operations_));
      return {};
    }
    written_.push_back(name);
    const std::string statements = writer_.statements(outputs);
    return fmt::format("/// {}\n/// {} multiplications, {} additions.\n{} {{\n{}{}{}}}\n\n",
                       comment, totals.multiplications, totals.additions, declaration,
                       unused_arguments(declaration, statements), statements, last);
  }
  [[nodiscard]] bool has(const std::string& name) const {
    return std::find(written_.begin(), written_.end(), name) != written_.end();
  }

  std::string mass_matrix(GeneratedCode& code);
  std::string inverse_dynamics(GeneratedCode& code);
  std::string bias_torque(GeneratedCode& code);
  std::string forward_dynamics(GeneratedCode& code);
  [[nodiscard]] std::string head(const GeneratedCode& code, const std::string& version) const;
  [[nodiscard]] std::string self_test() const;
  [[nodiscard]] std::string tail(const GeneratedCode& code) const;

  const Model& model_;
  Index dof_;
  State<double> sample_;
  Trace trace_;
  Inputs inputs_;
  Robot<Traced> robot_;
  CodeWriter writer_;
  int most_operations_;
  std::vector<std::string> written_;
};

std::string Generator::mass_matrix(GeneratedCode& code) {
  const MatX<Traced> M = robot_.mass_matrix();
  std::vector<Output> outputs;
  for (Index j = dof_ - 1; j >= 0; --j) {
    for (Index i = 0; i <= j; ++i) {
      outputs.push_back({fmt::format("M[{}]", i * dof_ + j), M(i, j).node(),
                         i == 0 ? fmt::format("column of {}", coordinate(j)) : ""});
    }
  }
  std::string mirror;
  for (Index j = 0; j < dof_; ++j) {
    for (Index i = 0; i < j; ++i) {
      mirror += fmt::format("  M[{}] = M[{}];\n", j * dof_ + i, i * dof_ + j);
    }
  }
  return function(fmt::format("Mass matrix, {0} x {0}, armature included.", dof_),
                  "DYN_STRAIGHT_LINE inline void mass_matrix(const double* q, double* M)", outputs,
                  mirror.empty() ? "" : "\n  // the other triangle\n" + mirror, "mass_matrix",
                  code);
}

std::string Generator::inverse_dynamics(GeneratedCode& code) {
  std::vector<Output> outputs;
  add_outputs(robot_.torque(), "tau", "torque", outputs);
  return function(
      "tau = M qdd + C(q, qd) qd + g(q).",
      "DYN_STRAIGHT_LINE inline void inverse_dynamics(const double* q, const double* qd, "
      "const double* qdd,\n                             double* tau)",
      outputs, "", "inverse_dynamics", code);
}

std::string Generator::bias_torque(GeneratedCode& code) {
  std::vector<Output> outputs;
  add_outputs(robot_.bias(), "tau", "torque", outputs);
  return function("C(q, qd) qd + g(q).",
                  "DYN_STRAIGHT_LINE inline void bias_torque(const double* q, const double* qd, "
                  "double* tau)",
                  outputs, "", "bias_torque", code);
}

std::string Generator::forward_dynamics(GeneratedCode& code) {
  const auto [qdd, D] = robot_.acceleration();
  std::vector<Output> outputs;
  std::string regular;
  for (Index i = dof_ - 1; i >= 0; --i) {
    outputs.push_back({fmt::format("const double D{}", i + 1), D[i].node(),
                       fmt::format("pivot of {}", coordinate(i))});
    regular += fmt::format("D{} > 0.0{}", i + 1, i > 0 ? " && " : "");
  }
  add_outputs(qdd, "qdd", "acceleration", outputs);
  return function(
      "Accelerations under the torques tau; false where the mass matrix is singular.",
      "DYN_STRAIGHT_LINE inline bool forward_dynamics(const double* q, const double* qd, "
      "const double* tau,\n                             double* qdd)",
      outputs, "  return " + regular + ";\n", "forward_dynamics", code);
}

std::string list(const VecXd& values) {
  std::string out;
  for (const double x : values) out += (out.empty() ? "" : ", ") + literal(x);
  return out;
}

std::string Generator::head(const GeneratedCode& code, const std::string& version) const {
  const Chain& chain = model_.chain();
  const Vec3d gravity = chain.base_pose().R * model_.gravity();
  std::string joints, names;
  for (Index i = 0; i < dof_; ++i) {
    const Joint& joint = chain.coordinate_joint(i);
    joints += fmt::format("//   [{}] {}, {}\n", i, coordinate(i),
                          joint.is_prismatic() ? "prismatic, m and N" : "revolute, rad and N m");
    names += (i == 0 ? "" : ", ") + string_literal(joint.name);
  }
  return fmt::format(
      "// Dynamics of the robot {}, base {} to tip {}: written by `dyn generate`, version {}.\n"
      "//\n"
      "// Straight-line code for this robot alone: its lengths, masses and inertias, a payload at "
      "the\n"
      "// tip, armature and gravity ({}) m/s² are constants. Friction is left out. SI units;\n"
      "// vectors by joint:\n{}"
      "// matrices row by row. s1, c1, … are sine and cosine of the joint angles.\n"
      "//\n"
      "// Needs nothing but a C++17 compiler. self_test() compares with what the library said.\n"
      "#pragma once\n\n#include <cmath>\n\n"
      "#if defined(__GNUC__) && !defined(__clang__) && !defined(DYN_STRAIGHT_LINE)\n"
      "// Packing single numbers into vectors costs this code more than it gains.\n"
      "#define DYN_STRAIGHT_LINE __attribute__((optimize(\"no-tree-slp-vectorize\")))\n"
      "#elif !defined(DYN_STRAIGHT_LINE)\n#define DYN_STRAIGHT_LINE\n#endif\n\n"
      "namespace {} {{\n\n"
      "inline constexpr int kJoints = {};\n"
      "inline constexpr const char* kJointNames[kJoints] = {{{}}};\n\n",
      in_comment(chain.name()), in_comment(chain.base()), in_comment(chain.tip()), version,
      list(gravity), joints, code.name, dof_, names);
}

std::string Generator::self_test() const {
  const auto numbers = [](const char* name, const VecXd& values) {
    // Functions that are left out use fewer of them.
    return fmt::format("  [[maybe_unused]] constexpr double {}[] = {{{}}};\n", name, list(values));
  };
  std::string body = numbers("q", sample_.q) + numbers("qd", sample_.qd) +
                     numbers("qdd", sample_.qdd) + numbers("tau", sample_.tau);
  body +=
      "  double x[kJoints * kJoints];\n  bool good = true;\n"
      "  const auto compare = [&](const double* expected, int count) {\n"
      "    double size = 0.0;\n"
      "    for (int i = 0; i < count; ++i) size = std::fmax(size, std::fabs(expected[i]));\n"
      "    for (int i = 0; i < count; ++i) {\n"
      "      good = good && std::fabs(x[i] - expected[i]) <= 1e-9 * size;\n    }\n  };\n";
  const auto test = [&](const char* name, const char* call, const VecXd& expected) {
    if (!has(name)) return;
    body += fmt::format(
        "  constexpr double expected_{}[] = {{{}}};\n  {}\n  compare(expected_{}, {});\n", name,
        list(expected), call, name, expected.size());
  };
  const Robot<double> robot(model_, sample_);
  const MatXd M = robot.mass_matrix();
  test("mass_matrix", "mass_matrix(q, x);", Eigen::Map<const VecXd>(M.data(), M.size()));
  test("inverse_dynamics", "inverse_dynamics(q, qd, qdd, x);", robot.torque());
  test("bias_torque", "bias_torque(q, qd, x);", robot.bias());
  test("forward_dynamics", "good = forward_dynamics(q, qd, tau, x) && good;",
       robot.acceleration().first);
  return "/// Whether the functions give what the library gave for one state.\ninline bool "
         "self_test() {\n" +
         body + "  return good;\n}\n\n";
}

std::string Generator::tail(const GeneratedCode& code) const {
  const auto pointer = [this](const char* name) { return has(name) ? name : "nullptr"; };
  return fmt::format(
      "#ifdef DYN_CORE_GENERATED_HPP\n"
      "// With <dyn_core/fast/generated.hpp> included before: `generated` for the solvers of this "
      "program.\n"
      "inline const bool kRegistered = dyn::register_generated(\n"
      "    {{\"{}\", kJoints, kJointNames, {}, {},\n     {}, {}}});\n"
      "#endif\n\n}}  // namespace {}\n",
      code.name, pointer("mass_matrix"), pointer("inverse_dynamics"), pointer("bias_torque"),
      pointer("forward_dynamics"), code.name);
}

}  // namespace

Result<GeneratedCode> generate_code(const Model& model, const std::string& version,
                                    int most_operations) {
  if (model.size() > kMostGeneratedJoints) {
    return fail(fmt::format(
        "the chain from '{}' to '{}' has {} joints, and straight-line code pays for {} at "
        "most: use the algorithm `fast`",
        model.chain().base(), model.chain().tip(), model.size(), kMostGeneratedJoints));
  }
  GeneratedCode code = Generator(model, most_operations).run(version);
  if (code.left_out.size() == kFunctions) {
    return fail(
        fmt::format("every function takes more than {} operations, so there is nothing to "
                    "write: use the algorithm `fast`",
                    most_operations));
  }
  return code;
}

}  // namespace dyn::tool
