// Saha 2003 as printed: what each numbered equation claims, then the printed text against the running
// one, brute-force sums, Newton-Euler and Cholesky.
#include <cmath>
#include <limits>

#include <Eigen/Dense>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/papers/classic/cholesky.hpp"
#include "dyn_core/papers/saha_2003/as_printed.hpp"
#include "dyn_core/papers/saha_2003/as_printed_steps.hpp"
#include "dyn_core/papers/saha_2003/forward_dynamics.hpp"
#include "support.hpp"

namespace dyn::test::saha_2003_as_printed {
namespace {

constexpr std::uint64_t kSeed = 2003;

// A chain at a random configuration, with the printed decomposition.
struct Case {
  Case(const ChainPtr& chain, Drives drives)
      : model(chain), random(kSeed), q(random.vector(model.size(), 3.1)), printed(model) {
    set_drives(model, drives);
    poses = poses_of<double>(model, q);
    frames.resize(poses.size());
    link_frames<double>(model, poses, frames);
    M = brute_force_mass_matrix<double>(chain, q);
    for (Index i = 0; i < n(); ++i) M(i, i) += model.link(i).armature;
    const VecXd values = M.selfadjointView<Eigen::Lower>().eigenvalues();
    condition = values[n() - 1] / values[0];
    scale = M.cwiseAbs().maxCoeff();
    tolerance = 10.0 * kEpsilon * condition;
    printed.update(model, poses);
  }
  [[nodiscard]] Index n() const { return model.size(); }
  [[nodiscard]] const saha::Denoc& g() const { return printed.g; }
  [[nodiscard]] const Posed& frame(Index i) const {  // of link i of 1 … n
    return frames[static_cast<std::size_t>(i - 1)];
  }

  static constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  Model model;
  Random random;
  VecXd q;
  saha::UdutAsPrinted printed;
  std::vector<JointPose<double>> poses;
  std::vector<Posed> frames;
  MatXd M;
  double condition = 0.0, scale = 0.0, tolerance = 0.0;
};

std::vector<ChainPtr> chains() {
  std::vector<ChainPtr> all;
  for (const std::string& name : robot_names()) all.push_back(load_robot(name));
  std::uint64_t seed = kSeed;
  for (const Index n : {1, 2, 3, 6, 12}) {
    all.push_back(random_chain(n, seed++));
    all.push_back(random_chain(n, seed++, {.prismatic = 0.4}));
    all.push_back(random_chain(n, seed++, {.prismatic = 0.3, .hayati = 0.3}));
    if (n <= 3) all.push_back(random_chain(n, seed++, {.prismatic = 1.0}));
  }
  return all;
}

template <class Body>
void for_all(Body body) {
  int regular = 0;
  for (const ChainPtr& chain : chains()) {
    for (const Drives drives : kAllDrives) {
      SCOPED_TRACE(chain->name() + ", " + name_of(drives) + ", seed 2003");
      Case c(chain, drives);
      if (!(c.tolerance > 0.0 && c.tolerance < 1e-4)) continue;
      body(c);
      ++regular;
    }
  }
  EXPECT_GE(regular, 40);
}

template <class Derived>
double largest(const Eigen::MatrixBase<Derived>& m) {
  return m.size() == 0 ? 0.0 : static_cast<double>(m.cwiseAbs().maxCoeff());
}

// ---- Appendix A, (2)-(6)

TEST(Saha2003Links, FramesOfAppendixA) {
  for_all([](Case& c) {
    Posed frame;  // i
    for (Index i = 1; i <= c.n(); ++i) {
      const saha::LinkInput link(c.model, i);
      const JointPose<double>& joint = c.poses[static_cast<std::size_t>(i - 1)];
      const LinkModel& ours = c.model.link(i - 1);
      const double reach = 1.0 + frame.p.norm();
      EXPECT_LE(largest(frame.R.col(2) - c.frame(i).R.col(2)), 16 * c.kEpsilon);  // Z_i
      const Vec3d from_ours = frame.p - c.frame(i).p;
      EXPECT_LE(largest(from_ours.cross(frame.R.col(2))), 16 * c.kEpsilon * reach);  // O_i on it
      const Mat3d Q_i = link.Q_i(joint);
      EXPECT_LE(largest(Q_i * Q_i.transpose() - Mat3d::Identity()), 16 * c.kEpsilon);
      const double across = link.beta.s == 0.0 ? Q_i(2, 0) : 0.0;  // X_i+1 ⊥ Z_i
      EXPECT_EQ(across, 0.0);
      const Posed next = frame * Posed{Q_i, link.a_i(joint)};
      const Vec3d C_i = next * Vec3d(-link.r);
      EXPECT_LE(largest(C_i - c.frame(i) * ours.com), 16 * c.kEpsilon * reach);
      const Mat3d about_C = next.R * link.I * next.R.transpose();
      const Mat3d expected = rotated(c.frame(i).R, ours.inertia_com).matrix();
      EXPECT_LE(largest(about_C - expected), 16 * c.kEpsilon * largest(expected));
      frame = next;
    }
  });
}

// Table II (i); our frame 1 lies at b_1 = 0.1 above the paper's.
TEST(Saha2003Links, InputOfTheStanfordArm) {
  struct Row {
    double b, alpha, m, r_y;
    Vec3d inertia;
  };
  const Row kTable[] = {
      {0.0, -90, 9.0, -0.1, {0.01, 0.02, 0.01}},      {0.1, -90, 6.0, 0.0, {0.05, 0.06, 0.01}},
      {0.0, 0, 4.0, 0.0, {0.4, 0.4, 0.01}},           {0.6, 90, 1.0, -0.1, {0.001, 0.001, 0.0005}},
      {0.0, -90, 0.6, 0.0, {0.0005, 0.0005, 0.0002}}, {0.0, 0, 0.5, 0.0, {0.003, 0.001, 0.002}}};
  const Model model(load_robot("stanford"));
  const auto poses = poses_of<double>(model, VecXd(VecXd::Zero(6)));
  for (Index i = 1; i <= 6; ++i) {
    const Row& row = kTable[i - 1];
    const saha::LinkInput link(model, i);
    EXPECT_NEAR(link.a, 0.0, 1e-15);
    EXPECT_NEAR(poses[static_cast<std::size_t>(i - 1)].d, row.b, 1e-15);
    EXPECT_NEAR(std::atan2(link.alpha.s, link.alpha.c), row.alpha * M_PI / 180.0, 1e-15);
    EXPECT_EQ(link.m, row.m);
    EXPECT_LE(largest(link.r - Vec3d(0.0, row.r_y, 0.0)), 1e-15);
    EXPECT_LE(largest(link.I - Mat3d(row.inertia.asDiagonal())), 1e-15);
  }
}

TEST(Saha2003Links, TwistsOfTheMassCentres) {
  for_all([](Case& c) {
    const VecXd rates = c.random.vector(c.n(), 1.0);
    c.printed.g.set_twists(rates);  // (4)
    const VecXd stacked = c.g().N_l * (c.g().N_d * rates);
    const double tolerance = 50 * c.kEpsilon * largest(stacked);
    for (Index i = 1; i <= c.n(); ++i) {
      EXPECT_LE(largest(c.g().t[i] - stacked.segment<6>(6 * i - 6)), tolerance);
      Vec6<double> t = Vec6<double>::Zero();
      for (Index j = 1; j <= i; ++j) {
        const Vec3d axis = c.frame(j).R.col(2) * rates[j - 1];
        if (c.model.link(j - 1).prismatic) {
          t.tail<3>() += axis;
        } else {
          t.head<3>() += axis;
          t.tail<3>() += axis.cross(c.frame(i) * c.model.link(i - 1).com - c.frame(j).p);
        }
      }
      EXPECT_LE(largest(c.g().t[i] - t), tolerance);
    }
  });
}

TEST(Saha2003Links, InertiaMatrixByBothFormulas) {
  for_all([](Case& c) {
    const double tolerance = 50 * c.kEpsilon * c.scale;
    EXPECT_LE(largest(c.g().I - c.M), tolerance);  // (2)
    for (Index i = 1; i <= c.n(); ++i) {
      const Mat6<double> block = c.g().M_tilde_6n.block<6, 6>(6 * i - 6, 6 * i - 6);
      EXPECT_LE(largest(block - c.g().M_tilde[i]), 50 * c.kEpsilon * largest(block));
      for (Index j = 1; j <= i; ++j) {
        const double own = i == j ? c.g().armature[i] : 0.0;
        EXPECT_NEAR(c.g().element(i, j) + own, c.M(i - 1, j - 1), tolerance);  // (6)
      }
    }
  });
}

// ---- reverse Gaussian elimination, Appendix B

TEST(Saha2003Elimination, ElementaryMatricesAnnihilateColumnByColumn) {
  for_all([](Case& c) {
    const saha::UdutAsPrinted& s = c.printed;
    const MatXd one = MatXd::Identity(c.n(), c.n());
    for (Index k = c.n(); k >= 2; --k) {
      EXPECT_EQ(s.E[k] * s.E_inverse[k], one);                            // (8)
      EXPECT_EQ(s.E[k].col(k - 1).head(k - 1), -s.alpha[k].head(k - 1));  // (23)
      MatXd others = s.E[k];
      others.col(k - 1) = one.col(k - 1);
      EXPECT_EQ(others, one);
      // α_ik is what elimination with the pivot i_kk^(k+1) of L_k+1 asks for.
      const VecXd column = s.L[k + 1].col(k - 1).head(k - 1) / s.L[k + 1](k - 1, k - 1);
      EXPECT_LE(largest(s.alpha[k].head(k - 1) - column), c.tolerance * (1.0 + largest(column)));
      // (19), (24): column k is annihilated, rows k … n are left as they were.
      EXPECT_LE(largest(s.L[k].topRightCorner(k - 1, c.n() - k + 1)), c.tolerance * c.scale);
      EXPECT_EQ(s.L[k].bottomRows(c.n() - k + 1), s.L[k + 1].bottomRows(c.n() - k + 1));
    }
  });
}

TEST(Saha2003Elimination, ElementsAreThoseOfLkAndSchurComplements) {
  for_all([](Case& c) {
    for (Index k = c.n(); k >= 2; --k) {
      const Index m = k - 1, rest = c.n() - m;
      const MatXd corner = c.M.bottomRightCorner(rest, rest);
      const MatXd beside = c.M.topRightCorner(m, rest);
      const MatXd schur =
          c.M.topLeftCorner(m, m) - beside * corner.ldlt().solve(beside.transpose());
      for (Index i = 1; i <= m; ++i) {
        for (Index j = 1; j <= i; ++j) {
          const double element = c.printed.element(i, j, k);  // (25)
          EXPECT_NEAR(element, schur(i - 1, j - 1), c.tolerance * c.scale);
          EXPECT_NEAR(element, c.printed.L[k](i - 1, j - 1), c.tolerance * c.scale);
          EXPECT_NEAR(element, c.printed.L[k](j - 1, i - 1), c.tolerance * c.scale);
        }
      }
    }
  });
}

TEST(Saha2003Elimination, FactorsOfTheInertiaMatrix) {
  for_all([](Case& c) {
    const saha::UdutAsPrinted& s = c.printed;
    const Index n = c.n();
    EXPECT_LE(largest(s.E_all * c.M - s.L[2]), c.tolerance * c.scale);  // (7)
    MatXd above = s.L[2];
    above.triangularView<Eigen::Lower>().setZero();
    EXPECT_LE(largest(above), c.tolerance * c.scale);
    EXPECT_LE(largest(s.E_all * s.U - MatXd::Identity(n, n)), c.tolerance);  // (9)
    EXPECT_LE(largest(s.U * s.L[2] - c.M), c.tolerance * c.scale);           // (9)
    EXPECT_TRUE(s.U.isUpperTriangular(0.0));
    for (Index k = 1; k <= n; ++k) {
      EXPECT_EQ(s.U(k - 1, k - 1), 1.0);
      for (Index i = 1; i < k; ++i) EXPECT_EQ(s.U(i - 1, k - 1), s.alpha_ik(i, k));
      EXPECT_NEAR(s.m_hat(k), s.L[2](k - 1, k - 1), c.tolerance * c.scale);  // (10)
    }
    const double rows = 1.0 / s.D.diagonal().minCoeff();
    EXPECT_LE(largest(s.L_all - s.U.transpose()), c.tolerance * c.scale * rows);       // (10), (11)
    EXPECT_LE(largest(s.U * s.D * s.U.transpose() - c.M), 50 * c.kEpsilon * c.scale);  // (11)
  });
}

// ---- the running text

// Twists of link i of 1 … n about C_i in frame 1 to ours, about O in the link frame.
Mat6<double> to_ours(const Case& c, Index i) {
  const Mat3d R = c.frame(i).R.transpose();
  const Vec3d from_O = c.frame(i).R * c.model.link(i - 1).com;
  Mat6<double> T;
  T << R, Mat3d::Zero(), R * skew(from_O), R;
  return T;
}

TEST(Saha2003Udut, RunsWithThePrintedQuantities) {
  for_all([](Case& c) {
    const saha::UdutAsPrinted& s = c.printed;
    Udut<double> udut(c.model);
    ASSERT_EQ(udut.factorise(c.model, c.poses), Status::kOk);
    MatXd U(c.n(), c.n()), eliminated(c.n(), c.n());
    VecXd D(c.n());
    udut.factor(U);
    EXPECT_LE(largest(U - s.U), c.tolerance * largest(U));
    ASSERT_EQ(factor_udut<double>(s.g.I, eliminated, D), Status::kOk);
    EXPECT_LE(largest(eliminated - s.U), c.tolerance * largest(U));
    EXPECT_LE(largest(D - s.D.diagonal()), c.tolerance * largest(D));
    EXPECT_LE(largest(udut.pivots() - s.D.diagonal()), c.tolerance * largest(D));
    for (Index i = 2; i <= c.n(); ++i) {
      const ArticulatedLink<double>& link = udut.link(i - 1);
      const Mat6<double> T = to_ours(c, i);
      const auto expect_same = [&](const Mat6<double>& ours, const Mat6<double>& printed) {
        const double size = largest(c.g().M_tilde[i]) + largest(T) * largest(T) * largest(ours);
        EXPECT_LE(largest(T.transpose() * ours * T - printed), c.tolerance * size);
      };
      expect_same(link.M_hat.matrix(), s.M_hat(i));            // (28)
      expect_same(link.eliminated().matrix(), s.M_hat(i, i));  // (28)
      const Vec6<double> psi = T.transpose() * link.psi.vector();
      EXPECT_LE(largest(psi - s.psi(i)), c.tolerance * (1.0 + largest(psi)));  // (27)
    }
  });
}

// Counts that the banner of forward_dynamics.hpp states.
TEST(Saha2003Udut, Count) {
  for (Index n = 3; n <= 10; ++n) {
    const Model model(random_chain(n, kSeed));
    VecX<Counted> q(n), out(n);
    for (Index i = 0; i < n; ++i) q[i] = Counted::variable(0.3 + 0.1 * static_cast<double>(i));
    const auto poses = poses_of<Counted>(model, q);
    UdutForwardDynamics<Counted> algorithm(model);
    Counted::reset(CountingRule::kGeneral);
    ASSERT_EQ(algorithm.forward_dynamics(model, poses, model.gravity(), q, q, out), Status::kOk);
    EXPECT_EQ(Counted::count(), (OperationCount{137 * n - 208, 136 * n - 233})) << "n " << n;
  }
}

// ---- section 2.2 and the steps of section 3

TEST(Saha2003ForwardDynamics, EachStepOfSection22) {
  for_all([](Case& c) {
    saha::UdutAsPrinted& s = c.printed;
    const VecXd phi = c.random.vector(c.n(), 1.0);
    VecXd found(c.n()), run(c.n());
    s.solve(phi, found);
    const VecXd tau_hat = s.U.triangularView<Eigen::UnitUpper>().solve(phi);
    const VecXd tau_tilde = s.D.diagonal().cwiseInverse().asDiagonal() * tau_hat;
    const VecXd theta_dd = c.M.ldlt().solve(phi);
    for (Index i = 1; i <= c.n(); ++i) {
      EXPECT_NEAR(s.tau_hat[i], tau_hat[i - 1], c.tolerance * largest(tau_hat));        // (12)
      EXPECT_NEAR(s.tau_tilde[i], tau_tilde[i - 1], c.tolerance * largest(tau_tilde));  // B
    }
    EXPECT_LE(largest(found - theta_dd), c.tolerance * largest(theta_dd));  // (14)
    Udut<double> udut(c.model);
    ASSERT_EQ(udut.factorise(c.model, c.poses), Status::kOk);
    udut.solve(phi, run);
    EXPECT_LE(largest(found - run), c.tolerance * largest(theta_dd));
    udut.solve_upper(run = phi);
    EXPECT_LE(largest(run - tau_hat), c.tolerance * largest(tau_hat));
    udut.solve_upper_transposed(run = tau_tilde);
    EXPECT_LE(largest(run - theta_dd), c.tolerance * largest(theta_dd));
  });
}

// M̂_i, ψ_i and the vectors of the steps, turned from frame i to frame 1, are those of section 2.
TEST(Saha2003Steps, QuantitiesInTheirFrames) {
  for_all([](Case& c) {
    saha::UdutAsPrinted& s = c.printed;
    saha::ForwardDynamicsSteps<double> steps(c.model);
    const VecXd phi = c.random.vector(c.n(), 1.0);
    VecXd printed(c.n()), found(c.n());
    s.solve(phi, printed);
    steps.solve(c.model, c.poses, phi, found);
    Mat3d R = Mat3d::Identity();
    const auto six = [&R](const saha::Halves<double>& v) {
      Vec6<double> out;
      out << R * v.t, R * v.b;
      return out;
    };
    const auto matrix = [&R](const saha::Blocks<double>& m) {
      Mat6<double> out;
      out << R * m.I * R.transpose(), R * m.F.transpose() * R.transpose(), R * m.F * R.transpose(),
          R * m.G * R.transpose();
      return out;
    };
    const auto expect_near = [&c](const auto& a, const auto& b, double size) {
      EXPECT_LE(largest(a - b), c.tolerance * (largest(b) + size));
    };
    const double forces = largest(phi), rates = largest(printed);
    for (Index i = 1; i <= c.n(); ++i) {
      const double mass = largest(s.g.M_tilde[i]);
      expect_near(R * steps.d[i], s.g.d[i], 1.0);                                // A1
      if (i > 1) expect_near(R * steps.c[i], s.g.c[i - 1] - s.g.c[i], 1.0);      // A2
      expect_near(matrix(steps.M_hat[i]), s.M_hat(i), mass);                     // A3
      expect_near(six(steps.psi_hat[i]), s.psi_hat(i), mass);                    // A4
      EXPECT_NEAR(steps.m_hat[i], s.m_hat(i), c.tolerance * s.m_hat(i));         // A5
      EXPECT_NEAR(steps.tau_hat[i], s.tau_hat[i], c.tolerance * 10.0 * forces);  // A10
      expect_near(six(steps.eta_next[i]), s.eta_next[i], forces);                // A9
      if (i > 1) {
        expect_near(six(steps.psi[i]), s.psi(i), 1.0);                // A6
        expect_near(matrix(steps.M_hat_ii[i]), s.M_hat(i, i), mass);  // A7
        expect_near(six(steps.eta[i]), s.eta[i], forces);             // A8
        expect_near(six(steps.mu_before[i]), s.mu_before[i], rates);  // C3
      }
      R = R * steps.Q[i];
      if (i < c.n()) expect_near(six(steps.mu[i]), s.mu[i], rates);  // C2
    }
    expect_near(found, printed, 0.0);  // C1
  });
}

template <class Scalar>
void expect_steps_invert_newton_euler() {
  const auto epsilon = static_cast<double>(std::numeric_limits<Scalar>::epsilon());
  for_all([&](Case& c) {
    const double tolerance = 10.0 * epsilon * c.condition;
    if (tolerance > 0.1) return;
    const Index n = c.n();
    const VecXd qd = c.random.vector(n, 1.0), qdd = c.random.vector(n, 2.0);
    VecXd bias(n), tau(n), other(n);
    Rnea<double> newton_euler(c.model);
    const Vec3d gravity = c.model.gravity();
    newton_euler.inverse_dynamics(c.model, c.poses, gravity, qd, VecXd::Zero(n), bias);
    newton_euler.inverse_dynamics(c.model, c.poses, gravity, qd, qdd, tau);
    for (Index i = 0; i < n; ++i) tau[i] += c.model.link(i).armature * qdd[i];
    const VecX<Scalar> phi = (tau - bias).cast<Scalar>();  // (1)
    VecX<Scalar> found(n);
    saha::ForwardDynamicsSteps<Scalar> steps(c.model);
    steps.solve(c.model, poses_of<Scalar>(c.model, VecX<Scalar>(c.q.cast<Scalar>())), phi, found);
    const double size = tolerance * (1.0 + largest(tau) / c.scale);
    EXPECT_LE(largest(found.template cast<double>() - qdd), size);
    CholeskyForwardDynamics<double> cholesky(c.model);
    ASSERT_EQ(cholesky.forward_dynamics(c.model, c.poses, gravity, qd, tau, other), Status::kOk);
    EXPECT_LE(largest(found.template cast<double>() - other), size);
    UdutForwardDynamics<double> run(c.model);
    ASSERT_EQ(run.forward_dynamics(c.model, c.poses, gravity, qd, tau, other), Status::kOk);
    EXPECT_LE(largest(found.template cast<double>() - other), size);
  });
}

TEST(Saha2003Steps, InvertNewtonEuler) { expect_steps_invert_newton_euler<double>(); }
TEST(Saha2003Steps, InvertNewtonEulerInFloat) { expect_steps_invert_newton_euler<float>(); }

}  // namespace
}  // namespace dyn::test::saha_2003_as_printed
