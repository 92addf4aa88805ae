// What was recorded, repeated.
#include <cmath>

#include "control_support.hpp"
#include "dyn_core/control/recording.hpp"

namespace dyn::test::control_recording_tests {
namespace {

// The arm stands for a second, is moved by half a turn of a smooth swing, and stands again.
JointState guided(double t) {
  JointState state(7);
  const double s = std::clamp(t - 1.0, 0.0, 3.0) * M_PI / 3.0;
  const bool moves = t > 1.0 && t < 4.0;
  state.q = 0.5 * (first_posture() + last_posture());
  for (Index i = 0; i < 7; ++i) {
    const double size = 0.1 * static_cast<double>(i + 1);
    state.q[i] += size * 0.5 * (1.0 - std::cos(s));
    state.qd[i] = moves ? size * 0.5 * M_PI / 3.0 * std::sin(s) : 0.0;
  }
  return state;
}

Recording record(double seconds) {
  Recorder recorder(7, 60.0);
  recorder.start();
  for (int k = 0; k <= static_cast<int>(1e3 * seconds); ++k) {
    recorder.add(guided(1e-3 * k), VecXd::Constant(7, 1e-3 * k), 1e-3);
  }
  recorder.stop();
  recorder.add(guided(0.0), VecXd::Zero(7), 1e-3);
  return recorder.recording();
}

TEST(Recording, KeepsASampleEveryInterval) {
  const Recording out = record(2.0);
  ASSERT_EQ(out.times.size(), 101u);
  for (std::size_t k = 0; k < out.times.size(); ++k) {
    const auto column = static_cast<Index>(k);
    EXPECT_NEAR(out.times[k], 0.02 * static_cast<double>(k), 1e-9);
    EXPECT_LT((out.q.col(column) - guided(out.times[k]).q).norm(), 1e-9);
    EXPECT_NEAR(out.torque(3, column), out.times[k], 1e-9);
  }
  Recorder little(7, 0.1);
  little.start();
  for (int k = 0; k < 1000; ++k) little.add(guided(0.0), VecXd::Zero(7), 1e-3);
  EXPECT_EQ(little.size(), 6);
}

TEST(Recording, IsRepeatedFromWhereTheArmIs) {
  const ChainPtr chain = load_robot("arm7");
  const Recording recording = record(5.0);
  const VecXd from = first_posture();
  for (const double speed : {1.0, 0.5}) {
    const TrajectoryPtr motion = take(playback(*chain, recording, from, speed));
    VecXd q(7), qd(7), qdd(7);
    ASSERT_EQ(motion->evaluate(0.0, q, qd, qdd), Status::kOk);
    EXPECT_LT((q - from).norm() + qd.norm() + qdd.norm(), 1e-9);
    // The swing is at the end: 3 s of it, and half a second to rest; where it began exactly is not said.
    const auto off = [&](double shift) {
      double most = 0.0;
      for (double t = 0.0; t < 3.0; t += 0.01) {
        const double time = motion->duration() - 0.5 - (3.0 - t) / speed + shift;
        EXPECT_EQ(motion->evaluate(time, q, qd, qdd), Status::kOk);
        most = std::max(most, (q - guided(1.0 + t).q).cwiseAbs().maxCoeff());
      }
      return most;
    };
    double least = kInfinity;
    for (double shift = -0.15; shift < 0.15; shift += 0.01) least = std::min(least, off(shift));
    EXPECT_LT(least, 0.006) << "of a swing of 0.7 rad";
    for (double t = 0.0; t < motion->duration(); t += 0.01) {
      ASSERT_EQ(motion->evaluate(t, q, qd, qdd), Status::kOk);
      for (Index i = 0; i < 7; ++i) {
        EXPECT_LT(std::abs(qd[i]), chain->coordinate_joint(i).limits.velocity);
      }
      EXPECT_LT(qdd.cwiseAbs().maxCoeff(), 10.0) << "at " << t << " s";
    }
    ASSERT_EQ(motion->evaluate(motion->duration(), q, qd, qdd), Status::kOk);
    EXPECT_LT((q - guided(5.0).q).norm(), 0.02);
  }
}

// As PLAY gets it from somebody who leaves velocities out, or wants the arm at rest at each of them.
TEST(Recording, NoPostureOfAGivenMotionIsLeftOut) {
  const ChainPtr chain = load_robot("arm7");
  const VecXd from = first_posture();
  Recording given{{0.0, 1.0, 2.0, 3.0}, MatXd(7, 4), MatXd::Zero(7, 4), MatXd::Zero(7, 4)};
  given.q << from, from + VecXd::Constant(7, 0.3), from - VecXd::Constant(7, 0.2), last_posture();
  const TrajectoryPtr motion = take(playback(*chain, given, from));
  VecXd q(7), qd(7), qdd(7);
  for (Index k = 0; k < given.q.cols(); ++k) {
    double nearest = kInfinity;
    for (double t = 0.0; t <= motion->duration(); t += 0.005) {
      ASSERT_EQ(motion->evaluate(t, q, qd, qdd), Status::kOk);
      nearest = std::min(nearest, (q - given.q.col(k)).cwiseAbs().maxCoeff());
    }
    EXPECT_LT(nearest, 0.01) << "point " << k;
  }
}

// The wrist's encoder begins anew at half a turn, and the arm stands beyond it.
TEST(Recording, ContinuousJointsGoTheShorterWay) {
  int number = 0;
  const ChainPtr chain = edited(*load_robot("arm7"), [&](Joint& joint) {
    if (number++ == 6) joint.type = JointType::kContinuous;
  });
  Recorder recorder(7);
  recorder.start();
  JointState state(7);
  for (int k = 0; k < 5000; ++k) {
    const double moved = 0.3 * std::clamp(1e-3 * k - 1.0, 0.0, 3.0);
    state.q[6] = std::remainder(2.8 + moved, 2.0 * M_PI);
    state.qd[6] = k > 1000 && k < 4000 ? 0.3 : 0.0;
    recorder.add(state, VecXd::Zero(7), 1e-3);
  }
  VecXd from = VecXd::Zero(7), q(7), qd(7), qdd(7);
  from[6] = -3.1;
  const TrajectoryPtr motion = take(playback(*chain, recorder.recording(), from));
  double low = kInfinity, high = -kInfinity;
  for (double t = 0.0; t < motion->duration(); t += 0.002) {
    ASSERT_EQ(motion->evaluate(t, q, qd, qdd), Status::kOk);
    EXPECT_LT(std::abs(qd[6]), 1.0) << "at " << t << " s; it was 0.3 rad/s";
    low = std::min(low, q[6]);
    high = std::max(high, q[6]);
  }
  EXPECT_LT(high - low, 1.0);
  EXPECT_NEAR(std::remainder(q[6] - 3.7, 2.0 * M_PI), 0.0, 0.01);
}

TEST(Recording, IsAMotionAndALog) {
  const ChainPtr chain = load_robot("arm7");
  const Recording recording = record(5.0);
  const std::string csv = to_csv(*chain, recording);
  EXPECT_TRUE(csv.starts_with("t,q_joint1,")) << csv.substr(0, 40);
  const TrajectoryPtr motion = take(waypoints_from_csv(csv, 7, Interpolation::kQuintic));
  EXPECT_NEAR(motion->duration(), 5.0, 1e-9);
  VecXd q(7), qd(7), qdd(7);
  ASSERT_EQ(motion->evaluate(2.5, q, qd, qdd), Status::kOk);
  EXPECT_LT((q - guided(2.5).q).norm(), 1e-4);
}

TEST(Recording, SaysWhyItCannotBeRepeated) {
  const ChainPtr chain = load_robot("arm7");
  const VecXd from = first_posture();
  EXPECT_NE(playback(*chain, {}, from).error().sentence.find("guide the arm first"),
            std::string::npos);
  const Recording recording = record(5.0);
  for (const double speed : {0.0, -1.0, 11.0, kNaN}) {
    EXPECT_FALSE(playback(*chain, recording, from, speed)) << speed;
  }
  EXPECT_FALSE(playback(*load_robot("puma560"), recording, from));
}

}  // namespace
}  // namespace dyn::test::control_recording_tests
