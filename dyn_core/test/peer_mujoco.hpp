// A chain as a model of MuJoCo, for the comparisons with it.
#pragma once

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

#include <Eigen/Eigenvalues>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include "peer_chains.hpp"

namespace dyn::test {

inline std::string pose_attributes(const Posed& pose) {
  const Eigen::Quaterniond q(pose.R);
  std::ostringstream out;
  out.precision(17);
  out << "pos=\"" << pose.p.transpose() << "\" quat=\"" << q.w() << " " << q.x() << " " << q.y()
      << " " << q.z() << "\"";
  return out.str();
}

inline std::string inertial(const RigidBody& body) {
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
inline std::string to_mjcf(const Chain& chain) {
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

/// `name` keeps the file apart from others'.
inline MujocoModel load_text(const std::string& xml, const std::string& name) {
  const std::string path =
      ::testing::TempDir() + "peer_mujoco_" + name + "_" + std::to_string(getpid()) + ".xml";
  std::ofstream(path) << xml;
  char message[500] = "";
  MujocoModel model(mj_loadXML(path.c_str(), nullptr, message, sizeof message));
  EXPECT_NE(model, nullptr) << message;
  std::remove(path.c_str());
  return model;
}

inline MujocoModel load(const Chain& chain) { return load_text(to_mjcf(chain), chain.name()); }

}  // namespace dyn::test
