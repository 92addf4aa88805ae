// Model: the numbers of a Chain in the form the recursions read them, with the payload and the gravity
// of the moment. Copying it allocates once; changing payload, gravity or armature never does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/math/spatial.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn {

/// Constants of one link. Cosines and sines within 1e-15 of 0 or ±1 are exact.
struct LinkModel {
  bool prismatic = false;
  bool has_beta = false;                        ///< the row has Hayati's extra angle
  Turn<double> alpha, beta;                     ///< twist about x, extra angle about y
  Turn<double> theta;                           ///< of the constant offset
  double a = 0.0, d = 0.0, theta_offset = 0.0;  ///< see DhRow
  Vec3d axis = Vec3d::UnitZ();                  ///< the joint axis in frame i-1
  Vec3d origin = Vec3d::Zero();  ///< origin of frame i in frame i-1, without a joint's own shift
  double mass = 0.0;
  double armature = 0.0;
  Vec3d com = Vec3d::Zero();     ///< centre of mass in frame i
  Vec3d moment = Vec3d::Zero();  ///< mass * com
  Sym3<double> inertia_com;      ///< about the centre of mass
  Sym3<double> inertia_origin;   ///< about the origin of frame i
};

class DYN_CORE_EXPORT Model {
 public:
  explicit Model(ChainPtr chain);

  [[nodiscard]] const Chain& chain() const { return *chain_; }
  [[nodiscard]] const ChainPtr& chain_ptr() const { return chain_; }
  /// Number of links, which is the chain's joint_count().
  [[nodiscard]] Index size() const { return static_cast<Index>(links_.size()); }
  [[nodiscard]] const LinkModel& link(Index i) const { return links_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::span<const LinkModel> links() const { return links_; }
  /// Gravity in frame 0.
  [[nodiscard]] const Vec3d& gravity() const { return gravity_; }
  [[nodiscard]] bool has_armature() const { return has_armature_; }
  /// Another one after every change, and in every Model that is no copy.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

  /// `payload` is carried at the tip link, with coordinates in its frame, on top of what the robot
  /// description says. No allocation.
  void set_payload(const RigidBody& payload) noexcept;
  /// Gravity in the base link frame, m/s². No allocation.
  void set_gravity(const Vec3d& gravity_in_base) noexcept;
  /// Drive inertia of joint `i`, kg m² or kg. No allocation.
  void set_armature(Index i, double armature) noexcept;

 private:
  void set_body(LinkModel& link, const RigidBody& body) noexcept;

  ChainPtr chain_;
  std::vector<LinkModel> links_;
  Vec3d gravity_;
  bool has_armature_ = false;
  std::uint64_t revision_ = 0;
};

/// The variable part of one joint's transform: the turn by theta and the shift along z.
template <class Scalar>
struct JointPose {
  Turn<Scalar> theta;
  Scalar d{0.0};
};

/// Each joint's turn and shift, and the link frames in frame 0 where somebody has computed them already.
template <class Scalar>
struct Joints : std::span<const JointPose<Scalar>> {
  using std::span<const JointPose<Scalar>>::span;
  Joints(std::span<const JointPose<Scalar>> poses, std::span<const Pose<Scalar>> frames_in_0)
      : std::span<const JointPose<Scalar>>(poses), frames(frames_in_0) {}

  std::span<const Pose<Scalar>> frames;
};

/// Joint positions (one value per joint, mimics included) from coordinates.
template <class Scalar>
void joint_positions(const Chain& chain, VecIn<Scalar> q, VecOut<Scalar> out) {
  for (Index i = 0; i < chain.joint_count(); ++i) {
    const Joint& joint = chain.joint(i);
    out[i] = Scalar(joint.multiplier) * q[joint.coordinate] + Scalar(joint.offset);
  }
}

/// Joint poses from joint positions.
template <class Scalar>
void joint_poses(const Model& model, VecIn<Scalar> positions, std::span<JointPose<Scalar>> out) {
  using std::cos;
  using std::sin;
  for (Index i = 0; i < model.size(); ++i) {
    const LinkModel& k = model.link(i);
    JointPose<Scalar>& pose = out[static_cast<std::size_t>(i)];
    if (k.prismatic) {
      pose.theta = {Scalar(k.theta.c), Scalar(k.theta.s)};
      pose.d = positions[i] + Scalar(k.d);
    } else {
      const Scalar angle = positions[i] + Scalar(k.theta_offset);
      pose.theta = {cos(angle), sin(angle)};
      pose.d = Scalar(k.d);
    }
  }
}

/// Turns a Vec3 or a Sym3 from frame i into frame i-1.
template <class Scalar, class Quantity>
void turn_to_parent(const LinkModel& k, const JointPose<Scalar>& j, Quantity& x) {
  turn_about_z(j.theta, x);
  if (k.has_beta) turn_about_y(k.beta, x);
  turn_about_x(k.alpha, x);
}

/// Turns a vector from frame i-1 into frame i.
template <class Scalar>
void turn_to_child(const LinkModel& k, const JointPose<Scalar>& j, Vec3<Scalar>& x) {
  turn_back(k.alpha, x.y(), x.z());
  if (k.has_beta) turn_back(k.beta, x.z(), x.x());
  turn_back(j.theta, x.x(), x.y());
}

/// Origin of frame i in frame i-1: constant for a revolute joint.
template <class Scalar>
[[nodiscard]] Vec3<Scalar> origin_in_parent(const LinkModel& k, const JointPose<Scalar>& j) {
  Vec3<Scalar> p = k.origin.cast<Scalar>();
  if (k.prismatic) p += j.d * k.axis.cast<Scalar>();
  return p;
}

}  // namespace dyn
