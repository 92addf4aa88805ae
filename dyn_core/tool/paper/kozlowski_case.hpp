// A chain in motion for Kozłowski's items: his operators, the same with exact derivatives along the
// motion, and what the numerically factorised mass matrix gives. Joints from tip to base, as in the paper.
#pragma once

#include <vector>

#include "dyn_core/math/dual.hpp"
#include "dyn_core/papers/kozlowski_1995/diagonalized_derivatives.hpp"
#include "paper.hpp"

namespace dyn::tool {

/// Of the duals.
[[nodiscard]] MatXd kozlowski_values(const MatX<Dual>& m);
[[nodiscard]] MatXd kozlowski_rates(const MatX<Dual>& m);

/// How far `found` is from `expected`, relative to the larger of `expected` and `size`.
[[nodiscard]] double kozlowski_off(const MatXd& found, const MatXd& expected, double size = 0.0);

struct KozlowskiCase {
  KozlowskiCase(const ChainPtr& chain, std::uint64_t seed);

  Model model;
  VecXd q, qd, qdd;  ///< base to tip
  std::vector<JointPose<double>> poses;
  VecXd theta_ddot,
      tau;  ///< accelerations, and the torques of Newton and Euler for them, gravity included
  kozlowski::SpatialOperators<double> o;
  kozlowski::SpatialOperators<Dual> moving;
  MatX<Dual> to_base;  ///< block diagonal: coordinates of the link frames into the base's
  MatXd mass, m, m_rate;
  VecXd D, D_rate, nu, xi, nu_rate, xi_rate;
  VecXd gradient;    ///< θ̇* M_θ θ̇
  VecXd C_nu, C_xi;  ///< by (41), and by the left side of (44)

 private:
  void factorise();
  void differentiate();
};

/// Revolute and mixed chains of one to seven joints without armature.
[[nodiscard]] const std::vector<KozlowskiCase>& kozlowski_cases();

/// An identity item: the worst `deviation` over the cases.
template <class Deviation>
void kozlowski_identity(PaperItems& items, std::string item, std::string printed,
                        Deviation deviation, std::string note = {}) {
  double worst = 0.0;
  for (const KozlowskiCase& c : kozlowski_cases()) worst = std::max(worst, deviation(c));
  items.identity(ItemKind::kEquation, std::move(item), std::move(printed), worst, 1e-9,
                 std::move(note));
}

// The parts of the room's items, one file each.
void kozlowski_time_derivatives(PaperItems& items);  // sections 1 and 2 to (21)
void kozlowski_table_1(PaperItems& items);
void kozlowski_factors(PaperItems& items);       // (22)-(36)
void kozlowski_standard(PaperItems& items);      // section 3
void kozlowski_diagonalized(PaperItems& items);  // sections 4 and 5, the recursions of 6
void kozlowski_costs(PaperItems& items);         // section 6
void kozlowski_claims(PaperItems& items);
void kozlowski_misprints(PaperItems& items);

}  // namespace dyn::tool
