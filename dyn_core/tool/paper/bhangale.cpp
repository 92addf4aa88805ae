// Bhangale 2004 item by item: its arms, and its equations (1) to (13).
#include "bhangale.hpp"

#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include "dyn_core/papers/bhangale_2004/denoc.hpp"
#include "dyn_core/papers/bhangale_2004/gim_mci.hpp"
#include "dyn_core/papers/classic/crba.hpp"
#include "dyn_core/papers/classic/rnea.hpp"
#include "dyn_core/papers/kang/mass_matrix.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/robot/robot_name.hpp"
#include "linkage.hpp"

namespace dyn::tool {
namespace bhangale_2004 {

using dyn::bhangale::Arm;
using dyn::bhangale::Elements;
using dyn::bhangale::Noc;

ChainPtr arm_of(const std::string& name, const std::vector<TableRow>& rows) {
  ChainDescription arm;
  arm.name = name;
  TableRow before;  // its a and alpha lead to the frame of the link
  before.a = before.alpha = 0.0;
  for (const TableRow& row : rows) {
    Joint joint;
    joint.name = "joint" + std::to_string(arm.joints.size() + 1);
    joint.type = row.kind == 'P' ? JointType::kPrismatic : JointType::kRevolute;
    joint.coordinate = static_cast<Index>(arm.joints.size());
    if (row.kind == 'P') joint.limits.lower = 0.0, joint.limits.upper = row.stroke;
    const Mat3d turn = Eigen::AngleAxisd(row.alpha, Vec3d::UnitX()).toRotationMatrix();
    Link link;
    link.body.mass = row.m;
    link.body.com = Vec3d(row.a, 0.0, 0.0) - turn * row.r;  // d_i, (iv)
    link.body.inertia = turn * row.I.asDiagonal() * turn.transpose();
    arm.coordinate_names.push_back(joint.name);
    arm.joints.push_back(joint);
    arm.links.push_back(link);
    arm.dh.push_back({.a = before.a, .alpha = before.alpha, .d = row.b});
    arm.tip_pose = {turn, Vec3d(row.a, 0.0, 0.0)};
    before = row;
  }
  return std::make_shared<const Chain>(std::move(arm));
}

ChainPtr rp_arm(double a, double b) {
  return arm_of("RP", {{.kind = 'R', .alpha = M_PI_2}, {.kind = 'P', .b = a, .stroke = b}});
}
ChainPtr pr_arm(double a, double b) {
  return arm_of("PR", {{.kind = 'P', .alpha = M_PI_2, .stroke = b}, {.kind = 'R', .a = a}});
}
ChainPtr rtx_arm(double a, double b) {
  return arm_of("RTX", {{.kind = 'P', .stroke = b}, {.kind = 'R', .a = a}, {.kind = 'R', .a = a}});
}
ChainPtr stanford_arm(double b) {
  return arm_of("Stanford", {{.kind = 'R', .b = b, .alpha = -M_PI_2},
                             {.kind = 'R', .b = b, .alpha = -M_PI_2},
                             {.kind = 'P', .stroke = b}});
}

ChainPtr robot_of_the_suite(std::string_view name) {
  UrdfOptions options;
  options.tip = "tool0";
  return require(load_urdf(robot_named(std::string(name)).file, options));
}

InMotion::InMotion(const ChainPtr& chain, std::uint64_t seed)
    : model(chain), joints(static_cast<std::size_t>(model.size())) {
  Random random(seed);
  q = random.vector(model.size(), 3.0);
  qd = random.vector(model.size(), 2.0);
  qdd = random.vector(model.size(), 2.0);
  joint_poses<double>(model, q, joints);
}

double deviation(const MatXd& A, const MatXd& B) {
  return (A - B).cwiseAbs().maxCoeff() / B.cwiseAbs().maxCoeff();
}

namespace {

// Everything that is printed of one arm in motion.
struct Printed : InMotion {
  Printed(const ChainPtr& chain, std::uint64_t seed)
      : InMotion(chain, seed), elements(model), noc(placed()) {
    elements.form_M_tilde();
    elements.form_M_prime_and_H_tilde();
  }
  const Arm<double>& placed() {
    elements.arm().place(model, joints);
    elements.arm().move(qd);
    return elements.arm();
  }
  [[nodiscard]] Index n() const { return model.size(); }
  [[nodiscard]] VecXd t_dot() const { return noc.T * qdd + noc.T_dot * qd; }
  [[nodiscard]] VecXd newton_euler() const {
    VecXd tau(n());
    Rnea<double>(model).inverse_dynamics(model, joints, Vec3d::Zero(), qd, qdd, tau);
    return tau;
  }

  Elements<double> elements;
  Noc<double> noc;
};

using Check = double (*)(const Printed&);

// The moment about O_i and the force by Newton and Euler, at the mass centre.
double newton_euler_of_a_link(const Printed& s) {
  std::vector<Pose<double>> frames(s.joints.size());
  link_frames<double>(s.model, s.joints, frames);
  const VecXd t_dot = s.t_dot();
  MatXd printed(6, s.n()), right(6, s.n());
  for (Index i = 0; i < s.n(); ++i) {
    const LinkModel& k = s.model.link(i);
    const Posed& frame = frames[static_cast<std::size_t>(i)];
    const double b = k.prismatic ? 0.0 : s.joints[static_cast<std::size_t>(i)].d;
    const Vec3d d = frame.R * (k.com + Vec3d(0.0, 0.0, b));
    const Mat3d I_c = frame.R * k.inertia_com.matrix() * frame.R.transpose();
    const Vec6<double> t = s.noc.t(s.qd).segment<6>(6 * i), rate = t_dot.segment<6>(6 * i);
    const Vec3d omega = t.head<3>(), omega_dot = rate.head<3>();
    const Vec3d force =
        k.mass * (rate.tail<3>() + omega_dot.cross(d) + omega.cross(omega.cross(d)));
    right.col(i) << I_c * omega_dot + omega.cross(I_c * omega) + d.cross(force), force;
    printed.col(i) = s.elements.arm().wrench(i, rate);
  }
  return deviation(printed, right);
}

// Kinetic energy of all links.
double energy(const Printed& s) {
  const VecXd t = s.noc.t(s.qd);
  const double printed = 0.5 * t.dot(s.noc.M * t);
  MatXd M(s.n(), s.n());
  Denoc<double>(s.model).mass_matrix(s.model, s.joints, M);
  const double right = 0.5 * s.qd.dot(M * s.qd);
  return std::abs(printed - right) / right;
}

// Twists by the Jacobians of the points O_i.
double twists(const Printed& s) {
  const ChainPtr& chain = s.model.chain_ptr();
  Kinematics<double> kinematics(chain);
  (void)kinematics.update(s.q);
  const Mat3d to_frame_1 = chain->base_pose().R.transpose();
  MatXd J(6, s.n());
  VecXd right(6 * s.n());
  for (Index i = 0; i < s.n(); ++i) {
    const Posed frame = kinematics.dh_pose(i);
    const double b = s.model.link(i).prismatic ? 0.0 : s.joints[static_cast<std::size_t>(i)].d;
    (void)kinematics.jacobian(i, frame.p - b * frame.R.col(2), J);
    const VecXd rates = J * s.qd;
    right.segment<3>(6 * i) = to_frame_1 * rates.tail<3>();
    right.segment<3>(6 * i + 3) = to_frame_1 * rates.head<3>();
  }
  return deviation(s.noc.t(s.qd), right);
}

double decoupling(const Printed& s) {
  MatXd inverse = MatXd::Identity(6 * s.n(), 6 * s.n());
  for (Index i = 1; i < s.n(); ++i) {
    inverse.block<6, 6>(6 * i, 6 * (i - 1)) = -s.elements.arm().A(i, i - 1);
  }
  return deviation(s.noc.T_l * inverse, MatXd::Identity(6 * s.n(), 6 * s.n()));
}

double elements_of_gim(const Printed& s) {
  MatXd M(s.n(), s.n()), by_elements(s.n(), s.n());
  Denoc<double>(s.model).mass_matrix(s.model, s.joints, M);
  for (Index i = 0; i < s.n(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      by_elements(i, j) = by_elements(j, i) = s.elements.i_ij(i, j);
    }
  }
  return std::max(deviation(by_elements, M), deviation(s.noc.I(), M));
}

double elements_of_mci(const Printed& s) {
  MatXd by_elements(s.n(), s.n());
  for (Index i = 0; i < s.n(); ++i) {
    for (Index j = 0; j < s.n(); ++j) by_elements(i, j) = s.elements.c_ij(i, j);
  }
  return deviation(by_elements, s.noc.C());
}

double mci_as_run(const Printed& s) {
  MatXd C(s.n(), s.n());
  Mci<double>(s.model).coriolis_matrix(s.model, s.joints, s.qd, C);
  return deviation(C * s.qd, s.noc.C() * s.qd);
}

// Both halves of T_lᵀ M Ṫ_l: below the diagonal (12), above it A_j+1,iᵀ H̃_j+1,j.
double convective_blocks(const Printed& s) {
  const MatXd right = s.noc.T_l.transpose() * s.noc.M * s.noc.T_l_dot;
  MatXd H = MatXd::Zero(right.rows(), right.cols());
  for (Index i = 0; i < s.n(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      H.block<6, 6>(6 * i, 6 * j) = s.elements.H_tilde(i, j);
      if (j == i || i + 1 == s.n()) continue;
      H.block<6, 6>(6 * j, 6 * i) =
          s.elements.arm().A(i + 1, j).transpose() * s.elements.H_tilde(i + 1, i);
    }
  }
  return deviation(H, right);
}

double composite_blocks(const Printed& s) {
  MatXd M_tilde = s.noc.M_tilde;
  for (Index i = 0; i < s.n(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      const Mat6<double> block = s.elements.M_tilde(i) * s.elements.arm().A(i, j);
      M_tilde.block<6, 6>(6 * i, 6 * j) = block;
      M_tilde.block<6, 6>(6 * j, 6 * i) = block.transpose();
    }
  }
  return deviation(M_tilde, s.noc.M_tilde);
}

// Feature ii: the bodies i … n at one twist have the energy of M̃_i.
double composite_bodies(const Printed& s) {
  double worst = 0.0;
  for (Index i = 0; i < s.n(); ++i) {
    Mat6<double> sum = Mat6<double>::Zero();
    for (Index k = i; k < s.n(); ++k) {
      const Mat6<double> A = s.elements.arm().A(k, i);
      sum += A.transpose() * s.elements.arm().M(k) * A;
    }
    worst = std::max(worst, deviation(s.elements.M_tilde(i), sum));
  }
  return worst;
}

double over_all_arms(Check check) {
  double worst = 0.0;
  std::uint64_t seed = 1;
  for (const char* name : {"rp", "pr", "rtx3", "stanford3", "puma560", "stanford", "planar3r"}) {
    worst = std::max(worst, check(Printed(robot_of_the_suite(name), seed++)));
  }
  for (const double slides : {0.0, 0.3}) {
    worst = std::max(worst, check(Printed(random_chain(8, seed, {.prismatic = slides}), seed)));
    ++seed;
  }
  return worst;
}

}  // namespace

void equations(PaperItems& items) {
  figure_of_an_arm(items, "Fig. 1, n-link manipulator", robot_of_the_suite("puma560"),
                   over_all_arms(composite_bodies));
  figure_of_coupled_bodies(items, "Fig. 2, coupled bodies");
  const auto holds = [&](const char* name, const char* claim, Check check, const char* note = "") {
    items.identity(ItemKind::kEquation, name, claim, over_all_arms(check), 1e-10, note);
  };
  holds("(1), Newton-Euler equations of a link", "M_i ṫ_i + W_i M_i E_i t_i = w_i",
        newton_euler_of_a_link, "against moment and force at the mass centre, of nine arms");
  holds("(2), (3), (5), (6), M_i and t_i", "½ tᵀ M t is the kinetic energy", energy);
  holds(
      "(4), (8), the constraint wrenches vanish", "Tᵀ (M ṫ + W M E t) = Tᵀ w_E",
      [](const Printed& s) { return deviation(s.noc.torque(s.qd, s.qdd), s.newton_euler()); },
      "against the recursive Newton-Euler torques");
  holds("(7), twists by the natural orthogonal complement", "t = T θ̇", twists,
        "against the Jacobians of the points O_i");
  holds("(9), equation of motion", "I θ̈ + C θ̇ = τ", [](const Printed& s) {
    return deviation(s.noc.I() * s.qdd + s.noc.C() * s.qd, s.newton_euler());
  });
  holds("(9), GIM by the decoupled complement", "Tᵀ M T = T_dᵀ M̃ T_d",
        [](const Printed& s) { return deviation(s.noc.I_decoupled(), s.noc.I()); });
  holds(
      "(9), MCI by the decoupled complement",
      "Tᵀ (M Ṫ + W M E T) = T_dᵀ (T_lᵀ M Ṫ_l + M̃ W + M̃) T_d",
      [](const Printed& s) { return deviation(s.noc.C_decoupled(), s.noc.C()); },
      "the second M̃ is T_lᵀ W M E T_l, which the paper gives the same letter");
  holds("(10), elements of the GIM", "i_ij = p_iᵀ M̃_i A_ij p_j", elements_of_gim,
        "against `denoc`, the form that runs");
  holds("(10), elements of the MCI", "c_ij for i ≤ j and otherwise", elements_of_mci);
  holds("(10), C θ̇ of the MCI that runs", "the torques of (9)", mci_as_run,
        "`mci` has other blocks of W M E with the same C θ̇, that make Ṁ - 2C skew-symmetric");
  holds("(11), T = T_l T_d", "T_l holds A_ij, its inverse -A_i,i-1 only", decoupling);
  holds("(12), H̃_ij", "H̃_ij = M̃_i Ȧ_ij + A_i+1,iᵀ H̃_i+1,i A_ij", convective_blocks,
        "the blocks of T_lᵀ M Ṫ_l");
  holds("(13), M̃_i", "M̃_i = M_i + A_i+1,iᵀ M̃_i+1 A_i+1,i", composite_blocks,
        "the blocks of T_lᵀ M T_l are M̃_i A_ij");
  holds("section 3.1, feature ii: the composite body", "M̃_i is bodies i … n rigidly joined",
        composite_bodies);
}

namespace {

// (9) with one GIM block after the other.
double exchanged_blocks(const Printed& s) {
  const VecXd right = s.newton_euler();
  double worst = 0.0;
  const auto check = [&](InverseDynamicsAlgorithm<double>&& modular) {
    VecXd tau(s.n());
    modular.inverse_dynamics(s.model, s.joints, Vec3d::Zero(), s.qd, s.qdd, tau);
    worst = std::max(worst, deviation(tau, right));
  };
  check(GimMci<double>(s.model));
  check(GimMci<double, Crba<double>>(s.model));
  check(GimMci<double, KicMassMatrix<double>>(s.model));
  return worst;
}

}  // namespace

void contribution_3(PaperItems& items) {
  items.identity(ItemKind::kClaim, "section 6, contribution 3: blocks of GIM and MCI are replaced",
                 "(9) from separate blocks, any of which another may replace",
                 over_all_arms(exchanged_blocks), 1e-10,
                 "`gim_mci` with the GIM by `denoc`, `crba` and `kic`: the same torques");
}

}  // namespace bhangale_2004

std::vector<PaperItem> bhangale_items(const std::function<void(double)>& progress) {
  PaperItems items;
  bhangale_2004::equations(items);
  figure_of_frames(items, "Fig. 7, frames i and i+1");
  progress(0.1);
  bhangale_2004::operation_tables(items);
  progress(0.2);
  bhangale_2004::planar_arms(items);
  progress(0.4);
  bhangale_2004::spatial_arms(items);
  progress(0.7);
  bhangale_2004::judgements(items);
  bhangale_2004::contribution_3(items);
  bhangale_2004::misprints(items);
  progress(1.0);
  return items.take();
}

}  // namespace dyn::tool
