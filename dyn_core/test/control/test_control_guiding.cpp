// Guiding by hand: what stands still stays, what is let go comes to rest.
#include <cmath>

#include <fmt/format.h>

#include "control_support.hpp"

namespace dyn::test::control_guiding_tests {
namespace {

constexpr double kPeriod = 1e-3;

VecXd held_out() {
  VecXd q(7);
  q << 0.3, 0.8, 0.0, 1.0, 0.0, 0.8, 0.0;
  return q;
}

ControllerParameters guided(const Chain& chain) {
  ControllerParameters out(chain);
  out.law.law = Law::kGravity;
  return out;
}

class Hand {
 public:
  Hand(const ChainPtr& chain, const ChainPtr& truth, const ControllerParameters& parameters)
      : kinematics_(chain),
        solver_(solver_of(chain)),
        controller_(take(Controller::make(chain, parameters))),
        plant_(take(Plant::make(truth, {}))),
        none_(chain->dof()) {
    JointState state(7);
    state.q = held_out();
    VecXd torque(7);
    EXPECT_EQ(solver_.gravity_torque(state.q, torque), Status::kOk);
    EXPECT_EQ(controller_.activate(torque), Status::kOk);
    EXPECT_EQ(plant_.reset(state, torque), Status::kOk);
  }

  void hold(double seconds, const Vec3d& force = Vec3d::Zero()) {
    plant_.set_tip_wrench({force, Vec3d::Zero()});
    double before = energy();
    grown_ = 0.0;
    for (const double end = plant_.time() + seconds; plant_.time() < end - 0.5 * kPeriod;) {
      const ControlOutput& out =
          controller_.update(plant_.time(), plant_.measured(), none_, kPeriod);
      ASSERT_EQ(out.mode, ControlMode::kTracking)
          << to_string(out.status) << " at " << plant_.time() << " s, joint "
          << controller_.supervisor().joint() << ", velocities " << plant_.state().qd.transpose();
      ASSERT_EQ(plant_.command(out.torque), Status::kOk);
      ASSERT_EQ(plant_.step(kPeriod), Status::kOk);
      const double now = energy();
      grown_ += std::max(now - before, 0.0);
      before = now;
    }
  }

  Vec3d tip() {
    EXPECT_EQ(kinematics_.update(plant_.state().q), Status::kOk);
    return kinematics_.tip_pose().p;
  }
  double energy() {
    double out = 0.0;
    EXPECT_EQ(solver_.kinetic_energy(plant_.state().q, plant_.state().qd, out), Status::kOk);
    return out + controller_.law().stored(plant_.state());
  }
  [[nodiscard]] double grown() const { return grown_; }  // in the last hold()
  [[nodiscard]] const JointState& state() const { return plant_.state(); }

 private:
  Kinematics<double> kinematics_;
  Solver solver_;
  Controller controller_;
  Plant plant_;
  Reference none_;
  double grown_ = 0.0;
};

TEST(Guiding, PushedAndLetGoItComesToRest) {
  const ChainPtr chain = load_robot("arm7");
  Hand hand(chain, chain, guided(*chain));
  const Vec3d from = hand.tip();
  hand.hold(1.0, {0.0, 8.0, 0.0});
  const double pushed = (hand.tip() - from).norm(), energy = hand.energy();
  EXPECT_GT(pushed, 0.05);
  hand.hold(4.0);
  fmt::print(
      "pushed {:.0f} mm, {:.2g} J when let go, {:.2g} J came by themselves, {:.2g} rad/s left\n",
      1e3 * pushed, energy, hand.grown(), hand.state().qd.norm());
  EXPECT_LT(hand.grown(), 1e-3 * energy) << "energy grew by itself";
  EXPECT_LT(hand.state().qd.norm(), 1e-6);
}

TEST(Guiding, TheSlowBiasHoldsAnArmWithWrongMasses) {
  const ChainPtr chain = load_robot("arm7");
  for (const double masses : {0.9, 1.1}) {
    const ChainPtr truth = scale_inertia(*chain, masses, 1.0);
    const auto drift = [&](double bias_time, double& total) {
      ControllerParameters parameters = guided(*chain);
      parameters.law.guiding.bias_time = bias_time;
      Hand hand(chain, truth, parameters);
      const Vec3d from = hand.tip();
      hand.hold(3.0);
      const Vec3d then = hand.tip();
      hand.hold(2.0);
      total = (hand.tip() - from).norm();
      return (hand.tip() - then).norm();
    };
    double without_total = 0.0, with_total = 0.0;
    (void)drift(0.0, without_total);
    const double with = drift(0.2, with_total);
    fmt::print(
        "masses x {}: {:.1f} mm without the bias, with it {:.1f} mm and then {:.2g} mm in 2 s\n",
        masses, 1e3 * without_total, 1e3 * with_total, 1e3 * with);
    EXPECT_GT(without_total, 0.1);
    EXPECT_LT(with_total, 0.05);
    EXPECT_LT(with, 5e-4);
  }
}

// A law that tracks gives the arm to a hand and takes it back: no step of the torque, and it holds where it
// was left. Without the second it would go back to its old reference.
TEST(Guiding, ATrackingLawLetsGoAndTakesUp) {
  const ChainPtr chain = load_robot("arm7");
  for (const LawEntry& entry : control_laws()) {
    if (entry.law == Law::kPd) continue;  // does not carry the arm
    SCOPED_TRACE(entry.name);
    ControllerParameters parameters(*chain);
    parameters.law.law = entry.law;
    parameters.law.guidable = true;
    parameters.observe = parameters.reject_disturbance = entry.follows_joints();
    Solver solver = solver_of(chain);
    parameters.law.gains = take(gains_from_frequency(entry.law, solver, held_out(),
                                                     VecXd::Constant(7, 20.0), VecXd::Ones(7)));
    Controller controller = take(Controller::make(chain, parameters));
    Plant plant = take(Plant::make(chain, {}));
    JointState state(7);
    state.q = held_out();
    VecXd torque(7);
    ASSERT_EQ(solver.gravity_torque(state.q, torque), Status::kOk);
    ASSERT_EQ(controller.activate(torque), Status::kOk);
    ASSERT_EQ(plant.reset(state, torque), Status::kOk);
    Reference reference(7);
    reference.q = state.q;
    VecXd before = torque;
    double step = 0.0;
    const auto run = [&](double seconds, const Vec3d& force) {
      plant.set_tip_wrench({force, Vec3d::Zero()});
      for (int k = 0; k < static_cast<int>(seconds / kPeriod); ++k) {
        const ControlOutput& out =
            controller.update(plant.time(), plant.measured(), reference, kPeriod);
        ASSERT_EQ(out.mode, ControlMode::kTracking) << to_string(out.status);
        const VecXd change = (out.torque - before).cwiseQuotient(parameters.law.limits.effort);
        step = std::max(step, change.cwiseAbs().maxCoeff());
        before = out.torque;
        ASSERT_EQ(plant.command(out.torque), Status::kOk);
        ASSERT_EQ(plant.step(kPeriod), Status::kOk);
      }
    };
    const VecXd first = plant.state().q;
    run(0.3, Vec3d::Zero());
    ASSERT_EQ(controller.guide(true), Status::kOk);
    EXPECT_EQ(controller.guided(), true);
    run(1.0, {0.0, 8.0, 0.0});
    EXPECT_GT((plant.state().q - first).norm(), 0.05) << "the hand was held";
    run(3.0, Vec3d::Zero());
    const VecXd there = plant.state().q;
    reference.q = there;
    ASSERT_EQ(controller.guide(false), Status::kOk);
    run(1.0, Vec3d::Zero());
    EXPECT_LT((plant.state().q - there).cwiseAbs().maxCoeff(), 0.01);
    EXPECT_LT(step, 0.02);
  }
}

TEST(Guiding, IsRefusedWhereItWasNotAskedFor) {
  const ChainPtr chain = load_robot("arm7");
  Controller controller = take(Controller::make(chain, ControllerParameters(*chain)));
  EXPECT_EQ(controller.guide(true), Status::kUnsupported);
  EXPECT_EQ(controller.guide(false), Status::kOk);
  EXPECT_FALSE(controller.guided());
}

// Whatever the model says the Coriolis torque does no work, and the friction assist no more than friction.
TEST(Guiding, NothingButGravityAndWallsIsDriven) {
  const ChainPtr chain = load_robot("arm7");
  Random random(20261340);
  ControlParameters parameters = plain_parameters(*chain, Law::kGravity);
  parameters.guiding.friction_share = 1.0;
  ControlLaw law = take(ControlLaw::make(chain, parameters));
  Solver solver = solver_of(chain);
  VecXd friction(7);
  for (int i = 0; i < 200; ++i) {
    const JointState state = random_state(random, 7, std::pow(10.0, random.uniform(-4.0, 1.0)));
    const TorqueTerms& terms = law.update(state, Reference(7), 1e-3).terms;
    EXPECT_NEAR(terms.coriolis.dot(state.qd), 0.0,
                1e-12 * (1.0 + terms.coriolis.norm() * state.qd.norm()));
    ASSERT_EQ(solver.friction_torque(state.qd, friction), Status::kOk);
    EXPECT_TRUE((terms.friction.array().abs() <= friction.array().abs()).all());
    EXPECT_TRUE((terms.friction.array() * friction.array() >= 0.0).all());
  }
}

}  // namespace
}  // namespace dyn::test::control_guiding_tests
