// The rates that Solver::quasi() gives, ṁ, Ḋ, ν̇ and ξ̇, against differences of m, D, ν and ξ along the
// motion that the torques cause; for chains with and without joints that mimic others.
#include "dyn_core/solver.hpp"
#include "robot/urdf_text.hpp"
#include "support.hpp"

namespace dyn::test::quasi_rates_tests {
namespace {

ChainPtr chain_with_mimics() {
  UrdfText robot = random_robot(7, 1995);
  robot.joint("joint2").mimic = "joint5", robot.joint("joint2").multiplier = -0.7;
  robot.joint("joint4").mimic = "joint2", robot.joint("joint4").offset = 0.3;
  UrdfOptions options;
  options.tip = "tip";
  ChainPtr chain = parse_urdf(to_text(robot), options).value();
  EXPECT_TRUE(chain->has_mimic());
  return chain;
}

constexpr double kStep = 1e-5;  // s

// q̈ = forward dynamics of tau, about t = 0.
struct Motion {
  explicit Motion(const ChainPtr& chain) : solver(Solver::make(chain).value()), n(solver.dof()) {
    Random random(3);
    q = random.vector(n, 2.0), qd = random.vector(n, 1.0), tau = random.vector(n, 5.0);
    qdd.resize(n);
    EXPECT_EQ(solver.forward_dynamics(q, qd, tau, qdd), Status::kOk);
  }
  [[nodiscard]] Quasi at(double t) {
    Quasi quasi(n);
    const VecXd q_t = q + t * qd + 0.5 * t * t * qdd, qd_t = qd + t * qdd;
    EXPECT_EQ(solver.quasi(q_t, qd_t, tau, quasi), Status::kOk);
    return quasi;
  }

  Solver solver;
  Index n;
  VecXd q, qd, qdd, tau;
};

void expect_rate(const MatXd& rate, const MatXd& before, const MatXd& after, const char* what) {
  const double size = 1.0 + rate.cwiseAbs().maxCoeff() + after.cwiseAbs().maxCoeff();
  const double error = ((after - before) / (2.0 * kStep) - rate).cwiseAbs().maxCoeff();
  EXPECT_LE(error, 1e-6 * size) << what;
}

TEST(QuasiRates, AreThoseOfTheMotion) {
  for (const ChainPtr& chain : {load_robot("puma560"), load_robot("stanford"), random_chain(1, 5),
                                random_chain(6, 4, {.prismatic = 0.4}), chain_with_mimics()}) {
    SCOPED_TRACE(chain->name());
    Motion motion(chain);
    const Quasi before = motion.at(-kStep), now = motion.at(0.0), after = motion.at(kStep);
    expect_rate(now.mass_factor_rate, before.mass_factor, after.mass_factor, "m");
    expect_rate(now.pivot_rate, before.D, after.D, "D");
    expect_rate(now.nu_rate, before.nu, after.nu, "nu");
    expect_rate(now.xi_rate, before.xi, after.xi, "xi");
  }
}

}  // namespace
}  // namespace dyn::test::quasi_rates_tests
