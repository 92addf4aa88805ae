// Ten inertial parameters of a rigid body, and what makes them physical.
#pragma once

#include <string>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/math/spatial.hpp"

namespace dyn {

/// Mass (kg), centre of mass (m) and inertia about the centre of mass (kg m²), in one frame.
struct DYN_CORE_EXPORT RigidBody {
  double mass = 0.0;
  Vec3d com = Vec3d::Zero();
  Mat3d inertia = Mat3d::Zero();

  /// Inertia about the frame's origin.
  [[nodiscard]] Mat3d inertia_about_origin() const;
  /// The same body with coordinates in frame A, given the pose of its present frame in A.
  [[nodiscard]] RigidBody expressed_in(const Posed& pose) const;
};

/// Both bodies welded together; their coordinates must be in the same frame.
DYN_CORE_EXPORT [[nodiscard]] RigidBody operator+(const RigidBody& a, const RigidBody& b);

/// One broken rule of physical validity.
struct InertiaIssue {
  enum class Severity { kError, kWarning } severity = Severity::kError;
  std::string text;  ///< for example "its inertia is not positive semi-definite: …"
};

/// Checks finiteness, mass ≥ 0 and positive semi-definiteness (errors), then the triangle inequality
/// of the principal moments and their plausibility against the mass and `reach`, the length of the
/// robot in metres (warnings).
DYN_CORE_EXPORT [[nodiscard]] std::vector<InertiaIssue> check(const RigidBody& body, double reach);

}  // namespace dyn
