// Arms whose truth is known, and the samples of their motion.
#pragma once

#include <cmath>

#include "dyn_core/identify/identify.hpp"
#include "dyn_core/solver.hpp"
#include "support.hpp"

namespace dyn::test::identify_tests {

inline constexpr std::uint64_t kSeed = 20261119;

// The description is as wrong as one may be: bodies by 30 % or so, drives unknown.
inline ChainPtr mistaken(const Chain& chain, Random& random) {
  ChainDescription description = chain.description();
  for (Link& link : description.links) {
    const double factor = 1.0 + 0.3 * random.uniform(-1.0, 1.0);
    link.body.mass *= factor;
    link.body.inertia *= factor * (1.0 + 0.3 * random.uniform(-1.0, 1.0));
    link.body.com += random.vector(0.02);
  }
  for (Joint& joint : description.joints) joint.armature = joint.damping = joint.friction = 0.0;
  return std::make_shared<const Chain>(std::move(description));
}

inline ChainPtr with_drives(const Chain& chain, Random& random) {
  ChainDescription description = chain.description();
  for (Joint& joint : description.joints) {
    joint.armature = random.uniform(0.05, 0.3);
    joint.damping = random.uniform(0.2, 1.0);
    joint.friction = random.uniform(0.3, 1.0);
  }
  return std::make_shared<const Chain>(std::move(description));
}

struct Motion {
  Index samples = 300;
  double period = 0.02;  // s
  Index only = -1;       // the joint that moves
};

// Three sines for each joint, and the torque they take.
inline Samples moved(const ChainPtr& chain, const Motion& motion, Random& random,
                     const RigidBody& payload = {}) {
  const Index n = chain->dof();
  Samples log;
  log.t.resize(motion.samples);
  log.q = MatXd::Zero(motion.samples, n);
  log.qd = log.qdd = log.tau = log.q;
  for (Index k = 0; k < motion.samples; ++k) log.t[k] = motion.period * static_cast<double>(k);
  for (Index j = 0; j < n; ++j) {
    const double at = random.uniform(-1.0, 1.0);
    log.q.col(j).setConstant(at);
    for (int s = 1; s <= 3 && (motion.only < 0 || motion.only == j); ++s) {
      const double rate = 1.2 * s * random.uniform(0.8, 1.2), size = random.uniform(0.3, 0.8) / s;
      const double phase = random.uniform(0.0, 6.0);
      for (Index k = 0; k < motion.samples; ++k) {
        const double angle = rate * log.t[k] + phase;
        log.q(k, j) += size * std::sin(angle);
        log.qd(k, j) += size * rate * std::cos(angle);
        log.qdd(k, j) -= size * rate * rate * std::sin(angle);
      }
    }
  }
  Solver solver = Solver::make(chain).value();
  solver.set_payload(payload);
  solver.set_friction(true);
  VecXd tau(n);
  for (Index k = 0; k < motion.samples; ++k) {
    const VecXd q = log.q.row(k), qd = log.qd.row(k), qdd = log.qdd.row(k);
    EXPECT_EQ(solver.inverse_dynamics(q, qd, qdd, tau), Status::kOk);
    log.tau.row(k) = tau;
  }
  return log;
}

// What encoders of 20 bits and torque sensors of 1 % of the joint's torque leave of it.
inline Samples noisy(Samples log, Random& random) {
  constexpr double kEncoder = 6e-6, kRate = 5e-4, kChange = 5e-3, kTorque = 0.01;
  const VecXd rms = (log.tau.colwise().squaredNorm() / static_cast<double>(log.size())).cwiseSqrt();
  for (Index j = 0; j < log.q.cols(); ++j) {
    for (Index k = 0; k < log.size(); ++k) {
      log.q(k, j) += kEncoder * random.normal();
      log.qd(k, j) += kRate * random.normal();
      log.qdd(k, j) += kChange * random.normal();
      log.tau(k, j) += kTorque * rms[j] * random.normal();
    }
  }
  return log;
}

inline void expect_possible(const Identified& found, const Chain& chain) {
  for (const IdentifiedBody& link : found.links) {
    EXPECT_GT(link.body.mass, 0.0);
    for (const InertiaIssue& issue : check(link.body, chain.reach())) {
      EXPECT_NE(issue.severity, InertiaIssue::Severity::kError) << chain.name() << issue.text;
      EXPECT_EQ(issue.text.find("triangle"), std::string::npos) << chain.name() << issue.text;
    }
  }
  for (const Joint& joint : found.chain->joints()) {
    EXPECT_GE(joint.armature, 0.0);
    EXPECT_GE(joint.damping, 0.0);
    EXPECT_GE(joint.friction, 0.0);
  }
}

}  // namespace dyn::test::identify_tests
