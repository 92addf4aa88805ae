// Copyright 2026 The dyn developers
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

// A motion that the tests follow, and how well it was followed; parameters that they share.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bench.hpp"

namespace dyn_control::test {

constexpr double kNoJump = 0.01;  ///< of the limit, between two cycles

/// From the bench's start through a good part of the workspace in `duration`, as smooth as a sine.
inline dyn::TrajectoryPtr motion(const Bench& bench, double duration) {
  dyn::VecXd end = bench.first();
  for (dyn::Index i = 0; i < end.size(); ++i) {
    const bool prismatic = bench.chain()->coordinate_joint(i).is_prismatic();
    const dyn::JointLimits& limits = bench.chain()->coordinate_joint(i).limits;
    const double step = prismatic ? 0.2 : 0.8;
    end[i] += end[i] + step < limits.upper ? step : -step;
  }
  return dyn::cycloid(bench.first(), end, duration).value();
}

inline dyn::Reference at(const dyn::Trajectory& trajectory, double time) {
  dyn::Reference out(trajectory.dof());
  EXPECT_EQ(trajectory.evaluate(time, out.q, out.qd, out.qdd), dyn::Status::kOk);
  return out;
}

struct Tracked {
  double peak = 0.0;  ///< largest |q_d - q|
  double rms = 0.0;
  std::size_t errors = 0;  ///< updates that did not return OK
};

/// Follows the chain's references from `begin` to `end` of the motion.
inline Tracked follow(Bench& bench, const dyn::Trajectory& trajectory, double begin, double end) {
  Tracked out;
  double sum = 0.0;
  std::size_t count = 0;
  for (double t = begin; t < end - 0.5 * kPeriod; t += kPeriod) {
    const dyn::Reference reference = at(trajectory, t);
    const double error = (reference.q - bench.truth().q).norm();
    out.peak = std::max(out.peak, error);
    sum += error * error;
    ++count;
    bench.refer(reference);
    out.errors += bench.cycle() == return_type::OK ? 0 : 1;
  }
  out.rms = std::sqrt(sum / static_cast<double>(std::max<std::size_t>(count, 1)));
  return out;
}

/// Parameters with which arm7 feels contacts and stops.
inline std::vector<rclcpp::Parameter> feeling(double threshold, double fault_timeout = 0.1) {
  std::vector<rclcpp::Parameter> out = {
      {"observer.enabled", true}, {"observer.reaction", "stop"}, {"fault.timeout", fault_timeout}};
  for (const std::string& joint : arm7_joints()) {
    out.emplace_back("observer." + joint + ".threshold", threshold);
  }
  return out;
}

}  // namespace dyn_control::test
