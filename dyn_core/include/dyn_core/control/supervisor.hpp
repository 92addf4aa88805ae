// Supervisor: what no control law may do to an arm, watched every period.
//
// Two kinds of help. What can be put right is put right and reported: a reference beyond a position limit
// is kept at it, and a joint that its neighbours cannot move is no longer counted on by them. What cannot
// is a fault that stays until the next reset: a speed or a tracking error the arm must never have, or a
// torque that goes from one limit to the other and back, over and over.
#pragma once

#include "dyn_core/base/export.hpp"
#include "dyn_core/base/status.hpp"
#include "dyn_core/control/signals.hpp"

namespace dyn {

struct DYN_CORE_EXPORT SupervisionParameters {
  bool enabled = true;
  VecXd speed;  ///< |q̇| or |q̇_d| beyond it is a fault, rad/s or m/s; infinite: none
  VecXd error;  ///< |q_d - q| beyond it is a fault, rad or m; infinite: none
  double tip_error = 0.25, tip_turn = 1.0;  ///< the same of a law that tracks the tip, m and rad
  VecXd lower, upper;                       ///< references are kept within, rad or m
  VecXd approach;  ///< how hard joints brake before their position limits, see ControlParameters

  /// From the chain: 1.5 times the velocity limits, 1 rad or 0.25 m of error, the position limits;
  /// before one of them a joint gives up its velocity limit within 0.1 s.
  explicit SupervisionParameters(const Chain& chain);
};

/// "joint 'name'" of Supervisor::joint(), or "the tip".
DYN_CORE_EXPORT [[nodiscard]] std::string culprit(const Chain& chain, Index joint);

class DYN_CORE_EXPORT Supervisor {
 public:
  /// The error names the parameter, the joint and the remedy.
  [[nodiscard]] static Result<Supervisor> make(ChainPtr chain,
                                               const SupervisionParameters& parameters,
                                               const VecXd& effort);

  // The following allocate nothing, throw nothing and take no lock.

  /// Forgets faults and counts; limits widen to the first state that is then seen, so that an arm that
  /// stands beyond one does not jump.
  void reset() noexcept;
  /// Keeps `reference` within the position limits.
  void limit(const JointState& measured, Reference& reference) noexcept;
  /// The state now, what the law made of the last one, and the torque it sent. Not kOk from the first fault
  /// on: kOverspeed, kTrackingError or kOscillation.
  Status check(const JointState& measured, const VecXd& error, const VecXd& torque,
               double dt) noexcept;
  /// The tip's error, linear and angular, of a law that tracks it; before check().
  void check_tip(double away, double turned) noexcept;
  /// Which joints do not move although the law has asked for `acceleration`.
  void watch_blocked(const JointState& measured, const VecXd& acceleration, double dt) noexcept;

  [[nodiscard]] Status fault() const noexcept { return fault_; }
  /// The coordinate of the fault; as many as there are stand for the tip.
  [[nodiscard]] Index joint() const noexcept { return joint_; }
  /// The last reference had to be kept at a position limit.
  [[nodiscard]] bool reference_limited() const noexcept { return reference_limited_; }
  /// 0: moves as asked; 1: does not.
  [[nodiscard]] const VecXd& blocked() const noexcept { return blocked_; }

 private:
  Supervisor(ChainPtr chain, const SupervisionParameters& parameters, const VecXd& effort);
  void trip(Status fault, Index joint) noexcept;
  void count_reversals(Index i, double torque, double dt) noexcept;

  ChainPtr chain_;
  SupervisionParameters parameters_;
  VecXd effort_, lower_, upper_;
  std::vector<int> too_fast_, too_far_;  // for so many periods
  int tip_too_far_ = 0;
  VecXd side_, side_age_, reversals_;  // the limit last met, how long ago, how often in turn
  VecXd asked_;                        // |q̇_d|, before it was kept at a limit
  VecXd still_, blocked_;              // asked and not moving, for so long, s; the answer
  bool started_ = false, reference_limited_ = false;
  Status fault_ = Status::kOk;
  Index joint_ = 0;
};

}  // namespace dyn
