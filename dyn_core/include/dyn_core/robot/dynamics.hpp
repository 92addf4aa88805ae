// Dynamics: what is asked for most often, of one state, at once.
#pragma once

#include <vector>

#include "dyn_core/math/spatial.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn {

/// The terms of M q̈ + C(q, q̇) q̇ + g(q) = tau, M = U D Uᵀ, and the frames.
struct Dynamics {
  MatXd mass_matrix, U;
  VecXd D;
  VecXd coriolis_torque, gravity_torque;
  std::vector<Posed> frames;  ///< DH frame of each link in the base link frame

  explicit Dynamics(const Chain& chain)
      : mass_matrix(MatXd::Zero(chain.dof(), chain.dof())),
        U(mass_matrix),
        D(VecXd::Zero(chain.dof())),
        coriolis_torque(D),
        gravity_torque(D),
        frames(static_cast<std::size_t>(chain.joint_count())) {}
};

}  // namespace dyn
