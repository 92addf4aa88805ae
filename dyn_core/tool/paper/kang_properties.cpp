// Kang, section 3: the properties of [I*] and [P*], and the elements that are independent.
#include <cmath>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "dyn_core/papers/kang/printed.hpp"
#include "kang.hpp"

namespace dyn::tool {
namespace {

using Older = kang::OlderAlgorithm<double>;

/// P1, P2 and P3 of (10) by their indices, 1 … n as in the paper.
struct KangTerms {
  explicit KangTerms(const Older& older_in) : older(older_in), n(older.links().size()) {}
  [[nodiscard]] double P1(Index i, Index j, Index k) const { return of(older.P1(), i, j, k); }
  [[nodiscard]] double P2(Index i, Index j, Index k) const { return of(older.P2(), i, j, k); }
  [[nodiscard]] double P3(Index i, Index j, Index k) const { return of(older.P3(), i, j, k); }
  [[nodiscard]] static double of(const KangArray& P, Index i, Index j, Index k) {
    return P[static_cast<std::size_t>(i - 1)](j - 1, k - 1);
  }
  const Older& older;
  Index n;
};

// The largest |law(terms, i, j, k)| over all i, j, k where `where(i, j, k)`, beside the largest element.
template <class Where, class Law>
double kang_law(Where where, Law law) {
  return kang_worst_of<Older>([&](const Older& older, const KangState&) {
    const KangTerms P(older);
    double worst = 0.0, size = kKangSmall;
    for (Index i = 1; i <= P.n; ++i) {
      for (Index j = 1; j <= P.n; ++j) {
        for (Index k = 1; k <= P.n; ++k) {
          size = std::max(
              {size, std::abs(P.P1(i, j, k)), std::abs(P.P2(i, j, k)), std::abs(P.P3(i, j, k))});
          if (where(i, j, k)) worst = std::max(worst, std::abs(law(P, i, j, k)));
        }
      }
    }
    return worst / size;
  });
}

constexpr auto kEverywhere = [](Index, Index, Index) { return true; };

void kang_inertia_properties(PaperItems& items) {
  double least = 1.0;
  const double asymmetry = kang_worst_of<Older>([&](const Older& older, const KangState&) {
    const VecXd eigenvalues = older.I().selfadjointView<Eigen::Lower>().eigenvalues();
    least = std::min(least, eigenvalues[0] / eigenvalues[eigenvalues.size() - 1]);
    return kang_apart(older.I(), older.I().transpose());
  });
  items.add(ItemKind::kEquation, "(P1)", "[I*] is positive definite",
            fmt::format("smallest eigenvalue over largest: {:.1e} at least", least), least > 0.0);
  items.identity(ItemKind::kEquation, "(P2)", "[I*]_jk = [I*]_kj", asymmetry);
}

void kang_first_term(PaperItems& items) {
  items.identity(ItemKind::kEquation, "(P3)", "[P1]_ij;k = [P1]_ik;j",
                 kang_law(kEverywhere, [](const KangTerms& P, Index i, Index j, Index k) {
                   return P.P1(i, j, k) - P.P1(i, k, j);
                 }));
  const auto where = [](Index i, Index j, Index k) { return j <= k && k < i; };
  kang_misprint(items, "(P4)", "[P1]_ij;k = -[P1]_jk;i, j ≤ k < i",
                "-[P1]_kj;i, first two indices the other way round",
                kang_law(where, [](const KangTerms& P, Index i, Index j,
                                   Index k) { return P.P1(i, j, k) + P.P1(j, k, i); }),
                kang_law(where, [](const KangTerms& P, Index i, Index j,
                                   Index k) { return P.P1(i, j, k) + P.P1(k, j, i); }),
                "both tried on every element of (10)");
  items.identity(
      ItemKind::kEquation, "(P5)", "[P1]_ij;k = 0 for i = k, j ≤ i and for i = j, k ≤ i",
      kang_law([](Index i, Index j, Index k) { return (i == k && j <= i) || (i == j && k <= i); },
               [](const KangTerms& P, Index i, Index j, Index k) { return P.P1(i, j, k); }));
}

void kang_other_terms(PaperItems& items) {
  const auto P2 = [](const KangTerms& P, Index i, Index j, Index k) { return P.P2(i, j, k); };
  kang_misprint(items, "(P6)", "[P2]_ij;k = 0 for j ≤ k", "for j ≥ k",
                kang_law([](Index, Index j, Index k) { return j <= k; }, P2),
                kang_law([](Index, Index j, Index k) { return j >= k; }, P2),
                "[H^k]_jk of the rotation is 0 for j ≥ k, Appendix 1");
  items.identity(ItemKind::kEquation, "(P7)", "[P3]_ij;k = -[P3]_ji;k",
                 kang_law(kEverywhere, [](const KangTerms& P, Index i, Index j, Index k) {
                   return P.P3(i, j, k) + P.P3(j, i, k);
                 }));
  items.identity(
      ItemKind::kEquation, "(P8)", "[P3]_ij;k = 0 for i = j",
      kang_law([](Index i, Index j, Index) { return i == j; },
               [](const KangTerms& P, Index i, Index j, Index k) { return P.P3(i, j, k); }));
}

void kang_dependencies(PaperItems& items) {
  const auto inner = [](Index i, Index j, Index k) { return k < j && i < j; };
  kang_misprint(items, "(P9)", "[P3]_ij;k = -[P2]_ki;j, k < j, i < j",
                "[P2]_ki;j without the minus",
                kang_law(inner, [](const KangTerms& P, Index i, Index j,
                                   Index k) { return P.P3(i, j, k) + P.P2(k, i, j); }),
                kang_law(inner, [](const KangTerms& P, Index i, Index j,
                                   Index k) { return P.P3(i, j, k) - P.P2(k, i, j); }),
                "with the minus (P7) and (P10) contradict it");
  const auto law = [](const KangTerms& P, Index i, Index j, Index k) {
    return P.P3(j, i, k) + P.P2(k, i, j);
  };
  kang_misprint(items, "(P10)", "[P3]_ji;k = -[P2]_ki;j, j < k < i", "the same for i < j, k ≤ j",
                kang_law([](Index i, Index j, Index k) { return j < k && k < i; }, law),
                kang_law([](Index i, Index j, Index k) { return i < j && k <= j; }, law),
                "for j < i the right side is 0 by (P6) and the left is not");
  const double off = kang_law(
      [](Index i, Index j, Index k) { return i < j && j < k; },
      [](const KangTerms& P, Index i, Index j, Index k) { return P.P2(k, i, j) - P.P3(i, j, k); });
  items.add(ItemKind::kErratum, "between (P6) and (P9)",
            "the full [P*] follows from the independent elements by (P3)-(P10)",
            fmt::format("needed too: [P2]_ki;j = [P3]_ij;k, i < j < k, off by {:.0e}",
                        std::max(off, 1e-16)),
            false, "[P2] with the largest index first is given by no printed property");
}

// ---- the independent elements -------------------------------------------------------------------

constexpr Index kSix = 6;

// The dimension of what all six-joint arms' arrays span.
template <class Flat>
Index kang_rank(Index size, Flat flat) {
  constexpr Index kArms = 150;
  MatXd samples(size, kArms);
  for (Index arm = 0; arm < kArms; ++arm) {
    const auto seed = static_cast<std::uint64_t>(arm + 1);
    const KangState state(random_chain(kSix, seed), seed);
    Older older(state.model);
    older.update(state.model, state.poses);
    samples.col(arm) = flat(older);
  }
  Eigen::ColPivHouseholderQR<MatXd> decomposed(samples);
  decomposed.setThreshold(1e-9);
  return decomposed.rank();
}

VecXd kang_flat(const KangArray& P) {
  VecXd flat(kSix * kSix * kSix);
  for (Index i = 0; i < kSix; ++i) {
    flat.segment(i * kSix * kSix, kSix * kSix) = P[static_cast<std::size_t>(i)].reshaped();
  }
  return flat;
}

// Elements that STEP 4 and STEP 6 evaluate, as little squares.
Curve kang_square(std::string label, double x, double y) {
  const double d = 0.38;
  return {.label = std::move(label),
          .x = {x - d, x + d, x + d, x - d, x - d},
          .y = {y - d, y - d, y + d, y + d, y - d}};
}

// Room at the sides, without a line.
Curve kang_margin(std::string label, double from, double to) {
  const double none = std::nan("");
  return {.label = std::move(label), .x = {from, to}, .y = {none, none}};
}

void kang_figure_1(PaperItems& items) {
  Chart chart{.title = "[I*], n = 6",
              .x_label = "k",
              .y_label = "i",
              .curves = {kang_margin("independent", 0.4, 6.6)}};
  const KangState state(random_chain(kSix, 1), 1);
  Older older(state.model);
  older.update(state.model, state.poses);
  int drawn = 0;
  for (Index k = 1; k <= kSix; ++k) {
    for (Index i = 1; i <= k; ++i) {
      if (older.I()(i - 1, k - 1) == 0.0) continue;
      chart.curves.push_back(
          kang_square("independent", static_cast<double>(k), static_cast<double>(i)));
      ++drawn;
    }
  }
  const Index rank =
      kang_rank(kSix * kSix, [](const Older& of) { return VecXd(of.I().reshaped()); });
  const double printed = kang::inertia_elements(6.0);
  items.figure(
      "Fig. 1, independent elements of [I*]",
      fmt::format("i ≤ k; (n² + n)/2 = {:g} of 36 for n = 6", printed),
      fmt::format("{} evaluated; the matrices of 150 arms span {} dimensions", drawn, rank),
      drawn == static_cast<int>(printed) && rank == drawn, {chart}, "row i upwards");
}

void kang_figure_2(PaperItems& items) {
  Chart chart{.title = "[P1*], planes k = 1 … 6 side by side",
              .x_label = "j of plane k, 8 further for each k",
              .y_label = "i",
              .curves = {kang_margin("evaluated", 0.0, 47.0)}};
  const KangState state(random_chain(kSix, 1), 1);
  kang::ModifiedAlgorithm<double> modified(state.model);
  modified.update(state.model, state.poses);
  int evaluated = 0, all = 0;
  for (Index k = 1; k <= kSix; ++k) {
    for (Index i = 1; i <= k; ++i) {
      for (Index j = 1; j <= k; ++j) {
        const bool vanishes = std::abs(KangTerms::of(modified.P1(), i, j, k)) < 1e-12;
        chart.curves.push_back(kang_square(vanishes ? "0 by (P5)" : "evaluated",
                                           static_cast<double>(8 * (k - 1) + j),
                                           static_cast<double>(i)));
        ++all;
        if (!vanishes) ++evaluated;
      }
    }
  }
  const Index rank =
      kang_rank(kSix * kSix * kSix, [](const Older& of) { return kang_flat(of.P1()); });
  const double first = kang::first_power_elements(6.0), each = kang::power_elements(6.0);
  items.figure(
      "Fig. 2, independent elements of [P1*], [P2*], [P3*]",
      fmt::format("i, j ≤ k: (2n³ + 3n² + n)/6 = {:g} of 216 each; {:g} of [P1*] without (P5)",
                  each, first),
      fmt::format("{} with i, j ≤ k, {} of [P1*] not 0; those of 150 arms span {} dimensions", all,
                  evaluated, rank),
      all == static_cast<int>(each) && evaluated == static_cast<int>(first) && rank == evaluated,
      {chart}, "row i upwards");
}

void kang_element_numbers(PaperItems& items) {
  const auto of_sum = [](const Older& older) { return kang_flat(kang_symmetric(older.P())); };
  const auto rank = [](const KangArray& (Older::*term)() const) {
    return kang_rank(kSix * kSix * kSix,
                     [term](const Older& older) { return kang_flat((older.*term)()); });
  };
  items.add(ItemKind::kClaim, "section 3: elements to be evaluated, n = 6",
            "91 each of [P1*], [P2*] and [P3*]: 273",
            fmt::format("spanned: {} of [P1*], {} of [P2*], {} of [P3*]; {} of their symmetric sum",
                        rank(&Older::P1), rank(&Older::P2), rank(&Older::P3),
                        kang_rank(kSix * kSix * kSix, of_sum)),
            {},
            "91 are the elements with i, j ≤ k; zeros by (P5), (P6), (P8) and the halves of (P7) "
            "among them need no evaluation");
}

}  // namespace

void kang_properties(PaperItems& items) {
  kang_inertia_properties(items);
  kang_first_term(items);
  kang_other_terms(items);
  kang_dependencies(items);
  kang_figure_1(items);
  kang_figure_2(items);
  kang_element_numbers(items);
}

}  // namespace dyn::tool
