// Saha 2003, Table II: both arms row by row, and what its misprints would do.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "dyn_core/papers/saha_2003/as_printed_links.hpp"
#include "dyn_core/papers/saha_2003/printed.hpp"
#include "dyn_core/solver.hpp"
#include "saha_parts.hpp"
#include "saha_runs.hpp"
#include "sketch.hpp"

namespace dyn::tool {
namespace {

using saha::TableTwo;
using saha::TableTwoRow;

std::string table_two_text(const TableTwoRow& row) {
  const std::string b = row.prismatic ? "b_3" : fmt::format("{}", row.b);
  return fmt::format("a {} b {} α {}, m {}, r ({}), I ({})", row.a, b, row.alpha, row.m,
                     fmt::join(row.r, ", "), fmt::join(row.I, ", "));
}

double rounded(double x) { return std::round(x * 1e10) / 1e10 + 0.0; }

// Row `i` of 1 … 6 of the robot description, whose link frames are those of Appendix A: frame i+1 in frame
// i turned by θ_i, slid by b_i where prismatic; all joints at zero.
TableTwoRow row_of(const ChainPtr& chain, Index i) {
  Kinematics<double> at_zero(chain);
  require(at_zero.update(VecXd(VecXd::Zero(6))), "kinematics");
  const Posed frame = at_zero.link_pose(i - 1);
  const Posed next = i < 6 ? at_zero.link_pose(i) : at_zero.tip_pose();
  const Posed T{frame.R.transpose() * next.R, frame.R.transpose() * (next.p - frame.p)};
  const RigidBody& body = chain->links()[static_cast<std::size_t>(i - 1)].body;
  const Posed dh = at_zero.dh_pose(i - 1);
  const Vec3d r = next.R.transpose() * (next.p - dh * body.com);
  const Mat3d to_next = next.R.transpose() * dh.R;
  const Mat3d I = to_next * body.inertia * to_next.transpose();
  const double alpha = std::atan2(T.R(2, 1), T.R(1, 1)) * 180.0 / std::numbers::pi;
  TableTwoRow out{.a = rounded(T.p.x()),
                  .b = rounded(T.p.z()),
                  .alpha = rounded(alpha),
                  .prismatic = chain->coordinate_joint(i - 1).is_prismatic(),
                  .m = body.mass,
                  .r = {},
                  .I = {}};
  for (Index k = 0; k < 3; ++k) {
    out.r[static_cast<std::size_t>(k)] = rounded(r[k]);
    out.I[static_cast<std::size_t>(k)] = rounded(I(k, k));
  }
  return out;
}

void rows(PaperItems& items, const char* which, const ChainPtr& chain, const TableTwo& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const TableTwoRow found = row_of(chain, static_cast<Index>(i) + 1);
    const TableTwoRow& printed = table[i];
    const std::string measured = table_two_text(found);
    const bool agrees = measured == table_two_text(printed);
    std::string note =
        agrees ? "" : "no body has a negative moment of inertia: the magnitude is used";
    if (i == 0 && chain->base_pose().p.z() != 0.0) {
      note = fmt::format("the running recursions have b_1 = 0: their frame 0 stands {} m up Z_1",
                         rounded(chain->base_pose().p.z()));
    }
    items.add(ItemKind::kTable, fmt::format("Table II({}), link {}", which, i + 1),
              table_two_text(printed), measured, agrees, std::move(note));
  }
}

double least_eigenvalue(const ChainPtr& chain) {
  Solver solver = require(Solver::make(chain, {.mass_matrix = "crba"}));
  MatXd M(chain->dof(), chain->dof());
  require(solver.mass_matrix(VecXd(VecXd::Zero(chain->dof())), M), "mass matrix");
  return M.selfadjointView<Eigen::Lower>().eigenvalues()[0];
}

// PUMA with the inertias as they are printed.
ChainPtr puma_as_printed(const ChainPtr& chain) {
  ChainDescription arm = chain->description();
  const Model model(chain);
  for (Index i = 1; i <= 6; ++i) {
    const saha::LinkInput link(model, i);
    const auto& printed = saha::kPuma[static_cast<std::size_t>(i - 1)].I;
    const Mat3d I = Eigen::Map<const Vec3d>(printed.data()).asDiagonal();
    // Frame i+1 from the link's own frame: a turn about X_i+1 by α.
    const Mat3d R = Eigen::AngleAxisd(std::atan2(link.alpha.s, link.alpha.c), Vec3d::UnitX())
                        .toRotationMatrix();
    arm.links[static_cast<std::size_t>(i - 1)].body.inertia = R * I * R.transpose();
  }
  return std::make_shared<const Chain>(std::move(arm));
}

// The arm by the origins of its link frames, seen along one axis.
Chart silhouette(const SahaExperiment& e, const char* title, Index across, Index up) {
  Kinematics<double> at(e.chain);
  require(at.update(e.start), "kinematics");
  std::vector<Vec3d> links = {Vec3d::Zero()};
  for (Index i = 0; i < 6; ++i) links.push_back(at.link_pose(i).p);
  links.push_back(at.tip_pose().p);
  const Vec3d X_1 = Vec3d::UnitX();
  return Sketch(title, {Vec3d::Unit(across), Vec3d::Unit(up)},
                fmt::format("{}_1, m", "XYZ"[across]), fmt::format("{}_1, m", "XYZ"[up]))
      .line("links", links)
      .line("X_1", {-0.2 * X_1, 0.2 * X_1}, true)
      .take();
}

void saha_figure_3(PaperItems& items) {
  for (const auto& [which, robot] :
       {std::pair("(i) Stanford arm", "stanford"), std::pair("(ii) PUMA robot", "puma560")}) {
    const SahaExperiment e = saha_experiment(robot);
    Kinematics<double> at(e.chain);
    require(at.update(e.start), "kinematics");
    const Vec3d tip = at.tip_pose().p;
    items.figure(fmt::format("Fig. 3{}", which), "six joints, in the initial configuration",
                 fmt::format("O_7 at ({:.3f}, {:.3f}, {:.3f}) m", tip.x(), tip.y(), tip.z()), {},
                 {silhouette(e, "from the side", 0, 2), silhouette(e, "from above", 0, 1)},
                 "the line through the origins O_1 … O_7");
  }
}

}  // namespace

void saha_table_2(PaperItems& items) {
  saha_figure_3(items);
  const ChainPtr stanford = saha_robot("stanford"), puma = saha_robot("puma560");
  rows(items, "i", stanford, saha::kStanford);
  rows(items, "ii", puma, saha::kPuma);
  const double with_signs = least_eigenvalue(puma_as_printed(puma));
  items.add(
      ItemKind::kErratum, "Table II(ii): I_yy1, I_zz3, I_yy4, I_zz5 are negative",
      "-1.612, -0.3009, -0.1273, -0.0735", "their magnitudes", false,
      fmt::format("the least eigenvalue of I at θ = 0 is {:.4f} with the signs and {:.4f} without: "
                  "only then is I positive definite, which (11) and section 2.1 ask for",
                  with_signs, least_eigenvalue(puma)));
}

}  // namespace dyn::tool
