// Task space: the tip of the arm as a law sees it.
//
// The task frame is fixed in the base link: in its directions the tip's error, stiffness and selection are
// given, linear, then angular. Angles count as lengths L φ, so that all directions are in metres; J is the
// tip's Jacobian in these terms, with zero rows for directions that are not selected.
//
// Pose error. p_d - p, and of the rotation R_d Rᵀ its unit quaternion (η, ε):
//   V = ½ eᵀ K e + 2 εᵀ K' ε,   F = K e,   m = 2 (η K' ε - ε × K' ε) = -∂V/∂φ                   (1)
// which is K' φ where φ is small. It is a polynomial of the quaternion and the same for its negative: there
// is no angle at which it jumps or is not defined, as the rotation vector does at π, and it is the slope of
// a potential for every K', which a passive law needs and K' φ is not. At half a turn it vanishes: every
// error that is continuous has to be zero somewhere else.
//
// Operational space (Khatib 1987). A = J M⁻¹ Jᵀ is the mobility of the tip, Λ = A⁻¹ its inertia. With
// A = Σ σᵢ² vᵢ vᵢᵀ, where σᵢ² in 1/kg falls to zero at a singular posture,
//   Λ = Σ h(σᵢ²) vᵢ vᵢᵀ,  h = 1/σ²                       where σ² m >= 1,                        (2)
//                         h = m x (3 - 2 x), x = σ² m    where the tip weighs more than m = `heaviest`,
// once continuously differentiable. A direction is then given up smoothly, keeps the share w = h σ², and
// its torque Jᵀ vᵢ h goes to zero instead of to infinity. `kept` is the diagonal of Σ w vᵢ vᵢᵀ. What is
// given up goes to the posture: N = 1 - M⁻¹ Jᵀ Λ J is consistent with the dynamics in whole and in part.
#pragma once

#include <array>

#include <Eigen/Geometry>

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/signals.hpp"

namespace dyn {

struct DYN_CORE_EXPORT TaskParameters {
  Mat3d frame = Mat3d::Identity();  ///< axes of the task frame, in the base link frame
  /// The other directions are left to the posture, and by `impedance` to whoever pushes.
  std::array<bool, 6> select = {true, true, true, true, true, true};
  double error_limit =
      0.1;  ///< e of each direction is clipped to it, m; bounds the pull of a far target
  double length = 0.1;    ///< L, m
  double heaviest = 0.0;  ///< m of (2), kg
  Vec6<double> damping_ratio = Vec6<double>::Ones();
  Vec6<double> frequency = Vec6<double>::Constant(20.0);  ///< task_space: of each direction, rad/s
  Vec6<double> stiffness;                                 ///< impedance: K, N/m, and K', N m/rad
  /// impedance: the inertia that the tip is to have, kg and kg m²; zero leaves it as it is, and passive.
  /// Other than zero it takes the observer, whose estimate is cancelled and then answered by this inertia.
  Vec6<double> inertia = Vec6<double>::Zero();
  double tank =
      0.5;  ///< impedance: what the posture task may have spent beyond what was dissipated, J

  /// 500 N/m and 20 N m/rad; `heaviest` is ten times the mass of the arm.
  explicit TaskParameters(const Chain& chain);
  [[nodiscard]] Vec6<double> selected() const noexcept;  ///< 1 and 0
};

/// The tip at one moment, as tip laws see it.
struct TipOutput {
  Vec6<double> error =
      Vec6<double>::Zero();  ///< p_d - p, and as a rotation vector; in the task frame
  Vec6<double> kept = Vec6<double>::Ones();  ///< share of each direction that the posture allows
  Vec6<double> force =
      Vec6<double>::Zero();  ///< on the tip, N and N m, in the task frame; impedance only
  double tank = 0.0;         ///< impedance: what is left of it, J
};

/// A rotation, (η, ε).
using Quaternion = Eigen::Quaternion<double, Eigen::DontAlign>;

/// The rotation vector of R, up to a half turn.
DYN_CORE_EXPORT [[nodiscard]] Vec3d rotation_vector(const Quaternion& turn) noexcept;
DYN_CORE_EXPORT [[nodiscard]] Vec3d rotation_vector(const Mat3d& R) noexcept;
/// The rotation by |v| about v.
DYN_CORE_EXPORT [[nodiscard]] Mat3d rotation_about(const Vec3d& v) noexcept;
/// (1) for a rotation and diagonal stiffness, all in one frame: m, and V where it is asked for.
DYN_CORE_EXPORT [[nodiscard]] Vec3d rotation_moment(const Quaternion& turn, const Vec3d& stiffness,
                                                    double* energy = nullptr) noexcept;
DYN_CORE_EXPORT [[nodiscard]] Vec3d rotation_moment(const Mat3d& R, const Vec3d& stiffness,
                                                    double* energy = nullptr) noexcept;

/// Λ and what goes with it for one posture. Nothing allocates after the constructor.
class DYN_CORE_EXPORT OperationalSpace {
 public:
  /// `all`: whatever is selected.
  OperationalSpace(const TaskParameters& parameters, Index dof, bool all);

  /// `jacobian` in the base link frame, linear, then angular; M = U D Uᵀ.
  void update(const MatXd& jacobian, const MatXd& U, const VecXd& D) noexcept;

  /// From the base link frame to the terms of J, and 0 where not selected.
  [[nodiscard]] Vec6<double> to_task(const Vec6<double>& motion) const noexcept;
  /// From angles in the task frame to lengths, from moments to forces and back.
  [[nodiscard]] Vec6<double> as_motion(const Vec6<double>& plain) const noexcept {
    return plain.cwiseProduct(scale_).cwiseProduct(selected_);
  }
  [[nodiscard]] Vec6<double> as_force(const Vec6<double>& plain) const noexcept {
    return plain.cwiseQuotient(scale_).cwiseProduct(selected_);
  }
  [[nodiscard]] Vec6<double> to_plain(const Vec6<double>& force) const noexcept {
    return force.cwiseProduct(scale_);
  }

  using Rows = Eigen::Matrix<double, 6, Eigen::Dynamic, kAnyMemory>;
  using Square = Eigen::Matrix<double, 6, 6, kAnyMemory>;
  [[nodiscard]] const Rows& jacobian() const noexcept { return jacobian_; }  ///< J
  [[nodiscard]] const Rows& mobility() const noexcept { return mobility_; }  ///< J M⁻¹
  [[nodiscard]] const Square& inertia() const noexcept { return inertia_; }  ///< Λ of (2)
  [[nodiscard]] const Vec6<double>& kept() const noexcept { return kept_; }
  /// Λ with no direction heavier than m and none given up, for dampers, is F Fᵀ: F and F⁻¹.
  [[nodiscard]] const Square& root() const noexcept { return root_; }
  [[nodiscard]] const Square& inverse_root() const noexcept { return inverse_root_; }

 private:
  void regularise(const Mat6<double>& A) noexcept;

  Mat3d linear_, angular_;         // to the terms of J
  Vec6<double> selected_, scale_;  // 0 or 1; 1 and L
  double heaviest_;
  Rows jacobian_, mobility_;
  Square inertia_, root_, inverse_root_;
  Vec6<double> kept_;
};

}  // namespace dyn
