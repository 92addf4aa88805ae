// What is watched besides the law: limits of references, speeds, errors, reversing torques, blocked
// joints, predictions that do harm.
#include <cmath>

#include <fmt/format.h>

#include "control_support.hpp"
#include "dyn_core/study/effort_need.hpp"

namespace dyn::test::control_supervisor_tests {
namespace {

constexpr double kPeriod = 1e-3;

JointState at_rest(const VecXd& q) {
  JointState state(q.size());
  state.q = q;
  return state;
}

Reference still(const VecXd& q) {
  Reference reference(q.size());
  reference.q = q;
  return reference;
}

/// An arm and its controller, moved on period by period.
struct Loop {
  ChainPtr chain;
  Controller controller;
  Plant plant;

  Loop(ChainPtr chain_in, const ControllerParameters& parameters, const VecXd& q)
      : chain(std::move(chain_in)),
        controller(take(Controller::make(chain, parameters))),
        plant(take(Plant::make(chain, {}))) {
    Solver solver = solver_of(chain);
    VecXd torque(chain->dof());
    EXPECT_EQ(solver.gravity_torque(q, torque), Status::kOk);
    EXPECT_EQ(controller.activate(torque), Status::kOk);
    EXPECT_EQ(plant.reset(at_rest(q), torque), Status::kOk);
  }

  const ControlOutput& go(const Reference& reference) {
    const ControlOutput& out =
        controller.update(plant.time(), plant.measured(), reference, kPeriod);
    EXPECT_EQ(plant.command(out.torque), Status::kOk);
    EXPECT_EQ(plant.step(kPeriod), Status::kOk);
    return out;
  }
};

TEST(Supervisor, AReferenceBeyondALimitIsKeptAtIt) {
  const ChainPtr chain = load_robot("arm7");
  Loop loop(chain, ControllerParameters(*chain), first_posture());
  Reference reference = still(first_posture());
  const JointLimits& limits = chain->coordinate_joint(3).limits;
  double lowest = kInfinity;
  for (int k = 0; k < 2500; ++k) {
    reference.qd[3] = k < 2100 ? -0.5 : 0.0;
    reference.q[3] = std::max(first_posture()[3] - 0.5 * kPeriod * k, -0.2);
    EXPECT_EQ(loop.go(reference).mode, ControlMode::kTracking);
    lowest = std::min(lowest, loop.plant.state().q[3]);
  }
  EXPECT_TRUE(loop.controller.supervisor().reference_limited());
  EXPECT_NEAR(loop.plant.state().q[3], limits.lower, 1e-3);
  EXPECT_GE(lowest, limits.lower);
  EXPECT_LT(std::abs(loop.controller.output().terms.feedback[3]), 1.0) << "it does not push";
}

// An arm that stands beyond a limit when it is activated stays there.
TEST(Supervisor, AnArmBeyondItsLimitIsNotPulledBack) {
  const ChainPtr chain = load_robot("arm7");
  ControllerParameters parameters(*chain);
  parameters.supervision.upper[0] = -0.8;
  Loop loop(chain, parameters, first_posture());  // joint1 at -0.6
  for (int k = 0; k < 500; ++k) loop.go(still(first_posture()));
  EXPECT_NEAR(loop.plant.state().q[0], first_posture()[0], 1e-3);
}

// pd does not carry an arm: for it arm7 is weightless.
ChainPtr arm_for(Law law) {
  const ChainPtr chain = load_robot("arm7");
  if (law != Law::kPd) return chain;
  ChainDescription out = chain->description();
  out.gravity.setZero();
  return std::make_shared<const Chain>(std::move(out));
}

ControllerParameters parameters_of(const ChainPtr& chain, Law law) {
  ControllerParameters parameters(*chain);
  parameters.law.law = law;
  Solver solver = solver_of(chain);
  const VecXd ones = VecXd::Ones(chain->dof());
  parameters.law.gains =
      take(gains_from_frequency(law, solver, first_posture(), 20.0 * ones, ones));
  return parameters;
}

// Full speed towards a limit: the approach brakes it, where the stop alone would be hit.
TEST(Supervisor, AJointBrakesBeforeItsLimitUnderEveryLaw) {
  for (const LawEntry& entry : control_laws()) {
    if (!entry.follows_joints()) continue;
    SCOPED_TRACE(entry.name);
    const ChainPtr chain = arm_for(entry.law);
    const auto speed_of_arrival = [&](bool careful) {
      ControllerParameters parameters = parameters_of(chain, entry.law);
      if (!careful) parameters.supervision.approach.setConstant(kInfinity);
      Loop loop(chain, parameters, first_posture());
      const JointLimits& limits = chain->coordinate_joint(3).limits;
      Reference reference = still(first_posture());
      double speed = 0.0;
      for (int k = 0; k < 1500; ++k) {
        reference.q[3] = std::max(first_posture()[3] - 2.0 * kPeriod * k, limits.lower);
        reference.qd[3] = reference.q[3] > limits.lower ? -2.0 : 0.0;
        const double before = -loop.plant.state().qd[3];
        loop.go(reference);
        if (loop.plant.state().q[3] < limits.lower + 5e-4) speed = std::max(speed, before);
      }
      EXPECT_NEAR(loop.plant.state().q[3], limits.lower, 0.01);
      return speed;
    };
    const double careless = speed_of_arrival(false), careful = speed_of_arrival(true);
    fmt::print("{}: {:.2f} rad/s, careful {:.2f} rad/s\n", entry.name, careless, careful);
    EXPECT_GT(careless, 1.0);
    EXPECT_LT(careful, 0.35);
  }
}

// At the tip, too: the joint brakes whatever the tip asks of it.
TEST(Supervisor, AJointBrakesBeforeItsLimitUnderTheLawOfTheTip) {
  const ChainPtr chain = load_robot("arm7");
  ControlParameters parameters = plain_parameters(*chain, Law::kTaskSpace);
  parameters.friction = false;
  parameters.approach.setConstant(20.0);
  ControlLaw law = take(ControlLaw::make(chain, parameters));
  JointState state = at_rest(first_posture());
  state.q[3] = chain->coordinate_joint(3).limits.lower + 0.02;
  state.qd[3] = -1.5;
  Reference reference = still(state.q);
  reference.qd = state.qd;
  VecXd qdd(7);
  const VecXd torque = law.update(state, reference, kPeriod).torque;
  ASSERT_EQ(solver_of(chain).forward_dynamics(state.q, state.qd, torque, qdd), Status::kOk);
  const double allowed = std::sqrt(2.0 * 20.0 * 0.02);
  EXPECT_GE(qdd[3], parameters.gains.kd[3] * (1.5 - allowed) + 20.0 - 1e-6);
}

// |q̇| and |e| beyond their bounds, for two periods: braked, carried, and so it stays.
TEST(Supervisor, SpeedAndErrorAreFaultsUntilActivatedAgain) {
  const ChainPtr chain = load_robot("arm7");
  for (const Status fault : {Status::kOverspeed, Status::kTrackingError}) {
    ControllerParameters parameters(*chain);
    if (fault == Status::kOverspeed) parameters.supervision.speed.setConstant(0.3);
    if (fault == Status::kTrackingError) parameters.supervision.error.setConstant(0.2);
    Loop loop(chain, parameters, first_posture());
    const Reference far = still(first_posture() + VecXd::Constant(7, 0.3));
    int k = 0;
    while (loop.go(far).mode == ControlMode::kTracking && k < 1000) ++k;
    EXPECT_LT(k, 200);
    EXPECT_EQ(loop.controller.output().status, fault);
    EXPECT_EQ(loop.controller.supervisor().fault(), fault);
    for (k = 0; k < 1000; ++k) loop.go(still(loop.plant.state().q));
    EXPECT_EQ(loop.controller.output().mode, ControlMode::kStopping);
    EXPECT_LT(loop.plant.state().qd.norm(), 1e-3);
    ASSERT_EQ(loop.controller.activate(loop.controller.output().torque), Status::kOk);
    EXPECT_EQ(loop.go(still(loop.plant.state().q)).mode, ControlMode::kTracking);
  }
}

// One sample may be a glitch of an encoder.
TEST(Supervisor, OneFastSampleIsNoFault) {
  const ChainPtr chain = load_robot("arm7");
  Supervisor supervisor = take(Supervisor::make(chain, SupervisionParameters(*chain),
                                                ControlParameters(*chain).limits.effort));
  const VecXd zero = VecXd::Zero(7);
  JointState state(7);
  for (int k = 0; k < 20; ++k) {
    state.qd[5] = k % 2 == 0 ? 100.0 : 0.0;
    EXPECT_EQ(supervisor.check(state, zero, zero, kPeriod), Status::kOk);
  }
  state.qd[5] = 100.0;
  (void)supervisor.check(state, zero, zero, kPeriod);
  EXPECT_EQ(supervisor.check(state, zero, zero, kPeriod), Status::kOverspeed);
  EXPECT_EQ(supervisor.joint(), 5);
  supervisor.reset();
  EXPECT_EQ(supervisor.fault(), Status::kOk);
}

// From limit to limit with any interval up to 20 ms; not where it happens once in a while.
TEST(Supervisor, TorqueThatReversesOverAndOverIsAFault) {
  const ChainPtr chain = load_robot("arm7");
  const VecXd effort = ControlParameters(*chain).limits.effort, zero = VecXd::Zero(7);
  for (const int interval : {1, 2, 5, 10, 20, 60, 300}) {
    Supervisor supervisor = take(Supervisor::make(chain, SupervisionParameters(*chain), effort));
    VecXd torque = zero;
    for (int k = 0; k < 2000; ++k) {
      torque[2] = (k / interval) % 2 == 0 ? effort[2] : -effort[2];
      (void)supervisor.check(JointState(7), zero, torque, kPeriod);
    }
    EXPECT_EQ(supervisor.fault(), interval <= 20 ? Status::kOscillation : Status::kOk) << interval;
  }
}

// joint4 meets an obstacle 0.15 rad before its reference. The laws on accelerations would count on it to
// move; in the others no joint counts on another.
TEST(Supervisor, ABlockedJointIsFoundAndDoesNotDragTheOthersUnderAnyLaw) {
  const VecXd start = first_posture();
  for (const LawEntry& entry : control_laws()) {
    if (!entry.follows_joints())
      continue;  // where the tip counts, the others do what this one cannot
    SCOPED_TRACE(entry.name);
    const ChainPtr model = arm_for(entry.law);
    const ChainPtr walled = edited(*model, [&](Joint& joint) {
      if (joint.name == "joint4") joint.limits.lower = start[3] - 1e-6;
    });
    // Where the arm comes to rest, and what was thought to be blocked in the end.
    const auto run = [&](const ChainPtr& truth, bool supervised, VecXd& blocked) {
      ControllerParameters parameters = parameters_of(model, entry.law);
      parameters.supervision.enabled = supervised;
      Loop loop(model, parameters, start);
      loop.plant = take(Plant::make(truth, {}));
      EXPECT_EQ(loop.plant.reset(at_rest(start), loop.controller.output().torque), Status::kOk);
      Reference reference = still(start);
      for (int k = 0; k < 2000; ++k) {
        reference.q[3] = start[3] - std::min(0.15, 0.15 * kPeriod * k);
        EXPECT_EQ(loop.go(reference).mode, ControlMode::kTracking);
      }
      blocked = loop.controller.supervisor().blocked();
      return loop.plant.state().q;
    };
    VecXd blocked;
    const VecXd free = run(model, true, blocked);
    EXPECT_LT(blocked.maxCoeff(), 0.5) << blocked.transpose();
    const auto drag = [&](bool supervised) {
      VecXd way = run(walled, supervised, blocked) - free;
      way[3] = 0.0;
      return way.cwiseAbs().maxCoeff();
    };
    const double careless = drag(false), careful = drag(true);
    fmt::print("{}: {:.3f} rad, supervised {:.3f} rad\n", entry.name, careless, careful);
    EXPECT_EQ(blocked[3], 1.0) << blocked.transpose();
    if (entry.acceleration_gains) {
      EXPECT_GT(careless, 0.1);
      EXPECT_LT(careful, 0.02);
    }
  }
}

// A model whose torques act at once, where in truth they come late, or the other way round, behind a
// reference that shakes: it predicts worse than nothing.
TEST(Supervisor, APredictionThatDoesHarmIsGivenUpAndComesBack) {
  const ChainPtr chain = load_robot("arm7");
  Predictor predictor = take(Predictor::make(chain, {.delay = 0.004}));
  Solver solver = solver_of(chain);
  VecXd torque(7);
  ASSERT_EQ(solver.gravity_torque(first_posture(), torque), Status::kOk);
  ASSERT_EQ(predictor.reset(torque), Status::kOk);
  JointState state = at_rest(first_posture());
  double time = 0.0, least = 1.0;
  const auto rest = [&](int cycles, double kick) {
    for (int k = 0; k < cycles; ++k, time += kPeriod) {
      ASSERT_EQ(predictor.predict(time, state), Status::kOk);
      torque[6] += k % 2 == 0 ? kick : -kick;  // what the arm does not answer
      ASSERT_EQ(predictor.sent(time, torque), Status::kOk);
      const double before = least;
      least = std::min(least, predictor.weight());
      EXPECT_GE(least, before - 0.05 - 1e-12) << "smoothly";
    }
  };
  rest(100, 0.0);
  EXPECT_EQ(predictor.weight(), 1.0);
  rest(200, 5.0);
  EXPECT_EQ(predictor.weight(), 0.0);
  EXPECT_EQ(predictor.state().q, state.q);
  rest(2000, 0.0);
  EXPECT_EQ(predictor.weight(), 1.0);
}

TEST(Supervisor, WhatCannotBeHeldIsKnown) {
  const ChainPtr chain = load_robot("arm7");
  const VecXd effort = effort_limits(*chain);
  Solver solver = solver_of(chain);
  const auto weak = [&] { return weakness(*chain, gravity_torque_peak(solver), effort); };
  EXPECT_EQ(held_share(solver, effort), 1.0);
  EXPECT_EQ(weak(), "");
  RigidBody payload;
  payload.mass = 12.0;
  payload.com = Vec3d(0.0, 0.0, 0.1);
  solver.set_payload(payload);
  EXPECT_LT(held_share(solver, effort), 1.0);
  EXPECT_NE(weak().find("joint"), std::string::npos);
  payload.mass = 500.0;
  solver.set_payload(payload);
  EXPECT_EQ(held_share(solver, effort), 0.0);
  solver.set_gravity(Vec3d::Zero());
  EXPECT_EQ(held_share(solver, effort), 1.0) << "afloat it weighs nothing";
}

TEST(Supervisor, RefusesBoundsThatMakeNoSense) {
  const ChainPtr chain = load_robot("arm7");
  ControllerParameters parameters(*chain);
  parameters.supervision.speed[2] = -1.0;
  auto made = Controller::make(chain, parameters);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().sentence.find("joint3"), std::string::npos);
  parameters = ControllerParameters(*chain);
  parameters.supervision.error = VecXd::Ones(3);
  EXPECT_FALSE(Controller::make(chain, parameters));
}

}  // namespace
}  // namespace dyn::test::control_supervisor_tests
