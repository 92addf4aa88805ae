// What Kozłowski 1995 prints in figures, its misprints included.
#pragma once

#include <array>
#include <string_view>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/math/types.hpp"

namespace dyn::kozlowski {

/// slope N + constant.
struct Line {
  double slope = 0.0, constant = 0.0;

  constexpr double operator()(double N) const { return slope * N + constant; }
  friend constexpr bool operator==(const Line&, const Line&) = default;
  friend constexpr Line operator+(const Line& a, const Line& b) {
    return {a.slope + b.slope, a.constant + b.constant};
  }
};

/// Multiplications with divisions, and additions, for an arm of N revolute joints, N > 2.
struct LineCount {
  Line multiplications, additions;

  constexpr PrintedCount operator()(double N) const { return {multiplications(N), additions(N)}; }
  friend constexpr bool operator==(const LineCount&, const LineCount&) = default;
  friend constexpr LineCount operator+(const LineCount& a, const LineCount& b) {
    return {a.multiplications + b.multiplications, a.additions + b.additions};
  }
};

/// A row of Tab. 2: column 1, a general arm, and column 2, right angles and offsets along x only.
struct Table2Row {
  std::string_view recursion;
  std::array<LineCount, 2> columns;
};

inline constexpr std::array<Table2Row, 9> kTable2Common = {{
    {"P", {{{{101, -108}, {94, -105}}, {{51, -58}, {53, -64}}}}},
    {"G", {{{{5, -1}, {0, 0}}, {{5, -1}, {0, 0}}}}},
    {"V⁺", {{{{6, -12}, {6, -12}}, {{2, -4}, {2, -4}}}}},
    {"V", {{{{16, -29}, {9, -17}}, {{8, -16}, {5, -9}}}}},
    {"z", {{{{6, -12}, {6, -12}}, {{2, -4}, {2, -4}}}}},
    {"Ψ", {{{{44, -1}, {19, -1}}, {{12, -1}, {5, -1}}}}},
    {"b", {{{{59, -43}, {40, -27}}, {{55, -53}, {38, -35}}}}},
    {"X", {{{{18, -12}, {0, 0}}, {{18, -12}, {0, 0}}}}},
    {"λ̇", {{{{159, -6}, {171, -6}}, {{95, -6}, {113, -6}}}}},
}};
inline constexpr Table2Row kTable2Subtotal = {
    "subtotal", {{{{414, -224}, {354, -180}}, {{248, -155}, {218, -123}}}}};

inline constexpr std::array<Table2Row, 6> kTable2Normalized = {{
    {"θ̇", {{{{7, -10}, {6, -10}}, {{7, -11}, {6, -11}}}}},
    {"ε", {{{{1, 0}, {1, -1}}, {{1, 0}, {1, -1}}}}},
    {"z⁺", {{{{23, -4}, {15, -8}}, {{14, -3}, {10, -7}}}}},
    {"y", {{{{158, -223}, {162, -249}}, {{134, -211}, {140, -217}}}}},
    {"C(θ,ν)", {{{{2, -1}, {0, 0}}, {{2, -1}, {0, 0}}}}},
    {"ν̇", {{{{0, 0}, {1, 0}}, {{0, 0}, {1, 0}}}}},
}};
inline constexpr Table2Row kTable2NormalizedPart = {
    "normalized part", {{{{191, -238}, {185, -268}}, {{158, -226}, {158, -236}}}}};
inline constexpr Table2Row kTable2NormalizedTotal = {
    "normalized equations of motion", {{{{605, -462}, {530, -448}}, {{406, -381}, {376, -359}}}}};

inline constexpr std::array<Table2Row, 6> kTable2Unnormalized = {{
    {"θ̇", {{{{5, -8}, {5, -8}}, {{5, -9}, {5, -9}}}}},
    {"κ", {{{{0, 0}, {1, -1}}, {{0, 0}, {1, -1}}}}},
    {"z⁺", {{{{21, -4}, {13, -8}}, {{43, -3}, {9, -7}}}}},
    {"y", {{{{59, -83}, {61, -89}}, {{47, -71}, {50, -78}}}}},
    {"C(θ,ξ)", {{{{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}}}},
    {"ξ̇", {{{{1, 0}, {1, 0}}, {{1, 0}, {1, 0}}}}},
}};
inline constexpr Table2Row kTable2UnnormalizedPart = {
    "unnormalized part", {{{{86, -95}, {81, -106}}, {{66, -83}, {66, -95}}}}};
inline constexpr Table2Row kTable2UnnormalizedTotal = {
    "unnormalized equations of motion", {{{{500, -319}, {426, -286}}, {{314, -238}, {284, -218}}}}};

/// Up to the rates of ν and of ξ, a general arm.
constexpr PrintedCount normalized_count(double N) { return kTable2NormalizedTotal.columns[0](N); }
constexpr PrintedCount unnormalized_count(double N) {
  return kTable2UnnormalizedTotal.columns[0](N);
}

/// Section 6: inverse dynamics by the standard equations, both columns.
inline constexpr std::array<LineCount, 2> kInverseDynamics = {
    {{{142, -161}, {109, -135}}, {{104, -117}, {87, -102}}}};

/// A row of Tab. 3: all operations together, and what is printed for 6 and 12 joints.
struct Table3Row {
  std::string_view method;
  double cube, square, linear, constant;
  std::array<double, 2> printed;

  constexpr double operator()(double N) const {
    return ((cube * N + square) * N + linear) * N + constant;
  }
};
inline constexpr std::array<Table3Row, 10> kTable3 = {{
    {"Articulated body (Featherstone, 1987)", 0, 0, 579, -526, {2948, 6422}},
    {"1st Walker and Orin (1982)", 1.0 / 3, 130.5, 197 + 1.0 / 6, -33, {5920, 21701}},
    {"2nd Walker and Orin (1982)", 1.0 / 3, 66.5, 261 + 1.0 / 6, -33, {4000, 13253}},
    {"3rd Walker and Orin (1982)", 1.0 / 6, 21.5, 358 + 1.0 / 6, -113, {2882, 7857}},
    {"4th Walker and Orin (1982)", 0, 132.5, 207, -31, {5967, 21537}},
    {"Brandl et al. (1986)", 0, 0, 470, -420, {2400, 5220}},
    {"Numerical solution (Kozłowski, 1992)", 1.0 / 3, 20.5, 341 + 1.0 / 6, -395, {2462, 7227}},
    {"Kalman filtering and smoothing (Kozłowski, 1993)", 0, 0, 477, -503, {2359, 5221}},
    {"Normalized equations of motion", 0, 0, 1135, -910, {5900, 12710}},
    {"Unnormalized equations of motion", 0, 0, 926, -605, {4951, 10507}},
}};

}  // namespace dyn::kozlowski
