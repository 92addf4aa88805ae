// Where every joint of a robot stands and every link in its parent link's frame, on the chain and off it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/math/spatial.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn::inspect {

struct LinkFrame {
  std::string parent, link;
  Posed pose;  ///< of `link` in `parent`
};

/// What decides where a joint with one axis stands: multiplier * (its master's position) + offset.
struct JointMotion {
  std::string joint, master;  ///< an independent joint is its own master
  Index coordinate = -1;      ///< of the master; -1 off the chain
  double multiplier = 1.0, offset = 0.0;
  double rest = 0.0;  ///< the master's position nearest to zero within its limits
};

/// Every joint with one axis, on the chain and off it. `chain` was made of this description.
DYN_CORE_EXPORT [[nodiscard]] Result<std::vector<JointMotion>> joint_motions(
    std::string_view description, const Chain& chain);

class DYN_CORE_EXPORT FrameTree {
 public:
  /// `chain` was made of this description.
  [[nodiscard]] static Result<FrameTree> make(std::string_view description, const Chain& chain);

  /// The links on joints that never move.
  [[nodiscard]] const std::vector<LinkFrame>& fixed() const noexcept { return fixed_; }
  /// The others, with the chain at q and independent joints off the chain at zero. A wrong size of q
  /// leaves them where they were. Allocates nothing.
  [[nodiscard]] const std::vector<LinkFrame>& moving(VecIn<double> q) noexcept;
  /// The independent joints off the chain.
  [[nodiscard]] const std::vector<std::string>& other_joints() const noexcept { return others_; }

 private:
  struct Motion {
    Posed origin;
    Vec3d axis;
    bool prismatic;
    Index coordinate;  // -1: stands at offset
    double multiplier, offset;
  };

  Index dof_ = 0;
  std::vector<LinkFrame> fixed_, moving_;
  std::vector<Motion> motions_;  // of moving_
  std::vector<std::string> others_;
};

}  // namespace dyn::inspect
