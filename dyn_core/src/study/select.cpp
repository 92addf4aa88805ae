#include "dyn_core/study/select.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "dyn_core/solver.hpp"
#include "dyn_core/study/count.hpp"
#include "modular_time.hpp"

namespace dyn {
namespace {

class Accumulator {
 public:
  void add(double value) {
    spread_.least = count_ == 0 ? value : std::min(spread_.least, value);
    spread_.most = count_ == 0 ? value : std::max(spread_.most, value);
    ++count_;
    const double before = value - spread_.mean;
    spread_.mean += before / count_;
    squares_ += before * (value - spread_.mean);
    spread_.error = 2.0 * std::sqrt(squares_) / count_;
  }
  [[nodiscard]] const Spread& spread() const { return spread_; }

 private:
  Spread spread_;
  int count_ = 0;
  double squares_ = 0.0;  // of the deviations from the mean
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

// Manipulability at a posture.
class ManipulabilityAt {
 public:
  explicit ManipulabilityAt(const ChainPtr& chain) : kinematics_(chain), J_(6, chain->dof()) {}
  [[nodiscard]] double operator()(const VecXd& q) {
    (void)kinematics_.update(q);
    (void)kinematics_.jacobian(J_);
    return position_manipulability(kinematics_.chain(), J_);
  }

 private:
  Kinematics<double> kinematics_;
  MatXd J_;
};

// One step of `share` of its range up or down each coordinate, where that helps; whether any did.
bool climb(ManipulabilityAt& manipulability, const std::vector<JointRange>& ranges, double share,
           VecXd& q, double& most) {
  bool higher = false;
  for (Index k = 0; k < q.size(); ++k) {
    const JointRange& range = ranges[static_cast<std::size_t>(k)];
    const double step = share * (range.high - range.low);
    for (const double to : {q[k] - step, q[k] + step}) {
      VecXd other = q;
      other[k] = std::clamp(to, range.low, range.high);
      const double value = manipulability(other);
      if (value <= most) continue;
      most = value, q = other, higher = true;
    }
  }
  return higher;
}

// Uphill from `q` within the ranges.
double top_of(ManipulabilityAt& manipulability, const std::vector<JointRange>& ranges, VecXd q) {
  constexpr int kPasses = 50;
  double most = manipulability(q);
  for (double share = 0.05; share > 1e-9; share *= 0.5) {
    for (int pass = 0; pass < kPasses && climb(manipulability, ranges, share, q, most);) ++pass;
  }
  return most;
}

// Without a solver there are no dynamics.
void sample_postures(const ChainPtr& chain, Solver* solver, const SelectionOptions& options,
                     ArmAssessment& arm) {
  const std::vector<JointRange> ranges = joint_ranges(*chain);
  const Index n = chain->dof();
  Random random(options.seed);
  ManipulabilityAt manipulability(chain);
  Accumulator manipulable, condition, dominance;
  MatXd M(n, n);
  std::vector<MatXd> power(static_cast<std::size_t>(n), MatXd(n, n));
  VecXd gravity(n), best = VecXd::Zero(n);
  arm.peak_torque = VecXd::Zero(n);
  const int postures = options.samples / 10;
  for (int i = 0; i < postures; ++i) {
    if (options.progress) options.progress(0.8 * i / postures);
    const VecXd q = random_posture(ranges, random);
    if (solver != nullptr && solver->mass_matrix(q, M) != Status::kOk) continue;
    const double w = manipulability(q);
    if (w >= manipulable.spread().most) best = q;
    manipulable.add(w);
    if (solver == nullptr) continue;
    condition.add(condition_of(M));
    dominance.add(dominance_of(M));
    add_peak_torque(*solver, q, options.speed, power, gravity, arm.peak_torque);
  }
  arm.manipulability = manipulable.spread();
  arm.manipulability.most = top_of(manipulability, ranges, best);
  arm.condition = condition.spread();
  arm.dominance = dominance.spread();
}

}  // namespace

std::vector<ArmAssessment> assess(const std::vector<ChainPtr>& chains,
                                  const SelectionOptions& options) {
  const bool dynamics =
      std::ranges::all_of(chains, [](const auto& chain) { return chain->has_dynamics(); });
  std::vector<ArmAssessment> arms;
  for (const ChainPtr& chain : chains) {
    SelectionOptions own = options;
    if (options.progress) {
      own.progress = [&](double share) {
        options.progress((static_cast<double>(arms.size()) + share) /
                         static_cast<double>(chains.size()));
      };
    }
    ArmAssessment arm;
    arm.name = chain->name();
    arm.dynamics = dynamics;
    arm.workspace = workspace_of(chain, options);
    if (!dynamics) {
      sample_postures(chain, nullptr, own, arm);
      arms.push_back(std::move(arm));
      continue;
    }
    const std::vector<AlgorithmCount> counts = count_operations(chain, CountingRule::kCustomised);
    arm.gim = count_named(counts, "mass_matrix", "denoc");
    arm.mci = count_named(counts, "coriolis", "mci");
    auto solver = Solver::make(chain, {.mass_matrix = "denoc",
                                       .inverse_dynamics = "gim_mci",
                                       .forward_dynamics = {},
                                       .coriolis = "mci"});
    if (solver) sample_postures(chain, &*solver, own, arm);
    arms.push_back(std::move(arm));
  }
  if (dynamics) time_by_turns(chains, arms);
  return arms;
}

ArmAssessment assess(const ChainPtr& chain, const SelectionOptions& options) {
  return assess(std::vector<ChainPtr>{chain}, options).front();
}

namespace {

struct Measured {
  double value, error;
};

struct Criterion {
  const char* better;  // as in "has …" and "ties for …"
  const char* worse;
  const char* of_the_best;  // as in "(2.5 times …)"
  double SelectionWeights::*weight;
  bool small_is_good;
  Measured (*measure)(const ArmAssessment&, bool equal_lengths);
};

Measured measured_operations(const ArmAssessment& arm, bool /*equal_lengths*/) {
  return {static_cast<double>(arm.gim.multiplications + arm.gim.additions +
                              arm.mci.multiplications + arm.mci.additions),
          0.0};
}

Measured measured_workspace(const ArmAssessment& arm, bool equal_lengths) {
  if (equal_lengths) return {arm.workspace.equal_lengths->workspace, 0.0};
  return {arm.workspace.size, arm.workspace.error};
}

// The largest, as in Tables III and V.
Measured measured_manipulability(const ArmAssessment& arm, bool equal_lengths) {
  constexpr double kOfTheClimb = 1e-6;
  if (equal_lengths) return {arm.workspace.equal_lengths->manipulability, 0.0};
  return {arm.manipulability.most, kOfTheClimb * arm.manipulability.most};
}

constexpr Criterion kCriteria[] = {
    {"the simplest dynamics", "more complex dynamics", "the operations of the simplest",
     &SelectionWeights::complexity, true, measured_operations},
    {"the fastest inverse dynamics", "slower inverse dynamics", "the time of the fastest",
     &SelectionWeights::time, true,
     [](const ArmAssessment& arm, bool) {
       return Measured{arm.microseconds, arm.microseconds_error};
     }},
    {"the largest workspace", "a smaller workspace", "smaller than the largest",
     &SelectionWeights::workspace, false, measured_workspace},
    {"the best manipulability", "less manipulability", "less than the best",
     &SelectionWeights::manipulability, false, measured_manipulability},
    {"the best conditioned inertia", "a worse conditioned inertia", "the best condition number",
     &SelectionWeights::condition, true,
     [](const ArmAssessment& arm, bool) {
       return Measured{arm.condition.mean, arm.condition.error};
     }},
    {"the smallest peak torques", "larger peak torques", "the smallest", &SelectionWeights::torque,
     true,
     [](const ArmAssessment& arm, bool) {
       return Measured{arm.peak_torque.size() > 0 ? arm.peak_torque.maxCoeff() : 0.0, 0.0};
     }},
};

// 1 for the best value and what cannot be told from it; the ratio to it for the others.
double merit(const Criterion& criterion, const Measured& own, const Measured& best) {
  if (std::abs(own.value - best.value) <= own.error + best.error) return 1.0;
  return criterion.small_is_good ? best.value / own.value : own.value / best.value;
}

Measured best_of(const Criterion& criterion, const std::vector<ArmAssessment>& arms, bool equal) {
  Measured best = criterion.measure(arms.front(), equal);
  for (const ArmAssessment& arm : arms) {
    const Measured own = criterion.measure(arm, equal);
    if (criterion.small_is_good ? own.value < best.value : own.value > best.value) best = own;
  }
  return best;
}

std::string times(double merit, const char* of_the_best) {
  constexpr double kMost = 1e6;
  if (!(merit * kMost > 1.0)) return fmt::format("more than a million times {}", of_the_best);
  const double ratio = 1.0 / merit;
  return fmt::format("{:.{}f} times {}", ratio, ratio < 9.95 ? 1 : 0, of_the_best);
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
  std::vector<std::string> leads, ties, lags;
  double total = 0.0;
  for (const Criterion& criterion : kCriteria) {
    const double weight = weights.*criterion.weight;
    if (weight == 0.0) continue;
    const Measured best = best_of(criterion, arms, equal);
    const auto merit_of = [&](const ArmAssessment& arm) {
      return merit(criterion, criterion.measure(arm, equal), best);
    };
    const double part = merit_of(arms[index]);
    place.score += weight * part;
    total += weight;
    if (part == 1.0) {
      const auto first =
          std::ranges::count_if(arms, [&](const auto& arm) { return merit_of(arm) == 1.0; });
      (first > 1 ? ties : leads).emplace_back(criterion.better);
    } else if (part < 0.95) {
      lags.push_back(fmt::format("{} ({})", criterion.worse, times(part, criterion.of_the_best)));
    }
  }
  if (total > 0.0) place.score /= total;
  const auto add = [&place](const char* joint, const char* verb, const auto& items) {
    if (!items.empty()) place.why += (place.why.empty() ? "" : joint) + (verb + list_of(items));
  };
  add("", "has ", leads);
  add("; ", "ties for ", ties);
  add("; but ", "has ", lags);
  if (place.why.empty()) place.why = "is close to the best in everything";
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
  if (!arms.front().dynamics) used.complexity = used.time = used.condition = used.torque = 0.0;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    ranking.places.push_back(place_of(i, arms, used, equal));
  }
  std::ranges::sort(ranking.places, [](const Ranking::Place& a, const Ranking::Place& b) {
    return a.score != b.score ? a.score > b.score : a.arm < b.arm;
  });
  return ranking;
}

}  // namespace dyn
