// Kozłowski 1995, sections 2.1 and 2.2, (22)-(36), and section 3, (37)-(39).
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "dyn_core/registry.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "kozlowski_case.hpp"

namespace dyn::tool {
namespace kozlowski_paper {

using namespace dyn::kozlowski;

MatXd identity_of(const KozlowskiCase& c) { return MatXd::Identity(c.o.N, c.o.N); }

void mass_matrix_and_factors(PaperItems& items) {
  kozlowski_identity(items, "(22), (23), mass matrix and factors",
                     "H Φ M Φ* H* = (I + HΦK) D (I + HΦK)*", [](const KozlowskiCase& c) {
                       return std::max(kozlowski_off(mass_matrix(c.o), c.mass),
                                       kozlowski_off(mass_matrix_by_factors(c.o), c.mass));
                     });
  kozlowski_identity(
      items, "(24), (25), inverses", "(I + HΦK)⁻¹ = I - HΨK; M⁻¹ = (I - HΨK)* D⁻¹ (I - HΨK)",
      [](const KozlowskiCase& c) {
        const MatXd inverse = mass_matrix_inverse(c.o);
        const double size = inverse.cwiseAbs().maxCoeff() * c.mass.cwiseAbs().maxCoeff();
        return std::max(kozlowski_off(unit_factor_inverse(c.o) * unit_factor(c.o), identity_of(c)),
                        kozlowski_off(inverse * c.mass, identity_of(c), size));
      });
  kozlowski_identity(items, "(26), the factor m", "m = (I + HΦK) D^½, M = m m*",
                     [](const KozlowskiCase& c) { return kozlowski_off(mass_factor(c.o), c.m); });
  kozlowski_identity(items, "(27), (28), ν and the kinetic energy",
                     "ν = D^½ (I + HΦK)* θ̇; ½ θ̇* M θ̇ = ½ Σ ν²(k)", [](const KozlowskiCase& c) {
                       const double energy = 0.5 * c.o.theta_dot.dot(c.mass * c.o.theta_dot);
                       return std::max(kozlowski_off(quasi_velocities_nu(c.o), c.nu),
                                       std::abs(kinetic_energy_of_nu(c.o) - energy) / energy);
                     });
}

void derivatives_of_the_factor(PaperItems& items) {
  const auto size = [](const KozlowskiCase& c) { return 1.0 + c.m_rate.cwiseAbs().maxCoeff(); };
  kozlowski_identity(items, "(29), ṁ from Ṗ", "HΦ [Ω_δ Φ P + ½ (I + τ̄) Ṗ] H* D^-½",
                     [size](const KozlowskiCase& c) {
                       return kozlowski_off(mass_factor_rate(c.o), c.m_rate, size(c));
                     });
  kozlowski_identity(items, "(30), ṁ from λ̇", "HΦ [Ω_δ Φ̃ P + ½ (I + τ̄) λ̇] H* D^-½",
                     [size](const KozlowskiCase& c) {
                       return kozlowski_off(mass_factor_rate_by_lambda(c.o), c.m_rate, size(c));
                     });
  kozlowski_identity(
      items, "(31), ṁ ν", "HΦ [Ω_δ Φ K H P + ½ [Ω_δ, P] + ½ [E_Ψ, λ̇]] V",
      [size](const KozlowskiCase& c) {
        return kozlowski_off(mass_factor_rate_times_nu(c.o), c.m_rate * c.nu,
                             size(c) * c.nu.cwiseAbs().maxCoeff());
      },
      "[E_Ψ, λ̇] read as E_Ψ λ̇ - λ̇ E_Ψ*");
  kozlowski_identity(items, "(32), (33), θ̇* M_θ θ̇", "2 HΦ [Ω_δ (I + Φ K H) P - V × M] V",
                     [](const KozlowskiCase& c) {
                       return kozlowski_off(inertia_gradient(c.o), c.gradient,
                                            1.0 + (c.m_rate * c.nu).cwiseAbs().maxCoeff());
                     });
  kozlowski_identity(items, "(34), ξ", "ξ = D^-½ ν = (I + HΦK)* θ̇", [](const KozlowskiCase& c) {
    return kozlowski_off(quasi_velocities_xi(c.o), c.xi);
  });
  kozlowski_identity(
      items, "(35), (36), ξ̇", "D⁻¹ H λ̇ τ̄* V + D⁻¹ H P Φ̃* Ω_δ* V + G* Φ* H* θ̈; I + HΦK = HΦG",
      [](const KozlowskiCase& c) {
        const MatXd unit = unit_factor(c.o);
        const VecXd rate = xi_rate(c.o, c.theta_ddot);
        return std::max(kozlowski_off(c.o.H * c.o.Phi * c.o.G, unit),
                        kozlowski_off(rate, c.xi_rate, 1.0));
      },
      "Ṗ read as λ̇, and the star of (35) added, see the misprints");
}

// The derivative of I + HΦK = HΦG, by the product rule from one column of Table 1.
MatXd product_rule(const SpatialOperators<double>& o, const OperatorRates<double>& rate) {
  return rate.H * o.Phi * o.G + o.H * rate.Phi * o.G + o.H * o.Phi * rate.G;
}

// ---- section 3

void standard_equations(PaperItems& items) {
  kozlowski_identity(
      items, "(37), (38), the standard equations, with gravity in b", "M θ̈ + HΦMΦ* a + HΦ b = τ",
      [](const KozlowskiCase& c) {
        return std::max(kozlowski_off(standard_torque(c.o, c.theta_ddot), c.tau),
                        kozlowski_off(standard_torque(c.o.links, c.theta_ddot), c.tau));
      },
      "τ by Newton and Euler in their own recursion; once in operators, once link by link");
}

// What forces and moments on all links change in τ, against their Jacobians.
double off_forces_on_links(const KozlowskiCase& c) {
  Links<double> links(c.model, c.poses, c.qd);
  const VecXd still = VecXd::Zero(c.o.N), free = standard_torque(links, still);
  Kinematics<double> kinematics(c.model.chain_ptr());
  (void)kinematics.update(c.q);
  VecXd expected = still;
  MatXd J(6, c.o.N);
  Random random(5);
  for (Index k = 1; k <= c.o.N; ++k) {
    const Vec3d force = random.vector(10.0), moment = random.vector(2.0);
    links.load(k, force, moment);
    const Posed pose = kinematics.dh_pose(c.o.N - k);
    (void)kinematics.jacobian(c.o.N - k, pose * links(k).p, J);
    expected -= J.topRows(3).transpose() * (pose.R * force) +
                J.bottomRows(3).transpose() * (pose.R * moment);
  }
  const VecXd reversed = expected.reverse();
  return kozlowski_off(standard_torque(links, still) - free, reversed,
                       1.0 + free.cwiseAbs().maxCoeff());
}

// A column with 0.1 kg m² about its upright axis and two rods of 1 kg and 1 m, turned about axes at
// 90° and 45° to the one before.
ChainPtr arm_of_rods() {
  ChainDescription arm;
  arm.name = "rods";
  for (Index i = 0; i < 3; ++i) {
    Joint joint;
    joint.name = fmt::format("joint{}", i + 1);
    joint.coordinate = i;
    arm.coordinate_names.push_back(joint.name);
    arm.joints.push_back(joint);
  }
  arm.dh = {{}, {.alpha = 0.5 * std::numbers::pi}, {.a = 1.0, .alpha = 0.25 * std::numbers::pi}};
  RigidBody column{1.0, Vec3d::Zero(), Vec3d(0.0, 0.0, 0.1).asDiagonal()};
  RigidBody rod{1.0, Vec3d(0.5, 0.0, 0.0), Vec3d(0.0, 1.0 / 12.0, 1.0 / 12.0).asDiagonal()};
  arm.links = {{"column", column, {}, {}}, {"upper", rod, {}, {}}, {"fore", rod, {}, {}}};
  return std::make_shared<const Chain>(std::move(arm));
}

struct Example {
  Example() : model(arm_of_rods()), poses(3) { joint_poses<double>(model, q, poses); }

  Model model;
  std::vector<JointPose<double>> poses;
  VecXd q = Vec3d(0.0, 0.5, -1.0), qd = Vec3d(1.0, -0.5, 2.0), qdd = Vec3d(0.4, 1.5, -3.0);
};

constexpr std::array<const char*, 8> kTermsOf39 = {"H(2) Φ(2,1) A(1) M(1) H*(1) θ̈(1)",
                                                   "H(2) r(2) H*(2) θ̈(2)",
                                                   "H(2) r(2) A⁻¹(2) Φ*(3,2) H*(3) θ̈(3)",
                                                   "H(2) Φ(2,1) A(1) M(1) A⁻¹(1) n(1)",
                                                   "H(2) r(2) A⁻¹(2) n(2)",
                                                   "H(2) r(2) A⁻¹(2) Φ*(3,2) A⁻¹(3) n(3)",
                                                   "H(2) Φ(2,1) A(1) b(1)",
                                                   "H(2) b(2)"};

// The same by row 2 of (38), joint by joint and link by link.
std::array<double, 8> terms_of_row_2(const SpatialOperators<double>& o, const VecXd& theta_ddot) {
  const Eigen::RowVectorXd mass = mass_matrix(o).row(1), inward = (o.H * o.Phi).row(1);
  const Eigen::RowVectorXd through = inward * o.M * star(o.Phi);
  std::array<double, 8> terms{};
  for (Index k = 0; k < 3; ++k) {
    const auto term = static_cast<std::size_t>(k);
    terms[term] = mass[k] * theta_ddot[k];
    terms[3 + term] = through.segment(6 * k, 6).dot(o.a.segment(6 * k, 6));
    if (k < 2) terms[6 + term] = inward.segment(6 * k, 6).dot(o.b.segment(6 * k, 6));
  }
  return terms;
}

double newton_euler_of_joint_2(const Example& arm) {
  VecXd tau(3);
  find(inverse_dynamics_algorithms<double>(), "rnea")
      ->make(arm.model)
      ->inverse_dynamics(arm.model, arm.poses, arm.model.gravity(), arm.qd, arm.qdd, tau);
  return tau[1];
}

void worked_example(PaperItems& items) {
  const Example arm;
  const SpatialOperators<double> o(arm.model, arm.poses, arm.qd, arm.model.gravity());
  const VecXd theta_ddot = arm.qdd.reverse();
  const auto terms = terms_of_second_torque<double>(o.links, theta_ddot);
  const auto expected = terms_of_row_2(o, theta_ddot);
  const std::string about =
      "an arm of ours, the paper gives none: column with 0.1 kg m² about the upright axis, two "
      "rods of 1 m and 1 kg along x of their frames, the axis of the first rod at 90° to the "
      "upright one, that of the second at 45° to it and 1 m along x; from the base θ = 0, 0.5, -1 "
      "rad, θ̇ = 1, -0.5, 2 rad/s, θ̈ = 0.4, 1.5, -3 rad/s²";
  double sum = 0.0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    sum += terms[i];
    std::string note = i == 0 ? about : "";
    if (i == 5) note = "zero on a base at rest: n(3) is";
    items.add(ItemKind::kExample, fmt::format("(39), τ(2), term {}", i + 1), kTermsOf39[i],
              fmt::format("{:.6f} N m", terms[i]), std::abs(terms[i] - expected[i]) < 1e-12,
              std::move(note));
  }
  items.add(
      ItemKind::kExample, "(39), τ(2), the sum", "the torque of the second joint of (38)",
      fmt::format("{:.6f} N m, by Newton and Euler {:.6f} N m", sum, newton_euler_of_joint_2(arm)),
      std::abs(sum - newton_euler_of_joint_2(arm)) < 1e-12,
      "each term is also compared with its part of row 2 of (38); n(k) read as A(k) a(k)");
}

}  // namespace kozlowski_paper

void kozlowski_factors(PaperItems& items) {
  using namespace kozlowski_paper;
  mass_matrix_and_factors(items);
  kozlowski_identity(
      items, "section 2.1: m changes alike in all frames",
      "local and inertial derivatives of the mass factor are the same",
      [](const KozlowskiCase& c) {
        const MatXd local = product_rule(c.o, local_derivatives(c.o));
        const MatXd inertial = product_rule(c.o, inertial_derivatives(c.o));
        return kozlowski_off(inertial, local, 1.0);
      },
      "the product rule on HΦG with the left and with the right column of Tab. 1");
  derivatives_of_the_factor(items);
}

void kozlowski_standard(PaperItems& items) {
  using namespace kozlowski_paper;
  standard_equations(items);
  kozlowski_identity(items, "nomenclature: F(ke), N(ke) in b(k)",
                     "external force and moment at the mass centre of any link",
                     off_forces_on_links,
                     "on every link at once, against the Jacobians of the mass centres");
  worked_example(items);
}

}  // namespace dyn::tool
