#include "dyn_core/study/count.hpp"

#include <algorithm>

#include "dyn_core/registry.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/study/counted_arm.hpp"

namespace dyn {
namespace {

// One call each, its answer thrown away.
void run(MassMatrixAlgorithm<Counted>& algorithm, const CountedArm& arm, Joints<Counted> joints) {
  MatX<Counted> M(arm.model.size(), arm.model.size());
  algorithm.mass_matrix(arm.model, joints, M);
}
void run(InverseDynamicsAlgorithm<Counted>& algorithm, const CountedArm& arm,
         Joints<Counted> joints) {
  VecX<Counted> tau(arm.model.size());
  algorithm.inverse_dynamics(arm.model, joints, arm.model.gravity(), arm.rates, arm.accelerations,
                             tau);
}
void run(ForwardDynamicsAlgorithm<Counted>& algorithm, const CountedArm& arm,
         Joints<Counted> joints) {
  VecX<Counted> qdd(arm.model.size());
  (void)algorithm.forward_dynamics(arm.model, joints, arm.model.gravity(), arm.rates,
                                   arm.accelerations, qdd);
}
void run(CoriolisAlgorithm<Counted>& algorithm, const CountedArm& arm, Joints<Counted> joints) {
  MatX<Counted> C(arm.model.size(), arm.model.size());
  algorithm.coriolis_matrix(arm.model, joints, arm.rates, C);
}

struct Counting {
  const CountedArm& arm;
  CountingRule rule;
  bool frames_given = false;
  std::string_view quantity, algorithm;  // this one alone, if not empty
};

template <class Algorithm>
void count_all(Entries<Algorithm> entries, std::string_view quantity, const Counting& counting,
               std::vector<AlgorithmCount>& out) {
  if (!counting.quantity.empty() && counting.quantity != quantity) return;
  const CountedArm& arm = counting.arm;
  const Chain& chain = arm.model.chain();
  const bool revolute =
      std::ranges::none_of(chain.joints(), [](const Joint& joint) { return joint.is_prismatic(); });
  for (const Entry<Algorithm>& entry : entries) {
    if (!counting.algorithm.empty() && counting.algorithm != entry.name) continue;
    if (!is_comparable(entry.cost, arm.model.size())) continue;
    const auto algorithm = entry.make(arm.model);
    const Joints<Counted> joints = arm.joints(counting.frames_given);
    AlgorithmCount row;
    row.quantity = quantity;
    row.algorithm = entry.name;
    row.measured = CountedArm::count(counting.rule, [&] { run(*algorithm, arm, joints); });
    row.set_aside = Counted::count_set_aside();
    row.formula = entry.cost;
    if (entry.paper_count != nullptr && revolute && counting.rule == CountingRule::kGeneral) {
      row.paper = entry.paper_count(arm.model.size(), chain.is_planar());
    }
    out.push_back(row);
  }
}

std::vector<AlgorithmCount> count_all(const Counting& counting) {
  std::vector<AlgorithmCount> rows;
  count_all(mass_matrix_algorithms<Counted>(), "mass_matrix", counting, rows);
  count_all(inverse_dynamics_algorithms<Counted>(), "inverse_dynamics", counting, rows);
  count_all(forward_dynamics_algorithms<Counted>(), "forward_dynamics", counting, rows);
  count_all(coriolis_algorithms<Counted>(), "coriolis", counting, rows);
  return rows;
}

VecX<Counted> variables(Index n, double first) {
  VecX<Counted> v(n);
  for (Index i = 0; i < n; ++i) v[i] = Counted::variable(first + 0.1 * static_cast<double>(i));
  return v;
}

}  // namespace

CountedArm::CountedArm(const ChainPtr& chain)
    : model(chain),
      rates(variables(model.size(), -0.7)),
      accelerations(variables(model.size(), 1.1)),
      poses_(static_cast<std::size_t>(model.size())),
      frames_(poses_.size()) {
  joint_poses<Counted>(model, variables(model.size(), 0.3), poses_);
  link_frames<Counted>(model, poses_, frames_);
}

Joints<Counted> CountedArm::joints(bool with_frames) const {
  return with_frames ? Joints<Counted>(poses_, frames_) : Joints<Counted>(poses_);
}

std::vector<AlgorithmCount> count_operations(const ChainPtr& chain, CountingRule rule,
                                             bool frames_given) {
  const CountedArm arm(chain);
  return count_all({arm, rule, frames_given, {}, {}});
}

OperationCount count_operations(const ChainPtr& chain, CountingRule rule, std::string_view quantity,
                                std::string_view algorithm) {
  const CountedArm arm(chain);
  const std::vector<AlgorithmCount> rows = count_all({arm, rule, false, quantity, algorithm});
  return rows.empty() ? OperationCount{} : rows.front().measured;
}

}  // namespace dyn
