// FrameTree: where every link of a robot stands in its parent link's frame, on the chain and off it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/chain.hpp"
#include "dyn_core/export.hpp"
#include "dyn_core/spatial.hpp"

namespace dyn::inspect {

struct LinkFrame {
  std::string parent, link;
  Posed pose;  ///< of `link` in `parent`
};

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
