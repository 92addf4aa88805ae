// Chains to test with, the robots of this package, and brute-force oracles.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dyn_core/robot/chain.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/robot/model.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "dyn_core/robot/urdf.hpp"

namespace dyn::test {

/// Under a sanitizer everything takes tens of times as long: tests go over fewer cases there.
#if defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer);
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

using dyn::ChainKind;
using dyn::Random;
using dyn::random_body;
using dyn::random_chain;

inline std::string robot_path(const std::string& name) {
  return std::string(DYN_ROBOTS_DIR) + "/" + name + ".urdf";
}

/// A robot of this package; arm7 ends at tool0, its gripper rides along.
inline ChainPtr load_robot(const std::string& name) {
  UrdfOptions options;
  options.tip = "tool0";
  const auto chain = load_urdf(robot_path(name), options);
  if (!chain) {
    ADD_FAILURE() << chain.error().sentence;
    return nullptr;
  }
  return *chain;
}

inline const std::vector<std::string>& robot_names() {
  static const std::vector<std::string> kNames = {"planar3r",  "stanford", "puma560", "rtx3",
                                                  "stanford3", "rp",       "pr",      "arm7"};
  return kNames;
}

/// The chains every algorithm has to agree on: the robots, then random ones of n = 1 … 60.
inline std::vector<ChainPtr> conformance_chains() {
  std::vector<ChainPtr> chains;
  for (const std::string& name : robot_names()) chains.push_back(load_robot(name));
  std::uint64_t seed = 20261118;
  for (const Index n : {1, 2, 3, 4, 6, 7, 12, 20, 30, 60}) {
    if (kSanitized && n > 12) break;
    chains.push_back(random_chain(n, seed++));
    chains.push_back(random_chain(n, seed++, {.prismatic = 0.4}));
    chains.push_back(random_chain(n, seed++, {.prismatic = 0.2, .hayati = 0.3}));
  }
  return chains;
}

/// Which joints of a chain have drive inertia.
enum class Drives { kNone, kFirst, kEveryOther, kEvery };
inline constexpr std::array kAllDrives = {Drives::kNone, Drives::kFirst, Drives::kEveryOther,
                                          Drives::kEvery};

inline void set_drives(Model& model, Drives drives) {
  if (drives == Drives::kNone) return;
  const Index step = drives == Drives::kFirst        ? model.size()
                     : drives == Drives::kEveryOther ? 2
                                                     : 1;
  for (Index i = 0; i < model.size(); i += step) model.set_armature(i, 0.4);
}
inline std::string name_of(Drives drives) {
  constexpr std::array kNames = {"no joint", "the first joint", "every other joint", "every joint"};
  return std::string("armature on ") + kNames[static_cast<std::size_t>(drives)];
}

/// Joint poses of a scalar type from plain joint positions.
template <class Scalar>
std::vector<JointPose<Scalar>> poses_of(const Model& model, const VecX<Scalar>& positions) {
  std::vector<JointPose<Scalar>> poses(static_cast<std::size_t>(model.size()));
  joint_poses<Scalar>(model, positions, poses);
  return poses;
}

/// M = Σ m Jvᵀ Jv + Jwᵀ I Jw link by link: slow, and independent of every algorithm.
template <class Scalar>
MatX<Scalar> brute_force_mass_matrix(const ChainPtr& chain, const VecX<Scalar>& q) {
  Kinematics<Scalar> kinematics(chain);
  EXPECT_EQ(kinematics.update(q), Status::kOk);
  const Index n = chain->dof();
  MatX<Scalar> M = MatX<Scalar>::Zero(n, n), J(6, n);
  for (Index i = 0; i < chain->joint_count(); ++i) {
    const RigidBody& body = chain->links()[static_cast<std::size_t>(i)].body;
    const Pose<Scalar> pose = kinematics.dh_pose(i);
    const Vec3<Scalar> com = pose * Vec3<Scalar>(body.com.cast<Scalar>());
    EXPECT_EQ(kinematics.jacobian(i, com, J), Status::kOk);
    const Mat3<Scalar> inertia = pose.R * body.inertia.cast<Scalar>() * pose.R.transpose();
    const MatX<Scalar> v = J.topRows(3), w = J.bottomRows(3);
    M += Scalar(body.mass) * (v.transpose() * v) + w.transpose() * inertia * w;
  }
  return M;
}

}  // namespace dyn::test
