// Saha 2003: the misprints of sections 2 and 3 and of Appendix A, both forms tried.
#include <Eigen/Dense>
#include <fmt/format.h>

#include "dyn_core/papers/classic/rnea.hpp"
#include "dyn_core/papers/saha_2003/as_printed_steps.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "saha_parts.hpp"

namespace dyn::tool {
namespace {

enum class Misprint { kNone, kA1, kA3, kC3, kTau };

// The steps A2 to C3 once more, one of them as misprinted.
void misprinted_steps(Misprint misprint, const VecXd& phi, saha::ForwardDynamicsSteps<double>& s) {
  const Index n = phi.size();
  for (Index i = n; i >= 2; --i) s.step_a2(i);
  for (Index i = n; i >= 1; --i) {
    s.step_a3(i);
    if (misprint == Misprint::kA3 && i < n) {
      s.M_hat[i].I -= s.Q[i] * s.link[i].I * s.Q[i].transpose();
    }
    s.step_a4(i);
    s.step_a5(i);
    s.step_a6(i);
    s.step_a7(i);
  }
  for (Index i = n; i >= 2; --i) {
    s.step_a8(i);
    s.step_a9(i);
    s.step_a10(i - 1, phi[i - 2]);
  }
  for (Index i = 1; i <= n; ++i) s.tau_tilde[i] = s.tau_hat[i] / s.m_hat[i];
  for (Index i = 1; i <= n; ++i) {
    s.step_c1(i);
    s.step_c2(i);
    if (i == n) break;
    s.step_c3(i + 1);
    if (misprint == Misprint::kC3) s.mu_before[i + 1].b += s.mu[i].t - s.mu[i].b;
  }
}

// θ̈ of a general revolute arm by the steps, one of them as misprinted, against that of the inverse dynamics
// which gave the torques.
double misprinted_error(Misprint misprint) {
  const Model model(random_chain(6, 1));
  const Index n = model.size();
  Random random(2);
  const VecXd q = random.vector(n, 3.0), qd = random.vector(n, 1.0), qdd = random.vector(n, 1.0);
  std::vector<JointPose<double>> joints(static_cast<std::size_t>(n));
  joint_poses<double>(model, q, joints);
  VecXd tau(n), bias(n);
  Rnea<double> newton_euler(model);
  newton_euler.inverse_dynamics(model, joints, model.gravity(), qd, qdd, tau);
  newton_euler.inverse_dynamics(model, joints, model.gravity(), qd, VecXd::Zero(n), bias);
  const VecXd phi = misprint == Misprint::kTau ? tau : VecXd(tau - bias);
  VecXd found(n);
  saha::ForwardDynamicsSteps<double> s(model);
  s.solve(model, joints, phi, found);  // the right form; now again with the wrong one
  for (Index i = 1; i <= n && misprint == Misprint::kA1; ++i) {
    const JointPose<double>& joint = joints[static_cast<std::size_t>(i - 1)];
    s.d[i] = s.Q[i].transpose() * s.link[i].a_i(joint) - s.Q[i] * s.link[i].r;
    s.p[i].b = Vec3d::UnitZ().cross(s.d[i]);
  }
  misprinted_steps(misprint, phi, s);
  for (Index i = 1; i <= n; ++i) found[i - 1] = s.theta_dd[i];
  return (found - qdd).norm() / qdd.norm();
}

}  // namespace

void saha_misprints(PaperItems& items) {
  const double right = misprinted_error(Misprint::kNone);
  const auto tried = [&](const char* item, const char* printed, const char* form, Misprint misprint,
                         const char* why) {
    items.add(ItemKind::kErratum, item, printed, form, false,
              fmt::format("{}; tried on a general arm: θ̈ is off by {:.2g} of itself as printed, {} "
                          "in the right form",
                          why, misprinted_error(misprint),
                          right < 1e-11 ? "by less than 1e-11" : "and it is wrong"));
  };
  const auto read = [&](const char* item, const char* printed, const char* form, const char* why) {
    items.add(ItemKind::kErratum, item, printed, form, false, why);
  };
  tried("(12): τ̂_i = τ_i - p_iᵀ η_i,i+1, τ̂_n = τ_n", "τ", "φ = τ - C θ̇", Misprint::kTau,
        "τ̂ = U⁻¹ φ, and step A10 has φ");
  read("section 3, input list: \"the six-dimensional vector, φ\"", "six-dimensional",
       "n-dimensional", "φ of (1) has a component for each joint");
  tried("step A1: [d_i]_i+1 = [a_i]_i+1 - Q_i [r_i]_i+1", "[d_i]_i+1, [a_i]_i+1",
        "[d_i]_i = [a_i]_i - Q_i [r_i]_i+1", Misprint::kA1, "Q_i takes frame i+1 to frame i");
  tried("step A3(b): [Î_i]_i+1 = [Î_i+1,i+1]_i+1 + ()", "without [I_i]_i+1",
        "[I_i]_i+1 + [Î_i+1,i+1]_i+1 + ()", Misprint::kA3, "the block Î of (28) begins with M_i");
  read("steps A7: H_nn, H_ii, H_i", "H", "F of (16)", "no H is defined, and F_ii is used in A3(b)");
  read("step A10: \"the scalar, τ_i\"", "τ_i", "τ̂_i", "its formula gives τ̂_i");
  read("step C2(b): for i = 2, …, n", "{18M 11A (n-1)}", "{18M 11A (n-2)}",
       "C3 uses μ_1 … μ_n-1: nothing needs μ_n");
  tried("step C3: [μ_i,i-1(b)]_i = [μ_i-1(t)]_i + ()", "μ_i-1(t)", "μ_i-1(b)", Misprint::kC3,
        "the lower half of (15)");
  read("Appendix A, rule 2: where Z_i-1 and Z_i intersect, O_i is at O_i-1", "O_i-1",
       "the point of intersection",
       "the sentence before has it so, and b_i-1 of Table II lies between the two");
}

}  // namespace dyn::tool
