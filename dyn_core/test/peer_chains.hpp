// Chains, states and tolerances of the comparisons with other people's libraries.
#pragma once

#include <Eigen/Eigenvalues>

#include "dyn_core/solver.hpp"
#include "support.hpp"

namespace dyn::test {

struct PeerState {
  VecXd q, qd, tau;
};

inline std::vector<ChainPtr> peer_chains() {
  std::vector<ChainPtr> chains = {load_robot("arm7"), load_robot("puma560")};
  for (const Index n : {1, 2, 6, 7, 12, 30}) {
    chains.push_back(random_chain(n, 100 + static_cast<std::uint64_t>(n)));
    chains.push_back(
        random_chain(n, 200 + static_cast<std::uint64_t>(n), {.prismatic = 0.3, .hayati = 0.2}));
  }
  return chains;
}

inline std::vector<PeerState> peer_states(Index n) {
  Random random(11);
  std::vector<PeerState> states;
  for (int i = 0; i < 4; ++i) {
    VecXd q = random.vector(n, 3.1), qd = random.vector(n, 2.0), tau = random.vector(n, 10.0);
    states.push_back({std::move(q), std::move(qd), std::move(tau)});
  }
  return states;
}

/// What this library says at one state.
struct Answers {
  MatXd M;
  VecXd bias, acceleration;

  Answers(Solver& solver, const PeerState& state)
      : M(solver.dof(), solver.dof()), bias(solver.dof()), acceleration(solver.dof()) {
    const VecXd zero = VecXd::Zero(solver.dof());
    EXPECT_EQ(solver.mass_matrix(state.q, M), Status::kOk);
    EXPECT_EQ(solver.inverse_dynamics(state.q, state.qd, zero, bias), Status::kOk);
    EXPECT_EQ(solver.forward_dynamics(state.q, state.qd, state.tau, acceleration), Status::kOk);
  }
};

/// Relative to the largest entry; accelerations in addition relative to the conditioning of M.
inline void expect_same(const Answers& ours, const MatXd& M, const VecXd& bias,
                        const VecXd& acceleration, const PeerState& state) {
  constexpr double kTolerance = 1e-9;
  EXPECT_LE((ours.M - M).cwiseAbs().maxCoeff(), kTolerance * M.cwiseAbs().maxCoeff());
  EXPECT_LE((ours.bias - bias).cwiseAbs().maxCoeff(),
            kTolerance * (1.0 + bias.cwiseAbs().maxCoeff()));
  const VecXd residual = M * ours.acceleration + bias - state.tau;
  const double scale = (M.cwiseAbs() * ours.acceleration.cwiseAbs()).maxCoeff() + 1.0;
  EXPECT_LE(residual.cwiseAbs().maxCoeff(), kTolerance * scale);
  const VecXd eigenvalues = M.selfadjointView<Eigen::Lower>().eigenvalues();
  const double condition = eigenvalues[eigenvalues.size() - 1] / eigenvalues[0];
  EXPECT_LE((ours.acceleration - acceleration).cwiseAbs().maxCoeff(),
            (kTolerance + 1e-14 * condition) * (1.0 + acceleration.cwiseAbs().maxCoeff()));
}

/// The constant part of a DH row, up to the joint's own turn and shift.
inline Posed twist_of(const DhRow& row) {
  return {
      (Eigen::AngleAxisd(row.alpha, Vec3d::UnitX()) * Eigen::AngleAxisd(row.beta, Vec3d::UnitY()))
          .toRotationMatrix(),
      Vec3d(row.a, 0.0, 0.0)};
}

}  // namespace dyn::test
