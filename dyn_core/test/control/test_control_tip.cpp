// The laws at the tip: what their equations promise.
#include <cmath>

#include <Eigen/LU>

#include "tip_support.hpp"

namespace dyn::test::control_tip_tests {
namespace {

constexpr std::uint64_t kSeed = 20261320;

Vec6<double> random6(Random& random, double size) {
  Vec6<double> out;
  for (double& x : out) x = random.uniform(-size, size);
  return out;
}

// Near enough for no error to be clipped, and far from singular postures.
TipReference near(Random& random, const Posed& tip) {
  TipReference out;
  out.given = true;
  out.pose = {rotation_about(random.vector(1.0)) * tip.R, tip.p + random.vector(0.05)};
  out.twist = random6(random, 0.5);
  out.acceleration = random6(random, 2.0);
  return out;
}

JointState bent(Random& random) {
  JointState state(7);
  state.q << 0.0, 0.2, 0.0, 1.3, 0.0, 1.0, 0.0;
  state.q += random.vector(7, 0.2);
  state.qd = random.vector(7, 0.5);
  return state;
}

ControlParameters frictionless(const Chain& chain, Law law) {
  ControlParameters parameters = plain_parameters(chain, law);
  parameters.friction = false;
  return parameters;
}

TEST(TaskSpace, TheTipAcceleratesAsAsked) {
  const ChainPtr chain = load_robot("arm7");
  Tip tip(chain);
  Random random(kSeed);
  ControlParameters parameters = frictionless(*chain, Law::kTaskSpace);
  parameters.task.frame = rotation_about({0.3, -0.4, 0.9});
  parameters.task.frequency << 10, 12, 14, 16, 16, 16;
  ControlLaw law = take(ControlLaw::make(chain, parameters));
  const Mat3d& frame = parameters.task.frame;
  const Vec6<double> w = parameters.task.frequency;
  for (int i = 0; i < 50; ++i) {
    const JointState state = bent(random);
    tip.move_to(state.q);
    Reference reference = random_reference(random, 7);
    reference.tip = near(random, tip.pose());
    const TipReference& to = reference.tip;
    const ControlOutput& out = law.update(state, reference, 1e-3);
    ASSERT_EQ(out.status, Status::kOk);
    ASSERT_GT(out.tip.kept.minCoeff(), 0.999999);
    const Vec6<double> twist = to.twist - tip.J * state.qd;
    const Mat3d turn = to.pose.R * tip.pose().R.transpose();
    const Eigen::AngleAxisd by(turn);
    Vec6<double> wanted = to.acceleration;
    for (int half = 0; half < 2; ++half) {
      // With equal gains of all turns (1) is sin θ about the axis.
      const Vec3d e =
          half == 0 ? Vec3d(to.pose.p - tip.pose().p) : Vec3d(std::sin(by.angle()) * by.axis());
      const Vec3d k = w.segment<3>(3 * half);
      wanted.segment<3>(3 * half) +=
          frame * (k.cwiseAbs2().asDiagonal() * Vec3d(frame.transpose() * e) +
                   2.0 * k.asDiagonal() * Vec3d(frame.transpose() * twist.segment<3>(3 * half)));
    }
    EXPECT_LT((tip.acceleration(state, out.torque) - wanted).norm(), 1e-8 * wanted.norm());
  }
}

TEST(TaskSpace, PostureMovesWhatTheTipLeaves) {
  const ChainPtr chain = load_robot("arm7");
  Tip tip(chain);
  Random random(kSeed + 1);
  ControlParameters parameters = frictionless(*chain, Law::kTaskSpace);
  ControlLaw law = take(ControlLaw::make(chain, parameters));
  parameters.task.select = {false, false, false, false, false, false};
  ControlLaw none = take(ControlLaw::make(chain, parameters));
  VecXd qdd(7), other(7);
  for (int i = 0; i < 20; ++i) {
    const JointState state = bent(random);
    tip.move_to(state.q);
    Reference reference = random_reference(random, 7);
    reference.tip = near(random, tip.pose());
    const VecXd torque = law.update(state, reference, 1e-3).torque;
    reference.q += random.vector(7, 0.3);
    const VecXd moved = law.update(state, reference, 1e-3).torque;
    const double inner = (moved - torque).norm();
    EXPECT_GT(inner, 1e-3) << "another posture asks for another torque";
    EXPECT_LT((tip.acceleration(state, moved) - tip.acceleration(state, torque)).norm(),
              1e-8 * tip.acceleration(state, torque).norm());
    ASSERT_EQ(tip.solver.forward_dynamics(state.q, state.qd,
                                          none.update(state, reference, 1e-3).torque, qdd),
              Status::kOk);
    ControlLaw joint_law =
        take(ControlLaw::make(chain, frictionless(*chain, Law::kComputedTorque)));
    ASSERT_EQ(tip.solver.forward_dynamics(state.q, state.qd,
                                          joint_law.update(state, reference, 1e-3).torque, other),
              Status::kOk);
    EXPECT_LT((qdd - other).norm(), 1e-8 * other.norm()) << "nothing selected: computed torque";
  }
}

// Selected directions do what is asked of them, and the rest is the posture's.
TEST(TaskSpace, OnlySelectedDirectionsAreHeld) {
  const ChainPtr chain = load_robot("arm7");
  Tip tip(chain);
  Random random(kSeed + 2);
  ControlParameters parameters = frictionless(*chain, Law::kTaskSpace);
  parameters.task.select = {true, false, true, false, true, false};
  ControlLaw law = take(ControlLaw::make(chain, parameters));
  for (int i = 0; i < 20; ++i) {
    const JointState state = bent(random);
    tip.move_to(state.q);
    Reference reference(7);
    reference.q = state.q;
    reference.tip.given = true;
    reference.tip.pose = tip.pose();
    reference.tip.twist = tip.J * state.qd;
    reference.qd = state.qd;
    const Vec6<double> before = tip.acceleration(state, law.update(state, reference, 1e-3).torque);
    const Vec6<double> push = random6(random, 1.0);
    reference.tip.acceleration = push;
    const Vec6<double> gain =
        tip.acceleration(state, law.update(state, reference, 1e-3).torque) - before;
    for (const Index k : {0, 2, 4}) EXPECT_NEAR(gain[k], push[k], 1e-8);
  }
}

TEST(TaskSpace, RotationErrorIsTheSlopeOfItsPotential) {
  Random random(kSeed + 3);
  constexpr double kStep = 1e-6;
  for (int i = 0; i < 200; ++i) {
    const Vec3d K = Vec3d::Constant(2.0) + random.vector(1.9);
    // All angles, half a turn among them.
    const Vec3d axis = random.vector(1.0).normalized();
    const Mat3d R = rotation_about((i % 10 == 0 ? M_PI : random.uniform(0.0, M_PI)) * axis);
    const Vec3d m = rotation_moment(R, K);
    for (int k = 0; k < 3; ++k) {
      double more = 0.0, less = 0.0;  // R_d Rᵀ while R turns about k
      (void)rotation_moment(R * rotation_about(-kStep * Vec3d::Unit(k)), K, &more);
      (void)rotation_moment(R * rotation_about(kStep * Vec3d::Unit(k)), K, &less);
      EXPECT_NEAR(m[k], (less - more) / (2.0 * kStep), 1e-7);
    }
    const Vec3d small = random.vector(1e-5);
    EXPECT_LT((rotation_moment(rotation_about(small), K) - K.cwiseProduct(small)).norm(), 1e-9);
    EXPECT_LT((rotation_about(rotation_vector(R)) - R).norm(), 1e-9);
  }
}

// Λ of (2) is once continuously differentiable on the way through singular postures, and its torque bounded.
TEST(TaskSpace, InertiaIsContinuousThroughSingularPostures) {
  for (const char* name : {"arm7", "puma560"}) {
    const ChainPtr chain = load_robot(name);
    const Index n = chain->dof();
    Tip tip(chain);
    const TaskParameters task(*chain);
    OperationalSpace space(task, n, true);
    Dynamics dynamics(*chain);
    Random random(kSeed + 4);
    for (int run = 0; run < 20; ++run) {
      const VecXd from = random.vector(n, 1.5), to = random.vector(n, 1.5);
      const Vec6<double> push = random6(random, 1.0);
      VecXd before;
      double least = 1.0, largest_step = 0.0;
      constexpr int kSteps = 20000;
      for (int k = 0; k <= kSteps; ++k) {
        const double s = static_cast<double>(k) / kSteps;
        const VecXd q = from + s * (to - from);
        tip.move_to(q);
        ASSERT_EQ(tip.solver.dynamics(q, VecXd::Zero(n), dynamics), Status::kOk);
        space.update(tip.J, dynamics.U, dynamics.D);
        const VecXd torque = space.jacobian().transpose() * (space.inertia() * push);
        if (k > 0) largest_step = std::max(largest_step, (torque - before).norm());
        before = torque;
        least = std::min(least, space.kept().minCoeff());
        // A force of 1 N of any direction is the push of at most √m of kinetic energy.
        ASSERT_LT(torque.dot(dynamics.mass_matrix.ldlt().solve(torque)),
                  1.2 * task.heaviest * push.squaredNorm());
      }
      EXPECT_LT(largest_step, 0.5) << name << ", run " << run << ", kept " << least;
    }
  }
}

// With an inertia of its own, and the observer, the tip answers a push as a body of that inertia.
TEST(Impedance, ShapedInertiaTakesTheObserver) {
  const ChainPtr chain = load_robot("arm7");
  ControllerParameters parameters = parameters_at_tip(*chain, Law::kImpedance);
  parameters.law.task.inertia << 8.0, 8.0, 8.0, 0.3, 0.3, 0.3;
  EXPECT_FALSE(Controller::make(chain, parameters));
  parameters.law.friction = false;
  Tip tip(chain);
  Random random(kSeed + 6);
  ControlParameters plain = frictionless(*chain, Law::kImpedance);
  plain.task.inertia = parameters.law.task.inertia;
  plain.task.stiffness.setZero();
  ControlLaw law = take(ControlLaw::make(chain, plain));
  JointState state = bent(random);
  state.qd.setZero();
  tip.move_to(state.q);
  const Vec6<double> wrench = random6(random, 10.0);
  const VecXd pushed = tip.J.transpose() * wrench;
  ASSERT_EQ(law.set_disturbance(pushed), Status::kOk);
  Reference reference(7);
  reference.q = state.q;
  const VecXd torque = law.update(state, reference, 1e-3).torque + pushed;
  const Vec6<double> wanted = wrench.cwiseQuotient(parameters.law.task.inertia);
  EXPECT_LT((tip.acceleration(state, torque) - wanted).norm(), 1e-8 * wanted.norm());
}

}  // namespace
}  // namespace dyn::test::control_tip_tests
