// The derivatives of `dyn eval`.
#pragma once

#include "common.hpp"
#include "dyn_core/solver.hpp"

namespace dyn::tool {

/// By q, by q̇, and by q̈ or τ.
struct Derivatives {
  explicit Derivatives(Index n) : q(n, n), qd(n, n), third(n, n) {}

  MatXd q, qd, third;
};
struct DynamicsDerivatives {
  Derivatives inverse, forward;
};

[[nodiscard]] DynamicsDerivatives derivatives_of(Solver& solver, const VecXd& q, const VecXd& qd,
                                                 const VecXd& qdd, const VecXd& tau);
void add_to_json(const DynamicsDerivatives& derivatives, Json& out);
void print(const DynamicsDerivatives& derivatives);

}  // namespace dyn::tool
