// Bodies by their pseudo-inertia P = ∫ (x, 1)(x, 1)ᵀ dm, which is positive definite where mass is, and nowhere
// flat.
#pragma once

#include "dyn_core/identify/regressor.hpp"

namespace dyn {

using PseudoInertia = Eigen::Matrix4d;
/// Columns: the parameters of the bodies whose pseudo-inertia has one element (or one pair) that is 1.
using BodyMap = Eigen::Matrix<double, 10, 10>;

[[nodiscard]] PseudoInertia pseudo_inertia(const BodyParameters& parameters);
[[nodiscard]] BodyParameters parameters_of(const PseudoInertia& P);
/// The symmetric matrix of these ten elements: the diagonal, then (0,1), (0,2), (0,3), (1,2), (1,3), (2,3).
[[nodiscard]] Eigen::Matrix4d symmetric(const BodyParameters& elements);
/// parameters = map · elements of S, where P = L S Lᵀ and P⁰ = L Lᵀ is the body's own: S = 1 is the body itself.
[[nodiscard]] BodyMap map_around(const RigidBody& body);

struct PriorBody {
  RigidBody body;
  bool guessed = false;
};

/// What to expect of a link: its own body. One without mass is a ball of the other links' mean mass, or of 4 kg per
/// metre of the arm's reach where none has any, halfway to the next joint, with a radius of gyration of 0.3 of the way
/// or 0.05 of the reach. One that is flat (thinner than 0.001 of the reach)
/// or impossible keeps mass, centre and axes, and along each of these a radius of gyration of at least 0.02 of the
/// reach and a third of the largest.
[[nodiscard]] PriorBody prior_body(const Chain& chain, Index link);
/// Of an unknown payload at the tip: a ball of the last link's mass, in the tip link's frame.
[[nodiscard]] RigidBody prior_payload(const Chain& chain);

}  // namespace dyn
