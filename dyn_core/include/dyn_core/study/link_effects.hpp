// What each joint does to each link at one state: accelerations and inertial moments (Safeea 2018, section
// II), momenta and influence coefficients (Kang, (1)-(4), (14)-(17) and Appendix 1), and what each quasi-velocity
// does to each other (Kozłowski 1995, (48)). Vectors are in the base link frame. For study: allocates.
#pragma once

#include <array>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/robot/kinematics.hpp"

namespace dyn {

/// Column j is what joint j adds; the sum over all parts and joints is the link's own.
struct JointParts {
  Mat3X<double> tangential, normal, coriolis;

  [[nodiscard]] Mat3X<double> by_joint() const { return tangential + normal + coriolis; }
};

/// Of one link; columns of joints beyond it are zero.
struct LinkEffects {
  Vec3d mass_centre;        ///< m
  JointParts acceleration;  ///< of the mass centre, m/s²: (4), (6), (9)
  JointParts moment;        ///< inertial, about the mass centre, N m: (12), (13), (15)
};

/// Column j is what joint j adds to the momentum of the whole arm: P^j (14), L^j (17) about the base link's
/// origin.
struct JointMomenta {
  Mat3X<double> linear, angular;  ///< kg m/s; kg m²/s
};

/// A column of G for each coordinate, and H[x](j, k) = ∂G(x, k)/∂q_j: velocity G q̇, acceleration G q̈ + q̇ᵀ H q̇.
struct Influence {
  Mat3X<double> G;
  std::array<MatXd, 3> H;
};
struct LinkInfluence {
  Influence translation, rotation;  ///< of a point and of the link that it is fixed to
};

/// (48): C(q, ν) = c ν + bias; c is skew-symmetric.
struct QuasiCoupling {
  MatXd c;
  VecXd bias;
};

/// One for each link. `model` is of the chain that `at` stands for; rates and accelerations are those of the
/// coordinates.
DYN_CORE_EXPORT [[nodiscard]] std::vector<LinkEffects> link_effects(const Model& model,
                                                                    const Kinematics<double>& at,
                                                                    VecIn<double> qd,
                                                                    VecIn<double> qdd);
DYN_CORE_EXPORT [[nodiscard]] JointMomenta joint_momenta(const Model& model,
                                                         const Kinematics<double>& at,
                                                         VecIn<double> qd);
/// Of the point `point` fixed to link `link`; joints that mimic others count with these.
DYN_CORE_EXPORT [[nodiscard]] LinkInfluence link_influence(const Model& model,
                                                           const Kinematics<double>& at, Index link,
                                                           const Vec3d& point);
/// For chains without mimic joints. kSingular where the mass matrix is not positive definite.
DYN_CORE_EXPORT [[nodiscard]] Status quasi_coupling(const Model& model,
                                                    const Kinematics<double>& at, VecIn<double> qd,
                                                    QuasiCoupling& out);

}  // namespace dyn
