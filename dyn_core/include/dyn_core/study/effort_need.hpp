// What a robot's drives have to hold at least: its own weight.
#pragma once

#include <string>

#include "dyn_core/base/export.hpp"
#include "dyn_core/solver.hpp"

namespace dyn {

/// For each coordinate the largest magnitude of its gravity torque (N m or N) that was found within the
/// joint limits, under the solver's payload and gravity: the best of random postures, of a fixed seed,
/// climbed from joint by joint. Configure-time only: allocates.
DYN_CORE_EXPORT [[nodiscard]] VecXd gravity_torque_peak(Solver& solver);

/// The share of random postures, of a fixed seed, in which no joint's gravity torque is beyond `effort` (N m
/// or N, infinite: no limit), under the solver's payload and gravity.
DYN_CORE_EXPORT [[nodiscard]] double held_share(Solver& solver, const VecXd& effort);

/// A sentence for each joint whose limit in `effort` is below its `peak`, joined; empty where all can hold
/// their own weight.
DYN_CORE_EXPORT [[nodiscard]] std::string weakness(const Chain& chain, VecIn<double> peak,
                                                   VecIn<double> effort);

}  // namespace dyn
