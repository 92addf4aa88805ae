// FourierMotion: every joint swings periodically about a centre, faded in and out.
//
//   q_i(t) = c_i + w(t) Σ_k a_ik sin(k ω t) + b_ik cos(k ω t),  ω = 2π/period, k = 1 … harmonics
//
// w rises from 0 to 1 as 10x³ - 15x⁴ + 6x⁵ and falls likewise at the end, so that the motion begins and ends
// at c without velocity and acceleration. All of it is linear in c, a and b.
#pragma once

#include <algorithm>
#include <array>
#include <numbers>
#include <vector>

#include "dyn_core/motion/trajectory.hpp"

namespace dyn {

struct FourierShape {
  double duration = 30.0, period = 10.0;  ///< s
  Index harmonics = 5;

  /// How long w rises, and falls, s.
  [[nodiscard]] double fade() const { return std::min(0.2 * period, 0.25 * duration); }
  /// k ω, rad/s.
  [[nodiscard]] double rate(Index k) const {
    return 2.0 * std::numbers::pi * static_cast<double>(k) / period;
  }
  /// Coefficients of a joint: c, a_1, b_1, a_2, …
  [[nodiscard]] Index terms() const { return 1 + 2 * harmonics; }
  /// What coefficient `j` is multiplied by at `time`, and the first two derivatives of that.
  DYN_CORE_EXPORT [[nodiscard]] std::array<double, 3> term(Index j, double time) const noexcept;
  /// Even grids of about `step` and at least that fine, from one instant where w is not smooth to the next: of
  /// the rise, of one period of the many, and of the fall. Nothing else happens in a motion.
  struct Part {
    std::vector<double> times;  ///< both ends among them
    double repeats = 1.0;       ///< how often the motion has it
  };
  DYN_CORE_EXPORT [[nodiscard]] std::array<Part, 3> parts(double step) const;
};

class DYN_CORE_EXPORT FourierMotion final : public Trajectory {
 public:
  /// A row of `coefficients` for each joint, in the order of FourierShape::terms().
  FourierMotion(const FourierShape& shape, MatXd coefficients);
  ~FourierMotion() override;
  FourierMotion(const FourierMotion&) = delete;
  FourierMotion& operator=(const FourierMotion&) = delete;

  [[nodiscard]] Index dof() const noexcept override { return coefficients_.rows(); }
  [[nodiscard]] double duration() const noexcept override { return shape_.duration; }
  Status evaluate(double time, VecOut<double> q, VecOut<double> qd,
                  VecOut<double> qdd) const noexcept override;

  [[nodiscard]] const FourierShape& shape() const { return shape_; }
  [[nodiscard]] const MatXd& coefficients() const { return coefficients_; }
  /// No joint's derivative of this order, 2 to 4, is ever larger.
  [[nodiscard]] VecXd bound(int order) const;

 private:
  FourierShape shape_;
  MatXd coefficients_;
};

/// What a motion reaches, never less than the truth between the samples it is taken from.
struct FourierPeaks {
  VecXd lowest, highest;         ///< positions
  VecXd velocity, acceleration;  ///< magnitudes
};
/// Between two samples h apart a function is off the line through them by h²/8 of its second derivative at
/// most, which bound() knows.
DYN_CORE_EXPORT [[nodiscard]] FourierPeaks peaks_of(const FourierMotion& motion);

}  // namespace dyn
