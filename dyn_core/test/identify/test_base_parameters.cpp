// What a motion can tell apart, and its name.
#include <Eigen/QR>

#include "dyn_core/identify/base_parameters.hpp"
#include "support.hpp"

namespace dyn::test::base_parameters_tests {
namespace {

TEST(BaseParameters, SayTheSameTorqueAsAllParameters) {
  Random random(20261119);
  for (const ChainPtr& chain : conformance_chains()) {
    if (chain->dof() > 12) continue;
    const BaseParameters base = base_parameters(chain);
    Regressor<> regressor(chain);
    const Index n = chain->dof(), size = regressor.layout().size();
    MatXd stack(n * 200, size), kept(stack.rows(), base.rank());
    for (Index k = 0; k < 200; ++k) {
      ASSERT_EQ(
          regressor.update(random.vector(n, 3.0), random.vector(n, 2.0), random.vector(n, 5.0)),
          Status::kOk);
      stack.middleRows(k * n, n) = regressor.Y();
    }
    for (Index r = 0; r < base.rank(); ++r) {
      kept.col(r) = stack.col(base.columns[static_cast<std::size_t>(r)]);
    }
    EXPECT_LT((kept * base.combination - stack).norm(), 1e-7 * stack.norm()) << chain->name();
    EXPECT_EQ(Eigen::ColPivHouseholderQR<MatXd>(kept).rank(), base.rank()) << chain->name();
  }
}

// Gautier and Khalil 1990: an arm of n turning joints with general twists has 7 (n-1) + 1 base parameters of its
// bodies (one more where gravity is not along the first axis: two first moments), and drives add what Izz of no
// later link says already; here 4 each, of which the first armature is Izz1.
TEST(BaseParameters, AreAsManyAsTheTextbookSays) {
  for (const Index n : {2, 3, 5, 7}) {
    ChainDescription description =
        random_chain(n, 20261119 + static_cast<std::uint64_t>(n))->description();
    description.gravity = description.base_pose.R.col(2) * -9.81;
    const BaseParameters base =
        base_parameters(std::make_shared<const Chain>(std::move(description)));
    EXPECT_EQ(base.rank(), 7 * (n - 1) + 1 + 4 * n - 1) << n;
  }
}

// Three sliding joints one after the other, at right angles: masses are all there is to tell.
TEST(BaseParameters, AreNamedInWords) {
  ChainDescription description =
      random_chain(3, 5, {.prismatic = 1.0, .right_angles = true})->description();
  for (DhRow& row : description.dh) row = {};
  description.dh[1].alpha = description.dh[1].theta = description.dh[2].alpha = 1.5707963267948966;
  description.gravity.setZero();
  const BaseParameters base =
      base_parameters(std::make_shared<const Chain>(std::move(description)));
  EXPECT_EQ(base.names[0], "armature1 + m1 + m2 + m3");
  EXPECT_EQ(base.names[1], "armature2 + m2 + m3");
  EXPECT_EQ(base.names[2], "armature3 + m3");
}

TEST(BaseParameters, OfAMotionOfOneJointAreFew) {
  const ChainPtr chain = load_robot("arm7");
  Regressor<> regressor(chain);
  const Index n = chain->dof(), size = regressor.layout().size();
  Random random(3);
  MatXd normal = MatXd::Zero(size, size);
  for (int k = 0; k < 100; ++k) {
    const VecXd one = VecXd::Unit(n, n - 1);
    ASSERT_EQ(regressor.update(random.uniform(-2.0, 2.0) * one, random.uniform(-1.0, 1.0) * one,
                               random.uniform(-3.0, 3.0) * one),
              Status::kOk);
    normal += regressor.Y().transpose() * regressor.Y();
  }
  const BaseParameters base = base_parameters(normal, parameter_names(*chain));
  EXPECT_LT(base.rank(), 40);
  EXPECT_GT(base.rank(), 6);
}

}  // namespace
}  // namespace dyn::test::base_parameters_tests
