// MomentumObserver: the external joint torque from the generalized momentum p = M q̇, without
// accelerations and without inverting M.
//
//   p' = tau + beta + tau_ext,   beta = Cᵀ q̇ - g - friction      since M' = C + Cᵀ           (1)
//   r' = K (tau_ext - r)         r: the estimate, K: gain of each joint, 1/s                 (2)
// The integrated form r = K (p - ∫ (tau + beta + r) dt - p(0)) is (2) with tau_ext from (1). Here it is
// advanced over one period T by the exact solution of (2) for the mean torque of the period,
//   e = (p - p₋)/T - tau - (beta + beta₋)/2,   r ← r + (1 - exp(-K T)) (e - r),              (3)
// stable for every K T, with nothing that grows in a long run. A step of external torque is seen to
// 90 % after 2.3/K.
#pragma once

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/signals.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/solver.hpp"

namespace dyn {

struct DYN_CORE_EXPORT ObserverParameters {
  VecXd gain;               ///< K, 1/s, one per coordinate
  VecXd threshold;          ///< |r| of a contact, N m or N, one per coordinate; infinite: never
  double hold = 0.002;      ///< a contact counts after so long above the threshold, s
  double release = 0.05;    ///< and ends after so long below hysteresis * threshold, s
  double hysteresis = 0.7;  ///< 0 … 1
  bool friction = true;     ///< the chain's damping and friction are part of the model
  bool hardware_compensates_gravity = false;  ///< the torques given are on top of gravity's

  /// K = 100/s, no thresholds.
  explicit ObserverParameters(Index dof);
};

class DYN_CORE_EXPORT MomentumObserver {
 public:
  [[nodiscard]] static Result<MomentumObserver> make(ChainPtr chain,
                                                     const ObserverParameters& parameters,
                                                     const Algorithms& algorithms = {},
                                                     Inertia inertia = Inertia::kNeeded);

  // The following allocate nothing, throw nothing and take no lock.

  /// Estimate and contacts to zero; the next update only takes the state.
  void reset() noexcept;
  /// `torque` acted on the joints from the last update until `state`, `dt` seconds. On a failure the
  /// estimate stays and the next update starts anew.
  Status update(const JointState& state, VecIn<double> torque, double dt) noexcept;

  /// r, N m or N: what acts on the joints and is not in the model.
  [[nodiscard]] const VecXd& external_torque() const noexcept { return r_; }
  [[nodiscard]] bool contact(Index i) const noexcept { return contacts_[slot(i)].on; }
  [[nodiscard]] bool any_contact() const noexcept;
  /// The wrench at the tip, in the base link frame, that explains r best in the least-squares sense;
  /// what joints cannot feel is zero. `tolerance` (relative) regularises near singular postures.
  Status tip_wrench(const VecXd& q, Wrench& out, double tolerance = 1e-3) noexcept;

  /// The next update starts anew: momenta of two models are not compared.
  void set_payload(const RigidBody& payload) noexcept {
    solver_.set_payload(payload);
    started_ = false;
  }
  void set_gravity(const Vec3d& gravity) noexcept;

 private:
  struct Contact {
    bool on = false;
    double time = 0.0;  // above the threshold while off, below the release level while on
  };

  MomentumObserver(ChainPtr chain, Solver solver, ObserverParameters parameters);
  [[nodiscard]] static std::size_t slot(Index i) noexcept { return static_cast<std::size_t>(i); }
  Status momentum(const JointState& state) noexcept;
  void detect(double dt) noexcept;

  ObserverParameters parameters_;
  Solver solver_;
  Kinematics<double> kinematics_;
  VecXd p_, p_before_, beta_, beta_before_, r_, term_;
  MatXd matrix_, jacobian_;
  std::vector<Contact> contacts_;
  bool started_ = false;
};

}  // namespace dyn
