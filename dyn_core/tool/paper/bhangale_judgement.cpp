// Bhangale 2004, what is chosen and why: computing times, the judgements of sections 4 and 5, the
// conclusions.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "bhangale.hpp"
#include "dyn_core/papers/bhangale_2004/printed.hpp"
#include "dyn_core/solver.hpp"
#include "dyn_core/study/select.hpp"
#include "measure.hpp"

namespace dyn::tool::bhangale_2004 {
namespace {

using dyn::bhangale::PrintedArm;

double operations(PrintedCount gim, PrintedCount mci) {
  return gim.multiplications + gim.additions + mci.multiplications + mci.additions;
}
double operations(const ArmAssessment& arm) { return operations(arm.gim, arm.mci); }

struct Pair {
  const char* table;
  std::array<PrintedArm, 2> printed;  // the paper's choice first
  std::vector<ArmAssessment> arms;
};

Pair assessed(const char* table, const std::array<PrintedArm, 2>& printed) {
  SelectionOptions options;
  options.samples = 10'000;
  std::vector<ChainPtr> chains;
  chains.reserve(printed.size());
  for (const PrintedArm& arm : printed) chains.push_back(robot_of_the_suite(arm.robot));
  return {table, printed, assess(chains, options)};
}

void times(PaperItems& items, const Pair& pair, const std::string& why) {
  for (std::size_t k = 0; k < 2; ++k) {
    const ArmAssessment& arm = pair.arms[k];
    items
        .add(ItemKind::kTable,
             fmt::format("{}, {}, computing time", pair.table, pair.printed[k].name),
             fmt::format("{} s", pair.printed[k].seconds),
             fmt::format("{:.3g} ± {:.1g} µs a torque", arm.microseconds, arm.microseconds_error),
             {}, "theirs MATLAB on a Pentium III, the whole trajectory")
        .timed = true;
  }
  const ArmAssessment &first = pair.arms[0], &second = pair.arms[1];
  const bool tie = std::abs(first.microseconds - second.microseconds) <=
                   first.microseconds_error + second.microseconds_error;
  const double seconds =
      std::atof(pair.printed[0].seconds.data()) / std::atof(pair.printed[1].seconds.data());
  items
      .add(ItemKind::kTable,
           fmt::format("{}, computing time {} : {}", pair.table, pair.printed[0].name,
                       pair.printed[1].name),
           fmt::format("{:.2f}", seconds),
           fmt::format("{:.2f}{}", first.microseconds / second.microseconds, tie ? ", a tie" : ""),
           tie || first.microseconds < second.microseconds, why)
      .timed = true;
}

void complexity(PaperItems& items, const Pair& pair, const std::string& why) {
  const auto& [a, b] = pair.printed;
  const double own_a = operations(pair.arms[0]), own_b = operations(pair.arms[1]);
  items.add(ItemKind::kClaim, fmt::format("{}, fewer operations: GIM and MCI together", pair.table),
            fmt::format("{} {}, {} {}", a.name, operations(a.gim, a.mci), b.name,
                        operations(b.gim, b.mci)),
            fmt::format("{} {}, {} {}", a.name, own_a, b.name, own_b), own_a < own_b, why);
}

// How many elements of `M` differ between two postures, and how many of C are not zero.
std::string varying_elements(const ChainPtr& chain) {
  Solver solver = require(Solver::make(chain, {.coriolis = "mci"}));
  const Index n = solver.dof();
  MatXd one(n, n), other(n, n), C(n, n);
  const VecXd q = VecXd::Constant(n, 0.4), qd = VecXd::Constant(n, 0.7);
  require(solver.mass_matrix(q, one), "mass matrix");
  require(solver.mass_matrix(VecXd(2.0 * q), other), "mass matrix");
  require(solver.coriolis_matrix(q, qd, C), "Coriolis matrix");
  const auto more_than_rounding = [](const MatXd& m) {
    return (m.array().abs() > 1e-9 * (1.0 + m.cwiseAbs().maxCoeff())).count();
  };
  return fmt::format("{} of I vary, {} of C are not zero", more_than_rounding(one - other),
                     more_than_rounding(C));
}

void what_varies(PaperItems& items, const Pair& pair) {
  std::string measured;
  for (const PrintedArm& arm : pair.printed) {
    measured += fmt::format("{}{}: {}", measured.empty() ? "" : "; ", arm.name,
                            varying_elements(robot_of_the_suite(arm.robot)));
  }
  items.add(ItemKind::kClaim, fmt::format("{}: what there is to compute", pair.table), "not said",
            measured, {}, "of four elements each, as `mci` forms C");
}

void judgement(PaperItems& items, const Pair& pair, const char* where, const std::string& why) {
  SelectionWeights proposed;
  proposed.workspace = proposed.manipulability = proposed.condition = proposed.torque = 0.0;
  const auto first = [&](const SelectionWeights& weights) {
    const Ranking ranking = rank(pair.arms, weights);
    return std::pair{ranking.places[0].arm, ranking.places[0].score};
  };
  const auto [by_proposed, proposed_score] = first(proposed);
  items
      .add(ItemKind::kClaim, fmt::format("{}: chosen by complexity and time", where),
           std::string(pair.printed[0].name),
           fmt::format("{}, score {:.2f}", pair.printed[by_proposed].name, proposed_score),
           by_proposed == 0, why)
      .timed = true;
  SelectionWeights four;
  four.condition = four.torque = 0.0;
  const auto [by_four, four_score] = first(four);
  items
      .add(ItemKind::kClaim, fmt::format("{}: chosen by all four criteria", where),
           std::string(pair.printed[0].name),
           fmt::format("{}, score {:.2f}", pair.printed[by_four].name, four_score), by_four == 0)
      .timed = true;
}

// Printed times over printed operations, and ours: that time follows operations.
void time_follows_operations(PaperItems& items, const Pair& planar, const Pair& spatial) {
  std::string printed, own;
  for (const Pair* pair : {&planar, &spatial}) {
    for (std::size_t k = 0; k < 2; ++k) {
      const PrintedArm& arm = pair->printed[k];
      const ArmAssessment& ours = pair->arms[k];
      const double theirs = 1e3 * std::atof(arm.seconds.data()) / operations(arm.gim, arm.mci);
      printed += fmt::format("{}{} {:.1f}", printed.empty() ? "" : ", ", arm.name, theirs);
      own += fmt::format("{}{} {:.1f}", own.empty() ? "" : ", ", arm.name,
                         1e3 * ours.microseconds / operations(ours.timed, {}));
    }
  }
  items
      .add(ItemKind::kClaim, "section 3.3: complexities reflect in the computing times",
           "ms an operation: " + printed, "ns an operation: " + own, {},
           "ours with all of (9), sines and cosines in the time; theirs by the counts of Tables "
           "III and V")
      .timed = true;
}

// What each arm's (9) comes to once its constants are folded; sines and cosines are free in the counts.
void programs(PaperItems& items, const Pair& pair) {
  std::string own;
  for (std::size_t k = 0; k < 2; ++k) {
    const ArmAssessment& arm = pair.arms[k];
    own += fmt::format("{}{} {}, {} sines and cosines", own.empty() ? "" : "; ",
                       pair.printed[k].name, text(arm.timed), arm.timed_functions);
  }
  items.add(ItemKind::kClaim, fmt::format("{}, what is timed: (9) for this arm", pair.table),
            "MATLAB code for each architecture", own, {},
            "GIM, MCI, I θ̈ + C θ̇ and gravity traced as they run, constants folded");
}

// Mean condition number of the GIM over the joint ranges, all lengths of the RTX arm `scale` times.
double condition(double scale) {
  ChainDescription arm = robot_of_the_suite("rtx3")->description();
  for (DhRow& row : arm.dh) row.a *= scale;
  for (Link& link : arm.links) link.body.com *= scale;
  SelectionOptions options;
  options.samples = 2'000;
  return assess(std::make_shared<const Chain>(std::move(arm)), options).condition.mean;
}

void conclusions(PaperItems& items, const Pair& spatial) {
  const auto& rtx = spatial.arms[0].workspace.equal_lengths;
  const auto& stanford = spatial.arms[1].workspace.equal_lengths;
  items.add(ItemKind::kClaim, "section 6: RTX and Stanford have the same largest manipulability",
            "a² both",
            fmt::format("{:.3f} a² and {:.3f} a²", rtx->manipulability, stanford->manipulability),
            std::abs(rtx->manipulability - stanford->manipulability) < 1e-12);
  const double before = condition(1.0), after = condition(3.0);
  items.add(
      ItemKind::kClaim, "section 6: lengths and masses can make the GIM well-conditioned",
      "proposed, no figures",
      fmt::format("RTX: mean condition number {:.0f}, {:.1f} with lengths three times as long",
                  before, after),
      after < before);
}

}  // namespace

void judgements(PaperItems& items) {
  const Pair planar = assessed("Table III", dyn::bhangale::kTable3);
  const Pair spatial = assessed("Table V", dyn::bhangale::kTable5);
  const std::string derived =
      "RP: i_11 = A + b2 (B + m2 b2), i_12 = 0, i_22 = m2, so that c_11 = ½ i_11' ḃ2 and c_12 = "
      "-c_21 = ½ i_11' θ̇1: two products for M, three elements of C. PR: i_11, i_22 constant and "
      "i_12 = μ sin(θ2 + φ), so that c_12 = μ cos(θ2 + φ) θ̇2 alone: once constants are folded PR "
      "has to come first. The paper customises the steps, where PR turns M̃_2 and vectors by θ2 "
      "and RP by a constant angle, and not what they result in";
  for (const Pair* pair : {&planar, &spatial}) {
    programs(items, *pair);
    times(items, *pair, pair == &planar ? derived : "");
  }
  time_follows_operations(items, planar, spatial);
  what_varies(items, planar);
  complexity(items, planar, derived);
  complexity(items, spatial, "");
  judgement(items, planar, "section 4.3, RP or PR", derived);
  judgement(items, spatial, "section 5, RTX or Stanford", "");
  conclusions(items, spatial);
}

}  // namespace dyn::tool::bhangale_2004
