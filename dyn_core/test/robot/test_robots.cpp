// The robots of this package against the tables of the papers they are written from: Saha 2003,
// Table II, and Bhangale 2004, Table IV, with the conventions of their Appendix A.
#include <Eigen/Eigenvalues>

#include "support.hpp"
#include "urdf_text.hpp"

namespace dyn::test::robots_tests {
namespace {

constexpr double kPi = M_PI;

// One row of a table. The joint variable replaces b for a prismatic joint, theta otherwise.
struct TableRow {
  double a, b, alpha;
  bool prismatic;
  double mass;
  Vec3d r;        // from the mass centre to O_(i+1), in frame i+1
  Vec3d moments;  // I_xx, I_yy, I_zz about the mass centre, along frame i+1
};

// The magnitudes of Saha's I_yy1, I_zz3, I_yy4, I_zz5, which are printed with minus signs.
const std::vector<TableRow> kPuma = {
    {0.0, 0.0, -kPi / 2, false, 10.521, {0, 0, 0.054}, {1.612, 1.612, 0.5091}},
    {0.432, 0.149, 0.0, false, 15.761, {0.292, 0, 0}, {0.4898, 8.0783, 8.2672}},
    {0.02, 0.0, kPi / 2, false, 8.767, {-0.02, 0, -0.197}, {3.3768, 3.3768, 0.3009}},
    {0.0, 0.432, -kPi / 2, false, 1.052, {0, -0.057, 0}, {0.181, 0.1273, 0.181}},
    {0.0, 0.0, kPi / 2, false, 1.052, {0, 0, -0.007}, {0.0735, 0.1273, 0.0735}},
    {0.0, 0.056, 0.0, false, 0.351, {0, 0, 0.019}, {0.0071, 0.0071, 0.0141}},
};
const std::vector<TableRow> kStanford = {
    {0.0, 0.1, -kPi / 2, false, 9.0, {0, -0.1, 0}, {0.01, 0.02, 0.01}},
    {0.0, 0.1, -kPi / 2, false, 6.0, {0, 0, 0}, {0.05, 0.06, 0.01}},
    {0.0, 0.0, 0.0, true, 4.0, {0, 0, 0}, {0.4, 0.4, 0.01}},
    {0.0, 0.6, kPi / 2, false, 1.0, {0, -0.1, 0}, {0.001, 0.001, 0.0005}},
    {0.0, 0.0, -kPi / 2, false, 0.6, {0, 0, 0}, {0.0005, 0.0005, 0.0002}},
    {0.0, 0.0, 0.0, false, 0.5, {0, 0, 0}, {0.003, 0.001, 0.002}},
};
const std::vector<TableRow> kRtx3 = {
    {0.0, 0.0, 0.0, true, 9.0, {0, 0, 0.054}, {0.1, 0.02, 0.1}},
    {0.432, 0.01, 0.0, false, 6.0, {0.292, 0, 0}, {0.5, 0.6, 0.01}},
    {0.2, 0.01, 0.0, false, 4.0, {-0.02, 0, 0}, {0.4, 0.4, 0.1}},
};
const std::vector<TableRow> kStanford3 = {
    {0.0, 0.1, -kPi / 2, false, 9.0, {-0.1, 0, 0.1}, {0.1, 0.02, 0.1}},
    {0.0, 0.1, -kPi / 2, false, 6.0, {0, 0, 0.5}, {0.5, 0.6, 0.01}},
    {0.0, 0.0, 0.0, true, 4.0, {0, 0, 0.4}, {0.4, 0.4, 0.1}},
};

Posed about_z(double angle, double shift) {
  return {Eigen::AngleAxisd(angle, Vec3d::UnitZ()).toRotationMatrix(), shift * Vec3d::UnitZ()};
}
Posed about_x(double angle, double shift) {
  return {Eigen::AngleAxisd(angle, Vec3d::UnitX()).toRotationMatrix(), shift * Vec3d::UnitX()};
}

void expect_pose(const Posed& actual, const Posed& expected, const std::string& what) {
  EXPECT_LT((actual.p - expected.p).norm(), 1e-13) << what;
  EXPECT_LT((actual.R - expected.R).norm(), 1e-13) << what;
}

// Frames, masses, mass centres and inertias of every link at `q`.
void expect_table(const ChainPtr& chain, const std::vector<TableRow>& table, const VecXd& q) {
  Kinematics<double> kinematics(chain);
  ASSERT_EQ(kinematics.update(q), Status::kOk);
  Posed frame;  // i of the paper, in frame 1
  for (std::size_t i = 0; i < table.size(); ++i) {
    const TableRow& row = table[i];
    const auto index = static_cast<Index>(i);
    const std::string what = chain->name() + " link " + std::to_string(i + 1);
    const double theta = row.prismatic ? 0.0 : q[index], b = row.prismatic ? q[index] : row.b;
    expect_pose(kinematics.link_pose(index), frame * about_z(theta, row.prismatic ? b : 0.0), what);
    frame = frame * about_z(theta, b) * about_x(row.alpha, row.a);

    const RigidBody& body = chain->links()[i].body;
    const Posed dh = kinematics.dh_pose(index);
    EXPECT_DOUBLE_EQ(body.mass, row.mass) << what;
    EXPECT_LT((dh * body.com - frame * Vec3d(-row.r)).norm(), 1e-13) << what;
    const Mat3d inertia = dh.R * body.inertia * dh.R.transpose();
    const Mat3d expected = frame.R * row.moments.asDiagonal() * frame.R.transpose();
    EXPECT_LT((inertia - expected).norm(), 1e-13 * row.moments.norm()) << what;
  }
  expect_pose(kinematics.tip_pose(), frame, chain->name() + " tool0");
}

void expect_table_everywhere(const std::string& name, const std::vector<TableRow>& table) {
  const ChainPtr chain = load_robot(name);
  ASSERT_EQ(chain->dof(), static_cast<Index>(table.size()));
  EXPECT_EQ(chain->base(), "base_link");
  EXPECT_EQ(chain->base_body().mass, 0.0);
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(chain->joints()[i].is_prismatic(), table[i].prismatic) << name << " joint " << i + 1;
  }
  Random random(12);
  expect_table(chain, table, VecXd::Zero(chain->dof()));
  for (int i = 0; i < 20; ++i) expect_table(chain, table, random.vector(chain->dof(), 3.0));
}

TEST(Robots, Puma560IsSahasTableII) { expect_table_everywhere("puma560", kPuma); }
TEST(Robots, StanfordIsSahasTableII) { expect_table_everywhere("stanford", kStanford); }
TEST(Robots, Rtx3IsBhangalesTableIV) { expect_table_everywhere("rtx3", kRtx3); }
TEST(Robots, Stanford3IsBhangalesTableIV) { expect_table_everywhere("stanford3", kStanford3); }

TEST(Robots, TipsOfThePlanarArms) {
  Random random(13);
  for (int i = 0; i < 20; ++i) {
    const VecXd q = random.vector(3, 3.0);
    Kinematics<double> rp(load_robot("rp")), pr(load_robot("pr")), planar(load_robot("planar3r"));
    ASSERT_EQ(rp.update(q.head(2)), Status::kOk);
    ASSERT_EQ(pr.update(q.head(2)), Status::kOk);
    ASSERT_EQ(planar.update(q), Status::kOk);
    const Vec3d rp_tip(q[1] * std::cos(q[0]), q[1] * std::sin(q[0]), 0.0);
    const Vec3d pr_tip(q[0] + 0.8584 * std::cos(q[1]), 0.8584 * std::sin(q[1]), 0.0);
    Vec3d planar_tip = Vec3d::Zero();  // a vertical plane: x and z of the base
    const double lengths[] = {0.30, 0.25, 0.22};
    double angle = 0.0;
    for (Index k = 0; k < 3; ++k) {
      angle += q[k];
      planar_tip += lengths[k] * Vec3d(std::cos(angle), 0.0, std::sin(angle));
    }
    EXPECT_LT((rp.tip_pose().p - rp_tip).norm(), 1e-14);
    EXPECT_LT((pr.tip_pose().p - pr_tip).norm(), 1e-14);
    EXPECT_LT((planar.tip_pose().p - planar_tip).norm(), 1e-14);
  }
}

VecXd eigenvalues_at_zero(const ChainPtr& chain) {
  const MatXd M = brute_force_mass_matrix<double>(chain, VecXd::Zero(chain->dof()));
  return M.selfadjointView<Eigen::Lower>().eigenvalues();
}

TEST(Robots, SmallestEigenvalueOfThePumasMassMatrix) {
  EXPECT_NEAR(eigenvalues_at_zero(load_robot("puma560"))[0], 0.0131, 5e-5);
}

TEST(Robots, ThePumaAsPrintedIsRefusedByLinkAndRule) {
  const std::string path = std::string(DYN_TEST_DATA_DIR) + "/urdf/bad_puma560_as_printed.urdf";
  const auto refused = load_urdf(path);
  ASSERT_FALSE(refused);
  for (const char* word : {"link 'link1'", "not positive semi-definite", "-1.612", "allow"}) {
    EXPECT_NE(refused.error().sentence.find(word), std::string::npos) << refused.error().sentence;
  }
  UrdfOptions options;
  options.allow_nonphysical = true;
  const auto accepted = load_urdf(path, options);
  ASSERT_TRUE(accepted) << accepted.error().sentence;
  EXPECT_GE((*accepted)->warnings().size(), 4u);
  EXPECT_LT(eigenvalues_at_zero(*accepted)[0], 0.0);

  std::vector<TableRow> printed = kPuma;
  printed[0].moments[1] *= -1.0, printed[2].moments[2] *= -1.0;
  printed[3].moments[1] *= -1.0, printed[4].moments[2] *= -1.0;
  expect_table(*accepted, printed, Random(14).vector(6, 3.0));
}

TEST(Robots, WarningsAreThoseTheBannersExplain) {
  for (const std::string& name : robot_names()) {
    const ChainPtr chain = load_robot(name);
    const std::vector<std::string>& warnings = chain->warnings();
    const bool damaged_table = name == "rtx3" || name == "stanford3";
    ASSERT_EQ(warnings.size(), damaged_table ? 1u : 0u) << name;
    if (damaged_table) {
      EXPECT_NE(warnings[0].find("link 'link2'"), std::string::npos) << warnings[0];
      EXPECT_NE(warnings[0].find("triangle inequality"), std::string::npos) << warnings[0];
    }
  }
}

TEST(Robots, Arm7IsCompleteAndCarriesItsGripper) {
  const ChainPtr chain = load_robot("arm7");
  ASSERT_EQ(chain->dof(), 7);
  for (const Joint& joint : chain->joints()) {
    EXPECT_TRUE(std::isfinite(joint.limits.effort) && joint.limits.effort > 0.0) << joint.name;
    EXPECT_TRUE(std::isfinite(joint.limits.velocity)) << joint.name;
    EXPECT_GT(joint.damping, 0.0) << joint.name;
    EXPECT_GT(joint.friction, 0.0) << joint.name;
  }
  const std::vector<std::string>& carried = chain->links().back().carried;
  for (const char* link : {"flange", "hand", "finger_left_link", "finger_right_link", "tool0"}) {
    EXPECT_NE(std::find(carried.begin(), carried.end(), link), carried.end()) << link;
  }
  EXPECT_GT(eigenvalues_at_zero(chain)[0], 1e-4);
}

}  // namespace
}  // namespace dyn::test::robots_tests
