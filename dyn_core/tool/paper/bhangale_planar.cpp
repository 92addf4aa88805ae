// Bhangale 2004, section 4: the planar arms, Table III, (19) to (22), Figs. 3, 4, the example a_i = 2b.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "bhangale.hpp"
#include "dyn_core/papers/bhangale_2004/denoc.hpp"
#include "dyn_core/papers/bhangale_2004/mci.hpp"
#include "dyn_core/robot/kinematics.hpp"

namespace dyn::tool::bhangale_2004 {
namespace {

using dyn::bhangale::kTable3;
using dyn::bhangale::PrintedArm;

void options_of_section_4(PaperItems& items) {
  const ChainPtr pp = arm_of("PP", {{.kind = 'P', .alpha = M_PI_2}, {.kind = 'P'}});
  const ArmCount count = count_arm(pp, CountingRule::kCustomised);
  const InMotion s(pp, 4), other(pp, 5);
  MatXd M(2, 2), M_other(2, 2), C(2, 2);
  Denoc<double>(s.model).mass_matrix(s.model, s.joints, M);
  Denoc<double>(s.model).mass_matrix(s.model, other.joints, M_other);
  Mci<double>(s.model).coriolis_matrix(s.model, s.joints, s.qd, C);
  const bool constant = M == M_other && M(0, 1) == 0.0;
  items.add(ItemKind::kClaim, "section 4, option 1: two slides, PP",
            "GIM diagonal and constant, MCI zero",
            fmt::format("{}, MCI {}; GIM and MCI {}", constant ? "diagonal and constant" : "not so",
                        C.isZero(0.0) ? "zero" : "not zero",
                        text({count.gim.multiplications + count.mci.multiplications,
                              count.gim.additions + count.mci.additions})),
            constant && C.isZero(0.0));
  const auto printed_gim = dyn::bhangale::planar_gim_count(2);
  const auto printed_mci = dyn::bhangale::planar_mci_count(2);
  const ArmCount rr = count_arm(arm_of("RR", {{.a = 0.3}, {.a = 0.2}}), CountingRule::kGeneral);
  items.count(
      ItemKind::kClaim, "section 4.1, option 2: RR by (17) and (18), n = 2", {88, 63},
      {rr.gim.multiplications + rr.mci.multiplications, rr.gim.additions + rr.mci.additions},
      fmt::format("(17) and (18) sum to {}; ours {} and {}",
                  text({printed_gim.multiplications + printed_mci.multiplications,
                        printed_gim.additions + printed_mci.additions}),
                  text(rr.gim), text(rr.mci)) +
          ", see Table II and (18)");
}

void option_3(PaperItems& items) {
  const auto sum_of = [](const ArmCount& count) {
    return count.gim.multiplications + count.gim.additions + count.mci.multiplications +
           count.mci.additions;
  };
  const double rr_sum =
      sum_of(count_arm(arm_of("RR", {{.a = 0.3}, {.a = 0.2}}), CountingRule::kCustomised));
  std::string sums;
  bool cheaper = true;
  for (const PrintedArm& arm : kTable3) {
    const double sum = sum_of(count_arm(robot_of_the_suite(arm.robot), CountingRule::kCustomised));
    cheaper = cheaper && sum > 0.0 && sum < rr_sum;
    sums += fmt::format("{}{} {}", sums.empty() ? "" : ", ", arm.name, sum);
  }
  items.add(ItemKind::kClaim, "section 4, option 3 lies between PP and RR, operations",
            "PP 0, RP 58, PR 73, RR 151", fmt::format("PP 0, {}, RR {}, customised", sums, rr_sum),
            cheaper);
}

// (19), (20), (23): from 0 to π in T, at rest at both ends.
void figure_3(PaperItems& items) {
  std::vector<Chart> charts;
  for (const PrintedArm& arm : kTable3) {
    const ChainPtr chain = robot_of_the_suite(arm.robot);
    const VecXd q =
        arm.robot == "rp" ? VecXd(Eigen::Vector2d(0.6, 1.5)) : VecXd(Eigen::Vector2d(1.5, 0.6));
    charts.push_back(
        Sketch(std::string(arm.name)).line("joint to joint to tip", skeleton(chain, q)).take());
  }
  items.figure("Fig. 3, two-link planar arms", "(a) a turning and a sliding joint, (b) the reverse",
               "rp.urdf and pr.urdf at a posture", {}, charts);
}

// What the circle of the tip covers as it slides along; the lens of both ends is out of reach if the
// stroke is shorter than the diameter.
void figure_4(PaperItems& items) {
  const auto chart = [](const char* title, double a, double b) {
    const ChainPtr arm = pr_arm(a, b);
    Kinematics<double> kinematics(arm);
    const auto circle = [&](double slide) {
      std::vector<Vec3d> points;
      for (int k = 0; k <= 72; ++k) {
        (void)kinematics.update(Eigen::Vector2d(slide, 2.0 * M_PI * k / 72.0));
        points.push_back(kinematics.tip_pose().p);
      }
      return points;
    };
    const auto between = [&](double side) {
      return std::vector<Vec3d>{Vec3d(side * a, 0.0, 0.0), Vec3d(side * a, 0.0, b)};
    };
    return Sketch(title, {Vec3d::UnitZ(), Vec3d::UnitX()}, "along the slide", "across")
        .line("b1 = 0", circle(0.0))
        .line("b1 at its end", circle(b))
        .line("between", between(1.0), true)
        .line("between", between(-1.0), true)
        .take();
  };
  const double long_stroke = workspace_of(pr_arm(1.0, 3.0), many_samples()).size;
  items.figure(
      "Fig. 4, workspace of the PR arm", "A = π a2² + 2 a2 b1",
      fmt::format("{:.4f} at a2 = 1, b1 = 3; π + 6 = {:.4f}", long_stroke, M_PI + 6.0),
      std::abs(long_stroke - M_PI - 6.0) < 1e-9,
      {chart("b1 = 3 a2", 1.0, 3.0), chart("b1 = a2: the lens is out of reach", 1.0, 1.0)},
      "the formula holds for a stroke b1 of at least 2 a2; with a shorter one the lens that both "
      "end circles share is not reached");
}

// Section 4.3: a_i = 2b, b_i = b.
void example(PaperItems& items) {
  const double b = 1.0, a = 2.0;
  const Workspace rp = workspace_of(rp_arm(a, b), many_samples(), true);
  const Workspace pr = workspace_of(pr_arm(a, b), many_samples(), true);
  const Workspace exact = workspace_of(pr_arm(a, b), many_samples());
  items.add(ItemKind::kExample, "section 4.3, a_i = 2b, b_i = b: RP", "5π b² = 15.71 b²",
            fmt::format("{:.2f} b² by the formula, {:.2f} ± {:.1g} by sampling",
                        M_PI * (2.0 * a * b + b * b), rp.size, rp.error),
            std::abs(rp.size - 5.0 * M_PI) <= rp.error);
  items.add(ItemKind::kExample, "section 4.3, a_i = 2b, b_i = b: PR", "4(π+1) b² = 16.57 b²",
            fmt::format("{:.2f} b² by the formula, {:.2f} b² reached, {:.2f} ± {:.1g} by sampling",
                        M_PI * a * a + 2.0 * a * b, exact.size, pr.size, pr.error),
            std::abs(exact.size - 4.0 * (M_PI + 1.0)) < 0.005,
            "the stroke b is a quarter of the diameter 4b: a lens of 8.61 b² is out of reach");
  items.add(ItemKind::kExample, "section 4.3, a_i = 2b, b_i = b: the larger workspace", "PR",
            exact.size > rp.size + rp.error ? "PR" : "RP", exact.size > rp.size + rp.error,
            "with the lens taken off");
  int by_formula = 0, reached = 0;
  constexpr int kRatios = 200;
  for (int k = 1; k <= kRatios; ++k) {
    const double stroke = 0.05 * k;
    const double ring = M_PI * (2.0 * stroke + stroke * stroke);
    by_formula += M_PI + 2.0 * stroke > ring ? 1 : 0;
    reached += workspace_of(pr_arm(1.0, stroke), many_samples()).size > ring ? 1 : 0;
  }
  items.add(
      ItemKind::kClaim, "section 4.3: there are cases with a larger workspace of PR",
      "there may be",
      fmt::format("{} of {} ratios b/a from 0.05 to 10 by the formulas, {} of what is reached",
                  by_formula, kRatios, reached),
      reached > 0, "at a1 = a2 = a and b1 = b2 = b; the formula of PR includes the lens");
}

void equations_of_section_4(PaperItems& items) {
  trajectories(items, "(19), (20), joint trajectories");
  const ChainPtr pr = robot_of_the_suite("pr");
  Kinematics<double> kinematics(pr);
  MatXd J(6, 2);
  double jacobian = 0.0, least = 1e9, most = 0.0;
  for (int k = 0; k <= 360; ++k) {
    const double theta = 2.0 * M_PI * k / 360.0, a_2 = 0.8584;
    (void)kinematics.update(Eigen::Vector2d(1.0, theta));
    (void)kinematics.jacobian(J);
    Eigen::Matrix2d printed;
    printed << 1.0, -a_2 * std::sin(theta), 0.0, a_2 * std::cos(theta);  // (22)
    jacobian = std::max(jacobian, (J.topRows<2>() - printed).cwiseAbs().maxCoeff());
    const Eigen::Matrix2d JJ = printed * printed.transpose();
    const double w = std::sqrt(std::max(0.0, JJ.determinant()));  // (21)
    least = std::min(least, w), most = std::max(most, w);
  }
  items.identity(ItemKind::kEquation, "(22), Jacobian of the PR arm",
                 "[1, -a2 sin θ2; 0, a2 cos θ2]", jacobian);
  items.add(ItemKind::kEquation, "(21), w of the PR arm as θ2 varies", "from 0 to a2 = 0.8584",
            fmt::format("from {:.1g} to {:.4f}", least, most),
            least < 1e-7 && std::abs(most - 0.8584) < 1e-12);
}

}  // namespace

void planar_arms(PaperItems& items) {
  options_of_section_4(items);
  option_3(items);
  figure_3(items);
  for (const PrintedArm& arm : kTable3) complexity_rows(items, "Table III", arm);
  const double slide = 3.2, a_2 = 0.8584;  // of the URDFs
  workspace_row(items, "Table III", kTable3[0], M_PI * slide * slide);
  workspace_row(items, "Table III", kTable3[1], M_PI * a_2 * a_2 + 2.0 * a_2 * slide);
  equal_lengths_rows(
      items, "Table III", kTable3[0], rp_arm(1.0, 1.0), 4.0 * M_PI, 1.0,
      "π(2 a1 b2 + b2²) is 3π a²; 4π a² is the whole disc of radius 2a, whose inner disc "
      "of radius a1 the tip does not reach",
      "a1 + b2 is 2a at a1 = b2 = a; it is a for a1 = 0, the arm of (19)");
  equal_lengths_rows(items, "Table III", kTable3[1], pr_arm(1.0, 1.0), M_PI + 2.0, 1.0,
                     "the formula includes a lens of (2π/3 - √3/2) a² that is out of reach", "");
  manipulability_row(
      items, "Table III", kTable3[0], [](const VecXd& q) { return q[1]; }, "a1 = 0 in (19)");
  manipulability_row(
      items, "Table III", kTable3[1],
      [](const VecXd& q) { return 0.8584 * std::abs(std::cos(q[1])); }, "");
  equations_of_section_4(items);
  figure_4(items);
  example(items);
}

}  // namespace dyn::tool::bhangale_2004
