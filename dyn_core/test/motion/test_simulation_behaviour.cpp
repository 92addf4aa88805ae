// What a simulation does besides integrating: energy, friction, stops, samples, stopping, failing.
#include <cmath>

#include "simulation_support.hpp"

namespace dyn::test::simulation_behaviour_tests {
namespace {

SimulationOptions short_run(double duration = 1.0) {
  SimulationOptions options;
  options.duration = duration;
  options.tolerance = 1e-9;
  return options;
}

bool contains(const std::string& sentence, const std::string& part) {
  return sentence.find(part) != std::string::npos;
}

// Of the largest kinetic energy, and of the energy at the start where that is smaller and not zero.
TEST(SimulationBehaviour, FreeFallKeepsItsEnergyForTenSeconds) {
  for (const Experiment& experiment : experiments()) {
    const ChainPtr chain = load_robot(experiment.robot);
    for (const Integrator integrator :
         {Integrator::kRkf45, Integrator::kDopri5, Integrator::kAbm}) {
      for (const Choice<Velocities>& kind : velocities()) {
        SCOPED_TRACE(experiment.robot + " " + std::string(kind.name));
        SimulationOptions options;
        options.tolerance = 1e-12;
        options.integrator = integrator;
        options.velocities = kind.value;
        const bool usual = kind.value == Velocities::kJoint;
        if ((kSanitized || integrator != Integrator::kRkf45) && !usual) continue;
        const Motion motion = run(chain, options, experiment.start);
        ASSERT_EQ(motion.error, "");
        ASSERT_EQ(motion.time.back(), 10.0);
        const SimulationReport& report = motion.report;
        const double first = std::abs(report.first_energy);
        const double scale =
            first > 0.0 ? std::min(first, report.kinetic_energy) : report.kinetic_energy;
        EXPECT_GT(report.kinetic_energy, 1.0);
        EXPECT_LE(report.energy_drift, 1e-9 * scale);
      }
    }
  }
}

TEST(SimulationBehaviour, SamplesAreAtWholeStepsAndCarryTheInput) {
  const ChainPtr chain = load_robot("puma560");
  const VecXd tau = VecXd::LinSpaced(6, -2.0, 3.0);
  for (const Choice<Integrator>& integrator : integrators()) {
    SCOPED_TRACE(integrator.name);
    SimulationOptions options = short_run(0.35);
    options.step = 0.1;
    options.integrator = integrator.value;
    const Motion motion = run(chain, options, VecXd::Zero(6), constant_torque(tau));
    ASSERT_EQ(motion.error, "");
    ASSERT_EQ(motion.time.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(motion.time[i], 0.1 * static_cast<double>(i), 1e-15);
      EXPECT_EQ(motion.tau[i], tau);
    }
    EXPECT_EQ(motion.q[0], VecXd::Zero(6));
    EXPECT_EQ(motion.report.samples, 4);
    EXPECT_EQ(motion.report.q, motion.q.back());
    EXPECT_EQ(motion.report.last_energy, motion.energy.back());
  }
  SimulationOptions options = short_run(0.3);
  options.step = 0.1;  // 0.3 / 0.1 is below 3 in floating point
  EXPECT_EQ(run(chain, options, VecXd::Zero(6)).time.back(), 0.3);
}

TEST(SimulationBehaviour, IsDeterministic) {
  for (const Experiment& experiment : experiments()) {
    const ChainPtr chain = load_robot(experiment.robot);
    for (const Choice<Integrator>& integrator : integrators()) {
      SimulationOptions options = short_run();
      options.integrator = integrator.value;
      const Motion once = run(chain, options, experiment.start);
      const Motion again = run(chain, options, experiment.start);
      EXPECT_EQ(once.q, again.q);
      EXPECT_EQ(once.qd, again.qd);
      EXPECT_EQ(once.energy, again.energy);
      EXPECT_EQ(once.report.evaluations, again.report.evaluations);
    }
  }
}

TEST(SimulationBehaviour, HeldTorquesChangeOnlyAtWholeSteps) {
  const TorqueInput ramp = [](double time, VecIn<double>, VecIn<double>, VecOut<double> tau) {
    tau.setConstant(time);
    return Status::kOk;
  };
  const TorqueInput held_ramp = held(ramp, 0.01);
  const VecXd q = VecXd::Zero(1);
  VecXd tau(1);
  for (int k = 0; k < 500; ++k) {
    for (const double part : {0.0, 0.3, 0.9}) {
      ASSERT_EQ(held_ramp(0.01 * (k + part), q, q, tau), Status::kOk);
      EXPECT_NEAR(tau[0], 0.01 * k, 1e-12);
    }
  }
}

// arm7 has damping and friction in its description.
TEST(SimulationBehaviour, FrictionOnlyTakesEnergy) {
  const ChainPtr chain = load_robot("arm7");
  SimulationOptions options = short_run(0.4);
  options.friction = true;
  const VecXd q0 = VecXd::Constant(7, 0.4);
  const Motion motion = run(chain, options, q0);
  ASSERT_EQ(motion.error, "");
  for (std::size_t i = 1; i < motion.energy.size(); ++i) {
    EXPECT_LE(motion.energy[i], motion.energy[i - 1] + 1e-7);
  }
  EXPECT_LT(motion.energy.back(), motion.energy.front() - 0.1);
}

TEST(SimulationBehaviour, JointStopsHold) {
  const ChainPtr chain = load_robot("arm7");
  SimulationOptions options = short_run(2.0);
  options.joint_stops = true;
  options.tolerance = 1e-6;
  VecXd q0 = VecXd::Zero(7);
  for (Index i = 0; i < 7; ++i) {
    const JointLimits& limits = chain->coordinate_joint(i).limits;
    if (std::isfinite(limits.lower)) q0[i] = 0.5 * (limits.lower + limits.upper);
  }
  const TorqueInput push = constant_torque(VecXd::Constant(7, 0.5));
  const Motion stopped = run(chain, options, q0, push);
  ASSERT_EQ(stopped.error, "");
  double deepest = 0.0, free_deepest = 0.0;
  const auto depth = [&](const VecXd& q, double& deepest_yet) {
    for (Index i = 0; i < 7; ++i) {
      const JointLimits& limits = chain->coordinate_joint(i).limits;
      deepest_yet = std::max({deepest_yet, q[i] - limits.upper, limits.lower - q[i]});
    }
  };
  for (const VecXd& q : stopped.q) depth(q, deepest);
  EXPECT_GT(deepest, 0.0);
  EXPECT_LT(deepest, 0.1);
  options.joint_stops = false;
  for (const VecXd& q : run(chain, options, q0, push).q) depth(q, free_deepest);
  EXPECT_GT(free_deepest, 1.0);
}

TEST(SimulationBehaviour, StopsWhenToldTo) {
  const ChainPtr chain = load_robot("puma560");
  for (const Choice<Integrator>& integrator : integrators()) {
    SimulationOptions options = short_run();
    options.integrator = integrator.value;
    Index samples = 0;
    const auto report = simulate(chain, options, free_fall(), VecXd::Zero(6), VecXd::Zero(6),
                                 {.sample = [&](const Sample&) { ++samples; },
                                  .proceed = [](double time) { return time < 0.3; }});
    ASSERT_TRUE(report) << report.error().sentence;
    EXPECT_TRUE(report->stopped);
    EXPECT_EQ(report->samples, samples);
    EXPECT_GT(report->time, 0.1);
    EXPECT_LE(report->time, 0.31);
  }
}

// ---- failing in sentences ----------------------------------------------------------------------

TEST(SimulationBehaviour, ObjectsToOptionsThatMakeNoSense) {
  const ChainPtr chain = load_robot("planar3r");
  const auto sentence = [&](auto change, const VecXd& q0) {
    SimulationOptions options = short_run();
    change(options);
    return run(chain, options, q0).error;
  };
  const VecXd zero = VecXd::Zero(3);
  using Options = SimulationOptions;
  EXPECT_TRUE(contains(sentence([](Options& o) { o.duration = 0.0; }, zero), "duration is 0 s"));
  EXPECT_TRUE(contains(sentence([](Options& o) { o.step = 2.0; }, zero), "step is 2 s"));
  EXPECT_TRUE(contains(sentence([](Options& o) { o.step = std::nan(""); }, zero), "step is nan"));
  EXPECT_TRUE(contains(sentence([](Options& o) { o.tolerance = 0.0; }, zero), "tolerance is 0"));
  EXPECT_TRUE(
      contains(sentence([](Options& o) { o.longest_step = 0.0; }, zero), "longest step is 0"));
  EXPECT_TRUE(contains(sentence([](Options& o) { o.substeps = 0; }, zero), "substeps is 0"));
  EXPECT_TRUE(contains(sentence([](Options& o) { o.step = 1e-300; }, zero), "1e-300 s"));
  EXPECT_TRUE(contains(sentence([](Options& o) { o.longest_step = 1e-300; }, zero), "1e-300 s"));
  const auto fine = [](Options& o) { o.integrator = Integrator::kRk4, o.substeps = 2'000'000'000; };
  EXPECT_TRUE(contains(sentence(fine, zero), "steps"));
  EXPECT_TRUE(contains(sentence([](Options& o) { o.tip_wrench.force.x() = HUGE_VAL; }, zero),
                       "tip wrench"));
  EXPECT_TRUE(
      contains(sentence([](Options& o) { o.algorithms.forward_dynamics = "x"; }, zero), "'x'"));
  EXPECT_TRUE(contains(sentence([](Options&) {}, VecXd::Zero(2)), "has 3 coordinates"));
  EXPECT_TRUE(
      contains(sentence([](Options&) {}, VecXd::Constant(3, std::nan(""))), "joint 'joint1'"));
  EXPECT_TRUE(contains(sentence([](Options& o) { o.joint_stops = true; }, VecXd::Constant(3, 50.0)),
                       "joint 'joint1' starts at 50, beyond its stops"));
}

TEST(SimulationBehaviour, SaysWhenAndWhereTheMotionBreaksDown) {
  const ChainPtr chain = load_robot("planar3r");
  const TorqueInput burst = [](double time, VecIn<double>, VecIn<double>, VecOut<double> tau) {
    tau[1] = 1.0 / ((0.5 - time) * (0.5 - time));  // drives joint2 to infinite speed at 0.5 s
    return Status::kOk;
  };
  const TorqueInput hole = [](double time, VecIn<double>, VecIn<double>, VecOut<double> tau) {
    tau[0] = time > 0.25 ? std::nan("") : 0.0;
    return Status::kOk;
  };
  for (const Choice<Integrator>& integrator : integrators()) {
    SCOPED_TRACE(integrator.name);
    SimulationOptions options = short_run();
    options.integrator = integrator.value;
    const Motion pierced = run(chain, options, VecXd::Zero(3), hole);
    EXPECT_TRUE(contains(pierced.error, "the torque of joint 'joint1' is not finite"))
        << pierced.error;
    EXPECT_NEAR(pierced.time.back(), 0.25, 0.02);  // the samples up to there are kept
    const bool constant =
        integrator.value == Integrator::kRk4 || integrator.value == Integrator::kSemiImplicit;
    if (constant) continue;
    const Motion burst_motion = run(chain, options, VecXd::Zero(3), burst);
    EXPECT_TRUE(contains(burst_motion.error, "no step is small enough")) << burst_motion.error;
    EXPECT_TRUE(contains(burst_motion.error, "after 0.5 s")) << burst_motion.error;
    EXPECT_NEAR(burst_motion.time.back(), 0.49, 0.011);
  }
}

TEST(SimulationBehaviour, SaysWhichJointIsNoLongerFinite) {
  const ChainPtr chain = load_robot("planar3r");
  SimulationOptions options = short_run(10.0);
  options.integrator = Integrator::kRk4;
  options.step = 0.2;  // far too long for these light links under this torque
  const Motion motion =
      run(chain, options, VecXd::Zero(3), constant_torque(VecXd::Constant(3, 40.0)));
  EXPECT_TRUE(contains(motion.error, "no longer finite") || contains(motion.error, "cannot go on"))
      << motion.error;
  EXPECT_TRUE(contains(motion.error, "joint 'joint")) << motion.error;
}

}  // namespace
}  // namespace dyn::test::simulation_behaviour_tests
