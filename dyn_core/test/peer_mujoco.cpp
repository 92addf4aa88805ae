// MuJoCo, an engine by others, gives the same mass matrix, bias torques and accelerations.
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

#include <mujoco/mujoco.h>

#include "peer_chains.hpp"

namespace dyn::test {
namespace {

std::string pose_attributes(const Posed& pose) {
  const Eigen::Quaterniond q(pose.R);
  std::ostringstream out;
  out.precision(17);
  out << "pos=\"" << pose.p.transpose() << "\" quat=\"" << q.w() << " " << q.x() << " " << q.y()
      << " " << q.z() << "\"";
  return out.str();
}

std::string inertial(const RigidBody& body) {
  const Eigen::SelfAdjointEigenSolver<Mat3d> principal(body.inertia);
  Mat3d axes = principal.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
  std::ostringstream out;
  out.precision(17);
  // Principal axes, since MuJoCo's own diagonalisation is good to seven digits.
  out << "<inertial " << pose_attributes({axes, body.com}) << " mass=\"" << body.mass
      << "\" diaginertia=\"" << principal.eigenvalues().transpose() << "\"/>";
  return out.str();
}

// One body a link in its DH frame at q = 0; the joint turns or slides about z at the body's origin.
std::string to_mjcf(const Chain& chain) {
  std::ostringstream out;
  out.precision(17);
  out << "<mujoco><compiler angle=\"radian\"/><option gravity=\"" << chain.gravity().transpose()
      << "\"/><worldbody><body " << pose_attributes(chain.base_pose())
      << "><geom size=\"0.01\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/>";
  for (std::size_t i = 0; i < chain.dh().size(); ++i) {
    const DhRow& row = chain.dh()[i];
    const Posed offset{Eigen::AngleAxisd(row.theta, Vec3d::UnitZ()).toRotationMatrix(),
                       Vec3d(0.0, 0.0, row.d)};
    out << "<body " << pose_attributes(twist_of(row) * offset) << ">"
        << inertial(chain.links()[i].body) << "<joint axis=\"0 0 1\" type=\""
        << (chain.joints()[i].is_prismatic() ? "slide" : "hinge") << "\"/>";
  }
  for (std::size_t i = 0; i < chain.dh().size(); ++i) out << "</body>";
  out << "</body></worldbody></mujoco>";
  return out.str();
}

struct Deleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using MujocoModel = std::unique_ptr<mjModel, Deleter>;
using MujocoData = std::unique_ptr<mjData, Deleter>;

MujocoModel load(const Chain& chain) {
  const std::string path = ::testing::TempDir() + "peer_mujoco_" + chain.name() + ".xml";
  std::ofstream(path) << to_mjcf(chain);
  char message[500] = "";
  MujocoModel model(mj_loadXML(path.c_str(), nullptr, message, sizeof message));
  EXPECT_NE(model, nullptr) << message;
  std::remove(path.c_str());
  return model;
}

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
}  // namespace dyn::test
