// An arm in motion as Bhangale 2004 prints it, for the tests of this folder.
#pragma once

#include <limits>

#include "dyn_core/papers/bhangale_2004/as_printed.hpp"
#include "dyn_core/papers/classic/rnea.hpp"
#include "papers/christoffel.hpp"
#include "papers/planar_chain.hpp"

namespace dyn::test::bhangale_2004 {

using dyn::bhangale::Arm;
using dyn::bhangale::Elements;

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

inline double largest(const MatXd& m) { return m.size() == 0 ? 0.0 : m.cwiseAbs().maxCoeff(); }

// An arm in motion, without the chain's mimics: one coordinate for every joint.
struct State {
  State(const ChainPtr& chain_in, std::uint64_t seed)
      : chain(chain_in), model(chain), arm(model), elements(model) {
    Random random(seed);
    q = random.vector(model.size(), 3.0);
    qd = random.vector(model.size(), 2.0);
    qdd = random.vector(model.size(), 2.0);
    joints = poses_of<double>(model, q);
    arm = at_paper_origins(qd);
    elements.arm() = arm;
    elements.form_M_tilde();
    elements.form_M_prime_and_H_tilde();
    scale = largest(brute_force_mass_matrix<double>(chain, q));
    rate_scale = scale * largest(qd);
  }
  [[nodiscard]] Arm<double> at_paper_origins(const VecXd& rates) const {
    Arm<double> placed(model);
    placed.place(model, joints);
    placed.move(rates);
    return placed;
  }
  /// With every O_i moved along its axis.
  [[nodiscard]] Arm<double> at_origins_moved_by(const VecXd& shift) const {
    Arm<double> placed(model);
    placed.place(model, joints);
    for (Index i = 0; i < model.size(); ++i) placed.move_origin(i, shift[i]);
    placed.move(qd);
    return placed;
  }
  /// Newton-Euler without gravity.
  [[nodiscard]] VecXd newton_euler(const VecXd& accelerations) const {
    VecXd tau(model.size());
    Rnea<double>(model).inverse_dynamics(model, joints, Vec3d::Zero(), qd, accelerations, tau);
    return tau;
  }
  [[nodiscard]] MatXd run(CoriolisAlgorithm<double>&& algorithm) const {
    MatXd C = MatXd::Constant(model.size(), model.size(), 1e6);
    algorithm.coriolis_matrix(model, joints, qd, C);
    return C;
  }
  [[nodiscard]] Index n() const { return model.size(); }

  ChainPtr chain;
  Model model;
  VecXd q, qd, qdd;
  std::vector<JointPose<double>> joints;
  Arm<double> arm;
  Elements<double> elements;
  double scale, rate_scale;
};

// The robots without mimics on the chain, and random arms of every kind of joint.
template <class Check>
void for_states(Check check) {
  std::vector<ChainPtr> chains = small_chains();
  for (const Index n : {6, 12}) chains.push_back(random_chain(n, 20040126, {.prismatic = 0.3}));
  chains.push_back(planar_chain(5, 20040127, true));
  for (const ChainPtr& chain : chains) {
    if (chain->dof() != chain->joint_count()) continue;
    for (const std::uint64_t seed : {31u, 32u}) {
      SCOPED_TRACE(chain->name() + ", seed " + std::to_string(seed));
      check(State(chain, seed));
    }
  }
}

}  // namespace dyn::test::bhangale_2004
