// What several papers' items are measured by.
#pragma once

#include <chrono>
#include <string_view>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/registry.hpp"
#include "dyn_core/robot/kinematics.hpp"

namespace dyn::tool {

/// One state of a chain as counted variables, with the link frames computed beforehand or not.
class CountedArm {
 public:
  explicit CountedArm(const ChainPtr& chain)
      : model(chain),
        poses_(static_cast<std::size_t>(model.size())),
        frames_(poses_.size()),
        rates(variables(-0.7)),
        accelerations(variables(1.1)) {
    joint_poses<Counted>(model, variables(0.3), poses_);
    link_frames<Counted>(model, poses_, frames_);
  }

  [[nodiscard]] Joints<Counted> joints(bool with_frames) const {
    return with_frames ? Joints<Counted>(poses_, frames_) : Joints<Counted>(poses_);
  }

  /// What `query` executes, stages that a paper sets aside left out.
  template <class Query>
  [[nodiscard]] static OperationCount count(CountingRule rule, Query query) {
    Counted::reset(rule);
    query();
    return Counted::count();
  }

  Model model;

 private:
  [[nodiscard]] VecX<Counted> variables(double first) const {
    VecX<Counted> v(model.size());
    for (Index i = 0; i < v.size(); ++i) {
      v[i] = Counted::variable(first + 0.1 * static_cast<double>(i));
    }
    return v;
  }

  std::vector<JointPose<Counted>> poses_;
  std::vector<Pose<Counted>> frames_;

 public:
  VecX<Counted> rates, accelerations;
};

/// Operations of a registered mass matrix algorithm.
[[nodiscard]] inline OperationCount count_mass_matrix(const ChainPtr& chain,
                                                      std::string_view algorithm,
                                                      CountingRule rule = CountingRule::kGeneral) {
  const CountedArm arm(chain);
  const auto made = find(mass_matrix_algorithms<Counted>(), algorithm)->make(arm.model);
  MatX<Counted> M(arm.model.size(), arm.model.size());
  return CountedArm::count(rule, [&] { made->mass_matrix(arm.model, arm.joints(false), M); });
}

/// The shortest of `rounds` runs of `work`, s.
template <class Work>
[[nodiscard]] double shortest_time(int rounds, Work work) {
  double least = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    least = std::min(least, time.count());
  }
  return least;
}

}  // namespace dyn::tool
