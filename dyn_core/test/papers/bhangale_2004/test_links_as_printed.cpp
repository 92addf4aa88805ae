// The links of Bhangale 2004 as printed, section 3.2 steps 1 to 5(a) with Appendix B, and its planar
// GIM, section 3.2.1; where they are misprinted, that the right form is right and the print is not.
#include "arm_in_motion.hpp"
#include "dyn_core/math/counted.hpp"
#include "dyn_core/papers/bhangale_2004/denoc.hpp"
#include "dyn_core/papers/bhangale_2004/gim_by_steps.hpp"
#include "dyn_core/papers/bhangale_2004/planar_as_printed.hpp"

namespace dyn::test::bhangale_links_tests {
namespace {

using bhangale_2004::for_states;
using bhangale_2004::kEpsilon;
using bhangale_2004::largest;
using bhangale_2004::State;
using dyn::bhangale::d_cross_md_cross;
using dyn::bhangale::GimBySteps;
using dyn::bhangale::LinkAsPrinted;
using dyn::bhangale::PlanarGim;
using dyn::bhangale::PlanarGimBySteps;
using dyn::bhangale::Q_times;
using dyn::bhangale::Q_times_times_Qt;

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
    EXPECT_LE(largest(Q_times(c.theta_turn, c.alpha_turn, c.r) - right), 8 * kEpsilon);
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
    const Mat3d turned = Q_times_times_Qt(c.theta_turn, c.alpha_turn, c.I);
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
    EXPECT_LE(largest(d_cross_md_cross(d, delta) - right), 8 * kEpsilon * m);
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
  (void)Q_times(turn, turn, r);
  EXPECT_EQ(Counted::count(), (OperationCount{8, 4}));
  Counted::reset(CountingRule::kGeneral);
  (void)Q_times_times_Qt(turn, turn, I);
  EXPECT_EQ(Counted::count(), (OperationCount{16, 17}));
  Counted::reset(CountingRule::kGeneral);
  (void)d_cross_md_cross(r, r);
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
      if (!has_beta) {
        EXPECT_NEAR(normal.dot(k.Q.col(2)), 0.0, 64 * kEpsilon);
      }
      foot += Q * k.a;
      Q = (Q * k.Q).eval();
    }
  });
}

// ---- section 3.2.1 -----------------------------------------------------------------------------

TEST(BhangalePlanar, MassMatrixAsPrintedIsTheArms) {
  for (const Index n : {1, 2, 3, 6, 12}) {
    const State s(planar_chain(n, 40), 40);
    SCOPED_TRACE(s.chain->name() + ", seed 40");
    const PlanarGim gim(s.model, s.joints);
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
      const Eigen::Matrix2d R = PlanarGim::R();
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

// ---- Tables I and II, step by step ---------------------------------------------------------------

template <class Gim>
MatXd by_steps(Gim& gim) {
  for (Index i = gim.size() - 1; i >= 0; --i) {
    if (i + 1 < gim.size()) {
      gim.step_5b_turn(i);
      gim.step_5b_shift(i);
    }
    gim.step_5b_sum(i);
    gim.step_6a(i);
    for (Index j = i - 1; j >= 0; --j) gim.step_6b(i, j);
  }
  return gim.I();
}

TEST(BhangaleSteps, OfTable1GiveTheMassMatrix) {
  for_states([](const State& s) {
    for (const LinkModel& k : s.model.links()) {
      if (k.has_beta) return;
    }
    GimBySteps<double> gim(s.model, s.joints);
    for (auto& link : gim.links) {
      link.step_1();
      link.step_2();
      link.step_3();
      link.step_4();
      link.step_5a();
    }
    const MatXd M = brute_force_mass_matrix<double>(s.chain, s.q);
    EXPECT_LE(largest(by_steps(gim) - M), 256 * kEpsilon * s.scale);
  });
}

TEST(BhangaleSteps, OfTable2GiveTheMassMatrix) {
  for (const Index n : {1, 2, 3, 6}) {
    const State s(planar_chain(n, 41), 41);
    SCOPED_TRACE(s.chain->name() + ", seed 41");
    PlanarGimBySteps<double> gim(s.model, s.joints);
    for (Index i = 0; i < n; ++i) {
      gim.step_1(i);
      gim.step_2(i);
      gim.step_3(i);
      gim.step_4(i);
      gim.step_5a(i);
    }
    const MatXd M = brute_force_mass_matrix<double>(s.chain, s.q);
    EXPECT_LE(largest(by_steps(gim) - M), 64 * kEpsilon * s.scale);
  }
}

}  // namespace
}  // namespace dyn::test::bhangale_links_tests
