// Kang as printed: each numbered equation against what it claims and against what runs.
#include <limits>

#include "dyn_core/papers/classic/rnea.hpp"
#include "dyn_core/papers/kang/as_printed_modified.hpp"
#include "dyn_core/papers/kang/inertia_power.hpp"
#include "dyn_core/papers/kang/inverse_dynamics.hpp"
#include "dyn_core/papers/kang/mass_matrix.hpp"
#include "papers/christoffel.hpp"
#include "papers/planar_chain.hpp"

namespace dyn::test::kang_as_printed_tests {
namespace {

using Array = std::vector<MatXd>;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double largest(const MatXd& m) { return m.cwiseAbs().maxCoeff(); }

// One state of a chain.
struct State {
  State(const ChainPtr& chain_in, std::uint64_t seed)
      : chain(chain_in), model(chain), n(model.size()) {
    Random random(seed);
    q = random.vector(n, 3.0);
    qd = random.vector(n, 2.0);
    qdd = random.vector(n, 2.0);
    poses = poses_of<double>(model, q);
    M = brute_force_mass_matrix<double>(chain, q);
  }
  // Round-off of something of the size of M times `factor`.
  [[nodiscard]] double tolerance(double factor = 1.0) const {
    return 128.0 * kEpsilon * (1.0 + largest(M)) * factor;
  }
  ChainPtr chain;
  Model model;
  Index n;
  VecXd q, qd, qdd;
  std::vector<JointPose<double>> poses;
  MatXd M;
};

// Robots, and random chains: revolute, mixed, with Hayati's angle, prismatic, planar.
template <class Check>
void for_states(Check check) {
  std::vector<ChainPtr> chains = small_chains();
  for (const Index n : {2, 3, 5}) {
    chains.push_back(planar_chain(n, 81));
    chains.push_back(planar_chain(n, 82, true));
  }
  for (const ChainPtr& chain : chains) {
    for (const std::uint64_t seed : {41u, 42u}) {
      SCOPED_TRACE(chain->name() + ", seed " + std::to_string(seed));
      check(State(chain, seed));
    }
  }
}

// ---- (5)-(10) ----------------------------------------------------------------------------------

TEST(KangOlderAlgorithm, InertiaIsTheMassMatrix) {
  for_states([](const State& state) {
    kang::OlderAlgorithm<double> older(state.model);
    older.update(state.model, state.poses);
    EXPECT_LE(largest(older.I() - state.M), state.tolerance());  // (9)
  });
}

TEST(KangOlderAlgorithm, LoadsOfTheLinksAreThoseOfTheModelAndOfNewtonEuler) {
  for_states([](const State& state) {
    kang::OlderAlgorithm<double> older(state.model);
    older.update(state.model, state.poses);
    VecXd of_links(state.n), of_model(state.n), expected(state.n);
    older.loads(state.qd, state.qdd, of_links);           // (5)-(7)
    older.loads_of_model(state.qd, state.qdd, of_model);  // (8)-(10)
    Rnea<double>(state.model)
        .inverse_dynamics(state.model, state.poses, Vec3d::Zero(), state.qd, state.qdd, expected);
    const double tolerance = state.tolerance(state.qd.squaredNorm() + state.qdd.norm());
    EXPECT_LE((of_links - expected).norm(), tolerance);
    EXPECT_LE((of_model - expected).norm(), tolerance);
    KicInverseDynamics<double>(state.model)
        .inverse_dynamics(state.model, state.poses, Vec3d::Zero(), state.qd, state.qdd, of_model);
    EXPECT_LE((of_model - expected).norm(), tolerance);
  });
}

// ---- (11)-(18) ---------------------------------------------------------------------------------

TEST(KangMomenta, LinearMomentumByLinksColumnsJointsAndAugmentedBodies) {
  for_states([](const State& state) {
    kang::Momenta<double> momenta(state.model);
    momenta.update(state.model, state.poses);
    kang::Momenta<Dual> travelling(state.model);
    travelling.update(state.model, poses_of<Dual>(state.model, moving(state.q, state.qd)));
    Vec3d P = Vec3d::Zero();
    for (Index k = 0; k < state.n; ++k) {
      P += momenta.links()[k].M * rates(travelling.links()[k].c);
    }
    const double tolerance = state.tolerance(state.qd.norm());
    EXPECT_LE((momenta.linear_of_links(state.qd) - P).norm(), tolerance);    // (11)
    EXPECT_LE((momenta.linear_of_columns(state.qd) - P).norm(), tolerance);  // (12)
    EXPECT_LE((momenta.linear_of_joints(state.qd) - P).norm(), tolerance);   // (13)
    EXPECT_LE((momenta.linear(state.qd) - P).norm(), tolerance);             // (16)
    for (Index k = 0; k < state.n; ++k) {
      const Vec3d P_k = momenta.linear_of_joint(k, state.qd[k]);
      EXPECT_LE((momenta.linear(k, state.qd[k]) - P_k).norm(), tolerance);  // (14)
      const kang::PrintedAugmentedBody<double>& b = momenta.body(k);
      EXPECT_LE((b.gc - b.Gc.col(k)).norm(), tolerance);  // (15): the KIC of the point c*_k
    }
  });
}

// The angular momentum of the links about O_0, against (17) with each L^k about its own c*_k.
TEST(KangMomenta, AngularMomentumIsThatOfTheAugmentedBodiesAboutTheirMassCentres) {
  double without_moments = 0.0;
  for_states([&](const State& state) {
    kang::Momenta<double> momenta(state.model);
    momenta.update(state.model, state.poses);
    Vec3d of_links = Vec3d::Zero(), of_bodies = of_links, sum = of_links;
    for (Index k = 0; k < state.n; ++k) {
      const kang::PrintedLink<double>& link = momenta.links()[k];
      of_links +=
          link.c.cross(Vec3d(link.M * (link.Gc * state.qd))) + link.II * Vec3d(link.G * state.qd);
      const Vec3d L_k = momenta.angular(k, state.qd[k]);
      of_bodies += L_k + momenta.centre(k).cross(momenta.linear(k, state.qd[k]));
      sum += L_k;
    }
    EXPECT_LE((of_bodies - of_links).norm(), state.tolerance(state.qd.norm()));  // (17), (18)
    // Neither about O_0 nor about the mass centre of the whole is the plain sum the momentum.
    const Vec3d P = momenta.linear(state.qd);
    const Vec3d about_centre = of_links - momenta.centre(0).cross(P);
    without_moments =
        std::max({without_moments, std::min((sum - of_links).norm(), (sum - about_centre).norm())});
  });
  EXPECT_GT(without_moments, 0.1);
}

// M φ̇ is the momentum of the links, and of the augmented bodies, projected on every joint.
TEST(KangMomenta, ProjectedOnTheJointsAreTheMassMatrixTimesTheRates) {
  for_states([](const State& state) {
    kang::Momenta<double> momenta(state.model);
    momenta.update(state.model, state.poses);
    VecXd of_links = VecXd::Zero(state.n), of_bodies = of_links;
    for (Index k = 0; k < state.n; ++k) {
      const kang::PrintedLink<double>& link = momenta.links()[k];
      of_links += link.Gc.transpose() * (link.M * (link.Gc * state.qd)) +
                  link.G.transpose() * (link.II * (link.G * state.qd));
      const kang::PrintedAugmentedBody<double>& b = momenta.body(k);
      const VecXd column =
          b.Gc.transpose() * momenta.linear(k, 1.0) + b.G.transpose() * momenta.angular(k, 1.0);
      of_bodies += column * state.qd[k];
      for (Index i = 0; i < k; ++i) of_bodies[k] += column[i] * state.qd[i];  // (P2)
    }
    const VecXd expected = state.M * state.qd;
    EXPECT_LE((of_links - expected).norm(), state.tolerance(state.qd.norm()));
    EXPECT_LE((of_bodies - expected).norm(), state.tolerance(state.qd.norm()));
  });
}

// ---- (19)-(22) ---------------------------------------------------------------------------------

TEST(KangMomenta, RatesOfTheMomentaOfOneAugmentedBody) {
  for_states([](const State& state) {
    kang::Momenta<double> momenta(state.model);
    momenta.update(state.model, state.poses);
    const double tolerance = state.tolerance(state.qd.squaredNorm() + state.qdd.norm());
    for (Index k = 0; k < state.n; ++k) {
      VecXd qd = VecXd::Zero(state.n);  // the joints k+1 … n are fixed
      qd.head(k + 1) = state.qd.head(k + 1);
      kang::Momenta<Dual> travelling(state.model);
      travelling.update(state.model, poses_of<Dual>(state.model, moving(state.q, qd)));
      const Dual qd_k(state.qd[k], state.qdd[k]);
      const Vec3d P_rate = rates(travelling.linear(k, qd_k));
      const Vec3d L_rate = rates(travelling.angular(k, qd_k));
      EXPECT_LE((momenta.linear_rate(k, state.qd, state.qdd[k]) - P_rate).norm(),
                tolerance);  // (19)
      const kang::PrintedAugmentedBody<double>& b = momenta.body(k);
      const Vec3d surplus = b.III * momenta.omega(k, state.qd).cross(b.g) * state.qd[k];
      const Vec3d printed = momenta.angular_rate(k, state.qd, state.qdd[k]);
      EXPECT_LE((printed - surplus - L_rate).norm(), tolerance);  // (20), deviation (d)
    }
  });
}

TEST(KangMomenta, LoadOfAnAugmentedBodyIsAColumnOfTheInertiaAndAPlaneOfThePower) {
  for_states([](const State& state) {
    kang::Momenta<double> momenta(state.model);
    momenta.update(state.model, state.poses);
    kang::ModifiedAlgorithm<double> modified(state.model);
    modified.update(state.model, state.poses);
    const double tolerance = state.tolerance(state.qd.squaredNorm() + state.qdd.norm());
    VecXd load(state.n), of_elements(state.n);
    for (Index k = 0; k < state.n; ++k) {
      momenta.load(k, state.qd, state.qdd[k], load);                     // (21)
      momenta.load_of_elements(k, state.qd, state.qdd[k], of_elements);  // (22)
      EXPECT_LE((of_elements - load).norm(), tolerance);
      for (Index i = 0; i < state.n; ++i) {
        double expected = 0.0;
        if (i <= k) expected = modified.I()(i, k) * state.qdd[k];
        for (Index j = 0; i <= k && j <= k; ++j) {
          expected += state.qd[j] * modified.P()[at(i)](j, k) * state.qd[k];
        }
        EXPECT_NEAR(load[i], expected, tolerance);  // (23)-(27)
      }
    }
  });
}

// ---- (23)-(29) ---------------------------------------------------------------------------------

TEST(KangModifiedAlgorithm, RecursionMakesTheSumsOverTheLinks) {
  for_states([](const State& state) {
    // Both in the axes of the first joint's frame.
    std::vector<JointPose<double>> poses = state.poses;
    poses.front() = {};
    kang::Momenta<double> momenta(state.model);
    momenta.update(state.model, poses);
    kang::ModifiedAlgorithm<double> modified(state.model);
    modified.update(state.model, state.poses);
    for (Index k = 0; k < state.n; ++k) {
      const kang::PrintedAugmentedBody<double>& b = momenta.body(k);
      EXPECT_NEAR(modified.M(k), b.M, state.tolerance());              // (15), (28)
      EXPECT_LE((modified.r(k) - b.r).norm(), state.tolerance());      // (15), (28)
      EXPECT_LE(largest(modified.III(k) - b.III), state.tolerance());  // (18), (29)
    }
  });
}

// P_ijk - P_ikj = tr(J_m) g_i · (g_j × g_k) for j < k, where m is the largest index.
template <class Trace>
void expect_antisymmetric_part(const Array& P, const kang::PrintedLinks<double>& links,
                               double tolerance, Trace trace) {
  const Index n = links.size();
  const auto g = [&](Index k) { return links.kic().rotation(n - 1, k); };
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < n; ++k) {
      for (Index j = 0; j < k; ++j) {
        const double expected = trace(std::max(i, k)) * g(i).dot(g(j).cross(g(k)));
        EXPECT_NEAR(P[at(i)](j, k) - P[at(i)](k, j), expected, tolerance);
      }
    }
  }
}

TEST(KangModifiedAlgorithm, MakesTheInertiaAndThePowerOfTheOlderOne) {
  for_states([](const State& state) {
    kang::OlderAlgorithm<double> older(state.model);
    older.update(state.model, state.poses);
    kang::ModifiedAlgorithm<double> modified(state.model);
    modified.update(state.model, state.poses);
    EXPECT_LE(largest(modified.I() - older.I()), state.tolerance());
    Array a = older.P(), b = modified.P();
    make_christoffel_symbols<double>(a);
    make_christoffel_symbols<double>(b);
    const Array expected = brute_force_christoffel(state.chain, state.q);
    for (Index i = 0; i < state.n; ++i) {
      EXPECT_LE(largest(a[at(i)] - expected[at(i)]), state.tolerance()) << "i " << i;
      EXPECT_LE(largest(b[at(i)] - expected[at(i)]), state.tolerance()) << "i " << i;
    }
    const auto& links = older.links();
    expect_antisymmetric_part(older.P(), links, state.tolerance(), [&](Index m) {
      double sum = 0.0;
      for (Index l = m; l < state.n; ++l) sum += links[l].II.trace();
      return sum;
    });
    expect_antisymmetric_part(modified.P(), links, state.tolerance(),
                              [&](Index m) { return modified.III(m).trace(); });
  });
}

// The paper: the terms of both algorithms are different.
TEST(KangModifiedAlgorithm, HasOtherTermsThanTheOlderOne) {
  const State state(random_chain(4, 7), 7);
  kang::OlderAlgorithm<double> older(state.model);
  older.update(state.model, state.poses);
  kang::ModifiedAlgorithm<double> modified(state.model);
  modified.update(state.model, state.poses);
  double P1 = 0.0, P2 = 0.0, P3 = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    P1 = std::max(P1, largest(older.P1()[i] - modified.P1()[i]));
    P2 = std::max(P2, largest(older.P2()[i] - modified.P2()[i]));
    P3 = std::max(P3, largest(older.P3()[i] - modified.P3()[i]));
  }
  EXPECT_GT(std::min({P1, P2, P3}), 1e-3);
}

// Section 3: 21, 70 and 91 elements for n = 6, (n² + n)/2, (n³ - n)/3 and (2n³ + 3n² + n)/6.
TEST(KangModifiedAlgorithm, HasThePapersNumberOfIndependentElements) {
  for (const Index n : {1, 2, 3, 6}) {
    const State state(random_chain(n, 17), 17);
    kang::ModifiedAlgorithm<double> modified(state.model);
    modified.update(state.model, state.poses);
    Index inertia = 0, all = 0, power_1 = 0;
    for (Index k = 0; k < n; ++k) {
      inertia += k + 1;
      for (Index i = 0; i <= k; ++i) {
        for (Index j = 0; j <= k; ++j) {
          ++all;
          if (std::abs(modified.P1()[at(i)](j, k)) > 1e-12) ++power_1;
        }
      }
    }
    EXPECT_EQ(inertia, (n * n + n) / 2);
    EXPECT_EQ(all, (2 * n * n * n + 3 * n * n + n) / 6);
    EXPECT_EQ(power_1, (n * n * n - n) / 3);
  }
}

// ---- what runs ---------------------------------------------------------------------------------

TEST(KangAsRun, AugmentedBodiesAreThePrintedOnesAboutTheJointOrigins) {
  for_states([](const State& state) {
    kang::ModifiedAlgorithm<double> modified(state.model);
    modified.update(state.model, state.poses);
    AugmentedBodies<double> bodies(state.model);
    bodies.update(state.model, state.poses);
    std::vector<JointPose<double>> poses = state.poses;
    poses.front() = {};
    kang::Momenta<double> momenta(state.model);
    momenta.update(state.model, poses);
    for (Index k = 0; k < state.n; ++k) {
      const AugmentedBody<double>& b = bodies[k];
      const Vec3d P = momenta.linear(k, 1.0);
      const Mat3d III = modified.III(k) + kang::parallel_axes<double>(b.mass, modified.r(k));
      EXPECT_NEAR(b.mass, modified.M(k), state.tolerance());
      EXPECT_LE((b.h - modified.M(k) * modified.r(k)).norm(), state.tolerance());
      EXPECT_LE(largest(b.J.matrix() - III), state.tolerance());
      EXPECT_LE((b.P - P).norm(), state.tolerance());
      const Vec3d L = momenta.angular(k, 1.0) + modified.r(k).cross(P);
      EXPECT_LE((b.L - L).norm(), state.tolerance());
      for (Index i = 0; i < k; ++i) {
        const Vec3d g = momenta.links().kic().translation(k, i, momenta.links().kic().O(k));
        EXPECT_LE((bodies.velocity_of_origin(i, k) - g).norm(), state.tolerance());
      }
    }
  });
}

TEST(KangAsRun, InertiaAndPowerAreThePrintedOnes) {
  for_states([](const State& state) {
    kang::ModifiedAlgorithm<double> modified(state.model);
    modified.update(state.model, state.poses);
    MatXd I(state.n, state.n);
    KicMassMatrix<double>(state.model).mass_matrix(state.model, state.poses, I);
    EXPECT_LE(largest(I - modified.I()), state.tolerance());
    InertiaPower<double> power(state.model);
    Array P(at(state.n), MatXd::Constant(state.n, state.n, 1e6));
    power.inertia_and_power(state.model, state.poses, I, P);
    EXPECT_LE(largest(I - modified.I()), state.tolerance());
    kang::PrintedLinks<double> links(state.model);
    links.update(state.model, state.poses);
    expect_antisymmetric_part(P, links, state.tolerance(), [&](Index m) {
      const Sym3<double>& J = power.bodies()[m].J;
      return J.xx + J.yy + J.zz;
    });
    Array printed = modified.P();
    make_christoffel_symbols<double>(P);
    make_christoffel_symbols<double>(printed);
    for (Index i = 0; i < state.n; ++i) {
      EXPECT_LE(largest(P[at(i)] - printed[at(i)]), state.tolerance()) << "i " << i;
    }
  });
}

}  // namespace
}  // namespace dyn::test::kang_as_printed_tests
