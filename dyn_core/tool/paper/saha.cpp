// Saha 2003 item by item: its equations as identities of the printed text, and the order of everything.
#include <Eigen/Dense>
#include <fmt/format.h>

#include "dyn_core/papers/classic/crba.hpp"
#include "dyn_core/papers/classic/rnea.hpp"
#include "dyn_core/papers/saha_2003/as_printed.hpp"
#include "dyn_core/papers/saha_2003/as_printed_steps.hpp"
#include "dyn_core/papers/saha_2003/udut.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "linkage.hpp"
#include "saha_parts.hpp"
#include "saha_runs.hpp"

namespace dyn::tool {
namespace {

template <class Derived>
double saha_largest(const Eigen::MatrixBase<Derived>& m) {
  return m.size() == 0 ? 0.0 : m.cwiseAbs().maxCoeff();
}
// Of what is the same by two ways, relative to its size.
template <class A, class B>
double saha_error(const A& found, const B& expected) {
  return saha_largest(found - expected) / std::max(saha_largest(expected), 1e-300);
}

// The printed text and what it is compared with, at one configuration of one chain.
struct SahaCase {
  SahaCase(const ChainPtr& chain, std::uint64_t seed)
      : model(chain),
        n(model.size()),
        random(seed),
        q(random.vector(n, 3.1)),
        qd(random.vector(n, 1.0)),
        qdd(random.vector(n, 1.0)),
        poses(static_cast<std::size_t>(n)),
        frames(poses.size()),
        s(model),
        M(n, n),
        tau(n),
        bias(n),
        found(n) {
    joint_poses<double>(model, q, poses);
    link_frames<double>(model, poses, frames);
    s.update(model, poses);
    s.g.set_twists(qd);
    Crba<double>(model).mass_matrix(model, poses, M);
    Rnea<double> newton_euler(model);
    newton_euler.inverse_dynamics(model, poses, model.gravity(), qd, qdd, tau);
    newton_euler.inverse_dynamics(model, poses, model.gravity(), qd, VecXd::Zero(n), bias);
    s.solve(tau - bias, found);
  }
  [[nodiscard]] MatXd element_matrix(Index k) const {  // i_ij^(k) for i, j < k
    MatXd out(k - 1, k - 1);
    for (Index i = 1; i < k; ++i) {
      for (Index j = 1; j <= i; ++j) out(i - 1, j - 1) = out(j - 1, i - 1) = s.element(i, j, k);
    }
    return out;
  }

  Model model;
  Index n;
  Random random;
  VecXd q, qd, qdd;
  std::vector<JointPose<double>> poses;
  std::vector<Posed> frames;
  saha::UdutAsPrinted s;
  MatXd M;
  VecXd tau, bias, found;
};

// The paper's arms and random chains with revolute and prismatic joints.
std::vector<SahaCase> saha_cases() {
  std::vector<SahaCase> out;
  for (const char* robot : {"planar3r", "stanford", "puma560"}) {
    out.emplace_back(saha_robot(robot), 1);
  }
  for (std::uint64_t seed = 2; seed <= 5; ++seed) {
    out.emplace_back(random_chain(6, seed, {.prismatic = 0.2}), seed);
  }
  return out;
}

// The worst of `deviation` over all of them.
template <class Deviation>
double saha_worst(const std::vector<SahaCase>& cases, Deviation deviation) {
  double worst = 0.0;
  for (const SahaCase& c : cases) worst = std::max(worst, deviation(c));
  return worst;
}

double twist_error(const SahaCase& c) {
  double worst = 0.0;
  for (Index i = 1; i <= c.n; ++i) {
    Vec6<double> t = Vec6<double>::Zero();
    const Posed& frame = c.frames[static_cast<std::size_t>(i - 1)];
    for (Index j = 1; j <= i; ++j) {
      const Posed& axis_frame = c.frames[static_cast<std::size_t>(j - 1)];
      const Vec3d axis = axis_frame.R.col(2) * c.qd[j - 1];
      if (c.model.link(j - 1).prismatic) {
        t.tail<3>() += axis;
      } else {
        t.head<3>() += axis;
        t.tail<3>() += axis.cross(frame * c.model.link(i - 1).com - axis_frame.p);
      }
    }
    worst = std::max(worst, saha_error(c.s.g.t[i], t));
  }
  return worst;
}

double kinetic_error(const SahaCase& c) {
  double energy = 0.0, transported = 0.0;
  for (Index i = 1; i <= c.n; ++i) {
    energy += 0.5 * c.s.g.t[i].dot(c.s.g.M[i] * c.s.g.t[i]);
    const Mat6<double> chained = c.s.g.B(c.n, i) * c.s.g.B(i, 1);
    transported = std::max(transported, saha_error(chained, c.s.g.B(c.n, 1)));
  }
  const double expected = 0.5 * c.qd.dot(c.M * c.qd);
  return std::max(std::abs(energy - expected) / expected, transported);
}

// M̃_i against the bodies i … n at one twist.
double composite_error(const SahaCase& c) {
  double worst = 0.0;
  for (Index i = 1; i <= c.n; ++i) {
    Mat6<double> joined = Mat6<double>::Zero();
    for (Index k = i; k <= c.n; ++k) {
      joined += c.s.g.B(k, i).transpose() * c.s.g.M[k] * c.s.g.B(k, i);
    }
    worst = std::max(worst, saha_error(c.s.g.M_tilde[i], joined));
  }
  return worst;
}

double element_error(const SahaCase& c) {
  MatXd I(c.n, c.n);
  for (Index i = 1; i <= c.n; ++i) {
    for (Index j = 1; j <= i; ++j) I(i - 1, j - 1) = I(j - 1, i - 1) = c.s.g.element(i, j);
  }
  return saha_error(I, c.M);
}

// The blocks of (16) and the halves of (17), turned to frame 1, against section 2.
double steps_error(const SahaCase& c) {
  saha::ForwardDynamicsSteps<double> steps(c.model);
  VecXd out(c.n);
  steps.solve(c.model, c.poses, c.tau - c.bias, out);
  Mat3d R = Mat3d::Identity();
  double worst = saha_error(out, c.found);
  for (Index i = 1; i <= c.n; ++i) {
    const saha::Blocks<double>& blocks = steps.M_hat[i];
    Mat6<double> M_hat;
    M_hat << R * blocks.I * R.transpose(), R * blocks.F.transpose() * R.transpose(),
        R * blocks.F * R.transpose(), R * blocks.G * R.transpose();
    Vec6<double> psi_hat;
    psi_hat << R * steps.psi_hat[i].t, R * steps.psi_hat[i].b;
    worst = std::max({worst, saha_error(M_hat, c.s.M_hat(i)), saha_error(psi_hat, c.s.psi_hat(i))});
    R = R * steps.Q[i];
  }
  return worst;
}

// α_ik as elimination asks for it, column k of L_k without what is above the pivot, E_k's structure.
double elimination_error(const SahaCase& c) {
  double worst = 0.0;
  for (Index k = c.n; k >= 2; --k) {
    const VecXd asked = c.s.L[k + 1].col(k - 1).head(k - 1) / c.s.L[k + 1](k - 1, k - 1);
    worst = std::max(worst, saha_error(c.s.alpha[k].head(k - 1), asked));
    const MatXd above = c.s.L[k].topRightCorner(k - 1, c.n - k + 1);
    const MatXd kept = c.s.L[k].bottomRows(c.n - k + 1) - c.s.L[k + 1].bottomRows(c.n - k + 1);
    worst = std::max(worst, (saha_largest(above) + saha_largest(kept)) / saha_largest(c.M));
  }
  return worst;
}

// i_ij^(k) against what elimination of the outer joints leaves of the matrix: the Schur complement.
double schur_error(const SahaCase& c) {
  double worst = 0.0;
  for (Index k = c.n; k >= 2; --k) {
    const Index m = k - 1, rest = c.n - m;
    const MatXd beside = c.M.topRightCorner(m, rest);
    const MatXd schur = c.M.topLeftCorner(m, m) -
                        beside * c.M.bottomRightCorner(rest, rest).ldlt().solve(beside.transpose());
    const MatXd elements = c.element_matrix(k), left = c.s.L[k].topLeftCorner(m, m);
    worst = std::max({worst, saha_largest(MatXd(elements - schur)) / saha_largest(c.M),
                      saha_largest(MatXd(elements - left)) / saha_largest(c.M)});
  }
  return worst;
}

// M̂_i against the articulated inertia that runs, carried from its frame and origin; M̂_kk p_k = 0.
double articulated_error(const SahaCase& c) {
  Udut<double> udut(c.model);
  require(udut.factorise(c.model, c.poses), "decomposition");
  double worst = 0.0;
  for (Index i = 2; i <= c.n; ++i) {
    const Posed& frame = c.frames[static_cast<std::size_t>(i - 1)];
    const Mat3d R = frame.R.transpose();
    Mat6<double> T;
    T << R, Mat3d::Zero(), R * skew(Vec3d(frame.R * c.model.link(i - 1).com)), R;
    const Mat6<double> ours = T.transpose() * udut.link(i - 1).M_hat.matrix() * T;
    worst = std::max(worst, saha_error(ours, c.s.M_hat(i)));
    const Vec6<double> along = c.s.M_hat(i, i) * c.s.g.p[i];
    worst = std::max(worst, saha_largest(along) / saha_largest(c.s.M_hat(i)));
  }
  return worst;
}

double axis_inertia_error(const SahaCase& c) {
  double worst = 0.0;
  for (Index k = 1; k <= c.n; ++k) {
    const Index rest = c.n - k + 1;
    const MatXd inverse = c.M.bottomRightCorner(rest, rest).inverse();
    worst = std::max(worst, std::abs(c.s.m_hat(k) * inverse(0, 0) - 1.0));
  }
  return worst;
}

// Adds an identity that `deviation` of each case is held against.
class Identities {
 public:
  explicit Identities(PaperItems& items) : items_(items), cases_(saha_cases()) {}
  template <class Deviation>
  void operator()(const char* name, const char* printed, Deviation deviation, double most = 1e-11) {
    items_.identity(ItemKind::kEquation, name, printed, saha_worst(cases_, deviation), most);
  }

 private:
  PaperItems& items_;
  std::vector<SahaCase> cases_;
};

void saha_elimination(Identities& identity) {
  identity("(1)", "I θ̈ = τ - C θ̇ gives back the θ̈ of an inverse dynamics",
           [](const SahaCase& c) { return saha_error(c.found, c.qdd); });
  identity("(2), (3)", "I = N_dᵀ N_lᵀ M N_l N_d is the inertia matrix",
           [](const SahaCase& c) { return saha_error(c.s.g.I, c.M); });
  identity("(4)", "t_i = B_i,i-1 t_i-1 + p_i θ̇_i is the twist of C_i", twist_error);
  identity("(5)", "B_ij B_jk = B_ik; Σ ½ t_iᵀ M_i t_i = ½ θ̇ᵀ I θ̇", kinetic_error);
  identity("(6)", "i_ij = p_iᵀ M̃_i B_ij p_j, M̃_i by recursion", element_error);
  identity("(7)", "E I = L_2, zero above its diagonal", [](const SahaCase& c) {
    MatXd above = c.s.E_all * c.M;
    const double same = saha_error(above, c.s.L[2]);
    above.triangularView<Eigen::Lower>().setZero();
    return std::max(same, saha_largest(above) / saha_largest(c.M));
  });
  identity("(8)", "E_k⁻¹ = 1 + α_k λ_kᵀ", [](const SahaCase& c) {
    double worst = 0.0;
    for (Index k = 2; k <= c.n; ++k) {
      worst = std::max(worst, saha_error(c.s.E[k] * c.s.E_inverse[k], MatXd::Identity(c.n, c.n)));
    }
    return worst;
  });
  identity("(9)", "I = U L_2, U = E⁻¹ of components α_ik", [](const SahaCase& c) {
    return std::max(saha_error(c.s.U * c.s.L[2], c.M),
                    saha_largest(c.s.E_all * c.s.U - MatXd::Identity(c.n, c.n)));
  });
  identity("(10)", "D = diag(m̂_1, …, m̂_n) is the diagonal of L_2",
           [](const SahaCase& c) { return saha_error(c.s.D.diagonal(), c.s.L[2].diagonal()); });
  identity("(11)", "I = U D Uᵀ",
           [](const SahaCase& c) { return saha_error(c.s.U * c.s.D * c.s.U.transpose(), c.M); });
}

void saha_solution(Identities& identity) {
  identity("(12), (13)", "step A: τ̂ = U⁻¹ φ", [](const SahaCase& c) {
    VecXd tau_hat(c.n);
    for (Index i = 1; i <= c.n; ++i) tau_hat[i - 1] = c.s.tau_hat[i];
    return saha_error(c.s.U * tau_hat, c.tau - c.bias);
  });
  identity("(14), (15)", "steps B, C: θ̈ = U⁻ᵀ D⁻¹ τ̂", [](const SahaCase& c) {
    VecXd tau_hat(c.n);
    for (Index i = 1; i <= c.n; ++i) tau_hat[i - 1] = c.s.tau_hat[i];
    return saha_error(c.s.D * (c.s.U.transpose() * c.found), tau_hat);
  });
  identity("(16), (17)", "the blocks Î, F, G and the halves (t), (b) of steps A1 … C3",
           steps_error);
  identity("section 1: analytical inversion of the inertia matrix [21]", "I⁻¹ = U⁻ᵀ D⁻¹ U⁻¹",
           [](const SahaCase& c) {
             Udut<double> udut(c.model);
             require(udut.factorise(c.model, c.poses), "decomposition");
             MatXd inverse(c.n, c.n);
             udut.inverse(inverse);
             return saha_error(inverse * c.M, MatXd::Identity(c.n, c.n));
           });
}

}  // namespace

void saha_section_2(PaperItems& items) {
  figure_of_an_arm(items, "Fig. 1, n-body serial manipulator", saha_robot("puma560"),
                   saha_worst(saha_cases(), composite_error));
  figure_of_coupled_bodies(items, "Fig. 2, a coupled system");
  Identities identity(items);
  saha_elimination(identity);
  saha_solution(identity);
}

void saha_appendices(PaperItems& items) {
  const std::vector<SahaCase> cases = saha_cases();
  figure_of_frames(items, "Fig. 8, DH nomenclature");
  const auto identity = [&](const char* name, const char* printed, auto deviation) {
    items.identity(ItemKind::kEquation, name, printed, saha_worst(cases, deviation), 1e-11);
  };
  identity("(19)-(24)", "L_k = E_k L_k+1: column k annihilated, rows k … n as they were",
           elimination_error);
  identity("(25)", "i_ij^(k) = p_iᵀ M̂_ik B_ij p_j is the element of L_k", schur_error);
  identity("(26), (27)", "m̂_k = p_kᵀ M̂_k p_k, ψ_k = ψ̂_k / m̂_k: p_kᵀ ψ_k = 1",
           [](const SahaCase& c) {
             double worst = 0.0;
             for (Index k = 1; k <= c.n; ++k) {
               worst = std::max(worst, std::abs(c.s.g.p[k].dot(c.s.psi(k)) - 1.0));
             }
             return worst;
           });
  identity("(28)", "M̂_k is the articulated-body inertia [10]; M̂_kk p_k = 0", articulated_error);
  identity("Appendix B: m̂_i, the moment of inertia of articulated body i about axis i",
           "1 / m̂_i is the first element of the inverse of I from joint i on", axis_inertia_error);
}

std::vector<PaperItem> saha_items(const std::function<void(double)>& progress) {
  PaperItems items;
  saha_opening_claims(items);
  progress(0.05);
  saha_section_2(items);
  saha_steps(items);
  saha_misprints(items);
  saha_table_1(items);
  saha_table_1_errata(items);
  saha_count_claims(items);
  progress(0.1);
  saha_planar_arm(items);
  progress(0.3);
  saha_table_2(items);
  saha_stanford(items, progress);
  saha_puma(items, progress);
  saha_appendices(items);
  progress(1.0);
  return items.take();
}

}  // namespace dyn::tool
