// What the files of Bhangale 2004's items share: its arms, and one section of items from each file.
#pragma once

#include <string>
#include <vector>

#include "dyn_core/papers/bhangale_2004/as_printed.hpp"
#include "dyn_core/papers/bhangale_2004/printed.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "dyn_core/study/select.hpp"
#include "paper.hpp"
#include "sketch.hpp"

namespace dyn::tool::bhangale_2004 {

/// One link as Table IV enters it: Denavit and Hartenberg's four of Appendix A, mass, r_i and the inertia
/// about C_i, both in frame i+1. Of a slide b is where it begins and `stroke` how far it goes.
struct TableRow {
  char kind = 'R';
  double a = 0.0, b = 0.0, alpha = 0.0;
  double m = 1.0;
  Vec3d r = Vec3d::Zero(), I = Vec3d::Constant(0.1);
  double stroke = 1.0;
};
[[nodiscard]] ChainPtr arm_of(const std::string& name, const std::vector<TableRow>& rows);

/// The architectures of Tables III and V; lengths a_1, a_2, a_3 are `a`, strokes and offsets b_i are `b`.
[[nodiscard]] ChainPtr rp_arm(double a, double b);
[[nodiscard]] ChainPtr pr_arm(double a, double b);
[[nodiscard]] ChainPtr rtx_arm(double a, double b);
[[nodiscard]] ChainPtr stanford_arm(double b);
/// Of dyn_core/robots, ending at tool0.
[[nodiscard]] ChainPtr robot_of_the_suite(std::string_view name);

/// A random state.
struct InMotion {
  InMotion(const ChainPtr& chain, std::uint64_t seed);

  Model model;
  VecXd q, qd, qdd;
  std::vector<JointPose<double>> joints;
};

/// |A - B| over |B|, by the largest elements.
[[nodiscard]] double deviation(const MatXd& A, const MatXd& B);

// ---- what Tables III and V have of each arm -----------------------------------------------------

struct ArmCount {
  PrintedCount gim, mci;
};
[[nodiscard]] ArmCount count_arm(const ChainPtr& chain, CountingRule rule);
[[nodiscard]] SelectionOptions many_samples();

void complexity_rows(PaperItems& items, const char* table, const dyn::bhangale::PrintedArm& arm);
/// The printed formula at the arm's own lengths against the area or volume that its tip sweeps.
void workspace_row(PaperItems& items, const char* table, const dyn::bhangale::PrintedArm& arm,
                   double formula);
/// Workspace and largest manipulability of the arm with a_i = b_i = 1, and why they are not the printed.
void equal_lengths_rows(PaperItems& items, const char* table, const dyn::bhangale::PrintedArm& arm,
                        const ChainPtr& equal, double printed, double printed_w,
                        const std::string& why, const std::string& why_w);
/// `formula` of q at the arm's own lengths against √det(J Jᵀ) of its tip.
void manipulability_row(PaperItems& items, const char* table, const dyn::bhangale::PrintedArm& arm,
                        double (*formula)(const VecXd&), const std::string& why);

/// (19), (20), (23): from 0 to π in T, at rest at both ends.
struct OnTheWay {
  double position, speed, acceleration;
};
[[nodiscard]] OnTheWay trajectory(double t, double T);
void trajectories(PaperItems& items, const char* name);

/// The joints and the tip, one after the other.
[[nodiscard]] std::vector<Vec3d> skeleton(const ChainPtr& chain, const VecXd& q);

// ---- sections -----------------------------------------------------------------------------------

void equations(PaperItems& items);  // (1) to (13), feature ii
void operation_tables(
    PaperItems& items);                // section 3.2: orthogonal slides, Tables I, II, (14) to (18)
void planar_arms(PaperItems& items);   // section 4 without its judgement
void spatial_arms(PaperItems& items);  // section 5 without its judgement
void judgements(PaperItems& items);    // section 3.3, computing times, what is chosen
void contribution_3(PaperItems& items);
void misprints(PaperItems& items);

}  // namespace dyn::tool::bhangale_2004
