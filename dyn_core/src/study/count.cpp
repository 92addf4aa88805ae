#include "dyn_core/study/count.hpp"

#include <algorithm>

#include "dyn_core/registry.hpp"
#include "dyn_core/robot/kinematics.hpp"

namespace dyn {
namespace {

using Vector = VecX<Counted>;

Vector variables(Index n, double first) {
  Vector v(n);
  for (Index i = 0; i < n; ++i) v[i] = Counted::variable(first + 0.1 * static_cast<double>(i));
  return v;
}

// One state of the chain as counted variables.
struct CountedState {
  CountedState(const ChainPtr& chain, bool frames_given)
      : model(chain),
        positions(variables(model.size(), 0.3)),
        rates(variables(model.size(), -0.7)),
        others(variables(model.size(), 1.1)),
        out(model.size()),
        matrix(model.size(), model.size()),
        poses(static_cast<std::size_t>(model.size())),
        frames(poses.size()) {
    joint_poses<Counted>(model, positions, poses);
    link_frames<Counted>(model, poses, frames);
    joints = frames_given ? Joints<Counted>(poses, frames) : Joints<Counted>(poses);
  }

  void run(MassMatrixAlgorithm<Counted>& a) { a.mass_matrix(model, joints, matrix); }
  void run(InverseDynamicsAlgorithm<Counted>& a) {
    a.inverse_dynamics(model, joints, model.gravity(), rates, others, out);
  }
  void run(ForwardDynamicsAlgorithm<Counted>& a) {
    (void)a.forward_dynamics(model, joints, model.gravity(), rates, others, out);
  }
  void run(CoriolisAlgorithm<Counted>& a) { a.coriolis_matrix(model, joints, rates, matrix); }

  Model model;
  Vector positions, rates, others, out;
  MatX<Counted> matrix;
  std::vector<JointPose<Counted>> poses;
  std::vector<Pose<Counted>> frames;
  Joints<Counted> joints;
};

template <class Algorithm>
void count_all(Entries<Algorithm> entries, std::string_view quantity, CountedState& state,
               CountingRule rule, std::vector<AlgorithmCount>& out) {
  const Chain& chain = state.model.chain();
  const bool revolute =
      std::ranges::none_of(chain.joints(), [](const Joint& joint) { return joint.is_prismatic(); });
  for (const Entry<Algorithm>& entry : entries) {
    if (!is_comparable(entry.cost, state.model.size())) continue;
    const auto algorithm = entry.make(state.model);
    Counted::reset(rule);
    state.run(*algorithm);
    AlgorithmCount row;
    row.quantity = quantity;
    row.algorithm = entry.name;
    row.measured = Counted::count();
    row.set_aside = Counted::count_set_aside();
    row.formula = entry.cost;
    if (entry.paper_count != nullptr && revolute && rule == CountingRule::kGeneral) {
      row.paper = entry.paper_count(state.model.size(), chain.is_planar());
    }
    out.push_back(row);
  }
}

}  // namespace

std::vector<AlgorithmCount> count_operations(const ChainPtr& chain, CountingRule rule,
                                             bool frames_given) {
  CountedState state(chain, frames_given);
  std::vector<AlgorithmCount> rows;
  count_all(mass_matrix_algorithms<Counted>(), "mass_matrix", state, rule, rows);
  count_all(inverse_dynamics_algorithms<Counted>(), "inverse_dynamics", state, rule, rows);
  count_all(forward_dynamics_algorithms<Counted>(), "forward_dynamics", state, rule, rows);
  count_all(coriolis_algorithms<Counted>(), "coriolis", state, rule, rows);
  return rows;
}

}  // namespace dyn
