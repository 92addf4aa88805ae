// The laws at the tip in motion: through singular postures, after targets with gaps, against a wall.
#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "dyn_core/control/target.hpp"
#include "tip_support.hpp"

namespace dyn::test::control_tip_motions_tests {
namespace {

constexpr std::uint64_t kSeed = 20261320;

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
    TipLoop loop(chain, parameters);
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
  const VecXd bent = bent_elbow();
  for (const Law law : {Law::kTaskSpace, Law::kImpedance}) {
    TipLoop loop(chain, parameters_at_tip(*chain, law));
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

// Round and round at 100 Hz: the reference is where the target is, not inside its circle.
TEST(TipTargets, ATargetThatTurnsIsNotLeftBehind) {
  TargetFilter filter = take(TargetFilter::make({}));
  constexpr double kRadius = 0.08, kRate = 0.5 * M_PI;
  filter.reset({Mat3d::Identity(), {kRadius, 0.0, 0.0}});
  double off = 0.0;
  for (int k = 0; k < 8000; ++k) {
    const double angle = kRate * 1e-3 * k;
    const Vec3d way(std::cos(angle), std::sin(angle), 0.0);
    if (k % 10 == 0) {
      TipReference target;
      target.pose.p = kRadius * way;
      target.twist.head<3>() = kRadius * kRate * Vec3d(-way.y(), way.x(), 0.0);
      ASSERT_EQ(filter.set(target), Status::kOk);
    }
    if (k > 2000) off = std::max(off, (filter.reference().pose.p - kRadius * way).norm());
    (void)filter.update(1e-3);
  }
  fmt::print("{:.3f} mm off\n", 1e3 * off);
  EXPECT_LT(off, 2e-4);
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
  target.pose.R.setIdentity();
  for (const Index i : {0, 3}) {
    target.twist[i] = i == 0 ? 1.1 : 4.1;
    EXPECT_EQ(filter.set(target), Status::kUnsupported) << "too fast";
    target.twist.setZero();
  }
  target.wrench.force.y() = 101.0;
  EXPECT_EQ(filter.set(target), Status::kUnsupported) << "too strong";
  target.wrench = {Vec3d::Zero(), Vec3d(0.0, 0.0, 21.0)};
  EXPECT_EQ(filter.set(target), Status::kUnsupported) << "too strong a torque";
  target.wrench = {};
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
  const VecXd bent = bent_elbow();
  constexpr double kWall = 2e4, kStiffness = 1000.0, kDeep = 0.03;
  ControllerParameters parameters = parameters_at_tip(*chain, Law::kImpedance);
  parameters.law.task.stiffness.head<3>().setConstant(kStiffness);
  TipLoop loop(chain, parameters);
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

}  // namespace
}  // namespace dyn::test::control_tip_motions_tests
