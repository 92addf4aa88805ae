// Kang: influence coefficients against derivatives, properties (P1)-(P10) as they really hold, P*
// against Christoffel symbols by exact derivatives, and the costs the paper claims. The equations
// one by one are in kang/test_as_printed.cpp.
#include <limits>

#include "christoffel.hpp"
#include "dyn_core/math/counted.hpp"
#include "dyn_core/papers/kang/as_printed.hpp"
#include "dyn_core/papers/kang/inertia_power.hpp"
#include "dyn_core/papers/kang/mass_matrix.hpp"

namespace dyn::test::kic_tests {
namespace {

using Array = std::vector<MatXd>;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Array array(Index n) { return Array(at(n), MatXd::Constant(n, n, 1e6)); }

double largest(const Array& a) {
  double size = 0.0;
  for (const MatXd& plane : a) size = std::max(size, plane.cwiseAbs().maxCoeff());
  return size;
}

ChainPtr mixed_chain(Index n, std::uint64_t seed) {
  return random_chain(n, seed, {.prismatic = 0.4, .hayati = 0.3});
}

// ---- influence coefficients --------------------------------------------------------------------

// The KICs of a point of `link` and of its rotation, while the joints move with the given rates.
struct MovingPoint {
  MovingPoint(const ChainPtr& chain, Index link_in, const VecX<Dual>& q)
      : model(chain), kic(model), link(link_in) {
    kic.update(model, poses_of<Dual>(model, q));
    P = kic.frame(link) * Vec3<Dual>(Vec3d(0.2, -0.3, 0.4).cast<Dual>());
  }
  Model model;
  InfluenceCoefficients<Dual> kic;
  Index link;
  Vec3<Dual> P;
};

TEST(Kic, FirstOrderAreTheDerivativesOfPositionAndRotation) {
  const Index n = 6;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    const ChainPtr chain = mixed_chain(n, seed);
    const VecXd q = Random(seed).vector(n, 3.0);
    for (Index link = 0; link < n; ++link) {
      for (Index k = 0; k < n; ++k) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << " link " << link << " k " << k);
        const MovingPoint point(chain, link, moving(q, k));
        const Vec3d g = values(point.kic.translation(link, k, point.P));
        EXPECT_LE((rates(point.P) - g).norm(), 1e-14);
        const Mat3<Dual>& R = point.kic.frame(link).R;
        const Mat3d spin = rates(R) * values(R).transpose();
        EXPECT_LE((spin - skew<double>(values(point.kic.rotation(link, k)))).norm(), 1e-14);
      }
    }
  }
}

TEST(Kic, SecondOrderAreTheDerivativesOfTheFirst) {
  const Index n = 6;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    const ChainPtr chain = mixed_chain(n, seed);
    const VecXd q = Random(seed).vector(n, 3.0);
    for (Index link = 0; link < n; ++link) {
      for (Index j = 0; j < n; ++j) {
        const MovingPoint p(chain, link, moving(q, j));
        for (Index k = 0; k < n; ++k) {
          SCOPED_TRACE(::testing::Message() << seed << " link " << link << " jk " << j << k);
          const Vec3d h = values(p.kic.translation(link, j, k, p.P));
          EXPECT_LE((rates(p.kic.translation(link, k, p.P)) - h).norm(), 1e-13);
          const Vec3d h_rotation = values(p.kic.rotation(link, j, k));
          EXPECT_LE((rates(p.kic.rotation(link, k)) - h_rotation).norm(), 1e-14);
        }
      }
    }
  }
}

// ü = G φ̈ + φ̇ᵀ H φ̇ along φ(t): the derivative of G φ̇ by the dual part.
TEST(Kic, ArraysGiveVelocityAndAcceleration) {
  const Index n = 7;
  const ChainPtr chain = mixed_chain(n, 9);
  Random random(9);
  const VecXd q = random.vector(n, 3.0), qd = random.vector(n, 2.0), qdd = random.vector(n, 2.0);
  const MovingPoint p(chain, n - 2, moving(q, qd));
  InfluenceCoefficients<Dual>::Columns G(3, n), G_rotation(3, n);
  InfluenceCoefficients<Dual>::Planes H, H_rotation;
  for (auto* planes : {&H, &H_rotation}) planes->fill(MatX<Dual>(n, n));
  p.kic.translation(p.link, p.P, G, H);
  p.kic.rotation(p.link, G_rotation, H_rotation);
  EXPECT_LE((rates(p.P) - values(G) * qd).norm(), 1e-13);
  const VecX<Dual> phi_rate = moving(qd, qdd);
  const Vec3<Dual> velocity = G * phi_rate, turning = G_rotation * phi_rate;
  for (Index r = 0; r < 3; ++r) {
    const double linear = values(G).row(r) * qdd + qd.dot(values(H[at(r)]) * qd);
    const double angular = values(G_rotation).row(r) * qdd + qd.dot(values(H_rotation[at(r)]) * qd);
    EXPECT_NEAR(velocity[r].rate, linear, 1e-12);
    EXPECT_NEAR(turning[r].rate, angular, 1e-12);
  }
}

// ---- properties --------------------------------------------------------------------------------

void expect_properties_of_terms(const kang::OlderAlgorithm<double>& older) {
  const auto P1 = [&](Index i, Index j, Index k) { return older.P1()[at(i)](j, k); };
  const auto P2 = [&](Index i, Index j, Index k) { return older.P2()[at(i)](j, k); };
  const auto P3 = [&](Index i, Index j, Index k) { return older.P3()[at(i)](j, k); };
  const Index n = older.links().size();
  const double tolerance =
      1e-14 * (1.0 + largest(older.P1()) + largest(older.P2()) + largest(older.P3()));
  for (Index k = 0; k < n; ++k) {
    for (Index a = 0; a <= k; ++a) {
      for (Index b = 0; b <= k; ++b) {
        EXPECT_NEAR(P1(a, k, b), P1(a, b, k), tolerance) << "P3";
        EXPECT_NEAR(P1(k, a, b), P1(k, b, a), tolerance) << "P3";
        if (a <= b) {
          EXPECT_NEAR(P1(k, a, b), -P1(b, a, k), tolerance) << "P4";
        }
        EXPECT_NEAR(P3(a, b, k), -P3(b, a, k), tolerance) << "P7";
        if (a < k) {
          EXPECT_NEAR(P3(a, k, b), P2(b, a, k), tolerance) << "P9";
          EXPECT_NEAR(P3(k, a, b), -P2(b, a, k), tolerance) << "P10";
        }
        if (a < b && b < k) {
          EXPECT_NEAR(P2(k, a, b), P3(a, b, k), tolerance) << "P6'";
        }
      }
      EXPECT_NEAR(P1(k, a, k), 0.0, tolerance) << "P5";
      EXPECT_NEAR(P1(k, k, a), 0.0, tolerance) << "P5";
      for (Index i = 0; i < n; ++i) EXPECT_EQ(P2(i, k, a), 0.0) << "P6";
      EXPECT_EQ(P3(a, a, k), 0.0) << "P8";
    }
  }
}

TEST(InertiaPower, TermsHaveTheirProperties) {
  for (const std::uint64_t seed : {21u, 22u, 23u}) {
    for (const ChainPtr& chain : {random_chain(5, seed), mixed_chain(6, seed)}) {
      SCOPED_TRACE(chain->name());
      const Model model(chain);
      kang::OlderAlgorithm<double> older(model);
      older.update(model, poses_of<double>(model, Random(seed).vector(model.size(), 3.0)));
      expect_properties_of_terms(older);
    }
  }
}

// Both algorithms at one configuration of a chain.
struct Power {
  Power(const ChainPtr& chain, const VecXd& q)
      : model(chain), n(model.size()), I(n, n), P(array(n)) {
    const auto poses = poses_of<double>(model, q);
    InertiaPower<double>(model).inertia_and_power(model, poses, I, P);
    kang::OlderAlgorithm<double> older(model);
    older.update(model, poses);
    I_full = older.I();
    P_full = older.P();
  }
  Model model;
  Index n;
  MatXd I, I_full;
  Array P, P_full;
};

template <class Check>
void for_small_chains(Check check) {
  for (const ChainPtr& chain : small_chains()) {
    for (const std::uint64_t seed : {31u, 32u}) {
      SCOPED_TRACE(chain->name() + ", seed " + std::to_string(seed));
      check(chain, Random(seed).vector(chain->joint_count(), 3.0));
    }
  }
}

TEST(InertiaPower, InertiaIsSymmetricPositiveDefiniteAndTheSameForBoth) {
  for_small_chains([](const ChainPtr& chain, const VecXd& q) {
    const Power both(chain, q);
    const MatXd expected = brute_force_mass_matrix<double>(chain, q);
    const double tolerance = 64.0 * kEpsilon * expected.cwiseAbs().maxCoeff();
    EXPECT_LE((both.I - expected).cwiseAbs().maxCoeff(), tolerance);
    EXPECT_LE((both.I_full - expected).cwiseAbs().maxCoeff(), tolerance);
    EXPECT_EQ(both.I, both.I.transpose());
    EXPECT_EQ(both.I.llt().info(), Eigen::Success);
  });
}

TEST(InertiaPower, SymmetricPartIsTheChristoffelSymbols) {
  for_small_chains([](const ChainPtr& chain, const VecXd& q) {
    const Power both(chain, q);
    const Array expected = brute_force_christoffel(chain, q);
    const double tolerance = 256.0 * kEpsilon * both.I.cwiseAbs().maxCoeff();
    for (Array P : {both.P, both.P_full}) {
      make_christoffel_symbols<double>(P);
      for (Index i = 0; i < both.n; ++i) {
        EXPECT_LE((P[at(i)] - expected[at(i)]).cwiseAbs().maxCoeff(), tolerance) << "i " << i;
      }
    }
  });
}

TEST(InertiaPower, MakesTheTorqueOfMotion) {
  for_small_chains([](const ChainPtr& chain, const VecXd& q) {
    const Power both(chain, q);
    const VecXd qd = Random(5).vector(both.n, 2.0);
    const VecXd expected = brute_force_coriolis(chain, q, qd) * qd;
    const double tolerance = 256.0 * kEpsilon * both.I.cwiseAbs().maxCoeff() * qd.squaredNorm();
    for (Index i = 0; i < both.n; ++i) {
      EXPECT_NEAR(qd.dot(both.P[at(i)] * qd), expected[i], tolerance);
      EXPECT_NEAR(qd.dot(both.P_full[at(i)] * qd), expected[i], tolerance);
    }
  });
}

// What (P1)-(P10) say about the sum of the three terms.
TEST(InertiaPower, ElementsOfTheOuterPlanesFollowFromTheInner) {
  for_small_chains([](const ChainPtr& chain, const VecXd& q) {
    const Power both(chain, q);
    const double tolerance = 64.0 * kEpsilon * both.I.cwiseAbs().maxCoeff();
    for (const Array& P : {both.P, both.P_full}) {
      for (Index k = 0; k < both.n; ++k) {
        for (Index a = 0; a <= k; ++a) {
          EXPECT_NEAR(P[at(k)](a, k), 0.0, tolerance);
          EXPECT_NEAR(P[at(k)](k, a), 0.0, tolerance);
          for (Index b = 0; b < k; ++b) {
            const double expected = a < b ? -P[at(b)](a, k) : -P[at(a)](k, b);
            EXPECT_NEAR(P[at(k)](a, b), expected, tolerance);
          }
        }
      }
    }
  });
}

TEST(InertiaPower, NeedsNoMassAtTheTip) {
  ChainDescription description;
  description.coordinate_names = {"a", "b", "c"};
  Random random(5);
  for (Index i = 0; i < 3; ++i) {
    Joint joint;
    joint.coordinate = i;
    description.joints.push_back(joint);
    description.dh.push_back(i == 0 ? DhRow{} : DhRow{0.3, 1.1, 0.0, 0.1, 0.4});
    description.links.push_back({"link", i == 2 ? RigidBody{} : random_body(random), {}, {}});
  }
  const auto chain = std::make_shared<const Chain>(std::move(description));
  const Power both(chain, Random(5).vector(3, 3.0));
  EXPECT_TRUE(both.I.allFinite());
  for (const MatXd& plane : both.P) EXPECT_TRUE(plane.allFinite());
  EXPECT_LE((both.I - both.I_full).norm(), 1e-14);
}

// ---- costs -------------------------------------------------------------------------------------

template <class Run>
OperationCount count(const Model& model, Run run) {
  VecX<Counted> q(model.size());
  for (Index i = 0; i < q.size(); ++i) q[i] = Counted::variable(0.2 * static_cast<double>(i) - 1.0);
  const auto poses = poses_of<Counted>(model, q);
  Counted::reset(CountingRule::kGeneral);
  run(poses);
  return Counted::count();
}

TEST(Kic, CostsLessThanThePaperSays) {
  for (const Index n : {2, 6, 7, 12, 30}) {
    SCOPED_TRACE(n);
    const Model model(random_chain(n, 1));
    MatX<Counted> I(n, n);
    std::vector<MatX<Counted>> P(at(n), I);
    KicMassMatrix<Counted> mass_matrix(model);
    InertiaPower<Counted> power(model);
    const OperationCount inertia =
        count(model, [&](const auto& poses) { mass_matrix.mass_matrix(model, poses, I); });
    const OperationCount both =
        count(model, [&](const auto& poses) { power.inertia_and_power(model, poses, I, P); });
    const Index n2 = n * n, n3 = n2 * n;
    EXPECT_LE(2 * inertia.multiplications, 13 * n2 + 289 * n - 342);
    EXPECT_LE(2 * inertia.additions, 9 * n2 + 243 * n - 272);
    EXPECT_LE(both.multiplications, 3 * n3 + 11 * n2 + 129 * n - 171);
    EXPECT_LE(6 * both.additions, 23 * n3 + 39 * n2 + 691 * n - 828);
    // What the banners state.
    EXPECT_EQ(inertia.multiplications, 3 * n2 + 106 * n - 153);
    EXPECT_EQ(2 * inertia.additions, 5 * n2 + 189 * n - 256);
    EXPECT_EQ(2 * both.multiplications, 5 * n3 + 30 * n2 + 171 * n - 294);
    EXPECT_EQ(3 * both.additions, 8 * n3 + 27 * n2 + 235 * n - 363);
  }
}

}  // namespace
}  // namespace dyn::test::kic_tests
