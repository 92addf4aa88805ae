// Bhangale 2004 as printed, (1) to (13): what each equation claims of the ones before, against link
// frames, Newton-Euler and brute-force sums, and against the forms that run.
#include "arm_in_motion.hpp"
#include "dyn_core/papers/bhangale_2004/denoc.hpp"
#include "dyn_core/papers/bhangale_2004/mci.hpp"

namespace dyn::test::bhangale_as_printed_tests {
namespace {

using bhangale_2004::Arm;
using bhangale_2004::Elements;
using bhangale_2004::for_states;
using bhangale_2004::kEpsilon;
using bhangale_2004::largest;
using bhangale_2004::State;
using dyn::bhangale::Noc;

Mat6<double> block(const MatXd& m, Index i, Index j) { return m.block<6, 6>(6 * i, 6 * j); }

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
    const MatXd registered = s.run(dyn::bhangale::MciPrinted<double>(s.model));
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
    if (s.chain->is_planar()) {
      EXPECT_LE(largest(other - C), tolerance);
    }
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

}  // namespace
}  // namespace dyn::test::bhangale_as_printed_tests
