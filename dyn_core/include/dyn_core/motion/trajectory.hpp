// Joint trajectories: the papers' cycloid, quintic, minimum-time trapezoid, waypoints.
//
// A trajectory is immutable and checked when it is made; it may be shared between threads. It starts at
// time 0 and lasts duration(); before and after that it stands still at its first and last position.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/base/status.hpp"
#include "dyn_core/math/types.hpp"

namespace dyn {

class Trajectory {
 public:
  virtual ~Trajectory() = default;

  [[nodiscard]] virtual Index dof() const noexcept = 0;
  [[nodiscard]] virtual double duration() const noexcept = 0;
  /// Position, velocity and acceleration at `time`, in s. No allocation. For a time that is not finite
  /// the result is kNotFinite and the trajectory's first position at rest.
  virtual Status evaluate(double time, VecOut<double> q, VecOut<double> qd,
                          VecOut<double> qdd) const noexcept = 0;
};

using TrajectoryPtr = std::shared_ptr<const Trajectory>;

/// Saha 2003 eq. (18) and Bhangale 2004 eqs. (19), (20), (23), from q0 to q1 in `duration`:
///   q(t) = q0 + (q1 - q0)/(2π) [2πt/T - sin(2πt/T)].
/// The papers print ½ [2πt/T - sin(2πt/T)], which is this with q0 = 0 and q1 = π.
DYN_CORE_EXPORT [[nodiscard]] Result<TrajectoryPtr> cycloid(const VecXd& q0, const VecXd& q1,
                                                            double duration);

/// Fifth-order polynomial from q0 to q1, at rest and without acceleration at both ends.
DYN_CORE_EXPORT [[nodiscard]] Result<TrajectoryPtr> quintic(const VecXd& q0, const VecXd& q1,
                                                            double duration);

/// Trapezoidal velocities, all joints starting and arriving together in the shortest time that the
/// limits of every joint allow; the joints that could be faster use less than their limits.
DYN_CORE_EXPORT [[nodiscard]] Result<TrajectoryPtr> trapezoid(const VecXd& q0, const VecXd& q1,
                                                              const VecXd& max_velocity,
                                                              const VecXd& max_acceleration);

enum class Interpolation {
  kCubic,    ///< cubic spline, at rest at both ends
  kQuintic,  ///< that spline's velocities and accelerations joined by quintics, but without
             ///< acceleration at both ends
  kNatural,  ///< cubic spline, without acceleration at both ends: a path for fastest()
};

/// Passes through positions[i] at times[i], twice continuously differentiable in between. The first
/// time is taken as time 0.
DYN_CORE_EXPORT [[nodiscard]] Result<TrajectoryPtr> waypoints(const std::vector<double>& times,
                                                              const std::vector<VecXd>& positions,
                                                              Interpolation interpolation);

/// Waypoints from lines of `time,q1,…,qn`, after which velocities and accelerations may follow that are not needed. One heading line, blank lines and lines that begin with # are
/// passed over.
DYN_CORE_EXPORT [[nodiscard]] Result<TrajectoryPtr> waypoints_from_csv(std::string_view csv,
                                                                       Index dof,
                                                                       Interpolation interpolation);

/// A path for fastest() from lines of `q1,…,qn`: a natural cubic spline whose parameter is the distance from
/// point to point. Lines as in waypoints_from_csv().
DYN_CORE_EXPORT [[nodiscard]] Result<TrajectoryPtr> path_from_csv(std::string_view csv, Index dof);

}  // namespace dyn
