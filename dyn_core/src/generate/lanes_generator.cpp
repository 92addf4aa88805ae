// Code for packets of eight states.
#include "lanes_generator.hpp"

#include <fmt/format.h>

#include "straight_line.hpp"

namespace dyn {
namespace generate {
namespace {

// A pivot below this share of what it is at the sample state is left to the general kernels to judge.
constexpr double kSmallPivot = 1e-9;

struct Target {
  const char* name;
  int lanes;
  const char* instructions;
};
constexpr Target kTargets[] = {
    {"baseline", 2, ""},
    {"avx2", 4, " __attribute__((target(\"avx2,fma\")))"},
    {"avx512", 8, " __attribute__((target(\"avx2,fma,avx512f,avx512dq,avx512vl\")))"}};

// In front of the functions of one instruction set, behind lane_math.inc.
constexpr const char* kRows = R"(
DYN_INLINE V all(V x) { return x; }
DYN_INLINE V sin(V x) { return sincos(x).sine; }
DYN_INLINE V cos(V x) { return sincos(x).cosine; }

/// Rows of eight numbers, of which some lanes are worked on.
struct Input {
  const double* p;
  DYN_INLINE V operator[](int row) const { return load(p + 8 * row); }
};
struct Place {
  double* p;
  DYN_INLINE void operator=(V x) const { store(p, x); }
  DYN_INLINE void operator=(double x) const { store(p, all(x)); }
  DYN_INLINE void operator=(const Place& o) const { store(p, load(o.p)); }
};
struct Result {
  double* p;
  DYN_INLINE Place operator[](int row) const { return {p + 8 * row}; }
};
struct Pivot {
  V x;
  DYN_INLINE Pivot(V y) : x(y) {}
  DYN_INLINE Pivot(double y) : x(all(y)) {}
  /// Zero in lanes where it is above the bound.
  DYN_INLINE V lost(double bound) const { return x > bound ? V{} : all(1.0); }
};

/// Whether sincos() may be used, and everything is finite.
DYN_INLINE bool is_usual(const double* q) {
  V squares{};
  for (int i = 0; i < 8 * kDof; i += kWidth) squares += load(q + i) * load(q + i);
  return is_zero(squares <= 1e10 ? V{} : all(1.0));
}
DYN_INLINE bool is_finite(Result rows) {
  V sum{};
  for (int i = 0; i < kDof; ++i) sum += defect(load(rows.p + 8 * i));
  return is_zero(sum);
}

)";

std::string declared(const Function& f, const std::string& input, const std::string& result) {
  std::string out;
  for (const std::string& name : f.inputs) out += input + name + ", ";
  return out + result + f.result;
}

std::string text_of(const Function& f, CodeWriter writer, const StraightLine& robot) {
  std::vector<Output> outputs;
  std::string good;
  for (const Output& pivot : f.pivots) {
    outputs.push_back({"const Pivot " + pivot.name, pivot.node, pivot.comment});
    good += fmt::format("{}{}.lost({})", good.empty() ? "is_zero(" : " +\n                 ",
                        pivot.name, literal(kSmallPivot * robot.value(pivot)));
  }
  if (!good.empty()) good += ") && ";
  good += f.result == "M" ? "true" : "is_finite(" + f.result + ")";
  outputs.insert(outputs.end(), f.outputs.begin(), f.outputs.end());
  const std::string statements = writer.statements(outputs);
  std::string lanes;
  for (const std::string& name : f.inputs) lanes += "{" + name + " + l}, ";
  return fmt::format(
      "/// {0} multiplications, {1} additions.\n"
      "DYN_INLINE bool lanes_of_{2}({3}) {{\n{4}{5}{6}  return {7};\n}}\n"
      "/// {8}\n"
      "inline DYN_INSTRUCTIONS bool {2}({9}) {{\n"
      "  bool good = is_usual(q);\n"
      "  for (int l = 0; good && l < 8; l += kWidth) good = lanes_of_{2}({10}{{{11} + l}});\n"
      "  return good;\n}}\n\n",
      f.operations.multiplications, f.operations.additions, f.name,
      declared(f, "Input ", "Result "), unused_arguments(f, statements), statements, f.last, good,
      f.comment, declared(f, "const double* ", "double* "), lanes, f.result);
}

// What every instruction set has in common, before their functions and behind them.
std::string head(const StraightLine& robot, const std::string& name, const std::string& file) {
  std::string sets;
  for (const Target& target : kTargets) {
    if (target.lanes == 4) sets += "#ifdef __x86_64__\n";
    sets += definitions(target.name) + "#include \"" + file +
            "\"\n#undef DYN_SIMD_LANES\n#undef DYN_SIMD_TARGET\n#undef DYN_INSTRUCTIONS\n";
  }
  return fmt::format(
      "#ifndef DYN_SIMD_LANES  // the file includes itself, once for each instruction set\n"
      "#ifndef {0}_INCLUDED\n#define {0}_INCLUDED\n\n#include <cmath>\n\n"
      "namespace {0} {{\n{1}\n"
      "/// False: the packet is not answered, for angles beyond 1e5 rad, numbers that are not "
      "finite "
      "or a mass\n/// matrix without a sure inverse; what has been written means nothing.\n"
      "struct Functions {{\n  const char* target;\n"
      "  bool (*mass_matrix)(const double* q, double* M);\n"
      "  bool (*inverse_dynamics)(const double* q, const double* qd, const double* qdd, double* "
      "tau);\n"
      "  bool (*bias_torque)(const double* q, const double* qd, double* tau);\n"
      "  bool (*forward_dynamics)(const double* q, const double* qd, const double* tau, double* "
      "qdd);\n}};\n}}  // namespace {0}\n\n{2}#endif\n\n",
      name, joint_names(robot), sets);
}

std::string choice(const std::string& name, const std::vector<Function>& functions) {
  std::string constants;
  for (const Target& target : kTargets) {
    if (target.lanes == 4) constants += "#ifdef __x86_64__\n";
    constants += fmt::format(
        "inline constexpr Functions k_{0} = {{\"{0}\", {1}}};\n"
        "#ifdef DYN_CORE_GENERATED_HPP\n"
        "inline const bool kRegistered_{0} = dyn::register_generated(dyn::GeneratedLanes{{\n"
        "    \"{2}\", kJoints, kJointNames, \"{0}\", {1}}});\n#endif\n",
        target.name, pointers(functions, std::string(target.name) + "::"), name);
  }
  return "namespace " + name +
         " {\n// With <dyn_core/fast/generated.hpp> included before: for every dyn::Batch of the "
         "program.\n" +
         constants +
         "#endif\n\n/// Of the best instruction set of this processor.\n"
         "inline const Functions& best() {\n#ifdef __x86_64__\n"
         "  if (__builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"avx512dq\") &&\n"
         "      __builtin_cpu_supports(\"avx512vl\")) {\n    return k_avx512;\n  }\n"
         "  if (__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\")) return "
         "k_avx2;\n#endif\n  return k_baseline;\n}\n\n";
}

std::string self_test(const StraightLine& robot, const std::vector<Function>& functions) {
  const State<double>& sample = robot.sample();
  const Robot<double> reference(robot.model(), sample);
  const MatXd M = reference.mass_matrix();
  std::string body;
  const auto numbers = [&](const char* name, const VecXd& values) {
    body += fmt::format(
        "  constexpr double {0}_[] = {{{1}}};\n  alignas(64) double {0}[8 * kJoints];\n"
        "  for (int i = 0; i < 8 * kJoints; ++i) {0}[i] = {0}_[i / 8];\n  (void){0};\n",
        name, list(values));
  };
  numbers("q", sample.q), numbers("qd", sample.qd);
  numbers("qdd", sample.qdd), numbers("tau", sample.tau);
  body +=
      "  alignas(64) double x[8 * kJoints * kJoints];\n"
      "  const auto agree = [&](const double* expected, int count) {\n"
      "    double size = 0.0;\n    bool good = true;\n"
      "    for (int i = 0; i < count; ++i) size = std::fmax(size, std::fabs(expected[i]));\n"
      "    for (int i = 0; i < 8 * count; ++i) {\n"
      "      good = good && std::fabs(x[i] - expected[i / 8]) <= 1e-9 * size;\n    }\n"
      "    return good;\n  };\n  bool good = true;\n";
  const auto test = [&](const Function& f, const VecXd& expected) {
    std::string names;
    for (const std::string& input : f.inputs) names += input + ", ";
    body += fmt::format(
        "  constexpr double of_{0}[] = {{{1}}};\n"
        "  good = good && functions.{0}({2}x) && agree(of_{0}, {3});\n",
        f.name, list(expected), names, expected.size());
  };
  for (const Function& f : functions) {
    if (f.name == "mass_matrix") test(f, Eigen::Map<const VecXd>(M.data(), M.size()));
    if (f.name == "inverse_dynamics") test(f, reference.torque());
    if (f.name == "bias_torque") test(f, reference.bias());
    if (f.name == "forward_dynamics") test(f, reference.acceleration().first);
  }
  return "/// Whether the functions give what the library gave for one state.\ninline bool "
         "self_test(const Functions& functions = best()) {\n" +
         body + "  return good;\n}\n\n";
}

std::string text_for(const StraightLine& robot, const std::string& name,
                     const std::vector<Function>& functions, const std::string& version,
                     const std::string& file) {
  std::string text =
      banner(robot, ", eight states side by side", version) +
      "//\n"
      "// A row is eight numbers, one for each state: that of joint i begins at q + 8 i, that of "
      "element i, j at\n// M + 8 (i kJoints + j), on addresses that 64 divides. Needs C++17 and "
      "g++ 12 or clang 14. Fastest with\n// -O2 -ffp-contract=fast -fno-math-errno "
      "-fno-trapping-math and, for g++, -fschedule-insns -fsched-pressure.\n// The file includes "
      "itself as \"" +
      in_comment(file) + "\": let it keep that name. self_test() compares with the library.\n" +
      head(robot, name, file) + choice(name, functions) + self_test(robot, functions) +
      "}  // namespace " + name + "\n#endif\n\n#else  // for one instruction set\n\n" +
      "#define DYN_INLINE inline __attribute__((always_inline)) DYN_INSTRUCTIONS\n"
      "namespace " +
      name + " {\nnamespace DYN_SIMD_TARGET {\n\n" + kLaneMath +
      fmt::format("\ninline constexpr int kDof = {};\n", robot.dof()) + kRows;
  for (const Function& f : functions) text += text_of(f, robot.writer("V", ""), robot);
  return text + "}  // namespace DYN_SIMD_TARGET\n}  // namespace " + name +
         "\n#undef DYN_INLINE\n\n#endif\n";
}

}  // namespace

std::string definitions(std::string_view name) {
  for (const Target& target : kTargets) {
    if (target.name != name) continue;
    return fmt::format(
        "#define DYN_SIMD_LANES {}\n#define DYN_SIMD_TARGET {}\n#define DYN_INSTRUCTIONS{}\n",
        target.lanes, target.name, target.instructions);
  }
  return {};
}

}  // namespace generate

Result<GeneratedCode> generate_lanes(const Model& model, const std::string& version,
                                     const std::string& file, int most_operations) {
  using namespace generate;
  return written(model, "_lanes", most_operations,
                 [&](const StraightLine& robot, const std::string& name,
                     const std::vector<Function>& functions) {
                   return text_for(robot, name, functions, version, file);
                 });
}

}  // namespace dyn
