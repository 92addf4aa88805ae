// Guiding and impedance against what pushes on them: an arm that is passive gives an environment no more
// than what it has stored, whatever the environment does with it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "control_support.hpp"

namespace dyn::test::control_passivity_tests {
namespace {

constexpr std::uint64_t kSeed = 20261310;
constexpr double kPeriod = 1e-3;

// A spring and a damper between the tip and a place.
struct Environment {
  double stiffness, damping;
  Vec3d anchor;
};

Environment random_environment(Random& random, const Vec3d& tip) {
  return {std::pow(10.0, random.uniform(1.0, 3.7)), random.uniform(0.0, 30.0),
          tip + random.vector(0.1)};
}

// Kinetic energy and what the springs of the law hold, and the work of the environment, while a run goes on.
class Balance {
 public:
  Balance(const ChainPtr& chain, const ControllerParameters& parameters,
          const PlantParameters& plant)
      : solver_(solver_of(chain)),
        kinematics_(chain),
        controller_(take(Controller::make(chain, parameters))),
        plant_(take(Plant::make(chain, plant))),
        delay_(static_cast<std::size_t>(std::lround(plant.delay / kPeriod))),
        jacobian_(MatXd::Zero(6, chain->dof())) {}

  void start(const JointState& state) {
    VecXd torque(state.q.size());
    expect_ok(solver_.gravity_torque(state.q, torque));
    expect_ok(controller_.activate(torque));
    expect_ok(plant_.reset(state, torque));
  }

  // Energy in excess of the one at the beginning and of what the environment has put in, as it is known
  // when the law has seen the state: what a period has cost, the tank pays at its end.
  double period(const Reference& reference, const Environment& environment) {
    const ControlOutput& out =
        controller_.update(plant_.time(), plant_.measured(), reference, kPeriod);
    EXPECT_TRUE(out.torque.allFinite());
    tanks_.push_back(out.tip.tank);
    const double energy = stored();
    if (tanks_.size() == delay_ + 1) initial_ = energy - work_;
    const double excess = tanks_.size() > delay_ ? energy - work_ - initial_ : 0.0;
    expect_ok(plant_.command(out.torque));
    push(environment);
    return excess;
  }

  [[nodiscard]] Vec3d tip() {
    expect_ok(kinematics_.update(plant_.state().q));
    return kinematics_.tip_pose().p;
  }
  [[nodiscard]] double passed() const { return passed_; }
  [[nodiscard]] double initial() const { return initial_; }
  [[nodiscard]] const Controller& controller() const { return controller_; }

 private:
  static void expect_ok(Status status) { EXPECT_EQ(status, Status::kOk); }

  // A period long; the environment answers anew in each part of it.
  void push(const Environment& environment) {
    constexpr int kParts = 4;
    for (int k = 0; k < kParts; ++k) {
      const Vec3d before = tip();
      expect_ok(kinematics_.jacobian(jacobian_));
      const Vec3d velocity = jacobian_.topRows<3>() * plant_.state().qd;
      const Vec3d force =
          -environment.stiffness * (before - environment.anchor) - environment.damping * velocity;
      plant_.set_tip_wrench({force, Vec3d::Zero()});
      expect_ok(plant_.step(kPeriod / kParts));
      const double work = force.dot(tip() - before);
      work_ += work;
      passed_ += std::abs(work);
    }
  }

  // Behind a delay the law is ahead of the arm: the tank is the one of the arm's own time.
  double stored() {
    double energy = 0.0;
    expect_ok(solver_.kinetic_energy(plant_.state().q, plant_.state().qd, energy));
    const double ahead =
        tanks_.back() - tanks_[tanks_.size() > delay_ ? tanks_.size() - 1 - delay_ : 0];
    return energy + controller_.law().stored(plant_.state()) - ahead;
  }

  Solver solver_;
  Kinematics<double> kinematics_;
  Controller controller_;
  Plant plant_;
  std::size_t delay_;          // periods until a torque of the law acts
  std::vector<double> tanks_;  // of every period
  MatXd jacobian_;
  double initial_ = 0.0, work_ = 0.0, passed_ = 0.0;
};

JointState somewhere(Random& random, const Chain& chain, double speed) {
  JointState state(chain.dof());
  for (Index i = 0; i < chain.dof(); ++i) {
    const JointLimits& limits = chain.coordinate_joint(i).limits;
    state.q[i] =
        random.uniform(0.9 * std::max(limits.lower, -3.0), 0.9 * std::min(limits.upper, 3.0));
    state.qd[i] = random.uniform(-speed, speed);
  }
  return state;
}

ControllerParameters random_parameters(Random& random, const Chain& chain, Law law) {
  ControllerParameters out(chain);
  out.law.law = law;
  out.law.ramp_in = 0.0;
  out.law.limits.effort.setConstant(kInfinity);
  out.supervision.enabled = false;
  out.law.guiding.friction_share = random.uniform(0.0, 1.0);
  if (random.chance(0.5)) out.law.guiding.damping.setConstant(random.uniform(0.0, 5.0));
  out.predict = out.observe = random.chance(0.5);
  out.delay = out.predict ? 0.002 : 0.0;
  out.law.task.tank = std::pow(10.0, random.uniform(-3.0, 0.0));
  out.law.task.damping_ratio.setConstant(random.uniform(0.0, 1.0));
  out.law.gains.kd *= random.uniform(0.0, 1.0);
  return out;
}

struct Worst {
  double energy = 0.0, share = 0.0;
};

Worst play(Law law, int runs) {
  Worst out;
  for (int run = 0; run < runs; ++run) {
    Random random(kSeed + static_cast<std::uint64_t>(run));
    ChainPtr chain = load_robot(run % 2 == 0 ? "arm7" : "puma560");
    if (random.chance(0.5)) chain = without_friction(*chain);
    const ControllerParameters parameters = random_parameters(random, *chain, law);
    PlantParameters plant;
    plant.delay = parameters.delay;
    plant.clip_effort = false;
    plant.model.friction_scale = random.uniform(1.0, 1.5);
    plant.model.stops = false;
    Balance balance(chain, parameters, plant);
    const JointState state = somewhere(random, *chain, random.chance(0.5) ? 1.0 : 0.0);
    balance.start(state);
    const Environment environment = random_environment(random, balance.tip());
    Reference reference(chain->dof());
    reference.q = state.q + random.vector(chain->dof(), 0.3);  // the target, and a posture
    double most = 0.0;
    for (int k = 0; k < 300; ++k) most = std::max(most, balance.period(reference, environment));
    constexpr double kLittle = 1e-3;  // J, of an arm at rest
    const double share = most / (balance.initial() + balance.passed() + kLittle);
    out.energy = std::max(out.energy, most);
    out.share = std::max(out.share, share);
  }
  fmt::print("seed {}, {} runs: {:.3g} J from nowhere at most, {:.3g} of what came and went\n",
             kSeed, runs, out.energy, out.share);
  return out;
}

TEST(Passivity, GuidingGivesNoMoreThanItHasStored) {
  EXPECT_LT(play(Law::kGravity, kSanitized ? 20 : 1000).share, 0.001);
}

TEST(Passivity, ImpedanceGivesNoMoreThanItHasStored) {
  EXPECT_LT(play(Law::kImpedance, kSanitized ? 20 : 1000).share, 0.001);
}

// The posture's spring in an arm that is kicked: whenever it pulls, all that has come out of the law so far is
// less than what the tank held. What a kick takes beyond it is paid back first.
TEST(Passivity, ATankInDebtGivesNothing) {
  constexpr double kTank = 0.05;
  const ChainPtr chain = without_friction(*without_limits(*load_robot("arm7")));
  ControlParameters parameters = plain_parameters(*chain, Law::kImpedance);
  parameters.task.stiffness.setZero();
  parameters.task.tank = kTank;
  parameters.guiding.damping.setZero();
  parameters.guiding.wall_margin.setZero();
  parameters.gains.kp.setConstant(100.0);
  parameters.gains.kd.setConstant(2.0);
  ControlLaw law = take(ControlLaw::make(chain, parameters));
  parameters.gains.kp.setZero();
  ControlLaw damper = take(ControlLaw::make(chain, parameters));
  Random random(kSeed);
  int pulled = 0, silent = 0;
  for (int run = 0; run < 20; ++run) {
    ASSERT_EQ(law.activate(VecXd::Zero(7)), Status::kOk);
    ASSERT_EQ(damper.activate(VecXd::Zero(7)), Status::kOk);
    JointState state = random_state(random, 7, 0.5);
    Reference reference(7);
    reference.q = state.q + random.vector(7, 0.5);
    double come_out = 0.0;
    for (int k = 0; k < 500; ++k) {
      const VecXd torque = law.update(state, reference, kPeriod).terms.feedback;
      const VecXd spring = torque - damper.update(state, reference, kPeriod).terms.feedback;
      const bool pulls = spring.norm() > 1e-9;
      if (pulls) {
        EXPECT_LT(come_out, kTank) << "run " << run << ", period " << k;
      }
      ++(pulls ? pulled : silent);
      VecXd way = kPeriod * state.qd;
      if (random.chance(0.02)) way += spring * (0.1 / (1e-9 + spring.norm()));  // a kick
      state.q += way;
      state.qd = random.vector(7, 0.5);
      come_out += torque.dot(way);
    }
  }
  fmt::print("the spring pulled in {} periods and was silent in {}\n", pulled, silent);
  EXPECT_GT(pulled, 100);
  EXPECT_GT(silent, 100);
}

}  // namespace
}  // namespace dyn::test::control_passivity_tests
