// One step of integration after the other, by the integrators of simulate.hpp.
#pragma once

#include <memory>

#include "state_space.hpp"

namespace dyn {

enum class StepOutcome {
  kOk,
  kNoRate,     ///< the rate of change does not exist, or the state is no longer finite
  kCollapsed,  ///< no step is small enough for the tolerance
};

/// No step is shorter with error control; relative to the time, and to a second.
inline constexpr double kShortestStep = 1e-13;

class Integration {
 public:
  virtual ~Integration() = default;

  /// One step on from time().
  virtual StepOutcome step() = 0;
  /// The state at a time within the last step.
  virtual void state_at(double time, State& x) = 0;

  [[nodiscard]] double time() const { return time_; }
  /// At time().
  [[nodiscard]] const State& state() const { return x_; }
  [[nodiscard]] Index steps() const { return steps_; }
  [[nodiscard]] Index rejected_steps() const { return rejected_; }

 protected:
  explicit Integration(State x) : x_(std::move(x)) {}

  double time_ = 0.0;
  State x_;
  Index steps_ = 0, rejected_ = 0;
};

/// Adams-Bashforth-Moulton.
[[nodiscard]] std::unique_ptr<Integration> make_adams(const SimulationOptions& options,
                                                      StateSpace& system, State x0);
/// Integrates `system` from x0 at time 0.
[[nodiscard]] std::unique_ptr<Integration> make_integration(const SimulationOptions& options,
                                                            StateSpace& system, State x0);

}  // namespace dyn
