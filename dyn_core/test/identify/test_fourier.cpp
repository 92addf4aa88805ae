// Fourier motions: at rest at both ends, derivatives that are derivatives, and bounds that no instant breaks.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "dyn_core/identify/fourier.hpp"
#include "dyn_core/robot/random_chain.hpp"

namespace dyn::test::fourier_tests {
namespace {

struct State {
  VecXd q, qd, qdd;
};

State state_at(const Trajectory& motion, double time) {
  State state{VecXd(motion.dof()), VecXd(motion.dof()), VecXd(motion.dof())};
  EXPECT_EQ(motion.evaluate(time, state.q, state.qd, state.qdd), Status::kOk);
  return state;
}

// Many periods, a part of one, one harmonic and many.
std::vector<std::unique_ptr<const FourierMotion>> motions() {
  std::vector<std::unique_ptr<const FourierMotion>> out;
  std::uint64_t seed = 20261119;
  for (const FourierShape& shape : {FourierShape{30.0, 10.0, 5}, FourierShape{4.0, 10.0, 3},
                                    FourierShape{7.3, 1.7, 1}, FourierShape{95.0, 3.0, 12}}) {
    Random random(seed++);
    MatXd coefficients(4, shape.terms());
    for (double& x : coefficients.reshaped()) x = random.uniform(-1.0, 1.0);
    out.push_back(std::make_unique<const FourierMotion>(shape, coefficients));
  }
  return out;
}

TEST(Fourier, BeginsAndEndsAtRest) {
  for (const auto& one : motions()) {
    const FourierMotion& motion = *one;
    for (const double time : {-1.0, 0.0, motion.duration(), motion.duration() + 1.0}) {
      const State state = state_at(motion, time);
      EXPECT_EQ(state.q, motion.coefficients().col(0));
      EXPECT_TRUE(state.qd.isZero(0.0));
      EXPECT_TRUE(state.qdd.isZero(0.0));
    }
  }
}

TEST(Fourier, DerivativesAreThoseOfThePositions) {
  constexpr double h = 1e-5;
  for (const auto& one : motions()) {
    const FourierMotion& motion = *one;
    const VecXd third = motion.bound(3), fourth = motion.bound(4);
    for (double t = 0.011; t < motion.duration() - 2.0 * h; t += 0.037) {
      const State before = state_at(motion, t - h), state = state_at(motion, t),
                  after = state_at(motion, t + h);
      // h²/6 of the third derivative, and rounding
      const VecXd rate = (after.q - before.q) / (2.0 * h) - state.qd;
      EXPECT_LE((rate.cwiseAbs() - h * h * third).maxCoeff(), 1e-9) << t;
      const double knot = std::min(std::abs(t - motion.shape().fade()),
                                   std::abs(motion.duration() - motion.shape().fade() - t));
      if (knot <= h) continue;  // where the third derivative jumps
      const VecXd change = (after.qd - before.qd) / (2.0 * h) - state.qdd;
      EXPECT_LE((change.cwiseAbs() - h * h * fourth).maxCoeff(), 1e-8) << t;
    }
  }
}

TEST(Fourier, NothingIsBeyondThePeaksAndTheyAreMet) {
  for (const auto& one : motions()) {
    const FourierMotion& motion = *one;
    const FourierPeaks peaks = peaks_of(motion);
    const FourierShape& shape = motion.shape();
    const double step = shape.period / (4000.0 * static_cast<double>(shape.harmonics));
    VecXd low = state_at(motion, 0.0).q, high = low, fast = VecXd::Zero(4), sharp = fast;
    for (double t = 0.0; t <= motion.duration(); t += step) {
      const State state = state_at(motion, t);
      low = low.cwiseMin(state.q);
      high = high.cwiseMax(state.q);
      fast = fast.cwiseMax(state.qd.cwiseAbs());
      sharp = sharp.cwiseMax(state.qdd.cwiseAbs());
    }
    EXPECT_TRUE((low.array() >= peaks.lowest.array()).all());
    EXPECT_TRUE((high.array() <= peaks.highest.array()).all());
    EXPECT_TRUE((fast.array() <= peaks.velocity.array()).all());
    EXPECT_TRUE((sharp.array() <= peaks.acceleration.array()).all());
    // and the margins cost little
    EXPECT_TRUE((peaks.highest - high).maxCoeff() < 1e-3 * (high - low).maxCoeff());
    EXPECT_TRUE((fast.array() >= 0.995 * peaks.velocity.array()).all());
    EXPECT_TRUE((sharp.array() >= 0.99 * peaks.acceleration.array()).all());
  }
}

TEST(Fourier, RefusesWrongSizesAndTimes) {
  const auto one = std::move(motions().front());
  const FourierMotion& motion = *one;
  VecXd q(4), qd(4), qdd(3);
  EXPECT_EQ(motion.evaluate(1.0, q, qd, qdd), Status::kWrongSize);
  qdd.resize(4);
  EXPECT_EQ(motion.evaluate(std::nan(""), q, qd, qdd), Status::kNotFinite);
  EXPECT_EQ(q, motion.coefficients().col(0));
  EXPECT_TRUE(qd.isZero(0.0));
}

}  // namespace
}  // namespace dyn::test::fourier_tests
