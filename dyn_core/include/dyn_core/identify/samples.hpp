// Samples: a motion of the arm as identification sees it, every signal filtered alike.
#pragma once

#include "dyn_core/math/types.hpp"

namespace dyn {

/// Row k is the state at t[k], over the chain's coordinates in the order of q.
struct Samples {
  VecXd t;           ///< s, evenly spaced but for gaps
  MatXd q, qd, qdd;  ///< rad or m, and their rates
  MatXd tau;         ///< what was measured, in the unit it was logged
  double cutoff =
      0.0;  ///< where the low-pass of all of them has halved a signal's power, Hz; 0: none

  [[nodiscard]] Index size() const { return t.size(); }
};

}  // namespace dyn
