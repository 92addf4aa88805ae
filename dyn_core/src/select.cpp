#include "dyn_core/select.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "dyn_core/count.hpp"
#include "dyn_core/kinematics.hpp"
#include "dyn_core/random_chain.hpp"
#include "dyn_core/solver.hpp"

namespace dyn {
namespace {

class Accumulator {
 public:
  void add(double value) {
    spread_.least = count_ == 0 ? value : std::min(spread_.least, value);
    spread_.most = count_ == 0 ? value : std::max(spread_.most, value);
    ++count_;
    spread_.mean += (value - spread_.mean) / count_;
  }
  [[nodiscard]] const Spread& spread() const { return spread_; }

 private:
  Spread spread_;
  int count_ = 0;
};

// Smallest ratio of a diagonal element to the rest of its row.
double dominance_of(const MatXd& M) {
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < M.rows(); ++i) {
    const double own = std::abs(M(i, i));
    const double rest = M.row(i).cwiseAbs().sum() - own;
    least = std::min(least, rest > 0.0 ? own / rest : std::numeric_limits<double>::max());
  }
  return least;
}

double condition_of(const MatXd& M) {
  const VecXd values = M.selfadjointView<Eigen::Lower>().eigenvalues();
  return values[values.size() - 1] / values[0];
}

OperationCount count_named(const std::vector<AlgorithmCount>& rows, std::string_view quantity,
                           std::string_view algorithm) {
  for (const AlgorithmCount& row : rows) {
    if (row.quantity == quantity && row.algorithm == algorithm) return row.measured;
  }
  return {};
}

// Bhangale eq. (23): every joint moves through π in 10 s, in steps of 0.01 s.
double time_inverse_dynamics(Solver& solver) {
  constexpr int kSteps = 1000;
  constexpr double kPeriod = 10.0;
  constexpr int kRounds = 7;
  const Index n = solver.dof();
  VecXd tau(n);
  std::array<double, kRounds> rounds{};
  for (double& round : rounds) {
    const auto start = std::chrono::steady_clock::now();
    for (int step = 0; step <= kSteps; ++step) {
      const double w = 2.0 * M_PI / kPeriod;
      const double t = kPeriod * step / kSteps;
      const VecXd q = VecXd::Constant(n, 0.5 * (w * t - std::sin(w * t)));
      const VecXd qd = VecXd::Constant(n, 0.5 * w * (1.0 - std::cos(w * t)));
      const VecXd qdd = VecXd::Constant(n, 0.5 * w * w * std::sin(w * t));
      (void)solver.inverse_dynamics(q, qd, qdd, tau);
    }
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - start;
    round = spent.count() / (kSteps + 1);
  }
  std::ranges::nth_element(rounds, rounds.begin() + kRounds / 2);
  return rounds[kRounds / 2];
}

// Largest |Σ P_ijk q̇_j q̇_k| over all signs of the joint speeds, bounded term by term, and gravity.
void add_peak_torque(Solver& solver, const VecXd& q, double speed, std::vector<MatXd>& power,
                     VecXd& gravity, VecXd& peak) {
  if (solver.inertia_power(q, power) != Status::kOk) return;
  if (solver.gravity_torque(q, gravity) != Status::kOk) return;
  for (Index i = 0; i < peak.size(); ++i) {
    const MatXd& P = power[static_cast<std::size_t>(i)];
    const double inertial = 0.5 * (P + P.transpose()).cwiseAbs().sum() * speed * speed;
    peak[i] = std::max(peak[i], inertial + std::abs(gravity[i]));
  }
}

void sample_postures(const ChainPtr& chain, Solver& solver, const SelectionOptions& options,
                     ArmAssessment& arm) {
  const std::vector<JointRange> ranges = joint_ranges(*chain);
  const Index n = chain->dof();
  Random random(options.seed);
  Kinematics<double> kinematics(chain);
  Accumulator manipulable, condition, dominance;
  MatXd M(n, n), J(6, n);
  std::vector<MatXd> power(static_cast<std::size_t>(n), MatXd(n, n));
  VecXd gravity(n);
  arm.peak_torque = VecXd::Zero(n);
  for (int i = 0; i < options.samples / 10; ++i) {
    const VecXd q = random_posture(ranges, random);
    if (solver.mass_matrix(q, M) != Status::kOk) continue;
    (void)kinematics.update(q);
    (void)kinematics.jacobian(J);
    manipulable.add(position_manipulability(*chain, J));
    condition.add(condition_of(M));
    dominance.add(dominance_of(M));
    add_peak_torque(solver, q, options.speed, power, gravity, arm.peak_torque);
  }
  arm.manipulability = manipulable.spread();
  arm.condition = condition.spread();
  arm.dominance = dominance.spread();
}

}  // namespace

ArmAssessment assess(const ChainPtr& chain, const SelectionOptions& options) {
  ArmAssessment arm;
  arm.name = chain->name();
  const std::vector<AlgorithmCount> counts = count_operations(chain, CountingRule::kCustomised);
  arm.gim = count_named(counts, "mass_matrix", "denoc");
  arm.mci = count_named(counts, "coriolis", "mci");
  auto solver = Solver::make(chain, {.mass_matrix = "denoc",
                                     .inverse_dynamics = "gim_mci",
                                     .forward_dynamics = {},
                                     .coriolis = "mci"});
  if (!solver) return arm;
  arm.microseconds = time_inverse_dynamics(*solver);
  sample_postures(chain, *solver, options, arm);
  arm.workspace = workspace_of(chain, options);
  return arm;
}

namespace {

struct Criterion {
  const char* better;  // "fewer operations", as in "leads by …"
  const char* worse;
  double SelectionWeights::*weight;
  bool small_is_good;
  double (*value)(const ArmAssessment&, bool equal_lengths);
};

double operations(const ArmAssessment& arm, bool /*equal_lengths*/) {
  return static_cast<double>(arm.gim.multiplications + arm.gim.additions + arm.mci.multiplications +
                             arm.mci.additions);
}

constexpr Criterion kCriteria[] = {
    {"the simplest dynamics", "more complex dynamics", &SelectionWeights::complexity, true,
     operations},
    {"the fastest inverse dynamics", "slower inverse dynamics", &SelectionWeights::time, true,
     [](const ArmAssessment& arm, bool) { return arm.microseconds; }},
    {"the largest workspace", "a smaller workspace", &SelectionWeights::workspace, false,
     [](const ArmAssessment& arm, bool equal_lengths) {
       return equal_lengths ? arm.workspace.equal_lengths->workspace : arm.workspace.size;
     }},
    {"the best manipulability", "less manipulability", &SelectionWeights::manipulability, false,
     [](const ArmAssessment& arm, bool equal_lengths) {
       return equal_lengths ? arm.workspace.equal_lengths->manipulability : arm.manipulability.mean;
     }},
    {"the best conditioned inertia", "a worse conditioned inertia", &SelectionWeights::condition,
     true, [](const ArmAssessment& arm, bool) { return arm.condition.mean; }},
    {"the smallest peak torques", "larger peak torques", &SelectionWeights::torque, true,
     [](const ArmAssessment& arm, bool) {
       return arm.peak_torque.size() > 0 ? arm.peak_torque.maxCoeff() : 0.0;
     }},
};

// 1 for the best value; the ratio to it for the others.
double merit(const Criterion& criterion, double value, double best) {
  if (value == best) return 1.0;
  return criterion.small_is_good ? best / value : value / best;
}

double best_of(const Criterion& criterion, const std::vector<ArmAssessment>& arms, bool equal) {
  double best = criterion.value(arms.front(), equal);
  for (const ArmAssessment& arm : arms) {
    const double value = criterion.value(arm, equal);
    best = criterion.small_is_good ? std::min(best, value) : std::max(best, value);
  }
  return best;
}

std::string list_of(const std::vector<std::string>& items) {
  if (items.size() < 2) return items.empty() ? "" : items.front();
  std::string text = items.front();
  for (std::size_t i = 1; i + 1 < items.size(); ++i) text += ", " + items[i];
  return text + " and " + items.back();
}

Ranking::Place place_of(std::size_t index, const std::vector<ArmAssessment>& arms,
                        const SelectionWeights& weights, bool equal) {
  Ranking::Place place{index, 0.0, {}};
  std::vector<std::string> leads, lags;
  double total = 0.0;
  for (const Criterion& criterion : kCriteria) {
    const double weight = weights.*criterion.weight;
    const double part =
        merit(criterion, criterion.value(arms[index], equal), best_of(criterion, arms, equal));
    place.score += weight * part;
    total += weight;
    if (weight == 0.0) continue;
    if (part == 1.0) leads.emplace_back(criterion.better);
    if (part < 0.95) lags.push_back(fmt::format("{} ({:.0f} %)", criterion.worse, 100.0 * part));
  }
  if (total > 0.0) place.score /= total;
  if (!leads.empty()) place.why = "has " + list_of(leads);
  if (!lags.empty()) {
    place.why += (place.why.empty() ? "has " : "; but ") + list_of(lags) + " of the best";
  }
  return place;
}

}  // namespace

bool have_equal_lengths(const std::vector<ArmAssessment>& arms) {
  return std::ranges::all_of(
      arms, [](const ArmAssessment& arm) { return arm.workspace.equal_lengths.has_value(); });
}

Ranking rank(const std::vector<ArmAssessment>& arms, const SelectionWeights& weights,
             bool as_built) {
  const bool equal = !as_built && have_equal_lengths(arms);
  Ranking ranking;
  ranking.sizes_compared = std::ranges::all_of(arms, [&](const ArmAssessment& arm) {
    return arm.workspace.is_area == arms.front().workspace.is_area;
  });
  SelectionWeights used = weights;
  if (!ranking.sizes_compared) used.workspace = used.manipulability = 0.0;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    ranking.places.push_back(place_of(i, arms, used, equal));
  }
  std::ranges::sort(ranking.places, [](const Ranking::Place& a, const Ranking::Place& b) {
    return a.score != b.score ? a.score > b.score : a.arm < b.arm;
  });
  return ranking;
}

}  // namespace dyn
