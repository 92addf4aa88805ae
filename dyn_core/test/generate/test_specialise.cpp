// Batch::specialise(): code that is compiled while the program runs, against the general kernels.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include <unistd.h>

#include "dyn_core/fast/batch.hpp"
#include "dyn_core/fast/fast_dynamics.hpp"
#include "support.hpp"

namespace dyn::test::specialise_tests {
namespace {

namespace fs = std::filesystem;

constexpr Index kStates = 11;  // no multiple of a packet

// An environment variable for the time of a test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name); before != nullptr) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (before_.empty()) {
      unsetenv(name_);
    } else {
      setenv(name_, before_.c_str(), 1);
    }
  }

 private:
  const char* name_;
  std::string before_;
};

class Specialise : public ::testing::Test {
 protected:
  Specialise()
      : cache_(fs::path(::testing::TempDir()) / ("dyn_cache_" + std::to_string(getpid()))),
        variable_("XDG_CACHE_HOME", cache_.string()) {
    fs::create_directories(cache_);
  }
  ~Specialise() override {
    force_simd_target("");
    fs::remove_all(cache_);
  }
  void SetUp() override {
    if (std::system("command -v c++ >/dev/null") != 0) GTEST_SKIP() << "no c++ here";
  }
  [[nodiscard]] std::size_t files() const {
    const auto all = fs::directory_iterator(cache_ / "dyn");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  fs::path cache_;
  Variable variable_;
};

// A batch and another of the same model with code of its own, and what they answer.
struct Two {
  explicit Two(const Model& model)
      : general(std::move(Batch::make(model).value())),
        own(std::move(Batch::make(model).value())),
        n(model.size()),
        q(n, kStates),
        qd(n, kStates),
        x(n, kStates),
        a(n, kStates),
        b(n, kStates),
        A(n * n, kStates),
        B(n * n, kStates) {
    Random random(17);
    for (BatchArray* array : {&q, &qd, &x}) {
      for (Index k = 0; k < kStates; ++k) array->set(k, random.vector(n, 2.0));
    }
  }
  static double difference(const BatchArray& a, const BatchArray& b) {
    double most = 0.0, size = 0.0;
    for (Index k = 0; k < kStates; ++k) {
      for (Index row = 0; row < a.rows(); ++row) {
        most = std::max(most, std::abs(a(row, k) - b(row, k)));
        size = std::max(size, std::abs(b(row, k)));
      }
    }
    return most / size;
  }
  void expect_equal() {
    EXPECT_EQ(own.mass_matrix(q, A), general.mass_matrix(q, B));
    EXPECT_LE(difference(A, B), 1e-14);
    EXPECT_EQ(own.bias_torque(q, qd, a), general.bias_torque(q, qd, b));
    EXPECT_LE(difference(a, b), 1e-13);
    EXPECT_EQ(own.inverse_dynamics(q, qd, x, a), general.inverse_dynamics(q, qd, x, b));
    EXPECT_LE(difference(a, b), 1e-13);
    EXPECT_EQ(own.forward_dynamics(q, qd, b, a), general.forward_dynamics(q, qd, b, a));
    // What accelerates as was asked for; the wrist of an arm may be a million times lighter than all of it.
    EXPECT_EQ(own.forward_dynamics(q, qd, b, a), Status::kOk);
    EXPECT_LE(difference(a, x), 1e-9);
  }

  Batch general, own;
  Index n;
  BatchArray q, qd, x, a, b, A, B;
};

Model loaded(const char* robot) {
  Model model(load_robot(robot));
  for (Index i = 0; i < model.size(); i += 3) model.set_armature(i, 0.2);
  model.set_gravity({1.0, -2.0, -9.0});
  return model;
}

TEST_F(Specialise, AgreesOnAllRobotsOfTheSuite) {
  for (const auto& entry : fs::directory_iterator(DYN_ROBOTS_DIR)) {
    SCOPED_TRACE(entry.path().stem().string());
    Two two(loaded(entry.path().stem().c_str()));
    const auto done = two.own.specialise();
    ASSERT_TRUE(done) << done.error().sentence;
    EXPECT_TRUE(two.own.is_specialised());
    EXPECT_FALSE(two.general.is_specialised());
    two.expect_equal();
  }
}

TEST_F(Specialise, AgreesOnEveryInstructionSetAndOnSlidesAndTwists) {
  for (const std::string_view target : simd_targets()) {
    SCOPED_TRACE(target);
    ASSERT_TRUE(force_simd_target(target));
    for (const ChainPtr& chain :
         {load_robot("puma560"), random_chain(5, 3, {.prismatic = 0.4, .hayati = 0.3})}) {
      Two two{Model(chain)};
      const auto done = two.own.specialise();
      ASSERT_TRUE(done) << done.error().sentence;
      EXPECT_EQ(two.own.target(), target);
      two.expect_equal();
    }
  }
}

// What the code has no answer to is the general kernels': far angles, numbers that are not finite, no inverse.
TEST_F(Specialise, LeavesWhatIsUnusualToTheKernels) {
  Two two(loaded("stanford3"));
  ASSERT_TRUE(two.own.specialise());
  two.q(0, 9) = 3e6;
  two.expect_equal();
  two.qd(1, 2) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(two.own.forward_dynamics(two.q, two.qd, two.x, two.a), Status::kNotFinite);
  two.q(0, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(two.own.mass_matrix(two.q, two.A), Status::kNotFinite);
  for (Index k = 0; k < kStates; ++k) EXPECT_TRUE(k == 2 || std::isfinite(two.A(0, k)));
}

TEST_F(Specialise, AnotherModelOrPayloadsEndIt) {
  const Model model = loaded("planar3r");
  Two two(model);
  ASSERT_TRUE(two.own.specialise());
  const std::vector<RigidBody> payloads(kStates,
                                        RigidBody{2.0, Vec3d(0.1, 0.0, 0.2), Mat3d::Identity()});
  two.own.set_payloads(payloads);
  two.general.set_payloads(payloads);
  two.expect_equal();
  two.own.set_payloads({});
  two.general.set_payloads({});
  two.own.set_model(model);
  EXPECT_TRUE(two.own.is_specialised());
  Model moon = model;
  moon.set_gravity({0.0, 0.0, -1.62});
  two.own.set_model(moon);
  two.general.set_model(moon);
  EXPECT_FALSE(two.own.is_specialised());
  two.expect_equal();
}

TEST_F(Specialise, StepsAndTablesAreThoseOfTheArrays) {
  Two two(loaded("puma560"));
  ASSERT_TRUE(two.own.specialise());
  two.expect_equal();
  Two other(loaded("puma560"));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(two.own.step(1e-3, two.x, two.q, two.qd, BatchIntegrator::kRungeKutta4), Status::kOk);
    ASSERT_EQ(two.general.step(1e-3, other.x, other.q, other.qd, BatchIntegrator::kRungeKutta4),
              Status::kOk);
  }
  EXPECT_LE(Two::difference(two.q, other.q), 1e-12);
  VecXd q(6 * kStates), M(36 * kStates);
  for (Index k = 0; k < kStates; ++k) two.q.get(k, q.segment(6 * k, 6));
  const BatchRows in[] = {{q.data(), 6}};
  double* const out[] = {M.data()};
  ASSERT_EQ(two.own.answer(BatchQuery::kMassMatrix, kStates, in, out), Status::kOk);
  ASSERT_EQ(two.own.mass_matrix(two.q, two.A), Status::kOk);
  for (Index k = 0; k < kStates; ++k) EXPECT_EQ(M[36 * k + 7], two.A(7, k));
}

TEST_F(Specialise, CompilesOnceAndLeavesNothingElseInTheFolder) {
  const Model model = loaded("rp");
  ASSERT_TRUE(Two(model).own.specialise());
  EXPECT_EQ(files(), 1u);
  const Variable compiler("CXX", "/nowhere/c++");
  EXPECT_TRUE(Two(model).own.specialise()) << "the file is there";
  const auto other = Two(loaded("pr")).own.specialise();
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().sentence.find("no C++ compiler"), std::string::npos);
  EXPECT_NE(other.error().sentence.find("/nowhere/c++"), std::string::npos);
  EXPECT_EQ(files(), 1u);
  Two general(loaded("pr"));
  (void)general.own.specialise();
  general.expect_equal();
}

TEST_F(Specialise, ACompilerThatFailsIsNamed) {
  const Variable compiler("CXX", "false");
  const auto done = Two(loaded("rp")).own.specialise();
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().sentence.find("'false'"), std::string::npos);
}

// Others could plant code where they may write.
TEST_F(Specialise, TakesNothingFromFilesOfOthers) {
  const Model model = loaded("rp");
  ASSERT_TRUE(Two(model).own.specialise());
  const fs::path folder = cache_ / "dyn", file = fs::directory_iterator(folder)->path();
  fs::permissions(file, fs::perms::group_write, fs::perm_options::add);
  const auto shared = Two(model).own.specialise();
  ASSERT_FALSE(shared);
  EXPECT_NE(shared.error().sentence.find(file.string()), std::string::npos);
  const fs::path moved = cache_ / "elsewhere.so";
  fs::rename(file, moved);
  fs::permissions(moved, fs::perms::group_write, fs::perm_options::remove);
  fs::create_symlink(moved, file);
  EXPECT_FALSE(Two(model).own.specialise()) << "a link";
  fs::remove(file);
  fs::permissions(folder, fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(Two(model).own.specialise()) << "others may write to the folder";
  fs::permissions(folder, fs::perms::others_write, fs::perm_options::remove);
  EXPECT_TRUE(Two(model).own.specialise());
  // Code of another robot under this one's name, and what is no code at all.
  const fs::path again = fs::directory_iterator(folder)->path();
  fs::remove(again);
  std::ofstream(again) << "no library";
  fs::permissions(again, fs::perms::owner_all);
  EXPECT_FALSE(Two(model).own.specialise());
}

}  // namespace
}  // namespace dyn::test::specialise_tests
