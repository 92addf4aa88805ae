// Link frames, Jacobians and manipulability against the URDF's own numbers, derivatives and
// formulas.
#include <cstdio>

#include <Eigen/LU>

#include "dyn_core/math/dual.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "support.hpp"
#include "urdf_text.hpp"

namespace dyn::test::kinematics_tests {
namespace {

constexpr double kTolerance = 1e-9;  // m, and rotation matrix entries

double difference(const Posed& a, const Posed& b) {
  return std::max((a.p - b.p).cwiseAbs().maxCoeff(), (a.R - b.R).cwiseAbs().maxCoeff());
}

// The largest difference over all link frames and the tip; NaN counts as infinite.
double fk_error(const UrdfText& robot, const ChainPtr& chain, const VecXd& q) {
  Positions positions;
  for (Index k = 0; k < chain->dof(); ++k) {
    positions[chain->coordinate_names()[static_cast<std::size_t>(k)]] = q[k];
  }
  const auto poses = link_poses(robot, chain->base(), positions);
  Kinematics<double> kinematics(chain);
  EXPECT_EQ(kinematics.update(q), Status::kOk);
  double worst = difference(kinematics.tip_pose(), poses.at(chain->tip()));
  for (Index i = 0; i < chain->joint_count(); ++i) {
    const std::string& name = chain->links()[static_cast<std::size_t>(i)].name;
    const double error = difference(kinematics.link_pose(i), poses.at(name));
    worst = error <= worst ? worst : error;
  }
  return std::isnan(worst) ? std::numeric_limits<double>::infinity() : worst;
}

double inside(Random& random, const JointLimits& limits) {
  return std::isfinite(limits.lower) ? random.uniform(limits.lower, limits.upper)
                                     : random.uniform(-M_PI, M_PI);
}

/// Random configurations, all joints at their lower and upper limits, and each joint at either.
std::vector<VecXd> configurations(const ChainPtr& chain, Random& random) {
  const Index n = chain->dof();
  std::vector<VecXd> all(7, VecXd(n));
  for (Index k = 0; k < n; ++k) {
    const JointLimits& limits = chain->coordinate_joint(k).limits;
    const bool limited = std::isfinite(limits.lower);
    for (std::size_t i = 0; i < 3; ++i) all[i][k] = inside(random, limits);
    all[3][k] = limited ? limits.lower : -M_PI;
    all[4][k] = limited ? limits.upper : M_PI;
    all[5][k] = random.chance(0.5) ? all[3][k] : all[4][k];
    all[6][k] = all[5][k] == all[3][k] ? all[4][k] : all[3][k];
  }
  return all;
}

double size_of(const UrdfText& robot) {
  double size = 0.0;
  for (const TextJoint& joint : robot.joints) size += joint.xyz.norm();
  return size;
}

double largest_parameter(const Chain& chain) {
  double largest = 0.0;
  for (const DhRow& row : chain.dh()) {
    largest = std::max({largest, std::abs(row.a), std::abs(row.d)});
  }
  return largest;
}

TEST(Kinematics, RobotsOfThisPackage) {
  Random random(1);
  for (const std::string& name : robot_names()) {
    const UrdfText robot = read_text(robot_path(name));
    const ChainPtr chain = load_robot(name);
    ASSERT_GE(static_cast<Index>(robot.joints.size()), chain->dof()) << name;
    for (const VecXd& q : configurations(chain, random)) {
      EXPECT_LT(fk_error(robot, chain, q), 1e-13) << name << " at " << q.transpose();
    }
    EXPECT_LE(largest_parameter(*chain), size_of(robot)) << name;
  }
}

TEST(Kinematics, ThousandRandomChains) {
  double worst = 0.0, longest = 0.0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto n = static_cast<Index>(1 + seed % 60);
    const UrdfText robot = random_robot(n, seed);
    UrdfOptions options;
    options.tip = "tip";
    const auto chain = parse_urdf(to_text(robot), options);
    ASSERT_TRUE(chain) << seed << ": " << chain.error().sentence;
    ASSERT_EQ((*chain)->dof(), n);
    Random random(seed);
    for (const VecXd& q : configurations(*chain, random)) {
      const double error = fk_error(robot, *chain, q);
      EXPECT_LT(error, kTolerance) << "seed " << seed << ", q = " << q.transpose();
      worst = std::max(worst, error);
    }
    if (n == 1) continue;
    EXPECT_LE(largest_parameter(**chain), 100.0 * size_of(robot)) << "seed " << seed;
    longest = std::max(longest, largest_parameter(**chain) / size_of(robot));
  }
  std::printf("largest difference %.2g, longest parameter %.2g of the robot's size\n", worst,
              longest);
}

TEST(Kinematics, FloatFollowsDouble) {
  for (const std::string& name : robot_names()) {
    const ChainPtr chain = load_robot(name);
    Random random(3);
    const VecXd q = random.vector(chain->dof(), 1.5);
    Kinematics<double> exact(chain);
    Kinematics<float> rough(chain);
    ASSERT_EQ(exact.update(q), Status::kOk);
    ASSERT_EQ(rough.update(q.cast<float>()), Status::kOk);
    EXPECT_LT((exact.tip_pose().p - rough.tip_pose().p.cast<double>()).norm(), 1e-5) << name;
    EXPECT_LT((exact.tip_pose().R - rough.tip_pose().R.cast<double>()).norm(), 1e-5) << name;
  }
}

// ---- derivatives --------------------------------------------------------------------------------

// Robots, random chains, and one with mimic joints on it.
std::vector<ChainPtr> chains_to_differentiate() {
  std::vector<ChainPtr> chains = conformance_chains();
  UrdfText robot = random_robot(9, 77);
  robot.joint("joint2").mimic = "joint5", robot.joint("joint2").multiplier = -0.7;
  robot.joint("joint4").mimic = "joint2", robot.joint("joint4").offset = 0.3;
  robot.joint("joint9").mimic = "joint1", robot.joint("joint9").multiplier = 2.5;
  UrdfOptions options;
  options.tip = "tip";
  const auto chain = parse_urdf(to_text(robot), options);
  EXPECT_TRUE(chain) << chain.error().sentence;
  if (chain) chains.push_back(*chain);
  return chains;
}

VecX<Dual> dual(const VecXd& value, const VecXd& rate) {
  VecX<Dual> x(value.size());
  for (Index i = 0; i < value.size(); ++i) x[i] = Dual(value[i], rate[i]);
  return x;
}
template <class Matrix>
MatXd rates(const Matrix& m) {
  return m.unaryExpr([](const Dual& x) { return x.rate; }).template cast<double>();
}
template <class Matrix>
MatXd values(const Matrix& m) {
  return m.unaryExpr([](const Dual& x) { return x.value; }).template cast<double>();
}

// A point fixed to link i, moved by the rates of q: its velocity and the link's angular velocity.
Vec6<double> twist_by_dual(const ChainPtr& chain, const VecX<Dual>& q, Index i,
                           const Vec3d& local) {
  Kinematics<Dual> kinematics(chain);
  EXPECT_EQ(kinematics.update(q), Status::kOk);
  const Pose<Dual> pose = kinematics.link_pose(i);
  const Vec3<Dual> point = pose * Vec3<Dual>(local.cast<Dual>());
  const Mat3d spin = rates(pose.R) * values(pose.R).transpose();
  Vec6<double> twist;
  twist << rates(point), spin(2, 1), spin(0, 2), spin(1, 0);
  return twist;
}

TEST(Kinematics, JacobianIsTheDerivativeOfEveryLinksPose) {
  Random random(5);
  for (const ChainPtr& chain : chains_to_differentiate()) {
    const Index n = chain->dof();
    const VecXd q = random.vector(n, 2.0);
    const Vec3d local = random.vector(0.5);
    Kinematics<double> kinematics(chain);
    ASSERT_EQ(kinematics.update(q), Status::kOk);
    for (const Index i : {Index(0), chain->joint_count() / 2, chain->joint_count() - 1}) {
      MatXd J(6, n);
      const Vec3d point = kinematics.link_pose(i) * local;
      ASSERT_EQ(kinematics.jacobian(i, point, J), Status::kOk);
      for (Index k = 0; k < n; ++k) {
        const Vec6<double> twist = twist_by_dual(chain, dual(q, VecXd::Unit(n, k)), i, local);
        EXPECT_LT((J.col(k) - twist).norm(), 1e-12 * (1.0 + twist.norm()))
            << chain->name() << " link " << i << " coordinate " << k;
      }
    }
  }
}

TEST(Kinematics, TipJacobianIsTheFiniteDifferenceOfTheTip) {
  Random random(6);
  for (const std::string& name : robot_names()) {
    const ChainPtr chain = load_robot(name);
    const Index n = chain->dof();
    const VecXd q = random.vector(n, 1.0);
    Kinematics<double> kinematics(chain);
    ASSERT_EQ(kinematics.update(q), Status::kOk);
    MatXd J(6, n);
    ASSERT_EQ(kinematics.jacobian(J), Status::kOk);
    const double h = 1e-6;
    for (Index k = 0; k < n; ++k) {
      ASSERT_EQ(kinematics.update(VecXd(q + h * VecXd::Unit(n, k))), Status::kOk);
      const Posed after = kinematics.tip_pose();
      ASSERT_EQ(kinematics.update(VecXd(q - h * VecXd::Unit(n, k))), Status::kOk);
      const Posed before = kinematics.tip_pose();
      const Mat3d turn =
          (after.R * before.R.transpose() - before.R * after.R.transpose()) / (4.0 * h);
      Vec6<double> twist;
      twist << (after.p - before.p) / (2.0 * h), turn(2, 1), turn(0, 2), turn(1, 0);
      EXPECT_LT((J.col(k) - twist).norm(), 1e-8) << name << " coordinate " << k;
    }
  }
}

TEST(Kinematics, JacobianRateTimesVelocityIsTheRateOfTheTwist) {
  Random random(8);
  for (const ChainPtr& chain : chains_to_differentiate()) {
    const Index n = chain->dof();
    const VecXd q = random.vector(n, 2.0), qd = random.vector(n, 3.0);
    const Vec3d local = random.vector(0.5);
    Kinematics<double> kinematics(chain);
    Kinematics<Dual> moving(chain);
    ASSERT_EQ(kinematics.update(q), Status::kOk);
    ASSERT_EQ(moving.update(dual(q, qd)), Status::kOk);
    for (const Index i : {Index(0), chain->joint_count() / 2, chain->joint_count() - 1}) {
      MatX<Dual> J(6, n);
      const Vec3<Dual> point = moving.link_pose(i) * Vec3<Dual>(local.cast<Dual>());
      ASSERT_EQ(moving.jacobian(i, point, J), Status::kOk);
      const VecXd expected = rates(J) * qd;
      Vec6<double> result = Vec6<double>::Zero();
      ASSERT_EQ(kinematics.jacobian_rate_times_velocity(qd, i, values(point), result), Status::kOk);
      EXPECT_LT((result - expected).norm(),
                1e-12 * (1.0 + expected.norm()) * static_cast<double>(n))
          << chain->name() << " link " << i;
    }
  }
}

TEST(Kinematics, WrongSizesAreRefused) {
  const ChainPtr chain = load_robot("puma560");
  Kinematics<double> kinematics(chain);
  EXPECT_EQ(kinematics.update(VecXd::Zero(5)), Status::kWrongSize);
  EXPECT_EQ(kinematics.update(VecXd::Zero(6)), Status::kOk);
  MatXd narrow(6, 5), low(3, 6);
  EXPECT_EQ(kinematics.jacobian(narrow), Status::kWrongSize);
  EXPECT_EQ(kinematics.jacobian(low), Status::kWrongSize);
  Vec6<double> out;
  EXPECT_EQ(kinematics.jacobian_rate_times_velocity(VecXd::Zero(7), 5, Vec3d::Zero(), out),
            Status::kWrongSize);
}

// ---- manipulability -----------------------------------------------------------------------------

double manipulability_at(const ChainPtr& chain, const VecXd& q) {
  Kinematics<double> kinematics(chain);
  EXPECT_EQ(kinematics.update(q), Status::kOk);
  MatXd J(6, chain->dof());
  EXPECT_EQ(kinematics.jacobian(J), Status::kOk);
  return manipulability(*chain, J);
}

// Bhangale 2004, Tables III and V.
TEST(Manipulability, FormulasOfThePapers) {
  struct Case {
    const char* robot;
    double (*formula)(const VecXd&);
  };
  const Case cases[] = {
      {"rp", [](const VecXd& q) { return std::abs(q[1]); }},
      {"pr", [](const VecXd& q) { return 0.8584 * std::abs(std::cos(q[1])); }},
      {"rtx3", [](const VecXd& q) { return 0.432 * 0.2 * std::abs(std::sin(q[2])); }},
      {"stanford3", [](const VecXd& q) { return q[2] * q[2] * std::abs(std::sin(q[1])); }},
  };
  Random random(9);
  for (const Case& c : cases) {
    const ChainPtr chain = load_robot(c.robot);
    for (int i = 0; i < 50; ++i) {
      const VecXd q = random.vector(chain->dof(), 3.0);
      EXPECT_NEAR(manipulability_at(chain, q), c.formula(q), 1e-12 * (1.0 + c.formula(q)))
          << c.robot;
    }
  }
}

TEST(Manipulability, OfThePlanarArmItIsThatOfThePlane) {
  const ChainPtr chain = load_robot("planar3r");
  ASSERT_TRUE(chain->is_planar());
  Random random(10);
  for (int i = 0; i < 20; ++i) {
    const VecXd q = random.vector(3, 3.0);
    MatXd J(2, 3);  // of the tip in its plane, by hand
    const double lengths[] = {0.30, 0.25, 0.22};
    J.setZero();
    double angle = 0.0;
    for (Index k = 0; k < 3; ++k) {
      angle += q[k];
      for (Index j = 0; j <= k; ++j) {
        J.col(j) += lengths[k] * Eigen::Vector2d(-std::sin(angle), std::cos(angle));
      }
    }
    const double expected = std::sqrt((J * J.transpose()).determinant());
    EXPECT_NEAR(manipulability_at(chain, q), expected, 1e-12);
  }
}

TEST(Manipulability, OfASixJointArmItIsTheDeterminant) {
  for (const char* name : {"puma560", "stanford"}) {
    const ChainPtr chain = load_robot(name);
    Random random(11);
    const VecXd q = random.vector(6, 2.0);
    Kinematics<double> kinematics(chain);
    ASSERT_EQ(kinematics.update(q), Status::kOk);
    MatXd J(6, 6);
    ASSERT_EQ(kinematics.jacobian(J), Status::kOk);
    EXPECT_NEAR(manipulability(*chain, J), std::abs(J.determinant()), 1e-13) << name;
  }
}

TEST(Manipulability, PlanarMeansParallelAxesAndSlidesAcrossThem) {
  for (const char* name : {"planar3r", "rp", "pr"})
    EXPECT_TRUE(load_robot(name)->is_planar()) << name;
  for (const char* name : {"puma560", "stanford", "rtx3", "stanford3", "arm7"}) {
    EXPECT_FALSE(load_robot(name)->is_planar()) << name;
  }
}

}  // namespace
}  // namespace dyn::test::kinematics_tests
