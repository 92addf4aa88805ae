// Forward dynamics by the diagonalized equations of motion, normalised and unnormalised, O(n).
//
//   K. Kozłowski: Robot dynamics models in terms of generalized and quasi-coordinates: a
//   comparison, Applied Mathematics and Computer Science 5, 1995. Section 6, Tab. 2.
//
//   ν̇ = ε - C(θ,ν)  (40)        D ξ̇ = κ - C(θ,ξ)  (44)        both with gravity in b
//
// Symbols and deviations: diagonalized.hpp. Tab. 2 ends at ν̇ and ξ̇, (605n-462)M (530n-448)A and
// (500n-319)M (426n-286)A; the step from there to θ̈ is not counted here either.
// Cost, revolute, n > 2: (411n-548)M (391n-565)A and (369n-506)M (361n-534)A. It is lower because
// of the planar steps and because the products λ̇ V of (42) cancel.
#pragma once

#include "dyn_core/papers/kozlowski_1995/diagonalized.hpp"

namespace dyn {

template <class Scalar>
class NormalizedForwardDynamics final : public ForwardDynamicsAlgorithm<Scalar> {
 public:
  explicit NormalizedForwardDynamics(const Model& model)
      : dynamics_(model), nu_rate_(model.size()) {}

  Status forward_dynamics(const Model& model, Joints<Scalar> joints, const Vec3d& gravity,
                          VecIn<Scalar> qd, VecIn<Scalar> tau, VecOut<Scalar> qdd) override {
    if (const Status status = dynamics_.update(model, joints); status != Status::kOk) return status;
    dynamics_.set_rates(qd);
    dynamics_.nu_rate(model, gravity, tau, nu_rate_);  // (40)
    [[maybe_unused]] const NotCounted<Scalar> as_in_the_paper;
    dynamics_.nu_rate_to_accelerations(nu_rate_, qdd);
    return Status::kOk;
  }

 private:
  DiagonalizedDynamics<Scalar> dynamics_;
  VecX<Scalar> nu_rate_;
};

template <class Scalar>
class UnnormalizedForwardDynamics final : public ForwardDynamicsAlgorithm<Scalar> {
 public:
  explicit UnnormalizedForwardDynamics(const Model& model)
      : dynamics_(model), xi_rate_(model.size()) {}

  Status forward_dynamics(const Model& model, Joints<Scalar> joints, const Vec3d& gravity,
                          VecIn<Scalar> qd, VecIn<Scalar> tau, VecOut<Scalar> qdd) override {
    if (const Status status = dynamics_.update(model, joints); status != Status::kOk) return status;
    dynamics_.set_rates(qd);
    dynamics_.xi_rate(model, gravity, tau, xi_rate_);  // (44)
    [[maybe_unused]] const NotCounted<Scalar> as_in_the_paper;
    dynamics_.xi_rate_to_accelerations(xi_rate_, qdd);
    return Status::kOk;
  }

 private:
  DiagonalizedDynamics<Scalar> dynamics_;
  VecX<Scalar> xi_rate_;
};

}  // namespace dyn
