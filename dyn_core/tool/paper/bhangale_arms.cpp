// Bhangale 2004, what Tables III and V have of each arm, and what sections 4 and 5 draw.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "bhangale.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/study/count.hpp"

namespace dyn::tool::bhangale_2004 {

using dyn::bhangale::PrintedArm;

ArmCount count_arm(const ChainPtr& chain, CountingRule rule) {
  return {count_operations(chain, rule, "mass_matrix", "denoc"),
          count_operations(chain, rule, "coriolis", "mci")};
}

void complexity_rows(PaperItems& items, const char* table, const PrintedArm& arm) {
  const ChainPtr chain = robot_of_the_suite(arm.robot);
  const ArmCount own = count_arm(chain, CountingRule::kCustomised);
  const ArmCount general = count_arm(chain, CountingRule::kGeneral);
  const std::string note =
      "customised: what is constant over time is formed off-line, 0 and ±1 cost nothing; code for "
      "any "
      "arm of these joints takes ";
  items.count(ItemKind::kTable, fmt::format("{}, {}, GIM", table, arm.name), arm.gim, own.gim,
              note + text(general.gim));
  items.count(ItemKind::kTable, fmt::format("{}, {}, MCI", table, arm.name), arm.mci, own.mci,
              note + text(general.mci));
}

SelectionOptions many_samples() {
  SelectionOptions options;
  options.samples = 60'000;
  return options;
}

void workspace_row(PaperItems& items, const char* table, const PrintedArm& arm, double formula) {
  const Workspace swept = workspace_of(robot_of_the_suite(arm.robot), many_samples(), true);
  items.add(ItemKind::kTable, fmt::format("{}, {}, workspace", table, arm.name),
            fmt::format("{} = {:.4g} at its lengths", arm.workspace, formula),
            fmt::format("{:.4g} ± {:.1g} by sampling", swept.size, swept.error),
            std::abs(swept.size - formula) <= swept.error);
}

void equal_lengths_rows(PaperItems& items, const char* table, const PrintedArm& arm,
                        const ChainPtr& equal, double printed, double printed_w,
                        const std::string& why, const std::string& why_w) {
  const Workspace exact = workspace_of(equal, many_samples());
  const Workspace swept = workspace_of(equal, many_samples(), true);
  items.add(ItemKind::kTable, fmt::format("{}, {}, workspace at a_i = b_i = a", table, arm.name),
            fmt::format("{} = {:.2f}", arm.workspace_at_equal_lengths, printed),
            fmt::format("{:.2f}; {:.2f} ± {:.1g} by sampling", exact.size, swept.size, swept.error),
            std::abs(exact.size - printed) < 0.005, why);
  Kinematics<double> kinematics(equal);
  const std::vector<JointRange> ranges = joint_ranges(*equal);
  Random random(1);
  MatXd J(6, equal->dof());
  double largest = 0.0, sum = 0.0;
  constexpr int kPostures = 20'000;
  for (int k = 0; k < kPostures; ++k) {
    (void)kinematics.update(random_posture(ranges, random));
    (void)kinematics.jacobian(J);
    const double w = position_manipulability(*equal, J);
    largest = std::max(largest, w), sum += w;
  }
  items.add(ItemKind::kTable,
            fmt::format("{}, {}, largest manipulability at a_i = b_i = a", table, arm.name),
            std::string(arm.manipulability_at_equal_lengths),
            fmt::format("{:.2f} {} (mean {:.2f}), of {} postures", largest,
                        equal->is_planar() ? "a" : "a²", sum / kPostures, kPostures),
            std::abs(largest - printed_w) < 0.02 * printed_w, why_w);
}

void manipulability_row(PaperItems& items, const char* table, const PrintedArm& arm,
                        double (*formula)(const VecXd&), const std::string& why) {
  const ChainPtr chain = robot_of_the_suite(arm.robot);
  Kinematics<double> kinematics(chain);
  const std::vector<JointRange> ranges = joint_ranges(*chain);
  Random random(2);
  MatXd J(6, chain->dof());
  double worst = 0.0;
  for (int k = 0; k < 200; ++k) {
    const VecXd q = random_posture(ranges, random);
    (void)kinematics.update(q);
    (void)kinematics.jacobian(J);
    worst = std::max(worst, std::abs(position_manipulability(*chain, J) - formula(q)));
  }
  items.add(ItemKind::kTable, fmt::format("{}, {}, manipulability", table, arm.name),
            std::string(arm.manipulability),
            worst < 1e-12 ? "the same at 200 postures"
                          : fmt::format("differs by up to {:.3g} at 200 postures", worst),
            worst < 1e-12, why);
}

OnTheWay trajectory(double t, double T) {
  const double w = 2.0 * M_PI / T;
  return {0.5 * w * t - 0.5 * std::sin(w * t), 0.5 * w * (1.0 - std::cos(w * t)),
          0.5 * w * w * std::sin(w * t)};
}

void trajectories(PaperItems& items, const char* name) {
  const OnTheWay start = trajectory(0.0, 10.0), end = trajectory(10.0, 10.0);
  const double off = std::abs(start.position) + std::abs(start.speed) + std::abs(end.speed) +
                     std::abs(end.position - M_PI);
  items.identity(ItemKind::kEquation, name, "from 0 to π in T = 10 s, at rest at both ends", off);
}

std::vector<Vec3d> skeleton(const ChainPtr& chain, const VecXd& q) {
  Kinematics<double> kinematics(chain);
  (void)kinematics.update(q);
  std::vector<Vec3d> points = {Vec3d::Zero()};
  for (Index i = 0; i < chain->joint_count(); ++i) points.push_back(kinematics.dh_pose(i).p);
  points.push_back(kinematics.tip_pose().p);
  return points;
}

}  // namespace dyn::tool::bhangale_2004
