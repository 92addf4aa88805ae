// One arbitrary state of a chain as counted variables: what operations are measured at.
#pragma once

#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/math/counted.hpp"
#include "dyn_core/robot/algorithm.hpp"

namespace dyn {

class DYN_CORE_EXPORT CountedArm {
 public:
  explicit CountedArm(const ChainPtr& chain);

  /// With the link frames computed beforehand or not.
  [[nodiscard]] Joints<Counted> joints(bool with_frames = false) const;

  /// What `query` executes, stages that a paper sets aside left out.
  template <class Query>
  [[nodiscard]] static OperationCount count(CountingRule rule, Query query) {
    Counted::reset(rule);
    query();
    return Counted::count();
  }

  Model model;
  VecX<Counted> rates, accelerations;

 private:
  std::vector<JointPose<Counted>> poses_;
  std::vector<Pose<Counted>> frames_;
};

}  // namespace dyn
