// Safeea 2018 as printed: what each numbered equation claims, by Jacobians and their rates, then the
// printed text against the running one and brute-force sums.
#include <limits>

#include "dyn_core/papers/classic/rnea.hpp"
#include "dyn_core/papers/safeea_2018/as_printed.hpp"
#include "dyn_core/papers/safeea_2018/gda.hpp"
#include "dyn_core/papers/safeea_2018/gdahj.hpp"
#include "support.hpp"

namespace dyn::test::safeea_2018_as_printed {
namespace {

constexpr std::uint64_t kSeed = 2018;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Angular and linear acceleration of a link and its mass centre, its angular velocity and the
// inertial moment about the mass centre; all in frame 0.
struct LinkMotion {
  Vec3d omega, alpha, acceleration, moment;
};

struct Case {
  explicit Case(const ChainPtr& chain)
      : model(chain), random(kSeed), q(random.vector(n(), 3.1)), kinematics(chain) {
    poses = poses_of<double>(model, q);
    EXPECT_EQ(kinematics.update(q), Status::kOk);
    qd = random.vector(n(), 1.5);
    qdd = random.vector(n(), 2.0);
  }
  [[nodiscard]] Index n() const { return model.size(); }
  [[nodiscard]] bool prismatic(Index i) const { return model.link(i - 1).prismatic; }

  // Rows angular, linear, of link i of 1 … n at its mass centre, in frame 0.
  [[nodiscard]] MatXd jacobian(Index i) const {
    MatXd J(6, n()), turned(6, n());
    EXPECT_EQ(kinematics.jacobian(i - 1, mass_centre(i), J), Status::kOk);
    turned << to_0() * J.bottomRows(3), to_0() * J.topRows(3);
    return turned;
  }
  [[nodiscard]] LinkMotion motion(Index i, const VecXd& rates, const VecXd& accelerations) {
    const MatXd J = jacobian(i);
    Vec6<double> bias;
    EXPECT_EQ(kinematics.jacobian_rate_times_velocity(rates, i - 1, mass_centre(i), bias),
              Status::kOk);
    LinkMotion out;
    out.omega = J.topRows(3) * rates;
    out.alpha = J.topRows(3) * accelerations + to_0() * bias.tail<3>();
    out.acceleration = J.bottomRows(3) * accelerations + to_0() * bias.head<3>();
    const Mat3d R = to_0() * kinematics.dh_pose(i - 1).R;
    const Mat3d I = R * model.link(i - 1).inertia_com.matrix() * R.transpose();
    out.moment = I * out.alpha + out.omega.cross(I * out.omega);
    return out;
  }

  Model model;
  Random random;
  VecXd q, qd, qdd;
  Kinematics<double> kinematics;
  std::vector<JointPose<double>> poses;

 private:
  [[nodiscard]] Mat3d to_0() const { return model.chain().base_pose().R.transpose(); }
  [[nodiscard]] Vec3d mass_centre(Index i) const {
    return kinematics.dh_pose(i - 1) * model.link(i - 1).com;
  }
};

template <class Body>
void for_all(Body body) {
  std::vector<ChainPtr> chains;
  for (const std::string& name : robot_names()) chains.push_back(load_robot(name));
  std::uint64_t seed = kSeed;
  for (const Index n : {1, 2, 3, 6, 10}) {
    chains.push_back(random_chain(n, seed++));
    chains.push_back(random_chain(n, seed++, {.prismatic = 0.4}));
    chains.push_back(random_chain(n, seed++, {.prismatic = 0.2, .hayati = 0.3}));
    chains.push_back(random_chain(n, seed++, {.prismatic = 1.0}));
  }
  for (const ChainPtr& chain : chains) {
    SCOPED_TRACE(chain->name() + ", seed 2018");
    Case c(chain);
    body(c);
  }
}

template <class A, class B>
void expect_near(const A& a, const B& b, double size) {
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), 50.0 * kEpsilon * size);
}

// ---- section II

TEST(Safeea2018Injection, SumsAreTheMotionOfTheLinks) {
  for_all([](Case& c) {
    safeea::FrameInjection frames(c.model);
    frames.update(c.model, c.poses, c.qd, c.qdd);
    for (Index i = 1; i <= c.n(); ++i) {
      Vec3d acceleration = Vec3d::Zero(), moment = Vec3d::Zero();
      double size = 0.0, moments = 0.0;
      for (Index j = 1; j <= i; ++j) {
        acceleration += frames.acceleration(i, j);  // (11)
        moment += frames.moment(i, j);              // (17)
        size += frames.acceleration(i, j).norm();
        moments += frames.moment(i, j).norm();
      }
      const LinkMotion expected = c.motion(i, c.qd, c.qdd);
      expect_near(acceleration, expected.acceleration, 1.0 + size);
      expect_near(moment, expected.moment, 1.0 + moments);
      expect_near(frames.omega_r(i, 0), expected.omega, 10.0);  // (16) from the base on
      expect_near(frames.v_r(i, 0), Vec3d(c.jacobian(i).bottomRows(3) * c.qd), 10.0);  // (10)
    }
  });
}

// What one frame transfers alone, and what its turning adds to the motion of another one beyond it.
TEST(Safeea2018Injection, EachPartOfEachPair) {
  for_all([](Case& c) {
    safeea::FrameInjection frames(c.model);
    const VecXd zero = VecXd::Zero(c.n());
    const Index i = c.n();
    for (Index j = 1; j <= i; ++j) {
      const VecXd rate = c.qd[j - 1] * VecXd::Unit(c.n(), j - 1);
      const VecXd rate_rate = c.qdd[j - 1] * VecXd::Unit(c.n(), j - 1);
      const LinkMotion starting = c.motion(i, zero, rate_rate), turning = c.motion(i, rate, zero);
      frames.update(c.model, c.poses, rate, rate_rate);
      expect_near(frames.acceleration_tau(i, j), starting.acceleration, 10.0);           // (4), (5)
      expect_near(frames.acceleration_n(i, j), turning.acceleration, 10.0);              // (6), (7)
      expect_near(frames.acceleration_n(i, j), frames.acceleration_n_by_k(i, j), 10.0);  // (8)
      expect_near(frames.moment_tau(i, j), starting.moment, 10.0);                       // (12)
      expect_near(frames.moment_n(i, j), turning.moment, 10.0);  // (13), (14)
      for (Index k = j + 1; k <= i; ++k) {
        const VecXd other = c.qd[k - 1] * VecXd::Unit(c.n(), k - 1);
        const LinkMotion alone = c.motion(i, other, zero), both = c.motion(i, rate + other, zero);
        frames.update(c.model, c.poses, rate + other, zero);
        const Vec3d together = both.acceleration - turning.acceleration - alone.acceleration;
        expect_near(frames.acceleration_cor(i, j), together, 20.0);  // (9)
        const Vec3d moment = both.moment - turning.moment - alone.moment;
        expect_near(frames.moment_cor(i, j), moment, 20.0);  // (15)
      }
    }
  });
}

TEST(Safeea2018Injection, GivesTheTorquesOfGdaAndNewtonEuler) {
  for_all([](Case& c) {
    safeea::FrameInjection frames(c.model);
    frames.update(c.model, c.poses, c.qd, c.qdd);
    VecXd tau = VecXd::Zero(c.n()), gda(c.n()), newton_euler(c.n());
    for (Index i = 1; i <= c.n(); ++i) {
      Vec3d acceleration = -c.model.gravity(), moment = Vec3d::Zero();
      for (Index j = 1; j <= i; ++j) {
        acceleration += frames.acceleration(i, j);
        moment += frames.moment(i, j);
      }
      const MatXd J = c.jacobian(i);
      tau += J.topRows(3).transpose() * moment +
             J.bottomRows(3).transpose() * (frames.links.m[i] * acceleration);
    }
    Gda<double>(c.model).inverse_dynamics(c.model, c.poses, c.model.gravity(), c.qd, c.qdd, gda);
    Rnea<double>(c.model).inverse_dynamics(c.model, c.poses, c.model.gravity(), c.qd, c.qdd,
                                           newton_euler);
    expect_near(gda, tau, tau.cwiseAbs().maxCoeff());
    expect_near(newton_euler, tau, tau.cwiseAbs().maxCoeff());
  });
}

// ---- section III

TEST(Safeea2018MassMatrix, EveryFormOfTheBalance) {
  for_all([](Case& c) {
    safeea::MassMatrix a(c.model);
    a.update(c.model, c.poses);
    const safeea::Links& links = a.links;
    for (Index i = 1; i <= c.n(); ++i) {
      for (Index j = 1; j <= i; ++j) {
        // The inertial moments about O_i of the links i … n as joint j starts with q̈_j.
        const double qdd_j = c.qdd[j - 1];
        Vec3d mu = Vec3d::Zero();
        for (Index k = i; k <= c.n(); ++k) {
          const LinkMotion motion =
              c.motion(k, VecXd::Zero(c.n()), qdd_j * VecXd::Unit(c.n(), j - 1));
          const Vec3d arm = links.p_C[k] - links.p[i];
          mu += motion.moment + arm.cross(links.m[k] * motion.acceleration);
        }
        const double size = 1.0 + a.D(i).cwiseAbs().maxCoeff() + a.b(i).norm() * a.t(j).norm();
        expect_near(a.mu_18(i, j, qdd_j), mu, 2.0 * size);  // (18)
        expect_near(a.mu_22(i, j), a.mu_18(i, j), size);    // (19)-(22)
        expect_near(a.mu_25(i, j), a.mu_22(i, j), size);    // (23)-(25)
        expect_near(a.mu_29(i, j), a.mu_25(i, j), size);    // (26)-(29)
      }
    }
  });
}

TEST(Safeea2018MassMatrix, Algorithm1) {
  for_all([](Case& c) {
    safeea::MassMatrix a(c.model);
    a.update(c.model, c.poses);
    MatXd A(c.n(), c.n()), run(c.n(), c.n());
    a.algorithm_1(A);
    Gdahj<double>(c.model).mass_matrix(c.model, c.poses, run);
    const MatXd M = brute_force_mass_matrix<double>(c.model.chain_ptr(), c.q);
    const double size = M.cwiseAbs().maxCoeff();
    expect_near(A, M, size);  // (31)
    expect_near(run, A, size);
    for (Index i = 1; i <= c.n(); ++i) {
      for (Index j = 1; j <= i && !c.prismatic(i); ++j) {
        EXPECT_NEAR(a.A_30(i, j), M(i - 1, j - 1), 50.0 * kEpsilon * size);  // (30)
      }
    }
  });
}

}  // namespace
}  // namespace dyn::test::safeea_2018_as_printed
