// The papers' experiments, and shorthands around simulate().
#pragma once

#include <numbers>

#include "dyn_core/motion/simulate.hpp"
#include "support.hpp"

namespace dyn::test {

/// Saha 2003, section 4: one arm, where it starts, and where its trajectory ends after 10 s.
struct Experiment {
  std::string robot;
  VecXd start, end;
};

inline std::vector<Experiment> experiments() {
  const double pi = std::numbers::pi;
  VecXd stanford_start = VecXd::Zero(6), stanford_end = VecXd::Constant(6, pi / 3.0);
  stanford_start[1] = pi / 2.0;
  stanford_end[2] = 0.1;
  return {{"planar3r", VecXd::Zero(3), VecXd::Constant(3, pi)},
          {"stanford", stanford_start, stanford_end},
          {"puma560", VecXd::Zero(6), VecXd::Constant(6, pi)}};
}

struct Motion {
  std::vector<double> time, energy;
  std::vector<VecXd> q, qd, tau;
  SimulationReport report;
  std::string error;  ///< empty if it went through
};

inline Motion run(const ChainPtr& chain, const SimulationOptions& options, const VecXd& q0,
                  const TorqueInput& torques = free_fall()) {
  Motion motion;
  const auto record = [&](const Sample& sample) {
    motion.time.push_back(sample.time);
    motion.energy.push_back(sample.energy);
    motion.q.push_back(sample.q);
    motion.qd.push_back(sample.qd);
    motion.tau.push_back(sample.tau);
  };
  auto report = simulate(chain, options, torques, q0, VecXd::Zero(q0.size()),
                         {.sample = record, .proceed = {}});
  if (report) {
    motion.report = *std::move(report);
  } else {
    motion.error = report.error().sentence;
  }
  return motion;
}

inline double largest(const VecXd& v) { return v.cwiseAbs().maxCoeff(); }

}  // namespace dyn::test
