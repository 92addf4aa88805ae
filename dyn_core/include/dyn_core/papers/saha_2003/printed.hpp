// What Saha 2003 prints in figures.
#pragma once

#include <array>
#include <string_view>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/math/types.hpp"

namespace dyn::saha {

/// Table I, forward dynamics in O(n), without the bias torque.
constexpr PrintedCount forward_dynamics_count(double n) { return {191 * n - 284, 187 * n - 325}; }
constexpr PrintedCount featherstone_count(double n) { return {199 * n - 198, 174 * n - 173}; }
constexpr PrintedCount valasek_count(double n) { return {226 * n - 343, 206 * n - 345}; }
constexpr PrintedCount brandl_count(double n) { return {250 * n - 222, 220 * n - 198}; }
/// Table I, Walker and Orin's row.
constexpr PrintedCount walker_orin_count(double n) {
  const double cube = n * n * n, square = n * n;
  return {(cube + 69 * square + 230 * n - 282) / 6, (cube + 42 * square + 233 * n - 276) / 6};
}
/// Conclusions: what he reported before.
constexpr PrintedCount earlier_count(double n) { return {201 * n - 335, 193 * n - 361}; }

struct TableOneRow {
  std::string_view algorithm;
  PrintedCount (*count)(double n);
  PrintedCount at_6, at_10;
};
inline constexpr std::array<TableOneRow, 5> kTableOne = {{
    {"Proposed", forward_dynamics_count, {862, 797}, {1626, 1545}},
    {"Featherstone", featherstone_count, {996, 871}, {1792, 1567}},
    {"Valasek", valasek_count, {1013, 891}, {1917, 1715}},
    {"Brandl et al.", brandl_count, {1278, 1122}, {2278, 2002}},
    {"Walker and Orin", walker_orin_count, {633, 480}, {1653, 1209}},
}};

/// A count of the form (m n + m_0)M (a n + a_0)A.
struct LinearCount {
  double m = 0.0, m_0 = 0.0, a = 0.0, a_0 = 0.0;

  [[nodiscard]] constexpr PrintedCount at(double n) const { return {m * n + m_0, a * n + a_0}; }
  friend constexpr LinearCount operator+(const LinearCount& x, const LinearCount& y) {
    return {x.m + y.m, x.m_0 + y.m_0, x.a + y.a, x.a_0 + y.a_0};
  }
  friend bool operator==(const LinearCount&, const LinearCount&) = default;
};

/// Section 3: the braces behind each step, and what the lines under them add up to.
struct PrintedStep {
  std::string_view step, gives;
  LinearCount braces, lines;
};
inline constexpr std::array<PrintedStep, 19> kSteps = {{
    {"A1", "d_i", {4, 0, 2, 0}, {4, 0, 2, 0}},
    {"A2", "c_i,i-1", {0, 0, 3, -3}, {0, 0, 3, -3}},
    {"A3(a)", "M̂_n", {0, 16, 0, 17}, {0, 16, 0, 17}},
    {"A3(b)", "M̂_i", {86, -179, 101, -215}, {86, -179, 101, -215}},
    {"A4(a)", "ψ̂_n", {0, 2, 0, 0}, {0, 2, 0, 0}},
    {"A4(b)", "ψ̂_i", {12, -36, 12, -36}, {12, -24, 12, -24}},
    {"A5", "m̂_i", {2, 0, 2, 0}, {2, 0, 2, 0}},
    {"A6", "ψ_i", {6, -7, 0, 0}, {6, -7, 0, 0}},
    {"A7(a)", "M̂_nn", {0, 15, 0, 8}, {0, 15, 0, 8}},
    {"A7(b)", "M̂_ii", {21, -42, 21, -42}, {21, -42, 21, -42}},
    {"A8(a)", "η_n", {0, 5, 0, 0}, {0, 5, 0, 0}},
    {"A8(b)", "η_i", {6, -12, 6, -12}, {6, -12, 6, -12}},
    {"A9", "η_i-1,i", {22, -26, 14, -18}, {22, -26, 14, -18}},
    {"A10", "τ̂_i", {2, -2, 3, -3}, {2, -2, 3, -3}},
    {"B", "τ̃_i", {1, 0, 0, 0}, {1, 0, 0, 0}},
    {"C1", "θ̈_i", {6, -6, 6, -6}, {6, -6, 6, -6}},
    {"C2(a)", "μ_1", {0, 12, 0, 2}, {0, 12, 0, 2}},
    {"C2(b)", "μ_i", {18, -18, 11, -11}, {18, -18, 11, -11}},
    {"C3", "μ_i,i-1", {6, -6, 6, -6}, {6, -6, 6, -6}},
}};
/// Of a whole step: those of A3 are of A3(a) and A3(b).
constexpr LinearCount braces_of(std::string_view step) {
  LinearCount sum;
  for (const PrintedStep& part : kSteps) {
    if (part.step.substr(0, part.step.find('(')) == step) sum = sum + part.braces;
  }
  return sum;
}

/// Table II; a prismatic joint's b is variable.
struct TableTwoRow {
  double a, b, alpha;  ///< m, m, degrees
  bool prismatic;
  double m;                    ///< kg
  std::array<double, 3> r, I;  ///< m; kg m², the diagonal
};
using TableTwo = std::array<TableTwoRow, 6>;
inline constexpr TableTwo kStanford = {{
    {0, 0.1, -90, false, 9, {0, -0.1, 0}, {0.01, 0.02, 0.01}},
    {0, 0.1, -90, false, 6, {0, 0, 0}, {0.05, 0.06, 0.01}},
    {0, 0, 0, true, 4, {0, 0, 0}, {0.4, 0.4, 0.01}},
    {0, 0.6, 90, false, 1, {0, -0.1, 0}, {0.001, 0.001, 0.0005}},
    {0, 0, -90, false, 0.6, {0, 0, 0}, {0.0005, 0.0005, 0.0002}},
    {0, 0, 0, false, 0.5, {0, 0, 0}, {0.003, 0.001, 0.002}},
}};
inline constexpr TableTwo kPuma = {{
    {0, 0, -90, false, 10.521, {0, 0, 0.054}, {1.612, -1.612, 0.5091}},
    {0.432, 0.149, 0, false, 15.761, {0.292, 0, 0}, {0.4898, 8.0783, 8.2672}},
    {0.02, 0, 90, false, 8.767, {-0.02, 0, -0.197}, {3.3768, 3.3768, -0.3009}},
    {0, 0.432, -90, false, 1.052, {0, -0.057, 0}, {0.181, -0.1273, 0.181}},
    {0, 0, 90, false, 1.052, {0, 0, -0.007}, {0.0735, 0.1273, -0.0735}},
    {0, 0.056, 0, false, 0.351, {0, 0, 0.019}, {0.0071, 0.0071, 0.0141}},
}};

}  // namespace dyn::saha
