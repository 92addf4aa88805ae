// Adams-Bashforth-Moulton with steps and orders of its own: closed forms, tolerance, order, steps, and
// Runge-Kutta-Fehlberg beside it.
#include <cmath>

#include "simulation_support.hpp"

namespace dyn::test::simulation_adams_tests {
namespace {

SimulationOptions adams(double duration, double tolerance, double step = 0.0) {
  SimulationOptions options;
  options.integrator = Integrator::kAbm;
  options.duration = duration;
  options.step = step > 0.0 ? step : duration;
  options.tolerance = tolerance;
  return options;
}

/// One joint whose torque carries its weight and gives it the acceleration that is asked for.
class OneJoint {
 public:
  OneJoint() : chain_(random_chain(1, 5)), solver_(*Solver::make(chain_)) {
    MatXd M(1, 1);
    EXPECT_EQ(solver_.mass_matrix(VecXd(VecXd::Zero(1)), M), Status::kOk);
    inertia_ = M(0, 0);
  }
  template <class Acceleration>
  [[nodiscard]] Motion moves(const SimulationOptions& options, double q0,
                             Acceleration acceleration) {
    const auto torque = [&](double time, VecIn<double> q, VecIn<double>, VecOut<double> tau) {
      const Status status = solver_.gravity_torque(q, tau);
      tau[0] += inertia_ * acceleration(time, q[0]);
      return status;
    };
    Motion motion = run(chain_, options, VecXd::Constant(1, q0), torque);
    EXPECT_EQ(motion.error, "");
    return motion;
  }

 private:
  ChainPtr chain_;
  Solver solver_;
  double inertia_ = 0.0;
};

constexpr double kOmega = 2.0;
double swing(double /*time*/, double q) { return -kOmega * kOmega * q; }

// q = cos ωt over about three periods, at every sample and not only where a step ends.
TEST(SimulationAdams, ErrorOfASwingFollowsTheTolerance) {
  OneJoint joint;
  double before = HUGE_VAL;
  for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
    const Motion motion = joint.moves(adams(10.0, tolerance, 0.01), 1.0, swing);
    double worst = 0.0;
    for (std::size_t i = 0; i < motion.time.size(); ++i) {
      worst = std::max({worst, std::abs(motion.q[i][0] - std::cos(kOmega * motion.time[i])),
                        std::abs(motion.qd[i][0] + kOmega * std::sin(kOmega * motion.time[i]))});
    }
    EXPECT_LE(worst, 100.0 * tolerance);
    EXPECT_LE(worst, 0.1 * before);
    before = worst;
  }
}

// A method of order p needs 10^(6/p) times the steps for an error a millionth as large: 16 times with order
// 5. Order 9 and above is what a choice up to 13 gives here.
TEST(SimulationAdams, OrderRisesWithTheAccuracy) {
  OneJoint joint;
  const auto order = [&](Integrator integrator) {
    const auto steps = [&](double tolerance) {
      SimulationOptions options = adams(50.0, tolerance);
      options.integrator = integrator;
      return static_cast<double>(joint.moves(options, 1.0, swing).report.steps);
    };
    return 6.0 / std::log10(steps(1e-12) / steps(1e-6));
  };
  EXPECT_GT(order(Integrator::kAbm), 9.0);
  EXPECT_NEAR(order(Integrator::kRkf45), 5.0, 0.5);
}

// q̈ = t⁶: once the order is above 6 no error is left to see, and the steps grow to the longest.
TEST(SimulationAdams, PolynomialsAreExactAndStepsReachTheLongest) {
  OneJoint joint;
  SimulationOptions options = adams(20.0, 1e-10);
  options.longest_step = 0.5;
  const Motion motion =
      joint.moves(options, 0.0, [](double time, double) { return std::pow(time / 20.0, 6.0); });
  const double end = 400.0 / 56.0;  // T² / (7 · 8)
  EXPECT_NEAR(motion.q.back()[0], end, 1e-9 * end);
  EXPECT_LE(motion.report.steps, 150);
  EXPECT_GE(motion.report.steps, 40);
}

// Where the torque jumps, steps become short and are made anew; ½ t² up to 1 s, then as much back.
TEST(SimulationAdams, CrossesAJump) {
  OneJoint joint;
  const Motion motion = joint.moves(adams(2.0, 1e-9), 0.0,
                                    [](double time, double) { return time < 1.0 ? 1.0 : -1.0; });
  EXPECT_GT(motion.report.rejected_steps, 3);
  EXPECT_NEAR(motion.qd.back()[0], 0.0, 1e-7);
  EXPECT_NEAR(motion.q.back()[0], 1.0, 1e-7);
}

TEST(SimulationAdams, NoStepIsLongerThanAllowed) {
  const ChainPtr chain = load_robot("puma560");
  SimulationOptions options = adams(1.0, 1e-3);
  options.longest_step = 0.004;
  double last = 0.0, longest = 0.0;
  const auto report = simulate(chain, options, free_fall(), VecXd::Zero(6), VecXd::Zero(6),
                               {.sample = {}, .proceed = [&](double time) {
                                  longest = std::max(longest, time - last);
                                  last = time;
                                  return true;
                                }});
  ASSERT_TRUE(report) << report.error().sentence;
  EXPECT_NEAR(longest, 0.004, 1e-12);
}

// The same motion as Runge-Kutta-Fehlberg's within what both are allowed; for less where much is asked.
TEST(SimulationAdams, AgreesWithFehlbergForFewerEvaluations) {
  for (const Experiment& experiment : experiments()) {
    SCOPED_TRACE(experiment.robot);
    const ChainPtr chain = load_robot(experiment.robot);
    for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
      SimulationOptions options = adams(1.0, tolerance, 0.01);
      const Motion ours = run(chain, options, experiment.start);
      options.integrator = Integrator::kRkf45;
      const Motion fehlberg = run(chain, options, experiment.start);
      ASSERT_EQ(ours.error + fehlberg.error, "");
      double worst = 0.0;
      for (std::size_t i = 0; i < ours.q.size(); ++i) {
        worst = std::max(worst, largest(ours.q[i] - fehlberg.q[i]));
      }
      EXPECT_LE(worst, 200.0 * tolerance);
      const Index most =
          tolerance > 1e-9 ? fehlberg.report.evaluations : fehlberg.report.evaluations / 2;
      EXPECT_LE(ours.report.evaluations, most);
    }
  }
}

}  // namespace
}  // namespace dyn::test::simulation_adams_tests
