// Kang: operations. The abstract's rivals and saving, STEP 1-7 one by one, and the conclusion's totals.
#include <array>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "dyn_core/papers/kang/mass_matrix.hpp"
#include "dyn_core/papers/kang/printed.hpp"
#include "dyn_core/study/steps.hpp"
#include "kang.hpp"
#include "measure.hpp"

namespace dyn::tool {
namespace {

double kang_total(PrintedCount count) { return count.multiplications + count.additions; }

// What runs: I* and P* together.
OperationCount kang_both(Index n) {
  const KangSteps steps = count_kang_steps(random_chain(n, 1), CountingRule::kGeneral);
  return std::accumulate(steps.begin(), steps.end(), OperationCount{});
}

// The paper's text, every product of its matrices carried out.
KangSteps kang_steps_of_text(Index n) {
  const CountedArm arm(random_chain(n, 1));
  kang::ModifiedAlgorithm<Counted> text(arm.model);
  const auto count = [](auto step) { return CountedArm::count(CountingRule::kGeneral, step); };
  return {count([&] { text.step_1(arm.model, arm.joints()); }),
          count([&] { text.step_2(arm.model); }),
          count([&] { text.step_3(); }),
          count([&] { text.step_4(); }),
          count([&] { text.step_5(); }),
          count([&] { text.step_6(); }),
          count([&] { text.step_7(); })};
}

OperationCount kang_older_count(Index n, CountingRule rule) {
  const CountedArm arm(random_chain(n, 1));
  kang::OlderAlgorithm<Counted> older(arm.model);
  return CountedArm::count(rule, [&] { older.update(arm.model, arm.joints()); });
}

double kang_older_operations(Index n) {
  return kang_total(kang_older_count(n, CountingRule::kGeneral));
}

// The `order`-th difference of counts from n = 3 on: 0 beyond the degree of the polynomial.
template <class Count>
double kang_difference(int order, Count count, Index n = 3) {
  if (order == 0) return count(n);
  return kang_difference(order - 1, count, n + 1) - kang_difference(order - 1, count, n);
}

Curve kang_growth(std::string label, std::vector<Index> lengths, auto count, bool dashed = false) {
  Curve curve{.label = std::move(label), .x = {}, .y = {}, .dashed = dashed};
  for (const Index n : lengths) {
    curve.x.push_back(static_cast<double>(n));
    curve.y.push_back(count(n));
  }
  return curve;
}

// ---- abstract and section 1 -----------------------------------------------------------------------

void kang_older_rival(PaperItems& items) {
  const OperationCount written = kang_older_count(6, CountingRule::kGeneral);
  const OperationCount without = kang_older_count(6, CountingRule::kCustomised);
  items.add(
      ItemKind::kClaim, "section 1: the older algorithm, n = 6",
      fmt::format("{:g} operations, optimised [10]", kang::kOlderOperations),
      fmt::format("{} = {:g} as written in (9), (10); {} = {:g} without what is 0 or constant",
                  text(written), kang_total(written), text(without), kang_total(without)),
      kang_total(written) == kang::kOlderOperations,
      "(9), (10) as written evaluate n³ elements for every link. The optimised program is a "
      "thesis's and not printed; the paper's figure stands below as its rival");
}

void kang_saving(PaperItems& items) {
  const double printed = 100.0 * (1.0 - kang::kModifiedOperations / kang::kOlderOperations);
  items.add(ItemKind::kClaim, "abstract: saving over the older algorithm, by the paper's figures",
            "44 %", fmt::format("{:.1f} % = 1 - 3362 / 5995", printed),
            std::round(printed) == 100.0 * kang::kSaving);
  const double formula = kang_total(kang::inertia_power_count(6.0));
  items.number(ItemKind::kClaim, "abstract: saving, by the paper's formulas at n = 6, %", "44",
               100.0 * (1.0 - formula / kang::kOlderOperations),
               "1647M 1615A are 3262 operations; the printed 1715A is 100 too many");
  const double measured = kang_total(kang_both(6));
  items.number(
      ItemKind::kClaim, "abstract: saving of what runs here, I* and P*, n = 6, %", "44",
      100.0 * (1.0 - measured / kang::kOlderOperations),
      fmt::format("more is saved: {:g} operations against 5995, 667 fewer than the paper's "
                  "3362, 100 of them the slip, the others step by step below",
                  measured));
}

void kang_efficiency(PaperItems& items) {
  const auto count = [](std::string_view name) {
    return count_operations(random_chain(6, 1), CountingRule::kGeneral, "inverse_dynamics", name);
  };
  const OperationCount newton = count("rnea"), kic = count("kic");
  items.add(ItemKind::kClaim, "section 1: Newton-Euler for inverse dynamics",
            "more computational efficiency and less efficacy",
            fmt::format("{}; by [I*], [P*] and (8) {}, n = 6", text(newton), text(kic)),
            kang_total(newton) < kang_total(kic),
            "the torques alone; [I*] and [P*] are not in them");
}

void kang_orders(PaperItems& items) {
  const auto modified = [](Index n) { return kang_total(kang_both(n)); };
  Chart chart{.title = "operations for I* and P*",
              .x_label = "n",
              .y_label = "multiplications + additions",
              .curves = {},
              .log_y = true};
  const std::vector<Index> few = {2, 3, 4, 5, 6, 8, 10, 12};
  chart.curves = {
      kang_growth("older, (9), (10) as written", few, kang_older_operations),
      kang_growth(
          "modified, printed formula", few,
          [](Index n) { return kang_total(kang::inertia_power_count(static_cast<double>(n))); },
          true),
      kang_growth("modified, measured", few, modified),
      {.label = "older, optimised [10]",
       .x = {5.7, 6.3},
       .y = {kang::kOlderOperations, kang::kOlderOperations}},
      {.label = "Li [4]", .x = {5.7, 6.3}, .y = {kang::kLiOperations, kang::kLiOperations}}};
  items
      .add(ItemKind::kClaim, "section 1: order of the modified algorithm", "O(N³)",
           fmt::format("third differences {:g} = 3! (5/2 + 8/3), fourth {:g}",
                       kang_difference(3, modified), kang_difference(4, modified)),
           kang_difference(4, modified) == 0.0 && kang_difference(3, modified) > 0.0,
           "5/2 n³ multiplications and 8/3 n³ additions; the paper has 3 n³ and 23/6 n³")
      .charts = {chart};
  items.add(
      ItemKind::kClaim, "section 1: order of the older algorithm", "O(N⁴)",
      fmt::format("fourth differences {:g}, fifth {:g}", kang_difference(4, kang_older_operations),
                  kang_difference(5, kang_older_operations)),
      kang_difference(5, kang_older_operations) == 0.0 &&
          kang_difference(4, kang_older_operations) > 0.0);
}

// ---- section 4.1: what is saved -------------------------------------------------------------------

void kang_savings_named(PaperItems& items) {
  const CountedArm arm(random_chain(6, 1));
  kang::PrintedLinks<Counted> links(arm.model);
  links.update(arm.model, arm.joints());
  kang::PrintedLink<Counted> all(6);
  const OperationCount older = CountedArm::count(CountingRule::kGeneral, [&] {
    for (Index k = 0; k < 6; ++k) links.kic().translation(k, links[k].c, all.Gc, all.Hc);
  });
  const KangSteps text_steps = kang_steps_of_text(6);
  const OperationCount modified = text_steps[2] + text_steps[4];
  items.add(
      ItemKind::kClaim, "section 4.1: KICs of mass centres, n = 6",
      "full generation for each link in the older algorithm; a vector and a plane for each body",
      fmt::format("{} before, {} now with the rotations", text(older), text(modified)),
      modified.multiplications < older.multiplications && modified.additions < older.additions,
      "both as written");
  const double sums = 6 * (2 * 36 + 3 * 216);
  const OperationCount whole = kang_older_count(6, CountingRule::kGeneral);
  items.add(ItemKind::kClaim, "section 4.1: adding the links' elements is a major contributor",
            "one of the major contributors to the older algorithm's count",
            fmt::format("n (2n² + 3n³) = {:g} of its {} additions for n = 6: {:.0f} %", sums,
                        whole.additions, 100.0 * sums / static_cast<double>(whole.additions)),
            sums > 0.2 * static_cast<double>(whole.additions));
}

// ---- section 4.2 ----------------------------------------------------------------------------------

constexpr std::array<const char*, 7> kStepWork = {
    "R^k, Q^k, C^k",     "M_k, r_k^c*, [III^k]",         "first order KICs", "[I*]",
    "second order KICs", "independent elements of [P*]", "[P*] from them",
};

constexpr std::array<const char*, 7> kStepReasons = {
    "39M a link, the second 12: 24 for R^k by two planar turns, 6 for Q^k, 9 for m_k r_k^ck. The "
    "printed 51 are 27 for a full product, 6 for the row's matrix, 9 and 9 for two turned vectors",
    "46M a body: 33 for R [II] Rᵀ (16 for the second link) and 13 for (28), (29) about O_k instead "
    "of "
    "c*_k. The printed 84 are 54, 6 for (28) and 2 x 12 for the braces of (29)",
    "M: 6 for each of the n(n-1)/2 products, S^1 free, in both. A: 3 for each difference and 3 for "
    "each product are 3n²-6n+3; the paper's 2n²+4n is more up to n = 9, and less beyond",
    "6M 5A an element off the diagonal: M_k is in P^k of (14) and not multiplied again. The "
    "printed 7M "
    "5A, and 9M 6A for each [III^k] g_k",
    "6 n² - 6: n² products less one, those with S^1 = e_z carried out. The printed 6 (n² - 2n) "
    "leaves out 2n of them; there are 2n - 1",
    "half of [P3*] by (P7) saves 105M 70A, but products with the zeros of S^1 cost more than that "
    "in M",
    "the planes i = k take no addition, their elements being those of inner planes by (S1)-(S3) of "
    "inertia_power.hpp",
};

void kang_each_step(PaperItems& items) {
  const auto printed = kang::step_counts(6.0);
  const KangSteps written = kang_steps_of_text(6);
  const KangSteps run = count_kang_steps(random_chain(6, 1), CountingRule::kGeneral),
                  bare = count_kang_steps(random_chain(6, 1), CountingRule::kCustomised);
  for (std::size_t s = 0; s < printed.size(); ++s) {
    items.count(
        ItemKind::kTable, fmt::format("STEP {}, {}, n = 6", s + 1, kStepWork[s]), printed[s],
        run[s],
        fmt::format("{}. Without what is 0, ±1 or constant: {}; the text with every product "
                    "of its matrices: {}",
                    kStepReasons[s], text(bare[s]), text(written[s])));
  }
  items.count(ItemKind::kTable, "STEP 4, the text as printed, n = 6", printed[3], written[3]);
  items.count(ItemKind::kTable, "STEP 4, the text as printed, n = 12", kang::step_counts(12.0)[3],
              kang_steps_of_text(12)[3]);
}

// "5/2n³+15n²+171/2n-147" of a polynomial given at n = 3 … 6.
std::string kang_polynomial(const Eigen::Vector4d& values) {
  Eigen::Matrix4d powers;
  for (int r = 0; r < 4; ++r) {
    for (int p = 0; p < 4; ++p) powers(r, p) = std::pow(3.0 + r, p);
  }
  const Eigen::Vector4d coefficients = powers.partialPivLu().solve(values);
  constexpr std::array kPowers = {"", "n", "n²", "n³"};
  std::string out;
  for (int p = 3; p >= 0; --p) {
    const long sixths = std::lround(6.0 * coefficients[p]), common = std::gcd(sixths, 6L);
    if (sixths == 0) continue;
    const std::string number = common == 6 ? fmt::format("{:+d}", sixths / 6)
                                           : fmt::format("{:+d}/{}", sixths / common, 6 / common);
    out += number + kPowers[static_cast<std::size_t>(p)];
  }
  return out.starts_with('+') ? out.substr(1) : out;
}

// The formula of a measured count.
template <class Count>
std::string kang_formula(Count count) {
  Eigen::Vector4d multiplications, additions;
  for (int r = 0; r < 4; ++r) {
    const PrintedCount at = count(Index{3} + r);
    multiplications[r] = at.multiplications;
    additions[r] = at.additions;
  }
  return fmt::format("({})M ({})A", kang_polynomial(multiplications), kang_polynomial(additions));
}

void kang_totals(PaperItems& items) {
  const auto inertia = [](Index n) {
    return count_operations(random_chain(n, 1), CountingRule::kGeneral, "mass_matrix", "kic");
  };
  const auto printed_both = [](Index n) {
    return kang::inertia_power_count(static_cast<double>(n));
  };
  const auto printed_inertia = [](Index n) { return kang::inertia_count(static_cast<double>(n)); };
  items.add(ItemKind::kTable, "STEP 1-4, [I*], formula", kang_formula(printed_inertia),
            kang_formula(inertia), kang_formula(printed_inertia) == kang_formula(inertia),
            "the moments of all bodies are about one point, which makes STEP 3 linear in n, and "
            "STEP 1 and 2 are cheaper");
  for (const Index n : {6, 12, 30}) {
    items.count(ItemKind::kTable, fmt::format("STEP 1-4, [I*], n = {}", n), printed_inertia(n),
                inertia(n), "by the formulas of the row above, n put in");
  }
  items.add(ItemKind::kTable, "STEP 1-7, [I*] and [P*], formula", kang_formula(printed_both),
            kang_formula(kang_both), kang_formula(printed_both) == kang_formula(kang_both),
            "the sum of the steps: half of [P3*] and the planes i = k save the cubic part, STEP 1 "
            "and 2 the linear one");
  for (const Index n : {6, 12, 30}) {
    items.count(ItemKind::kTable, fmt::format("STEP 1-7, [I*] and [P*], n = {}", n),
                printed_both(n), kang_both(n),
                "like with like, both with [I*]: the formulas of the row above, n put in");
  }
  items.count(ItemKind::kTable, "[P*] without [I*], n = 6", kang::power_count(6.0),
              count_operations(random_chain(6, 1), CountingRule::kGeneral, "coriolis", "kic"),
              "the printed count less 7M 5A for each of the (n² + n)/2 elements of STEP 4; this is "
              "what `dyn count` compares under coriolis");
}

void kang_slips(PaperItems& items) {
  double additions = 0.0;
  for (const PrintedCount& step : kang::step_counts(6.0)) additions += step.additions;
  items.add(ItemKind::kErratum, "section 4.2: additions, n = 6", "1715",
            fmt::format("{:g} by the printed formula, {:g} by the steps",
                        kang::inertia_power_count(6.0).additions, additions),
            kang::inertia_power_count(6.0).additions == kang::kInertiaPowerOfSix.additions,
            "the formula evaluated; its term 691/6 n should be 697/6 n for the steps to add up");
  items.add(
      ItemKind::kErratum, "section 5: total operations, n = 6", "3363, and 3362 in section 1",
      fmt::format("1647 + 1715 = {:g}; {:g} by the formulas", kang_total(kang::kInertiaPowerOfSix),
                  kang_total(kang::inertia_power_count(6.0))),
      kang_total(kang::kInertiaPowerOfSix) == kang::kModifiedOperationsConcluded,
      "the sum of the conclusion's own figures, which contain the 100 additions too many");
  items.add(ItemKind::kErratum, "STEP 4, STEP 5", "[I*] by (22); [H^c*]_k named twice",
            "(23), (24); [H^c*]_k and [H^k]_k", false,
            "(22) is the load, which contains (23) and (24); STEP 6 needs the rotational KICs too");
}

// The older algorithm and the running one by turns.
void kang_real_time(PaperItems& items) {
  const KangState s(random_chain(6, 1), 1);
  kang::OlderAlgorithm<double> older(s.model);
  InertiaPower<double> power(s.model);
  MatXd I(s.n, s.n);
  KangArray P(static_cast<std::size_t>(s.n), I);
  double before = 1e9, now = 1e9;
  for (int round = 0; round < 5; ++round) {
    before = std::min(before, shortest_time(20, [&] { older.update(s.model, s.poses); }));
    now =
        std::min(now, shortest_time(20, [&] { power.inertia_and_power(s.model, s.poses, I, P); }));
  }
  items
      .add(ItemKind::kClaim, "section 5: more appropriate for real time, n = 6",
           "more appropriate than the older algorithm",
           fmt::format("{:.1f} µs against {:.1f} µs for [I*] and [P*]", 1e6 * now, 1e6 * before),
           now < before, "the older algorithm as written")
      .timed = true;
}

void kang_conclusion(PaperItems& items) {
  const OperationCount run = kang_both(6);
  items.count(ItemKind::kClaim, "section 5: multiplications and additions, n = 6",
              kang::kInertiaPowerOfSix, run, "201M fewer, 366A fewer than the formula's 1615A");
  const double ratio = kang_total(run) / kang::kLiOperations;
  items.add(
      ItemKind::kClaim, "section 5: comparable to the most efficient, Li [4], n = 6",
      fmt::format("{:g} against {:g}: {:.2f} times", kang::kModifiedOperationsConcluded,
                  kang::kLiOperations, kang::kModifiedOperationsConcluded / kang::kLiOperations),
      fmt::format("{:g} against {:g}: {:.2f} times", kang_total(run), kang::kLiOperations, ratio),
      ratio < 1.5,
      "Li's figure is the printed one, his program is not at hand; here the whole [P*] is formed");
}

}  // namespace

void kang_abstract(PaperItems& items) {
  kang_saving(items);
  kang_efficiency(items);
  kang_orders(items);
  kang_older_rival(items);
}

void kang_steps(PaperItems& items) {
  kang_savings_named(items);
  kang_each_step(items);
  kang_totals(items);
  kang_slips(items);
  kang_conclusion(items);
  kang_real_time(items);
}

}  // namespace dyn::tool
