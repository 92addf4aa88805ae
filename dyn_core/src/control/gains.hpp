// Rules that gains have to keep, without allocation, for make() and set_gains() alike.
#pragma once

#include <string>

#include "dyn_core/control/computed_torque.hpp"

namespace dyn {

enum class GainRule { kKept, kIntegralTooStrong, kTooFast, kPolesNotReal };

[[nodiscard]] GainRule check_gains(Law law, const Gains& gains, Index i, double period) noexcept;

/// Γ, Λ₁, Λ₂ in s³ + kd s² + kp s + ki = (s + Γ)(s² + Λ₁ s + Λ₂) with Γ the fastest real pole.
struct QuasiPole {
  bool real = false;
  double damping = 0.0, slope = 0.0, curve = 0.0;
};

[[nodiscard]] QuasiPole split_poles(double kp, double ki, double kd) noexcept;

/// What is wrong with the parameters, as a sentence; empty if nothing is.
[[nodiscard]] std::string objection(const Chain& chain, const ControlParameters& parameters);

}  // namespace dyn
