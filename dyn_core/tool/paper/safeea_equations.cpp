// Safeea 2018, sections I to III: each equation against the motion of the links by Jacobians.
#include <algorithm>
#include <array>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "dyn_core/math/dual.hpp"
#include "dyn_core/papers/bhangale_2004/mci.hpp"
#include "dyn_core/papers/classic/crba.hpp"
#include "dyn_core/papers/classic/rnea.hpp"
#include "dyn_core/papers/safeea_2018/as_printed.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "dyn_core/robot/robot_name.hpp"
#include "safeea.hpp"
#include "sketch.hpp"

namespace dyn::tool {
namespace {

// Acceleration of a mass centre and the inertial moment about it, frame 0.
struct SafeeaMotion {
  Vec3d acceleration, moment;
  SafeeaMotion operator-(const SafeeaMotion& other) const {
    return {acceleration - other.acceleration, moment - other.moment};
  }
};

// One of his arms in motion.
struct SafeeaCase {
  explicit SafeeaCase(const ChainPtr& chain, std::uint64_t seed)
      : model(chain), n(model.size()), kinematics(chain), pairs(model), matrix(model) {
    Random random(seed);
    q = random.vector(n, 3.0), qd = random.vector(n, 1.0), qdd = random.vector(n, 1.0);
    require(kinematics.update(q), "kinematics");
    matrix.update(model, joints());
  }
  [[nodiscard]] Joints<double> joints() const { return kinematics.joints(); }
  [[nodiscard]] static VecXd alone(const VecXd& all, Index j) {
    return all[j - 1] * VecXd::Unit(all.size(), j - 1);
  }
  /// The pairs at these rates.
  const safeea::FrameInjection& at(const VecXd& rates, const VecXd& accelerations) {
    pairs.update(model, joints(), rates, accelerations);
    return pairs;
  }
  /// Link `i` by its Jacobian and the rate of that.
  SafeeaMotion link(Index i, const VecXd& rates, const VecXd& accelerations) {
    const Mat3d to_0 = model.chain().base_pose().R.transpose();
    const Vec3d C = kinematics.dh_pose(i - 1) * model.link(i - 1).com;
    MatXd J(6, n);
    Vec6<double> bias;
    require(kinematics.jacobian(i - 1, C, J), "Jacobian");
    require(kinematics.jacobian_rate_times_velocity(rates, i - 1, C, bias), "its rate");
    const Vec6<double> motion = J * accelerations + bias;
    const Vec3d omega = to_0 * J.bottomRows(3) * rates, omega_dot = to_0 * motion.tail<3>();
    const Mat3d I = matrix.links.RIR(i);
    return {to_0 * motion.head<3>(), I * omega_dot + omega.cross(I * omega)};
  }

  Model model;
  Index n;
  VecXd q, qd, qdd;
  Kinematics<double> kinematics;
  safeea::FrameInjection pairs;
  safeea::MassMatrix matrix;
};

template <class A, class B>
double safeea_off(const A& a, const B& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

// The largest of what `check` says of each pair j ≤ i of five arms.
template <class Check>
double safeea_worst(Check check) {
  double worst = 0.0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SafeeaCase c(safeea_arm(7, seed), seed);
    for (Index i = 1; i <= c.n; ++i) {
      for (Index j = 1; j <= i; ++j) worst = std::max(worst, check(c, i, j));
    }
  }
  return worst;
}

// What joint j's rate adds to the motion of link i beside that of the joints beyond j.
SafeeaMotion safeea_coupling(SafeeaCase& c, Index i, Index j) {
  const VecXd none = VecXd::Zero(c.n), own = SafeeaCase::alone(c.qd, j);
  VecXd beyond = c.qd;
  beyond.head(j).setZero();
  return c.link(i, own + beyond, none) - c.link(i, own, none) - c.link(i, beyond, none);
}

// Lagrange's equations of ½ q̇ᵀ A q̇ - U, by exact derivatives.
VecXd safeea_lagrange(const SafeeaCase& c) {
  const auto energy = [&](const VecX<Dual>& q, const VecX<Dual>& qd, VecX<Dual>& momentum) {
    std::vector<JointPose<Dual>> joints(static_cast<std::size_t>(c.n));
    std::vector<Pose<Dual>> frames(joints.size());
    joint_poses<Dual>(c.model, q, joints);
    link_frames<Dual>(c.model, joints, frames);
    MatX<Dual> A(c.n, c.n);
    Crba<Dual>(c.model).mass_matrix(c.model, joints, A);
    momentum = A * qd;
    Dual L = Dual(0.5) * qd.dot(momentum);
    for (Index i = 0; i < c.n; ++i) {
      const Vec3<Dual> C =
          frames[static_cast<std::size_t>(i)] * Vec3<Dual>(c.model.link(i).com.cast<Dual>());
      L += Dual(c.model.link(i).mass) * c.model.gravity().cast<Dual>().dot(C);  // -U
    }
    return L.rate;
  };
  VecX<Dual> q(c.n), qd(c.n), momentum(c.n);
  for (Index i = 0; i < c.n; ++i) q[i] = Dual(c.q[i], c.qd[i]), qd[i] = Dual(c.qd[i], c.qdd[i]);
  (void)energy(q, qd, momentum);
  VecXd v = momentum.unaryExpr([](const Dual& x) { return x.rate; });
  for (Index i = 0; i < c.n; ++i) {
    for (Index k = 0; k < c.n; ++k) q[k] = Dual(c.q[k], k == i ? 1.0 : 0.0), qd[k] = Dual(c.qd[k]);
    v[i] -= energy(q, qd, momentum);
  }
  return v;
}

VecXd safeea_newton_euler(const SafeeaCase& c, const VecXd& qd, const VecXd& qdd,
                          const Vec3d& gravity) {
  VecXd tau(c.n);
  Rnea<double>(c.model).inverse_dynamics(c.model, c.joints(), gravity, qd, qdd, tau);
  return tau;
}

// (1) by GDAHJ, the matrix of Bhangale's mci for B, and the torques of the weight.
VecXd safeea_equation_1(const SafeeaCase& c) {
  MatXd A(c.n, c.n), B(c.n, c.n);
  c.matrix.algorithm_1(A);
  Mci<double>(c.model).coriolis_matrix(c.model, c.joints(), c.qd, B);
  const VecXd none = VecXd::Zero(c.n);
  return A * c.qdd + B * c.qd + safeea_newton_euler(c, none, none, c.model.gravity());
}

// The arm in whose plane Figs 1 to 3 are drawn: from the base joint to the tip, its third link moved by j.
SafeeaCase safeea_planar() {
  SafeeaCase c(require(load_urdf(robot_named("planar3r").file, {.tip = "tool0"})), 1);
  c.q = Vec3d(0.5, -0.9, 0.7), c.qd = Vec3d(1.0, 0.8, 0.5), c.qdd = Vec3d(1.5, 1.0, 1.0);
  require(c.kinematics.update(c.q), "kinematics");
  c.matrix.update(c.model, c.joints());
  return c;
}

Sketch safeea_sketch(SafeeaCase& c, const char* title) {
  const safeea::Links& links = c.matrix.links;
  const Vec3d tip = links.p[3] + 0.22 * links.R[3].col(0);
  return Sketch(title).line("links", {links.p[1], links.p[2], links.p[3], tip});
}

void safeea_figures_1_2(PaperItems& items, double off) {
  SafeeaCase c = safeea_planar();
  const safeea::FrameInjection& pairs = c.at(c.qd, c.qdd);
  const Vec3d C = pairs.links.p_C[3], O = pairs.links.p[1];
  const double scale = 0.1;
  items.figure(
      "Fig. 1, what frame j transfers to link i", "p̈_Cij and μ_Cij at the mass centre of link i",
      fmt::format("j = 1, i = 3: p̈_C31 of {:.3f} m/s², μ_C31 of {:.5f} N m; the sums over j "
                  "are the link's to round-off",
                  pairs.acceleration(3, 1).norm(), pairs.moment(3, 1).norm()),
      off < 1e-12,
      {safeea_sketch(c, "j = 1, i = 3")
           .line("p_C31", {O, C}, true)
           .arrow("p̈_C31, 0.1 m for 1 m/s²", C, scale * pairs.acceleration(3, 1))
           .take()});
  const Vec3d tau = pairs.acceleration_tau(3, 1), normal = pairs.acceleration_n(3, 1);
  const Vec3d cor = pairs.acceleration_cor(3, 1), arm = C - O;
  const double turned =
      std::abs(tau.dot(arm)) + normal.cross(arm).norm() + std::abs(cor.dot(pairs.v_r(3, 1)));
  items.figure("Fig. 2, tangential, normal and Coriolis acceleration",
               "p̈^τ across p_Cij, p̈^n along it toward frame j, p̈^cor across the relative velocity",
               fmt::format("{:.3f}, {:.3f} and {:.3f} m/s²; directions {}", tau.norm(),
                           normal.norm(), cor.norm(), turned < 1e-12 ? "to round-off" : "wrong"),
               turned < 1e-12 && normal.dot(arm) < 0.0,
               {safeea_sketch(c, "j = 1, i = 3; arrows 0.1 m for 1 m/s²")
                    .line("p_C31", {O, C}, true)
                    .arrow("p̈^τ", C, scale * tau)
                    .arrow("p̈^n", C, scale * normal)
                    .arrow("p̈^cor", C, scale * cor)
                    .take()});
}

void safeea_figure_3(PaperItems& items) {
  SafeeaCase c = safeea_planar();
  const safeea::MassMatrix& a = c.matrix;
  const Index i = 2, j = 1;
  Vec3d beyond = Vec3d::Zero();  // the force that link i+1 is driven with
  for (Index k = i + 1; k <= c.n; ++k) beyond += a.links.m[k] * a.k_cross_p(k, j);
  const Vec3d own = a.links.m[i] * a.k_cross_p(i, j), arm = a.links.p_Cij(i, i);
  const Vec3d balance = a.mu_18(i, j) - a.mu_18(i + 1, j) - a.links.RIR(i) * a.links.k[j] -
                        arm.cross(own) - a.l(i).cross(beyond);
  items.figure(
      "Fig. 3, forces and moments on link i as joint j starts",
      "μ_i,j, μ_i+1,j, R_i I_i R_iᵀ k_j q̈_j, m_i k_j × p_Cij q̈_j and the same of the links beyond",
      fmt::format("j = 1, i = 2, q̈_j = 1: μ_2,1 = {:.5f} of μ_3,1 = {:.5f}, {:.5f}, {:.5f} and "
                  "{:.5f} N m; balanced to {:.0e}",
                  a.mu_18(i, j).z(), a.mu_18(i + 1, j).z(), (a.links.RIR(i) * a.links.k[j]).z(),
                  arm.cross(own).z(), a.l(i).cross(beyond).z(), balance.norm()),
      balance.norm() < 1e-12,
      {safeea_sketch(c, "j = 1, i = 2; arrows 1 m for 2 N")
           .arrow("l_i", a.links.p[i], a.l(i))
           .arrow("p_Cii", a.links.p[i], arm)
           .arrow("m_i k_j × p_Cij", a.links.p_C[i], 0.5 * own)
           .arrow("Σ m_k k_j × p_Ckj", a.links.p[i + 1], 0.5 * beyond)
           .take()});
}

template <class Check>
double safeea_identity(PaperItems& items, const char* name, const char* printed, Check check,
                       const char* note = "") {
  const double off = safeea_worst(check);
  items.identity(ItemKind::kEquation, name, printed, off, 1e-12, note);
  return off;
}

// Link i as joint j alone starts, and as it alone turns.
SafeeaMotion safeea_starting(SafeeaCase& c, Index i, Index j) {
  return c.link(i, VecXd::Zero(c.n), SafeeaCase::alone(c.qdd, j));
}
SafeeaMotion safeea_turning(SafeeaCase& c, Index i, Index j) {
  return c.link(i, SafeeaCase::alone(c.qd, j), VecXd::Zero(c.n));
}

// What all frames transfer to link i.
SafeeaMotion safeea_sums(SafeeaCase& c, Index i) {
  const safeea::FrameInjection& pairs = c.at(c.qd, c.qdd);
  SafeeaMotion sum{Vec3d::Zero(), Vec3d::Zero()};
  for (Index j = 1; j <= i; ++j) {
    sum.acceleration += pairs.acceleration(i, j);
    sum.moment += pairs.moment(i, j);
  }
  return sum;
}

// The moment that all accelerations and inertial moments of the links from j on give at joint j.
double safeea_torque(SafeeaCase& c, Index j) {
  const safeea::Links& links = c.matrix.links;
  double torque = 0.0;
  for (Index i = j; i <= c.n; ++i) {
    const SafeeaMotion sum = safeea_sums(c, i);
    torque += links.k[j].dot(sum.moment + links.p_Cij(i, j).cross(links.m[i] * sum.acceleration));
  }
  return torque;
}

void safeea_accelerations(PaperItems& items) {
  safeea_identity(
      items, "(4), (5)", "p̈^τ_Cij = ε_j × p_Cij, ε_j = q̈_j k_j",
      [](SafeeaCase& c, Index i, Index j) {
        return safeea_off(c.at(c.qd, c.qdd).acceleration_tau(i, j),
                          safeea_starting(c, i, j).acceleration);
      },
      "link i as joint j alone starts, by Jacobians");
  safeea_identity(
      items, "(6)-(8)", "p̈^n_Cij = ω_j × (ω_j × p_Cij) = k_j × (k_j × p_Cij) q̇_j²",
      [](SafeeaCase& c, Index i, Index j) {
        const safeea::FrameInjection& pairs = c.at(c.qd, c.qdd);
        const Vec3d right = safeea_turning(c, i, j).acceleration;
        return std::max(safeea_off(pairs.acceleration_n(i, j), right),
                        safeea_off(pairs.acceleration_n_by_k(i, j), right));
      },
      "as joint j alone turns");
  safeea_identity(
      items, "(9), (10)", "p̈^cor_Cij = 2 ω_j × v^r_Cij, v^r of the frames j+1 … i",
      [](SafeeaCase& c, Index i, Index j) {
        return safeea_off(c.at(c.qd, c.qdd).acceleration_cor(i, j),
                          safeea_coupling(c, i, j).acceleration);
      },
      "what remains of joint j and those beyond it turning together, less each alone");
  const double off = safeea_identity(
      items, "(11)", "p̈_Cij = p̈^τ + p̈^n + p̈^cor; Σ_j is the acceleration of C_i",
      [](SafeeaCase& c, Index i, Index) {
        return safeea_off(safeea_sums(c, i).acceleration, c.link(i, c.qd, c.qdd).acceleration);
      });
  safeea_figures_1_2(items, off);
}

void safeea_moments(PaperItems& items) {
  safeea_identity(
      items, "(12)", "μ^τ_Cij = (R_i I_i R_iᵀ) ε_j", [](SafeeaCase& c, Index i, Index j) {
        return safeea_off(c.at(c.qd, c.qdd).moment_tau(i, j), safeea_starting(c, i, j).moment);
      });
  safeea_identity(
      items, "(13), (14)", "μ^n_Cij = ½ (L_i ω_j) × ω_j, L_i = R_i (tr(I_i) 1 - 2 I_i) R_iᵀ",
      [](SafeeaCase& c, Index i, Index j) {
        return safeea_off(c.at(c.qd, c.qdd).moment_n(i, j), safeea_turning(c, i, j).moment);
      });
  safeea_identity(items, "(15), (16)", "μ^cor_Cij = (L_i ω_j) × ω^r_ij, ω^r of the frames j+1 … i",
                  [](SafeeaCase& c, Index i, Index j) {
                    return safeea_off(c.at(c.qd, c.qdd).moment_cor(i, j),
                                      safeea_coupling(c, i, j).moment);
                  });
  safeea_identity(items, "(17)", "μ_Cij = μ^τ + μ^n + μ^cor; Σ_j is the inertial moment of link i",
                  [](SafeeaCase& c, Index i, Index) {
                    return safeea_off(safeea_sums(c, i).moment, c.link(i, c.qd, c.qdd).moment);
                  });
}

// `found` beside the element (i, j) of composite rigid bodies.
double safeea_off_element(const SafeeaCase& c, Index i, Index j, double found) {
  MatXd M(c.n, c.n);
  Crba<double>(c.model).mass_matrix(c.model, c.joints(), M);
  const double right = M(i - 1, j - 1);
  return std::abs(found - right) / std::max(1.0, std::abs(right));
}

void safeea_algorithm_1(PaperItems& items) {
  const auto off = [](double sign_of_y) {
    return safeea_worst([sign_of_y](SafeeaCase& c, Index i, Index j) {
      const safeea::MassMatrix& a = c.matrix;
      const double A_ij = a.links.k[j].dot(a.d(i)) + sign_of_y * a.t(j).dot(a.y(i));
      return safeea_off_element(c, i, j, A_ij);
    });
  };
  items.identity(ItemKind::kEquation, "(31), Algorithm 1", "A_i,j = k_jᵀ d_i + t_jᵀ y_i", off(1.0));
  items.add(ItemKind::kErratum, "below (31), y_i", "y_i = b̂_iᵀ k_i",
            fmt::format("y_i = b̂_i k_i: off by {:.0e}; as printed by {:.1g}", off(1.0), off(-1.0)),
            off(1.0) > 1e-12, "(31) itself has the right sign");
}

}  // namespace

void safeea_section_1(PaperItems& items) {
  double balance = 0.0, lagrange = 0.0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SafeeaCase c(safeea_arm(7, seed), seed);
    const VecXd tau = safeea_newton_euler(c, c.qd, c.qdd, c.model.gravity());
    balance = std::max(balance, safeea_off(safeea_equation_1(c), tau));
    lagrange = std::max(lagrange, safeea_off(safeea_lagrange(c), tau));
  }
  items.identity(ItemKind::kEquation, "(1)", "τ = A q̈ + B q̇ + g", balance, 1e-12,
                 "A by Algorithm 1, B by `mci`; against Newton and Euler's recursion");
  items.identity(ItemKind::kEquation, "(2), (3)", "v = d/dt ∂L/∂q̇ - ∂L/∂q, L = T - U", lagrange,
                 1e-12, "by exact derivatives; the same torques");
}

void safeea_section_2(PaperItems& items) {
  safeea_accelerations(items);
  safeea_moments(items);
  items.identity(ItemKind::kEquation, "(4)-(17)", "their sums are the inverse dynamics",
                 safeea_worst([](SafeeaCase& c, Index i, Index) {
                   const VecXd tau = safeea_newton_euler(c, c.qd, c.qdd, Vec3d::Zero());
                   const double torque = safeea_torque(c, i);
                   return std::abs(torque - tau[i - 1]) / tau.cwiseAbs().maxCoeff();
                 }));
}

void safeea_section_3(PaperItems& items) {
  safeea_figure_3(items);
  safeea_identity(
      items, "(18), (19)", "μ_i,j from link to link",
      [](SafeeaCase& c, Index i, Index j) {
        Vec3d moment = Vec3d::Zero();
        const safeea::Links& links = c.matrix.links;
        for (Index k = i; k <= c.n; ++k) {
          const SafeeaMotion motion = safeea_starting(c, k, j);
          moment += motion.moment + links.p_Cij(k, i).cross(links.m[k] * motion.acceleration);
        }
        return safeea_off(c.matrix.mu_18(i, j, c.qdd[j - 1]), moment);
      },
      "against the moment about O_i of the links i … n as joint j alone starts");
  const auto same = [&](const char* name, const char* printed, auto form) {
    safeea_identity(items, name, printed, [form](SafeeaCase& c, Index i, Index j) {
      return safeea_off((c.matrix.*form)(i, j), c.matrix.mu_18(i, j));
    });
  };
  same("(20)-(22)", "the same with p_Cij = p_Ci - p_j, p_Ckj = p_Ck - p_j",
       &safeea::MassMatrix::mu_22);
  same("(23)-(25)", "the same by η_i and κ_i", &safeea::MassMatrix::mu_25);
  same("(26)-(29)", "μ_i,j = D_i k_j - b̂_i (k_j × p_j), D_i and b_i as sums",
       &safeea::MassMatrix::mu_29);
  safeea_identity(
      items, "(30)", "A_i,j = k_iᵀ μ_i,j",
      [](SafeeaCase& c, Index i, Index j) {
        return safeea_off_element(c, i, j, c.matrix.A_30(i, j));
      },
      "against composite rigid bodies");
  safeea_algorithm_1(items);
}

}  // namespace dyn::tool
