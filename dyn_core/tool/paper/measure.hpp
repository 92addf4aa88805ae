// What several papers' items are measured by.
#pragma once

#include <algorithm>
#include <chrono>

#include "dyn_core/study/count.hpp"
#include "dyn_core/study/counted_arm.hpp"

namespace dyn::tool {

/// The shortest of `rounds` runs of `work`, s.
template <class Work>
[[nodiscard]] double shortest_time(int rounds, Work work) {
  double least = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    least = std::min(least, time.count());
  }
  return least;
}

}  // namespace dyn::tool
