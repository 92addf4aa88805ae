// The regressor: inverse dynamics is linear in what is identified, tau = Y(q, q̇, q̈) π.
//
//   Y = [drives, J_0ᵀ F_0, J_1ᵀ F_1, …]     F_i = [f(unit mass), f(unit first moments), f(unit inertias)], 6 x 10
//
// f is inertial_force() of the recursive Newton-Euler algorithm, run on bodies with one parameter that is 1 and
// nine that are 0, and J_i the Jacobian of the origin of link frame i, both in that frame: what a force on
// link i does to the joints below it (virtual power), which the recursion finds by carrying the force inward.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/papers/shared/link_motion.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/solver.hpp"

namespace dyn {

/// m, m c_x, m c_y, m c_z (about the origin of the link frame i of docs/notation.md), I_xx, I_yy, I_zz, I_xy,
/// I_xz, I_yz (about that origin, with I_xy = -∫ x y dm).
using BodyParameters = Eigen::Matrix<double, 10, 1>;

DYN_CORE_EXPORT [[nodiscard]] BodyParameters parameters_of(const RigidBody& body);
/// Centre and inertia about it; without mass all zero but what `parameters` say of the inertia.
DYN_CORE_EXPORT [[nodiscard]] RigidBody body_of(const BodyParameters& parameters);

/// Where in π what stands: the drives' parameters, joint by joint, then ten of each link, base to tip.
struct ParameterLayout {
  Index joints = 0;

  [[nodiscard]] Index armature(Index joint) const { return joint; }
  [[nodiscard]] Index viscous(Index joint) const { return joints + joint; }
  [[nodiscard]] Index coulomb(Index joint) const { return 2 * joints + joint; }
  [[nodiscard]] Index offset(Index joint) const { return 3 * joints + joint; }
  [[nodiscard]] Index body(Index link) const { return 4 * joints + 10 * link; }
  [[nodiscard]] Index size() const { return 14 * joints; }
};

/// What the robot description says of all of them; offsets are zero.
DYN_CORE_EXPORT [[nodiscard]] VecXd parameters_of(const Chain& chain);
/// Each by its name: `armature3`, `viscous3`, …, `m3`, `mx3`, `Ixx3`, … (joints and links are counted from 1).
DYN_CORE_EXPORT [[nodiscard]] std::vector<std::string> parameter_names(const Chain& chain);
/// The chain with these bodies and drives; all else is kept.
DYN_CORE_EXPORT [[nodiscard]] ChainPtr with_parameters(const Chain& chain, const VecXd& parameters);

/// The links whose bodies have one parameter of 1 each.
DYN_CORE_EXPORT [[nodiscard]] const std::array<LinkModel, 10>& unit_links();

/// The direction of Coulomb friction: ±1 but within about kFrictionVelocity of standstill.
template <class Scalar>
[[nodiscard]] Scalar friction_direction(Scalar rate) {
  using std::sqrt;
  return rate / sqrt(rate * rate + Scalar(kFrictionVelocity * kFrictionVelocity));
}

/// One state at a time; allocates nothing after its construction.
template <class Scalar = double>
class Regressor {
 public:
  explicit Regressor(const ChainPtr& chain)
      : model_(chain),
        kinematics_(chain),
        jacobian_(MatX<Scalar>::Zero(6, chain->dof())),
        Y_(MatX<Scalar>::Zero(chain->dof(), layout().size())) {}

  [[nodiscard]] const Chain& chain() const { return model_.chain(); }
  [[nodiscard]] ParameterLayout layout() const { return {model_.size()}; }
  /// In the base link frame, m/s².
  void set_gravity(const Vec3d& gravity) { model_.set_gravity(gravity); }
  /// dof x layout().size(), of the last update.
  [[nodiscard]] const MatX<Scalar>& Y() const { return Y_; }

  Status update(VecIn<Scalar> q, VecIn<Scalar> qd, VecIn<Scalar> qdd) {
    const Index n = chain().dof();
    if (qd.size() != n || qdd.size() != n) return Status::kWrongSize;
    if (const Status status = kinematics_.update(q); status != Status::kOk) return status;
    Motion m{Vec::Zero(), Vec::Zero(), Vec::Zero(), Mat3<Scalar>::Zero()};
    const Joints<Scalar> joints = kinematics_.joints();
    for (Index i = 0; i < model_.size(); ++i) {
      const LinkModel& k = model_.link(i);
      const Joint& joint = chain().joint(i);
      const JointPose<Scalar>& pose = joints[static_cast<std::size_t>(i)];
      const Scalar ratio(joint.multiplier);
      const Scalar rate = ratio * qd[joint.coordinate], change = ratio * qdd[joint.coordinate];
      if (i == 0) {
        m.a = first_acceleration<Scalar>(pose, model_.gravity());
      } else {
        turn_outward(k, pose, m);
      }
      finish(k, rate, change, m);
      if (i > 0) m.a += pose.d * m.W.col(2);  // (3), along z_i
      set_body(i, m, joints.frames);
      set_drive(i, rate, change);
    }
    return Status::kOk;
  }

 private:
  using Vec = Vec3<Scalar>;
  using Motion = LinkMotion<Scalar>;

  void set_body(Index link, const Motion& m, std::span<const Pose<Scalar>> frames) {
    const std::array<LinkModel, 10>& units = unit_links();
    for (Index p = 0; p < 10; ++p) {
      const LinkForce<Scalar> own = inertial_force(units[static_cast<std::size_t>(p)], m);
      forces_.col(p) << own.n, own.f;
    }
    const Pose<Scalar>& frame = frames[static_cast<std::size_t>(link)];
    jacobian_.setZero();
    for (Index j = 0; j <= link; ++j) {
      const Joint& joint = chain().joint(j);
      const Pose<Scalar>& at = frames[static_cast<std::size_t>(j)];
      const Vec axis = Scalar(joint.multiplier) * at.R.col(2);
      auto column = jacobian_.col(joint.coordinate);
      if (joint.is_prismatic()) {
        column.template tail<3>() += frame.R.transpose() * axis;
      } else {
        column.template head<3>() += frame.R.transpose() * axis;
        column.template tail<3>() += frame.R.transpose() * axis.cross(frame.p - at.p);
      }
    }
    Y_.block(0, layout().body(link), Y_.rows(), 10).noalias() =
        jacobian_.transpose().lazyProduct(forces_);
  }

  void set_drive(Index i, Scalar rate, Scalar change) {
    const Joint& joint = chain().joint(i);
    const Scalar ratio(joint.multiplier);
    Y_(joint.coordinate, layout().armature(i)) = ratio * change;
    Y_(joint.coordinate, layout().viscous(i)) = ratio * rate;
    Y_(joint.coordinate, layout().coulomb(i)) = ratio * friction_direction(rate);
    Y_(joint.coordinate, layout().offset(i)) = ratio;
  }

  Model model_;
  Kinematics<Scalar> kinematics_;
  Eigen::Matrix<Scalar, 6, 10> forces_;
  MatX<Scalar> jacobian_, Y_;
};

}  // namespace dyn
