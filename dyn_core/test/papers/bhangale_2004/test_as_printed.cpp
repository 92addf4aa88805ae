// Bhangale 2004 as printed, (1) to (13) and Appendix B: what each equation claims of the ones before,
// against link frames, Newton-Euler and brute-force sums, and against the forms that run.
#include <limits>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/papers/bhangale_2004/as_printed.hpp"
#include "dyn_core/papers/bhangale_2004/denoc.hpp"
#include "dyn_core/papers/bhangale_2004/mci.hpp"
#include "dyn_core/papers/bhangale_2004/planar_as_printed.hpp"
#include "dyn_core/papers/classic/rnea.hpp"
#include "papers/christoffel.hpp"
#include "papers/planar_chain.hpp"

namespace dyn::test::bhangale_as_printed_tests {
namespace {

using bhangale::Arm;
using bhangale::Elements;
using bhangale::LinkAsPrinted;
using bhangale::Noc;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

double largest(const MatXd& m) { return m.size() == 0 ? 0.0 : m.cwiseAbs().maxCoeff(); }

// An arm in motion, without the chain's mimics: one coordinate for every joint.
struct State {
  State(const ChainPtr& chain_in, std::uint64_t seed)
      : chain(chain_in), model(chain), arm(model), elements(model) {
    Random random(seed);
    q = random.vector(model.size(), 3.0);
    qd = random.vector(model.size(), 2.0);
    qdd = random.vector(model.size(), 2.0);
    joints = poses_of<double>(model, q);
    arm = at_paper_origins(qd);
    elements.arm() = arm;
    elements.form_M_tilde();
    elements.form_M_prime_and_H_tilde();
    scale = largest(brute_force_mass_matrix<double>(chain, q));
    rate_scale = scale * largest(qd);
  }
  [[nodiscard]] Arm<double> at_paper_origins(const VecXd& rates) const {
    Arm<double> placed(model);
    placed.place(model, joints);
    placed.move(rates);
    return placed;
  }
  /// With every O_i moved along its axis.
  [[nodiscard]] Arm<double> at_origins_moved_by(const VecXd& shift) const {
    Arm<double> placed(model);
    placed.place(model, joints);
    for (Index i = 0; i < model.size(); ++i) placed.move_origin(i, shift[i]);
    placed.move(qd);
    return placed;
  }
  /// Newton-Euler without gravity.
  [[nodiscard]] VecXd newton_euler(const VecXd& accelerations) const {
    VecXd tau(model.size());
    Rnea<double>(model).inverse_dynamics(model, joints, Vec3d::Zero(), qd, accelerations, tau);
    return tau;
  }
  [[nodiscard]] MatXd run(CoriolisAlgorithm<double>&& algorithm) const {
    MatXd C = MatXd::Constant(model.size(), model.size(), 1e6);
    algorithm.coriolis_matrix(model, joints, qd, C);
    return C;
  }
  [[nodiscard]] Index n() const { return model.size(); }

  ChainPtr chain;
  Model model;
  VecXd q, qd, qdd;
  std::vector<JointPose<double>> joints;
  Arm<double> arm;
  Elements<double> elements;
  double scale, rate_scale;
};

// The robots without mimics on the chain, and random arms of every kind of joint.
template <class Check>
void for_states(Check check) {
  std::vector<ChainPtr> chains = small_chains();
  for (const Index n : {6, 12}) chains.push_back(random_chain(n, 20040126, {.prismatic = 0.3}));
  chains.push_back(planar_chain(5, 20040127, true));
  for (const ChainPtr& chain : chains) {
    if (chain->dof() != chain->joint_count()) continue;
    for (const std::uint64_t seed : {31u, 32u}) {
      SCOPED_TRACE(chain->name() + ", seed " + std::to_string(seed));
      check(State(chain, seed));
    }
  }
}

Mat6<double> block(const MatXd& m, Index i, Index j) { return m.block<6, 6>(6 * i, 6 * j); }

// ---- links: section 3.2, steps 1 to 5(a), appendices -------------------------------------------

struct Case {
  double theta, alpha;
  Turn<double> theta_turn{std::cos(theta), std::sin(theta)};
  Turn<double> alpha_turn{std::cos(alpha), std::sin(alpha)};
  Mat3d Q = (Eigen::AngleAxisd(theta, Vec3d::UnitZ()) * Eigen::AngleAxisd(alpha, Vec3d::UnitX()))
                .toRotationMatrix();
  Vec3d r = Vec3d::Zero();
  Mat3d I = Mat3d::Zero();
};

template <class Check>
void for_cases(Check check) {
  Random random(7);
  for (int k = 0; k < 20; ++k) {
    Case c{random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0)};
    c.r = random.vector(1.0);
    c.I = random_body(random).inertia;
    SCOPED_TRACE("case " + std::to_string(k) + " of seed 7");
    check(c);
  }
}

TEST(BhangaleAppendixB, TurnsAVectorByQ) {
  for_cases([](const Case& c) {
    const Vec3d right = c.Q * c.r;
    EXPECT_LE(largest(bhangale::Q_times(c.theta_turn, c.alpha_turn, c.r) - right), 8 * kEpsilon);
    // Printed: r_y sin α - r_z cos α in row 3.
    const double printed = c.r.y() * c.alpha_turn.s - c.r.z() * c.alpha_turn.c;
    EXPECT_NEAR(right.z() - printed, 2.0 * c.r.z() * c.alpha_turn.c, 8 * kEpsilon);
  });
}

// B.2 with i_11 - `subtracted` in β_1 and i_22 + `sign` β_5 - β_8 as (2,2); printed are i_12 and -1.
Mat3d printed_B2(const Case& c, double subtracted, double sign) {
  const Mat3d& I = c.I;
  const auto [c_t, s_t] = c.theta_turn;
  const auto [c_a, s_a] = c.alpha_turn;
  const double b0 = I(0, 1) * c_t;
  const double b1 = (I(0, 0) - subtracted) * s_t - (b0 + b0);
  const double b2 = I(0, 2) * c_t + I(1, 2) * s_t;
  const double b3 = b1 * c_t + I(0, 1);
  const double b4 = I(0, 2) * s_t - I(1, 2) * c_t;
  const double b5 = b1 * s_t, b6 = b4 * c_a;
  const double b7 = ((I(1, 1) - I(2, 2)) + b5) * s_a + (b6 + b6);
  const double b8 = b7 * s_a;
  Mat3d turned;
  turned << I(0, 0) - b5, 0, 0, b2 * s_a - b3 * c_a, I(1, 1) + sign * b5 - b8, 0,
      b2 * c_a + b3 * s_a, b4 - b7 * c_a, b8 + I(2, 2);
  return turned.selfadjointView<Eigen::Lower>();
}

TEST(BhangaleAppendixB, TurnsAnInertiaByQ) {
  for_cases([](const Case& c) {
    const double tolerance = 32 * kEpsilon * largest(c.I);
    const Mat3d right = c.Q * c.I * c.Q.transpose();
    const Mat3d turned = bhangale::Q_times_times_Qt(c.theta_turn, c.alpha_turn, c.I);
    EXPECT_LE(largest(turned - right), tolerance);
    // The printed scheme, put right, is the turn the other way.
    const Mat3d other_way = c.Q.transpose() * c.I * c.Q;
    EXPECT_LE(largest(printed_B2(c, c.I(1, 1), 1.0) - other_way), tolerance);
    EXPECT_GT(largest(other_way - right), 1e-3 * largest(c.I));
    EXPECT_GT(largest(printed_B2(c, c.I(0, 1), 1.0) - other_way), 1e-3 * largest(c.I));
    const double at_22 = printed_B2(c, c.I(1, 1), -1.0)(1, 1) - other_way(1, 1);
    const double beta_5 = c.I(0, 0) - printed_B2(c, c.I(1, 1), 1.0)(0, 0);
    EXPECT_NEAR(at_22, -2.0 * beta_5, tolerance);
  });
}

TEST(BhangaleAppendixB, InertiaAboutTheOrigin) {
  for_cases([](const Case& c) {
    const double m = 3.0;
    const Vec3d d = c.r, delta = m * d;
    const Mat3d right = skew(d) * (m * skew(d));
    EXPECT_LE(largest(bhangale::d_cross_md_cross(d, delta) - right), 8 * kEpsilon * m);
    // Printed: δ_y d_y - δ_x d_x as (3,3).
    const double printed = delta.y() * d.y() - delta.x() * d.x();
    EXPECT_NEAR(printed - right(2, 2), 2.0 * m * d.y() * d.y(), 8 * kEpsilon * m);
  });
}

TEST(BhangaleAppendixB, CostsWhatIsPrinted) {
  const Turn<Counted> turn{Counted::variable(0.6), Counted::variable(0.8)};
  const Vec3<Counted> r = Vec3<Counted>::Constant(Counted::variable(2.0));
  const Mat3<Counted> I = Mat3<Counted>::Constant(Counted::variable(3.0));
  Counted::reset(CountingRule::kGeneral);
  (void)bhangale::Q_times(turn, turn, r);
  EXPECT_EQ(Counted::count(), (OperationCount{8, 4}));
  Counted::reset(CountingRule::kGeneral);
  (void)bhangale::Q_times_times_Qt(turn, turn, I);
  EXPECT_EQ(Counted::count(), (OperationCount{16, 17}));
  Counted::reset(CountingRule::kGeneral);
  (void)bhangale::d_cross_md_cross(r, r);
  EXPECT_EQ(Counted::count(), (OperationCount{6, 3}));
}

TEST(BhangaleAsPrinted, LinksAreThoseOfTheModel) {
  for_states([](const State& s) {
    std::vector<Pose<double>> frames(s.joints.size());
    link_frames<double>(s.model, s.joints, frames);
    Mat3d Q = Mat3d::Identity();
    Vec3d foot = Vec3d::Zero();  // the paper's O_i in frame 1
    for (Index i = 0; i < s.n(); ++i) {
      const LinkAsPrinted<double> k(s.model, s.joints, i);
      const LinkModel& link = s.model.link(i);
      const Pose<double>& frame = frames[static_cast<std::size_t>(i)];
      const double reach = 1.0 + frame.p.norm() + foot.norm();
      EXPECT_LE(largest(foot + k.b * Q.col(2) - frame.p), 64 * kEpsilon * reach);
      EXPECT_LE(largest(foot + Q * k.d - frame * link.com), 64 * kEpsilon * reach);
      const Mat3d I_c = frame.R * link.inertia_com.matrix() * frame.R.transpose();
      const Mat3d I = I_c + link.mass * (k.d.squaredNorm() * Mat3d::Identity() -
                                         Q * k.d * (Q * k.d).transpose());
      EXPECT_LE(largest(Q * k.I * Q.transpose() - I), 128 * kEpsilon * largest(I));
      // O_i+1 is the foot of the common normal: X_i+1 meets both axes at right angles.
      const Vec3d normal = k.a - Vec3d(0.0, 0.0, k.b);
      EXPECT_NEAR(normal.z(), 0.0, 64 * kEpsilon);
      const bool has_beta = i + 1 < s.n() && s.model.link(i + 1).has_beta;
      if (!has_beta) EXPECT_NEAR(normal.dot(k.Q.col(2)), 0.0, 64 * kEpsilon);
      foot += Q * k.a;
      Q = (Q * k.Q).eval();
    }
  });
}

// ---- (1) to (9), (11) --------------------------------------------------------------------------

TEST(BhangaleAsPrinted, TwistsAreTheNocTimesTheRates) {
  for_states([](const State& s) {
    const Noc<double> noc(s.arm);
    const VecXd t = noc.t(s.qd);  // (7)
    std::vector<Pose<double>> frames(s.joints.size());
    link_frames<double>(s.model, s.joints, frames);
    Vec3d omega = Vec3d::Zero(), v = Vec3d::Zero(), before = Vec3d::Zero();  // of frame i's origin
    for (Index i = 0; i < s.n(); ++i) {
      const Pose<double>& frame = frames[static_cast<std::size_t>(i)];
      const Vec3d e = frame.R.col(2);
      const double b = s.joints[static_cast<std::size_t>(i)].d;
      v += omega.cross(frame.p - before);
      (s.model.link(i).prismatic ? v : omega) += s.qd[i] * e;
      before = frame.p;
      const Vec3d v_O = s.model.link(i).prismatic ? v : Vec3d(v - omega.cross(b * e));
      const double tolerance = 256 * kEpsilon * (1.0 + largest(t));
      EXPECT_LE(largest(t.segment<3>(6 * i) - omega), tolerance);
      EXPECT_LE(largest(t.segment<3>(6 * i + 3) - v_O), tolerance);
      EXPECT_LE(largest(t.segment<6>(6 * i) - s.arm.t(i)), tolerance);
    }
  });
}

TEST(BhangaleAsPrinted, InverseOfTlHasOneBlockBelowTheDiagonal) {
  for_states([](const State& s) {
    const Noc<double> noc(s.arm);
    MatXd inverse = MatXd::Identity(6 * s.n(), 6 * s.n());
    for (Index i = 1; i < s.n(); ++i) {
      inverse.block<6, 6>(6 * i, 6 * (i - 1)) = -s.arm.A(i, i - 1);
    }
    const double tolerance = 64 * kEpsilon * (1.0 + largest(noc.T_l));
    EXPECT_LE(largest(noc.T_l * inverse - MatXd::Identity(6 * s.n(), 6 * s.n())), tolerance);
  });
}

TEST(BhangaleAsPrinted, RatesOfTheDecoupledNocAreDerivatives) {
  for_states([](const State& s) {
    const VecX<Dual> positions = moving(s.q, s.qd);
    Arm<Dual> arm(s.model);
    arm.place(s.model, poses_of<Dual>(s.model, positions));
    arm.move(s.qd.cast<Dual>());
    const Noc<Dual> exact(arm);
    const Noc<double> noc(s.arm);
    const double tolerance = 256 * kEpsilon * (1.0 + largest(noc.T_l)) * (1.0 + largest(s.qd));
    EXPECT_LE(largest(rates(exact.T_l) - noc.T_l_dot), tolerance * static_cast<double>(s.n()));
    EXPECT_LE(largest(rates(exact.T_d) - noc.T_d_dot), tolerance * static_cast<double>(s.n()));
  });
}

TEST(BhangaleAsPrinted, MassMatrixIsTheNocsAndTheElementwiseOne) {
  for_states([](const State& s) {
    const Noc<double> noc(s.arm);
    const MatXd expected = brute_force_mass_matrix<double>(s.chain, s.q);
    const double tolerance = 256 * kEpsilon * s.scale;
    EXPECT_LE(largest(noc.I() - expected), tolerance);            // (9)
    EXPECT_LE(largest(noc.I_decoupled() - expected), tolerance);  // (9)
    MatXd M(s.n(), s.n());
    Denoc<double>(s.model).mass_matrix(s.model, s.joints, M);
    for (Index i = 0; i < s.n(); ++i) {
      for (Index j = 0; j <= i; ++j) {
        EXPECT_NEAR(s.elements.i_ij(i, j), M(i, j), tolerance);  // (10)
      }
    }
  });
}

TEST(BhangaleAsPrinted, BlocksOfTheDecoupledFormAreTheRecursions) {
  for_states([](const State& s) {
    const Noc<double> noc(s.arm);
    const MatXd H = noc.T_l.transpose() * noc.M * noc.T_l_dot;
    const double speed = 1.0 + largest(s.qd);
    const double tolerance = 256 * kEpsilon * (1.0 + largest(noc.M_tilde));
    for (Index i = 0; i < s.n(); ++i) {
      const Mat6<double>& M_i = s.elements.M_tilde(i);
      const Mat6<double>& M_prime_i = s.elements.M_prime(i);
      for (Index j = 0; j <= i; ++j) {
        const Mat6<double> A = s.arm.A(i, j);
        EXPECT_LE(largest(block(noc.M_tilde, i, j) - M_i * A), tolerance);  // (13)
        EXPECT_LE(largest(block(noc.M_prime, i, j) - M_prime_i * A), tolerance * speed);
        EXPECT_LE(largest(block(noc.M_prime, j, i) - A.transpose() * M_prime_i), tolerance * speed);
        EXPECT_LE(largest(block(H, i, j) - s.elements.H_tilde(i, j)), tolerance * speed);  // (12)
        if (i + 1 == s.n()) continue;
        const Mat6<double> above = s.arm.A(i + 1, j).transpose() * s.elements.H_tilde(i + 1, i);
        EXPECT_LE(largest(block(H, j, i) - above), tolerance * speed);  // (10), i ≤ j
      }
    }
  });
}

TEST(BhangaleAsPrinted, EquationOfMotionIsNewtonEuler) {
  for_states([](const State& s) {
    const Noc<double> noc(s.arm);
    const double tolerance =
        512 * kEpsilon * s.rate_scale * (1.0 + largest(s.qd)) * static_cast<double>(s.n());
    const VecXd tau = s.newton_euler(s.qdd);
    EXPECT_LE(largest(noc.torque(s.qd, s.qdd) - tau), tolerance);           // (8)
    EXPECT_LE(largest(noc.I() * s.qdd + noc.C() * s.qd - tau), tolerance);  // (9)
    VecXd wrenches(6 * s.n());
    const VecXd t_dot = noc.T * s.qdd + noc.T_dot * s.qd;
    for (Index i = 0; i < s.n(); ++i) {
      wrenches.segment<6>(6 * i) = s.arm.wrench(i, t_dot.segment<6>(6 * i));  // (1)
    }
    EXPECT_LE(largest(noc.T.transpose() * wrenches - tau), tolerance);
  });
}

TEST(BhangaleAsPrinted, ConvectiveInertiaIsTheSameThreeWays) {
  for_states([](const State& s) {
    const Noc<double> noc(s.arm);
    const MatXd C = noc.C();
    const double tolerance = 256 * kEpsilon * s.rate_scale * static_cast<double>(s.n());
    EXPECT_LE(largest(noc.C_decoupled() - C), tolerance);  // (9)
    const MatXd registered = s.run(bhangale::MciPrinted<double>(s.model));
    EXPECT_LE(largest(registered - C), tolerance);  // (10) to (12)
    EXPECT_LE(largest(registered * s.qd - s.newton_euler(VecXd::Zero(s.n()))),
              tolerance * (1.0 + largest(s.qd)));
  });
}

// ---- where O_i lies ----------------------------------------------------------------------------

TEST(BhangaleAsPrinted, ConvectiveInertiaDependsOnTheOriginsItsTorqueDoesNot) {
  for_states([](const State& s) {
    const VecXd shift = Random(33).vector(s.n(), 0.5);
    const MatXd C = Noc<double>(s.arm).C();
    const MatXd other = Noc<double>(s.at_origins_moved_by(shift)).C();
    const double tolerance = 512 * kEpsilon * s.rate_scale * static_cast<double>(s.n());
    EXPECT_LE(largest((C - other) * s.qd), tolerance * (1.0 + largest(s.qd)));
    // O_1 may lie anywhere on its axis.
    const MatXd first = Noc<double>(s.at_origins_moved_by(0.5 * VecXd::Unit(s.n(), 0))).C();
    EXPECT_LE(largest(first - C), tolerance);
    if (s.chain->is_planar()) EXPECT_LE(largest(other - C), tolerance);
  });
  for (const char* name : {"puma560", "stanford", "arm7"}) {
    SCOPED_TRACE(name);
    const State s(load_robot(name), 34);
    const VecXd shift = Random(33).vector(s.n(), 0.5);
    const MatXd C = Noc<double>(s.arm).C();
    EXPECT_GT(largest(Noc<double>(s.at_origins_moved_by(shift)).C() - C), 1e-3 * largest(C));
  }
}

TEST(BhangaleAsPrinted, OriginsOfModifiedFramesGiveAnotherMatrix) {
  for (const char* name : {"puma560", "stanford"}) {
    SCOPED_TRACE(name);
    const State s(load_robot(name), 1);
    VecXd b(s.n());
    for (Index i = 0; i < s.n(); ++i) {
      b[i] = s.model.link(i).prismatic ? 0.0 : s.joints[static_cast<std::size_t>(i)].d;
    }
    const MatXd C = Noc<double>(s.arm).C(), other = Noc<double>(s.at_origins_moved_by(b)).C();
    EXPECT_GT(largest(other - C), 0.02 * largest(C));
    EXPECT_LE(largest((other - C) * s.qd), 1024 * kEpsilon * s.rate_scale * (1.0 + largest(s.qd)));
  }
}

// Step 1 of section 3.2 leaves O_i of a slide on link i-1.
TEST(BhangaleAsPrinted, OriginOfASlideHasToRideOnIt) {
  for (const char* name : {"stanford", "stanford3", "rp"}) {
    SCOPED_TRACE(name);
    const State s(load_robot(name), 35);
    const auto joints = poses_of<Dual>(s.model, moving(s.q, s.qd));
    Arm<Dual> arm(s.model);
    arm.place(s.model, joints);
    for (Index i = 0; i < s.n(); ++i) {
      if (s.model.link(i).prismatic) arm.move_origin(i, -joints[static_cast<std::size_t>(i)].d);
    }
    arm.move(s.qd.cast<Dual>());
    const Noc<Dual> noc(arm);
    const MatXd T = values(noc.T), WME = values(MatX<Dual>(noc.W * noc.M * noc.E));
    const VecXd torque = T.transpose() * (values(noc.M) * rates(noc.T) + WME * T) * s.qd;
    VecXd missing = VecXd::Zero(6 * s.n());  // the force m_i ω_i × e_i ḃ_i of deviation (a)
    for (Index i = 0; i < s.n(); ++i) {
      if (!s.model.link(i).prismatic) continue;
      const Vec6<double> t = s.arm.t(i), p = s.arm.p(i) * s.qd[i];
      const Vec3d acceleration = t.head<3>().cross(p.tail<3>());
      const Mat6<double> M = values(MatX<Dual>(noc.M)).block<6, 6>(6 * i, 6 * i);
      missing.segment<6>(6 * i) = M.rightCols<3>() * acceleration;
    }
    const VecXd right = s.newton_euler(VecXd::Zero(s.n()));
    EXPECT_GT(largest(torque - right), 1e-3 * largest(right));
    EXPECT_LE(largest(torque + T.transpose() * missing - right),
              1024 * kEpsilon * s.rate_scale * (1.0 + largest(s.qd)));
  }
}

// ---- the forms that run ------------------------------------------------------------------------

// Deviation (a) of mci.hpp: W M E with the blocks that make Ṁ - 2C skew-symmetric.
MatXd skew_form_of_WME(const Arm<double>& arm) {
  MatXd WME = MatXd::Zero(6 * arm.size(), 6 * arm.size());
  for (Index i = 0; i < arm.size(); ++i) {
    const Mat6<double> M = arm.M(i);
    const Mat3d I = M.topLeftCorner<3, 3>(), md_cross = M.topRightCorner<3, 3>();
    const Vec3d omega = arm.t(i).head<3>(), md(md_cross(2, 1), md_cross(0, 2), md_cross(1, 0));
    WME.block<3, 3>(6 * i, 6 * i) = skew(omega) * (I - 0.5 * I.trace() * Mat3d::Identity());
    WME.block<3, 3>(6 * i + 3, 6 * i) = -skew(Vec3d(omega.cross(md)));
  }
  return WME;
}

TEST(BhangaleAsRun, MciIsThePapersFormulaWithOtherBlocksOfWME) {
  for_states([](const State& s) {
    const VecXd shift = Random(36).vector(s.n(), 0.5);
    const Arm<double> arm = s.at_origins_moved_by(shift);  // any origins: these blocks do not care
    const Noc<double> noc(arm);
    const MatXd WME = skew_form_of_WME(arm);
    const MatXd C = noc.T.transpose() * (noc.M * noc.T_dot + WME * noc.T);
    EXPECT_LE(largest(s.run(Mci<double>(s.model)) - C),
              512 * kEpsilon * s.rate_scale * static_cast<double>(s.n()));
  });
}

// H̃_ii + M̃'_i = [U, 0; F, 0]: F is -(the rate of m̃_i d̃_i)×, the symmetric part of U half the rate of
// Ĩ_i, the rest of U -½ (Ĩ_i ω_i + 2 σ_i)×, of the moment of momentum; all seen from O_i.
TEST(BhangaleAsRun, HPlusMIsTheRateOfTheCompositeBody) {
  for_states([](const State& s) {
    Elements<Dual> moving_elements(s.model);
    moving_elements.arm().place(s.model, poses_of<Dual>(s.model, moving(s.q, s.qd)));
    moving_elements.form_M_tilde();
    const Noc<double> noc(s.arm);
    const MatXd sum =
        noc.T_l.transpose() * (noc.M * noc.T_l_dot + skew_form_of_WME(s.arm) * noc.T_l);
    const double tolerance = 1024 * kEpsilon * (1.0 + largest(noc.M_tilde)) * (1.0 + largest(s.qd));
    for (Index i = 0; i < s.n(); ++i) {
      const Mat6<double> H_plus_M = block(sum, i, i);
      const Mat6<double> M_rate = rates(moving_elements.M_tilde(i));
      const Mat3d U = H_plus_M.topLeftCorner<3, 3>();
      EXPECT_EQ(largest(H_plus_M.rightCols<3>()), 0.0);
      EXPECT_LE(largest(H_plus_M.bottomLeftCorner<3, 3>() + M_rate.topRightCorner<3, 3>()),
                tolerance);
      EXPECT_LE(largest(U + U.transpose() - M_rate.topLeftCorner<3, 3>()), tolerance);
      Vec3d moment = Vec3d::Zero();
      for (Index k = i; k < s.n(); ++k) {
        Vec6<double> t = s.arm.t(k);
        t.tail<3>() -= s.arm.t(i).tail<3>();
        moment += (s.arm.A(k, i).transpose() * s.arm.M(k) * t).head<3>();
      }
      EXPECT_LE(largest(U - U.transpose() + skew(moment)), tolerance);
    }
  });
}

// ---- section 3.2.1 -----------------------------------------------------------------------------

TEST(BhangalePlanar, MassMatrixAsPrintedIsTheArms) {
  for (const Index n : {1, 2, 3, 6, 12}) {
    const State s(planar_chain(n, 40), 40);
    SCOPED_TRACE(s.chain->name() + ", seed 40");
    const bhangale::PlanarGim gim(s.model, s.joints);
    MatXd M(n, n);
    Denoc<double>(s.model).mass_matrix(s.model, s.joints, M);
    EXPECT_LE(largest(gim.I() - M), 64 * kEpsilon * s.scale);
    // The rows and columns of the spatial M_i and A_ij that move in the plane.
    const std::vector<Index> in_plane = {2, 3, 4};
    Mat3d Q = Mat3d::Identity();
    for (Index i = 0; i < n; ++i) {
      const Mat3d M_i = s.arm.M(i)(in_plane, in_plane), A = s.arm.A(i, 0)(in_plane, in_plane);
      EXPECT_LE(largest(gim.M(i) - M_i), 64 * kEpsilon * s.scale);
      EXPECT_LE(largest(gim.A(i, 0) - A), 64 * kEpsilon * (1.0 + largest(A)));
      // Printed: m dᵀ R as upper right block, and i_zz about C_i.
      const Eigen::Matrix2d R = bhangale::PlanarGim::R();
      const LinkAsPrinted<double> link(s.model, s.joints, i);
      const Eigen::Vector2d md = Q.topLeftCorner<2, 2>() * link.md.head<2>();
      Q = (Q * link.Q).eval();
      EXPECT_LE((R * md - M_i.bottomLeftCorner<2, 1>()).norm(), 64 * kEpsilon * s.scale);
      EXPECT_LE((md.transpose() * R + M_i.topRightCorner<1, 2>()).norm(), 64 * kEpsilon * s.scale);
      EXPECT_GT(md.norm(), 1e-3);
      EXPECT_NEAR(M_i(0, 0), s.model.link(i).inertia_com.zz + md.dot(md) / s.model.link(i).mass,
                  64 * kEpsilon * s.scale);
    }
  }
}

}  // namespace
}  // namespace dyn::test::bhangale_as_printed_tests
