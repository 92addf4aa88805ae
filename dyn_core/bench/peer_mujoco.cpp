#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include <mujoco/mujoco.h>
#include <unistd.h>

#include "peers.hpp"

namespace dyn::bench {
namespace {

// MuJoCo's reader refuses deeper nesting than this: the rest goes to a file of its own.
constexpr std::size_t kBodiesPerFile = 60;

std::string body_text(const Chain& chain, std::size_t i) {
  const Posed pose = pose_at_zero(chain, i);
  const Eigen::Quaterniond turn(pose.R);
  const RigidBody& body = chain.links()[i].body;
  const Mat3d& I = body.inertia;
  std::ostringstream out;
  out.precision(17);
  out << "<body pos=\"" << pose.p.transpose() << "\" quat=\"" << turn.w() << ' ' << turn.x() << ' '
      << turn.y() << ' ' << turn.z() << "\"><inertial pos=\"" << body.com.transpose()
      << "\" mass=\"" << body.mass << "\" fullinertia=\"" << I(0, 0) << ' ' << I(1, 1) << ' '
      << I(2, 2) << ' ' << I(0, 1) << ' ' << I(0, 2) << ' ' << I(1, 2)
      << "\"/><joint axis=\"0 0 1\" type=\""
      << (chain.joints()[i].is_prismatic() ? "slide" : "hinge") << "\"/>";
  return out.str();
}

// Files in a folder of their own; the path of the first one.
std::string write_mjcf(const Chain& chain, const std::string& folder) {
  const std::size_t n = chain.dh().size(), files = (n + kBodiesPerFile - 1) / kBodiesPerFile;
  for (std::size_t f = 0; f < files; ++f) {
    std::ofstream out(folder + "/" + std::to_string(f) + ".xml");
    out.precision(17);
    const std::size_t first = f * kBodiesPerFile, end = std::min(n, first + kBodiesPerFile);
    if (f == 0) {
      out << "<mujoco><compiler angle=\"radian\" boundmass=\"0\" balanceinertia=\"true\"/><option "
             "gravity=\""
          << chain.gravity().transpose()
          << "\"><flag contact=\"disable\" constraint=\"disable\"/></option><worldbody>";
    } else {
      out << "<mujocoinclude>";
    }
    for (std::size_t i = first; i < end; ++i) out << body_text(chain, i);
    if (f + 1 < files) out << "<include file=\"" << f + 1 << ".xml\"/>";
    for (std::size_t i = first; i < end; ++i) out << "</body>";
    out << (f == 0 ? "</worldbody></mujoco>" : "</mujocoinclude>");
  }
  return folder + "/0.xml";
}

class Mujoco {
 public:
  explicit Mujoco(const Chain& chain) : n_(chain.dof()), M_(n_, n_), bias_(n_), out_(n_) {
    char folder[] = "/tmp/dyn_bench_XXXXXX";
    if (mkdtemp(folder) == nullptr) return;
    char message[500] = "";
    model_ = mj_loadXML(write_mjcf(chain, folder).c_str(), nullptr, message, sizeof message);
    for (std::size_t f = 0; f <= chain.dh().size() / kBodiesPerFile; ++f) {
      std::remove((std::string(folder) + "/" + std::to_string(f) + ".xml").c_str());
    }
    rmdir(folder);
    if (model_ == nullptr) std::cerr << "MuJoCo: " << message << '\n';
    if (model_ != nullptr) data_ = mj_makeData(model_);
  }
  ~Mujoco() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  Mujoco(const Mujoco&) = delete;
  Mujoco& operator=(const Mujoco&) = delete;

  [[nodiscard]] bool loaded() const { return model_ != nullptr; }

  void mass_matrix(const PeerState& state) {
    place(state);
    mj_crb(model_, data_);
    mj_fullM(model_, M_.data(), data_->qM);
  }
  void inverse_dynamics(const PeerState& state) {
    place(state);
    Eigen::Map<VecXd>(data_->qvel, n_) = state.qd;
    Eigen::Map<VecXd>(data_->qacc, n_) = state.qdd;
    mj_comVel(model_, data_);
    mj_rne(model_, data_, 1, out_.data());
  }
  void forward_dynamics(const PeerState& state) {
    place(state);
    Eigen::Map<VecXd>(data_->qvel, n_) = state.qd;
    mj_crb(model_, data_);
    mj_factorM(model_, data_);
    mj_comVel(model_, data_);
    mj_rne(model_, data_, 0, bias_.data());
    bias_ = state.tau - bias_;
    mj_solveM(model_, data_, out_.data(), bias_.data(), 1);
  }

 private:
  void place(const PeerState& state) {
    Eigen::Map<VecXd>(data_->qpos, n_) = state.q;
    mj_kinematics(model_, data_);
    mj_comPos(model_, data_);
  }

  Index n_;
  MatXd M_;
  VecXd bias_, out_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

}  // namespace

void add_mujoco(const Chain& chain, const std::shared_ptr<const PeerStates>& states,
                std::vector<Timing>& out) {
  const auto mujoco = std::make_shared<Mujoco>(chain);
  if (!mujoco->loaded()) return;
  add(
      "mass_matrix", "mujoco", *states,
      [mujoco, states](std::size_t k) { mujoco->mass_matrix((*states)[k]); }, out);
  add(
      "inverse_dynamics", "mujoco", *states,
      [mujoco, states](std::size_t k) { mujoco->inverse_dynamics((*states)[k]); }, out);
  add(
      "forward_dynamics", "mujoco", *states,
      [mujoco, states](std::size_t k) { mujoco->forward_dynamics((*states)[k]); }, out);
}

}  // namespace dyn::bench
