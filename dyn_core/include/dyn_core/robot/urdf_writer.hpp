// The text of a robot description with other inertias and frictions in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/base/status.hpp"
#include "dyn_core/math/inertia.hpp"

namespace dyn {

/// The body of one link, in the frame of that link.
struct LinkInertia {
  std::string link = {};
  RigidBody body = {};
};

struct JointFriction {
  std::string joint = {};
  double damping = 0.0;   ///< N m s/rad or N s/m
  double friction = 0.0;  ///< Coulomb friction, N m or N
};

/// `urdf` with the <inertial> of these links and the damping and friction of these joints in place of its
/// own; every other byte of it stays. `note` stands as a comment in all that is written anew and gives way
/// to the note of the next time. Numbers are written so that they read back exactly.
DYN_CORE_EXPORT [[nodiscard]] Result<std::string> rewrite_urdf(
    std::string_view urdf, const std::vector<LinkInertia>& links,
    const std::vector<JointFriction>& joints = {}, std::string_view note = {});

}  // namespace dyn
