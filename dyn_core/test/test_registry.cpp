// An algorithm that a program adds is one more: this one is in every test that reads the registry.
#include <vector>

#include "dyn_core/registry.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/solver.hpp"
#include "support.hpp"

namespace dyn::test::registry_tests {
namespace {

// M = Σ_i Jᵀ_i M_i J_i over the links, column by column, as textbooks define it.
class Textbook final : public MassMatrixAlgorithm<double> {
 public:
  explicit Textbook(const Model& model)
      : own_frames_(static_cast<std::size_t>(model.size())),
        linear_(3, model.size()),
        angular_(3, model.size()) {}

  void mass_matrix(const Model& model, Joints<double> joints, MatOut<double> M) override {
    const auto frames = frames_of<double>(model, joints, own_frames_);
    M.setZero();
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const LinkModel& link = model.links()[i];
      const Mat3d I = rotated(frames[i].R, link.inertia_com).matrix();
      const Vec3d centre = frames[i].p + frames[i].R * link.com;
      for (std::size_t j = 0; j <= i; ++j) {
        const Vec3d axis = frames[j].R.col(2);
        const bool slides = model.links()[j].prismatic;
        linear_.col(static_cast<Index>(j)) = slides ? axis : axis.cross(centre - frames[j].p);
        angular_.col(static_cast<Index>(j)) = slides ? Vec3d::Zero() : axis;
      }
      for (Index row = 0; row <= static_cast<Index>(i); ++row) {
        for (Index column = 0; column <= row; ++column) {
          M(row, column) += link.mass * linear_.col(row).dot(linear_.col(column)) +
                            angular_.col(row).dot(I * angular_.col(column));
          M(column, row) = M(row, column);
        }
      }
    }
  }

 private:
  std::vector<Posed> own_frames_;
  Eigen::Matrix3Xd linear_, angular_;
};

const Entry<MassMatrixAlgorithm<double>> kTextbook{
    "textbook", "any textbook", "O(n³)", make_algorithm<MassMatrixAlgorithm<double>, Textbook>};
const Result<void> kRegistered = register_algorithm(kTextbook);

TEST(Registry, ASolverTakesAnAlgorithmOfTheProgramsOwn) {
  ASSERT_TRUE(kRegistered.has_value()) << kRegistered.error().sentence;
  EXPECT_EQ(mass_matrix_algorithms<double>().back().name, "textbook");
  const ChainPtr chain = random_chain(7, 3, {.prismatic = 0.3});
  Solver solver = Solver::make(chain, {.mass_matrix = "textbook"}).value();
  Solver reference = Solver::make(chain).value();
  EXPECT_EQ(solver.algorithms().mass_matrix, "textbook");
  const VecXd q = Random(5).vector(7, 1.0);
  MatXd M(7, 7), expected(7, 7);
  ASSERT_EQ(solver.mass_matrix(q, M), Status::kOk);
  ASSERT_EQ(reference.mass_matrix(q, expected), Status::kOk);
  EXPECT_LT((M - expected).norm(), 1e-13 * expected.norm());
}

TEST(Registry, ANameIsTakenOnce) {
  Entry<MassMatrixAlgorithm<double>> entry = kTextbook;
  for (const char* name : {"", "textbook", "crba", "generated"}) {
    entry.name = name;
    const Result<void> refused = register_algorithm(entry);
    ASSERT_FALSE(refused.has_value()) << name;
    EXPECT_NE(refused.error().sentence.find(name), std::string::npos);
  }
  entry.name = "no maker", entry.make = nullptr;
  EXPECT_FALSE(register_algorithm(entry).has_value());
  EXPECT_EQ(mass_matrix_algorithms<double>().back().name, "textbook");
}

TEST(Registry, UnknownNamesListTheProgramsOwnToo) {
  const auto refused = Solver::make(random_chain(3, 1), {.mass_matrix = "text book"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().sentence.find(" textbook"), std::string::npos)
      << refused.error().sentence;
}

}  // namespace
}  // namespace dyn::test::registry_tests
