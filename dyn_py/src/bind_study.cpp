// Studies: operation counts, and which of several arms has the simplest dynamics.
#include <array>
#include <map>

#include "bindings.hpp"
#include "dyn_core/study/count.hpp"
#include "dyn_core/study/select.hpp"
#include "fields.hpp"

namespace dyn::python {
namespace {

struct RankedArm {
  ArmAssessment arm;
  Ranking::Place place;
};

std::vector<RankedArm> compare(const std::vector<SharedChain>& arms, int samples, double speed,
                               std::uint64_t seed, const std::map<std::string, double>& weights,
                               bool as_built) {
  using Weight = double SelectionWeights::*;
  struct Criterion {
    const char* name;
    Weight value;
  };
  constexpr std::array<Criterion, 6> kCriteria = {
      {{"complexity", &SelectionWeights::complexity},
       {"time", &SelectionWeights::time},
       {"workspace", &SelectionWeights::workspace},
       {"manipulability", &SelectionWeights::manipulability},
       {"condition", &SelectionWeights::condition},
       {"torque", &SelectionWeights::torque}}};
  if (arms.empty() || samples < 1) throw Failure("compare: give at least one arm and one sample");
  SelectionWeights weight;
  for (const auto& [name, value] : weights) {
    if (!(value >= 0.0)) throw Failure("weights: that of " + name + " has to be zero or more");
    weight.*chosen("weights", kCriteria, name) = value;
  }
  SelectionOptions options;
  options.samples = samples;
  options.speed = speed;
  options.seed = seed;
  const std::vector<ChainPtr> chains(arms.begin(), arms.end());
  const py::gil_scoped_release release;
  const std::vector<ArmAssessment> assessed = assess(chains, options);
  std::vector<RankedArm> out;
  for (Ranking::Place& place : rank(assessed, weight, as_built).places) {
    out.push_back({assessed[place.arm], std::move(place)});
  }
  return out;
}

struct Count {
  std::string quantity, algorithm, formula;
  OperationCount measured;
  std::optional<std::pair<double, double>> paper;
};

std::vector<Count> counts(const SharedChain& chain, bool customised, bool without_frames) {
  const CountingRule rule = customised ? CountingRule::kCustomised : CountingRule::kGeneral;
  const py::gil_scoped_release release;
  std::vector<Count> out;
  for (const AlgorithmCount& row : count_operations(chain, rule, without_frames)) {
    out.push_back({std::string(row.quantity), std::string(row.algorithm), std::string(row.formula),
                   row.measured, std::nullopt});
    if (row.paper) out.back().paper.emplace(row.paper->multiplications, row.paper->additions);
  }
  return out;
}

SharedChain revolute_chain(Index dof, std::uint64_t seed) {
  if (dof < 1 || dof > 2000) throw Failure("random_chain: give 1 to 2000 joints");
  return shared(random_chain(dof, seed));
}

}  // namespace

void bind_study(py::module_& module) {
  py::class_<Spread> spread(module, "Spread", "Over the sampled postures; error: of the mean.");
  show(spread, "least", &Spread::least, "mean", &Spread::mean, "most", &Spread::most, "error",
       &Spread::error);
  using R = RankedArm;
  using A = ArmAssessment;
  py::class_<R> arm(module, "RankedArm",
                    "One arm of a comparison; index: of the chain that was given; "
                    "microseconds: of one inverse dynamics; condition: of M.");
  show(arm, "name", at(&R::arm, &A::name), "score", at(&R::place, &Ranking::Place::score), "index",
       at(&R::place, &Ranking::Place::arm), "why", at(&R::place, &Ranking::Place::why), "dynamics",
       at(&R::arm, &A::dynamics), "workspace", at(&R::arm, &A::workspace, &Workspace::size),
       "microseconds", at(&R::arm, &A::microseconds), "manipulability",
       at(&R::arm, &A::manipulability), "condition", at(&R::arm, &A::condition), "dominance",
       at(&R::arm, &A::dominance), "peak_torque", at(&R::arm, &A::peak_torque));
  module.def("compare", &compare, "arms"_a, "samples"_a = 20000, "speed"_a = 1.0, "seed"_a = 1,
             "weights"_a = std::map<std::string, double>(), "as_built"_a = false,
             "Chains, best first: dynamic complexity, time, workspace, manipulability, condition, "
             "torque.");
  py::class_<Count> count(module, "Count",
                          "Operations of one algorithm; paper: (multiplications, additions) as "
                          "printed, where there is a count of this kind of arm.");
  show(count, "quantity", &Count::quantity, "algorithm", &Count::algorithm, "formula",
       &Count::formula, "multiplications", at(&Count::measured, &OperationCount::multiplications),
       "additions", at(&Count::measured, &OperationCount::additions), "paper", &Count::paper);
  module.def("counts", &counts, "chain"_a, "customised"_a = false, "without_frames"_a = false,
             "Multiplications and additions of every algorithm, measured on this chain.");
  module.def("random_chain", &revolute_chain, "dof"_a, "seed"_a = 1,
             "A chain of revolute joints with general twists and inertias.");
}

}  // namespace dyn::python
