// Integration itself: against an independent one, against closed forms, orders, dense output, and every
// forward dynamics and every kind of velocities against each other.
#include <cmath>

#include "dyn_core/registry.hpp"
#include "papers/reference_motion.hpp"
#include "simulation_support.hpp"

namespace dyn::test::simulation_tests {
namespace {

SimulationOptions options_for(Integrator integrator, double duration, double step,
                              double tolerance = 1e-12) {
  SimulationOptions options;
  options.integrator = integrator;
  options.duration = duration;
  options.step = step;
  options.tolerance = tolerance;
  return options;
}

TEST(Simulation, FreeFallAgreesWithAnIndependentIntegration) {
  for (const Experiment& experiment : experiments()) {
    SCOPED_TRACE(experiment.robot);
    const ChainPtr chain = load_robot(experiment.robot);
    const Index n = chain->dof();
    const int steps = experiment.robot == "planar3r" ? 300 : 30;  // light links swing fast
    const VecXd coarse = reference_fall(chain, experiment.start, 0.5, steps / 2);
    const VecXd reference = reference_fall(chain, experiment.start, 0.5, steps);
    ASSERT_LE(largest(coarse - reference), 1e-9);  // the reference is good enough
    for (const Integrator integrator :
         {Integrator::kRkf45, Integrator::kDopri5, Integrator::kAbm}) {
      const Motion motion = run(chain, options_for(integrator, 0.5, 0.01, 1e-10), experiment.start);
      ASSERT_EQ(motion.error, "");
      EXPECT_LE(largest(motion.q.back() - reference.head(n)), 1e-7);
      EXPECT_LE(largest(motion.qd.back() - reference.tail(n)), 1e-6);
    }
    const Motion motion = run(chain, options_for(Integrator::kRk4, 0.5, 0.001), experiment.start);
    ASSERT_EQ(motion.error, "");
    EXPECT_LE(largest(motion.q.back() - reference.head(n)), 1e-7);
  }
}

TEST(Simulation, ConstantTorqueOnOneJointIsAParabola) {
  const ChainPtr chain = random_chain(1, 5);
  auto solver = Solver::make(chain);
  ASSERT_TRUE(solver);
  const VecXd q0 = VecXd::Constant(1, 0.2);
  MatXd M(1, 1);
  ASSERT_EQ(solver->mass_matrix(q0, M), Status::kOk);
  const auto weight = [&](double, VecIn<double> q, VecIn<double>, VecOut<double> tau) {
    const Status status = solver->gravity_torque(q, tau);
    tau[0] += 0.7;
    return status;
  };
  for (const Choice<Integrator>& integrator : integrators()) {
    SCOPED_TRACE(integrator.name);
    const Motion motion = run(chain, options_for(integrator.value, 2.0, 1e-3), q0, weight);
    ASSERT_EQ(motion.error, "");
    const double a = 0.7 / M(0, 0);
    EXPECT_NEAR(motion.qd.back()[0], 2.0 * a, 1e-8 * a);
    const bool first_order = integrator.value == Integrator::kSemiImplicit;
    EXPECT_NEAR(motion.q.back()[0], 0.2 + 2.0 * a + (first_order ? 1e-3 * a : 0.0), 1e-8 * a);
  }
}

// The error must fall by 2^order when the step is halved.
TEST(Simulation, ConstantStepsHaveTheirOrder) {
  const Experiment experiment = experiments()[0];
  const ChainPtr chain = load_robot(experiment.robot);
  const VecXd exact =
      run(chain, options_for(Integrator::kDopri5, 1.0, 0.5, 1e-14), experiment.start).q.back();
  const auto order = [&](Integrator integrator) {
    const auto error = [&](double step) {
      return largest(run(chain, options_for(integrator, 1.0, step), experiment.start).q.back() -
                     exact);
    };
    return std::log2(error(1.0 / 800.0) / error(1.0 / 1600.0));
  };
  EXPECT_NEAR(order(Integrator::kSemiImplicit), 1.0, 0.3);
  EXPECT_NEAR(order(Integrator::kRk4), 4.0, 0.3);
}

TEST(Simulation, SubstepsAreSmallerSteps) {
  const Experiment experiment = experiments()[2];
  const ChainPtr chain = load_robot(experiment.robot);
  for (const Integrator integrator : {Integrator::kRk4, Integrator::kSemiImplicit}) {
    SimulationOptions coarse = options_for(integrator, 0.5, 0.01);
    coarse.substeps = 8;
    const Motion with_substeps = run(chain, coarse, experiment.start);
    const Motion with_steps = run(chain, options_for(integrator, 0.5, 0.00125), experiment.start);
    EXPECT_EQ(with_substeps.report.steps, with_steps.report.steps);
    EXPECT_EQ(with_substeps.q.back(), with_steps.q.back());
  }
}

TEST(Simulation, ErrorFollowsTheTolerance) {
  const Experiment experiment = experiments()[2];
  const ChainPtr chain = load_robot(experiment.robot);
  for (const Integrator integrator : {Integrator::kRkf45, Integrator::kDopri5, Integrator::kAbm}) {
    const VecXd exact =
        run(chain, options_for(integrator, 2.0, 0.5, 1e-14), experiment.start).q.back();
    double before = HUGE_VAL;
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      const Motion motion =
          run(chain, options_for(integrator, 2.0, 0.5, tolerance), experiment.start);
      const double error = largest(motion.q.back() - exact);
      EXPECT_LE(error, 100.0 * tolerance);
      EXPECT_LE(error, 0.2 * before);
      before = error;
    }
  }
}

// How many samples are taken changes nothing, and what lies between two steps is as good as a step.
TEST(Simulation, DenseOutputIsIndependentOfTheStepsAndAccurate) {
  const Experiment experiment = experiments()[2];
  const ChainPtr chain = load_robot(experiment.robot);
  const Motion exact =
      run(chain, options_for(Integrator::kDopri5, 1.0, 0.001, 1e-14), experiment.start);
  for (const Integrator integrator : {Integrator::kRkf45, Integrator::kDopri5, Integrator::kAbm}) {
    const Motion many = run(chain, options_for(integrator, 1.0, 0.001, 1e-9), experiment.start);
    const Motion few = run(chain, options_for(integrator, 1.0, 0.01, 1e-9), experiment.start);
    ASSERT_EQ(many.q.size(), 1001u);
    EXPECT_LE(many.report.steps, 500);  // so that most samples do lie between steps
    EXPECT_EQ(many.report.steps, few.report.steps);
    for (std::size_t i = 0; i < few.q.size(); ++i) EXPECT_EQ(few.q[i], many.q[10 * i]);
    double worst = 0.0;
    for (std::size_t i = 0; i < many.q.size(); ++i) {
      worst = std::max({worst, largest(many.q[i] - exact.q[i]), largest(many.qd[i] - exact.qd[i])});
    }
    EXPECT_LE(worst, 1e-7);
  }
}

TEST(Simulation, EveryForwardDynamicsGivesTheSameMotion) {
  for (const Experiment& experiment : experiments()) {
    const ChainPtr chain = load_robot(experiment.robot);
    const SimulationOptions plain = options_for(Integrator::kRkf45, 1.0, 0.1);
    const Motion reference = run(chain, plain, experiment.start);
    for (const auto& entry : forward_dynamics_algorithms<double>()) {
      SCOPED_TRACE(experiment.robot + " " + std::string(entry.name));
      for (const Choice<Integrator>& integrator : integrators()) {
        if (integrator.value == Integrator::kSemiImplicit) continue;
        SCOPED_TRACE(integrator.name);
        SimulationOptions options = options_for(integrator.value, 1.0, 0.1);
        options.substeps = 200;
        options.algorithms.forward_dynamics = entry.name;
        const Motion motion = run(chain, options, experiment.start);
        ASSERT_EQ(motion.error, "");
        EXPECT_LE(largest(motion.q.back() - reference.q.back()), 1e-6);
      }
    }
  }
}

// Friction, stops and a tip wrench have to reach the quasi-velocities too.
TEST(Simulation, QuasiVelocitiesGiveTheSameMotion) {
  for (const Experiment& experiment : experiments()) {
    const ChainPtr chain = load_robot(experiment.robot);
    SimulationOptions options = options_for(Integrator::kDopri5, 0.3, 0.1);
    options.friction = true;
    options.tip_wrench = {{1.0, -0.5, 2.0}, {0.1, 0.2, -0.3}};
    const TorqueInput torques = constant_torque(VecXd::Constant(chain->dof(), 0.3));
    const Motion reference = run(chain, options, experiment.start, torques);
    for (const Choice<Velocities>& kind : velocities()) {
      SCOPED_TRACE(experiment.robot + " " + std::string(kind.name));
      options.velocities = kind.value;
      const Motion motion = run(chain, options, experiment.start, torques);
      ASSERT_EQ(motion.error, "");
      EXPECT_LE(largest(motion.q.back() - reference.q.back()), 1e-8);
      EXPECT_LE(largest(motion.qd.back() - reference.qd.back()), 1e-7);
      EXPECT_NEAR(motion.energy.back(), reference.energy.back(),
                  1e-8 * (1.0 + std::abs(reference.energy.back())));
    }
  }
}

constexpr const char* kDoublePendulum = R"(<robot name="double_pendulum">
    <link name="base"/>
    <link name="upper"><inertial><origin xyz="0 0 -0.2"/><mass value="1.5"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.001"/></inertial></link>
    <link name="lower"><inertial><origin xyz="0 0 -0.3"/><mass value="0.8"/>
      <inertia ixx="0.015" ixy="0" ixz="0" iyy="0.015" iyz="0" izz="0.001"/></inertial></link>
    <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
      <axis xyz="0 1 0"/></joint>
    <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
      <origin xyz="0 0 -0.5"/><axis xyz="0 1 0"/></joint></robot>)";

using Real = long double;
using Vector = Gauss8<Real>::Vector;

// The same two links in closed form.
Vector double_pendulum_rate(const Vector& x) {
  const Real m1 = 1.5L, m2 = 0.8L, l1 = 0.5L, c1 = 0.2L, c2 = 0.3L, g = 9.81L;
  const Real I1 = 0.02L + m1 * c1 * c1, I2 = 0.015L + m2 * c2 * c2, k = m2 * l1 * c2;
  const Real cosine = std::cos(x[1]), sine = std::sin(x[1]);
  const Real M11 = I1 + I2 + m2 * l1 * l1 + 2 * k * cosine, M12 = I2 + k * cosine, M22 = I2;
  const Real weight = m2 * g * c2 * std::sin(x[0] + x[1]);
  const Real f1 = k * sine * (2 * x[2] * x[3] + x[3] * x[3]) -
                  (m1 * c1 + m2 * l1) * g * std::sin(x[0]) - weight;
  const Real f2 = -k * sine * x[2] * x[2] - weight;
  const Real determinant = M11 * M22 - M12 * M12;
  Vector out(4);
  out << x[2], x[3], (M22 * f1 - M12 * f2) / determinant, (M11 * f2 - M12 * f1) / determinant;
  return out;
}

// In long double, with many small steps: a finer reference than any chain.
TEST(Simulation, FreeDoublePendulumAgreesWithAMuchFinerReference) {
  const auto chain = parse_urdf(kDoublePendulum);
  ASSERT_TRUE(chain) << chain.error().sentence;
  Vector x(4);
  x << 1.9L, 0.7L, 0.0L, 0.0L;
  const Gauss8<Real> gauss;
  const Vector coarse = gauss.integrate(double_pendulum_rate, x, 2.0, 2000);
  const Vector reference = gauss.integrate(double_pendulum_rate, x, 2.0, 4000);
  ASSERT_LE(static_cast<double>((coarse - reference).cwiseAbs().maxCoeff()), 1e-14);
  const VecXd q0 = Eigen::Vector2d(1.9, 0.7);
  for (const Integrator integrator : {Integrator::kRkf45, Integrator::kDopri5}) {
    const Motion motion = run(*chain, options_for(integrator, 2.0, 0.01, 1e-13), q0);
    ASSERT_EQ(motion.error, "");
    for (Index i = 0; i < 2; ++i) {
      EXPECT_NEAR(motion.q.back()[i], static_cast<double>(reference[i]), 1e-9);
      EXPECT_NEAR(motion.qd.back()[i], static_cast<double>(reference[i + 2]), 1e-8);
    }
  }
}

}  // namespace
}  // namespace dyn::test::simulation_tests
