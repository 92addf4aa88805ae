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

}  // namespace
}  // namespace dyn::test::peer_mujoco_tests
