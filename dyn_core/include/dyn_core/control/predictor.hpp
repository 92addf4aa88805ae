// Predictor: the state in which a torque decided now will act.
//
// A torque sent at t acts during [t + delay, t + delay + period). The measured state is carried from t
// to t + delay, through the torques already sent, with the forward model M = U D Uᵀ; by default half a
// period further, to the middle of the time during which the new torque will be held (the last torque
// sent stands in for it there). A control law given this state and the reference of that moment works as
// if there were no delay.
//
// One horizon later the prediction meets its measurement; the difference is reported. Where it has lately been
// clearly further off than the state would have been without any prediction, prediction is given up
// smoothly, and taken up again when it would help. An estimate of
// the external torque, of a MomentumObserver for example, corrects the model where it is wrong.
#pragma once

#include "dyn_core/base/export.hpp"
#include "dyn_core/control/stepper.hpp"

namespace dyn {

struct PredictorParameters {
  double delay = 0.0;                         ///< from measurement to the torque that answers it, s
  double period = 1e-3;                       ///< between two torques, s
  double longest_delay = 0.05;                ///< set_delay may go so far, s
  bool middle_of_hold = true;                 ///< predict half a period further than the delay
  bool hardware_compensates_gravity = false;  ///< torques sent are on top of gravity's
  StepperOptions model = {};
};

class DYN_CORE_EXPORT Predictor {
 public:
  [[nodiscard]] static Result<Predictor> make(ChainPtr chain, const PredictorParameters& parameters,
                                              const Algorithms& algorithms = {});

  [[nodiscard]] Index dof() const noexcept { return stepper_.solver().dof(); }
  /// Seconds from the measured to the predicted state.
  [[nodiscard]] double horizon() const noexcept;

  // The following allocate nothing, throw nothing and take no lock.

  /// Forgets commands and predictions; `torque` is taken to act until one sent later does.
  Status reset(const VecXd& torque) noexcept;
  /// A torque was sent at `time` (s, any steady clock); one that is not finite is ignored.
  Status sent(double time, VecIn<double> torque) noexcept;
  /// Predicts from the state measured at `time`. On a failure state() is the measured one, or all NaN
  /// if that is of the wrong size.
  Status predict(double time, const JointState& measured) noexcept;
  /// Takes the measured state as it is, without a prediction.
  Status follow(const JointState& measured) noexcept;
  /// Between the measured and the predicted one, by the weight.
  [[nodiscard]] const JointState& state() const noexcept { return predicted_; }
  /// 1: the prediction is believed; 0: it is given up.
  [[nodiscard]] double weight() const noexcept { return weight_; }

  /// Torque on the joints that the model does not know; constant over the horizon.
  Status set_disturbance(VecIn<double> torque) noexcept;
  Status set_delay(double delay) noexcept;
  void set_payload(const RigidBody& payload) noexcept { stepper_.solver().set_payload(payload); }
  void set_gravity(const Vec3d& gravity) noexcept;

  /// Measured minus predicted, for the newest measurement that predictions reached; never with a
  /// horizon below one period.
  [[nodiscard]] bool has_error() const noexcept { return has_error_; }
  [[nodiscard]] const JointState& error() const noexcept { return error_; }
  /// Mean of the torques sent that act between `begin` and `end`.
  void mean_torque(double begin, double end, VecXd& out) const noexcept;

 private:
  Predictor(Solver solver, const PredictorParameters& parameters);
  Status carry(double begin, double end) noexcept;
  void compare(double time, const JointState& measured) noexcept;
  void remember(double time, const JointState& measured) noexcept;

  struct Prediction {
    double time = 0.0;
    JointState state;
    VecXd from;  // the velocity measured when it was made
  };
  void judge(const JointState& measured, const VecXd& from) noexcept;

  PredictorParameters parameters_;
  Stepper stepper_;
  CommandHistory commands_;
  std::vector<Prediction> predictions_;  // a ring
  Index first_ = 0, count_ = 0;
  JointState predicted_, error_;
  VecXd disturbance_, torque_;
  bool has_error_ = false;
  double missed_ = 0.0, missed_without_ = 0.0;  // mean squares of lately, (rad/s)² or (m/s)²
  bool believed_ = true;
  double weight_ = 1.0;
};

}  // namespace dyn
