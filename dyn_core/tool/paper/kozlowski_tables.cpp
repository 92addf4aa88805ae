// Kozłowski 1995, section 6: Tab. 2 recursion by recursion in both columns, Tab. 3, and what is said of
// the costs.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "kozlowski_case.hpp"
#include "kozlowski_counts.hpp"

namespace dyn::tool {
namespace kozlowski_paper {

using namespace dyn::kozlowski;

std::string line_text(const Line& line) {
  if (line.slope == 0.0) return fmt::format("{}", line.constant);
  const std::string slope = line.slope == 1.0 ? "N" : fmt::format("{}N", line.slope);
  return line.constant == 0.0 ? slope : fmt::format("{}{:+}", slope, line.constant);
}
std::string lines_text(const LineCount& count) {
  return fmt::format("{} M, {} A", line_text(count.multiplications), line_text(count.additions));
}

constexpr LineCount sum_of(std::span<const Table2Row> rows, std::size_t column) {
  LineCount sum;
  for (const Table2Row& row : rows) sum = sum + row.columns[column];
  return sum;
}
const Table2Row& row_of(std::span<const Table2Row> rows, std::string_view recursion) {
  return *std::ranges::find(rows, recursion, &Table2Row::recursion);
}
// One row made of several.
Table2Row rows_together(std::span<const Table2Row> rows, std::string_view name,
                        std::initializer_list<std::string_view> recursions) {
  Table2Row together{name, {}};
  for (const std::string_view recursion : recursions) {
    for (std::size_t column = 0; column < 2; ++column) {
      together.columns[column] = together.columns[column] + row_of(rows, recursion).columns[column];
    }
  }
  return together;
}

class Table2 {
 public:
  Table2(PaperItems& items, const CountedColumns& counted) : items_(items), counted_(counted) {}

  void row(const Table2Row& printed, const Recursion& recursion,
           const std::array<std::string, 2>& notes) {
    for (std::size_t column = 0; column < 2; ++column) {
      const LineCount measured = counted_.line(column, recursion);
      items_.add(ItemKind::kTable, item(printed.recursion, column),
                 lines_text(printed.columns[column]), lines_text(measured),
                 measured == printed.columns[column] && counted_.linear(column, recursion),
                 notes[column]);
    }
  }
  // A printed sum beside the sum of the printed rows.
  void sum(const Table2Row& printed, std::string_view of, const std::array<LineCount, 2>& sums,
           const std::array<std::string, 2>& notes) {
    for (std::size_t column = 0; column < 2; ++column) {
      items_.add(ItemKind::kTable,
                 fmt::format("{}, as the sum of {}", item(printed.recursion, column), of),
                 lines_text(printed.columns[column]), lines_text(sums[column]),
                 sums[column] == printed.columns[column], notes[column]);
    }
  }

 private:
  static std::string item(std::string_view recursion, std::size_t column) {
    return fmt::format("Tab. 2, {}, column {}", recursion, column + 1);
  }

  PaperItems& items_;
  const CountedColumns& counted_;
};

void common_rows(Table2& table) {
  const std::span<const Table2Row> rows = kTable2Common;
  table.row(
      row_of(rows, "P"), [](const Stages& s) { return s.P; },
      {"a link: 15M 15A to eliminate the joint, 48M for two planar turns of P, 18M for shifts "
       "along x and z where a full l takes 42M, 15A for M(k); P of the base link is not formed",
       "a link: 15M to eliminate, 20M to turn about z, 10M to shift along x; 13A of the 72A only "
       "rename elements at a right angle or are multiplied by d = 0"});
  table.row(row_of(rows, "G"), [](const Stages& s) { return s.G; },
            {"5 divisions a link; G of the base link is in no equation",
             "and that of the tip is made of constants"});
  table.row(row_of(rows, "V⁺"), [](const Stages& s) { return s.V_plus; },
            {"two shifts along axes, 4M 4A, for l̃ ω with a full l, 6M 6A", ""});
  table.row(
      row_of(rows, "V"), [](const Stages& s) { return s.V; },
      {"the same a link: two vectors turned by two planar turns, and θ̇; the first two links start "
       "from the axis of the base joint seen from the second, a constant but for one turn",
       "the same a link; the start as in column 1"});
  table.row(row_of(rows, "z"), [](const Stages& s) { return s.z; },
            {"two shifts along axes, 4M 4A, for l̃ F with a full l, 6M 6A", ""});
  table.row(row_of(rows, "Ψ"), [](const Stages&) { return OperationCount{}; },
            {"Ψ is never a matrix: what it is applied to goes through τ̄, then through the two "
             "planar steps of Φ A",
             "as in column 1"});
  table.row(row_of(rows, "b"), [](const Stages& s) { return s.b; },
            {"the same a link; the base link gives its weight only, 42M 33A fewer than 59M 40A",
             "the same a link"});
  table.row(rows_together(rows, "X and λ̇", {"X", "λ̇"}), [](const Stages& s) { return s.lambda; },
            {"a link: X + X* at once 14M 24A, τ̄ λ̇ τ̄* as a product of rank two 32M 36A, Φ A … A⁻¹ "
             "Φ* as for P 66M 68A; no product with the matrix Ψ",
             "as in column 1, the step 30M 42A"});
  table.row(kTable2Subtotal, [](const Stages& s) { return s.common(); },
            {"the rows above together; the printed additions are a misprint for 345N-180",
             "the rows above together"});
}

void normalized_rows(Table2& table) {
  const std::span<const Table2Row> rows = kTable2Normalized;
  table.row(row_of(rows, "θ̇"), [](const Stages& s) { return s.root + s.xi; },
            {"θ̇ is the state here: ξ = θ̇ + G* A⁻¹ V⁺, 5M 6A a link, and N roots D^½; no D^-½ at ν",
             "as in column 1"});
  table.row(rows_together(rows, "normalized, ε and z⁺", {"ε", "z⁺"}),
            [](const Stages& s) { return s.epsilon; },
            {"D^½ ε is τ - H z and is not formed again, 2M 2A a link; the component along the "
             "axis, τ itself, is added here, 1A; the first two links and the tip cost less",
             "as in column 1; D^½ ε saves 1M 1A a link, the axis costs 1A"});
  table.row(rows_together(rows, "y and C(θ,ν)", {"y", "C(θ,ν)"}),
            [](const Stages& s) { return s.y_nu; },
            {"u = ½ (y + λ̇ V) in place of y: the two products with λ̇, 36M 30A each, cancel but for "
             "one component. A link: τ̄ u 6M 6A, Φ A u 20M 12A, X V 28M 20A, X* V 28M 18A, λ̇ H* ξ "
             "and the half of the bracket 12M, ½ (λ̇ H*)* V 7M 6A, /D^½ 1M, sums 24A",
             "as in column 1, Φ A u 10M 6A"});
  table.row(row_of(rows, "ν̇"), [](const Stages& s) { return s.nu_rate; }, {"", ""});
  table.row(kTable2NormalizedPart, [](const Stages& s) { return s.normalized_part(); },
            {"the rows above together", "the rows above together"});
  table.row(kTable2NormalizedTotal,
            [](const Stages& s) { return s.common() + s.normalized_part(); },
            {"for the reasons given row by row", "for the reasons given row by row"});
}

void unnormalized_rows(Table2& table) {
  const std::span<const Table2Row> rows = kTable2Unnormalized;
  Table2Row theta = row_of(rows, "θ̇");
  theta.recursion = "θ̇, unnormalized";
  table.row(theta, [](const Stages& s) { return s.root + s.xi; },
            {"ξ = θ̇ + G* A⁻¹ V⁺ here, 5M 6A a link; the printed 5A take V along the axis as ξ less "
             "five products. The N roots D^½ are taken with P although only ν needs them",
             "as in column 1"});
  table.row(rows_together(rows, "unnormalized, κ and z⁺", {"κ", "z⁺"}),
            [](const Stages& s) { return s.kappa; },
            {"the same multiplications a link; the component along the axis, τ itself, is added "
             "here, 1A; the first two links and the tip cost less",
             "43N is a misprint for 13N, which is measured too; the rest as in column 1"});
  table.row(rows_together(rows, "y and C(θ,ξ)", {"y", "C(θ,ξ)"}),
            [](const Stages& s) { return s.y_xi; },
            {"a link: τ̄ y 6M 6A, Φ A y 20M 12A, X V 28M 20A, λ̇ H* ξ 6M, three sums 18A; the paper "
             "has one product fewer and 5A more, and Ψ beside it",
             "as in column 1, Φ A y 10M 6A"});
  table.row(row_of(rows, "ξ̇"), [](const Stages& s) { return s.xi_rate; }, {"", ""});
  table.row(kTable2UnnormalizedPart, [](const Stages& s) { return s.unnormalized_part(); },
            {"the rows above together", "the rows above together"});
  table.row(kTable2UnnormalizedTotal,
            [](const Stages& s) { return s.common() + s.unnormalized_part(); },
            {"the rows above together", "the rows above together"});
}

void totals_of_six(PaperItems& items, const CountedColumns& counted) {
  for (std::size_t column = 0; column < 2; ++column) {
    const Stages& s = counted.six(column);
    const char* note =
        column == 0 ? "the totals above at N = 6" : "the dearer case of column 2, no twist of 0°";
    items.count(ItemKind::kTable, fmt::format("Tab. 2, normalized, column {}, N = 6", column + 1),
                kTable2NormalizedTotal.columns[column](6.0), s.common() + s.normalized_part(),
                note);
    items.count(ItemKind::kTable, fmt::format("Tab. 2, unnormalized, column {}, N = 6", column + 1),
                kTable2UnnormalizedTotal.columns[column](6.0), s.common() + s.unnormalized_part(),
                note);
  }
}

void printed_sums(Table2& table) {
  const auto both = [](auto sum) { return std::array<LineCount, 2>{sum(0), sum(1)}; };
  table.sum(kTable2Subtotal, "its printed rows",
            both([](std::size_t c) { return sum_of(kTable2Common, c); }),
            {"354N is a misprint for 345N: the total needs 345N too", ""});
  table.sum(kTable2NormalizedPart, "its printed rows",
            both([](std::size_t c) { return sum_of(kTable2Normalized, c); }), {"", ""});
  table.sum(kTable2NormalizedTotal, "the printed rows", both([](std::size_t c) {
              return sum_of(kTable2Common, c) + sum_of(kTable2Normalized, c);
            }),
            {"", ""});
  table.sum(kTable2UnnormalizedPart, "its printed rows",
            both([](std::size_t c) { return sum_of(kTable2Unnormalized, c); }),
            {"", "43N in z⁺ is a misprint for 13N: with 13N the rows give 66N-83"});
  table.sum(kTable2UnnormalizedTotal, "the printed rows", both([](std::size_t c) {
              return sum_of(kTable2Common, c) + sum_of(kTable2Unnormalized, c);
            }),
            {"", "by the same misprint, 43N for 13N"});
}

double all_operations(const PrintedCount& count) { return count.multiplications + count.additions; }

void inverse_dynamics(PaperItems& items, const CountedColumns& counted) {
  const Recursion recursion = [](const Stages& s) { return s.inverse_dynamics; };
  const std::array<const char*, 2> names = {"section 6, inverse dynamics, general arm",
                                            "section 6, inverse dynamics, right angles"};
  const std::array<const char*, 2> notes = {
      "M a link of rnea: motion 38, own force and moment 33, inward 20; of (38) in spatial terms: "
      "V 22, α with a 26, b without weight 42, M α 24, inward 22, 136 together. The tensor of "
      "angular acceleration stands for b and M α, and no v is formed",
      "the same recursion, all axes at right angles to the next"};
  for (std::size_t column = 0; column < 2; ++column) {
    const LineCount measured = counted.line(column, recursion);
    items.add(ItemKind::kTable, names[column], lines_text(kInverseDynamics[column]),
              lines_text(measured), measured == kInverseDynamics[column], notes[column]);
  }
  items.add(ItemKind::kClaim,
            "section 6: slightly slower than the fastest, which knows one side of a joint",
            "N = 6: 691M 519A, right angles 507M 420A",
            fmt::format("{}, right angles {}", text(PrintedCount(recursion(counted.six(0)))),
                        text(PrintedCount(recursion(counted.six(1))))),
            all_operations(recursion(counted.six(0))) < all_operations(kInverseDynamics[0](6.0)),
            "the paper gives no figures of Khosla's; rnea stands for the one-sided form");
}

// ---- Tab. 3

std::string formula_text(const Table3Row& row) {
  const auto mixed = [](double x) -> std::string {
    const double whole = std::trunc(x), part = std::abs(x - whole);
    const char* fraction = part < 0.1 ? "" : part < 0.2 ? "⅙" : part < 0.4 ? "⅓" : "½";
    return whole == 0.0 ? fraction : fmt::format("{:.0f}{}", whole, fraction);
  };
  std::string out;
  if (row.cube != 0.0) out += mixed(row.cube) + " N³ + ";
  if (row.square != 0.0) out += mixed(row.square) + " N² + ";
  return out + fmt::format("{} N - {:.0f}", mixed(row.linear), -row.constant);
}

void table_3(PaperItems& items, const CountedColumns& counted) {
  for (const Table3Row& row : kTable3) {
    const double six = row(6.0), twelve = row(12.0);
    std::string note = "another author's method, by its printed formula";
    if (row.method.starts_with("3rd")) note = "⅓ N³ gives the printed figures, see the misprints";
    if (row.method.starts_with("4th"))
      note = "neither figure is that of the formula, see the misprints";
    if (row.method.ends_with("of motion")) note = "the totals of Tab. 2";
    items.add(
        ItemKind::kTable, fmt::format("Tab. 3, {}", row.method),
        fmt::format("{}; N = 6: {}, N = 12: {}", formula_text(row), row.printed[0], row.printed[1]),
        fmt::format("by the formula {:.0f}, {:.0f}", six, twelve),
        std::abs(six - row.printed[0]) < 0.5 && std::abs(twelve - row.printed[1]) < 0.5, note);
  }
  const std::array<Recursion, 2> ours = {
      [](const Stages& s) { return s.common() + s.normalized_part(); },
      [](const Stages& s) { return s.common() + s.unnormalized_part(); }};
  for (std::size_t i = 0; i < 2; ++i) {
    const Table3Row& row = kTable3[8 + i];
    const double six = all_operations(ours[i](counted.six(0))),
                 twelve = all_operations(ours[i](counted.twelve(0)));
    items.add(ItemKind::kTable, fmt::format("Tab. 3, {}, as it runs", row.method),
              fmt::format("{}; {}, {}", formula_text(row), row.printed[0], row.printed[1]),
              fmt::format("{:.0f}N{:+.0f}; {:.0f}, {:.0f}", (twelve - six) / 6.0,
                          2.0 * six - twelve, six, twelve),
              six == row.printed[0] && twelve == row.printed[1],
              "fewer, by the rows of Tab. 2 above: planar steps, no matrix Ψ, λ̇ V cancelled");
  }
}

void claims_on_table_3(PaperItems& items, const CountedColumns& counted) {
  const double ours = all_operations(counted.six(0).common() + counted.six(0).normalized_part());
  const auto at_6 = [](std::size_t row) { return kTable3[row](6.0); };
  items.add(
      ItemKind::kClaim, "section 6: comparable to Walker and Orin, better than their 1st and 4th",
      "N = 6: 5900 < 5920, 5967", fmt::format("{:.0f} < {:.0f}, {:.0f}", ours, at_6(1), at_6(4)),
      ours < at_6(1) && ours < at_6(4) && ours > at_6(3),
      "as it runs it is also below their 2nd (4000), above their 3rd (2882)");
  items.add(ItemKind::kClaim, "section 1: not as fast as Brandl et al.", "N = 6: 5900 > 2400",
            fmt::format("{:.0f} > {:.0f}", ours, at_6(5)), ours > at_6(5));
  const auto cheapest = [](double N) {
    return std::ranges::min_element(kTable3, {}, [N](const Table3Row& row) { return row(N); })
        ->method;
  };
  items.add(ItemKind::kClaim, "section 6: most efficient are Kalman filtering and Brandl et al.",
            "2359 and 2400 at N = 6, 5221 and 5220 at N = 12",
            fmt::format("least at 6: {}; at 12: {}", cheapest(6.0), cheapest(12.0)),
            cheapest(6.0).starts_with("Kalman") && cheapest(12.0).starts_with("Brandl"));
  const auto total = [](const Table2Row& row, std::size_t column) {
    return row.columns[column].multiplications + row.columns[column].additions;
  };
  const Line general = total(kTable2NormalizedTotal, 0), right = total(kTable2NormalizedTotal, 1);
  items.add(ItemKind::kClaim, "section 6: FLOPS in all, general arm and right angles",
            "1135N-910, 782N-740",
            fmt::format("{}, {} by the printed totals", line_text(general), line_text(right)),
            general == Line{1135, -910} && right == Line{782, -740});
}

// Φ A P A⁻¹ Φ* as the product of matrices and as it runs, of a general arm.
void planar_steps(PaperItems& items) {
  const CountedArm arm(arm_of_column(0, 3));
  const Links<Counted> links(arm.model, arm.joints(), arm.rates);
  const Articulated<Counted> at(links);
  const Mat6<Counted> Phi = at(2).Phi, P = at(1).P;
  Mat6<Counted> carried;
  const PrintedCount matrices = CountedArm::count(CountingRule::kGeneral, [&] {
    const Mat6<Counted> once = Phi * P;
    carried = once * Phi.transpose();
  });
  Udut<Counted> udut(arm.model);
  (void)udut.factorise(arm.model, arm.joints());
  SpatialSym<Counted> eliminated = udut.link(2).eliminated();
  const PrintedCount planar = CountedArm::count(CountingRule::kGeneral, [&] {
    udut.link(2).step.to_parent(eliminated, udut.link(2).step.hinge);
  });
  items.add(ItemKind::kClaim, "section 6: customising and two planar turns save much",
            "significantly fewer operations",
            fmt::format("Φ A P A⁻¹ Φ*: {} by 6 x 6 matrices, {} by planar steps", text(matrices),
                        text(planar)),
            all_operations(planar) < 0.25 * all_operations(matrices));
}

void claims_on_costs(PaperItems& items, const CountedColumns& counted) {
  const std::array<Recursion, 2> both = {
      [](const Stages& s) { return s.common() + s.normalized_part(); },
      [](const Stages& s) { return s.common() + s.unnormalized_part(); }};
  items.add(ItemKind::kClaim, "section 6: both algorithms are O(N)", "O(N)",
            "counts of 6, 9 and 12 links lie on one line, in both columns",
            counted.linear(0, both[0]) && counted.linear(0, both[1]) &&
                counted.linear(1, both[0]) && counted.linear(1, both[1]));
  const double P = counted.line(0, [](const Stages&s) { return s.P; }).multiplications.slope,
               lambda =
                   counted.line(0, [](const Stages&s) { return s.lambda; }).multiplications.slope;
  items.add(ItemKind::kClaim, "section 2, 6: λ̇ costs more than P",
            "(18 + 159)/101 = 1.8 times, M a link",
            fmt::format("{}/{} = {:.1f} times", lambda, P, lambda / P), lambda > P);
  planar_steps(items);
  const auto recursive = [&](const Stages& s) { return all_operations(s.y_nu); };
  const auto by_components = [&](const Stages& s) { return all_operations(s.components); };
  items.add(
      ItemKind::kClaim, "section 6: the component form (48) is less efficient than the recursion",
      "less efficient",
      fmt::format("{:.0f} against {:.0f} operations at N = 6, {:.0f} against {:.0f} at N = 12",
                  by_components(counted.six(0)), recursive(counted.six(0)),
                  by_components(counted.twelve(0)), recursive(counted.twelve(0))),
      by_components(counted.six(0)) > recursive(counted.six(0)) &&
          by_components(counted.twelve(0)) > recursive(counted.twelve(0)),
      "column by column of the matrix, O(N²), and the bias forces are not yet in it");
}

}  // namespace kozlowski_paper

void kozlowski_costs(PaperItems& items) {
  using namespace kozlowski_paper;
  const CountedColumns counted;
  inverse_dynamics(items, counted);
  Table2 table(items, counted);
  common_rows(table);
  normalized_rows(table);
  unnormalized_rows(table);
  totals_of_six(items, counted);
  printed_sums(table);
  claims_on_costs(items, counted);
  table_3(items, counted);
  claims_on_table_3(items, counted);
}

}  // namespace dyn::tool
