// Bhangale 2004's misprints: each tried as printed and put right.
#include <cmath>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "bhangale.hpp"
#include "dyn_core/papers/bhangale_2004/gim_by_steps.hpp"
#include "dyn_core/papers/bhangale_2004/planar_as_printed.hpp"
#include "dyn_core/papers/bhangale_2004/printed.hpp"
#include "dyn_core/papers/classic/rnea.hpp"
#include "measure.hpp"

namespace dyn::tool::bhangale_2004 {
namespace {

using dyn::bhangale::Arm;
using dyn::bhangale::Noc;
using dyn::bhangale::PlanarGim;

// Both forms' relative deviations from what they are to give.
void erratum(PaperItems& items, const char* where, const char* printed, const std::string& right,
             double of_printed, double of_right, const char* settled) {
  items.add(ItemKind::kErratum, where, printed,
            fmt::format("{}: off by {:.0e}; as printed by {:.2g}", right, std::max(of_right, 1e-16),
                        of_printed),
            of_printed <= 1e-10, settled);
}
// What is wrong by reading alone.
void slip(PaperItems& items, const char* where, const char* printed, const char* right,
          const char* settled) {
  items.add(ItemKind::kErratum, where, printed, right, false, settled);
}

// One turn, with a vector and an inertia.
struct Sample {
  double theta = 0.7, alpha = -1.1;
  Turn<double> t{std::cos(theta), std::sin(theta)}, a{std::cos(alpha), std::sin(alpha)};
  Mat3d Q = (Eigen::AngleAxisd(theta, Vec3d::UnitZ()) * Eigen::AngleAxisd(alpha, Vec3d::UnitX()))
                .toRotationMatrix();
  Vec3d r{0.3, -0.5, 0.8};
  Mat3d I = (Mat3d() << 2.0, 0.3, -0.4, 0.3, 1.5, 0.2, -0.4, 0.2, 1.1).finished();
};

// Appendix B.2 with i_11 - `subtracted` in β_1 and i_22 + sign β_5 - β_8 as (2,2).
Mat3d appendix_B2(const Sample& s, double subtracted, double sign) {
  const Mat3d& I = s.I;
  const double b0 = I(0, 1) * s.t.c;
  const double b1 = (I(0, 0) - subtracted) * s.t.s - (b0 + b0);
  const double b2 = I(0, 2) * s.t.c + I(1, 2) * s.t.s;
  const double b3 = b1 * s.t.c + I(0, 1);
  const double b4 = I(0, 2) * s.t.s - I(1, 2) * s.t.c;
  const double b5 = b1 * s.t.s, b6 = b4 * s.a.c;
  const double b7 = ((I(1, 1) - I(2, 2)) + b5) * s.a.s + (b6 + b6);
  const double b8 = b7 * s.a.s;
  Mat3d turned;
  turned << I(0, 0) - b5, 0, 0, b2 * s.a.s - b3 * s.a.c, I(1, 1) + sign * b5 - b8, 0,
      b2 * s.a.c + b3 * s.a.s, b4 - b7 * s.a.c, b8 + I(2, 2);
  return turned.selfadjointView<Eigen::Lower>();
}

void appendix_b(PaperItems& items) {
  const Sample s;
  const Vec3d right = s.Q * s.r, formed = dyn::bhangale::Q_times<double>(s.t, s.a, s.r);
  Vec3d printed = formed;
  printed.z() = s.r.y() * s.a.s - s.r.z() * s.a.c;
  erratum(items, "B.1, third row of Q_i r_i", "r_y sin α - r_z cos α", "r_y sin α + r_z cos α",
          deviation(printed, right), deviation(formed, right), "against Q_i of (A.1) times r_i");
  const Mat3d back = s.Q.transpose() * s.I * s.Q, forth = s.Q * s.I * s.Q.transpose();
  erratum(items, "B.2, the scheme for Q_i I Q_iᵀ", "β_0 to β_8 with θ first, α second",
          "θ and -α, indices 1 and 3 exchanged, the sign of index 2 reversed",
          deviation(appendix_B2(s, s.I(1, 1), 1.0), forth),
          deviation(dyn::bhangale::Q_times_times_Qt<double>(s.t, s.a, s.I), forth),
          "what is printed, its letters put right, is Q_iᵀ I Q_i; either takes 16M 17A");
  erratum(items, "B.2, β_1", "(i_11 - i_12) sin θ", "(i_11 - i_22) sin θ",
          deviation(appendix_B2(s, s.I(0, 1), 1.0), back),
          deviation(appendix_B2(s, s.I(1, 1), 1.0), back), "against Q_iᵀ I Q_i");
  erratum(items, "B.2, element (2,2)", "i_22 - β_5 - β_8", "i_22 + β_5 - β_8",
          deviation(appendix_B2(s, s.I(1, 1), -1.0), back),
          deviation(appendix_B2(s, s.I(1, 1), 1.0), back), "against Q_iᵀ I Q_i");
  const Vec3d delta = 3.0 * s.r;
  const Mat3d product = skew(s.r) * skew(delta);
  const Mat3d formed_product = dyn::bhangale::d_cross_md_cross<double>(s.r, delta);
  Mat3d printed_product = formed_product;
  printed_product(2, 2) = delta.y() * s.r.y() - delta.x() * s.r.x();
  erratum(items, "B.2, element (3,3) of d × (m d × 1)", "δ_y d_y - δ_x d_x", "-δ_y d_y - δ_x d_x",
          deviation(printed_product, product), deviation(formed_product, product),
          "against the product of both matrices");
}

// The three rows of the spatial M_i that move in the plane.
void planar_blocks(PaperItems& items) {
  const InMotion s(arm_of("planar", {{.a = 0.3, .r = Vec3d(0.1, -0.2, 0.0)},
                                     {.a = 0.2, .r = Vec3d(0.2, 0.1, 0.0)}}),
                   6);
  const PlanarGim gim(s.model, s.joints);
  Arm<double> arm(s.model);
  arm.place(s.model, s.joints);
  const std::vector<Index> in_plane = {2, 3, 4};
  const Mat3d right = arm.M(0)(in_plane, in_plane);
  const Mat3d& formed = gim.M(0);
  Mat3d transposed = formed;
  transposed.topRightCorner<1, 2>() *= -1.0;
  erratum(items, "section 3.2.1, step 5(a), upper right block", "m_i d_iᵀ R", "m_i d_iᵀ Rᵀ",
          deviation(transposed, right), deviation(formed, right),
          "m d × v is m dᵀ Rᵀ v, and M_i is symmetric");
  Mat3d at_centre = formed;
  at_centre(0, 0) = s.model.link(0).inertia_com.zz;
  erratum(items, "section 3.2.1, step 5(a), first element", "i_zz^c, about C_i, for nothing",
          "i_zz^c + m_i d_iᵀ d_i, about O_i, 2M 2A", deviation(at_centre, right),
          deviation(formed, right), "against M_i of (2)");
}

// With O_i left on link i-1 while link i slides, as a_i with b_i in step 1 has it.
void origin_of_a_slide(PaperItems& items) {
  const InMotion s(robot_of_the_suite("stanford3"), 7);
  const auto torque = [&](bool riding) {
    const double h = 1e-6;
    const auto at = [&](double t) {
      std::vector<JointPose<double>> joints(s.joints.size());
      joint_poses<double>(s.model, VecXd(s.q + t * s.qd), joints);
      Arm<double> arm(s.model);
      arm.place(s.model, joints);
      for (Index i = 0; i < s.model.size() && !riding; ++i) {
        if (s.model.link(i).prismatic) arm.move_origin(i, -joints[static_cast<std::size_t>(i)].d);
      }
      arm.move(s.qd);
      return Noc<double>(arm);
    };
    const MatXd rate = (at(h).T - at(-h).T) / (2.0 * h);
    const Noc<double> noc = at(0.0);
    return VecXd(noc.T.transpose() * (noc.M * rate + noc.W * noc.M * noc.E * noc.T) * s.qd);
  };
  VecXd right(3);
  Rnea<double>(s.model).inverse_dynamics(s.model, s.joints, Vec3d::Zero(), s.qd, VecXd::Zero(3),
                                         right);
  const double fixed = deviation(torque(false), right), riding = deviation(torque(true), right);
  items.add(
      ItemKind::kErratum, "section 3.2, step 1, O_i of a slide",
      "b_i in a_i: O_i stays on link i-1",
      fmt::format("O_i rides on link i: Tᵀ (M Ṫ + W M E T) θ̇ off by {:.0e}; as printed by {:.2g}",
                  riding, fixed),
      fixed <= 1e-6,
      "(1) holds about a point of link i alone, and misses m_i ω_i × e_i ḃ_i otherwise; Ṫ by "
      "differences");
}

void equation_1(PaperItems& items) {
  const InMotion s(robot_of_the_suite("puma560"), 8);
  Arm<double> arm(s.model);
  arm.place(s.model, s.joints);
  arm.move(s.qd);
  const Noc<double> noc(arm);
  const VecXd rate = noc.T * s.qdd + noc.T_dot * s.qd, t = noc.t(s.qd);
  const VecXd rest = noc.W * noc.M * noc.E * t;
  VecXd right(6);
  Rnea<double>(s.model).inverse_dynamics(s.model, s.joints, Vec3d::Zero(), s.qd, s.qdd, right);
  erratum(items, "(1)", "M_i t_i + W_i M_i E_i t_i", "M_i ṫ_i + W_i M_i E_i t_i",
          deviation(noc.T.transpose() * (noc.M * t + rest), right),
          deviation(noc.T.transpose() * (noc.M * rate + rest), right),
          "summed over the links against Newton-Euler");
  Mat3d twice = arm.M(0).topLeftCorner<3, 3>();
  const LinkModel& k = s.model.link(1);
  const Vec3d d = k.com;
  const Mat3d I_c = k.inertia_com.matrix(), shift = skew(d) * (k.mass * skew(d));
  twice = I_c - shift - I_c;
  const Mat3d about_origin = k.inertia_origin.matrix();
  erratum(items, "after (2), I_i", "I_i^c - d_i × (m_i d_i × 1) - I_i^c",
          "I_i^c - d_i × (m_i d_i × 1), as in step 5(a)", deviation(twice, about_origin),
          deviation(I_c - shift, about_origin), "by the parallel axis theorem");
  slip(items, "(9), M̃", "one letter for T_lᵀ M T_l and T_lᵀ W M E T_l", "two matrices, M̃ and M̃'",
       "with the recursion (13) for both, the second has W_i M_i E_i for M_i");
}

// Ṁ - 2C of the printed MCI, Ṁ by differences.
double skewness(const ChainPtr& chain) {
  const InMotion s(chain, 9);
  const auto at = [&](double t) {
    std::vector<JointPose<double>> joints(s.joints.size());
    joint_poses<double>(s.model, VecXd(s.q + t * s.qd), joints);
    Arm<double> arm(s.model);
    arm.place(s.model, joints);
    arm.move(s.qd);
    return Noc<double>(arm);
  };
  const double h = 1e-6;
  const MatXd N = (at(h).I() - at(-h).I()) / (2.0 * h) - 2.0 * at(0.0).C();
  return (N + N.transpose()).cwiseAbs().maxCoeff() / N.cwiseAbs().maxCoeff();
}

void properties(PaperItems& items) {
  items.add(ItemKind::kErratum, "(9), Ṁ - 2C of the printed C", "not said",
            fmt::format("skew-symmetric to {:.0e} for planar3r, off by {:.2g} for puma560",
                        std::max(1e-9, skewness(robot_of_the_suite("planar3r"))),
                        skewness(robot_of_the_suite("puma560"))),
            {},
            "W M E as printed makes it so in planar motion only; `mci` has other blocks with the "
            "same C θ̇");
  const PrintedCount limit = dyn::bhangale::mci_count(3);
  std::string above;
  for (const auto& arm : dyn::bhangale::kTable5) {
    above += fmt::format("{}{} {}", above.empty() ? "" : ", ", arm.name, text(arm.mci));
  }
  items.add(
      ItemKind::kErratum, "Table V, MCI against (16)", above,
      text(limit) + " by (16) for three revolute joints in general position", false,
      "an arm with a slide and right angles cannot need more than the general one; the paper does "
      "not say what else is in the figures of Table V");
}

void slips_of_the_text(PaperItems& items) {
  slip(items, "section 3.2, step 5(a)", "for i = n", "for i = n, …, 1", "as Table I has it");
  slip(items, "section 3.2, step 5(b)", "18M 18A",
       "36M 49A: the shift 12M 18A, adding M_i 10A, the turn into frame i 24M 21A",
       "[M̃_i+1] stands in frame i+1; counted in Table I, step 5(b)");
  slip(items, "section 3.2.1, opening", "(14) and (15) for planar robots", "(14) and (16)",
       "(15) is of Walker and Orin");
  slip(items, "section 3.2.1, numbers of the steps", "6 a), 7", "6(a), 6(b)", "as in Table II");
  slip(items, "sections 4.2 and 4.3", "reported, tabulated in Table I", "Table III",
       "Table I has operation counts");
  slip(items, "Table III, heading", "RP Robot [Figure 3(b)]", "Figure 3(a)",
       "the text of section 4.2");
  slip(items, "Table V, Stanford, workspace", "4π a3³/3", "4π b3³/3",
       "its a3 is 0 in Table IV(b); the area rows above have the measured volume");
}

void table_4b(PaperItems& items) {
  const std::array<double, 3> r_z = {0.1, 0.5, 0.4}, I_xx = {0.1, 0.5, 0.4};
  items.add(ItemKind::kErratum, "Table IV(b), column r_z", "0.1, 0.5, 0.4",
            r_z == I_xx ? "the same as the column I_xx beside it" : "other than I_xx", r_z != I_xx,
            "for the same arm Saha 2003, Table II has r_z = 0, 0, 0; kept as printed here");
  items.add(ItemKind::kErratum, "Table IV, inertia of link 2", "0.5, 0.6, 0.01",
            fmt::format("I_xx + I_zz = {:.2f} is less than I_yy = {:.2f}", 0.5 + 0.01, 0.6), false,
            "no body has it; the mass matrix stays positive definite, and it is kept");
}

}  // namespace

void misprints(PaperItems& items) {
  equation_1(items);
  origin_of_a_slide(items);
  planar_blocks(items);
  slips_of_the_text(items);
  table_4b(items);
  properties(items);
  appendix_b(items);
}

}  // namespace dyn::tool::bhangale_2004
