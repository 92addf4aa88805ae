// Kozłowski 1995: what is misprinted, each with the form that is right and with how far either is from what
// it is said to be.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "dyn_core/papers/kozlowski_1995/printed.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "kozlowski_case.hpp"

namespace dyn::tool {
namespace kozlowski_paper {

using namespace dyn::kozlowski;

// Both forms on one general revolute arm.
class Misprints {
 public:
  explicit Misprints(PaperItems& items) : items_(items), c_(random_chain(5, 1995), 3) {}

  void tried(std::string item, std::string printed, std::string right, double printed_off,
             double right_off, std::string note = {}) {
    items_.add(ItemKind::kErratum, std::move(item), std::move(printed),
               fmt::format("{}: holds to {:.0e}; as printed off by {:.2g} of it", right,
                           std::max(right_off, 1e-16), printed_off),
               printed_off < 1e-9,
               right_off < 1e-9
                   ? note.empty() ? "both forms tried on a general arm of five links" : note
                   : "neither form holds");
  }
  void named(std::string item, std::string printed, std::string right, double right_off,
             std::string note) {
    items_.add(ItemKind::kErratum, std::move(item), std::move(printed),
               fmt::format("{}: holds to {:.0e}", right, std::max(right_off, 1e-16)), false,
               std::move(note));
  }

  void nomenclature();
  void section_2();
  void inside_brackets();
  void section_2_2();
  void section_4();
  void section_5();
  void example();
  void tables();

 private:
  PaperItems& items_;
  KozlowskiCase c_;
};

void Misprints::nomenclature() {
  const auto& o = c_.o;
  MatXd E = MatXd::Zero(6 * o.N, 6 * o.N);
  VecXd b = o.b;
  for (Index k = 1; k <= o.N; ++k) {
    const PrintedLink<double>& link = o.links(k);
    const Index row = 6 * (k - 1);
    Mat6<double> phi = link.phi;
    phi.topRightCorner<3, 3>() *= -1.0;
    if (k > 1) E.block<6, 6>(row, row - 6) = phi * o.links(k - 1).A;
    b.segment<3>(row + 3) +=
        link.m * link.p.cross(link.v()) - link.m * link.omega().cross(link.v());
  }
  const MatXd Phi = (MatXd::Identity(6 * o.N, 6 * o.N) - E).inverse();
  tried("nomenclature, l(k,k-1)", "vector from O_k-1 to O_k", "from O_k to O_k-1, in (22)",
        kozlowski_off(o.H * Phi * o.M * star(Phi) * star(o.H), c_.mass),
        kozlowski_off(mass_matrix(o), c_.mass));
  const VecXd rest = mass_matrix(o) * c_.theta_ddot + o.H * o.Phi * o.M * star(o.Phi) * o.a;
  tried("nomenclature, b(k), force", "m(k) p(k) × v(k) + …", "m(k) ω(k) × v(k) + …, in (38)",
        kozlowski_off(rest + o.H * o.Phi * b, c_.tau),
        kozlowski_off(rest + o.H * o.Phi * o.b, c_.tau));
  items_.add(
      ItemKind::kErratum, "nomenclature, H", "H ∈ ℝ^6N×N",
      fmt::format("{} x {} for N = {}, so that HΦ is a product", o.H.rows(), o.H.cols(), o.N),
      o.H.rows() == 6 * o.N, "H* is 6N x N; (22)-(25) hold with H N x 6N");
}

void Misprints::section_2() {
  const auto& o = c_.o;
  const MatXd P_rate = kozlowski_rates(c_.moving.P), lambda = P_rate + o.driving;
  // (4) with a translational joint, in (13).
  const KozlowskiCase slide(random_chain(5, 12, {.prismatic = 0.4}), 4);
  const auto& s = slide.o;
  MatXd turning = s.Omega_delta;
  for (Index k = 1; k <= s.N; ++k) {
    if (s.links(k).rotational) continue;
    turning.block<6, 6>(6 * k - 6, 6 * k - 6) =
        twice_on_diagonal<double>(skew(s.links(k).h)) * s.links(k).theta_dot;
  }
  const MatXd X = turning * s.P + s.P * star(turning);
  const MatXd printed_rate = block_diagonal<double>(strict(s.Psi) * X * star(strict(s.Psi)));
  const MatXd exact = kozlowski_rates(slide.moving.P);
  tried("(4) for a translational joint", "Ω_δ = [h̃θ̇ 0; 0 h̃θ̇]", "[0 h̃θ̇; 0 0], in (13)-(17)",
        kozlowski_off(printed_rate, exact),
        kozlowski_off(local_inertia_rate_in_closed_form(s), exact),
        "a translational joint turns no frame, it moves l(k+1,k); five links, some of them "
        "translational");
  tried("(16)", "Ṗ = E_Ψ (P + [Ω_δ, P]) E_Ψ*", "E_Ψ (Ṗ + [Ω_δ, P]) E_Ψ*",
        kozlowski_off(o.E_Psi * (o.P + o.driving) * star(o.E_Psi), P_rate),
        kozlowski_off(local_inertia_rate(o), P_rate));
  const MatXd right_side = next_inertia_rate(o);
  tried("(18), (19), left side", "Ṗ", "λ̇, the derivative seen from frame k+1",
        kozlowski_off(P_rate, right_side), kozlowski_off(lambda, right_side));
  named("(21)", "λ = E_Ψ λ E_Ψ* + [Ω_δ, P]", "λ̇ = E_Ψ λ̇ E_Ψ* + [Ω_δ, P]",
        kozlowski_off(lambda_rate_by_itself(o), lambda),
        "the dots of (20) are missing; λ itself is nowhere");
  const MatXd E_rate = kozlowski_rates(c_.moving.E_Phi);
  tried("Tab. 1, row 1", "dE_Φ/dt = E_Φ Ω_δ Φ", "E_Φ Ω_δ, as (14)",
        kozlowski_off(o.E_Phi * o.Omega_delta * o.Phi, E_rate),
        kozlowski_off(local_derivatives(o).E_Phi, E_rate));
}

void Misprints::inside_brackets() {
  const auto& o = c_.o;
  const MatXd commutator = o.E_Psi * o.lambda - o.lambda * o.E_Psi, wrong = commutator - shifted(o);
  const VecXd m_rate_nu = c_.m_rate * c_.nu, half = 0.5 * o.H * o.Phi * wrong * o.V;
  tried("(31), [E_Ψ, λ̇]", "the commutator E_Ψ λ̇ - λ̇ E_Ψ", "E_Ψ λ̇ - λ̇ E_Ψ*",
        kozlowski_off(mass_factor_rate_times_nu(o) + half, m_rate_nu),
        kozlowski_off(mass_factor_rate_times_nu(o), m_rate_nu));
  const VecXd in_C = 0.5 * inverse_pivot_roots(o) * o.H * o.Psi * wrong * o.V, C = coriolis_nu(o);
  tried("(42), [E_Ψ, λ̇]", "the commutator E_Ψ λ̇ - λ̇ E_Ψ", "E_Ψ λ̇ - λ̇ E_Ψ*",
        kozlowski_off(C + in_C, c_.C_nu), kozlowski_off(C, c_.C_nu));
  const double size = o.V.squaredNorm() * o.lambda.cwiseAbs().maxCoeff();
  const double power = power_of_coriolis_nu(o);
  const double with_commutator = power + 0.5 * o.V.dot(wrong * o.V);
  const double with_both = power - 0.5 * o.V.dot(o.lambda * star(o.E_Psi) * o.V);
  tried("(47), [E_Ψ, λ̇] - λ̇ E_Ψ*", "the commutator less λ̇ E_Ψ*", "E_Ψ λ̇ - λ̇ E_Ψ*",
        std::abs(with_both + 0.5 * o.V.dot(wrong * o.V)) / size, std::abs(power) / size,
        fmt::format(
            "also tried: the commutator alone, off by {:.2g}; E_Ψ λ̇ - λ̇ E_Ψ* less another λ̇ E_Ψ*, "
            "off by {:.2g} of |λ̇| |V|²",
            std::abs(with_commutator) / size, std::abs(with_both) / size));
}

void Misprints::section_2_2() {
  const auto& o = c_.o;
  const MatXd unit = unit_factor(o);
  const VecXd rate = xi_rate(o, c_.theta_ddot);
  const VecXd without_star = rate + (unit - star(unit)) * c_.theta_ddot;
  tried("(35), last term", "(I + HΦK) θ̈", "(I + HΦK)* θ̈", kozlowski_off(without_star, c_.xi_rate),
        kozlowski_off(rate, c_.xi_rate));
  const VecXd with_P =
      rate + inverse_pivots(o) * o.H * (o.P_rate - o.lambda) * star(o.tau_bar) * o.V;
  tried("(36), first term", "D⁻¹ H Ṗ τ̄* V", "D⁻¹ H λ̇ τ̄* V", kozlowski_off(with_P, c_.xi_rate),
        kozlowski_off(rate, c_.xi_rate));
}

void Misprints::section_4() {
  const auto& o = c_.o;
  const double energy = 0.5 * o.theta_dot.dot(c_.mass * o.theta_dot);
  tried("(43)", "K = ½ ξ̇* D ξ̇", "½ ξ* D ξ",
        std::abs(0.5 * c_.xi_rate.dot(o.D * c_.xi_rate) - energy) / energy,
        std::abs(kinetic_energy_of_xi(o) - energy) / energy);
  const VecXd right = 0.5 * o.H * o.lambda * star(o.H) * c_.xi;
  named(
      "below (46)", "½ H Ṗ H* D^-½", "½ H Ṗ H* D^-½ ν",
      kozlowski_off(right, 0.5 * c_.D_rate.cwiseProduct(c_.xi), 1.0),
      "the printed one is a matrix, the term a vector: -D d(D^-½)/dt ν = ½ Ḋ ξ; Ṗ or λ̇ is the same "
      "between H and H*");
  named("the recursion below (46)", "λ̇(k,k-1)", "λ̇(k-1)",
        kozlowski_off(coriolis_xi<double>(o.links, o.at, c_.xi), c_.C_xi, 1.0),
        "λ̇ belongs to one link; with λ̇(k-1), as in the recursion below (42), (45) comes out");
  const MatXd l = mass_factor_inverse(o);
  const VecXd printed = unit_factor_inverse(o) * inverse_pivot_roots(o) * c_.nu;
  const VecXd starred = star(unit_factor_inverse(o)) * inverse_pivot_roots(o) * c_.nu;
  tried("section 6, θ̇ from ν", "θ̇ = l* ν = [I - HΨK] D^-½ ν", "[I - HΨK]* D^-½ ν",
        kozlowski_off(printed, o.theta_dot), kozlowski_off(starred, o.theta_dot));
}

void Misprints::section_5() {
  const auto& o = c_.o;
  const VecXd bias = o.H * o.Psi * o.V_cross * o.M * o.V;
  const VecXd C_nu = c_.C_nu - inverse_pivot_roots(o) * bias, C_xi = c_.C_xi - bias;
  const MatXd c_nu = components_nu(o.links, o.at), c_xi = components_xi(o.links, o.at);
  tried("(48), sign", "Σ H(k) Ψ(k,m) P(m) Ω_δ(m) Ψ*(i,m) H*(i)", "the same with a minus",
        kozlowski_off(-c_nu * c_.nu, C_nu), kozlowski_off(c_nu * c_.nu, C_nu));
  const MatXd roots = inverse_pivot_roots(o);
  MatXd with_roots = roots * c_xi * roots;
  with_roots.diagonal() = c_xi.diagonal();
  tried("below (48), unnormalized c_ki off the diagonal", "given by (48)",
        "by (48) without D^-½(k), D^-½(i)", kozlowski_off(with_roots * c_.xi, C_xi),
        kozlowski_off(c_xi * c_.xi, C_xi));
  named("below (49)", "-Ω_δ(k) V(k) = V(k) Ω_δ*(k)", "Ω_δ*(k) V(k) = a(k)",
        kozlowski_off(star(o.Omega_delta) * o.V, o.a, 1.0),
        "a column times a 6 x 6 matrix is no product");
  const VecXd bias_in_38 = c_.tau - c_.mass * c_.theta_ddot - o.H * o.Phi * o.M * star(o.Phi) * o.a;
  tried("section 7", "through HΨ in the new, HΨ in the standard formulation",
        "HΦ in the standard one, (38)", kozlowski_off(o.H * o.Psi * o.b, bias_in_38),
        kozlowski_off(o.H * o.Phi * o.b, bias_in_38));
}

void Misprints::example() {
  const KozlowskiCase three(random_chain(3, 7), 2);
  const auto terms = terms_of_second_torque<double>(three.o.links, three.theta_ddot);
  double right = 0.0, printed = 0.0;
  for (const double term : terms) right += term;
  const auto &one = three.o.links(1), &two = three.o.links(2);
  const Mat6<double> r_2 = composite_inertia(three.o.links, 2);
  const double fourth = two.H_star.dot(two.phi * one.A * one.M * star(one.A) * one.a),
               fifth = two.H_star.dot(r_2 * star(two.A) * two.a);
  printed = right - terms[3] - terms[4] + fourth + fifth;
  const double exact = three.tau[1];
  tried("(39), n(k)", "n(k), the bias acceleration a(k) of the nomenclature", "A(k) a(k)",
        std::abs(printed - exact) / std::abs(exact), std::abs(right - exact) / std::abs(exact),
        "n is in no list; the text below (39) has it on the positive side of the joint, in frame "
        "k+1. "
        "A general arm of three links");
}

void Misprints::tables() {
  const Table3Row &third = kTable3[3], &fourth = kTable3[4];
  Table3Row cube = third;
  cube.cube = 1.0 / 3.0;
  items_.add(ItemKind::kErratum, "Tab. 2, subtotal, additions, column 1", "354N-180",
             "345N-180, the sum of the nine rows; with it the total is the printed 530N-448",
             kTable2Subtotal.columns[0].additions == Line{345, -180},
             "two digits changed places: 345 + 185 = 530");
  const Line z = kTable2Unnormalized[2].columns[1].multiplications;
  items_.add(ItemKind::kErratum, "Tab. 2, z⁺, unnormalized, column 2", "43N-3",
             "13N-3, by the printed 66N-83 of its part; as it runs z⁺ takes 13 a link too",
             z == Line{13, -3}, "1 read as 4");
  items_.add(ItemKind::kErratum, "Tab. 3, 3rd Walker and Orin",
             fmt::format("⅙ N³ + …; {}, {}", third.printed[0], third.printed[1]),
             fmt::format("⅓ N³ + … gives {:.0f}, {:.0f}; ⅙ N³ + … gives {:.0f}, {:.0f}", cube(6),
                         cube(12), third(6), third(12)),
             std::abs(third(6) - third.printed[0]) < 0.5,
             "the printed figures are those of ⅓ N³, both to the unit");
  items_.add(ItemKind::kErratum, "Tab. 3, 4th Walker and Orin",
             fmt::format("132½ N² + 207 N - 31; {}, {}", fourth.printed[0], fourth.printed[1]),
             fmt::format("the formula gives {:.0f}, {:.0f}", fourth(6), fourth(12)),
             std::abs(fourth(6) - fourth.printed[0]) < 0.5,
             "14 less at 6, 4 more at 12: no slip in one constant explains both; 210 N - 63 would. "
             "The order "
             "of the methods is the same with either");
}

}  // namespace kozlowski_paper

void kozlowski_misprints(PaperItems& items) {
  kozlowski_paper::Misprints misprints(items);
  misprints.nomenclature();
  misprints.section_2();
  misprints.inside_brackets();
  misprints.section_2_2();
  misprints.example();
  misprints.section_4();
  misprints.section_5();
  misprints.tables();
}

}  // namespace dyn::tool
