// The laws at the tip: what their equations promise, singular postures, targets with gaps, a wall.
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <fmt/format.h>

#include "control_support.hpp"
#include "dyn_core/control/target.hpp"

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

struct Tip {
  explicit Tip(const ChainPtr& chain)
      : kinematics(chain), solver(solver_of(chain)), J(MatXd::Zero(6, chain->dof())) {}

  // The acceleration of the tip under `torque`, by forward dynamics.
  Vec6<double> acceleration(const JointState& state, const VecXd& torque) {
    move_to(state.q);
    VecXd qdd(state.q.size());
    Vec6<double> drift;
    EXPECT_EQ(solver.forward_dynamics(state.q, state.qd, torque, qdd), Status::kOk);
    const Index last = kinematics.chain().joint_count() - 1;
    EXPECT_EQ(kinematics.jacobian_rate_times_velocity(state.qd, last, pose().p, drift),
              Status::kOk);
    return J * qdd + drift;
  }
  void move_to(const VecXd& q) {
    EXPECT_EQ(kinematics.update(q), Status::kOk);
    EXPECT_EQ(kinematics.jacobian(J), Status::kOk);
  }
  [[nodiscard]] Posed pose() const { return kinematics.tip_pose(); }

  Kinematics<double> kinematics;
  Solver solver;
  MatXd J;
};

JointState bent(Random& random) {
  JointState state(7);
  state.q << 0.0, 0.2, 0.0, 1.3, 0.0, 1.0, 0.0;
  state.q += random.vector(7, 0.2);
  state.qd = random.vector(7, 0.5);
  return state;
}

TEST(TaskSpace, TheTipAcceleratesAsAsked) {
  const ChainPtr chain = load_robot("arm7");
  Tip tip(chain);
  Random random(kSeed);
  ControlParameters parameters = plain_parameters(*chain, Law::kTaskSpace);
  parameters.friction = false;
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
  ControlParameters parameters = plain_parameters(*chain, Law::kTaskSpace);
  parameters.friction = false;
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
    ControlParameters plain = plain_parameters(*chain, Law::kComputedTorque);
    plain.friction = false;
    ControlLaw joint_law = take(ControlLaw::make(chain, plain));
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
  ControlParameters parameters = plain_parameters(*chain, Law::kTaskSpace);
  parameters.friction = false;
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

// A controller and its arm, without delay.
struct Loop {
  Loop(const ChainPtr& chain, const ControllerParameters& parameters,
       const PlantParameters& plant_parameters = {})
      : tip(chain),
        controller(take(Controller::make(chain, parameters))),
        plant(take(Plant::make(chain, plant_parameters))),
        effort(parameters.law.limits.effort) {}

  void start(const VecXd& q) {
    JointState state(q.size());
    state.q = q;
    VecXd torque(q.size());
    ASSERT_EQ(tip.solver.gravity_torque(q, torque), Status::kOk);
    ASSERT_EQ(controller.activate(torque), Status::kOk);
    ASSERT_EQ(plant.reset(state, torque), Status::kOk);
    before = torque;
  }

  // One period; the largest share of its effort that a joint's torque has moved by, and reached.
  void period(const Reference& reference) {
    const ControlOutput& out = controller.update(plant.time(), plant.measured(), reference, 1e-3);
    ASSERT_TRUE(out.torque.allFinite());
    ASSERT_EQ(out.mode, ControlMode::kTracking)
        << to_string(out.status) << " at " << plant.time() << " s, joint "
        << controller.supervisor().joint() << ", velocities " << plant.state().qd.transpose();
    step = std::max(step, (out.torque - before).cwiseQuotient(effort).cwiseAbs().maxCoeff());
    most = std::max(most, out.torque.cwiseQuotient(effort).cwiseAbs().maxCoeff());
    before = out.torque;
    ASSERT_EQ(plant.command(out.torque), Status::kOk);
    ASSERT_EQ(plant.step(1e-3), Status::kOk);
  }

  Posed pose() {
    tip.move_to(plant.state().q);
    return tip.pose();
  }

  Tip tip;
  Controller controller;
  Plant plant;
  VecXd effort, before;
  double step = 0.0, most = 0.0;
};

ControllerParameters parameters_at_tip(const Chain& chain, Law law) {
  ControllerParameters out(chain);
  out.law.law = law;
  return out;
}

// The tip goes round a circle that touches the end of the arm's reach: stretched out, the way along the arm
// is lost, and nothing else.
TEST(TaskSpace, ACircleThroughTheOutstretchedPosture) {
  for (const char* name : {"arm7", "puma560"}) {
    const ChainPtr chain = load_robot(name);
    const Index n = chain->dof();
    const bool seven = n == 7;
    VecXd straight(n), bent(n);
    if (seven) {
      straight << 0.0, 0.9, 0.0, 0.0, 0.0, 1.0, 0.0;
      bent << 0.0, 0.6, 0.0, 0.9, 0.0, 1.0, 0.0;
    } else {  // the elbow of the Puma is straight where its forearm lies along the upper arm
      straight << 0.0, -0.6, std::atan2(0.4318, -0.0203), 0.0, 1.0, 0.0;
      bent = straight;
      bent[2] += 0.9;
    }
    Tip tip(chain);
    tip.move_to(straight);
    // The elbow at which the least direction of the tip is least.
    const Index elbow = seven ? 3 : 2;
    const auto least = [&](double angle, Vec3d& way) {
      straight[elbow] = angle;
      tip.move_to(straight);
      const Eigen::SelfAdjointEigenSolver<Mat6<double>> eigen(
          Mat6<double>(tip.J * tip.J.transpose()));
      way = eigen.eigenvectors().col(0).head<3>().normalized();
      return eigen.eigenvalues()[0];
    };
    Vec3d along;
    double best = straight[elbow], smallest = kInfinity;
    for (double angle = best - 0.14; angle < best + 0.3; angle += 1e-3) {
      const double value = least(angle, along);
      if (value < smallest) smallest = value, best = angle;
    }
    (void)least(best, along);
    const Posed outermost = tip.pose();
    tip.move_to(bent);
    const Posed begin = tip.pose();
    if (along.dot(begin.p - outermost.p) > 0.0) along = -along;
    const Vec3d across = along.unitOrthogonal();

    ControllerParameters parameters = parameters_at_tip(*chain, Law::kTaskSpace);
    parameters.law.task.frame.col(0) = along;
    parameters.law.task.frame.col(1) = across;
    parameters.law.task.frame.col(2) = along.cross(across);
    Loop loop(chain, parameters);
    loop.start(bent);
    constexpr double kRadius = 0.08, kPeriodOfCircle = 4.0;
    TargetOptions options;
    options.farthest = options.farthest_turn = kInfinity;
    TargetFilter filter = take(TargetFilter::make(options));
    filter.reset(begin);
    Reference reference(n);
    reference.q = bent;
    OperationalSpace space(parameters.law.task, n, true);
    Dynamics dynamics(*chain);
    double remaining = 0.0, along_it = 0.0, turned = 0.0, kept = 1.0;
    for (int k = 0; k < 12000; ++k) {
      const double angle = M_PI + 2.0 * M_PI * std::max(0.0, 1e-3 * k - 3.0) / kPeriodOfCircle;
      const double rate = k < 3000 ? 0.0 : 2.0 * M_PI / kPeriodOfCircle;
      TipReference target;
      target.pose.R = outermost.R;
      target.pose.p =
          outermost.p + kRadius * ((std::cos(angle) - 1.0) * along + std::sin(angle) * across);
      target.twist.head<3>() =
          kRadius * rate * (-std::sin(angle) * along + std::cos(angle) * across);
      ASSERT_EQ(filter.set(target), Status::kOk);
      reference.tip = filter.update(1e-3);
      loop.period(reference);
      if (HasFatalFailure()) return;
      if (k < 3000) continue;
      // The direction that is given up is that of the least mobility; angles count as lengths.
      const VecXd q = loop.plant.state().q;
      loop.tip.move_to(q);
      ASSERT_EQ(loop.tip.solver.dynamics(q, VecXd::Zero(n), dynamics), Status::kOk);
      space.update(loop.tip.J, dynamics.U, dynamics.D);
      const Mat6<double> A = space.mobility() * space.jacobian().transpose();
      const Eigen::SelfAdjointEigenSolver<Mat6<double>> eigen(A);
      const Vec6<double> given_up = eigen.eigenvectors().col(0);
      const Vec6<double> error = loop.controller.output().tip.error;
      const Vec6<double> lengths = space.as_motion(error);
      const double lost = given_up.dot(lengths);
      remaining = std::max(remaining, (lengths - lost * given_up).norm());
      along_it = std::max(along_it, std::abs(lost));
      turned = std::max(turned, error.tail<3>().norm());
      kept = std::min(kept, eigen.eigenvalues()[0] * given_up.dot(space.inertia() * given_up));
    }
    fmt::print(
        "{}: given up down to {:.2f} one direction, off by {:.2f} mm in it, by {:.2f} mm in all "
        "the "
        "others, turned {:.0f} mrad; steps of torque {:.3f}, torque {:.2f} of the effort\n",
        name, kept, 1e3 * along_it, 1e3 * remaining, 1e3 * turned, loop.step, loop.most);
    EXPECT_LT(remaining, 0.002) << name;
    EXPECT_LT(loop.step, 0.1) << name;
    EXPECT_LT(loop.most, 1.0) << name;
    EXPECT_LT(kept, 0.8) << name << " has not been near";
  }
}

// Targets at 15 Hz, one in five lost, and none at all for a while.
TEST(TipTargets, FifteenTargetsASecondWithDropOuts) {
  const ChainPtr chain = load_robot("arm7");
  VecXd bent(7);
  bent << 0.0, 0.4, 0.0, 1.2, 0.0, 0.9, 0.0;
  for (const Law law : {Law::kTaskSpace, Law::kImpedance}) {
    Loop loop(chain, parameters_at_tip(*chain, law));
    loop.start(bent);
    const Posed begin = loop.pose();
    TargetFilter filter = take(TargetFilter::make({}));
    filter.reset(begin);
    Random random(kSeed + 5);
    Reference reference(7);
    reference.q = bent;
    double error = 0.0, acceleration = 0.0, at_rest = 0.0, next = 0.0;
    Vec3d behind = Vec3d::Zero();
    for (int k = 0; k < 8000; ++k) {
      const double time = 1e-3 * k, angle = 2.0 * time;
      const bool silent = time > 4.0 && time < 5.0;
      if (time >= next) {
        next += 1.0 / 15.0;
        TipReference target;
        target.pose.R = rotation_about({0.0, 0.2 * std::sin(angle), 0.0}) * begin.R;
        target.pose.p = begin.p + Vec3d(0.0, 0.1 * std::sin(angle), 0.1 * std::cos(angle) - 0.1);
        target.twist.segment<2>(1) << 0.2 * std::cos(angle), -0.2 * std::sin(angle);
        target.twist[4] = 0.4 * std::cos(angle);
        if (!silent && !random.chance(0.2)) {
          EXPECT_EQ(filter.set(target), Status::kOk);
        }
        behind = target.pose.p;
      }
      const double before = filter.reference().twist.norm();
      reference.tip = filter.update(1e-3);
      acceleration = std::max(acceleration, std::abs(reference.tip.twist.norm() - before) / 1e-3);
      loop.period(reference);
      if (HasFatalFailure()) return;
      error = std::max(error, loop.controller.output().tip.error.head<3>().norm());
      if (time > 4.8 && time < 5.0) at_rest = std::max(at_rest, reference.tip.twist.norm());
    }
    fmt::print(
        "{}: {:.1f} mm from the filtered reference at most, torque steps {:.3f} of the effort\n",
        entry_of(law).name, 1e3 * error, loop.step);
    EXPECT_LT(at_rest, 1e-2) << "too old a target moves no more";
    EXPECT_LT((filter.reference().pose.p - behind).norm(), 0.05);
    EXPECT_LT(acceleration, 30.0);
    EXPECT_LT(error, law == Law::kTaskSpace ? 0.005 : 0.05);
    EXPECT_LT(loop.step, 0.05);
    EXPECT_LT(loop.most, 1.0);
  }
}

TEST(TipTargets, BadTargetsAreRefused) {
  TargetFilter filter = take(TargetFilter::make({}));
  filter.reset({});
  TipReference target;
  EXPECT_EQ(filter.set(target), Status::kOk);
  target.pose.p.x() = 0.6;
  EXPECT_EQ(filter.set(target), Status::kUnsupported) << "too far";
  target.pose.p.x() = kNaN;
  EXPECT_EQ(filter.set(target), Status::kNotFinite);
  target.pose.p.setZero();
  target.pose.R *= 1.1;
  EXPECT_EQ(filter.set(target), Status::kUnsupported) << "no rotation";
  EXPECT_FALSE(TargetFilter::make({.frequency = 0.0}));
  // A step is taken at the speed of catching up, and without overshoot.
  target.pose.R = rotation_about({0.0, 0.0, 1.5});
  target.pose.p = {0.4, 0.0, 0.0};
  ASSERT_EQ(filter.set(target), Status::kOk);
  double speed = 0.0, turn = 0.0, farthest = 0.0;
  for (int k = 0; k < 4000; ++k) {
    ASSERT_EQ(filter.set(target), Status::kOk);
    const TipReference& now = filter.update(1e-3);
    speed = std::max(speed, now.twist.head<3>().norm());
    turn = std::max(turn, now.twist.tail<3>().norm());
    farthest = std::max(farthest, now.pose.p.x());
  }
  EXPECT_NEAR(speed, 0.25, 0.03);
  EXPECT_NEAR(turn, 1.0, 0.1);
  EXPECT_LT(farthest, 0.4 + 1e-6);
  EXPECT_LT((filter.reference().pose.p - target.pose.p).norm(), 1e-6);
  EXPECT_LT((filter.reference().pose.R - target.pose.R).norm(), 1e-6);
}

// Pressed against a wall the tip gives stiffness times the way that its target is behind it.
TEST(Impedance, ContactForceIsStiffnessTimesPenetration) {
  const ChainPtr arm = load_robot("arm7");
  const ChainPtr chain = edited(*arm, [](Joint& joint) { joint.friction = 0.0; });
  VecXd bent(7);
  bent << 0.0, 0.4, 0.0, 1.2, 0.0, 0.9, 0.0;
  constexpr double kWall = 2e4, kStiffness = 1000.0, kDeep = 0.03;
  ControllerParameters parameters = parameters_at_tip(*chain, Law::kImpedance);
  parameters.law.task.stiffness.head<3>().setConstant(kStiffness);
  Loop loop(chain, parameters);
  loop.start(bent);
  const Posed begin = loop.pose();
  Reference reference(7);
  reference.q = bent;
  reference.tip.given = true;
  reference.tip.pose = begin;
  double force = 0.0, least = kInfinity, largest = 0.0;
  for (int k = 0; k < 4000; ++k) {
    reference.tip.pose.p.x() = begin.p.x() + kDeep * std::min(1.0, 1e-3 * k);
    const Vec3d velocity = loop.tip.J.topRows<3>() * loop.plant.state().qd;
    force = std::max(0.0, kWall * (loop.pose().p.x() - begin.p.x() - 0.005) + 50.0 * velocity.x());
    loop.plant.set_tip_wrench({{-force, 0.0, 0.0}, Vec3d::Zero()});
    loop.period(reference);
    if (HasFatalFailure()) return;
    if (k < 3000) continue;
    least = std::min(least, force);
    largest = std::max(largest, force);
  }
  const double penetration = reference.tip.pose.p.x() - loop.pose().p.x();
  fmt::print(
      "force {:.2f} N, stiffness x penetration {:.2f} N, within {:.2g} N for the last second\n",
      force, kStiffness * penetration, largest - least);
  EXPECT_NEAR(force, kStiffness * penetration, 0.05 * force);
  EXPECT_GT(force, 20.0);
  EXPECT_LT(largest - least, 0.05 * force) << "chatter";
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
  ControlLaw law = take(ControlLaw::make(chain, [&] {
    ControlParameters plain = plain_parameters(*chain, Law::kImpedance);
    plain.friction = false;
    plain.task.inertia = parameters.law.task.inertia;
    plain.task.stiffness.setZero();
    return plain;
  }()));
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
