// Code for one state.
#include <fmt/format.h>

#include "straight_line.hpp"

namespace dyn {
namespace generate {
namespace {

std::string arguments(const Function& function) {
  std::string out;
  for (const std::string& name : function.inputs) out += "const double* " + name + ", ";
  if (function.inputs.size() > 1) {
    out.back() = '\n';
    out += "                             ";
  }
  return out + "double* " + function.result;
}

// A pivot is a constant of the function; the result is whether all are positive.
std::string text_of(const Function& function, CodeWriter writer) {
  std::vector<Output> outputs;
  std::string regular;
  for (const Output& pivot : function.pivots) {
    outputs.push_back({"const double " + pivot.name, pivot.node, pivot.comment});
    regular += (regular.empty() ? "" : " && ") + pivot.name + " > 0.0";
  }
  outputs.insert(outputs.end(), function.outputs.begin(), function.outputs.end());
  const std::string statements = writer.statements(outputs);
  return fmt::format(
      "/// {}\n/// {} multiplications, {} additions.\nDYN_STRAIGHT_LINE inline {} {}({}) "
      "{{\n{}{}{}{}}}\n\n",
      function.comment, function.operations.multiplications, function.operations.additions,
      regular.empty() ? "void" : "bool", function.name, arguments(function),
      unused_arguments(function, statements), statements, function.last,
      regular.empty() ? "" : "  return " + regular + ";\n");
}

std::string head(const StraightLine& robot, const std::string& name, const std::string& version) {
  return banner(robot, "", version) +
         "//\n"
         "// Needs nothing but a C++17 compiler. self_test() compares with what the library said.\n"
         "#pragma once\n\n#include <cmath>\n\n"
         "#if defined(__GNUC__) && !defined(__clang__) && !defined(DYN_STRAIGHT_LINE)\n"
         "// Packing single numbers into vectors costs this code more than it gains.\n"
         "#define DYN_STRAIGHT_LINE __attribute__((optimize(\"no-tree-slp-vectorize\")))\n"
         "#elif !defined(DYN_STRAIGHT_LINE)\n#define DYN_STRAIGHT_LINE\n#endif\n\n"
         "namespace " +
         name + " {\n\n" + joint_names(robot) + "\n";
}

std::string self_test(const StraightLine& robot, const std::vector<Function>& functions) {
  const State<double>& sample = robot.sample();
  const auto numbers = [](const char* name, const VecXd& values) {
    // Functions that are left out use fewer of them.
    return fmt::format("  [[maybe_unused]] constexpr double {}[] = {{{}}};\n", name, list(values));
  };
  std::string body = numbers("q", sample.q) + numbers("qd", sample.qd) +
                     numbers("qdd", sample.qdd) + numbers("tau", sample.tau);
  body +=
      "  double x[kJoints * kJoints];\n  bool good = true;\n"
      "  const auto compare = [&](const double* expected, int count) {\n"
      "    double size = 0.0;\n"
      "    for (int i = 0; i < count; ++i) size = std::fmax(size, std::fabs(expected[i]));\n"
      "    for (int i = 0; i < count; ++i) {\n"
      "      good = good && std::fabs(x[i] - expected[i]) <= 1e-9 * size;\n    }\n  };\n";
  const auto test = [&](const char* name, const char* call, const VecXd& expected) {
    if (!has(functions, name)) return;
    body += fmt::format(
        "  constexpr double expected_{}[] = {{{}}};\n  {}\n  compare(expected_{}, {});\n", name,
        list(expected), call, name, expected.size());
  };
  const Robot<double> reference(robot.model(), sample);
  const MatXd M = reference.mass_matrix();
  test("mass_matrix", "mass_matrix(q, x);", Eigen::Map<const VecXd>(M.data(), M.size()));
  test("inverse_dynamics", "inverse_dynamics(q, qd, qdd, x);", reference.torque());
  test("bias_torque", "bias_torque(q, qd, x);", reference.bias());
  test("forward_dynamics", "good = forward_dynamics(q, qd, tau, x) && good;",
       reference.acceleration().first);
  return "/// Whether the functions give what the library gave for one state.\ninline bool "
         "self_test() {\n" +
         body + "  return good;\n}\n\n";
}

std::string tail(const std::string& name, const std::vector<Function>& functions) {
  return fmt::format(
      "#ifdef DYN_CORE_GENERATED_HPP\n"
      "// With <dyn_core/fast/generated.hpp> included before: `generated` for the solvers of this "
      "program.\n"
      "inline const bool kRegistered = dyn::register_generated(dyn::GeneratedDynamics{{\n"
      "    \"{}\", kJoints, kJointNames, {}}});\n"
      "#endif\n\n}}  // namespace {}\n",
      name, pointers(functions, ""), name);
}

}  // namespace
}  // namespace generate

Result<GeneratedCode> generate_code(const Model& model, const std::string& version,
                                    int most_operations) {
  using namespace generate;
  return written(model, "_dynamics", most_operations,
                 [&](const StraightLine& robot, const std::string& name,
                     const std::vector<Function>& functions) {
                   std::string text = head(robot, name, version);
                   for (const Function& f : functions) {
                     text += text_of(f, robot.writer("double", "std::"));
                   }
                   return text + self_test(robot, functions) + tail(name, functions);
                 });
}

}  // namespace dyn
