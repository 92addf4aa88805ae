// Studies: operation counts, and which of several arms has the simplest dynamics.
#include <array>
#include <map>

#include "bindings.hpp"
#include "dyn_core/study/count.hpp"
#include "dyn_core/study/select.hpp"

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
  std::optional<PrintedCount> paper;
};

std::vector<Count> counts(const SharedChain& chain, bool customised, bool without_frames) {
  const CountingRule rule = customised ? CountingRule::kCustomised : CountingRule::kGeneral;
  const py::gil_scoped_release release;
  std::vector<Count> out;
  for (const AlgorithmCount& row : count_operations(chain, rule, without_frames)) {
    out.push_back({std::string(row.quantity), std::string(row.algorithm), std::string(row.formula),
                   row.measured, row.paper});
  }
  return out;
}

SharedChain revolute_chain(Index dof, std::uint64_t seed) {
  if (dof < 1 || dof > 2000) throw Failure("random_chain: give 1 to 2000 joints");
  return shared(random_chain(dof, seed));
}

}  // namespace

void bind_study(py::module_& module) {
  py::class_<Spread>(module, "Spread", "Over the sampled postures.")
      .def_readonly("least", &Spread::least)
      .def_readonly("mean", &Spread::mean)
      .def_readonly("most", &Spread::most)
      .def_readonly("error", &Spread::error, "Of the mean.")
      .def("__repr__", &attributes_text);
  py::class_<RankedArm> arm(module, "RankedArm", "One arm of a comparison.");
  arm.def_property_readonly("score", [](const RankedArm& a) { return a.place.score; })
      .def_property_readonly("index", [](const RankedArm& a) { return a.place.arm; })
      .def_property_readonly("why", [](const RankedArm& a) { return a.place.why; })
      .def_property_readonly("workspace", [](const RankedArm& a) { return a.arm.workspace.size; })
      .def("__repr__", &attributes_text);
  const auto add = [&](const char* name, auto member, const char* doc = "") {
    arm.def_property_readonly(
        name, [member](const RankedArm& a) { return a.arm.*member; }, doc);
  };
  add("name", &ArmAssessment::name);
  add("dynamics", &ArmAssessment::dynamics);
  add("microseconds", &ArmAssessment::microseconds, "Of one inverse dynamics.");
  add("manipulability", &ArmAssessment::manipulability);
  add("condition", &ArmAssessment::condition, "Of the mass matrix.");
  add("dominance", &ArmAssessment::dominance);
  add("peak_torque", &ArmAssessment::peak_torque);
  module.def("compare", &compare, "arms"_a, "samples"_a = 20000, "speed"_a = 1.0, "seed"_a = 1,
             "weights"_a = std::map<std::string, double>(), "as_built"_a = false,
             "Chains, best first: dynamic complexity, time, workspace, manipulability, condition, "
             "torque.");
  py::class_<Count>(module, "Count", "Operations of one algorithm, and what its paper prints.")
      .def_readonly("quantity", &Count::quantity)
      .def_readonly("algorithm", &Count::algorithm)
      .def_readonly("formula", &Count::formula)
      .def_property_readonly("multiplications",
                             [](const Count& c) { return c.measured.multiplications; })
      .def_property_readonly("additions", [](const Count& c) { return c.measured.additions; })
      .def_property_readonly(
          "paper",
          [](const Count& c) {
            return c.paper ? std::optional(std::pair(c.paper->multiplications, c.paper->additions))
                           : std::nullopt;
          },
          "(multiplications, additions), where the paper has a count of this kind of arm.")
      .def("__repr__", &attributes_text);
  module.def("counts", &counts, "chain"_a, "customised"_a = false, "without_frames"_a = false,
             "Multiplications and additions of every algorithm, measured on this chain.");
  module.def("random_chain", &revolute_chain, "dof"_a, "seed"_a = 1,
             "A chain of revolute joints with general twists and inertias.");
}

}  // namespace dyn::python
