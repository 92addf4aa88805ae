// The predictor against the arm that it predicts.
#include <cmath>

#include "control_support.hpp"

namespace dyn::test::control_predictor_tests {
namespace {

constexpr std::uint64_t kSeed = 20261203;
constexpr double kPeriod = 1e-3;

/// Random torques around gravity drive an arm with a delay; the predictor watches.
class Chase {
 public:
  Chase(const ChainPtr& chain, const ChainPtr& truth, const PredictorParameters& parameters,
        bool friction = false)
      : predictor(take(Predictor::make(chain, parameters))),
        plant(take(Plant::make(truth, plant_parameters(parameters, friction)))),
        random_(kSeed),
        torque_(VecXd::Zero(chain->dof())) {
    JointState state(chain->dof());
    state.q = random_.vector(chain->dof(), 0.5);
    EXPECT_EQ(plant.reset(state, torque_), Status::kOk);
    EXPECT_EQ(predictor.reset(torque_), Status::kOk);
  }

  /// One period; the torque changes every period.
  void step() {
    const double phase = 5.0 * plant.time();
    for (Index i = 0; i < torque_.size(); ++i) {
      torque_[i] = 2.0 * std::sin(phase + static_cast<double>(i)) + random_.uniform(-1.0, 1.0);
    }
    EXPECT_EQ(predictor.predict(plant.time(), plant.measured()), Status::kOk);
    EXPECT_EQ(plant.command(torque_), Status::kOk);
    EXPECT_EQ(predictor.sent(plant.time(), torque_), Status::kOk);
    EXPECT_EQ(plant.step(kPeriod), Status::kOk);
  }

  /// The largest error that the predictor reports over `steps`, relative to the way covered.
  double worst(int steps) {
    double error = 0.0;
    for (int i = 0; i < steps; ++i) {
      step();
      if (predictor.has_error()) error = std::max(error, predictor.error().q.norm());
    }
    return error;
  }

  Predictor predictor;
  Plant plant;

 private:
  static PlantParameters plant_parameters(const PredictorParameters& parameters, bool friction) {
    PlantParameters plant;
    plant.delay = parameters.delay;
    plant.model.friction = friction ? Friction::kFull : Friction::kNone;
    plant.model.stops = false;
    plant.clip_effort = false;
    plant.drive_compensates_gravity = parameters.hardware_compensates_gravity;
    return plant;
  }

  Random random_;
  VecXd torque_;
};

PredictorParameters parameters_for(double delay) {
  PredictorParameters parameters;
  parameters.delay = delay;
  parameters.middle_of_hold = false;
  parameters.model.scheme = Scheme::kRungeKutta4;
  return parameters;
}

// A late loop catches up in cycles of a tenth of its period, and every command still acts in its time.
TEST(Predictor, ShortCyclesForgetNoCommand) {
  const ChainPtr chain = load_robot("arm7");
  Predictor predictor = take(Predictor::make(chain, {.delay = 0.04}));
  ASSERT_EQ(predictor.reset(VecXd::Zero(7)), Status::kOk);
  constexpr double kShort = 1e-4;
  for (int k = 0; k < 1000; ++k) {
    ASSERT_EQ(predictor.sent(k * kShort, VecXd::Constant(7, k)), Status::kOk);
  }
  VecXd mean(7);
  predictor.mean_torque(0.0999, 0.1, mean);  // what was sent 0.04 s before
  EXPECT_NEAR(mean[0], 599.0, 1e-6);
}

TEST(Predictor, MeetsTheArmAtTheEndOfTheDelay) {
  for (const ChainPtr& chain : {load_robot("arm7"), load_robot("stanford")}) {
    for (const double delay : {0.001, 0.004, 0.0037, 0.0123}) {  // whole periods and not
      SCOPED_TRACE(delay);
      PredictorParameters parameters = parameters_for(delay);
      parameters.model.max_step = PlantParameters().model.max_step;
      Chase chase(chain, chain, parameters);
      std::vector<std::pair<double, VecXd>> predicted;
      double worst = 0.0, way = 0.0, reported = 0.0;
      int met = 0, reports = 0;
      for (int i = 0; i < 200; ++i) {
        chase.step();
        way = std::max(way, delay * chase.plant.state().qd.norm());
        if (chase.predictor.has_error()) {
          ++reports;
          reported = std::max(reported, chase.predictor.error().q.norm());
        }
        predicted.emplace_back(chase.plant.time() - kPeriod + delay, chase.predictor.state().q);
        for (const auto& [time, q] : predicted) {
          if (std::abs(time - chase.plant.time()) > 1e-9) continue;
          ++met;
          worst = std::max(worst, (q - chase.plant.state().q).norm());
        }
      }
      EXPECT_EQ(met > 0, std::abs(std::remainder(delay, kPeriod)) < 1e-9);
      EXPECT_LT(worst, 1e-6 * way);
      EXPECT_GT(reports, 150);
      EXPECT_LT(reported, met > 0 ? 1e-6 * way : 0.02 * way) << "interpolated between predictions";
    }
  }
}

TEST(Predictor, SchemesConvergeWithTheirOrder) {
  const ChainPtr chain = load_robot("arm7");
  const auto error = [&](Scheme scheme, double step) {
    PredictorParameters parameters = parameters_for(0.004);
    parameters.model.scheme = scheme;
    parameters.model.max_step = step;
    return Chase(chain, chain, parameters).worst(300);
  };
  const double coarse = error(Scheme::kSemiImplicit, 1e-3);
  EXPECT_NEAR(coarse / error(Scheme::kSemiImplicit, 0.5e-3), 2.0, 0.2);
  EXPECT_NEAR(error(Scheme::kMidpoint, 1e-3) / error(Scheme::kMidpoint, 0.5e-3), 4.0, 1.0);
  EXPECT_LT(error(Scheme::kMidpoint, 1e-3), 0.05 * coarse);
  EXPECT_LT(error(Scheme::kRungeKutta4, 1e-3), 0.01 * error(Scheme::kMidpoint, 1e-3));
}

TEST(Predictor, FrictionBelongsToTheModelWhereItActs) {
  const ChainPtr chain = load_robot("arm7");
  PredictorParameters parameters = parameters_for(0.004);
  const double without = Chase(chain, chain, parameters, true).worst(300);
  parameters.model.friction = Friction::kFull;
  EXPECT_LT(Chase(chain, chain, parameters, true).worst(300), 0.05 * without);
}

TEST(Predictor, HardwareGravityIsNotPredictedTwice) {
  const ChainPtr chain = load_robot("arm7");
  const auto error = [&](bool told) {
    PredictorParameters parameters = parameters_for(0.004);
    parameters.hardware_compensates_gravity = true;
    Chase chase(chain, chain, parameters);
    if (!told) chase.predictor = take(Predictor::make(chain, parameters_for(0.004)));
    return chase.worst(100);
  };
  EXPECT_LT(error(true), 0.1 * error(false));
}

TEST(Predictor, ReportsAWrongModel) {
  const ChainPtr chain = load_robot("arm7");
  const PredictorParameters parameters = parameters_for(0.004);
  const double right = Chase(chain, chain, parameters).worst(100);
  EXPECT_GT(Chase(chain, scale_inertia(*chain, 1.0, 1.3), parameters).worst(100), 100.0 * right);
}

// Held against gravity without being told: the arm falls, until the disturbance says what holds it.
TEST(Predictor, DisturbanceCorrectsTheModel) {
  const ChainPtr chain = load_robot("arm7");
  Predictor predictor = take(Predictor::make(chain, parameters_for(0.01)));
  JointState rest(7);
  rest.q.setConstant(0.5);
  VecXd gravity(7);
  Solver solver = solver_of(chain);
  ASSERT_EQ(solver.gravity_torque(rest.q, gravity), Status::kOk);
  ASSERT_EQ(predictor.predict(0.0, rest), Status::kOk);
  EXPECT_GT((predictor.state().q - rest.q).norm(), 1e-4);
  ASSERT_EQ(predictor.set_disturbance(gravity), Status::kOk);
  ASSERT_EQ(predictor.predict(0.001, rest), Status::kOk);
  EXPECT_LT((predictor.state().q - rest.q).norm(), 1e-12);
}

TEST(Predictor, FallsBackToTheMeasuredState) {
  const ChainPtr chain = load_robot("arm7");
  Chase chase(chain, chain, parameters_for(0.004));
  (void)chase.worst(20);
  JointState broken(7);
  broken.q.setConstant(kNaN);
  EXPECT_EQ(chase.predictor.predict(1.0, broken), Status::kNotFinite);
  JointState wild(7);
  wild.qd.setConstant(1e200);
  EXPECT_EQ(chase.predictor.predict(1.0, wild), Status::kNotFinite);
  EXPECT_EQ(chase.predictor.state().qd, wild.qd);
  EXPECT_EQ(chase.predictor.predict(kNaN, JointState(7)), Status::kNotFinite);
  EXPECT_EQ(chase.predictor.predict(1.0, JointState(6)), Status::kWrongSize);
  EXPECT_TRUE(chase.predictor.state().q.array().isNaN().all());
  EXPECT_EQ(chase.predictor.sent(1.0, VecXd::Constant(7, kNaN)), Status::kNotFinite);
  EXPECT_EQ(chase.predictor.sent(1.0, VecXd::Zero(3)), Status::kWrongSize);
  EXPECT_EQ(chase.predictor.predict(1.0, JointState(7)), Status::kOk) << "and recovers";
  EXPECT_TRUE(chase.predictor.state().finite());
}

TEST(Predictor, DelayMayChangeWithinWhatWasReserved) {
  const ChainPtr chain = load_robot("arm7");
  Predictor predictor = take(Predictor::make(chain, parameters_for(0.004)));
  EXPECT_EQ(predictor.set_delay(0.05), Status::kOk);
  EXPECT_DOUBLE_EQ(predictor.horizon(), 0.05);
  EXPECT_EQ(predictor.set_delay(0.06), Status::kUnsupported);
  EXPECT_EQ(predictor.set_delay(-1e-3), Status::kUnsupported);
  EXPECT_EQ(predictor.set_delay(kNaN), Status::kNotFinite);
  EXPECT_DOUBLE_EQ(predictor.horizon(), 0.05);
  // The clock steps back: the errors start anew, nothing else happens.
  for (const double time : {1.0, 1.001, 0.5, 0.501, 0.501, 0.6}) {
    EXPECT_EQ(predictor.predict(time, JointState(7)), Status::kOk);
    EXPECT_TRUE(predictor.error().finite());
  }
}

TEST(Predictor, BadParametersAreRefusedWithASentence) {
  const ChainPtr chain = load_robot("arm7");
  const auto refused = [&](const std::function<void(PredictorParameters&)>& spoil) {
    PredictorParameters parameters;
    spoil(parameters);
    return !Predictor::make(chain, parameters);
  };
  EXPECT_TRUE(refused([](auto& p) { p.delay = -1.0; }));
  EXPECT_TRUE(refused([](auto& p) { p.delay = kNaN; }));
  EXPECT_TRUE(refused([](auto& p) { p.period = 0.0; }));
  EXPECT_TRUE(refused([](auto& p) { p.longest_delay = kInfinity; }));
  EXPECT_TRUE(refused([](auto& p) { p.model.max_step = 0.0; }));
  EXPECT_TRUE(refused([](auto& p) { p.model.max_step = 1e-300; }));
  EXPECT_TRUE(refused([](auto& p) { p.period = 1e-300; }));
  EXPECT_FALSE(refused([](auto&) {}));
}

TEST(CommandHistory, FindsWhatActs) {
  CommandHistory history(1, 4);
  history.reset(VecXd::Constant(1, -1.0));
  EXPECT_EQ(history.torque(history.find(-1e9))[0], -1.0);
  for (int i = 0; i < 10; ++i) history.push(0.1 * i, VecXd::Constant(1, i));
  EXPECT_EQ(history.size(), 4);
  EXPECT_EQ(history.torque(history.find(0.85))[0], 8.0);
  EXPECT_EQ(history.torque(history.find(0.8))[0], 8.0);
  EXPECT_EQ(history.torque(history.find(100.0))[0], 9.0);
  EXPECT_EQ(history.torque(history.find(0.0))[0], 6.0) << "the oldest that is left";
}

}  // namespace
}  // namespace dyn::test::control_predictor_tests
