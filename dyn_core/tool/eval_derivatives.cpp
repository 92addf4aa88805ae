#include "eval_derivatives.hpp"

#include <fmt/format.h>

namespace dyn::tool {
namespace {

Json json_of(const Derivatives& d, const char* third) {
  return {{"q", to_json(d.q)}, {"qd", to_json(d.qd)}, {third, to_json(d.third)}};
}

void print(const char* of, const Derivatives& d, const char* third) {
  print_matrix(fmt::format("Derivatives of {} by q (row i: of element i)", of), d.q);
  print_matrix(fmt::format("Derivatives of {} by qd", of), d.qd);
  print_matrix(fmt::format("Derivatives of {} by {}", of, third), d.third);
}

}  // namespace

DynamicsDerivatives derivatives_of(Solver& solver, const VecXd& q, const VecXd& qd,
                                   const VecXd& qdd, const VecXd& tau) {
  const Derivatives room(solver.dof());
  DynamicsDerivatives out{room, room};
  auto& [inverse, forward] = out;
  require(solver.inverse_dynamics_derivatives(q, qd, qdd, inverse.q, inverse.qd, inverse.third),
          "derivatives of inverse dynamics");
  require(solver.forward_dynamics_derivatives(q, qd, tau, forward.q, forward.qd, forward.third),
          "derivatives of forward dynamics");
  return out;
}

void add_to_json(const DynamicsDerivatives& derivatives, Json& out) {
  out["inverse_dynamics_derivatives"] = json_of(derivatives.inverse, "qdd");
  out["forward_dynamics_derivatives"] = json_of(derivatives.forward, "tau");
}

void print(const DynamicsDerivatives& derivatives) {
  print("inverse dynamics", derivatives.inverse, "qdd");
  print("forward dynamics", derivatives.forward, "tau");
}

}  // namespace dyn::tool
