// What Bhangale 2004 prints in figures.
#pragma once

#include <array>
#include <string_view>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/math/types.hpp"

namespace dyn::bhangale {

/// (14), the GIM, and (17), that of a planar arm.
constexpr PrintedCount gim_count(double n) {
  return {11 * n * n + 42 * n - 18, 7 * n * n + 44 * n - 18};
}
constexpr PrintedCount planar_gim_count(double n) {
  return {3.5 * n * n + 11.5 * n - 7, 2 * n * n + 9 * n - 7};
}
/// (15), the GIM of Walker and Orin.
constexpr PrintedCount walker_orin_count(double n) {
  return {12 * n * n + 56 * n - 27, 7 * n * n + 67 * n - 53};
}
/// (16), the MCI on top of the GIM, and (18), that of a planar arm.
constexpr PrintedCount mci_count(double n) {
  return {14 * n * n + 22 * n + 4, 13.5 * n * n + 55.5 * n - 65.5};
}
constexpr PrintedCount planar_mci_count(double n) {
  return {7 * n * n + 13 * n + 4, 4 * n * n + 13 * n + 2};
}

/// A row of Table I or II: so much for each of n links, n-1 links or (n²-n)/2 elements.
struct PrintedStep {
  enum class Times { kLinks, kInnerLinks, kElements };
  std::string_view step, variable;
  PrintedCount each;
  Times times = Times::kLinks;

  [[nodiscard]] constexpr PrintedCount at(double n) const {
    const double t = times == Times::kLinks        ? n
                     : times == Times::kInnerLinks ? n - 1
                                                   : n * (n - 1) / 2;
    return {t * each.multiplications, t * each.additions};
  }
};

constexpr auto kTable1 = std::to_array<PrintedStep>({
    {"1", "[a_i]_i", {2, 0}},
    {"2", "[r_i]_i", {8, 4}},
    {"3", "[d_i]_i", {0, 3}},
    {"4", "[m_i d_i]_i", {3, 0}},
    {"5(a)", "[M_i]_i", {22, 26}},
    {"5(b)", "[M̃_i]_i", {18, 18}, PrintedStep::Times::kInnerLinks},
    {"6(a)", "i_ii", {0, 0}},
    {"6(b)", "i_ij", {22, 14}, PrintedStep::Times::kElements},
});
constexpr auto kTable2 = std::to_array<PrintedStep>({
    {"1", "[a_i]_i", {2, 0}},
    {"2", "[r_i]_i", {4, 2}},
    {"3", "[d_i]_i", {0, 2}},
    {"4", "[m_i d_i]_i", {2, 0}},
    {"5(a)", "[M_i]_i", {0, 0}},
    {"5(b)", "[M̃_i]_i", {7, 7}, PrintedStep::Times::kInnerLinks},
    {"6(a)", "i_ii", {0, 0}},
    {"6(b)", "i_ij", {7, 4}, PrintedStep::Times::kElements},
});

/// A column of Table III or V. The time is that of MATLAB on a Pentium III with 1 GHz, s; equal lengths are
/// a_i = b_i = a.
struct PrintedArm {
  std::string_view name, robot;  ///< in dyn_core/robots
  PrintedCount gim, mci;
  std::string_view seconds;
  std::string_view workspace, workspace_at_equal_lengths;
  std::string_view manipulability, manipulability_at_equal_lengths;
};
constexpr auto kTable3 = std::to_array<PrintedArm>({
    {"RP", "rp", {12, 6}, {26, 14}, "0.651", "π(2 a1 b2 + b2²)", "4π a²", "a1 + b2", "max. a"},
    {"PR",
     "pr",
     {21, 6},
     {28, 18},
     "0.761",
     "π a2² + 2 a2 b1",
     "(π + 2) a²",
     "a2 |cos θ2|",
     "max. a"},
});
constexpr auto kTable5 = std::to_array<PrintedArm>({
    {"RTX",
     "rtx3",
     {142, 138},
     {389, 317},
     "9.443",
     "4π b1 a2 a3",
     "4π a³",
     "a2 a3 |sin θ3|",
     "a²"},
    {"Stanford",
     "stanford3",
     {170, 154},
     {522, 352},
     "11.166",
     "4π a3³/3",
     "4π a³/3",
     "b3² |cos θ2|",
     "a²"},
});

}  // namespace dyn::bhangale
