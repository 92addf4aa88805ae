// Friction as it is in a log: its corners rounded by the low-pass that all signals have gone through.
#pragma once

#include <limits>

#include "dyn_core/identify/samples.hpp"

namespace dyn {

/// At each sample what Coulomb friction has of its coefficient, or what Stribeck's exponential for `speed` has, in the
/// direction of motion; filtered as the samples are.
[[nodiscard]] VecXd friction_curve(const Samples& log, Index coordinate,
                                   double speed = std::numeric_limits<double>::infinity());
/// 1, and 0 within a period of the cutoff of the ends of each piece: what friction did beyond them is not known.
[[nodiscard]] VecXd settled(const Samples& log);

}  // namespace dyn
