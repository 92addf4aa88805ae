// Saha 2003: Table I and what section 1 and the conclusions say of operations.
#include <array>
#include <cmath>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "dyn_core/papers/classic/cholesky.hpp"
#include "dyn_core/papers/saha_2003/forward_dynamics.hpp"
#include "dyn_core/papers/saha_2003/printed.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "measure.hpp"
#include "saha_parts.hpp"
#include "saha_runs.hpp"

namespace dyn::tool {
namespace {

PrintedCount forward_as_run(const char* algorithm, Index n) {
  return count_operations(random_chain(n, 1), CountingRule::kGeneral, "forward_dynamics",
                          algorithm);
}

double both(const PrintedCount& c) { return c.multiplications + c.additions; }

// The first n from which on, up to 100, `less(n)` holds; 0 where it does not hold at 100.
template <class Less>
int holds_from(Less less) {
  int n = 101;
  while (n > 1 && less(n - 1)) --n;
  return n > 100 ? 0 : n;
}
template <class Part>
int ahead_from(Part part, PrintedCount (*a)(double), PrintedCount (*b)(double)) {
  return holds_from([&](int n) { return part(a(n)) < part(b(n)); });
}
double multiplications(const PrintedCount& c) { return c.multiplications; }
double additions(const PrintedCount& c) { return c.additions; }

std::string ahead_text(const char* what, int from) {
  return from == 0 ? fmt::format("{}: not up to n = 100", what)
                   : fmt::format("{}: n ≥ {}", what, from);
}

void crossing(PaperItems& items) {
  using namespace saha;
  const int by_M = ahead_from(multiplications, forward_dynamics_count, walker_orin_count);
  const int by_all = ahead_from(both, forward_dynamics_count, walker_orin_count);
  int measured = 40;
  while (both(forward_as_run("udut", measured - 1)) <
         both(forward_as_run("cholesky", measured - 1)))
    --measured;
  int measured_M = 40;
  while (forward_as_run("udut", measured_M - 1).multiplications <
         forward_as_run("cholesky", measured_M - 1).multiplications)
    --measured_M;
  items.add(
      ItemKind::kClaim, "section 1: advantage over O(n³) where n is large, \"e.g., n ≥ 10\"", "10",
      fmt::format("by Table I's formulas multiplications from {}, all operations from {}; "
                  "as it runs multiplications from {}, all from {}",
                  by_M, by_all, measured_M, measured),
      by_M == 10,
      fmt::format("10 is where the multiplications of Table I cross: 1626 against 1653. What runs "
                  "(udut, cholesky) at n = {}: {} against {}",
                  measured, text(forward_as_run("udut", measured)),
                  text(forward_as_run("cholesky", measured))));
}

// Accelerations along a straight line of states so short that all change is rounding: the root mean square
// of their second differences, relative.
double noise(ForwardDynamicsAlgorithm<double>& algorithm, const Model& model) {
  constexpr int kPoints = 200;
  const Index n = model.size();
  Random random(3);
  VecXd q = random.vector(n, 3.0);
  const VecXd qd = random.vector(n, 1.0), way = random.vector(n, 1.0), tau = VecXd::Zero(n);
  std::vector<JointPose<double>> poses(static_cast<std::size_t>(n));
  VecXd before(n), last(n), now(n);
  double sum = 0.0;
  for (int k = 0; k < kPoints; ++k) {
    q += 1e-11 * way;
    joint_poses<double>(model, q, poses);
    require(algorithm.forward_dynamics(model, poses, model.gravity(), qd, tau, now),
            "accelerations");
    if (k >= 2) sum += (now - 2.0 * last + before).squaredNorm() / now.squaredNorm();
    before = last;
    last = now;
  }
  return std::sqrt(sum / kPoints);
}

void steps_of_falls(PaperItems& items) {
  std::string steps, times;
  double most = 0.0;
  for (const char* robot : {"planar3r", "stanford", "puma560"}) {
    const SahaExperiment experiment = saha_experiment(robot);
    SimulationOptions options = saha_options();
    const auto by_udut = static_cast<double>(saha_fall(experiment, options).report.steps);
    options.algorithms.forward_dynamics = "cholesky";
    const auto by_cholesky = static_cast<double>(saha_fall(experiment, options).report.steps);
    steps += fmt::format("{}{} {}/{}", steps.empty() ? "" : ", ", robot, by_udut, by_cholesky);
    most = std::max(most, std::abs(by_cholesky / by_udut - 1.0));
    const double with_cholesky = shortest_time(3, [&] { (void)saha_fall(experiment, options); });
    options.algorithms.forward_dynamics = "udut";
    const double with_udut = shortest_time(3, [&] { (void)saha_fall(experiment, options); });
    times += fmt::format("{}{} {:.1f}/{:.1f}", times.empty() ? "" : ", ", robot, 1e3 * with_udut,
                         1e3 * with_cholesky);
  }
  items.add(
      ItemKind::kClaim,
      "section 1: O(n) gives smoother accelerations [19], \"numerical integration is faster\"",
      "fewer steps than by O(n³)",
      fmt::format("steps of 10 s free fall at 1e-6, udut/cholesky: {}", steps), most > 0.05,
      "error control sees the truncation of a step, not rounding; only the planar arm's fall, "
      "which is chaotic, turns rounding into other steps");
  items
      .add(ItemKind::kClaim, "section 1: \"the total computer time for simulation may be less\"",
           "less than by O(n³)",
           fmt::format("ms for 10 s of free fall with its samples, udut/cholesky: {}", times), {},
           "three and six joints, below where the operations cross")
      .timed = true;
}

void smoothness(PaperItems& items) {
  std::string noises;
  double least = 1e9;
  for (const Index n : {6, 12, 30}) {
    const Model model(random_chain(n, 1));
    UdutForwardDynamics<double> udut(model);
    CholeskyForwardDynamics<double> cholesky(model);
    const double a = noise(udut, model), b = noise(cholesky, model);
    noises += fmt::format("{}n = {}: {:.1e}/{:.1e}", noises.empty() ? "" : ", ", n, a, b);
    least = std::min(least, b / a);
  }
  items
      .add(ItemKind::kClaim, "section 1: \"smooth functions of time\"",
           "θ̈ by O(n) smoother than by O(n³)",
           fmt::format("rounding noise of θ̈, udut/cholesky: {}", noises), least > 1.0,
           "what is left at distances where the exact θ̈ does not change")
      .timed = true;
}

}  // namespace

void saha_opening_claims(PaperItems& items) {
  crossing(items);
  steps_of_falls(items);
  smoothness(items);
}

void saha_table_1(PaperItems& items) {
  using namespace saha;
  for (const TableOneRow& row : kTableOne) {
    for (const auto& [n, printed] : {std::pair(6, row.at_6), std::pair(10, row.at_10)}) {
      const PrintedCount formula = row.count(n);
      items.count(ItemKind::kTable,
                  fmt::format("Table I, {}, n = {}, by its formula", row.algorithm, n), printed,
                  formula,
                  printed == formula ? "" : "the printed 480 is a slip: 36 + 252 + 233 - 46 = 475");
    }
  }
  for (const Index n : {6, 10}) {
    const auto x = static_cast<double>(n);
    items.count(ItemKind::kTable, fmt::format("Table I, Proposed, n = {}, as it runs", n),
                forward_dynamics_count(x), forward_as_run("udut", n),
                "54 M and 51 A fewer a joint: see the steps");
  }
  for (const Index n : {6, 10}) {
    const auto x = static_cast<double>(n);
    items.count(ItemKind::kTable, fmt::format("Table I, Walker and Orin, n = {}, as it runs", n),
                walker_orin_count(x), forward_as_run("cholesky", n),
                "composite bodies turned by two planar screws, in place of Featherstone's coding");
  }
}

void saha_table_1_errata(PaperItems& items) {
  using namespace saha;
  LinearCount braces, lines;
  for (const PrintedStep& step : kSteps) {
    braces = braces + step.braces;
    lines = lines + step.lines;
  }
  items.add(ItemKind::kErratum, "Table I, Proposed: the sum of the braces",
            "(191n-284)M (187n-325)A",
            fmt::format("({}n{:+})M ({}n{:+})A", braces.m, braces.m_0, braces.a, braces.a_0),
            braces == LinearCount{191, -284, 187, -325},
            "added up: step B's nM is missing in the table's 191n");
  items.add(ItemKind::kErratum, "step A4(b): {12M 12A (n-3)}", "12(n-3)M 12(n-3)A",
            "12(n-2)M 12(n-2)A for i = n-1, …, 2", false,
            "the printed range has n-2 links; every other brace is the sum of the lines under it");
  // With what the printed steps leave out: A3(b) and A4(b) for i = 1, I_i in A3(b) for n-1 links.
  const LinearCount complete = lines + LinearCount{0, 86, 6, 101 - 6} + LinearCount{0, 12, 0, 12};
  items.add(ItemKind::kErratum, "steps A3(b), A4(b) stop at i = 2", "i = n-1, …, 2",
            fmt::format("i = n-1, …, 1: ({}n{:+})M ({}n{:+})A in all", complete.m, complete.m_0,
                        complete.a, complete.a_0),
            false,
            "m̂_1 of step A5 needs M̂_1 and ψ̂_1, and A3(b) needs + [I_i]_i+1: 6A a link; settled by "
            "U D Uᵀ = I with m̂_1 so formed. The printed count is that of an incomplete algorithm");
}

void saha_count_claims(PaperItems& items) {
  using namespace saha;
  std::string measured;
  int latest = 0;
  for (const TableOneRow& row : std::span(kTableOne).subspan(1, 3)) {
    const int from = ahead_from(multiplications, forward_dynamics_count, row.count);
    measured += fmt::format("{}{} from n = {}", measured.empty() ? "" : ", ", row.algorithm, from);
    latest = std::max(latest, from);
  }
  items.add(ItemKind::kClaim,
            "section 3, conclusions: best of the O(n) algorithms in multiplications",
            "fewer M than Featherstone, Valasek and Brandl", "fewer than " + measured,
            latest > 0 && latest <= 6, "by the printed formulas");
  items.add(
      ItemKind::kClaim, "section 3: otherwise \"very similar\" to Featherstone's",
      "862M 797A against 996M 871A",
      fmt::format("additions from n = {} on are Featherstone's fewer; all operations from n = {}",
                  ahead_from(additions, featherstone_count, forward_dynamics_count),
                  ahead_from(both, featherstone_count, forward_dynamics_count)),
      {}, "by the printed formulas: 187 against 174 additions a joint");
  const auto no_more = [](auto part) {
    return holds_from(
        [&](int n) { return part(forward_dynamics_count(n)) <= part(earlier_count(n)); });
  };
  items.add(
      ItemKind::kClaim, "conclusions: better than the author's earlier (201n-335)M (193n-361)A",
      "better",
      fmt::format("{}; additions no more: n ≥ {}",
                  ahead_text("fewer multiplications",
                             ahead_from(multiplications, forward_dynamics_count, earlier_count)),
                  no_more(additions)),
      ahead_from(multiplications, forward_dynamics_count, earlier_count) <= 6,
      fmt::format("at n = 6: {} against {}", text(forward_dynamics_count(6)),
                  text(earlier_count(6))));
  const PrintedCount ours = forward_as_run("udut", 6);
  items.add(ItemKind::kClaim, "the same of what runs here", "not printed",
            fmt::format("{} at n = 6: fewer than every row of Table I for O(n)", text(ours)), {},
            "with the paper's own decomposition");
}

}  // namespace dyn::tool
