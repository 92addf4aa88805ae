// What a Solver holds. Internal to dyn_core.
#pragma once

#include "fast_queries.hpp"
#include "papers_queries.hpp"

namespace dyn {

struct Solver::Impl {
  explicit Impl(const ChainPtr& chain)
      : situation(chain),
        papers(situation),
        kinematics(situation.model.chain_ptr()),
        M(situation.dof(), situation.dof()),
        spare{M, M},
        torque(situation.dof()),
        zero(VecXd::Zero(situation.dof())),
        unit(zero) {}

  /// Empty, or what stands against these algorithms.
  std::string make(const Algorithms& asked);

  template <class Change>
  void tell_makers(Change change) noexcept {
    change(papers);
    if (fast) change(*fast);
    if (generated) change(*generated);
  }
  void model_changed() noexcept {
    tell_makers([](Queries& maker) { maker.model_changed(); });
  }
  /// tau += sign friction(q̇).
  void add_friction(VecIn<double> qd, double sign, VecOut<double> tau) const;
  /// The derivative of each coordinate's friction by its own rate; that by others is zero.
  void friction_slopes(VecIn<double> qd, VecOut<double> out) const;
  void set_wrench(const Wrench& wrench) noexcept;
  Status dynamics(const Posture& at, VecIn<double> qd, Dynamics& out);

  Situation situation;
  Algorithms names;
  PapersQueries papers;
  std::unique_ptr<FastQueries> fast;
  std::unique_ptr<Queries> generated;
  // Who answers each quantity, and all of a Dynamics where that is one of them.
  Queries *mass_matrix = nullptr, *inverse_dynamics = nullptr, *forward_dynamics = nullptr,
          *coriolis = nullptr;
  FastQueries* at_once = nullptr;
  bool has_friction = false;

  Kinematics<double> kinematics;
  MatXd M, spare[2];
  VecXd torque, zero, unit;
};

}  // namespace dyn
