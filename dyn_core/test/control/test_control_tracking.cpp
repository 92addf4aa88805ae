// The closed loop as a whole: what delay, wrong payload, prediction and the laws do to the tracking
// error of arm7. Ratios between runs; every run is deterministic.
#include <cmath>

#include "control_support.hpp"
#include "dyn_core/control/tracking.hpp"

namespace dyn::test::control_tracking_tests {
namespace {

struct Scenario {
  Law law = Law::kComputedTorque;
  double delay = 0.0;
  double payload_error = 0.0;
  bool predict = false, observe = false, reject = false;
};

TrackingParameters parameters_of(const Chain& chain, const Scenario& scenario) {
  TrackingParameters parameters(chain);
  parameters.controller.law.law = scenario.law;
  parameters.controller.delay = parameters.plant.delay = scenario.delay;
  parameters.controller.predict = scenario.predict;
  parameters.controller.observe = scenario.observe;
  parameters.controller.reject_disturbance = scenario.reject;
  return parameters;
}

// A cycloid of 2 s through a good part of the workspace, at up to 1.2 rad/s.
TrackingReport run(const ChainPtr& chain, const Scenario& scenario) {
  TrackingParameters parameters = parameters_of(*chain, scenario);
  Solver solver = solver_of(chain);
  const VecXd middle = 0.5 * (first_posture() + last_posture());
  parameters.controller.law.gains = take(
      gains_from_frequency(scenario.law, solver, middle, VecXd::Constant(7, 20.0), VecXd::Ones(7)));
  const TrajectoryPtr trajectory = take(cycloid(first_posture(), last_posture(), 2.0));
  const ChainPtr truth = scale_inertia(*chain, 1.0, 1.0 + scenario.payload_error);
  return take(track(chain, truth, *trajectory, parameters));
}

TEST(Tracking, TheRightModelFollowsWithinAMilliradian) {
  const ChainPtr chain = load_robot("arm7");
  for (const Law law : {Law::kComputedTorque, Law::kQuasiVelocity}) {
    const TrackingReport report = run(chain, {.law = law});
    EXPECT_LT(report.peak_norm, 1e-3);
    EXPECT_EQ(report.failures, 0);
    EXPECT_EQ(report.updates, 2000);
  }
}

TEST(Tracking, PredictionMakesUpForTheDelay) {
  const ChainPtr chain = load_robot("arm7");
  for (const Law law : {Law::kComputedTorque, Law::kQuasiVelocity}) {
    const double without = run(chain, {.law = law, .delay = 0.004}).rms_norm;
    const double with = run(chain, {.law = law, .delay = 0.004, .predict = true}).rms_norm;
    EXPECT_GT(without, 10.0 * with);
    EXPECT_GT(without, 5.0 * run(chain, {.law = law}).rms_norm) << "the delay did harm";
  }
}

TEST(Tracking, PredictionHelpsWithAWrongPayload) {
  const ChainPtr chain = load_robot("arm7");
  const Scenario wrong{.delay = 0.004, .payload_error = 0.3};
  const auto rms = [&](bool predict, bool observe, bool reject) {
    Scenario scenario = wrong;
    scenario.predict = predict;
    scenario.observe = observe;
    scenario.reject = reject;
    return run(chain, scenario).rms_norm;
  };
  EXPECT_LT(rms(true, true, false), rms(false, true, false));
  EXPECT_LT(rms(true, true, true), 0.7 * rms(false, true, true));
  EXPECT_LT(rms(true, true, true), 0.2 * rms(false, false, false));
}

TEST(Tracking, TheModelBeatsPdAlone) {
  const ChainPtr chain = load_robot("arm7");
  const double computed_torque = run(chain, {}).rms_norm;
  for (const Law law : {Law::kPd, Law::kPdGravity, Law::kFeedforwardPd}) {
    EXPECT_GT(run(chain, {.law = law}).rms_norm, 3.0 * computed_torque) << entry_of(law).name;
  }
}

TEST(Tracking, TheObserverCorrectsThePrediction) {
  const ChainPtr chain = load_robot("arm7");
  Scenario scenario{.delay = 0.004, .payload_error = 0.3, .predict = true};
  const double blind = run(chain, scenario).prediction_rms;
  scenario.observe = true;
  EXPECT_LT(run(chain, scenario).prediction_rms, 0.3 * blind);
  scenario.payload_error = 0.0;
  EXPECT_LT(run(chain, scenario).prediction_rms, 0.1 * blind);
}

// V = ½ s_nuᵀ s_nu falls as exp(-2γt) where all Γ are γ, whatever the posture and the speed.
TEST(Tracking, TheStorageFunctionOfTheQuasiVelocityLawDecays) {
  const ChainPtr chain = without_limits(*without_friction(*load_robot("arm7")));
  ControlParameters parameters(*chain);
  parameters.law = Law::kQuasiVelocity;
  parameters.ramp_in = 0.0;
  parameters.friction = false;
  parameters.period = 1e-4;
  ControlLaw law = take(ControlLaw::make(chain, parameters));  // Γ = Λ = 20 1/s
  PlantParameters plant_parameters;
  plant_parameters.shortest_period = parameters.period;
  Plant plant = take(Plant::make(chain, plant_parameters));
  const TrajectoryPtr trajectory = take(cycloid(first_posture(), last_posture(), 1.0));
  JointState state(7);
  state.q = first_posture().array() + 0.2;
  state.qd.setConstant(-0.5);
  ASSERT_EQ(plant.reset(state, VecXd::Zero(7)), Status::kOk);
  Reference reference(7);
  double first = 0.0, before = kInfinity;
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(trajectory->evaluate(plant.time(), reference.q, reference.qd, reference.qdd),
              Status::kOk);
    const ControlOutput& out = law.update(plant.measured(), reference, parameters.period);
    if (i == 0) first = out.storage;
    EXPECT_LT(out.storage, before) << i;
    EXPECT_NEAR(std::log(out.storage / first), -40.0 * plant.time(), 0.05 + 0.4 * plant.time());
    before = out.storage;
    ASSERT_EQ(plant.command(out.torque), Status::kOk);
    ASSERT_EQ(plant.step(parameters.period), Status::kOk);
  }
}

// Whatever breaks, at any time, for any time: finite torques within the limits, and a return to the
// trajectory.
TEST(Tracking, FaultsAreSurvived) {
  const ChainPtr chain = load_robot("arm7");
  const TrajectoryPtr trajectory = take(cycloid(first_posture(), last_posture(), 2.0));
  for (const Fault fault : {Fault::kStateNotFinite, Fault::kStateFrozen, Fault::kCommandLost}) {
    for (const int lasting : {1, 20, 200}) {
      if (kSanitized && lasting != 200) continue;
      SCOPED_TRACE(lasting);
      TrackingParameters parameters =
          parameters_of(*chain, {.delay = 0.004, .predict = true, .observe = true});
      Controller controller = take(Controller::make(chain, parameters.controller));
      Plant plant = take(Plant::make(chain, parameters.plant));
      JointState state(7);
      state.q = first_posture();
      ASSERT_EQ(controller.activate(VecXd::Zero(7)), Status::kOk);
      ASSERT_EQ(plant.reset(state, VecXd::Zero(7)), Status::kOk);
      Reference reference(7);
      const VecXd& effort = parameters.controller.law.limits.effort;
      for (int i = 0; i < 4000; ++i) {
        if (i == 700) plant.set_fault(fault);
        if (i == 700 + lasting) plant.set_fault(Fault::kNone);
        ASSERT_EQ(trajectory->evaluate(plant.time() + controller.lookahead(), reference.q,
                                       reference.qd, reference.qdd),
                  Status::kOk);
        const ControlOutput& out =
            controller.update(plant.time(), plant.measured(), reference, 1e-3);
        ASSERT_TRUE(out.torque.allFinite());
        ASSERT_LE((out.torque.cwiseAbs() - effort).maxCoeff(), 0.0);
        ASSERT_EQ(plant.command(out.torque), Status::kOk);
        ASSERT_EQ(plant.step(1e-3), Status::kOk);
      }
      if (controller.supervisor().fault() != Status::kOk) {
        EXPECT_EQ(fault, Fault::kCommandLost) << "nothing else lets the arm run away";
        EXPECT_EQ(lasting, 200);
        EXPECT_LT(plant.state().qd.norm(), 1e-2) << "it is stopped for good";
        continue;
      }
      // Static friction leaves the light wrist joints a little off.
      EXPECT_LT((plant.state().q - last_posture()).cwiseAbs().maxCoeff(), 0.05)
          << "fault " << static_cast<int>(fault);
    }
  }
}

TEST(Tracking, IsDeterministic) {
  const ChainPtr chain = load_robot("arm7");
  const Scenario scenario{.delay = 0.004, .predict = true, .observe = true};
  EXPECT_EQ(run(chain, scenario).rms, run(chain, scenario).rms);
}

TEST(Tracking, StopsWhenAskedAndRefusesWhatDoesNotFit) {
  const ChainPtr chain = load_robot("arm7");
  const TrajectoryPtr trajectory = take(cycloid(first_posture(), last_posture(), 2.0));
  const TrackingParameters parameters(*chain);
  const TrackingReport report = take(track(chain, chain, *trajectory, parameters,
                                           {.proceed = [](double time) { return time < 0.5; }}));
  EXPECT_TRUE(report.stopped);
  EXPECT_NEAR(report.time, 0.5, 2e-3);
  const TrajectoryPtr other = take(cycloid(VecXd::Zero(3), VecXd::Ones(3), 1.0));
  EXPECT_FALSE(track(chain, chain, *other, parameters));
}

}  // namespace
}  // namespace dyn::test::control_tracking_tests
