// MuJoCo, an engine by others, gives the same mass matrix, bias torques and accelerations.
#include "peer_mujoco.hpp"

namespace dyn::test::peer_mujoco_tests {
namespace {

TEST(Mujoco, AgreesOnMassMatrixBiasAndAccelerations) {
  for (const ChainPtr& chain : peer_chains()) {
    SCOPED_TRACE(chain->name());
    const MujocoModel model = load(*chain);
    ASSERT_NE(model, nullptr);
    const MujocoData data(mj_makeData(model.get()));
    auto solver = Solver::make(chain);
    ASSERT_TRUE(solver) << solver.error().sentence;
    const Index n = chain->dof();
    using Row = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    for (const PeerState& state : peer_states(n)) {
      Eigen::Map<VecXd>(data->qpos, n) = state.q;
      Eigen::Map<VecXd>(data->qvel, n) = state.qd;
      Eigen::Map<VecXd>(data->qfrc_applied, n) = state.tau;
      mj_forward(model.get(), data.get());
      Row M(n, n);
      mj_fullM(model.get(), M.data(), data->qM);
      expect_same(Answers(*solver, state), M, Eigen::Map<VecXd>(data->qfrc_bias, n),
                  Eigen::Map<VecXd>(data->qacc, n), state);
    }
  }
}

// By positions and rates, of what MuJoCo's bias torque is at neighbouring states.
TEST(Mujoco, AgreesOnTheDerivativesOfTheBias) {
  constexpr double kStep = 1e-4;
  for (const ChainPtr& chain : peer_chains()) {
    SCOPED_TRACE(chain->name());
    const MujocoModel model = load(*chain);
    ASSERT_NE(model, nullptr);
    const MujocoData data(mj_makeData(model.get()));
    Solver solver = Solver::make(chain).value();
    const Index n = chain->dof();
    const auto bias = [&](const VecXd& q, const VecXd& qd) {
      Eigen::Map<VecXd>(data->qpos, n) = q;
      Eigen::Map<VecXd>(data->qvel, n) = qd;
      mj_forward(model.get(), data.get());
      return VecXd(Eigen::Map<VecXd>(data->qfrc_bias, n));
    };
    MatXd dq(n, n), dqd(n, n), M(n, n);
    for (const PeerState& s : peer_states(n)) {
      ASSERT_EQ(solver.inverse_dynamics_derivatives(s.q, s.qd, VecXd::Zero(n), dq, dqd, M),
                Status::kOk);
      const double scale = 1.0 + dq.cwiseAbs().maxCoeff() + dqd.cwiseAbs().maxCoeff();
      for (Index k = 0; k < n; ++k) {
        const VecXd step = kStep * VecXd::Unit(n, k);
        const VecXd by_q = bias(s.q + step, s.qd) - bias(s.q - step, s.qd);
        const VecXd by_qd = bias(s.q, s.qd + step) - bias(s.q, s.qd - step);
        EXPECT_LE((by_q / (2.0 * kStep) - dq.col(k)).cwiseAbs().maxCoeff(), 1e-5 * scale);
        EXPECT_LE((by_qd / (2.0 * kStep) - dqd.col(k)).cwiseAbs().maxCoeff(), 1e-5 * scale);
      }
    }
  }
}

}  // namespace
}  // namespace dyn::test::peer_mujoco_tests
