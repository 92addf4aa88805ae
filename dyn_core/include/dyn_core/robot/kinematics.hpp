// Link frames, poses, Jacobians and their rates, generic in the scalar.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/robot/model.hpp"

namespace dyn {

/// Rotation and origin of every link frame, in frame 0. Revolute, without the sines and cosines:
/// 30 multiplications and 18 additions per link, none for the first.
template <class Scalar>
void link_frames(const Model& model, std::span<const JointPose<Scalar>> joints,
                 std::span<Pose<Scalar>> frames) {
  const Scalar zero(0.0), one(1.0);
  const JointPose<Scalar>& first = joints[0];
  frames[0].R << first.theta.c, -first.theta.s, zero, first.theta.s, first.theta.c, zero, zero,
      zero, one;
  frames[0].p << zero, zero, first.d;
  for (std::size_t i = 1; i < joints.size(); ++i) {
    const LinkModel& k = model.links()[i];
    const Pose<Scalar>& parent = frames[i - 1];
    Pose<Scalar>& frame = frames[i];
    frame.R = parent.R;
    for (Index r = 0; r < 3; ++r) {
      turn_back(k.alpha, frame.R(r, 1), frame.R(r, 2));
      if (k.has_beta) turn_back(k.beta, frame.R(r, 2), frame.R(r, 0));
      turn_back(joints[i].theta, frame.R(r, 0), frame.R(r, 1));
    }
    frame.p = parent.p + Scalar(k.a) * parent.R.col(0) + joints[i].d * frame.R.col(2);
  }
}

/// The frames that were given with the joints, or else computed into `own`.
template <class Scalar>
[[nodiscard]] std::span<const Pose<Scalar>> frames_of(const Model& model, Joints<Scalar> joints,
                                                      std::span<Pose<Scalar>> own) {
  if (!joints.frames.empty()) return joints.frames;
  link_frames<Scalar>(model, joints, own);
  return own;
}

/// Centre of mass of every link from the origin of its own frame, in frame 0.
template <class Scalar>
void mass_centres(const Model& model, std::span<const Pose<Scalar>> frames,
                  std::span<Vec3<Scalar>> centres) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    centres[i] = frames[i].R * model.links()[i].com.template cast<Scalar>();
  }
}

/// Jacobian of a point fixed to link `i`: 6 x dof, linear, then angular. `frame_of(j)` is the frame of link j; all is
/// in the frame that these are in.
template <class Scalar, class FrameOf>
void point_jacobian(const Chain& chain, Index i, const FrameOf& frame_of, const Vec3<Scalar>& point,
                    MatOut<Scalar> J) {
  J.setZero();
  for (Index j = 0; j <= i; ++j) {
    const Joint& joint = chain.joint(j);
    const Pose<Scalar>& frame = frame_of(j);
    const Vec3<Scalar> axis = Scalar(joint.multiplier) * frame.R.col(2);
    auto column = J.col(joint.coordinate).template head<6>();
    if (joint.is_prismatic()) {
      column.template head<3>() += axis;
    } else {
      column.template head<3>() += axis.cross(point - frame.p);
      column.template tail<3>() += axis;
    }
  }
}

/// Velocity and acceleration, linear, then angular.
template <class Scalar>
struct PointMotion {
  Vec6<Scalar> twist, acceleration;
};
/// J q̇ and J q̈ + J̇ q̇ of such a point, in one pass outward; J̇ q̇ alone where there is no `qdd`.
template <class Scalar, class FrameOf, class Rates>
[[nodiscard]] PointMotion<Scalar> point_motion(const Chain& chain, Index i, const FrameOf& frame_of,
                                               const Vec3<Scalar>& point, const Rates& qd,
                                               const Rates* qdd = nullptr) {
  Vec3<Scalar> v = Vec3<Scalar>::Zero(), a = v, omega = v, omega_rate = v;
  Vec3<Scalar> at = frame_of(0).p;  // the point whose motion is carried along
  const auto carry = [&](const Vec3<Scalar>& to) {
    const Vec3<Scalar> arm = to - at, turned = omega.cross(arm);
    v += turned;
    a += omega_rate.cross(arm) + omega.cross(turned);
    at = to;
  };
  for (Index j = 0; j <= i; ++j) {
    const Joint& joint = chain.joint(j);
    const Pose<Scalar>& frame = frame_of(j);
    carry(frame.p);
    const Vec3<Scalar> axis = Scalar(joint.multiplier) * frame.R.col(2);
    const Vec3<Scalar> rate = qd[joint.coordinate] * axis, turned = omega.cross(rate);
    Vec3<Scalar> push = turned;
    if (qdd != nullptr) push += (*qdd)[joint.coordinate] * axis;
    if (joint.is_prismatic()) {
      v += rate;
      a += push + turned;
    } else {
      omega += rate;
      omega_rate += push;
    }
  }
  carry(point);
  PointMotion<Scalar> out;
  out.twist.template head<3>() = v;
  out.twist.template tail<3>() = omega;
  out.acceleration.template head<3>() = a;
  out.acceleration.template tail<3>() = omega_rate;
  return out;
}

/// Kinematics of one chain for one state at a time. Queries allocate nothing. Poses and Jacobians are
/// in the base link frame; Jacobian rows are linear, then angular.
template <class Scalar = double>
class Kinematics {
 public:
  explicit Kinematics(ChainPtr chain)
      : model_(std::move(chain)),
        coordinates_(VecX<Scalar>::Zero(model_.chain().dof())),
        positions_(model_.size()),
        joints_(static_cast<std::size_t>(model_.size())),
        frames_(joints_.size()) {}

  [[nodiscard]] const Chain& chain() const { return model_.chain(); }
  /// Those of the last update, and what was made of them: each joint's turn and shift, and the link frames in
  /// frame 0.
  [[nodiscard]] const VecX<Scalar>& coordinates() const { return coordinates_; }
  [[nodiscard]] Joints<Scalar> joints() const { return {joints_, frames_}; }

  /// Sets the configuration all other queries refer to. q has chain().dof() entries.
  Status update(VecIn<Scalar> q) {
    if (q.size() != chain().dof()) return Status::kWrongSize;
    if constexpr (std::is_floating_point_v<Scalar>) {
      if (!q.allFinite()) return Status::kNotFinite;
    }
    coordinates_ = q;
    joint_positions<Scalar>(chain(), q, positions_);
    joint_poses<Scalar>(model_, positions_, joints_);
    link_frames<Scalar>(model_, joints_, frames_);
    return Status::kOk;
  }

  /// Pose of the URDF frame of the link moved by joint `i`.
  [[nodiscard]] Pose<Scalar> link_pose(Index i) const {
    return dh_pose(i) * cast(chain().links()[static_cast<std::size_t>(i)].urdf_frame);
  }
  [[nodiscard]] Pose<Scalar> tip_pose() const {
    return dh_pose(model_.size() - 1) * cast(chain().tip_pose());
  }
  /// Pose of the DH frame of link `i`.
  [[nodiscard]] Pose<Scalar> dh_pose(Index i) const {
    return cast(chain().base_pose()) * frames_[static_cast<std::size_t>(i)];
  }

  /// Jacobian of the point `point` (base link frame) fixed to link `i`: 6 x dof.
  Status jacobian(Index i, const Vec3<Scalar>& point, MatOut<Scalar> J) const {
    if (J.rows() != 6 || J.cols() != chain().dof()) return Status::kWrongSize;
    point_jacobian<Scalar>(
        chain(), i, [this](Index j) { return dh_pose(j); }, point, std::move(J));
    return Status::kOk;
  }
  /// Jacobian of the tip link's origin.
  Status jacobian(MatOut<Scalar> J) const {
    return jacobian(model_.size() - 1, tip_pose().p, std::move(J));
  }

  /// dJ/dt q̇ of the point `point` fixed to link `i`: its acceleration while q̈ = 0; linear, angular.
  Status jacobian_rate_times_velocity(VecIn<Scalar> qd, Index i, const Vec3<Scalar>& point,
                                      Vec6<Scalar>& out) {
    if (qd.size() != chain().dof()) return Status::kWrongSize;
    out = point_motion<Scalar>(
              chain(), i, [this](Index j) { return dh_pose(j); }, point, qd)
              .acceleration;
    return Status::kOk;
  }

 private:
  [[nodiscard]] static Pose<Scalar> cast(const Posed& pose) {
    return {pose.R.template cast<Scalar>(), pose.p.template cast<Scalar>()};
  }

  Model model_;
  VecX<Scalar> coordinates_, positions_;
  std::vector<JointPose<Scalar>> joints_;
  std::vector<Pose<Scalar>> frames_;
};

/// Where a chain stands, for queries of a Solver: its coordinates, or a Kinematics that was updated with
/// them, whose sines, cosines and link frames are then used.
class Posture {
 public:
  template <class Derived>
  // NOLINTNEXTLINE(google-explicit-constructor)
  Posture(const Eigen::MatrixBase<Derived>& q) : coordinates_(q) {}
  Posture(const Kinematics<double>& at)  // NOLINT(google-explicit-constructor)
      : coordinates_(at.coordinates()), kinematics_(&at) {}

  [[nodiscard]] VecIn<double> coordinates() const { return coordinates_; }
  /// Null where only the coordinates are known.
  [[nodiscard]] const Kinematics<double>* kinematics() const { return kinematics_; }

 private:
  Eigen::Ref<const VecXd> coordinates_;
  const Kinematics<double>* kinematics_ = nullptr;
};

/// Yoshikawa's measure |det(J Jᵀ)|^½ of a Jacobian with rows linear, then angular: over all six rows
/// from 6 coordinates on, over the translational rows below that, over the plane of motion for a planar
/// chain (whose Jacobian never leaves it). Allocates; for displays, not for the real-time path.
DYN_CORE_EXPORT [[nodiscard]] double manipulability(const Chain& chain, const MatXd& J);
/// The same over the translational rows only, or the plane of motion.
DYN_CORE_EXPORT [[nodiscard]] double position_manipulability(const Chain& chain, const MatXd& J);

}  // namespace dyn
