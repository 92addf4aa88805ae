// Every Coriolis algorithm: C q̇ and C itself against exact derivatives of the brute-force mass
// matrix, Ṁ - 2C, the paper's own W M E, closed forms, and the costs the papers claim.
#include <limits>

#include "christoffel.hpp"
#include "dyn_core/math/counted.hpp"
#include "dyn_core/registry.hpp"
#include "planar_chain.hpp"

namespace dyn::test::coriolis_tests {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

template <class Scalar>
MatX<Scalar> coriolis_matrix(std::string_view name, const Model& model, const VecX<Scalar>& q,
                             const VecX<Scalar>& qd) {
  // A matrix full of something else: every element has to be written.
  MatX<Scalar> C = MatX<Scalar>::Constant(model.size(), model.size(), Scalar(1e6));
  const auto* entry = find(coriolis_algorithms<Scalar>(), name);
  EXPECT_NE(entry, nullptr);
  entry->make(model)->coriolis_matrix(model, poses_of<Scalar>(model, q), qd, C);
  return C;
}

// A chain with all a test needs to know of it at one state.
struct State {
  State(const ChainPtr& chain_in, std::uint64_t seed) : chain(chain_in), model(chain) {
    Random random(seed);
    q = random.vector(model.size(), 3.0);
    qd = random.vector(model.size(), 2.0);
    scale = brute_force_mass_matrix<double>(chain, q).cwiseAbs().maxCoeff();
    scale *= qd.cwiseAbs().maxCoeff();
    christoffel = brute_force_coriolis(chain, q, qd);
  }
  [[nodiscard]] MatXd C(std::string_view name) const {
    return coriolis_matrix<double>(name, model, q, qd);
  }
  /// Ṁ along the motion.
  [[nodiscard]] MatXd mass_rate() const {
    return rates(brute_force_mass_matrix<Dual>(chain, moving(q, qd)));
  }

  ChainPtr chain;
  Model model;
  VecXd q, qd;
  double scale;
  MatXd christoffel;
};

template <class Check>
void for_states(Check check) {
  for (const ChainPtr& chain : small_chains()) {
    for (const std::uint64_t seed : {1u, 2u}) {
      SCOPED_TRACE(chain->name() + ", seed " + std::to_string(seed));
      check(State(chain, seed));
    }
  }
}

double largest(const MatXd& m) { return m.cwiseAbs().maxCoeff(); }

TEST(Coriolis, MatrixTimesVelocityIsTheCoriolisTorque) {
  for_states([](const State& s) {
    const VecXd expected = s.christoffel * s.qd;
    for (const auto& entry : coriolis_algorithms<double>()) {
      SCOPED_TRACE(entry.name);
      const VecXd torque = s.C(entry.name) * s.qd;
      const double speed = s.qd.cwiseAbs().maxCoeff();
      EXPECT_LE(largest(torque - expected), 256.0 * kEpsilon * s.scale * speed);
    }
  });
}

TEST(Coriolis, MciAndKicAreTheChristoffelMatrix) {
  for_states([](const State& s) {
    for (const char* name : {"mci", "kic"}) {
      SCOPED_TRACE(name);
      EXPECT_LE(largest(s.C(name) - s.christoffel), 256.0 * kEpsilon * s.scale);
    }
  });
}

TEST(Coriolis, MassRateMinusTwiceTheMatrixIsSkewSymmetric) {
  for_states([](const State& s) {
    for (const char* name : {"mci", "kic"}) {
      SCOPED_TRACE(name);
      const MatXd S = s.mass_rate() - 2.0 * s.C(name);
      EXPECT_LE(largest(S + S.transpose()), 512.0 * kEpsilon * s.scale);
    }
  });
}

// Tᵀ (M Ṫ + W M E T) link by link, eq. (1), (2), (7)-(9); Ṫ by the dual part. O_l is the foot of the
// common normal of the axes l-1 and l, b_l before the origin of the link frame; that of a slide is
// the origin.
MatXd printed_by_definition(const ChainPtr& chain, const VecXd& q, const VecXd& qd) {
  const Index n = q.size();
  Kinematics<Dual> kinematics(chain);
  EXPECT_EQ(kinematics.update(moving(q, qd)), Status::kOk);
  MatX<Dual> J(6, n);
  MatXd C = MatXd::Zero(n, n);
  for (Index l = 0; l < n; ++l) {
    const auto link = static_cast<std::size_t>(l);
    const double b = chain->joints()[link].is_prismatic() ? 0.0 : chain->dh()[link].d;
    const Pose<Dual> pose = kinematics.dh_pose(l);
    const Vec3<Dual> O = pose * Vec3<Dual>(Dual(0.0), Dual(0.0), Dual(-b));
    EXPECT_EQ(kinematics.jacobian(l, O, J), Status::kOk);
    MatX<Dual> T(6, n);
    T << J.bottomRows(3), J.topRows(3);
    const RigidBody& body = chain->links()[link].body;
    const Mat3d R = values(pose.R);
    const Mat3d d = skew<double>(R * (body.com + Vec3d(0.0, 0.0, b))), md = body.mass * d;
    const Mat3d I = R * body.inertia * R.transpose() - d * md;
    const Mat3d omega = skew<double>(Vec3d((values(T) * qd).head<3>()));
    Mat6<double> M, WME = Mat6<double>::Zero();
    M << I, md, -md, body.mass * Mat3d::Identity();
    WME.topLeftCorner<3, 3>() = omega * I;
    WME.bottomLeftCorner<3, 3>() = -omega * md;
    C += values(T).transpose() * (M * rates(T) + WME * values(T));
  }
  return C;
}

TEST(Coriolis, PrintedMciIsThePapersDefinition) {
  for_states([](const State& s) {
    const MatXd expected = printed_by_definition(s.chain, s.q, s.qd);
    EXPECT_LE(largest(s.C("mci_printed") - expected), 512.0 * kEpsilon * s.scale);
  });
}

TEST(Coriolis, PrintedMciIsNotSkewInSpaceButPowerless) {
  const State s(random_chain(6, 3), 3);
  const MatXd S = s.mass_rate() - 2.0 * s.C("mci_printed");
  EXPECT_GT(largest(S + S.transpose()), 1e-3 * s.scale);
  const double power = s.qd.dot(S * s.qd);
  EXPECT_NEAR(power, 0.0, 512.0 * kEpsilon * s.scale * s.qd.squaredNorm());
}

TEST(Coriolis, PrintedMciIsSkewInAPlane) {
  for (const char* name : {"planar3r", "rp", "pr"}) {
    SCOPED_TRACE(name);
    const State s(load_robot(name), 4);
    const MatXd S = s.mass_rate() - 2.0 * s.C("mci_printed");
    EXPECT_LE(largest(S + S.transpose()), 256.0 * kEpsilon * s.scale);
  }
}

TEST(Coriolis, OfTwoLinksInAPlaneHasItsClosedForm) {
  for (const std::uint64_t seed : {5u, 6u, 7u}) {
    SCOPED_TRACE(seed);
    const ChainPtr chain = planar_chain(2, seed);
    const State s(chain, seed);
    const VecXd expected = TwoLinks(*chain).coriolis(s.q[1] + chain->dh()[1].theta, s.qd);
    for (const auto& entry : coriolis_algorithms<double>()) {
      EXPECT_LE((s.C(entry.name) * s.qd - expected).norm(), 1e-13 * s.scale) << entry.name;
    }
  }
}

TEST(Coriolis, OfPlanarChainsIsTheChristoffelMatrix) {
  std::vector<ChainPtr> chains;
  for (const std::uint64_t seed : {11u, 12u, 13u}) {
    chains.push_back(planar_chain(5, seed, true));
    for (const char* kinds : kPlanarKinds) {
      chains.push_back(planar_chain_with_slides(kinds, seed));
    }
  }
  for (const ChainPtr& chain : chains) {
    const State s(chain, 8);
    SCOPED_TRACE(chain->name());
    EXPECT_TRUE(chain->is_planar());
    for (const auto& entry : coriolis_algorithms<double>()) {
      SCOPED_TRACE(entry.name);
      EXPECT_LE(largest(s.C(entry.name) - s.christoffel), 256.0 * kEpsilon * s.scale);
    }
  }
}

TEST(Coriolis, IsZeroAtRestAndForSlidesOnly) {
  const State s(random_chain(6, 9, {.prismatic = 0.3}), 9), slides(random_chain(5, 9, {1.0}), 9);
  for (const auto& entry : coriolis_algorithms<double>()) {
    SCOPED_TRACE(entry.name);
    EXPECT_EQ(largest(coriolis_matrix<double>(entry.name, s.model, s.q, VecXd::Zero(6))), 0.0);
    EXPECT_LE(largest(slides.C(entry.name)), 64.0 * kEpsilon * slides.scale);
  }
}

TEST(Coriolis, HoldsInFloatAndCarriesItsDerivative) {
  const State s(random_chain(5, 10, {.prismatic = 0.3, .hayati = 0.3}), 10);
  const VecXd direction = Random(10).vector(5, 1.0);
  const VecX<Dual> rate = s.qd.cast<Dual>();
  const double step = 1e-6;
  for (const auto& entry : coriolis_algorithms<float>()) {
    SCOPED_TRACE(entry.name);
    const MatXd C = s.C(entry.name);
    const MatX<float> C_float =
        coriolis_matrix<float>(entry.name, s.model, s.q.cast<float>(), s.qd.cast<float>());
    EXPECT_LE(largest(C_float.cast<double>() - C), 1e-5 * s.scale);
    const auto along = [&](double t) {
      return coriolis_matrix<double>(entry.name, s.model, s.q + t * direction, s.qd);
    };
    const MatXd slope = (along(step) - along(-step)) / (2.0 * step);
    const MatXd exact =
        rates(coriolis_matrix<Dual>(entry.name, s.model, moving(s.q, direction), rate));
    EXPECT_LE(largest(exact - slope), 1e-8 * s.scale);
  }
}

TEST(Coriolis, GimMciAndKicInverseDynamicsAreTheEquationOfMotion) {
  for_states([](const State& s) {
    const VecXd qdd = Random(20).vector(s.q.size(), 2.0);
    const MatXd M = brute_force_mass_matrix<double>(s.chain, s.q);
    VecXd expected = M * qdd + s.christoffel * s.qd, tau(s.q.size());
    for (Index k = 0; k < s.q.size(); ++k) {
      Kinematics<Dual> kinematics(s.chain);
      ASSERT_EQ(kinematics.update(moving(s.q, k)), Status::kOk);
      for (Index l = 0; l < s.q.size(); ++l) {
        const RigidBody& body = s.chain->links()[static_cast<std::size_t>(l)].body;
        const Vec3<Dual> com = kinematics.dh_pose(l) * Vec3<Dual>(body.com.cast<Dual>());
        expected[k] -= body.mass * s.chain->gravity().dot(rates(com));
      }
    }
    const double scale = (10.0 + s.scale) * (1.0 + s.qd.cwiseAbs().maxCoeff());
    for (const char* name : {"gim_mci", "kic"}) {
      const auto* entry = find(inverse_dynamics_algorithms<double>(), name);
      ASSERT_NE(entry, nullptr) << name;
      entry->make(s.model)->inverse_dynamics(s.model, poses_of<double>(s.model, s.q),
                                             s.model.gravity(), s.qd, qdd, tau);
      EXPECT_LE((tau - expected).cwiseAbs().maxCoeff(), 1024.0 * kEpsilon * scale) << name;
    }
  });
}

// ---- costs -------------------------------------------------------------------------------------

OperationCount count(std::string_view name, const ChainPtr& chain, CountingRule rule) {
  const Model model(chain);
  VecX<Counted> q(model.size()), qd(model.size());
  for (Index i = 0; i < q.size(); ++i) {
    q[i] = Counted::variable(0.3 + 0.2 * static_cast<double>(i));
    qd[i] = Counted::variable(0.7 - 0.1 * static_cast<double>(i));
  }
  const auto poses = poses_of<Counted>(model, q);
  MatX<Counted> C(model.size(), model.size());
  const auto algorithm = find(coriolis_algorithms<Counted>(), name)->make(model);
  Counted::reset(rule);
  algorithm->coriolis_matrix(model, poses, qd, C);
  return Counted::count();
}

TEST(Coriolis, CostsNoMoreThanThePapersSay) {
  for (const Index n : {2, 6, 7, 12, 30}) {
    for (const char* name : {"mci", "kic"}) {
      SCOPED_TRACE(name + (" n = " + std::to_string(n)));
      const auto* entry = find(coriolis_algorithms<Counted>(), name);
      const OperationCount c = count(name, random_chain(n, 1), CountingRule::kGeneral);
      EXPECT_LE(c.multiplications, entry->paper_count(n, false).multiplications);
      EXPECT_LE(c.additions, entry->paper_count(n, false).additions);
      const OperationCount p = count(name, planar_chain(n, 1, true), CountingRule::kGeneral);
      EXPECT_LE(p.multiplications, entry->paper_count(n, true).multiplications);
      EXPECT_LE(p.additions, entry->paper_count(n, true).additions);
    }
  }
}

TEST(Coriolis, MciCostsWhatItsBannerStates) {
  for (const Index n : {3, 6, 7, 12, 30}) {
    SCOPED_TRACE(n);
    const OperationCount c = count("mci", random_chain(n, 1), CountingRule::kGeneral);
    EXPECT_EQ(2 * c.multiplications, 15 * n * n + 179 * n - 344);
    EXPECT_EQ(2 * c.additions, 13 * n * n + 223 * n - 436);
    const OperationCount p = count("mci", planar_chain(n, 1), CountingRule::kGeneral);
    EXPECT_EQ(p.multiplications, 2 * n * n + 6 * n - 8);
    EXPECT_EQ(p.additions, 2 * n * n + 7 * n - 9);
  }
}

TEST(Coriolis, CustomisedCostsAreBelowTheTables) {
  struct Row {
    const char* robot;
    OperationCount limit;
  };
  for (const Row& row : {Row{"rp", {26, 14}}, Row{"pr", {28, 18}}, Row{"rtx3", {389, 317}},
                         Row{"stanford3", {522, 352}}}) {
    const OperationCount c = count("mci", load_robot(row.robot), CountingRule::kCustomised);
    EXPECT_LE(c.multiplications, row.limit.multiplications) << row.robot;
    EXPECT_LE(c.additions, row.limit.additions) << row.robot;
  }
}

}  // namespace
}  // namespace dyn::test::coriolis_tests
