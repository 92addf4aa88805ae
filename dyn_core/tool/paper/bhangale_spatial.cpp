// Bhangale 2004, section 5: the spatial arms, Tables IV and V, (23), Figs. 5 and 6.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "bhangale.hpp"
#include "dyn_core/papers/bhangale_2004/gim_mci.hpp"
#include "dyn_core/papers/classic/rnea.hpp"

namespace dyn::tool::bhangale_2004 {
namespace {

using dyn::bhangale::kTable5;
using dyn::bhangale::PrintedArm;

// Table IV as printed: a, b, α, m, r, I.
const std::vector<TableRow>& table_4(bool stanford) {
  static const std::vector<TableRow> kRtx = {
      {'P', 0.0, 0.0, 0.0, 9.0, {0.0, 0.0, 0.054}, {0.1, 0.02, 0.1}, 3.2},
      {'R', 0.432, 0.01, 0.0, 6.0, {0.292, 0.0, 0.0}, {0.5, 0.6, 0.01}},
      {'R', 0.2, 0.01, 0.0, 4.0, {-0.02, 0.0, 0.0}, {0.4, 0.4, 0.1}}};
  static const std::vector<TableRow> kStanford = {
      {'R', 0.0, 0.1, -M_PI_2, 9.0, {-0.1, 0.0, 0.1}, {0.1, 0.02, 0.1}},
      {'R', 0.0, 0.1, -M_PI_2, 6.0, {0.0, 0.0, 0.5}, {0.5, 0.6, 0.01}},
      {'P', 0.0, 0.0, 0.0, 4.0, {0.0, 0.0, 0.4}, {0.4, 0.4, 0.1}, 3.2}};
  return stanford ? kStanford : kRtx;
}

VecXd torques(InverseDynamicsAlgorithm<double>& algorithm, const Model& model, const OnTheWay& at) {
  const Index n = model.size();
  std::vector<JointPose<double>> joints(static_cast<std::size_t>(n));
  joint_poses<double>(model, VecXd::Constant(n, at.position), joints);
  VecXd tau(n);
  algorithm.inverse_dynamics(model, joints, model.gravity(), VecXd::Constant(n, at.speed),
                             VecXd::Constant(n, at.acceleration), tau);
  return tau;
}

// The robots of the suite are those of Table IV, gravity included.
void tables_4(PaperItems& items) {
  for (const bool stanford : {false, true}) {
    const Model printed(arm_of("Table IV", table_4(stanford)));
    const Model robot(robot_of_the_suite(stanford ? "stanford3" : "rtx3"));
    Rnea<double> of_printed(printed), of_robot(robot);
    double worst = 0.0;
    for (const double t : {0.0, 2.0, 4.0, 7.0, 9.0}) {
      const OnTheWay at = trajectory(t, 10.0);
      worst = std::max(worst,
                       deviation(torques(of_printed, printed, at), torques(of_robot, robot, at)));
    }
    items.identity(ItemKind::kTable,
                   stanford ? "Table IV(b), Stanford arm" : "Table IV(a), RTX arm",
                   "D-H parameters, masses, r, inertias", worst, 1e-12,
                   fmt::format("torques of an arm made of the printed rows against {}.urdf",
                               stanford ? "stanford3" : "rtx3"));
  }
}

void figure_5(PaperItems& items) {
  std::vector<Chart> charts;
  for (const PrintedArm& arm : kTable5) {
    const VecXd q =
        arm.robot == "rtx3" ? VecXd(Vec3d(0.5, 0.9, -1.8)) : VecXd(Vec3d(0.4, 2.2, 0.6));
    charts.push_back(Sketch(std::string(arm.name), oblique_view(), "x, m (oblique view)", "z, m")
                         .line("base, joints, tip", skeleton(robot_of_the_suite(arm.robot), q))
                         .take());
  }
  items.figure("Fig. 5, three-link spatial arms", "(a) RTX, P R R; (b) Stanford, R R P",
               "rtx3.urdf and stanford3.urdf at a posture", {}, charts);
}

// Along (23), by `gim_mci` and again by Newton and Euler.
void figure_6(PaperItems& items) {
  std::vector<Chart> charts;
  double worst = 0.0;
  std::string peaks;
  for (const PrintedArm& arm : kTable5) {
    const Model model(robot_of_the_suite(arm.robot));
    GimMci<double> modular(model);
    Rnea<double> recursive(model);
    std::vector<Curve> curves(3);
    for (int step = 0; step <= 1000; ++step) {
      const double t = 0.01 * step;
      const VecXd tau = torques(modular, model, trajectory(t, 10.0));
      worst = std::max(worst, deviation(tau, torques(recursive, model, trajectory(t, 10.0))));
      for (std::size_t i = 0; i < 3; ++i) {
        curves[i].x.push_back(t);
        curves[i].y.push_back(tau[static_cast<Index>(i)]);
      }
    }
    peaks += fmt::format("{}{}", peaks.empty() ? "" : "; ", arm.name);
    for (std::size_t i = 0; i < 3; ++i) {
      const bool slides = model.link(static_cast<Index>(i)).prismatic;
      const auto [low, high] = std::ranges::minmax(curves[i].y);
      peaks +=
          fmt::format("{} {:.3g} … {:.3g} {}", i == 0 ? "" : ",", low, high, slides ? "N" : "N m");
      charts.push_back({.title = fmt::format("{}, joint {}", arm.name, i + 1),
                        .x_label = "t, s",
                        .y_label = slides ? "N" : "N m",
                        .curves = {curves[i]}});
    }
  }
  items.figure(
      "Fig. 6, torques and forces along (23)",
      "(a)-(c) joints 1 to 3 of RTX, (d)-(f) of Stanford, with gravity", peaks, worst < 1e-10,
      charts,
      fmt::format("the modular inverse dynamics; recursive Newton-Euler differs by {:.0e}", worst));
}

}  // namespace

void spatial_arms(PaperItems& items) {
  tables_4(items);
  figure_5(items);
  trajectories(items, "(23), joint trajectories");
  for (const PrintedArm& arm : kTable5) complexity_rows(items, "Table V", arm);
  const double slide = 3.2, a_2 = 0.432, a_3 = 0.2;  // of the URDFs
  workspace_row(items, "Table V", kTable5[0], 4.0 * M_PI * slide * a_2 * a_3);
  workspace_row(items, "Table V", kTable5[1], 4.0 / 3.0 * M_PI * std::pow(slide, 3));
  equal_lengths_rows(items, "Table V", kTable5[0], rtx_arm(1.0, 1.0), 4.0 * M_PI, 1.0, "", "");
  equal_lengths_rows(items, "Table V", kTable5[1], stanford_arm(1.0), 4.0 / 3.0 * M_PI, 1.0, "",
                     "");
  manipulability_row(
      items, "Table V", kTable5[0],
      [](const VecXd& q) { return 0.432 * 0.2 * std::abs(std::sin(q[2])); }, "");
  manipulability_row(
      items, "Table V", kTable5[1],
      [](const VecXd& q) { return q[2] * q[2] * std::abs(std::cos(q[1])); },
      "it is b3² |sin θ2| with the θ2 of Table IV; |cos θ2| counts θ2 from the level slide");
  figure_6(items);
}

}  // namespace dyn::tool::bhangale_2004
